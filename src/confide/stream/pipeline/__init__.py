"""From a source to sinks: windows, releases, what survives a crash. In dependency order:

settings     what a run is asked for
windows      windows by count and by time, and when a release is due
checkpoint   the file a run goes on from
run          the pipeline itself
sealing      the passport of a run
tasks        a run from names of sources and sinks to its passport
"""
