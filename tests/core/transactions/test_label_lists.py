"""Labels from files and by prefix: order of the data, line numbers in faults, nothing misspelt stays public."""

import pytest

from confide.core.errors import InputError, UsageError
from confide.core.transactions.label_lists import private_labels, read_labels

LABELS = ("bread", "s:insulin", "tea", "s:iodine")


def test_labels_are_read_one_per_line_without_blanks(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_bytes(b"\xef\xbb\xbfbread\r\n\n  green tea \n")
    assert read_labels(path) == ["bread", "green tea"]


def test_lists_files_and_prefixes_add_up_in_the_order_of_the_data(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("tea\n")
    assert private_labels(LABELS, prefixes=["s:"]) == ["s:insulin", "s:iodine"]
    assert private_labels(LABELS, file=path, prefixes=["s:io", "zz"]) == ["tea", "s:iodine"]
    assert private_labels(LABELS, listed=["s:iodine", "bread"], file=path) == ["bread", "tea", "s:iodine"]
    assert private_labels(LABELS) == []
    assert private_labels(LABELS, prefixes=[""]) == list(LABELS)


def test_a_misspelt_label_is_refused_with_its_line(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("tea\n\ncheese-cake\n")
    with pytest.raises(InputError, match="line 3: private item 'cheese-cake' never occurs"):
        private_labels(LABELS, file=path)
    with pytest.raises(UsageError, match="'cheese-cake' never occurs"):
        private_labels(LABELS, listed=["cheese-cake"])


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("thé\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_labels(path)


def test_one_text_is_not_taken_for_a_list_of_letters():
    with pytest.raises(UsageError, match="prefixes takes a list"):
        private_labels(LABELS, prefixes="s:")
    with pytest.raises(UsageError, match="listed takes a list"):
        private_labels(LABELS, listed="tea")


def test_prefixes_that_leave_nothing_private_are_refused(tmp_path):
    with pytest.raises(UsageError, match="no item starts with 'zz', so nothing would be private"):
        private_labels(LABELS, prefixes=["zz", "yy"])
