"""How often each value stands in the column that a hierarchy is for; and the screen that changes it, by posts."""

import csv
from collections import Counter

import pytest
from tests.patience import wait_until
from tests.studio.opened import ask, folder_of_people, open_studio

from confide.core.tables.hierarchy import Hierarchy
from confide.studio.hierarchies.value_counts import described_column


@pytest.fixture
def opened(tmp_path):
    folder = folder_of_people(tmp_path, 60)
    with open_studio(folder) as studio:
        wait_until(lambda: studio.studio.copies.look("people.csv") is not None)
        yield folder, studio


def test_counts_are_those_of_the_column_that_the_schema_names(opened):
    folder, studio = opened
    found = described_column(studio.studio, "occupation.csv")
    with open(folder / "people.csv", newline="") as file:
        counted = Counter(row["occupation"] for row in csv.DictReader(file))
    assert (found.table, found.column, found.counts) == ("people.csv", "occupation", dict(counted))
    (folder / "other.csv").write_text("a;*\n")
    assert described_column(studio.studio, "other.csv") is None


def test_values_are_gathered_and_it_is_undone(opened):
    folder, studio = opened
    before = (folder / "occupation.csv").read_text()
    first = Hierarchy.read(folder / "occupation.csv")
    form = {"name": "occupation.csv", "do": "gather", "marked": ["0-0", "0-1"], "into": "both of them"}
    assert ask(studio.url, "hierarchy", form)[0] == 200
    changed = Hierarchy.read(folder / "occupation.csv")
    assert [row[1] for row in changed.rows[:2]] == ["both of them"] * 2
    assert changed.values == first.values
    assert ask(studio.url, "hierarchy", {"name": "occupation.csv", "do": "undo"})[0] == 200
    assert (folder / "occupation.csv").read_text() == before


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ({"do": "gather", "into": "x"}, "mark groups first"),
        ({"do": "gather", "marked": ["0-0", "1-0"], "into": "x"}, "mark groups of one level"),
        ({"do": "rename", "marked": ["1-0", "1-1"], "into": "x"}, "mark one group to rename it"),
        ({"do": "split", "marked": ["0-0"]}, "values of the data cannot be split"),
        ({"do": "remove-level", "level": "0"}, "values of the data cannot be removed"),
        ({"do": "remove-level", "level": "99"}, "there is no such level"),
        ({"do": "dance", "marked": ["0-0"]}, "this page cannot do that"),
        ({"do": "gather", "marked": ["0-0"], "into": "x", "base": "77"}, "changed in another window"),
    ],
)
def test_what_cannot_be_done_is_one_line_on_the_page(opened, form, line):
    folder, studio = opened
    before = (folder / "occupation.csv").read_text()
    status, page, _ = ask(studio.url, "hierarchy", {"name": "occupation.csv", **form})
    assert status == 422
    assert line in page
    assert (folder / "occupation.csv").read_text() == before


def test_a_value_that_is_missing_is_offered_and_added(opened):
    folder, studio = opened
    rows = Hierarchy.read(folder / "sex.csv").rows
    Hierarchy.from_rows(rows[1:]).write(folder / "sex.csv", replace=True)
    assert "1 value of the column is missing here" in ask(studio.url, "hierarchy?name=sex.csv")[1]
    assert ask(studio.url, "hierarchy", {"name": "sex.csv", "do": "add-values"})[0] == 200
    assert set(Hierarchy.read(folder / "sex.csv").values) == {row[0] for row in rows}


def test_rows_of_several_lengths_are_read_as_a_taxonomy_has_them(opened):
    folder, studio = opened
    (folder / "shop.csv").write_text("milk;dairy;*\nwhole milk;milk products;dairy;*\n")
    status, page, _ = ask(studio.url, "hierarchy?name=shop.csv")
    assert status == 200
    assert "milk products" in page
    (folder / "broken.csv").write_text("a;x;*\nb;x;y;*\nc;x;z;*\n")
    status, page, _ = ask(studio.url, "hierarchy?name=broken.csv")
    assert status == 400
    assert "becomes both" in page
