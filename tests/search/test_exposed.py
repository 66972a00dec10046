"""Exposed profiles as others send them: a weight is a number of 0 or more that a double can hold."""

import pytest

from confide.core.errors import InputError
from confide.search import ExposedProfile


@pytest.mark.parametrize("weight", [-0.1, True, "1", None, float("nan"), float("inf"), 10**400])
def test_what_is_no_weight_is_refused(weight):
    good = ExposedProfile().to_dict()
    assert ExposedProfile.from_dict(good) == ExposedProfile()
    with pytest.raises(InputError, match="the weight of pair 0"):
        ExposedProfile.from_dict({**good, "pairs": [{"term": ["tea"], "weight": weight}]})
