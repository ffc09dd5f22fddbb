"""Every number that the hard mode is tuned by says beside it what it is, and why."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "dojo_py"
ROOMS = ("hard", "solver", "collision", "algebra")
LEAST = 15
"""Characters of a text that says something."""


def constants(statement: ast.stmt) -> list[str]:
    """Names in capitals that a statement of a module sets to decimals."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, (ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp)):
        return []
    if any(isinstance(part, ast.Call) for part in ast.walk(statement.value)):
        return []
    decimals = [part for part in ast.walk(statement.value) if isinstance(part, ast.Constant) and isinstance(part.value, float)]
    names = [part.id for target in statement.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return [name for name in names if name.isupper()] if decimals else []


def said(body: list[ast.stmt], k: int) -> str:
    """The text after a statement and those that follow it without one."""
    while k < len(body) and isinstance(body[k], ast.Assign):
        k += 1
    text = body[k].value if k < len(body) and isinstance(body[k], ast.Expr) else None
    return text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""


@pytest.mark.parametrize("room", ROOMS)
def test_constants_have_a_text(room):
    silent = []
    for file in sorted((PACKAGE / room).rglob("*.py")):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        for k, statement in enumerate(body):
            silent += [f"{file.relative_to(PACKAGE)}: {name}" for name in constants(statement) if len(said(body, k)) < LEAST]
    assert not silent
