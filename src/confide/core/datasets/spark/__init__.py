"""Apache Spark, for data on more than one machine. In dependency order:

spark_session  the Spark session that runs, or one of our own
spark_engine   the engine: Spark's tasks take shards
frames         a Spark DataFrame, kept as Parquet files
"""
