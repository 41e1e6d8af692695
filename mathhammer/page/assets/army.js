// The tab of army lists: a file or a text is read by Python, then each unit is asked for row by row.
import { ask, askList, busily } from "./calculator.js";
import { fill, made, say } from "./form.js";
import { adopt } from "./picture.js";

const STANDARD = ["GEQ", "MEQ", "TEQ", "VEQ", "KEQ"];
const $ = (id) => document.getElementById(id);

async function base64(file) {
  if (file.size > 12e6) throw new Error(`expected a list of at most 12 MB, got ${(file.size / 1e6).toFixed(0)} MB`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let place = 0; place < bytes.length; place += 32768) text += String.fromCharCode(...bytes.subarray(place, place + 32768));
  return btoa(text);
}

export function armyTab(openText, known) {
  let turn = 0, army = null;
  /** Lists by their keys, and of each the rules that the player has switched. */
  const lists = new Map(), switches = new Map();

  async function read(request) {
    const mine = ++turn;
    say($("list-error"), "");
    const sheets = $("datasheets").files[0];
    if (sheets && request.name !== "sample") request.datasheets = await base64(sheets);
    const found = await busily($("list-busy"), { kind: "list", ...request }, askList);
    if (mine !== turn) return;
    if (found.error) return say($("list-error"), found.error);
    army = found;
    lists.delete(army.key);
    lists.set(army.key, army);
    switches.set(army.key, new Map());
    while (lists.size > 3) lists.delete(lists.keys().next().value);
    draw();
  }

  /** Return what every question about the lists says: which of them, and the rules that are on and off. */
  function asked(rest) {
    const switched = {};
    for (const [key, chosen] of switches) if (chosen.size && lists.has(key)) {
      switched[key] = { on: [], off: [] };
      for (const [name, choice] of chosen) (choice === false ? switched[key].off.push(name) : switched[key].on.push(choice === true ? name : `${name}=${choice}`));
    }
    return { key: army.key, edition: army.edition, switched, ...rest };
  }
  /** Return standard targets, the units of a list, or one unit, as the choice says that is written in a value. */
  function targetsOf(value) {
    const [enemy, place] = JSON.parse(value || "[null,null]");
    if (enemy === null) return { targets: STANDARD.filter((name) => known()?.targets.some((each) => each.name === name)) };
    const units = lists.get(enemy).units.map(({ label, defence }, each) => ({ label, defence, each })).filter(({ defence }) => defence);
    return place === null
      ? { enemy, places: units.map(({ each }) => each), names: units.map(({ label }) => label) }
      : { enemy, places: [place], names: [lists.get(enemy).units[place].label] };
  }

  function draw() {
    const remarks = [...army.warnings, ...army.units.flatMap(({ label, notes }) => notes.map((note) => `${label}: ${note}`))];
    const notes = made("details"), items = made("ul");
    items.append(...remarks.map((text) => made("li", text)));
    notes.append(made("summary", `${remarks.length} ${remarks.length === 1 ? "note" : "notes"}`), items);
    $("army").replaceChildren(
      made("h2", `${army.name}, ${army.points} points, edition ${army.edition}`), remarks.length ? notes : "", rules(), against(),
      made("div", "", { className: "wide", id: "matrix" }), focus());
    return table();
  }

  // Rules ---------------------------------------------------------------------------------------------------

  function rules() {
    const outer = made("details"), owners = [{ label: "The army", rules: army.rules }, ...army.units].filter((each) => each.rules.length);
    outer.append(made("summary", "Rules: switch them on and off"), made("p", "A rule that depends on the moment is off until it is switched on."));
    for (const owner of owners) {
      const group = made("fieldset"), box = made("div", "", { className: "controls" });
      group.append(made("legend", owner.label), box);
      box.append(...owner.rules.map(toggle));
      outer.append(group);
    }
    return owners.length ? outer : "";
  }
  function toggle({ name, label, help, on, choices }) {
    const outer = made("label"), chosen = switches.get(army.key);
    const words = made("span", label);
    words.append(made("small", help));
    if (choices.length) {
      const select = made("select");
      fill(select, [["-", ""], ...choices.map((each) => [each, each])], chosen.get(name) || "");
      select.onchange = () => { chosen.set(name, select.value || false); table(); };
      outer.append(words, select);
      return outer;
    }
    const input = made("input", "", { type: "checkbox", checked: chosen.get(name) ?? on });
    input.onchange = () => { if (input.checked === on) chosen.delete(name); else chosen.set(name, input.checked); table(); };
    outer.className = "flag";
    outer.append(input, words);
    return outer;
  }

  // The matrix ----------------------------------------------------------------------------------------------

  function foes(select, standard) {
    select.append(...standard);
    for (const each of lists.values()) {
      const group = made("optgroup", "", { label: each.name });
      if (standard.length === 1) group.append(new Option(`all of ${each.name}`, JSON.stringify([each.key, null])));
      group.append(...each.units.flatMap(({ label, defence }, place) => (defence ? [new Option(label, JSON.stringify([each.key, place]))] : [])));
      select.append(group);
    }
    return select;
  }
  function labelled(text, input) {
    const label = made("label", text, { className: "field" });
    label.append(input);
    return label;
  }
  function against() {
    const select = foes(made("select", "", { id: "against" }), [new Option("standard targets", "")]);
    select.onchange = table;
    return labelled("Against", select);
  }
  async function table() {
    const mine = ++turn, targets = targetsOf($("against").value);
    const grid = made("table", "", { className: "matrix" }), head = made("tr");
    grid.append(made("caption", "Share of the target's wounds lost on average. Choose a cell to see the attack."));
    head.append(...["Unit", "", ...(targets.names ?? targets.targets)].map((text) => made("th", text, { scope: "col" })));
    grid.append(head);
    $("matrix").replaceChildren(grid);
    const rows = army.units.flatMap((unit, place) => unit.rows.map((kind) => ({ unit, place, kind })));
    for (const [done, { unit, place, kind }] of rows.entries()) {
      $("list-busy").hidden = false;
      $("list-busy").firstElementChild.textContent = `${done} of ${rows.length} rows`;
      const one = targets.places?.length === 1 ? { enemy_unit: targets.places[0] } : {};
      const found = await ask({ kind: "row", ...asked({ unit: place, row: kind, targets: targets.targets, enemy: targets.enemy, ...one }) });
      if (mine !== turn) return;
      if (found.cancelled) { say($("list-error"), found.error); break; }
      grid.append(line(unit, kind, found, head.children.length - 2));
    }
    $("list-busy").hidden = true;
  }
  function line(unit, kind, found, columns) {
    const row = made("tr");
    row.append(made("td", unit.label, { title: unit.label }), made("td", kind));
    if (found.error) { row.append(made("td", found.error, { colSpan: columns, className: "wrong" })); return row; }
    for (const cell of found.cells) {
      const box = made("td", cell.text ? "" : "-");
      row.append(box);
      if (!cell.text) continue;
      const percent = `${Math.round(100 * cell.share)}%`;
      const button = made("button", percent, { type: "button", onclick: () => openText(cell.text),
        title: cell.odds.map((each) => each.join(" ")).join(", ") });
      button.setAttribute("aria-label", `${unit.label}, ${kind}, against ${cell.target}: ${percent} of its wounds`);
      box.style.setProperty("--share", `${Math.round(55 * cell.share)}%`);
      box.append(button);
    }
    return row;
  }

  // Focus fire ----------------------------------------------------------------------------------------------

  function focus() {
    const outer = made("fieldset", "", { id: "focus" }), units = made("div", "", { className: "controls" });
    const target = foes(made("select"), STANDARD.filter((name) => known()?.targets.some((each) => each.name === name)).map((name) => new Option(name, "")));
    const phase = made("select"), order = made("select"), goal = made("input", "", { value: "80", inputMode: "numeric" });
    fill(phase, [["shooting", "shooting"], ["melee", "melee"]], "shooting");
    fill(order, [["all that are ticked, in this order", ""], ["the fewest that reach the goal", "best"]], "");
    const fields = made("div", "", { className: "profile" });
    fields.append(...[["Target", target], ["Phase", phase], ["Units", order], ["Goal in %", goal]].map(([text, input]) => labelled(text, input)));
    const boxes = army.units.map(({ label }) => {
      const box = made("label", "", { className: "flag" }), input = made("input", "", { type: "checkbox", checked: true });
      box.append(input, label);
      units.append(box);
      return { label, input };
    });
    const button = made("button", "Attack it", { type: "button" }), wrong = made("p", "", { className: "wrong", hidden: true });
    const sentence = made("p"), report = made("div");
    wrong.setAttribute("role", "alert");
    sentence.setAttribute("role", "status");
    const answer = async (rest, long = false) => {
      const units = boxes.filter(({ input }) => input.checked).map(({ label }) => label);
      const found = await busily($("list-busy"), asked({ row: phase.value, units, long, ...rest }));
      say(wrong, found.error, found.long && (() => answer(rest, true)));
      report.hidden = sentence.hidden = Boolean(found.error);
      if (found.error) return;
      sentence.textContent = found.sentence;
      adopt(report, found.html);
    };
    button.onclick = () => {
      const [enemy, place] = JSON.parse(target.value || "[null,null]");
      return answer({ kind: "focus", ...(enemy === null ? { targets: [target.selectedOptions[0].text] } : { enemy, enemy_unit: place }),
        best: Boolean(order.value), goal: goal.value });
    };
    const list = made("select"), divide = made("button", "Find best targets", { type: "button" });
    fill(list, [...lists.values()].map(({ key, name }) => [name, key]), [...lists.keys()].find((key) => key !== army.key) ?? army.key);
    divide.onclick = () => answer({ kind: "assign", enemy: list.value });
    outer.append(made("legend", "Focus fire: several units on one target"), fields, units, button,
      labelled("or divide them over the units of the list ", list), divide, wrong, sentence, report);
    return outer;
  }

  const open = async (file) => { try { await read({ name: file.name, data: await base64(file) }); } catch (error) { say($("list-error"), error.message); } };
  $("file").onchange = () => { if ($("file").files[0]) open($("file").files[0]); };
  $("read-text").onclick = () => read({ name: "pasted text", text: $("pasted").value });
  $("sample").onclick = () => read({ name: "sample" });
  const drop = $("panel-list");
  drop.ondragover = (event) => { event.preventDefault(); $("drop").classList.add("over"); };
  drop.ondragleave = () => $("drop").classList.remove("over");
  drop.ondrop = (event) => {
    event.preventDefault();
    $("drop").classList.remove("over");
    if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
  };
}
