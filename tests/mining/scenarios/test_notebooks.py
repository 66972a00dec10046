"""What a notebook shows of results: numbers that hold, labels that do no harm."""

import numpy as np
import pytest

from confide.mining import DecisionTree, association_rules, compare_itemsets, frequent_itemsets

NASTY = "<script>alert(1)</script>"
ROWS = [[NASTY, "b"], [NASTY, "b"], ["b"], [NASTY]]


def test_itemsets_rules_and_comparisons_show_their_rows_escaped():
    found = frequent_itemsets(ROWS, min_support=1)
    shown = [found, association_rules(found, min_confidence=0), compare_itemsets(found, found)]
    for result in shown:
        html = result._repr_html_()
        assert "<table>" in html
        assert "<script" not in html
    assert "<td>3</td><td>75.0%</td>" in found._repr_html_()
    assert "<td>66.7%</td>" in shown[1]._repr_html_()
    assert "3 itemsets over 4 records</p>" in found._repr_html_()


def test_of_many_itemsets_a_notebook_shows_some_and_says_so():
    html = frequent_itemsets([range(12)], min_support=1)._repr_html_()
    assert html.count("<tr>") == 21
    assert "4,095 itemsets over 1 records; the 20 of largest support" in html


def test_trees_show_themselves_fitted_or_not():
    assert "not fitted yet" in DecisionTree(min_leaf=3)._repr_html_()
    fitted = DecisionTree(min_branch=1, confidence=None).fit(np.array([[1.0], [2.0]]), [NASTY, "b"])
    assert "<svg" in fitted._repr_html_()
    assert "<script" not in fitted._repr_html_() + fitted.to_svg()
    assert fitted.to_text() == f"x0 <= 1.5: {NASTY} (1 of 1 records)\nx0 > 1.5: b (1 of 1 records)"


@pytest.mark.parametrize("criterion", ["gini", "information_gain"])
def test_importances_are_scikit_learns(criterion):
    sklearn = pytest.importorskip("sklearn.tree")
    draw = np.random.default_rng(3)
    X = draw.integers(0, 10, (300, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] > 9).astype(int)
    rival = sklearn.DecisionTreeClassifier(
        criterion="gini" if criterion == "gini" else "entropy", max_depth=4, random_state=0
    ).fit(X, y)
    same = DecisionTree.from_sklearn(rival).set_params(criterion=criterion)
    assert same.feature_importances_ == pytest.approx(rival.feature_importances_)
    assert DecisionTree(criterion=criterion).fit(X, y).feature_importances_.sum() == pytest.approx(1)
    assert DecisionTree().fit(X, [1] * 300).feature_importances_.tolist() == [0, 0, 0, 0]


def test_plans_choices_and_explorations_show_what_they_say():
    import pyarrow as pa

    from confide import Transactions
    from confide.collect import describe, plan_columns, plan_cut_and_paste, plan_emask, plan_gamma, plan_mask
    from confide.publish import PublishTransactions, explore_transactions

    table = pa.table({"sex": ["F", "M"] * 20, "ill": ["no", "no", "yes", "no"] * 10})
    goals = {"breach": 0.06, "error": 0.03, "slowdown": 5}
    shown = [
        plan_gamma(0.05, 0.5),
        plan_mask(19, fields=6),
        plan_cut_and_paste(19, K=3, fields=6),
        plan_columns(19, {"sex": ["F", NASTY], "ill": ["no", "yes"]}),
        plan_emask(avg_support=0.01, records=1_000_000, goals=goals),
        describe(table),
        explore_transactions(
            PublishTransactions(
                records=Transactions.from_lists([["a", "b"], ["a", "b", "s:x"], ["a"]] * 5),
                k=(2, 3),
                p=1,
                private_prefix=["s:"],
            )
        ),
    ]
    for result in shown:
        html = result._repr_html_()
        assert "<table>" in html
        assert "<script" not in html
    assert "<td>19</td>" in shown[0]._repr_html_()
    assert "gamma-diagonal" in shown[5]._repr_html_()
