"""One Spark for all tests of a process: starting it takes longer than most of them."""

import os
import shutil

import pytest

from confide.core.datasets.spark import spark_session as sessions
from confide.core.datasets.spark.spark_engine import SparkEngine


@pytest.fixture(scope="session")
def engine():
    """The engine on a real Spark of this machine."""
    if shutil.which("java") is None and "CONFIDE_CI" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    session = sessions.spark_session("local[2]")
    yield SparkEngine(session)
    session.stop()
