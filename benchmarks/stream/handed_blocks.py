"""What follows from every block's noisy count: whether releases give it away, and what nested sets make of it.

Windows of 2,000 records, C = 25, K = 5, delta 0.4. *Recovered*: sets of a stream, followed for twelve windows by their
published values alone. *Nested*: rare patterns X without y, cleaned with X, Xy and a further item, by whoever knows
what is rare; beside one reading of the pattern with an error of s, by somebody who knows as much. Means over draws.
"""

import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.stream.run_promise import SEED, slid
from benchmarks.stream.windows import SIZE, streams
from confide import Randomness, Transactions
from confide.audit.adversaries.blocks.nested_cleaning import guess_nested, guess_one_reading
from confide.audit.adversaries.blocks.recovered_blocks import recover_blocks
from confide.audit.adversaries.runs.handed_blocks import RecordBlocks
from confide.audit.adversaries.runs.rare_patterns import RunPatterns
from confide.stream import Butterfly, StreamRelease
from confide.stream.blocks.keyed import STAYS, slot_of
from confide.stream.pipeline.opening import header_of, requirement_of

WINDOWS, SETS, DRAWS, READINGS = 12, 40, 6, 40
EVERY = (100, 10, 1)
RELEASES = {100: 300, 10: 60, 1: 30}


def recovered(name: str, tx: Transactions, request: StreamRelease) -> Iterator[dict[str, Any]]:
    """The row of a stream: how many blocks, and how many A, are found without an error; none without such sets."""
    made = Butterfly(requirement_of(request), blocks=request.blocks, randomness=Randomness.seeded(SEED))
    keyed, noise, laws = made.keyed_noise(), made.run_noise, header_of(request).noise
    records, every = WINDOWS * SIZE, request.every or 1
    found = slid(tx, request.min_support + 10, SIZE, WINDOWS)
    always = sorted(set.intersection(*[set(one.as_dict()) for one in found]), key=sorted)
    if not always:
        return
    held = RecordBlocks(parts=[tx], numbers=np.arange(len(tx)) // every)
    counts = held.count(records // every - 1, records // every, always[:: max(1, len(always) // SETS)][:SETS])
    right, exact = [], []
    for row, items in zip(counts, always[:: max(1, len(always) // SETS)], strict=False):
        code = keyed.codes(sorted(items)).sum(axis=0, dtype=np.uint64)[None, :]
        noisy = row + keyed.draw(noise.block, code, [slot_of(0, b) for b in range(len(row))])[0]
        stays = int(keyed.draw(noise.permanent, code, [STAYS])[0, 0])
        values = np.convolve(noisy, np.ones(request.blocks, dtype=np.int64), "valid") + stays
        guess = recover_blocks(values, laws)
        right.append(float((guess.counts == noisy).mean()))
        exact.append(guess.stays == stays)
    yield {
        "claim": f"noisy counts of blocks that follow from {WINDOWS} windows, {name}, every {every}",
        "ours": round(float(np.mean(right)), 4),
        "settings": {"sets that are always frequent": len(right), "A found exactly": round(float(np.mean(exact)), 3)},
    }


def nested(name: str, tx: Transactions, request: StreamRelease) -> dict[str, Any]:
    """The row of a stream: squared error and explained variance of rare patterns, beside one reading."""
    every = request.every or 1
    step = max(every, 500) if every < 100 else every
    made = Butterfly(requirement_of(request), blocks=request.blocks, randomness=Randomness.seeded(SEED))
    true = slid(tx, made.mining_support, step, 30 if "T20" in name else RELEASES[every])
    numbers = [request.blocks - 1 + i * step // every for i in range(len(true))]
    out = [made.release(x, block=b).data for x, b in zip(true, numbers, strict=True)]
    held = RecordBlocks(parts=[tx], numbers=np.arange(len(tx)) // every)
    rare = RunPatterns.find(true, out, vulnerable=request.vulnerable, every=max(1, len(true) // 100))
    values, chance = [one.as_dict() for one in out], np.random.default_rng(3)
    laws, s = header_of(request).noise, float(made.requirement.noise_variance())

    def counts(i: int, sets: Any) -> np.ndarray:
        return held.count(numbers[i], request.blocks, sets)

    ours = [guess_nested(laws, counts, rare, values, chance, apart=max(1, SIZE // step)) for _ in range(DRAWS)]
    read = [guess_one_reading(rare, s, chance) for _ in range(READINGS)]
    shown = [
        {
            "error": round(float(np.mean([x.error or 0.0 for x in found])), 2),
            "spread": round(float(np.std([x.error or 0.0 for x in found])), 2),
            "explained": round(float(np.mean([x.explained or 0.0 for x in found])), 3),
        }
        for found in (ours, read)
    ]
    return {
        "claim": f"squared error of rare patterns, blocks handed over, nested sets together, {name}, every {every}",
        "ours": shown[0]["error"],
        "rival": {"name": "one reading of each pattern", "error": shown[1]["error"]},
        "settings": {"patterns": len(ours[0].counts), "nested": shown[0], "one reading": shown[1]},
    }


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Two rows for each stream and distance of releases."""
    for name, read, least in streams(data):
        if "closed" in name:
            continue
        tx = read()
        for every in EVERY:
            asked = {"min_support": least, "delta": 0.4, "epsilon": 1.0, "window": SIZE, "every": every, "seed": SEED}
            request = StreamRelease(records="-", **asked)
            yield from recovered(name, tx, request)
            yield nested(name, tx, request)
