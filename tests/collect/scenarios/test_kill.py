"""What was acknowledged is there exactly once, whatever happened to the collector."""

import threading
import uuid

import numpy as np
import pytest
from tests.collector import Collector
from tests.patience import LONG

from confide.collect import GammaDiagonal
from confide.collect.service.client import Client
from confide.collect.service.store import read_store
from confide.core.errors import UnreachableError

CLIENTS, BATCHES, SIZE = 4, 25, 100
SCHEME = GammaDiagonal(domains=[100, 100], gamma=19)  # as many cells as records, so each record is another


def send_through_two_kills(collector):
    """Four clients send 10,000 different records while the collector is killed after 30 and after 65 of 100 batches."""
    acknowledged, lock, due = [], threading.Lock(), [30, 65]
    kills = threading.Semaphore(0)

    def run(client):
        link = Client(collector.url, attempts=60, timeout=20)
        for batch in range(BATCHES):
            first = (client * BATCHES + batch) * SIZE
            sent = link.submit([divmod(cell, 100) for cell in range(first, first + SIZE)])
            with lock:
                acknowledged.append(sent)
                if due and len(acknowledged) >= due[0]:
                    due.pop(0)
                    kills.release()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        assert kills.acquire(timeout=LONG)
        collector.kill()
        collector.start()
    for thread in threads:
        thread.join(timeout=LONG)
    return acknowledged


def check(collector):
    acknowledged = send_through_two_kills(collector)
    assert len(acknowledged) == CLIENTS * BATCHES
    assert sum(sent.records for sent in acknowledged) == 10_000
    assert collector.stop() == 0
    records = read_store(collector.store, scheme=SCHEME).records
    cells = records[:, 0] * 100 + records[:, 1]
    assert np.array_equal(np.sort(cells), np.arange(10_000))


def test_every_acknowledged_record_is_in_the_duckdb_file_exactly_once_after_two_kills(tmp_path):
    with Collector(tmp_path, SCHEME, str(tmp_path / "answers.duckdb")) as collector:
        check(collector)


@pytest.mark.postgres
def test_every_acknowledged_record_is_in_postgresql_exactly_once_after_two_kills(tmp_path, postgres):
    with Collector(tmp_path, SCHEME, postgres) as collector:
        check(collector)


@pytest.mark.slow
@pytest.mark.postgres
def test_a_postgresql_that_crashes_meanwhile_loses_nothing_that_was_acknowledged(tmp_path, postgres, postgres_server):
    with Collector(tmp_path, SCHEME, postgres) as collector:
        link = Client(collector.url, attempts=60, timeout=20)
        for batch in range(20):
            if batch in (5, 12):
                postgres_server.stop("immediate")
                postgres_server.start()
            link.submit([divmod(cell, 100) for cell in range(batch * SIZE, (batch + 1) * SIZE)])
        assert link.count() == 2000
        assert collector.stop() == 0
    records = read_store(postgres, scheme=SCHEME).records
    assert np.array_equal(np.sort(records[:, 0] * 100 + records[:, 1]), np.arange(2000))


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path):
    collector = Collector(tmp_path, SCHEME, str(tmp_path / "answers.duckdb"))
    collector.most_bytes = 1 << 20
    acknowledged = 0
    with collector:
        link = Client(collector.url, attempts=1)
        with pytest.raises(UnreachableError, match="not stored"):
            for batch in range(10_000):
                link.submit([divmod(cell, 100) for cell in range(10_000)], submission=uuid.UUID(int=batch, version=4))
                acknowledged += 1
        collector.stop()
    assert acknowledged > 2
    assert "not stored: " in collector.said
    assert "Traceback" not in collector.said
    collector.most_bytes = None
    with collector:
        link = Client(collector.url)
        assert link.count() == acknowledged * 10_000
        assert link.submit(
            [divmod(cell, 100) for cell in range(10_000)], submission=uuid.UUID(int=0, version=4)
        ).repeated
        assert not link.submit([[1, 2]]).repeated  # and goes on
