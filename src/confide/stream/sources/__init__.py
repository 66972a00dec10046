"""Where the records of a stream come from. In dependency order:

batch_source  the protocol: batches of records, and how to read on from one
time_order    time stamps that never decrease
bad_records   what becomes of those that cannot be read
parsing       text as records, line by line
text_source   files and standard input
redis_source  Redis Streams
kafka_topic   one partition of a Kafka topic, and its clients
kafka_source  Kafka topics
"""
