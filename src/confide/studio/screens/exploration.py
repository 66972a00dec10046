"""Explore: what every setting would cost, drawn as loss against risk; one is picked, two stand side by side."""

from typing import Any

from confide.core.errors import ConfideError, UsageError
from confide.core.jobs.catalogue import Job, job_named
from confide.core.jobs.fields import PROMISE, fields_of
from confide.core.jobs.kinds import PerColumn, Trials
from confide.core.jobs.request_files import read_request
from confide.studio.forms.drawn_forms import Control, draw_form
from confide.studio.forms.field_texts import Fault, Faults, Texts, asked_by
from confide.studio.forms.suggestions import begin_form
from confide.studio.project.file_kinds import KINDS
from confide.studio.project.run_files import free_name, read_run, text_of
from confide.studio.screens.work import waiting_page
from confide.studio.visit import Answer, GoTo, Page, Studio, Visit, address
from confide.studio.work.answers import read_rows
from confide.studio.work.fronts import Point, best_points, nearest_that_holds, read_points
from confide.studio.work.job_folder import JobRecord

__all__ = ["EDGE", "HEIGHT", "WIDTH", "front_line", "place_point", "show_exploration"]

_JOBS = {"table": "publish table", "baskets": "publish transactions"}
_BEGIN = {"publish table": {"k": ["2, 3, 5, 10, 20"]}, "publish transactions": {"k": ["2, 5, 10"], "p": ["1, 2"]}}
_BESIDE = ("suppress", "private", "private_prefix")
WIDTH, HEIGHT, EDGE = 560, 300, 44


def show_exploration(visit: Visit) -> Answer:
    """Choose a file; then what to try; then (`n`) what each setting would cost."""
    studio = visit.studio
    if visit.form is not None:
        return _start(visit)
    if visit.text("n"):
        return _result(visit, studio.jobs.job(visit.number("n")))
    if not visit.text("job"):
        files = [file for file in studio.files.all() if file.kind in _JOBS and not file.passport]
        ways = [
            (file, address("explore", job=_JOBS[file.kind], **{_source(_JOBS[file.kind]): file.name})) for file in files
        ]
        past = [job for job in studio.jobs.all() if job.run.startswith("explore-")][:10]
        return Page(template="choose_exploration.html.j2", title="Explore", values={"ways": ways, "jobs": past})
    job = _job(visit)
    return _form(studio, job, begin_form(studio.project, studio.files, job, visit.query) | _BEGIN[job.name])


def _job(visit: Visit) -> Job[Any]:
    name = visit.text("job")
    if name not in _BEGIN:
        raise UsageError(f"{name[:40]} cannot be explored; choose a table or baskets")
    return job_named(name)


def _source(job: str) -> str:
    return next(field.name for field in fields_of(job_named(job).request) if field.position)


def _varied_fields(job: Job[Any]) -> list[str]:
    """The fields that can be varied, as the job's description has them, and what goes with them."""
    fields = fields_of(job.request)
    varied = [f for f in fields if isinstance(f.kind.element if isinstance(f.kind, PerColumn) else f.kind, Trials)]
    beside = [f for f in fields if f.group == PROMISE or f.name in _BESIDE or f.required]
    return [field.name for field in fields if (field in varied or field in beside) and not field.in_python]


def _form(studio: Studio, job: Job[Any], texts: Texts, faults: list[Fault] | None = None) -> Page:
    form = draw_form(job, texts, faults or ())
    names = _varied_fields(job)
    controls = sorted((c for c in form.controls if c.name in names), key=lambda control: not control.required)
    files = studio.files.all()
    listed = [(heading, [f.name for f in files if f.kind == kind]) for kind, heading in KINDS.items()]
    told = [*form.faults, *(c.fault for c in form.controls if c.fault is not None and c.name not in names)]
    values: dict[str, Any] = {
        "job": job,
        "first": [control for control in controls if _is_first(control)],
        "more": [control for control in controls if not _is_first(control)],
        "files": [(heading, names) for heading, names in listed if names],
        "names": {file.name for file in files},
        "faults": [fault.line for fault in told],
    }
    return Page(template="explore.html.j2", title="Explore", values=values, status=422 if faults else 200)


def _is_first(control: Control) -> bool:
    return control.required or control.is_set or control.name in ("k", "l", "suppress", "private_prefix")


def _start(visit: Visit) -> Answer:
    """Save the exploration as a run, and start it."""
    assert visit.form is not None
    studio, job = visit.studio, _job(visit)
    texts = dict(visit.form) | {"explore": ["yes"]}
    source = visit.text(_source(job.name)).rpartition("/")[2].partition(".")[0]
    name = free_name(studio.project, f"explore-{source}")
    texts["report"] = [f"{name.partition('.')[0]}.html"]
    try:
        request, delivery = asked_by(studio.project, job, texts)
        request.check_delivery(delivery)
        text = text_of(studio.project, name, job, request, delivery)
    except Faults as faults:
        return _form(studio, job, texts, faults.found)
    except ConfideError as error:
        return _form(studio, job, texts, [Fault(field=error.parameter or "", line=studio.project.shorten(str(error)))])
    version = studio.versions.save(name, text)
    number = studio.jobs.start(read_run(studio.project, name), version.number)
    return GoTo(address("explore", n=number))


def _result(visit: Visit, job: JobRecord) -> Page:
    """The points, the one that is picked, and two that are pinned."""
    studio = visit.studio
    if job.state != "done":
        return waiting_page(job, "Explore", "Trying every setting")
    what, request, _ = read_request(job.folder / "run.toml")
    names = [field.name for field in fields_of(type(request)) if field.name in _varied_fields(what)]
    points = read_points(read_rows(job.answer()), names)
    if not points:
        raise UsageError("this job explored nothing; look at its own page")
    best = best_points(points)
    wanted = visit.number("pick", -1 if not best else best[-1].number) if visit.text("pick") or best else 0
    picked = points[min(max(wanted, 0), len(points) - 1)]
    pins = [points[at] for at in _pins(visit) if at < len(points)]
    kept = {"pins": ",".join(str(point.number) for point in pins)} if pins else {}
    values: dict[str, Any] = {
        "job": job,
        "points": [(point, *place_point(point)) for point in points if point.loss is not None],
        "line": front_line(points, best),
        "best": {point.number for point in best},
        "all": points,
        "picked": picked,
        "pins": pins,
        "nearest": nearest_that_holds(points, picked) if picked.loss is None else None,
        "use": lambda point: _use(studio, what, request, point),
        "pick": lambda point: address("explore", n=job.number, pick=point.number, **kept),
        "pin": lambda point: _pin(job.number, picked.number, pins, point),
        "facts": [name for name in points[0].row if name not in ("holds", "refused")],
        "refused": sum(point.loss is None for point in points),
        "report": job.files.get("report", ""),
        "width": WIDTH,
        "height": HEIGHT,
        "edge": EDGE,
        "words": job.words(),
    }
    return Page(template="explored.html.j2", title="What each setting costs", values=values, owner=True)


def front_line(points: list[Point], best: list[Point]) -> str:
    """The line through those that nothing beats, where one number varies; of several it would say nothing."""
    varied = {name for name in points[0].asked if len({str(point.asked.get(name)) for point in points}) > 1}
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place_point, best)) if len(varied) == 1 else ""


def place_point(point: Point) -> tuple[float, float]:
    """Where a point stands: risk to the right, on a scale of ratios from 0.1 % to 100 %; loss upwards."""
    import math

    along = (math.log10(max(point.risk, 0.001)) + 3) / 3
    return EDGE + along * (WIDTH - 2 * EDGE), HEIGHT - EDGE - (point.loss or 0.0) * (HEIGHT - 2 * EDGE)


def _pins(visit: Visit) -> list[int]:
    return [int(text) for text in visit.text("pins").split(",") if text.isdecimal()][-2:]


def _pin(job: int, picked: int, pins: list[Point], point: Point) -> str:
    """Pin a point as the later of two, or let go of it."""
    numbers = [pin.number for pin in pins]
    after = [n for n in numbers if n != point.number] if point.number in numbers else [*numbers[-1:], point.number]
    return address("explore", n=job, pick=picked, **({"pins": ",".join(map(str, after))} if after else {}))


def _use(studio: Studio, what: Job[Any], request: Any, point: Point) -> str:
    """The form of a release with the setting of a point."""
    from confide.studio.forms.field_texts import texts_of

    known = texts_of(studio.project, request)
    same = {name: texts[0] for name, texts in known.items() if texts and name != "explore"}
    asked = {name: str(value) for name, value in point.asked.items()}
    method = {"method": point.method} if point.method else {}
    return address("run", **({"job": what.name} | same | asked | method))
