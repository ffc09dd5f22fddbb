"""Files that are written whole or not at all: to a file beside them, which then takes their place."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np


@contextlib.contextmanager
def whole_file(path: str | PathLike) -> Iterator[Path]:
    """The path to write to in place of `path`, with its suffix: renamed at the end, removed if anything is raised.

    A link stays, and the file that it leads to is replaced, with its permissions. What cannot be replaced (a device, a pipe, a file
    in a folder without permission) is written to as it is. OSError at once for a folder, and where there is no folder to write to.
    """
    target = Path(os.path.realpath(path))
    _check(target, path)
    special = target.exists() and not (target.is_file() and os.access(target.parent, os.W_OK))
    if special:
        yield target
        return
    draft = target.with_name(f".{target.stem[:100]}-{secrets.token_hex(4)}{target.suffix}")
    try:
        yield draft
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_text(path: str | PathLike, text: str) -> None:
    """Write a whole text file in UTF-8."""
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def write_arrays(path: str | PathLike, arrays: dict[str, Any]) -> None:
    """Write a whole .npz file of numbers and texts. TypeError for other objects, which numpy would pickle and no reader takes."""
    given = {name: np.asarray(value) for name, value in arrays.items()}
    for name, value in given.items():
        if value.dtype.hasobject:
            raise TypeError(f"{name}: {value.dtype} is neither numbers nor text, and files hold no pickles")
    with whole_file(path) as draft, open(draft, "wb") as file:
        np.savez(file, **given)  # type: ignore[arg-type]


def _check(target: Path, path: str | PathLike) -> None:
    """OSError with the path as it was given, not that of the draft."""
    wrong = 0
    if not os.fspath(path) or not target.parent.exists():
        wrong = errno.ENOENT
    elif target.is_dir():
        wrong = errno.EISDIR
    elif not target.parent.is_dir():
        wrong = errno.ENOTDIR
    elif not os.access(target if target.exists() else target.parent, os.W_OK):
        wrong = errno.EACCES
    if wrong:
        said = "no such folder to write to" if wrong == errno.ENOENT and os.fspath(path) else os.strerror(wrong)
        raise OSError(wrong, said, os.fspath(path))
