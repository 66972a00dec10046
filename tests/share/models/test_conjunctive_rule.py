"""One rule: found where there is one, shortened where tests do not pay."""

import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import UsageError
from confide.share.models.conjunctive_rule import ConjunctiveRule


def test_a_rule_that_made_the_data_is_found():
    rng = np.random.default_rng(1)
    a, b, n = rng.choice(list("uvw"), 600), rng.choice(list("xy"), 600), rng.uniform(0, 100, 600)
    y = np.where((a == "u") & (n > 40), "hit", "miss")
    rule = ConjunctiveRule().fit(pa.table({"a": a, "b": b, "n": n}), y)
    assert {test.column for test in rule.tests_} == {"a", "n"}
    assert (rule.then_, rule.otherwise_) == ("hit", "miss")
    assert np.mean(rule.predict(pa.table({"a": a, "b": b, "n": n})) == y) > 0.97


def test_noise_gives_no_rule_worth_keeping():
    rng = np.random.default_rng(2)
    table = pa.table({"a": rng.choice(list("uvw"), 900), "b": rng.choice(list("xy"), 900)})
    y = np.where(rng.random(900) < 0.8, "often", "seldom")
    rule = ConjunctiveRule().fit(table, y)
    assert set(rule.predict(table)) == {"often"}


def test_chances_are_the_shares_of_the_side():
    table = pa.table({"a": ["u"] * 30 + ["v"] * 30})
    rule = ConjunctiveRule().fit(table, ["p"] * 30 + ["q", "q", "q", "p", "q"] * 6)
    assert rule.classes_.tolist() == ["p", "q"]
    assert sorted({tuple(row) for row in rule.predict_proba(table).tolist()}) == [(0.2, 0.8), (1.0, 0.0)]


def test_a_table_without_the_column_is_refused():
    rule = ConjunctiveRule().fit(pa.table({"a": ["u", "v"] * 10}), ["p", "q"] * 10)
    with pytest.raises(UsageError, match="no column 'a'"):
        rule.predict(pa.table({"b": ["u"]}))
