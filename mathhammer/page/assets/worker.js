// Python in a worker: the page never waits for it. Files are counted as they come and kept by the browser.
import { loadPyodide } from "./runtime/pyodide.mjs";
import create from "./runtime/pyodide.asm.mjs";
import { preloaded } from "./start.mjs";

const FILES = await (await fetch("files.json")).json();
/** Where the browser keeps the datasheets that the player gave, and where Python looks for them. */
const DATASHEETS = "datasheets", FOLDER = "/datasheets";
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

/** Datasheets that lie beside the page, as Python was given them: the next page may have newer ones. */
const beside = {};
const nodeOf = (system, name) => system.lookupPath(`${FOLDER}/${name}`).node;
/** Give Python the datasheets that the player gave, and of the others those that lie beside the page. */
async function recall(system) {
  system.mkdirTree(FOLDER);
  const write = async (name, response) => system.writeFile(`${FOLDER}/${name}`, new Uint8Array(await response.arrayBuffer()));
  for (const path of FILES.files.filter((each) => each.startsWith("datasheets/"))) {
    const name = path.split("/").pop();
    await write(name, await self.fetch(path));
    beside[name] = nodeOf(system, name);
  }
  for (const request of (await sheets?.keys()) ?? []) await write(request.url.split("/").pop(), await sheets.match(request));
}
async function keep(system) {
  for (const request of (await sheets?.keys()) ?? []) await sheets.delete(request);
  for (const name of system.readdir(FOLDER)) if (name.endsWith(".sqlite") && nodeOf(system, name) !== beside[name]) {
    await sheets?.put(name, new Response(system.readFile(`${FOLDER}/${name}`)));
  }
}

let answer, python, recalled;
/** The word in memory that says how Python calls functions of C; in the memory that was kept it is none, which all browsers know. */
const calling = ({ HEAP32, __PyRuntime, __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET: offset }) => (__PyRuntime + HEAP32[offset / 4]) / 4;

async function start() {
  const bytes = new Uint8Array(FILES.sizes.memory);
  let runtime, word, call;
  const options = preloaded(create, FILES.libraries, FILES.site, "library",
    async (module) => {
      [runtime, word] = [module, calling(module)];
      call = module.HEAP32[word];
      module.growMemory(bytes.length);
      bytes.set((await packages).memory);
      return module;
    });
  python = await loadPyodide({ indexURL: "./runtime/", _loadSnapshot: bytes, ...options });
  runtime.HEAP32[word] = call;
  for (const [name, content] of Object.entries(await packages)) {
    if (name === "memory" || name.endsWith(".so")) continue;
    const path = `${FILES.site}/${name}`;
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    python.FS.writeFile(path, content, { canOwn: true });
  }
  answer = python.globals.get("answer");
}

let last = start().then(
  () => postMessage({ ready: true, version: FILES.version }),
  (error) => postMessage({ failed: String(error.message ?? error) }),
);

async function reply({ id, request }) {
  if (!answer) return;
  try {
    const { kind, data, remove } = JSON.parse(request);
    if (["list", "datasheets"].includes(kind)) await (recalled ??= recall(python.FS));
    const found = answer(request);
    if (kind === "datasheets" && (data || remove)) await keep(python.FS);
    postMessage({ id, answer: found });
  } catch (error) {
    postMessage({ id, answer: JSON.stringify({ error: `The calculator failed: ${error.message}` }) });
  }
}
// One after another: what waits for datasheets is not overtaken.
self.onmessage = ({ data }) => { last = last.then(() => reply(data)); };
