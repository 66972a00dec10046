"""One part of the demo as a process: python -m confide.cli.demos MODULE:FUNCTION FOLDER; prints the part as JSON."""

import sys
from pathlib import Path

from confide.core.stages import named

if __name__ == "__main__":
    part, folder = sys.argv[1:]
    sys.stdout.write(named(part)(Path(folder)).to_json())
