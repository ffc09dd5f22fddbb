"""Compiled kernels: kept wherever they can be, loaded from where they are, compiled once by processes that start together."""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dojo_py import announce, kernel_cache
from dojo_py.announce import Announcement
from dojo_py.compiler import compiling

pytestmark = pytest.mark.skipif(not compiling(), reason="nothing is compiled: NUMBA_DISABLE_JIT")

MODULE = """
from dojo_py.jit import entry

@entry
def double(x):
    return 2 * x
"""
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from tiny import double
fresh = double._cache.fresh()
assert double(3) == 6
count = sum(double.stats.cache_misses.values())
assert fresh == (count == 0) or len(sys.argv) > 2
print(count)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tiny.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "kept").mkdir()
    return tmp_path


def start(folder, script=SCRIPT, more=(), **variables):
    keep = {"NUMBA_CACHE_DIR": str(folder / "kept"), **variables}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", script, str(folder), *more], env=os.environ | keep, **pipes)


def misses(process):
    """Versions that a process had to compile, and what it said."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return int(out.split()[-1]), err


def test_two_processes_at_once_compile_once(folder):
    together = [start(folder, more=["another compiles it meanwhile"]) for _ in range(2)]
    assert sorted(misses(process)[0] for process in together) == [0, 1]


def test_a_copy_of_the_sources_elsewhere_compiles_nothing(folder, tmp_path):
    assert misses(start(folder))[0] == 1
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    shutil.copy(folder / "tiny.py", copy)
    assert misses(start(copy, NUMBA_CACHE_DIR=str(folder / "kept")))[0] == 0


def test_old_versions_of_changed_sources_go(folder):
    for number in range(kernel_cache.MOST_VERSIONS + 2):
        version = folder / "kept" / "tiny" / f"version {number}"
        version.mkdir(parents=True)
        os.utime(version, (number, number))
    assert misses(start(folder))[0] == 1
    kept = sorted(found.name for found in (folder / "kept" / "tiny").iterdir())
    assert len(kept) == kernel_cache.MOST_VERSIONS and "version 2" not in kept and "version 3" in kept


def test_another_processor_gets_its_own_version_beside_the_first(folder):
    assert misses(start(folder))[0] == 1
    assert misses(start(folder, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES=""))[0] == 1
    assert misses(start(folder))[0] == 0
    assert misses(start(folder, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES=""))[0] == 0
    assert len(list(folder.rglob("*.nbc"))) == 2


@pytest.fixture
def compiled(folder, monkeypatch):
    """A function: import the entry afresh, call it, return how many versions had to be compiled."""
    monkeypatch.setattr("numba.config.CACHE_DIR", str(folder / "kept"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "home"))
    monkeypatch.setattr(kernel_cache.tempfile, "gettempdir", lambda: str(folder / "temporary"))
    (folder / "temporary").mkdir()
    kernel_cache.say_once.cache_clear()

    def compiled():
        kernel_cache.writable.cache_clear()
        spec = importlib.util.spec_from_file_location("tiny", folder / "tiny.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert module.double(3) == 6
        return sum(module.double.stats.cache_misses.values())

    return compiled


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
def test_damaged_files_are_written_anew(folder, compiled, kind):
    assert compiled() == 1 and compiled() == 0
    (file,) = (folder / "kept").rglob(kind)
    file.write_bytes(file.read_bytes()[:20])
    assert compiled() == 1 and compiled() == 0


def closed(monkeypatch, *words):
    """Folders whose path has such a word cannot be written. (Permissions do not hold root back.)"""
    plain = kernel_cache.writable

    def check(folder):
        return not any(word in str(folder) for word in words) and plain(folder)

    check.cache_clear = plain.cache_clear
    monkeypatch.setattr(kernel_cache, "writable", check)


def test_a_read_only_folder_is_loaded_from_and_another_one_written(folder, compiled):
    with pytest.MonkeyPatch.context() as patch:
        closed(patch, "kept")
        assert compiled() == 1 and compiled() == 0  # nothing there yet: kept in the user's folder
    assert list((folder / "home").rglob("*.nbc")) and not list((folder / "kept").rglob("*.nbc"))
    assert compiled() == 1  # the owner fills the shared folder
    shutil.rmtree(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        closed(patch, "kept", "home")
        assert compiled() == 0
        assert compiled() == 0 and not list((folder / "temporary").rglob("*.nbc"))


def test_the_temporary_directory_is_the_last_resort_but_one(folder, compiled, monkeypatch, capsys):
    closed(monkeypatch, "kept", "home")
    assert compiled() == 1 and compiled() == 0 and list((folder / "temporary").rglob("*.nbc"))
    closed(monkeypatch, "kept", "home", "temporary")
    shutil.rmtree(folder / "temporary")
    assert compiled() == 1 and compiled() == 1
    said = capsys.readouterr().err
    told = [line for line in said.splitlines() if "set NUMBA_CACHE_DIR" in line]  # (others say how long a slow compilation took)
    assert len(told) == 1 and told[0].startswith("dojo_py: no folder")


def test_a_full_disk_is_told_once(compiled, monkeypatch, capsys):
    def save(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", save)
    assert compiled() == 1 and compiled() == 1
    assert capsys.readouterr().err.count("No space left on device") == 1


def test_the_folder_in_the_temporary_directory_is_private(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache.tempfile, "gettempdir", lambda: str(tmp_path))
    kernel_cache.writable.cache_clear()
    mine = kernel_cache.private_folder()
    assert kernel_cache.writable(mine / "x") and (mine.stat().st_mode & 0o077) == 0
    kernel_cache.writable.cache_clear()
    (mine / "x").rmdir()
    mine.rmdir()
    (tmp_path / "elsewhere").mkdir()
    mine.symlink_to(tmp_path / "elsewhere")
    assert not kernel_cache.writable(mine / "x")
    kernel_cache.writable.cache_clear()


def test_who_finds_a_lock_waits_and_is_told(tmp_path):
    hold = "import sys, time, pathlib; from dojo_py.kernel_cache import locked\n"
    hold += "with locked(pathlib.Path(sys.argv[1]) / 'lock', print):\n    print(); time.sleep(2)"
    holder = start(tmp_path, hold, PYTHONUNBUFFERED="1")
    assert holder.stdout.readline() == "\n"
    told, began = [], time.monotonic()
    with kernel_cache.locked(tmp_path / "lock", lambda: told.append(1)):
        waited = time.monotonic() - began
    assert told and 0.9 < waited < 30.0
    with kernel_cache.locked(tmp_path / "nowhere" / "lock", pytest.fail):  # cannot be locked: nobody waits
        pass
    holder.communicate(timeout=30)
    assert holder.returncode == 0


def test_compiling_is_announced_once_with_its_time(capsys, monkeypatch):
    monkeypatch.setattr("dojo_py.announce.PATIENCE", 0.05)
    announcement = Announcement()
    with announcement.around(compiling=False):
        time.sleep(0.1)
    assert capsys.readouterr().err == ""  # loading
    for _ in range(2):
        with announcement.around(compiling=False), announcement.around():
            time.sleep(0.15)
    said = capsys.readouterr().err
    assert said.count("compiling kernels, once") == 1 and said.count("kernels compiled in 0 s") == 2
    with announcement.around(compiling=False, subject="derivatives"), announcement.around():
        time.sleep(0.15)
    with announcement.around(compiling=False), announcement.around(subject="derivatives"):  # part of the first
        time.sleep(0.15)
    said = capsys.readouterr().err
    assert said.count("compiling kernels of derivatives, once") == said.count("kernels of derivatives compiled in 0 s") == 1
    assert said.count("dojo_py: kernels compiled in 0 s") == 1


def test_a_terminal_sees_the_count(capsys, monkeypatch):
    monkeypatch.setattr("dojo_py.announce.PATIENCE", 0.05)
    monkeypatch.setattr("dojo_py.announce.TICK", 0.05)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    announcement = Announcement()
    announcement.functions = 7
    with announcement.around():
        time.sleep(0.4)
    said = capsys.readouterr().err
    assert said.count("\r") >= 3 and "7 functions, 0 s" in said and said.endswith("\n")


def test_a_terminal_sees_how_far_a_known_piece_is(monkeypatch):
    """Measured counts of a first use in one process; numba compiles more where the pieces before come from the cache."""
    monkeypatch.setitem(announce.FUNCTIONS, "steps", 20)
    announcement = Announcement()
    announcement.functions = 7
    with announcement.around(subject="steps"):
        announcement.functions = 12
        assert announcement._count() == "5 of some 20 functions"
        announcement.functions = 27
        assert announcement._count() == "20 functions, being optimised"
        announcement.functions = 60
        assert announcement._count() == "53 functions"


def test_the_stamp_covers_every_file_with_kernels():
    from dojo_py import environments, jit

    root, covered = Path(jit.__file__).parent, set(jit.kernel_files())
    places = [*root.rglob("*.py"), *(Path(environments.__file__).parent.rglob("*.py"))]
    kernels = {file for file in places if "from dojo_py.jit import" in file.read_text(encoding="utf-8")}
    assert len(kernels) > 100 and kernels <= covered, sorted(kernels - covered)


def test_the_stamp_of_an_entry_covers_all_kernels_that_it_calls():
    """Beside the imports that the stamp follows, what the functions themselves refer to."""
    from dojo_py import jit

    for module in ("hard.rollout", "hard.gradients.step_jacobian", "soft.kernels"):
        importlib.import_module(f"dojo_py.{module}")

    def called(function):
        found, ahead = set(), [function]
        while ahead:
            one = ahead.pop()
            if one not in found:
                found.add(one)
                named = (one.__globals__.get(name) for name in one.__code__.co_names)
                ahead += [f for f in (getattr(n, "py_func", n) for n in named) if getattr(f, "__module__", "").startswith("dojo_py")
                          and hasattr(f, "__code__")]  # fmt: skip
        return found

    functions = [entry.py_func for entry in jit.ENTRIES]
    assert len(functions) >= 10
    for function in functions:
        sources = set(jit.sources_of(Path(function.__code__.co_filename)))
        beyond = {Path(f.__code__.co_filename) for f in called(function)} & set(jit.kernel_files()) - sources
        assert not beyond, (function.__qualname__, beyond)
    by_name = {function.__name__: len(jit.sources_of(Path(function.__code__.co_filename))) for function in functions}
    assert by_name["roll_out"] < len(jit.kernel_files())
