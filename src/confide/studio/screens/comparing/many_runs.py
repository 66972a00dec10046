"""Methods by settings: many runs as a list with their progress, cancelled and resumed; one chart, one table, export."""

import csv
import io
import json
from itertools import product
from typing import Any

from confide.core.errors import ConfideError, UsageError
from confide.core.jobs.catalogue import Job, job_named
from confide.core.jobs.fields import fields_of
from confide.core.jobs.kinds import PerColumn, Trials
from confide.core.jobs.request_files import read_request
from confide.studio.forms.drawn_forms import draw_form
from confide.studio.forms.field_texts import Faults, asked_by, texts_of
from confide.studio.forms.suggestions import begin_form
from confide.studio.project.run_files import ENDING, free_name, text_of
from confide.studio.screens.exploration import EDGE, HEIGHT, WIDTH, front_line, place_point
from confide.studio.visit import Answer, FileAnswer, GoTo, Page, Studio, Visit, address
from confide.studio.work.comparisons import MOST_RUNS, RunComparison
from confide.studio.work.fronts import Point, best_points, read_points

__all__ = ["give_comparison", "show_comparison"]

_JOBS = {"publish table": {"k": "2, 5, 10"}, "publish transactions": {"k": "2, 5, 10"}}
_LOSS = {"publish table": "detail_lost", "publish transactions": "share_of_occurrences_lost"}
_ASKED_ONCE = ("suppress", "h", "p", "private_prefix")


def show_comparison(visit: Visit) -> Answer:
    """Choose what to compare; posted, make its runs; then (`name`) the list. Posted there: cancel, resume."""
    studio, name = visit.studio, visit.text("name")
    if visit.form is not None:
        if not name:
            return _begin(visit)
        if visit.text("do") not in ("cancel", "resume"):
            raise UsageError("choose one of the buttons of the page")
        (studio.comparisons.cancel if visit.text("do") == "cancel" else studio.comparisons.resume)(name)
        return GoTo(address("compare", name=name))
    if name:
        return _page(studio, studio.comparisons.of(name))
    return _form(studio, _job(visit.text("job", "publish table")), dict(visit.query))


def _job(name: str) -> Job[Any]:
    if name not in _JOBS:
        raise UsageError(f"{name[:40]} cannot be compared; choose a table or baskets")
    return job_named(name)


def _varied(job: Job[Any]) -> list[str]:
    """The fields that take several values in an exploration: they are those that a comparison varies, too."""
    given = [field for field in fields_of(job.request) if not field.in_python]
    kinds = {field.name: field.kind.element if isinstance(field.kind, PerColumn) else field.kind for field in given}
    return [name for name, kind in kinds.items() if isinstance(kind, Trials)]


def _form(studio: Studio, job: Job[Any], given: dict[str, str], fault: str = "") -> Page:
    known = {field.name: field for field in fields_of(job.request)}
    controls = {control.name: control for control in draw_form(job, {}).controls}
    begun = begin_form(studio.project, studio.files, job, given)
    texts = _JOBS[job.name] | {name: texts[0] for name, texts in begun.items() if texts} | given
    wanted = {"table": ("table",), "records": ("baskets",), "schema": ("schema",)}
    files = studio.files.all()
    values: dict[str, Any] = {
        "job": job,
        "fault": fault,
        "sources": [
            (name, [file.name for file in files if file.kind in wanted[name] and not file.passport])
            for name in known
            if name in wanted
        ],
        "methods": controls["method"].choices,
        "chosen": given.get("method", "").split(),
        "numbers": [controls[name] for name in (*_varied(job), *_ASKED_ONCE) if name in controls],
        "texts": texts,
        "earlier": studio.comparisons.names(),
    }
    return Page(
        template="begin_comparison.html.j2", title="Compare settings", values=values, status=422 if fault else 200
    )


def _begin(visit: Visit) -> Answer:
    """Make a run for every method and every combination of the numbers."""
    assert visit.form is not None
    studio, job = visit.studio, _job(visit.text("job"))
    texts = {name: list(parts) for name, parts in visit.form.items()}
    shown = {name: parts[-1] for name, parts in texts.items()} | {"method": " ".join(texts.get("method", ()))}
    varied = {name: [part.strip() for part in shown.get(name, "").split(",") if part.strip()] for name in _varied(job)}
    varied = {name: parts for name, parts in varied.items() if parts}
    settings = [
        dict(zip(("method", *varied), chosen, strict=True))
        for chosen in product(texts.get("method") or ["auto"], *varied.values())
    ]
    if len(settings) > MOST_RUNS:
        return _form(studio, job, shown, f"these are {len(settings)} runs; compare at most {MOST_RUNS} at once")
    source = shown.get("table") or shown.get("records") or ""
    stem = f"compare-{source.rpartition('/')[2].partition('.')[0]}"
    folder = free_name(studio.project, stem, "")
    runs: list[tuple[str, str]] = []
    try:
        for setting in settings:
            own = "-".join(f"{name}-{text}" if name != "method" else text for name, text in setting.items())
            run = f"{folder}/{free_name(studio.project, own, '')}{ENDING}"
            asked = texts | {name: [text] for name, text in setting.items()} | {"dry_run": ["yes"]}
            request, delivery = asked_by(studio.project, job, asked)
            runs.append((run, text_of(studio.project, run, job, request, delivery)))
    except Faults as faults:
        first = faults.found[0]
        return _form(studio, job, shown, f"{first.field} {first.line}".strip())
    except ConfideError as error:
        return _form(studio, job, shown, studio.project.shorten(str(error)))
    studio.project.place(folder).mkdir()
    for run, text in runs:
        studio.versions.save(run, text)
    studio.comparisons.begin(folder, job.name, [run for run, _ in runs])
    return GoTo(address("compare", name=folder))


def _page(studio: Studio, found: RunComparison) -> Page:
    studio.comparisons.go_on()
    points = _points(studio, found)
    best = best_points(points)
    values: dict[str, Any] = {
        "found": found,
        "runs": [
            (run, job, point, address("run", **point.row["texts"]))
            for (run, job), point in zip(found.runs, points, strict=True)
        ],
        "done": sum(job is not None and job.over for _, job in found.runs),
        "points": [(point, *place_point(point)) for point in points if point.loss is not None],
        "line": front_line(points, best),
        "best": {point.number for point in best},
        "width": WIDTH,
        "height": HEIGHT,
        "edge": EDGE,
    }
    again = 1 if found.running or (found.on and found.waiting) else None
    return Page(template="comparison.html.j2", title=found.name, values=values, owner=True, again_after=again)


def _points(studio: Studio, found: RunComparison) -> list[Point]:
    """Each run as a point: what it asks, and what its job said that it loses."""
    rows = []
    names = _varied(job_named(found.job))
    for run, job in found.runs:
        what, request, _ = read_request(studio.project.place(run))
        plain = request.as_plain()
        asked = {name: _number(plain[name]) for name in names if name in plain}
        texts = {name: parts[0] for name, parts in texts_of(studio.project, request).items() if parts}
        row: dict[str, Any] = {"method": plain.get("method", "auto"), **asked, "texts": {"job": what.name} | texts}
        if job is not None and job.state == "done":
            try:
                loss = json.loads(job.answer())["loss"]
                row |= {"detail lost": loss.get(_LOSS[found.job]), "loss": loss}
            except (ValueError, KeyError, ConfideError):
                row |= {"refused": "its answer cannot be read"}
        elif job is not None and job.over:
            row |= {"refused": job.error or job.state}
        rows.append(row)
    return read_points(rows, names)


def _number(value: Any) -> Any:
    """A setting as one number where it is one for all columns."""
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    if isinstance(value, dict) and list(value) == [PerColumn.ALL]:
        return _number(value[PerColumn.ALL])
    return value


def give_comparison(visit: Visit) -> Answer:
    """The table of a comparison as CSV, to keep: exact figures, for the owner."""
    studio, name = visit.studio, visit.text("name")
    found = studio.comparisons.of(name)
    points = _points(studio, found)
    losses = list(dict.fromkeys(key for p in points for key, v in p.row.get("loss", {}).items() if _plain(v)))
    asked = list(dict.fromkeys(key for point in points for key in point.asked))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["run", "method", *asked, "state", *losses, "refused"])
    for point, (run, job) in zip(points, found.runs, strict=True):
        loss = point.row.get("loss", {})
        state = "waiting" if job is None else job.state
        refused = "" if point.loss is not None or job is None or not job.over else point.refused
        table.writerow(
            [run, point.method, *map(point.asked.get, asked), state, *(loss.get(key) for key in losses), refused]
        )
    return FileAnswer(data=text.getvalue().encode(), type="text/csv; charset=utf-8", name=f"{name}.csv")


def _plain(value: Any) -> bool:
    return isinstance(value, int | float | str)
