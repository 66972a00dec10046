"""Apache Spark, for data on more than one machine. In dependency order:

session   the Spark session that runs, or one of our own
engine    the engine: Spark's tasks take shards
frames    a Spark DataFrame, kept as Parquet files
"""
