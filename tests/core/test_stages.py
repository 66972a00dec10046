"""Every stage is one entry, and the rest of the house reads it: whatever an entry names exists."""

import ast
import inspect
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from confide.cli.kernels.groups import all_groups
from confide.cli.root import COMMANDS
from confide.core.errors import VerificationError
from confide.core.jobs.table_promise import TablePromise
from confide.core.requirements import Requirement
from confide.core.requirements.tables import TableRequirement
from confide.core.stages import STAGES, TABLE_KINDS, named, stage_named
from confide.publish.jobs.loss_names import LOSSES, NAME_COSTS

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "confide"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EVERY = pytest.mark.parametrize("stage", STAGES.values(), ids=lambda stage: stage.name)


@EVERY
def test_everything_an_entry_names_exists(stage):
    functions = [*stage.verifiers.values(), *stage.kernels, *stage.demos]
    for path in functions:
        assert callable(named(path))
    if stage.command is not None:
        assert COMMANDS[stage.command.word] == ("", stage.command.help)
        assert stage.jobs
    assert (ROOT / "docs" / stage.docs).exists()
    if stage.extra is not None:
        extras = PROJECT["project"]["optional-dependencies"]
        assert stage.extra in extras
        assert stage.extra in re.search(r"confide\[(.*)\]", " ".join(extras["dev"])).group(1).split(",")


@EVERY
def test_a_stage_that_promises_says_what_it_releases_and_what_nobody_can_check(stage):
    assert bool(stage.verifiers) == bool(stage.artefacts) == bool(stage.not_provable)


def test_one_kind_of_requirement_has_one_verifier():
    found = {}
    for stage in STAGES.values():
        for kind, path in stage.verifiers.items():
            only_trees = "table" not in stage.artefacts  # what a tree or rules must show, a table has not
            assert found.setdefault((kind, only_trees), path) == path
    kinds = set(Requirement.kinds())
    assert {kind for kind, _ in found} <= kinds


def test_verifiers_belong_to_the_auditor():
    for stage in STAGES.values():
        for path in stage.verifiers.values():
            assert inspect.getmodule(named(path)).__name__.startswith("confide.audit.")


def test_every_package_that_an_entry_names_is_a_floor_of_the_house():
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    floors = {name.strip() for layer in layers for name in layer.split("|")}
    assert {stage.package.removeprefix("confide.") for stage in STAGES.values() if stage.package} <= floors


def test_what_belongs_to_no_stage_is_refused():
    with pytest.raises(VerificationError, match="stages are: mine, collect"):
        stage_named("search x")
    with pytest.raises(VerificationError, match="makes no promise of the kind"):
        STAGES["collect"].verifier("coherence")
    with pytest.raises(VerificationError, match="never releases a table"):
        STAGES["publish transactions"].check_artefact("table")


def test_kernels_are_compiled_once_each():
    assert len(set(all_groups())) == len(all_groups())


def test_a_requirement_of_tables_is_one_entry():
    """Every kind of requirement of tables has its entry, and all that the entry names is there."""
    kinds = {kind: cls for kind, cls in Requirement.kinds().items() if issubclass(cls, TableRequirement)}
    assert {*TABLE_KINDS, "all-of"} == set(kinds)
    for kind, entry in TABLE_KINDS.items():
        assert named(entry.at) is kinds[kind]
        assert named(entry.verifier).__name__ == STAGES["publish table"].verifiers[kind].partition(":")[2]
        if kind != "others-known":  # which is judged part by part
            assert callable(named(entry.judge))
        for setting in (*entry.numbers, *entry.switches):
            assert setting in {field.name for field in fields(kinds[kind])}
            assert setting in {field.name for field in fields(TablePromise)}


def test_a_requirement_of_tables_is_written_in_few_files():
    """What a new one would touch: its class, entry, judge, rule, two lists of public names; and its option."""
    written = {}
    for kind in ("beta-likeness", "delta-disclosure"):
        words = {
            kind,
            TABLE_KINDS[kind].name,
            f"judge_{TABLE_KINDS[kind].judged}",
            f"verify_{TABLE_KINDS[kind].judged}",
        }
        written[kind] = sorted(path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py") if _names(path, words))
    frozen = "core/requirements/version_2.py"  # passports written before; a new one has no place there
    assert len(set(written["delta-disclosure"]) - {frozen}) <= 6, written
    assert len(set(written["beta-likeness"]) - {frozen}) <= 7, written  # and what a table keeps without a passport


def test_the_names_of_losses_are_written_once():
    """What a table or a broader name may cost: `publish.jobs.loss_names` alone lists them; a method names its own."""
    for names in (LOSSES, NAME_COSTS):
        lists = [path.name for path in SRC.rglob("*.py") if _lists_all(path, set(names))]
        assert lists == ["loss_names.py"]


def _lists_all(path, names):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    written = (node for node in ast.walk(tree) if isinstance(node, ast.Tuple | ast.List | ast.Set))
    return any(names == {getattr(part, "value", None) for part in node.elts} for node in written)


def _names(path, words):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Attribute(attr=name):
                found = name
            case ast.alias(name=name) | ast.Constant(value=str(name)):
                found = name
            case _:
                continue
        if found in words:
            return True
    return False
