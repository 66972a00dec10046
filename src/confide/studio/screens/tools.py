"""All tools: every job there is, by stage, each with its form."""

from confide.core.jobs.catalogue import Job, jobs_of
from confide.core.stages import OTHER_JOBS, STAGES
from confide.studio.forms.drawn_forms import reword
from confide.studio.visit import Answer, Page, Visit

__all__ = ["show_tools"]

_LEFT_OUT = ("studio", "compile")
_WORDS = {
    "mine": "Mine (protects nobody)",
    "collect": "Collect answers that people perturb themselves",
    "publish transactions": "Publish baskets",
    "publish table": "Publish a table",
    "share": "Share decision trees",
    "join": "Join tables of several organisations",
    "stream": "Publish a stream",
    "search": "Personal search",
}


def show_tools(visit: Visit) -> Answer:
    """Every job, under its stage."""
    groups: list[tuple[str, list[tuple[str, str, bool]]]] = []
    for stage in STAGES.values():
        jobs = [_line(job) for module in stage.jobs for job in jobs_of(module)]
        if jobs:
            groups.append((_WORDS.get(stage.name, stage.name), jobs))
    rest = [job for module in OTHER_JOBS.values() for job in jobs_of(module) if job.name not in _LEFT_OUT]
    groups.append(("For every stage", [_line(job) for job in rest]))
    return Page(template="tools.html.j2", title="All tools", values={"groups": groups})


def _line(job: Job[object]) -> tuple[str, str, bool]:  # type: ignore[type-var]
    return job.name, reword(job.summary, {}), job.remote
