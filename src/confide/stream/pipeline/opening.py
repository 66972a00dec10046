"""What a request says of a run: the promise, the publisher that keeps it, and the first line of what is published."""

import hashlib
import os
from typing import TYPE_CHECKING

from confide.core.randomness import Randomness
from confide.core.requirements import OutputPrivacy
from confide.core.streams.header import StreamHeader
from confide.stream.butterfly import Butterfly
from confide.stream.planning.tradeoff import usual_epsilon

if TYPE_CHECKING:
    from confide.stream.jobs.requests import StreamRelease

__all__ = ["header_of", "publisher_of", "requirement_of"]


def requirement_of(request: "StreamRelease") -> OutputPrivacy:
    """The promise; where the request leaves epsilon out, the usual one for its other parameters."""
    promise = {"min_support": request.min_support, "vulnerable": request.vulnerable}
    epsilon = request.epsilon
    if epsilon is None:
        epsilon = usual_epsilon(**promise, delta=request.delta, noise=request.noise)
    return OutputPrivacy(epsilon=epsilon, delta=request.delta, **promise)


def publisher_of(request: "StreamRelease") -> Butterfly:
    """The publisher, whose safe rules always hold here."""
    return Butterfly(
        requirement_of(request),
        scheme=request.scheme,
        lam=request.lam,
        depth=request.depth,
        noise=request.noise,
        epoch=request.epoch,
        randomness=_randomness(request),
    )


def header_of(request: "StreamRelease", run: str | None = None) -> StreamHeader:
    """The first line of a run, under the name `run`, or under a new one."""
    publisher = publisher_of(request)
    law = publisher.setting.law
    return StreamHeader(
        run=_new_name(request) if run is None else run,
        requirement=publisher.requirement,
        first=law.first,
        weights=law.weights,
        scheme=request.scheme,
        lam=request.lam if request.scheme == "hybrid" else None,
        depth=request.depth if request.scheme in ("order", "hybrid") else None,
        epoch=request.epoch,
        records=request.window,
        seconds=request.seconds,
        every=request.every,
        itemsets=request.itemsets,
        randomness=_randomness(request).describe(),
    )


def _new_name(request: "StreamRelease") -> str:
    """A name that no other run has; an experiment that is repeated has the same one again."""
    return os.urandom(8).hex() if request.seed is None else hashlib.sha256(b"run %d" % request.seed).hexdigest()[:16]


def _randomness(request: "StreamRelease") -> Randomness:
    return Randomness.system() if request.seed is None else Randomness.seeded(request.seed)
