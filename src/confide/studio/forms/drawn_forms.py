"""A form as a page draws it, from the plain description of a job (`form_of`) alone: a new field in a job is drawn here
without a line more.

    form_of(job) + texts + faults --> Form --> form.html.j2
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confide.core.jobs.catalogue import Job
from confide.core.jobs.fields import PROMISE, READING
from confide.core.jobs.forms import form_of
from confide.report.formats import heading
from confide.studio.forms.field_texts import Fault, Texts, given_fields, in_lines, presets

__all__ = ["Control", "Form", "ControlGroup", "draw_form", "field_label"]

_FILES, _INPUT, _HOW = "Files that it writes", "What it reads", "How"
_OPTION = re.compile(r"--([a-z][a-z-]*[a-z]|[a-z])(?: ([a-z][\w-]*))?")
_OF_TERMINALS = re.compile(r"[^.]*(?:stdout|Exit status|exit status|stderr|--table|-o )[^.]*(?:\.\w[^.]*)*\.\s*")
_FILE_KINDS = ("data", "file", "file of labels")
_NUMBERS = ("number", "whole number", "share", "support")


Options = Mapping[str, Mapping[str, Any]]
"""The plain descriptions of a job's fields by their options, without the dashes."""


@dataclass(frozen=True, kw_only=True)
class Control:
    """One field on the page. `look` is one of: check, choice, file, files, lines, text."""

    name: str
    label: str
    look: str
    help: str
    texts: tuple[str, ...]
    choices: tuple[str, ...] = ()
    required: bool = False
    numeric: bool = False
    least: float | None = None
    most: float | None = None
    default: str = ""
    unit: str = ""
    when: tuple[tuple[str, str], ...] = ()
    fault: Fault | None = None

    @property
    def text(self) -> str:
        """Its one text."""
        return self.texts[0] if self.texts else ""

    @property
    def is_set(self) -> bool:
        """Whether it says something other than its default."""
        return bool(self.texts) and self.text != self.default


@dataclass(frozen=True, kw_only=True)
class ControlGroup:
    """Controls under one heading, open or folded away."""

    name: str
    controls: tuple[Control, ...]
    open: bool


@dataclass(frozen=True, kw_only=True)
class Form:
    """A whole form; `faults` are those of no field alone. `kept` are texts that nobody changes here, and that stay."""

    job: str
    title: str
    help: str
    groups: tuple[ControlGroup, ...]
    faults: tuple[Fault, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()

    @property
    def controls(self) -> list[Control]:
        """All controls in order."""
        return [control for group in self.groups for control in group.controls]


def draw_form(job: Job[Any], texts: Texts, faults: Iterable[Fault] = ()) -> Form:
    """The form of a job with what it holds and what is wrong with it."""
    plain = form_of(job)
    by_field = {fault.field: fault for fault in faults}
    options = {field["option"].removeprefix("--"): field for field in (*plain["fields"], *plain["files"])}
    shown = {field.name: in_lines(field) for field in given_fields(job)}
    hidden = {*presets(job), "form"}

    def controls(fields: Sequence[Mapping[str, Any]], *, written: bool) -> list[tuple[str, Control]]:
        drawn = [field for field in fields if field["name"] in shown and field["name"] not in hidden]
        return [
            (field.get("group", ""), _control(field, texts, by_field.get(field["name"]), options, look))
            for field in drawn
            for look in [_look(field, in_lines=shown[field["name"]], written=written)]
        ]

    asked, files = controls(plain["fields"], written=False), controls(plain["files"], written=True)
    groups = _groups(asked, {field["name"] for field in plain["fields"] if not field["option"].startswith("--")})
    if files:
        groups.insert(len(groups) - (groups[-1].name == READING if groups else 0), _group(_FILES, files, open=True))
    names = {control.name for group in groups for control in group.controls}
    kept = tuple((name, text) for name in sorted(hidden & set(shown)) for text in texts.get(name, ()))
    loose = tuple(fault for fault in by_field.values() if fault.field not in names)
    return Form(job=job.name, title=reword(plain["title"], options), help=_for_pages(plain["help"], options),
                groups=tuple(groups), faults=loose, kept=kept)  # fmt: skip


def _groups(controls: list[tuple[str, Control]], sources: set[str]) -> list[ControlGroup]:
    """What is read, what must hold, how; how files are read last."""
    read = [pair for pair in controls if not pair[0] and (pair[1].name in sources or _is_needed_file(pair[1]))]
    needed = [pair for pair in controls if not pair[0] and pair not in read and pair[1].required]
    free = [pair for pair in controls if not pair[0] and pair not in read and pair not in needed]
    names = list(dict.fromkeys(group for group, _ in controls if group))
    under = {name: [pair for pair in controls if pair[0] == name] for name in names}
    groups = [_group(_INPUT, read, open=True)] if read else []
    groups += [_group("What you must say", needed, open=True)] if needed else []
    promises = [name for name in names if name == PROMISE]
    groups += [_group(name, under[name], open=True) for name in promises]
    groups += [_group(_HOW, free, open=not promises)] if free else []
    groups += [_group(name, under[name], open=False) for name in names if name not in promises and name != READING]
    groups += [_group("Reading", under[READING], open=False)] if READING in under else []
    return groups


def _group(name: str, pairs: list[tuple[str, Control]], *, open: bool) -> ControlGroup:
    controls = tuple(control for _, control in pairs)
    return ControlGroup(
        name=name, controls=controls, open=open or any(c.is_set or c.fault is not None for c in controls)
    )


def _is_needed_file(control: Control) -> bool:
    return control.required and control.look in ("file", "files")


def _look(field: Mapping[str, Any], *, in_lines: bool, written: bool) -> str:
    """What a field is drawn as; a file that is `written` has a name that somebody makes up."""
    kind = field["kind"]
    if kind == "yes or no":
        return "check"
    if in_lines:
        return "lines"
    if "choices" in field:
        return "choice"
    if kind in _FILE_KINDS and (not written or field["name"] == "sign"):
        return "files" if field.get("several") else "file"
    return "text"


def _control(field: Mapping[str, Any], texts: Texts, fault: Fault | None, options: Options, look: str) -> Control:
    kind, name = field["kind"], field["name"]
    default = field.get("default")
    shown = "" if default is None or isinstance(default, bool) else str(default)
    return Control(
        name=name,
        label=field_label(name),
        look=look,
        help=reword(field["help"], options),
        texts=tuple(texts.get(name, ())),
        choices=tuple(field.get("choices", ())),
        required=field["required"],
        numeric=kind in _NUMBERS,
        least=field.get("at_least", field.get("above", 0 if kind == "share" else None)),
        most=field.get("at_most", 1 if kind == "share" else None),
        default=shown,
        unit=field.get("unit", ""),
        when=tuple((other, _alternatives(value)) for other, value in field.get("when", {}).items()),
        fault=fault,
    )


def _alternatives(value: Any) -> str:
    """The values of another field with which one is shown, with blanks between."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def field_label(name: str) -> str:
    """What a field is called on a page.

    >>> field_label("min_support"), field_label("k")
    ('Min support', 'k')
    """
    return heading(name)


def reword(text: str, options: Options) -> str:
    """Help that was written for the command line, for a page: names of fields in place of options.

    >>> options = {"k": {"name": "k"}, "by": {"name": "by", "choices": ["items"]}}
    >>> reword("With --k and --by items: IN is cut.", options)
    'With “k” and “By” = items: the input is cut.'
    """

    def shown(found: re.Match[str]) -> str:
        field = options.get(found[1]) or options.get(f"no-{found[1]}") or {"name": found[1].replace("-", "_")}
        name, word = f"“{field_label(field['name'])}”", found[2]
        return name if word is None else f"{name} {'= ' if word in field.get('choices', ()) else ''}{word}"

    plain = re.sub(r"\bIN\b", "the input", _OPTION.sub(shown, text))
    return plain[:1].upper() + plain[1:]


def _for_pages(help: str, options: Options) -> str:
    """The paragraphs of a job's help after the first, without what only terminals have."""
    rest = help.partition("\n\n")[2]
    paragraphs = (" ".join(part.split()) for part in rest.split("\n\n"))
    kept = (_OF_TERMINALS.sub("", part).strip() for part in paragraphs)
    return "\n\n".join(reword(part, options) for part in kept if part)
