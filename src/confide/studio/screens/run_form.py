"""A run: the form of its job, drawn from the job's description; what it says in a sentence each; and in other words."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.jobs.catalogue import Job, job_named
from confide.core.jobs.delivery import Delivery
from confide.core.jobs.request import Request
from confide.studio.forms.drawn_forms import draw_form
from confide.studio.forms.field_texts import Fault, Faults, Texts, asked_by, given_fields, texts_for, texts_of
from confide.studio.forms.suggestions import begin_form
from confide.studio.project.file_kinds import KINDS
from confide.studio.project.run_files import RunFile, free_name, read_run, text_of
from confide.studio.project.spellings import command_line, line_of, notebook_text, python_text
from confide.studio.visit import Answer, FileAnswer, GoTo, Page, Studio, Visit, address

__all__ = ["choices_of", "give_notebook", "show_run"]

_USE = "use:"


def show_run(visit: Visit) -> Answer:
    """The form of a new run (`job`) or of one in the folder (`name`); posted, the run is saved, and maybe started."""
    studio, name = visit.studio, visit.text("name")
    if visit.form is None:
        return _existing(studio, name) if name else _new(studio, visit)
    do = visit.text("do", "save")
    if do in ("undo", "redo"):
        studio.versions.undo(name) if do == "undo" else studio.versions.redo(name)
        return GoTo(address("run", name=name))
    if do.startswith(_USE) and "job" not in visit.form:
        return _use(studio, name, _cure(do))
    return _take(studio, visit, do)


def _new(studio: Studio, visit: Visit) -> Page:
    job = job_named(visit.text("job"))
    texts = begin_form(studio.project, studio.files, job, visit.query)
    stem = next((texts[field.name][0] for field in given_fields(job) if field.position and texts[field.name]), "")
    wanted = f"{job.name}-{stem.rpartition('/')[2].partition('.')[0]}"
    return _form_page(studio, job, texts, name="", wanted=free_name(studio.project, wanted, ""))


def _existing(studio: Studio, name: str) -> Page:
    run = read_run(studio.project, name)
    version = studio.versions.current(name)
    if run.job is None or run.request is None or run.delivery is None:
        if version is None:
            raise InputError("is not in the folder any more", source=name[:100])
        values = {"name": name, "line": run.fault, "text": version.text, "version": version}
        return Page(template="broken_run.html.j2", title=name, values=values, status=422)
    texts = texts_of(studio.project, run.request, run.delivery)
    faults = [Fault(field="", line=run.fault)] if run.fault else []
    return _form_page(studio, run.job, texts, name=name, faults=faults, run=run)


def _take(studio: Studio, visit: Visit, do: str) -> Answer:
    """Save what was posted, and go on to what was asked; what cannot be saved is shown again with its faults."""
    assert visit.form is not None
    job = job_named(visit.text("job"))
    name, texts = visit.text("name"), dict(visit.form)
    for field in given_fields(job):  # a name that is typed stands for one that is chosen
        typed = [text for text in texts.get(f"{field.name}:typed", []) if text.strip()]
        texts[field.name] = [text for text in typed or texts.get(field.name, []) if text]
    if do.startswith(_USE):
        texts |= _changed_texts(studio, job, _cure(do))
    wanted = visit.text("wanted")
    known: dict[str, Any] = {"name": name, "wanted": wanted}
    try:
        request, delivery = asked_by(studio.project, job, texts)
        file = name or free_name(studio.project, wanted or job.name)
        text = text_of(studio.project, file, job, request, delivery)
    except Faults as faults:
        return _form_page(studio, job, texts, faults=faults.found, status=422, **known)
    except ConfideError as error:
        fault = Fault(field=error.parameter or "", line=studio.project.shorten(str(error)))
        return _form_page(studio, job, texts, faults=[fault], status=422, **known)
    try:
        version = studio.versions.save(file, text, base=visit.number("base", 0) or None)
    except UsageError as error:
        return _form_page(studio, job, texts, faults=[Fault(field="", line=str(error))], status=409, **known)
    if do not in ("start", "try"):
        return GoTo(address("run", name=file))
    run = read_run(studio.project, file)
    if do == "try" and run.delivery is not None and hasattr(run.delivery, "dry_run"):
        run = replace(run, delivery=replace(run.delivery, dry_run=True))  # type: ignore[call-arg]
    try:
        if run.request is not None:
            run.request.check_delivery(run.delivery)
        return GoTo(address("job", n=studio.jobs.start(run, version.number)))
    except ConfideError as error:
        fault = Fault(field=error.parameter or "", line=studio.project.shorten(str(error)), cures=tuple(error.cures))
        return _form_page(studio, job, texts, faults=[fault], status=422, name=file)


def _use(studio: Studio, name: str, cure: Mapping[str, Any]) -> Answer:
    """Change a run as a cure says, and start it: the nearest setting that works, as a button."""
    run = read_run(studio.project, name)
    if run.job is None or run.request is None or run.delivery is None:
        raise UsageError(run.fault)
    texts = texts_of(studio.project, run.request, run.delivery) | _changed_texts(studio, run.job, cure)
    try:
        request, delivery = asked_by(studio.project, run.job, texts)
    except Faults as faults:
        return _form_page(studio, run.job, texts, faults=faults.found, status=422, name=name)
    version = studio.versions.save(name, text_of(studio.project, name, run.job, request, delivery))
    return GoTo(address("job", n=studio.jobs.start(read_run(studio.project, name), version.number)))


def _cure(do: str) -> Mapping[str, Any]:
    try:
        plain = json.loads(do.removeprefix(_USE))
    except ValueError:
        plain = None
    if not isinstance(plain, dict):
        raise UsageError("this is not a setting that the studio proposed; open the page again")
    return plain


def _changed_texts(studio: Studio, job: Job[Any], cure: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a form holds for the fields of a cure."""
    known = {field.name: field for field in given_fields(job)}
    changed: dict[str, list[str]] = {}
    for name, value in cure.items():
        if name in known:
            try:
                changed[name] = (
                    [] if value is None else texts_for(studio.project, known[name], known[name].check(value))
                )
            except ConfideError:
                raise UsageError("this is not a setting that the studio proposed; open the page again") from None
    return changed


def _form_page(
    studio: Studio,
    job: Job[Any],
    texts: Texts,
    *,
    name: str,
    wanted: str = "",
    faults: list[Fault] | None = None,
    run: RunFile | None = None,
    status: int = 200,
) -> Page:
    version = studio.versions.current(name) if name else None
    files = studio.files.all()
    chosen = [(heading, [f.name for f in files if f.kind == kind]) for kind, heading in KINDS.items()]
    values: dict[str, Any] = {
        "form": draw_form(job, texts, faults or ()),
        "job": job,
        "name": name,
        "wanted": wanted,
        "version": version,
        "base": "" if version is None else version.number,
        "files": [(heading, names) for heading, names in chosen if names],
        "names": {file.name for file in files},
        "speaks_to_others": _speaks_to_others(job, run),
        "can_try": "dry_run" in {field.name for field in given_fields(job)},
        "latest": studio.jobs.latest_of(name) if name else None,
        "words": None,
        "choices": [],
    }
    if run is not None and run.request is not None and run.delivery is not None:
        values["words"] = _in_other_words(studio, job, run.request, run.delivery) if not run.fault else None
        values["choices"] = choices_of(studio, run.request, run.delivery)
    return Page(template="run.html.j2", title=name or job.name.capitalize(), values=values, status=status)


def _speaks_to_others(job: Job[Any], run: RunFile | None) -> bool:
    """Whether the studio must not run it; of a form that is not saved yet nobody knows its settings."""
    if run is None or run.request is None:
        return job.remote
    return job.remote and not run.request.stays_here(run.delivery)


def choices_of(studio: Studio, *asked: Request) -> list[tuple[str, str, str]]:
    """What a run says beside the defaults, each with its meaning in a sentence."""
    from confide.core.jobs.fields import fields_of
    from confide.studio.forms.drawn_forms import field_label, reword

    both = [(part, field) for part in asked for field in fields_of(type(part))]
    options = {field.option_name.removeprefix("--"): {"name": field.name} for _, field in both}
    return [
        (field_label(field.name), ", ".join(texts).replace("\n", ", "), reword(field.help, options))
        for part, field in both
        if getattr(part, field.name) != field.default and not field.secret and not field.in_python
        for texts in [texts_for(studio.project, field, getattr(part, field.name))]
        if field.name != "as_json"
    ]


def _in_other_words(studio: Studio, job: Job[Any], request: Request, delivery: Delivery) -> dict[str, str]:
    return {
        "command": line_of(command_line(studio.project, job, request, delivery)),
        "python": python_text(studio.project, job, request, delivery),
    }


def give_notebook(visit: Visit) -> Answer:
    """The run as a notebook, to keep."""
    studio, name = visit.studio, visit.text("name")
    run = read_run(studio.project, name)
    if run.fault or run.job is None or run.request is None or run.delivery is None:
        raise UsageError(run.fault)
    text = notebook_text(studio.project, run.job, run.request, run.delivery)
    file = f"{name.rpartition('/')[2].partition('.')[0]}.ipynb"
    return FileAnswer(data=text.encode(), type="application/x-ipynb+json", name=file)
