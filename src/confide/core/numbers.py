"""Numbers as callers have them. NumPy's are numbers too: they become Python's own before anything is checked."""

from dataclasses import fields
from functools import wraps
from typing import Any

__all__ = ["PlainNumbers", "python_number"]


def python_number(value: Any) -> Any:
    """A NumPy number as Python's own; anything else as it is.

    >>> import numpy as np
    >>> python_number(np.float64(0.5)), python_number(np.int32(3)), python_number("0.5"), python_number(True)
    (0.5, 3, '0.5', True)
    """
    if getattr(value, "shape", None) != () or not hasattr(value, "item"):
        return value
    found = value.item()
    return found if isinstance(found, int | float) else value


class PlainNumbers:
    """For dataclasses that check themselves in `__post_init__`: their numbers are Python's own by then."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check = cls.__dict__.get("__post_init__")
        if check is None:
            return

        @wraps(check)
        def settled(self: Any) -> None:
            for field in fields(self):
                given = getattr(self, field.name, None)
                number = python_number(given)
                if number is not given:
                    object.__setattr__(self, field.name, number)
            check(self)

        cls.__post_init__ = settled  # type: ignore[attr-defined]
