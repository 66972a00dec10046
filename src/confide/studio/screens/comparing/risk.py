"""Risk: what prosecutor, journalist and marketer find, before and after; which columns and pairs single people out."""

import json
from collections.abc import Mapping
from typing import Any

from confide.core.errors import UsageError
from confide.studio.begun import begin_job
from confide.studio.screens.comparing.origins import chosen_origin, origins_of
from confide.studio.screens.work import waiting_page
from confide.studio.visit import Answer, GoTo, Page, Visit, address

__all__ = ["show_risk"]

_COLUMNS_SHOWN = 60
_ATTACKERS = (
    (
        "Prosecutor",
        "knows that a certain person is in the table, and picks one of the rows that fit",
        (("at worst", "highest_prosecutor"), ("on average", "prosecutor")),
    ),
    (
        "Journalist",
        "wants to find anybody, and does not know who is in the table",
        (("at worst", "highest_journalist"),),
    ),
    (
        "Marketer",
        "matches the whole table with a register, and wants many to be right",
        (("share matched rightly", "marketer"),),
    ),
)


def show_risk(visit: Visit) -> Answer:
    """Choose a table and what was released of it; posted, it is attacked; then (`n`) what was found."""
    studio = visit.studio
    if visit.form is not None:
        stem = (visit.text("release") or visit.text("table")).rpartition("/")[2].partition(".")[0]
        return GoTo(address("risk", n=begin_job(studio, "attack table", chosen_origin(visit), f"risk-{stem}")))
    if not visit.text("n"):
        values = {
            "origins": origins_of(studio),
            "tables": [file.name for file in studio.files.all() if file.kind == "table"],
            "schemas": [file.name for file in studio.files.all() if file.kind == "schema"],
            "jobs": [job for job in studio.jobs.all() if job.job == "attack table"][:10],
        }
        return Page(template="choose_risk.html.j2", title="Risk", values=values)
    job = studio.jobs.job(visit.number("n"))
    if job.state != "done":
        return waiting_page(job, "Risk", "Looking everybody up")
    found = json.loads(job.answer())
    if not isinstance(found, dict) or "attackers" not in found:
        raise UsageError("this job attacked no table; look at its own page")
    values = {"job": job, "words": job.words(), **_parts(found)}
    return Page(template="risk.html.j2", title="Who can be found", values=values, owner=True)


def _parts(found: Mapping[str, Any]) -> dict[str, Any]:
    """What the attackers found, as the page shows it; `after` is None where nothing was released yet."""
    before, after = found["attackers"]["before"], found["attackers"].get("released")
    sizes = [label for label, _ in before["sizes"]]
    both = [dict(side["sizes"]) for side in (before, after) if side is not None]
    return {
        "people": found["people"],
        "released": after is not None,
        "attackers": [
            (name, who, [(what, before[field], None if after is None else after[field]) for what, field in fields])
            for name, who, fields in _ATTACKERS
        ],
        "unique": (before["unique"], None if after is None else after["unique"]),
        "smallest": (before["smallest"], None if after is None else after["smallest"]),
        "sizes": [(label, *(side[label] for side in both)) for label in sizes if any(side[label] for side in both)],
        "columns": _columns(found["singled_out"])[:_COLUMNS_SHOWN],
        "more_columns": max(0, len(_columns(found["singled_out"])) - _COLUMNS_SHOWN),
        "found": [
            ("found for certain, since one row alone fits them", found["identified"]),
            ("found by picking one of the rows that fit (mean chance)", found["mean_success"]),
        ],
        "sensitive": [
            (name, found["certain"][name], found["certain_after"][name], found["guessed"][name])
            for name in found["certain"]
        ],
        "ruled_out": found["ruled_out"],
        "special": found.get("special_uniques"),
    }


def _columns(singled: Mapping[str, list[Mapping[str, Any]]]) -> list[tuple[str, bool, float, float]]:
    """Columns and pairs of them with the share of people whom they single out, before and after."""
    after = {tuple(one["columns"]): one["share"] for one in singled.get("released", ())}
    return [
        (" and ".join(one["columns"]), len(one["columns"]) > 1, one["share"], after.get(tuple(one["columns"]), 0.0))
        for one in singled["before"]
    ]
