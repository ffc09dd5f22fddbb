"""docs/algorithm.md: every equation of the paper that it names is cited where it says."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([\d–]+) \| .* \| `(dojo_py/\S+\.py)` `(\w+)` \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs" / "algorithm.md").read_text(encoding="utf-8"))


def cited(text):
    """All equation numbers that a docstring cites as Dojo's."""
    numbers = set()
    for part in re.findall(r"[Dd]ojo,? eq\. ([^)]*)|\(eq\. ([^)]*)", text):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", " ".join(part)):
            numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


def test_the_table_is_there():
    assert len(ROWS) >= 18


@pytest.mark.parametrize("equations, file, function", ROWS)
def test_the_function_exists_and_the_equation_is_cited(equations, file, function):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
    assert len(found) == 1
    numbers = [int(n) for n in equations.split("–")]
    known = cited((ast.get_docstring(found[0]) or "") + (ast.get_docstring(tree) or ""))
    assert set(range(numbers[0], numbers[-1] + 1)) <= known, sorted(known)


def test_names_in_the_text_exist():
    text = (ROOT / "docs" / "algorithm.md").read_text(encoding="utf-8")
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "dojo_py").rglob("*.py"))
    for name in re.findall(r"`([a-z_]+\.py)`", text):
        assert list((ROOT / "dojo_py").rglob(name)), name
    for name in re.findall(r"`(_?[a-z]+_[a-z_]+)`", text):
        assert re.search(rf"\b{name}\b", sources), name
