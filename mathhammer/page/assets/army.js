// The tab of army lists: a file or a text is read by Python, then each unit is asked for row by row.
import { ask, askList, busily } from "./calculator.js";
import { made } from "./form.js";

const STANDARD = ["GEQ", "MEQ", "TEQ", "VEQ", "KEQ"];

const $ = (id) => document.getElementById(id);

async function base64(file) {
  if (file.size > 12e6) throw new Error(`expected a list of at most 12 MB, got ${(file.size / 1e6).toFixed(0)} MB`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let place = 0; place < bytes.length; place += 32768) text += String.fromCharCode(...bytes.subarray(place, place + 32768));
  return btoa(text);
}

export function armyTab(attackWith, known) {
  let turn = 0;
  const lists = new Map();
  const say = (text) => { $("list-error").hidden = !text; $("list-error").textContent = text ?? ""; };

  async function read(request) {
    const mine = ++turn;
    say("");
    const sheets = $("datasheets").files[0];
    if (sheets && request.name !== "sample") request.datasheets = await base64(sheets);
    const army = await busily($("list-busy"), { kind: "list", ...request }, askList);
    if (mine !== turn) return;
    if (army.error) return say(army.error);
    lists.set(army.key, army);
    while (lists.size > 3) lists.delete(lists.keys().next().value);
    await table(army, "");
  }

  async function table(army, enemy) {
    const mine = ++turn;
    const title = made("h2", `${army.name}, ${army.points} points, edition ${army.edition}`);
    const notes = made("details", ""), list = made("ul", "");
    const remarks = [...army.warnings, ...army.units.flatMap(({ label, notes: each }) => each.map((note) => `${label}: ${note}`))];
    list.append(...remarks.map((text) => made("li", text)));
    notes.append(made("summary", `${remarks.length} notes: what is taken as equal or not computed`), list);
    const wrap = made("div", "", { className: "wide" }), grid = made("table", "", { className: "matrix" });
    grid.append(made("caption", "Share of the target's wounds lost on average. Choose a cell to see the attack."));
    const foes = lists.get(enemy);
    const targets = foes ? foes.units.filter((each) => each.defence).map((each) => each.label) : STANDARD.filter((name) => known()?.targets.some((each) => each.name === name));
    const head = made("tr", "");
    head.append(...["Unit", "", ...targets].map((text) => made("th", text, { scope: "col" })));
    grid.append(head);
    wrap.append(grid);
    const against = made("select", "");
    against.append(new Option("standard targets", ""), ...[...lists.values()].map((each) => new Option(each.name, each.key)));
    against.value = enemy;
    against.onchange = () => table(army, against.value);
    const label = made("label", "Against ", { className: "field" });
    label.append(against);
    $("army").replaceChildren(title, remarks.length ? notes : "", label, wrap);
    const rows = army.units.flatMap((unit, place) => unit.rows.map((kind) => ({ unit, place, kind })));
    for (const [done, { unit, place, kind }] of rows.entries()) {
      $("list-busy").hidden = false;
      $("list-busy").firstElementChild.textContent = `${done} of ${rows.length} rows`;
      const found = await ask({ kind: "row", key: army.key, unit: place, row: kind, targets: foes ? [] : targets, enemy, edition: army.edition });
      if (mine !== turn) return;
      if (found.cancelled) { say(found.error); break; }
      grid.append(line(unit, kind, found, army, targets.length));
    }
    $("list-busy").hidden = true;
  }

  function line(unit, kind, found, army, columns) {
    const row = made("tr", "");
    row.append(made("td", unit.label, { title: unit.label }), made("td", kind));
    if (found.error) { row.append(made("td", found.error, { colSpan: columns, className: "wrong" })); return row; }
    for (const cell of found.cells) {
      const box = made("td", "");
      if (!cell.weapons.length) { box.textContent = "-"; row.append(box); continue; }
      box.style.setProperty("--share", `${Math.round(55 * cell.share)}%`);
      const button = made("button", `${Math.round(100 * cell.share)}%`, { type: "button",
        title: `${cell.kills} models, ${cell.wounds_lost} wounds, destroyed ${cell.destroyed}` });
      button.setAttribute("aria-label", `${unit.label}, ${kind}, against ${cell.target}: ${button.textContent} of its wounds`);
      button.onclick = () => attackWith({ edition: army.edition, weapons: cell.weapons, situation: {},
        ...cell.fields });
      box.append(button);
      row.append(box);
    }
    return row;
  }

  const open = async (file) => { try { await read({ name: file.name, data: await base64(file) }); } catch (error) { say(error.message); } };
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
