"""What the commands do, called as a notebook would: the same tree, the same files, and notes."""

import pyarrow as pa
import pytest
from tests.join.sites import on_free_ports, shape, without_types

from confide.core.errors import InputError, UsageError
from confide.core.samples.chain import chain_tables
from confide.core.tables.frames import write_table
from confide.join import JoinGraph, JoinTree, evaluate, simulate, train
from confide.join.configuration.config_files import JoinConfig, SiteConfig
from confide.join.jobs.owners import check_site, own_ledger, own_part
from confide.join.jobs.predicted_classes import predict_table
from confide.join.jobs.training import check_run

FINISHED = "this run was finished already; no site was asked, and its tree is returned again"


def test_training_over_the_network_gives_the_tree_and_notes_of_the_simulation(trial):
    config = on_free_ports(trial)
    sites = [trial / "T1.toml", trial / "T2.toml"]
    assert check_run(config) == ("registry: 2 sites, target T1; nobody was asked",)
    trained, simulated = train(config, with_sites=sites), simulate(JoinConfig.read(config))
    assert shape(trained.tree) == shape(simulated.tree)
    assert trained.notes == simulated.notes
    split = sum(trained.summary()["splits"].values())
    assert "T2 could tell the class of 15 of 15 people by join value for certain (allowed: 100%)" in trained.notes[1]
    assert trained.notes[2] == f"{len(trained.tree.nodes)} nodes, {split} of them split; depth {trained.tree.depth}"
    assert trained.summary()["joined_rows"] == trained.release.loss["joined_records"]
    assert trained.release.verification.ok
    assert {row["who"] for row in trained.who_learned_what()} == {"T1", "T2", "registry"}

    with pytest.raises(UsageError, match="has no held-out records"):
        evaluate(config, trained.tree, with_sites=sites)
    held = JoinGraph(**chain_tables(2, rows=60, seed=2)._asdict())
    for name, file in zip(("T1", "T2"), sites, strict=True):
        write_table(held.tables[name], trial / f"{name}-held-out.csv")
        file.write_text(file.read_text() + f'\n[held_out]\nfile = "{name}-held-out.csv"\n')
    assert "60 held-out records to try trees on" in check_site(SiteConfig.read(sites[0]))
    tried = evaluate(config, trained.tree, with_sites=sites)
    grown = JoinTree(max_depth=4).fit(JoinGraph(**chain_tables(2, rows=60)._asdict()))
    truth, classed = held.tables["T1"]["class"].to_pylist(), grown.predict(held).tolist()
    counts = [truth.count(label) for label in set(truth)]
    assert tried.summary()["commonest_class"] == tried.commonest
    assert max(counts) / len(truth) - 0.1 < tried.commonest < 1
    joins = grown.votes(held).any(axis=1).tolist()
    right = [a == b for a, b, there in zip(truth, classed, joins, strict=True) if there]
    assert (tried.records.sum(), tried.accuracy) == (len(right), sum(right) / len(right))
    assert {line.kind for line in tried.ledger if line.receiver == "registry"} >= {"confusion-counts", "class-totals"}

    again = train(config, resume=True)
    assert again.tree == trained.tree
    assert again.notes == (FINISHED, *trained.notes)

    predicted = predict_table(config, trained.tree, pa.table({"T1": [0, 1], "T2": [0, 1]}), with_sites=sites)
    assert set(predicted.labels) <= set(trained.tree.classes)
    assert predicted.notes[0] == "2 records classified; only ids and branches crossed between sites"
    assert "ids for T1 were taken as row numbers, from 0, of the table as it is served now" in predicted.notes[1]
    assert predicted.by == {"T1": "row"}
    with pytest.raises(InputError, match=r"no ids for T1: .*\(T1\); columns are: person"):
        predict_table(config, trained.tree, pa.table({"person": [0]}), with_sites=sites)
    table = predicted.to_arrow()
    assert table.column_names == ["T1", "T2", "class", "sure"]
    assert table["class"].to_pylist() == predicted.labels
    assert all(0 < sure <= 1 for sure in predicted.sure)
    strange = pa.table({"T1": [0, 9999, 1], "T2": [0, 0, 1]})
    with pytest.raises(InputError, match="outside the table of"):
        predict_table(config, trained.tree, strange, with_sites=sites)
    skipped = predict_table(config, trained.tree, strange, skip_unknown=True, with_sites=sites)
    assert [label is None for label in skipped.labels] == [False, True, False]
    assert [skipped.labels[0], skipped.labels[2]] == predicted.labels
    assert skipped.notes[1] == "left without a class, since a site has no such id: 1 record"

    owner = SiteConfig.read(trial / "T1.toml")
    assert len(own_part(owner)) == trained.summary()["splits"]["T1"]
    assert any('"class-summary"' in line for line in own_ledger(owner))


def shapes(tree):
    return sorted((node.site or "", tuple(node.counts), node.label, len(node.children)) for node in tree.nodes)


def test_numbers_of_a_csv_file_are_numbers_without_being_declared(trial):
    declared = simulate(trial / "join.toml").tree
    sites = [without_types(trial, place) for place in ("T1", "T2")]
    assert check_site(sites[1])[:2] == ("T2: 60 records, 11 columns to split on", "joins T1 on j1 (string)")
    assert check_site(sites[1])[2] == "split at a threshold, as numbers: x1, x2, x3, x4, x5"
    # The join column is text now, so the tree may differ where it splits on that; without it, it is the same tree.
    text = (trial / "T2.toml").read_text()
    for place in ("T1", "T2"):
        path = trial / f"{place}.toml"
        path.write_text(path.read_text().replace("[policy]\n", '[policy]\nforbid = ["j1"]\n'))
    inferred = simulate(trial / "join.toml").tree
    for place in ("T1", "T2"):
        path = trial / f"{place}.toml"
        numbers = ", ".join(f'x{i} = "integer"' for i in range(1, 6))
        path.write_text(path.read_text().replace("[table]\n", f"[table]\ntypes = {{ {numbers} }}\n"))
    again = simulate(trial / "join.toml").tree  # children are numbered at random, so the nodes come in another order
    assert shapes(again) == shapes(inferred)
    assert max(len(node.children) for node in inferred.nodes) <= max(len(node.children) for node in declared.nodes)
    (trial / "T2.toml").write_text(text.replace("[table]\n", '[table]\ntypes = { x1 = "text" }\n'))
    assert "x1 (" in check_site(SiteConfig.read(trial / "T2.toml"))[3], "types say otherwise"
