import pytest

from confide.core.errors import ConfideError
from confide.studio.tables.utf8_copies import ENCODINGS, write_as_utf8

TEXT = "town;age\nZürich;31\n" * 100_000  # more than one block


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "cp1251"])
def test_a_copy_says_the_same_in_utf8(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes(TEXT.encode(encoding))
    write_as_utf8(tmp_path / "t.csv", tmp_path / "u.csv", encoding)
    assert (tmp_path / "u.csv").read_bytes().decode() == TEXT
    assert (tmp_path / "t.csv").read_bytes() == TEXT.encode(encoding), "the file itself stays"


@pytest.mark.parametrize(
    ("data", "encoding", "line"),
    [
        (b"a\x81b", "cp1252", "is not Western Europe"),
        (b"\xff\xfea", "utf-16", "is not Unicode"),
        (b"", "rot13", "no encoding"),
    ],
)
def test_bytes_that_are_not_in_that_encoding_are_one_line_and_leave_nothing(tmp_path, data, encoding, line):
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(ConfideError, match=line):
        write_as_utf8(tmp_path / "t.csv", tmp_path / "u.csv", encoding)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
