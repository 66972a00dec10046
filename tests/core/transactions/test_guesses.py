"""A table that was taken for baskets is refused, with what to do; baskets are not."""

import gzip
import random
from pathlib import Path

import pytest

from confide import Transactions
from confide.core.errors import InputError
from confide.core.transactions.guesses import reading_notes

ONE_HOT = "tea,nuts,milk\n1,0,1\n0,0,1\n1,1,1\n"
PLAIN = "age,sex,zip\n20,F,1\n31,M,2\n20,F,2\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ONE_HOT, "format=one-hot"),
        (ONE_HOT.replace("1", "true").replace("0", "False"), "format=one-hot"),
        (PLAIN, "publish it as a table"),
        ("20,F,0,0\n31,M,0,0\n20,F,0,9\n", "publish it as a table"),
        ("person,bought\n1,tea\n1,nuts\n2,tea\n", "id= and item="),
    ],
)
def test_tables_are_refused_with_what_to_do(text, message, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        Transactions.read(tmp_path / "t.csv")
    assert len(Transactions.read(tmp_path / "t.csv", format="basket")) == text.count("\n")


def test_one_hot_is_read_when_asked_for(tmp_path):
    (tmp_path / "t.csv").write_text(ONE_HOT)
    assert list(Transactions.read(tmp_path / "t.csv", format="one-hot")) == [
        ["milk", "tea"],
        ["milk"],
        ["milk", "nuts", "tea"],
    ]
    (tmp_path / "u.csv").write_text(ONE_HOT.replace("1,1,1", "1,2,1"))
    with pytest.raises(InputError, match="line 4, column 'nuts': a cell is neither 0 nor 1"):
        Transactions.read(tmp_path / "u.csv", format="one-hot")


def test_real_tables_are_recognised(data, tmp_path):
    """Adult with and without a header."""
    lines = gzip.decompress((data / "adult" / "adult.data.gz").read_bytes()).decode().split("\n")[:2000]
    names = ",".join(f"column{n}" for n in range(15))
    for head in ([], [names]):
        (tmp_path / "adult.csv").write_text("\n".join([*head, *lines]))
        with pytest.raises(InputError, match="is a table"):
            Transactions.read(tmp_path / "adult.csv")


def test_baskets_are_left_alone(data):
    assert len(Transactions.read(data / "groceries" / "groceries.csv.gz")) == 9835


@pytest.mark.parametrize("seed", range(200))
def test_random_baskets_of_any_lengths_are_left_alone(seed, tmp_path):
    draw = random.Random(seed)
    width = draw.choice([None, 2, 3, 5])
    rows = [draw.sample("abcdefgh", width or draw.randint(0, 6)) for _ in range(40)]
    made = Transactions.from_lists(rows)
    made.write(tmp_path / "b.csv")
    assert Transactions.read(tmp_path / "b.csv") == made


@pytest.mark.parametrize(
    "rows",
    [
        [["1", "000"], ["0", "00"], ["0", "00"]],
        [["age", "sex"], ["20", "F"], ["31", "M"]],
        [["0", "1"], ["0", "1"], ["1", "true"]],
        [['a "b"', "c"], ["x", "y"], ["x", "y"]],
        [[], ["1", "000"], [], ["0", "00"], ["0", "00"]],
        [["p", "q"], ["0", "1"], ["0", "1"], ["a", "b", "c"]],
    ],
)
def test_baskets_of_ours_that_look_like_a_table_read_back(rows, tmp_path):
    made = Transactions.from_lists(rows)
    for name in ("b.csv", "b.csv.gz", "b.tsv"):
        made.write(tmp_path / name)
        assert Transactions.read(tmp_path / name) == made


def test_a_header_in_quotes_is_a_header(tmp_path):
    (tmp_path / "t.csv").write_text('"age","sex"\n20,F\n31,M\n20,F\n')
    with pytest.raises(InputError, match="id= and item="):
        Transactions.read(tmp_path / "t.csv")


def test_lines_of_two_items_are_doubted_unless_the_person_said_what_they_are():
    pairs, more = Transactions.from_lists([["1", "tea"], ["2", "tea"]]), Transactions.from_lists([["1"], ["2", "tea"]])
    said, doubt = reading_notes(pairs, Path("b.csv.gz"), format=None)
    assert said == "read b.csv.gz: 2 records, 3 items"
    assert doubt.startswith("warning: every line was read as a record of two items")
    for found, name, form in ((pairs, "b.csv", "basket"), (pairs, "b.dat", None), (more, "b.csv", None)):
        assert len(reading_notes(found, Path(name), format=form)) == 1
    assert len(reading_notes(pairs, Path("b.csv"), format=None, columns=True)) == 1
    with pytest.raises(InputError, match="holds no records"):
        reading_notes(Transactions.from_lists([]), Path("b.csv"), format=None)


def test_two_marks_between_words_are_named_with_the_line_of_each(tmp_path):
    path = tmp_path / "baskets.csv"
    path.write_text("milk;bread\nbeer;chips\nsoap, liquid;rope\n")
    with pytest.raises(InputError, match=r"line 3: a comma \(first in line 3\) and a semicolon \(first in line 1\)"):
        Transactions.read(path)
