"""Thousands of cases of fuzzing: readers, verifiers and services get broken input, and answer in our own words only.

`CONFIDE_FUZZ=3600 python -m benchmarks house.fuzzing` takes an hour, with the peak memory of each target.
"""

import pytest
from tests.fuzzing.hunt import TARGETS, hunt

CASES = {
    "read": 400,
    "verify": 40,
    "message": 100,
    "request": 200,
}  # the same on every machine, so that none depends on its speed


@pytest.mark.parametrize("target", TARGETS)
def test_broken_input_is_taken_or_refused_in_one_line(target):
    found = hunt(target, seed=7, cases=CASES[target.partition(" ")[0]], before=2)
    assert found["findings"] == []
    assert found["refused"] or target.endswith(".html"), "the fuzzer never made bad input"  # any text is HTML
    assert found["peak_mb"] < 2048


def test_what_was_found_before_stays_repaired(tmp_path):
    from confide import Schema, Transactions
    from confide.core.errors import InputError
    from confide.core.json_text import read_json
    from confide.core.trees.published import PublishedTree
    from confide.join.configuration.config_files import JoinConfig

    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 3000)
    for read in (JoinConfig.read, Schema.read):
        with pytest.raises(InputError, match="nested too deeply"):
            read(deep)
    half = tmp_path / "half.jsonl"
    half.write_text('["tea", "\\ud800"]\n')
    with pytest.raises(InputError, match="half a character"):
        Transactions.read(half)
    with pytest.raises(InputError, match="half a character"):
        read_json('{"a": "\\udfff"}')
    assert read_json('{"a": "\\ud83c\\udf75"}') == {"a": "\N{TEACUP WITHOUT HANDLE}"}
    with pytest.raises(InputError):
        PublishedTree.from_json('{"nodes": [{"edges": [{"to": 1, "intervals": [[null, 1' + "0" * 400 + "]]}]}]}")


def test_numbers_of_thousands_of_digits_are_refused_in_one_line(tmp_path):
    from confide import Transactions
    from confide.core.artefacts.kinds import load
    from confide.core.errors import InputError
    from confide.core.files import read_toml
    from confide.core.trees.published import PublishedTree

    long = "[" + "9" * 5000 + "]"
    (tmp_path / "t.jsonl").write_text(long + "\n")
    (tmp_path / "t.json").write_text(long)
    for read in (
        lambda: Transactions.read(tmp_path / "t.jsonl"),
        lambda: PublishedTree.from_json(long),
        lambda: load(tmp_path / "t.json", type="json"),
        lambda: load(tmp_path / "t.json", type="tree"),
    ):
        with pytest.raises(InputError):
            read()
    (tmp_path / "t.toml").write_text(f"a = {long}")
    with pytest.raises(InputError, match="too many digits"):
        read_toml(tmp_path / "t.toml")


def test_records_of_runs_that_are_nested_too_deeply_are_refused(tmp_path):
    from confide.core.errors import InputError
    from confide.join.coordinator.run_record import RunRecord
    from confide.join.protocol.ledger import Ledger
    from confide.join.site.split_list import SplitList

    for name, read in (("run.json", lambda: RunRecord.load({}, tmp_path)), ("splits.json", SplitList.load)):
        (tmp_path / name).write_text("[" * 100_000)
        with pytest.raises(InputError, match="is not"):
            read(tmp_path) if name == "splits.json" else read()
    (tmp_path / "ledger.jsonl").write_text("[" * 100_000 + "\n[1]\n")
    ledger = Ledger("T1", file=tmp_path / "ledger.jsonl")
    ledger.begin("0" * 32, resume=True)  # what a crash or a bad disk left is passed over


@pytest.mark.parametrize("damage", [b"MCowBQYDK1VwAyEA", b"MCowBQYDK2VxAyEA"])
def test_keys_of_unknown_kinds_are_refused(tmp_path, damage):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from confide.core.artefacts.signing_keys import read_public_key
    from confide.core.errors import InputError

    pem = (
        Ed25519PrivateKey.generate()
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    file = tmp_path / "key.pem"
    file.write_bytes(pem.replace(b"MCowBQYDK2VwAyEA", damage))
    with pytest.raises(InputError, match="not a public key"):
        read_public_key(file)


def test_addresses_and_databases_of_others_are_refused_in_one_line(tmp_path):
    import sqlite3

    from tests.search.sources.test_history import CHROMIUM

    from confide.collect import Client
    from confide.core.errors import UsageError
    from confide.search import SearXNG
    from confide.search.sources.history import read_history
    from confide.search.wrapper.json_engine import JsonEngine

    for make in (Client, SearXNG, lambda url: JsonEngine(url=url + "?{query}")):
        for url in ("http://[::1", "http://a.example:port/"):
            with pytest.raises(UsageError, match=r"address|host"):
                make(url)
    browser = sqlite3.connect(tmp_path / "History")
    browser.execute(CHROMIUM)
    browser.execute("INSERT INTO urls VALUES (1, 'https://tea.example/', CAST(x'746561ff' AS TEXT), 1, 1)")
    browser.commit()
    browser.close()
    assert [document.text.split()[0] for document in read_history(tmp_path / "History")] == ["tea\ufffd"]


@pytest.mark.parametrize("time", [10**400, -(10**400), 1e308, "nan"])
def test_a_time_stamp_beyond_all_clocks_is_refused(time):
    from confide.core.errors import InputError
    from confide.stream.sources.parsing import time_of

    with pytest.raises(InputError, match="time stamp"):
        time_of(time, "in.jsonl", 3)


def test_a_ledger_without_a_salt_and_a_damaged_search_are_refused(tmp_path):
    import json

    from confide.collect import BasketSearch
    from confide.core.errors import InputError
    from confide.ledger import ReleaseLedger

    for head in ({"from": "key", "n": 0}, {"from": "key", "n": 0, "salt": "AAA"}, {"from": "passphrase", "n": 0}):
        (tmp_path / "a.ledger").write_text(f"confide ledger, version 1\n{json.dumps(head)}\n")
        with pytest.raises(InputError, match="is not a ledger that this program wrote"):
            ReleaseLedger.read(tmp_path / "a.ledger", bytes(32) if head["from"] == "key" else "a long one")
    BasketSearch(items=["a", "b"], gamma=19, top=3).write(tmp_path / "search.json")
    known = json.loads((tmp_path / "search.json").read_text())
    damaged = ({"items": 7}, {"round": None}, {"asked": [[2]]}, {"asked": [["a"]]}, {"known": [[[0], "x", 1]]})
    for part in (*damaged, {"known": 3}, {"pad": 0}, {"lost": 2}, {"people": -1}, {"itemsets": "no"}):
        (tmp_path / "search.json").write_text(json.dumps(known | part))
        with pytest.raises(InputError, match="restore it"):
            BasketSearch.read(tmp_path / "search.json")


def test_a_design_whose_law_is_no_text_is_refused_in_words(tmp_path):
    import json

    from tests.every_release import write_release

    from confide import verify

    write_release("sampled.csv", tmp_path)
    path = tmp_path / "sampled.csv.passport.json"
    plain = json.loads(path.read_text())
    for change in ({"law": {}}, {"fields": [["age"]]}, {"fields": [1]}):
        scheme = json.loads(json.dumps(plain["context"]["scheme"]))
        scheme["blocks"][0] |= change
        path.write_text(json.dumps(plain | {"context": plain["context"] | {"scheme": scheme}}))
        outcome = verify(path)
        assert not outcome.ok
        assert "in the reader" not in outcome.summary()
