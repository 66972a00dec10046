"""Kernels are compiled again when what they import has changed; compiling is announced once for processes together."""

import subprocess
import sys
import time

from confide.core.runtime.jit import first_to_say


def test_only_the_first_of_several_processes_speaks(tmp_path):
    assert first_to_say(tmp_path)
    assert not first_to_say(tmp_path)
    assert not first_to_say(tmp_path, now=time.time() + 60)
    assert first_to_say(tmp_path, now=time.time() + 600)


def test_where_no_mark_can_be_left_it_is_said(tmp_path):
    assert first_to_say(tmp_path / "absent")
    assert first_to_say(tmp_path / "absent")


INNER = """
from confide.core.runtime.jit import kernel
@kernel
def more(x):
    return x + {}
"""
OUTER = """
from confide.core.runtime.jit import kernel
from {} import more
@kernel
def {}(x):
    return more(x) * 10
"""


def test_a_kernel_is_compiled_again_when_one_it_imports_has_changed(tmp_path):
    """Two files away, too. Numba alone looks at the kernel's own file, and would go on with the old number."""
    (tmp_path / "middle.py").write_text(OUTER.format("inner", "twice").replace("more(x) * 10", "more(more(x))"))
    (tmp_path / "outer.py").write_text(OUTER.format("middle", "tens").replace("more", "twice"))
    script = "import outer; print(outer.tens(0), bool(outer.tens.stats.cache_hits))"
    for changed, added in ((True, 1), (False, 1), (True, 4), (False, 4)):
        if changed:
            (tmp_path / "inner.py").write_text(INNER.format(added))
        done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == f"{20 * added} {not changed}\n", done.stderr
