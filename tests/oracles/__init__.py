"""Slow, plain twins of the fast code, written from the definitions: what the tests believe.

A twin has the name of the function it answers for. None of them imports the code it checks.
"""
