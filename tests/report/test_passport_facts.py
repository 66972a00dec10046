"""A passport in rows of names and values."""

from confide.report.passport_facts import _requirement


def test_joined_requirements_are_worded_one_by_one():
    both = {"kind": "all-of", "parts": [{"kind": "k-anonymity", "k": 5}, {"kind": "simple-diversity", "l": 2}]}
    assert _requirement(both) == "k-anonymity (k = 5) and simple-diversity (l = 2)"
    assert _requirement({"kind": "others-known", "of": {"kind": "simple-diversity", "l": 2}}) == (
        "others-known: simple-diversity (l = 2)"
    )
