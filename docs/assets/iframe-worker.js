// Search runs in a web worker, and browsers start none from file://. There, a hidden frame does the work instead, so
// that the site can be searched straight from disk. The name is what makes the generator leave its own, remote one out.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.frame.onload = () => {
        const inside = this.frame.contentWindow;
        inside.postMessage = (sent) => {
          const data = structuredClone(sent); // as between a page and a worker, which share nothing
          setTimeout(() => this.onmessage?.({ data }));
        };
        const script = inside.document.createElement("script");
        script.src = new URL(url, location.href).href;
        script.onload = () => {
          this.ready = true;
          this.waiting.splice(0).forEach((data) => this.postMessage(data));
        };
        script.onerror = () => this.onerror?.(new Event("error"));
        inside.document.head.append(script);
      };
      document.body.append(this.frame);
    }

    postMessage(data) {
      if (!this.ready) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
