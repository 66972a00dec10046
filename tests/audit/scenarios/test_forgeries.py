"""Forged releases: 10,000 of each kind, made from good ones by a seeded forger, and none accepted.

A forger that is drawn 10,000 times makes some forgeries more than once; each is judged once.

A forger changes the file (and repairs size and hash in the passport), or the passport, or both, so that the file
holds more than the verified records, or is read in another way. `verify` must fail, or the change must have left the
release as it was.
"""

import hashlib
import json
import random
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scratch import write_anew

from confide import Coherence, KAnonymity, Release, Transactions, verify
from confide.core.artefacts.originals import OriginalBaskets
from confide.core.stages import STAGES

ROUNDS = 10_000
BASKETS = [["tea", "nuts"], ["tea", "nuts", "s:a"], ["tea", "nuts", "s:b"], ["milk, fresh", "tea"]] * 6
TABLE = pa.table({"age": ["20-29"] * 20 + ["30-39"] * 20, "illness": ["flu", "none"] * 20})
ROLES = {"age": "quasi-identifier", "illness": "sensitive"}


def write(folder, name, **options):
    if name.startswith("t"):
        data, requirement, stage, read = TABLE, KAnonymity(k=20), "by hand", None
        context = {"roles": ROLES}
    else:
        data, requirement, stage = Transactions.from_lists(BASKETS), Coherence(h=0.9, k=3, p=2), "publish transactions"
        context = {"private": ["s:a", "s:b"]}
        read = OriginalBaskets(transactions=data, places=np.arange(len(data)))
    release = Release.issue(data, requirement, stage=stage, algorithm="by hand", context=context, original=read)
    release.write(folder / name, **options)
    return folder / name, json.loads((folder / f"{name}.passport.json").read_text())


def accepted(file, data, passport):
    """Whether a forged file passes with a passport whose size and hash fit it."""
    write_anew(file, data)
    passport["artefact"] |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    beside = file.with_name(file.name + ".passport.json")
    write_anew(beside, json.dumps(passport).encode())
    return verify(beside).ok


TABLE_LINE = re.compile(r"(20-29|30-39),[^,]+|illness,age")
SMUGGLED = ["id-4711", '"x', "secret;tea", "\r", "\ttea", " ", ",", "﻿", '{"truth": ["a"]}', ",tea", "#", "\x00", "ü"]


def forged_text(draw, good):
    """One change to the text of a good release."""
    lines = good.split("\n")
    place = draw.randrange(len(lines) - 1)
    line = lines[place]
    tricks = [
        lambda: lines.insert(place, ""),
        lambda: lines.__setitem__(place, line + draw.choice(SMUGGLED)),
        lambda: lines.__setitem__(place, draw.choice(SMUGGLED) + line),
        lambda: lines.__setitem__(place, line + "," + line.split(",")[0]),
        lambda: lines.__setitem__(place, '"' + line + '"'),
        lambda: lines.__setitem__(place, line.replace("tea", "tea" + draw.choice([" ", "\r", "﻿"]), 1)),
        lambda: lines.__setitem__(place, line.replace(",", ", ", 1)),
        lambda: lines.__setitem__(place, ",".join(reversed(line.split(",")))),
        lambda: lines.__setitem__(place, json.dumps({"truth": ["a"], "items": line.split(",")})),
        lambda: lines.append(draw.choice(SMUGGLED)),
        lambda: lines.insert(0, draw.choice(["id,item,who", "﻿", "sep=,"])),
        lambda: lines.__setitem__(place, line + "\r"),
    ]
    draw.choice(tricks)()
    return "\n".join(lines)


def test_no_forged_text_is_accepted(tmp_path):
    draw = random.Random(1)
    releases = {}
    for name in ("b.csv", "b.jsonl", "t.csv", "long.csv"):
        releases[name] = write(tmp_path, name, **({"format": "long"} if name == "long.csv" else {}))
    good = {name: file.read_text() for name, (file, _) in releases.items()}
    names = [draw.choice(list(releases)) for _ in range(ROUNDS)]
    for name, text in dict.fromkeys((name, forged_text(draw, good[name])) for name in names):
        file, passport = releases[name]
        if accepted(file, text.encode(), passport):
            # What passes must be a release itself: the same lines, some of them once more or moved; or, in a table,
            # another value in a column that identifies nobody, which only the owner could tell from the true one.
            new = set(text.split("\n")) - set(good[name].split("\n"))
            assert not new or (name == "t.csv" and all(TABLE_LINE.fullmatch(line) for line in new)), text
    for name, (file, passport) in releases.items():
        assert accepted(file, good[name].encode(), passport)


def test_no_forged_passport_is_accepted(tmp_path):
    draw = random.Random(2)
    file, good = write(tmp_path, "b.csv")
    beside = tmp_path / "b.csv.passport.json"
    everything = sorted({item for row in BASKETS for item in row} | set(file.read_text().splitlines()))
    changes = [
        lambda p: p.update(stage=draw.choice([s for s in [*STAGES, "search x", "publish", ""] if s != p["stage"]])),
        lambda p: p["artefact"].update(format=draw.choice(["dat", "long", "jsonl", "parquet", None, "csv"])),
        lambda p: p["artefact"].update(type=draw.choice(["table", "itemsets", "json", "tree"])),
        lambda p: p["artefact"].update(name=draw.choice(["b.dat", "c.csv", "../b.csv", "b.csv.gz", "b.parquet"])),
        lambda p: p.update(version=draw.choice([1, 3, "2", None])),
        lambda p: p["requirement"].update(k=draw.randrange(4, 100)),
        lambda p: p["requirement"].update(h=draw.choice([1e-9, 0.1, 10**400, -1, "x", None, float(2)])),
        lambda p: p["requirement"].update(p=draw.choice([0, -1, 1.5, "all"])),
        lambda p: p["context"].update(private=draw.sample(everything, len(everything))),
        lambda p: p.update(promise=p["promise"] + " And more."),
        lambda p: p.update(protects_against=[*p["protects_against"], "everything"]),
        lambda p: p.update(does_not_protect_against=p["does_not_protect_against"][1:]),
        lambda p: p.update({draw.choice(["truth", "note", "extra"]): "x"}),
    ]
    whole, forged = json.dumps(good), {}
    for _ in range(ROUNDS):
        passport = json.loads(whole)
        draw.choice(changes)(passport)
        forged[json.dumps(passport)] = passport != good
    for text, differs in forged.items():
        write_anew(beside, text.encode())
        assert not differs or not verify(beside).ok, text
    beside.write_text(json.dumps(good))
    assert verify(beside).ok


@pytest.mark.parametrize("kind", ["column", "metadata", "statistics", "gap", "index", "field metadata"])
def test_no_parquet_with_something_beside_its_columns_is_accepted(tmp_path, kind):
    for name in ("b.parquet", "t.parquet"):
        file, passport = write(tmp_path, name)
        data = file.read_bytes()
        table = pq.read_table(file)
        options = {"compression": "zstd", "write_statistics": False}
        if kind == "column":
            table = table.append_column("who", pa.array([str(n) for n in range(table.num_rows)]))
        elif kind == "metadata":
            table = table.replace_schema_metadata({"truth": "a, b"})
        elif kind == "statistics":
            options["write_statistics"] = True
        elif kind == "index":
            options |= {"write_statistics": True, "write_page_index": True}
        elif kind == "field metadata":
            first = table.schema.field(0).with_metadata({"truth": "x"})
            table = table.cast(table.schema.set(0, first))
        pq.write_table(table, file, **options)
        forged = file.read_bytes()
        if kind == "gap":  # bytes before the footer that no column owns
            footer = int.from_bytes(data[-8:-4], "little") + 8
            forged = data[:-footer] + b"the truth" + data[-footer:]
        if kind == "column" and name == "t.parquet":
            passport["context"]["roles"]["who"] = "insensitive"  # a declared column may be there
            continue
        assert not accepted(file, forged, passport), (name, kind)
        assert accepted(file, data, passport)


def test_numbers_that_look_alike_stay_apart(tmp_path):
    """Twenty ways to write 20 are twenty values, whatever marks stand before the header."""
    file, passport = write(tmp_path, "t.csv")
    ages = ["0" * zeros + "20" for zeros in range(20)]
    for head in ("", "﻿", "﻿﻿", '"', "\n"):
        text = head + "age,illness\n" + "".join(f"{age},flu\n" for age in ages)
        assert not accepted(file, text.encode(), passport)


def test_an_empty_file_and_a_file_without_public_items_fail(tmp_path):
    file, passport = write(tmp_path, "b.csv")
    for text in ("", "\n" * 30, "s:a\n" * 30):
        assert not accepted(file, text.encode(), passport)
