// Rows of fields and controls of a situation, made from data; every text is set as text.
export const WEAPON = [
  ["name", "Weapon", "wide"], ["count", "Number"], ["melee", "Melee", "tick"],
  ["attacks", "A"], ["skill", "BS/WS"], ["strength", "S"], ["ap", "AP"], ["damage", "D"],
  ["abilities", "Abilities", "whole"],
];
const MORE = [
  ["feel_no_pain_mortal", "FNP mortal"], ["damage_reduction", "Damage -"], ["wounds_lost", "Wounds lost"],
  ["half_damage", "Half damage", "tick"], ["stealth", "Stealth", "tick"],
];
export const MODELS = [
  ["name", "Models", "wide"], ["models", "Number"], ["toughness", "T"], ["save", "Sv"], ["invulnerable", "InSv"],
  ["wounds", "W"], ["feel_no_pain", "FNP"], ["keywords", "Keywords", "wide"], ["more", MORE],
];
export const LEADER = MODELS.map((field) => (field[0] === "name" ? ["name", "Leader", "wide"] : field));

export function row(kind, fields, values, remove) {
  const box = document.createElement("div");
  box.className = "row";
  box.dataset.kind = kind;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", { weapon: "Weapon", models: "Models", leader: "Leader" }[kind]);
  const inputs = {};
  const put = (into, field) => {
    const [name, label, style] = field;
    if (name === "more") {
      const details = document.createElement("details"), inside = document.createElement("div");
      const summary = document.createElement("summary");
      summary.textContent = "More";
      inside.className = "row";
      label.forEach((each) => put(inside, each));
      details.append(summary, inside);
      details.open = label.some(([each]) => values[each]);
      return into.append(details);
    }
    const input = document.createElement("input");
    if (style === "tick") { input.type = "checkbox"; input.checked = Boolean(values[name]); }
    else { input.value = values[name] ?? ""; input.spellcheck = false; input.maxLength = 300; }
    input.name = name;
    const text = document.createElement("label");
    text.className = style ?? "";
    if (style === "tick") text.append(input, label); else text.append(label, input);
    inputs[name] = input;
    into.append(text);
  };
  fields.forEach((field) => put(box, field));
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Remove";
  button.className = "wide";
  button.onclick = remove;
  box.append(button);
  box.fields = () => Object.fromEntries(Object.entries(inputs).map(([name, input]) =>
    [name, input.type === "checkbox" ? (input.checked ? "1" : "") : input.value]));
  return box;
}

export const situation = {
  fill(box, controls, chosen = {}) {
    box.replaceChildren(...controls.map(({ name, label, kind, options, help, usual }) => {
      const outer = document.createElement("label");
      outer.title = help ?? "";
      let input;
      if (kind === "flag") {
        outer.className = "flag";
        input = document.createElement("input");
        input.type = "checkbox";
        input.checked = Boolean(chosen[name]);
        outer.append(input, label);
      } else {
        input = document.createElement("select");
        input.append(new Option(usual ?? "-", ""), ...options.map(([text, value]) => new Option(text, JSON.stringify(value))));
        const value = JSON.stringify(chosen[name]);
        if (options.some(([, each]) => JSON.stringify(each) === value)) input.value = value;
        outer.append(label, input);
      }
      input.name = name;
      return outer;
    }));
  },
  values(box) {
    const found = {};
    for (const input of box.querySelectorAll("input,select")) {
      if (input.type === "checkbox") { if (input.checked) found[input.name] = true; }
      else if (input.value) found[input.name] = JSON.parse(input.value);
    }
    return found;
  },
};
