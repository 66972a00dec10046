"""Broken releases: verify, report and `passport show` must always give an answer, in words of ours."""

import contextlib
import hashlib
import io
import json

import click
import numpy as np
import pyarrow as pa

from confide import (
    Coherence,
    KAnonymity,
    Passport,
    RecursiveDiversity,
    Release,
    SimpleDiversity,
    Transactions,
    report,
    verify,
)
from confide.cli.root import confide
from confide.collect import BasketQuestion, Bins, CutAndPaste, Emask, Fields, GammaDiagonal, SampledDesign
from confide.collect.perturbed_release import release_perturbed
from confide.core.artefacts.originals import OriginalBaskets
from confide.core.errors import ConfideError
from confide.core.samples import figure_30
from confide.core.tables.taxonomy import Taxonomy
from confide.core.trees.published import PublishedTree
from confide.publish import generalise
from confide.search import Profile
from confide.share import ShareTrain, anonymize_tree, train
from tests import forged_tables
from tests.fuzzing.files import judged
from tests.fuzzing.mutations import broken_bytes, broken_json
from tests.fuzzing.stream_files import broken_run, publish_run
from tests.fuzzing.table_releases import TABLE_RELEASES
from tests.join.sites import small
from tests.share.jobs.test_publishing import DOMAINS, people
from tests.share.trees import random_tree

__all__ = ["RELEASES", "release_target"]

BASKETS = Transactions.from_lists(
    [["tea", "nuts"], ["tea", "nuts", "s:a"], ["tea", "nuts", "s:b"], ["milk, fresh", "tea"]] * 6
)
PEOPLE = pa.table({"age": [18, 40, 77] * 4, "sex": ["F", "M", "M"] * 4})
FIELDS = {"age": Bins((30, 50)), "sex": ["F", "M"]}
GROUPS = pa.table({"age": ["20-29"] * 20 + ["30-39"] * 20, "illness": ["flu", "none"] * 20})


def _baskets():
    context = {"private": ["s:a", "s:b"]}
    requirement = Coherence(h=0.9, k=3, p=2)
    read = OriginalBaskets(transactions=BASKETS, places=np.arange(len(BASKETS)))
    return Release.issue(
        BASKETS, requirement, stage="publish transactions", algorithm="by hand", context=context, original=read
    )


def _groups():
    roles = {"age": "quasi-identifier", "illness": "sensitive"}
    return Release.issue(GROUPS, KAnonymity(k=20), stage="by hand", algorithm="by hand", context={"roles": roles})


def _shared(mode, requirement):
    """A tree with marginals where classes are counted, or one that says hit and miss alone."""
    if mode == "exact":
        return train(ShareTrain(table=people(), domains=DOMAINS, requirement=requirement)).release
    return anonymize_tree(random_tree(3, classes=3, counts=False, most=30), requirement, mode=mode)


def _items(scheme):
    return release_perturbed(scheme.for_items(["tea", "nuts", "s:a", "s:b", "milk, fresh"], max_length=3), BASKETS)


def _broader():
    """Baskets under broader names, which the passport lists."""
    taxonomy = Taxonomy.from_rows([("tea", "drinks", "*"), ("milk, fresh", "drinks", "*"), ("nuts", "food", "*")])
    return generalise(BASKETS, Coherence(h=0.9, k=7, p=2), taxonomy=taxonomy, private=["s:a", "s:b"])


RELEASES = {
    "baskets.csv": _baskets,
    "baskets.jsonl": _baskets,
    "baskets.parquet": _baskets,
    "broader.jsonl": _broader,
    "baskets.dat.gz": lambda: _items(Emask(p=0.5, q=0.9)),
    "groups.csv": _groups,
    "groups.parquet": _groups,
    "emask.csv": lambda: _items(Emask(p=0.5, q=0.9)),
    "diagonal.csv": lambda: release_perturbed(GammaDiagonal(domains=FIELDS, gamma=19), PEOPLE),
    "cut.csv": lambda: release_perturbed(CutAndPaste(K=2, rho=0.4, fields=Fields.of(FIELDS)), PEOPLE),
    "sampled.csv": lambda: release_perturbed(SampledDesign(domains=FIELDS, gamma=19, size=1), PEOPLE),
    "question.csv": lambda: release_perturbed(BasketQuestion(items=BASKETS.items, gamma=4.5, pad=2), BASKETS),
    "persons.csv": forged_tables.made,
    "persons.parquet": forged_tables.made,
    "exact.tree.json": lambda: _shared("exact", KAnonymity(k=30)),
    "both.tree.json": lambda: _shared("exact", KAnonymity(k=20) & SimpleDiversity(l=2)),
    "diverse.tree.json": lambda: _shared("exact", RecursiveDiversity(c=3, l=2)),
    "estimated.tree.json": lambda: _shared("estimated", RecursiveDiversity(c=3, l=2)),
    "sound.tree.json": lambda: _shared("sound", SimpleDiversity(l=2)),
    **TABLE_RELEASES,
    "exposed.json": lambda: Profile.build(figure_30(), minsup=2, delta=0.6).release(min_detail=0.3),
    "run.jsonl": None,  # a run writes its own file
    "join.json": lambda: small()[0].train().release(min_records=1, parameters={}),
}
"""File name: the release that is broken."""


def release_target(name, folder):
    """A function from a draw to whether the broken release was accepted by all who look at it."""
    path = folder / name
    if ".dat" in name:  # labels with blanks are not for .dat
        scheme = Emask(p=0.5, q=0.9).for_items(list("abcdef"), max_length=3)
        release_perturbed(scheme, Transactions.from_lists([["a", "b"], ["c"], [], ["a", "c", "d"]] * 5)).write(path)
    elif name == "run.jsonl":
        publish_run(path)
    else:
        RELEASES[name]().write(path)
    beside = folder / f"{name}.passport.json"
    page = folder / "page.html"
    good, known = path.read_bytes(), json.loads(beside.read_text())
    inner = json.loads(good) if name.endswith(".json") else None

    def attempt(draw):
        data, passport = good, json.loads(json.dumps(known))
        which = draw.random()
        if which < 0.5:
            as_json = inner is not None and draw.random() < 0.7
            data = _as_written(broken_json(draw, inner), name) if as_json else broken_bytes(draw, good)
            if name == "run.jsonl" and draw.random() < 0.7:
                data = broken_run(draw, good)
        if which > 0.4:
            passport = broken_json(draw, passport)
        if isinstance(passport, dict) and isinstance(passport.get("artefact"), dict) and draw.random() < 0.9:
            passport["artefact"] |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        path.write_bytes(data)
        text = json.dumps(passport).encode(errors="surrogatepass")
        beside.write_bytes(broken_bytes(draw, text) if draw.random() < 0.05 else text)
        outcome = verify(beside)
        for check in outcome.checks:  # the auditor survives anything; what it survives here is still a fault of ours
            assert "in the reader" not in check.detail, f"{check.name}: {check.detail}"
        judged(lambda: _shown(beside))
        judged(lambda: _page(beside, outcome, page))
        return outcome.ok

    return attempt


def _as_written(plain, name):
    """Broken JSON in the form our writer gives it: what stands at its head would be refused for its form alone."""
    if not name.endswith(".tree.json"):
        return (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode(errors="replace")
    with contextlib.suppress(ConfideError):
        return PublishedTree.from_dict(plain).to_json().encode(errors="replace")
    return json.dumps(plain, ensure_ascii=False).encode(errors="replace")


def _shown(beside):
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(click.ClickException):
        confide.main(["passport", "show", str(beside)], standalone_mode=False)
    assert "\x1b" not in said.getvalue(), "a control character reaches the terminal"


def _page(beside, outcome, page):
    try:
        report.write(Release.described(Passport.read(beside), verification=outcome), page, replace=True)
    except ConfideError:
        raise
    assert "<script" not in page.read_text(), "a page with a script"
