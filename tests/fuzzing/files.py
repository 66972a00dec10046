"""One target for each reader of files: a good file of every kind, broken, must be read or refused in one line."""

import gzip
import io
import json
import zipfile
from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

from confide import Hierarchy, Passport, Schema, Transactions
from confide.collect import (
    BasketQuestion,
    Bins,
    CutAndPaste,
    Emask,
    GammaDiagonal,
    LocalHashing,
    Mask,
    MatrixScheme,
    RandomizedResponse,
    SampledDesign,
    Scheme,
    SubsetSelection,
    UnaryEncoding,
)
from confide.collect.service.kept_draws import Kept, keep_record
from confide.collect.survey.survey_file import read_survey
from confide.core.errors import ConfideError
from confide.core.figures import Figure, Figures
from confide.core.itemsets.container import Itemsets
from confide.core.itemsets.itemset_files import read_itemsets, write_itemsets
from confide.core.requirements import KAnonymity
from confide.core.samples.chain import chain_tables
from confide.core.samples.chain_sites import chain_files
from confide.core.tables.frames import read_table, write_table
from confide.core.transactions.label_lists import read_labels
from confide.core.trees.published import PublishedTree
from confide.join.configuration.config_files import JoinConfig, SiteConfig
from confide.join.coordinator.secure_tree import SecureTree
from confide.mining import DecisionTree, SlidingWindow
from tests.fuzzing.mutations import broken_bytes, broken_json
from tests.fuzzing.search_files import SEARCH_READERS
from tests.fuzzing.stage_files import STAGE_READERS
from tests.fuzzing.stream_files import STREAM_READERS
from tests.fuzzing.survey_targets import SURVEY_READERS

__all__ = ["READERS", "file_target", "judged"]

RECORDS = [["1", "22", "333"], [], ["4", "1"], ["65536", "7"]]
FIELDS = {"age": Bins((30, 50)), "sex": ["F", "M"], "size": 4}
SCHEMES = {
    "emask": lambda: Emask(p=0.5, q=0.97, items=tuple("abcdef"), max_length=2),
    "mask": lambda: Mask(p=0.6).for_items(list("abcd")),
    "cut-and-paste": lambda: CutAndPaste(K=2, rho=0.4, items=("d", "c", "b", "a")),
    "gamma-diagonal": lambda: GammaDiagonal(domains={"age": Bins((30, 50)), "sex": ["F", "M"]}, gamma=19),
    "matrix": lambda: MatrixScheme(domains={"sex": ["F", "M"]}, matrix=[[0.75, 0.3], [0.25, 0.7]]),
    "randomized-response": lambda: RandomizedResponse(domains={"sex": ["F", "M"]}, gamma=19),
    "unary-encoding": lambda: UnaryEncoding(domains=FIELDS, gamma=19, symmetric=True),
    "local-hashing": lambda: LocalHashing(domains=FIELDS, gamma=19),
    "subset-selection": lambda: SubsetSelection(domains=FIELDS, gamma=19),
    "sampled-design": lambda: SampledDesign(domains=FIELDS, gamma=19, subsets=[["age"], ["sex", "size"]]),
    "basket-question": lambda: BasketQuestion(items=tuple("abcdef"), gamma=4.5, pad=2),
}


def _records(path, **options):
    Transactions.from_lists(RECORDS).write(path, **options)


def _itemsets(path):
    write_itemsets(Itemsets.from_pairs([(["a", "b"], 3), (["c"], 2)], n_transactions=9), path)


def _table(path):
    write_table(pa.table({"age": ["20", "21"], "place, or not": ["x", 'y"']}), path)


def _long_parquet(path):
    pq.write_table(pa.table({"id": [1, 1, 2, 3], "item": ["tea", "nuts", "tea", "milk"]}), path)


def _rich_table(path):
    """Every kind of column and page that a stranger's Parquet file may have."""
    table = pa.table(
        {
            "word": pa.array(["a", None, "b" * 50, "a"] * 8).dictionary_encode(),
            "items": pa.array([["x", "y"], [], None, ["z", None]] * 8),
            "on": pa.array([datetime(2026, 11, 15), None] * 16, pa.timestamp("ms", tz="UTC")),
            "yes": [True, None] * 16,
            "share": [0.5, float("nan"), -0.0, 1e300] * 8,
            "price": pa.array([Decimal("1.50"), None] * 16, pa.decimal128(9, 2)),
            "count": pa.array(range(32), pa.int64()),
            "raw": pa.array([b"\xff", b""] * 16, pa.binary()),
        }
    )
    packing = {"table.rich.parquet": "snappy", "table.packed.parquet": "zstd"}[path.name]
    versions = {"data_page_version": "2.0" if packing == "zstd" else "1.0"}
    encoding = {"use_dictionary": ["word"], "column_encoding": {"count": "DELTA_BINARY_PACKED"}}
    pq.write_table(table, path, row_group_size=10, compression=packing, **versions, **encoding)


def _workbook(path):
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["id", "item", "on"], [1, "tea", datetime(2026, 11, 15)], [1, "nuts", None], [2, 0.5, True]):
        book.active.append(row)
    book.save(path)


def _repacked(draw, good):
    """A workbook with one of its parts broken: what packs it would hide the part from the fuzzer."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(made, "w") as new:
        parts = [name for name in old.namelist() if name.startswith("xl/")]
        chosen = draw.choice(parts)
        for name in old.namelist():
            new.writestr(name, broken_bytes(draw, old.read(name)) if name == chosen else old.read(name))
    return made.getvalue()


def _schema(path):
    Schema.from_dict({"age": {"role": "sensitive", "hierarchy": {"build": "masks", "steps": 2}}}).write(path)


def _passport(path):
    loss = Figures(Figure("x", 0.5, "share"))
    Passport.issue(KAnonymity(k=3), stage="s", algorithm="a", loss=loss).write(path)


def _tree(path):
    table = pa.table({"a": [1.0, 2.0, 3.0, 4.0] * 5, "b": ["x", "y", "y", "z"] * 5, "c": ["n", "n", "y", "y"] * 5})
    grown = DecisionTree(min_leaf=1).fit(table.select(["a", "b"]), table["c"].to_pylist())
    path.write_text(grown.tree_.to_json())


def _secure_tree(path):
    from tests.join.sites import small

    small()[0].train().release(min_records=1, parameters={}).write(path)


def _window(path):
    window = SlidingWindow(size=4, min_support=2)
    for record in RECORDS:
        window.learn_one(record)
    window.save(path)


def _chain(path):
    path.write_text(chain_files(chain_tables(2, rows=5, seed=1))[path.name])


def _texts(path):
    words = 'introduction = "Hello"\ncontact = "a@example.org"\nlanguage = "de"\n'
    path.write_text(words + "[bounds.age]\nmin = 0\nmax = 120\n")


READERS = {
    "t.dat": (_records, Transactions.read),
    "t.csv": (_records, Transactions.read),
    "t.tsv": (_records, Transactions.read),
    "long.csv": (lambda path: _records(path, format="long"), Transactions.read),
    "one-hot.csv": (
        lambda path: path.write_text("tea,nuts,milk\n1,0,1\n0,0,1\n1,1,1\n"),
        lambda path: Transactions.read(path, format="one-hot"),
    ),
    "t.jsonl": (_records, Transactions.read),
    "t.parquet": (_records, Transactions.read),
    "t.dat.gz": (lambda path: path.write_bytes(gzip.compress(b"1 2\n3 4 5\n")), Transactions.read),
    "t.dat.zst": (_records, Transactions.read),
    "i.csv": (_itemsets, read_itemsets),
    "i.jsonl": (_itemsets, read_itemsets),
    "i.parquet": (_itemsets, read_itemsets),
    "table.csv": (_table, read_table),
    "table.tsv": (_table, read_table),
    "table.parquet": (_table, read_table),
    "table.rich.parquet": (_rich_table, read_table),
    "table.packed.parquet": (_rich_table, read_table),
    "long.parquet": (_long_parquet, Transactions.read),
    "t.xlsx": (_workbook, Transactions.read),
    "table.xlsx": (_workbook, read_table),
    "labels.txt": (lambda path: path.write_text("tea\nnuts\n# shop\ns:hiv-test\n"), read_labels),
    "h.csv": (lambda path: Hierarchy.from_rows([("1", "a", "*"), ("2", "a", "*")]).write(path), Hierarchy.read),
    "s.toml": (_schema, Schema.read),
    "p.json": (_passport, Passport.read),
    "tree.json": (_tree, lambda path: PublishedTree.from_json(path.read_text(errors="replace"))),
    "secure.json": (_secure_tree, SecureTree.read),
    "window.arrow": (_window, SlidingWindow.load),
    "T1.toml": (_chain, SiteConfig.read),
    "join.toml": (_chain, JoinConfig.read),
    "form.toml": (_texts, read_survey),
    "kept.json": (lambda path: keep_record(SCHEMES["emask"](), ["a"], path), Kept.read),
    **{
        f"{name}.scheme.json": ((lambda path, made=made: made().write(path)), Scheme.read)
        for name, made in SCHEMES.items()
    },
    **STAGE_READERS,
    **SEARCH_READERS,
    **STREAM_READERS,
    **SURVEY_READERS,
}
"""File name: (what writes a good one, what reads it)."""


def judged(call):
    """Whether a reader accepted; its refusal must be one line of ours, about the input."""
    try:
        call()
        return True
    except ConfideError as error:
        assert "\n" not in str(error), "an error of several lines"
        assert error.exit_code in (1, 2), f"exit status {error.exit_code}"
        return False


def file_target(name, folder):
    """A function from a draw to whether the broken file was read."""
    make, read = READERS[name]
    path = folder / name
    make(path)
    assert judged(lambda: read(path)), "the good file is refused"
    good = path.read_bytes()
    value = json.loads(good) if name.endswith(".json") else None

    def attempt(draw):
        if value is not None and draw.random() < 0.5:
            path.write_bytes(json.dumps(broken_json(draw, value)).encode(errors="surrogatepass"))
        elif name.endswith(".xlsx") and draw.random() < 0.8:
            path.write_bytes(_repacked(draw, good))
        else:
            path.write_bytes(broken_bytes(draw, good))
        return judged(lambda: read(path))

    return attempt
