"""The collectors that the folder's jobs started: where each listens, and how many records it holds just now.

A collector that runs from here listens on the loopback address alone, and is asked there.
"""

import json
import re
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass

from confide.studio.project.project_folder import Project
from confide.studio.project.run_files import file_asked
from confide.studio.work.job_folder import JobRecord

__all__ = ["Collector", "collectors_of"]

_ADDRESS = re.compile(r"collecting at (http://(?:127\.0\.0\.1|\[::1\]):\d+/)")
_PATIENCE = 0.5


@dataclass(frozen=True, kw_only=True)
class Collector:
    """A job that collects: its scheme and store by name, its address ("" before it listens), records held, if known."""

    job: JobRecord
    scheme: str
    store: str
    address: str
    records: int | None


def collectors_of(project: Project, jobs: Sequence[JobRecord]) -> list[Collector]:
    """The collectors among the jobs, the latest first; those that run are asked how many records they hold."""
    found = []
    for job in jobs:
        if job.job != "collect serve" or (job.hands_out and job.files.get("output")):
            continue
        scheme, store = (file_asked(project, job.folder / "run.toml", field) for field in ("scheme", "store"))
        if not (scheme and store):
            continue
        address = next((match[1] for line in job.words() if (match := _ADDRESS.search(line))), "")
        records = _count(address) if address and not job.over else None
        found.append(Collector(job=job, scheme=scheme, store=store, address=address, records=records))
    return found


def _count(address: str) -> int | None:
    """How many records a collector on this machine holds; None if it does not answer in time."""
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{address}count", timeout=_PATIENCE) as answer:
            plain = json.loads(answer.read(1000))
        return int(plain["records"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
