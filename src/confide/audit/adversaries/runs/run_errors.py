"""How wrong each adversary is about a run: supports and rare patterns, beside one reading and a constant guess."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.blocks.nested_cleaning import guess_nested, guess_one_reading
from confide.audit.adversaries.runs.arrival_counts import count_arrivals
from confide.audit.adversaries.runs.codebook import learn_codebook
from confide.audit.adversaries.runs.handed_blocks import BlockCounts, read_handed_blocks
from confide.audit.adversaries.runs.noise_model import NoiseModel
from confide.audit.adversaries.runs.projection import project_supports
from confide.audit.adversaries.runs.rare_patterns import PatternGuesses, RunPatterns
from confide.audit.adversaries.runs.same_records import average_same_records
from confide.audit.adversaries.runs.shifts import undo_shifts
from confide.audit.adversaries.runs.smoothing import series_of, smooth_run
from confide.core.errors import InputError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import KeyedLaws, LawWeights, StreamHeader

__all__ = ["AttackError", "attack_run", "guess_from_blocks"]

Floats = NDArray[np.float64]
Sets = Mapping[frozenset[str], float]
_TURNOVERS = (4.0, 1.0, 0.25)
_CODED = 60  # itemsets that Baum-Welch learns from
_LEAST_SERIES = 10


@dataclass(frozen=True, kw_only=True)
class AttackError:
    """The mean squared error that an adversary is left with, of `supports` and of rare `patterns` (None: there was
    none), and the `spread` of the latter: half the width of a 95% interval, over patterns taken as independent.

    `simple` is the error of the rare patterns that two published supports give (or as few as any), which carry the
    least noise; `explained` the share of the variance of their counts that a line through the guesses explains."""

    name: str
    supports: float | None
    patterns: float | None
    spread: float | None
    simple: float | None
    explained: float | None

    @classmethod
    def of(cls, name: str, supports: float | None, guesses: PatternGuesses) -> "AttackError":
        """From guesses of patterns."""
        return cls(
            name=name,
            supports=supports,
            patterns=guesses.error,
            spread=guesses.spread,
            simple=guesses.simple_error,
            explained=guesses.explained,
        )


def attack_run(
    header: StreamHeader,
    numbers: Sequence[int],
    true: Sequence[Itemsets],
    published: Sequence[Itemsets],
    *,
    every: int = 1,
    blocks: BlockCounts | None = None,
) -> tuple[AttackError, ...]:
    """Play every adversary against a run. `numbers` are those of the windows' newest blocks,
    `true` must hold every published set; rare patterns are looked for in every `every`-th window. With the counts of
    its `blocks`, also whoever is handed every block's noisy count. For the owner."""
    truth = [{items: float(value) for items, value in one.as_dict().items()} for one in true]
    values = [{items: float(value) for items, value in one.as_dict().items()} for one in published]
    if any(items not in known for one, known in zip(values, truth, strict=True) for items in one):
        raise InputError("a set was published that is not among the true ones; give the same windows, mined deeper")
    noise = NoiseModel.of(header)
    read = list(zip(numbers, values, strict=True))
    smoothed = min(
        (smooth_run(read, noise, turnover=turnover) for turnover in _TURNOVERS),
        key=lambda found: _error(found, truth),
    )
    records = [one.n_transactions for one in true]
    arrivals = _by_series(read, lambda numbers, found: count_arrivals(numbers, found, noise))
    tries: list[tuple[str, Sequence[Sets]]] = [
        ("one reading", values),
        ("a constant guess", _constant(values)),
        ("least of a series", _extreme(read)),
        ("shifts undone", _undone(values, truth)),
        ("arrivals counted", _weighted(values, arrivals, truth)),
        ("all releases smoothed", smoothed),
        ("Baum-Welch", _coded(header, read)),
        ("sets of the same records averaged", [*map(average_same_records, values, truth)]),
        ("projected on the lattice", [project_supports(x, records=n) for x, n in zip(values, records, strict=True)]),
        ("smoothed and projected", [project_supports(x, records=n) for x, n in zip(smoothed, records, strict=True)]),
    ]
    vulnerable = header.requirement.vulnerable
    rare = RunPatterns.find(true, published, vulnerable=vulnerable, every=every)
    if blocks is not None and isinstance(header.noise, KeyedLaws) and header.requirement.span == "run":
        chance = np.random.default_rng(1)
        tries.append(
            ("every block handed over, cleaned", guess_from_blocks(header.noise, blocks, rare, values, chance))
        )
    found = [AttackError.of(name, _error(guesses, truth), rare.judge(guesses)) for name, guesses in tries]
    knowing = {"all releases, knowing what is rare": rare.judge_knowing(read, noise)}
    if blocks is not None and isinstance(header.noise, KeyedLaws) and header.requirement.span == "run":
        chance, s = np.random.default_rng(2), float(header.requirement.noise_variance())
        apart = _releases_a_window(numbers, header.noise.blocks)
        knowing |= {
            "one reading of each pattern, knowing what is rare": guess_one_reading(rare, s, chance),
            "every block handed over, nested sets together, knowing what is rare": guess_nested(
                header.noise, blocks, rare, values, chance, apart=apart
            ),
        }
    return (*found, *(AttackError.of(name, None, guesses) for name, guesses in knowing.items()))


def _releases_a_window(numbers: Sequence[int], blocks: int) -> int:
    """After how many releases a window shares no block with this one."""
    steps = np.diff(np.array(numbers, dtype=np.int64))
    return max(1, int(np.ceil(blocks / max(1.0, float(np.median(steps)))))) if len(steps) else 1


def _error(guesses: Sequence[Sets], truth: Sequence[Sets]) -> float:
    squares = [
        (value - known[items]) ** 2 for one, known in zip(guesses, truth, strict=True) for items, value in one.items()
    ]
    return float(np.mean(squares)) if squares else float("nan")


def _by_series(
    read: Sequence[tuple[int, Sets]], guess: Callable[[NDArray[np.int64], Floats], Floats]
) -> list[dict[frozenset[str], float]]:
    """A guess for each value of each itemset's series."""
    places = {number: i for i, (number, _) in enumerate(read)}
    out: list[dict[frozenset[str], float]] = [{} for _ in read]
    for items, (numbers, values) in series_of(read).items():
        for number, value in zip(numbers.tolist(), guess(numbers, values).tolist(), strict=True):
            out[places[number]][items] = value
    return out


def _constant(values: Sequence[Sets]) -> list[dict[frozenset[str], float]]:
    mean = float(np.mean([value for one in values for value in one.values()]))
    return [dict.fromkeys(one, mean) for one in values]


def _extreme(read: Sequence[tuple[int, Sets]]) -> list[dict[frozenset[str], float]]:
    """The least value that a set was ever published with, and half a move: for counts that hardly change."""
    return _by_series(read, lambda numbers, values: np.full(len(values), values.min() + values.std()))


def _undone(values: Sequence[Sets], truth: Sequence[Sets]) -> list[dict[frozenset[str], float]]:
    """Shifts learnt on the odd windows are taken off the even ones, and the other way round."""
    out: list[dict[frozenset[str], float]] = [dict(one) for one in values]
    for turn in (0, 1):
        learnt = [
            (value, known[items])
            for one, known in list(zip(values, truth, strict=True))[1 - turn :: 2]
            for items, value in one.items()
        ]
        if len(learnt) < _LEAST_SERIES:
            continue
        shown, counts = np.array(learnt).T
        for one in out[turn::2]:
            found = undo_shifts(np.array([*one.values()]), learnt_values=shown, learnt_counts=counts)
            one.update(zip(one, found.tolist(), strict=True))
    return out


def _weighted(
    values: Sequence[Sets], others: Sequence[Sets], truth: Sequence[Sets]
) -> list[dict[frozenset[str], float]]:
    """The mean of values and of other guesses of the same counts, its weight learnt on the odd windows for the even
    ones, and the other way round."""
    out: list[dict[frozenset[str], float]] = [dict(one) for one in values]
    rows = [
        np.array([(other[items] - value, known[items] - value) for items, value in one.items()]).reshape(-1, 2)
        for one, other, known in zip(values, others, truth, strict=True)
    ]
    for turn in (0, 1):
        apart, off = np.concatenate([*rows[1 - turn :: 2], np.zeros((1, 2))]).T
        weight = float(apart @ off) / max(float(apart @ apart), 1e-9)
        for one, shown in zip(out[turn::2], rows[turn::2], strict=True):
            one.update(zip(one, (np.array([*one.values()]) + weight * shown[:, 0]).tolist(), strict=True))
    return out


def guess_from_blocks(
    laws: KeyedLaws, blocks: BlockCounts, rare: RunPatterns, values: Sequence[Sets], chance: np.random.Generator
) -> list[dict[frozenset[str], float]]:
    """The sets that rare patterns follow from, by their blocks, with noise drawn from `chance`; what a set's mean count
    is, all releases say."""
    means = {items: float(found.mean()) for items, (_, found) in series_of(enumerate(values)).items()}
    out: list[dict[frozenset[str], float]] = [{} for _ in values]
    for i, patterns in rare.by_window.items():
        sets = sorted({items for x in patterns for _, items in x.terms() if items}, key=sorted)
        if sets:
            rates = np.array([means[items] / laws.blocks for items in sets])
            found = read_handed_blocks(blocks(i, sets), rates, laws.block, chance)
            out[i] = dict(zip(sets, found.tolist(), strict=True))
    return out


def _coded(header: StreamHeader, read: Sequence[tuple[int, Sets]]) -> list[dict[frozenset[str], float]]:
    """Baum-Welch over the itemsets published most often; the others as they were read."""
    out: list[dict[frozenset[str], float]] = [dict(one) for _, one in read]
    places = {number: i for i, (number, _) in enumerate(read)}
    series = sorted(
        series_of(read, least=_LEAST_SERIES).items(), key=lambda found: (-len(found[1][0]), sorted(found[0]))
    )
    series = series[:_CODED]
    if not series:
        return out
    noise = NoiseModel.of(header)
    law, first = _believed(header, noise)
    middle = float(np.mean([values.mean() for _, (_, values) in series]))
    step = max((2 * middle / noise.blocks) ** 0.5, 0.7)  # as many come as go, at a steady rate
    whole = [values.astype(np.int64) for _, (_, values) in series]
    for (items, (numbers, _)), found in zip(series, learn_codebook(whole, law, first=first, step=step), strict=True):
        for number, value in zip(numbers.tolist(), found.tolist(), strict=True):
            out[places[number]][items] = value
    return out


def _believed(header: StreamHeader, noise: NoiseModel) -> tuple[Floats, int]:
    """The law of value - count, and its first value, as the first line of the run says it."""
    if isinstance(header.noise, LawWeights):
        weights = np.array(header.noise.weights, dtype=np.float64)
        return weights / weights.sum(), header.noise.first
    reach = header.noise.reach
    law = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * noise.variance))
    return law / law.sum(), -reach
