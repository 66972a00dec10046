"""A request: what a user asks for, as one frozen object that is checked once, when it is made."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from confide.core.jobs.fields import fields_of
from confide.core.jobs.kinds import names_files

__all__ = ["Request"]


class Request:
    """Base of every request; subclasses are frozen, keyword-only dataclasses whose fields are `setting` or `source`."""

    def __post_init__(self) -> None:
        for field in fields_of(type(self)):
            object.__setattr__(self, field.name, field.check(getattr(self, field.name)))
        self.check()

    def check(self) -> None:
        """Refuse what no single field can: settings that do not go together. A subclass extends it."""

    def as_plain(self) -> dict[str, Any]:
        """The fields that differ from their defaults as JSON and TOML have them; secrets are left out."""
        values = ((field, getattr(self, field.name)) for field in fields_of(type(self)) if not field.secret)
        return {field.name: field.kind.plain(value) for field, value in values if value != field.default}

    @property
    def reads_standard_input(self) -> bool:
        """Whether one of its sources is `-`."""
        return any(str(getattr(self, field.name)) == "-" for field in fields_of(type(self)) if names_files(field.kind))

    def inputs(self) -> list[Path]:
        """The files that the job reads; what comes by standard input is none."""
        read = [getattr(self, field.name) for field in fields_of(type(self)) if names_files(field.kind)]
        return [path for value in read for path in _listed(value) if isinstance(path, Path) and str(path) != "-"]

    @property
    def default_output(self) -> Path | None:
        """Where the outcome goes if nobody says so: a job that changes a file names that file here."""
        return None

    def stays_here(self, delivery: Any) -> bool:
        """Whether a job that speaks to other machines does not with these settings; a subclass says when."""
        return False

    def check_delivery(self, delivery: Any) -> None:
        """Refuse, before the work, files that this request cannot fill; a subclass says which."""


def _listed(value: Any) -> Iterable[Any]:
    """The values of a field that holds several, by name or in order; else the value alone."""
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, tuple) else (value,)
