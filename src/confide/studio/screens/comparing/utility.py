"""Utility: distributions, pairs of columns, count queries and classifiers, of a release beside its original."""

from collections.abc import Mapping, Sequence
from typing import Any

from confide.studio.begun import begin_job
from confide.studio.screens.comparing.origins import chosen_origin, origins_of
from confide.studio.screens.work import waiting_page
from confide.studio.visit import Answer, GoTo, Page, Visit, address
from confide.studio.work.answers import read_rows

__all__ = ["distributions_of", "show_utility"]

_MOVED, _SHARE, _QUERIES, _ACCURACY = "rows that moved", "share of rows", "query error", "accuracy"
_PAIRS = ("Cramer's V", "correlation")
_PAIRS_SHOWN = 40


def show_utility(visit: Visit) -> Answer:
    """Choose a release; posted, it is compared; then (`n`) what of the original is left in it."""
    studio = visit.studio
    if visit.form is not None:
        texts = chosen_origin(visit)
        stem = visit.text("release").rpartition("/")[2].partition(".")[0]
        return GoTo(address("utility", n=begin_job(studio, "publish utility", texts, f"utility-{stem}")))
    if not visit.text("n"):
        values = {
            "origins": [origin for origin in origins_of(studio) if origin.release],
            "tables": [file.name for file in studio.files.all() if file.kind == "table"],
            "schemas": [file.name for file in studio.files.all() if file.kind == "schema"],
            "jobs": [job for job in studio.jobs.all() if job.job == "publish utility"][:10],
        }
        return Page(template="choose_utility.html.j2", title="Utility", values=values)
    job = studio.jobs.job(visit.number("n"))
    if job.state != "done":
        return waiting_page(job, "Utility", "Comparing both tables")
    rows = read_rows(job.answer())
    values = {"job": job, "words": job.words(), **_parts(rows)}
    return Page(template="utility.html.j2", title="What is left of it", values=values, owner=True)


def _parts(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of the job's answer, by what the page shows them as."""

    def of(*measures: str) -> list[Mapping[str, Any]]:
        return [row for row in rows if row["measure"] in measures]

    known = (_MOVED, _SHARE, _QUERIES, _ACCURACY, *_PAIRS)
    moved = of(_MOVED)
    pairs = sorted(of(*_PAIRS), key=lambda row: -row["difference"])
    return {
        "moved": sum(row["released"] for row in moved) / max(1, len(moved)),
        "columns": distributions_of(rows),
        "pairs": pairs[:_PAIRS_SHOWN],
        "more_pairs": max(0, len(pairs) - _PAIRS_SHOWN),
        "queries": of(_QUERIES),
        "classifiers": of(_ACCURACY),
        "others": [row for row in rows if row["measure"] not in known],
    }


def distributions_of(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, float, list[tuple[str, float, float]]]]:
    """For each column the share of rows that moved, and the share of each value before and after.

    The shares of a column follow its row "rows that moved", as the job writes them.
    """
    found: list[tuple[str, float, list[tuple[str, float, float]]]] = []
    for row in rows:
        if row["measure"] == _MOVED:
            found.append((str(row["what"]), float(row["released"]), []))
        elif row["measure"] == _SHARE and found:
            label = str(row["what"]).removeprefix(f"{found[-1][0]} = ")
            found[-1][2].append((label, float(row["original"]), float(row["released"])))
    return found
