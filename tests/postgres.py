"""A real PostgreSQL for a test: its own data folder, its own port, gone afterwards.

The server refuses to run as root, so there it runs as the system's user `postgres`, who must be able to reach the data
folder: that is why the folder is one of the system's temporary ones and not pytest's, which only its owner may enter.
"""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from tests.system_tools import system_tool

__all__ = ["Postgres", "programs"]


def programs() -> Path | None:
    """The folder of the newest server programs, or None."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name), reverse=True)
    on_path = shutil.which("pg_ctl")
    for folder in [*debian, *([Path(on_path).parent] if on_path else [])]:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    return None


class Postgres:
    """A server between `with` and its end; `new_database()` gives the address of an empty database.

    Data pages are really synced (fsync stays on): the tests that use it are about what survives.
    """

    def __init__(self, programs: Path):
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="confide-postgres-"))
        self._data = self._folder / "data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]

    def url(self, database: str) -> str:
        """The address of a database of this server."""
        return f"postgresql://confide:confide@127.0.0.1:{self._port}/{database}"

    def new_database(self) -> str:
        """Make an empty database and give its address."""
        import adbc_driver_postgresql.dbapi as adbc

        name = f"test_{secrets.token_hex(6)}"
        # CREATE DATABASE refuses to run inside a transaction.
        with adbc.connect(self.url("postgres"), autocommit=True) as link, link.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def __enter__(self) -> "Postgres":
        try:
            if os.geteuid() == 0:
                shutil.chown(self._folder, "postgres")
            secret = self._folder / "secret"
            secret.write_text("confide\n")
            secret.chmod(0o644)
            self._run(
                "initdb", "-D", self._data, "-U", "confide", "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8"
            )
            self.start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        return self

    def start(self) -> None:
        """Start the server; returns when it answers."""
        options = f"-p {self._port} -k '' -c listen_addresses=127.0.0.1 -c max_connections=40"
        self._run("pg_ctl", "-D", self._data, "-l", self._folder / "log", "-w", "-t", "60", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; mode `immediate` is a crash: what was not synced is lost."""
        self._run("pg_ctl", "-D", self._data, "-w", "-t", "60", "-m", mode, "stop")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            if (self._data / "postmaster.pid").exists():
                self.stop("immediate")
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self._programs / program), *map(str, arguments)]
        if os.geteuid() == 0:
            command = [system_tool("runuser") or "runuser", "-u", "postgres", "--", *command]
        # pg_ctl's server inherits the standard streams: a pipe would never see its end.
        with open(self._folder / "out", "ab") as out:
            done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=120)
        if done.returncode:
            said = "".join(path.read_text() for path in (self._folder / "out", self._folder / "log") if path.exists())
            raise RuntimeError(f"{program} failed:\n{said}")
