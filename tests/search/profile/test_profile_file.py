"""A profile's file: read back the same, for its owner only, and refused in one line when it is not ours."""

import json
import os
import stat

import pytest

from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.samples import documents
from confide.search import Document, Profile


@pytest.fixture(scope="module")
def sealed(profile, tmp_path_factory):
    file = tmp_path_factory.mktemp("sealed") / "sealed"
    profile.save(file, passphrase="correct horse")
    return file


@pytest.fixture(scope="module")
def profile():
    texts = [Document(text=text, name=f"note {i}") for i, text in enumerate(documents(60, seed=2))]
    return Profile.build(texts).hide("cooking").rename("sport", "training")


def test_a_profile_is_read_back_as_it_was(profile, tmp_path):
    file = tmp_path / "me.profile"
    profile.save(file)
    again = Profile.read(file)
    assert again.root == profile.root
    assert again.settings == profile.settings
    assert again.edits == profile.edits
    assert list(again.collection.data) == list(profile.collection.data)
    assert str(again.forget("note 3")) == str(profile.forget("note 3"))
    again.without_documents().save(tmp_path / "bare")
    assert Profile.read(tmp_path / "bare").root == profile.root


def test_only_its_owner_can_read_the_file_and_nothing_is_overwritten(profile, tmp_path):
    file = tmp_path / "me.profile"
    profile.save(file)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    with pytest.raises(UsageError, match="say replace=True"):
        profile.save(file)
    profile.save(file, replace=True)


def test_an_encrypted_profile_shows_nothing_and_needs_its_passphrase(profile, sealed):
    file = sealed
    text = file.read_text()
    assert not any(word in text for word in ("sport", "cooking", "note", "training"))
    assert Profile.read(file, passphrase="correct horse").root == profile.root
    with pytest.raises(UsageError, match="is encrypted; give its passphrase"):
        Profile.read(file)
    with pytest.raises(InputError, match="another passphrase, or a changed file"):
        Profile.read(file, passphrase="wrong")


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["key"].update(n=1 << 30),
        lambda d: d["key"].update(n=3),
        lambda d: d["cipher"].update(nonce="AAAA"),
        lambda d: d.update(data=d["data"][:-8]),
        lambda d: d.update(more=1),
        lambda d: d.pop("key"),
        lambda d: d["cipher"].update(name="rot13"),
    ],
)
def test_a_changed_encrypted_file_is_refused(sealed, tmp_path, change):
    file = tmp_path / "changed"
    data = json.loads(sealed.read_text())
    change(data)
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"not an encrypted profile|another passphrase"):
        Profile.read(file, passphrase="correct horse")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda d: d.update(format="x"), "not a profile"),
        (lambda d: d.update(version=9), "another version"),
        (lambda d: d.update(more=1), "and nothing else"),
        (lambda d: d["settings"].update(delta=7), "settings that no profile has"),
        (lambda d: d["interests"].update(units=1), "outweigh|not that of its documents"),
        (lambda d: d["interests"]["children"][0].update(units=10**30), "outweigh"),
        (lambda d: d["interests"]["children"][0].update(units=-1), "whole number"),
        (lambda d: d["interests"]["children"][0].update(words=[]), "a word for each"),
        (lambda d: d["interests"]["children"][0].update(hidden=0), "true or false"),
        (lambda d: d["documents"].update(codes="!"), "cannot be read"),
        (lambda d: d["documents"].update(names=["x"]), "name each document"),
        (lambda d: d["documents"].update(rows=d["documents"]["codes"]), "cannot be read|do not fit"),
        (lambda d: d["edits"].update(hidden="sport"), "a list of texts"),
    ],
)
def test_a_changed_file_is_refused_in_one_line(profile, tmp_path, change, line):
    file = tmp_path / "me.profile"
    profile.save(file)
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match=line):
        Profile.read(file)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"format": "confide profile"}', "\x00"])
def test_whatever_is_not_a_profile_is_refused(tmp_path, text):
    file = tmp_path / "me.profile"
    file.write_text(text)
    with pytest.raises(ConfideError) as refused:
        Profile.read(file)
    assert "\n" not in str(refused.value)


def test_a_plain_profile_in_the_place_of_an_encrypted_one_is_noticed(profile, tmp_path):
    file = tmp_path / "me.profile"
    profile.save(file)
    with pytest.raises(InputError, match="is not encrypted, but a passphrase was given"):
        Profile.read(file, passphrase="correct horse")


def test_a_profile_of_version_1_is_read_and_stays_as_it_was_built(profile, tmp_path):
    file = tmp_path / "me.profile"
    profile.save(file)
    plain = json.loads(file.read_text())
    plain["version"] = 1
    del plain["settings"]["vocabulary"], plain["settings"]["names"], plain["searches"], plain["edits"]["dropped"]
    file.write_text(json.dumps(plain))
    old = Profile.read(file)
    assert old.root == profile.root
    assert (old.settings.vocabulary, old.settings.names) == ("all", True)
    assert old.snippets.texts == 0
    plain["version"] = 4
    file.write_text(json.dumps(plain))
    with pytest.raises(InputError, match="another version; this program reads versions 1 to 3"):
        Profile.read(file)
