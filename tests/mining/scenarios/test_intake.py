"""Mining takes what people have, and answers what it cannot take in one clear line."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from confide import mining
from confide.core.errors import ConfideError, UsageError
from confide.core.transactions.container import Transactions
from confide.mining import SlidingWindow, association_rules, frequent_itemsets

ROWS = [["1", "2"], ["1", "2", "3"], ["3"], ["1"]]
TX = Transactions.from_lists(ROWS)
LISTS = pa.table({"items": ROWS})
LONG = pl.DataFrame({"id": [0, 0, 1, 1, 1, 2, 3], "item": ["1", "2", "1", "2", "3", "3", "1"]})
ONE_HOT = pd.DataFrame([[str(i) in row for i in (1, 2, 3)] for row in ROWS], columns=["1", "2", "3"])
SPARSE = csr_array(np.array([[0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 0, 1], [0, 1, 0, 0]]))
FORMS = {"lists": ROWS, "arrow": LISTS, "polars": LONG, "pandas": ONE_HOT, "sparse": SPARSE}


@pytest.mark.parametrize("form", [*FORMS, "path"])
def test_every_form_of_records_is_mined_alike(form, tmp_path):
    TX.write(tmp_path / "rows.jsonl")
    data = tmp_path / "rows.jsonl" if form == "path" else FORMS[form]
    found = frequent_itemsets(TX, min_support=2)
    assert frequent_itemsets(data, min_support=2).as_dict() == found.as_dict()
    assert mining.count_itemsets(data, min_support=2) == {1: 3, 2: 1}
    assert mining.itemset_supports(data, [["1", "2"], ["3"]]).tolist() == [2, 2]
    assert mining.subset_supports(data, [["1", "2"]]).support_of(["1"]) == 3
    rules = association_rules(data, min_support=2, min_confidence=0.5)
    assert set(rules) == set(association_rules(found, min_confidence=0.5))
    window = SlidingWindow(size=3, min_support=2)
    window.learn_many(data)
    assert window.closed().as_dict() == frequent_itemsets(ROWS[1:], min_support=2, kind="closed").as_dict()


def test_frames_of_results_hold_frozensets_in_pandas_and_lists_elsewhere():
    found = frequent_itemsets(ROWS, min_support=2).sorted()
    assert found.to_pandas()["items"].tolist()[-1] == frozenset({"1", "2"})
    assert found.to_pandas().set_index("items")["support"][frozenset({"1", "2"})] == 2
    assert found.to_polars()["items"].to_list()[-1] == ["1", "2"]
    assert found.to_arrow()["items"].to_pylist()[-1] == ["1", "2"]
    rules = association_rules(found, min_confidence=0.9)
    assert rules.to_pandas()[["antecedent", "consequent"]].values.tolist() == [[frozenset({"2"}), frozenset({"1"})]]
    assert len(frequent_itemsets(ROWS, min_support=9).to_pandas()) == 0


def test_rules_of_records_need_a_support_and_rules_of_itemsets_take_none():
    with pytest.raises(UsageError, match="records with min_support; got list without min_support"):
        association_rules(ROWS, min_confidence=0.5)
    with pytest.raises(UsageError, match="these itemsets are mined already"):
        association_rules(frequent_itemsets(ROWS, min_support=2), min_confidence=0.5, min_support=2)


FOUND = frequent_itemsets(ROWS, min_support=1)
X = np.array([[1.0], [2.0]])
CALLS = {
    "frequent_itemsets": lambda x: frequent_itemsets(x, min_support=1),
    "frequent_itemsets kind": lambda x: frequent_itemsets(ROWS, min_support=1, kind=x),
    "count_itemsets": lambda x: mining.count_itemsets(x, min_support=1),
    "association_rules": lambda x: association_rules(x, min_confidence=0.5),
    "association_rules of records": lambda x: association_rules(x, min_confidence=0.5, min_support=1),
    "compare_itemsets true": lambda x: mining.compare_itemsets(x, FOUND),
    "compare_itemsets estimated": lambda x: mining.compare_itemsets(FOUND, x),
    "expand_closed": mining.expand_closed,
    "itemset_supports records": lambda x: mining.itemset_supports(x, [["a"]]),
    "itemset_supports sets": lambda x: mining.itemset_supports(ROWS, x),
    "subset_supports records": lambda x: mining.subset_supports(x, [["a"]]),
    "subset_supports sets": lambda x: mining.subset_supports(ROWS, x),
    "SlidingWindow min_support": lambda x: SlidingWindow(size=5, min_support=[x]),
    "SlidingWindow.learn_many": lambda x: SlidingWindow(size=5, min_support=1).learn_many(x),
    "SlidingWindow.from_bytes": SlidingWindow.from_bytes,
    "TimeWindow span": lambda x: mining.TimeWindow(span=[x], min_support=1),
    "TimeWindow min_support": lambda x: mining.TimeWindow(span=5, min_support=[x]),
    "TimeWindow.learn_many": lambda x: mining.TimeWindow(span=5, min_support=1).learn_many(x, [0.0, 1.0]),
    "TimeWindow.learn_many times": lambda x: mining.TimeWindow(span=5, min_support=1).learn_many([["a"]], x),
    "DecisionTree.fit": lambda x: mining.DecisionTree().fit(x, [0, 1]),
    "DecisionTree.predict": lambda x: mining.DecisionTree().fit(X, [0, 1]).predict(x),
    "DecisionTree.from_json": mining.DecisionTree.from_json,
    "DecisionTree.from_published": mining.DecisionTree.from_published,
    "DecisionTree.from_sklearn": mining.DecisionTree.from_sklearn,
    "DecisionTree categorical": lambda x: mining.DecisionTree(categorical=[x]).fit(X, [0, 1]),
    "DecisionTree confidence": lambda x: mining.DecisionTree(confidence=[x]).fit(X, [0, 1]),
    "Itemsets.top": lambda x: FOUND.top([x]),
    "Rules.top": lambda x: association_rules(FOUND, min_confidence=0).top([x]),
}


def test_every_public_name_is_tried_with_wrong_types():
    results = {"Comparison"}  # nobody makes one by hand
    assert {call.partition(" ")[0].partition(".")[0] for call in CALLS} >= set(mining.__all__) - results


@pytest.mark.parametrize("wrong", [7, None, "x", object(), [1, 2]], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_type_gets_a_clear_line(call, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfideError) as caught:
        CALLS[call](wrong)
    assert "\n" not in str(caught.value)
