"""Verdicts on the releases of a folder: `confide verify` in a process of its own, kept until a file changes.

A page never waits for one: it shows what is known, and says what is still being checked.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.core.errors import ConfideError
from confide.core.files import read_regular, write_text
from confide.studio.project.project_folder import Project

__all__ = ["ReleaseVerdict", "Verdicts"]

_LONGEST = 900.0  # seconds for one release
_LARGEST = 32 << 20


@dataclass(frozen=True, kw_only=True)
class ReleaseVerdict:
    """What verifying a release answered. `state` is good, weak, open (not all of its promise can be checked from the
    file), bad, broken (it could not be checked) or waiting."""

    state: str
    sentence: str = ""
    checks: tuple[Mapping[str, Any], ...] = ()
    not_provable: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """In a word or two."""
        words = {
            "good": "Verified",
            "weak": "Verified, but weak",
            "open": "Not verified as a whole",
            "bad": "Promise not kept",
            "waiting": "Being checked",
        }
        return words.get(self.state, "Cannot be checked")

    @property
    def sign(self) -> str:
        """The look it has on a page."""
        return {"good": "good", "bad": "bad", "broken": "bad"}.get(self.state, "unknown")


class Verdicts:
    """The verdicts of a folder, by passport."""

    def __init__(self, project: Project):
        self._project = project
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] | None = None
        self._asked: set[str] = set()

    def of(self, passport: str) -> ReleaseVerdict:
        """The verdict on a release by the name of its passport; the first time it is only begun."""
        key = self._key(passport)
        with self._lock:
            known = self._all().get(passport)
            if known is not None and known["key"] == key:
                return _read(known)
            if f"{passport} {key}" not in self._asked:
                self._asked.add(f"{passport} {key}")
                threading.Thread(target=self._check, args=(passport, key), daemon=True).start()
        return ReleaseVerdict(state="waiting")

    def _key(self, passport: str) -> str:
        """A text that changes whenever the passport or the file beside it does."""
        path = self._project.place(passport)
        parts = [path, path.with_name(path.name.removesuffix(".passport.json"))]
        found = [part.stat() for part in parts if part.exists()]
        return " ".join(f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ino}" for stat in found)

    def _check(self, passport: str, key: str) -> None:
        with _ONE_AT_A_TIME:
            plain = self._verify(passport)
        with self._lock:
            known = self._all()
            known[passport] = {"key": key, **plain}
            self._asked.discard(f"{passport} {key}")
            try:
                file = self._project.notes() / "verdicts.json"
                write_text(file, json.dumps(known), replace=True, private=True)
            except ConfideError:  # a full disk: it is known for as long as the server runs
                return

    def _verify(self, passport: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "confide", "verify", f"./{passport}", "--json"]
        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        try:
            done = subprocess.run(command, cwd=self._project.root, timeout=_LONGEST, **quiet)
            answer = json.loads(done.stdout)[0]
        except subprocess.TimeoutExpired:
            return {"state": "broken", "sentence": f"not checked within {_LONGEST:g} seconds"}
        except (ValueError, IndexError, KeyError):
            line = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
            return {"state": "broken", "sentence": line.removeprefix("confide: ").removeprefix("./")}
        except OSError as error:
            return {"state": "broken", "sentence": f"no process could be started: {error.strerror}"}
        weak = any(check["weak"] for check in answer["checks"])
        unproved = any(check.get("unproved") for check in answer["checks"])
        state = "bad" if not answer["ok"] else "open" if unproved else "weak" if weak else "good"
        names = ("checks", "not_provable", "not_checked")
        return {"state": state, "sentence": answer["found"]["sentence"], **{name: answer[name] for name in names}}

    def _all(self) -> dict[str, dict[str, Any]]:
        if self._known is None:
            path = self._project.notes() / "verdicts.json"
            try:
                known = json.loads(read_regular(path, max_bytes=_LARGEST)) if path.exists() else {}
                self._known = {name: plain for name, plain in known.items() if {"key", "state"} <= plain.keys()}
            except (ValueError, AttributeError, TypeError, ConfideError):
                self._known = {}
        return self._known


_ONE_AT_A_TIME = threading.Lock()


def _read(plain: Mapping[str, Any]) -> ReleaseVerdict:
    return ReleaseVerdict(
        state=str(plain["state"]),
        sentence=str(plain.get("sentence", "")),
        checks=tuple(plain.get("checks", ())),
        not_provable=tuple(plain.get("not_provable", ())),
        not_checked=tuple(plain.get("not_checked", ())),
    )
