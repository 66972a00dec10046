import pytest

from confide import OutputPrivacy
from confide.core.errors import InputError, RequirementError
from confide.core.itemsets.container import Itemsets
from confide.stream import NoiseLaw, choose_noise

REQUIREMENT = OutputPrivacy(epsilon=0.12, delta=0.4, min_support=25, vulnerable=5)
WEAK = OutputPrivacy(epsilon=0.12, delta=0.05, min_support=25, vulnerable=5)


def window(*supports):
    return Itemsets.from_pairs([((f"i{i}",), t) for i, t in enumerate(supports)], n_transactions=1000)


DENSE, SPARSE = window(25, 26, 27, 30, 33), window(25, 60, 100, 400)


def test_rules_of_thumb_of_section_7():
    triangular = NoiseLaw.triangular(7)
    assert choose_noise(DENSE, REQUIREMENT) == triangular
    assert choose_noise(SPARSE, REQUIREMENT, keep="ratio") == triangular
    # two-point noise would be next, but reveals; uniform is the narrowest that does not
    assert choose_noise(SPARSE, REQUIREMENT) == NoiseLaw.uniform(11)
    assert choose_noise(DENSE, REQUIREMENT, keep="ratio") == NoiseLaw.uniform(11)
    assert choose_noise(SPARSE, WEAK) == NoiseLaw.rademacher(3)


def test_what_gives_no_gap_or_is_unknown_is_refused():
    with pytest.raises(InputError, match="no gap"):
        choose_noise(window(24, 25), REQUIREMENT)
    with pytest.raises(RequirementError, match="use 'order' or 'ratio'"):
        choose_noise(DENSE, REQUIREMENT, keep="both")
