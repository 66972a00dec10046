"""`examine`: is this table private? An answer without a passport, from the table and the roles of its columns."""

from dataclasses import asdict, dataclass
from typing import Any

from confide.audit.verifiers.tables.strength import TableStrength, measure_table
from confide.core.checks import Verification
from confide.core.figures import Shown
from confide.core.passport import Passport
from confide.core.requirements.tables import TableRequirement
from confide.core.stages import stage_named
from confide.core.tables.frames import to_table
from confide.core.tables.schema import SchemaLike, schema_of

__all__ = ["Examination", "examine"]


@dataclass(frozen=True, kw_only=True)
class Examination(Shown):
    """`strength` is what the table keeps; `verification` answers the `requirement` asked, both None where none was."""

    strength: TableStrength
    requirement: TableRequirement | None = None
    verification: Verification | None = None

    @property
    def ok(self) -> bool:
        """Whether the table meets what was asked; True where nothing was."""
        return self.verification is None or self.verification.ok

    def lines(self, name: str = "the table") -> list[str]:
        """In words: what the table keeps, then whether that is enough."""
        told = self.strength.lines()
        if self.requirement is not None and self.verification is not None:
            verb = "meets" if self.verification.ok else "does NOT meet"
            told.append(f"{name} {verb} what is asked: {self.requirement.promise()}")
            told += [f"  {text}" for text in self.verification.lines()]
        return told

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "keeps": asdict(self.strength),
            "asked": None if self.requirement is None else self.requirement.to_dict(),
            **({} if self.verification is None else self.verification.to_dict()),
        }


def examine(frame: Any, schema: SchemaLike, *, requirement: TableRequirement | None = None) -> Examination:
    """Measure what a table keeps as it stands and, with a `requirement`, say whether it meets that.

    The requirement is checked by the verifier that releases are checked by, so identifiers and raw keys of persons
    fail whatever the numbers say. The order of sensitive values that are not numbers is that of their hierarchy's rows.

    >>> import pyarrow as pa
    >>> from confide import KAnonymity, Schema
    >>> schema = Schema.from_dict({"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}})
    >>> table = pa.table({"age": ["30-39"] * 4, "illness": ["flu", "flu", "gout", "none"]})
    >>> found = examine(table, schema, requirement=KAnonymity(k=5))
    >>> found.strength.k, found.verification.ok
    (4, False)
    """
    schema = schema_of(schema)
    table = to_table(frame)
    orders = {
        name: list(schema.hierarchy(name, ()).values)
        for name in schema.named("sensitive")
        if not isinstance(schema.columns[name].hierarchy, dict | None)
    }
    strength = measure_table(table, roles=schema.roles, orders=orders)
    if requirement is None:
        return Examination(strength=strength)
    stage = stage_named("by hand")
    context = {"roles": schema.roles, "orders": orders}
    passport = Passport.issue(requirement, stage=stage.name, algorithm="none: examined as it stands", context=context)
    checks = stage.verifier(requirement.kind)(table, passport)
    return Examination(strength=strength, requirement=requirement, verification=Verification.of(checks))
