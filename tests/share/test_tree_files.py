"""Trees from files: what is wrong, and where."""

import pytest
from tests.random_trees import random_tree

from confide import KAnonymity
from confide.core.errors import ConfideError, InputError, UsageError, VerificationError
from confide.share import anonymize_tree
from confide.share.tree_files import check_trees, read_tree, read_trees


def test_a_tree_is_read_as_it_was_written(tmp_path):
    (tmp_path / "tree.json").write_text(random_tree(1).to_json())
    assert read_tree(tmp_path / "tree.json") == random_tree(1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        (random_tree(1).to_json().replace('"values": ["a1", "a2", "a3"]', '"valus": []'), "unknown field 'valus'"),
        (random_tree(1).to_json().replace('"miss": ', '"miss": -', 1), r"nodes\[0\].miss"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path, text, said):
    (tmp_path / "tree.json").write_text(text)
    with pytest.raises(InputError, match=said) as error:
        read_tree(tmp_path / "tree.json")
    assert "tree.json" in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file_binary_and_twice_are_refused(tmp_path):
    with pytest.raises(ConfideError, match=r"none\.json"):
        read_tree(tmp_path / "none.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_tree(tmp_path / "binary.json")
    (tmp_path / "tree.json").write_text(random_tree(1).to_json())
    with pytest.raises(UsageError, match="given twice"):
        read_trees([tmp_path / "tree.json", tmp_path / "." / "tree.json"])


def test_a_tree_without_a_passport_is_named_and_one_whose_passport_fails_is_refused(tmp_path):
    tree = random_tree(1)
    (tmp_path / "bare.json").write_text(tree.to_json())
    released = anonymize_tree(tree, KAnonymity(k=2))
    released.write(tmp_path / "good.json")
    found = check_trees([tmp_path / "bare.json", tmp_path / "good.json"])
    assert found.trees == (tree, released.data)
    assert check_trees([released, tmp_path / "bare.json"]).trees == (released.data, tree)
    assert found.notes == (f"warning: {tmp_path / 'bare.json'} has no passport, so nothing is promised of it",)
    (tmp_path / "good.json").write_text(tree.to_json() + "\n")
    with pytest.raises(VerificationError, match=r"passport of .*good\.json does not hold"):
        check_trees([tmp_path / "good.json"])
