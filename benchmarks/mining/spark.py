"""Spark on this machine, two cores: against MLlib's FPGrowth in the same session, and against streaming.

Both sides get their records in the form they like best: MLlib a DataFrame in memory, ours Parquet files, which are read
within the time. `--largest 1M|10M|100M` sets how many generated transactions are mined by Spark and by streaming (10M).
Needs the extra [spark] and Java.
"""

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.mining.stored import SIZES
from benchmarks.timing import compare

SUPPORT = 0.005
REPEATS = 3


def run(data: Path, largest: str = "10M", scratch: Path | None = None) -> Iterator[dict[str, Any]]:
    """A row for each rival."""
    from confide import StoredTransactions, Transactions
    from confide.core.datasets.spark.engine import SparkEngine
    from confide.core.datasets.spark.session import spark_session
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

    found = {(frozenset(row.items), row.freq) for row in theirs()}
    assert found == {(frozenset(labels), count) for labels, count in ours()}
    return compare(
        f"all itemsets of T10I4D100K at {SUPPORT:.1%} on Spark local[2], the same session",
        ours,
        theirs,
        rival_name="MLlib FPGrowth",
        repeats=REPEATS,
        settings={"itemsets": len(found), "wanted": "at least 20", "load": round(os.getloadavg()[0], 1)},
    )


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
