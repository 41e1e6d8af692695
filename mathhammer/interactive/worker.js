// What stands in the frame for the worker that runs Python on the page.
window.Worker = class {
  constructor() {
    addEventListener("message", (event) => this.onmessage(event));
    setTimeout(() => this.onmessage({ data: { ready: true, version: VERSION } }));
  }
  postMessage(data) { parent.postMessage(data, "*"); }
  terminate() {}
};
