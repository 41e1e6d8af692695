// Groups of controls, made from data; every text is set as text.
import { ask } from "./calculator.js";

export const made = (name, text = "", attributes = {}) => Object.assign(document.createElement(name), { textContent: text }, attributes);
/** Say what is wrong; a question that only takes long can be asked again. */
export function say(box, text, again) {
  box.hidden = !text;
  box.textContent = text ?? "";
  if (text && again) box.append(" ", made("button", "Compute it all the same", { type: "button", onclick: again }));
}
export function fill(select, options, value) {
  select.replaceChildren(...options.map(([text, name]) => new Option(text, name)));
  if (options.some(([, name]) => name === value)) select.value = value;
}

/** Show the numbers that are asked for first, large. */
export function odds(box, cells) {
  box.replaceChildren(...cells.map(([name, value]) => {
    const cell = made("div");
    cell.append(made("strong", value), name);
    return cell;
  }));
}

let serial = 0;
/** Return an input whose list completes the last of the words between its commas. */
function text(value, words) {
  const input = made("input", "", { value: value ?? "", spellcheck: false, maxLength: 2000, autocomplete: "off" });
  if (!words?.length) return [input];
  const list = made("datalist", "", { id: `words-${++serial}` });
  const complete = () => {
    const before = input.value.slice(0, input.value.lastIndexOf(",") + 1), begun = before && `${before.trim()} `;
    list.replaceChildren(...words.map(([, word]) => new Option("", begun + word)));
  };
  input.setAttribute("list", list.id);
  input.addEventListener("input", complete);
  complete();
  return [input, list];
}

function control({ name, label, kind, options, help, usual }, value) {
  const outer = made("label", "", { title: help ?? "", className: kind === "flag" ? "flag" : "" });
  let input, more = [];
  if (kind === "flag") input = made("input", "", { type: "checkbox", checked: Boolean(value) });
  else if (kind === "choice") {
    input = made("select");
    const held = value === undefined || value === "" || options.some(([, each]) => JSON.stringify(each) === JSON.stringify(value));
    input.append(new Option(usual, ""), ...[...options, ...(held ? [] : [[String(value), value]])].map(([words, each]) => new Option(words, JSON.stringify(each))));
    if (value !== undefined && value !== "") input.value = JSON.stringify(value);
  } else [input, ...more] = text(value, options);
  input.name = name;
  outer.append(...(kind === "flag" ? [input, label] : [label, input, ...more]));
  outer.dataset.field = name.split(".").pop();
  return outer;
}

/** Draw controls, those that are rarer below "More"; what is said of them is said again. */
export function controls(box, described, said = {}) {
  const draw = (each) => control(each, said[each.name] ?? each.value);
  const rarer = described.filter(({ more }) => more);
  box.replaceChildren(...described.filter(({ more }) => !more).map(draw));
  if (!rarer.length) return;
  const details = made("details"), inside = made("div", "", { className: "controls" });
  inside.append(...rarer.map(draw));
  details.append(made("summary", "More"), inside);
  details.open = rarer.some(({ name }) => name !== "points" && said[name]);
  box.append(details);
}

/** Return what the controls of a box say, by name; nothing of those that say nothing. */
export function values(box) {
  const found = {};
  for (const input of box.querySelectorAll("input[name],select[name]")) {
    if (input.type === "checkbox") { if (input.checked) found[input.name] = true; }
    else if (input.value) found[input.name] = input.tagName === "SELECT" ? JSON.parse(input.value) : input.value;
  }
  return found;
}

/** Profiles that the player has saved by name: in this browser alone. */
const saved = {
  read: (key) => { try { return JSON.parse(localStorage.getItem(key)) ?? {}; } catch { return {}; } },
  write: (key, rows) => { try { if (Object.keys(rows).length) localStorage.setItem(key, JSON.stringify(rows)); else localStorage.removeItem(key); } catch { /* without room */ } },
};

/** Draw a group: the controls of the question itself, or a row of them for each profile; `said()` is what they say. */
export function group(game, described, said, whole, changed) {
  const { title, name, fields, most, presets, profile } = described, first = said[name] ?? (whole ? [] : described.rows);
  const folded = name && !described.rows.length, outer = made(folded ? "details" : "fieldset", "", { className: "group" });
  outer.append(made(folded ? "summary" : "legend", title));
  outer.open = folded && first.length > 0;
  if (!name) {
    const box = made("div", "", { className: "controls" });
    controls(box, fields, said);
    outer.append(box);
    outer.said = () => values(box);
    return outer;
  }
  const key = `mathhammer ${game} ${title.split(": ").pop()}`, chips = made("div", "", { className: "chips" }), rows = made("div");
  const last = title.split(": ").pop().toLowerCase().replace(/s$/, ""), one = ["melee", "shooting"].includes(last) ? `${last} weapon` : last;
  outer.dataset.group = name;
  const add = (row) => { rows.append(rowOf(row)); bar(); };
  function rowOf(row) {
    const box = made("div", "", { className: "row" }), words = made("div", "", { className: "chips" });
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", one);
    controls(box, fields.map((each) => (each.name === "name" ? { ...each, label: one[0].toUpperCase() + one.slice(1) } : each)), row);
    const input = box.querySelector("[name=keywords],[name=attributes]");
    const list = () => (input?.value ?? "").split(/,(?![^(]*\))/).map((each) => each.trim()).filter(Boolean);
    const draw = () => words.replaceChildren(...list().map((word, place) => made("button", `${word} ×`, { type: "button",
      title: `Remove ${word}`, onclick: () => { input.value = list().filter((_, each) => each !== place).join(", "); draw(); changed(); } })));
    input?.addEventListener("input", draw);
    draw();
    const end = made("div", "", { className: "end" });
    end.append(made("button", "Save", { type: "button", className: "small", onclick: () => { const held = box.fields(); saved.write(key, { ...saved.read(key), [held.name || title]: held }); bar(); } }),
      made("button", "Remove", { type: "button", className: "small", onclick: () => { box.remove(); bar(); changed(); } }));
    box.querySelector(":scope > [data-field=keywords],:scope > [data-field=attributes]")?.after(words);
    box.append(end);
    box.fields = () => ({ ...row, ...Object.fromEntries(fields.map((each) => [each.name, ""])), ...values(box) });
    return box;
  }
  /** The profiles of the rules and those that were saved, a tap away: one fills the last row, a target all. */
  function bar() {
    const own = saved.read(key), all = most === 1 || Object.keys(presets).length > 0;
    const choose = (row) => { if (all) rows.replaceChildren(); else rows.lastElementChild?.remove(); add(row); changed(); };
    chips.replaceChildren(
      ...Object.entries(own).map(([label, row]) => {
        const both = made("span");
        both.append(made("button", label, { type: "button", className: "own", onclick: () => choose(row) }),
          made("button", "×", { type: "button", title: `Forget ${label}`, onclick: () => { delete own[label]; saved.write(key, own); bar(); } }));
        return both;
      }),
      ...Object.entries(presets).map(([label, row]) => made("button", label, { type: "button", title: row.line, onclick: () => choose(row) })));
    chips.hidden = !chips.children.length;
    plus.hidden = line.hidden = rows.children.length >= most;
  }
  const plus = made("button", `Add ${/^[aeio]/.test(one) ? "an" : "a"} ${one}`, { type: "button", className: "small", onclick: () => { add({}); rows.lastElementChild.querySelector("input").focus(); } });
  const line = made("input", "", { className: "line", placeholder: "or paste its stat line", spellcheck: false }), wrong = made("p", "", { className: "wrong", hidden: true });
  line.setAttribute("aria-label", `Stat line of ${one}`);
  wrong.setAttribute("role", "alert");
  line.onchange = async () => {
    if (!line.value.trim()) return;
    const found = await ask({ kind: "line", game, profile, line: line.value });
    say(wrong, found.error);
    if (found.error) return;
    add(found);
    line.value = "";
    changed();
  };
  const foot = made("div", "", { className: "foot" });
  foot.append(plus, ...(profile ? [line] : []));
  outer.append(chips, rows, foot, wrong);
  first.forEach((row) => rows.append(rowOf(row)));
  bar();
  outer.said = () => ({ [name]: [...rows.children].map((each) => each.fields()) });
  return outer;
}
