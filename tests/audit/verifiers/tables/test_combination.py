"""Several requirements at once: each part fails by its own name; other sensitive values as knowledge."""

import numpy as np
import pyarrow as pa
import pytest
from tests.audit.verifiers.tables.test_look import checks, holds
from tests.audit.verifiers.test_trees import leaf, tree
from tests.oracles import tables as oracles

from confide import (
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    Passport,
    RecursiveDiversity,
    Release,
    SimpleDiversity,
    TCloseness,
)
from confide.core.errors import VerificationError
from confide.core.stages import STAGES

ROLES = {"q": "quasi-identifier", "s": "sensitive", "t": "sensitive"}
FRAME = pa.table({"q": [1, 1, 1, 1, 2, 2, 2, 2], "s": list("aabbabab"), "t": list("xyxyxxyy")})


def failed(frame, requirement, roles=ROLES):
    return [check.name for check in checks(frame, requirement, roles) if not check.ok]


def test_every_part_is_asked_and_fails_by_name():
    assert failed(FRAME, KAnonymity(k=4) & SimpleDiversity(l=2) & TCloseness(t=0)) == []
    wanted = ["k-anonymity", "simple diversity of 's'", "simple diversity of 't'"]
    assert failed(FRAME, KAnonymity(k=5) & SimpleDiversity(l=3) & TCloseness(t=0)) == wanted


def test_the_roles_are_checked_once():
    names = [check.name for check in checks(FRAME, KAnonymity(k=4) & SimpleDiversity(l=2), ROLES)]
    assert len(set(names)) == len(names)


def test_a_passport_with_several_parts_holds_or_names_what_fails():
    both = KAnonymity(k=4) & SimpleDiversity(l=2)
    release = Release.issue(FRAME, both, stage="by hand", algorithm="by hand", context={"roles": ROLES})
    assert release.passport.promise == both.promise()
    with pytest.raises(VerificationError, match="k-anonymity"):
        Release.issue(
            FRAME, KAnonymity(k=5) & SimpleDiversity(l=2), stage="by hand", algorithm="x", context={"roles": ROLES}
        )


def test_knowing_the_other_values_makes_groups_smaller():
    """In group 1 each of a, b stands with each of x, y; in group 2 as well."""
    assert holds(FRAME, OthersKnown(of=SimpleDiversity(l=2)), ROLES)
    told = FRAME.set_column(2, "t", pa.array(list("xxyyxxyy")))  # group 1: a goes with x, b with y
    assert holds(told, SimpleDiversity(l=2), ROLES)
    assert failed(told, OthersKnown(of=SimpleDiversity(l=2))) == [
        "simple diversity of 's', other sensitive values known",
        "simple diversity of 't', other sensitive values known",
    ]


@pytest.mark.parametrize("seed", range(50))
def test_other_values_known_is_the_requirement_with_more_quasi_identifiers(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 80))
    columns = {name: rng.integers(0, 3, n).tolist() for name in ("q", "s", "t")}
    for of, options in (
        (DistinctDiversity(l=2), {"l": 2}),
        (EntropyDiversity(l=1.5), {"l": 1.5}),
        (RecursiveDiversity(c=3, l=2), {"c": 3, "l": 2}),
        (TCloseness(t=0.4), {"t": 0.4, "ordered": False}),
    ):
        expected = all(
            oracles.holds(oracles.members(columns, ["q", other], name), of.kind, **options)
            for name, other in (("s", "t"), ("t", "s"))
        )
        assert holds(pa.table(columns), OthersKnown(of=of), ROLES) == expected


def test_other_values_need_another_column_and_a_row_per_person():
    one = {"q": "quasi-identifier", "s": "sensitive", "t": "insensitive"}
    assert failed(FRAME, OthersKnown(of=SimpleDiversity(l=2)), one) == ["there are other sensitive columns"]
    persons = FRAME.append_column("p", pa.array([1, 2, 3, 4, 1, 2, 3, 4]))
    assert failed(persons, OthersKnown(of=SimpleDiversity(l=2)), ROLES | {"p": "person"}) == ["other values known"]


def test_a_tree_is_asked_what_can_be_asked_of_trees():
    leaves = tree(leaf(2, 2), leaf(3, 2))

    def answers(requirement):
        passport = Passport.issue(requirement, stage="by hand", algorithm="x")
        return [c for c in STAGES["by hand"].verifier(requirement.kind)(leaves, passport) if not c.ok]

    assert answers(KAnonymity(k=4) & RecursiveDiversity(c=2, l=2)) == []
    assert [c.name for c in answers(KAnonymity(k=5) & RecursiveDiversity(c=2, l=2))] == ["k-anonymity"]
    for requirement in (KAnonymity(k=2) & TCloseness(t=0.9), DistinctDiversity(l=2), OthersKnown(of=TCloseness(t=0.9))):
        (only,) = answers(requirement)
        assert "nobody verifies it of a tree" in only.detail
