"""Messages that somebody broke on purpose: a site refuses them, without a traceback and without waiting.

Six seconds here; `CONFIDE_FUZZ=60` takes a minute.
"""

import json
import os
import random
import time

import numpy as np
import pyarrow as pa
from tests.join.sites import small

from confide.core.errors import InputError
from confide.join.network.links import serve
from confide.join.protocol.messages import Message
from confide.join.protocol.verbs import VERBS

SECONDS = float(os.environ.get("CONFIDE_FUZZ", "6"))
STRANGE = [None, True, -1, 0, 1, 2**31, 2**63, 1e400, "", "x" * 3000, "\x1b[2J", "../..", [], [[]], {}, {"T1": "x:1"}]


def broken_bytes(draw, data):
    """Bytes changed, cut, repeated or put in."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(data))
        match draw.randrange(5):
            case 0:
                data[at] ^= 1 << draw.randrange(8)
            case 1:
                data[at : at + 8] = draw.choice((0, 1, 255, 2**31 - 1, 2**40, 2**63)).to_bytes(8, "little")
            case 2:
                del data[at:]
                data += b"\0"
            case 3:
                data[at:at] = data[at : at + draw.randrange(64)]
            case 4:
                data[at] = draw.randrange(256)
    return bytes(data)


def broken_message(draw, verbs, message):
    """A message that fits its schema in part: another verb, fields or numbers."""
    header = dict(message.header)
    columns = dict(message.columns)
    if header and draw.random() < 0.5:
        header[draw.choice(list(header))] = draw.choice(STRANGE)
    if columns and draw.random() < 0.6:
        name = draw.choice(list(columns))
        if isinstance(columns[name], np.ndarray) and len(columns[name]):
            changed = columns[name].copy()
            changed[draw.randrange(len(changed))] = draw.choice(
                (0, 1, 7, np.iinfo(changed.dtype).min, np.iinfo(changed.dtype).max)
            )
            columns[name] = changed
    verb = draw.choice(verbs) if draw.random() < 0.2 else message.verb
    try:
        return Message(verb, header, columns).to_bytes()
    except (pa.ArrowException, ValueError, TypeError):
        return json.dumps(str(header)).encode()


def test_broken_messages_are_refused_without_a_traceback_and_without_waiting():
    heard = []
    coordinator, _ = small(
        heard=lambda sender, receiver, verb, data: heard.append((sender, receiver, verb, data)),
    )
    coordinator.train()
    sent = [one for one in heard if one[1].startswith("T") and not one[2].endswith("s-back")]
    draw, until, tried, refused = random.Random(7), time.monotonic() + SECONDS, 0, 0
    verbs = list(VERBS)
    _, sites = small(site_options={"step_deadline": 0.05})
    parties = {site.name: site for site in sites}
    while time.monotonic() < until:
        if tried % 40 == 0:  # a run under way, as far as its first messages bring it
            for sender, receiver, _, data in sent[: draw.randrange(len(sent))]:
                serve(parties[receiver], sender, Message.from_bytes(data)[0], len(data), lambda: False)
        sender, receiver, _, data = draw.choice(sent)
        message = Message.from_bytes(data)[0]
        data = broken_bytes(draw, data) if draw.random() < 0.5 else broken_message(draw, verbs, message)
        tried += 1
        began = time.monotonic()
        try:
            read, size = Message.from_bytes(data)
        except InputError:
            refused += 1
            continue
        answer = serve(parties[receiver], sender, read, size, lambda: False)
        assert answer.header.get("code") != "bug", (read.verb, dict(read.header), answer.header)
        assert time.monotonic() - began < 10
    assert tried > 100
    assert refused > tried / 10
