"""Finding the operating system's programs."""

import shutil

import pytest

from tests.system_tools import system_tool


def test_a_program_for_administrators_is_found_where_the_path_lacks_their_folder(monkeypatch):
    found = shutil.which("runuser", path="/usr/sbin:/sbin")
    if found is None:
        pytest.skip("this system has no runuser")
    monkeypatch.setenv("PATH", "/usr/local/bin")
    assert system_tool("runuser") == found


def test_a_program_that_is_nowhere_is_none(monkeypatch):
    monkeypatch.setenv("PATH", "/usr/local/bin")
    assert system_tool("no-such-program-of-confide") is None
