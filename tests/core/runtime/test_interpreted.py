"""Interpreted kernels do what compiled ones do: every algorithm gives the same, bit for bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from confide.core.runtime import interpreted
from confide.core.runtime.compiled import popcount, trailing_zeros

DIGESTS = """
import hashlib, json
from tests.checks import frozen
from tests.test_checks import EVERY
print(json.dumps({
    a.name: hashlib.sha256(repr(frozen(a.plain(a.call(a.data())))).encode()).hexdigest() for a in EVERY
}))
"""


def digests(kernels: str) -> dict[str, str]:
    environment = os.environ | {"CONFIDE_KERNELS": kernels, "PYTHONHASHSEED": "0"}
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", DIGESTS], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr  # sums that wrap are meant to
    return json.loads(done.stdout)


def test_every_algorithm_gives_the_same_interpreted():
    assert digests("interpreted") == digests("compiled")


@numba.njit
def _bits(word):
    return popcount(word), trailing_zeros(word)


@pytest.mark.parametrize("word", [0, 1, 2, 0b1011000, 2**63, 2**64 - 1])
def test_intrinsics_have_twins(word):
    as_word = np.uint64(word)
    assert _bits(as_word) == (interpreted.popcount(as_word), interpreted.trailing_zeros(as_word))


def test_no_two_claims_get_the_same_number():
    counter = np.zeros(1, np.int64)
    assert [interpreted.claim(counter) for _ in range(3)] == [0, 1, 2]
