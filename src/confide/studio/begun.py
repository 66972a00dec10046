"""A run that a screen begins by itself: saved as a run file like any other, then started."""

from collections.abc import Mapping, Sequence

from confide.core.errors import UsageError
from confide.core.jobs.catalogue import job_named
from confide.studio.forms.field_texts import Faults, asked_by
from confide.studio.project.run_files import free_name, read_run, text_of
from confide.studio.visit import Studio

__all__ = ["begin_job"]


def begin_job(studio: Studio, name: str, texts: Mapping[str, Sequence[str]], wanted: str) -> int:
    """Save the run of job `name` that these texts ask for, start it, and return the number of its job. `wanted` is the
    name of the run file, if it is free; a text that cannot be is an error of one line."""
    job = job_named(name)
    try:
        request, delivery = asked_by(studio.project, job, texts)
        request.check_delivery(delivery)
    except Faults as faults:
        first = faults.found[0]
        raise UsageError(f"{first.field}: {first.line}" if first.field else first.line) from None
    file = free_name(studio.project, wanted)
    version = studio.versions.save(file, text_of(studio.project, file, job, request, delivery))
    return studio.jobs.start(read_run(studio.project, file), version.number)
