"""Which values of a parametrised test run by default. The others are marked `slow`: `pytest -m "slow or not slow"` runs all."""

from itertools import product

import pytest


def some(values, chosen):
    """All values of a parametrize, of which the chosen ones run by default: a collection of them, or what says it of a value.

    Tuples are the values of several arguments. What has marks (`pytest.param`) keeps them.
    """
    values = list(values)
    if not callable(chosen):
        chosen = list(chosen)
        assert chosen and all(value in values for value in chosen), f"{chosen}: not all among {values}"
    runs = chosen if callable(chosen) else chosen.__contains__
    return [_marked(value, runs(value)) for value in values]


def one_in(values, every):
    """All values, of which the first, and one in `every` from there on, run by default."""
    return [_marked(value, k % every == 0) for k, value in enumerate(values)]


def pairs(rows, columns, row, column):
    """All pairs (row, column), of which those of the given row, and those of the given column, run by default."""
    rows, columns = list(rows), list(columns)
    assert row in rows and column in columns, f"({row}, {column}): not among {rows}, {columns}"
    return [_marked(pair, pair[0] == row or pair[1] == column) for pair in product(rows, columns)]


def in_turn(rows, columns):
    """All pairs (row, column), of which each row with one of the columns in turn runs by default."""
    rows, columns = list(rows), list(columns)
    assert len(rows) >= len(columns)
    return [_marked((a, b), i % len(columns) == k) for i, a in enumerate(rows) for k, b in enumerate(columns)]


def _marked(value, by_default):
    """The same value, or values of several arguments, marked unless it runs by default."""
    if by_default:
        return value
    if hasattr(value, "marks"):
        return pytest.param(*value.values, id=value.id, marks=[*value.marks, pytest.mark.slow])
    return pytest.param(*value, marks=pytest.mark.slow) if isinstance(value, tuple) else pytest.param(value, marks=pytest.mark.slow)
