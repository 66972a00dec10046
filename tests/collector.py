"""A real collector for a test: its own process, killed if the test forgets it."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import click

from confide.collect import Scheme
from confide.core.errors import ConfideError

__all__ = ["Collector", "ask", "refusal", "submission"]


class Collector:
    """`confide collect serve` on a scheme and a store; `start` returns when it answers."""

    def __init__(self, folder: Path, scheme: Scheme, store: str, *options: str):
        self.scheme, self.store = scheme, store
        self._folder = folder
        self._file = folder / f"scheme-{uuid.uuid4().hex}.json"
        scheme.write(self._file)
        self._options, self._port = options, 0
        self.most_bytes: int | None = None  # no file may grow past this: a full disk
        self.process: subprocess.Popen[str] | None = None
        self.url, self.said = "", ""

    def start(self) -> "Collector":
        store, environment = self._without_password()
        command = [sys.executable, "-m", "confide", "collect", "serve", str(self._file), "--store", store]
        command += ["--port", str(self._port), *self._options]
        # stdout too: nothing may be said there
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=self._limit, env=environment
        )
        watch = threading.Timer(60, self.process.kill)
        watch.start()
        said = []
        for line in self.process.stderr:
            said.append(line)
            if found := re.search(r"collecting at (https?://\S+:(\d+)/)", line):
                self.url, self._port = found[1], int(found[2])  # a restart takes the same port
                break
        watch.cancel()
        self.said += "".join(said)
        if not self.url:
            raise RuntimeError(f"the collector did not start: {''.join(said)}")
        return self

    def _without_password(self) -> tuple[str, dict[str, str]]:
        """The store as a command may name it, and the environment that holds the password: by a file."""
        parts = urlsplit(self.store)
        if parts.password is None:
            return self.store, dict(os.environ)
        file = self._folder / "pgpass"
        file.write_text(f"*:*:*:*:{parts.password}\n")
        file.chmod(0o600)
        return self.store.replace(f":{parts.password}@", "@"), {**os.environ, "PGPASSFILE": str(file)}

    def _limit(self) -> None:
        if self.most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.most_bytes, self.most_bytes))

    def kill(self) -> None:
        """As a power cut would: no time to say or write anything."""
        self._end(signal.SIGKILL)

    def stop(self, sig: int = signal.SIGTERM) -> int:
        return self._end(sig)

    def _end(self, sig: int) -> int:
        assert self.process is not None
        self.process.send_signal(sig)
        out, said = self.process.communicate(timeout=300)
        self.said += said
        assert out == ""
        status, self.process = self.process.returncode, None
        return status

    def __enter__(self) -> "Collector":
        return self.start()

    def __exit__(self, *error: object) -> None:
        if self.process is not None:
            self.kill()


def refusal(*arguments: object) -> tuple[int, str]:
    """(exit status, line) with which `confide ...` refuses, in this process: a new one would take a second each."""
    from confide.cli.root import confide

    try:
        confide.main([str(argument) for argument in arguments], standalone_mode=False)
    except (ConfideError, click.ClickException) as error:
        return error.exit_code, error.message if isinstance(error, click.ClickException) else str(error)
    raise AssertionError(f"confide {arguments} was not refused")


def ask(url: str, body: object = None, *, kind: str = "application/json", raw: bytes | None = None):  # type: ignore[no-untyped-def]
    """(status, answer, headers) of one request: GET, or POST of a JSON body."""
    data = raw if raw is not None else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": kind} if data is not None else {})
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            status, said, headers = answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            status, said, headers = error.code, error.read(), error.headers
    if headers.get("content-type") == "application/json":
        return status, json.loads(said), headers
    return status, said.decode(), headers


def submission(scheme: Scheme, records: list[list[int]], id: str | None = None) -> dict[str, object]:
    return {"scheme": scheme.fingerprint, "submission": id or str(uuid.uuid4()), "records": records}


os.environ.setdefault("PYTHONUNBUFFERED", "1")  # what a collector says must not wait in a buffer
