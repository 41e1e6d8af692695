// The tab of a game: forms that Python describes, their answers, and the text of a question, which says all of them.
import { ask, busily, following } from "./calculator.js";
import { controls, fill, group, made, odds, say, values } from "./form.js";
import { adopt, picture, save, saveAnswer } from "./picture.js";
import { chart } from "./chart.js";
import { asLink } from "./link.js";

const ACTIONS = { keep: "Keep as reference", share: "Copy link", svg: "Picture (SVG)", png: "Picture (PNG)", json: "Answer (JSON)" };

export function questionTab(game, panel) {
  panel.append(document.getElementById("game-panel").content.cloneNode(true));
  const part = (name) => panel.querySelector(`.${name}`);
  let last = null, reference = null, rest = {}, opened;
  const form = () => ({
    game, question: part("which").value, edition: part("edition").value, rulings: values(part("rulings")),
    said: Object.assign({ ...rest }, ...[...part("groups").children].map((each) => each.said())),
  });
  const follow = following(async (long = false) => {
    const asked = form();
    const found = await busily(part("busy"), { kind: "ask", ...asked, long, ...(reference && { reference }) });
    shown(found, () => follow.now(true), asked);
  });

  function shown(found, again, asked = null) {
    say(part("error"), found.error, found.long && again);
    for (const name of ["odds", "chart", "report"]) part(name).classList.toggle("stale", Boolean(found.error));
    if (found.error) return;
    last = { ...found, asked };
    odds(part("odds"), found.odds);
    chart(part("chart"), found);
    adopt(part("report"), found.html);
    part("way").textContent = found.way;
    part("explanation").textContent = found.explanation;
    part("text").value = found.text;
    part("steps").hidden = !found.explanation;
    document.title = [...found.odds.slice(0, 3).map((each) => each.join(" ")), found.title].join(", ");
  }
  /** Draw the form of a question under an edition; what is said of its controls stays said. */
  async function choose({ question, edition, said = {}, rulings = {} } = {}, whole = false) {
    const known = await ask({ kind: "form", game, question, edition });
    if (known.error) return say(part("error"), known.error);
    fill(part("which"), known.questions, known.question);
    fill(part("edition"), known.editions, known.edition);
    const names = known.groups.flatMap(({ name, fields }) => (name ? [name] : fields.map((each) => each.name)));
    rest = whole ? Object.fromEntries(Object.entries(said).filter(([name]) => !names.includes(name))) : {};
    part("groups").replaceChildren(...known.groups.map((each) => group(game, each, said, whole, follow.soon)));
    controls(part("rulings"), known.rulings, rulings);
    part("form").classList.remove("foreign");
  }
  const open = () => (opened ??= choose().then(() => follow.now()));
  async function answer(text, long = false) {
    openText(text, await busily(part("busy"), { kind: "text", text, long }), () => answer(text, true));
  }
  /** Show an answer with the form that asks the same; where there is none, the text is the form. */
  async function openText(text, found, again) {
    opened ??= Promise.resolve();
    if (!found.error && found.form) await choose(found.form, true);
    part("form").classList.toggle("foreign", !found.error && !found.form);
    part("as-text").open ||= !found.form;
    part("text").value = text;
    shown(found, again, found.form);
  }

  part("which").onchange = async () => { await choose({ question: part("which").value, edition: part("edition").value }); follow.now(); };
  part("edition").onchange = async () => { await choose(form(), true); follow.now(); };
  part("form").addEventListener("input", (event) => { if (!event.target.closest(".as-text,.pair,.line")) follow.soon(); });
  part("form").addEventListener("submit", (event) => event.preventDefault());
  part("compute").onclick = () => answer(part("text").value);
  const act = {
    keep: (button) => {
      reference = reference ? null : last.asked;
      button.textContent = reference ? "Drop the reference" : ACTIONS.keep;
      follow.now();
    },
    share: async () => {
      history.replaceState(null, "", await asLink(last.text));
      const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
      part("shared").textContent = copied ? "Copied: the address of this page is now a link to this answer." : "The address of this page is now a link to this answer.";
    },
    svg: () => save(picture(last, part("chart")), "svg"),
    png: () => save(picture(last, part("chart")), "png"),
    json: () => saveAnswer(last.text),
  };
  part("actions").append(...Object.entries(ACTIONS).map(([name, text]) => {
    const button = made("button", text, { type: "button", className: name });
    button.onclick = () => last && act[name](button);
    return button;
  }));
  return { open, openText };
}
