"""Screens that hold a release beside what it was made from. For the owner only:

origins    what each release of the folder was made from
utility    what somebody who works with the release still finds
risk       what the three attackers find, before and after
"""
