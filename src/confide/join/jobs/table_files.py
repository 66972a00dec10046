"""Tables in files that one person may see: a look at what joining them will be like, and their tree."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from confide.core.errors import CannotMeetError, InputError
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.tables.reading import Reading
from confide.join.configuration.graph import check_allowed, check_join, graph_of_files
from confide.join.graph.join_graph import JoinGraph
from confide.join.jobs.requests import JoinCheckRequest, JoinTreeRequest, TableFilesSource
from confide.join.tree.join_tree import JoinTree

__all__ = ["grow_tree", "look_at_tables"]

_TITLES = {
    "tables": "Tables",
    "joins": "Joins",
    "columns": "Columns, in records that join",
    "certain": "What could be told for certain, before any split",
}


def look_at_tables(request: JoinCheckRequest, host: Host = QUIET) -> Outcome:
    """The job `join check`; its failure says why no tree could be grown, or why the sites would not allow the run."""
    reading = request.reading()
    check = _graph(request, reading).check() if request.config is None else check_join(request.config, reading)
    failure: InputError | CannotMeetError | None = None if check.fault is None else InputError(check.fault)
    if failure is None and request.config is not None:
        try:
            check_allowed(request.config, check)
        except CannotMeetError as error:
            failure = error
    plain: dict[str, Any] = check.as_dict()
    return Outcome(
        answer=check,
        document=plain,
        tables={title: partial(plain.__getitem__, name) for name, title in _TITLES.items()},
        notes=(check.summary, *(counted.line for counted in check.certain)),
        failure=failure,
    )


def grow_tree(request: JoinTreeRequest, host: Host = QUIET) -> Outcome:
    """The job `join tree`: the tree goes to a file if one was named, else to standard output."""
    from confide.core.files import write_text

    reading = request.reading()
    graph = _graph(request, reading)
    learner = JoinTree(
        criterion=request.criterion,
        min_leaf=request.min_leaf,
        min_branch=request.min_branch,
        max_depth=request.max_depth,
        confidence=request.confidence or None,
        exclude=request.exclude,
        categorical=request.categorical,
        prune_on=request.prune_on,
    ).fit(graph)
    text = learner.tree_.to_json(indent=2) + "\n"

    def save(path: Path, replace: bool) -> str:
        write_text(path, text, replace=replace)
        return f"tree written to {path}"

    return Outcome(
        answer=learner,
        save=save,
        document=json.loads(text) if host.output is None else None,
        notes=(learner.headline(),),
    )


def _graph(request: TableFilesSource, reading: Reading) -> JoinGraph:
    """The graph of the tables that the request names."""
    return graph_of_files(
        request.sources or {},
        joins=request.pairs(),
        target=request.target or "",
        types=request.types,
        reading=reading,
    )
