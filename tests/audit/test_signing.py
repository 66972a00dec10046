"""Nobody signs a passport that does not hold."""

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from confide import KAnonymity, Release, verify
from confide.audit.signing import sign_release
from confide.core.errors import VerificationError
from confide.core.passport import Passport

TABLE = pa.table({"age": ["30-39"] * 3, "illness": ["flu", "gout", "flu"]})
ROLES = {"age": "quasi-identifier", "illness": "sensitive"}


def test_a_passport_that_holds_is_signed_in_place_and_another_is_left_alone(tmp_path):
    path = tmp_path / "people.csv"
    release = Release.issue(TABLE, KAnonymity(k=3), stage="by hand", algorithm="x", context={"roles": ROLES})
    release.write(path)
    passport, key = tmp_path / "people.csv.passport.json", Ed25519PrivateKey.generate()
    assert len(sign_release(passport, key)) == 64
    assert verify(passport, key=key.public_key()).ok
    before = passport.read_bytes()
    path.write_text(path.read_text() + "30-39,flu\n")
    with pytest.raises(VerificationError, match="not signed, since the passport does not hold"):
        sign_release(passport, Ed25519PrivateKey.generate())
    assert passport.read_bytes() == before


def test_a_passport_that_was_never_written_names_no_file(tmp_path):
    Passport.issue(KAnonymity(k=3), stage="by hand", algorithm="x").write(tmp_path / "p.json")
    with pytest.raises(VerificationError, match="names no file"):
        sign_release(tmp_path / "p.json", Ed25519PrivateKey.generate())
