"""Build the wheel, with every kernel compiled for processors of x86-64-v3 and this Python and numba, and the sdist.

    python3 run.py build                    into dist/
    python tools/build.py --groups reading  a wheel that carries these kernels alone

On a machine of another kind the wheel carries nothing, and kernels are compiled where it is installed.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from confide.cli.kernels.groups import all_groups
from confide.core.carried.wheel import CARRY_INTO, FEATURES, LEVEL

ROOT = Path(__file__).resolve().parents[1]
CALL = "import sys; from confide.core.stages import named; named(sys.argv[1])()"  # leaves no stamp: kept elsewhere


def compile_kernels(groups: list[str], folder: Path) -> None:
    """Let each group's kernels be compiled in a process of its own, for that level, and put into the folder."""
    environment = os.environ | {
        CARRY_INTO: str(folder / "kernels"),
        "CONFIDE_KERNELS": "compiled",
        "NUMBA_CACHE_DIR": str(folder / "cache"),  # what kernels call is compiled once for all groups
        "NUMBA_CPU_NAME": LEVEL,
        "NUMBA_CPU_FEATURES": ",".join(f"+{feature}" for feature in FEATURES),
    }

    def compile_group(group: str) -> None:
        print(f"compiling {group.rpartition(':')[2]} ...", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-c", CALL, group], env=environment, check=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_group, groups))


def build(into: Path, groups: list[str]) -> list[Path]:
    """Build both files, and give their paths."""
    plugins = PluginManager()
    metadata = ProjectMetadata(str(ROOT), plugins)
    config = metadata.hatch.config
    with tempfile.TemporaryDirectory() as scratch:
        if groups and platform.machine() == "x86_64":
            compile_kernels(groups, Path(scratch))
            carried = {str(Path(scratch, "kernels")): "confide/core/carried"}
            config["build"]["targets"]["wheel"]["force-include"] = carried
        builders = [kind(str(ROOT), plugins, config, metadata) for kind in (SdistBuilder, WheelBuilder)]
        return [Path(made) for builder in builders for made in builder.build(directory=str(into))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=ROOT / "dist")
    parser.add_argument("--groups", nargs="*", help="last parts of names, as in core/stages.py; default: all")
    options = parser.parse_args()
    known = {group.rpartition(":")[2]: group for group in all_groups()}
    for file in build(options.into, list(known.values() if options.groups is None else map(known.get, options.groups))):
        print(file)
