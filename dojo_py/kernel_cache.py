"""Where compiled kernels are kept: the first folder that can be written, whatever else is shared, read-only, full or damaged.

In order: NUMBA_CACHE_DIR when it is set, `__pycache__` beside the kernel's source, the user's cache folder, a private folder of
the temporary directory. A folder that can only be read (a shared installation, an image of a container) is looked into before
the one that is written. In folders that several installations share, kernels are found by what they are compiled from, not by
where it lies: a second environment, or a copy of the repository, compiles nothing anew. Kernels with checked
indices (NUMBA_BOUNDSCHECK, indices.py) lie only there, apart from others. One process compiles an entry while
others that need it wait and load what it made. A file holds versions for several processors; numba compiles another one when
the processor is new.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any

import numba
from numba import config
from numba.core import caching
from numba.misc.appdirs import AppDirs

_CONFIG: Any = config
_CACHING: Any = caching
POLL = 0.2
"""Seconds between two looks at a lock that another process holds."""
PATIENCE = 1.0
"""Seconds of waiting for another process after which the user is told."""


MOST_VERSIONS = 16
"""Versions of one source file's kernels in a shared folder; the oldest go when a new one comes."""


def folders_of(module: str, source: Path, stamp: bytes) -> list[Path]:
    """Folders in which the kernels of a source file may be kept, best first."""
    checked = b"checked" if _CONFIG.BOUNDSCHECK else b""
    content = hashlib.sha256(stamp + numba.__version__.encode() + checked).hexdigest()[:16]
    shared = [Path(AppDirs(appname="numba", appauthor=False).user_cache_dir), private_folder()]
    own = [] if _CONFIG.CACHE_DIR or checked else [source.parent / "__pycache__"]
    if _CONFIG.CACHE_DIR:
        shared.insert(0, Path(_CONFIG.CACHE_DIR))
    return own + [folder / module / content for folder in shared]


def drop_old_versions(folder: Path) -> None:
    """Of a shared folder's versions of the same source keep the newest."""
    versions = sorted(folder.parent.iterdir(), key=lambda found: found.stat().st_mtime, reverse=True)
    for old in versions[MOST_VERSIONS:]:
        shutil.rmtree(old, ignore_errors=True)


def private_folder() -> Path:
    """A folder of this user in the temporary directory."""
    try:
        user = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = "user"
    return Path(tempfile.gettempdir()) / f"dojo_py-kernels-{user}"


@cache
def writable(folder: Path) -> bool:
    """Whether files can be made there; makes the folder. What is loaded is run: the temporary one must be this user's alone."""
    try:
        private = private_folder()
        if folder.is_relative_to(private):
            private.mkdir(mode=0o700, parents=True, exist_ok=True)
            if private.is_symlink() or (hasattr(os, "getuid") and private.stat().st_uid != os.getuid()):
                return False
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def say(text: str) -> None:
    """One line to the user."""
    print(f"dojo_py: {text}", file=sys.stderr, flush=True)


@cache
def say_once(text: str) -> None:
    """One line to the user, once in a process."""
    say(text)


class _Place:
    """What numba calls a locator: of one source file and one folder."""

    def __init__(self, folder: Path, source: Path, line: int, stamp: Any):
        self.folder, self._py_file, self.line, self.stamp = folder, str(source), line, stamp

    def from_function(self, function: Any, file: str) -> _Place:
        return self

    def ensure_cache_path(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> Any:
        return self.stamp

    def get_disambiguator(self) -> str:
        return str(self.line)


def _cache_at(function: Any, place: _Place) -> Any:
    """numba's cache of a function in one folder."""
    kind = type("PlacedImpl", (_CACHING.CompileResultCacheImpl,), {"_locator_classes": [place]})
    return type("PlacedCache", (_CACHING.FunctionCache,), {"_impl_class": kind})(function)


class KernelCache:
    """The cache of one entry, in place of numba's: read-only folders that hold it, and one to write to, if any can be written.

    stamp: a hash of the sources that the entry is compiled from.
    """

    def __init__(self, function: Any, stamp: bytes):
        source, line = Path(function.__code__.co_filename), function.__code__.co_firstlineno
        self.name = function.__qualname__
        self.own: Any = None
        self.shelves: list[Any] = []
        for folder in folders_of(function.__module__, source, stamp):
            if writable(folder):
                self.own = _cache_at(function, _Place(folder, source, line, stamp))
                break
            if folder.is_dir():
                self.shelves.append(_cache_at(function, _Place(folder, source, line, stamp)))

    @property
    def cache_path(self) -> str | None:
        """The folder that is written to."""
        return None if self.own is None else str(self.own.cache_path)

    def index(self, cache: Any) -> Path:
        """The file that lists the versions kept."""
        return Path(cache.cache_path) / f"{cache._impl.filename_base}.nbi"

    def fresh(self) -> bool:
        """Whether a version of the present sources is kept for this processor."""
        from numba.core.registry import cpu_target

        processor = cpu_target.target_context.codegen().magic_tuple()
        for kept in [*self.shelves, self.own]:
            with contextlib.suppress(Exception):  # a damaged file holds none
                if kept is not None and any(processor in key for key in kept._cache_file._load_index()):
                    return True
        return False

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled version for a signature and this processor, or None."""
        for shelf in self.shelves:
            with contextlib.suppress(Exception):  # of whatever numba or version
                found = shelf.load_overload(signature, target)
                if found is not None:
                    return found
        if self.own is None:
            return None
        try:
            return self.own.load_overload(signature, target)
        except Exception:  # cut short by a full disk or a killed process: compiled anew, and written over
            with contextlib.suppress(OSError):
                self.own.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled version, if it can be kept."""
        if self.own is None:
            say_once("no folder for compiled kernels can be written; every process compiles them: set NUMBA_CACHE_DIR")
            return
        try:
            self.own.save_overload(signature, compiled)
            if Path(self.own.cache_path).name != "__pycache__":
                drop_old_versions(Path(self.own.cache_path))
        except OSError as error:
            say_once(f"compiled kernels cannot be kept in {self.own.cache_path}: {error.strerror or error}; set NUMBA_CACHE_DIR")

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """No other process compiles or writes this entry while the block lasts."""
        if self.own is None:
            yield
            return
        lock = self.index(self.own).with_suffix(".lock")
        with locked(lock, lambda: say_once("another process compiles kernels; waiting for it")):
            yield

    # what numba asks of a cache besides

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Forget what is kept in the folder that is written to."""
        if self.own is not None:
            self.own.flush()


@contextlib.contextmanager
def locked(file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold a lock file, which the system frees when the process ends. Where files cannot be locked, nobody waits."""
    stream: IO[bytes] | None = None
    try:
        stream = open(file, "ab")
        began = time.monotonic()
        while not _try_lock(stream):
            if time.monotonic() - began > PATIENCE:
                waiting()
            time.sleep(POLL)
    except OSError:  # network file systems without locks
        pass
    try:
        yield
    finally:
        if stream is not None:
            stream.close()


def _try_lock(stream: IO[bytes]) -> bool:
    """False while somebody else holds it; OSError where there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
