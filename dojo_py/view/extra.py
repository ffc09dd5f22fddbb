"""Packages of the extra `view`: imported when they are needed, or an ImportError that says what to install."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any


def imported(package: str) -> Any:
    """The package's module."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ImportError(f'{package} is not installed; pip install "dojo-sim[view]"') from None


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """viser announces each server in a box on the terminal, through rich; not while this lasts."""
    console = imported("rich").get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
