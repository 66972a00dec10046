"""Keys that sign passports: made for their owner alone, never overwritten, read back."""

import stat

import pytest

from confide.core.artefacts.signing_keys import make_keys, read_private_key, read_public_key
from confide.core.errors import InputError, UsageError


def test_a_key_is_its_owners_and_fits_its_public_half(tmp_path):
    private, public = make_keys(tmp_path / "signing.pem")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert public.name == "signing.pem.pub"
    signature = read_private_key(private).sign(b"text")
    read_public_key(public).verify(signature, b"text")


def test_a_key_is_never_overwritten(tmp_path):
    private, public = make_keys(tmp_path / "signing.pem")
    for there in (public, private):
        with pytest.raises(UsageError, match=f"{there.name} exists; a key is never overwritten"):
            make_keys(private)
        there.unlink()


def test_what_is_no_key_is_refused_in_one_line(tmp_path):
    private, public = make_keys(tmp_path / "signing.pem")
    with pytest.raises(InputError, match="not a private key"):
        read_private_key(public)
    with pytest.raises(InputError, match="not a public key"):
        read_public_key(private)
