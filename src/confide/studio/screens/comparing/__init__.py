"""Screens that hold things beside each other. For the owner only:

origins    what each release of the folder was made from
utility    what somebody who works with the release still finds
risk       what the three attackers find, before and after
many_runs  methods by settings: many runs in one list, one chart, one table
"""
