"""Class counts of nodes are summaries too: a policy's `min_records` holds for them."""

import pyarrow as pa
import pytest
from tests.join.sites import run_of

from confide.core.errors import CannotMeetError
from confide.join.protocol.policy import Policy

FRAMES = {
    "T1": pa.table({"k": ["a"] * 6, "x": [1, 2, 3, 4, 5, 6], "class": list("yyyyyn")}),
    "T2": pa.table({"k": ["a", "c"]}),
}
JOINS = [(("T1", ("k",)), ("T2", ("k",)))]


def test_a_leaf_on_too_few_rows_stops_the_run_before_its_counts_leave_the_site():
    # The best split cuts off record 6, alone in its leaf; the last level sends no split summary that would be checked.
    options = {"min_branch": 1, "max_depth": 1, "confidence": None}
    alone, _ = run_of(FRAMES, JOINS, ("T1", "class"), **options)
    assert [sum(node.counts) for node in alone.train().nodes] == [6, 5, 1]
    kept, _ = run_of(FRAMES, JOINS, ("T1", "class"), policies={"T1": Policy(min_records=2)}, **options)
    with pytest.raises(CannotMeetError, match="1 of 2 entries of a class count to coordinator would have fewer"):
        kept.train()
