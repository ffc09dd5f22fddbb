"""dojo_py: differentiable hard-contact physics. Public names are loaded on first use, so that importing stays fast."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

# Installed, `models` and `environments` lie inside this package; in a checkout, beside it. Python started in the
# checkout finds this folder before any installed one.
if not Path(__file__).with_name("models").is_dir():
    __path__.append(str(Path(__file__).parents[1]))

_EXPORTS = {
    "ModelError": "dojo_py.mechanism.errors",
    "UnsupportedWarning": "dojo_py.mechanism.errors",
    "Mechanism": "dojo_py.mechanism.spec",
    "Model": "dojo_py.mechanism.model",
    "compile_model": "dojo_py.mechanism.compile",
    "load_model": "dojo_py.formats",
    "load_mechanism": "dojo_py.formats",
    "save_mjcf": "dojo_py.formats",
    "overlaps": "dojo_py.overlapping",
    "exclude_overlaps": "dojo_py.overlapping",
    "HardSimulator": "dojo_py.hard.simulator",
    "HardOptions": "dojo_py.hard.options",
    "SoftSimulator": "dojo_py.soft",
    "Simulator": "dojo_py.simulate.simulator",
    "State": "dojo_py.simulate.results",
    "Ending": "dojo_py.simulate.ending",
    "Status": "dojo_py.simulate.status",
    "Trajectory": "dojo_py.simulate.trajectory",
    "load_trajectory": "dojo_py.simulate.trajectory",
    "SoftOptions": "dojo_py.soft",
}
"""Public name -> module that it is imported from."""

_ROOMS = ("environments", "formats", "identification", "jax", "models", "planning", "policy", "reproduce", "view")
"""Packages with public names, imported when they are first asked for."""

__all__ = ["__version__", *_EXPORTS]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'dojo_py' has no attribute '{name}'")
    value = getattr(importlib.import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
