// A tab of another game: forms that Python describes, and the text of a question, which says all of them.
import { ask, busily, following } from "./calculator.js";
import { fill, group, odds, rulings, say, values } from "./form.js";
import { adopt, saveAnswer } from "./picture.js";
import { asLink } from "./link.js";

export function gameTab(game, panel) {
  const part = (name) => panel.querySelector(`.${name}`);
  let known, last = null;

  function draw() {
    const form = known.forms[part("which").value];
    part("groups").replaceChildren(...form.groups.map((each) => group(each, follow.soon)));
  }
  async function choose(edition) {
    known = await ask({ kind: "forms", game, edition });
    fill(part("edition"), known.editions.map(({ name, title }) => [title, name]), edition ?? known.editions[0].name);
    rulings(part("rulings"), known.rulings, values(part("rulings")));
  }
  function shown(found, again) {
    say(part("error"), found.error, found.long && again);
    for (const name of ["odds", "report", "explanation"]) part(name).classList.toggle("stale", Boolean(found.error));
    if (found.error) return;
    last = found;
    odds(part("odds"), found.odds.slice(0, 3));
    adopt(part("report"), found.html);
    part("explanation").textContent = found.explanation;
  }
  const follow = following(async (long = false) => {
    const request = { kind: "game", game, question: part("which").value, edition: part("edition").value,
      fields: values(part("groups")), rulings: values(part("rulings")), long };
    const found = await busily(part("busy"), request);
    shown(found, () => follow.now(true));
    if (!found.error) part("text").value = found.text;
  });

  let opened;
  const open = () => (opened ??= begin());
  async function begin() {
    await choose();
    fill(part("which"), Object.entries(known.forms).map(([name, { title }]) => [title, name]), "attack");
    draw();
    await follow.now();
  }
  async function answer(text, long = false) {
    shown(await busily(part("busy"), { kind: "text", text, long }), () => answer(text, true));
  }
  part("which").onchange = () => { draw(); follow.now(); };
  part("edition").onchange = async () => { await choose(part("edition").value); follow.now(); };
  part("groups").addEventListener("input", follow.soon);
  part("rulings").addEventListener("input", follow.soon);
  panel.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  part("compute").onclick = () => answer(part("text").value);
  part("json").onclick = () => last && saveAnswer(last.text);
  part("share").onclick = async () => {
    if (!last) return;
    history.replaceState(null, "", await asLink(last.text));
    await navigator.clipboard?.writeText(location.href).catch(() => null);
    part("shared").textContent = "The address of this page is now a link to this answer.";
  };
  return {
    open,
    async openText(text, found) { await open(); part("as-text").open = true; part("text").value = text; shown(found); },
  };
}

/** The panel of a game, as the page holds it once and each game in turn. */
export function gamePanel(name) {
  const panel = document.getElementById(`panel-${name}`);
  panel.append(document.getElementById("game-panel").content.cloneNode(true));
  return panel;
}
