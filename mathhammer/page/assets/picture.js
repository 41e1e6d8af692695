// Pictures: what Python draws, put into the page without a script or a style of its own, and a card to post.
import { ask } from "./calculator.js";
import { put } from "./chart.js";

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

/** Return the answer as one SVG: title, three numbers and the chart. */
export function picture({ title, odds }, box) {
  const card = put(document.createElement("div"), "svg", { width: 640, height: 400, viewBox: "0 0 640 400", "font-family": "sans-serif", fill: "#1c1e21" });
  put(card, "rect", { width: 640, height: 400, fill: "#ffffff" });
  const lines = [""];
  for (const word of title.split(" ")) lines.at(-1).length + word.length < 66 ? (lines[lines.length - 1] += `${word} `) : lines.push(`${word} `);
  lines.slice(0, 3).forEach((line, place) => put(card, "text", { x: 24, y: 32 + 22 * place, "font-size": 16, "font-weight": 600 }, line.trim()));
  odds.slice(0, 3).forEach(([name, value], place) => {
    put(card, "text", { x: 24 + 200 * place, y: 118, "font-size": 28, "font-weight": 700 }, value);
    put(card, "text", { x: 24 + 200 * place, y: 138, "font-size": 14, fill: "#5a5f66" }, name);
  });
  const drawn = box.querySelector("svg")?.cloneNode(true);
  if (drawn) {
    for (const [key, value] of Object.entries({ x: 16, y: 150, width: 608, height: 228, color: "#1c1e21" })) drawn.setAttribute(key, value);
    for (const each of drawn.querySelectorAll("rect")) if (each.matches(".touch")) each.remove(); else each.setAttribute("fill", each.matches(".mark") ? "#a33a0b" : "#1f5fa8");
    card.append(drawn);
  }
  put(card, "text", { x: 616, y: 392, "font-size": 12, "text-anchor": "end", fill: "#5a5f66" }, "mathhammer, exact");
  return card;
}

export async function save(card, kind) {
  const text = new XMLSerializer().serializeToString(card);
  let blob = new Blob([text], { type: "image/svg+xml" });
  if (kind === "png") {
    const image = new Image();
    image.src = URL.createObjectURL(blob);
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    blob = await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  }
  store(blob, kind);
}

/** Save the answer to a question as the package has it as JSON. */
export async function saveAnswer(text) {
  store(new Blob([(await ask({ kind: "json", text })).json], { type: "application/json" }), "json");
}

export function store(blob, kind) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `mathhammer.${kind}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
