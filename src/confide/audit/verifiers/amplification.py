"""Verify that perturbed records keep an amplification: gamma from the scheme's own numbers, and records that fit it.

The passport's context holds the scheme as JSON. Its law is worked out anew here, in logarithms, from the definition:

    gamma = max over what may be sent v of   (largest chance of v under a true record) / (smallest)       Eq. 4.2

What cannot be seen is whether clients drew as they should; `likelihood` audits that by sampling.

Source: paper 003, Eq. 4.2, 4.11 to 4.13, section 4.6; errata: Cut-and-Paste and transactions of bounded length.
"""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confide.audit.verifiers.collected.answered_blocks import BLOCK_KINDS, answers_fault, block_epsilon
from confide.audit.verifiers.collected.scheme_parts import (
    SchemeFault,
    count_cells,
    count_fields,
    is_number,
    read_chance,
    read_fields,
    read_universe,
)
from confide.audit.verifiers.scheme_claims import claim_checks
from confide.core.artefacts import type_of
from confide.core.artefacts.passes import ReleasedTable
from confide.core.artefacts.released_baskets import ReleasedRecords
from confide.core.checks import Check
from confide.core.datasets.stored_table import StoredTable
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import InputError
from confide.core.passport import Passport
from confide.core.requirements import Amplification, Requirement
from confide.core.requirements.amplification import FROM_RECORDS, ORDER_KEPT
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["scheme_gamma", "verify_amplification"]

_MOST_VALUES = 1 << 20
SLACK = 1e-9  # relative, for the rounding of logarithms


def verify_amplification(artefact: Any, passport: Passport) -> Iterator[Check]:
    """The scheme's gamma is at most the promised one, every record is one the scheme could have sent, the other
    claims of the passport about the scheme are true, and the noise was not drawn from a seed."""
    requirement = Requirement.from_dict(passport.requirement)
    assert isinstance(requirement, Amplification)
    scheme = passport.context.get("scheme")
    try:
        epsilon = _log_gamma(scheme)
    except SchemeFault as fault:
        yield Check(name="the scheme is complete", ok=False, detail=str(fault))
        return
    assert isinstance(scheme, Mapping)
    yield Check(name="the scheme is complete", ok=True, detail=f"{scheme['scheme']}, version {scheme['version']}")
    real = math.exp(epsilon) if epsilon < 709 else math.inf
    ok = epsilon <= math.log(requirement.gamma) * (1 + SLACK) + SLACK
    yield Check(
        name="amplification",
        ok=ok,
        detail=f"the scheme has gamma {real:.6g} (epsilon {epsilon:.4f}); promised: {requirement.gamma:.6g}"
        + ("; so large a factor bounds next to nothing" if requirement.is_weak else ""),
        weak=requirement.is_weak,
    )
    fits = _fits(artefact, scheme)
    yield fits
    if fits.ok:  # else the number of records of the scheme is unknown
        of_items = isinstance(artefact, Transactions | StoredTransactions | ReleasedRecords)
        yield from claim_checks(
            passport,
            scheme,
            epsilon=epsilon,
            records=len(artefact) if of_items else artefact_rows(artefact),
            mean_length=_mean_length(artefact) if of_items else None,
        )
    yield _check_randomness(passport)
    yield _check_admissions(passport)


def _mean_length(tx: Transactions | StoredTransactions | ReleasedRecords) -> float:
    if not isinstance(tx, Transactions):
        return round(tx.dictionary.entries / max(1, len(tx)), 3)
    return round(float(tx.lengths.mean()), 3) if len(tx) else 0.0


def _check_admissions(passport: Passport) -> Check:
    """Rows in the order of the input, or a scheme taken from the records, must be said among the limits."""
    name = "what the records themselves gave away is said"
    order: Any = passport.context.get("order")
    taken: Any = passport.context.get("from_records")
    known = isinstance(taken, list) and all(isinstance(part, str) and part in FROM_RECORDS for part in taken)
    if order not in ("shuffled", "kept") or not known:
        return Check(name=name, ok=False, detail="order and from_records are missing from the context, or unknown")
    needed = [*([ORDER_KEPT] if order == "kept" else []), *(FROM_RECORDS[part] for part in taken)]
    missing = [text for text in needed if text not in passport.does_not_protect_against]
    detail = f"missing: {'; '.join(missing)}" if missing else "; ".join(needed) or "shuffled, all of it declared"
    return Check(name=name, ok=not missing, detail=detail)


def _check_randomness(passport: Passport) -> Check:
    """Anyone who knows the seed can draw the same noise again and read the truth back: such records keep no promise."""
    source = passport.randomness.get("source")
    if source == "system" and "seed" not in passport.randomness:
        return Check(name="randomness", ok=True, detail="drawn from the operating system, says the passport")
    if passport.randomness in ({}, {"source": "none"}):
        return Check(name="randomness", ok=True, detail="the passport does not say how clients drew")
    return Check(name="randomness", ok=False, detail="not from the operating system: repeatable, so it protects nobody")


def scheme_gamma(scheme: Any) -> float:
    """gamma of a scheme given as JSON data, worked out from its law; infinite where it does not fit a number."""
    epsilon = _log_gamma(scheme)
    return math.exp(epsilon) if epsilon < 709 else math.inf


# -- the laws --------------------------------------------------------------------------------------------------------


def _log_gamma(scheme: Any) -> float:
    if not isinstance(scheme, Mapping) or scheme.get("confide") != "scheme":
        raise SchemeFault("the passport's context holds no scheme")
    if scheme.get("version") != 1:
        raise SchemeFault("the scheme is of a version this auditor does not know")
    laws = {
        "mask": _flipping,
        "emask": _flipping,
        "cut-and-paste": _cut_and_paste,
        "gamma-diagonal": _gamma_diagonal,
        "matrix": _matrices,
        "randomized-response": _by_field,
        **dict.fromkeys(BLOCK_KINDS, block_epsilon),
    }
    name = scheme.get("scheme")
    if not isinstance(name, str) or name not in laws:
        raise SchemeFault(f"the scheme is of an unknown kind; kinds are: {', '.join(laws)}")
    return laws[name](scheme)


def _flipping(scheme: Mapping[str, Any]) -> float:
    """Each entry is kept with p (a 1) or q (a 0): what two records differ in weighs, the rest cancels."""
    p = read_chance(scheme, "p")
    q = read_chance(scheme, "q") if scheme["scheme"] == "emask" else p
    # An item only the likelier record holds is best seen when p > 1 - q, else best not seen.
    gained = abs(math.log(p / (1 - q))), abs(math.log(q / (1 - p)))
    mine, theirs = gained if p + q > 1 else gained[::-1]
    m = count_fields(scheme)
    if m is not None:
        return m * (mine + theirs)
    n, longest = read_universe(scheme)
    # a items only the one record holds, b only the other: a and b up to the longest record, together up to n.
    first = min(longest, n)
    return max(first * mine + min(longest, n - first) * theirs, first * theirs + min(longest, n - first) * mine)


def _cut_and_paste(scheme: Mapping[str, Any]) -> float:
    """Given v, a record of m items, h of them in v, has weight sum_w P_m[w] C(h,w)/C(m,w) rho^-w: more with more h.

    Least likely is a record that shares nothing with v: weight P_m[0] = 1/(K+1). Likeliest is one that lies within v,
    the longer the better up to K. Only when v is the whole universe does every record lie within it, the empty one too.
    """
    k, rho = scheme.get("K"), read_chance(scheme, "rho")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 10_000:
        raise SchemeFault("K must be a whole number")
    m = count_fields(scheme)
    if m is not None:
        return _log_within(k, rho, m) + math.log(k + 1)
    n, longest = read_universe(scheme)
    apart = _log_within(k, rho, min(longest, n - 1)) + math.log(k + 1)
    return max(apart, _log_within(k, rho, min(longest, n)))


def _log_within(k: int, rho: float, m: int) -> float:
    """ln of the weight of a record of m items that lies within v; rho^K is factored out to avoid overflow."""
    most = min(k, m)
    chances = [1.0] * most + [k + 1.0 - most]
    return math.log(math.fsum(c * rho ** (most - w) for w, c in enumerate(chances)) / (k + 1)) - most * math.log(rho)


def _gamma_diagonal(scheme: Mapping[str, Any]) -> float:
    """gamma x on the diagonal, x elsewhere. With alpha > 0 the client's r averages out, as nobody sees it."""
    gamma: Any = scheme.get("gamma")
    alpha: Any = scheme.get("alpha", 0)
    if not is_number(gamma) or not gamma > 1:
        raise SchemeFault("gamma must be a number above 1")
    if not is_number(alpha) or not 0 <= alpha <= 1 or alpha * gamma > count_cells(scheme) - 1:
        raise SchemeFault("alpha is out of range: some chance would be negative")
    return math.log(gamma)


def _by_field(scheme: Mapping[str, Any]) -> float:
    """k-ary in each field on its own: the fields' own ratios multiply."""
    fields, gammas = read_fields(scheme), scheme.get("gammas")
    if not isinstance(gammas, list) or len(gammas) != len(fields):
        raise SchemeFault("a randomized-response scheme has a gamma for each field")
    if any(not is_number(g) or not g > 1 for g in gammas):
        raise SchemeFault("the gamma of a field must be a number above 1")
    return math.fsum(math.log(g) for g in gammas)


def _matrices(scheme: Mapping[str, Any]) -> float:
    """One matrix for the whole record, or one per field: entry [v][u] is the chance that u is sent as v."""
    matrices = scheme.get("matrices")
    if not isinstance(matrices, list) or not matrices:
        raise SchemeFault("a matrix scheme has no matrices")
    sizes = [len(field["values"]) for field in read_fields(scheme)]
    expected = [math.prod(sizes)] if scheme.get("joint") is True else sizes
    if len(matrices) != len(expected):
        raise SchemeFault(f"{len(matrices)} matrices for {len(expected)}")
    return sum(_matrix(matrix, size) for matrix, size in zip(matrices, expected, strict=True))


def _matrix(rows: Any, size: int) -> float:
    if not isinstance(rows, list) or [len(row) if isinstance(row, list) else -1 for row in rows] != [size] * size:
        raise SchemeFault("a matrix does not fit its field")
    if any(not is_number(x) or not 0 <= x <= 1 for row in rows for x in row):
        raise SchemeFault("an entry of a matrix is not a probability")
    if any(abs(math.fsum(row[u] for row in rows) - 1) > 1e-9 for u in range(size)):
        raise SchemeFault("a column of a matrix does not add up to 1")
    worst = 0.0
    for row in rows:
        if max(row) > 0:
            worst = math.inf if min(row) == 0 else max(worst, math.log(max(row) / min(row)))
        if worst == math.inf:
            break
    return worst


# -- the records -----------------------------------------------------------------------------------------------------


def _fits(artefact: Any, scheme: Mapping[str, Any]) -> Check:
    name = "records fit the scheme"
    kind = type_of(artefact)
    of_items = scheme["scheme"] in ("mask", "emask", "cut-and-paste")
    if kind != ("transactions" if of_items else "table"):
        return Check(name=name, ok=False, detail=f"a {scheme['scheme']} scheme does not send a {kind}")
    if of_items:
        fault = _items_fault(artefact, scheme)
    elif scheme["scheme"] in BLOCK_KINDS:
        fault = answers_fault(artefact, scheme)
    else:
        fault = _table_fault(artefact, scheme)
    many = len(artefact) if kind == "transactions" else artefact_rows(artefact)
    return Check(name=name, ok=not fault, detail=fault or f"{many:,} records")


def _items_fault(tx: Transactions | StoredTransactions | ReleasedRecords, scheme: Mapping[str, Any]) -> str:
    if scheme.get("fields") is not None:
        known = {f"{part['name']}={value}" for part in read_fields(scheme) for value in part["values"]}
    else:
        known = set(scheme["items"])
    used = tx.supports() > 0
    unknown = sum(1 for label, occurs in zip(tx.labels, used, strict=True) if occurs and label not in known)
    return f"{unknown:,} items are not of the scheme's universe of {len(known):,}" if unknown else ""


def _table_fault(artefact: Any, scheme: Mapping[str, Any]) -> str:
    from confide.core.tables.frames import to_table

    table = artefact if isinstance(artefact, StoredTable | ReleasedTable) else to_table(artefact)
    fields = read_fields(scheme)
    names = [part["name"] for part in fields]
    if table.column_names != names:
        return f"columns are not the scheme's {len(names)} fields in their order"
    held = (
        table.fold(_DifferentValues(), label="looking at values")
        if isinstance(table, StoredTable | ReleasedTable)
        else [{str(value) for value in column.unique().to_pylist()} for column in table.columns]
    )
    for part, found in zip(fields, held, strict=False):  # a table without rows holds nothing
        strange = found - set(map(str, part["values"]))
        if strange:
            return f"{len(strange):,} values of field {part['name']!r} are not among its {len(part['values'])}"
    return ""


class _DifferentValues:
    """The auditor's pass over perturbed records in parts: the different values of each column, as text."""

    shared = False

    def begin(self) -> list[set[str]]:
        """None yet."""
        return []

    def add(self, state: list[set[str]], batch: "pa.RecordBatch") -> list[set[str]]:
        """Those of these records too."""
        found = self.merge(state, [{str(value) for value in column.unique().to_pylist()} for column in batch.columns])
        if max(map(len, found), default=0) > _MOST_VALUES:
            raise InputError("a column holds more different values than any scheme has")
        return found

    def merge(self, one: list[set[str]], other: list[set[str]]) -> list[set[str]]:
        """Those of both."""
        return [mine | theirs for mine, theirs in zip(one, other, strict=True)] if one and other else one or other


def artefact_rows(artefact: Any) -> int:
    """Rows of any kind of table."""
    from confide.core.tables.frames import to_table

    if isinstance(artefact, StoredTable | ReleasedTable):
        return len(artefact)
    return int(to_table(artefact).num_rows)
