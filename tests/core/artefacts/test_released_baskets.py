"""Released records of items are read as they were written, by whatever mark their items are divided."""

from pathlib import Path

import numpy as np
import pytest
from tests.amounts import some
from tests.commands import confide

from confide.core.artefacts.kinds import save
from confide.core.artefacts.released_baskets import open_records
from confide.core.errors import InputError
from confide.core.runtime.memory import MemoryBudget
from confide.core.transactions.container import Transactions


def reopened(data: bytes, name: str = "t.csv") -> Transactions:
    found, _ = open_records(data, Path(name), budget=MemoryBudget.for_file(len(data)))
    return found


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("seed", some(range(30), every=3))
def test_baskets_are_read_back_whatever_divides_their_items(tmp_path, mark, seed):
    draw = np.random.default_rng(seed)
    labels = ["1,5", "a;b", "x\ty", 'q"', "id", "é", "1", "02"]
    rows = [[label for label in labels if draw.random() < 0.3] for _ in range(int(draw.integers(1, 30)))]
    single = [[label] for label in labels] * 200  # no mark divides anything in the first block
    records = Transactions.from_lists(single * (seed % 2) + rows)
    save(records, tmp_path / "t.csv", delimiter=mark)
    again = reopened((tmp_path / "t.csv").read_bytes())
    assert list(again) == list(records)
    if any(len(row) > 1 for row in rows):
        assert list(Transactions.read(tmp_path / "t.csv", format="basket")) == list(records)


@pytest.mark.parametrize("text", ["a;b\nc,d\n", "a,b\nc;d\n", "a;b\nc\td\n", 'a;"b"\n', "a;b;\n", "a; b\n"])
def test_two_marks_or_needless_ones_are_not_as_we_write(text):
    with pytest.raises(InputError, match="not as Confide writes it"):
        reopened(text.encode())


@pytest.mark.parametrize("form", ["baskets", "long"])
def test_a_release_has_the_mark_of_the_file_it_was_made_from(tmp_path, form):
    rows = [["bread", "milk"]] * 9 + [["bread"]]
    if form == "long":
        lines = ["invoice;product;price"] + [f"{n};{item};1,50" for n, row in enumerate(rows) for item in row]
        options = ["--id", "invoice", "--item", "product"]
    else:
        lines, options = [";".join(row) for row in rows] + ["bread;milk;eggs"], []
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    words = ["publish", "transactions", "in.csv", "--k", "2", "--p", "1", "--h", "1", "-o", "out.csv", *options]
    assert confide(*words, cwd=tmp_path).returncode == 0
    assert "bread;milk\n" in (tmp_path / "out.csv").read_text()
    assert confide("verify", "out.csv.passport.json", cwd=tmp_path).returncode == 0
