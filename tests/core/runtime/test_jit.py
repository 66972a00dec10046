"""Compiling is announced once for processes that start together, and again when it happens later."""

import time

from confide.core.runtime.jit import first_to_say


def test_only_the_first_of_several_processes_speaks(tmp_path):
    assert first_to_say(tmp_path)
    assert not first_to_say(tmp_path)
    assert not first_to_say(tmp_path, now=time.time() + 60)
    assert first_to_say(tmp_path, now=time.time() + 600)


def test_where_no_mark_can_be_left_it_is_said(tmp_path):
    assert first_to_say(tmp_path / "absent")
    assert first_to_say(tmp_path / "absent")
