// The tab of army lists: a file or a text is read by Python, then each unit is asked for row by row.
import { ask, askList, busily } from "./calculator.js";
import { fill, made, say } from "./form.js";
import { adopt, save, store } from "./picture.js";
import { percent, put } from "./chart.js";
import { asLink } from "./link.js";

/** What a cell can show: its name, its text, what shades it fully, and whether rows add up. */
const MEASURES = {
  share: ["Share of wounds", (each) => `${Math.round(100 * each)}%`, 1, true], wounds: ["Wounds", (each) => each.toFixed(2), 0, true],
  kills: ["Models destroyed", (each) => each.toFixed(2), 0, true], odds: ["Chance to destroy all", percent, 1, false],
  return: ["Points per point", (each) => each.toFixed(2), 0, false],
};
const $ = (id) => document.getElementById(id);

async function base64(file) {
  if (file.size > 45e6) throw new Error(`expected a file of at most 45 MB, got ${(file.size / 1e6).toFixed(0)} MB`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let place = 0; place < bytes.length; place += 32768) text += String.fromCharCode(...bytes.subarray(place, place + 32768));
  return btoa(text);
}

export function armyTab(openText) {
  let turn = 0, army = null, rows = [], heads = [], sorted = null;
  /** The matrix and what chooses what it shows. */
  const view = {};
  /** Lists by their keys, and of each the rules that the player has switched. */
  const lists = new Map(), switches = new Map();

  async function read(request) {
    const mine = ++turn;
    say($("list-error"), "");
    const found = await busily($("list-busy"), { kind: "list", ...request }, askList);
    if (mine !== turn) return;
    if (found.error) return say($("list-error"), found.error);
    army = { ...found, source: request };
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
      for (const [name, choice] of chosen) (choice === false ? switched[key].off.push(name) : switched[key].on.push(choice === true ? name : name + choice));
    }
    return { key: army.key, edition: army.edition, switched, ...rest };
  }
  /** Return standard targets, the units of a list, or one unit, as the choice says that is written in a value. */
  function targetsOf(value) {
    const [enemy, place] = JSON.parse(value || "[null,null]");
    if (enemy === null) return { targets: army.standard };
    const units = lists.get(enemy).units.map(({ label, defence }, each) => ({ label, defence, each })).filter(({ defence }) => defence);
    return place === null
      ? { enemy, places: units.map(({ each }) => each), names: units.map(({ label }) => label) }
      : { enemy, places: [place], names: [lists.get(enemy).units[place].label] };
  }

  function draw() {
    const remarks = [...army.warnings, ...army.units.flatMap(({ label, notes }) => notes.map((note) => `${label}: ${note}`))];
    const notes = made("details"), items = made("ul"), others = made("div", "", { className: "chips" });
    items.append(...remarks.map((text) => made("li", text)));
    notes.append(made("summary", `${remarks.length} ${remarks.length === 1 ? "note" : "notes"}`), items);
    others.append(...[...lists.values()].filter((each) => each !== army).map((each) =>
      made("button", `Show ${each.name}, ${each.points} points`, { type: "button", onclick: () => { army = each; draw(); } })));
    $("army").replaceChildren(
      made("h2", `${army.name}, ${army.points} points, edition ${army.edition}`), others, remarks.length ? notes : "", rules(army),
      tools(), view.foe = made("div"), view.matrix = made("div", "", { className: "wide", id: "matrix" }), army.standard.includes("MEQ") ? focus() : "");
    return table();
  }

  // Rules ---------------------------------------------------------------------------------------------------

  /** Return the switches of a list: of all its units, then of each. */
  function rules(list) {
    const outer = made("details"), owners = [{ label: "All units", rules: list.rules }, ...list.units].filter((each) => each.rules.length);
    outer.append(made("summary", `Rules of ${list.name}: switch them on and off`), made("p", "A rule that depends on the moment or on a choice is off until it is switched on."));
    const told = new Set();
    for (const owner of owners) {
      const group = made("fieldset"), box = made("div", "", { className: "controls" });
      group.append(made("legend", owner.label), box);
      box.append(...owner.rules.map((each) => toggle(each, switches.get(list.key), told)));
      outer.append(group);
    }
    return owners.length ? outer : "";
  }
  /** Return the switch of a rule, which says what it does the first time. */
  function toggle({ name, label, help, on, choices }, chosen, told) {
    const outer = made("label", "", { title: help }), words = made("span", label), said = chosen.get(name) ?? on;
    if (!told.has(label + help)) words.append(made("small", help));
    told.add(label + help);
    const input = choices.length ? made("select") : made("input", "", { type: "checkbox", checked: said });
    if (choices.length) fill(input, [["-", ""], ...choices.map((each) => [each.replace(/^[= >]+/, ""), each])], said || "");
    input.onchange = () => {
      const wanted = choices.length ? input.value || false : input.checked;
      if (wanted === on) chosen.delete(name); else chosen.set(name, wanted);
      table();
    };
    outer.className = choices.length ? "" : "flag";
    outer.append(...(choices.length ? [words, input] : [input, words]));
    return outer;
  }

  // The matrix ----------------------------------------------------------------------------------------------

  function foes(select, standard) {
    select.append(...standard);
    for (const each of lists.values()) if (each.standard[0] === army.standard[0]) {
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
  function tools() {
    const outer = made("div", "", { className: "tools" }), against = foes(made("select", "", { id: "against" }), [new Option("standard targets", "")]);
    const measure = made("select", "", { id: "measure" }), phase = made("select", "", { id: "phase" }), equal = made("input", "", { type: "checkbox", id: "equal", checked: true });
    fill(measure, Object.entries(MEASURES).map(([name, [text]]) => [text, name]), "share");
    fill(phase, [["both phases", ""], ["shooting", "shooting"], ["melee", "melee"]], "");
    Object.assign(view, { against, measure, phase, equal });
    against.onchange = () => {
      const foe = lists.get(JSON.parse(against.value || "[]")[0]);
      view.foe.replaceChildren(foe && foe !== army ? rules(foe) : "");
      table();
    };
    measure.onchange = phase.onchange = equal.onchange = show;
    const flag = made("label", "", { className: "flag" });
    flag.append(equal, "Equal units as one");
    const act = { "Save as CSV": csv, "Save as picture": () => save(drawn(), "png"), "Copy link to this list": link };
    const buttons = Object.entries(act).map(([text, onclick]) => made("button", text, { type: "button", className: "small", onclick }));
    const told = made("span", "", { id: "list-shared" });
    told.setAttribute("role", "status");
    outer.append(labelled("Against", against), labelled("Show", measure), labelled("Phase", phase), flag, ...buttons, told);
    return outer;
  }
  async function link() {
    const address = await asLink(JSON.stringify({ list: army.source }));
    history.replaceState(null, "", address);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    $("list-shared").textContent = copied ? "Copied: the address of this page now holds the list." : "The address of this page now holds the list.";
  }
  async function table() {
    const mine = ++turn, targets = targetsOf(view.against.value), wanted = army.units.flatMap((unit, place) => unit.rows.map((kind) => ({ unit, place, kind })));
    heads = targets.names ?? targets.targets;
    rows = [];
    for (const [done, { unit, place, kind }] of wanted.entries()) {
      $("list-busy").hidden = false;
      $("list-busy").firstElementChild.textContent = `${done} of ${wanted.length} rows`;
      const one = targets.places?.length === 1 ? { enemy_unit: targets.places[0] } : {};
      const found = await ask({ kind: "row", ...asked({ unit: place, row: kind, targets: targets.targets, enemy: targets.enemy, ...one }) });
      if (mine !== turn) return;
      if (found.cancelled) { say($("list-error"), found.error); break; }
      rows.push({ label: unit.label, kind, points: unit.points, count: 1, ...found });
      show();
    }
    $("list-busy").hidden = true;
  }

  const measured = () => view.measure.value;
  const value = (row, place) => row.cells?.[place]?.values?.[measured()] ?? null;
  /** Return the rows as they are shown: of a phase, equal units as one, in the order of a column. */
  function inView() {
    const shown = rows.filter(({ kind }) => !view.phase.value || kind === view.phase.value), grouped = new Map();
    for (const row of shown) {
      const stem = row.label.replace(/ #\d+$/, ""), key = view.equal.checked ? JSON.stringify([stem, row.kind, row.cells?.map((_, place) => value(row, place))]) : row;
      const held = grouped.get(key);
      grouped.set(key, held ? { ...held, count: held.count + 1 } : { ...row, stem });
    }
    const found = [...grouped.values()].map((row) => ({ ...row, label: row.count > 1 ? `${row.count} × ${row.stem}` : row.label }));
    return sorted === null ? found : found.sort((one, other) => (value(other, sorted) ?? -1) - (value(one, sorted) ?? -1));
  }
  const shade = (each, column) => {
    const full = MEASURES[measured()][2] || Math.max(...rows.map((row) => value(row, column) ?? 0)) || 1;
    return Math.min(55, Math.round(55 * each / full));
  };
  function show() {
    const [name, written, , adds] = MEASURES[measured()], grid = made("table", "", { className: "matrix" }), head = made("tr"), shown = inView();
    const spot = document.activeElement?.closest?.("#matrix") ? document.activeElement.getAttribute("aria-label") : null;
    grid.append(made("caption", `${name} on average. Choose a cell to see the attack, a target to sort by it.`));
    head.append(...["Unit", "Phase"].map((text) => made("th", text, { scope: "col" })), ...heads.map((text, column) => {
      const cell = made("th", "", { scope: "col" }), button = made("button", text, { type: "button", onclick: () => { sorted = sorted === column ? null : column; show(); } });
      if (sorted === column) cell.setAttribute("aria-sort", "descending");
      cell.append(button);
      return cell;
    }));
    grid.append(head, ...shown.map((row) => line(row, written)));
    if (adds && shown.length > 1) for (const kind of ["shooting", "melee"]) if (shown.some((row) => row.kind === kind)) {
      const total = made("tr", "", { className: "total" });
      total.append(made("td", "All"), made("td", kind), ...heads.map((_, column) =>
        made("td", written(shown.reduce((sum, row) => sum + (row.kind === kind ? row.count * (value(row, column) ?? 0) : 0), 0)))));
      grid.append(total);
    }
    view.matrix.replaceChildren(grid);
    if (spot) [...view.matrix.querySelectorAll("button")].find((each) => each.getAttribute("aria-label") === spot)?.focus();
  }
  function line(row, written) {
    const box = made("tr");
    box.append(made("td", row.label, { title: row.label }), made("td", row.kind));
    if (row.error) { box.append(made("td", row.error, { colSpan: heads.length, className: "wrong" })); return box; }
    for (const [column, cell] of row.cells.entries()) {
      const each = value(row, column), place = made("td", each === null ? "-" : "");
      box.append(place);
      if (each === null) continue;
      const button = made("button", written(each), { type: "button", onclick: () => openText(cell.text), title: cell.odds.map((some) => some.join(" ")).join(", ") });
      button.setAttribute("aria-label", `${row.label}, ${row.kind}, against ${cell.target}: ${written(each)}`);
      place.style.setProperty("--share", `${shade(each, column)}%`);
      place.append(button);
    }
    return box;
  }
  function csv() {
    const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`, names = Object.keys(MEASURES);
    const lines = rows.flatMap((row) => (row.cells ?? []).filter(({ values }) => values).map((cell) =>
      [quoted(row.label), row.kind, row.points, quoted(cell.target), ...names.map((name) => cell.values[name] ?? "")].join(",")));
    store(new Blob([["unit,phase,points,target", ...names].join(","), "\n", lines.join("\n"), "\n"], { type: "text/csv" }), "csv");
  }
  /** Return the table as a picture. */
  function drawn() {
    const shown = inView(), [name, written] = MEASURES[measured()], left = 300, wide = 84, high = 24, width = left + wide * heads.length + 16, height = 64 + high * shown.length;
    const card = put(made("div"), "svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif", "font-size": 13, fill: "#1c1e21" });
    put(card, "rect", { width, height, fill: "#ffffff" });
    put(card, "text", { x: 10, y: 20, "font-weight": 600 }, `${army.name}: ${name.toLowerCase()} on average`);
    heads.forEach((text, column) => put(card, "text", { x: left + wide * (column + 0.5), y: 44, "text-anchor": "middle" }, text.slice(0, 12)));
    shown.forEach((row, place) => {
      const y = 54 + high * place;
      put(card, "text", { x: 10, y: y + 16 }, `${row.label.slice(0, 32)}, ${row.kind}`);
      heads.forEach((_, column) => {
        const each = value(row, column);
        if (each === null) return;
        put(card, "rect", { x: left + wide * column, y, width: wide - 2, height: high - 2, fill: "#1f5fa8", "fill-opacity": shade(each, column) / 100 });
        put(card, "text", { x: left + wide * (column + 0.5), y: y + 16, "text-anchor": "middle" }, written(each));
      });
    });
    return card;
  }

  // Focus fire ----------------------------------------------------------------------------------------------

  function focus() {
    const outer = made("fieldset", "", { id: "focus" }), units = made("div", "", { className: "controls" });
    const target = foes(made("select"), army.standard.map((name) => new Option(name, "")));
    const phase = made("select"), order = made("select"), goal = made("input", "", { value: "80", inputMode: "numeric" });
    fill(phase, [["shooting", "shooting"], ["melee", "melee"]], "shooting");
    fill(order, [["all, in this order", ""], ["fewest for the goal", "best"]], "");
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

  /** Keep the datasheets of an archive, or remove some, and say which there are. */
  async function sheets(request = {}) {
    const found = await busily($("list-busy"), { kind: "datasheets", ...request });
    say($("list-error"), found.error);
    if (!found.error) $("datasheets").replaceChildren(...found.kept.map(({ name, about }) => {
      const line = made("p", `Datasheets: ${about} `);
      line.append(made("button", "Remove", { type: "button", className: "small", onclick: () => sheets({ remove: name }) }));
      return line;
    }));
  }
  const open = async (file) => {
    try {
      const given = { name: file.name, data: await base64(file) };
      await (/\.zip$/i.test(file.name) ? sheets(given) : read(given));
    } catch (error) { say($("list-error"), error.message); }
  };
  $("file").onchange = () => { if ($("file").files[0]) open($("file").files[0]).then(() => { $("file").value = ""; }); };
  $("read-text").onclick = () => read({ name: `pasted text ${turn + 1}`, text: $("pasted").value });
  $("sample").onclick = () => read({ name: "sample" });
  $("tab-list").addEventListener("click", () => sheets(), { once: true });
  const drop = $("panel-list");
  drop.ondragover = (event) => { event.preventDefault(); $("drop").classList.add("over"); };
  drop.ondragleave = () => $("drop").classList.remove("over");
  drop.ondrop = (event) => {
    event.preventDefault();
    $("drop").classList.remove("over");
    [...event.dataTransfer.files].reduce((before, file) => before.then(() => open(file)), Promise.resolve());
  };
  return { open: async (text) => { await sheets(); return read(JSON.parse(text).list); } };
}
