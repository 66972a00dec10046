"""Join: the sites as a graph, what each owner allows, and who learns what when the whole run is tried here."""

import json
from typing import Any

from confide.core.errors import UsageError
from confide.studio.begun import begin_job
from confide.studio.project.run_files import file_asked, free_name
from confide.studio.screens.work import waiting_page
from confide.studio.stages.site_graphs import draw_sites, find_joins, policy_lines
from confide.studio.visit import Answer, GoTo, Page, Studio, Visit, address
from confide.studio.work.answers import read_rows
from confide.studio.work.job_folder import JobRecord

__all__ = ["show_join"]


def show_join(visit: Visit) -> Answer:
    """Choose a join; then its graph, policies and what is known of it. Posted: check what joins, or try it all here."""
    studio, name = visit.studio, visit.text("config")
    if not name:
        files = [file.name for file in studio.files.all() if file.kind == "other" and file.name.endswith(".toml")]
        values = {"joins": find_joins(studio.project, files)}
        return Page(template="choose_join.html.j2", title="Join", values=values)
    if visit.form is not None:
        return _act(studio, name, visit.text("do"))
    if visit.text("n"):
        job = studio.jobs.job(visit.number("n"))
        if job.state != "done":
            return waiting_page(job, "Join", "Trying it on this machine")
    return _page(studio, name)


def _act(studio: Studio, name: str, do: str) -> Answer:
    stem = name.rpartition("/")[2].partition(".")[0]
    if do == "check":
        number = begin_job(studio, "join check", {"config": [name]}, f"check-{stem}")
    elif do == "simulate":
        output = free_name(studio.project, f"{stem}-tree", ".json")
        texts = {"config": [name], "output": [output], "report": [f"{output.partition('.')[0]}.html"]}
        number = begin_job(studio, "join simulate", texts, f"simulate-{stem}")
    else:
        raise UsageError("choose one of the buttons of the page")
    return GoTo(address("join", config=name, n=number))


def _page(studio: Studio, name: str) -> Page:
    graph = draw_sites(studio.project, name)
    checked, tried = (_latest(studio, job, name) for job in ("join check", "join simulate"))
    values: dict[str, Any] = {
        "name": name,
        "graph": graph,
        "sites": [(site, policy_lines(site.config) if site.config else []) for site in graph.sites],
        "checked": None if checked is None else json.loads(checked.answer()),
        "checked_job": checked,
        "tried": tried,
        "learned": read_rows(tried.answer()) if tried is not None else [],
        "words": tried.words() if tried is not None else checked.words() if checked is not None else [],
    }
    return Page(template="join.html.j2", title=f"Join: {name}", values=values, owner=checked is not None)


def _latest(studio: Studio, job_name: str, config: str) -> JobRecord | None:
    """The last job of this name that was done for this configuration."""
    done = (job for job in studio.jobs.all() if job.job == job_name and job.state == "done")
    return next((job for job in done if file_asked(studio.project, job.folder / "run.toml", "config") == config), None)
