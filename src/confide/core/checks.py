"""What a verifier answers: a list of checks, each with a name, a verdict and the numbers behind it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from confide.core.runtime.lazy import call

__all__ = ["Check", "Verification"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One question asked of an artefact. `detail` names fields and numbers, never people's values.

    `weak`: it holds, but what holds bounds next to nothing, so nobody may show it as if all were well.
    """

    name: str
    ok: bool
    detail: str = ""
    weak: bool = False


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The outcome of verifying one artefact. `not_provable` lists what no look at it can settle."""

    checks: tuple[Check, ...]
    not_provable: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there was something to check and all of it held."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not hold."""
        return tuple(check for check in self.checks if not check.ok)

    @property
    def weak(self) -> tuple[Check, ...]:
        """The checks that hold, but bound next to nothing."""
        return tuple(check for check in self.checks if check.ok and check.weak)

    def summary(self) -> str:
        """One line: the first failure, or how many checks held."""
        if not self.checks:
            return "nothing was checked"
        if self.ok:
            little = "".join(f"; {check.name} bounds next to nothing" for check in self.weak)
            return f"{len(self.checks)} checks passed{little}"
        return "; ".join(f"{check.name}: {check.detail or 'failed'}" for check in self.failed)

    def verdict(self) -> str:
        """In a few words, for after the name of what was verified."""
        if not self.ok:
            return "FAILS"
        return "holds, but what it promises bounds next to nothing" if self.weak else "holds"

    def lines(self) -> list[str]:
        """A line for each check, then one for each thing that cannot be settled."""
        told = []
        for check in self.checks:
            sign = "FAIL" if not check.ok else "weak" if check.weak else "ok  "
            told.append(f"{sign} {check.name}{': ' + check.detail if check.detail else ''}")
        return told + [f"not provable here: {text}" for text in self.not_provable]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "ok": self.ok,
            "checks": [asdict(check) for check in self.checks],
            "not_provable": list(self.not_provable),
        }

    def _repr_html_(self) -> str:
        """For notebooks."""
        return str(call("confide.report.notebook:verification_html", self))

    @staticmethod
    def of(checks: Iterable[Check], *, not_provable: Iterable[str] = ()) -> "Verification":
        """From any iterable of checks."""
        return Verification(checks=tuple(checks), not_provable=tuple(not_provable))
