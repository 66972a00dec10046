"""Releases that are built on one another, by their passports: whether the chain is whole, and whether it forks.

a  <--  b  <--  c         c names a and b, b names a
        ^
         \\-  d            d names a and b, too: two releases were built on b, and together nobody promises anything
"""

from collections.abc import Sequence

from confide.core.checks import Check
from confide.core.passport import Passport
from confide.core.requirements.earlier_releases import earlier_releases

__all__ = ["check_chain"]


def check_chain(passports: Sequence[Passport | None]) -> list[list[Check]]:
    """For each of several passports (None for one that could not be read) what the others say of its chain; nothing for
    a release that is not built on others and that no other is built on."""
    chains = [None if one is None or one.artefact is None else _chain(one) for one in passports]
    names = {
        one.artefact.sha256: one.artefact.name for one in passports if one is not None and one.artefact is not None
    }
    return [[] if chain is None else _checks(chain, chains, names) for chain in chains]


def _chain(passport: Passport) -> tuple[str, ...]:
    """The hashes of the releases that it is built on, and its own."""
    assert passport.artefact is not None
    return (*earlier_releases(passport.context), passport.artefact.sha256)


def _checks(chain: tuple[str, ...], chains: list[tuple[str, ...] | None], names: dict[str, str]) -> list[Check]:
    known = {one[-1]: one for one in chains if one is not None}
    forks = [one for one in known.values() if one[0] == chain[0] and not _follow(one, chain)]
    found = []
    if len(chain) > 1:
        missing = [one for one in chain[:-1] if one not in known]
        other = [names[one] for i, one in enumerate(chain[:-1]) if one in known and known[one] != chain[: i + 1]]
        detail = f"{len(missing)} missing, the first is {missing[0][:16]}..." if missing else ""
        detail = detail or (f"{', '.join(other)} names others, or in another order" if other else "")
        found.append(
            Check(
                name="the releases it is built on are among these",
                ok=not detail,
                detail=detail or ", ".join(names[one] for one in chain[:-1]),
            )
        )
    if len(chain) > 1 or forks:
        detail = f"so is {', '.join(names[one[-1]] for one in forks)}: the chain forks" if forks else ""
        found.append(Check(name="no other release is built on the same", ok=not forks, detail=detail))
    return found


def _follow(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one of two chains begins with the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
