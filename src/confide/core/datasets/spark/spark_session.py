"""The Spark session that passes run on: the one that is there (under spark-submit, in a notebook), else one of our own.

Checked first, since Spark itself takes a minute to say so: that pyspark and Java are installed, and that somebody
answers at the master's address.
"""

import atexit
import os
import shutil
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confide.core.errors import UnreachableError, UsageError
from confide.core.runtime.extras import require
from confide.core.runtime.threads import cores

__all__ = ["spark_session"]

_SECONDS = 5.0
_LOOPBACK = "127.0.0.1"


def spark_session(master: str | None = None) -> Any:
    """A session on `master` ("local[2]", "spark://host:7077"); without one, the session that runs, or this machine.

    UsageError if something is not installed, UnreachableError if the master does not answer.
    """
    sql = require("pyspark.sql", extra="spark")
    active = _running(sql)
    if active is not None:
        at = active.sparkContext.master
        if master is not None and at != master:
            raise UsageError(f"a Spark session on {at} runs already, and {master} was asked for; use one of them")
        return active
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # by spark-submit, which has settled where
    if not submitted:
        _check_java()
    chosen = master or (None if submitted else f"local[{cores()}]")
    if chosen is not None:
        _check_master(chosen)
    session = _started(sql, chosen)
    atexit.register(session.stop)
    return session


def _running(sql: Any) -> Any:
    """The session that runs, or None. Spark knows it by the thread, and forgets it there after a Ctrl-C."""
    known = getattr(sql.SparkSession, "_instantiatedSession", None)
    alive = known is not None and known.sparkContext._jsc is not None
    return sql.SparkSession.getActiveSession() or (known if alive else None)


def _started(sql: Any, master: str | None) -> Any:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    package = str(Path(__file__).resolve().parents[4])
    wanted = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.maxResultSize": "0",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH")))),
    }
    if master is not None and (master.startswith("local") or _host(master) in (_LOOPBACK, "localhost")):
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        wanted |= {"spark.driver.host": _LOOPBACK, "spark.driver.bindAddress": _LOOPBACK}
    builder = sql.SparkSession.builder.appName("confide")
    for name, value in wanted.items():
        builder = builder.config(name, value)
    if master is not None:
        builder = builder.master(master)
    with _own_errors() as told, warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pyspark's, of pandas, which no pass uses
        try:
            return builder.getOrCreate()
        except Exception as error:
            lines = told().splitlines() or str(error).splitlines()
            found = [line.strip() for line in lines if "Exception" in line or "Error" in line] or lines
            reason = found[0].strip()[:300] if found else type(error).__name__
            raise UnreachableError(f"Spark does not start on {master or 'its master'}: {reason}") from None


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    there = Path(home, "bin", "java").exists() if home else shutil.which("java") is not None
    if not there:
        where = f"JAVA_HOME is {home}, where there is no bin/java" if home else "no java is on the path"
        raise UsageError(f"Spark needs Java 17 or later, and {where}; install it (Debian: default-jre-headless)")


def _host(master: str) -> str:
    return master.removeprefix("spark://").rpartition(":")[0]


def _check_master(master: str) -> None:
    """Refuse a Spark master that nobody answers for; others (yarn, k8s) are Spark's to find."""
    if not master.startswith("spark://"):
        return
    failure = ""
    for address in master.removeprefix("spark://").split(","):
        host, colon, port = address.rpartition(":")
        if not colon or not port.isdigit():
            raise UsageError(f"{master!r} is not the address of a Spark master; use spark://HOST:PORT, such as :7077")
        try:
            with socket.create_connection((host, int(port)), timeout=_SECONDS):
                return
        except (OSError, OverflowError) as error:
            failure = str(error)
    raise UnreachableError(f"no Spark master answers at {master} ({failure}); is it running?")


@contextmanager
def _own_errors() -> Iterator[Any]:
    """Java begins by writing pages to stderr, and goes on until its log is set: to a file of its own instead."""
    sys.stderr.flush()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as kept:
        try:
            before = os.dup(2)
        except OSError:  # no stderr at all
            yield lambda: ""
            return
        os.dup2(kept.fileno(), 2)

        def told() -> str:
            kept.seek(0)
            return kept.read()

        try:
            yield told
        finally:
            os.dup2(before, 2)
            os.close(before)
