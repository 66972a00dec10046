"""JSON between parties: one canonical form to hash and sign, one strict reader, one line for every fault.

The reader refuses what two readers could take differently: a key given twice, NaN and infinities, numbers or nesting
beyond reason, half a character. Python's own reader accepts all of these in silence.
"""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError
from confide.core.runtime.memory import MemoryBudget

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["canonical_json", "check_json_size", "faults_of", "read_json"]

_HALF_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")  # of a surrogate: half a character, unless the other half follows
_LONGEST_NUMBER = 400  # digits; the largest float has 309
_LONG_NUMBER = re.compile(rb"\d{%d}" % (_LONGEST_NUMBER + 1))


def canonical_json(data: Any) -> str:
    """JSON with sorted keys and no blanks: the same text for whoever means the same.

    >>> canonical_json({"b": 1, "a": [True, "ü"]})
    '{"a":[true,"ü"],"b":1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def check_json_size(text: bytes | bytearray, budget: MemoryBudget, *, source: object = None) -> None:
    """Refuse JSON whose entries would take more memory than there may be: an empty object of two bytes takes 64."""
    things = text.count(b"{") + text.count(b"[")
    needed = 8 * len(text) + 300 * things + 80 * text.count(b",") + 80 * (text.count(b'"') // 2)
    budget.require(needed, "reading it", source=source)


def read_json(text: str | bytes | bytearray, *, what: str = "valid JSON", source: object = None) -> Any:
    """Read JSON strictly, or raise an InputError in one line; `what` names the thing in it.

    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    confide.core.errors.InputError: not valid JSON: the key 'a' is given twice
    """
    try:
        # Looking at each whole number takes twice as long as reading them all. (NUL: bytes that are not UTF-8.)
        data = text.encode(errors="replace") if isinstance(text, str) else text
        whole = _whole if b"\0" in data or _LONG_NUMBER.search(data) else None
        found = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=whole, parse_float=_finite
        )
        if _HALF_ESCAPE.search(text if isinstance(text, str) else text.decode(errors="replace")):
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except RecursionError:
        reason = "it is nested too deeply"
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except UnicodeEncodeError:
        reason = "a text in it holds half a character"
    except _Fault as fault:
        reason = str(fault)
    except ValueError as error:
        reason = f"line {getattr(error, 'lineno', 1)} cannot be read"
    raise InputError(f"not {what}: {reason}", source=source)


class _Fault(ValueError):
    """Well-formed JSON that we refuse."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Fault(f"the key {twice[:60]!r} is given twice")
    return found


def _no_constant(name: str) -> Any:
    raise _Fault(f"{name} is not a number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise _Fault("a number has too many digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _Fault("a number is too large")
    return number


def faults_of(
    error: "ValidationError", *, whole: str = "file", most: int = 5, said: Callable[[Any], str] | None = None
) -> str:
    """What pydantic found wrong, in one line: "place: reason; place: reason". Values are not repeated.

    `whole` names the place of faults that concern everything; `said` turns a fault into words where ours are better.
    """
    words = said or (lambda fault: str(fault["msg"]).removeprefix("Value error, "))
    return "; ".join(
        f"{'.'.join(map(str, fault['loc']))[:60] or whole}: {words(fault)}"
        for fault in error.errors(include_url=False, include_input=False)[:most]
    )
