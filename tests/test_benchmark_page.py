"""The page of benchmarks: what is kept of a run, and how its lines are laid out."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.page import NAMES, PAGE, RESULTS, Keeper, page_text  # noqa: E402 - benchmarks are no installed package

LINE = {
    "claim": "a | b of 1,000,000 rows",
    "ours": 0.03125,
    "rival": {"name": "the bound", "seconds": 1.0},
    "ratio": 32.0,
    "spread": [30.5, 33],
    "settings": {"repeats": 3, "seed": None},
    "processor_seconds": 12345.678,
}


def test_a_line_is_a_row_of_the_page(tmp_path):
    keeper = Keeper("share.speed", tmp_path)
    keeper.keep(LINE)
    keeper.finish(12.4)
    page = page_text(tmp_path)
    row = (
        "| a \\| b of 1,000,000 rows | 0.03125 | name: the bound, seconds: 1 | 32 | 30.5, 33 "
        "| processor_seconds: 12,346; repeats: 3 |"
    )
    assert row in page.splitlines()
    assert "### share.speed\n\nHow long publishing and using trees takes" in page
    assert ", 12 s, load " in page
    assert "cores; stopped" not in page


def test_a_new_run_replaces_the_lines_of_the_former(tmp_path):
    for claim in ("former", "new"):
        keeper = Keeper("share.speed", tmp_path)
        keeper.keep({"claim": claim, "ours": 1})
        keeper.finish(1)
    page = page_text(tmp_path)
    assert "| new | 1 |" in page
    assert "former" not in page


def test_a_run_that_was_stopped_says_so(tmp_path):
    keeper = Keeper("share.speed", tmp_path)
    keeper.keep({"claim": "first", "ours": True})
    keeper.finish(1, whole=False)
    assert "cores; stopped before its last line" in page_text(tmp_path)


def test_a_run_without_a_line_leaves_the_former(tmp_path):
    keeper = Keeper("share.speed", tmp_path)
    keeper.keep({"claim": "first", "ours": 1})
    keeper.finish(1)
    Keeper("share.speed", tmp_path).finish(1, whole=False)
    assert "| first | 1 |" in page_text(tmp_path)


def test_a_benchmark_without_lines_is_listed_with_its_command(tmp_path):
    keeper = Keeper("share.speed", tmp_path)
    keeper.note(largest="1M")
    keeper.keep({"claim": "first", "ours": 1})
    keeper.finish(1)
    page = page_text(tmp_path)
    assert "--largest 1M, 1 s" in page
    assert "bench share.speed --page" not in page
    for name in set(NAMES) - {"share.speed"}:
        assert page.count(f"- `python3 run.py bench {name} --page`: ") == 1


def test_the_page_is_what_the_kept_lines_say():
    """A page written by hand, or results without their page: `python -m benchmarks.page` writes it anew."""
    assert {path.stem for path in RESULTS.glob("*.jsonl")} <= set(NAMES)
    assert PAGE.read_text(encoding="utf-8") == page_text()
