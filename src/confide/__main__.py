"""`python -m confide`: the same as the command `confide`."""

from confide.cli import main

main()
