"""What a service gains from the words it is sent, and what they tell of a person: by expRatio, beside the thesis.

People are the mixtures of `usefulness`. Their profiles are built beside the index that is searched (`index=`), or by
the language alone, as a profile comes. *Gain*: average precision of one-word queries over the engine's own order, own
and others', where a service orders by the exposed words alone. *Named*: of 80 people an observer has seen the whole
profile of one half of each one's posts, and sees what is exposed of the other half. *Fit*: how many of the 80 whole
profiles hold every word that leaves. The rival is the thesis: all frequent terms, ordered by PPRank. Beside each stands
what the same words gain in the other order.
"""

import pathlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median
from typing import Any

from benchmarks.search.usefulness import QUERIES, News, read_posts, told
from confide.audit import identify_exposures
from confide.search import Document, Exposed, LocalIndex, Profile, Ranking, Result, Wrapper, average_precision
from confide.search.profile.documents import collect_documents
from confide.search.words import Words

PEOPLE, OBSERVED, RATIOS = 24, 80, (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
KINDS = ("ours", "by the language alone", "thesis")


def build(texts: Sequence[str], index: LocalIndex) -> dict[str, Profile]:
    """The kinds of profile of the same texts, which are cut once."""
    cut = collect_documents([Document(text=text) for text in texts], Words())
    return {
        "ours": Profile.build(cut, minsup=5, index=index),
        "by the language alone": Profile.build(cut, minsup=5),
        "thesis": Profile.build(cut, minsup=5, vocabulary="all"),
    }


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
    evidence, pprank = Wrapper(news.index), Wrapper(news.index, ranking="pprank")
    for seed in range(500, 500 + PEOPLE):
        draw, mine, theirs, texts = news.draw_person(seed)
        profiles = build(texts, news.index)
        asked = [(word, news.ask(word)) for word in draw.sample(vague, QUERIES)]

        def is_own(link: Result, groups: Sequence[str] = mine) -> bool:
            return news.late[link.url].group in groups

        def is_theirs(link: Result, groups: Sequence[str] = theirs) -> bool:
            return news.late[link.url].group in groups

        for ratio in RATIOS:
            for name in KINDS:
                exposed = expose_at(profiles[name], ratio)
                by_evidence, by_pprank = (
                    [(links, wrapper.order(word, links, exposed.profile)) for word, links in asked]
                    for wrapper in (evidence, pprank)
                )
                ranked = by_pprank if name == "thesis" else by_evidence
                found = {
                    "expRatio": exposed.exp_ratio,
                    "words": len(words_of(exposed)),
                    "own": _gain(ranked, is_own),
                    "others'": _gain(ranked, is_theirs),
                }
                other = by_evidence if name == "thesis" else by_pprank
                yield name, ratio, {**found, "by the other order": _gain(other, is_own)}


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
        halves.append((build(texts[:middle], news.index), build(texts[middle:], news.index)))
    for name in KINDS:
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
        both = {name: _summary(rows[name, ratio], name) for name in KINDS}
        yield {
            "claim": f"gain of a service, one word, mixtures, at an expRatio near {ratio:g}",
            "ours": both["ours"],
            "rival": {"name": "thesis", **both["thesis"]},
            "settings": {
                "by the language alone": both["by the language alone"],
                "people": PEOPLE,
                "queries": PEOPLE * QUERIES,
            },
        }
    told_apart: dict[float, dict[str, dict[str, float]]] = defaultdict(dict)
    for name, ratio, found in observers(news):
        told_apart[ratio][name] = found
    for ratio, both in told_apart.items():
        yield {
            "claim": f"of {OBSERVED} people named rightly, and who fit, at an expRatio near {ratio:g}",
            "ours": both["ours"],
            "rival": {"name": "thesis", **both["thesis"]},
            "settings": {
                "by the language alone": both["by the language alone"],
                "people": OBSERVED,
                "guessing": 1 / OBSERVED,
            },
        }


def _summary(rows: Sequence[dict[str, float]], name: str) -> dict[str, Any]:
    """Means; gains with their standard errors over people."""
    words = sorted(row["words"] for row in rows)
    return {
        "own": told([row["own"] for row in rows]),
        "others'": told([row["others'"] for row in rows]),
        f"own, by {'evidence' if name == 'thesis' else 'PPRank'}": told([row["by the other order"] for row in rows]),
        "words": [words[0], median(words), words[-1]],
        "expRatio": round(mean(row["expRatio"] for row in rows), 3),
    }
