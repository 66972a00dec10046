"""docs/benchmarks.md, written from the lines that benchmarks printed: `python3 run.py bench NAME --page`.

The lines of a benchmark are kept in `benchmarks/results/NAME.jsonl`; a new run replaces them, so the page holds no
older figure beside a newer one. The last line of a file says when, how long and beside how much other work it ran.
A benchmark without kept lines is listed with its command. `python -m benchmarks.page` writes the page from what is
kept.
"""

import ast
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = ["NAMES", "PAGE", "RESULTS", "Keeper", "page_text", "write_page"]

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).parent / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
NAMES = sorted(
    f"{path.parent.name}.{path.stem}"
    for path in Path(__file__).parent.glob("*/*.py")
    if "def run(" in path.read_text(encoding="utf-8")
)
LINKED = {"settings", "claim", "benchmark", "ours", "rival", "ratio", "spread", "unit"}
TITLES = {
    "mining": "Mining",
    "publish": "Publishing",
    "collect": "Collecting",
    "share": "Sharing",
    "join": "Joining",
    "stream": "Streams",
    "search": "Personal search",
    "ledger": "Several releases about the same people",
    "studio": "Studio",
    "house": "The house",
}
HEAD = """# Benchmarks

<!-- Written by `python3 run.py bench --page` from benchmarks/results. Do not edit. -->

    python3 run.py bench                          all of them (hours)
    python3 run.py bench mining.itemsets          one
    python3 run.py bench mining                   one folder: {folders}
    python3 run.py bench mining.itemsets --page   one, and write its lines into this page

Each benchmark calls what a user calls, with its defaults, and prints JSON lines
`{{claim, ours, rival, ratio, spread, settings}}`. Where two sides are timed they take turns in one run; ratios are
rival over ours, so above 1 we are ahead. The machine has two cores that other work shares: *load* says how many
processes wanted them on average, so seconds are context and ratios are what to compare. Real datasets are looked for
in `--data DIR`. A table that ends early says "stopped before its last line": its benchmark was ended (Ctrl-C) and has
more to say. At the end of each part stand the benchmarks that were not run for this page.
"""


class Keeper:
    """Keeps the lines of one benchmark, and replaces the former ones when it ends."""

    def __init__(self, name: str, folder: Path = RESULTS):
        self._target = folder / f"{name}.jsonl"
        self._options: dict[str, str] = {}
        self._lines: list[dict[str, Any]] = []
        self._loads = [os.getloadavg()[0]]

    def note(self, **options: str | None) -> None:
        """Remember the options of the command that the lines depend on; None was not given."""
        self._options |= {option: value for option, value in options.items() if value is not None}

    def keep(self, line: dict[str, Any]) -> None:
        """Remember a line, and how busy the machine is."""
        self._lines.append(line)
        self._loads.append(os.getloadavg()[0])

    def finish(self, seconds: float, *, whole: bool = True) -> None:
        """Write the lines with what ran; `whole` is False if the benchmark was stopped before its last line."""
        if not self._lines:
            return
        self._loads.append(os.getloadavg()[0])
        ran: dict[str, Any] = {
            "ran": datetime.now(UTC).date().isoformat(),
            "seconds": round(seconds),
            "load": round(sum(self._loads) / len(self._loads), 1),
            "cores": os.cpu_count(),
            "whole": whole,
        }
        if self._options:
            ran["options"] = self._options
        self._target.parent.mkdir(exist_ok=True)
        texts = [json.dumps(line, ensure_ascii=False) for line in (*self._lines, ran)]
        self._target.write_text("\n".join(texts) + "\n", encoding="utf-8")


def write_page(page: Path = PAGE) -> None:
    """Write the page anew from all results that are kept."""
    page.write_text(page_text(), encoding="utf-8")


def page_text(results: Path = RESULTS) -> str:
    """The page, from the results in a folder."""
    kept = {path.name.removesuffix(".jsonl"): path for path in sorted(results.glob("*.jsonl"))}
    folders = [name for name in TITLES if (Path(__file__).parent / name).is_dir()]
    parts = [HEAD.format(folders=", ".join(folders))]
    for folder in folders:
        names = [name for name in NAMES if name.partition(".")[0] == folder]
        parts.append(f"## {TITLES[folder]}\n")
        parts.extend(_section(name, kept[name]) for name in names if name in kept)
        missing = [f"- `python3 run.py bench {name} --page`: {_remark(name)}" for name in names if name not in kept]
        if missing:
            parts.append("\n".join(["Not run for this page:\n", *missing, ""]))
    return "\n".join(parts)


def _section(name: str, path: Path) -> str:
    """A benchmark: its remark, when it ran, and its lines as a table."""
    *lines, ran = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    stopped = "" if ran["whole"] else "; stopped before its last line"
    asked = "".join(f", --{option} {value}" for option, value in ran.get("options", {}).items())
    when = f"{ran['ran']}{asked}, {ran['seconds']:,} s, load {ran['load']} on {ran['cores']} cores{stopped}"
    rows = [_row(line) for line in lines]
    shown = [i for i, _ in enumerate(_COLUMNS) if any(row[i] for row in rows)]
    table = [_cells([_COLUMNS[i] for i in shown]), _cells(["---"] * len(shown))]
    table += [_cells([row[i] for i in shown]) for row in rows]
    return "\n".join([f"### {name}\n", f"{_remark(name)} *({when})*\n", *table, ""])


_COLUMNS = ("claim", "ours", "beside it", "ratio", "spread", "settings and further figures")


def _row(line: dict[str, Any]) -> list[str]:
    further = {key: value for key, value in line.items() if key not in LINKED}
    settings = line.get("settings") or {}
    ours = _plain(line.get("ours"))
    unit = line.get("unit")
    return [
        _plain(line["claim"]),
        f"{ours} {unit}" if unit and ours else ours,
        _plain(line.get("rival")),
        _plain(line.get("ratio")),
        _plain(line.get("spread")),
        "; ".join(text for text in (_plain(further), _plain(settings)) if text),
    ]


def _plain(value: Any) -> str:
    """A value of a line as text: numbers grouped, lists and mappings spelled out."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
        case int():
            return f"{value:,}"
        case dict():
            return ", ".join(f"{key}: {_plain(entry)}" for key, entry in value.items() if entry is not None)
        case list() | tuple():
            return ", ".join(_plain(entry) for entry in value)
    return str(value)


def _cells(texts: list[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in texts) + " |"


def _remark(name: str) -> str:
    """The first paragraph of the benchmark's docstring, on one line."""
    source = Path(__file__).parent / f"{name.replace('.', '/')}.py"
    said = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or name
    return " ".join(said.split("\n\n")[0].split()).removesuffix(".") + "."


if __name__ == "__main__":
    write_page()
