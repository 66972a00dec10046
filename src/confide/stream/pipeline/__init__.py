"""From a source to sinks: windows, releases, what survives a crash. In dependency order:

opening      what a request says of a run: its promise, publisher and header
windows      windows by count and by time, and when a release is due
checkpoint   the file a run goes on from
pipeline     the pipeline itself
sealing      the passport of a run
whole_run    a run from names of sources and sinks to its passport
"""
