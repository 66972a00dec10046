"""Collect: the form as people will see it, a collector on this machine with a live count, estimates with error bars."""

from typing import Any

from confide.collect.schemes.scheme import Scheme
from confide.core.errors import ConfideError, UsageError
from confide.core.requirements import Amplification
from confide.studio.begun import begin_job
from confide.studio.project.run_files import file_asked, free_name
from confide.studio.screens.work import waiting_page
from confide.studio.stages.collectors import collectors_of
from confide.studio.stages.form_questions import find_schemes, questions_of, read_project_scheme
from confide.studio.visit import Answer, GoTo, Page, Studio, Visit, address
from confide.studio.work.answers import read_rows
from confide.studio.work.job_folder import JobRecord

__all__ = ["show_collection"]

_SHOWN = 40


def show_collection(visit: Visit) -> Answer:
    """Choose a scheme; then its form, its collectors, its estimates. Posted: collect, end, take out, estimate."""
    studio, name = visit.studio, visit.text("scheme")
    if not name:
        files = [file.name for file in studio.files.all() if file.kind == "json"]
        values = {"schemes": find_schemes(studio.project, files)}
        return Page(template="choose_scheme.html.j2", title="Collect", values=values)
    scheme = read_project_scheme(studio.project, name)
    if visit.form is not None:
        return _act(visit, name)
    if visit.text("n"):
        job = studio.jobs.job(visit.number("n"))
        if job.state != "done":
            return waiting_page(job, "Collect", "Working out what is true of everybody")
        return _page(studio, name, scheme, job)
    return _page(studio, name, scheme, _latest_estimates(studio, name))


def _act(visit: Visit, name: str) -> Answer:
    studio, do = visit.studio, visit.text("do")
    stem = name.rpartition("/")[2].partition(".")[0]
    here = GoTo(address("collect", scheme=name))
    if do == "collect":
        title = visit.text("title").strip()
        texts = {"scheme": [name], "store": [visit.text("store") or f"{stem}.duckdb"], "port": ["0"]}
        begin_job(studio, "collect serve", texts | ({"title": [title]} if title else {}), f"collect-{stem}")
        return here
    if do == "end":
        studio.jobs.cancel(visit.number("n"))
        return here
    if do == "take":
        output = free_name(studio.project, f"{stem}-answers", ".csv")
        texts = {"scheme": [name], "store": [visit.text("store")], "output": [output]}
        begin_job(studio, "collect serve", texts, f"take-{stem}")
        return here
    if do == "estimate":
        texts = {"perturbed": [visit.text("perturbed")], "scheme": [name], "min_support": [visit.text("min_support")]}
        number = begin_job(studio, "collect mine", texts, f"estimate-{stem}")
        return GoTo(address("collect", scheme=name, n=number))
    raise UsageError("choose one of the buttons of the page")


def _page(studio: Studio, name: str, scheme: Scheme, estimates: JobRecord | None) -> Page:
    collectors = collectors_of(studio.project, studio.jobs.all())
    own = [one for one in collectors if one.scheme == name]
    stem = name.rpartition("/")[2].partition(".")[0]
    rows = read_rows(estimates.answer()) if estimates is not None else []
    files = [file for file in studio.files.all() if file.kind in ("table", "baskets")]
    answers = [file.name for file in files if file.passport] + [file.name for file in files if not file.passport]
    promise = _promise(scheme)
    values: dict[str, Any] = {
        "name": name,
        "promise": promise.promise() if promise is not None else "This scheme bounds nothing: it protects nobody.",
        "does_not_stop": promise.does_not_stop if promise is not None else (),
        "questions": questions_of(scheme),
        "running": [one for one in own if not one.job.over],
        "stores": sorted({one.store for one in own if studio.project.place(one.store).exists()}),
        "store": f"{stem}.duckdb",
        "answers": answers,
        "estimates": (estimated := [_estimate(row) for row in rows[:_SHOWN]]),
        "more": max(0, len(rows) - _SHOWN),
        "most": max((high for *_, high in estimated), default=1.0) or 1.0,
        "job": estimates,
        "words": estimates.words() if estimates is not None else [],
    }
    again = 2 if values["running"] else None
    return Page(template="collect.html.j2", title=f"Collect: {name}", values=values, again_after=again)


def _promise(scheme: Scheme) -> Amplification | None:
    """What the scheme promises; None where its gamma has no bound that can be written."""
    try:
        return Amplification(gamma=scheme.amplification().gamma)
    except ConfideError:
        return None


def _estimate(row: Any) -> tuple[str, float, float, float]:
    """A set, its estimate, and between what it truly lies: the interval that holds for sets picked from many."""
    low, high = (float(row[f"selected_{end}"] if f"selected_{end}" in row else row[end]) for end in ("low", "high"))
    return ", ".join(row["items"]), float(row["estimate"]), low, high


def _latest_estimates(studio: Studio, name: str) -> JobRecord | None:
    """The last job that estimated answers to this scheme."""
    done = (job for job in studio.jobs.all() if job.job == "collect mine" and job.state == "done")
    shown = (job for job in done if "output" not in job.files)
    return next((job for job in shown if file_asked(studio.project, job.folder / "run.toml", "scheme") == name), None)
