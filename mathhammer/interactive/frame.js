// The page in a frame, whose requests go to the kernel and whose answers come from there.
export default { render({ model, el }) {
  const frame = Object.assign(document.createElement("iframe"), { srcdoc: model.get("page"), title: "mathhammer" });
  frame.style.cssText = "width:100%;height:85vh;min-height:30rem;border:0";
  const asked = ({ source, data }) => { if (source === frame.contentWindow) model.send(data); };
  const answered = (data) => frame.contentWindow?.postMessage(data, "*");
  addEventListener("message", asked);
  model.on("msg:custom", answered);
  el.append(frame);
  return () => { removeEventListener("message", asked); model.off("msg:custom", answered); };
} };
