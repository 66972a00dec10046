"""Spark on this machine, two cores: against MLlib's FPGrowth in the same session, and against streaming.

MLlib may take very long: it is ended when it has taken 25 times our time, and the ratio is then a lower bound. Both
sides get their records in the form they like best: MLlib a DataFrame in memory, ours Parquet files, which are read
within the time. `--largest 1M|10M|100M` sets how many generated transactions are mined by Spark and by streaming (10M).
Needs the extra [spark] and Java.
"""

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.mining.stored import SIZES

SUPPORT = 0.005
REPEATS = 3
PATIENCE, LEAST_SECONDS = 25, 60  # MLlib is waited for so many times as long as we take, and so long at least


def run(data: Path, largest: str = "10M", scratch: Path | None = None) -> Iterator[dict[str, Any]]:
    """A row for each rival."""
    from confide import StoredTransactions, Transactions
    from confide.core.datasets.spark.spark_engine import SparkEngine
    from confide.core.datasets.spark.spark_session import spark_session
    from confide.core.samples.quest import write_quest
    from confide.mining import frequent_itemsets

    session = spark_session("local[2]")
    engine = SparkEngine(session)
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        file = Path(folder) / "baskets.parquet"
        Transactions.read(data / "quest" / "T10I4D100K.dat.gz").write(file)
        yield _over_mllib(session, engine, file)
        home = Path(folder) / "generated"
        write_quest(f"T10I4D{SIZES[largest]}M", home)
        for support in (0.005, 0.002):

            def on_spark(support: float = support) -> Any:
                return frequent_itemsets(StoredTransactions.open(home, engine=engine), min_support=support)

            def streamed(support: float = support) -> Any:
                return frequent_itemsets(StoredTransactions.open(home), min_support=support)

            if support == 0.005:
                assert list(on_spark().sorted()) == list(streamed().sorted())  # and both are warm
            pairs = [(_seconds(on_spark), _seconds(streamed)) for _ in range(REPEATS)]
            ratios = sorted(spark / stream for spark, stream in pairs)
            yield {
                "claim": f"all itemsets of {SIZES[largest]} million T10I4 records at {support:.1%}, Spark over stream",
                "ours": round(sorted(spark for spark, _ in pairs)[REPEATS // 2], 2),
                "rival": {
                    "name": "our streaming engine",
                    "seconds": round(sorted(stream for _, stream in pairs)[REPEATS // 2], 2),
                },
                "ratio": round(ratios[REPEATS // 2], 2),
                "spread": [round(ratios[0], 2), round(ratios[-1], 2)],
                "settings": {"wanted": "at most 3", "repeats": REPEATS, "load": round(os.getloadavg()[0], 1)},
            }
    session.stop()


def _over_mllib(session: Any, engine: Any, file: Path) -> dict[str, Any]:
    from pyspark.ml.fpm import FPGrowth

    from confide import StoredTransactions
    from confide.mining import frequent_itemsets

    frame = session.read.parquet(str(file)).repartition(2).cache()
    records = frame.count()
    # As many as we count: a share would be rounded in another way.
    support = math.ceil(SUPPORT * records) / records

    def ours() -> Any:
        return frequent_itemsets(StoredTransactions.open(file, engine=engine), min_support=SUPPORT)

    def theirs() -> Any:
        # Only itemsets are asked for; rules, which `fit` would otherwise be asked for later, are never made.
        return FPGrowth(itemsCol="items", minSupport=support, minConfidence=1.0).fit(frame).freqItemsets.collect()

    ours()
    own = sorted(_seconds(ours) for _ in range(REPEATS))[REPEATS // 2]
    limit = max(LEAST_SECONDS, PATIENCE * own)
    took, rows = _within(limit, theirs, session)
    if rows is not None:
        assert {(frozenset(row["items"]), row["freq"]) for row in rows} == {(frozenset(x), n) for x, n in ours()}
    return {
        "claim": f"all itemsets of T10I4D100K at {SUPPORT:.1%} on Spark local[2], the same session",
        "ours": round(own, 2),
        "rival": {"name": "MLlib FPGrowth", "seconds": round(took, 2), "finished": rows is not None},
        "ratio": round(took / own, 1),
        "settings": {
            "wanted": "at least 20",
            "ours": f"median of {REPEATS}",
            "rival": f"one run, ended after {PATIENCE} times our time if that is more than {LEAST_SECONDS} s",
            "load": round(os.getloadavg()[0], 1),
        },
    }


def _within(limit: float, work: Callable[[], Any], session: Any) -> tuple[float, Any]:
    """How long `work` takes on Spark, and its result; ended after `limit` seconds, then None."""
    done: Future[Any] = Future()

    def run() -> None:
        session.sparkContext.setJobGroup("rival", "rival", True)
        try:
            done.set_result(work())
        except Exception as error:  # cancelled, or what it says
            done.set_exception(error)

    began = time.perf_counter()
    Thread(target=run, daemon=True).start()
    try:
        rows = done.result(timeout=limit)
        return time.perf_counter() - began, rows
    except TimeoutError:
        took = time.perf_counter() - began
        session.sparkContext.cancelJobGroup("rival")
        return took, None


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
