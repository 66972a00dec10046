"""Jobs: all of them, and one with what it asked, how far it is, and what came of it, on the same page."""

import json
from typing import Any

from confide.core.errors import ConfideError, UsageError
from confide.studio.project.file_kinds import PASSPORT
from confide.studio.project.run_files import read_run
from confide.studio.screens.run_form import choices_of
from confide.studio.visit import Answer, FileAnswer, GoTo, Page, Studio, Visit, address
from confide.studio.work.answers import ShownAnswer, show_answer
from confide.studio.work.job_folder import JobRecord

__all__ = ["give_progress", "show_job", "show_jobs", "waiting_page"]

_OWNERS = ("publish schema", "publish utility", "ledger", "attack", "stream attack", "join check", "mine")
"""Jobs whose answers speak of the people in the input: for the owner only."""


def show_jobs(visit: Visit) -> Answer:
    """Every job of the folder, the latest first."""
    jobs = visit.studio.jobs.all()
    running = any(not job.over for job in jobs)
    return Page(template="jobs.html.j2", title="Jobs", values={"jobs": jobs}, again_after=2 if running else None)


def show_job(visit: Visit) -> Answer:
    """One job; posted `cancel` ends it, `again` starts its run once more."""
    studio, number = visit.studio, visit.number("n")
    if visit.form is not None:
        return _act(studio, number, visit.text("do"))
    job = studio.jobs.job(number)
    verdict, passport = None, ""
    output = job.files.get("output", "")
    if job.state == "done" and job.hands_out and studio.files.named(f"{output}{PASSPORT}") is not None:
        passport = f"{output}{PASSPORT}"
        verdict = studio.verdicts.of(passport)
    waiting = not job.over or (verdict is not None and verdict.state == "waiting")
    files = {name: file for name, file in job.files.items() if job.over and studio.project.place(file).exists()}
    values: dict[str, Any] = {
        "job": job,
        "words": job.words(),
        "verdict": verdict,
        "passport": passport,
        "files": files,
        "answer": show_answer(job) if job.over else ShownAnswer(),
        "cures": [(_cure_text(cure), f"use:{json.dumps(cure)}") for cure in _cures(job)],
        "choices": _choices(studio, job),
        "run_exists": studio.project.place(job.run).exists(),
    }
    owner = job.over and job.name_starts(_OWNERS)
    title = f"{job.job.capitalize()}: {_STATES[job.state]}"
    return Page(template="job.html.j2", title=title, values=values, owner=owner, again_after=1 if waiting else None)


_STATES = {
    "running": "at work",
    "done": "done",
    "refused": "cannot be done like this",
    "failed": "a check failed",
    "interrupted": "interrupted",
    "cancelled": "cancelled",
    "broken": "an error of ours",
    "killed": "ended from outside",
}


def _act(studio: Studio, number: int, do: str) -> Answer:
    job = studio.jobs.job(number)
    if do == "cancel":
        studio.jobs.cancel(number)
        return GoTo(address("job", n=number))
    if do != "again":
        raise UsageError("choose one of the buttons of the page")
    run = read_run(studio.project, job.run)
    version = studio.versions.current(job.run)
    return GoTo(address("job", n=studio.jobs.start(run, version.number if version else 0)))


def _cures(job: JobRecord) -> list[dict[str, Any]]:
    """Settings that would do: those that the job found, and to overwrite what is in its way."""
    in_the_way = "exists; say replace=True to overwrite it" in job.error
    return [*job.cures, *([{"replace": True}] if in_the_way else [])]


def _cure_text(cure: dict[str, Any]) -> str:
    if cure == {"replace": True}:
        return "Overwrite the files of the last time"
    parts = (f"{name} = {'nothing' if value is None else value}" for name, value in cure.items())
    return f"Use {' and '.join(parts)}, and run again"


def _choices(studio: Studio, job: JobRecord) -> list[tuple[str, str, str]]:
    """What was asked, as the job's own copy has it."""
    from confide.core.jobs.request_files import read_request

    try:
        _, request, delivery = read_request(job.folder / "run.toml")
    except ConfideError:
        return []
    return choices_of(studio, request, delivery)


def waiting_page(job: JobRecord, title: str, doing: str) -> Page:
    """The page of a job that is at work, or did not succeed, for screens that draw its outcome themselves."""
    values = {"job": job, "doing": doing}
    return Page(template="at_work.html.j2", title=title, values=values, again_after=None if job.over else 1)


def give_progress(visit: Visit) -> Answer:
    """How far a job is, for the page's script."""
    job = visit.studio.jobs.job(visit.number("n"))
    tasks = [{"name": task.name, "share": task.share} for task in job.tasks]
    plain = {"state": job.state, "over": job.over, "tasks": tasks, "words": job.words()}
    return FileAnswer(data=json.dumps(plain).encode(), type="application/json")
