"""Where releases go. In dependency order:

lines           the protocol: lines that leave once, in order
text            a file, or standard output
redis_streams   Redis Streams
"""
