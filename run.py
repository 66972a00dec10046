"""Set Confide up in this folder and run something: needs Python 3.11 or later with pip and venv, nothing else.

    python3 run.py demo     what Confide does, on invented data
    python3 run.py test     all tests (further arguments go to pytest)
    python3 run.py check    what CI asks besides: linters, types, import rules
    python3 run.py build    wheel and sdist, into dist; the wheel carries compiled kernels
    python3 run.py docs     the site, into build/site; fails on a broken link
    python3 run.py bench    the benchmarks (needs a C compiler for the rival; arguments go to benchmarks)

Everything is installed into .venv here, pinned and hash-checked, and only when the pins have changed.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / ".venv"
BIN = FOLDER / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")

# What each word needs installed, and what it then runs.
SETS = {
    "demo": ("base",),
    "test": ("base", "dev"),
    "check": ("base", "dev"),
    "build": ("base",),
    "docs": ("base", "docs"),
    "bench": ("base", "dev", "bench"),
}
RUNS = {
    "demo": [["-m", "confide", "demo"]],
    "test": [["-m", "pytest", "-n", "auto", "--dist", "worksteal"]],
    "check": [
        ["-m", "ruff", "check"],
        ["-m", "ruff", "format", "--check"],
        ["-m", "mypy"],
        ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    ],
    "build": [["tools/build.py"]],
    "docs": [["-m", "zensical", "build", "--clean", "--strict"], ["tools/offline_site.py"]],
    "bench": [["-m", "benchmarks"]],
}


def install(sets: tuple[str, ...]) -> None:
    """Make .venv and install the pinned packages, unless that is done already."""
    if not PYTHON.exists():
        print("making .venv ...", file=sys.stderr, flush=True)
        venv.create(FOLDER, with_pip=True)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for name in sets:
        pins = HERE / "requirements" / f"{name}.txt"
        stamp = FOLDER / f"installed-{name}"
        wanted = hashlib.sha256(pins.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == wanted:
            continue
        print(f"installing the {name} packages ...", file=sys.stderr, flush=True)
        subprocess.run([*pip, "--require-hashes", "-r", str(pins)], check=True)
        stamp.write_text(wanted)
    stamp = FOLDER / "installed-confide"
    wanted = hashlib.sha256((HERE / "pyproject.toml").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([*pip, "--no-deps", "--no-build-isolation", "-e", str(HERE)], check=True)
        stamp.write_text(wanted)


def main() -> int:
    """Install what the word needs, run what it means, and pass its exit status on."""
    if sys.version_info < (3, 11):  # noqa: UP036 - a friendlier word than a failing install
        print(f"Confide needs Python 3.11 or later; this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    word, *rest = sys.argv[1:] or ["--help"]
    if word not in RUNS:
        print(__doc__, file=sys.stderr)
        return 0 if word in ("-h", "--help") else 2
    try:
        install(SETS[word])
    except subprocess.CalledProcessError as error:
        print(f"installing failed (exit {error.returncode}); see the lines above", file=sys.stderr)
        return 2
    status = 0
    for arguments in RUNS[word]:
        status = subprocess.run([str(PYTHON), *arguments, *rest], cwd=HERE).returncode or status
    return status


if __name__ == "__main__":
    sys.exit(main())
