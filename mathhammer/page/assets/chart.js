// One chart over the full width: a distribution or its "at least", the value under the finger, and what was rolled.
import { ask } from "./calculator.js";
import { made } from "./form.js";

const NS = "http://www.w3.org/2000/svg", HIGH = 240, LEFT = 46, TOP = 14, BASE = 206, MOST = 160;
export function put(parent, name, attributes, text) {
  const each = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) each.setAttribute(key, value);
  if (text !== undefined) each.textContent = text;
  parent.append(each);
  return each;
}
export const percent = (share) => (share > 0 && share < 5e-5 ? "<0.01%" : share < 1 && share > 0.99995 ? ">99.99%" : `${(100 * share).toFixed(2)}%`);

/** Outcomes that the player had, of all answers since they were cleared. */
let rolled = [];
/** What was chosen last: the place of the distribution, and whether "at least" is drawn. */
const chosen = { place: 0, least: false };

/** Return outcomes with their probabilities and those of at least so much, without the ends that hardly happen, few enough to draw. */
function columns({ outcomes, probabilities }) {
  let above = 0;
  const all = outcomes.map((outcome, place) => ({ outcome, share: probabilities[place] })).reverse()
    .map((each) => ({ ...each, least: Math.min(1, (above += each.share)) })).reverse();
  const shown = all.filter(({ share, least }) => all.length <= 30 || (least > 2e-4 && least - share < 1 - 2e-4));
  const step = Math.ceil(shown.length / MOST);
  return Array.from({ length: Math.ceil(shown.length / step) }, (_, place) => {
    const some = shown.slice(place * step, (place + 1) * step);
    return { ...some[0], last: some.at(-1).outcome, share: some.reduce((sum, { share }) => sum + share, 0) };
  });
}

function draw(found, before, least, mark, tell, WIDE) {
  const bars = columns(found), read = (bar) => (least ? bar.least : bar.share), top = least ? 1 : Math.max(...bars.map(read));
  const svg = document.createElementNS(NS, "svg"), step = (WIDE - LEFT - 8) / bars.length;
  const place = (value) => LEFT + step * (0.5 + bars.findIndex((bar, each) => bar.last >= value || each === bars.length - 1));
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "font-size": 13, fill: "currentColor" })) svg.setAttribute(key, value);
  svg.setAttribute("aria-label", `${found.name}${least ? ", at least" : ""}: a table of the numbers is below`);
  for (const share of [top, top / 2]) {
    const y = BASE - (BASE - TOP) * share / top;
    put(svg, "line", { x1: LEFT, x2: WIDE - 8, y1: y, y2: y, stroke: "currentColor", "stroke-opacity": 0.2 });
    put(svg, "text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`);
  }
  const every = Math.ceil(bars.length / 12);
  for (const [each, bar] of bars.entries()) {
    const tall = (BASE - TOP) * read(bar) / top, x = LEFT + each * step, range = bar.last > bar.outcome ? `${bar.outcome} to ${bar.last}` : `${bar.outcome}`;
    put(svg, "rect", { x: x + step * 0.08, y: BASE - tall, width: step * 0.84, height: tall, class: mark === bar.outcome ? "mark" : "" });
    if (each % every === 0) put(svg, "text", { x: x + step / 2, y: BASE + 16, "text-anchor": "middle" }, bar.outcome);
    const column = put(svg, "rect", { x, y: 0, width: step, height: BASE + 20, class: "touch" });
    column.onpointerenter = () => tell(`${range}: ${percent(bar.share)}; at least ${bar.outcome}: ${percent(bar.least)}`);
    column.onclick = () => tell("", bar.outcome);
  }
  put(svg, "line", { x1: LEFT, x2: WIDE - 8, y1: BASE, y2: BASE, stroke: "currentColor" });
  if (found.mean !== null && !least) {
    const x = place(found.mean) + step * (found.mean % 1 && bars.length > 1 && bars[0].last === bars[0].outcome ? (found.mean % 1) - 1 : 0), late = x > WIDE - 140;
    put(svg, "line", { x1: x, x2: x, y1: 2, y2: BASE, stroke: "currentColor", "stroke-dasharray": "3 2" });
    put(svg, "text", { x: x + (late ? -5 : 5), y: 12, "text-anchor": late ? "end" : "start" }, `mean ${found.mean.toFixed(2)}`);
  }
  const earlier = before && columns(before);
  if (earlier) put(svg, "path", { fill: "none", stroke: "currentColor", "stroke-width": 2, class: "before", d: earlier.filter(({ outcome }) => outcome >= bars[0].outcome && outcome <= bars.at(-1).last)
    .map((bar, each) => `${each ? "L" : "M"}${place(bar.outcome).toFixed(1)} ${(BASE - (BASE - TOP) * Math.min(1, read(bar) / top)).toFixed(1)}`).join("") });
  put(svg, "text", { x: (WIDE + LEFT) / 2, y: HIGH - 2, "text-anchor": "middle" }, found.name + (least ? ": at least so many" : "") + (earlier ? "; the line is the reference" : ""));
  return svg;
}

function numbers(found) {
  const table = made("table"), details = made("details"), wide = made("div", "", { className: "wide", tabIndex: 0 });
  wide.setAttribute("role", "group");
  wide.setAttribute("aria-label", `Numbers of ${found.name}`);
  table.append(made("caption", found.name));
  const line = (kind, cells) => { const row = made("tr"); row.append(...cells.map((text) => made(kind, text))); return row; };
  table.append(line("th", ["Outcome", "Probability", "At least"]), ...columns(found).map((bar) =>
    line("td", [bar.last > bar.outcome ? `${bar.outcome} to ${bar.last}` : bar.outcome, percent(bar.share), percent(bar.least)])));
  wide.append(table);
  details.append(made("summary", "Numbers"), wide);
  return details;
}

export function chart(box, found) {
  box.replaceChildren();
  if (!found.charts.length) return;
  const place = Math.min(chosen.place, found.charts.length - 1), shown = found.charts[place], { name } = shown;
  const tabs = made("div", "", { className: "chips" }), told = made("output", "Tap a bar to see its chances, and what you rolled to see how lucky you were.");
  const button = (text, pressed, act) => {
    const each = made("button", text, { type: "button", onclick: () => { act(); chart(box, found); } });
    each.setAttribute("aria-pressed", pressed);
    return each;
  };
  tabs.append(...(found.charts.length > 1 ? found.charts.map((each, other) => button(each.name, other === place, () => { chosen.place = other; })) : []),
    button("At least", chosen.least, () => { chosen.least = !chosen.least; }));
  const own = rolled.filter((each) => each.text === found.text && each.name === name).at(-1);
  const tell = (text, outcome) => {
    if (text) told.textContent = text;
    else { rolled.push({ text: found.text, name, outcome }); chart(box, found); }
  };
  box.append(tabs, draw(shown, found.before?.find((each) => each.name === name), chosen.least, own?.outcome, tell, Math.min(640, Math.max(340, box.clientWidth || 640))), told, numbers(shown));
  if (rolled.length) luck(box, () => chart(box, found), tell, own?.outcome);
}

/** Say how lucky the outcomes were that the player had. */
async function luck(box, again, tell, outcome) {
  const luckily = made("div", "", { className: "luck" }), field = made("label", "What I rolled "), input = made("input", "", { value: outcome ?? "", inputMode: "numeric", size: 4 });
  input.onchange = () => { if (/^\d+$/.test(input.value)) tell("", Number(input.value)); };
  field.append(input);
  luckily.append(field, made("button", "Clear", { type: "button", className: "small", onclick: () => { rolled = []; again(); } }));
  box.append(luckily);
  const found = await ask({ kind: "luck", rolled });
  luckily.append(...(found.sentences ?? [found.error]).map((text) => made("p", text)));
}
