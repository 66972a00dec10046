"""Columns, bins and values as options write them."""

import pytest

from confide.cli.collect.declared import parsed_bins, parsed_columns, parsed_values
from confide.core.errors import UsageError


def test_options_are_parsed_and_bad_ones_refused():
    assert parsed_columns("age, sex") == ["age", "sex"]
    assert parsed_columns(None) is None
    assert parsed_bins(["age=35,55", "x=0.5"]) == {"age": (35, 55), "x": (0.5,)}
    assert parsed_values(['work="none, or unknown",some']) == {"work": ["none, or unknown", "some"]}
    for bad in ("age", "age=young", "=3"):
        with pytest.raises(UsageError, match="NAME=EDGE"):
            parsed_bins([bad])
    for bad in ("sex", "sex=f", "sex=f,"):
        with pytest.raises(UsageError, match="NAME=VALUE"):
            parsed_values([bad])
