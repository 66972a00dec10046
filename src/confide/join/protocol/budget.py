"""How often others have asked: runs begun, branches answered, intersections; kept by a site across runs and restarts.

A policy bounds what one run shows. Runs with other classes, join values or depths add up, and so do predictions: the
budget bounds these. It is kept in `STATE/budget.json`, written before anything is answered, and every use of it is a
line of the site's ledger. Its owner gives a new one by raising the policy's number, or by removing the file.
"""

import json
import threading
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from confide.core.errors import CannotMeetError, InputError
from confide.core.files import read_regular, write_text
from confide.core.json_text import read_json
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.policy import Policy

__all__ = ["Budget"]


class _Used(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    runs: int = Field(default=0, ge=0)
    predictions: int = Field(default=0, ge=0)
    intersections: int = Field(default=0, ge=0)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    format: str = Field(default="confide-join-budget", pattern="^confide-join-budget$")
    version: int = Field(default=1, ge=1, le=1)
    used: dict[str, _Used] = {}


class Budget:
    """What each coordinator has used of the policy of the site `owner`; without a folder, while the object lasts."""

    def __init__(self, owner: str, policy: Policy, ledger: Ledger, folder: Path | None):
        self._owner, self._policy, self._ledger = owner, policy, ledger
        self._file = None if folder is None else folder / "budget.json"
        self._lock = threading.Lock()
        self._used = self._load()

    def _load(self) -> dict[str, _Used]:
        if self._file is None or not self._file.exists():
            return {}
        try:
            return _File.model_validate(read_json(read_regular(self._file, max_bytes=1 << 20), source=self._file)).used
        except ValidationError:
            raise InputError("is not a budget; its owner may remove it to begin a new one", source=self._file) from None

    def begin_run(self, coordinator: str, run: str) -> None:
        """Count a run, fresh or resumed, or refuse it."""
        self._use(coordinator, run, "runs", 1, self._policy.max_runs)

    def predict(self, coordinator: str, run: str, branches: int) -> None:
        """Count branches that are about to be answered, or refuse all of them."""
        self._use(coordinator, run, "predictions", branches, self._policy.max_predictions)

    def intersect(self, neighbour: str, exchange: str) -> None:
        """Count an intersection outside a run, or refuse it."""
        self._use(neighbour, exchange, "intersections", 1, self._policy.max_intersections)

    def _use(self, coordinator: str, run: str, what: str, number: int, most: int | None) -> None:
        with self._lock:
            before = self._used.get(coordinator, _Used())
            now = getattr(before, what) + number
            if most is not None and now > most:
                raise CannotMeetError(
                    f"the policy of {self._owner} allows {coordinator} {most:,} {what} in all, "
                    "which this would exceed; its owner can allow more"
                )
            self._used[coordinator] = before.model_copy(update={what: now})
            if self._file is not None:
                text = json.dumps(_File(used=self._used).model_dump()) + "\n"
                write_text(self._file, text, replace=True, private=True)
        self._ledger.remark(run, {"budget": what, "of": coordinator, "used": now, "allowed": most})
