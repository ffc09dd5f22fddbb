"""`save_mjcf`: a model or mechanism as an MJCF file that gives the same arrays when it is read, here and by the mujoco wheel."""

from __future__ import annotations

import dataclasses
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..mechanism.change import described
from ..mechanism.compile import compile_model
from ..mechanism.errors import ModelError, Problems
from ..mechanism.model import Model
from ..mechanism.model_arrays import NOT_IN_MUJOCO
from ..mechanism.spec import Mechanism
from ..whole_file import write_text
from .load import read_mechanism

ENDINGS = (".xml", ".mjcf", "")
TOLERANCE = 1e-12
"""Largest difference of an array after reading the file again, relative to max(1, |value|)."""

OF_INVERSE = ("body_invweight0", "dof_invweight0", "tendon_invweight0", "actuator_acc0")
"""Arrays that come from the inverse of the mass matrix M."""
MOST_ROUND_OFF = 1e-9
"""Largest difference that round-off in M excuses in them: M at poses as described and at poses reached from qpos0 differ by it."""


def save_mjcf(model: Model | Mechanism, path: str | PathLike) -> None:
    """Write an MJCF file. Reading it gives the same Model, array by array.

    A Model is written as the file or Mechanism that it was compiled from, with what `replace` changed. What is written is read and
    compiled before: where MJCF cannot say it, `ModelError` names the arrays, and no file is made. ValueError for a path with the
    ending of another format: MJCF ends in .xml or .mjcf.
    """
    if Path(path).suffix.lower() not in ENDINGS:
        raise ValueError(f"path: {path}: MJCF files end in .xml")
    text = mjcf(model)
    write_text(path, text)


def mjcf(model: Model | Mechanism) -> str:
    """The text that `save_mjcf` writes."""
    from .mjcf.writer import mjcf_text

    if isinstance(model, Mechanism):
        mechanism, expected = model, compile_model(model)
    elif isinstance(model, Model):
        mechanism, expected = described(model), model
    else:
        raise TypeError(f"model is a {type(model).__name__}, expected a Model or a Mechanism")
    text = mjcf_text(mechanism)
    problems = Problems("skip")
    again = compile_model(read_mechanism(text, problems))
    problems.raise_if_any()
    wrong = differing_arrays(again, expected)
    if wrong or problems.left_out:
        told = f"arrays that would differ: {wrong}" if wrong else "; ".join(str(record) for record in problems.left_out)
        raise ModelError(f"the model '{expected.name}' cannot be written as MJCF: {told}")
    return text


def differing_arrays(model: Model, other: Model, tolerance: float = TOLERANCE) -> list[str]:
    """Arrays, options, sizes and names of two models that differ by more than the tolerance, relative to max(1, |value|).

    Not what MuJoCo does not have and only draws (`NOT_IN_MUJOCO`).
    """
    out = []
    # M at poses as described and M at poses reached from qpos0 differ by round-off, of which M⁻¹ makes more
    condition = np.max(other.dof_M0, initial=0.0) * np.max(other.dof_invweight0, initial=0.0)
    of_inverse = tolerance + min(8.0 * np.finfo(float).eps * condition, MOST_ROUND_OFF)
    for prefix, a, b in (("", model, other), ("opt.", model.opt, other.opt), ("stat.", model.stat, other.stat)):
        names = [item.name for item in dataclasses.fields(a) if item.name not in ("source", "opt", "stat", *NOT_IN_MUJOCO)]
        for name in names:
            if not _same(getattr(a, name), getattr(b, name), of_inverse if name in OF_INVERSE else tolerance):
                out.append(prefix + name)
    return out


def _same(a: Any, b: Any, tolerance: float) -> bool:
    if not isinstance(a, (np.ndarray, int, float)) or isinstance(a, bool):
        return bool(a == b)
    x, y = np.asarray(a, float), np.asarray(b, float)
    return x.shape == y.shape and bool(np.all(np.abs(x - y) <= tolerance * np.maximum(1.0, np.abs(y))))
