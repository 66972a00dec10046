"""`confide mine itemsets|rules`: the jobs of plain mining as commands."""

from confide.cli.derived.commands import job_group
from confide.core.jobs.catalogue import jobs_of

__all__ = ["mine"]

mine = job_group(
    "mine",
    jobs_of("confide.mining.jobs"),
    help="""Find frequent itemsets and association rules in transactions.

    Plain mining protects nobody: a rare itemset can point at a person.""",
)
