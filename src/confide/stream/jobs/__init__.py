"""The jobs of `stream`. In dependency order:

requests       what can be asked of a stream
live_release   release, with pages that show it and signals that end it
readings       plan, look and replay
"""
