"""Files that a test writes thousands of times."""

from pathlib import Path

__all__ = ["write_anew"]


def write_anew(path: Path, data: bytes) -> None:
    """Put `data` in place of what stands at `path`.

    The old file is removed first: ext4 waits for the disk (2 ms) when a file is cut to nothing and written again.
    """
    path.unlink(missing_ok=True)
    path.write_bytes(data)
