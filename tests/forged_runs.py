"""Forged runs of a stream: each is wrong in a way that its file or passport shows, under hashes that fit."""

import hashlib
import json
import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from confide.core.json_text import canonical_json
from confide.core.passport import Passport
from confide.core.streams.header import chained
from confide.core.streams.run import StreamRun
from tests.stream.streams import released

__all__ = ["FORMS", "KINDS", "forged", "made_run", "told", "unforged"]

FORMS = (
    {"scheme": "basic"},
    {"scheme": "hybrid"},
    {"scheme": "order", "epoch": 2},
    {"seconds": 400, "scheme": "ratio"},
)
KINDS = ("text", "chain", "header", "values", "passport")
_ENDINGS = {
    "run": "{}, however many releases are averaged.",
    "release": "{} in each release, but several average out.",
    "stretch": "{}, however many releases are averaged, and so do the records between two.",
    "none": "no promise: whoever knows the rules of this scheme undoes its noise.",
}


@cache
def made_run(form):
    """A good run of a form of FORMS, by number: its lines as JSON, and its passport."""
    with TemporaryDirectory() as folder:
        passport = released(Path(folder), min_support=90, every=100, **FORMS[form]).release.passport
        lines = [json.loads(line) for line in (Path(folder) / "out.jsonl").read_bytes().splitlines()]
    return tuple(json.dumps({k: v for k, v in line.items() if k != "sha256"}) for line in lines), passport


def told(passport, data, run=None):
    """The passport as its forger would write it: of these bytes, with all that follows from them."""
    try:
        run = StreamRun.from_bytes(data) if run is None else run
        header, releases = run.header, run.releases
    except Exception:  # a file that cannot be read: the rest of the passport does not matter
        return passport.for_bytes(data, "out.jsonl", type="stream", format=None)
    size = f"{header.records:,} records" if header.records is not None else f"{header.seconds or 0:g} seconds"
    requirement, count = header.requirement, max(len(releases), 1)
    shared = {"confide", "version", "run", "requirement", "randomness"}
    changes = {
        "requirement": requirement.to_dict(),
        "promise": requirement.promise(),
        "protects_against": requirement.stops,
        "does_not_protect_against": requirement.does_not_stop,
        "parameters": {name: value for name, value in header.to_dict().items() if name not in shared},
        "randomness": header.randomness,
        "algorithm": f"butterfly {header.scheme}",
        "context": {
            "run": header.run,
            "releases": len(releases),
            "chain": releases[-1].sha256 if releases else header.sha256,
        },
        "loss": {
            "releases": len(releases),
            "records read": releases[-1].offset if releases else 0,
            "itemsets published in a release, on average": sum(len(x.data) for x in releases) / count,
            "bound on the mean squared relative error": float(requirement.epsilon),
            **{
                name: value
                for name, value in passport.loss.items()
                if name.startswith(("95 of", "published supports of"))
            },
        },
        "headline": f"{len(releases):,} releases of what is frequent in the last {size}; "
        + _ENDINGS[requirement.span].format(f"patterns of {requirement.vulnerable} records or fewer stay uncertain"),
    }
    return passport.model_copy(update=changes).for_bytes(data, "out.jsonl", type="stream", format=None)


def forged(draw: random.Random, kind: str, form: int) -> tuple[bytes, Passport, str]:
    """The bytes of a forged file, a passport that fits them as well as it can, and what was done."""
    lines, passport = made_run(form)
    plain = [json.loads(line) for line in lines]
    if kind == "passport":
        data = _written(plain)
        name, changes = draw.choice(_passports(draw, told(passport, data)))
        return data, told(passport, data).model_copy(update=changes), name
    name, change = draw.choice({"text": _TEXTS, "chain": _CHAINS, "header": _HEADERS, "values": _VALUES}[kind])
    if kind == "text":
        data = _written(plain, change=change, draw=draw)
    elif kind == "chain":
        data = _written(change(draw, plain), numbered=False)
    else:
        change(draw, plain)
        data = _written(plain)
    return data, told(passport, data), name


def unforged(form: int) -> tuple[bytes, Passport]:
    """What a forger starts from, through the same hands."""
    lines, passport = made_run(form)
    data = _written([json.loads(line) for line in lines])
    return data, told(passport, data)


# -- writing ------------------------------------------------------------------------------------------------------


def _written(plain, *, change=None, draw=None, numbered=True):
    """Lines with hashes that fit; `change` is made to the text of one line before it is hashed."""
    at = draw.randrange(1, len(plain)) if draw is not None else -1
    out, before = [], ""
    for number, line in enumerate(plain):
        if number == 0:
            body = canonical_json(line)
        else:
            line = {**line, "previous": before}
            if numbered:
                line.update(id=f"{plain[0]['run']}-{number}", release=number)
            body = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
        if number == at:
            body = change(draw, body)
        text, before = chained(body)
        out.append(text)
    return b"".join(out)


def _first(body, old, new):
    assert old in body
    return body.replace(old, new, 1)


def _offset(body, written):
    number = body.partition('"offset":')[2].partition(",")[0]
    return _first(body, f'"offset":{number}', f'"offset":{written(int(number))}')


def _sets(body, change):
    head, _, rest = body.partition('"itemsets":')
    sets, _, tail = rest.rpartition(',"previous"')
    found = json.loads(sets)
    change(found)
    return f'{head}"itemsets":{json.dumps(found, separators=(",", ":"), ensure_ascii=False)},"previous"{tail}'


def _swap(found, draw):
    a, b = draw.sample(range(len(found)), 2)
    found[a], found[b] = found[b], found[a]


_TEXTS = [
    ("another key", lambda d, b: _first(b, '"offset"', f'"note":{d.randrange(99)},"offset"')),
    ("a key twice", lambda d, b: _first(b, '"offset"', f'"release":{d.randrange(99)},"offset"')),
    ("true counts beside", lambda d, b: _first(b, '"itemsets"', f'"true":[{d.randrange(99)}],"itemsets"')),
    ("a float", lambda d, b: _offset(b, lambda n: f"{n}.0")),
    ("an exponent", lambda d, b: _offset(b, lambda n: f"{n}e0")),
    ("a huge number", lambda d, b: _offset(b, lambda n: "9" * d.randint(16, 5000))),
    ("a number below 0", lambda d, b: _offset(b, lambda n: -n)),
    ("a number as text", lambda d, b: _offset(b, lambda n: f'"{n}"')),
    ("a blank", lambda d, b: _first(b, d.choice([":", ","]), d.choice([": ", ",\t", ":  ", ", "]))),
    ("an escape", lambda d, b: _first(b, '"itemsets"', '"\\u0069temsets"')),
    ("true for 1", lambda d, b: _sets(b, lambda s: s[d.randrange(len(s))].__setitem__(1, True))),
    ("sets in another order", lambda d, b: _sets(b, lambda s: _swap(s, d))),
    ("a set twice", lambda d, b: _sets(b, lambda s: s.insert(d.randrange(len(s)), d.choice(s)))),
    ("an item twice", lambda d, b: _sets(b, lambda s: (one := d.choice(s))[0].append(one[0][0]))),
    ("an empty set", lambda d, b: _sets(b, lambda s: s.insert(0, [[], s[0][1]]))),
    ("a third number", lambda d, b: _sets(b, lambda s: d.choice(s).append(d.randrange(400)))),
    ("half a value", lambda d, b: _sets(b, lambda s: (one := d.choice(s)).__setitem__(1, one[1] + 0.5))),
    ("a time of null", lambda d, b: _first(b, '"records"', '"until":null,"records"')),
    ("a line break", lambda d, b: b + d.choice(["\r", " ", "\n", "\x00"])),
]
_CHAINS = [
    ("one left out", lambda d, p: _without(p, d.randrange(1, len(p) - 1))),
    ("one twice", lambda d, p: [*p[: (at := d.randrange(1, len(p)))], p[at], *p[at:]]),
    ("two changed over", lambda d, p: _moved(d, p)),
    ("none at all", lambda d, p: p[:1]),
    ("too soon", lambda d, p: _with(d, p, 2, lambda x, before: {"offset": before["offset"] + d.randrange(100)})),
    ("another window", lambda d, p: _with(d, p, 1, lambda x, before: {"records": x["offset"] + d.randint(1, 50)})),
    ("another run", lambda d, p: _with(d, p, 1, lambda x, before: {"id": f"{d.randbytes(8).hex()}-{x['release']}"})),
    ("another number", lambda d, p: _with(d, p, 1, lambda x, before: {"release": x["release"] + d.randint(1, 9)})),
    ("a time that is none", lambda d, p: _with(d, p, 1, lambda x, b: {"until": d.choice([7, 1e300, -1e16, 10**40])})),
]


def _without(plain, at):
    return [*plain[:at], *plain[at + 1 :]]


def _moved(draw, plain):
    at = draw.randrange(1, len(plain) - 1)
    return [*plain[:at], plain[at + 1], plain[at], *plain[at + 2 :]]


def _with(draw, plain, first, change):
    at = draw.randrange(first, len(plain))
    found = {**plain[at], **change(plain[at], plain[at - 1])}
    order = ("id", "release", "offset", "until", "records", "itemsets", "previous")
    return [*plain[:at], {name: found[name] for name in order if name in found}, *plain[at + 1 :]]


def _asks(name, least, most):
    return lambda d, p: p[0]["requirement"].update({name: d.uniform(least, most)})


def _says(**options):
    return lambda d, p: p[0].update({name: d.choice(values) for name, values in options.items()})


def _law(first, weights):
    return lambda d, p: p[0].update(noise={"first": first, "weights": [w * d.randint(1, 9) for w in weights]})


_HEADERS = [
    ("less privacy than promised", _asks("delta", 0.45, 0.99)),
    ("less precision than promised", _asks("epsilon", 1e-6, 1e-3)),
    ("a larger K", lambda d, p: p[0]["requirement"].update(vulnerable=d.randint(6, 80))),
    ("a larger C", lambda d, p: p[0]["requirement"].update(min_support=d.randint(380, 400))),
    ("K above C", lambda d, p: p[0]["requirement"].update(vulnerable=d.randint(90, 500))),
    ("a point", _law(0, [1])),
    ("too narrow", _law(-1, [1, 1, 1])),
    ("noise in steps", _law(-5, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
    ("a negative weight", lambda d, p: p[0]["noise"]["weights"].__setitem__(d.randrange(11), -d.randint(1, 9))),
    ("an unknown scheme", _says(scheme=["best", "", "basic "], depth=[None], lam=[None])),
    ("a scheme without its numbers", _says(scheme=["hybrid", "order"], depth=[None], lam=[None])),
    ("numbers without a scheme", _says(scheme=["basic", "ratio"], depth=[1, 2, 345], lam=[None, 0.5])),
    ("words for a name", _says(run=["Jane Doe has it", "0123456789abcde", "0123456789ABCDEF", "x" * 60])),
    ("words for randomness", _says(randomness=[{"source": "system", "note": "Jane"}, {"source": "dice"}, {}])),
    ("a seed that is text", _says(randomness=[{"source": "seeded", "seed": "Jane", "warning": "none"}])),
    ("a window without end", _says(every=[0, -1, 1 << 60])),
    ("both windows, or none", lambda d, p: p[0].update(d.choice([{"records": None, "seconds": None}, _BOTH]))),
    ("another kind of sets", _says(itemsets=["maximal", "", "ALL"])),
]
_BOTH = {"records": 400, "seconds": 400.0}


def _some(draw, plain):
    return plain[draw.randrange(1, len(plain))]["itemsets"]


def _raise(draw, plain):
    """A set that jumps to nearly all records, in one release only."""
    at = draw.randrange(2, len(plain))
    known = [x for x in plain[at - 1]["itemsets"] if x[1] < 130]  # so few that no shift explains it
    if not known:
        return _nest(draw, plain)
    one = draw.choice(known)
    sets = [x for x in plain[at]["itemsets"] if x[0] != one[0]]
    return _put(plain[at], [*sets, [one[0], draw.randint(385, 395)]])


def _nest(draw, plain):
    """A larger set with a larger count than one inside it, with nothing between the two."""
    one = draw.choice(plain[1:])
    least = min(one["itemsets"], key=lambda x: x[1])
    more = [f"zz{draw.randrange(99)}" for _ in range(draw.choice([1, 2, 3, 12, 40]))]
    _put(one, [*one["itemsets"], [sorted({*least[0], *more}), draw.randint(370, 390)]])


def _put(release, sets):
    release["itemsets"] = sorted(sets, key=lambda x: (len(x[0]), x[0]))


_VALUES = [
    ("below the threshold", lambda d, p: d.choice(_some(d, p)).__setitem__(1, d.randint(0, 94))),
    ("above the window", lambda d, p: d.choice(_some(d, p)).__setitem__(1, d.randint(600, 1 << 50))),
    ("a jump", _raise),
    ("a set larger than one inside it", _nest),
]


def _passports(draw, good):
    """What a forger may write in place of what follows from the file."""
    wild = {**good.requirement, "delta": 0.39, "epsilon": good.requirement["epsilon"]}
    return [
        ("another requirement", {"requirement": wild}),
        ("of another stage", {"stage": draw.choice(["search", "share", "collect", "publish", "stream x"])}),
        ("another kind of promise", {"requirement": {"kind": "k-anonymity", "k": draw.randint(2, 99)}}),
        ("other parameters", {"parameters": {**good.parameters, "every": draw.randint(101, 999)}}),
        ("more parameters", {"parameters": {**good.parameters, "alpha": "safe"}}),
        ("more context", {"context": {**good.context, "note": draw.randrange(99)}}),
        ("another chain", {"context": {**good.context, "chain": hashlib.sha256(draw.randbytes(4)).hexdigest()}}),
        ("fewer releases", {"context": {**good.context, "releases": draw.randrange(3)}}),
        ("better figures", {"loss": {**good.loss, draw.choice(sorted(good.loss)): draw.randrange(10**7, 10**8)}}),
        ("more figures", {"loss": {**good.loss, "people harmed": 0}}),
        ("a better headline", {"headline": f"Nobody learns anything, in {draw.randrange(2, 99)} ways."}),
        ("another algorithm", {"algorithm": draw.choice(["butterfly best", "laplace", ""])}),
        ("better randomness", {"randomness": {"source": "system", "generator": "ChaCha20"}}),
        ("a better promise", {"promise": f"Nothing can be inferred for {draw.randrange(2, 99)} years."}),
        ("fewer limits", {"does_not_protect_against": good.does_not_protect_against[: draw.randrange(3)]}),
    ]
