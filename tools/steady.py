"""Run the tests that wait, again and again, beside processes that keep the machine busy: none may fail.

    python3 tools/steady.py                       each test that waits 50 times, beside four busy processes
    python3 tools/steady.py --times 5 tests/web   those of a folder or file, 5 times

A file is one that waits where its text speaks of sleeping, time-outs, threads, processes, sockets or browsers. The busy
processes are started and ended here. The status is 1 where a test failed once.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
WAITS = re.compile(
    r"time\.sleep|timeout=|wait_for|wait_until|perf_counter|process_time|monotonic|threading\.|subprocess|socket\.|"
    r"Collector\(|playwright|\bvisit\b|os\.kill"
)
BUSY = "while True: pass"


def main() -> int:
    """Run them; the number of rounds that failed decides the status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[HOME / "tests"], help="folders or files (all tests)")
    parser.add_argument("--times", type=int, default=50, help="rounds (50)")
    parser.add_argument("--busy", type=int, default=4, help="busy processes (4)")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the packages")
    given = parser.parse_args()
    files = [str(path) for path in waiting_files(given.paths)]
    print(f"{len(files)} files of tests that wait, {given.times} times, beside {given.busy} busy processes", flush=True)
    crowd = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(given.busy)]
    failed = 0
    try:
        for number in range(1, given.times + 1):
            command = [given.python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *files]
            wide = os.environ | {"COLUMNS": "400"}  # so that the lines of failures say why
            done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, env=wide)
            failed += done.returncode != 0
            lines = done.stdout.strip().splitlines()
            print(f"round {number}: {lines[-1] if lines else done.stderr[-300:]}", flush=True)
            for line in lines:
                if line.startswith(("FAILED", "ERROR")):
                    print(line, flush=True)
    finally:
        for process in crowd:
            process.kill()
            process.wait()
    return 1 if failed else 0


def waiting_files(paths: list[Path]) -> list[Path]:
    """The files of tests among these whose text speaks of waiting."""
    found = (file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("test_*.py"))))
    return [file for file in found if WAITS.search(file.read_text())]


if __name__ == "__main__":
    sys.exit(main())
