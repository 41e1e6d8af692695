// Pictures: what Python draws, put into the page without a script or a style of its own, and a card to post.
import { ask } from "./calculator.js";

const SAFE = /^(svg|g|rect|line|path|text|tspan|title|polyline|circle|desc)$/;

/** Put the HTML of an answer into a box: styles through the object model, which the page's policy allows. */
export function adopt(box, html) {
  // Names are escaped: outside of a tag no quotation mark follows the word.
  const parsed = new DOMParser().parseFromString(html.replaceAll(' style="', ' data-style="'), "text/html");
  for (const each of parsed.querySelectorAll("script,style,link,iframe,object,embed,img,form")) each.remove();
  for (const each of parsed.body.querySelectorAll("*")) {
    for (const { name } of [...each.attributes]) if (/^on/i.test(name) || /^(href|src|xlink:href|srcdoc)$/i.test(name)) each.removeAttribute(name);
    each.removeAttribute("style");
  }
  // What scrolls sideways is reached with the keyboard.
  for (const each of parsed.querySelectorAll(".wide,[data-style*='overflow-x:auto']")) {
    each.tabIndex = 0;
    each.setAttribute("role", "group");
    each.setAttribute("aria-label", "Table");
  }
  box.replaceChildren(...parsed.body.childNodes);
  for (const each of box.querySelectorAll("[data-style]")) { each.style.cssText = each.dataset.style; delete each.dataset.style; }
}

const NS = "http://www.w3.org/2000/svg";
function put(parent, name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

/** Return the answer as one SVG: title, the three numbers and the first picture of the report. */
export function picture({ title, odds }) {
  const card = document.createElementNS(NS, "svg");
  for (const [key, value] of Object.entries({ xmlns: NS, width: 640, height: 360, viewBox: "0 0 640 360", "font-family": "sans-serif", fill: "#1c1e21" })) card.setAttribute(key, value);
  put(card, "rect", { width: 640, height: 360, fill: "#ffffff" });
  const words = title.split(" ");
  const lines = [""];
  for (const word of words) lines[lines.length - 1].length + word.length < 62 ? (lines[lines.length - 1] += `${word} `) : lines.push(`${word} `);
  lines.slice(0, 3).forEach((line, place) => put(card, "text", { x: 24, y: 34 + 24 * place, "font-size": 18, "font-weight": 600 }, line.trim()));
  odds.slice(0, 3).forEach(([name, value], place) => {
    put(card, "text", { x: 24 + 200 * place, y: 132, "font-size": 30, "font-weight": 700 }, value);
    put(card, "text", { x: 24 + 200 * place, y: 152, "font-size": 14, fill: "#5a5f66" }, name);
  });
  const drawn = document.querySelector("#attack-report .mathhammer svg");
  if (drawn) {
    const inside = put(card, "svg", { x: 24, y: 164, width: 592, height: 170, viewBox: drawn.getAttribute("viewBox"), fill: "#1c1e21", color: "#1c1e21", "font-size": drawn.getAttribute("font-size") ?? 11 });
    for (const each of drawn.children) if (SAFE.test(each.tagName)) inside.append(each.cloneNode(true));
  }
  put(card, "text", { x: 616, y: 350, "font-size": 12, "text-anchor": "end", fill: "#5a5f66" }, "mathhammer, exact");
  return card;
}

export async function save(card, kind) {
  const text = new XMLSerializer().serializeToString(card);
  let blob = new Blob([text], { type: "image/svg+xml" });
  if (kind === "png") {
    const image = new Image();
    image.src = URL.createObjectURL(blob);
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 1280, height: 720 });
    canvas.getContext("2d").drawImage(image, 0, 0, 1280, 720);
    URL.revokeObjectURL(image.src);
    blob = await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  }
  store(blob, kind);
}

/** Save the answer to a question as the package has it as JSON. */
export async function saveAnswer(text) {
  store(new Blob([(await ask({ kind: "json", text })).json], { type: "application/json" }), "json");
}

function store(blob, kind) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `mathhammer.${kind}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
