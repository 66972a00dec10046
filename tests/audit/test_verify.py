"""From passport to answer: what is changed, where, and which check says so."""

import json

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from confide import Coherence, KAnonymity, Release, Transactions, verify
from confide.core.errors import UsageError
from confide.core.passport import Passport
from confide.core.stages import STAGES

ROLES = {"age": "quasi-identifier", "place": "quasi-identifier", "illness": "sensitive"}
# A hand-made table in which every combination of age and place has exactly three rows.
THREE_ANONYMOUS = pa.table(
    {
        "age": ["30-39"] * 3 + ["40-49"] * 3,
        "place": ["north"] * 3 + ["south"] * 3,
        "illness": ["flu", "gout", "flu", "flu", "gout", "cold"],
    }
)
BASKETS = Transactions.from_lists(
    [["tea", "nuts"]] * 3 + [["tea", "salt", "test kit"], ["tea", "salt"], ["tea", "salt"]]
)


@pytest.fixture
def written(tmp_path):
    """(artefact, passport) of the hand-made table."""
    return _write(tmp_path / "people.csv")


def _write(path, key=None):
    release = Release.issue(
        THREE_ANONYMOUS, KAnonymity(k=3), stage="by hand", algorithm="by hand", context={"roles": ROLES}
    )
    release.write(path, key=key)
    return path, path.with_name(path.name + ".passport.json")


def rewrite(passport_path, change):
    """Change the passport's JSON in place."""
    data = json.loads(passport_path.read_text())
    change(data)
    passport_path.write_text(json.dumps(data))


def failed(outcome):
    return [check.name for check in outcome.failed]


def test_a_hand_made_3_anonymous_table_verifies(written):
    outcome = verify(written[1])
    assert outcome.ok, outcome.summary()
    names = [check.name for check in outcome.checks]
    assert names[:4] == [
        "passport is well-formed",
        "artefact is there",
        "size of the artefact",
        "sha256 of the artefact",
    ]
    assert names[-2:] == ["k-anonymity", "no figure that it gives contradicts the file"]
    assert "smallest of 3 rows" in outcome.checks[-2].detail
    assert outcome.findings.sentence == "6 rows; every row looks like at least 2 others."


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "people.csv.gz", "people.csv.zst"])
def test_every_format_of_a_table_verifies(tmp_path, name):
    assert verify(_write(tmp_path / name)[1]).ok


def test_one_byte_changed_fails_naming_the_hash(written):
    artefact, passport = written
    artefact.write_bytes(artefact.read_bytes().replace(b"gout", b"Gout", 1))
    assert failed(verify(passport)) == ["sha256 of the artefact"]


def test_one_byte_more_fails_naming_the_size_too(written):
    artefact, passport = written
    artefact.write_bytes(artefact.read_bytes() + b"\n")
    assert failed(verify(passport))[:2] == ["size of the artefact", "sha256 of the artefact"]


def test_one_row_made_unique_and_the_hash_recomputed_fails_naming_k_anonymity(written):
    artefact, passport = written
    artefact.write_bytes(artefact.read_bytes().replace(b"north", b"woods", 1))
    Passport.read(passport).for_artefact(artefact, type="table").write(passport, replace=True)
    outcome = verify(passport)
    assert failed(outcome) == ["k-anonymity"]
    assert "woods" not in outcome.summary()


def test_a_missing_artefact_fails(written):
    artefact, passport = written
    artefact.rename(artefact.with_name("elsewhere.csv"))
    assert failed(verify(passport)) == ["artefact is there"]
    assert verify(passport, artefact=artefact.with_name("elsewhere.csv")).ok


def test_an_artefact_that_cannot_be_read_fails_a_check(written):
    artefact, passport = written
    artefact.write_bytes(b'age,place,illness\n"\xff\xfe')
    Passport.read(passport).for_artefact(artefact, type="table").write(passport, replace=True)
    assert failed(verify(passport)) == ["artefact is as Confide writes it"]


@pytest.mark.parametrize("type", ["transactions", "itemsets", "tree", "json"])
def test_a_table_said_to_be_something_else_fails_a_check(written, type):
    artefact, passport = written
    Passport.read(passport).for_artefact(artefact, type=type).write(passport, replace=True)
    assert not verify(passport).ok


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": "confide-passport"}', "\x00", "{" * 10_000])
def test_no_passport_at_all_fails_one_check(tmp_path, text):
    path = tmp_path / "p.json"
    path.write_text(text)
    outcome = verify(path)
    assert failed(outcome) == ["passport is well-formed"]


def test_a_passport_that_is_not_there_fails_one_check(tmp_path):
    assert failed(verify(tmp_path / "none.json")) == ["passport is well-formed"]


@pytest.mark.parametrize(
    "requirement",
    [{}, {"kind": "k-anonymity"}, {"kind": ["k-anonymity"], "k": 3}, {"kind": "k-anonymity", "k": 1}, {"kind": "none"},
     {"kind": "k-anonymity", "k": "3"}, {"kind": "k-anonymity", "k": None}, {"kind": "k-anonymity", "k": "inf"}],
)  # fmt: skip
def test_a_requirement_that_makes_no_sense_fails_one_check(written, requirement):
    rewrite(written[1], lambda data: data.update(requirement=requirement))
    assert failed(verify(written[1])) == ["passport is well-formed"]


@pytest.mark.parametrize("context", [{}, {"roles": 3}, {"roles": {"age": []}}, {"roles": [["age"]]}, {"private": 1}])
def test_a_hostile_context_fails_a_check(written, context):
    rewrite(written[1], lambda data: data.update(context=context))
    outcome = verify(written[1])
    assert not outcome.ok
    assert outcome.checks[0].ok


def test_the_claim_is_put_in_our_own_words(written):
    """The passport's sentence may promise more than its numbers."""
    rewrite(written[1], lambda data: data.update(promise="Nobody can ever be found."))
    assert verify(written[1]).checks[0].detail == (
        "it claims: At least 3 rows share every combination of values that could identify someone (quasi-identifiers)."
    )


def test_a_release_that_was_never_written_fails():
    release = Release.issue(
        THREE_ANONYMOUS, KAnonymity(k=3), stage="by hand", algorithm="by hand", context={"roles": ROLES}
    )
    assert failed(verify(release.passport, artefact="people.csv")) == ["artefact is there"]
    with pytest.raises(UsageError, match="folder"):
        verify(release.passport)


# -- signatures -------------------------------------------------------------------------------------------------------


def test_a_signature_is_reported_with_what_it_does_not_show(tmp_path):
    key = Ed25519PrivateKey.generate()
    _, passport = _write(tmp_path / "people.csv", key)
    outcome = verify(passport)
    (check,) = (check for check in outcome.checks if check.name == "signature")
    assert outcome.ok
    assert check.detail.endswith("not compared with a key you trust")
    assert verify(passport, key=key.public_key()).ok


def test_another_key_than_the_trusted_one_fails(tmp_path):
    _, passport = _write(tmp_path / "people.csv", Ed25519PrivateKey.generate())
    outcome = verify(passport, key=Ed25519PrivateKey.generate().public_key())
    assert failed(outcome) == ["signature"]
    assert "another key" in outcome.summary()


def test_no_signature_where_one_is_wanted_fails(written):
    assert failed(verify(written[1], key=Ed25519PrivateKey.generate().public_key())) == ["signature"]


def test_no_signature_is_said_to_leave_the_issuer_open(written):
    assert any("not signed" in text for text in verify(written[1]).not_provable)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["loss"].update(rows=0.5),
        lambda data: data.update(promise="more"),
        lambda data: data["requirement"].update(k=2),
        lambda data: data["context"].update(roles={**ROLES, "illness": "insensitive"}),
        lambda data: data.update(algorithm="another"),
    ],
)
def test_a_passport_changed_after_signing_fails(tmp_path, change):
    _, passport = _write(tmp_path / "people.csv", Ed25519PrivateKey.generate())
    rewrite(passport, change)
    assert failed(verify(passport))[-1] == "signature"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(promise="Nobody can ever be found."),
        lambda data: data.update(does_not_protect_against=[]),
        lambda data: data["protects_against"].append("everybody"),
    ],
)
def test_a_passport_that_promises_more_than_its_requirement_fails(written, change):
    rewrite(written[1], change)
    assert failed(verify(written[1])) == ["its words fit its numbers"]


def test_a_passport_may_name_more_limits(written):
    rewrite(written[1], lambda data: data["does_not_protect_against"].append("the weather"))
    assert verify(written[1]).ok


def test_a_signature_moved_from_another_passport_fails(tmp_path):
    key = Ed25519PrivateKey.generate()
    _, first = _write(tmp_path / "a.csv", key)
    _, second = _write(tmp_path / "b.csv", key)
    rewrite(second, lambda data: data.update(signature=json.loads(first.read_text())["signature"]))
    assert failed(verify(second, key=key.public_key())) == ["signature"]


# -- other kinds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["baskets.dat", "baskets.csv", "baskets.jsonl.gz"])
def test_transactions_verify_and_a_mole_is_found(tmp_path, name):
    requirement = Coherence(h=0.5, k=3, p=2)
    baskets = Transactions.from_lists([[item.replace(" ", "-") for item in row] for row in BASKETS])
    release = Release.issue(
        baskets, requirement, stage="publish transactions", algorithm="by hand", context={"private": ["test-kit"]}
    )
    path = tmp_path / name
    release.write(path)
    passport = path.with_name(name + ".passport.json")
    assert verify(passport).ok
    Transactions.from_lists([*baskets, ["rare"]]).write(path, replace=True)
    known = Passport.read(passport)
    assert known.artefact is not None
    known.for_artefact(path, type="transactions", format=known.artefact.format).write(passport, replace=True)
    assert failed(verify(passport)) == ["coherence"]


def test_what_cannot_be_proved_is_said_of_the_stage(written):
    assert verify(written[1]).not_provable == (
        *STAGES["by hand"].not_provable,
        "who issued it: the passport is not signed",
    )


@pytest.mark.parametrize("stage", ["juggle", "by hand x", "collect", "publish transactions", "mine", ""])
def test_a_stage_that_makes_no_such_promise_is_refused(written, stage):
    rewrite(written[1], lambda data: data.update(stage=stage))
    assert failed(verify(written[1])) == ["passport is well-formed"]


def test_a_key_given_twice_is_refused(written):
    text = written[1].read_text()
    written[1].write_text(text.replace('"stage":', '"stage": "join", "stage":', 1))
    assert failed(verify(written[1])) == ["passport is well-formed"]


def test_importing_the_auditor_loads_neither_numba_nor_pyarrow():
    import subprocess
    import sys

    code = "import confide.audit, sys; print([m for m in ('numba', 'pyarrow', 'pandas', 'polars') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_released_file_in_place_of_its_passport_is_pointed_out(written):
    with pytest.raises(UsageError, match=r"people\.csv is the released file; verify its passport: .*passport\.json"):
        verify(written[0])
