"""python -m benchmarks [NAME ...] [--data DIR] [--page]: run benchmarks and print one JSON line per claim.

A benchmark is a file in a folder here, called by both names (`mining.itemsets`), or a whole folder (`mining`). It has
`run(data) -> iterator of dict` giving {claim, ours, rival, ratio, spread, settings}; some also take `largest` and
`scratch`, how much to generate and where. Ratios are rival / ours: above 1
we are faster (or smaller). Seconds are context; the machine is shared, so compare only what one run measured.

With --page the lines are kept in benchmarks/results, and docs/benchmarks.md is written from all that are there; Ctrl-C
ends a benchmark and keeps what it printed so far.
"""

import argparse
import json
import sys
import time
import traceback
from importlib import import_module
from inspect import signature
from pathlib import Path

from benchmarks.page import NAMES, Keeper, write_page

FOLDER = Path(__file__).parent


def chosen(names: list[str]) -> list[str]:
    """The benchmarks that these names of files and folders mean; none means all."""
    return [name for name in NAMES if not names or name in names or name.partition(".")[0] in names]


def main() -> int:
    """Run what was asked for; exit 1 if a benchmark raised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(NAMES)} (default all)")
    parser.add_argument("--data", type=Path, default=FOLDER.parents[1] / "shared" / "data", help="real datasets")
    parser.add_argument("--largest", choices=["1M", "10M", "100M"], help="most records to generate (default 10M)")
    parser.add_argument("--scratch", type=Path, help="where generated data goes, and is removed (default: temporary)")
    parser.add_argument("--page", action="store_true", help="keep the lines, and write docs/benchmarks.md from them")
    given = parser.parse_args()
    options = {name: value for name in ("largest", "scratch") if (value := getattr(given, name)) is not None}
    for name in given.names:
        if not chosen([name]):
            parser.error(f"no benchmark {name!r}; there are: {', '.join(NAMES)}")
    status = 0
    for name in chosen(given.names):
        began = time.perf_counter()
        keeper, whole = Keeper(name), False
        try:
            run = import_module(f"benchmarks.{name}").run
            taken = {option: options[option] for option in options if option in signature(run).parameters}
            keeper.note(largest=taken.get("largest"))
            for line in run(given.data, **taken):
                keeper.keep(line)
                print(json.dumps({"benchmark": name, **line}, ensure_ascii=False), flush=True)
            whole = True
        except FileNotFoundError as error:
            print(f"{name}: {error.filename or error} is not there; say --data DIR", file=sys.stderr)
            status = 1
        except KeyboardInterrupt:
            status = 130
        except Exception:
            traceback.print_exc()
            status = 1
        took = time.perf_counter() - began
        print(f"{name}: {took:.0f} s", file=sys.stderr)
        if given.page:
            keeper.finish(took, whole=whole)
            write_page()
        if status == 130:
            break
    return status


sys.exit(main())
