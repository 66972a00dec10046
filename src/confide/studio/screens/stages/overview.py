"""Other stages: collect, join, stream, search and share, each with what it is for and what of it lies in the folder."""

from confide.studio.stages.form_questions import find_schemes
from confide.studio.stages.live_runs import find_published_runs
from confide.studio.stages.site_graphs import find_joins
from confide.studio.visit import Answer, Page, Visit, address

__all__ = ["show_stages"]


def show_stages(visit: Visit) -> Answer:
    """The stages beside publishing, and the files of the folder that belong to each."""
    project, files = visit.studio.project, visit.studio.files.all()
    by_kind = {kind: [file.name for file in files if file.kind == kind] for kind in ("json", "other", "baskets")}
    tomls = [name for name in by_kind["other"] if name.endswith(".toml")]
    schemes = find_schemes(project, by_kind["json"])
    runs = find_published_runs(project, by_kind["baskets"])
    stages = [
        (
            "Collect",
            "Ask people what nobody should know of them: each device changes the answers before they leave.",
            "collect",
            [(name, address("collect", scheme=name)) for name in schemes],
        ),
        (
            "Join",
            "Learn one model from tables of several organisations that may not pool them.",
            "join",
            [(name, address("join", config=name)) for name in find_joins(project, tomls)],
        ),
        (
            "Stream",
            "Publish what is frequent in a live stream, window after window, and never what is rare.",
            "stream",
            [(name, address("stream", run=name)) for name in runs],
        ),
        ("Search", "Personal results of a search engine, without handing over a life.", "search", []),
        (
            "Share a model",
            "A decision tree in which no leaf points at anybody.",
            address("run", job="share train"),
            [],
        ),
    ]
    return Page(template="stages.html.j2", title="Other stages", values={"stages": stages})
