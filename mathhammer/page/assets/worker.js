// Python in a worker: the page never waits for it. Files are counted as they come and kept by the browser.
import { loadPyodide } from "./runtime/pyodide.mjs";
import create from "./runtime/pyodide.asm.mjs";

const FILES = await (await fetch("files.json")).json();
/** Where Python finds packages; where the browser keeps the datasheets that the player gave, and where Python looks for them. */
const SITE = "/lib/python3.14/site-packages", DATASHEETS = "datasheets", FOLDER = "/datasheets";
const total = Object.values(FILES.bytes).reduce((sum, size) => sum + size, 0);
let done = 0;

const original = self.fetch.bind(self);
const opened = async (name) => self.caches?.open(name).catch(() => null);
const store = await opened(`mathhammer-${FILES.key}`), sheets = await opened(DATASHEETS);

function counted(response) {
  const stream = response.body.pipeThrough(new TransformStream({
    transform(chunk, controller) {
      done += chunk.byteLength;
      postMessage({ loaded: done, total });
      controller.enqueue(chunk);
    },
  }));
  return new Response(stream, { status: response.status, headers: response.headers });
}

self.fetch = async (resource, options) => {
  const { href, pathname } = new URL(resource.url ?? resource, self.location.href);
  if (pathname.includes("/library/")) return new Response((await packages)[pathname.split("/library/")[1]]);
  const kept = store && (await store.match(href));
  if (kept) return counted(kept);
  const response = await original(href, options);
  if (!response.ok) throw new Error(`${pathname} could not be loaded (${response.status})`);
  // Not waited for: a page without room to keep its files works as well.
  store?.put(href, response.clone()).catch(() => null);
  return counted(response);
};

/** The files that follow each other in the archive, by their names. */
async function unpacked() {
  const { body } = await self.fetch(FILES.packages);
  const bytes = new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  let place = 0;
  return Object.fromEntries(Object.entries(FILES.sizes).map(([name, size]) => [name, bytes.subarray(place, place += size)]));
}
const packages = unpacked();
/** Libraries lie in memory where they lay before if they are loaded in one order, before anything else. */
const LIBRARIES = Object.keys(FILES.sizes).filter((name) => name.startsWith("flint/") && name.endsWith(".so"));

/** Datasheets that lie beside the page, as Python was given them: the next page may have newer ones. */
const beside = {};
const nodeOf = (system, name) => system.lookupPath(`${FOLDER}/${name}`).node;
/** Give Python the datasheets that the player gave, and of the others those that lie beside the page. */
async function recall(system) {
  system.mkdirTree(FOLDER);
  const write = async (name, response) => system.writeFile(`${FOLDER}/${name}`, new Uint8Array(await response.arrayBuffer()));
  for (const path of FILES.files.filter((each) => /^datasheets.*sqlite$/.test(each))) {
    const name = path.split("/").pop();
    await write(name, await self.fetch(path));
    beside[name] = nodeOf(system, name);
  }
  for (const request of (await sheets?.keys()) ?? []) await write(request.url.split("/").pop(), await sheets.match(request));
}
/** Fetch the datasheets of a faction that lie beside the page; those of a table that lacks some are damaged. */
async function add(need, system) {
  const path = FILES.files.find((each) => each.startsWith(`datasheets/${need}.`)), name = path?.split("/").pop();
  if (!name || system.analyzePath(`${FOLDER}/${name}`).exists) return JSON.stringify({ error: "The datasheets are damaged: drop their archive again." });
  system.writeFile(`${FOLDER}/${name}`, new Uint8Array(await (await self.fetch(path)).arrayBuffer()));
  answer(JSON.stringify({ kind: "datasheets", part: name }));
}
async function keep(system) {
  for (const request of (await sheets?.keys()) ?? []) await sheets.delete(request);
  for (const name of system.readdir(FOLDER)) if (name.endsWith(".sqlite") && nodeOf(system, name) !== beside[name]) {
    await sheets?.put(name, new Response(system.readFile(`${FOLDER}/${name}`)));
  }
}

/** Python as it stood when all of the calculator had been loaded: a second worker keeps that once, after the first start here. */
const MEMORY = "memory", remembers = self.name === MEMORY;
const EVERYTHING = `
import gc, json, sys, zipimport
import mathhammer.page.lists
from mathhammer.page.requests import answer

for game in ("40k", "aos", "t9a", "tc"):
    answer(json.dumps({"kind": "form", "game": game}))
gc.collect()
sys.path_importer_cache.clear()
zipimport._zip_directory_cache.clear()
`;
let answer, python, recalled;
/** The word in memory that says how Python calls functions of C: a browser may have learned another way since its memory was kept. */
const calling = ({ HEAP32, __PyRuntime, __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET: offset }) => (__PyRuntime + HEAP32[offset / 4]) / 4;

async function start() {
  const kept = await (await store?.match(MEMORY))?.arrayBuffer();
  let runtime, word, call;
  python = await loadPyodide({
    indexURL: "./runtime/",
    env: { MATHHAMMER_CACHE: FOLDER, HOME: "/home/pyodide", PYTHONHASHSEED: "0" },
    ...(kept ? { _loadSnapshot: kept } : { _makeSnapshot: remembers }),
    createPyodideModule: async (settings) => {
      runtime = await create(Object.assign(settings, {
        dynamicLibraries: LIBRARIES.map((name) => `${SITE}/${name}`),
        locateFile: (name) => `library/${name.startsWith("/") ? name.slice(SITE.length + 1) : `python_flint.libs/${name}`}`,
      }));
      word = calling(runtime);
      call = runtime.HEAP32[word];
      if (kept) runtime.growMemory(kept.byteLength);
      return runtime;
    },
  });
  runtime.HEAP32[word] = call;
  for (const [name, content] of Object.entries(await packages)) if (!name.startsWith("python_flint.libs/")) {
    const path = `${SITE}/${name}`;
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    python.FS.writeFile(path, content, { canOwn: true });
  }
  if (remembers) {
    python.runPython(EVERYTHING);
    await store.put(MEMORY, new Response(python.makeMemorySnapshot()));
    return close();
  }
  if (!kept) python.runPython("from mathhammer.page.requests import answer");
  answer = python.globals.get("answer");
  // When the player looks at the first answer.
  if (!kept && store) setTimeout(() => new Worker("worker.js", { type: "module", name: MEMORY }), 3000);
  return postMessage({ ready: true, version: FILES.version });
}

let last = start().catch((error) => postMessage({ failed: String(error.message ?? error) }));

async function reply({ id, request }) {
  if (!answer) return;
  try {
    const { kind, data, remove } = JSON.parse(request);
    if (["list", "datasheets"].includes(kind)) await (recalled ??= recall(python.FS));
    let found = answer(request), need;
    while (kind === "list" && (need = JSON.parse(found).need)) found = (await add(need, python.FS)) ?? answer(request);
    if (kind === "datasheets" && (data || remove)) await keep(python.FS);
    postMessage({ id, answer: found });
  } catch (error) {
    postMessage({ id, answer: JSON.stringify({ error: `The calculator failed: ${error.message}` }) });
  }
}
// One after another: what waits for datasheets is not overtaken.
self.onmessage = ({ data }) => { last = last.then(() => reply(data)); };
