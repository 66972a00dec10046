"""Files that stages keep or agree on: domains, shared trees, recodings, records of runs, memories of streams, keys."""

import json
from pathlib import Path

import pyarrow as pa

from confide import Hierarchy, KAnonymity, OutputPrivacy, Schema
from confide.collect.jobs.record_files import read_fields
from confide.core.artefacts.keys import read_private_key, read_public_key
from confide.core.itemsets.container import Itemsets
from confide.join.coordinator.run_record import RunRecord
from confide.join.site.split_list import SplitList
from confide.publish import Incognito
from confide.publish.tables.mapping import GlobalMapping
from confide.share import ShareTrain, train
from confide.share.domains import Domains
from confide.share.tree_files import read_tree
from confide.stream import Butterfly
from tests.join.questions.test_evaluation import simple
from tests.join.sites import small
from tests.share.jobs.test_publishing import DOMAINS, people

__all__ = ["STAGE_READERS"]

STREAM = OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5)
KEY = bytes(range(32))
_questions = {}


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
    "fields.csv": (lambda path: path.write_text("age,sex\n18,F\n40,M\n,M\n"), read_fields),
}
"""File name: (what writes a good one, what reads it)."""
