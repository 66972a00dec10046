"""Ordering 50 results by an exposed profile of 100 terms: snippets of 200 characters, pages of 10,000.

Then 50 snippets by evidence and a whole profile.

Cold: the wrapper has seen no word yet, as for the first search of all. Warm: the same again. The rival is the same sum
with every word stemmed, without what `Scorer` leaves out.
"""

import pathlib
import time
from collections import Counter
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from benchmarks.search.collections import judged_collections
from confide.search import ExposedProfile, LocalIndex, LocalRanker, Pair, Profile, Result, Wrapper
from confide.search.words import Words

PAIRS, RESULTS, RUNS = 100, 50, 9


def plain(texts: list[str], exposed: ExposedProfile) -> list[float]:
    """UPScore, normalised, with every word of every text stemmed."""
    words = Words()
    weights: Counter[str] = Counter()
    for pair in exposed.pairs:
        for word in pair.words:
            weights[words.stems_of(word)[0][0]] += pair.weight
    found = []
    for text in texts:
        terms = words.terms(text)
        found.append(sum(weights[term] for term in terms) / max(1, len(terms)))
    return found


def timed(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return 1000 * (time.process_time() - begin)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Snippets and pages, out of the abstracts of CACM, CISI and Cranfield."""
    texts = [text for one in judged_collections(data) for text in one.documents.values()]
    whole = "\n".join(texts)
    terms = sorted({word for text in texts[:500] for word in Words().words(text) if len(word) > 4})
    step = len(terms) // PAIRS
    exposed = ExposedProfile(tuple(Pair((terms[i * step],), 0.5) for i in range(PAIRS)))
    for name, length, bound in (("snippets of 200 characters", 200, 20), ("pages of 10 kB", 10_000, 200)):
        places = [i * (len(whole) - length) // RESULTS for i in range(RESULTS)]
        pages = [whole[place : place + length] for place in places]
        links = [
            Result(rank=i, title="", url="https://a.example/", snippet=page) for i, page in enumerate(pages, start=1)
        ]
        cold, warm, rival = [], [], []
        for _ in range(RUNS):
            wrapper = Wrapper(LocalIndex.build([]), alpha=0.5)
            cold.append(timed(lambda w=wrapper, f=links: w.order("tea", f, exposed)))  # type: ignore[misc]
            warm.append(timed(lambda w=wrapper, f=links: w.order("tea", f, exposed)))  # type: ignore[misc]
            rival.append(timed(lambda p=pages: plain(p, exposed)))  # type: ignore[misc]
        yield {
            "claim": f"order {RESULTS} results by {PAIRS} terms, {name}, cold: under {bound} ms",
            "ours": round(median(cold), 1),
            "rival": {"name": "every word stemmed", "milliseconds": round(median(rival), 1)},
            "ratio": round(median(rival) / median(cold), 1),
            "spread": round(max(cold) - min(cold), 1),
            "settings": {"warm": round(median(warm), 1), "clock": "processor time, milliseconds", "runs": RUNS},
        }
    yield from by_evidence(texts)


def by_evidence(texts: list[str]) -> Iterator[dict[str, Any]]:
    """Snippets by the whole profile of 1,000 abstracts; the rival is what a person waits for PPRank."""
    profile = Profile.build(texts[:1000])
    snippets = [text[:200] for text in texts[1000 :: (len(texts) - 1000) // RESULTS][:RESULTS]]
    links = [Result(rank=i, title="", url="https://a.example/", snippet=t) for i, t in enumerate(snippets, start=1)]
    exposed = profile.expose(min_detail=0, verify=False).profile
    cold, warm, rival = [], [], []
    for _ in range(RUNS):
        ranker, wrapper = LocalRanker(profile, None), Wrapper(LocalIndex.build([]), ranking="pprank")
        cold.append(timed(lambda r=ranker: r.order("theory", links)))  # type: ignore[misc]
        warm.append(timed(lambda r=ranker: r.order("theory", links)))  # type: ignore[misc]
        rival.append(timed(lambda w=wrapper: w.order("theory", links, exposed)))  # type: ignore[misc]
    yield {
        "claim": f"order {RESULTS} snippets by evidence and the whole profile, cold: under 20 ms",
        "ours": round(median(cold), 1),
        "rival": {"name": "PPRank by all that could be exposed", "milliseconds": round(median(rival), 1)},
        "ratio": round(median(rival) / median(cold), 1),
        "spread": round(max(cold) - min(cold), 1),
        "settings": {"warm": round(median(warm), 1), "clock": "processor time, milliseconds", "runs": RUNS},
    }
