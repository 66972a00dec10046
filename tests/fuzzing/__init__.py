"""Broken input for everything that reads what others wrote. In dependency order:

mutations   good bytes, JSON and messages, broken
stage_files good files of the kinds that stages keep or agree on
search_files  good files of the kinds that `search` reads
stream_files  good files of the kinds that `stream` reads and publishes
survey_targets  the files and pages of surveys
files       one target for each reader of files
releases    verify, report and `passport show` on broken releases
services    messages to a site and to a collector
pages       requests to every page, byte by byte
hunt        cases by seed and number, what came of them, peak memory
"""
