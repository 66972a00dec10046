"""What our docstrings mean, for the API reference: examples and lists of modules are shown as they are written.

The reference reads docstrings as Markdown. There `>>>` would start a quotation, and the lines in which a package lists
its modules would run together, so both are put between fences.
"""

import re
from typing import Any

import griffe

__all__ = ["Fenced"]

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
MODULES = re.compile(r"^\w+ {2,}\S.*(?:\n\w+ {2,}\S.*)*$", re.MULTILINE)


class Fenced(griffe.Extension):
    """Puts fences around examples and lists of modules in every docstring."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is None:
            return
        text = obj.docstring.value
        text = EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0]}\n```\n", text)
        if obj.is_module:
            text = MODULES.sub(lambda found: f"\n```text\n{found[0]}\n```\n", text)
        obj.docstring.value = text
