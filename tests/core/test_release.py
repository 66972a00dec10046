import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import confide.core.passport
from confide import Coherence, Exposure, KAnonymity, Passport, Release, Transactions, verify
from confide.core.artefacts.originals import OriginalBaskets
from confide.core.errors import InputError, UsageError, VerificationError
from confide.core.figures import Column, Figure, Figures, Table
from confide.core.release import OwnerPart

ROLES = {"age": "quasi-identifier", "illness": "sensitive"}
THREE = pa.table({"age": ["20-29"] * 3 + ["30-39"] * 4, "illness": list("abcabcd")})
SCHEMA = Path(confide.core.passport.__file__).with_name("passport.schema.json")


def issue(data=THREE, requirement=None, **options):
    requirement = requirement or KAnonymity(k=3)
    defaults = {"stage": "by hand", "algorithm": "by hand", "context": {"roles": ROLES}}
    return Release.issue(data, requirement, **(defaults | options))


def test_a_release_that_keeps_its_promise_is_handed_out_with_its_checks():
    release = issue()
    assert release.verification.ok
    assert release.passport.promise == KAnonymity(k=3).promise()


def test_a_release_that_does_not_is_refused():
    with pytest.raises(VerificationError, match="does not keep its promise"):
        issue(requirement=KAnonymity(k=4))


def test_a_requirement_nobody_can_check_cannot_be_released():
    with pytest.raises(VerificationError, match="makes no promise of the kind 'exposure'"):
        issue(requirement=Exposure(min_detail=0.3))


def test_an_unverified_release_can_be_made_but_never_written(tmp_path):
    release = issue(requirement=KAnonymity(k=4), verify=False)
    with pytest.raises(UsageError, match="verify=False"):
        release.write(tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


def test_writing_gives_the_artefact_and_its_passport_and_nothing_of_the_owners(tmp_path):
    canary = "mole 9f8e7d"
    release = issue(
        owner=OwnerPart(
            facts=Figures(Figure("why", canary, "text")), tables={canary: Table((Column("a", "text"),), ((canary,),))}
        )
    )
    release.write(tmp_path / "t.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.csv", "t.csv.passport.json"]
    assert all(canary not in p.read_text() for p in tmp_path.iterdir())


def test_existing_files_are_kept_unless_replaced(tmp_path):
    release = issue()
    (tmp_path / "t.csv.passport.json").write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        release.write(tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()
    release.write(tmp_path / "t.csv", replace=True)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.csv.gz"])
def test_the_passport_read_back_is_the_one_written_and_fits_the_published_schema(tmp_path, name):
    written = issue().write(tmp_path / name)
    path = tmp_path / f"{name}.passport.json"
    assert Passport.read(path) == written
    jsonschema.validate(json.loads(path.read_text()), json.loads(SCHEMA.read_text()))


def test_the_published_schema_is_the_one_the_code_checks_by():
    assert json.loads(SCHEMA.read_text()) == Passport.model_json_schema()


def test_transactions_remember_their_format(tmp_path):
    tx = Transactions.from_lists([["a", "s:1"], ["a", "s:2"], ["a"]])
    release = Release.issue(
        tx,
        Coherence(h=0.5, k=3, p=math.inf),
        stage="publish transactions",
        algorithm="none",
        context={"private": ["s:1", "s:2"]},
        original=OriginalBaskets(transactions=tx, places=np.arange(3)),
    )
    passport = release.write(tmp_path / "t.csv", format="long")
    assert passport.artefact.type == "transactions"
    assert passport.artefact.format == "long"


def test_signatures_hold_and_break(tmp_path):
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    passport = issue().write(tmp_path / "t.csv", key=key)
    assert passport.check_signature(key.public_key())
    assert Passport.read(tmp_path / "t.csv.passport.json").check_signature()
    with pytest.raises(VerificationError, match="another key"):
        passport.check_signature(other.public_key())
    changed = passport.model_copy(update={"loss": {"rows": 0}})
    with pytest.raises(VerificationError, match="changed after signing"):
        changed.check_signature()
    with pytest.raises(VerificationError, match="not signed"):
        issue().passport.check_signature()


def test_a_plain_mapping_is_shown_as_it_stands_and_declared_units_travel():
    assert issue(loss={"rows": 0.8}).passport.units == {"rows": "number"}
    assert issue(loss=Figures(Figure("rows", 0.8, "share"))).passport.units == {"rows": "share"}


def test_data_comes_back_in_the_callers_form_and_the_artefact_is_what_is_written(tmp_path):
    release = issue().given_as(lambda table: table.to_pylist())
    assert isinstance(release.data, list)
    assert release.artefact.equals(THREE)
    release.write(tmp_path / "t.csv")
    assert verify(tmp_path / "t.csv.passport.json").ok


def test_headline_and_units_travel_in_the_passport(tmp_path):
    loss = Figures(
        Figure("rows", 3, "count"), Figure("by", [{"age": "20-29", "kept": 1.0}], {"age": "text", "kept": "share"})
    )
    release = issue(loss=loss, headline="3 rows are lost.", key_figures=("rows",))
    release.write(tmp_path / "t.csv")
    read = Passport.read(tmp_path / "t.csv.passport.json")
    assert read.headline == "3 rows are lost."
    assert read.loss == dict(loss) == dict(release.loss)
    assert read.units == {"rows": "count", "by": {"age": "text", "kept": "share"}}
    jsonschema.validate(read.model_dump(mode="json"), json.loads(SCHEMA.read_text()))


def test_a_unit_that_does_not_exist_makes_no_passport():
    text = issue(loss=Figures(Figure("rows", 3, "count"))).passport.to_json()
    with pytest.raises(InputError, match=r"units\.rows"):
        Passport.from_json(text.replace('"rows": "count"', '"rows": "furlongs"'))


def test_key_figures_are_up_to_three_figures_of_the_loss():
    loss = Figures(*(Figure(name, 1, "count") for name in "abcd"))
    for names in (("z",), tuple("abcd")):
        with pytest.raises(UsageError, match="up to 3 figures of the loss, which are: a, b, c, d"):
            issue(loss=loss, key_figures=names)
    assert issue(loss=loss, key_figures=("c", "a")).key_figures == ("c", "a")


def test_a_signature_covers_the_headline():
    key = Ed25519PrivateKey.generate()
    signed = issue(headline="3 rows are lost.").passport.sign(key)
    assert signed.check_signature(key.public_key())
    with pytest.raises(VerificationError, match="changed after signing"):
        signed.model_copy(update={"headline": "Nobody can be found."}).check_signature()


def test_faults_of_a_passport_are_named_together():
    with pytest.raises(InputError) as caught:
        Passport.from_json('{"format": "confide-passport", "version": 3, "stage": 3}')
    assert "algorithm" in str(caught.value)
    assert "stage" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("version", [1, 4, "3", None])
def test_passports_of_another_version_are_refused_by_it(version):
    with pytest.raises(InputError, match="this Confide reads versions 2 and 3"):
        Passport.from_json(json.dumps({"format": "confide-passport", "version": version, "stage": "by hand"}))


def test_data_that_cannot_be_released_is_refused():
    with pytest.raises(InputError, match="frame, not int"):
        issue(data=7)


def test_what_does_not_read_back_is_not_released(tmp_path, monkeypatch):
    """A writer with a fault: it drops a record, or changes a label. No passport speaks of such a file."""
    from confide.core import release as module

    tx = Transactions.from_lists([["a", "s:1"], ["a", "s:2"], ["a"]])
    release = Release.issue(
        tx,
        Coherence(h=0.5, k=3, p=math.inf),
        stage="publish transactions",
        algorithm="none",
        context={"private": ["s:1", "s:2"]},
        original=OriginalBaskets(transactions=tx, places=np.arange(3)),
    )
    save = module.save
    for wrong in ([["a", "s:1"], ["a", "s:2"]], [["a", "s:1"], ["a", "s:2"], ["b"]]):
        other = Transactions.from_lists(wrong)
        monkeypatch.setattr(module, "save", lambda _, path, other=other, **options: save(other, path, **options))
        with pytest.raises(VerificationError, match="does not read back"):
            release.write(tmp_path / "t.csv")
        assert not list(tmp_path.iterdir())
