"""From a job to its click command: options, types, help and examples are derived from the fields of its request.

    Job --> command_of(job) --> confide mine itemsets IN --min-support 1% ... --save-request FILE

The command makes the request, runs the job and lets `delivery` print and write what came of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from confide.cli.derived.delivery import deliver
from confide.cli.lazy_group import LazyGroup, quiet_option
from confide.cli.options import ADDRESS, NEW, note
from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job, groups_of, jobs_of
from confide.core.jobs.delivery import Delivery
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import (
    ChoiceKind,
    File,
    Flag,
    Kind,
    Named,
    PerColumn,
    PopulationKind,
    RecordsKind,
    Several,
    Together,
    names_files,
)
from confide.core.jobs.request import Request

__all__ = ["command_of", "group_of", "option_wording"]

_FILES = "Files and output"
_SAVE = "Also write this request to a file; `confide run FILE` repeats it."


class _JobCommand(click.Command):
    """A command whose help lists options under the headings of their fields."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not isinstance(parameter, click.Argument):  # click lists those itself
                sections.setdefault(getattr(parameter, "heading", "") or "Options", []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class _Option(click.Option):
    """An option that knows the heading it stands under."""

    def __init__(self, names: list[str], *, heading: str, **settings: Any):
        super().__init__(names, **settings)
        self.heading = heading


class _Value(click.ParamType[Any]):
    """A kind of value, as click wants it."""

    def __init__(self, kind: Kind):
        self.kind, self.name = kind, kind.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.kind.parse(value)
        except ValueError as error:
            self.fail(f"{value!r} {error}", param, ctx)


def command_of(job: Job[Any]) -> click.Command:
    """The click command of a job."""

    def run(save_request: Path | None, stray: Sequence[str] = (), **given: Any) -> None:
        if stray:
            raise UsageError(job.stray.replace("{}", stray[0]))
        try:
            request, delivery = _asked(job.request, given), _asked(job.delivery, given)
            save = None
            if save_request is not None:
                _save(job, request, delivery, save_request)
                save = partial(_save_again, job, delivery, save_request)
            deliver(job, request, delivery, save=save)
        except RequestError as error:
            raise UsageError(option_wording(error, job)) from None

    save = _Option(["--save-request"], type=NEW, metavar="FILE", heading=_FILES, help=_SAVE)
    parameters = [*_parameters(job.request), *_parameters(job.delivery, _FILES), save, quiet_option()]
    if job.stray:
        parameters.append(click.Argument(["stray"], nargs=-1, metavar="", type=click.Path()))
    return _JobCommand(
        job.name.split()[-1],
        params=parameters,
        callback=run,
        help=job.help,
        short_help=job.summary,
        epilog=_epilog(job.examples),
    )


def group_of(words: str, modules: Iterable[str]) -> click.Group:
    """The group of the commands whose names begin with `words`; the modules list jobs, and help of groups."""
    jobs = {job.name: job for module in modules for job in jobs_of(module)}
    about = {name: text for module in modules for name, text in groups_of(module).items()}
    return _JobGroup(words, jobs=jobs, about=about)


class _JobGroup(LazyGroup):
    """A group that makes the command of a job, or the group of longer names, when it is used."""

    def __init__(self, words: str, *, jobs: Mapping[str, Job[Any]], about: Mapping[str, str]):
        self.words, self.jobs, self.about = words, jobs, about
        listed: dict[str, tuple[str, str]] = {}
        examples: tuple[str, ...] = ()
        for name, job in jobs.items():
            if name.startswith(f"{words} "):
                word, _, deeper = name.removeprefix(f"{words} ").partition(" ")
                listed[word] = ("", _first_line(about[f"{words} {word}"]) if deeper else job.summary)
                examples = examples or job.examples[:1]
        super().__init__(words.split()[-1], commands_at=listed, help=about.get(words), epilog=_epilog(examples))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = f"{self.words} {cmd_name}"
        if name in self.jobs:
            return command_of(self.jobs[name])
        if name in self.about:
            return _JobGroup(name, jobs=self.jobs, about=self.about)
        return None


def _first_line(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def option_wording(error: RequestError, job: Job[Any]) -> str:
    """An error about a request in the words of the command line."""
    known = {field.name: field for type in (job.request, job.delivery) for field in fields_of(type)}

    def named(parameter: str, value: object) -> str:
        field = known.get(parameter)
        if field is None:
            return f"{parameter}={value!r}"
        if isinstance(field.kind, Flag):
            return field.option_name
        if isinstance(value, Mapping):
            shown: object = " ".join(f"{name}={part}" for name, part in value.items())
        else:
            shown = ",".join(map(str, value)) if isinstance(value, tuple) else value
        return f"{field.metavar if field.position else field.option_name} {shown}"

    return error.worded(named)


def _asked(type: type[Request], given: dict[str, Any]) -> Any:
    """The request or delivery that the options make."""
    values = {field.name: given.get(field.name) for field in fields_of(type)}
    for field in fields_of(type):
        if field.switched_off:
            values[field.name] = not values[field.name]
        elif isinstance(field.kind, Named):
            values[field.name] = _joined(field, values[field.name] or ())
    return type(**values)


def _joined(field: RequestField, parts: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """One mapping of what an option gave name by name; a name given twice is an error."""
    joined: dict[str, Any] = {}
    for part in parts:
        for name in part:
            if name in joined:
                what = "is given" if isinstance(field.kind, PerColumn) and name == field.kind.ALL else f"gives {name!r}"
                raise UsageError(f"{field.option_name} {what} twice; give it once")
        joined |= part
    return joined or None


def _save(job: Job[Any], request: Request, delivery: Delivery, path: Path) -> None:
    from confide.core.files import write_text
    from confide.core.jobs.request_files import request_text

    write_text(path, request_text(job, request, delivery, path), replace=bool(getattr(delivery, "replace", False)))
    note(f"request written to {path}; repeat it with: confide run {path}", reword=False)


def _save_again(job: Job[Any], delivery: Delivery, path: Path, request: Request) -> None:
    """Write the request that gives exactly the same again over the one that was asked."""
    from confide.core.files import write_text
    from confide.core.jobs.request_files import request_text

    write_text(path, request_text(job, request, delivery, path), replace=True)


def _parameters(type: type[Request], heading: str = "") -> Iterator[click.Parameter]:
    for field in fields_of(type):
        under = field.group or heading
        if field.in_python:
            continue
        if field.position:
            yield _argument(field)
        elif field.flags is not None:
            yield from _flags(field, under)
        elif isinstance(field.kind, Flag):
            names = [field.option_name, field.name]
            yield _Option(names, heading=under, is_flag=True, default=False, help=field.help)
        else:
            yield _option(field, under)


def _argument(field: RequestField) -> click.Argument:
    """The argument of a field: one or more files where it takes several, none where it has a default."""
    several = isinstance(field.kind, Several)
    kind = field.kind.element if isinstance(field.kind, Several) else field.kind
    metavar = f"{field.metavar}..." if several else field.metavar
    return click.Argument(
        [field.name],
        type=_type(kind),
        nargs=-1 if several else 1,
        required=field.required,
        metavar=metavar if field.required else f"[{metavar}]",
        help=field.help,
    )


def _option(field: RequestField, heading: str) -> click.Option:
    names = [field.short] if field.short else []
    kind = field.kind.element if isinstance(field.kind, Several) and field.repeat else field.kind
    return _Option(
        [*names, field.option_name, field.name],
        heading=heading,
        type=_type(kind),
        **({"required": True} if field.required else {"default": field.default}),  # None would be a default, too
        show_default=field.default not in (None, ()),
        multiple=field.repeat or isinstance(field.kind, Named),
        metavar=field.metavar or ("FILE" if names_files(field.kind) else None),
        help=f"{field.help}{_range(field)}",
    )


def _range(field: RequestField) -> str:
    """The bounds of a number, for help: " (2 or more)"."""
    least, above, most = (None if bound is None else f"{bound:,}" for bound in (field.ge, field.above, field.le))
    if least is not None and most is not None:
        return f" ({least} to {most})"
    if least is not None or above is not None:
        return f" ({least} or more)" if least is not None else f" (above {above})"
    return "" if most is None else f" ({most} or less)"


def _flags(field: RequestField, heading: str) -> Iterator[click.Option]:
    """A flag of its own for each choice: --json, --csv, --table."""
    for choice, help in (field.flags or {}).items():
        also = " [default]" if choice == field.default else ""
        names = [f"--{choice}", field.name]
        yield _Option(names, heading=heading, flag_value=choice, default=None, help=f"{help}{also}")


def _type(kind: Kind) -> Any:
    """Click's own types where they complete words in a shell; else the kind itself."""
    if isinstance(kind, ChoiceKind):
        return click.Choice(kind.choices)
    if isinstance(kind, Together):
        return click.Tuple([_type(element) for element in kind.elements])
    if isinstance(kind, RecordsKind) and not isinstance(kind, PopulationKind):
        return ADDRESS
    if isinstance(kind, File):
        return click.Path(path_type=Path, allow_dash=True)
    return _Value(kind)


def _epilog(examples: Sequence[str]) -> str:
    if not examples:
        return ""
    title = "Example:" if len(examples) == 1 else "Examples:"
    return "\n".join(["\b", title, *(f"  {line}" for line in examples)])
