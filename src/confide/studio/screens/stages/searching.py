"""Search: personal results. What works on files is done here; what asks an engine is done in a terminal."""

from confide.core.jobs.catalogue import job_named
from confide.studio.forms.drawn_forms import reword
from confide.studio.visit import Answer, Page, Visit

__all__ = ["show_search"]

_STEPS = (
    ("Make a profile from what you wrote and read", ("search profile build", "search index")),
    ("Look at it, and decide what leaves this machine", ("search profile show", "search profile edit")),
    ("Hand out the part that may be known, and check it", ("search profile expose", "search profile verify")),
    ("Search with it", ("search serve", "search query", "search order", "search evaluate", "search wrapper")),
)


def show_search(visit: Visit) -> Answer:
    """The steps of personal search, each with its jobs; those that speak to an engine with their command."""
    steps = []
    for title, names in _STEPS:
        jobs = [job_named(name) for name in names]
        steps.append((title, [(job.name, reword(job.summary, {}), job.remote, job.examples[:1]) for job in jobs]))
    return Page(template="search.html.j2", title="Search", values={"steps": steps})
