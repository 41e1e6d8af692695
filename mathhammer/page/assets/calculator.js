// Python in its worker: questions are asked one after another, and the worker ends when one is cancelled.
const $ = (id) => document.getElementById(id);

let worker, waiting, serial = 0, isReady;
/** Army lists that were read: a worker that starts anew reads them again. */
const kept = new Map();

function progress({ loaded, total, step, failed }) {
  if (total) {
    Object.assign($("bytes"), { max: total, value: loaded });
    $("step").textContent = loaded < total
      ? `Loading: ${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`
      : `All ${(total / 1e6).toFixed(1)} MB are here; starting the calculator`;
  }
  if (step) $("step").textContent = step;
  if (failed) {
    $("step").textContent = `The calculator could not start: ${failed}`;
    $("bytes").hidden = true;
  }
}

export function start() {
  waiting = new Map();
  isReady = new Promise((resolve) => {
    worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = ({ data }) => {
      progress(data);
      if (data.ready) {
        $("loading").hidden = true;
        $("version").textContent = `mathhammer ${data.version}. An unofficial calculator; it holds no rules text and no datasheets.`;
        resolve();
      }
      if (data.id !== undefined) { waiting.get(data.id)?.resolve(JSON.parse(data.answer)); waiting.delete(data.id); }
    };
    worker.onerror = (event) => progress({ failed: event.message ?? "no worker" });
  });
}

/** Wait until the calculator has started. */
export const started = () => isReady;

function post(request) {
  return new Promise((resolve) => {
    waiting.set(++serial, { resolve, request });
    worker.postMessage({ id: serial, request: JSON.stringify(request) });
  });
}

export async function ask(request) {
  await isReady;
  return post(request);
}

/** Read a list, and remember how: the three last ones. */
export async function askList(request) {
  const found = await ask(request);
  if (found.error) return found;
  kept.delete(found.key);
  kept.set(found.key, request);
  while (kept.size > 3) kept.delete(kept.keys().next().value);
  return found;
}

/** End what is computed; what waited for it is asked of a new worker. */
export function cancel() {
  const [stopped, ...others] = waiting.values();
  worker.terminate();
  $("loading").hidden = false;
  start();
  isReady.then(() => {
    for (const request of kept.values()) post(request);
    for (const { resolve, request } of others) post(request).then(resolve);
  });
  stopped?.resolve({ error: "Cancelled. The calculator starts anew; change something to ask again.", cancelled: true });
}

/** What each kind of question is called by those that wait for it. */
const CALLED = { ask: "a question", text: "a question as text", dice: "the dice", row: "a row of the table",
  focus: "the focus", assign: "who should attack what", list: "another list", datasheets: "the datasheets" };

/** Ask, and say after a moment that it takes a while or what it waits for, with a button to cancel it. */
export async function busily(box, request, asking = ask) {
  const begun = Date.now(), words = box.querySelector("span");
  const tick = () => {
    const [first] = waiting.values(), mine = !first || first.request === request;
    const seconds = Math.max(1, Math.round((Date.now() - begun) / 1000)), called = CALLED[first?.request.kind] ?? "another question";
    words.textContent = mine ? `${request.kind === "datasheets" ? "Reading the datasheets, once," : "Computing"} for ${seconds} s. The page stays usable meanwhile.`
      : `Waiting for ${called}, ${seconds} s so far. Cancel ends what is computed.`;
    box.hidden = false;
  };
  const late = setTimeout(tick, 400), every = setInterval(tick, 1000);
  try { return await asking(request); } finally { clearTimeout(late); clearInterval(every); box.hidden = true; }
}

/** Make asking follow changes: while one question is computed only the last of the next ones waits. */
export function following(compute) {
  let running = false, again = false, timer;
  const run = async (long) => {
    if (running) { again = true; return; }
    running = true;
    try { do { again = false; await compute(long); long = false; } while (again); } finally { running = false; }
  };
  return { now: run, soon: () => { clearTimeout(timer); timer = setTimeout(run, 40); } };
}
