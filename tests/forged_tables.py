"""Forged releases of tables, and a judge who shares nothing with the auditor but the definitions.

A forger starts from a good release (persons with several rows, two sensitive columns, pseudonyms, five requirements at
once), changes the file or the passport, and repairs what can be repaired: size, hash, and the sentences of a changed
requirement. `rightly` says, from the text of the file and plain Python, whether the forged pair may pass all the same.
"""

import csv
import hashlib
import io
import json
import random
import re
from collections import defaultdict

import pyarrow as pa

from confide import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    Release,
    SimpleDiversity,
    TCloseness,
    verify,
)
from confide.core.requirements import Requirement
from confide.core.requirements.tables import PSEUDONYMS
from tests.oracles import tables as oracles

KINDS = ("cells", "form", "requirement", "passport")
ROLES = {
    "key": "identifier",
    "age": "quasi-identifier",
    "place": "quasi-identifier",
    "who": "person",
    "illness": "sensitive",
    "pay": "sensitive",
    "note": "insensitive",
}
REQUIREMENT = (
    KAnonymity(k=3)
    & DistinctDiversity(l=2)
    & RecursiveDiversity(c=4, l=2)
    & TCloseness(t=0.4, ordered=False)
    & BetaLikeness(beta=1.5)
)
STRONGER = (
    lambda draw: KAnonymity(k=draw.randrange(2, 8)),
    lambda draw: SimpleDiversity(l=draw.randrange(2, 5)),
    lambda draw: DistinctDiversity(l=draw.randrange(2, 5)),
    lambda draw: EntropyDiversity(l=draw.choice([1.1, 1.5, 2, 2.5, 3])),
    lambda draw: RecursiveDiversity(c=draw.choice([0.5, 1, 2, 4, 9]), l=draw.randrange(2, 4)),
    lambda draw: AlphaK(alpha=draw.choice([0.2, 0.4, 0.6, 0.8]), k=draw.randrange(2, 6)),
    lambda draw: TCloseness(t=draw.choice([0, 0.1, 0.2, 0.4, 0.8]), ordered=False),
    lambda draw: BetaLikeness(beta=draw.choice([0.1, 0.5, 1, 3]), enhanced=draw.random() < 0.5),
    lambda draw: DeltaDisclosure(delta=draw.choice([0.1, 0.5, 1, 2])),
)


def made():
    """The good release."""
    rows = []
    for group, (age, place) in enumerate((("20-29", "north"), ("20-29", "south"), ("30-39", "*"))):
        for who in range(1, 5 + group):
            for illness in ["flu", "gout"] if who == 1 else [("flu", "gout", "none")[(who + group) % 3]]:
                rows.append((age, place, who, illness, str(who * 10), f"n{len(rows) % 3}"))
    table = pa.table(
        {
            "key": [hashlib.sha256(str(n).encode()).hexdigest()[:32] for n in range(len(rows))],
            **{name: [row[i] for row in rows] for i, name in enumerate(list(ROLES)[1:])},
        }
    )
    return Release.issue(
        table,
        REQUIREMENT,
        stage="by hand",
        algorithm="by hand",
        context={"roles": ROLES, "pseudonyms": ["key"]},
        caveats=(PSEUDONYMS,),
    )


def good(folder):
    """The good release in files: the path, its text and its passport."""
    file = folder / "t.csv"
    made().write(file)
    return file, file.read_text(), json.loads((folder / "t.csv.passport.json").read_text())


def accepted(file, text, passport):
    """Whether the auditor accepts the forged pair, size and hash repaired."""
    data = text.encode()
    file.write_bytes(data)
    passport["artefact"] |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    beside = file.with_name(file.name + ".passport.json")
    beside.write_text(json.dumps(passport))
    return verify(beside).ok


def forged(draw: random.Random, kind, text, passport):
    """A changed text and passport; drawn again where nothing came out changed."""
    while (made := _drawn(draw, kind, text, passport)) == (text, passport):
        pass
    return made


def _drawn(draw, kind, text, passport):
    changed = json.loads(json.dumps(passport))
    if kind == "cells":
        return _cells(draw, text), changed
    if kind == "form":
        return _form(draw, text), changed
    if kind == "requirement":
        _promise(draw, changed)
        return text, changed
    _passport(draw, changed)
    return text, changed


def _cells(draw, text):
    """One to three cells, rows or columns of a well-formed file, changed for others that look as good."""
    head, *rows = [line.split(",") for line in text.splitlines()]
    for _ in range(draw.randrange(1, 4)):
        row, column = draw.randrange(len(rows)), draw.randrange(len(head))
        pool = [r[column] for r in rows] + ["1", "2", "9", "*", "21", "flu", "", "Ann", "0" * 32]
        trick = draw.randrange(5)
        if trick < 3:
            rows[row] = [*rows[row][:column], draw.choice(pool), *rows[row][column + 1 :]]
        elif trick == 3:
            rows.insert(draw.randrange(len(rows)), list(rows[row]))
        elif len(rows) > 1:
            rows.pop(row)
    return "\n".join(",".join(row) for row in [head, *rows]) + "\n"


def _form(draw, text):
    lines = text.split("\n")
    place = draw.randrange(len(lines) - 1)
    smuggled = draw.choice(["id-4711", '"', ";", "\r", "\t", " ", ",", "\ufeff", "#x", "\x00", "ü", "\n", '""', ",x"])
    spot = draw.randrange(len(lines[place]) + 1)
    tricks = (
        lambda: lines[place][:spot] + smuggled + lines[place][spot:],
        lambda: '"' + lines[place] + '"',
        lambda: re.sub(r"(\w+)", r'"\1"', lines[place], count=1),
        lambda: lines[place] + "," + lines[place],
        lambda: lines[place].replace(",", ";"),
        lambda: lines[place] + "\n" + smuggled,
        lambda: "",
    )
    lines[place] = draw.choice(tricks)()
    return "\n".join(lines)


def _promise(draw, passport):
    """Another requirement, its sentences repaired."""
    requirement = draw.choice(STRONGER)(draw)
    for _ in range(draw.randrange(3)):
        requirement = requirement & draw.choice(STRONGER)(draw)
    passport["requirement"] = requirement.to_dict()
    words = requirement.words("table", passport["context"])
    passport["promise"] = words.promise
    passport["protects_against"] = list(words.stops)
    passport["does_not_protect_against"] = [*words.does_not_stop, PSEUDONYMS]


def _passport(draw, passport):
    parts, context = passport["requirement"]["parts"], passport["context"]
    draw.choice(
        (
            lambda: parts.reverse(),
            lambda: parts.append({"kind": "all-of", "parts": list(parts)}),
            lambda: parts.append({"kind": "others-known", "of": {"kind": "simple-diversity", "l": 2}}),
            lambda: parts.__setitem__(0, {"kind": "k-anonymity", "k": draw.choice([True, "3", 3.5, -1, 10**30, None])}),
            lambda: parts[draw.randrange(len(parts))].update(extra=1),
            lambda: parts.pop(),
            lambda: passport.update(stage=draw.choice(["collect", "join", "mine", "publish transactions", "x"])),
            lambda: passport["artefact"].update(type=draw.choice(["tree", "json", "transactions"])),
            lambda: passport["artefact"].update(format=draw.choice(["csv", "parquet"])),
            lambda: passport.update(promise=passport["promise"] + " And more."),
            lambda: passport.update(does_not_protect_against=passport["does_not_protect_against"][1:]),
            lambda: passport.update(does_not_protect_against=passport["does_not_protect_against"][:-1]),
            lambda: context.pop(draw.choice(["roles", "pseudonyms"])),
            lambda: context["roles"].pop(draw.choice(list(ROLES)[1:])),
            lambda: context["roles"].update(
                {draw.choice(list(ROLES)): draw.choice(["secret", None, 5, ["sensitive"]])}
            ),
            lambda: context["roles"].update(note="person"),
            lambda: context["roles"].update(note="identifier"),
            lambda: context["roles"].update(note="quasi-identifier"),
            lambda: context["roles"].update(who="quasi-identifier"),
            lambda: context["roles"].update(other="insensitive"),
            lambda: context.update(pseudonyms=draw.choice([[], "key", None, {"key": 1}, ["note"]])),
        )
    )()


# -- the judge --------------------------------------------------------------------------------------------------------


def rightly(text, passport):
    """Whether a forged pair may pass: the form is ours and, by brute force, the promise holds."""
    try:
        table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return False
    head, rows = table[0] if table else [], table[1:]
    roles = passport["context"].get("roles")
    if (
        not rows
        or not isinstance(roles, dict)
        or any(len(row) != len(head) for row in rows)
        or not well_formed(text, table)
    ):
        return False
    columns = {name: [row[i] for row in rows] for i, name in enumerate(head)}
    wanted = {name for name in ROLES if name in roles and roles[name] != "identifier"}
    if len(columns) != len(head) or not wanted <= set(head) or not set(head) <= set(roles):
        return False
    by_role = defaultdict(list)
    for name, role in roles.items():
        if name in columns:
            by_role[role if isinstance(role, str) else "?"].append(name)
    quasi, persons, sensitive = by_role["quasi-identifier"], by_role["person"], by_role["sensitive"]
    if not quasi or len(persons) > 1 or not sensitive:
        return False
    for name in by_role["identifier"]:
        values = columns[name]
        if name not in passport["context"].get("pseudonyms", []) or len(set(values)) < len(values):
            return False
        if not all(re.fullmatch("[0-9a-f]{32}", value) for value in values):
            return False
    if persons and not counts_up(columns, quasi, persons[0]):
        return False
    requirement = Requirement.from_dict(passport["requirement"])
    for part in getattr(requirement, "parts", (requirement,)):
        for name in sensitive:
            groups = oracles.members(columns, quasi, name, persons[0] if persons else None)
            if not oracles.holds(groups, part.kind, **{k: v for k, v in part.to_dict().items() if k != "kind"}):
                return False
    return True


def well_formed(text, table):
    """Whether our writer would write just this."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(table)
    return out.getvalue() == text


def counts_up(columns, quasi, person):
    seen = defaultdict(set)
    for row, number in enumerate(columns[person]):
        mine = seen[tuple(columns[name][row] for name in quasi)]
        if number not in mine and number != str(len(mine) + 1):
            return False
        mine.add(number)
    return True
