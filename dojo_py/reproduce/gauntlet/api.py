"""Family `api`: wrong types, shapes, values and indices in place of every public argument, and other ways to say a right one.

A case is a few calls, each with one argument replaced: api_targets.py has the calls, api_values.py what is put in an argument's
place, by introspection of the signature.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import inspect
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from dojo_py.planning import Controller
from dojo_py.reproduce.gauntlet.api_targets import TARGETS, Target
from dojo_py.reproduce.gauntlet.api_values import ODD, OWN_FILE, REFUSE, SAME, Value, values_of
from dojo_py.reproduce.gauntlet.family import Outcome

TITLE = "wrong and odd values in place of every public argument"
PROPERTIES = {
    "refused": "what is wrong raises ValueError, TypeError, ModelError (OSError for files) with the argument's name; nothing else",
    "odd": "what is odd does the same, or works: no NaN, nothing else raised, no numpy warning, within 10 s",
    "same": "numbers as lists, of other widths, orders, layouts, read-only give the same bits",
    "unchanged": "the caller's arrays stay as they were",
}
FIXED = tuple(range(60))
CALLS = 20
"""Calls of a case."""
PATIENCE = 10.0
"""Longest time of a call [s]."""


class Call(NamedTuple):
    """A public call with one argument replaced."""

    target: Target
    argument: str
    value: Value

    def __str__(self) -> str:
        given = dict(self.target.valid)
        given[self.argument] = self.value.text
        listed = ", ".join(f"{name}={text}" for name, text in given.items())
        return f"{self.target.call}({listed})"


class Hang(BaseException):
    """A call takes too long."""


class Odd(np.ndarray):
    """A subclass of numpy's array, as units and masks have them."""


@lru_cache(maxsize=1)
def surroundings() -> dict[str, Any]:
    """The names of api_setup.py, made once."""
    from dojo_py.reproduce.gauntlet import api_setup

    names = dict(vars(api_setup))
    names |= {"frozen": _frozen, "Odd": Odd}
    with contextlib.suppress(ImportError):
        names |= _under_jax(names)
    return names


def _frozen(array: Any) -> Any:
    out = np.array(array)
    out.flags.writeable = False
    return out


def _under_jax(names: Mapping[str, Any]) -> dict[str, Any]:
    """JAX's functions of the arm."""
    import dojo_py.jax as jaxed

    arm = names["arm"]
    roll = jaxed.rollout_function(arm, 0.0625, 0.0009765625, ["damping"], threads=1)
    return {"jaxed": jaxed, "jaxed_rollout": roll, "jaxed_step": jaxed.step_function(arm, 0.0625)}


@lru_cache(maxsize=1)
def calls() -> list[list[Call]]:
    """Every call that can be drawn, by target."""
    names, found = surroundings(), []
    for target in TARGETS:
        if target.call.startswith("jaxed") and "jaxed" not in names:
            continue
        mine = []
        for name, (working, annotation) in arguments_of(target).items():
            values = values_of(name, working, annotation, name in target.free)
            if target.call.startswith("command_of"):  # everything is a text there
                values = [value._replace(verdict=ODD) for value in values]
            if target.call in ("jaxed_rollout", "jaxed_step"):  # what is not a number stays so, as everywhere in JAX
                values = [value for value in values if "nan" not in value.text and "inf" not in value.text]
            mine += [Call(target, name, value) for value in values]
        found.append(mine)
    return [mine for mine in found if mine]


def arguments_of(target: Target) -> dict[str, tuple[Any, str]]:
    """Argument -> (its working value, its annotation)."""
    names = surroundings()
    found = {}
    for p in inspect.signature(eval(target.call, names)).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.name in target.leave:
            continue
        if p.name not in target.valid and p.default is p.empty:
            continue
        working = eval(target.valid[p.name], names) if p.name in target.valid else p.default
        found[p.name] = working, "" if p.annotation is p.empty else str(p.annotation)
    return found


def generate(seed: int) -> tuple[Call, ...]:
    """Some calls, spread evenly over targets, arguments and values."""
    rng, listed = np.random.default_rng(seed), calls()
    out = []
    for _ in range(CALLS):
        mine = listed[rng.integers(len(listed))]
        argument = rng.choice(sorted({call.argument for call in mine}))
        fitting = [call for call in mine if call.argument == argument]
        out.append(fitting[rng.integers(len(fitting))])
    return tuple(out)


def check(case: tuple[Call, ...]) -> dict[str, Outcome]:
    """All properties of all calls."""
    tally: dict[str, list[str]] = {name: [] for name in PROPERTIES}
    looked = dict.fromkeys(PROPERTIES, 0)
    for call in case:
        for name, wrong in judge(call).items():
            looked[name] += 1
            if wrong:
                tally[name].append(f"{call}: {wrong}")
    return {
        name: Outcome(looked[name], len(tally[name]), 0.0, tally[name][0] if tally[name] else "")
        for name in PROPERTIES
        if looked[name]
    }


def shrink(case: tuple[Call, ...]) -> Iterator[tuple[Call, ...]]:
    """One call at a time."""
    if len(case) > 1:
        yield from ((call,) for call in case)


def describe(case: tuple[Call, ...]) -> str:
    """The calls as Python."""
    lines = ["from dojo_py.reproduce.gauntlet.api_setup import *"]
    for call in case:
        lines += [f"v = {call.target.valid.get(call.argument, 'the default')}", f"result = {call}", call.target.then]
    return "\n".join(lines)


def judge(call: Call) -> dict[str, str]:
    """Property -> what breaks it, or empty."""
    found = {"unchanged": ""}
    verdict = {REFUSE: "refused", ODD: "odd", SAME: "same"}[call.value.verdict]
    try:
        expected = reference(call.target)
    except ImportError:  # an extra that is not installed
        return {}
    surroundings()["write_files"]()
    given = _arguments(call.target)
    default = arguments_of(call.target)[call.argument][0]
    given[call.argument] = eval(call.value.text, {**surroundings(), "v": given.get(call.argument, default)})
    before = fingerprint(given)
    result, error, took = _attempt(call.target, given)
    if fingerprint(given) != before and "iter(" not in call.value.text:
        found["unchanged"] = "an argument was changed"
    found[verdict] = _mistake(call, result, error, expected)
    if took > PATIENCE:
        found[verdict] = f"takes {took:.0f} s"
    return found


def _mistake(call: Call, result: Any, error: BaseException | None, expected: bytes) -> str:
    """What is wrong with a call's outcome, or empty."""
    verdict = call.value.verdict
    if error is not None:
        file = call.argument in OWN_FILE or isinstance(arguments_of(call.target)[call.argument][0], PathLike)
        proper = (ValueError, TypeError, *((OSError,) if file else ()))
        said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        if not isinstance(error, proper) or isinstance(error, UnicodeError):
            return said
        if verdict == SAME:
            return f"is refused: {said}"
        names = [call.argument] if verdict == REFUSE else list(arguments_of(call.target))
        text = str(error).replace("-", "_")
        own = call.target.call.startswith("command_of") or call.value.text.startswith("lambda")  # named by other words
        named = file or own or any(_says(text, name) for name in names) or _repeats(call, text)
        return "" if named else f"the message does not name {call.argument}: {said}"
    if verdict == REFUSE:
        return "is accepted"
    if verdict == SAME and fingerprint(result) != expected:
        return "gives another result"
    return "gives NaN" if verdict == ODD and has_nan(result) else ""


def _says(text: str, name: str) -> bool:
    """The text has the name, or that of one of several, as a word: `k` is not in every text that has this letter."""
    words = {re.escape(name), re.escape(name.removesuffix("s"))}
    return re.search(rf"(?<![A-Za-z0-9])({'|'.join(words)})(?![A-Za-z0-9])", text) is not None


def _repeats(call: Call, text: str) -> bool:
    """The message repeats the value itself: the word that is unknown."""
    text_of_value = call.value.text
    plain = text_of_value[0] in "'{" and "v" not in text_of_value
    value = eval(text_of_value, surroundings()) if plain else None
    words = [value] if isinstance(value, str) else list(value) if isinstance(value, dict) else []
    working = arguments_of(call.target)[call.argument][0]
    words += list(working) if isinstance(working, dict) else []
    return any(isinstance(word, str) and word.split(":")[0][:10] in text for word in words)


@cache
def _reference(place: int) -> bytes:
    result, error, _ = _attempt(TARGETS[place], _arguments(TARGETS[place]), limited=False)  # (may compile)
    if error is not None:
        raise error
    return fingerprint(result)


def reference(target: Target) -> bytes:
    """Fingerprint of what the working call returns; what it raises is raised."""
    return _reference(TARGETS.index(target))


def _arguments(target: Target) -> dict[str, Any]:
    return {name: eval(text, surroundings()) for name, text in target.valid.items()}


def _attempt(target: Target, given: dict[str, Any], limited: bool = True) -> tuple[Any, BaseException | None, float]:
    """(result, what was raised, seconds)"""
    names, began = surroundings(), time.perf_counter()
    try:
        with _quiet(target), _limit() if limited else contextlib.nullcontext():
            result = eval(target.call, names)(**given)
            result = eval(target.then, {**names, "result": result})
    except (Exception, Hang) as error:
        return None, error, time.perf_counter() - began
    return result, None, time.perf_counter() - began


@contextlib.contextmanager
def _quiet(target: Target) -> Iterator[None]:
    """Numpy's warnings are errors, the program's own are not heard; JAX counts in float64."""
    with warnings.catch_warnings(), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", category=RuntimeWarning, message="(?!model ')")
        if target.call.startswith("jaxed"):
            import jax

            stack.enter_context(jax.enable_x64(True))
        yield


@contextlib.contextmanager
def _limit() -> Iterator[None]:
    """Hang after PATIENCE, where the process can be told so."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: Any) -> None:
        raise Hang(f"no end within {PATIENCE:g} s")

    old: Any = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, 1.0)  # again and again: callbacks of other packages swallow it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)


# what results and arguments hold


def fingerprint(value: Any) -> bytes:
    """Types, shapes and bits of everything a value holds."""
    parts: list[bytes] = []
    _walk(value, lambda leaf: parts.append(_bits(leaf)), 0)
    return b"|".join(parts)


def has_nan(value: Any) -> bool:
    """Whether a number in it is NaN."""
    found: list[bool] = []

    def look(leaf: Any) -> None:
        if isinstance(leaf, (float, complex, np.ndarray, np.generic)) and np.asarray(leaf).dtype.kind in "fc":
            found.append(bool(np.isnan(leaf).any()))

    _walk(value, look, 0)
    return any(found)


def _bits(leaf: Any) -> bytes:
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind != "O":
        return f"{leaf.dtype}{leaf.shape}".encode() + leaf.tobytes()
    if isinstance(leaf, (float, np.generic)):
        return np.asarray(leaf).tobytes()
    if isinstance(leaf, (int, str, bytes, enum.Enum, type(None))):
        return repr(leaf).encode()
    return type(leaf).__name__.encode()


def _walk(value: Any, visit: Callable[[Any], None], depth: int) -> None:
    if type(value).__module__.startswith("jax"):
        value = np.asarray(value)
    if depth > 8:
        return
    if isinstance(value, Mapping):
        for key in value:
            visit(str(key))
            _walk(value[key], visit, depth + 1)
    elif isinstance(value, (list, tuple)):
        for part in value:
            _walk(part, visit, depth + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type) and not isinstance(value, Controller):
        for item in dataclasses.fields(value):
            _walk(getattr(value, item.name, None), visit, depth + 1)
    else:
        visit(value)
