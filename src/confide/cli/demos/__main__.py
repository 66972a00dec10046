"""One part of the demo as a process: python -m confide.cli.demos STAGE FOLDER; prints the part as JSON."""

import sys
from pathlib import Path

from confide.core.stages import STAGES, named

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    sys.stdout.write(named(str(STAGES[name].demo))(Path(folder)).to_json())
