// Python in a worker: the page never waits for it. Files are counted as they come and kept by the browser.
import { loadPyodide } from "./runtime/pyodide.mjs";

const FILES = await (await fetch("files.json")).json();
const CACHE = `mathhammer-${FILES.key}`;
const total = Object.values(FILES.bytes).reduce((sum, size) => sum + size, 0);
let done = 0;

const original = self.fetch.bind(self);
const store = self.caches ? await caches.open(CACHE).catch(() => null) : null;
if (store) for (const name of await caches.keys())
  if (name.startsWith("mathhammer-") && name !== CACHE) await caches.delete(name);

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
  const kept = store && (await store.match(href));
  if (kept) return counted(kept);
  const response = await original(href, options);
  if (!response.ok) throw new Error(`${pathname} could not be loaded (${response.status})`);
  // Not waited for: a page without room to keep its files works as well.
  store?.put(href, response.clone()).catch(() => null);
  return counted(response);
};

/** Write the files that follow each other in the archive, without a word of Python. */
function unpack(system, bytes) {
  let place = 0;
  for (const [name, size] of Object.entries(FILES.sizes)) {
    const path = `${FILES.site}/${name}`;
    system.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    system.writeFile(path, bytes.subarray(place, place += size), { canOwn: true });
  }
}

let answer;
async function start() {
  const packages = self.fetch(FILES.packages).then((response) =>
    new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  const python = await loadPyodide({ indexURL: "./runtime/" });
  postMessage({ step: "Starting the calculator" });
  unpack(python.FS, new Uint8Array(await packages));
  answer = python.runPython("from mathhammer.page.requests import answer\nanswer");
}

const ready = start().then(
  () => postMessage({ ready: true, version: FILES.version }),
  (error) => postMessage({ failed: String(error.message ?? error) }),
);

self.onmessage = async ({ data: { id, request } }) => {
  await ready;
  if (!answer) return;
  try {
    postMessage({ id, answer: answer(request) });
  } catch (error) {
    postMessage({ id, answer: JSON.stringify({ error: `The calculator failed: ${error.message}` }) });
  }
};
