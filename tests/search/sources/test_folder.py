"""Folders of files: each kind is read, a broken one is passed over with a line."""

import io

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from confide.core.errors import InputError
from confide.search import Profile
from confide.search.sources.folder import read_folder


def pdf(text: str, *, password: str | None = None) -> bytes:
    """A PDF of one page that says `text`."""
    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    if password is not None:
        writer.encrypt(password)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def lay_out(folder):
    (folder / "inner" / ".git").mkdir(parents=True)
    (folder / "a.txt").write_bytes("gravel bikes für alle".encode("latin-1"))
    (folder / "b.md").write_text("# Tea\n\n[pots](https://shop.example/secretword)\n\n```\ncodeword\n```\n")
    (folder / "inner" / "c.html").write_text("<title>Oven</title><script>evilword()</script><p>sourdough<p>crust")
    (folder / "inner" / "d.pdf").write_bytes(pdf("marmalade and pickles"))
    (folder / "inner" / ".git" / "e.txt").write_text("hidden")
    (folder / "f.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "g.txt").write_text("wide text", encoding="utf-16")
    return folder


def test_each_kind_of_file_is_read(tmp_path):
    found = {document.name.rpartition("/")[2]: document.text for document in read_folder(lay_out(tmp_path))}
    assert set(found) == {"a.txt", "b.md", "c.html", "d.pdf", "g.txt"}
    assert found["a.txt"] == "gravel bikes für alle"
    assert found["c.html"] == "Oven\nsourdough\ncrust"
    assert "marmalade and pickles" in found["d.pdf"]
    assert found["g.txt"] == "wide text"
    assert "pots" in found["b.md"]
    assert not any(word in found["b.md"] for word in ("codeword", "secretword"))


def test_broken_files_are_passed_over_with_a_line_each(tmp_path):
    lay_out(tmp_path)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing follows")
    (tmp_path / "locked.pdf").write_bytes(pdf("secret", password="x"))
    (tmp_path / "binary.txt").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    lines = []
    found = list(read_folder(tmp_path, skipped=lines.append))
    assert len(found) == 5
    assert len(lines) == 3
    for line, name, why in zip(
        lines, ("binary.txt", "broken.pdf", "locked.pdf"), ("not text", "not a PDF", "password"), strict=True
    ):
        assert name in line
        assert why in line
        assert "\n" not in line


def test_a_folder_with_nothing_to_read_gets_one_line(tmp_path):
    with pytest.raises(InputError, match="holds no file to read"):
        list(read_folder(tmp_path))
    with pytest.raises(InputError, match="no such folder"):
        list(read_folder(tmp_path / "none"))
    (tmp_path / "one.txt").write_text("one document on tea")
    with pytest.raises(InputError, match="minsup=5 is more than the 1 documents"):
        Profile.build(tmp_path)


def test_a_profile_is_built_from_a_folder_by_its_path(tmp_path):
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text("cycling and derailleurs")
    profile = Profile.build(tmp_path, minsup=3)
    assert profile.n_documents == 6
    assert str(tmp_path / "0.txt") in profile.collection.names
