"""What a request says of a run: the promise, the publisher that keeps it, and the first line of what is published."""

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import RequestError
from confide.core.randomness import Randomness
from confide.core.requirements import OutputPrivacy
from confide.core.streams.header import KeyedLaws, LawWeights, StreamHeader
from confide.stream.blocks.key_file import open_key_file
from confide.stream.blocks.keyed import KeyedNoise
from confide.stream.blocks.law import RunNoise
from confide.stream.butterfly import Butterfly
from confide.stream.noise import NoiseLaw
from confide.stream.planning.tradeoff import usual_block_epsilon, usual_epsilon

if TYPE_CHECKING:
    from confide.stream.jobs.requests import StreamRelease

__all__ = ["check_promise", "header_of", "promise_of", "publisher_of", "requirement_of"]


def requirement_of(request: "StreamRelease") -> OutputPrivacy:
    """The promise; where the request leaves epsilon out, the usual one for its other parameters."""
    promise = {"min_support": request.min_support, "vulnerable": request.vulnerable}
    assert request.promise is not None
    epsilon = request.epsilon
    if epsilon is None and request.scheme == "blocks":
        epsilon = usual_block_epsilon(**promise, delta=request.delta, span=request.promise, blocks=request.blocks)
    elif epsilon is None:
        epsilon = usual_epsilon(**promise, delta=request.delta, noise=request.noise)
    return OutputPrivacy(epsilon=epsilon, delta=request.delta, **promise, span=request.promise)


def publisher_of(request: "StreamRelease") -> Butterfly:
    """The publisher, whose safe rules always hold here; a key file that is not there is made."""
    requirement = requirement_of(request)
    if request.scheme != "blocks":
        return Butterfly(
            requirement,
            scheme=request.scheme,
            lam=request.lam,
            depth=request.depth,
            noise=request.noise,
            epoch=request.epoch,
            randomness=_randomness(request),
        )
    _check_noise(request)
    key = None if request.noise_key is None else open_key_file(request.noise_key)
    return Butterfly(requirement, key=key, blocks=request.blocks, randomness=_randomness(request))


def check_promise(request: "StreamRelease") -> None:
    """Refuse a promise that cannot be kept, and a key file that cannot be used, before anything is opened or made."""
    if request.scheme != "blocks" or request.noise_key is None or Path(request.noise_key).exists():
        publisher_of(request)
    else:
        _check_noise(request)


def _check_noise(request: "StreamRelease") -> None:
    """Refuse a window in which noise by blocks would leave nothing to publish."""
    noise = RunNoise.of(requirement_of(request), blocks=request.blocks)
    if request.window is not None and noise.ceiling(request.window) < noise.threshold:
        least = noise.threshold + noise.requirement.vulnerable + noise.reach + 1
        what = "is too small for this noise, so nothing would ever be published; use {} or more"
        raise RequestError("window", request.window, what, cure=least)


def header_of(request: "StreamRelease", run: str | None = None) -> StreamHeader:
    """The first line of a run, under the name `run`, or under a new one."""
    publisher = publisher_of(request)
    keyed = request.scheme == "blocks"
    return StreamHeader(
        run=_new_name(publisher, request) if run is None else run,
        requirement=publisher.requirement,
        noise=_keyed_laws(publisher) if keyed else _weights(publisher.setting.law),
        scheme=request.scheme,
        lam=request.lam if request.scheme == "hybrid" else None,
        depth=request.depth if request.scheme in ("order", "hybrid") else None,
        epoch=None if keyed else request.epoch,
        records=request.window,
        seconds=request.seconds,
        every=request.every,
        every_seconds=request.every_seconds,
        itemsets=request.itemsets,
        randomness=publisher.describe(),
    )


def promise_of(header: StreamHeader) -> dict[str, Any]:
    """What decides the noise of a run: a key is for one of these."""
    asked = header.requirement
    promise = {name: getattr(asked, name) for name in ("delta", "min_support", "vulnerable")}
    grid = {name: getattr(header, name) for name in ("records", "seconds", "every", "every_seconds")}
    return {"promise": asked.span, **promise, "window": grid.pop("records"), **grid}


def _keyed_laws(publisher: Butterfly) -> KeyedLaws:
    noise = publisher.run_noise
    return KeyedLaws(
        permanent=None if noise.permanent is None else _weights(noise.permanent),
        block=_weights(noise.block),
        blocks=noise.blocks,
        draws=noise.draws,
        factor=None if noise.factor is None else int(noise.factor * 1000),
        reach=noise.reach,
        key=_key_name(publisher),
    )


def _key_name(publisher: Butterfly) -> str:
    return KeyedNoise(publisher.secret()).name


def _weights(law: NoiseLaw) -> LawWeights:
    return LawWeights(first=law.first, weights=law.weights)


def _new_name(publisher: Butterfly, request: "StreamRelease") -> str:
    """A name that no other run has; by key, or by the seed of an experiment, the same one again."""
    if request.scheme == "blocks":
        asked = f"{_key_name(publisher)} {publisher.requirement!r} {request.window} {request.seconds} {request.blocks}"
        return hashlib.sha256(f"run {asked}".encode()).hexdigest()[:16]
    return os.urandom(8).hex() if request.seed is None else hashlib.sha256(b"run %d" % request.seed).hexdigest()[:16]


def _randomness(request: "StreamRelease") -> Randomness:
    return Randomness.system() if request.seed is None else Randomness.seeded(request.seed)
