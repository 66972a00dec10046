"""What a scheme asks people, as the form of a collector puts it."""

from collections.abc import Sequence
from dataclasses import dataclass

from confide.collect.schemes.scheme import Scheme
from confide.core.files import read_regular
from confide.studio.project.project_folder import Project

__all__ = ["FormQuestion", "find_schemes", "questions_of", "read_project_scheme"]

_LARGEST = 8 << 20
_SHOWN = 12


@dataclass(frozen=True, kw_only=True)
class FormQuestion:
    """One question: its name, how it is answered (one, number or ticks), the first answers, and how many more."""

    name: str
    look: str
    answers: tuple[str, ...]
    more: int


def find_schemes(project: Project, names: Sequence[str]) -> list[str]:
    """Those of these files that are schemes."""
    heads = {name: project.beginning(name, 200).replace(b" ", b"") for name in names}
    return [name for name, head in heads.items() if b'"confide":"scheme"' in head]


def read_project_scheme(project: Project, name: str) -> Scheme:
    """The scheme of a file of the folder."""
    data = read_regular(project.place(name), max_bytes=_LARGEST)
    return Scheme.from_json(data.decode("utf-8", "replace"), source=name)


def questions_of(scheme: Scheme) -> list[FormQuestion]:
    """The questions of a scheme, in its order; of items there is one, with a box for each."""
    if scheme.fields is not None:
        return [
            FormQuestion(
                name=field.name,
                look="one" if field.edges is None else "number",
                answers=field.values[:_SHOWN],
                more=max(0, len(field.values) - _SHOWN),
            )
            for field in scheme.fields
        ]
    items = scheme.universe or ()
    more = max(0, len(items) - _SHOWN)
    return [FormQuestion(name="Which of these apply to you?", look="ticks", answers=items[:_SHOWN], more=more)]
