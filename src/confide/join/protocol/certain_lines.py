"""What parties could tell for certain, as a released tree lists it: the sender's count beside the receiver's."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from confide.core.errors import InputError, UnreachableError
from confide.core.json_text import faults_of
from confide.join.graph.certainty import Certain
from confide.join.protocol.verbs import CertainTold

__all__ = ["CertainLine", "match_counts", "worst_line"]


class CertainLine(BaseModel):
    """One way along a join: what the receiver could tell of the sender's people, and the share that was allowed.

    Counts are as in `Certain`, by the sender from its own records; `seen_class_keys` and `seen_side_keys` are the
    receiver's, from the messages alone. Sides that a receiver sees can be fewer than the sender counts: it cannot tell
    leaves of one node apart, nor see past splits of third sites.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    sender: str = Field(alias="from", max_length=200)
    receiver: str = Field(alias="to", max_length=200)
    allowed_classes: float = Field(ge=0, le=1)
    allowed_sides: float = Field(ge=0, le=1)
    keys: int = Field(ge=0)
    records: int = Field(ge=0)
    class_keys: int = Field(ge=0)
    class_records: int = Field(ge=0)
    side_keys: int = Field(ge=0)
    side_records: int = Field(ge=0)
    seen_class_keys: int = Field(ge=0)
    seen_side_keys: int = Field(ge=0)

    @property
    def counted(self) -> Certain:
        """The sender's counts, with their shares and words."""
        return Certain(**{name: getattr(self, name) for name in Certain.__dataclass_fields__})

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return self.model_dump(by_alias=True)

    @classmethod
    def from_dict(cls, data: Any, *, source: object = None) -> "CertainLine":
        """Read the JSON form."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InputError(
                f"not a count of what a party could tell ({faults_of(error, most=1)})", source=source
            ) from None


def match_counts(told: Mapping[str, Iterable[CertainTold]]) -> tuple[CertainLine, ...]:
    """The counts of all sites, {site: its counts}, as lines; an error if sender and receiver cannot both be right."""
    by_way = {(site, count.neighbour): count for site, counts in told.items() for count in counts}
    lines = []
    for (sender, receiver), count in sorted(by_way.items()):
        back = by_way.get((receiver, sender))
        if back is None:
            raise UnreachableError(f"{receiver} did not say what it could tell from the summaries of {sender}")
        if back.seen_class_keys != count.class_keys or back.seen_side_keys > count.side_keys:
            raise UnreachableError(
                f"{sender} and {receiver} disagree on what {receiver} could tell for certain; one of them miscounts"
            )
        plain = count.model_dump(exclude={"neighbour"})
        plain |= {"seen_class_keys": back.seen_class_keys, "seen_side_keys": back.seen_side_keys}
        lines.append(CertainLine.model_validate({"from": sender, "to": receiver, **plain}))
    return tuple(lines)


def worst_line(lines: Iterable[CertainLine]) -> CertainLine | None:
    """The line with the largest share of certain classes, of equal ones that with most people; None without lines."""
    return max(lines, key=lambda line: (line.counted.class_share, line.class_keys, line.side_keys), default=None)
