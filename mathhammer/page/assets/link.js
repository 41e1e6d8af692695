// A question as the fragment of an address: compressed text in the alphabet of addresses; nothing leaves the browser.
const LONGEST = 400000;

const piped = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream));

export async function asLink(text) {
  const packed = new Uint8Array(await piped(new TextEncoder().encode(text), new CompressionStream("deflate-raw")).arrayBuffer());
  return "#" + btoa(String.fromCharCode(...packed)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function fromLink(fragment) {
  if (fragment.length > LONGEST) throw new Error("too long");
  const packed = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  const reader = piped(packed, new DecompressionStream("deflate-raw")).body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST) { await reader.cancel(); throw new Error("too long"); }
  }
}
