"""A release: data that keeps a promise, checked by someone else before it leaves.

stage --> Release.issue(data, requirement, ...) --> verifier of the requirement --> comparison with what was read
                                                    (named by the stage's entry; none, or a failed check, raises)
                                                --> Release
Release.write(path) --> path, path.passport.json          the public part
Release.owner                                             the owner's part: never written beside the public files
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from confide.core.artefacts.exact import Released
from confide.core.artefacts.kinds import read_released, same_data, same_to_auditor, save, type_of
from confide.core.artefacts.released_parts import PARTS
from confide.core.checks import Verification
from confide.core.datasets.manifest import StagedParts
from confide.core.errors import UsageError, VerificationError
from confide.core.figures import Chart, Diagram, Figures, Table
from confide.core.file_groups import FileGroup, file_group
from confide.core.files import compression_of, read_regular
from confide.core.passport import Passport
from confide.core.requirements import Requirement
from confide.core.runtime.lazy import call
from confide.core.stages import Stage, named, stage_named

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["OwnerPart", "Recorder", "Release", "passport_path", "verified_beside"]

T = TypeVar("T")
U = TypeVar("U")

Recorder = Callable[[Passport], AbstractContextManager[None]]
"""Given the passport as written: a block in which the files of the release get their names."""

MOST_KEY_FIGURES = 3


@dataclass(frozen=True, kw_only=True)
class OwnerPart:
    """What the owner may see and nobody else: explanations, what forced a suppression, risks of the input.

    `facts` are figures with their units; `tables` map a title to a `Table`, whose columns have units; `charts` as in a
    release; `diagrams` map a title to a `Diagram`. `explain` answers for a row of the input what became of it and why,
    where a stage can say so.
    """

    facts: Figures = field(default_factory=Figures)
    tables: Mapping[str, Table] = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    diagrams: Mapping[str, Diagram] = field(default_factory=dict)
    explain: Callable[[int], Table] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", Figures.of(self.facts))


@dataclass(frozen=True, kw_only=True)
class Release(Generic[T]):
    """The result of every stage that hands out data.

    `data` is in the caller's own type; `artefact` is the same as it was verified and is written (often it is `data`
    itself); `requirement` is met; `loss` says what was given up, each figure with its unit;
    `passport` carries the claims; `verification` is the auditor's answer, None only when a benchmark asked for none;
    `comparison` the answer to whether the data is what was read, which only the owner gets.
    `recorder`, where there is one, writes the release down before its files get their names, and afterwards.
    `delimiter` divides the cells of a table, or the items of baskets, written as .csv. `evidence` is what only the
    owner has and the verifier was given; it is never written.
    A page opens with the passport's `headline` and the `key_figures`, names of up to three figures of the loss.
    """

    data: T
    artefact: Any = None
    requirement: Requirement
    loss: Figures
    passport: Passport
    verification: Verification | None
    comparison: Verification | None = field(default=None, repr=False)
    key_figures: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    owner: OwnerPart | None = None
    staged: StagedParts | None = field(default=None, repr=False, compare=False)
    recorder: Recorder | None = field(default=None, repr=False, compare=False)
    delimiter: str = field(default=",", repr=False, compare=False)
    evidence: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.artefact is None:
            object.__setattr__(self, "artefact", self.data)

    @classmethod
    def issue(
        cls,
        data: T,
        requirement: Requirement,
        *,
        stage: str,
        algorithm: str,
        parameters: Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
        loss: Mapping[str, Any] | None = None,
        headline: str = "",
        key_figures: tuple[str, ...] = (),
        randomness: Mapping[str, Any] | None = None,
        caveats: tuple[str, ...] = (),
        charts: tuple[Chart, ...] = (),
        owner: OwnerPart | None = None,
        evidence: Any = None,
        original: Any = None,
        verify: bool = True,
        staged: StagedParts | None = None,
    ) -> "Release[T]":
        """Make a release, unless its requirement has no verifier or does not hold; then raise VerificationError.

        `staged` are the parts in which `data` is written already, if it is not in memory.
        `stage` is one of `core.stages`; its entry
        says which promises it may make, about which kinds of files. `loss` are figures with declared units; they
        become public, so no personal value may be among them. So does `headline`: one plain sentence for somebody in
        a hurry, the numbers filled in. `key_figures` are the names of up to three figures of the loss that matter
        most. `evidence` is what only the owner has and the verifier needs to check everything; it goes no further.
        Nor does `original`, what the stage read (`core.artefacts.originals`): where the stage's entry names a
        comparison, it must be given, and data that is not what was read is refused.
        `verify=False` is for benchmarks only; such a release cannot be written.
        """
        entry = stage_named(stage)
        verifier = entry.verifier(requirement.kind)
        entry.check_artefact(type_of(data))
        figures = Figures.of(loss)
        unknown = [name for name in key_figures if name not in figures]
        if unknown or len(key_figures) > MOST_KEY_FIGURES:
            raise UsageError(
                f"key_figures={key_figures} must name up to {MOST_KEY_FIGURES} figures of the loss, which are: "
                f"{', '.join(figures) or 'none'}",
                parameter="key_figures",
                value=key_figures,
            )
        passport = Passport.issue(
            requirement,
            stage=stage,
            algorithm=algorithm,
            parameters=parameters,
            context=context,
            loss=figures,
            headline=headline,
            randomness=randomness,
            caveats=caveats,
            artefact=type_of(data),
        )
        verification = comparison = None
        if verify:
            checks = list(verifier(data, passport) if evidence is None else verifier(data, passport, evidence))
            checks += call("confide.audit.claims:check_figures", passport, checks)
            unchecked = call(
                "confide.audit.claims:unchecked_parts", passport, requirement, Verification.of(checks).findings
            )
            verification = Verification.of(checks, not_provable=entry.not_provable, unchecked=unchecked)
            if not verification.ok:
                raise VerificationError(f"the release does not keep its promise: {verification.summary()}")
            comparison = _compared(entry, data, passport, original)
        return cls(
            data=data,
            artefact=data,
            requirement=requirement,
            loss=figures,
            passport=passport,
            verification=verification,
            comparison=comparison,
            key_figures=key_figures,
            charts=charts,
            owner=owner,
            staged=staged,
            evidence=evidence,
        )

    @classmethod
    def described(cls, passport: Passport, *, verification: Verification | None) -> "Release[None]":
        """A release known by its passport only, without its data: enough for a page."""
        return Release(
            data=None,
            requirement=Requirement.from_dict(passport.requirement),
            loss=passport.figures,
            passport=passport,
            verification=verification,
        )

    def __repr__(self) -> str:
        # Neither the data nor the owner's part: a repr lands in logs and in tracebacks.
        verdict = "not verified" if self.verification is None else "holds" if self.verification.ok else "fails"
        said = self.passport.headline or self.passport.promise
        return f"<Release {self.passport.stage}, {verdict}: {said}>"

    def _repr_html_(self) -> str:
        """For notebooks: headline, promise, loss and verdict."""
        return str(call("confide.report.notebook:release_html", self))

    def given_as(self, back: "Callable[[Any], U]") -> "Release[U]":
        """The same release with `data` in the caller's own form; what is verified and written stays as it is."""
        changes: dict[str, Any] = {"data": back(self.artefact)}
        return replace(self, **changes)  # type: ignore[return-value]  # only the type of `data` changes

    def write(
        self,
        path: str | PathLike[str],
        *,
        replace: bool = False,
        key: "Ed25519PrivateKey | None" = None,
        format: str | None = None,
    ) -> Passport:
        """Write the artefact and `PATH.passport.json`, signed if a key is given; returns the passport as written.

        Both appear, or neither does.
        """
        with file_group(replace=replace) as group:
            return self.write_into(group, path, key=key, format=format)

    def write_into(
        self,
        group: FileGroup,
        path: str | PathLike[str],
        *,
        key: "Ed25519PrivateKey | None" = None,
        format: str | None = None,
    ) -> Passport:
        """As `write`, as part of a group of files that appear together: the artefact first, the passport after it."""
        if self.verification is None:
            raise UsageError("this release was made with verify=False and cannot be written; make it again without")
        if self.staged is not None:
            return self._write_parts(group, Path(path), self.staged, key=key)
        kind = type_of(self.artefact)
        if kind == "table" and compression_of(Path(path)) and ".parquet" in Path(path).suffixes:
            raise UsageError(f"{Path(path).name}: a Parquet file is packed inside; release it as .parquet")
        artefact, beside = group.place(path), group.place(passport_path(path))
        save(self.artefact, artefact, format=format, delimiter=self.delimiter)
        # What the passport speaks of is what is read back from the disk, by the reader that a verifier uses.
        written = read_regular(artefact)
        found = read_released(written, artefact.name, type=kind)
        if not same_data(found.data, self.artefact, type=kind):
            raise VerificationError(f"{artefact.name} does not read back as what was verified; nothing was written")
        passport = self.passport.for_bytes(written, artefact.name, type=kind, format=found.format)
        self._judge_again(found, passport, artefact.name)
        if key is not None:
            passport = passport.sign(key)
        passport.write(beside)
        if self.recorder is not None:
            group.within(self.recorder(passport))
        return passport

    def _judge_again(self, found: Released, passport: Passport, name: str) -> None:
        """Let the auditor judge what was read back, unless it is what the auditor has seen already."""
        if same_to_auditor(found.data, self.artefact, type=type_of(self.artefact)):
            return
        verifier = stage_named(passport.stage).verifier(self.requirement.kind)
        shown = () if self.evidence is None else (self.evidence,)
        verification = Verification.of(verifier(found.data, passport, *shown))
        if not verification.ok:
            raise VerificationError(
                f"{name} does not keep its promise once it is read back: {verification.summary()}; nothing was written"
            )

    def _write_parts(
        self, group: FileGroup, path: Path, staged: StagedParts, *, key: "Ed25519PrivateKey | None"
    ) -> Passport:
        """The parts, which are written and were verified where they lie, get their name; then comes the passport."""
        folder, beside = group.place(path, folder=True), group.place(passport_path(path))
        staged.move(folder)
        kind = type_of(self.artefact)
        passport = self.passport.for_bytes(staged.manifest.to_json().encode(), path.name, type=kind, format=PARTS)
        if key is not None:
            passport = passport.sign(key)
        passport.write(beside)
        # The data is the same, under the name it has from now on.
        object.__setattr__(self.artefact, "parts", self.artefact.parts.moved(path))
        return passport

    def explain(self, row: int) -> Table:
        """For the owner: what became of a row of the input (counted from 0), and why."""
        if self.owner is None or self.owner.explain is None:
            why = "make it with explain=True" if self.owner is None else "only a table that was in memory has them"
            raise UsageError(f"this release has no explanations of rows; {why}")
        return self.owner.explain(row)

    @property
    def not_provable(self) -> tuple[str, ...]:
        """What no look at the released files can settle."""
        return () if self.verification is None else self.verification.not_provable


def _compared(entry: Stage, data: Any, passport: Passport, original: Any) -> Verification | None:
    """What the auditor says of a release beside what was read; None where the stage has nothing to compare."""
    if entry.comparison is None:
        return None
    if original is None:
        raise UsageError(
            f"{entry.name!r} must hand in what it read (original=), so that the release is compared with it",
            parameter="original",
        )
    found = Verification.of(named(entry.comparison)(data, passport, original))
    if not found.ok:
        raise VerificationError(f"the release is not what was read, so it does not leave: {found.summary()}")
    return found


def passport_path(path: str | PathLike[str]) -> Path:
    """Where the passport of an artefact is: `OUT.passport.json`."""
    artefact = Path(path)
    return artefact.with_name(artefact.name + ".passport.json")


def verified_beside(path: str | PathLike[str]) -> Verification | None:
    """What the auditor says of a released file, by the passport beside it; None where there is no passport."""
    beside = passport_path(path)
    found: Verification | None = call("confide.audit.verify:verify", beside) if beside.exists() else None
    return found
