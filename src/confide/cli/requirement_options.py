"""Options that ask something of a table: `--k`, `--l`, `--t` and the others, and the requirement they make."""

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confide.cli.options import SHARE

if TYPE_CHECKING:
    from confide.core.requirements.tables import TableRequirement

__all__ = [
    "asked_requirement",
    "asked_requirements",
    "several_requirement_options",
    "table_requirement_options",
]

C = TypeVar("C", bound=Callable[..., Any])

_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--k", {"type": int, "help": "Fewest rows (or persons) that look alike."}),
    (
        "--diversity",
        {"type": click.Choice(["simple", "distinct", "entropy", "recursive"]), "help": "What --l means [simple]."},
    ),
    ("--l", {"type": float, "help": "How diverse sensitive values are in a group: a larger l tells less."}),
    ("--c", {"type": float, "help": "With recursive diversity: how far the commonest value may outweigh the rare."}),
    ("--alpha", {"type": SHARE, "help": "With --k: largest share of a group with one sensitive value."}),
    ("--t", {"type": SHARE, "help": "Largest distance of a group's sensitive values from the whole release."}),
    ("--ordered", {"is_flag": True, "help": "With --t: values stand in an order, near ones are nearly alike."}),
    ("--beta", {"type": float, "help": "Largest relative gain of a sensitive value in a group."}),
    ("--enhanced", {"is_flag": True, "help": "With --beta: bind common values more tightly."}),
    ("--delta", {"type": float, "help": "Bound on |ln(share in a group / share in the release)|."}),
    ("--others-known", {"is_flag": True, "help": "Even to someone who knows a person's other sensitive values."}),
)

NAMES = tuple(name.removeprefix("--").replace("-", "_") for name, _ in _OPTIONS)


class _Several(click.ParamType[tuple[Any, ...]]):
    """One number, or several with commas between them."""

    def __init__(self, one: Any):
        self._one = click.types.convert_type(one)
        self.name = self._one.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(self._one.convert(text.strip(), param, ctx) for text in str(value).split(","))


def table_requirement_options(command: C) -> C:
    """The options above; hand what they give, as keyword arguments, to `asked_requirement`."""
    for name, settings in reversed(_OPTIONS):
        command = click.option(name, **settings)(command)
    return command


def several_requirement_options(command: C) -> C:
    """The same where numbers may be several, with commas between; hand what they give to `asked_requirements`."""
    for name, settings in reversed(_OPTIONS):
        numbers = {} if "is_flag" in settings or name == "--diversity" else {"type": _Several(settings["type"])}
        command = click.option(name, **settings | numbers)(command)
    return command


def asked_requirements(given: dict[str, Any]) -> "list[TableRequirement]":
    """Every combination of the numbers given, as `asked_requirement` joins them; empty where nothing is asked."""
    several = {name: given.pop(name) for name in NAMES}
    names = [name for name, values in several.items() if isinstance(values, tuple)]
    asked = [
        asked_requirement(several | dict(zip(names, numbers, strict=True)))
        for numbers in product(*(several[name] for name in names))
    ]
    return [requirement for requirement in asked if requirement is not None]


def asked_requirement(given: dict[str, Any]) -> "TableRequirement | None":
    """Take the values of these options out of a command's arguments, and join them; None where nothing is asked."""
    from confide.core.requirements.tables.wishes import table_requirement

    return table_requirement(**{name: given.pop(name) for name in NAMES})
