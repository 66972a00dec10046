"""`confide passport show`: tables for reading, no raw data structures, 80 columns wide."""

import pytest
from click.testing import CliRunner
from tests.join.sites import small

from confide.cli.jobs.passports import loss_lines
from confide.cli.root import confide


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("join")
    coordinator, _ = small()
    release = coordinator.train().release(min_records=1, parameters={})
    release.write(folder / "tree.json")
    result = CliRunner().invoke(
        confide, ["passport", "show", str(folder / "tree.json.passport.json")], env={"COLUMNS": "80"}
    )
    assert result.exit_code == 0, result.output
    return result.output


def test_a_join_is_shown_in_tables_that_fit_80_columns(shown):
    assert "{'" not in shown
    tables = [line for line in shown.splitlines() if line.startswith(("│", "┃", "┏", "└"))]
    assert len(tables) > 10
    assert max(map(len, tables)) <= 80
    for heading in ("learned", "split by", "children", "messages"):
        assert heading in shown


def test_single_figures_stay_lines(shown):
    assert "\nloss, joined records: 8\n" in shown
    assert "\nloss, nodes: " in shown


def test_figures_are_shown_in_their_units():
    for value, unit, line in (
        (0.297601421379923, "share", "lost: 29.8%"),
        (4020, "count", "lost: 4,020"),
        ("fewer than 5", "count", "lost: fewer than 5"),
        (10**400, "share", "lost: 10,000,000"),
        (float("inf"), "number", "lost: inf"),
    ):
        assert "\n".join(loss_lines("lost", value, unit)).startswith(f"loss, {line}")
