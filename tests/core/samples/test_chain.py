"""The chain-join tables, against the description in section 3.4.1 of the thesis."""

import hashlib
from collections import Counter

import pytest

from confide.core.errors import RequirementError
from confide.core.samples import chain_tables


def joined(chain):
    """All combinations of records that the joins allow, by nested loops."""
    names = list(chain.tables)
    found = [{f"T1.{column}": value for column, value in row.items()} for row in chain.tables["T1"].to_pylist()]
    for name, (left, right) in zip(names[1:], chain.joins, strict=True):
        rows = chain.tables[name].to_pylist()
        key = right.partition(".")[2]
        found = [
            one | {f"{name}.{column}": value for column, value in row.items()}
            for one in found
            for row in rows
            if one[left] == row[key]
        ]
    return found


def test_the_tables_are_the_same_on_every_machine():
    chain = chain_tables(3, rows=100, seed=7)
    lines = "".join(f"{name};{row}\n" for name, table in chain.tables.items() for row in table.to_pylist())
    assert (
        hashlib.sha256(lines.encode()).hexdigest() == "46538eb536172dd0971965aa5c069e2402df83fc543c4bb9fdf8b3d3663c786e"
    )


def test_same_seed_same_tables_and_another_seed_others():
    assert chain_tables(2, seed=3) == chain_tables(2, seed=3)
    assert chain_tables(2, seed=3) != chain_tables(2, seed=4)


def test_the_shape_is_the_one_a_join_graph_takes():
    chain = chain_tables(3, rows=50, attributes=2)
    assert list(chain._asdict()) == ["tables", "joins", "target"]
    assert chain.target == "T1.class"
    assert chain.joins == [("T1.j1", "T2.j1"), ("T2.j2", "T3.j2")]
    assert [table.column_names for table in chain.tables.values()] == [
        ["j1", "x1", "x2", "c1", "c2", "class"],
        ["j1", "j2", "x1", "x2", "c1", "c2"],
        ["j2", "x1", "x2", "c1", "c2"],
    ]


def test_all_tables_hold_n_records_and_groups_of_one_size_everywhere():
    chain = chain_tables(3, rows=1000)
    assert {table.num_rows for table in chain.tables.values()} == {1000}
    groups = [Counter(table.column(0).to_pylist()) for table in chain.tables.values()]
    assert groups[0] == groups[1] == groups[2]
    assert max(groups[0]) < 250
    assert chain.tables["T2"]["j1"].equals(chain.tables["T2"]["j2"])


def test_group_sizes_vary_as_poisson_numbers_do():
    # Mean 4 and variance 4 over 2500 groups: the variance is within 0.5 but once in 10,000 seeds.
    sizes = Counter(chain_tables(2, rows=10_000).tables["T1"]["j1"].to_pylist())
    counts = [sizes[group] for group in range(2500)]
    assert sum(counts) == 10_000
    assert abs(sum((count - 4) ** 2 for count in counts) / 2500 - 4) < 0.5


def test_the_join_has_as_many_records_as_the_groups_say():
    chain = chain_tables(3, rows=200)
    sizes = Counter(chain.tables["T1"]["j1"].to_pylist())
    assert len(joined(chain)) == sum(size**3 for size in sizes.values())


@pytest.mark.parametrize(("k", "attributes"), [(2, 5), (3, 2), (3, 3)])
def test_the_class_says_whether_half_of_the_numbers_are_in_the_top_half(k, attributes):
    rows = joined(chain_tables(k, rows=200, attributes=attributes))
    for row in rows:
        numbers = [value for column, value in row.items() if ".x" in column]
        assert len(numbers) == k * attributes
        assert min(numbers) >= 1
        assert max(numbers) <= 200
        assert row["T1.class"] == ("Yes" if 2 * sum(n > 100 for n in numbers) >= k * attributes else "No")
    assert {row["T1.class"] for row in rows} == {"Yes", "No"}


def test_categories_come_from_a_domain_of_twenty():
    assert len(set(chain_tables(2).tables["T2"]["c1"].to_pylist())) == 20


@pytest.mark.parametrize("options", [{"k": 1}, {"rows": 1}, {"attributes": 0}, {"group_size": 0}, {"group_size": 9999}])
def test_shapes_that_make_no_sense_are_refused(options):
    with pytest.raises(RequirementError, match=next(iter(options))):
        chain_tables(**options)
