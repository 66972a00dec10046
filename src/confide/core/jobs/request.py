"""A request: what a user asks for, as one frozen object that is checked once, when it is made."""

from typing import Any

from confide.core.jobs.fields import fields_of

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
