"""Where releases go. In dependency order:

lines        the protocol: lines that leave once, in order
text_sink    a file, or standard output
redis_sink   Redis Streams
kafka_sink   Kafka topics
"""
