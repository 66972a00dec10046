"""Labels of items are text; this is the order they are coded in.

Codes decide ties all over the package, so they must not depend on the order of a file's rows: whole numbers come
first, by value (7 before 10), then all other labels by code point.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_label", "is_integer_label", "label_order", "labels_of"]


def is_integer_label(label: str) -> bool:
    """Whether this is a whole number written the usual way ("7", "-7", but not "07" or "+7")."""
    digits = label[1:] if label[:1] == "-" else label
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        return False
    return (digits == "0" and label == "0") or digits[0] != "0"


def label_order(label: str) -> tuple[int, int, str]:
    """Sort key: whole numbers by value, then the rest by code point.

    >>> sorted(["b", "10", "7", "a"], key=label_order)
    ['7', '10', 'a', 'b']
    """
    return (0, int(label), "") if is_integer_label(label) else (1, 0, label)


def as_label(item: object) -> str:
    """An item given by a caller (text or whole number) as a label, blanks around it dropped; else refused.

    >>> as_label("milk"), as_label(7)
    ('milk', '7')
    """
    if isinstance(item, str):
        label = item.strip()
    elif isinstance(item, bool) or not hasattr(item, "__index__"):
        raise InputError(f"an item must be text or a whole number, not {type(item).__name__}")
    else:
        label = str(item.__index__())
    if not label:
        raise InputError("an item is an empty text")
    if not label.isascii() and any("\ud800" <= c <= "\udfff" for c in label):  # half a character: no file can hold it
        raise InputError("an item is not sound text (it holds half a character)")
    return label


def labels_of(values: "pa.Array", source: Path) -> list[str]:
    """The labels a batch names, "" for what is no item."""
    try:
        return ["" if value is None else _label(value) for value in values.to_pylist()]
    except (UnicodeDecodeError, InputError):
        raise InputError("an item is not sound text", source=source) from None


def _label(value: Any) -> str:
    return as_label(value) if not isinstance(value, str) or value.strip() else ""
