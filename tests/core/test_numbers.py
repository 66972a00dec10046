"""NumPy's numbers are numbers, in every requirement and scheme."""

import numpy as np
import pytest

from confide import Amplification, Coherence, KAnonymity
from confide.collect import Bins, CutAndPaste, Emask, GammaDiagonal, Mask, MatrixScheme, Scheme
from confide.core.errors import RequirementError
from confide.core.requirements.base import Requirement

SCHEMES = [
    (Mask, {"p": 0.75, "max_length": 2}, {"items": tuple("abc")}),
    (Emask, {"p": 0.5, "q": 0.875, "max_length": 1}, {"items": tuple("abc")}),
    (CutAndPaste, {"K": 2, "rho": 0.25, "max_length": 2}, {"items": tuple("abc")}),
    (GammaDiagonal, {"gamma": 19, "alpha": 0.125}, {"domains": [2, 3]}),
]


def as_numpy(value):
    if isinstance(value, bool):
        return np.bool_(value)
    return np.int64(value) if isinstance(value, int) else np.float64(value)


@pytest.mark.parametrize(("cls", "numbers", "rest"), SCHEMES, ids=lambda part: getattr(part, "__name__", ""))
def test_a_scheme_of_numpy_numbers_is_the_scheme_of_pythons(cls, numbers, rest):
    made = cls(**{name: as_numpy(value) for name, value in numbers.items()}, **rest)
    assert made == cls(**numbers, **rest)
    assert Scheme.from_json(made.to_json()).fingerprint == made.fingerprint
    assert cls(**{name: np.array(value) for name, value in numbers.items()}, **rest) == made  # no axes: a number
    assert made.amplification() == cls(**numbers, **rest).amplification()


def test_edges_and_matrices_may_be_arrays():
    edges = GammaDiagonal(domains={"age": Bins(tuple(np.array([35, 55])))}, gamma=np.float32(19))
    assert edges == GammaDiagonal(domains={"age": Bins((35, 55))}, gamma=19)
    assert Scheme.from_json(edges.to_json()) == edges
    assert MatrixScheme(domains=[2], matrix=np.array([[0.75, 0.25], [0.25, 0.75]])).amplification().gamma == 3


EXAMPLES = {
    "amplification": {"gamma": 19.0},
    "coherence": {"h": 0.5, "k": 3, "p": 2},
    "k-anonymity": {"k": 3},
    "simple-diversity": {"l": 2},
    "recursive-diversity": {"c": 2.0, "l": 2},
    "distinct-diversity": {"l": 2},
    "entropy-diversity": {"l": 2.5},
    "alpha-k-anonymity": {"alpha": 0.5, "k": 3},
    "t-closeness": {"t": 0.25, "ordered": True},
    "beta-likeness": {"beta": 1.5, "enhanced": True},
    "delta-disclosure": {"delta": 0.5},
    "k-map": {"k": 3},
    "k-map-by-size": {"k": 3, "population": 100, "sample": 10},
    "delta-presence": {"low": 0.1, "high": 0.5},
    "exposure": {"min_detail": 0.5},
    "output-privacy": {"epsilon": 0.1, "delta": 0.4, "min_support": 25, "vulnerable": 5},
    "limited-exchange": {"min_records": 5},
}


@pytest.mark.parametrize("cls", [cls for cls in Requirement.kinds().values() if cls.kind in EXAMPLES])
def test_a_requirement_of_numpy_numbers_is_the_requirement_of_pythons(cls):
    numbers = EXAMPLES[cls.kind]
    made = cls(**{name: as_numpy(value) for name, value in numbers.items()})
    assert made == cls(**numbers)
    assert {name: type(value) for name, value in made.to_dict().items() if name in numbers} == {
        name: type(value) for name, value in numbers.items()
    }


def test_a_numpy_number_out_of_range_is_refused_as_pythons_is():
    for make in (lambda: Mask(p=np.float64(1.5)), lambda: KAnonymity(k=np.int64(1)), lambda: Emask(p=np.nan, q=0.5)):
        with pytest.raises(RequirementError):
            make()
    assert Amplification.from_breach(np.float64(0.05), np.float32(0.5)) == Amplification(gamma=19)
    assert Coherence(h=np.float64(0.5), k=np.int32(3), p=np.inf).p == np.inf


def test_a_whole_number_that_no_double_holds_is_refused_in_a_line():
    with pytest.raises(RequirementError, match="erases the data or sets no bound"):
        Amplification(gamma=10**400)
