"""`confide run` makes the release of every stage again from its saved request, byte for byte."""

import json

import pytest
from tests.commands import confide

from confide.core.jobs.catalogue import jobs_of
from confide.core.stages import STAGES

PREPARED = {
    "baskets.csv": "sample baskets -o baskets.csv --records 300",
    "people.csv": "sample people -o people.csv --rows 300",
    "notes": "sample documents notes",
    "chain": "sample chain chain --rows 60",
    "domains.toml": "share domains people.csv --class diagnosis -o domains.toml",
    "tree.json": "share train people.csv --domains domains.toml --k 5 -o tree.json",
    "scheme.json": "collect plan --sample people.csv --columns sex,diagnosis -o scheme.json",
    "noisy.csv": "collect perturb people.csv --columns sex,diagnosis --scheme scheme.json --seed 7 -o noisy.csv",
    "me.profile": "search profile build --documents notes -o me.profile",
}
"""What the requests need, in the order in which it is made."""

RELEASES = {
    "mine itemsets baskets.csv --min-support 5%": "a.parquet",
    "mine rules baskets.csv --min-support 5% --min-confidence 0.5": "a.csv",
    "collect perturb people.csv --columns sex,diagnosis --scheme scheme.json --seed 7": "a.csv",
    "collect mine noisy.csv --scheme scheme.json --min-support 5%": "a.csv",
    "publish transactions baskets.csv --k 3 --p 2 --private-prefix s: --h 0.8 --keep-order": "a.dat",
    "publish table people.csv --schema people.schema.toml --k 4 --keep-order": "a.parquet",
    "share train people.csv --domains domains.toml --k 5": "a.json",
    "share generate tree.json --rows 50 --seed 3": "a.csv",
    "join tree --source T1=chain/T1.csv --source T2=chain/T2.csv --join T1.j1=T2.j1 --target T1.class": "a.json",
    "stream release baskets.csv --min-support 20 --window 100 --every 50 --seed 3": "a.jsonl",
    "search profile expose me.profile --min-detail 2%": "a.json",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    for words in PREPARED.values():
        done = confide(*words.split(), cwd=folder)
        assert done.returncode == 0, f"{words}: {done.stderr}"
    return folder


def test_every_stage_has_a_release_that_is_repeated():
    words = {" ".join(line.split()[:2]) for line in RELEASES}
    jobs = {stage.name: {job.name for module in stage.jobs for job in jobs_of(module)} for stage in STAGES.values()}
    releasing = {stage.name for stage in STAGES.values() if stage.artefacts and jobs[stage.name]}
    assert releasing
    assert {stage for stage in releasing if any(name.startswith(tuple(words)) for name in jobs[stage])} == releasing


@pytest.mark.parametrize("words", RELEASES)
def test_a_release_is_repeated_byte_for_byte(desk, tmp_path, words):
    first, again, request = tmp_path / RELEASES[words], tmp_path / f"again-{RELEASES[words]}", tmp_path / "r.toml"
    done = confide(*words.split(), "-o", first, "--save-request", request, cwd=desk)
    assert done.returncode == 0, done.stderr
    done = confide("run", request, "-o", again, cwd="/")
    assert done.returncode == 0, done.stderr
    assert again.read_bytes() == first.read_bytes()
    beside = [path.with_name(f"{path.name}.passport.json") for path in (first, again)]
    assert beside[0].exists() == beside[1].exists()
    if beside[0].exists():
        digests = {json.loads(path.read_text())["artefact"]["sha256"] for path in beside}
        assert len(digests) == 1


def test_a_secure_tree_is_repeated_but_for_the_names_and_orders_that_hide(desk, tmp_path):
    """The run's name and the order of a hidden split's sides come from the system each time: no seed may fix them."""
    trees = []
    first, request = tmp_path / "a.json", tmp_path / "r.toml"
    done = confide("join", "simulate", "chain/join.toml", "-o", first, "--save-request", request, cwd=desk)
    assert done.returncode == 0, done.stderr
    assert confide("run", request, "-o", tmp_path / "again.json", cwd="/").returncode == 0
    for path in (first, tmp_path / "again.json"):
        tree = json.loads(path.read_text())
        del tree["run"]
        nodes = tree.pop("nodes")
        trees.append((tree, _unordered(nodes, 0)))
    assert trees[0] == trees[1]


def _unordered(nodes, place):
    """A node and what stands below it, whatever the order of the sides."""
    node = nodes[place]
    below = sorted(repr(_unordered(nodes, child)) for child in node["children"])
    return node["site"], node["counts"], node["label"], below
