import datetime

import pyarrow as pa
import pytest

from confide.publish.tables.proposal.facts import facts_of


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "whole"),
        ([1.5, None], "number"),
        (["1", "22", ""], "whole"),
        (["01234", "99999"], "code"),
        (["0.5", "3"], "number"),
        (["2026-11-15"], "date"),
        ([datetime.date(2026, 11, 15)], "date"),
        (["a@b.org", "+49 30 1234567"], "contact"),
        (["a@b.org", "none"], "text"),
        (["x", "y"], "text"),
        (["", None], "text"),
        (pa.array(["x", "y"]).dictionary_encode(), "text"),
        ([True, False], "text"),
    ],
)
def test_the_kind_is_the_narrowest_that_fits_every_value(values, kind):
    assert facts_of("c", pa.chunked_array([values])).kind == kind


def test_values_are_counted():
    facts = facts_of("c", pa.chunked_array([["5", "7", "7", "", None]]))
    assert (facts.rows, facts.missing, facts.different, facts.unique) == (5, 2, 2, 1)
    assert (facts.low, facts.high) == (5, 7)


def test_nearly_unique_needs_enough_rows():
    assert facts_of("c", pa.chunked_array([[str(n) for n in range(20)]])).nearly_unique
    assert not facts_of("c", pa.chunked_array([[str(n) for n in range(19)]])).nearly_unique
    assert not facts_of("c", pa.chunked_array([[str(n % 15) for n in range(20)]])).nearly_unique
