"""Check that the built site asks no other server for anything: scripts, styles, fonts and pictures are its own.

Links that a reader may click are not requests, and stay allowed.
"""

import re
import sys
from pathlib import Path

__all__ = ["requests"]

SITE = Path(__file__).resolve().parents[1] / "build" / "site"
LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|preconnect|icon|modulepreload))[^>]*\bhref=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|url\(["']?(?:https?:)?//[^)]+|@import ["'](?:https?:)?//[^"']+"""
)


def requests(folder: Path) -> list[str]:
    """One line for each place in a page or style sheet that would load something from elsewhere."""
    files = sorted(path for kind in ("html", "css") for path in folder.rglob(f"*.{kind}"))
    return [f"{path.relative_to(folder)}: {found[0]}" for path in files for found in LOADS.finditer(path.read_text())]


if __name__ == "__main__":
    found = requests(SITE)
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(f"{len(found)} requests to other servers" if found else 0)
