"""What a verifier answers: a list of checks, each with a name, a verdict and the numbers behind it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from confide.core.figures import Figures
from confide.core.runtime.lazy import call

__all__ = ["Check", "Findings", "Verification"]


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What the auditor found out by itself from the files, whatever the passport says of them.

    A page shows these, in the auditor's own words: a `sentence` for somebody in a hurry, and `figures`, of which those
    named in `key` matter most. `caveats` are limits, beside those of the requirement, that the auditor knows to be
    true of the release; `settled` names parts of the passport ("parameters", "algorithm", ...) that follow from the
    files.
    """

    sentence: str = ""
    figures: Figures = field(default_factory=Figures)
    key: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    settled: frozenset[str] = frozenset()

    def __or__(self, other: "Findings") -> "Findings":
        return Findings(
            sentence=self.sentence or other.sentence,
            figures=self.figures | other.figures,
            key=(*self.key, *other.key),
            caveats=(*self.caveats, *other.caveats),
            settled=self.settled | other.settled,
        )


@dataclass(frozen=True, kw_only=True)
class Check:
    """One question asked of an artefact. `detail` names fields and numbers, never people's values.

    `weak`: it holds, but what holds bounds next to nothing, so nobody may show it as if all were well. `unproved`: the
    file does not say whether a part of the promise holds; that takes more than the file.
    """

    name: str
    ok: bool
    detail: str = ""
    weak: bool = False
    unproved: bool = False
    findings: Findings = field(default_factory=Findings, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Name, answer and detail as plain values."""
        more = {"unproved": True} if self.unproved else {}
        return {"name": self.name, "ok": self.ok, "detail": self.detail, "weak": self.weak, **more}

    @property
    def outcome(self) -> str:
        """The answer in a word or two."""
        if not self.ok:
            return "failed"
        return "not checked" if self.unproved else "holds, but weak" if self.weak else "holds"


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The outcome of verifying one artefact. `not_provable` lists what no look at it can settle; `unchecked` names the
    parts of the passport that are the word of whoever made the release."""

    checks: tuple[Check, ...]
    not_provable: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    @property
    def findings(self) -> Findings:
        """What the auditor found out by itself, in all checks that hold."""
        return reduce(Findings.__or__, (check.findings for check in self.checks if check.ok), Findings())

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

    @property
    def unproved(self) -> tuple[Check, ...]:
        """The questions that take more than the file."""
        return tuple(check for check in self.checks if check.ok and check.unproved)

    def summary(self) -> str:
        """One line: the first failure, or how many checks held."""
        if not self.checks:
            return "nothing was checked"
        if self.ok:
            little = "".join(f"; {check.name} bounds next to nothing" for check in self.weak)
            little += "".join(f"; {check.name}: {check.detail}" for check in self.unproved)
            return f"{len(self.checks) - len(self.unproved)} checks passed{little}"
        return "; ".join(f"{check.name}: {check.detail or 'failed'}" for check in self.failed)

    def verdict(self) -> str:
        """In a few words, for after the name of what was verified."""
        if not self.ok:
            return "FAILS"
        if self.unproved:
            return "is in order, but a part of its promise is not checked: that takes more than the file"
        return "holds, but what it promises bounds next to nothing" if self.weak else "holds"

    def lines(self) -> list[str]:
        """A line for each check, then one for each thing that cannot be settled."""
        told = []
        for check in self.checks:
            sign = "FAIL" if not check.ok else "?   " if check.unproved else "weak" if check.weak else "ok  "
            told.append(f"{sign} {check.name}{': ' + check.detail if check.detail else ''}")
        told += [f"not provable here: {text}" for text in self.not_provable]
        if self.unchecked:
            told.append(f"not checked, the word of whoever made it: {', '.join(self.unchecked)}")
        return told

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "ok": self.ok,
            "found": {"sentence": self.findings.sentence, "figures": dict(self.findings.figures)},
            "checks": [check.to_dict() for check in self.checks],
            "not_provable": list(self.not_provable),
            "not_checked": list(self.unchecked),
        }

    def _repr_html_(self) -> str:
        """For notebooks."""
        return str(call("confide.report.notebook:verification_html", self))

    @staticmethod
    def of(
        checks: Iterable[Check], *, not_provable: Iterable[str] = (), unchecked: Iterable[str] = ()
    ) -> "Verification":
        """From any iterable of checks."""
        return Verification(checks=tuple(checks), not_provable=tuple(not_provable), unchecked=tuple(unchecked))
