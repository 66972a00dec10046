"""One value for each support is a code: a hidden Markov chain of slowly moving counts, read by Baum-Welch.

States are counts; from one release to the next a count moves by a few records; each count shows a value, by a table
that is learnt. Under the paper's schemes the table has one value for each count, and is learnt from the public file
alone. Noise that moves with the records has no such table, and learning one gains nothing.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["learn_codebook"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_BURSTS, _BURST, _FARTHEST = 0.1, 4, 12  # the share of moves that are so many times as far; the farthest, in steps


def learn_codebook(
    series: Sequence[Ints], law: Floats, *, first: int, step: float, rounds: int = 8, trust: float = 0.5
) -> list[Floats]:
    """The count behind each value of each series (one itemset's values, release after release).

    `law` are the chances of value - count = first, first + 1, ...: what is believed of the table before. `step` is the
    standard deviation of a count's move between two releases. `trust` is how many readings the belief is worth.
    """
    reach = max(-first, first + len(law) - 1)
    low = min(int(values.min()) for values in series) - reach
    high = max(int(values.max()) for values in series) + reach
    size, width = high - low + 1, len(law)
    moves = _moves(step)
    table = np.tile(law, (size, 1))
    estimates: list[Floats] = []
    for _ in range(rounds):
        counted = np.zeros((size, width))
        estimates = []
        for values in series:
            begin, end = int(values.min()) - reach - low, int(values.max()) + reach - low + 1
            posterior = _posterior(values - low - begin, table[begin:end], moves, first)
            estimates.append(posterior @ np.arange(begin + low, end + low))
            for t, value in enumerate((values - low - begin).tolist()):
                states = np.arange(end - begin)
                shown = value - states - first
                fits = (shown >= 0) & (shown < width)
                counted[begin + states[fits], shown[fits]] += posterior[t, fits]
        table = counted + trust * law
        table /= table.sum(axis=1, keepdims=True)
    return estimates


def _moves(step: float) -> Floats:
    """The chances of a count's moves: by `step` as a rule, farther where records come in bursts or a set was not
    published for a while."""
    spread = max(2, int(np.ceil(_FARTHEST * step)))
    square = np.arange(-spread, spread + 1) ** 2 / (2 * step * step)
    usual, far = np.exp(-square), np.exp(-square / _BURST**2)
    found: Floats = (1 - _BURSTS) * usual / usual.sum() + _BURSTS * far / far.sum()
    return found


def _posterior(values: Ints, table: Floats, moves: Floats, first: int) -> Floats:
    """The chance of each state at each time, forwards and backwards; states and values count from the same place."""
    n, width = table.shape
    states = np.arange(n)
    shown = values[:, None] - states[None, :] - first
    fits = (shown >= 0) & (shown < width)
    emitted = np.where(fits, table[states[None, :], np.clip(shown, 0, width - 1)], 0.0) + 1e-12
    forward, backward = np.empty((len(values), n)), np.ones((len(values), n))
    belief = np.ones(n) / n
    for t in range(len(values)):
        belief = emitted[t] * (belief if t == 0 else _moved(belief, moves))
        belief /= belief.sum()
        forward[t] = belief
    for t in range(len(values) - 2, -1, -1):
        behind = _moved(backward[t + 1] * emitted[t + 1], moves)
        backward[t] = behind / behind.sum()
    both: Floats = forward * backward
    both /= both.sum(axis=1, keepdims=True)
    return both


def _moved(belief: Floats, moves: Floats) -> Floats:
    """Where counts are one release later; those that leave the range are lost."""
    reach = len(moves) // 2
    return np.convolve(belief, moves)[reach : reach + len(belief)]
