"""A profile as it comes: the first ten words of 400 posts, and what 100,000 posts take, beside the thesis's vocabulary.

The 400 posts are of motorcycles, space, medicine and hockey. The 100,000 are drawn with replacement from all 18,846;
each drawing is a document of its own, so lines that stand in five documents are left out, as they would be.
"""

import pathlib
import random
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.search.usefulness import read_posts
from confide.search import Document, LocalIndex, Profile
from confide.search.profile.documents import collect_documents
from confide.search.words import Words

GROUPS = ("rec.motorcycles", "sci.space", "sci.med", "rec.sport.hockey")
LARGE, SEED = 100_000, 7


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """A line for the words, one for the time."""
    posts = read_posts(data)
    draw = random.Random(SEED)
    own = [p.text for group in GROUPS for p in draw.sample([p for p in posts if p.group == group and not p.late], 100)]
    first = {
        kind: [child.label for child in Profile.build([Document(text=t) for t in own], vocabulary=kind).root.children]
        for kind in ("informative", "all")
    }
    elsewhere = LocalIndex.build([(str(n), p.text) for n, p in enumerate(posts) if p.late])
    beside = Profile.build([Document(text=t) for t in own], index=elsewhere)
    yield {
        "claim": "the ten largest interests of 400 posts (motorcycles, space, medicine, hockey)",
        "ours": [child.label for child in beside.root.children[:10]],
        "settings": {
            "beside": "an index of the later posts of all groups",
            "by the language alone": first["informative"][:10],
        },
        "rival": {"name": "all terms, as the thesis", "words": first["all"][:10]},
    }
    drawn = [Document(text=draw.choice(posts).text) for _ in range(LARGE)]
    cutting = time.process_time()
    cut = collect_documents(drawn, Words())
    cutting = time.process_time() - cutting
    took = {}
    for kind in ("informative", "all"):
        began = time.process_time()
        built = Profile.build(cut, minsup=0.001, vocabulary=kind)
        took[kind] = round(time.process_time() - began, 1)
        took[f"{kind}, interests"] = len(built)
    whole = cutting + took["informative"]
    yield {
        "claim": f"a profile of {LARGE:,} posts, minsup 0.1%: at most 40 s of one core",
        "ours": round(whole, 1),
        "rival": {"name": "bound", "seconds": 40},
        "ratio": round(40 / whole, 1),
        "settings": {"cutting into terms": round(cutting, 1), **took, "clock": "processor time, seconds"},
    }
