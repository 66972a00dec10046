"""One entry for each kind of artefact: every container names one, and what was saved is loaded again."""

from typing import get_args

import pyarrow as pa
import pytest

from confide import Transactions
from confide.core.artefacts.kinds import KINDS, load, read_released, same_data, save, type_of
from confide.core.artefacts.names import KindName
from confide.core.errors import InputError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.stages import STAGES

SAVED = {
    "transactions": (Transactions.from_lists([["a", "b"], ["b"]]), "x.csv"),
    "itemsets": (Itemsets.from_pairs([(("a",), 2)], n_transactions=3), "x.jsonl"),
    "table": (pa.table({"age": ["20-29", "30-39"]}), "x.csv"),
    "json": ({"a": [1, 2]}, "x.json"),
}


def test_a_passport_may_name_every_kind_and_no_other():
    assert set(get_args(KindName)) == set(KINDS)


def test_stages_release_kinds_that_exist():
    assert {kind for stage in STAGES.values() for kind in stage.artefacts} <= set(KINDS)


def test_every_kind_can_be_read_by_a_stranger():
    assert all(kind.read is not None or kind.open is not None for kind in KINDS.values())


@pytest.mark.parametrize("kind", SAVED)
def test_what_was_saved_is_loaded_and_read_again(tmp_path, kind):
    data, name = SAVED[kind]
    assert type_of(data) == kind
    format = save(data, tmp_path / name)
    loaded = load(tmp_path / name, type=kind, format=format)
    assert type_of(loaded) == kind
    if kind != "transactions":
        assert same_data(read_released((tmp_path / name).read_bytes(), name, type=kind).data, data, type=kind)


def test_only_baskets_have_a_choice_of_format(tmp_path):
    with pytest.raises(UsageError, match="a json has no choice of format"):
        save({}, tmp_path / "x.json", format="long")
    assert save(SAVED["transactions"][0], tmp_path / "x.csv", format="long") == "long"


def test_what_is_no_artefact_is_refused():
    with pytest.raises(InputError):
        type_of(3)
