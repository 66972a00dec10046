import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import (
    AllOf,
    AlphaK,
    Amplification,
    BetaLikeness,
    Coherence,
    DeltaDisclosure,
    DeltaPresence,
    DistinctDiversity,
    EntropyDiversity,
    Exposure,
    KAnonymity,
    KMap,
    KMapBySize,
    KMapByWeight,
    LimitedExchange,
    OthersKnown,
    OutputPrivacy,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.core.bounds import at_least, at_most, share_at_least, share_at_most
from confide.core.errors import InputError, RequirementError
from confide.core.requirements import Requirement

EXAMPLES = [
    Coherence(h=0.6, k=3, p=4),
    Coherence(h=1, k=2, p=math.inf),
    KAnonymity(k=5),
    LimitedExchange(min_records=3),
    SimpleDiversity(l=3),
    RecursiveDiversity(c=2, l=3),
    AlphaK(alpha=0.4, k=3),
    DistinctDiversity(l=3),
    EntropyDiversity(l=2.5),
    TCloseness(t=0.2, ordered=True),
    BetaLikeness(beta=1.5, enhanced=True),
    DeltaDisclosure(delta=1.2),
    KMap(k=10),
    DeltaPresence(low=0.1, high=0.3),
    KMapBySize(k=10, population=1000, sample=100),
    KMapByWeight(k=10, weight="w"),
    OthersKnown(of=EntropyDiversity(l=3)),
    AllOf(parts=(KAnonymity(k=5), RecursiveDiversity(c=3, l=3), OthersKnown(of=TCloseness(t=0.3)))),
    Amplification(gamma=19),
    OutputPrivacy(epsilon=0.01, delta=0.4, min_support=25, vulnerable=5),
    Exposure(min_detail=0.3),
]


@pytest.mark.parametrize("requirement", EXAMPLES, ids=lambda r: r.kind)
def test_every_requirement_round_trips_and_speaks(requirement):
    assert Requirement.from_dict(requirement.to_dict()) == requirement
    assert eval(repr(requirement), {**globals(), "inf": math.inf}) == requirement
    assert requirement.promise().endswith(".")
    assert requirement.stops
    assert requirement.does_not_stop
    assert requirement.in_other_terms()


def test_every_kind_has_an_example_here():
    assert {type(r) for r in EXAMPLES} == set(Requirement.kinds().values())


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (Coherence, {"h": 0.5, "k": 1, "p": 3}),
        (Coherence, {"h": 0, "k": 2, "p": 3}),
        (Coherence, {"h": 1.1, "k": 2, "p": 3}),
        (Coherence, {"h": math.nan, "k": 2, "p": 3}),
        (Coherence, {"h": 0.5, "k": 2, "p": 0}),
        (Coherence, {"h": 0.5, "k": 2, "p": 2.5}),
        (Coherence, {"h": 0.5, "k": True, "p": 2}),
        (LimitedExchange, {"min_records": 0}),
        (KAnonymity, {"k": 1}),
        (KAnonymity, {"k": "3"}),
        (SimpleDiversity, {"l": 1}),
        (RecursiveDiversity, {"c": 0, "l": 2}),
        (RecursiveDiversity, {"c": 2, "l": 1}),
        (DistinctDiversity, {"l": 1}),
        (EntropyDiversity, {"l": 1}),
        (EntropyDiversity, {"l": math.inf}),
        (AlphaK, {"alpha": 0, "k": 2}),
        (AlphaK, {"alpha": 1, "k": 2}),
        (AlphaK, {"alpha": 0.5, "k": 1}),
        (TCloseness, {"t": 1}),
        (TCloseness, {"t": -0.1}),
        (TCloseness, {"t": 0.1, "ordered": 1}),
        (BetaLikeness, {"beta": 0}),
        (BetaLikeness, {"beta": 1, "enhanced": "yes"}),
        (DeltaDisclosure, {"delta": 0}),
        (DeltaDisclosure, {"delta": 1e300}),
        (KMap, {"k": 1}),
        (DeltaPresence, {"low": 0.5, "high": 0.2}),
        (DeltaPresence, {"low": 0, "high": 1}),
        (DeltaPresence, {"low": 0, "high": 0}),
        (KMapBySize, {"k": 5, "population": 10, "sample": 11}),
        (KMapBySize, {"k": 5, "population": 10, "sample": 0}),
        (KMapByWeight, {"k": 5, "weight": ""}),
        (OthersKnown, {"of": KAnonymity(k=2)}),
        (OthersKnown, {"of": OthersKnown(of=SimpleDiversity(l=2))}),
        (OthersKnown, {"of": {"kind": "simple-diversity", "l": 2}}),
        (AllOf, {"parts": (KAnonymity(k=2),)}),
        (AllOf, {"parts": (KAnonymity(k=2), KAnonymity(k=2))}),
        (AllOf, {"parts": (KAnonymity(k=2), Exposure(min_detail=0.1))}),
        (AllOf, {"parts": 5}),
        (AllOf, {"parts": tuple(KAnonymity(k=k) for k in range(2, 20))}),
        (Amplification, {"gamma": 1}),
        (Amplification, {"gamma": math.inf}),
        (OutputPrivacy, {"epsilon": 0, "delta": 1, "min_support": 9, "vulnerable": 3}),
        (OutputPrivacy, {"epsilon": 1, "delta": 1, "min_support": 3, "vulnerable": 3}),
        (Exposure, {"min_detail": -0.1}),
    ],
)
def test_parameters_that_make_no_sense_are_refused_with_advice(make, options):
    with pytest.raises(RequirementError, match="use "):
        make(**options)


def test_breach_levels_give_gamma_and_epsilon():  # FRAPP, (5%, 50%)
    requirement = Amplification.from_breach(0.05, 0.5)
    assert requirement.gamma == 19
    assert round(requirement.epsilon, 3) == 2.944
    assert requirement.posterior(0.05) == pytest.approx(0.5)
    with pytest.raises(RequirementError):
        Amplification.from_breach(0.5, 0.05)


@pytest.mark.parametrize(
    ("gamma", "times", "share"),
    [(19, "19", "50%"), (19.3, "19.3", "50.4%"), (19.00004, "19.0001", "50.1%"), (2.47e7, "2.47e+07", "100%")],
)
def test_an_amplification_is_rounded_to_the_safe_side(gamma, times, share):
    requirement = Amplification(gamma=gamma)
    assert f"a factor of {times}" in requirement.promise()
    said = "may become all but certain" if share == "100%" else f"never rises above {share}"
    assert requirement.promise().endswith(f" a suspicion of 5% {said}.")
    assert requirement.in_other_terms()["(rho1, rho2)"].startswith(f"5% to {share}, 1% to ")


@given(st.floats(1.001, 1e5))
def test_no_bound_of_an_amplification_is_too_small(gamma):
    requirement = Amplification(gamma=gamma)
    said = requirement.in_other_terms()
    noise = 1 + 2e-12
    assert float(said["gamma"].partition(":")[0]) * noise >= gamma
    assert float(said["epsilon"].partition(":")[0]) * noise >= requirement.epsilon
    assert float(requirement.promise().rpartition(" ")[2].rstrip("%.")) * noise >= 100 * requirement.posterior(0.05)


def test_what_an_amplification_does_not_stop_is_all_named():
    """The four limits that the guide says every passport names."""
    for text in ("draw its noise as the scheme says", "several fresh answers", "true of everybody", "took part"):
        assert any(text in limit for limit in Amplification(gamma=19).does_not_stop)
    assert any("(two: 361)" in limit for limit in Amplification(gamma=19).does_not_stop)
    assert Amplification(gamma=1e300).does_not_stop  # whose square is no number


def test_the_sentences_of_a_requirement_have_their_numbers_filled_in():
    said = Coherence(h=1 / 3, k=3, p=2)
    assert said.promise() == (
        "Someone who knows up to 2 public items of a person finds at least 3 matching records, or none; "
        "no private item is in more than 33.4% of those."  # not 33.3%, which would promise more
    )
    assert all("2 public items" in who for who in (*said.stops, said.does_not_stop[0]))
    assert said.in_other_terms()["chance to pick the right record"] == "at most 33.4% (1/3)"
    assert not any(word in text for text in said.stops for word in (" p ", " k ", " h "))


def test_without_a_bound_on_private_items_none_is_claimed():
    stops, does_not = Coherence(h=1, k=2, p=1).stops, Coherence(h=1, k=2, p=1).does_not_stop
    assert not any("private" in who for who in stops)
    assert any("h = 1 sets no bound" in who for who in does_not)
    assert not any("sets no bound" in who for who in Coherence(h=0.9, k=2, p=1).does_not_stop)


def test_nobody_can_know_more_than_any_number_of_items():
    assert not any("more than" in who for who in Coherence(h=0.5, k=2, p=math.inf).does_not_stop)
    assert any("more than 1 public item " in who for who in Coherence(h=0.5, k=2, p=1).does_not_stop)


@given(st.floats(1e-9, 1), st.integers(1, 6))
def test_a_bound_as_text_is_never_better_than_the_bound(value, digits):
    noise = 1e-11
    assert float(at_most(value, digits)) * (1 + noise) >= value >= float(at_least(value, digits)) * (1 - noise)
    up, down = (float(text.rstrip("%")) / 100 for text in (share_at_most(value), share_at_least(value)))
    assert up * (1 + noise) >= value >= down * (1 - noise)


@given(st.integers(1, 10**9), st.integers(1, 1000))
def test_the_share_of_private_items_is_compared_in_whole_numbers(support, thousandths):
    # h * support in floating point is off by one in cases such as 0.29 * 100 = 28.999999999999996.
    assert Coherence(h=thousandths / 1000, k=2, p=1).most_private(support) == thousandths * support // 1000


def test_a_mole_occurs_and_is_too_rare_or_tells_too_much():
    requirement = Coherence(h=0.5, k=3, p=2)
    assert not requirement.is_mole(support=0, private=0)
    assert requirement.is_mole(support=2, private=0)
    assert requirement.is_mole(support=4, private=3)
    assert not requirement.is_mole(support=4, private=2)


@pytest.mark.parametrize(
    "data", [{}, {"kind": "magic"}, {"kind": "k-anonymity"}, {"kind": "k-anonymity", "k": 3, "x": 1}]
)
def test_a_requirement_that_cannot_be_read_says_so(data):
    with pytest.raises(InputError):
        Requirement.from_dict(data)


def test_a_limited_exchange_promises_records_of_entries():
    assert LimitedExchange().promise() == (
        "Only shared join values, class labels, class counts by shared join value, scores (or shares of them) and the "
        "shape of the tree crossed between sites; where a join value is one person's, its class count is that person's "
        "class."
    )
    assert (
        "class counts by shared join value in entries of at least 5 records, "
        in LimitedExchange(min_records=5).promise()
    )


@pytest.mark.parametrize("rho1", [1e-320, 5e-324])
def test_a_breach_that_bounds_nothing_is_refused_in_a_line(rho1):
    with pytest.raises(RequirementError, match="bound nothing"):
        Amplification.from_breach(rho1, 0.5)
