"""A request: what a user asks for, as one frozen object that is checked once, when it is made."""

from pathlib import Path
from typing import Any

from confide.core.jobs.fields import fields_of
from confide.core.jobs.kinds import File, Records

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

    def inputs(self) -> list[Path]:
        """The files that the job reads; what comes by standard input is none."""
        read = [getattr(self, field.name) for field in fields_of(type(self)) if isinstance(field.kind, File | Records)]
        return [path for path in read if isinstance(path, Path) and str(path) != "-"]

    def check_delivery(self, delivery: Any) -> None:
        """Refuse, before the work, files that this request cannot fill; a subclass says which."""
