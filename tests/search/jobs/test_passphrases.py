"""A passphrase is read from a file or asked for, twice for a new one; where nobody can be asked, that is one line."""

import pytest

from confide.core.errors import InputError, UsageError
from confide.core.jobs.outcome import QUIET, Host
from confide.search import Profile
from confide.search.jobs.passphrases import new_passphrase, open_profile

TEXTS = [f"jaguar {('engine motor', 'road wheels')[n % 2]} number{n}" for n in range(12)]


@pytest.fixture
def sealed(tmp_path):
    Profile.build(TEXTS, minsup=3).save(tmp_path / "sealed", passphrase="horse")
    return tmp_path / "sealed"


def host(answer, heard):
    return Host(secret=lambda question, new: heard.append(new) or answer)


def test_who_can_be_asked_is_asked_once_for_an_old_passphrase_and_twice_for_a_new_one(sealed):
    heard = []
    profile, passphrase = open_profile(sealed, None, host("horse", heard))
    assert (profile.n_documents, passphrase) == (12, "horse")
    assert new_passphrase(None, host("stable", heard)) == "stable"
    assert heard == [False, True]


def test_nobody_is_asked_for_the_passphrase_of_a_plain_profile(tmp_path):
    Profile.build(TEXTS, minsup=3).save(tmp_path / "plain")
    heard = []
    assert open_profile(tmp_path / "plain", None, host("horse", heard))[1] is None
    assert heard == []


def test_a_script_is_told_to_name_a_file(sealed):
    with pytest.raises(UsageError, match="nobody can be asked here; give passphrase_file="):
        open_profile(sealed, None, QUIET)


@pytest.mark.parametrize(("text", "message"), [(b"\nhorse", "first line is empty"), (b"\xff\xfe", "not UTF-8")])
def test_a_file_without_a_passphrase_is_refused(tmp_path, text, message):
    (tmp_path / "pass").write_bytes(text)
    with pytest.raises(InputError, match=message):
        new_passphrase(tmp_path / "pass", QUIET)
