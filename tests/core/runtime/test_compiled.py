"""Kernels are compiled again when what they import has changed; compiling is announced once for processes together."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from confide.core.runtime.compiled import first_to_say


def test_only_the_first_of_several_processes_speaks(tmp_path):
    assert first_to_say(tmp_path)
    assert not first_to_say(tmp_path)
    assert not first_to_say(tmp_path, now=time.time() + 60)
    assert first_to_say(tmp_path, now=time.time() + 600)


def test_where_no_mark_can_be_left_it_is_said(tmp_path):
    assert first_to_say(tmp_path / "absent")
    assert first_to_say(tmp_path / "absent")


PLACES = "FIRST, SECOND = {}, 7"
INNER = """
from confide.core.runtime.jit import kernel
from made import places
from made.places import (
    FIRST,
)
@kernel
def more(x):
    return x + {}
"""
OUTER = """
from confide.core.runtime.jit import kernel
from made.{} import {}
@kernel
def {}(x):
    return {}
"""
ANSWER = "from made.outer import tens; print(tens(0), bool(tens.stats.cache_hits))"


def test_a_kernel_is_compiled_again_when_what_it_imports_has_changed(tmp_path):
    """Two files away; a kernel, or only a constant. Numba alone looks at the kernel's own file, and would go on."""
    home = tmp_path / "made"
    home.mkdir()
    (home / "__init__.py").touch()
    (home / "middle.py").write_text(OUTER.format("inner", "more", "twice", "more(more(x))"))
    (home / "outer.py").write_text(OUTER.format("middle", "twice", "tens", "twice(x) * 10"))
    last = None
    for first, added in ((1, "FIRST"), (1, "FIRST"), (3, "FIRST"), (3, "FIRST"), (3, "2 * FIRST"), (3, "2 * FIRST")):
        if (first, added) != last:
            (home / "places.py").write_text(PLACES.format(first))
            (home / "inner.py").write_text(INNER.format(added))
        done = subprocess.run([sys.executable, "-c", ANSWER], cwd=tmp_path, capture_output=True, text=True)
        meant = 20 * first * (2 if "2" in added else 1)
        assert done.stdout == f"{meant} {(first, added) == last}\n", done.stderr
        last = first, added


def test_every_kernel_of_ours_knows_of_the_layouts_and_constants_it_imports():
    """`_layout` holds constants alone: whoever changes a place there must not meet a kernel of the old places."""
    from confide.core.runtime.compiled import _source
    from confide.mining.window import _layout, _set_kernels

    assert _set_kernels.__name__ in sys.modules
    read, before = Path.read_text, _source(_set_kernels.__name__)

    def changed(path, *options):
        return read(path, *options) + ("# moved" if path.name == Path(_layout.__file__).name else "")

    _source.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_text", changed)
        assert _source(_set_kernels.__name__) != before
    _source.cache_clear()
    assert _source(_set_kernels.__name__) == before


TUPLED = """
from typing import NamedTuple
from confide.core.runtime.jit import kernel
class {0}(NamedTuple):
    x: int
@kernel
def take(pair):
    return pair.x
if __name__ != "__main__":
    print(take({0}(3)), bool(take.stats.cache_hits))
"""


def test_what_is_kept_of_a_tuple_that_has_another_name_now_is_not_read(tmp_path):
    """Numba keeps the tuple's name in its index: unpickled after an update, it would not be found."""
    for name in ("Old", "Old", "Renamed"):
        (tmp_path / "tupled.py").write_text(TUPLED.format(name))
        done = subprocess.run([sys.executable, "-c", "import tupled"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout.split()[:1]) == (0, ["3"]), done.stderr


RACING = """
import sys
import numpy as np
from confide.core.runtime.jit import kernel
@kernel
def add_up(values):
    total = values[0]
    for i in range(1, len(values)):
        total += values[i]
    return total
if __name__ != "__main__":
    types = [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64]
    mine = types[int(sys.argv[1]) :] + types[: int(sys.argv[1])]
    print(sum(float(add_up(np.arange(5).astype(kind))) for kind in mine), len(add_up.stats.cache_hits))
"""


def test_processes_that_compile_a_kernel_for_other_types_at_once_keep_them_apart(tmp_path):
    (tmp_path / "racing.py").write_text(RACING)
    command = [sys.executable, "-c", "import racing"]
    started = [subprocess.Popen([*command, str(n)], cwd=tmp_path, stdout=subprocess.PIPE, text=True) for n in range(4)]
    assert {child.communicate()[0].split()[0] for child in started} == {"60.0"}
    again = subprocess.run([*command, "0"], cwd=tmp_path, capture_output=True, text=True)
    assert again.stdout == "60.0 6\n", again.stderr
