"""Programs of the operating system that tests start."""

import shutil

__all__ = ["system_tool"]


def system_tool(name: str) -> str | None:
    """Where a program is, or None. Some live in folders for administrators, which a PATH may lack even for root."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
