"""One run at one site, from its terms to its end.

    begin       a fresh run, or what an earlier start of it left in the state folder
    intersect   shared join values, by private intersection (`shared_values`)
    propagate   class summaries, in the coordinator's order; the table's engine is then at the root
    growth      level by level (`growing`)
    finish      the nodes that stayed

`steps` says what may be done when. Summaries of neighbours wait in `inbox` until an order needs them.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.join.network.links import RunStopped
from confide.join.network.state_folder import make_private_folder
from confide.join.protocol.certain_watch import CertainWatch
from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy
from confide.join.protocol.summary_messages import class_counts, node_totals, read_class_counts
from confide.join.protocol.verbs import Begin, CertainTold
from confide.join.questions.walking import SiteWalk
from confide.join.site.growing import SiteGrowth
from confide.join.site.own_table import OwnTable
from confide.join.site.shared_values import SharedValues, nonsense_from
from confide.join.site.site_engine import SiteEngine
from confide.join.site.site_mail import Inbox, Outbox
from confide.join.site.split_list import SplitList
from confide.join.site.steps import Phase, Steps, is_propagation
from confide.mining.trees.splits import Criterion

__all__ = ["Runs", "SiteRun", "check_terms"]

I64 = NDArray[np.int64]


def check_terms(terms: Begin, own: OwnTable, policy: Policy) -> None:
    """Refuse a run that does not fit the site's configuration, or that its policy forbids.

    The neighbours must be exactly the configured ones: over fewer, a run would describe this table almost alone.
    """
    asked, configured = set(terms.neighbours), set(own.neighbours)
    if unknown := sorted(asked - configured):
        raise UsageError(f"the run joins {own.owner} with {unknown[0]}, which is not a neighbour in its configuration")
    if left_out := sorted(configured - asked):
        raise UsageError(f"the run does not join {own.owner} with {left_out[0]}, as its configuration does")
    if len(terms.neighbours) != len(asked):
        raise UsageError(f"the run joins {own.owner} twice with the same neighbour")
    if terms.is_target and own.class_column is None:
        raise UsageError(f"{own.owner} is the target of the run but has no class column in its configuration")
    if terms.evaluates and terms.resume:
        raise UsageError("an evaluation cannot be resumed; begin it again")
    # The leaves of a tree that exists were bounded when it grew; what an evaluation shows, min_records bounds.
    least = policy.min_leaf if terms.evaluates else terms.min_leaf
    policy.check_run(max_depth=terms.max_depth, min_leaf=least, owner=own.owner)


class SiteRun:
    """The state of one run at a site. `state` is the site's folder, None to keep nothing.

    An evaluation is a run over held-out records (`own`) in which `tried`, the splits of an earlier run, are made again.
    """

    def __init__(
        self,
        terms: Begin,
        own: OwnTable,
        *,
        policy: Policy,
        coordinator: str,
        outbox: Outbox,
        state: Path | None,
        tried: SplitList | None = None,
    ):
        self.terms, self.id = terms, terms.run
        # Neighbours name the attempt, not the run: what a cut cable held back of an earlier attempt at the same run may
        # still arrive, numbered by join values that were since agreed on anew.
        self.attempt = terms.attempt or terms.run
        self.began = datetime.now(UTC)
        self.steps = Steps(own.owner)
        self._own, self._policy, self._coordinator, self._outbox = own, policy, coordinator, outbox
        self._folder = None if state is None else make_private_folder(state / self.id, own=True)
        self.splits = SplitList(self.id, own.fingerprint, folder=self._folder)
        self.values = SharedValues(
            own,
            outbox,
            max_ratio=policy.max_key_ratio,
            run=self.id,
            attempt=self.attempt,
            folder=self._folder,
        )
        self.inbox = Inbox(outbox.deadline)
        self._growth: SiteGrowth | None = None
        self._watch: CertainWatch | None = None
        self._tried = tried
        if terms.resume:
            self._restore()
        self.splits.save()

    def _restore(self) -> None:
        """What an earlier start of this run left; without it, shared join values are found again."""
        if self._folder is None:
            raise UsageError(f"{self._own.owner} keeps no state, so a run cannot be resumed there")
        if not (self._folder / "splits.json").exists():
            return
        found = SplitList.load(self._folder)
        if found.fingerprint != self._own.fingerprint:
            raise UsageError(f"the table of {self._own.owner} has changed since this run began; train again")
        # A list that is finished stays so: resumed, the run ends in the same tree.
        self.splits = found
        self.values.restore(self.terms.neighbours)

    @property
    def over(self) -> bool:
        """Whether the run has ended here, finished or stopped."""
        return self.steps.phase is Phase.OVER

    def stop(self, reason: str) -> None:
        """End the run: whatever waits gives up."""
        self.steps.stop(reason)
        self.inbox.stop(reason)

    # -- before the tree ------------------------------------------------------------------------------------------

    def labels(self) -> Message:
        """The class labels, at the target site."""
        if not self.terms.is_target:
            raise UsageError(f"{self._own.owner} is not the target of the run")
        self._policy.check_classes(len(self._own.class_labels), owner=self._own.owner)
        return Message("classes", {"run": self.id, "labels": list(self._own.class_labels)})

    def intersect(self, neighbour: str, token: str, *, speaks: bool) -> Message:
        """Find the shared join values with a neighbour, or get ready to answer it."""
        if neighbour not in self._own.neighbours:
            raise UsageError(f"{self._own.owner} is asked for join values with a site that is not its neighbour")
        self.values.order(neighbour, token, speaks=speaks)
        return self.values.intersect(neighbour, token) if speaks else Message("done")

    def propagate(self, classes: int, steps: list[tuple[str, str]], cancelled: Callable[[], bool]) -> Message:
        """Send and receive class summaries in the order given; answer the class counts of the whole join."""
        self._check_propagation(classes, steps)
        engine = SiteEngine(
            self._own.code_columns,
            keys=self.values.keys,
            shared=self.values.shared,
            n_classes=classes,
            classes=self._classes() if self.terms.is_target else None,
        )
        watch = self._watch = CertainWatch(
            self._own.owner,
            self._policy,
            is_target=self.terms.is_target,
            codes=self.values.keys,
            shared=self.values.shared,
            splits=bool(self._own.attributes),
        )
        for number, (sender, receiver) in enumerate(steps):
            if sender == self._own.owner:
                summary = engine.class_summary(receiver)
                watch.before_classes(receiver, summary, engine.taking_part())
                if self._policy.min_records > 1:
                    behind = engine.behind_class(receiver, by_class=not self.terms.is_target)
                    self._policy.check_behind(behind, kind="class summary", receiver=receiver)
                message = class_counts(summary, run=self.attempt, step=number, certain_classes=watch.allowed)
                self._outbox.send(receiver, message)
            elif receiver == self._own.owner:
                _, message = self.inbox.take("class", number, [sender], cancelled)
                counts = read_class_counts(message, shared=self.values.shared[sender], classes=classes, sender=sender)
                with nonsense_from(sender):
                    engine.receive_class(sender, counts)
                watch.heard_classes(sender, counts, message.header.get("certain_classes", 0.0))
        engine.open()
        self._check_root(engine)
        totals = engine.totals()
        kind = SiteGrowth if self._tried is None else SiteWalk
        self._growth = kind(
            owner=self._own.owner,
            coordinator=self._coordinator,
            terms=self.terms,
            criterion=cast(Criterion, self.terms.criterion),  # the engine refuses what is not one
            attempt=self.attempt,
            policy=self._policy,
            engine=engine,
            splits=self.splits if self._tried is None else self._tried,
            values=self.values,
            inbox=self.inbox,
            outbox=self._outbox,
            records=int(totals.sum()),
            classes=classes,
            table_rows=self._own.frame.num_rows,
            watch=watch,
        )
        return node_totals(np.zeros(1, dtype=np.int64), totals[None], run=self.id)

    def _check_propagation(self, classes: int, steps: list[tuple[str, str]]) -> None:
        name = self._own.owner
        self._policy.check_classes(classes, owner=name)
        if self.terms.is_target and classes != len(self._own.class_labels):
            raise UnreachableError(
                f"the coordinator names another number of classes than the target site did: {classes}"
            )
        others = {other for step in steps for other in step if name in step} - {name}
        if others != set(self.terms.neighbours):
            raise UnreachableError(
                f"the coordinator orders class summaries between other sites than neighbours of {name}"
            )
        if not is_propagation(steps) or (steps[0][0] == name) != self.terms.is_target:
            raise UnreachableError(
                f"the coordinator orders class summaries of {name} in another order than the protocol's"
            )
        missing = [other for other in self.terms.neighbours if other not in self.values.keys]
        if missing:
            raise UsageError(f"{name} has no shared join values with {missing[0]} yet")

    def _check_root(self, engine: SiteEngine) -> None:
        """What this site joins must be own records enough, whatever the others sent and asked for until now."""
        if self._policy.min_records <= 1:
            return
        self._policy.check_behind(engine.behind_root(), kind="class count", receiver=self._coordinator)
        for neighbour in self.terms.neighbours:
            behind = engine.behind_root_keys(neighbour, by_class=not self.terms.is_target)
            self._policy.check_behind(behind, kind="class count", receiver=self._coordinator)

    def _classes(self) -> NDArray[np.int32]:
        """The classes of the records; one without a class may not take part in the join."""
        codes = self._own.class_codes
        joins = codes < 0
        for keys in self.values.keys.values():
            joins &= keys >= 0
        if joins.any():
            raise InputError(f"the class column is empty in {int(joins.sum()):,} records that join; leave them out")
        return codes

    # -- the tree -------------------------------------------------------------------------------------------------

    @property
    def growth(self) -> SiteGrowth:
        """The growing of the tree, from `propagate` to `finish`."""
        if self._growth is None or isinstance(self._growth, SiteWalk):
            raise UsageError(f"the run at {self._own.owner} has no tree to grow: classes are not propagated")
        return self._growth

    @property
    def walk(self) -> SiteWalk:
        """The walk of held-out records down a tree, from `propagate` to `tally`; only in an evaluation."""
        if not isinstance(self._growth, SiteWalk):
            raise UsageError(f"the run at {self._own.owner} evaluates no tree, or classes are not propagated")
        return self._growth

    def tally(self, labels: int) -> Message:
        """At the target: how the tree classes its held-out records."""
        if not self.terms.is_target:
            raise UsageError(f"{self._own.owner} is not the target of the run")
        return self.walk.tally(self._own.class_codes, labels)

    def certain(self) -> list[CertainTold]:
        """What neighbours could tell for certain of this site, and it of them, as counted until now."""
        return [] if self._watch is None else self._watch.results()

    def finish(self, nodes: I64, numbers: I64) -> Message:
        """The tree is pruned: keep the splits that stayed, under their final numbers."""
        _ = self.growth  # an evaluation has nothing to finish
        final = dict(zip(nodes.tolist(), numbers.tolist(), strict=True))
        if not set(final) <= set(self.splits.splits):
            raise UnreachableError("the coordinator names nodes that this site did not split")
        if len(set(final.values())) < len(nodes) or min(final.values(), default=0) < 0:
            raise UnreachableError("the coordinator numbers nodes in an impossible way")
        self.splits.number(final)
        self.splits.save()
        self._growth = None
        return Message("done")


class Runs:
    """The current run at the site `owner`, if any. `last_sign` is when the coordinator was last heard (monotonic)."""

    def __init__(self, owner: str):
        self._owner = owner
        self.current: SiteRun | None = None
        self.last_sign = 0.0

    def heard(self) -> None:
        """The coordinator has given a sign of life."""
        self.last_sign = time.monotonic()

    def check_idle(self, terms: Begin) -> None:
        """Refuse a second run while one is in progress and its coordinator gives signs of life."""
        run = self.current
        if run is None or run.over or run.id == terms.run or terms.take_over:
            return
        if time.monotonic() - self.last_sign < run.terms.deadline:
            raise UsageError(
                f"another run is in progress at {self._owner} (begun {run.began:%H:%M:%S} UTC); "
                "wait for its end, or end it with take_over"
            )

    def find_run(self, run: str) -> SiteRun:
        """The current run, for a coordinator that names it."""
        if self.current is None:
            raise UsageError(f"{self._owner} knows no such run; it may have been started again since the run began")
        if self.current.id != run:
            raise RunStopped(f"another run has begun at {self._owner}")
        return self.current

    def find_attempt(self, attempt: str) -> SiteRun:
        """The current run, for a neighbour that is at the same attempt at it."""
        if self.current is None or self.current.attempt != attempt:
            raise UsageError(f"{self._owner} knows no such run")
        return self.current
