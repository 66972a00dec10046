"""`confide publish ...`: the commands that hand out data about people."""

from confide.cli.derived.commands import group_of

__all__ = ["COMMANDS", "publish"]

COMMANDS = {
    "transactions": (
        "confide.cli.publish.transactions:transactions",
        "Suppress items until transactions are (h, k, p)-coherent.",
    ),
}

publish = group_of("publish", ["confide.publish.jobs.tables"], COMMANDS)
