"""Nothing private crosses: every message of a run is searched for marks that stand in every private place.

All private values and all join values that are not shared are, or hold, unique marks of 128 random bits. Whatever a
site says to another party is written down as it goes to the wire, before TLS, and searched for every mark: plainly, in
hexadecimal, hashed, and in part.
"""

import hashlib
import json
import random
import struct

import pyarrow as pa
import pytest
from tests.join.sites import run_of

from confide.core.errors import InputError
from confide.join.coordinator.prediction import predict
from confide.join.protocol.messages import Message

DIGESTS = ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256")
PART = 8  # bytes; of digits, twice as many: eight of them meet by chance once in some hundred runs


class Marks:
    """Unique marks, each the property of one site."""

    def __init__(self, seed):
        self._draw = random.Random(seed)
        self.owner = {}

    def text(self, site):
        mark = self._draw.randbytes(16).hex()
        self.owner[mark] = site
        return mark

    def number(self, site):
        """A whole number of 52 bits, which a float holds too: its eight bytes, and its digits, are the mark."""
        value = self._draw.getrandbits(51) | 1 << 51
        self.owner[value] = site
        return value


def forms(mark):
    """Everything a mark could look like in a message."""
    if isinstance(mark, int):
        plain = [mark.to_bytes(8, "little"), mark.to_bytes(8, "big"), str(mark).encode(), float(mark).hex().encode()]
        plain += [struct.pack("<d", float(mark)), struct.pack(">d", float(mark))]
        hashed_from = [str(mark).encode(), mark.to_bytes(8, "little")]
    else:
        plain = [mark.encode(), bytes.fromhex(mark), mark.upper().encode(), mark.encode()[::-1]]
        hashed_from = [mark.encode(), bytes.fromhex(mark)]
    digests = [hashlib.new(name, data).digest() for name in DIGESTS for data in hashed_from]
    return [*plain, *digests, *(digest.hex().encode() for digest in digests)]


def index(marks):
    """{part: mark}: every part of 8 bytes, or 16 digits, of every form."""
    parts = {}
    for mark in marks:
        for form in forms(mark):
            size = 2 * PART if (form.isalnum() and form.isascii()) or form.startswith(b"0x") else PART
            for at in range(len(form) - size + 1):
                parts[form[at : at + size]] = mark
    return parts


def found(data, parts):
    pieces = (data[at : at + size] for size in (PART, 2 * PART) for at in range(len(data) - size + 1))
    return {parts[piece] for piece in pieces if piece in parts}


def private_tables(marks):
    """Three tables with marks in every private cell, column name and unshared key; keys "s0".."s11" are shared."""
    draw = random.Random(1)

    def column(site, n, kind):
        pool = [marks.text(site) if kind == "text" else marks.number(site) for _ in range(4)]
        return [draw.choice(pool) for _ in range(n)]

    names = {site: [f"{marks.text(site)}" for _ in range(2)] for site in ("T1", "T2", "T3")}
    shared = [f"s{i}" for i in range(12)]
    keys = {site: [draw.choice(shared) for _ in range(50)] + [marks.text(site) for _ in range(10)] for site in names}
    second = {site: [draw.choice(shared) for _ in range(50)] + [marks.text(site) for _ in range(10)] for site in names}
    tables = {
        site: {names[site][0]: column(site, 60, "text"), names[site][1]: column(site, 60, "number")} for site in names
    }
    tables["T1"] |= {"k1": keys["T1"], "class": [draw.choice(["no", "yes"]) for _ in range(60)]}
    tables["T2"] |= {"k1": keys["T2"], "k2": second["T2"]}
    tables["T3"] |= {"k2": second["T3"]}
    frames = {site: pa.table(columns) for site, columns in tables.items()}
    return frames, [(("T1", ("k1",)), ("T2", ("k1",))), (("T2", ("k2",)), ("T3", ("k2",)))], ("T1", "class")


@pytest.fixture(scope="module", params=["information_gain", "gain_ratio"])
def recorded(request):
    marks = Marks(seed=7)
    frames, joins, target = private_tables(marks)
    said = []
    coordinator, sites = run_of(
        frames, joins, target, heard=lambda *message: said.append(message), criterion=request.param, confidence=None
    )
    tree = coordinator.train()
    ids = {site: [str(row) for row in range(40)] for site in frames}
    labels = predict(tree, ids, link=coordinator.link)
    assert len(labels) == 40
    return marks, frames, tree, sites, said


def test_no_mark_leaves_its_site(recorded):
    marks, _, tree, _, said = recorded
    parts = index(marks.owner)
    assert min(len(tree.nodes) - 20, len(said) - 60) > 0, "the run was too small to show anything"
    for sender, receiver, verb, data in said:
        leaked = found(data, parts)
        assert not leaked, f"{verb} from {sender} to {receiver} holds marks of {[marks.owner[mark] for mark in leaked]}"


def test_no_shared_join_value_crosses_plainly_either(recorded):
    *_, said = recorded
    shared = index([])
    for i in range(12):
        for name in DIGESTS:
            digest = hashlib.new(name, f"s{i}".encode()).digest()
            shared |= {digest[at : at + PART]: i for at in range(len(digest) - PART + 1)}
            shared |= {digest.hex().encode()[at : at + 2 * PART]: i for at in range(2 * (len(digest) - PART) + 1)}
    assert not any(found(data, shared) for _, _, _, data in said)


def test_no_column_name_and_no_threshold_is_in_the_released_tree(recorded):
    marks, _, tree, _, _ = recorded
    assert not found(json.dumps(tree.to_dict()).encode(), index(marks.owner))


def test_the_search_does_find_what_is_there(recorded):
    """The net has no holes: each form of a mark, put into a message of ours, is caught."""
    marks, *_ = recorded
    parts = index(marks.owner)
    for mark in list(marks.owner)[:40]:
        for form in forms(mark):
            told = Message("failed", {"text": form.decode("latin-1")}).to_bytes() if form.isascii() else form
            assert mark in found(told, parts)


def test_no_hidden_value_crosses_in_an_error(recorded):
    marks, frames, *_ = recorded
    joins = [(("T1", ("k1",)), ("T2", ("k1",))), (("T2", ("k2",)), ("T3", ("k2",)))]
    said = []
    number = frames["T3"].column_names[1]
    broken = frames["T3"].set_column(1, number, pa.array([float("inf")] * 60))
    coordinator, _ = run_of(
        {**frames, "T3": broken}, joins, ("T1", "class"), heard=lambda *message: said.append(message)
    )
    with pytest.raises(InputError, match="the table of T3 cannot be used as it is; its own log says why") as error:
        coordinator.train()
    parts = index(marks.owner)
    assert not any(found(data, parts) for _, _, _, data in said)
    assert not found(str(error.value).encode(), parts)
