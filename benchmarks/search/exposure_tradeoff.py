"""What a service gains from the words it is sent, and what they tell of a person: by expRatio, beside the thesis.

People are the mixtures of `usefulness`. *Gain*: average precision of one-word queries over the engine's own order, own
and others', where a service orders by the exposed words alone. *Named*: of 80 people an observer has seen the whole
profile of one half of each one's posts, and sees what is exposed of the other half. *Fit*: how many of the 80 whole
profiles hold every word that leaves. The rival is the thesis: all frequent terms, ordered by PPRank.
"""

import pathlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median
from typing import Any

from benchmarks.search.usefulness import QUERIES, News, read_posts, told
from confide.audit import identify_exposures
from confide.search import Document, Exposed, Profile, Ranking, Result, Wrapper, average_precision
from confide.search.profile.documents import collect_documents
from confide.search.words import Words

PEOPLE, OBSERVED, RATIOS = 24, 80, (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
VOCABULARIES = {"ours": "informative", "thesis": "all"}


def build(texts: Sequence[str]) -> dict[str, Profile]:
    """Both kinds of profile of the same texts, which are cut once."""
    cut = collect_documents([Document(text=text) for text in texts], Words())
    return {name: Profile.build(cut, minsup=5, vocabulary=kind) for name, kind in VOCABULARIES.items()}


def expose_at(profile: Profile, ratio: float) -> Exposed:
    """What leaves at the minDetail whose expRatio comes nearest to this one."""
    shares = sorted({interest.units / profile.root.units for interest in profile.root.walk()})
    low, high = 0, len(shares) - 1  # expRatio falls as minDetail rises
    while low < high:
        middle = (low + high) // 2
        if profile.expose(min_detail=shares[middle], verify=False).exp_ratio > ratio:
            low = middle + 1
        else:
            high = middle
    near = [profile.expose(min_detail=shares[place], verify=False) for place in {max(low - 1, 0), low}]
    return min(near, key=lambda exposed: abs(exposed.exp_ratio - ratio))


def words_of(exposed: Exposed) -> set[str]:
    """The terms that leave."""
    return {term for interest in exposed.interests for term in interest.terms}


def gains(news: News) -> Iterator[tuple[str, float, dict[str, float]]]:
    """(whose method, expRatio, what came out) for each person: gains for own and others' queries, words sent."""
    vague = news.ambiguous()
    ours, thesis = Wrapper(news.index), Wrapper(news.index, ranking="pprank")
    for seed in range(500, 500 + PEOPLE):
        draw, mine, theirs, texts = news.draw_person(seed)
        profiles = build(texts)
        asked = [(word, news.ask(word)) for word in draw.sample(vague, QUERIES)]
        for ratio in RATIOS:
            for name, wrapper in (("ours", ours), ("thesis", thesis)):
                exposed = expose_at(profiles[name], ratio)
                ranked = [(links, wrapper.order(word, links, exposed.profile)) for word, links in asked]
                yield (
                    name,
                    ratio,
                    {
                        "expRatio": exposed.exp_ratio,
                        "words": len(words_of(exposed)),
                        "own": _gain(ranked, lambda link, groups=mine: news.late[link.url].group in groups),
                        "others'": _gain(ranked, lambda link, groups=theirs: news.late[link.url].group in groups),
                    },
                )


def _gain(ranked: Sequence[tuple[Sequence[Result], Ranking]], good: Callable[[Result], bool]) -> float:
    found = []
    for links, ranking in ranked:
        relevant = [good(link) for link in links]
        if any(relevant):
            moved = [relevant[link.engine_rank - 1] for link in ranking.results]
            found.append(average_precision(moved) - average_precision(relevant))
    return mean(found)


def observers(news: News) -> Iterator[tuple[str, float, dict[str, float]]]:
    """(whose method, expRatio, how many of `OBSERVED` people are named, and fit)."""
    halves = []
    for seed in range(500, 500 + OBSERVED):
        draw, _, _, texts = news.draw_person(seed)
        draw.shuffle(texts)
        middle = len(texts) // 2
        halves.append((build(texts[:middle]), build(texts[middle:])))
    for name in VOCABULARIES:
        whole = [known[name].expose(min_detail=0, verify=False) for known, _ in halves]
        held = [words_of(exposed) for exposed in whole]
        known = [_weights(exposed) for exposed in whole]
        for ratio in RATIOS:
            seen = [expose_at(profiles[name], ratio) for _, profiles in halves]
            fits = [sum(words_of(exposed) <= others for others in held) for exposed in seen]
            found = identify_exposures([_weights(exposed) for exposed in seen], known)
            yield (
                name,
                ratio,
                {
                    "named": round(found.right, 3),
                    "fit, median": median(fits),
                    "fit, mean": round(mean(fits), 1),
                    "words": round(mean(len(words_of(exposed)) for exposed in seen), 1),
                    "expRatio": round(mean(exposed.exp_ratio for exposed in seen), 3),
                },
            )


def _weights(exposed: Exposed) -> dict[str, float]:
    return {word: pair.weight for pair in exposed.pairs for word in pair.words}


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """A line for each expRatio: gains, then what an observer can tell."""
    news = News(read_posts(data))
    rows: dict[tuple[str, float], list[dict[str, float]]] = defaultdict(list)
    for name, ratio, found in gains(news):
        rows[name, ratio].append(found)
    for ratio in RATIOS:
        both = {name: _summary(rows[name, ratio]) for name in VOCABULARIES}
        yield {
            "claim": f"gain of a service, one word, mixtures, at an expRatio near {ratio:g}",
            "ours": both["ours"],
            "rival": {"name": "thesis", **both["thesis"]},
            "settings": {"people": PEOPLE, "queries": PEOPLE * QUERIES},
        }
    told_apart: dict[float, dict[str, dict[str, float]]] = defaultdict(dict)
    for name, ratio, found in observers(news):
        told_apart[ratio][name] = found
    for ratio, both in told_apart.items():
        yield {
            "claim": f"of {OBSERVED} people named rightly, and who fit, at an expRatio near {ratio:g}",
            "ours": both["ours"],
            "rival": {"name": "thesis", **both["thesis"]},
            "settings": {"people": OBSERVED, "guessing": 1 / OBSERVED},
        }


def _summary(rows: Sequence[dict[str, float]]) -> dict[str, Any]:
    """Means; gains with their standard errors over people."""
    words = sorted(row["words"] for row in rows)
    return {
        "own": told([row["own"] for row in rows]),
        "others'": told([row["others'"] for row in rows]),
        "words": [words[0], median(words), words[-1]],
        "expRatio": round(mean(row["expRatio"] for row in rows), 3),
    }
