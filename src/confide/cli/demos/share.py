"""Sharing trees: three hospitals publish a tree each, and somebody else learns one model from them."""

from collections import Counter
from pathlib import Path

from confide import report
from confide.cli.demos import DemoPart
from confide.core.randomness import Randomness
from confide.core.release import Release
from confide.core.samples.people import people
from confide.core.trees.published import PublishedTree
from confide.share.domains import Domains
from confide.share.global_model import learn_global
from confide.share.jobs.publishing import train
from confide.share.jobs.requests import ShareTrain

__all__ = ["run"]

HOSPITALS = ("north", "east", "south")
RECORDS = 2_000


def run(folder: Path) -> DemoPart:
    """Release a tree of each hospital's invented patients, learn from all of them, and write one report."""
    domains = Domains.from_dict(
        {
            "class": "diagnosis",
            "classes": sorted(set(people(20_000, seed=1)["diagnosis"].to_pylist())),
            "attributes": {
                "age": {"bins": [0, 20, 30, 40, 50, 60, 70, 80, 120]},
                "sex": {"values": ["female", "male"]},
                "income": {"values": ["under 15k", "15k-30k", "30k-50k", "50k-80k", "over 80k"], "sensitive": True},
                "education": {"values": sorted(set(people(20_000, seed=1)["education"].to_pylist()))},
            },
        }
    )
    released: list[Release[PublishedTree]] = []
    for number, name in enumerate(HOSPITALS):
        done = train(ShareTrain(table=people(RECORDS, seed=10 + number), domains=domains, l=3, c=3))
        passport = done.release.write(folder / f"{name}-tree.json", replace=True)
        if not released:
            report.write(done.release, folder / f"{name}-tree.html", passport=passport, replace=True)
        released.append(done.release)
    model = learn_global(released, randomness=Randomness.seeded(1))
    X, y, _ = domains.columns(people(RECORDS, seed=99))
    guessed = max(Counter(y.tolist()).values()) / len(y)
    return DemoPart(
        title="Sharing trees",
        promise=released[0].passport.promise,
        summary=f"Three hospitals publish a tree each; a model learned from the trees alone is right for "
        f"{model.score(X, y):.0%} of new patients, the first tree for {learn_global(released[:1]).score(X, y):.0%}, "
        f"guessing the commonest diagnosis for {guessed:.0%}.",
        page=folder / f"{HOSPITALS[0]}-tree.html",
        passports=tuple(folder / f"{name}-tree.json.passport.json" for name in HOSPITALS),
    )
