// The tabs, the dice and links; every number and word of an answer comes from Python in the worker.
import { busily, cancel, following, start, started } from "./calculator.js";
import { fromLink } from "./link.js";
import { odds, say } from "./form.js";
import { adopt } from "./picture.js";
import { armyTab } from "./army.js";
import { chart } from "./chart.js";
import { questionTab } from "./question.js";

const $ = (id) => document.getElementById(id);
/** The tabs of games by their names in the package. */
const TABS = { "40k": "attack", aos: "aos", t9a: "t9a", tc: "tc" };
const games = Object.fromEntries(Object.entries(TABS).map(([game, tab]) => [game, questionTab(game, $(`panel-${tab}`))]));

function choose(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const selected = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !selected;
    if (selected) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  return Object.entries(TABS).find(([, tab]) => tab === name)?.[0];
}
function tabs() {
  const all = [...document.querySelectorAll("[role=tab]")];
  for (const tab of all) {
    tab.onclick = () => games[choose(tab.id.slice(4))]?.open();
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
  chart($("dice-chart"), found);
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

async function openLink() {
  // Of a notebook; elsewhere the name is that of an element of the page.
  if (typeof window.question === "string" && window.question) return openText(window.question);
  if (location.hash.length < 2) return games["40k"].open();
  let text;
  try { text = await fromLink(location.hash.slice(1)); } catch {
    await games["40k"].open();
    return say($("link-error"), "The link is not whole, or is not one of this page.");
  }
  if (text.startsWith("{")) { choose("list"); return army.open(text); }
  return openText(text);
}
/** Show the answer of a question as text, in the form that asks the same where there is one. What takes long is asked first. */
async function openText(text, long = false) {
  await started();  // a slow start is not the question's fault
  const late = long ? 0 : setTimeout(cancel, PATIENCE);
  const found = await busily($("link-busy"), { kind: "text", text, long });
  clearTimeout(late);
  if (found.cancelled) Object.assign(found, { error: `This question takes longer than ${PATIENCE / 1000} s here, or was cancelled.`, long: true });
  say($("link-error"), found.error, found.long && (() => openText(text, true)));
  if (found.error) return;
  const game = found.game ?? "40k";
  choose(TABS[game]);
  await games[game].openText(text, found);
  if (matchMedia("(max-width:820px)").matches) window.scrollTo(0, 0);
}

const army = armyTab(openText);
async function main() {
  if (location.protocol.startsWith("http")) navigator.serviceWorker?.register("offline.js").catch(() => null);
  tabs(); start();
  for (const button of document.querySelectorAll(".cancel")) button.onclick = cancel;
  $("dice-form").addEventListener("input", rollDice.soon);
  $("pool").addEventListener("input", () => { $("dice").value = pool(); });
  $("dice-form").addEventListener("submit", (event) => event.preventDefault());
  $("tab-dice").addEventListener("click", () => rollDice.now(), { once: true });
  window.addEventListener("hashchange", openLink);
  await openLink();
  document.body.dataset.ready = "yes";
}
main();
