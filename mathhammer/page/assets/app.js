// The form, the tabs and the pictures; every number and word of an answer comes from Python in the worker.
import { asLink, fromLink } from "./link.js";
import { row, situation, WEAPON, MODELS, LEADER } from "./form.js";
import { adopt, picture, save } from "./picture.js";
import { armyTab } from "./army.js";

const $ = (id) => document.getElementById(id);
const say = (id, text) => { $(id).hidden = !text; $(id).textContent = text ?? ""; };

// Asking ----------------------------------------------------------------------------------------------------

let worker, waiting, serial = 0, isReady;
function start() {
  waiting = new Map();
  isReady = new Promise((resolve) => {
    worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = ({ data }) => {
      if (data.total) { $("bytes").max = data.total; $("bytes").value = data.loaded; $("step").textContent =
        `${(data.loaded / 1e6).toFixed(1)} of ${(data.total / 1e6).toFixed(1)} MB`; }
      if (data.step) $("step").textContent = data.step;
      if (data.failed) { $("step").textContent = `The calculator could not start: ${data.failed}`; $("bytes").hidden = true; }
      if (data.ready) {
        $("loading").hidden = true;
        $("version").textContent = `mathhammer ${data.version}. An unofficial calculator; it holds no rules text and no datasheets.`;
        resolve();
      }
      if (data.id !== undefined) { waiting.get(data.id)?.(JSON.parse(data.answer)); waiting.delete(data.id); }
    };
    worker.onerror = (event) => { $("step").textContent = `The calculator could not start: ${event.message ?? "no worker"}`; };
  });
}
export async function ask(request) {
  await isReady;
  return new Promise((resolve) => { waiting.set(++serial, resolve); worker.postMessage({ id: serial, request: JSON.stringify(request) }); });
}
function cancel() {
  worker.terminate();
  for (const resolve of waiting.values()) resolve({ error: "Cancelled." });
  $("loading").hidden = false;
  start();
}
async function busily(id, request) {
  const late = setTimeout(() => { $(id).hidden = false; }, 300);
  try { return await ask(request); } finally { clearTimeout(late); $(id).hidden = true; }
}

// The attack ------------------------------------------------------------------------------------------------

let known, reference = null, last = null, latest = 0;
const lists = { weapons: $("weapons"), models: $("models") };

function form() {
  const of = (box, kind) => [...box.querySelectorAll(`.row[data-kind=${kind}]`)].map((each) => each.fields());
  return {
    kind: "attack", edition: $("edition").value,
    weapons: of(lists.weapons, "weapon"), models: of(lists.models, "models"), leaders: of(lists.models, "leader"),
    situation: { ...situation.values($("offered")), ...situation.values($("situation")) },
    rulings: situation.values($("rulings")),
  };
}
async function compute() {
  const turn = ++latest;
  const asked = form();
  const found = await busily("attack-busy", reference ? { ...asked, reference } : asked);
  if (turn !== latest) return;
  say("attack-error", found.error);
  for (const id of ["odds", "attack-report", "attack-details"]) $(id).classList.toggle("stale", Boolean(found.error));
  if (found.error) return;
  last = { ...found, asked };
  odds(found);
  adopt($("attack-report"), found.html);
  adopt($("attack-details"), found.details);
  $("explanation").textContent = found.explanation;
  $("question").textContent = found.text;
  document.title = `${found.destroyed} destroyed: ${found.title}`;
}
function odds({ destroyed, kills, wounds_lost }) {
  const cells = [["destroyed", destroyed], ["models lost", kills], ["wounds lost", wounds_lost]];
  $("odds").replaceChildren(...cells.map(([name, value]) => {
    const cell = document.createElement("div"), number = document.createElement("strong");
    number.textContent = value;
    cell.append(number, name);
    return cell;
  }));
}
let timer;
const changed = () => { clearTimeout(timer); timer = setTimeout(compute, 60); };

function add(kind, values = {}) {
  const [box, fields] = kind === "weapon" ? [lists.weapons, WEAPON] : [lists.models, kind === "leader" ? LEADER : MODELS];
  const made = row(kind, fields, values, () => { made.remove(); changed(); box.querySelector("input")?.focus(); });
  box.append(made);
  return made;
}
async function chooseEdition(edition, chosen = {}, rulings = {}) {
  known = await ask({ kind: "controls", edition });
  if (known.error) return say("attack-error", known.error);
  fill($("edition"), known.editions.map(({ name, title }) => [title, name]), known.edition);
  fill($("standard"), [["your own", ""], ...known.targets.map((each) => [each.line, each.name])], $("standard").value);
  situation.fill($("offered"), known.situation.filter((each) => each.offered), chosen);
  situation.fill($("situation"), known.situation.filter((each) => !each.offered), chosen);
  situation.fill($("rulings"), known.rulings.map((each) => ({ ...each, label: each.question, kind: "choice", usual: each.default,
    options: each.options.filter((option) => option !== each.default).map((option) => [option, option]) })), rulings);
}
function fill(select, options, value) {
  select.replaceChildren(...options.map(([text, name]) => new Option(text, name)));
  if (options.some(([, name]) => name === value)) select.value = value;
}
async function show(asked) {
  await chooseEdition(asked.edition, asked.situation, asked.rulings);
  lists.weapons.replaceChildren(); lists.models.replaceChildren();
  $("standard").value = "";
  asked.weapons.forEach((each) => add("weapon", each));
  asked.models.forEach((each) => add("models", each));
  (asked.leaders ?? []).forEach((each) => add("leader", each));
  await compute();
}
export function attackWith(changes) {
  choose("attack");
  return show({ ...form(), ...changes });
}

function listen() {
  $("attack-form").addEventListener("input", (event) => {
    if (["edition", "standard", "stat-line"].includes(event.target.id)) return;
    if (event.target.closest("[data-kind=models]")) $("standard").value = "";
    changed();
  });
  $("attack-form").addEventListener("submit", (event) => event.preventDefault());
  $("edition").addEventListener("change", async () => {
    const { situation: at } = form();
    await chooseEdition($("edition").value, at);
    changed();
  });
  $("standard").addEventListener("change", () => {
    const target = known.targets.find((each) => each.name === $("standard").value);
    if (!target) return;
    lists.models.replaceChildren();
    add("models", target);
    changed();
  });
  $("add-weapon").onclick = () => { add("weapon").querySelector("input").focus(); };
  $("add-models").onclick = () => { add("models").querySelector("input").focus(); };
  $("add-leader").onclick = () => { add("leader").querySelector("input").focus(); };
  $("stat-line").addEventListener("change", async () => {
    if (!$("stat-line").value.trim()) return;
    const found = await ask({ kind: "weapon", line: $("stat-line").value });
    say("line-error", found.error);
    if (found.error) return;
    add("weapon", found);
    $("stat-line").value = "";
    changed();
  });
  $("keep").onclick = () => {
    reference = reference ? null : last?.asked ?? null;
    $("keep").textContent = reference ? "Drop the reference" : "Keep as reference";
    compute();
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
  for (const button of document.querySelectorAll(".cancel")) button.onclick = cancel;
  window.addEventListener("hashchange", openLink);
}

// The other tabs --------------------------------------------------------------------------------------------

function choose(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const selected = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !selected;
  }
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
let diceTurn = 0;
async function dice() {
  const turn = ++diceTurn;
  const found = await ask({ kind: "dice", dice: $("dice").value });
  if (turn !== diceTurn) return;
  say("dice-error", found.error);
  if (!found.error) adopt($("dice-report"), found.html);
}
async function game() {
  const found = await busily("game-busy", { kind: "text", text: $("game-text").value });
  say("game-error", found.error);
  if (found.error) return;
  adopt($("game-report"), found.html);
  $("game-explanation").textContent = found.explanation ?? "";
}

// Links -----------------------------------------------------------------------------------------------------

async function openLink() {
  if (location.hash.length < 2) return false;
  let text;
  try { text = await fromLink(location.hash.slice(1)); } catch {
    say("attack-error", "The link is not whole, or is not one of this page.");
    return false;
  }
  const found = await busily("attack-busy", { kind: "text", text });
  if (found.error) { say("attack-error", found.error); return false; }
  if (found.form) { choose("attack"); await show(found.form); return true; }
  choose("games");
  $("game-text").value = text;
  await game();
  return true;
}

async function main() {
  tabs(); listen(); start();
  armyTab(ask, busily, attackWith, () => known);
  $("dice-form").addEventListener("input", dice);
  $("dice-form").addEventListener("submit", (event) => event.preventDefault());
  $("game-ask").onclick = game;
  const { games, first } = await ask({ kind: "start" });
  fill($("game"), Object.keys(games).map((name) => [name, name]));
  $("game").onchange = () => { $("game-text").value = games[$("game").value]; };
  $("game").onchange();
  dice();
  if (!(await openLink())) { const error = $("attack-error").textContent; await show(first); if (error) say("attack-error", error); }
  document.body.dataset.ready = "yes";
}
main();
