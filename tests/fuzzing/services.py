"""Messages to a site and to a collector, broken: refused without a traceback and without waiting."""

import asyncio
import json
import uuid

import numpy as np
import pyarrow as pa

from confide.collect import Emask, GammaDiagonal
from confide.collect.service.desk import SurveyDesk
from confide.collect.service.group_commit import Recorder
from confide.collect.service.server import application
from confide.collect.service.store import open_store
from confide.collect.survey.survey_file import Survey
from confide.core.errors import InputError
from confide.join import Policy
from confide.join.network.links import serve
from confide.join.protocol.messages import Message
from confide.join.protocol.verbs import VERBS
from tests.fuzzing.mutations import broken_bytes, broken_json, strange
from tests.join.questions.test_evaluation import simple
from tests.join.questions.test_overlap import pair
from tests.join.sites import small

__all__ = ["SERVICES", "service_target"]

SERVICES = ("site", "site that evaluates", "site asked for its overlap", "collector of items", "collector of fields")


def service_target(name, folder):
    """A function from a draw to whether the broken message was taken, and one that ends the service."""
    if name in SITES:
        return _site(*SITES[name]())
    if name == "collector of items":
        return _collector(folder, Emask(p=0.5, q=0.97, items=tuple("abcdef"), max_length=2), [[0, 1], [], [2, 3, 5]])
    return _collector(folder, GammaDiagonal(domains={"sex": ["F", "M"], "size": 4}, gamma=19), [[0, 1], [1, 3]])


def _grown():
    """What is said while a tree grows, and other sites that have heard none of it."""
    heard = []
    coordinator, _ = small(heard=lambda *message: heard.append(message))
    coordinator.train()
    _, sites = small(site_options={"step_deadline": 0.05})
    return heard, sites


def _evaluated():
    """What is said while a tree is tried on held-out records, and the sites that hold the tree."""
    heard = []
    coordinator, sites = simple(heard=lambda *message: heard.append(message))
    coordinator.evaluate(coordinator.train())
    for site in sites:
        site.outbox.deadline = 0.05  # for neighbours that nobody asked
    return heard, sites


def _overlapping():
    """What is said when two sites compare their join values outside a run."""
    a, b, _, said = pair(mine=FREE, theirs=FREE)
    a.overlap("B")
    a.overlap("B", size_only=True)
    return said, [a, b]


FREE = Policy(intersections="values", max_intersections=10**9)
SITES = {"site": _grown, "site that evaluates": _evaluated, "site asked for its overlap": _overlapping}


def _site(heard, sites):
    parties = {site.name: site for site in sites}
    sent = [one for one in heard if one[1] in parties and not one[2].endswith("s-back")]
    tried = 0

    def attempt(draw):
        nonlocal tried
        if tried % 40 == 0:  # a run under way, as far as its first messages bring it
            for sender, receiver, _, data in sent[: draw.randrange(len(sent))]:
                serve(parties[receiver], sender, Message.from_bytes(data)[0], len(data), lambda: False)
        tried += 1
        sender, receiver, _, data = draw.choice(sent)
        message = Message.from_bytes(data)[0]
        broken = broken_bytes(draw, data) if draw.random() < 0.5 else _broken_message(draw, message)
        try:
            read, size = Message.from_bytes(broken)
        except InputError as error:
            assert "\n" not in str(error)
            return False
        answer = serve(parties[receiver], sender, read, size, lambda: False)
        assert answer.header.get("code") != "bug", (read.verb, dict(read.header), dict(answer.header))
        return "code" not in answer.header

    return attempt, lambda: None


def _broken_message(draw, message):
    """A message that fits its schema in part: another verb, fields or numbers."""
    header, columns = dict(message.header), dict(message.columns)
    if header and draw.random() < 0.5:
        header[draw.choice(list(header))] = strange(draw)
    if columns and draw.random() < 0.6:
        name = draw.choice(list(columns))
        if isinstance(columns[name], np.ndarray) and len(columns[name]):
            changed = columns[name].copy()
            most = np.iinfo(changed.dtype)
            changed[draw.randrange(len(changed))] = draw.choice((0, 1, 7, most.min, most.max))
            columns[name] = changed
    verb = draw.choice(list(VERBS)) if draw.random() < 0.2 else message.verb
    try:
        return Message(verb, header, columns).to_bytes()
    except (pa.ArrowException, ValueError, TypeError):
        return json.dumps(str(header)).encode()


def _collector(folder, scheme, records):
    """The application itself, asked as a server would ask it."""
    loop = asyncio.new_event_loop()
    store = open_store(str(folder / "answers.duckdb"), scheme)
    recorder = Recorder(store, lambda line: None)
    app = application(SurveyDesk(scheme, recorder, survey=Survey()), recorder)
    started = loop.create_future()
    over = asyncio.Event()

    async def life():
        async def receive():
            if not started.done():
                return {"type": "lifespan.startup"}
            await over.wait()
            return {"type": "lifespan.shutdown"}

        async def send(message):
            if not started.done():
                started.set_result(message["type"])

        await app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)

    living = loop.create_task(life())  # kept: a task nobody holds is collected
    assert loop.run_until_complete(started) == "lifespan.startup.complete", living

    async def ask(method, path, headers, pieces):
        answers = []
        left = list(pieces)

        async def receive():
            if left:
                return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}
            return {"type": "http.disconnect"}

        async def send(message):
            answers.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": ("192.0.2.1", 1),
            "server": ("192.0.2.2", 80),
        }
        await asyncio.wait_for(app(scope, receive, send), 10)
        return answers[0]["status"], b"".join(one.get("body", b"") for one in answers[1:])

    def attempt(draw):
        good = {"scheme": scheme.fingerprint, "submission": str(uuid.UUID(int=draw.getrandbits(128), version=4))}
        good["records"] = draw.choices(records, k=draw.choice((1, 1, 2, 20)))
        text = json.dumps(broken_json(draw, good) if draw.random() < 0.6 else good).encode(errors="surrogatepass")
        body = broken_bytes(draw, text) if draw.random() < 0.5 else text
        cut = draw.randrange(len(body) + 1)
        kind = draw.choice((b"application/json",) * 8 + (b"text/plain", b"\xff", b"application/json; charset=\x00"))
        path = "/records" if draw.random() < 0.95 else draw.choice(("/", "/count", "/../etc", "/records/", "/\x00"))
        method = "POST" if draw.random() < 0.95 else draw.choice(("GET", "PUT", "X"))
        headers = [(b"content-type", kind), (b"host", b"example.org")]
        status, said = loop.run_until_complete(ask(method, path, headers, [body[:cut], body[cut:]]))
        assert status < 500, (status, said[:200])
        assert status == 200 or not said or said[:1] != b"{" or "error" in json.loads(said)
        return status == 200

    def end():
        over.set()
        loop.run_until_complete(living)
        loop.close()

    return attempt, end
