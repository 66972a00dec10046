"""When does a profile help? Three judged collections in one index, by length of query, alpha and minDetail.

The control is another person's profile. Gains are in mean average precision against the engine's own order, paired by
query; seeds cut the collections and the queries anew. A second setting: newsgroups, with short subjects and threads.
"""

import pathlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import mean, stdev
from typing import Any

from benchmarks.search.collections import Collection, halves, judged_collections, newsgroups
from confide.core.errors import InputError
from confide.search import Evaluation, Profile, Trial, evaluate

SEEDS = 4
ALPHAS = tuple(n / 10 for n in range(11))
DETAILS = (0.0, 0.002, 0.005, 0.01, 0.015, 0.02, 0.05)
Key = tuple[str, int, str, float, float]


def pooled(
    collections: Sequence[Collection], asked: Evaluation, seed: int, documents: int, minsup: int
) -> dict[Key, Trial]:
    """Trials by (whose profile, terms, scoring, minDetail, alpha), the mean over people, by their queries."""
    index, texts = halves(list(collections), seed=seed, profile_documents=documents)
    profiles = {name: Profile.build(found, minsup=minsup) for name, found in texts.items()}
    names = list(profiles)
    rows: dict[Key, list[Trial]] = defaultdict(list)
    for place, collection in enumerate(collections):
        both = {"own": profiles[collection.name], "another's": profiles[names[(place + 1) % len(names)]]}
        if not collection.judged:
            continue
        try:
            trials = evaluate(collection.judged, both, index, asked=asked)
        except InputError:  # no judged query has a relevant link in this half
            continue
        for one in trials:
            rows[one.profile, one.terms, one.scoring, one.min_detail or 0.0, one.weight].append(one)
    return {key: _mean(found) for key, found in rows.items()}


def _mean(found: Sequence[Trial]) -> Trial:
    weight = sum(one.queries for one in found)

    def of(name: str) -> float:
        return sum(one.queries * float(getattr(one, name)) for one in found) / weight

    first = found[0]
    return Trial(
        profile=first.profile, terms=first.terms, scoring=first.scoring, min_detail=first.min_detail,
        weight=first.weight,
        exp_ratio=of("exp_ratio"), words=first.words, fits=first.fits,
        precision=of("precision"), spread=of("spread"), gain=of("gain"), error=of("error"),
        queries=weight,
    )  # fmt: skip


def told(runs: Sequence[dict[Key, Trial]], key: Key, measure: str) -> list[float]:
    """[mean, deviation between seeds]."""
    values = [float(getattr(run[key], measure)) for run in runs if key in run]
    return [round(mean(values), 4), round(stdev(values), 4) if len(values) > 1 else 0.0]


def lines(name: str, runs: Sequence[dict[Key, Trial]], asked: Evaluation) -> Iterator[dict[str, Any]]:
    """For each length: by alpha, own and another's; by minDetail at the best alpha; raw beside normalised."""
    for terms in asked.terms:
        if not any(key[1] == terms for run in runs for key in run):
            continue

        def at(whose: str, alpha: float, detail: float = 0.0, scoring: str = "normalised", n: int = terms) -> Key:
            return (whose, n, scoring, detail, alpha)

        best = max(asked.alphas, key=lambda alpha: (told(runs, at("own", alpha), "precision")[0], -alpha))
        plain = told(runs, at("own", 0.0), "precision")
        yield {
            "claim": f"mean average precision, {name}, " + (f"{terms} terms" if terms else "whole queries"),
            "ours": told(runs, at("own", best), "precision")[0],
            "rival": {"name": "the engine's own order", "precision": plain},
            "ratio": round(told(runs, at("own", best), "precision")[0] / plain[0], 3),
            "settings": {
                "best alpha": best,
                "queries": told(runs, at("own", 0.0), "queries")[0],
                "gain by alpha, own": {a: told(runs, at("own", a), "gain") for a in asked.alphas},
                "gain by alpha, another's": {a: told(runs, at("another's", a), "gain") for a in asked.alphas},
                "gain by alpha, own, raw counts": {
                    a: told(runs, at("own", a, scoring="raw"), "gain") for a in asked.alphas
                },
                "at the best alpha, [expRatio, gain] by minDetail": {
                    d: [told(runs, at("own", best, d), m)[0] for m in ("exp_ratio", "gain")] for d in asked.min_details
                },
                "standard error of a gain": told(runs, at("own", best), "error")[0],
            },
        }


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One line for each setting and length of query."""
    asked = Evaluation(
        ranking="pprank", alphas=ALPHAS, min_details=DETAILS, terms=(1, 2, 3, 5, 0), scorings=("normalised", "raw"),
        cuts=2,
    )  # fmt: skip
    collections = judged_collections(data)
    runs = [pooled(collections, asked, seed, documents=300, minsup=5) for seed in range(SEEDS)]
    yield from lines("Cranfield, CACM and CISI", runs, asked)
    asked = Evaluation(ranking="pprank", alphas=ALPHAS, min_details=DETAILS, terms=(0,), scorings=("normalised", "raw"))
    groups = newsgroups(data)
    runs = [pooled(groups, asked, seed, documents=50, minsup=5) for seed in range(SEEDS)]
    yield from lines("20 newsgroups, threads by subject", runs, asked)
