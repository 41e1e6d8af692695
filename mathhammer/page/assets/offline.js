// The service worker: what the page is made of is kept, so that it starts at once and without a network.
const KEY = "mathhammer-KEY-OF-THE-FILES";

self.addEventListener("install", (event) => event.waitUntil((async () => {
  // The large files are kept as the calculator loads them. An old page stays whole until its tabs are closed.
  const { files, bytes } = await (await fetch("files.json", { cache: "no-cache" })).json();
  const small = files.filter((name) => !(name in bytes) && name !== "offline.js" && !name.startsWith("datasheets/"));
  await (await caches.open(KEY)).addAll(["./", "files.json", ...small].map((name) => new Request(name, { cache: "no-cache" })));
})()));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("mathhammer-") && name !== KEY) await caches.delete(name);
})()));
self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith((async () =>
    (await (await caches.open(KEY)).match(event.request, { ignoreSearch: true })) ?? fetch(event.request))());
});
