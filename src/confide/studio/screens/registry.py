"""Every screen, one entry each. A new one is a module with a function, a template, and its entry here."""

from dataclasses import dataclass

__all__ = ["SCREENS", "Screen"]


@dataclass(frozen=True, kw_only=True)
class Screen:
    """One screen: the path it is found under, the function `at` that answers, and its word in the menu, if it has one.

    `at` takes a Visit and returns an Answer. A screen that `acts` takes posted forms, too. `under` is the path of the
    screen whose word in the menu is lit, where it has none of its own.
    """

    path: str
    at: str
    menu: str = ""
    acts: bool = False
    under: str = ""


_HERE = "confide.studio.screens"

SCREENS = (
    Screen(path="", at=f"{_HERE}.start:show_start", menu="Start", acts=True),
    Screen(path="guide", at=f"{_HERE}.guide:show_guide", menu="Guide"),
    Screen(path="columns", at=f"{_HERE}.column_list:show_columns", menu="Columns", acts=True),
    Screen(path="explore", at=f"{_HERE}.exploration:show_exploration", menu="Explore", acts=True),
    Screen(path="publish", at=f"{_HERE}.publish:show_publish", menu="Publish"),
    Screen(path="utility", at=f"{_HERE}.comparing.utility:show_utility", menu="Utility", acts=True),
    Screen(path="risk", at=f"{_HERE}.comparing.risk:show_risk", menu="Risk", acts=True),
    Screen(path="verify", at=f"{_HERE}.verdict_list:show_verify", menu="Verify and attack"),
    Screen(path="jobs", at=f"{_HERE}.work:show_jobs", menu="Jobs"),
    Screen(path="stages", at=f"{_HERE}.stages.overview:show_stages", menu="Other stages"),
    Screen(path="collect", at=f"{_HERE}.stages.collecting:show_collection", acts=True, under="stages"),
    Screen(path="join", at=f"{_HERE}.stages.joining:show_join", acts=True, under="stages"),
    Screen(path="stream", at=f"{_HERE}.stages.streaming:show_stream", under="stages"),
    Screen(path="search", at=f"{_HERE}.stages.searching:show_search", under="stages"),
    Screen(path="tools", at=f"{_HERE}.tools:show_tools", menu="All tools"),
    Screen(path="run", at=f"{_HERE}.run_form:show_run", acts=True, under="tools"),
    Screen(path="other-words", at=f"{_HERE}.run_form:give_notebook", under="tools"),
    Screen(path="job", at=f"{_HERE}.work:show_job", acts=True, under="jobs"),
    Screen(path="compare", at=f"{_HERE}.comparing.many_runs:show_comparison", acts=True, under="jobs"),
    Screen(path="comparison", at=f"{_HERE}.comparing.many_runs:give_comparison", under="jobs"),
    Screen(path="progress", at=f"{_HERE}.work:give_progress", under="jobs"),
    Screen(path="hierarchy", at=f"{_HERE}.group_editor:show_hierarchy", acts=True, under="columns"),
    Screen(path="file", at=f"{_HERE}.file:show_file", under=""),
    Screen(path="report", at=f"{_HERE}.file:give_report"),
    Screen(path="download", at=f"{_HERE}.file:give_file"),
)
"""In the order of the menu."""
