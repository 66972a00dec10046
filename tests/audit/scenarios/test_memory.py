"""What `verify` takes: at most 256 MB above an empty run, or ten times the file, whatever small files stand for."""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.oversize.bombs import (
    BOMBS,
    EMPTY,
    Bomb,
    constant_texts,
    forge_passport,
    issue,
    issue_parts,
    many_pairs,
    packed_lines,
)
from tests.oversize.measuring import allowed, cost_of_verify

from confide.audit.verifiers.transactions.mole_search import find_mole
from confide.audit.verify import verify
from confide.core.artefacts.kinds import save
from confide.core.passport import Passport
from confide.core.requirements import Coherence, KAnonymity
from confide.core.requirements.version_2 import version_2_words
from confide.core.transactions.container import Transactions

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads the peak of memory as Linux tells it"
)
HONEST = {"constant texts", "many columns", "a long text as codes", "a long text in plain pages", "steps of zero"} | {
    "empty cells, gzip",
    "short rows, zstd",
    "large pages",
    "records of many items",
    "records of one item",
    "rows of one item",
    "short records",
    "quoted baskets",
    "JSON lines",
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return {name: issue(tmp_path_factory.mktemp(name), bomb) for name, bomb in EMPTY.items()}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_takes_no_more_than_256_megabytes(tmp_path, empty, name):
    bomb = BOMBS[name]
    passport = issue(tmp_path, bomb)
    size = (tmp_path / bomb.name).stat().st_size
    like = "parquet" if bomb.name.endswith("parquet") else "csv"
    cost = cost_of_verify(passport, empty=empty["records" if name in HONEST and bomb.type == "transactions" else like])
    assert cost.peak <= allowed(size), cost
    assert cost.ok == (name in HONEST), cost.summary  # equal rows are many, and read; the rest is refused
    assert "never releases" not in cost.summary, cost.summary  # or the file would not have been read


def test_a_plain_table_of_short_rows_takes_less_than_ten_times_its_size(tmp_path, empty):
    table = Bomb("t.csv", "table", packed_lines("a,b\n", 30 << 20, first="c0,c1\n"))
    cost = cost_of_verify(issue(tmp_path, table), empty=empty["csv"])
    assert cost.ok, cost.summary
    assert cost.peak <= 256 << 20


def test_a_table_of_millions_of_different_rows_is_judged_in_parts(tmp_path, empty):
    draw = np.random.default_rng(1)
    groups = 500_000  # too many rows for 64 MB, as some millions of them are for 256

    def write(path):
        quasi = np.repeat(draw.permutation(groups), 5)
        save(pa.table({"c0": quasi // 1000, "c1": draw.integers(0, 1000, len(quasi)), "c2": quasi % 1000}), path)

    passport = issue(tmp_path, Bomb("t.parquet", "table", write, columns=3))
    plain = cost_of_verify(passport, empty=empty["parquet"])
    assert plain.ok, plain.summary
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONFIDE_VERIFY_MEMORY", "64M")
        parted = cost_of_verify(passport, empty=empty["parquet"])
    assert parted.ok, parted.summary
    assert parted.peak < plain.peak
    assert parted.peak <= 128 << 20  # what Arrow holds of the file stands beside the budget


@pytest.mark.parametrize("name", ["t.dat", "t.parquet"])
def test_records_take_less_than_ten_times_their_size(tmp_path, empty, name):
    write = many_pairs if name == "t.parquet" else packed_lines("10 20 30 40 50\n", 30 << 20)
    passport = issue(tmp_path, Bomb(name, "transactions", write))
    cost = cost_of_verify(passport, empty=empty["records"])
    assert cost.ok, cost.summary
    assert cost.peak <= allowed((tmp_path / name).stat().st_size), cost


IN_PARTS = [
    *("constant texts", "large pages", "a list of millions"),
    *("records of many items", "a record that is a list of millions", "records of one item"),
]


@pytest.mark.parametrize("name", IN_PARTS)
def test_a_folder_of_parts_takes_no_more(tmp_path, name):
    (tmp_path / "empty").mkdir()
    bomb = BOMBS[name]
    tiny = Bomb("t.parquet", bomb.type, EMPTY["parquet"].write if bomb.type == "table" else one_record)
    cost = cost_of_verify(issue_parts(tmp_path, bomb), empty=issue_parts(tmp_path / "empty", tiny))
    assert cost.peak <= 256 << 20, cost
    assert cost.ok == (name in HONEST), cost.summary


def one_record(path):
    items = pa.array([["1", "2"], ["1", "2"]])
    pq.write_table(pa.table({"items": items}), path, compression="zstd", write_statistics=False, store_schema=False)


def test_a_passport_of_empty_things_is_refused_before_it_is_read(tmp_path, empty):
    path = issue(tmp_path, EMPTY["csv"])
    plain = json.loads(path.read_text())
    plain["loss"] = "HERE"
    path.write_text(json.dumps(plain).replace('"HERE"', '{"a": [' + "{}," * 7_000_000 + "0]}"))
    cost = cost_of_verify(path, empty=empty["csv"])
    assert "may take more than 256 MB" in cost.summary
    assert cost.peak <= 256 << 20


def test_more_memory_may_be_given_by_name(tmp_path, monkeypatch):
    path = issue(tmp_path, Bomb("t.parquet", "table", lambda path: constant_texts(path, 1000)))
    assert verify(path).ok
    monkeypatch.setenv("CONFIDE_VERIFY_MEMORY", "1K")
    outcome = verify(path)
    assert not outcome.ok
    assert "CONFIDE_VERIFY_MEMORY" in outcome.summary()


# -- the same answer as in memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".csv.zst", ".parquet"])
def test_passes_and_memory_give_the_same_checks(tmp_path, suffix):
    from confide.core.artefacts.kinds import load
    from confide.core.stages import STAGES

    draw = np.random.default_rng(5)
    for number in range(12):
        rows = int(draw.integers(1, 60))
        words = np.array(["", "a", 'b"', "c,\nd", "é"])
        table = pa.table(
            {
                "c0": pa.array(words[draw.integers(0, 5, rows)]),
                "c1": pa.array(draw.integers(0, 3, rows), mask=draw.random(rows) < 0.1),
                "c2": pa.array(draw.integers(0, 2, rows) / 2),
            }
        )
        path = tmp_path / f"t{number}{suffix}"
        save(table, path)
        beside = forge_passport(path, "table", columns=3)
        known = Passport.read(beside)
        held = list(STAGES["by hand"].verifier("k-anonymity")(load(path, type="table"), known))
        outcome = verify(beside)
        names = {check.name for check in held}
        assert [str(check) for check in outcome.checks if check.name in names] == [str(check) for check in held]


@pytest.mark.parametrize("suffix", [".dat", ".csv", ".long.csv", ".jsonl.gz", ".parquet", ".csv.zst"])
def test_records_in_passes_and_in_memory_get_the_same_answer(tmp_path, monkeypatch, suffix):
    draw = np.random.default_rng(7)
    answers = set()
    for number in range(12):
        labels = ["1", "2", "10", "a b" if suffix != ".dat" else "ab", 'q"' if number % 2 else "é", "s"]
        rows = [list(np.array(labels)[draw.random(6) < 0.5]) for _ in range(int(draw.integers(3, 40)))]
        records = Transactions.from_lists([row for row in rows if number % 3 or row] * int(draw.integers(1, 4)))
        path = tmp_path / f"t{number}{suffix}"
        long = "long" if "long" in suffix else None
        records.write(path, format=long)
        beside = forge_passport(path, "transactions", format=long)
        held = verify(beside)
        monkeypatch.setenv("CONFIDE_VERIFY_MEMORY", "64M")  # as much as there is beside the records: so none are kept
        again = verify(beside)
        monkeypatch.delenv("CONFIDE_VERIFY_MEMORY")
        assert [(check.name, check.ok) for check in held.checks] == [(check.name, check.ok) for check in again.checks]
        answers.add(held.ok)
    assert answers == {True, False}


@pytest.mark.parametrize("suffix", [".dat", ".csv", ".long.csv", ".jsonl"])
def test_a_long_file_of_records_is_compared_to_its_end(tmp_path, suffix):
    records = Transactions.from_lists([["10", "20", "beer"], ["20"]] * 80_000)  # some blocks of a megabyte
    path = tmp_path / f"t{suffix}"
    long = "long" if "long" in suffix else None
    records.write(path, format=long)
    assert verify(forge_passport(path, "transactions", format=long)).ok
    text = path.read_bytes()
    for number, at in enumerate((len(text) - 1, text.rfind(b"\n", 0, -30))):
        bad = tmp_path / f"bad{number}{suffix}"
        bad.write_bytes(text[:at] + b" " + text[at:])
        outcome = verify(forge_passport(bad, "transactions", format=long))
        assert not outcome.ok
        line = text.count(b"\n", 0, at) + 1
        assert f"line {line}: is not as Confide writes it" in outcome.summary()


def test_ten_million_equal_records_are_checked(tmp_path):
    size = 10_000_000
    records = Transactions(np.arange(size + 1), np.zeros(size, dtype=np.int32), ("1",))
    assert find_mole(records, Coherence(h=0.5, k=2, p=2), ["s"]) is None


def test_a_passport_of_version_2_may_hold_a_number_in_another_spelling(tmp_path):
    beside = write_floats(tmp_path / "t.parquet", np.concatenate([[0.0, 1.5], QUIET[:1]] * 2))
    plain = json.loads(beside.read_text())
    assert not verify(beside).ok
    words = version_2_words(KAnonymity(k=2), "by hand", plain["context"])
    plain |= {"version": 2, "promise": words.promise, "protects_against": list(words.stops)}
    plain["does_not_protect_against"] = list(words.does_not_stop)
    beside.write_text(json.dumps(plain, indent=2, ensure_ascii=False) + "\n")
    assert verify(beside).ok, verify(beside).summary()


def write_floats(path, values):
    table = pa.table({"c0": pa.array(["a"] * len(values)), "c1": pa.array(values, pa.float64(), from_pandas=False)})
    pq.write_table(table, path, compression="zstd", write_statistics=False, store_schema=False)
    return forge_passport(path, "table")


QUIET = np.array([0x7FF8000000000000, 0x7FF8000000C0FFEE], dtype=np.uint64).view(np.float64)


@pytest.mark.parametrize(
    "odd", [QUIET[:1], QUIET[1:], np.array([-0.0])], ids=["NaN", "a NaN that carries words", "-0.0"]
)
def test_a_number_has_one_spelling_in_a_release(tmp_path, odd):
    assert verify(write_floats(tmp_path / "good.parquet", np.array([0.0, 1.5, 0.0]))).ok
    bad = write_floats(tmp_path / "bad.parquet", np.concatenate([[0.0, 1.5], odd]))
    outcome = verify(bad)
    assert not outcome.ok
    assert "a number is NaN or -0.0" in outcome.summary()
