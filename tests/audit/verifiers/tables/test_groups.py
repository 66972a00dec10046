"""(alpha, k)-anonymity by hand; k-anonymity is tested with the look."""

import pyarrow as pa
from tests.audit.verifiers.tables.test_look import checks, holds

from confide import AlphaK

ROLES = {"q": "quasi-identifier", "s": "sensitive", "t": "sensitive"}


def test_both_bounds_are_asked_of_every_sensitive_column():
    frame = pa.table({"q": [1] * 5, "s": list("aabbc"), "t": list("xxxyz")})
    assert holds(frame, AlphaK(alpha=0.6, k=5), ROLES)
    assert [c.name for c in checks(frame, AlphaK(alpha=0.6, k=6), ROLES) if not c.ok] == ["k-anonymity"]
    failed = [c.name for c in checks(frame, AlphaK(alpha=0.5999999, k=5), ROLES) if not c.ok]
    assert failed == ["share of each value of 't'"]


def test_alpha_is_the_decimal_as_written():
    """29 of 100 rows are 0.29 of them, though 0.29 * 100 is 28.999999999999996 in binary."""
    frame = pa.table({"q": [1] * 100, "s": ["a"] * 29 + [str(n) for n in range(71)], "t": [str(n) for n in range(100)]})
    assert holds(frame, AlphaK(alpha=0.29, k=2), ROLES)
    assert not holds(frame, AlphaK(alpha=0.28, k=2), ROLES)
