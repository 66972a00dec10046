"""Exposure, for a profile of interests."""

from dataclasses import dataclass

from confide.core.bounds import at_least, share_at_least
from confide.core.errors import RequirementError
from confide.core.requirements.base import Requirement, is_number

__all__ = ["Exposure"]


@dataclass(frozen=True, kw_only=True)
class Exposure(Requirement):
    """Only terms of a profile whose share is at least `min_detail` leave the machine; larger exposes less."""

    kind = "exposure"

    min_detail: float

    def __post_init__(self) -> None:
        if not is_number(self.min_detail) or not 0 <= self.min_detail <= 1:
            raise RequirementError(
                f"min_detail={self.min_detail} is not a share; use a number from 0 to 1",
                parameter="min_detail",
                value=self.min_detail,
            )

    def promise(self) -> str:
        return (
            f"Only interests that make up at least {share_at_least(self.min_detail)} of the profile leave the machine."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return (f"a search engine learning interests below {share_at_least(self.min_detail)} of the profile",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (
            "sensitive interests that are frequent: they are exposed first, unless hidden by hand",
            "what the queries themselves say",
            (
                "reading supports off the weights: a weight tells, to three digits, which share of the documents an "
                "interest has"
            ),
            "harm: expRatio measures how much is said, not how much it matters",
        )

    def in_other_terms(self) -> dict[str, str]:
        return {"minDetail": f"{at_least(self.min_detail)}: the smallest share of the profile an exposed interest has"}
