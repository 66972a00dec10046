"""Which kind an annotation of a field means, and short names for those that need more than a type."""

from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from confide.core.jobs.kinds.many_values import Named, PerColumn, Several, Together, Trials
from confide.core.jobs.kinds.one_value import (
    ChoiceKind,
    EdgeKind,
    File,
    Flag,
    Kind,
    LabelsKind,
    Number,
    RecordsKind,
    ShareKind,
    SupportKind,
    TextKind,
    Whole,
    WholeOrInfinityKind,
)

__all__ = [
    "Edge",
    "Labels",
    "Numbers",
    "NumbersByColumn",
    "Share",
    "Shares",
    "SharesByColumn",
    "Support",
    "WholeOrInfinity",
    "Wholes",
    "WholesOrInfinity",
    "kind_of",
    "names_files",
]


Edge = Annotated[float, EdgeKind()]
Share = Annotated[float, ShareKind()]
Support = Annotated[int | float, SupportKind()]
WholeOrInfinity = Annotated[int | float, WholeOrInfinityKind()]
Labels = Annotated[tuple[str, ...] | Path, LabelsKind()]
Wholes = Annotated[int | tuple[int, ...], Trials(Whole())]
WholesOrInfinity = Annotated[int | float | tuple[int | float, ...], Trials(WholeOrInfinityKind())]
Numbers = Annotated[float | tuple[float, ...], Trials(Number())]
Shares = Annotated[float | tuple[float, ...], Trials(ShareKind())]
NumbersByColumn = Annotated[float | tuple[float, ...] | Mapping[str, Any], PerColumn(Trials(Number()))]
SharesByColumn = Annotated[float | tuple[float, ...] | Mapping[str, Any], PerColumn(Trials(ShareKind()))]

_PLAIN: dict[Any, Kind] = {
    int: Whole(),
    float: Number(),
    bool: Flag(),
    str: TextKind(),
    Path: File(),
    Any: RecordsKind(),
}


def names_files(kind: Kind) -> bool:
    """Whether a value of this kind is a path, or several."""
    return isinstance(kind.element if isinstance(kind, Several | Named) else kind, File | RecordsKind)


def kind_of(annotation: Any) -> tuple[Kind, bool]:
    """The kind of value an annotation means, and whether it may be None.

    >>> kind, optional = kind_of(Literal["all", "closed"] | None)
    >>> kind.name, optional
    ('choice', True)
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType) and NoneType in parts:
        rest = tuple(part for part in parts if part is not NoneType)
        return kind_of(Union[rest])[0], True  # noqa: UP007 - built at run time
    if origin is Annotated:
        return parts[1], False
    if origin is Literal:
        return ChoiceKind(parts), False
    if origin is tuple and Ellipsis not in parts:
        return Together(tuple(kind_of(part)[0] for part in parts)), False
    if origin is tuple:
        return Several(kind_of(parts[0])[0]), False
    if origin is dict:
        return Named(kind_of(parts[1])[0]), False
    return _PLAIN[annotation], False
