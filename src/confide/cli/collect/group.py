"""`confide collect ...`: perturb at the client, mine at a server nobody has to trust."""

from confide.cli.derived.commands import job_group
from confide.core.jobs.catalogue import jobs_of

__all__ = ["collect"]

collect = job_group(
    "collect",
    jobs_of("confide.collect.jobs.requests"),
    help="Collect records that people perturb on their own devices, and mine them.",
    more={
        "serve": ("confide.cli.collect.serve:serve", "Collect perturbed records over HTTP."),
        "send": ("confide.cli.collect.send:send", "Perturb your own record here and send it to a collector."),
    },
)
