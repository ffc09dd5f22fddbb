"""What the family `api` puts in an argument's place: values that must be refused, odd ones, and other ways to say the same.

Drawn by the kind of the argument's working value and by what its annotation allows. A value is Python text in which `v` is the
working one.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

REFUSE, ODD, SAME = "refuse", "odd", "same"
"""Must raise; may raise or work; must work, with the same bits."""


class Value(NamedTuple):
    """One thing to put in an argument's place."""

    text: str
    verdict: str


NOTHING = ("object()", "1j", "[object()]")
NUMBER = (*NOTHING, "'0.5'", "nan", "np.zeros(3)", "[[1.0], [1.0, 2.0]]", "{}", "b'1'")
ARRAY = (
    "object()", "{}", "'abc'", "v * 1j", "v * nan", "v.astype(str)", "v.astype(object)", "[[1.0], [1.0, 2.0]]",
    "np.array('2026', dtype='datetime64[Y]')", "[object()] * len(v)", "np.zeros((2, 3, 4, 5))", "[None] * len(v)", "iter([1.0])",
)  # fmt: skip
SHAPES = ("v[..., :-1]", "np.concatenate([v, v], axis=-1)", "v[..., None]")
ODD_ARRAY = ("-v", "1e300 * v", "v > 0", "v + inf", "v + 1e17", "v[:0]", "v[None]", "0 * v", "v[::-1]", "np.concatenate([v, v])")
SAME_ARRAY = (
    "v.tolist()", "np.asfortranarray(v)", "np.repeat(v, 2, axis=-1)[..., ::2]", "v[..., ::-1].copy()[..., ::-1]",
    "v.astype('>f8')", "frozen(v)", "v.astype(np.longdouble)", "list(v)", "v.view(Odd)",
)  # fmt: skip
INTEGER = (*NUMBER, "1.5", "inf")
ODD_NUMBER = ("-1", "0", "True", "10**30", "-1.0", "inf", "-inf", "1e300", "1e-300", "-(2**70)", "10**400")
SAME_INTEGER = ("np.int64(v)", "np.int8(v)", "np.uint16(v)")
SAME_NUMBER = ("np.float64(v)", "np.array(v)", "np.float32(v)")
TEXT = ("object()", "1", "['x']", "b'home'", "nan", "{}")
NOT_PATH = ("object()", "1.5", "['x']", "nan", "{}", "1j")
FILES = (
    "'no/such/file.npz'", "FOLDER", "FOLDER / 'empty.npz'", "FOLDER / 'half.npz'", "FOLDER / 'words.npz'", "FOLDER / 'other.npz'",
    "FOLDER / 'objects.npz'", "'x' * 5000", "FOLDER / 'none' / 'a.npz'", "'a\\0b'", "FOLDER / 'controls.npy'", "''",
)  # fmt: skip
SOURCES = (
    "b'<mujoco/'", "'<mujoco>'", "'<a/>'", "b''", "b'\\xff\\xfe<'", "'<mujoco><option timestep=\"nan\"/></mujoco>'",
)  # fmt: skip
OBJECT = ("object()", "1", "'x'", "nan", "{}", "np.zeros(3)", "[None]", "iter([])", "int")
DICTIONARY = ("object()", "1", "'x'", "[1]", "{'nonsense': 1.0}", "{1: 2.0}", "{None: 1.0}", "[('a', 1.0)]")
LIST = ("object()", "1", "[object()]", "[None]", "[1j]", "nan")
WORK = (
    "iterations", "steps", "episodes", "test_episodes", "warmup", "directions", "pairs", "links", "horizon", "top", "hidden",
    "observation_size", "action_size", "num_envs", "width", "height", "frame_skip", "duration", "count", "budget",
)  # fmt: skip
"""Arguments that say how much to do: a huge value is right, and takes for ever."""
HUGE = ("10**30", "10**400", "1e300")
ODD_LIST = ("[]", "'x'", "v[:-1]", "[*v, *v]", "['x']", "[-1.0]", "[nan]", "{1: 2}")
OWN_FILE = ("path", "file", "source")


def values_of(name: str, working: Any, annotation: str, free: bool) -> list[Value]:
    """What to put in the place of an argument whose working value and annotation these are."""
    optional = "None" in annotation or working is None
    found = [Value("None", ODD if optional or annotation in ("bool", "Any", "") else REFUSE)]
    for kind, draw in KINDS:
        if kind(name, working, annotation):
            found += draw(working, free)
            break
    if "int" in annotation or "float" in annotation:  # a number beside the text
        found = [value for value in found if value.text != "1"]
    return [value for value in found if name not in WORK or value.text not in HUGE]


def _array(working: Any, free: bool) -> list[Value]:
    v = np.asarray(working)
    shapes = SHAPES if v.size and not (free and v.ndim == 1) else ()
    wrong = [t for t in (*ARRAY, *shapes) if v.size or "v" not in t]
    return [*_all(wrong, REFUSE), *_all(ODD_ARRAY, ODD), *_all(SAME_ARRAY, SAME)]


def _files(working: Any, free: bool) -> list[Value]:
    return [*_all(NOT_PATH, REFUSE), *_all(FILES, ODD)]


def _sources(working: Any, free: bool) -> list[Value]:
    same = ("v.encode()",) if isinstance(working, str) else ("str(v)",)
    return [*_all((*NOT_PATH, *FILES[:-1], *SOURCES), REFUSE), *_all(("''",), ODD), *_all(same, SAME)]


def _truth(working: Any, free: bool) -> list[Value]:
    return [*_all(("'yes'", "object()", "1.5", "nan", "np.zeros(3)", "[]"), ODD), *_all(("np.bool_(v)",), SAME)]


def _integer(working: Any, free: bool) -> list[Value]:
    same = () if working is None else SAME_INTEGER if abs(working) < 128 else SAME_INTEGER[:1]
    return [*_all(INTEGER, REFUSE), *_all(ODD_NUMBER, ODD), *_all(same, SAME)]


def _number(working: Any, free: bool) -> list[Value]:
    exact = working is not None and float(np.float32(working)) == float(working)
    same = () if working is None else SAME_NUMBER if exact else SAME_NUMBER[:2]
    whole = ("int(v)", "np.int32(v)") if exact and float(working).is_integer() and abs(working) < 1e6 else ()
    return [*_all(NUMBER, REFUSE), *_all(ODD_NUMBER, ODD), *_all((*same, *whole), SAME)]


def _text(working: Any, free: bool) -> list[Value]:
    unknown = ODD if free or working is None else REFUSE
    same = () if working is None else ("np.str_(v)",)
    return [*_all(TEXT, REFUSE), *_all(("'nonsense'", "'é' * 500", "'a:b:c'"), unknown), Value("''", ODD), *_all(same, SAME)]


def _dictionary(working: Any, free: bool) -> list[Value]:
    return [*_all(DICTIONARY, REFUSE), Value("dict(v)", SAME), Value("{}", ODD), Value("{next(iter(v)): 'x'}", REFUSE),
            Value("{next(iter(v)): np.zeros((7, 7, 7))}", REFUSE), Value("{next(iter(v)): object()}", REFUSE),
            Value("{next(iter(v)): nan}", REFUSE)]  # fmt: skip


def _several(working: Any, free: bool) -> list[Value]:
    same = ("tuple(v)", "list(v)")
    return [*_all(LIST, REFUSE), *_all(ODD_LIST, ODD), *_all(same, SAME)]


def _function(working: Any, free: bool) -> list[Value]:
    return [*_all(("1", "'x'", "[]", "nan"), REFUSE), *_all(("lambda *a: None", "lambda *a: 'x'", "lambda *a: nan"), ODD)]


def _thing(working: Any, free: bool) -> list[Value]:
    return [*_all(OBJECT, REFUSE), Value("[]", ODD)]


def _all(texts: Any, verdict: str) -> list[Value]:
    return [Value(text, verdict) for text in texts]


def _is(*types: Any) -> Callable[[str, Any, str], bool]:
    return lambda name, working, annotation: isinstance(working, types)


def _none_of(*words: str) -> Callable[[str, Any, str], bool]:
    return lambda name, working, annotation: working is None and annotation.removesuffix(" | None") in words


KINDS: tuple[tuple[Callable[[str, Any, str], bool], Callable[[Any, bool], list[Value]]], ...] = (
    (lambda name, working, annotation: name == "source", _sources),
    (lambda name, working, annotation: name in OWN_FILE or isinstance(working, PathLike), _files),
    (_is(np.ndarray), _array),
    (_is(bool), _truth),
    (_is(int), _integer),
    (_none_of("int"), _integer),
    (_is(float), _number),
    (_none_of("float"), _number),
    (_is(str), _text),
    (_none_of("str", "str | int", "int | str"), _text),
    (_is(dict), _dictionary),
    (lambda name, working, annotation: isinstance(working, (list, tuple)) and not hasattr(working, "_fields"), _several),
    (lambda name, working, annotation: hasattr(working, "__code__"), _function),
    (lambda name, working, annotation: working is not None, _thing),
)
"""Which draw serves an argument: the first that says so."""
