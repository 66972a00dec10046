"""A Kafka for tests of streams: the broker that is built into librdkafka, in a process of its own.

It keeps messages in memory and takes transactions, but shows what is in them before they are committed; topics are
made when they are written to, with four partitions each. Where CONFIDE_KAFKA names a real one (host:port), that is
used, and its transactions are what they are.
"""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator

import pytest
from tests.conftest import absent

__all__ = ["kafka_servers", "kafka_url", "put_messages", "read_messages"]

BROKER = """
import sys
from confluent_kafka import Producer
client = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "none", "log_level": 0})
print(",".join(f"{x.host}:{x.port}" for x in client.list_topics(timeout=60).brokers.values()), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="session")
def kafka_servers() -> Iterator[str]:
    """The address of a broker, host:port."""
    try:
        import confluent_kafka  # noqa: F401
    except ModuleNotFoundError:
        absent("confluent-kafka is not installed")
    if os.environ.get("CONFIDE_KAFKA"):
        yield os.environ["CONFIDE_KAFKA"]
        return
    broker = subprocess.Popen(
        [sys.executable, "-c", BROKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert broker.stdin is not None
    assert broker.stdout is not None
    try:
        yield broker.stdout.readline().decode().strip()
    finally:
        broker.stdin.close()
        broker.wait(60)


@pytest.fixture
def kafka_url(kafka_servers):
    """Makes the address of a topic that no other test uses."""
    unique = uuid.uuid4().hex[:8]
    return lambda name: f"kafka://{kafka_servers}/{name}-{unique}?partition=0"


def put_messages(url, values):
    """Write messages as any other program would."""
    from confluent_kafka import Producer

    servers, topic = _parts(url)
    producer = Producer({"bootstrap.servers": servers})
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(60) == 0


def read_messages(url):
    """(key, value) of all messages, as any other program would read them."""
    from confluent_kafka import Consumer, TopicPartition

    servers, topic = _parts(url)
    reading = {"isolation.level": "read_committed", "enable.partition.eof": True, "fetch.wait.max.ms": 20}
    reading["allow.auto.create.topics"] = False
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "tests", **reading})
    found = []
    if not consumer.list_topics(topic, timeout=60).topics[topic].partitions:  # nobody has written to it yet
        return found
    consumer.assign([TopicPartition(topic, 0, 0)])
    while (one := consumer.poll(60)).error() is None:  # its end is told as an error
        found.append((one.key(), one.value()))
    consumer.close()
    return found


def _parts(url):
    servers, _, topic = url.removeprefix("kafka://").partition("/")
    return servers, topic.partition("?")[0]
