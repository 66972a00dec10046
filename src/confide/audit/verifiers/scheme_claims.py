"""What a passport states of a scheme besides gamma, worked out again from the scheme and the records.

fingerprint         sha256 of the scheme with sorted keys and no blanks
parameters          the scheme's own numbers, its epsilon, and gamma for one item swapped for another
loss                how many records, how long, how often one stays as it was, and condition numbers by length

A condition number is that of the matrix that takes true counts to expected perturbed ones: the largest singular value
over the smallest (paper 003, section 4.4).
"""

import hashlib
import math
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from confide.core.bounds import at_most
from confide.core.checks import Check, Findings
from confide.core.figures import Figure, Figures, Unit
from confide.core.json_text import canonical_json
from confide.core.passport import Passport
from confide.core.requirements import Amplification, Requirement

__all__ = ["claim_checks"]

_NOISE = 1e-9  # relative: what another order of the same sums may differ by
_DIGITS = 1e-5  # relative: condition numbers are stated with six digits
_PREFIX = "condition_number_length_"


def claim_checks(
    passport: Passport, scheme: Mapping[str, Any], *, epsilon: float, records: int, mean_length: float | None
) -> Iterator[Check]:
    """Every number of the passport that follows from scheme and records is the one that follows."""
    stated = passport.parameters
    real = {**_numbers(scheme), "epsilon": epsilon, "per_item": _per_item(scheme)}
    faults = [] if passport.algorithm == scheme["scheme"] else ["algorithm"]
    if "fingerprint" in stated and stated["fingerprint"] != _fingerprint(scheme):
        faults.append("fingerprint")
    faults += [name for name in stated if name != "fingerprint" and not _same(stated[name], real.get(name))]
    settled = Findings(settled=frozenset({"parameters", "algorithm"}))
    yield _check("its parameters are the scheme's", faults, known={*real, "fingerprint", "algorithm"}, findings=settled)

    real = {"records": records, "mean_length": mean_length, **_law(scheme)}
    known = {*real}
    faults = []
    for name, value in passport.loss.items():
        length = name.removeprefix(_PREFIX)
        if name.startswith(_PREFIX) and length in ("1", "2", "3", "4"):
            known.add(name)
            real[name] = _condition_number(scheme, int(length))
        if not _same(value, real.get(name), _DIGITS if name.startswith("condition_number") else _NOISE):
            faults.append(name)
    figures = Figures(
        *(
            Figure(name, _stated(name, value), *_unit_and_heading(name))
            for name, value in real.items()
            if value is not None
        )
    )
    found = Findings(sentence=_sentence(passport, figures), figures=figures)
    yield _check("its loss follows from scheme and records", faults, known=known, findings=found)


def _stated(name: str, value: float) -> float:
    """Condition numbers are stated with six digits."""
    return float(f"{value:.6g}") if name.startswith("condition_number") else value


def _unit_and_heading(name: str) -> tuple[Unit, str]:
    """The unit and the heading of a figure that follows from scheme and records."""
    known: dict[str, tuple[Unit, str]] = {
        "records": ("count", "records"),
        "chance_a_record_stays": ("share", "chance that a record stays as it was"),
        "condition_number": ("number", "how much estimating amplifies noise (condition number)"),
        "mean_length": ("number", "items of a record, on average, after the changes"),
    }
    items = name.removeprefix(_PREFIX)
    return known.get(name, ("number", f"condition number for itemsets of {items} item{'s' * (items != '1')}"))


def _sentence(passport: Passport, figures: Figures) -> str:
    """The release in one sentence, from the promised gamma and figures that were worked out again."""
    promise = Requirement.from_dict(passport.requirement)
    if "records" not in figures or not isinstance(promise, Amplification):
        return ""
    changed = f"{figures['records']:,} records are handed on with random changes"
    if promise.is_weak:
        return f"{changed} that hardly protect a whole record: odds may shift by a factor of {at_most(promise.gamma)}."
    if "chance_a_record_stays" in figures:
        return f"{changed}; about {figures['chance_a_record_stays']:.0%} of them are as they were."
    return f"{changed}; each shifts anyone's odds by at most a factor of {at_most(promise.gamma)}."


def _check(name: str, faults: list[str], *, known: set[str], findings: Findings) -> Check:
    """Names of our own only: anything else a passport may hold is not repeated."""
    said = [fault if fault in known else "an entry of no such scheme" for fault in faults]
    detail = f"not as worked out again: {', '.join(said)}" if faults else ""
    return Check(name=name, ok=not faults, detail=detail, findings=findings)


def _same(stated: Any, real: Any, off: float = _NOISE) -> bool:
    """Counts must be equal; numbers nearly so."""
    if isinstance(stated, bool) or not isinstance(stated, int | float) or real is None:
        return False
    return stated == real or (not isinstance(real, int) and math.isclose(stated, real, rel_tol=off))


def _fingerprint(scheme: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(scheme).encode()).hexdigest()


def _numbers(scheme: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in scheme.items() if type(value) in (int, float) and name != "version"}


def _pair(scheme: Mapping[str, Any]) -> tuple[float, float]:
    return scheme["p"], scheme.get("q", scheme["p"])


def _per_item(scheme: Mapping[str, Any]) -> float | None:
    """One item in place of another: what shows the one and what hides the other weigh together."""
    if scheme["scheme"] not in ("mask", "emask"):
        return None
    p, q = (Fraction(repr(value)) for value in _pair(scheme))  # decimals mean what is written, next to 1 as well
    ratio = p * q / ((1 - p) * (1 - q))
    most = max(ratio, 1 / ratio)
    return math.inf if most > sys.float_info.max else float(most)


def _law(scheme: Mapping[str, Any]) -> dict[str, float]:
    """Of a gamma-diagonal scheme: gamma/(gamma+n-1) stays, and (gamma+n-1)/(gamma-1) for every length."""
    if scheme["scheme"] != "gamma-diagonal":
        return {}
    gamma, cells = scheme["gamma"], math.prod(len(field["values"]) for field in scheme["fields"])
    return {
        "chance_a_record_stays": gamma / (gamma + cells - 1),
        "condition_number": (gamma + cells - 1) / (gamma - 1),
    }


def _condition_number(scheme: Mapping[str, Any], length: int) -> float | None:
    kind = scheme["scheme"]
    if kind in ("mask", "emask"):
        p, q = _pair(scheme)
        return _ratio([[q, 1 - p], [1 - q, p]]) ** length  # items are drawn one by one
    if kind == "matrix":
        each = sorted((_ratio(matrix) for matrix in scheme["matrices"]), reverse=True)
        return math.prod(each if scheme.get("joint") is True else each[:length])
    if kind == "randomized-response":
        sizes = [len(field["values"]) for field in scheme["fields"]]
        each = sorted(((g + k - 1) / (g - 1) for g, k in zip(scheme["gammas"], sizes, strict=True)), reverse=True)
        return math.prod(each[:length])
    if kind == "cut-and-paste":
        return _cut_and_paste(scheme, length)
    return None


def _cut_and_paste(scheme: Mapping[str, Any], length: int) -> float | None:
    """Entry [s, h]: the chance that s of the itemset's items are seen when the record holds h of them."""
    k, rho = scheme["K"], scheme["rho"]
    m: int = len(scheme["fields"]) if scheme.get("fields") else len(scheme["items"])
    if not scheme.get("fields") and scheme.get("max_length"):
        m = min(m, scheme["max_length"])
    if not length <= min(k, m):
        return None
    most = min(k, m)
    cuts = [1 / (k + 1)] * most + [1 - most / (k + 1)]
    law = np.zeros((length + 1, length + 1))
    for held in range(length + 1):
        for cut, chance in enumerate(cuts):
            for own in range(max(0, cut - (m - held)), min(held, cut) + 1):  # of the cut items, those of the itemset
                ways = math.comb(held, own) * math.perm(cut, own) * math.perm(m - cut, held - own)
                drawn = chance * (ways / math.perm(m, held))
                for seen in range(own, length + 1):  # the others join by lot
                    joined = math.comb(length - own, seen - own) * rho ** (seen - own) * (1 - rho) ** (length - seen)
                    law[seen, held] += drawn * joined
    return _ratio(law)


def _ratio(matrix: Any) -> float:
    values = np.linalg.svd(np.array(matrix, dtype=np.float64), compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else math.inf
