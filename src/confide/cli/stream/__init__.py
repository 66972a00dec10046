"""`confide stream ...`. In dependency order:

promise     options that say what is promised, and by which windows
group       the list of its commands
plan        from wanted precision to parameters
release     a stream to sinks
look        what a published run says, with bounds
adversary   what attack works out
attack      the adversaries
replay      a recorded stream at a chosen speed
"""
