"""Judged collections as people who search: what benchmarks of personal search read.

Each collection is cut in two by a seed. A person's profile is made from 300 documents of one half, chosen without any
look at relevance. The other halves of all collections are one index; judgments count there only.
"""

import gzip
import pathlib
import random
import re
import tarfile
from collections import defaultdict
from dataclasses import dataclass

from confide.search import Judged, LocalIndex

__all__ = ["Collection", "halves", "judged_collections", "newsgroups"]

PROFILE_DOCUMENTS = 300
_FILES = {
    "cranfield": ("cran.all.1400.gz", "cran.qry.gz", "cranqrel.gz"),
    "cacm": ("cacm.all.gz", "query.text.gz", "qrels.text.gz"),
    "cisi": ("CISI.ALL.gz", "CISI.QRY.gz", "CISI.REL.gz"),
}


@dataclass(frozen=True)
class Collection:
    """Documents by name, and queries with the names of what is relevant."""

    name: str
    documents: dict[str, str]
    judged: list[Judged]


def _lines(path: pathlib.Path) -> list[str]:
    with gzip.open(path, "rt", encoding="latin-1") as file:
        return file.read().splitlines()


def _smart(path: pathlib.Path) -> list[tuple[str, dict[str, str]]]:
    """(id, fields) of each entry, in order."""
    found: list[tuple[str, dict[str, str]]] = []
    field = ""
    for line in _lines(path):
        if line.startswith(".I "):
            found.append((line[3:].strip(), {}))
        elif re.fullmatch(r"\.[A-Z]\s*", line):
            field = line[1]
        else:
            fields = found[-1][1]
            fields[field] = f"{fields.get(field, '')}{line} "
    return found


def judged_collections(data: pathlib.Path) -> list[Collection]:
    """Cranfield, CACM and CISI, read as their READMEs say: Cranfield numbers queries by position."""
    found = []
    for name, (documents, queries, relevant) in _FILES.items():
        folder = data / "text" / name
        texts = {
            f"{name}-{number}": f"{fields.get('T', '')} {fields.get('W', '')}"
            for number, fields in _smart(folder / documents)
        }
        asked = {
            (str(place) if name == "cranfield" else str(int(number))): fields.get("W", "").strip()
            for place, (number, fields) in enumerate(_smart(folder / queries), start=1)
        }
        good: dict[str, set[str]] = defaultdict(set)
        for line in _lines(folder / relevant):
            query, document = line.split()[:2]
            good[str(int(query))].add(f"{name}-{int(document)}")
        judged = [Judged(asked[q][:1000], frozenset(names)) for q, names in good.items() if asked.get(q)]
        found.append(Collection(name, texts, judged))
    return found


def newsgroups(data: pathlib.Path) -> list[Collection]:
    """Mini newsgroups, a collection a group: subjects of 1 to 4 words as queries, posts of the same thread as relevant.

    Subjects and quoted lines are left out of the texts, so that a query does not find its thread by its own words.
    Threads of fewer than two posts are of no use. Being in the same group does not count as relevant: with that a
    profile of the group would win by construction.
    """
    posts: dict[str, dict[str, str]] = defaultdict(dict)
    threads: dict[tuple[str, str], set[str]] = defaultdict(set)
    with tarfile.open(data / "text" / "20news_mini" / "mini_newsgroups.tar.gz") as archive:
        for member in archive:
            if not member.isfile():
                continue
            group = member.name.split("/")[-2]
            opened = archive.extractfile(member)
            assert opened is not None
            head, _, body = opened.read().decode("latin-1").partition("\n\n")
            subject = next((line[8:].strip() for line in head.splitlines() if line.startswith("Subject:")), "")
            subject = re.sub(r"^((re|fwd?)(\[\d+\])?:\s*)+", "", subject, flags=re.IGNORECASE).lower()
            kept = [line for line in body.splitlines() if not re.match(r"\s*([>|:}]|\S{1,8}>)", line)]
            name = f"post{sum(map(len, posts.values()))}"  # the name of the group would be searched with the text
            posts[group][name] = "\n".join(line for line in kept if subject not in line.lower())
            threads[group, subject].add(name)
    found = []
    for group, texts in posts.items():
        judged = [
            Judged(subject, frozenset(names))
            for (of, subject), names in threads.items()
            if of == group and len(names) >= 2 and 1 <= len(re.findall(r"\w{2,}", subject)) <= 4
        ]
        found.append(Collection(group, texts, judged))
    return found


def halves(
    collections: list[Collection], *, seed: int, profile_documents: int = PROFILE_DOCUMENTS
) -> tuple[LocalIndex, dict[str, list[str]]]:
    """(the index of all judged halves, texts for the profile of each collection's person)."""
    indexed: list[tuple[str, str]] = []
    personal = {}
    for collection in collections:
        names = sorted(collection.documents)
        random.Random(f"{seed} {collection.name}").shuffle(names)
        middle = len(names) // 2
        personal[collection.name] = [collection.documents[name] for name in names[:middle][:profile_documents]]
        indexed += [(name, collection.documents[name]) for name in names[middle:]]
    return LocalIndex.build(indexed), personal
