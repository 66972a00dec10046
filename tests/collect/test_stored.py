"""Records over fields that stay in their files: perturbed by the law of memory, and mined to the same numbers."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.amounts import some

from confide import StoredTable, StoredTransactions, verify
from confide.collect import Emask, GammaDiagonal, MatrixScheme, learn_tree
from confide.collect.fields.field import Bins
from confide.collect.fields.fields import Fields
from confide.collect.jobs.mine import mine
from confide.collect.jobs.perturb import perturb
from confide.collect.jobs.requests import CollectMine, CollectPerturb
from confide.collect.perturbed_release import release_perturbed
from confide.core.datasets import shuffling
from confide.core.errors import InputError, UsageError
from confide.core.jobs.outcome import Host
from confide.core.randomness import Randomness

DOMAINS = {"age": Bins((35, 55)), "sex": ["F", "M"], "smokes": ["no", "yes", "at times"]}


def flip(size, keep):
    return np.full((size, size), (1 - keep) / (size - 1)) + np.eye(size) * (keep - (1 - keep) / (size - 1))


def schemes(domains=DOMAINS, sizes=(3, 2, 3)):
    cells = math.prod(sizes)
    return [
        GammaDiagonal(domains=domains, gamma=19),
        MatrixScheme(domains=domains, matrices=[flip(size, 0.8) for size in sizes], joint=False),
        MatrixScheme(domains=domains, matrices=[flip(cells, 0.7)], joint=True),
    ]


def people(rows, seed=0):
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "age": draw.integers(18, 80, rows),
            "sex": draw.choice(["F", "M"], rows, p=[0.7, 0.3]),
            "smokes": draw.choice(["no", "yes", "at times"], rows, p=[0.6, 0.3, 0.1]),
        }
    )


def found(itemsets):
    """Itemsets with all their numbers, to the last bit."""
    columns = sorted(itemsets.columns)
    numbers = zip(*(itemsets.columns[name].tolist() for name in columns), strict=True)
    return sorted((tuple(labels), support, row) for (labels, support), row in zip(itemsets, numbers, strict=True))


@pytest.mark.parametrize("seed", some(range(50), every=2))
def test_perturbed_records_in_files_are_mined_as_in_memory(seed, tmp_path):
    draw = np.random.default_rng(seed)
    sizes = tuple(int(size) for size in draw.integers(2, 5, 1 + seed % 4))
    domains = {f"f{i}": [f"v{j}" for j in range(size)] for i, size in enumerate(sizes)}
    rows = int(draw.integers(5, 200))
    table = pa.table({name: draw.choice(values, rows) for name, values in domains.items()})
    shown = 0
    for scheme in schemes(domains, sizes):
        sent = scheme.perturb(table, randomness=Randomness.seeded(seed))
        pq.write_table(sent, tmp_path / "in.parquet", row_group_size=23)
        meant = found(scheme.mine(sent, min_support=0.05))
        shown += len(meant)
        for batch in some((1, 7, 1000), every=3, first=seed // 2):
            stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=batch)
            assert found(scheme.mine(stored, min_support=0.05)) == meant
    assert shown


def test_a_domain_too_large_for_a_count_of_every_cell(tmp_path, monkeypatch):
    from confide.collect.estimating import cell_estimates

    scheme = schemes()[1]
    sent = scheme.perturb(people(300), randomness=Randomness.seeded(1))
    pq.write_table(sent, tmp_path / "in.parquet", row_group_size=50)
    meant = found(scheme.mine(sent, min_support=0.1))
    monkeypatch.setattr(cell_estimates, "_MOST_DENSE", 3)
    monkeypatch.setattr(cell_estimates, "_MOST_WAITING", 5)
    assert found(scheme.mine(StoredTable.open(tmp_path / "in.parquet", batch_rows=11), min_support=0.1)) == meant


def test_a_tree_is_learned_from_files_too(tmp_path):
    scheme = GammaDiagonal(domains=DOMAINS, gamma=60)
    sent = scheme.perturb(people(4000), randomness=Randomness.seeded(1))
    pq.write_table(sent, tmp_path / "in.parquet")
    trees = [learn_tree(scheme, data, class_field="sex") for data in (sent, tmp_path / "in.parquet")]
    assert trees[0].to_json() == trees[1].to_json()
    stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=100)
    assert learn_tree(scheme, stored, class_field="sex").to_json() == trees[0].to_json()


@pytest.mark.parametrize("which", range(3))
def test_what_is_sent_follows_the_scheme(which, tmp_path):
    """Every cell is sent as often as its law says: chi-square, in one of 10^6 runs by chance beyond the bound."""
    scheme, n = schemes()[which], 40_000
    table = pa.table({"age": [40] * n, "sex": ["M"] * n, "smokes": ["no"] * n})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=9000)
    stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=500)
    release = release_perturbed(scheme, stored, into=tmp_path / "out")
    fields = scheme.fields
    cells = np.bincount(fields.join(fields.encode(release.data.to_table(), perturbed=True)), minlength=fields.cells)
    truth = int(fields.join(fields.encode(table.slice(0, 1)))[0])
    law = scheme.matrix()[:, truth]
    score = float(((cells - n * law) ** 2 / (n * law)).sum())
    free = fields.cells - 1
    # Wilson and Hilferty's normal form of chi-square; 4.75 standard deviations are one in a million
    assert ((score / free) ** (1 / 3) - (1 - 2 / (9 * free))) / math.sqrt(2 / (9 * free)) < 4.75


def test_two_batches_do_not_draw_the_same(tmp_path):
    """Equal batches, perturbed in several threads or one after the other, come out different."""
    scheme, n = schemes()[0], 64
    table = pa.table({"age": [40] * n, "sex": ["M"] * n, "smokes": ["no"] * n})
    pq.write_table(pa.concat_tables([table] * 4), tmp_path / "in.parquet", row_group_size=n)
    stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=n)
    release = release_perturbed(scheme, stored, into=tmp_path / "out", keep_order=True)
    rows = [tuple(row.values()) for row in release.data.to_table().to_pylist()]
    assert len({tuple(rows[start : start + n]) for start in range(0, 4 * n, n)}) == 4


@pytest.mark.parametrize("which", range(4))
def test_a_release_in_parts_verifies(which, tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "PART_RECORDS", 150)
    scheme = [*schemes(), Emask(p=0.9, q=0.9, fields=Fields.of(DOMAINS))][which]
    table = people(500).append_column("name", pa.array([f"p{i}" for i in range(500)]))
    (tmp_path / "in").mkdir()
    for part in range(2):
        pq.write_table(table.slice(250 * part, 250), tmp_path / "in" / f"{part}.parquet")
    wanted = CollectPerturb(scheme=scheme, records=tmp_path / "in", columns=list(DOMAINS), engine="stream")
    done = perturb(wanted, Host(output=tmp_path / "out"))
    done.release.write(tmp_path / "out")
    assert isinstance(done.data, StoredTransactions if scheme.sends_items else StoredTable)
    assert len(done.data) == 500
    assert len(list((tmp_path / "out").glob("*.parquet"))) > 2
    answer = verify(tmp_path / "out.passport.json")
    assert answer.ok, answer.summary()
    held = release_perturbed(scheme, people(500))
    assert done.release.passport.context == held.passport.context
    assert set(done.release.loss) == set(held.loss)
    streamed = mine(CollectMine(perturbed=tmp_path / "out", scheme=scheme, min_support=0.2, engine="stream"))
    kept = mine(CollectMine(perturbed=tmp_path / "out", scheme=scheme, min_support=0.2))
    assert found(streamed.itemsets) == found(kept.itemsets) != []


def test_a_part_with_a_strange_value_fails(tmp_path):
    scheme = schemes()[0]
    pq.write_table(people(60), tmp_path / "in.parquet")
    release = release_perturbed(scheme, StoredTable.open(tmp_path / "in.parquet"), into=tmp_path / "out")
    from confide.audit.verifiers.amplification import verify_amplification

    strange = release.data.to_table().set_column(1, "sex", pa.array(["x"] * 60))
    pq.write_table(strange, tmp_path / "x.parquet", row_group_size=20)
    stored = StoredTable.open(tmp_path / "x.parquet", batch_rows=9)
    wrong = [check for check in verify_amplification(stored, release.passport) if not check.ok]
    assert [check.detail for check in wrong] == ["1 values of field 'sex' are not among its 2"]
    fewer = stored.select(["age", "sex"])
    wrong = [check.detail for check in verify_amplification(fewer, release.passport) if not check.ok]
    assert wrong == ["columns are not the scheme's 3 fields in their order"]


def test_bad_input_is_one_line(tmp_path):
    scheme = schemes()[0]

    def fault(table, kind=InputError):
        pq.write_table(table, tmp_path / "in.parquet", row_group_size=10)
        stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=4)
        with pytest.raises(kind) as told:
            release_perturbed(scheme, stored, into=tmp_path / "out")
        assert "\n" not in str(told.value)
        assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]
        return str(told.value)

    table = people(30)
    strange = ["F"] * 22 + ["robot"] + ["M"] * 7
    assert fault(table.set_column(1, "sex", pa.array(strange))).startswith("record 23: a value of field 'sex' is not")
    assert "field 'sex' is missing" in fault(table.drop_columns(["sex"]))
    assert "'name' is not a field of the scheme" in fault(table.append_column("name", pa.array(["x"] * 30)))
    with pytest.raises(InputError, match="plain number"):
        scheme.mine(StoredTable.open(tmp_path / "in.parquet").select(["age", "sex", "smokes"]), min_support=0.1)
    pq.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(UsageError, match="into="):
        release_perturbed(scheme, StoredTable.open(tmp_path / "in.parquet"))
    with pytest.raises(UsageError, match="engine memory"):
        perturb(CollectPerturb(scheme=scheme, records=tmp_path / "in.parquet", seed=1, engine="stream"))
    stored = StoredTable.open(tmp_path / "in.parquet")
    whole = (tmp_path / "in.parquet").read_bytes()
    (tmp_path / "in.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"in\.parquet"):
        release_perturbed(scheme, stored, into=tmp_path / "out")
