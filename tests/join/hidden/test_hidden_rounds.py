"""The coordinator's side of hidden comparisons: who stands where in the list of parties, and where each is found."""

import pytest

from confide.core.errors import RequirementError, UsageError
from confide.join.hidden.hidden_comparison import Comparing
from confide.join.hidden.hidden_rounds import Hiding, _reachable


def test_a_coordinator_comes_first_for_nobody_can_call_it_and_a_helper_last():
    own = Comparing("registry")
    assert Hiding(["T1", "T2"], third="registry", own=own).parties == ["registry", "T1", "T2"]
    assert Hiding(["T1", "T2"], third="help", own=own).parties == ["T1", "T2", "help"]
    assert Hiding(["T1", "T2", "T3"], third=None, own=own).parties == ["T1", "T2", "T3"]


def test_two_sites_without_a_third_and_the_gain_ratio_are_refused():
    with pytest.raises(RequirementError, match="three parties"):
        Hiding(["T1", "T2"], third=None, own=Comparing("registry")).check("information_gain")
    with pytest.raises(UsageError, match="gain ratio"):
        Hiding(["T1", "T2", "T3"], third=None, own=Comparing("registry")).check("gain_ratio")


def test_who_listens_everywhere_is_found_where_the_coordinator_knows_it():
    assert _reachable("0.0.0.0:40321", "10.0.0.7") == "10.0.0.7:40321"
    assert _reachable("[::]:40321", "[2001:db8::7]") == "[2001:db8::7]:40321"
    assert _reachable("10.0.0.9:40321", "10.0.0.7") == "10.0.0.9:40321"
