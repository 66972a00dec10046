"""Passports of version 2, as they were written: they verify by their own frozen sentences, and forged ones do not.

`tests/version_2_releases.json` holds a release of every stage and promise with its passport, written by the last
Confide whose passports had version 2; `group-k.csv` is signed, by the key of the bytes 0 to 31. It cannot be made
again.
"""

import base64
import hashlib
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.every_release import write_release

from confide import Passport, verify
from confide.core.requirements import Requirement

FILES = json.loads((Path(__file__).parents[2] / "version_2_releases.json").read_text())
EVERY = pytest.mark.parametrize("name", FILES)
STRONGER = {"k": 5000, "l": 9, "gamma": 1.01, "alpha": 0.01}  # the groups of hand-made tables are as close as can be


def content(name):
    file = FILES[name]
    return base64.b64decode(file["base64"]) if "base64" in file else file["text"].encode()


def verified(folder, name, passport=None, data=None):
    data = content(name) if data is None else data
    (folder / name).write_bytes(data)
    beside = folder / f"{name}.passport.json"
    beside.write_text(json.dumps(FILES[name]["passport"] if passport is None else passport))
    return verify(beside)


@EVERY
def test_a_passport_of_version_2_still_verifies(tmp_path, name):
    found = verified(tmp_path, name)
    assert found.ok, found.summary()
    assert FILES[name]["passport"]["version"] == 2


@EVERY
@pytest.mark.parametrize("field", ["promise", "protects_against", "does_not_protect_against"])
def test_its_sentences_cannot_be_changed(tmp_path, name, field):
    passport = json.loads(json.dumps(FILES[name]["passport"]))
    if field == "promise":
        passport[field] = passport[field].replace(".", ", and nobody can be identified.")
    elif field == "protects_against":
        passport[field].append("anyone")
    else:
        passport[field].pop(0)
    assert "its words fit its numbers" in [check.name for check in verified(tmp_path, name, passport).failed]


@EVERY
def test_its_file_cannot_be_changed(tmp_path, name):
    data = content(name)
    assert not verified(tmp_path, name, data=data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]).ok


@EVERY
def test_a_stronger_requirement_in_words_of_version_2_fails_the_promise_itself(tmp_path, name):
    passport = json.loads(json.dumps(FILES[name]["passport"]))
    parts = passport["requirement"].get("parts", [passport["requirement"].get("of", passport["requirement"])])
    changed = [part.update({key: STRONGER[key]}) for part in parts for key in part if key in STRONGER]
    if not changed:
        return
    known = Passport.from_json(json.dumps(passport))
    words = known.words_of(Requirement.from_dict(known.requirement))
    extra = FILES[name]["passport"]["does_not_protect_against"]
    passport |= {"promise": words.promise, "protects_against": words.stops}
    passport["does_not_protect_against"] = [*words.does_not_stop, *extra]
    passport["signature"] = None
    found = verified(tmp_path, name, passport)
    assert "its words fit its numbers" not in [check.name for check in found.failed]
    assert not found.ok


def test_a_signature_of_version_2_still_holds_and_notices_a_change(tmp_path):
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
    assert Passport.from_json(json.dumps(FILES["group-k.csv"]["passport"])).check_signature(key)
    passport = json.loads(json.dumps(FILES["group-k.csv"]["passport"]))
    passport["created"] = "2020-01-01T00:00:00Z"
    assert [check.name for check in verified(tmp_path, "group-k.csv", passport).failed] == ["signature"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mondrian.csv", "columns that the schema does not declare"),
        ("group-k.csv", "minimality"),
        ("exact.tree.json", "the records of a leaf"),
        ("join.json", "may learn that person's class"),
    ],
)
def test_what_version_2_overstated_stands_among_what_is_not_provable(tmp_path, name, sentence):
    assert any(sentence in text for text in verified(tmp_path, name).not_provable)


def test_other_versions_are_refused(tmp_path):
    passport = json.loads(json.dumps(FILES["group-k.csv"]["passport"])) | {"version": 1, "signature": None}
    assert [check.name for check in verified(tmp_path, "group-k.csv", passport).failed] == ["passport is well-formed"]


def test_every_file_is_the_one_its_passport_names():
    for name, file in FILES.items():
        assert file["passport"]["artefact"]["sha256"] == hashlib.sha256(content(name)).hexdigest()


@pytest.mark.parametrize("name", ["population.csv", "size.parquet", "numbers.csv", "continued.csv", "each.csv"])
def test_version_2_is_refused_for_what_it_had_no_words_for(tmp_path, name):
    """Its sentences would say less than is asked, or nothing: the limits of means, what earlier releases leave open."""
    write_release(name, tmp_path)
    path = tmp_path / f"{name}.passport.json"
    plain = json.loads(path.read_text()) | {"version": 2}
    path.write_text(json.dumps(plain))
    outcome = verify(path)
    if outcome.failed[0].name == "its words fit its numbers":  # once more with the words that version 2 would have had
        known = Passport.read(path)
        words = known.words_of(Requirement.from_dict(known.requirement))
        said = {"promise": words.promise, "protects_against": list(words.stops)}
        path.write_text(json.dumps(plain | said | {"does_not_protect_against": list(words.does_not_stop)}))
        outcome = verify(path)
    assert not outcome.ok
    assert "in the reader" not in outcome.summary()
    assert {check.name for check in outcome.failed} & {"passport is well-formed", "its context is what tables have"}
