"""A site: one private table, and the answers it gives to a coordinator and to its neighbours.

The same object serves by network (`confide join site`) and within one process (`confide join simulate`): it is given a
link to speak with, and a message at a time to answer. It takes orders from one coordinator and summaries from its
configured neighbours, and refuses everybody else.

    message -> who speaks, and may they now (`steps`) -> its run (`runs`) -> the answer (`site_run`, `growing`)

After a run the site sends records of its own down the tree (`routing`).
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UnreachableError, UsageError
from confide.join.hidden.hidden_comparison import Comparing
from confide.join.network.links import Link, one_line
from confide.join.network.state_folder import make_private_folder
from confide.join.protocol.budget import Budget
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import Message
from confide.join.protocol.party_names import check_name
from confide.join.protocol.policy import Policy
from confide.join.protocol.summary_messages import ledger_lines
from confide.join.protocol.verbs import Begin
from confide.join.questions.overlap import Overlap, Overlaps
from confide.join.site.own_table import OwnTable
from confide.join.site.routing import Router
from confide.join.site.site_mail import Outbox
from confide.join.site.site_run import Runs, SiteRun, check_terms
from confide.join.site.steps import STEPS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Site"]


class Site:
    """One private table of a join that nobody makes (SecureMultiTbl).

    Parameters
        name           the site's name, as in its certificate.
        table          pandas, polars or Arrow; it never leaves.
        neighbours     {site it joins: own columns that join it, in the agreed order}.
        coordinator    whose orders it takes.
        class_column   at the target site; class labels are public, who has which is not.
        categorical    numeric columns whose values are only labels.
        id_column      what predictions name records by; without it, the row number.
        policy         what the owner allows (`Policy`).
        state          folder for split lists, shared join values and the ledger; without it nothing survives a stop.
        step_deadline  seconds to wait for a neighbour's summary.
        held_out       records that no tree was grown from, to try trees on: a table with the same columns.

    `connect(link)` gives it a way to speak; then `handle` answers. `own_part()` is its part of the last tree.
    """

    def __init__(
        self,
        name: str,
        table: Any,
        *,
        neighbours: Mapping[str, Sequence[str]],
        coordinator: str,
        class_column: str | None = None,
        categorical: Iterable[str] = (),
        id_column: str | None = None,
        policy: Policy | None = None,
        state: str | PathLike[str] | None = None,
        step_deadline: float = 600.0,
        held_out: Any = None,
    ):
        self.name = check_name(name)
        self.coordinator = coordinator
        self.policy = policy or Policy()
        about: dict[str, Any] = {
            "neighbours": neighbours,
            "class_column": class_column,
            "categorical": list(categorical),
            "id_column": id_column,
            "forbid": self.policy.forbid,
        }
        self.own = OwnTable(name, table, **about)
        self.held_out = None if held_out is None else OwnTable(name, held_out, **about)
        self.state = None if state is None else make_private_folder(Path(state))
        self.ledger = Ledger(self.name, file=None if self.state is None else self.state / "ledger.jsonl")
        self.budget = Budget(self.name, self.policy, self.ledger, self.state)
        self.outbox = Outbox(self.name, step_deadline)
        self.comparing = Comparing(self.name)
        self.runs = Runs(self.name)
        self.router = Router(self.own, self.runs, self.state)
        self.overlaps = Overlaps(self.own, self.policy, self.budget, self.outbox, self.state)

    @property
    def table(self) -> "pa.Table":
        """The private table."""
        return self.own.frame

    @property
    def attributes(self) -> list[str]:
        """Columns a tree may split on: all but the class and those the policy forbids."""
        return self.own.attributes

    def connect(self, link: Link) -> None:
        """Give the site a way to its neighbours."""
        self.outbox.connect(link)

    def own_part(self) -> list[dict[str, Any]]:
        """The nodes of the last finished tree that this site split, and how: for its owner only."""
        return [split.said() for _, split in sorted(self.router.splits().items())]

    def overlap(self, neighbour: str, *, size_only: bool = False) -> Overlap:
        """Which join values a neighbour has too, or only how many, outside any run; both sides learn it.

        Both policies must allow it (`intersections`).
        """
        return self.overlaps.ask(neighbour, size_only=size_only)

    def close(self) -> None:
        """Stop what is under way."""
        self._give_up(f"{self.name} is shutting down")

    # -- answering ------------------------------------------------------------------------------------------------

    def handle(self, sender: str, message: Message, cancelled: Callable[[], bool]) -> Message:
        """Answer a message; see `verbs` for who says what, and `steps` for when."""
        if message.verb == "ping":
            if sender == self.coordinator:
                self.runs.heard()
            return Message("pong")
        step = STEPS.get(message.verb)
        if step is None:
            raise UsageError(f"{self.name} has no answer to {message.verb!r}")
        if step.speaker == "neighbour":
            if sender not in self.own.neighbours:
                raise UsageError(f"{sender} is not a neighbour of {self.name}")
            if step.phases is None:
                return self.overlaps.answer(sender, message)
            return self._from_neighbour(sender, message)
        if sender != self.coordinator:
            raise UsageError(f"{self.name} takes no orders from {sender}")
        current = self.runs.current
        if message.verb != "begin" and current is not None and message.header.get("run") == current.id:
            self.runs.heard()  # of another run, such as one refused here, it says nothing of this one's coordinator
        if step.phases is None:
            return self._at_any_time(message)
        run = self.runs.find_run(message.header["run"])
        with run.steps.carrying_out(message.verb):
            return self._follow_order(run, message, cancelled)

    def _at_any_time(self, message: Message) -> Message:
        match message.verb:
            case "begin":
                return self._begin(Begin.model_validate(message.header))
            case "stop":
                return self._stop(message.header["run"], message.header["attempt"], one_line(message.header["reason"]))
            case _:
                return self._route(message)

    def _follow_order(self, run: SiteRun, message: Message, cancelled: Callable[[], bool]) -> Message:
        """Carry out an order of the coordinator within its run."""
        header, columns = message.header, message.columns
        match message.verb:
            case "labels":
                return run.labels()
            case "intersect":
                return run.intersect(header["neighbour"], header["token"], speaks=header["speaks"])
            case "meet":
                return self._meet(run)
            case "introduce":
                self._check_contest(header["sites"])
                self.comparing.connect(header)
                return Message("done")
            case "propagate":
                return run.propagate(header["classes"], header["steps"], cancelled)
            case "gains":
                return run.growth.gains(header["level"], _i64(columns["node"]), header["records"])
            case "score":
                nodes, numbers = _i64(columns["node"]), _i64(columns["number"])
                return run.growth.score(header["level"], nodes, header["records"], columns["sum"], numbers)
            case "compare":
                return self._compare(run, header["level"], _i64(columns["node"]), header["records"])
            case "won":
                return run.growth.won(header["level"], _i64(columns["node"]), replay=header["replay"])
            case "split":
                if header["last"]:
                    run.steps.grown()
                return run.growth.split(header["level"], header["last"], columns, cancelled)
            case "walk":
                answer = run.walk.walk(header["level"], columns, cancelled)
                if run.walk.over:
                    run.steps.grown()
                return answer
            case "tally":
                return run.tally(header["labels"])
            case "finish":
                self.comparing.close()
                return run.finish(_i64(columns["node"]), _i64(columns["number"]))
            case _:
                return ledger_lines(self.ledger, run.id, run.certain())

    def _from_neighbour(self, sender: str, message: Message) -> Message:
        """Take what a neighbour sends within its attempt at the run."""
        run = self.runs.find_attempt(message.header["run"])
        run.steps.admit(message.verb)
        match message.verb:
            case "points":
                return run.values.answer_points(sender, message)
            case "points-back":
                return run.values.conclude_points(sender, message)
            case "class-counts":
                run.inbox.put("class", message.header["step"], sender, message)
            case _:
                run.inbox.put("split", message.header["level"], sender, message)
        return Message("done")

    # -- beginning and ending a run -------------------------------------------------------------------------------

    def _begin(self, terms: Begin) -> Message:
        self.runs.check_idle(terms)
        check_terms(terms, self.own, self.policy)
        own, tried = self.own, None
        if terms.evaluates:
            if self.held_out is None:
                raise UsageError(
                    f"{self.name} has no held-out records to try a tree on; see [held_out] in its site.toml"
                )
            own, tried = self.held_out, self.router.list_of(terms.evaluates)
        self.budget.begin_run(self.coordinator, terms.run)
        self._give_up("another run has begun")
        self.outbox.renew()
        self.ledger.begin(terms.run, resume=terms.resume)
        run = self.runs.current = SiteRun(
            terms,
            own,
            policy=self.policy,
            coordinator=self.coordinator,
            outbox=self.outbox,
            state=self.state if tried is None else None,
            tried=tried,
        )
        self.runs.heard()
        header = {
            "run": run.id,
            "tokens": run.values.tokens,
            "min_records": self.policy.min_records,
            "splits": sorted(run.splits.splits),
        }
        return Message("begun", header)

    def _stop(self, run: str, attempt: str, reason: str) -> Message:
        # A stop may mean a run that another has followed here.
        current = self.runs.current
        if current is not None and (current.id, current.attempt) == (run, attempt):
            self._give_up(reason)
        return Message("done")

    def _give_up(self, reason: str) -> None:
        """End the run here, with whatever waits or is being sent to a neighbour that may not answer."""
        if self.runs.current is not None:
            self.runs.current.stop(reason)
        self.outbox.abort()
        self.comparing.close()

    # -- hidden comparisons, predictions --------------------------------------------------------------------------

    def _meet(self, run: SiteRun) -> Message:
        # Shares of scores go by connections of their own, which no link looks at.
        self.policy.check_kind("hidden-scores", owner=self.name)
        return Message("met", {"run": run.id, "address": self.comparing.open()})

    def _check_contest(self, contestants: Sequence[str]) -> None:
        """Refuse a comparison with anyone who need not be a site of the run.

        A contestant of its own free choice of scores, asked again and again, would find this site's by bisection.
        """
        if len(set(contestants)) < len(contestants) or not {self.name, *self.own.neighbours} <= set(contestants):
            raise UnreachableError("the coordinator leaves sites out of the hidden comparison, or names one twice")
        if self.coordinator in contestants and self.coordinator not in self.own.neighbours:
            raise UnreachableError(
                f"{self.coordinator} names itself a contestant of the hidden comparison, but {self.name} joins "
                "no table of it; a coordinator that is a site must be a neighbour of every site, or not hide gains"
            )

    def _compare(self, run: SiteRun, level: int, nodes: NDArray[np.int64], records: int) -> Message:
        self.policy.check_kind("hidden-scores", owner=self.name)
        winner = self.comparing.winners(run.growth.own_scores(level, nodes, records), self.ledger)
        columns = {"node": nodes.astype(np.int32), "winner": winner}
        return Message("compared", {"run": run.id, "level": level}, columns)

    def _route(self, message: Message) -> Message:
        # Counted before anything is looked up: a refusal tells who is not here.
        self.budget.predict(self.coordinator, message.header["run"], message.entries)
        answer = self.router.route(message)
        logging.getLogger("confide.join").info(
            "%s answered %s which way %d records of its own go", self.name, self.coordinator, answer.entries
        )
        return answer


def _i64(column: NDArray[Any]) -> NDArray[np.int64]:
    return column.astype(np.int64)
