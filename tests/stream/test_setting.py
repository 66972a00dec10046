from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import streaming as oracles

from confide import OutputPrivacy
from confide.core.errors import RequirementError
from confide.stream import NoiseLaw
from confide.stream.setting import Setting, least_law


def promise(epsilon, delta, *, C=25, K=5):
    return OutputPrivacy(epsilon=epsilon, delta=delta, min_support=C, vulnerable=K)


def is_met(alpha, asked):
    try:
        Setting.of(OutputPrivacy(**asked), alpha=alpha)
    except RequirementError:
        return False
    return True


def check_cures(*, alpha="safe", **asked):
    """The cures of a refusal, by parameter: each works, and what is a little nearer to what was asked does not."""
    asked = {"min_support": 25, "vulnerable": 5, **asked}
    with pytest.raises(RequirementError) as refusal:
        Setting.of(OutputPrivacy(**asked), alpha=alpha)
    cures = refusal.value.cures
    assert cures
    for cure in cures:
        assert len(cure) == 1
        assert is_met(alpha, asked | cure), cure
        assert not is_met(alpha, asked | {name: nearer(name, value) for name, value in cure.items()}), cure
    return {name: value for cure in cures for name, value in cure.items()}


def nearer(name, value):
    """One step back towards what was asked: epsilon and C were too small, delta and K too large."""
    return {
        "epsilon": value * 0.99,
        "min_support": value - 1,
        "delta": round(value + 0.001, 3),
        "vulnerable": value + 1,
    }[name]


def test_the_paper_s_least_ratio_is_0_022_not_0_02():  # erratum 1: K=5, C=25, delta=0.4
    assert Setting.of(promise(0.022 * 0.4, 0.4), alpha="paper").law == NoiseLaw.uniform(8)
    cures = check_cures(alpha="paper", epsilon=0.0087, delta=0.4)
    assert cures["epsilon"] == 0.0088
    assert cures["min_support"] == 26
    assert "delta" in cures


@pytest.mark.parametrize(("C", "ratio"), [(25, 0.044), (20, 0.069), (15, 0.1223)])
def test_what_the_safe_alpha_needs(C, ratio):  # erratum 10, delta = 0.2
    Setting.of(promise(ratio * 0.2, 0.2, C=C))
    check_cures(epsilon=(ratio - 0.0015) * 0.2, delta=0.2, min_support=C)


def test_a_ratio_of_0_05_is_feasible_for_every_delta_of_figure_7_and_0_04_for_one():
    for delta in (0.2, 0.4, 0.6, 0.8, 1.0):
        Setting.of(promise(0.05 * delta, delta))
    feasible = []
    for delta in (0.2, 0.4, 0.6, 0.8, 1.0):
        try:
            feasible.append(Setting.of(promise(round(0.04 * delta, 3), delta)) and delta)
        except RequirementError:
            continue
    assert feasible == [0.4]


@given(st.integers(1, 400), st.integers(1, 100))
def test_what_an_error_names_as_nearest_works_and_nothing_nearer_does(delta, K):
    requirement = promise(1e6, delta / 100, C=3 * K, K=K)
    law = Setting.of(requirement).law
    least = (law.variance + law.mean**2) / requirement.min_support**2
    cures = check_cures(epsilon=float(least) * 0.999, delta=delta / 100, min_support=3 * K, vulnerable=K)
    assert "epsilon" in cures


@given(st.sampled_from(["uniform", "triangular", "rademacher"]), st.fractions(Fraction(1, 50), 200, max_denominator=50))
def test_the_law_is_the_narrowest_of_its_kind(kind, variance):
    sizes = {"uniform": NoiseLaw.uniform, "triangular": NoiseLaw.triangular, "rademacher": NoiseLaw.rademacher}
    first = 2 if kind == "uniform" else 1
    wanted = next(law for n in range(first, 200) if (law := sizes[kind](n)).variance >= variance)
    assert least_law(kind, variance) == wanted


@given(
    st.dictionaries(st.integers(-6, 6), st.integers(1, 3), min_size=2, max_size=4).map(NoiseLaw.of),
    st.integers(2, 60),
    st.integers(1, 40),
)
def test_shifts_are_those_within_the_bound_on_precision(law, support, percent):
    epsilon = Fraction(percent, 100)
    if law.variance + law.mean**2 > epsilon * support**2:
        return
    setting = Setting(requirement=promise(percent / 100, 0.001, C=support, K=1), law=law)
    allowed = oracles.shifts(law, epsilon, support)
    assert setting.shifts(support) == (allowed[0], allowed[-1])
    assert [x.tolist() for x in setting.all_shifts(np.array([support]))] == [[allowed[0]], [allowed[-1]]]


@pytest.mark.parametrize("noise", ["uniform", "triangular"])
@pytest.mark.parametrize("shifted", [False, True])
def test_nothing_below_min_support_could_reach_the_threshold(noise, shifted):  # erratum 6
    setting = Setting.of(promise(0.12, 0.4), noise)
    for support in range(15, 25):
        most = setting.shifts(support)[1] if shifted else 0
        assert support + most + setting.law.last < setting.threshold(shifted=shifted)


def test_noise_that_reveals_or_is_too_weak_is_refused():  # erratum 5
    with pytest.raises(RequirementError, match="steps of 7 reveals counts up to vulnerable=5"):
        Setting.of(promise(0.12, 0.4), "rademacher")
    assert Setting.of(promise(0.12, 0.05), "rademacher").law == NoiseLaw.rademacher(3)
    with pytest.raises(RequirementError, match="variance 4, but"):
        Setting.of(promise(0.12, 0.4), NoiseLaw.uniform(7))
    with pytest.raises(RequirementError, match="noise='normal' is unknown; use one of"):
        Setting.of(promise(0.12, 0.4), "normal")


def test_the_requirement_refuses_what_no_noise_can_meet():
    with pytest.raises(
        RequirementError, match=r"epsilon=0\.001 is too small for delta=0\.4, whatever the noise"
    ) as refusal:
        promise(0.001, 0.4)
    assert ["epsilon"] in [list(cure) for cure in refusal.value.cures]
    for cure in refusal.value.cures:
        assert promise(**{"epsilon": 0.001, "delta": 0.4} | cure)
