"""Verify k-anonymity and (alpha, k)-anonymity: how many rows, or persons, look alike.

Source: paper 002, Definition 2; Wong et al. 2006.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from confide.audit.verifiers.tables.look import TableLook, all_pass, verified
from confide.core.artefacts import type_of
from confide.core.checks import Check
from confide.core.passport import Passport
from confide.core.requirements import AlphaK, KAnonymity, Requirement

__all__ = ["judge_alpha_k", "judge_k_anonymity", "verify_alpha_k", "verify_k_anonymity"]


def verify_k_anonymity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """Each combination of quasi-identifier values is shared by k rows (or persons), each leaf of a tree by k."""
    requirement = Requirement.from_dict(passport.requirement)
    if type_of(artefact) != "tree" or not isinstance(requirement, KAnonymity):
        yield from verified(artefact, passport, KAnonymity, judge_k_anonymity)
        return
    from confide.audit.verifiers.trees import k_anonymity_of_tree

    yield from k_anonymity_of_tree(artefact, requirement)


def judge_k_anonymity(look: TableLook, requirement: KAnonymity) -> Iterator[Check]:
    """k-anonymity of the groups."""
    yield all_pass("k-anonymity", look, look.sizes >= requirement.k, f"k={requirement.k}")


def verify_alpha_k(artefact: Any, passport: Passport) -> Iterator[Check]:
    """k-anonymity, and in each group no value of a sensitive column holds more than alpha of the rows (or persons)."""
    return verified(artefact, passport, AlphaK, judge_alpha_k)


def judge_alpha_k(look: TableLook, requirement: AlphaK) -> Iterator[Check]:
    """(alpha, k)-anonymity of the groups, column by column."""
    yield all_pass("k-anonymity", look, look.sizes >= requirement.k, f"k={requirement.k}")
    sizes, place = np.unique(look.sizes, return_inverse=True)
    most = np.array([requirement.most_allowed(int(size)) for size in sizes], dtype=np.int64)[place]
    for name in look.sensitive:
        yield all_pass(
            f"share of each value of {name!r}", look, look.tally(name).tops <= most, f"alpha={requirement.alpha:g}"
        )
