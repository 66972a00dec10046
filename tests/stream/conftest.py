"""A real Redis for tests of streams: on a socket in a folder of its own, gone afterwards."""

import importlib.util
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from tests.conftest import absent
from tests.stream.kafka import kafka_servers, kafka_url  # noqa: F401 - fixtures
from tests.system_tools import system_tool


@pytest.fixture(scope="session")
def redis_server():
    """The address of a Redis, without a stream."""
    program = system_tool("redis-server")
    if program is None or importlib.util.find_spec("redis") is None:
        absent("redis-server or redis-py is not installed")
    import redis

    folder = Path(tempfile.mkdtemp(prefix="confide-redis-"))
    socket = folder / "redis.sock"
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = redis.Redis.from_url(f"unix://{socket}")
    try:
        until = time.monotonic() + 300
        while True:
            try:
                client.ping()
                break
            except redis.exceptions.ConnectionError:
                assert time.monotonic() < until, "redis-server did not start"
                time.sleep(0.02)
        yield f"unix://{socket}"
    finally:
        client.close()
        server.terminate()
        server.wait(10)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def redis_url(redis_server, request):
    """Makes the address of a stream that no other test uses."""
    return lambda name: f"{redis_server}?stream={request.node.name}-{name}"
