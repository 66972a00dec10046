import os
import subprocess
import sys
import threading
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from confide import Randomness
from confide.core import randomness
from confide.core.errors import RequirementError

# Every statistical test below has a fixed seed, so it cannot fail by chance: its verdict was reached once. The
# threshold 1e-4 is the chance with which a right generator would have failed it then.
ALARM = 1e-4


def test_the_same_seed_gives_the_same_stream_and_another_seed_another():
    assert np.array_equal(Randomness.seeded(5).words(100), Randomness.seeded(5).words(100))
    assert not np.array_equal(Randomness.seeded(5).words(100), Randomness.seeded(6).words(100))


def test_the_seeded_stream_is_pinned():
    # ChaCha20 under sha256("confide seed 1 key 0"): a change here would change every published experiment.
    assert Randomness.seeded(1).words(2).tolist() == [4810230284496382209, 16107381695149499334]


def test_system_randomness_differs_each_time():
    assert not np.array_equal(Randomness.system().words(4), Randomness.system().words(4))


def test_the_stream_does_not_depend_on_how_it_is_asked_for():
    whole = Randomness.seeded(3).words(1000)
    source = Randomness.seeded(3)
    parts = np.concatenate([source.words(n) for n in (1, 299, 700)])
    assert np.array_equal(whole, parts)


def test_a_new_key_is_taken_when_one_is_used_up(monkeypatch):
    monkeypatch.setattr(randomness, "_REKEY", 64)
    source = Randomness.seeded(3)
    words = source.words(24)  # three keys of eight words each
    assert source._keys == 3
    assert len(set(words.tolist())) == 24


FORK = """
import os
from confide import Randomness
source = Randomness.system()
source.words(1)
child = os.fork()
drawn = source.words(4)
if child:
    os.waitpid(child, 0)  # one after the other, or their words would mingle
print(*drawn, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_draws_other_noise_than_its_parent():
    # In a process of its own: forking one that runs threads, as a test worker does, asks for trouble.
    out = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True).stdout
    theirs, ours = out.splitlines()
    assert len(set(theirs.split()) | set(ours.split())) == 8


def test_threads_that_share_a_source_never_share_a_word():
    source = Randomness.system()
    drawn: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: drawn.append(source.words(50_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(np.unique(np.concatenate(drawn))) == 200_000


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 7, 255, 1000, 2000, 65537, 3000])
def test_whole_numbers_are_uniform(bound):
    drawn = Randomness.seeded(11).integers(bound, 200_000)
    assert drawn.min() >= 0
    assert drawn.max() < bound
    if bound > 1:
        assert stats.chisquare(np.bincount(drawn, minlength=bound)).pvalue > ALARM


def test_rejection_makes_them_exact_where_the_bias_would_be_largest():
    # Without rejection, a bound of 3 * 2^30 would draw one residue class in four twice as often as the others.
    bound = 3 << 30
    drawn = Randomness.seeded(12).integers(bound, 400_000)
    assert stats.chisquare(np.bincount(drawn % 3, minlength=3)).pvalue > ALARM
    assert stats.kstest(drawn / bound, "uniform").pvalue > ALARM


@pytest.mark.parametrize("bound", [(1 << 32) + 1, 1 << 40, (1 << 62) + 12345, 1 << 63])
def test_large_bounds_are_uniform_too(bound):
    drawn = Randomness.seeded(13).integers(bound, 50_000)
    assert stats.kstest(drawn / bound, "uniform").pvalue > ALARM


@pytest.mark.parametrize("bound", [0, -1, (1 << 63) + 1, 2.5, True])
def test_a_bound_that_makes_no_sense_is_refused(bound):
    with pytest.raises(RequirementError, match="bound"):
        Randomness.system().integers(bound, 1)


@pytest.mark.parametrize("p", [0.0, 1.0, 0.5, 0.561, Fraction(1, 3), Fraction(1, 10**12), 1e-3])
def test_bernoulli_has_its_probability(p):
    n = 400_000
    true = int(Randomness.seeded(14).bernoulli(p, n).sum())
    if p in (0, 1):
        assert true == p * n
    else:
        assert stats.binomtest(true, n, float(p)).pvalue > ALARM


def test_a_tie_in_the_first_bits_is_decided_by_the_next():
    class Rigged(Randomness):
        """Deals the words it is given."""

        def fill(self, buffer):
            buffer[:] = self.deal.pop(0)

    source = Rigged(None)
    source.deal = [np.full(4, 1431655765, dtype=np.uint32), np.array([0, 1431655764, 1431655766, 2**32 - 1], np.uint32)]
    # 1/3 = 0.0101... in binary: its first 32 bits are 1431655765, and so are its next.
    assert source.bernoulli(Fraction(1, 3), 4).tolist() == [True, True, False, False]


def test_permutations_are_uniform():
    source = Randomness.seeded(15)
    counts = Counter(tuple(source.permutation(4).tolist()) for _ in range(12_000))
    assert len(counts) == 24
    assert stats.chisquare(list(counts.values())).pvalue > ALARM


def test_a_kernel_can_draw_from_a_buffer_of_words():
    from confide.core.runtime.jit import kernel

    @kernel
    def heads(words):
        count = 0
        for word in words:
            count += word & np.uint64(1)
        return count

    n = 100_000
    assert stats.binomtest(int(heads(Randomness.seeded(16).words(n))), n, 0.5).pvalue > ALARM


def test_only_system_randomness_says_that_it_protects():
    assert Randomness.system().protects
    assert not Randomness.seeded(1).protects
    assert Randomness.seeded(1).describe()["source"] == "seeded"
    assert eval(repr(Randomness.seeded(9)), {"Randomness": Randomness}).describe()["seed"] == 9


@pytest.mark.parametrize("seed", [-1, 1.5, "7", None, True])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(RequirementError, match="seed"):
        Randomness.seeded(seed)
