"""A certificate and its key are checked before anybody connects."""

import os

import pytest

from confide.core.errors import InputError
from confide.join.network.certificates import make_certificates
from confide.web.tls import check_pair, check_valid, read_pem


@pytest.fixture
def keys(tmp_path):
    make_certificates(tmp_path, ["a", "b"])
    return tmp_path


def test_a_pair_that_fits_is_accepted(keys):
    check_pair(keys / "a.pem", keys / "a.key")
    check_valid(keys / "ca.pem")


def test_a_key_of_somebody_else_is_refused(keys):
    with pytest.raises(InputError, match="does not belong"):
        check_pair(keys / "a.pem", keys / "b.key")


@pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX matter")
def test_a_key_that_others_can_read_is_refused(keys):
    (keys / "a.key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        check_pair(keys / "a.pem", keys / "a.key")


@pytest.mark.parametrize("lacking", ["a.key", "a.pem"])
def test_a_file_that_is_not_there_is_named(keys, lacking):
    (keys / lacking).unlink()
    with pytest.raises(InputError, match=f"{lacking}: no such file"):
        check_pair(keys / "a.pem", keys / "a.key")


def test_files_of_another_kind_are_refused(keys):
    (keys / "x.pem").write_text("no certificate at all")
    with pytest.raises(InputError, match="holds no certificate"):
        read_pem(keys / "x.pem", "CERTIFICATE")
    (keys / "y.pem").write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    with pytest.raises(InputError, match="can be read"):
        check_valid(keys / "y.pem")
