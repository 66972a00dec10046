import os

import pytest
from tests.stream.streams import records_file, release

from confide.core.errors import ConfideError, InputError
from confide.stream.blocks.first_block import FirstBlock


def test_a_key_is_for_the_stream_it_was_first_used_for(tmp_path):
    key = tmp_path / "shop.key"
    first = records_file(tmp_path, 500)
    release(first, noise_key=key, output=tmp_path / "a.jsonl")
    kept = tmp_path / "shop.key.stream"
    assert os.name != "posix" or kept.stat().st_mode & 0o077 == 0
    release(first, noise_key=key, output=tmp_path / "again.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()
    other = records_file(tmp_path, 500, name="other.jsonl", seed=8)
    with pytest.raises(InputError, match=r"shop\.key: block 0 held other records when this key was used before"):
        release(other, noise_key=key, output=tmp_path / "b.jsonl")
    release(other, noise_key=tmp_path / "other.key", output=tmp_path / "c.jsonl")


def test_blocks_of_another_time_have_noise_of_their_own(tmp_path):
    first = FirstBlock(tmp_path / "key", optional=False)
    first.check(10, "aa")
    first.check(10, "aa")
    first.check(25, "bb")
    with pytest.raises(InputError, match="block 10 held other records"):
        first.check(10, "bb")


def test_a_folder_that_takes_no_file_stops_a_run_without_a_state_only(tmp_path):
    FirstBlock(tmp_path / "none" / "key", optional=True).check(0, "aa")
    with pytest.raises((ConfideError, OSError)):
        FirstBlock(tmp_path / "none" / "key", optional=False).check(0, "aa")
