"""What our docstrings mean, for the API reference, which reads them as Markdown.

There `>>>` would start a quotation, the lines in which a package lists its modules would run together, and so would the
lines below "Parameters". The first two are put between fences; parameters become a list.
"""

import re
from typing import Any

import griffe

__all__ = ["Readable"]

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
MODULES = re.compile(r"^\w+ {2,}\S.*(?:\n\w+ {2,}\S.*)*$", re.MULTILINE)
PARAMETERS = re.compile(r"^Parameters\n((?: {4}.*(?:\n|\Z))+)", re.MULTILINE)


def as_list(found: re.Match[str]) -> str:
    """One entry for each parameter; a line that is indented further belongs to the entry above."""
    lines = re.sub(r"\n {5,}", " ", found[1]).splitlines()
    entries = [re.split(r" {2,}", line.strip(), maxsplit=1) for line in lines]
    return "**Parameters**\n\n" + "".join(f"- `{name}`: {text}\n" for name, text in entries) + "\n"


class Readable(griffe.Extension):
    """Turns every docstring into the Markdown it means."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is None:
            return
        text = EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0]}\n```\n", obj.docstring.value)
        text = PARAMETERS.sub(as_list, text)
        if obj.is_module:
            text = MODULES.sub(lambda found: f"\n```text\n{found[0]}\n```\n", text)
        obj.docstring.value = text
