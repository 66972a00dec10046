"""Verify what a secure tree lists about who could tell what for certain: the part of `exchange` about people.

For every way along a join the tree lists the sender's count of people whose class, or side of a hidden split, the
receiver could tell, the receiver's own count, and the share that was allowed. Proved here:

- every way that class summaries went is listed once, and no other;
- the counts fit each other and the ledger: no more join values than a class summary had entries, no fewer records than
  join values, no more certain ones than there are; sender and receiver agree;
- classes go outward from the target: a site nearer to it learns no class from one farther away;
- every share is within the one allowed, and no site allows a larger share of classes than the target's owner;
- the passport's figures are these.

Not provable here: that the sites counted right. The summaries themselves are not in the file, and must not be.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from confide.core.checks import Check

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["certain_fault", "check_certain"]

_COUNTS = (
    "keys", "records", "class_keys", "class_records", "side_keys", "side_records", "seen_class_keys", "seen_side_keys",
)  # fmt: skip
_SHARES = ("allowed_classes", "allowed_sides")


def certain_fault(lines: Any) -> str:
    """What is wrong with the form of the list; empty if nothing."""
    for number, line in enumerate(lines):
        if not isinstance(line, dict) or set(line) != {"from", "to", *_COUNTS, *_SHARES}:
            return f"certain.{number}: other fields than a count has"
        if not all(isinstance(line[name], str) for name in ("from", "to")):
            return f"certain.{number}: from and to are names"
        if not all(type(line[name]) is int and line[name] >= 0 for name in _COUNTS):
            return f"certain.{number}: counts are whole numbers of 0 or more"
        if not all(type(line[name]) in (int, float) and 0 <= line[name] <= 1 for name in _SHARES):
            return f"certain.{number}: a share is from 0 to 1"
    return ""


def check_certain(artefact: dict[str, Any], passport: "Passport") -> list[Check]:
    """The checks of the list; none for a passport of version 2, whose trees have no list."""
    name = "nobody could tell more for certain than the sites allow"
    lines = artefact.get("certain")
    if lines is None:
        if passport.version > 2:
            return [Check(name=name, ok=False, detail="the tree does not say who could tell what")]
        return []
    fault = _ways(artefact, lines) or _numbers(artefact, lines) or _shares(artefact, lines)
    detail = fault or "; ".join(_describe_line(line) for line in _worst(lines)) or "no class and no side"
    checks = [Check(name=name, ok=not fault, detail=detail)]
    if not fault:
        checks.append(_figures(lines, passport))
    return checks


def _describe_line(line: Mapping[str, Any]) -> str:
    return (
        f"{line['to']}: the class of {line['class_keys']:,} of {line['keys']:,} people by join value, "
        f"the side of a hidden split of {line['side_keys']:,}"
    )


def _worst(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Up to three lines that say something, those with most certain classes first."""
    saying = [line for line in lines if line["class_keys"] or line["side_keys"]]
    return sorted(saying, key=lambda line: (-line["class_keys"], -line["side_keys"]))[:3]


def _distances(artefact: dict[str, Any]) -> dict[str, int]:
    """How many joins each site is away from the target."""
    far = {artefact["target"]: 0}
    for step in range(1, len(artefact["sites"]) + 1):
        for edge in artefact["edges"]:
            for here, there in (edge, edge[::-1]):
                if far.get(here) == step - 1:
                    far.setdefault(there, step)
    return far


def _ways(artefact: dict[str, Any], lines: list[dict[str, Any]]) -> str:
    if artefact["target"] not in artefact["sites"]:
        return "the target is not a site, so nobody can say which way classes went"
    listed = [(line["from"], line["to"]) for line in lines]
    crossed = {(line["from"], line["to"]) for line in artefact["ledger"] if line["kind"] == "class-summary"}
    if len(set(listed)) < len(listed):
        return "a way along a join is listed twice"
    if set(listed) != crossed:
        return "other ways are listed than class summaries went"
    return ""


def _numbers(artefact: dict[str, Any], lines: list[dict[str, Any]]) -> str:
    """Counts that cannot be true, whatever the tables were."""
    far = _distances(artefact)
    sent = {(line["from"], line["to"]): line for line in artefact["ledger"] if line["kind"] == "class-summary"}
    for number, line in enumerate(lines):
        summaries = sent[line["from"], line["to"]]
        wrong = [
            line["keys"] * summaries["messages"] > summaries["entries"],
            line["keys"] > line["records"],
            not line["keys"] and line["records"],
            line["seen_class_keys"] != line["class_keys"],
            line["seen_side_keys"] > line["side_keys"],
            far[line["to"]] < far[line["from"]] and line["class_keys"],
        ]
        for kind in ("class", "side"):
            keys, records = line[f"{kind}_keys"], line[f"{kind}_records"]
            # Every join value has a record, so as many records are left over as there are other join values.
            wrong += [keys > line["keys"], keys > records, records > line["records"]]
            wrong.append(line["keys"] - keys > line["records"] - records)
            wrong.append(keys == line["keys"] and records != line["records"])
            wrong.append(not keys and records)
        if any(wrong):
            return f"certain.{number}: counts that do not fit each other, the ledger, or the other side's"
    return ""


def _shares(artefact: dict[str, Any], lines: list[dict[str, Any]]) -> str:
    """A count above what is allowed, or a site that allows more classes than the one it got them from."""
    far = _distances(artefact)
    allowed: dict[str, Any] = {}
    for number, line in enumerate(lines):
        if allowed.setdefault(line["from"], line["allowed_classes"]) != line["allowed_classes"]:
            return f"certain.{number}: a site allows two shares"
        for kind, most in (("class", line["allowed_classes"]), ("side", line["allowed_sides"])):
            for part, whole in ((f"{kind}_keys", "keys"), (f"{kind}_records", "records")):
                if line[part] > Fraction(str(most)) * line[whole]:
                    return f"certain.{number}: a larger share than is allowed"
    for line in lines:
        if far[line["from"]] < far[line["to"]] and allowed[line["to"]] > allowed[line["from"]]:
            return "a site allows more than the site it has the classes from"
    return ""


def _figures(lines: list[dict[str, Any]], passport: "Passport") -> Check:
    """What the passport says of certain classes is what the tree lists."""
    worst = max(
        lines,
        key=lambda line: (
            max(_share(line, "class_keys", "keys"), _share(line, "class_records", "records")),
            line["class_keys"],
            line["side_keys"],
        ),
    )
    same = passport.loss.get("classes_certain") == worst["class_keys"]
    return Check(
        name="the passport's count of certain classes is the tree's", ok=same, detail="" if same else "another count"
    )


def _share(line: Mapping[str, Any], part: str, whole: str) -> Fraction:
    return Fraction(line[part], line[whole] or 1)
