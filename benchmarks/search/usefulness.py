"""What a profile gains untouched, with nothing leaving the machine: average precision of one-word queries.

Three settings. *Mixtures*: a person is 100 posts of each of four newsgroups; queries are words of many groups, and
relevant is what is of the person's groups. *Writers*: a person is what a writer wrote until a date; queries are words
of subjects the writer took part in later, relevant is what is of that group, or of that very thread, by others. *Judged
collections*: as in `when_it_helps`. "Others' queries" ask for what the person has no interest in: there a profile can
only do harm. Rivals: the engine's own order, what the thesis's order does at minDetail 2%, and a centroid of TF-IDF.
"snippets" is our order where the background is what 100 earlier queries brought, in place of the index; "strength 0.8"
is ours where it may move as much as the centroid does.
"""

import math
import pathlib
import random
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email.utils import parseaddr
from itertools import pairwise
from statistics import mean, stdev
from typing import Any

from benchmarks.search.collections import halves, judged_collections
from confide.core.errors import InputError
from confide.search import (
    Document,
    LocalIndex,
    LocalRanker,
    Profile,
    Result,
    Wrapper,
    average_precision,
    cut_queries,
)
from confide.search.words import Words

PEOPLE, QUERIES, LEAST_POSTS, TOP, EARLIER = 24, 20, 18, 50, 100
STRONG = 0.8  # moves about as many of the first ten as the centroid does, on people that are not measured here
Order = Callable[[str, Sequence[Result]], list[int]]
"""From a query and its results in the engine's order to their places in a new one."""


@dataclass(frozen=True)
class Post:
    """A post: `late` if it is of the collection's later part."""

    name: str
    late: bool
    group: str
    writer: str
    subject: str
    text: str = field(repr=False)


def read_posts(data: pathlib.Path) -> list[Post]:
    """All posts of 20 newsgroups by date, named by numbers: a group's name would be searched with the text."""
    posts = []
    with tarfile.open(data / "text" / "20news_bydate.tar.xz") as archive:
        for member in archive:
            opened = archive.extractfile(member) if member.isfile() else None
            if opened is None:
                continue
            part, group, _ = member.name.split("/")
            head, _, body = opened.read().decode("latin-1").partition("\n\n")
            found = dict(re.findall(r"^(From|Subject):\s*(.*)$", head, re.MULTILINE))
            subject = re.sub(r"^((re|fwd?)(\[\d+\])?:\s*)+", "", found.get("Subject", ""), flags=re.IGNORECASE).lower()
            writer = parseaddr(found.get("From", ""))[1].lower()
            posts.append(Post(f"post{len(posts)}", part.endswith("test"), group, writer, subject, body))
    return posts


class Person:
    """A person's profile, and the orders that are compared."""

    def __init__(self, texts: Sequence[str], index: LocalIndex, earlier: Sequence[Result]):
        whole = Profile.build([Document(text=text) for text in texts], minsup=3, vocabulary="all")
        ranker = LocalRanker(whole, index)
        remembering = LocalRanker(whole.remember(link.text for link in earlier), None)
        thesis = whole.expose(min_detail=0.02, verify=False).profile
        wrapper = Wrapper(index, ranking="pprank")
        counts, size = index.count_terms()
        self.orders: dict[str, Order] = {
            "evidence": lambda query, links: _places(ranker.order(query, links)),
            f"strength {STRONG}": lambda query, links: _places(ranker.order(query, links, strength=STRONG)),
            "snippets": lambda query, links: _places(remembering.order(query, links)),
            "thesis": lambda query, links: _places(wrapper.order(query, links, thesis)),
            "tfidf": _Centroid(texts, counts, size).order,
        }


def _places(ranking: Any) -> list[int]:
    return [link.engine_rank - 1 for link in ranking.results]


class _Centroid:
    """A plain TF-IDF centroid; its order is added to the engine's in equal parts of reciprocal ranks."""

    def __init__(self, texts: Sequence[str], counts: dict[str, int], size: int):
        self._words, self._counts, self._size = Words(), counts, size
        self._centroid: Counter[str] = Counter()
        for text in texts:
            self._centroid.update(self._vector(text))

    def _vector(self, text: str) -> dict[str, float]:
        found = Counter(self._words.terms(text))
        vector = {t: n * math.log(self._size / (1 + self._counts.get(t, 0)) + 1) for t, n in found.items()}
        length = math.sqrt(sum(value**2 for value in vector.values())) or 1.0
        return {term: value / length for term, value in vector.items()}

    def order(self, query: str, links: Sequence[Result]) -> list[int]:
        likeness = [sum(v * self._centroid[t] for t, v in self._vector(link.text).items()) for link in links]
        own = {i: place for place, i in enumerate(sorted(range(len(links)), key=lambda i: (-likeness[i], i)), start=1)}
        return sorted(range(len(links)), key=lambda i: (-1 / (own[i] + 10) - 1 / (i + 11), i))


class Tally:
    """Gains by setting and order: the mean over queries of a person, then over people, with its standard error."""

    def __init__(self) -> None:
        self._gains: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._engine: dict[str, list[float]] = defaultdict(list)
        self._stay: dict[str, list[float]] = defaultdict(list)

    def add(self, person: Person, setting: str, asked: Sequence[tuple[str, Sequence[Result], Sequence[bool]]]) -> None:
        """Queries of one person: words, links, and which of them are relevant."""
        asked = [query for query in asked if any(query[2])]
        if not asked:
            return
        base = [average_precision(good) for _, _, good in asked]
        self._engine[setting] += base
        for name, order in person.orders.items():
            new = [order(query, links) for query, links, _ in asked]
            precise = [average_precision([one[2][i] for i in places]) for one, places in zip(asked, new, strict=True)]
            self._gains[setting, name].append(mean(precise) - mean(base))
            if "one word" in setting:
                self._stay[name] += [len({i for i in places[:10] if i < 10}) for places in new]

    def lines(self) -> Iterator[dict[str, Any]]:
        """A line for each setting."""
        for setting, base in self._engine.items():
            gains = {name: told(found) for (of, name), found in self._gains.items() if of == setting}
            yield {
                "claim": f"gain in average precision, nothing leaves: {setting}",
                "ours": gains["evidence"],
                "rival": {"engine's average precision": round(mean(base), 3), **gains},
                "ratio": round(1 + gains["evidence"][0] / mean(base), 3),
                "settings": {"people": len(self._gains[setting, "evidence"]), "queries": len(base)},
            }
        if self._stay:
            stay = {name: round(mean(counts), 1) for name, counts in self._stay.items()}
            yield {
                "claim": f"of the first ten results stay there: {next(iter(self._engine)).split(',')[0]}, one word",
                "ours": stay.pop("evidence"),
                "rival": stay,
            }


def told(values: Sequence[float]) -> list[float]:
    """[mean, standard error over people]."""
    return [round(mean(values), 4), round(stdev(values) / math.sqrt(len(values)), 4) if len(values) > 1 else 0.0]


class News:
    """The later posts as an index, and what people of earlier ones ask of it."""

    def __init__(self, posts: Sequence[Post]):
        self.early = [post for post in posts if not post.late]
        self.late = {post.name: post for post in posts if post.late}
        self.index = LocalIndex.build([(post.name, post.text) for post in self.late.values()])
        self.groups = sorted({post.group for post in posts})
        self.words = Words()
        self._asked: dict[str, list[Result]] = {}
        earlier = random.Random(99).sample(self.ambiguous(), EARLIER)
        self.earlier = [link for word in earlier for link in self.ask(word)]

    def ask(self, query: str) -> list[Result]:
        """The first results, asked for once."""
        if query not in self._asked:
            self._asked[query] = self.index.search(query, count=TOP)
        return self._asked[query]

    def ambiguous(self) -> list[str]:
        """Words of 40 to 600 later posts in 12 groups or more, of which none has over 30%."""
        held: dict[str, Counter[str]] = defaultdict(Counter)
        shown: dict[str, str] = {}
        for post in self.late.values():
            for stem, word in dict(self.words.forms(post.text)).items():
                held[stem][post.group] += 1
                shown.setdefault(stem, word)
        return sorted(
            shown[stem]
            for stem, groups in held.items()
            if len(stem) > 2 and 40 <= groups.total() <= 600 and len(groups) >= 12
            and max(groups.values()) <= 0.3 * groups.total()
        )  # fmt: skip

    def draw_person(self, seed: int) -> tuple[random.Random, list[str], list[str], list[str]]:
        """The rest of a seed's draws, a person's four groups, four others, and 100 posts of each of their own."""
        draw = random.Random(seed)
        mine = draw.sample(self.groups, 4)
        theirs = draw.sample([group for group in self.groups if group not in mine], 4)
        texts = [p.text for g in mine for p in draw.sample([p for p in self.early if p.group == g], 100)]
        return draw, mine, theirs, texts

    def mixtures(self, tally: Tally, people: int) -> None:
        """People of four groups; seeds below 500 were looked at while terms and ranking were chosen."""
        words = self.ambiguous()
        for seed in range(500, 500 + people):
            draw, mine, theirs, texts = self.draw_person(seed)
            person = Person(texts, self.index, self.earlier)
            one = draw.sample(words, QUERIES)
            two = [" ".join(draw.sample(words, 2)) for _ in range(QUERIES)]
            for length, queries in (("one word", one), ("two words", two)):
                asked = [(query, self.ask(query)) for query in queries]
                for whose, groups in (("own", mine), ("others'", theirs)):
                    rows = [(q, ls, [self.late[k.url].group in groups for k in ls]) for q, ls in asked]
                    tally.add(person, f"mixtures, {length}, {whose} queries", rows)

    def writers(self, tally: Tally, people: int) -> None:
        """Writers of `LEAST_POSTS` posts or more, of which some are later than the profile."""
        counts = Counter(post.writer for post in (*self.early, *self.late.values()))
        for writer in sorted(name for name, number in counts.items() if number >= LEAST_POSTS)[:people]:
            own = [post for post in self.early if post.writer == writer]
            later = [post for post in self.late.values() if post.writer == writer]
            if len(own) < 8 or not later:
                continue
            try:
                person = Person([post.text for post in own], self.index, self.earlier)
            except InputError:  # the same few lines in every post: nothing of the writer's own
                continue
            draw = random.Random(writer)
            known = {post.group for post in own}
            threads = sorted({(post.subject, post.group) for post in later})
            said = {s: [w for w in self.words.words(s) if self.words.counts(w, "english")] for s, _ in threads}
            ones = sorted({(word, s, group) for s, group in threads for word in said[s]})
            twos = sorted({(" ".join(two), s, group) for s, group in threads for two in pairwise(said[s])})
            rows: dict[str, list[Any]] = defaultdict(list)
            draw.shuffle(ones)
            draw.shuffle(twos)
            for length, word, subject, group in (
                *(("one word", *one) for one in ones[: QUERIES // 2]),
                *(("two words", *two) for two in twos[: QUERIES // 2]),
            ):
                links = [link for link in self.ask(word) if self.late[link.url].writer != writer]
                links = [Result(rank=n, title=k.title, url=k.url, snippet=k.snippet) for n, k in enumerate(links, 1)]
                found = [self.late[link.url] for link in links]
                other = draw.choice([name for name in self.groups if name not in known])
                for wanted, good in (
                    ("that group", [post.group == group for post in found]),
                    ("that very thread", [post.subject == subject for post in found]),
                    ("others' queries", [post.group == other for post in found]),
                ):
                    rows[f"writers, {length}, {wanted}"].append((word, links, good))
            for name, queries in rows.items():
                tally.add(person, name, queries)


def judged(data: pathlib.Path, tally: Tally, seeds: Sequence[int]) -> None:
    """Cranfield, CACM and CISI in one index; a person of each, who asks their queries and the others'."""
    collections = judged_collections(data)
    for seed in seeds:
        index, texts = halves(collections, seed=seed)
        asked = [one.query for c in collections for one in cut_queries(c.judged, terms=1, seed=99 + seed)]
        earlier = [k for q in random.Random(seed).sample(asked, EARLIER) for k in index.search(q, count=TOP)]
        people = {name: Person(found, index, earlier) for name, found in texts.items()}
        for collection in collections:
            for length, terms in (("one word", 1), ("two words", 2)):
                rows = []
                for one in cut_queries(collection.judged, terms=terms, seed=seed)[: 3 * QUERIES]:
                    links = index.search(one.query, count=TOP)
                    rows.append((one.query, links, [link.url in one.relevant for link in links]))
                for name, person in people.items():
                    whose = "own" if name == collection.name else "others'"
                    tally.add(person, f"judged collections, {length}, {whose} queries", rows)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """A line for each setting, and how many of the first ten stay."""
    news = News(read_posts(data))
    for measure in (
        lambda tally: news.mixtures(tally, PEOPLE),
        lambda tally: news.writers(tally, 10_000),
        lambda tally: judged(data, tally, (11, 12, 13)),
    ):
        tally = Tally()
        measure(tally)
        yield from tally.lines()
