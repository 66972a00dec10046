"""A wheel carries kernels; they are used where the processor can run them and nobody else can have changed them."""

import os
import platform
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from tests.patience import LONG

from confide.core.carried import wheel as carried

ROOT = Path(__file__).parents[3]
USE = """
import confide, sys
from numba.core import event

class Heard(event.Listener):
    def on_start(self, event): print("compiling", event.data["dispatcher"])
    def on_end(self, event): pass

event.register("numba:compile", Heard())
from confide.cli.kernels.groups import search
from confide.cli.kernels.readiness import are_compiled
print(confide.__file__, are_compiled(["any"]))
search()
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel with the kernels of one group, and the sdist."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("wheels carry kernels for x86-64 alone")
    into = tmp_path_factory.mktemp("dist")
    command = [sys.executable, str(ROOT / "tools" / "build.py"), "--groups", "search", "--into", str(into)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(command, cwd=into, env=environment, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    return sorted(into.iterdir())


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The Python of a fresh environment in which the wheel is installed; what it needs is seen, our sources are not."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    (wheel,) = [file for file in built if file.suffix == ".whl"]
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--no-compile", str(wheel)], check=True, timeout=LONG)
    import numba

    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "needed.pth").write_text(str(Path(numba.__file__).parents[1]))
    return python


def use(python, home):
    """What a process says that calls every kernel of the group; nothing of this one is handed down."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "CONFIDE_KERNELS": "compiled"}
    done = subprocess.run([python, "-I", "-c", USE], env=environment, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    first, *compiled = done.stdout.splitlines()
    return first, compiled


def test_an_installed_wheel_compiles_nothing(installed, tmp_path):
    first, compiled = use(installed, tmp_path)
    assert first == f"{next(installed.parents[1].glob('lib/python*/site-packages/confide/__init__.py'))} True"
    assert compiled == []


def test_kernels_that_others_could_have_changed_are_compiled_here_instead(installed, tmp_path):
    (folder,) = installed.parents[1].glob("lib/python*/site-packages/confide/core/carried")
    folder.chmod(0o777)
    try:
        first, compiled = use(installed, tmp_path)
    finally:
        folder.chmod(0o755)
    assert first.endswith(" False")
    assert compiled


def test_neither_file_names_a_folder_of_the_machine_that_built_it(built):
    for file in built:
        if file.suffix == ".whl":
            held = zipfile.ZipFile(file)
            contents = [held.read(name) for name in held.namelist()]
            assert sum(name.endswith(".kernel") for name in held.namelist()) > 1
        else:
            with tarfile.open(file) as archive:
                names = [member.name.partition("/")[2] for member in archive]
                assert {"pyproject.toml", "run.py", "tools/build.py", "src/confide/__init__.py"} <= set(names)
                contents = []
        assert not [text for text in contents if str(ROOT).encode() in text or str(Path.home()).encode() + b"/" in text]


@pytest.mark.parametrize(("mode", "ours"), [(0o755, True), (0o700, True), (0o777, False), (0o1777, True)])
def test_a_folder_that_others_can_write_to_is_not_ours(tmp_path, mode, ours):
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    inner.parent.chmod(mode)
    assert carried.only_ours(inner) is ours


def test_a_group_with_others_in_it_is_not_ours(tmp_path, monkeypatch):
    tmp_path.chmod(0o775)
    monkeypatch.setattr(carried, "_is_private", lambda group: False)
    assert not carried.only_ours(tmp_path)


def test_a_processor_without_a_feature_gets_nothing(tmp_path, monkeypatch):
    (tmp_path / carried.built_for()).mkdir()
    monkeypatch.setattr(carried, "CARRIED", tmp_path)
    has = dict.fromkeys(carried.FEATURES, True)
    for lacking, folder in ((None, tmp_path / carried.built_for()), ("avx2", None)):
        carried.carried_folder.cache_clear()
        monkeypatch.setattr(carried.llvm, "get_host_cpu_features", lambda lacking=lacking: has | {lacking: False})
        assert carried.carried_folder() == folder
    carried.carried_folder.cache_clear()


def test_another_source_or_other_types_are_another_kernel():
    names = {carried._name(test_another_source_or_other_types_are_another_kernel, *key) for key in ("ab", "ac", "bb")}
    assert len(names) == 3
