"""python -m benchmarks [NAME ...] [--data DIR]: run benchmarks and print one JSON line per claim.

A benchmark is a file here with `run(data) -> iterator of dict` giving {claim, ours, rival, ratio, spread, settings}.
Ratios are rival / ours: above 1 we are faster (or smaller). Seconds are context; the machine is shared, so compare
only what one run measured.
"""

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_") and path.stem != "timing")


def main() -> int:
    """Run what was asked for; exit 1 if a benchmark raised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(NAMES)} (default all)")
    parser.add_argument("--data", type=Path, default=FOLDER.parents[1] / "shared" / "data", help="real datasets")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are: {', '.join(NAMES)}")
    status = 0
    for name in given.names or NAMES:
        began = time.perf_counter()
        try:
            for line in import_module(f"benchmarks.{name}").run(given.data):
                print(json.dumps({"benchmark": name, **line}, ensure_ascii=False), flush=True)
        except FileNotFoundError as error:
            print(f"{name}: {error.filename or error} is not there; say --data DIR", file=sys.stderr)
            status = 1
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return status


sys.exit(main())
