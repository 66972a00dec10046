"""One key, one stream, one promise: noise is never used for two blocks, whatever was kept."""

import json
import os

import pytest
from tests.stream.streams import records_file, release

from confide.core.errors import InputError, UsageError
from confide.stream.blocks.used_blocks import UsedBlocks

PROMISE = {"promise": "run", "delta": 0.4, "every": 50}


def used(folder, promise=PROMISE):
    return UsedBlocks(folder / "key", promise, optional=False)


def digest(number):
    return bytes([number % 256] * 16).hex()


def test_a_key_is_for_the_stream_it_was_first_used_for(tmp_path):
    key = tmp_path / "shop.key"
    first = records_file(tmp_path, 500)
    release(first, noise_key=key, output=tmp_path / "a.jsonl")
    kept = tmp_path / "shop.key.stream"
    assert os.name != "posix" or kept.stat().st_mode & 0o077 == 0
    before = kept.read_bytes()
    release(first, noise_key=key, output=tmp_path / "again.jsonl")
    assert kept.read_bytes() == before
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()
    other = records_file(tmp_path, 500, name="other.jsonl", seed=8)
    with pytest.raises(InputError, match=r"shop\.key: block 0 held other records when this key was used before"):
        release(other, noise_key=key, output=tmp_path / "b.jsonl")
    release(other, noise_key=tmp_path / "other.key", output=tmp_path / "c.jsonl")


@pytest.mark.parametrize("state", [False, True])
def test_one_changed_record_of_any_block_is_noticed_without_the_state_of_before(tmp_path, state):
    source, key = records_file(tmp_path, 900), tmp_path / "key"
    lines = source.read_text().splitlines(keepends=True)
    release(source, noise_key=key, output=tmp_path / "a.jsonl")
    for at in (3, 427, 899):
        source.write_text("".join([*lines[:at], '["zebra"]\n', *lines[at + 1 :]]))
        kept = {"state": tmp_path / f"state{at}"} if state else {}
        with pytest.raises(InputError, match=rf"block {at // 50} held other records when this key was used before"):
            release(source, noise_key=key, output=tmp_path / f"{at}.jsonl", **kept)
        out = tmp_path / f"{at}.jsonl"
        shown = out.read_bytes() if out.exists() else b""  # no release that holds the changed record
        assert (tmp_path / "a.jsonl").read_bytes().startswith(shown)


def test_a_second_promise_for_the_same_records_is_a_second_reading(tmp_path):
    source, key = records_file(tmp_path, 500), tmp_path / "key"
    release(source, noise_key=key, output=tmp_path / "a.jsonl")
    for change, was in (({"window": 450}, "window=400"), ({"delta": 0.3}, "delta=0.4"), ({"every": 100}, "every=50")):
        with pytest.raises(InputError, match=rf"another promise \({was}\), and a second reading .* averages out"):
            release(source, noise_key=key, output=tmp_path / "b.jsonl", **change)
    assert not (tmp_path / "b.jsonl").exists()
    release(source, noise_key=key, itemsets="closed", output=tmp_path / "closed.jsonl")  # of the same noisy supports


def test_two_runs_at_once_see_each_other_s_blocks(tmp_path):
    one, other = used(tmp_path), used(tmp_path)
    for number in (0, 1):
        for run in (one, other):
            run.check(number, digest(number))
            run.keep(sync=False)
    one.check(2, digest(2))
    other.check(2, digest(3))  # neither has left, so neither knows of the other
    one.keep(sync=True)
    with pytest.raises(InputError, match="block 2 held other records"):
        other.keep(sync=True)
    with pytest.raises(InputError, match="block 1 held other records"):
        other.check(1, digest(7))


def test_blocks_are_found_again_in_any_order_and_after_a_crash_in_the_middle_of_one(tmp_path):
    first = used(tmp_path)
    for number in (40, 41, 10, 11):
        first.check(number, digest(number))
    first.keep(sync=True)
    first.close()
    kept = tmp_path / "key.stream"
    kept.write_bytes(kept.read_bytes()[:-5])  # of block 11, which nobody can have seen released
    again = used(tmp_path)
    for number in (10, 40, 41):
        again.check(number, digest(number))
        with pytest.raises(InputError, match=f"block {number} held other records"):
            again.check(number, digest(number + 1))
    again.check(11, digest(12))
    again.keep(sync=False)
    assert len(kept.read_bytes().partition(b"\n")[2]) == 4 * 24
    with pytest.raises(InputError, match="block 11 held other records"):
        used(tmp_path).check(11, digest(11))


def test_a_run_that_releases_nothing_binds_no_key(tmp_path):
    run = used(tmp_path)
    run.check(0, digest(0))
    run.close()
    assert not (tmp_path / "key.stream").exists()
    (tmp_path / "key.stream").write_bytes(b"")  # another run is about to begin it
    again = used(tmp_path)
    again.check(0, digest(1))
    again.keep(sync=False)
    with pytest.raises(InputError, match="another promise"):
        used(tmp_path, {**PROMISE, "delta": 1.0})


def test_what_is_no_record_of_a_key_is_refused_in_one_line(tmp_path):
    for text in (b"{}\n", b"[1]\n", b"\n", b"\xff" * 9 + b"\n", b'{"confide":"blocks of a key","version":2}\n'):
        (tmp_path / "key.stream").write_bytes(text)
        with pytest.raises(InputError, match=r"key\.stream"):
            used(tmp_path)
    (tmp_path / "key.stream").unlink()
    (tmp_path / "key.stream").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match=r"cannot write .*key\.stream"):
        used(tmp_path)


def test_a_folder_that_takes_no_file_stops_a_run_without_a_state_only(tmp_path):
    for optional in (True, False):
        run = UsedBlocks(tmp_path / "none" / "key", PROMISE, optional=optional)
        run.check(0, digest(0))
        if optional:
            run.keep(sync=True)
    with pytest.raises(UsageError, match="name a key in a folder of yours"):
        run.keep(sync=True)


def timed_records(path, times):
    """A file with a record at each time, every other one with two common items."""
    lines = [json.dumps({"items": ["a", "b"] if time % 2 else ["c"], "time": time}) for time in times]
    path.write_text("".join(line + "\n" for line in lines))
    return path


def test_a_block_without_records_has_noise_that_is_used_too(tmp_path):
    times = [*range(1000, 1380), *range(1500, 1800)]  # the blocks that begin at 1400 and 1450 are empty
    key, by_time = tmp_path / "key", {"seconds": 200, "every_seconds": 50}
    whole = timed_records(tmp_path / "whole.jsonl", times)
    release(whole, noise_key=key, output=tmp_path / "a.jsonl", **by_time)
    changed = timed_records(tmp_path / "changed.jsonl", sorted([*times, 1425]))
    for kept in ({}, {"state": tmp_path / "state"}):
        with pytest.raises(InputError, match="block 28 held other records when this key was used before"):
            release(changed, noise_key=key, output=tmp_path / "b.jsonl", replace=True, **by_time, **kept)
    release(whole, noise_key=key, output=tmp_path / "again.jsonl", **by_time)
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()


def test_after_a_long_gap_only_blocks_of_a_window_are_kept(tmp_path):
    times = [*range(1000, 1300), *range(10**9, 10**9 + 300)]
    source = timed_records(tmp_path / "in.jsonl", times)
    release(source, noise_key=tmp_path / "key", output=tmp_path / "a.jsonl", seconds=200, every_seconds=50)
    assert len((tmp_path / "key.stream").read_bytes().partition(b"\n")[2]) // 24 < 20


def test_under_the_promise_of_a_release_no_other_window_has_its_noise(tmp_path):
    noise = []
    for name, begin in (("early", 1000), ("late", 5000)):
        source = timed_records(tmp_path / f"{name}.jsonl", range(begin, begin + 900))
        seen = []
        release(
            source,
            noise_key=tmp_path / "key",
            promise="release",
            seconds=200,
            every_seconds=50,
            watch=lambda number, true, published, seen=seen: seen.append(
                {items: value - true.as_dict()[items] for items, value in published.as_dict().items()}
            ),
            output=tmp_path / f"{name}.out.jsonl",
        )
        noise.append(seen)
    assert len(noise[0]) == len(noise[1]) == 13
    assert all(noise[0])
    assert sum(early == late for early, late in zip(*noise, strict=True)) < 5  # each by chance: well below 1 in 100
