"""Words that searches brought: counted inside an encrypted profile alone, forgotten and switched off."""

import json

import pytest
from tests.commands import confide
from tests.search.engines import engine

from confide.search import Profile

NOTES = [f"the gearbox and engine of car number {n}, and how to repair it" for n in range(20)]
SECRET = "correct horse"


@pytest.fixture
def home(tmp_path):
    profile = Profile.build(NOTES, minsup=3)
    profile.save(tmp_path / "plain")
    profile.save(tmp_path / "sealed", passphrase=SECRET)
    (tmp_path / "pass").write_text(SECRET)
    return tmp_path


def snippets(home):
    return Profile.read(home / "sealed", passphrase=SECRET).snippets


def test_they_are_counted_in_an_encrypted_profile_forgotten_and_switched_off(home):
    secret = ["--passphrase-file", "pass"]
    with engine() as server:
        ask = ["search", "query", "tea", "--engine", server.address, "--profile", "sealed", *secret]
        assert confide(*ask, cwd=home).returncode == 0
        assert snippets(home).texts == 20
        assert snippets(home).counts["result"] == 20
        assert '"result"' not in (home / "sealed").read_text()
        edit = ["search", "profile", "edit", "sealed", "--replace", *secret]
        assert confide(*edit, "--forget-searches", cwd=home).returncode == 0
        assert (snippets(home).texts, snippets(home).kept) == (0, True)
        assert confide(*ask, cwd=home).returncode == 0
        assert confide(*edit, "--searches", "off", cwd=home).returncode == 0
        assert confide(*ask, cwd=home).returncode == 0
        assert (snippets(home).texts, snippets(home).kept) == (0, False)
        assert confide(*edit, "--searches", "on", cwd=home).returncode == 0
        assert snippets(home).kept


def test_a_plain_profile_keeps_none(home):
    before = (home / "plain").read_bytes()
    with engine() as server:
        done = confide("search", "query", "tea", "--engine", server.address, "--profile", "plain", cwd=home)
    assert done.returncode == 0
    assert (home / "plain").read_bytes() == before


def test_a_word_is_taken_out_for_good(home):
    drop = ["search", "profile", "edit", "plain", "--replace", "--drop", "gearbox"]
    assert confide(*drop, cwd=home).returncode == 0
    found = {"query": "jaguar", "results": [{"title": "forest"}, {"title": "gearbox"}]}
    (home / "found.json").write_text(json.dumps(found))
    done = confide("search", "order", "found.json", "--profile", "plain", cwd=home)
    assert json.loads(done.stdout)["order"] == [0, 1]
    assert "gearbox" not in confide("search", "profile", "show", "plain", cwd=home).stdout
    assert "does not hold this word" in confide(*drop[:-1], "sourdough", cwd=home).stderr
