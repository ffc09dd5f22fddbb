"""Whether kernels are compiled, and in which way: numba's own, or faster by passes.py where the version is one that CI tries."""

import os
from typing import Any

import numba
from numba import config

_CONFIG: Any = config
TRIED = ("0.60", "0.68")
"""Versions of numba in CI: the oldest and the newest that pyproject.toml allows."""
REPLACED = numba.__version__.rpartition(".")[0] in TRIED and not os.environ.get("DOJO_PY_PLAIN_NUMBA")
"""Whether numba's passes are replaced. With other versions it compiles its own way, which takes several times as long."""


def compiling() -> bool:
    """False when NUMBA_DISABLE_JIT is set: kernels then run as plain Python, on tuples in place of structs."""
    return not _CONFIG.DISABLE_JIT
