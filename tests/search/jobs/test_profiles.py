"""Requests about profiles as saved files: the same profile again, and nothing secret in them."""

import json

import pytest
from tests.commands import confide

from confide.search import Profile
from confide.search.jobs.profiles import build_profile, edit_profile
from confide.search.jobs.requests import SearchProfileBuild, SearchProfileEdit


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    assert confide("sample", "documents", "notes", "--texts", "60", cwd=folder).returncode == 0
    (folder / "pass").write_text("correct horse\n")
    return folder


def test_a_saved_request_builds_the_same_profile(home, tmp_path):
    words = ["--documents", "notes", "-o", "a.profile", "--minsup", "4", "--save-request", "build.toml"]
    done = confide("search", "profile", "build", *words, cwd=home)
    assert done.returncode == 0, done.stderr
    assert (home / "build.toml").read_text().splitlines()[:3] == [
        'job = "search profile build"',
        'documents = ["notes"]',
        "minsup = 4",
    ]
    done = confide("run", "build.toml", "-o", "b.profile", cwd=home)
    assert done.returncode == 0, done.stderr
    assert (home / "a.profile").read_bytes() == (home / "b.profile").read_bytes()
    done = confide("run", home / "build.toml", "-o", "b.profile", cwd=tmp_path)  # where documents have longer names
    assert done.returncode == 0, done.stderr
    assert Profile.read(tmp_path / "b.profile").export() == Profile.read(home / "a.profile").export()


def test_a_request_names_the_file_of_a_passphrase_and_never_holds_one(home):
    words = ["--documents", "notes", "-o", "c.profile", "--encrypt", "--passphrase-file", "pass"]
    done = confide("search", "profile", "build", *words, "--save-request", "secret.json", cwd=home)
    assert done.returncode == 0, done.stderr
    saved = json.loads((home / "secret.json").read_text())
    assert saved["passphrase_file"] == "pass"
    assert "horse" not in (home / "secret.json").read_text()


def test_editing_in_place_takes_replace_and_a_pair_of_names_survives_saving(home):
    assert confide("search", "profile", "build", "--documents", "notes", "-o", "d.profile", cwd=home).returncode == 0
    edit = ["search", "profile", "edit", "d.profile", "--rename", "sport", "training", "--save-request", "edit.toml"]
    refused = confide(*edit, cwd=home)
    assert (refused.returncode, "exists; say --replace" in refused.stderr) == (2, True)
    assert 'rename = [["sport", "training"]]' in (home / "edit.toml").read_text()
    done = confide("run", "edit.toml", "--replace", cwd=home)
    assert done.returncode == 0, done.stderr
    labels = [child.label for child in Profile.read(home / "d.profile").root.children]
    assert "training" in labels
    assert "sport" not in labels


def test_a_script_gets_the_profile_itself(home):
    outcome = build_profile(SearchProfileBuild(documents=[home / "notes"], minsup=4))
    outcome.answer.save(home / "e.profile")
    branch = outcome.answer.root.children[0].label
    changed = edit_profile(SearchProfileEdit(profile=home / "e.profile", hide=[branch])).answer
    assert changed.root.children[0].hidden
    assert not Profile.read(home / "e.profile").root.children[0].hidden
