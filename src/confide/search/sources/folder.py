"""Folders of text, Markdown, HTML and PDF files, with all folders in them; hidden ones and links are left alone."""

import os
from collections.abc import Iterator
from pathlib import Path

from confide.core.errors import ConfideError, InputError, MissingExtraError
from confide.search.profile.documents import Document
from confide.search.sources.files import ENDINGS, file_text
from confide.search.sources.skipping import Skipped, ignore

__all__ = ["read_folder"]


def read_folder(folder: str | os.PathLike[str], *, skipped: Skipped = ignore) -> Iterator[Document]:
    """Every readable file as a document, named by its path; a broken one is passed over with a line."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError("no such folder", source=root)
    files = list(_files(root, skipped))
    if not files:
        endings = ", ".join(sorted(ENDINGS))
        raise InputError(f"holds no file to read; those read end in {endings}", source=root)
    for path in files:
        try:
            yield Document(text=file_text(path), name=str(path), source="documents")
        except MissingExtraError:
            raise
        except (ConfideError, OSError) as error:
            reason = str(error) if isinstance(error, ConfideError) else f"{path}: {error.strerror}"
            skipped(f"skipped {reason}")


def _files(root: Path, skipped: Skipped) -> Iterator[Path]:
    def trouble(error: OSError) -> None:
        skipped(f"skipped {error.filename}: {error.strerror}")

    for place, folders, names in os.walk(root, onerror=trouble):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place) / name
            if path.suffix.lower() in ENDINGS and not name.startswith(".") and not path.is_symlink():
                yield path
