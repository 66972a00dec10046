"""The names of losses, once for the requests and for what computes them; it computes nothing, so it loads nothing."""

from typing import Literal, get_args

__all__ = ["LOSSES", "NAME_COSTS", "NameCost", "LossName"]

LossName = Literal["ncp", "discernibility", "classification", "average-class-size", "entropy"]
"""What a method for tables keeps small: `publish.tables.loss.loss_measures` says what each is."""

LOSSES: tuple[str, ...] = get_args(LossName)

NameCost = Literal["ncp", "bits"]
"""What a broader name of items costs: `publish.transactions.generalisation.name_cost` says what each is."""

NAME_COSTS: tuple[str, ...] = get_args(NameCost)
