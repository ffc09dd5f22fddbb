"""How every kernel is compiled: the decorators' options, and a disk cache that follows all sources.

`kernel`: called by other kernels only, and compiled together with the entry above it (passes.py). It counts no references to
arrays, which took a quarter of a hard step; so it cannot allocate, assign one array to a slice of another (arrays.py copies), or
return a view.
`counted_kernel`: one that can; it is called by no `kernel`, for which references are not counted in all that it calls, either.
`pasted`: a few lines pasted into their callers, which may return a view.
`entry`: what Python calls; cached on disk together with all it calls, and compiled anew when any source of a kernel changes (numba
itself looks only at the file of the entry function).
"""

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit, types

from dojo_py.announce import ANNOUNCEMENT, count_functions
from dojo_py.compiler import REPLACED, compiling
from dojo_py.kernel_cache import KernelCache

OPTIONS: dict[str, Any] = {"error_model": "numpy"}
"""No fastmath: contracted products depend on what was inlined; a process that compiles would get other bits than one that loads."""

_KERNEL: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_ENTRY: dict[str, Any] = {"no_cfunc_wrapper": True, "nogil": True}
if REPLACED:
    from dojo_py.passes import EntryCompiler, KernelCompiler

    _KERNEL["pipeline_class"], _ENTRY["pipeline_class"] = KernelCompiler, EntryCompiler

_plain_kernel = njit(_nrt=False, **_KERNEL, **OPTIONS)


def kernel(function: Callable[..., Any]) -> Any:
    """A kernel, compiled once for each set of argument types: a constant argument is a number like others.

    numba by itself compiles a version for every constant; LLVM sees constants through inlined calls anyway.
    """
    dispatcher: Any = _plain_kernel(function)
    if compiling():
        template = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: template(
            tuple(types.unliteral(a) for a in args), {name: types.unliteral(a) for name, a in kws.items()}
        )
    return dispatcher


counted_kernel = njit(**_KERNEL, **OPTIONS)
pasted: Any = njit(inline="always", **OPTIONS)


FILES = (
    "arrays.py", "by_address.py", "compiler.py", "disjoint_sets.py", "handles.py", "indices.py", "jit.py",
    "mechanism/enums.py", "passes.py", "policy/loop_counts.py", "simulate/status.py",
)  # fmt: skip
ROOMS = (
    "actuation/*.py", "algebra/*.py", "collision/**/*.py", "drawing/*.py", "fluid/*.py", "hard/**/*.py", "solver/**/*.py",
    "soft/**/*.py", "mechanism/wrapping.py",
)  # fmt: skip
"""Where kernels live, and the constants they are compiled with."""
ABOVE = ("planning/*_kernels.py", "policy/*_kernels.py", "environments/**/*_kernels.py")
"""Kernels between the steps of plans and closed loops. Folders in the package where it is installed, some beside it in the
repository."""


def kernel_files() -> list[Path]:
    """The files that kernels are compiled from, sorted."""
    root = Path(__file__).parent
    inside = [file for pattern in (*FILES, *ROOMS, *ABOVE) for file in root.glob(pattern)]
    beside = [] if (root / "environments").is_dir() else [file for pattern in ABOVE for file in root.parent.glob(pattern)]
    return sorted(inside + beside)


_IMPORT = re.compile(rb"^\s*(?:from|import)\s+dojo_py\.([\w.]+)(?:\s+import\s+(\([^)]*\)|[^\n]*))?", re.MULTILINE)


@cache
def _text(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


@cache
def _by_module() -> dict[str, Path]:
    """The file of each module that kernels live in, by its name without `dojo_py.`."""
    top = Path(__file__).parent.parent
    return {".".join(file.relative_to(top).with_suffix("").parts).removeprefix("dojo_py."): file for file in kernel_files()}


@cache
def _imported(file: Path) -> tuple[Path, ...]:
    """Files of kernels that a file imports from: modules, and names in packages that are modules."""
    modules = _by_module()
    found = []
    for package, names in _IMPORT.findall(_text(file)):
        base = package.decode()
        found += [base, *(f"{base}.{name.decode()}" for name in re.findall(rb"\w+", names))]
    return tuple(modules[name] for name in found if name in modules)


def sources_of(file: Path) -> list[Path]:
    """A file and all that kernels in it can be compiled from: what it imports, what that imports, and so on; sorted."""
    found, open_files = {file}, [file]
    while open_files:
        for further in _imported(open_files.pop()):
            if further not in found:
                found.add(further)
                open_files.append(further)
    return sorted(found)


@cache
def stamp_of(file: Path) -> bytes:
    """Hash of the sources that the entries of a file are compiled from: what was copied or installed anew is not compiled anew."""
    found = hashlib.sha256()
    always = [_by_module()[name] for name in ("compiler", "handles", "indices", "jit", "passes")]
    for source in [*always, *sources_of(file)]:
        found.update(source.name.encode() + b"\0" + _text(source))
    return found.digest()


ENTRIES: list[Any] = []
"""All entries of the modules imported so far; their `_cache` is a KernelCache."""


def entry(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function that Python calls, with a cache on disk. no_cfunc_wrapper=False: C can call it too, by its address."""
    if function is None:
        return lambda f: entry(f, **options)
    dispatcher: Any = njit(**{**_ENTRY, **OPTIONS, **options})(function)
    if compiling():
        kept = dispatcher._cache = KernelCache(function, stamp_of(Path(function.__code__.co_filename)))
        dispatcher.compile = _announced(dispatcher, kept, dispatcher.compile)
        ENTRIES.append(dispatcher)
    return dispatcher


def _announced(dispatcher: Any, kept: KernelCache, compile_or_load: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """numba's `compile` of a dispatcher: one process at a time, and the user is told when it takes long."""

    def compile(signature: Any) -> Any:
        with kept.alone(), ANNOUNCEMENT.around(compiling=not kept.fresh()):
            return compile_or_load(signature)

    return compile


if compiling():
    count_functions()
