"""JoinTree against join-then-mine on the chain data of thesis section 3.4.1, and its growth (Figures 8 and 9).

python -m benchmarks join.chain                    everything; the rivals at k = 6 take minutes and some 5 GB
python -m benchmarks.join.chain --part chain --k 4 --rivals sklearn    one cell
python -m benchmarks.join.chain --part growth | million | memory | accuracy

N = 1,000 records a table, X = 5 numeric and 5 categorical attributes, V = 250 join values, k tables. Ours gets Arrow
tables and its time includes everything: coding keys and columns, growing (unpruned), writing the tree down. The rivals
get the joined table ready-made as float32 codes of its categories; joining is timed apart.
Every side grows to the same depth. scikit-learn and LightGBM split categories as if they were ordered; what counts here
is the time to look at every record and column, and which model is better is not asked.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import peak_memory
from confide.core.samples.chain import ChainTables, chain_tables
from confide.join import JoinGraph, JoinTree

DEPTH = 6
SEED = 11  # whose six tables join to 11 million records
ROUNDS = 7


class Timed(NamedTuple):
    """A result, the seconds it took, and the processor's seconds: on a busy machine the latter compare better."""

    result: Any
    wall: float
    cpu: float


def timed(call: Callable[[], Any]) -> Timed:
    """Call, and time it."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return Timed(result, time.perf_counter() - wall, time.process_time() - cpu)


def compared(own: list[Timed], other: list[Timed]) -> dict[str, Any]:
    """Medians of both sides, by the clock and by the processor, and their ratios."""
    sides = {side: [median(run[i] for run in runs) for i in (1, 2)] for side, runs in (("own", own), ("other", other))}
    return {
        "ours": round(sides["own"][0], 5),
        "cpu": {"ours": round(sides["own"][1], 5), "rival": round(sides["other"][1], 3)},
        "ratio": round(sides["other"][0] / sides["own"][0], 1),
        "cpu_ratio": round(sides["other"][1] / sides["own"][1], 1),
        "spread": [round(min(run.wall for run in own), 5), round(max(run.wall for run in own), 5)],
    }


def grow(chain: ChainTables, depth: int | None = DEPTH) -> JoinTree:
    """Ours, from tables to tree."""
    return JoinTree(max_depth=depth, confidence=None).fit(JoinGraph(**chain._asdict()))


def joined(chain: ChainTables) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """The joined table as a matrix of codes, made column by column so that it fits: every group is a cross product."""
    tables = list(chain.tables.values())
    keys = [np.asarray(table.column(table.column_names.index(f"j{max(i, 1)}"))) for i, table in enumerate(tables)]
    order = [np.argsort(key, kind="stable") for key in keys]
    sizes = np.bincount(keys[0])
    begin = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    k = len(tables)
    group = np.repeat(np.arange(len(sizes)), sizes.astype(np.int64) ** k)
    within = np.arange(len(group)) - np.repeat(np.concatenate([[0], np.cumsum(sizes**k)[:-1]]), sizes**k)
    columns = sum(table.num_columns for table in tables) - 1
    matrix = np.empty((len(group), columns), dtype=np.float32)
    at, label = 0, np.empty(0, dtype=np.int8)
    for i, table in enumerate(tables):
        row = order[i][begin[group] + (within // sizes[group] ** i) % sizes[group]]
        for name in table.column_names:
            values = np.asarray(table.column(name))
            if values.dtype.kind in "OUT":
                values = np.unique(values.astype(str), return_inverse=True)[1]
            if name == "class":
                label = values[row].astype(np.int8)
            else:
                matrix[:, at] = values[row]
                at += 1
    return matrix, label


def rival(name: str, depth: int) -> Any:
    """A single tree of a rival library, grown to the same depth on two cores."""
    if name == "sklearn":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(criterion="entropy", max_depth=depth, min_samples_leaf=2, random_state=0)
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=1,
        max_depth=depth,
        num_leaves=2**depth,
        min_child_samples=2,
        learning_rate=1.0,
        n_jobs=2,
        verbose=-1,
    )


def chain_rows(ks: list[int], rivals: list[str], depth: int = DEPTH) -> Iterator[dict[str, Any]]:
    """One row for each k and rival."""
    grow(chain_tables(2, rows=100))  # compiles
    for k in ks:
        chain = chain_tables(k, seed=SEED)
        tree = grow(chain, depth)
        own = [timed(partial(grow, chain, depth)) for _ in range(ROUNDS)]
        made = timed(partial(joined, chain))
        X, y = made.result
        assert len(y) == tree.joined_rows_
        for name in rivals:
            times = []
            for _ in range(5 if len(y) < 1_000_000 else 1):
                own.append(timed(partial(grow, chain, depth)))
                times.append(timed(partial(rival(name, depth).fit, X, y)))
                own.append(timed(partial(grow, chain, depth)))
            seconds = round(median(run.wall for run in times), 4)
            yield {
                "claim": f"a tree of depth {depth} over {k} tables of 1,000 records, {len(y):,} joined",
                **compared(own, times),
                "rival": {"name": f"join, then {name}", "seconds": seconds, "joining": round(made.wall, 4)},
                "settings": {"k": k, "rows": 1000, "depth": depth, "rival_runs": len(times)},
            }
        del X, y


def growth(depth: int = DEPTH) -> Iterator[dict[str, Any]]:
    """Figures 8 and 9: time against the number of tables and against their size, source and joined records beside."""
    grow(chain_tables(2, rows=100))
    for k, rows in [
        *((k, 1000) for k in range(2, 9)),
        *((2, n) for n in (10_000, 100_000, 200_000, 400_000, 1_000_000)),
    ]:
        chain = chain_tables(k, rows=rows)
        tree = grow(chain, depth)
        times = [timed(partial(grow, chain, depth)) for _ in range(5 if rows < 100_000 else 3)]
        yield {
            "claim": "growth with tables" if rows == 1000 else "growth with records",
            "ours": round(min(run.wall for run in times), 4),
            "cpu": round(min(run.cpu for run in times), 4),
            "settings": {
                "k": k, "rows": rows, "source_rows": k * rows, "joined_rows": tree.joined_rows_, "depth": depth,
                "nodes": len(tree.tree_.nodes),
            },
        }  # fmt: skip


def million(rivals: list[str], rows: int = 1_000_000, depth: int = DEPTH) -> Iterator[dict[str, Any]]:
    """Two tables of a million records, lambda 4."""
    grow(chain_tables(2, rows=100))
    chain = chain_tables(2, rows=rows)
    tree = grow(chain, depth)
    own = [timed(partial(grow, chain, depth)) for _ in range(7)]
    row = {
        "claim": f"two tables of {rows:,} records, {tree.joined_rows_:,} joined, depth {depth}",
        "settings": {"rows": rows, "depth": depth, "nodes": len(tree.tree_.nodes)},
    }
    if not rivals:
        yield {**row, "ours": round(min(run.wall for run in own), 3), "cpu": round(min(run.cpu for run in own), 3)}
        return
    X, y = joined(chain)
    for name in rivals:
        times = [timed(partial(rival(name, depth).fit, X, y))]
        own.append(timed(partial(grow, chain, depth)))
        yield {
            **row,
            **compared(own, times),
            "rival": {"name": f"join, then {name}", "seconds": round(times[0].wall, 2)},
        }


def memory(k: int = 6) -> Iterator[dict[str, Any]]:
    """What ours adds to the peak of a process that has its libraries loaded and its kernels compiled."""
    program = f"from benchmarks.join.chain import own_memory; print(own_memory({k}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    peak = int(done.stdout.split()[-1])
    yield {
        "claim": f"peak memory of a tree over {k} tables",
        "ours": peak,
        "unit": "bytes",
        "settings": {"limit": 10**8},
    }
    program = "from benchmarks.join.chain import million_memory; print(million_memory())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    peak = int(done.stdout.split()[-1])
    yield {"claim": "peak memory of a tree over two tables of a million records", "ours": peak, "unit": "bytes"}


def own_memory(k: int) -> int:
    """In a process of its own: bytes by which growing a tree raises the peak."""
    chain = chain_tables(k, seed=SEED)
    grow(chain_tables(2, rows=100), 2)
    return peak_memory(lambda: grow(chain))[1]


def accuracy(ks: list[int], seeds: int = 5) -> Iterator[dict[str, Any]]:
    """Trees as a user grows them, on test sets drawn independently (section 3.4.1); join values mean nothing there."""
    for k in ks:
        names = [f"{name}.{column}" for name, table in chain_tables(k, rows=100).tables.items()
                 for column in table.column_names if column.startswith("j")]  # fmt: skip
        of_records, of_people = [], []
        for seed in range(1, seeds + 1):
            tree = JoinTree(exclude=names).fit(JoinGraph(**chain_tables(k, seed=seed)._asdict()))
            test = chain_tables(k, seed=1000 + seed)
            votes = tree.votes(JoinGraph(**test._asdict()))
            truth = np.array([list(tree.classes_).index(label) for label in test.tables["T1"]["class"].to_pylist()])
            joins = votes.any(axis=1)
            of_records.append(votes[np.arange(len(truth)), truth].sum() / votes.sum())
            of_people.append(float(np.mean((np.argmax(votes, axis=1) == truth)[joins])))
        yield {
            "claim": "accuracy on an independent test set",
            "by_joined_record": round(median(of_records), 3),
            "by_target_record": round(median(of_people), 3),
            "settings": {"k": k, "rows": 1000, "seeds": seeds},
        }


def million_memory(rows: int = 1_000_000) -> int:
    """In a process of its own: bytes by which a tree over two tables of this many records raises the peak."""
    chain = chain_tables(2, rows=rows)
    grow(chain_tables(2, rows=100), 2)
    return peak_memory(lambda: grow(chain))[1]


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Everything."""
    yield from chain_rows([2, 3, 4, 5, 6], ["sklearn", "lightgbm"])
    yield from growth()
    yield from memory()
    yield from accuracy([2, 3, 4, 5, 6])
    yield from million(["lightgbm", "sklearn"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=["chain", "growth", "million", "memory", "accuracy"], default="chain")
    parser.add_argument("--k", type=int, nargs="*", default=[2, 3, 4, 5, 6])
    parser.add_argument("--rivals", default="sklearn,lightgbm")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--depth", type=int, default=DEPTH)
    given = parser.parse_args()
    named = [name for name in given.rivals.split(",") if name]
    parts = {
        "chain": lambda: chain_rows(given.k, named, given.depth),
        "growth": lambda: growth(given.depth),
        "million": lambda: million(named, given.rows, given.depth),
        "memory": lambda: memory(max(given.k)),
        "accuracy": lambda: accuracy(given.k),
    }
    for line in parts[given.part]():
        print(json.dumps(line), flush=True)
