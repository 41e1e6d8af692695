// Rows of fields and controls of a situation, made from data; every text is set as text.
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

const TITLES = { weapon: "Weapon", models: "Models", leader: "Leader" };
/** Return the row of a weapon or of models: its name, and the fields that Python describes. */
export function row(kind, described, given, remove) {
  const box = made("div", "", { className: "row" });
  box.dataset.kind = kind;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", TITLES[kind]);
  const inputs = {}, styles = { name: "wide", keywords: kind === "weapon" ? "whole" : "wide" };
  const put = (into, { name, label, help, kind: type }) => {
    const input = made("input", "", { name }), flag = type === "flag";
    if (flag) Object.assign(input, { type: "checkbox", checked: Boolean(given[name]) });
    else Object.assign(input, { value: given[name] ?? "", spellcheck: false, maxLength: 300 });
    const text = made("label", "", { className: flag ? "tick" : styles[name] ?? "", title: help ?? "" });
    text.append(...(flag ? [input, label] : [label, input]));
    inputs[name] = input;
    into.append(text);
  };
  const rarer = described.filter((each) => each.more);
  [{ name: "name", label: TITLES[kind] }, ...described.filter((each) => !each.more)].forEach((each) => put(box, each));
  if (rarer.length) {
    const details = made("details"), inside = made("div", "", { className: "row" });
    rarer.forEach((each) => put(inside, each));
    details.append(made("summary", "More"), inside);
    details.open = rarer.some(({ name }) => given[name]);
    box.append(details);
  }
  box.append(made("button", "Remove", { type: "button", className: "wide", onclick: remove }));
  // What has no field of its own, such as points, goes back as it came.
  box.fields = () => ({ ...given, ...Object.fromEntries(Object.entries(inputs).map(([name, input]) =>
    [name, input.type === "checkbox" ? (input.checked ? "1" : "") : input.value])) });
  return box;
}

function control({ name, label, kind, options, help, usual, value }) {
  const outer = made("label", "", { title: help ?? "" });
  let input;
  if (kind === "flag") {
    outer.className = "flag";
    input = made("input", "", { type: "checkbox", checked: Boolean(value) });
    outer.append(input, label);
  } else if (kind === "text") {
    input = made("input", "", { value: value ?? "", spellcheck: false, maxLength: 300 });
    outer.append(label, input);
  } else {
    input = made("select");
    input.append(new Option(usual ?? "-", ""), ...options.map(([text, each]) => new Option(text, JSON.stringify(each))));
    if (options.some(([, each]) => JSON.stringify(each) === JSON.stringify(value))) input.value = JSON.stringify(value);
    outer.append(label, input);
  }
  input.name = name;
  return outer;
}

/** Draw the controls of a situation; what is chosen of them stays chosen. */
export function controls(box, described, chosen = {}) {
  box.replaceChildren(...described.map((each) => control({ ...each, value: chosen[each.name] ?? each.value })));
}

/** Draw a choice for each disputed point, the default first. */
export function rulings(box, described, chosen = {}) {
  controls(box, described.map((each) => ({ ...each, label: each.question, kind: "choice", usual: each.default,
    options: each.options.filter((option) => option !== each.default).map((option) => [option, option]) })), chosen);
}

/** Draw the controls of a group under its title, with the profiles that fill them. */
export function group({ title, fields, presets, profile }, changed) {
  const outer = made("fieldset"), inside = made("div", "", { className: profile ? "profile" : "controls" });
  controls(inside, fields);
  outer.append(made("legend", title));
  if (Object.keys(presets).length) {
    const select = made("select"), label = made("label", `${title} of the rules `, { className: "field" });
    fill(select, [["your own", ""], ...Object.keys(presets).map((name) => [name, name])], fields[0].value);
    select.onchange = () => {
      const chosen = presets[select.value];
      if (!chosen) return;
      controls(inside, fields.map((each) => ({ ...each, value: chosen[each.name] ?? each.value })));
      changed();
    };
    inside.addEventListener("input", () => { select.value = ""; });
    label.append(select);
    outer.append(label);
  }
  outer.append(inside);
  return outer;
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
