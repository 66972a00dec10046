"""`confide mine` on a terminal: what matters first, shares beside counts, within 80 columns."""

import json

import pytest
from tests.commands import confide

from confide.core.samples import baskets


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    baskets(500).write(folder / "baskets.csv", format="basket")
    return folder


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def mined(desk, *arguments):
    done = confide("mine", *arguments, cwd=desk)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cells(table):
    rows = [line for line in table.splitlines() if line.startswith(("│", "┃"))]
    return [[cell.strip() for cell in line.strip("│┃").replace("┃", "│").split("│")] for line in rows]


def test_itemsets_are_shown_by_support_with_their_share(desk):
    table = mined(desk, "itemsets", "baskets.csv", "-s", "10%", "--table")
    head, *rows = cells(table)
    assert head == ["items", "records", "% of all"]
    assert max(map(len, table.splitlines())) <= 80
    supports = [int(row[1].replace(",", "")) for row in rows]
    assert supports == sorted(supports, reverse=True)
    assert [float(row[2]) for row in rows] == [pytest.approx(support / 5, abs=0.01) for support in supports]


def test_rules_are_shown_by_lift_in_few_columns(desk):
    options = ("rules", "baskets.csv", "-s", "5%", "-c", "0.3")
    table = mined(desk, *options, "--table")
    head, *rows = cells(table)
    assert head == ["if", "then", "records", "sure, %", "lift"]
    assert max(map(len, table.splitlines())) <= 80
    lifts = [float(row[4]) for row in rows if row[4]]
    assert len(lifts) > 3
    assert lifts == sorted(lifts, reverse=True)
    lines = [json.loads(line) for line in mined(desk, *options).splitlines()]
    assert len(lines) == len(lifts)
    assert set(lines[0]) == {"antecedent", "consequent", "support", "confidence", "lift", "leverage", "conviction"}
