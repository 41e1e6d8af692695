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
  const reader = response.body.getReader();
  const stream = new ReadableStream({
    async pull(controller) {
      const { done: over, value } = await reader.read();
      if (over) return controller.close();
      done += value.byteLength;
      postMessage({ loaded: done, total });
      controller.enqueue(value);
    },
  });
  return new Response(stream, { status: response.status, headers: response.headers });
}

self.fetch = async (resource, options) => {
  const url = new URL(resource.url ?? resource, self.location.href);
  let response = store && (await store.match(url.href));
  if (!response) {
    response = await original(url.href, options);
    if (!response.ok) throw new Error(`${url.pathname} could not be loaded (${response.status})`);
    if (store) await store.put(url.href, response.clone()).catch(() => null);
  }
  return counted(response);
};

let answer;
async function start() {
  postMessage({ step: "Loading Python" });
  const python = await loadPyodide({ indexURL: "./runtime/" });
  postMessage({ step: "Loading the calculator" });
  const archive = await (await self.fetch(FILES.packages)).arrayBuffer();
  python.unpackArchive(archive, "zip", { extractDir: FILES.site });
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
