"""Files that stages keep or agree on: domains, shared trees, recodings, records of runs, memories of streams, keys."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from confide import Hierarchy, KAnonymity, OutputPrivacy, Schema
from confide.collect import BasketSearch
from confide.collect.jobs.record_files import read_fields
from confide.core.artefacts.signing_keys import read_private_key, read_public_key
from confide.core.errors import InputError
from confide.core.itemsets.container import Itemsets
from confide.core.jobs import job_named, read_request, request_text
from confide.core.json_text import read_json
from confide.core.tables.taxonomy import Taxonomy
from confide.join.coordinator.run_record import RunRecord
from confide.join.site.split_list import SplitList
from confide.ledger import ReleaseLedger
from confide.ledger.ledger_file import LedgerFile
from confide.ledger.seal import Seal, read_head
from confide.publish import Incognito, PublishTable
from confide.publish.tables.mapping import GlobalMapping
from confide.share import ShareTrain, train
from confide.share.domains import Domains
from confide.share.tree_files import read_tree
from confide.stream import Butterfly
from confide.stream.blocks.used_blocks import UsedBlocks
from tests.join.questions.test_evaluation import simple
from tests.join.sites import small
from tests.ledger.histories import Series
from tests.ledger.series_tables import KEY as LEDGER_KEY
from tests.share.jobs.test_publishing import DOMAINS, people

__all__ = ["STAGE_READERS"]

STREAM = OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5)
KEY = bytes(range(32))
PROMISE = {"delta": 0.4}
_questions = {}
_sealed = {}


def _shared_tree(path):
    train(ShareTrain(table=people(), domains=DOMAINS, requirement=KAnonymity(k=30))).release.write(path)


def _recoding(path):
    places = Hierarchy.from_rows([("n1", "n", "*"), ("n2", "n", "*"), ("s1", "s", "*")])
    schema = Schema.from_dict(
        {
            "place": {"role": "quasi-identifier", "hierarchy": places},
            "age": {"role": "quasi-identifier", "hierarchy": {"build": "intervals", "widths": [30, 60]}},
            "ill": {"role": "sensitive"},
        }
    )
    frame = pa.table({"place": ["n1", "n2", "s1"] * 4, "age": [20, 40, 70] * 4, "ill": ["a", "b"] * 6})
    publisher = Incognito(requirement=KAnonymity(k=4))
    publisher.publish(frame, schema)
    publisher.mapping_.write(path)


def _transform(path):
    """A recoding is only read to be used."""
    frame = pa.table({"place": ["n1", "s1"], "age": [20, 70]})
    GlobalMapping.read(path).transform(frame)


def _memory(path, key=None):
    butterfly = Butterfly(STREAM, scheme="basic")
    butterfly.release(Itemsets.from_pairs([("a", 90), ("b", 70), ("c", 30)], n_transactions=100))
    butterfly.save(path, key=key)


def _run_record(path):
    coordinator, _ = small(state=path.parent)
    coordinator.train()
    found = next(path.parent.rglob("run.json"))
    if found != path:
        path.write_bytes(found.read_bytes())
    _questions[path] = json.loads(path.read_text())["question"]


def _split_list(path):
    coordinator, _ = simple(state=path.parent)
    coordinator.train()
    path.write_bytes(next((path.parent / "S").rglob("splits.json")).read_bytes())


def _keys(path):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    if path.name.startswith("public"):
        data = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    else:
        data = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(data)


def _request(path):
    asked = PublishTable(table=Path("t.csv"), schema=Path("s.toml"), requirement=KAnonymity(k=5), suppress=0.01)
    job = job_named("publish table")
    path.write_text(request_text(job, asked, job.delivery(output=Path("out.csv")), path))


def _ledger(path):
    """Two releases about the same people."""
    series, ills = Series(), ("flu", "gout")
    series.release([(i, i, "fm"[i % 2], ills[i // 2 % 2]) for i in range(16)], k=3, l=2)
    series.release([(i, i % 16, "fm"[i % 2], ills[i // 2 % 2]) for i in range(2, 20)], k=3, l=2)
    replace(series.ledger.file, path=path).write()


def _head(path):
    """The head of a ledger under a passphrase."""
    path.write_bytes(Seal.new("a long one").head)


def _entries(path):
    """The entries of that ledger in the clear, as JSON: what stands in front of their arrays."""
    sealed = path.with_name("sealed.ledger")
    _ledger(sealed)
    file = _sealed[path] = LedgerFile.read(sealed, LEDGER_KEY)
    path.write_text(json.dumps([json.loads(entry.partition(b"\n")[0]) for entry in file.entries]))


def _read_entries(path):
    """Read entries that say something else and are sealed by the owner's key all the same."""
    file = _sealed[path]
    plain = read_json(path.read_bytes())
    if not isinstance(plain, list):
        raise InputError("not a list")
    pairs = zip(plain, file.entries, strict=False)
    made = [json.dumps(about).encode() + b"\n" + entry.partition(b"\n")[2] for about, entry in pairs]
    ReleaseLedger.of_file(file.with_entries(made or [b""]))


def _used_blocks(path):
    used = UsedBlocks(path.with_name("key"), PROMISE, optional=False)
    for number in range(3):
        used.check(number, f"{number:032x}")
    used.keep(sync=False)
    used.close()


def _read_used_blocks(path):
    used = UsedBlocks(path.with_name("key"), PROMISE, optional=False)
    used.close()
    used.check(1, f"{1:032x}")


STAGE_READERS = {
    "domains.toml": (DOMAINS.write, Domains.read),
    "shared.tree.json": (_shared_tree, read_tree),
    "recoding.json": (_recoding, _transform),
    "memory.state": (_memory, lambda path: Butterfly(STREAM, scheme="basic").resume(path)),
    "sealed.state": (
        lambda path: _memory(path, KEY),
        lambda path: Butterfly(STREAM, scheme="basic").resume(path, key=KEY),
    ),
    "run.json": (_run_record, lambda path: RunRecord.load(_questions[path], path.parent)),
    "splits.json": (_split_list, lambda path: SplitList.load(path.parent)),
    "private.pem": (_keys, lambda path: read_private_key(Path(path))),
    "public.pem": (_keys, lambda path: read_public_key(Path(path))),
    "ask.toml": (_request, read_request),
    "ask.json": (_request, read_request),
    "key.ledger": (_ledger, lambda path: ReleaseLedger.read(path, LEDGER_KEY)),
    "head.ledger": (_head, lambda path: read_head(path.read_bytes(), source=path)),
    "entries.json": (_entries, _read_entries),
    "key.stream": (_used_blocks, _read_used_blocks),
    "taxonomy.csv": (
        lambda path: path.write_text("tea;drinks;*\nmilk;drinks;*\nnuts;food;*\n"),
        Taxonomy.read,
    ),
    "search.json": (
        lambda path: BasketSearch(items=tuple("abcdef"), gamma=19, top=3).write(path),
        BasketSearch.read,
    ),
    "fields.csv": (lambda path: path.write_text("age,sex\n18,F\n40,M\n,M\n"), read_fields),
}
"""File name: (what writes a good one, what reads it)."""
