"""The Parquet files of a data set: one file, or all files of a folder, in the order of their names.

Names that begin with a dot or an underscore are passed over, as Spark and others do; so are our own manifests. Anything
else that is not a Parquet file is refused: somebody might believe that it is read. Only the ends of the files are read
here, which say how many rows there are, and which columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MANIFEST", "FilePart", "Parts", "unreadable"]

MANIFEST = "manifest.json"
"""The list of parts in a released folder."""

_BYTES_A_VALUE = 32
_BYTES_A_ROW = 32


@dataclass(frozen=True)
class FilePart:
    """One file: the rows of each of its row groups, its size in bytes, and how many values stand in it."""

    path: Path
    groups: tuple[int, ...]
    size: int
    values: int

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(self.groups)

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return self.path.name


@dataclass(frozen=True)
class Parts:
    """All files of a data set, which have the same columns.

    With `digests`, the sha256 of each by name, a file is read only if its bytes have that.
    """

    source: Path
    files: tuple[FilePart, ...]
    schema: "pa.Schema"
    digests: Mapping[str, str] | None = None

    @classmethod
    def find(cls, path: Path) -> "Parts":
        """The files at `path`, or an InputError in one line: nothing there, no file, one cut off, other columns."""
        files: list[FilePart] = []
        schema: pa.Schema | None = None
        for file in _files(path):
            part, columns = _looked_at(file)
            if schema is None:
                schema = columns
            elif _named(columns) != _named(schema):
                raise InputError(
                    f"has other columns than {files[0].name}: {_schema_text(columns)} instead of "
                    f"{_schema_text(schema)}; all files of a folder must have the same",
                    source=file,
                )
            files.append(part)
        assert schema is not None
        return cls(path, tuple(files), schema)

    def pinned(self, digests: Mapping[str, str]) -> "Parts":
        """The same files, compared with these hashes whenever they are read."""
        return replace(self, digests=digests)

    def moved(self, folder: Path) -> "Parts":
        """The same files in a folder that got another name."""
        files = tuple(replace(part, path=folder / part.name) for part in self.files)
        return replace(self, source=folder, files=files)

    def opened(self, number: int) -> "Path | pa.BufferReader":
        """What Arrow reads a file from."""
        path = self.files[number].path
        if self.digests is None:
            return path
        import pyarrow as pa

        from confide.core.datasets.manifest import pinned_bytes
        from confide.core.tables.formats.parquet import arrow_owned

        return pa.BufferReader(arrow_owned(pinned_bytes(path, self.digests)))

    @property
    def rows(self) -> int:
        """How many rows all files have."""
        return sum(part.rows for part in self.files)

    @property
    def memory(self) -> int:
        """Bytes that working on all of it in memory takes at most, roughly: values are coded, copied and sorted."""
        return sum(_BYTES_A_VALUE * part.values + _BYTES_A_ROW * part.rows for part in self.files)

    @property
    def shards(self) -> tuple[tuple[int, int], ...]:
        """(number of the file, number of its row group) of all that have rows."""
        return tuple(
            (file, group)
            for file, part in enumerate(self.files)
            for group, rows in enumerate(part.groups)
            if rows  # an empty one has nothing to read
        )


def unreadable(part: Path, error: Exception) -> InputError:
    """The error for a file whose values cannot be read."""
    reason = (str(error) or type(error).__name__).splitlines()[0][:200]
    return InputError(f"is not a sound Parquet file ({reason}); write it again", source=part)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError("no such file or folder", source=path)
    found = []
    for file in sorted(path.iterdir()):
        if file.name[0] in "._" or file.name == MANIFEST:
            continue
        if file.is_dir():
            raise InputError(
                f"holds the folder {file.name!r}; give a folder whose Parquet files stand in it directly", source=path
            )
        if file.suffix.lower() != ".parquet":
            raise InputError(
                f"holds {file.name!r} beside its Parquet files; only files called .parquet are read, so move it away",
                source=path,
            )
        found.append(file)
    if not found:
        raise InputError("is a folder without any Parquet file (.parquet)", source=path)
    return found


def _looked_at(file: Path) -> "tuple[FilePart, pa.Schema]":
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        known: pq.FileMetaData = pq.read_metadata(file)
        schema = known.schema.to_arrow_schema()
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(f"cannot be read: {error.strerror or error}", source=file) from None
        raise InputError("is not a whole Parquet file; it may have been cut off: write it again", source=file) from None
    groups = [known.row_group(number) for number in range(known.num_row_groups)]
    values = sum(group.column(column).num_values for group in groups for column in range(known.num_columns))
    part = FilePart(file, tuple(group.num_rows for group in groups), file.stat().st_size, values)
    return part, schema


def _named(schema: "pa.Schema") -> list[tuple[str, str]]:
    return [(field.name, str(field.type)) for field in schema]


def _schema_text(schema: "pa.Schema") -> str:
    names = [f"{name} ({kind})" for name, kind in _named(schema)]
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
