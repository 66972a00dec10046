"""A passport says what a release claims: read strictly, tied to one file, signed by one key."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from confide import KAnonymity
from confide.core.errors import InputError, RequirementError, VerificationError
from confide.core.figures import Figure, Figures
from confide.core.passport import LONGEST_HEADLINE, Passport, versions

CONTEXT = {"roles": {"age": "quasi-identifier"}}


def issue(**options) -> Passport:
    given = {"stage": "publish table", "algorithm": "mondrian", "context": CONTEXT, **options}
    return Passport.issue(KAnonymity(k=3), **given)


def changed(**fields) -> str:
    return json.dumps({**json.loads(issue().to_json()), **fields})


def test_a_passport_reads_back_as_it_was_written(tmp_path):
    loss = Figures(Figure("rows", 12, "count"), Figure("share_left_out", 0.25, "share"))
    passport = issue(loss=loss, headline="12 rows", parameters={"k": 3})
    passport.write(tmp_path / "p.json")
    again = Passport.read(tmp_path / "p.json")
    assert again == passport
    assert again.figures.units == {"rows": "count", "share_left_out": "share"}
    assert (again.figures["rows"], again.versions) == (12, versions())


def test_its_words_are_those_of_the_requirement():
    passport = issue(caveats=("a limit of its own", "a limit of its own"))
    words = KAnonymity(k=3).words("table", CONTEXT)
    assert (passport.promise, passport.protects_against) == (words.promise, words.stops)
    assert passport.does_not_protect_against == (*words.does_not_stop, "a limit of its own")
    assert passport.unknown_caveats(KAnonymity(k=3)) == ("a limit of its own",)
    assert passport.unknown_caveats(KAnonymity(k=3), ("a limit of its own",)) == ()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"version": 1}, "is a passport of version '1'; this Confide reads versions 2 and 3"),
        ({"note": "more"}, "not a valid passport"),
        ({"headline": "x" * (LONGEST_HEADLINE + 1)}, "not a valid passport"),
        ({"loss": {"kept": 80}, "units": {"kept": "share"}}, "'kept' is 80, which is not a share"),
        ({"loss": {"kept": 10**400}, "units": {"kept": "count"}}, "a number has too many digits"),
        ({"requirement": {"kind": "k-anonymity", "k": 1}}, "k=1"),
        ({"artefact": {"name": "../a.csv", "type": "table", "sha256": "0" * 64, "bytes": 1}}, "not a valid passport"),
        ({"artefact": {"name": "a.csv", "type": "table", "sha256": "0" * 63, "bytes": 1}}, "not a valid passport"),
        ({"randomness": 3}, "not a valid passport"),
    ],
)
def test_what_is_no_passport_is_refused_in_one_line(fields, message):
    with pytest.raises((InputError, RequirementError)) as caught:
        Passport.from_json(changed(**fields), source="p.json")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_equal_keys_are_refused():
    text = issue().to_json().replace('"stage"', '"algorithm": "other",\n  "stage"', 1)
    with pytest.raises(InputError, match="algorithm"):
        Passport.from_json(text)


def test_it_is_tied_to_the_bytes_of_one_file(tmp_path):
    (tmp_path / "a.csv").write_text("age\n30-39\n")
    key = Ed25519PrivateKey.generate()
    tied = issue().sign(key).for_artefact(tmp_path / "a.csv", type="table", format="csv")
    assert tied.artefact is not None
    assert (tied.artefact.name, tied.artefact.bytes, tied.kind_of_file) == ("a.csv", 10, "table")
    assert tied.signature is None  # it covered a passport without a file
    other = issue().for_bytes(b"age\n30-40\n", "a.csv", type="table")
    assert other.artefact is not None
    assert other.artefact.sha256 != tied.artefact.sha256


def test_a_signature_holds_for_its_own_words_and_its_own_key():
    key, stranger = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    signed = issue().sign(key)
    assert signed.signature is not None
    assert signed.check_signature(key.public_key()) == signed.signature.public_key
    with pytest.raises(VerificationError, match="another key"):
        signed.check_signature(stranger.public_key())
    with pytest.raises(VerificationError, match="changed after signing"):
        signed.model_copy(update={"algorithm": "incognito"}).check_signature()
    with pytest.raises(VerificationError, match="not signed"):
        issue().check_signature()
