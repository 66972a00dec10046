"""Engines on loopback for the tests: one that behaves, and every way in which one may not. Requests are kept."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

EVIL = '<script>document.title="owned"</script><img src=x onerror="document.title=1">'


class Engine(ThreadingHTTPServer):
    """A server shaped like SearXNG; `behaviour` says what it does with a search."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviour = "well"
        self.results = [
            {"title": f"Result {i}", "url": f"https://site{i}.example/", "content": f"words of result {i}"}
            for i in range(1, 21)
        ]
        self.seen: list[str] = []
        self.bodies: list[bytes] = []
        self.over = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Engine

    def log_message(self, *args):
        pass

    def do_POST(self):
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append(f"{self.requestline}\n{self.headers}")
        self.answer(500, b"{}")

    def do_GET(self):
        self.server.seen.append(f"{self.requestline}\n{self.headers}")
        page = int(parse_qs(urlsplit(self.path).query).get("pageno", ["1"])[0])
        if urlsplit(self.path).path.startswith("/page"):
            self.page()
            return
        getattr(self, self.server.behaviour)(page)

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def page(self):
        text = b"<html><title>Page</title><body>" + b"gravel bicycle " * 400 + b"</body></html>"
        if "large" in self.path:
            text = b"<html><body>" + b"filler word " * 420_000 + b"</body></html>"  # 5 MB
        if "broken" in self.path:
            self.answer(500, b"no")
        elif "away" in self.path:
            self.send_response(302)
            self.send_header("location", "http://elsewhere.example/page")
            self.end_headers()
        else:
            self.answer(200, text, "text/html")

    def well(self, page):
        found = self.server.results if page == 1 else []
        self.answer(200, json.dumps({"query": "q", "results": found}).encode())

    def slow(self, page):
        self.server.over.wait(30)

    def dripping(self, page):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        while not self.server.over.wait(0.05):
            self.wfile.write(b" ")
            self.wfile.flush()

    def dripping_head(self, page):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not self.server.over.wait(0.05):
            self.wfile.write(b"X-A: b\r\n")
            self.wfile.flush()

    def error(self, page):
        self.answer(500, b"<h1>Internal Server Error</h1>", "text/html")

    def forbidden(self, page):
        self.answer(403, b"no json here")

    def redirecting(self, page):
        self.send_response(302)
        self.send_header("location", "http://elsewhere.example/search?q=leak")
        self.end_headers()

    def misleading(self, page):
        self.send_response(302)
        self.send_header("location", "http://[elsewhere")
        self.end_headers()

    def circling(self, page):
        self.send_response(302)
        self.send_header("location", self.path)
        self.end_headers()

    def malformed(self, page):
        self.answer(200, b'{"results": [{"title": "half')

    def not_http(self, page):
        self.wfile.write(b"\x00\x01\x02 nonsense\r\n\r\n")

    def hung_up(self, page):
        self.close_connection = True
        self.connection.close()

    def endless(self, page):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        try:
            while not self.server.over.is_set():
                self.wfile.write(b'{"results": [' + b" " * 1_000_000)
        except OSError:
            pass

    def large(self, page):
        text = "filler word " * 420_000  # 5 MB
        self.answer(
            200, json.dumps({"results": [{"title": "t", "url": "https://a.example/", "content": text}]}).encode()
        )

    def odd(self, page):
        found = [
            {"title": EVIL + "Gravel", "url": "https://a.example/", "content": EVIL + "bicycle"},
            {"title": "x", "url": "javascript:alert(1)", "content": ""},
            {"title": "x", "url": "file:///etc/passwd"},
            {"title": 3, "url": "https://b.example/", "content": None},
            {"title": "\x1b[2J\u202egpj", "url": "https://c.example/\n"},
            {"title": "x", "url": "https://user:secret@d.example/"},
            "nonsense",
            {"url": "http://[broken"},
        ]
        self.answer(200, json.dumps({"results": found if page == 1 else []}).encode())

    def no_list(self, page):
        self.answer(200, b'{"results": {"a": 1}}')


@contextmanager
def engine(behaviour: str = "well") -> Iterator[Engine]:
    server = Engine()
    server.behaviour = behaviour
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def seconds_taken(work) -> float:
    begin = time.monotonic()
    work()
    return time.monotonic() - begin
