"""The house: reading baskets, randomness, start-up, the verifier of tables."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.timing import compare
from confide import Randomness, Transactions
from confide.core.samples import quest

__all__ = ["run"]


def run(data: Path) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        yield from _reading(Path(folder))
    yield _randomness()
    yield from _start_up()


def _reading(folder: Path) -> Iterator[dict[str, Any]]:
    """1,000,000 baskets of 10 items: ours against polars and pyarrow reading the same bytes as CSV lines."""
    import polars
    import pyarrow.csv as pc

    baskets = quest("T10I4D1M", items=10_000, seed=1)
    rng = np.random.default_rng(1)
    shuffled = baskets.indices.copy()
    for start, stop in zip(baskets.indptr[:-1], baskets.indptr[1:], strict=True):
        rng.shuffle(shuffled[start:stop])
    for name, indices in (("rows sorted", baskets.indices), ("rows shuffled", shuffled)):
        path = folder / f"{name.split()[1]}.dat"
        labels = np.array(baskets.labels)[indices]
        with open(path, "w") as file:
            for start, stop in zip(baskets.indptr[:-1], baskets.indptr[1:], strict=True):
                file.write(" ".join(labels[start:stop]) + "\n")
        rivals = {
            "polars": lambda path=path: polars.read_csv(path, has_header=False, separator="\x01"),
            "pyarrow": lambda path=path: pc.read_csv(
                path,
                read_options=pc.ReadOptions(column_names=["line"]),
                parse_options=pc.ParseOptions(delimiter="\x01"),
            ),
        }
        settings = {"rows": name, "records": len(baskets), "bytes": path.stat().st_size}
        for rival, call in rivals.items():
            claim = "reading a .dat takes at most 2x reading its lines as CSV (ratio >= 0.5)"
            yield compare(
                claim,
                lambda path=path: Transactions.read(path),
                call,
                rival_name=rival,
                repeats=9,
                settings=settings,
            )
        yield _reading_memory(path, settings)


def _reading_memory(path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    code = (
        "import pathlib, re, sys, tempfile\nfrom confide import Transactions\n"
        "small = pathlib.Path(tempfile.mkdtemp()) / 's.dat'; small.write_text('1 2\\n2 1\\n')\n"
        "Transactions.read(small)  # kernels are loaded now\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', status.read_text()).group(1)) * 1024\n"
        "before = peak(); tx = Transactions.read(sys.argv[1])\n"
        "print(peak() - before, tx.indptr.nbytes + tx.indices.nbytes)\n"
    )
    out = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True).stdout
    used, arrays = map(int, out.split())
    return {
        "claim": "reading needs at most 3x the memory of its arrays",
        "ours": used,
        "rival": {"name": "the arrays", "bytes": arrays},
        "ratio": round(used / arrays, 2),
        "spread": None,
        "settings": settings,
    }


def _randomness() -> dict[str, Any]:
    """Bytes per second from the system source, one core."""
    source = Randomness.system()
    buffer = np.empty(1 << 27, dtype=np.uint8)
    source.fill(buffer)
    rates = []
    for _ in range(7):
        began = time.perf_counter()
        source.fill(buffer)
        rates.append(len(buffer) / (time.perf_counter() - began) / 1e6)
    return {
        "claim": "system randomness at 500 MB/s or more per core",
        "ours": round(median(rates)),
        "rival": {"name": "the bound", "MB/s": 500},
        "ratio": round(median(rates) / 500, 2),
        "spread": [round(min(rates)), round(max(rates))],
        "settings": {"MB": len(buffer) >> 20, "repeats": 7},
    }


def _start_up() -> Iterator[dict[str, Any]]:
    """`confide --help`, the whole process, and a bare interpreter beside it."""
    times: dict[str, list[float]] = {"confide --help": [], "python -c pass": []}
    commands = {"confide --help": ["-m", "confide", "--help"], "python -c pass": ["-c", "pass"]}
    for _ in range(11):
        for name, arguments in commands.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
            times[name].append(time.perf_counter() - began)
    own = median(times["confide --help"])
    yield {
        "claim": "confide --help in under 0.2 s",
        "ours": round(own, 3),
        "rival": {"name": "python -c pass", "seconds": round(median(times["python -c pass"]), 3)},
        "ratio": round(0.2 / own, 2),
        "spread": [round(min(times["confide --help"]), 3), round(max(times["confide --help"]), 3)],
        "settings": {"repeats": 11},
    }
