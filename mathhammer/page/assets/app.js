// The form, the tabs and the pictures; every number and word of an answer comes from Python in the worker.
import { ask, busily, cancel, following, start } from "./calculator.js";
import { asLink, fromLink } from "./link.js";
import { controls, fill, odds, row, rulings, say, values } from "./form.js";
import { adopt, picture, save, saveAnswer } from "./picture.js";
import { armyTab } from "./army.js";
import { gamePanel, gameTab } from "./games.js";

const $ = (id) => document.getElementById(id);

// The attack ------------------------------------------------------------------------------------------------

let known, reference = null, last = null, unitName = "";
const lists = { weapons: $("weapons"), models: $("models") };

function form() {
  const of = (box, kind) => [...box.querySelectorAll(`.row[data-kind=${kind}]`)].map((each) => each.fields());
  return {
    kind: "attack", edition: $("edition").value, unit: unitName,
    weapons: of(lists.weapons, "weapon"), models: of(lists.models, "models"), leaders: of(lists.models, "leader"),
    situation: { ...values($("offered")), ...values($("situation")) },
    rulings: { ...values($("date")), ...values($("rulings")) },
  };
}
const follow = following(async (long = false) => {
  const asked = form();
  const found = await busily($("attack-busy"), { ...asked, long, ...(reference && { reference }) });
  say($("attack-error"), found.error, found.long && (() => follow.now(true)));
  for (const id of ["odds", "attack-report", "attack-details"]) $(id).classList.toggle("stale", Boolean(found.error));
  if (!found.error) answered({ ...found, asked });
});
function answered(found) {
  last = found;
  odds($("odds"), found.odds.slice(0, 3));
  adopt($("attack-report"), found.html);
  adopt($("attack-details"), found.details ?? "");
  $("explanation").textContent = found.explanation;
  $("question").textContent = found.text;
  document.title = [...found.odds.slice(0, 3).map((each) => each.join(" ")), found.title].join(", ");
}
const changed = follow.soon;

function add(kind, values = {}) {
  const [box, described] = kind === "weapon" ? [lists.weapons, known.weapon] : [lists.models, known.models];
  const made = row(kind, described, values, () => { made.remove(); changed(); box.querySelector("input")?.focus(); });
  box.append(made);
  return made;
}
async function chooseEdition(edition, chosen = {}, decided = {}) {
  known = await ask({ kind: "controls", edition });
  if (known.error) return say($("attack-error"), known.error);
  fill($("edition"), known.editions.map(({ name, title }) => [title, name]), known.edition);
  fill($("standard"), [["your own", ""], ...known.targets.map((each) => [each.line, each.name])], $("standard").value);
  controls($("offered"), known.situation.filter((each) => each.offered), chosen);
  controls($("situation"), known.situation.filter((each) => !each.offered), chosen);
  rulings($("date"), known.rulings.filter((each) => each.name === "rules_date").map((each) => ({ ...each, question: "Rules as of" })), decided);
  rulings($("rulings"), known.rulings.filter((each) => each.name !== "rules_date"), decided);
}
async function show(asked, long) {
  await chooseEdition(asked.edition, asked.situation, asked.rulings);
  lists.weapons.replaceChildren(); lists.models.replaceChildren();
  $("standard").value = "";
  unitName = asked.unit ?? "";
  asked.weapons.forEach((each) => add("weapon", each));
  asked.models.forEach((each) => add("models", each));
  (asked.leaders ?? []).forEach((each) => add("leader", each));
  await follow.now(long);
}
function listen() {
  $("attack-form").addEventListener("input", (event) => {
    if (["edition", "standard", "stat-line"].includes(event.target.id)) return;
    if (event.target.closest("[data-kind=models]")) $("standard").value = "";
    changed();
  });
  $("attack-form").addEventListener("submit", (event) => event.preventDefault());
  $("edition").addEventListener("change", async () => {
    const { situation: at, rulings: decided } = form();
    await chooseEdition($("edition").value, at, decided);
    changed();
  });
  $("standard").addEventListener("change", () => {
    const target = known.targets.find((each) => each.name === $("standard").value);
    if (!target) return;
    lists.models.replaceChildren();
    unitName = "";
    add("models", target);
    changed();
  });
  $("add-weapon").onclick = () => { add("weapon").querySelector("input").focus(); };
  $("add-models").onclick = () => { add("models").querySelector("input").focus(); };
  $("add-leader").onclick = () => { add("leader").querySelector("input").focus(); };
  $("stat-line").addEventListener("change", async () => {
    if (!$("stat-line").value.trim()) return;
    const found = await ask({ kind: "weapon", line: $("stat-line").value });
    say($("line-error"), found.error);
    if (found.error) return;
    add("weapon", found);
    $("stat-line").value = "";
    changed();
  });
  $("keep").onclick = () => {
    reference = reference ? null : last?.asked ?? null;
    $("keep").textContent = reference ? "Drop the reference" : "Keep as reference";
    follow.now();
  };
  $("share").onclick = async () => {
    if (!last) return;
    const link = await asLink(last.text);
    history.replaceState(null, "", link);
    await navigator.clipboard?.writeText(location.href).catch(() => null);
    $("shared").textContent = "The address of this page is now a link to this attack.";
  };
  $("svg").onclick = () => last && save(picture(last), "svg");
  $("png").onclick = () => last && save(picture(last), "png");
  $("json").onclick = () => last && saveAnswer(last.text);
  for (const button of document.querySelectorAll(".cancel")) button.onclick = cancel;
  window.addEventListener("hashchange", openLink);
}

// The other tabs --------------------------------------------------------------------------------------------

const games = Object.fromEntries(["aos", "t9a", "tc"].map((name) => [name, gameTab(name, gamePanel(name))]));

function choose(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const selected = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !selected;
  }
  games[name]?.open();
}
function tabs() {
  const all = [...document.querySelectorAll("[role=tab]")];
  for (const tab of all) {
    tab.onclick = () => choose(tab.id.slice(4));
    tab.onkeydown = ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = all[(all.indexOf(tab) + step + all.length) % all.length];
      next.focus(); next.click();
    };
  }
}
const rollDice = following(async (long = false) => {
  const found = await busily($("dice-busy"), { kind: "dice", dice: $("dice").value, long });
  say($("dice-error"), found.error, found.long && (() => rollDice.now(true)));
  for (const id of ["dice-odds", "dice-report"]) $(id).classList.toggle("stale", Boolean(found.error));
  if (found.error) return;
  odds($("dice-odds"), found.odds);
  adopt($("dice-report"), found.html);
});
/** Return what the fields of a roll say as the text of dice. */
function pool() {
  const of = (name) => $("pool").querySelector(`[name=${name}]`).value.trim();
  const plain = `${of("number")}D${of("sides")}`, add = of("add").replace(/^(?=\d)/, "+");
  const kept = of("keep") ? `${of("keep")}(${of("kept")} of ${plain})` : plain;
  return (of("below") ? `reroll(${kept}, <${of("below")})` : kept) + add;
}

/** Milliseconds that a question of somebody else may take before its reader is asked. */
const PATIENCE = 20000;

// Links -----------------------------------------------------------------------------------------------------

async function openLink() {
  // Of a notebook; elsewhere the name is that of an element of the page.
  if (typeof window.question === "string" && window.question) return openText(window.question);
  if (location.hash.length < 2) return;
  let text;
  try { text = await fromLink(location.hash.slice(1)); } catch {
    return say($("attack-error"), "The link is not whole, or is not one of this page.");
  }
  return openText(text);
}
/** Show the answer of a question as text, in the form that asks the same where there is one. What takes long is asked first. */
async function openText(text, long = false) {
  const late = long ? 0 : setTimeout(cancel, PATIENCE);
  const found = await busily($("attack-busy"), { kind: "text", text, long });
  clearTimeout(late);
  if (found.cancelled) Object.assign(found, { error: `This question takes longer than ${PATIENCE / 1000} s here, or was cancelled.`, long: true });
  if (found.error) { say($("attack-error"), found.error, found.long && (() => openText(text, true))); if (!found.cancelled) choose("attack"); return; }
  const game = games[found.game];
  if (game) { choose(found.game); return game.openText(text, found); }
  choose("attack");
  if (found.form) return show(found.form, long);
  answered(found);
  say($("attack-error"), "The form can't show every option used here: the numbers are those of the text below.");
  $("question").closest("details").open = true;
}

async function main() {
  tabs(); listen(); start();
  armyTab(openText, () => known);
  $("dice-form").addEventListener("input", rollDice.soon);
  $("pool").addEventListener("input", () => { $("dice").value = pool(); });
  $("dice-form").addEventListener("submit", (event) => event.preventDefault());
  const { first } = await ask({ kind: "start" });
  rollDice.now();
  await show(first);
  await openLink();
  document.body.dataset.ready = "yes";
}
main();
