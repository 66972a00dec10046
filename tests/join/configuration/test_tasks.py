"""What the commands do, called as a notebook would: the same tree, the same files, and notes."""

import socket

import pyarrow as pa
import pytest
from tests.join.sites import shape

from confide.core.errors import UsageError
from confide.core.tables.frames import read_table
from confide.join import simulate, train
from confide.join.configuration.files import JoinConfig, SiteConfig
from confide.join.configuration.tasks import check_run, check_site, own_ledger, own_part, predict_table

FINISHED = "this run was finished already; no site was asked, and its tree is returned again"


def on_free_ports(folder):
    """The trial's join.toml, its sites on ports of this machine that are free."""
    for place in ("T1", "T2"):
        with socket.create_server(("127.0.0.1", 0)) as found:
            port = found.getsockname()[1]
        old = SiteConfig.read(folder / f"{place}.toml").listen
        for file in folder.glob("*.toml"):
            file.write_text(file.read_text().replace(old, f"127.0.0.1:{port}"))
    return folder / "join.toml"


def test_training_over_the_network_gives_the_tree_and_notes_of_the_simulation(trial):
    config = on_free_ports(trial)
    sites = [trial / "T1.toml", trial / "T2.toml"]
    assert check_run(config) == ("registry: 2 sites, target T1; nobody was asked",)
    trained, simulated = train(config, with_sites=sites), simulate(JoinConfig.read(config))
    assert shape(trained.tree) == shape(simulated.tree)
    assert trained.notes == simulated.notes
    split = sum(trained.summary()["splits"].values())
    assert trained.notes[1] == f"{len(trained.tree.nodes)} nodes, {split} of them split; depth {trained.tree.depth}"
    assert trained.summary()["joined_rows"] == trained.release.loss["joined_records"]
    assert trained.release.verification.ok
    assert {row["who"] for row in trained.who_learned_what()} == {"T1", "T2", "registry"}

    again = train(config, resume=True)
    assert again.tree == trained.tree
    assert again.notes == (FINISHED, *trained.notes)

    predicted = predict_table(config, trained.tree, pa.table({"T1": [0, 1], "T2": [0, 1]}), with_sites=sites)
    assert set(predicted.labels) <= set(trained.tree.classes)
    assert predicted.notes == ("2 records classified; only ids and branches crossed between sites",)

    owner = SiteConfig.read(trial / "T1.toml")
    assert len(own_part(owner)) == trained.summary()["splits"]["T1"]
    assert any('"class-summary"' in line for line in own_ledger(owner))


def test_a_site_says_what_it_would_serve_and_that_nothing_happened_yet(trial):
    config = SiteConfig.read(trial / "T1.toml")
    columns = len(read_table(trial / "T1.csv").column_names) - 1
    assert check_site(config) == (f"T1: 60 records, {columns} columns to split on",)
    with pytest.raises(UsageError, match="this site has not taken part in a run yet"):
        list(own_ledger(config))
