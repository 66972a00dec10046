"""Schemes, good and forged, as texts: the Python reader and the browser client must take the same ones.

`scheme_vectors.json` beside this file is what `vectors()` gives; write it again with `python -m tests.forged_schemes`.
Every forgery is bad by construction: it is malformed, or its gamma is above MAX_GAMMA.
"""

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).with_name("scheme_vectors.json")
MAX_GAMMA = 1000
Data = dict[str, Any]
TWO = [{"name": "smokes", "values": ["no", "yes"]}]
THREE = [
    {"name": "age", "values": ["<=35", "(35,55]", ">55"], "edges": [35, 55]},
    {"name": "sex", "values": ["F", "M"]},
]


def scheme(kind: str, **entries: Any) -> Data:
    return {"confide": "scheme", "version": 1, "scheme": kind, **entries}


GOOD: dict[str, Data] = {
    "mask over items": scheme("mask", p=0.7, items=["a", "b", "c"], fields=None, max_length=2),
    "mask over fields": scheme("mask", p=0.561, items=None, fields=THREE, max_length=None),
    "mask below a half": scheme("mask", p=0.3, items=["a", "b", "c"]),
    "emask": scheme("emask", p=0.5, q=0.9, items=["milk", "bread", "tea"], max_length=1),
    "emask with p + q below 1": scheme("emask", p=0.2, q=0.3, items=list("abcdef"), max_length=2),
    "emask next to p + q = 1": scheme("emask", p=0.9999999999999999, q=2e-16, items=["a", "b"], max_length=1),
    "max_length as 2.0": scheme("mask", p=0.7, items=["a", "b", "c"], max_length=2.0),
    "cut-and-paste": scheme("cut-and-paste", K=3, rho=0.494, items=list("abcdefgh"), max_length=3),
    "cut-and-paste over fields": scheme("cut-and-paste", K=2, rho=0.3, fields=THREE),
    "cut-and-paste, all items": scheme("cut-and-paste", K=4, rho=0.5, items=["a", "b", "c"], max_length=3),
    "gamma-diagonal": scheme("gamma-diagonal", fields=THREE, gamma=19, alpha=0),
    "gamma-diagonal, no alpha": scheme("gamma-diagonal", fields=THREE, gamma=1000),
    "gamma-diagonal, largest alpha": scheme("gamma-diagonal", fields=THREE, gamma=10, alpha=0.5),
    "gamma next to 1": scheme("gamma-diagonal", fields=TWO, gamma=1.0000000000000002, alpha=1 - 2.0**-52),
    "matrix": scheme("matrix", fields=TWO, matrices=[[[0.75, 0.25], [0.25, 0.75]]], joint=False),
    "joint matrix": scheme("matrix", fields=TWO, matrices=[[[0.8, 0.4], [0.2, 0.6]]], joint=True),
    "matrix of thirds": scheme(
        "matrix",
        fields=[{"name": "a", "values": ["1", "2", "3"]}],
        matrices=[[[0.5, 0.25, 0.3333333333], [0.3, 0.5, 0.3333333333], [0.2, 0.25, 0.3333333333]]],
        joint=False,
    ),
    "randomized response": scheme("randomized-response", fields=THREE, gamma=19, gammas=[4.358898943, 4.358898943]),
    "randomized response of one field": scheme("randomized-response", fields=TWO, gamma=1000, gammas=[1000]),
    "unary encoding": scheme("unary-encoding", fields=THREE, gamma=19),
    "symmetric unary encoding": scheme("unary-encoding", fields=THREE, gamma=19, symmetric=True),
    "local hashing": scheme("local-hashing", fields=THREE, gamma=19, buckets=20, prime=2147483647),
    "local hashing into two": scheme("local-hashing", fields=TWO, gamma=1.5, buckets=2, prime=2),
    "subset selection": scheme("subset-selection", fields=THREE, gamma=19, chosen=2),
    "sampled design": scheme(
        "sampled-design",
        fields=THREE,
        gamma=19,
        blocks=[
            {"fields": ["age"], "law": "k-ary", "weight": 3},
            {"fields": ["age", "sex"], "law": "subset-selection", "chosen": 1, "weight": 1},
            {"fields": ["sex"], "law": "unary", "symmetric": False, "weight": 2},
            {"fields": ["age", "sex"], "law": "hashing", "buckets": 20, "prime": 7, "weight": 1},
        ],
    ),
    "sampled design with skipped questions": scheme(
        "sampled-design",
        fields=[{"name": "ill", "values": ["no", "yes", "skipped"]}],
        gamma=19,
        blocks=[{"fields": ["ill"], "law": "k-ary", "weight": 1}],
        skipped="skipped",
    ),
    "basket question": scheme(
        "basket-question", items=["a", "b", "c"], sets=None, gamma=19, pad=2, asks="sample", law="k-ary"
    ),
    "basket question about sets": scheme(
        "basket-question",
        items=["a", "b", "c"],
        sets=[[0], [0, 2]],
        gamma=19,
        pad=3,
        asks="sample",
        law="hashing",
        buckets=20,
        prime=7,
    ),
    "how many of some items": scheme(
        "basket-question", items=["a", "b", "c"], sets=[[2], [1]], gamma=1000, pad=2, asks="count", law="k-ary"
    ),
    "edges that are null": scheme("gamma-diagonal", fields=[{**TWO[0], "edges": None}], gamma=19),
    "labels of all kinds": scheme("mask", p=0.7, items=["fumé", "日本", "😀", "a\u200bb", "__proto__", "\ufeff"]),
}
GOOD["labels of all kinds"]["max_length"] = 1

BAD: dict[str, Data] = {
    "gamma = 1e-9": scheme("gamma-diagonal", fields=THREE, gamma=1e-9),
    "gamma = 1": scheme("gamma-diagonal", fields=THREE, gamma=1),
    "gamma as text": scheme("gamma-diagonal", fields=THREE, gamma="19"),
    "gamma = true": scheme("gamma-diagonal", fields=THREE, gamma=True),
    "gamma above the limit": scheme("gamma-diagonal", fields=THREE, gamma=1000.01),
    "gamma beyond 2**53": scheme("gamma-diagonal", fields=THREE, gamma=2**53 + 2),
    "alpha = 1e6": scheme("gamma-diagonal", fields=THREE, gamma=19, alpha=1e6),
    "alpha just too large": scheme("gamma-diagonal", fields=THREE, gamma=10, alpha=0.5000000000000001),
    "alpha below 0": scheme("gamma-diagonal", fields=THREE, gamma=19, alpha=-0.1),
    "alpha = null": scheme("gamma-diagonal", fields=THREE, gamma=19, alpha=None),
    "a matrix with -1": scheme("matrix", fields=TWO, matrices=[[[2, -1], [-1, 2]]], joint=False),
    "a matrix of 1 and 0": scheme("matrix", fields=TWO, matrices=[[[1, 0], [0, 1]]], joint=False),
    "a matrix that keeps all but all": scheme(
        "matrix", fields=TWO, matrices=[[[0.9999, 0.0001], [0.0001, 0.9999]]], joint=False
    ),
    "columns that add up to 2": scheme("matrix", fields=TWO, matrices=[[[1.5, 0.5], [0.5, 1.5]]], joint=False),
    "equal columns": scheme("matrix", fields=TWO, matrices=[[[0.5, 0.5], [0.5, 0.5]]], joint=False),
    "joint = 1": scheme("matrix", fields=TWO, matrices=[[[0.75, 0.25], [0.25, 0.75]]], joint=1),
    "a matrix for a larger field": scheme("matrix", fields=THREE[:1], matrices=[[[0.6, 0.4], [0.4, 0.6]]], joint=False),
    "1,000 edges for 2 values": scheme("gamma-diagonal", fields=[{**TWO[0], "edges": list(range(1000))}], gamma=19),
    "edges that fall": scheme("gamma-diagonal", fields=[{**THREE[0], "edges": [55, 35]}], gamma=19),
    "edges that browsers cannot tell apart": scheme(
        "gamma-diagonal", fields=[{**THREE[0], "edges": [2**53, 2**53 + 1]}], gamma=19
    ),
    "gammas that pass gamma": scheme("randomized-response", fields=THREE, gamma=19, gammas=[4.358898944, 4.358898944]),
    "a gamma too few": scheme("randomized-response", fields=THREE, gamma=19, gammas=[19]),
    "a field that keeps its value": scheme("randomized-response", fields=TWO, gamma=19, gammas=[1]),
    "unary encoding, weak": scheme("unary-encoding", fields=TWO, gamma=1000.5),
    "symmetric = 1": scheme("unary-encoding", fields=TWO, gamma=19, symmetric=1),
    "one bucket": scheme("local-hashing", fields=TWO, gamma=19, buckets=1, prime=2147483647),
    "no prime": scheme("local-hashing", fields=TWO, gamma=19, buckets=20, prime=2147483646),
    "a prime below the values": scheme("local-hashing", fields=THREE, gamma=19, buckets=20, prime=5),
    "a prime beyond 32 bits": scheme("local-hashing", fields=TWO, gamma=19, buckets=20, prime=4294967311),
    "all values chosen": scheme("subset-selection", fields=THREE, gamma=19, chosen=6),
    "none chosen": scheme("subset-selection", fields=THREE, gamma=19, chosen=0),
    "a design without blocks": scheme("sampled-design", fields=TWO, gamma=19, blocks=[]),
    "a block of no field": scheme(
        "sampled-design", fields=TWO, gamma=19, blocks=[{"fields": [], "law": "k-ary", "weight": 1}]
    ),
    "a block of a stranger": scheme(
        "sampled-design", fields=TWO, gamma=19, blocks=[{"fields": ["name"], "law": "k-ary", "weight": 1}]
    ),
    "a block that sends the truth": scheme(
        "sampled-design", fields=TWO, gamma=19, blocks=[{"fields": ["smokes"], "law": "identity", "weight": 1}]
    ),
    "a weight of 0": scheme(
        "sampled-design", fields=TWO, gamma=19, blocks=[{"fields": ["smokes"], "law": "k-ary", "weight": 0}]
    ),
    "a block with a secret": scheme(
        "sampled-design", fields=TWO, gamma=19, blocks=[{"fields": ["smokes"], "law": "k-ary", "weight": 1, "id": 7}]
    ),
    "fields of a block out of order": scheme(
        "sampled-design", fields=THREE, gamma=19, blocks=[{"fields": ["sex", "age"], "law": "k-ary", "weight": 1}]
    ),
    "a field nobody is asked for": scheme(
        "sampled-design", fields=THREE, gamma=19, blocks=[{"fields": ["sex"], "law": "k-ary", "weight": 1}]
    ),
    "skipped that is no value": scheme(
        "sampled-design",
        fields=TWO,
        gamma=19,
        blocks=[{"fields": ["smokes"], "law": "k-ary", "weight": 1}],
        skipped="none",
    ),
    "a basket without items": scheme(
        "basket-question", items=None, sets=None, gamma=19, pad=2, asks="sample", law="k-ary"
    ),
    "a basket asked for everything": scheme(
        "basket-question", items=["a", "b"], sets=None, gamma=19, pad=2, asks="all", law="k-ary"
    ),
    "a basket answered as it is": scheme(
        "basket-question", items=["a", "b"], sets=None, gamma=19, pad=2, asks="sample", law="identity"
    ),
    "a basket with weak samples": scheme(
        "basket-question", items=["a", "b"], sets=None, gamma=1001, pad=2, asks="sample", law="k-ary"
    ),
    "pad = 0": scheme("basket-question", items=["a", "b"], sets=None, gamma=19, pad=0, asks="sample", law="k-ary"),
    "pad = true": scheme(
        "basket-question", items=["a", "b"], sets=None, gamma=19, pad=True, asks="sample", law="k-ary"
    ),
    "sets of strangers": scheme(
        "basket-question", items=["a", "b"], sets=[[2]], gamma=19, pad=2, asks="sample", law="k-ary"
    ),
    "a set that falls": scheme(
        "basket-question", items=["a", "b"], sets=[[1, 0]], gamma=19, pad=2, asks="sample", law="k-ary"
    ),
    "a set twice": scheme(
        "basket-question", items=["a", "b"], sets=[[1], [1]], gamma=19, pad=2, asks="sample", law="k-ary"
    ),
    "an empty set": scheme("basket-question", items=["a", "b"], sets=[[]], gamma=19, pad=2, asks="sample", law="k-ary"),
    "buckets without a hash": scheme(
        "basket-question", items=["a", "b"], sets=None, gamma=19, pad=2, asks="sample", law="k-ary", buckets=20
    ),
    "a field of one value": scheme("gamma-diagonal", fields=[{"name": "a", "values": ["x"]}], gamma=19),
    "a value twice": scheme("gamma-diagonal", fields=[{"name": "a", "values": ["x", "x"]}], gamma=19),
    "a field without values": scheme("gamma-diagonal", fields=[{"name": "a"}], gamma=19),
    "a field with a secret": scheme("gamma-diagonal", fields=[{**TWO[0], "track": "me"}], gamma=19),
    "two fields of a name": scheme("gamma-diagonal", fields=TWO * 2, gamma=19),
    "fields as an object": scheme("gamma-diagonal", fields={"smokes": ["no", "yes"]}, gamma=19),
    "no fields": scheme("gamma-diagonal", fields=[], gamma=19),
    "columns that read the same": scheme(
        "mask", p=0.6, fields=[{"name": "a", "values": ["b=c", "d"]}, {"name": "a=b", "values": ["c", "e"]}]
    ),
    "p = 1": scheme("mask", p=1, items=["a", "b"]),
    "p = 0": scheme("mask", p=0, items=["a", "b"]),
    "p = 0.5": scheme("mask", p=0.5, items=["a", "b"]),
    "p above 1": scheme("emask", p=1e300, q=0.5, items=["a", "b"]),
    "p = 5e-324": scheme("emask", p=5e-324, q=0.5, items=["a", "b"]),
    "p that is nearly 1": scheme("emask", p=0.9999999999999999, q=0.9, items=["a", "b"], max_length=1),
    "p + q = 1": scheme("emask", p=0.1, q=0.9, items=["a", "b"]),
    "K = 0": scheme("cut-and-paste", K=0, rho=0.4, items=["a", "b"]),
    "K = 2.5": scheme("cut-and-paste", K=2.5, rho=0.4, items=["a", "b"]),
    "K = 1001": scheme("cut-and-paste", K=1001, rho=0.9, items=["a", "b"]),
    "rho near 0": scheme("cut-and-paste", K=2, rho=1e-6, items=["a", "b", "c"]),
    "rho = -1": scheme("cut-and-paste", K=2, rho=-1, items=["a", "b", "c"]),
    "items and fields": scheme("mask", p=0.7, items=["a", "b"], fields=TWO),
    "neither items nor fields": scheme("mask", p=0.7, items=None, fields=None, max_length=2),
    "no items": scheme("mask", p=0.7, items=[]),
    "an item twice": scheme("mask", p=0.7, items=["a", "a"]),
    "an item that is a number": scheme("mask", p=0.7, items=["a", 1]),
    "an item with a blank": scheme("mask", p=0.7, items=["a", "b\x1f"]),
    "half a character": scheme("mask", p=0.7, items=["a", "\ud800"]),
    "max_length = 0": scheme("mask", p=0.7, items=["a", "b"], max_length=0),
    "max_length beyond the items": scheme("mask", p=0.7, items=["a", "b"], max_length=3),
    "max_length beside fields": scheme("mask", p=0.6, fields=THREE, max_length=1),
    "long records": scheme("emask", p=0.5, q=0.97, items=[f"item {i}" for i in range(60)]),
    "another version": {**scheme("mask", p=0.7, items=["a", "b"]), "version": 2},
    "version = true": {**scheme("mask", p=0.7, items=["a", "b"]), "version": True},
    "another scheme": scheme("identity", items=["a", "b"]),
    "a scheme of every object": scheme("constructor", items=["a", "b"]),
    "an unknown entry": scheme("mask", p=0.7, items=["a", "b"], also="name"),
    "p is missing": scheme("mask", items=["a", "b"]),
}
TEXTS = {
    "a key twice": '{"confide":"scheme","version":1,"scheme":"mask","p":0.7,"p":0.9999999,"items":["a","b"]}',
    "a key of a field twice": '{"confide":"scheme","version":1,"scheme":"gamma-diagonal","gamma":19,'
    '"fields":[{"name":"a","name":"b","values":["x","y"]}]}',
    "NaN": '{"confide":"scheme","version":1,"scheme":"gamma-diagonal","gamma":NaN,"fields":[]}',
    "1e999": '{"confide":"scheme","version":1,"scheme":"gamma-diagonal","gamma":1e999,"fields":[]}',
    "not JSON": "scheme",
    "null": "null",
    "a list": "[]",
}


def vectors() -> list[Data]:
    """Each with a name, the scheme's text, and whether a client may draw by it under MAX_GAMMA."""
    return [
        *({"name": name, "text": json.dumps(data), "good": True} for name, data in GOOD.items()),
        *({"name": name, "text": json.dumps(data), "good": False} for name, data in BAD.items()),
        *({"name": name, "text": text, "good": False} for name, text in TEXTS.items()),
    ]


# -- a generator of forgeries -----------------------------------------------------------------------------------------

JUNK: tuple[Any, ...] = (None, True, False, "", "0.7", "NaN", [], [0.7], {}, {"0": 1}, -1, 0, 1e18, -0.5, 2**60)


def forgeries(number: int, seed: int) -> Iterator[str]:
    """So many texts of forged schemes; the same for the same seed."""
    rng = random.Random(seed)
    good = [data for name, data in GOOD.items()]
    while number:
        data = copy.deepcopy(rng.choice(good))
        forge = rng.choice(FORGERIES)
        if forge(data, rng):
            number -= 1
            yield json.dumps(data)


def _number_forged(data: Data, rng: random.Random) -> bool:
    """A parameter that is no number, or out of its range."""
    name = rng.choice([name for name in ("p", "q", "rho", "gamma", "K") if name in data] or [""])
    if not name:
        return False
    out = (-(10.0 ** rng.uniform(-9, 9)), 0, 1 if name != "K" else 0.5, 10.0 ** rng.uniform(15.96, 300))
    data[name] = rng.choice([*out, *(junk for junk in JUNK if junk != [])])
    return True


def _weak(data: Data, rng: random.Random) -> bool:
    """Well formed, with a gamma above MAX_GAMMA."""
    near = 10.0 ** -rng.uniform(4, 15)
    if data["scheme"] == "mask":
        data["p"] = rng.choice([near, 1 - near])
    elif data["scheme"] == "emask":
        data["p"], data["q"] = 1 - near, rng.uniform(0.5, 0.99)
    elif data["scheme"] == "cut-and-paste":
        data["rho"] = near
    elif data["scheme"] == "gamma-diagonal":
        data["gamma"], data["alpha"] = MAX_GAMMA * (1 + 10 ** rng.uniform(-8, 12)), 0
    elif data["scheme"] == "randomized-response":
        data["gamma"], data["gammas"] = 10.0 ** rng.uniform(7, 12), [1001.0] * len(data["fields"])
    elif data["scheme"] != "matrix":
        data["gamma"] = MAX_GAMMA * (1 + 10 ** rng.uniform(-4, 12))
    else:
        data |= {"fields": TWO, "matrices": [[[1 - near, near], [near, 1 - near]]]}
    return True


def _alpha_forged(data: Data, rng: random.Random) -> bool:
    if data["scheme"] != "gamma-diagonal":
        return False
    data["alpha"] = rng.choice([-(10 ** rng.uniform(-300, 3)), 1 + 10 ** rng.uniform(-9, 9), None, "0", True, [0]])
    return True


def _matrix_forged(data: Data, rng: random.Random) -> bool:
    if data["scheme"] != "matrix":
        return False
    rows, size = data["matrices"][0], len(data["matrices"][0])
    v, u = rng.randrange(size), rng.randrange(size)
    how = rng.randrange(6)
    if how == 0:  # entries below 0, columns that still add up to 1
        more = rng.uniform(1, 10)
        data["matrices"][0] = [[1 + more * (size - 1) if i == j else -more for j in range(size)] for i in range(size)]
    elif how == 1:
        rows[v][u] = rng.choice([junk for junk in JUNK if junk is not None] + [rows[v][u] + 1e-6, rows[v][u] - 1e-6, 0])
    elif how == 2:  # the same law for every truth cannot be inverted
        data["matrices"][0] = [[1 / size] * size for _ in range(size)] if size == 2 else [rows[0][:1] * size] * size
    elif how == 3:
        rows[v].append(0.1) if rng.random() < 0.5 else rows.pop()
    elif how == 4:
        data["matrices"].append(rows)
    else:
        data["joint"] = rng.choice([None, 0, 1, "true", []])
    return True


def _field_forged(data: Data, rng: random.Random) -> bool:
    if not data.get("fields"):
        return False
    field = rng.choice(data["fields"])
    how = rng.randrange(7)
    if how == 0:  # edges for another number of values
        field["edges"] = sorted(rng.sample(range(10**6), len(field["values"]) + rng.randrange(1000)))
    elif how == 1:
        field["edges"] = rng.choice([[1] * (len(field["values"]) - 1) + [1], ["1"], 3, "1,2", {}, [None], [[1]]])
    elif how == 2:
        field["values"] = rng.choice([["x"], [], ["x", "x"], ["x", 1], ["x", " y"], ["x", ""], "xy", None, {"x": 1}])
    elif how == 3:
        field["name"] = rng.choice([None, "", " age", "age\u3000", 5, "\udc00", ["age"]])
    elif how == 4:
        field[rng.choice(["label", "Edges", "", "__proto__"])] = "x"
    elif how == 5:
        data["fields"].append(copy.deepcopy(field))
        data.pop("matrices", None)
    else:
        data["fields"] = rng.choice([[], {}, "age", [None], [[]], 3, True])
    return True


def _items_forged(data: Data, rng: random.Random) -> bool:
    if not data.get("items"):
        return False
    items, how = data["items"], rng.randrange(4)
    if how == 0:
        items.append(rng.choice([items[0], "", " ", "x\t", "\x85x", 7, None, True, ["x"], "\ud83d"]))
    elif how == 1:
        data["items"] = rng.choice([[], {}, "abc", 3, True, {"a": 1}, None])
    elif how == 2:
        data["max_length"] = rng.choice([0, -1, len(items) + 1, 1.5, "1", True, [1], 10**30])
    else:
        data["fields"] = rng.choice([TWO, [], {}, 3])
    return True


def _block_forged(data: Data, rng: random.Random) -> bool:
    if data["scheme"] == "sampled-design":
        block, how = rng.choice(data["blocks"]), rng.randrange(5)
        if how == 0:
            block["weight"] = rng.choice([0, -1, 1.5, "1", None, True, [1], 2**41])
        elif how == 1:
            block["law"] = rng.choice(["identity", "", None, "toString", "hashing" if "chosen" in block else "unary "])
        elif how == 2:
            block["fields"] = rng.choice([[], ["name"], block["fields"] * 2, "age", None, [["age"]], [0], {}])
        elif how == 3:
            block[rng.choice(["id", "p", "gamma", "__proto__", "prime "])] = 1
        else:
            data["blocks"] = rng.choice([[], {}, None, [None], "age", [[]], 3])
        return True
    for name, bad in (
        ("chosen", [0, -1, 6, 1.5, "1", None, True]),
        ("buckets", [1, 0, 2**21, 2.5, "20", None, True]),
        ("prime", [1, 0, 4, 2147483646, 2**31 + 11, "7", None, True]),
        ("symmetric", [0, 1, "true", None, []]),
        ("gammas", [[], [19], [19, 19, 19, 19], [1, 2], [0.5, 2], ["2", 2], None, 3, {}]),
    ):
        if name in data and (name != "gammas" or len(data["fields"]) == 2):
            data[name] = rng.choice(bad)
            return True
    return False


def _form_forged(data: Data, rng: random.Random) -> bool:
    how = rng.randrange(4)
    if how == 0:
        data[rng.choice(["confide", "version", "scheme"])] = rng.choice([*JUNK, 2, "Scheme", "mask ", "toString"])
    elif how == 1:
        data[rng.choice(["P", "gama", "url", "toString", "__proto__"])] = rng.choice(JUNK)
    elif how == 2:
        del data[rng.choice(["confide", "version", "scheme"])]
    else:
        data["scheme"] = {"mask": "emask", "emask": "mask"}.get(data["scheme"], "mask")
    return True


FORGERIES: tuple[Callable[[Data, random.Random], bool], ...] = (
    _number_forged, _weak, _alpha_forged, _matrix_forged, _field_forged, _items_forged, _form_forged,
    _block_forged,
)  # fmt: skip


if __name__ == "__main__":
    VECTORS.write_text(json.dumps(vectors(), indent=1) + "\n")
