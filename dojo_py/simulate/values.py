"""Numbers, arrays and texts from the user: one function a kind, each with the name of the argument in its error.

What is a number in Python or numpy is taken, whatever its width, order or memory layout; texts, complex numbers and objects are
refused, also where numpy would convert them.
"""

from __future__ import annotations

import dataclasses
import errno
import inspect
import operator
import os
from collections.abc import Collection, Sequence
from os import PathLike
from typing import Any

import numpy as np

Array = np.ndarray
_DOUBLE = np.dtype(float)
EPSILON = float(np.finfo(float).eps)
"""Machine epsilon of double precision."""
LONGEST = 60
"""Characters of a wrong value that an error repeats."""


def shown(value: Any) -> str:
    """The value as an error message shows it, cut to a readable length."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object that cannot even be printed
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def real_array(name: str, value: Any) -> Array:
    """A fresh C-contiguous float64 array of real numbers, of any shape; ValueError for anything else."""
    if type(value) is np.ndarray and value.dtype is _DOUBLE:
        return np.array(value, order="C")
    try:
        raw = np.asarray(value)
    except Exception as error:  # ragged lists, objects that fail to convert
        raise ValueError(f"{name} is not an array of numbers: {error}") from error
    if value is None:
        raise ValueError(f"{name} has shape (), it is None; expected an array of numbers")
    if raw.dtype.kind not in "iuf":
        what = {"c": "complex numbers", "b": "truth values", "U": "texts", "S": "bytes", "O": "objects"}
        raise ValueError(f"{name} is not an array of numbers but of {what.get(raw.dtype.kind, raw.dtype)}; expected real numbers")
    with np.errstate(over="ignore"):
        return np.array(raw, dtype=float, order="C")


def epsilon_of(value: Any) -> float:
    """Machine epsilon of numbers as they are given: 1.2e-7 of single precision, 2.2e-16 of double and of all else."""
    kind = np.asarray(value).dtype
    return max(float(np.finfo(kind).eps), EPSILON) if kind.kind == "f" else EPSILON


def vector(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A fresh float array of that shape with finite entries, or ValueError."""
    array = real_array(name, value)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has entries that are not finite")
    return array


def real_number(
    name: str, value: Any, *, above: float | None = None, least: float | None = None, most: float | None = None,
    infinite: bool = False, unit: str = "",
) -> float:  # fmt: skip
    """One real number: more than `above`, at least `least`, at most `most`, finite unless `infinite`; ValueError otherwise."""
    wanted = _wanted(above, least, most, infinite) + (f" [{unit}]" if unit else "")
    if isinstance(value, (bool, np.bool_)) or np.ndim(_plain(value)) != 0 or isinstance(value, (str, bytes)):
        raise ValueError(f"{name}={shown(value)} is not a number; it must be {wanted}")
    try:
        x = float(real_array(name, value))
    except ValueError:
        raise ValueError(f"{name}={shown(value)} is not a number; it must be {wanted}") from None
    fits = (above is None or x > above) and (least is None or x >= least) and (most is None or x <= most)
    if not fits or np.isnan(x) or (np.isinf(x) and not infinite):
        raise ValueError(f"{name}={shown(value)} must be {wanted}")
    return x


def _plain(value: Any) -> Any:
    """The value if numpy can tell how many axes it has, else one with two."""
    try:
        np.ndim(value)
    except Exception:
        return [[]]
    return value


def _wanted(above: float | None, least: float | None, most: float | None, infinite: bool) -> str:
    bounds = [f"greater than {above:g}"] if above else ["positive"] if above is not None else []
    bounds += [f"at least {least:g}"] if least is not None else []
    bounds += [f"at most {most:g}"] if most is not None else []
    return " and ".join(bounds + ([] if infinite else ["finite"])) or "a number"


def count(name: str, value: Any, least: int = 1, most: int | None = None, what: str = "an integer") -> int:
    """One integer of Python or numpy between the bounds, or ValueError."""
    wanted = what if least <= -(2**31) else f"{what}, at least {least}" + ("" if most is None else f" and at most {most}")
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        k = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}={shown(value)} must be {wanted}") from None
    if k < least or (most is not None and k > most):
        raise ValueError(f"{name}={shown(value)} must be {wanted}")
    return k


def text_of(name: str, value: Any, accepted: Collection[str] | None = None) -> str:
    """A text, one of those accepted; TypeError or ValueError otherwise."""
    if not isinstance(value, str):
        listed = "" if accepted is None else f", one of {list(accepted)}"
        raise TypeError(f"{name}={shown(value)} is a {type(value).__name__}, expected a text{listed}")
    if accepted is not None and value not in accepted:
        raise ValueError(f"{name}={shown(value)} is not one of {list(accepted)}")
    return str(value)


def having(name: str, value: Any, attributes: Sequence[str], expected: str) -> Any:
    """The value, which must have these attributes; TypeError says what is expected instead."""
    if isinstance(value, type) or not all(hasattr(value, attribute) for attribute in attributes):
        raise TypeError(f"{name}={shown(value)} is a {type(value).__name__}, expected {expected}")
    return value


def function_of(name: str, value: Any, arguments: Collection[str] = ()) -> Any:
    """The value, which must be callable, with as many arguments as named here, if any are; TypeError otherwise."""
    if not callable(value):
        raise TypeError(f"{name}={shown(value)} is a {type(value).__name__}, expected a function")
    if not arguments:
        return value
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # of some compiled functions nothing is known
        return value
    try:
        signature.bind(*arguments)
    except TypeError as error:
        told = f"{name}={shown(value)} takes {signature}, expected a function of ({', '.join(arguments)})"
        raise TypeError(f"{told}: {error}") from None
    return value


def truth_of(name: str, value: Any) -> bool:
    """True or False; TypeError for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={shown(value)} is a {type(value).__name__}, expected True or False")
    return bool(value)


def path_of(name: str, value: Any) -> str | PathLike:
    """A path as text or `os.PathLike`; TypeError otherwise (a number would be taken for an open file)."""
    if not isinstance(value, (str, PathLike)) or "\0" in str(value):
        raise TypeError(f"{name}={shown(value)} is a {type(value).__name__}, expected the path of a file")
    return value


def file_of(name: str, value: Any) -> str | PathLike:
    """The path of a file that is there; TypeError or OSError with the argument's name otherwise."""
    path = os.fspath(path_of(name, value))
    wrong = errno.ENOENT if not os.path.exists(path) else errno.EISDIR if os.path.isdir(path) else 0
    if wrong:
        raise OSError(wrong, f"{name}: {os.strerror(wrong)}", path)
    return value


def check_fields(options: Any, infinite: Collection[str] = (), prefix: str = "") -> None:
    """Types of a dataclass's plain fields, as annotated: float, int, bool, str, tuples of numbers, each perhaps None.

    Numbers of numpy become Python's. They must be finite, but for the fields in `infinite` and the ends of ranges. Fields annotated
    otherwise are left to the caller. prefix: of names in errors.
    """
    for item in dataclasses.fields(options):
        kind, value, name = str(item.type), getattr(options, item.name), prefix + item.name
        if kind.endswith("| None"):
            if value is None:
                continue
            kind = kind.removesuffix("| None").strip()
        if kind == "float":
            value = real_number(name, value, infinite=item.name in infinite)
        elif kind == "int":
            value = count(name, value, least=-(2**31), most=2**31)
        elif kind == "bool":
            value = truth_of(name, value)
        elif kind == "str":
            text_of(name, value)
        elif kind.startswith(("tuple[float", "tuple[int")):
            value = _numbers(name, value, kind)
        else:
            continue
        object.__setattr__(options, item.name, value)


def limit_fields(options: Any, *names: str, least: float = -np.inf, most: float = 1e6) -> None:
    """ValueError for a field beyond the bounds: what it would make overflows."""
    for name in names:
        if not least <= getattr(options, name) <= most:
            raise ValueError(f"{name}={getattr(options, name)!r} must lie between {max(least, 0.0):g} and {most:g}")


def _numbers(name: str, value: Any, kind: str) -> tuple[Any, ...]:
    """Several numbers, as many as `kind` says: "tuple[float, ...]", "tuple[float, float]", "tuple[int, ...]"."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
        raise TypeError(f"{name}={shown(value)}, expected several numbers")
    free = "..." in kind
    if not free and len(value) != kind.count(",") + 1:
        raise ValueError(f"{name}={shown(value)}, expected {kind.count(',') + 1} numbers")
    return tuple(real_number(name, x, infinite=not free) if "float" in kind else count(name, x) for x in value)
