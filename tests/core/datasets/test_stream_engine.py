"""The engine of one machine: every batch once, whoever reads it; errors and interruptions end a pass."""

import threading
from dataclasses import dataclass

import pytest

from confide.core.datasets.stream_engine import StreamEngine
from confide.core.runtime import progress


@dataclass(frozen=True)
class Numbers:
    """Shards of numbers."""

    lengths: tuple[int, ...]

    @property
    def shards(self):
        return self.lengths

    def read(self, shard):
        yield from range(shard)


@dataclass(frozen=True)
class Collect:
    shared: bool = False

    def begin(self):
        return []

    def add(self, state, batch):
        if batch == 13:
            raise ValueError("unlucky")
        state.append(batch)
        return state

    def merge(self, one, other):
        return one + other


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("lengths", [(), (12,), (3, 0, 5), (2,) * 9])
@pytest.mark.parametrize("shared", [False, True])
def test_every_batch_counts_once(threads, lengths, shared):
    engine = StreamEngine(threads=threads)
    found = engine.fold(Numbers(lengths), Collect(shared), label="collecting")
    assert sorted(found) == sorted(n for length in lengths for n in range(length))


def test_results_of_shards_come_in_their_order():
    made = StreamEngine(threads=3).each(
        Numbers((3, 1, 0, 2)), lambda number, batches: (number, list(batches)), label=""
    )
    assert made == [(0, [0, 1, 2]), (1, [0]), (2, []), (3, [0, 1])]


def test_an_error_in_a_pass_is_the_callers():
    with pytest.raises(ValueError, match="unlucky"):
        StreamEngine(threads=2).fold(Numbers((20, 20)), Collect(), label="collecting")


def test_progress_tells_passes_and_parts():
    heard = []
    engine = StreamEngine(threads=2)
    with progress.reporting(lambda *told: heard.append(told)):
        engine.fold(Numbers((1, 2)), Collect(), label="counting")
        engine.fold(Numbers((1, 2)), Collect(), label="counting")
    assert heard[0] == ("pass 1: counting", 0.0, 2)
    assert heard[-1] == ("pass 2: counting", 2, 2)


def test_no_thread_is_left_behind():
    before = threading.active_count()
    StreamEngine(threads=4).fold(Numbers((5,) * 5), Collect(), label="")
    assert threading.active_count() == before
