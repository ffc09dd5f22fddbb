"""The rooms of the package import downwards only: the table in docs/architecture.md against the import statements."""

import ast
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "dojo_py"
ELSEWHERE = {"models": REPOSITORY / "models", "environments": REPOSITORY / "environments"}
"""Rooms whose folder is not inside the package's."""
FRONT = "simulate"
"""Room that the public names of `dojo_py` itself stand for, for who may use them."""


def read_table(text: str) -> dict[str, set[str]]:
    """Room -> rooms it may import, from the table's rows."""
    allowed: dict[str, set[str]] = {}
    for row in re.findall(r"^\| (`.*?`) \| (.*?) \|", text, re.MULTILINE):
        room = row[0].strip("`")
        allowed[room] = set(allowed) if row[1] == "all above" else set(re.findall(r"`(\w+)`", row[1]))
    return allowed


TEXT = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
OF_ALL, OF_HARD = TEXT.split("### Rooms of `hard/`")
TABLE = read_table(OF_ALL)
HARD = read_table(OF_HARD.split("\n## ")[0])
SHARED = {file.removesuffix(".py") for file in re.findall(r"`(\w+\.py)`", OF_HARD.split("The\nother files")[0])}
"""Files of `hard/` that all its rooms use."""


def files_of(room: str) -> list[Path]:
    folder = ELSEWHERE.get(room, PACKAGE / room)
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{room}.py"]


def module_name(file: Path) -> list[str]:
    for room, folder in ELSEWHERE.items():
        if file.is_relative_to(folder):
            return ["dojo_py", room, *file.relative_to(folder).with_suffix("").parts]
    return list(file.relative_to(REPOSITORY).with_suffix("").parts)


def imported_rooms(source: str, module: list[str]) -> set[str]:
    """Rooms that a module's import statements name, at any depth of the code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        paths: list[list[str]] = []
        if isinstance(node, ast.Import):
            paths = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = (module[: -node.level] if node.level else []) + (node.module.split(".") if node.module else [])
            paths = [[*base, alias.name] for alias in node.names]
        for path in paths:
            if path[0] == "dojo_py" and len(path) > 1 and path[1] != "__version__":
                found.add(path[1] if path[1] in TABLE else FRONT)
    return found


@pytest.mark.parametrize("room", TABLE)
def test_room_imports_only_what_its_row_names(room):
    for file in files_of(room):
        if not file.exists():
            continue
        wrong = imported_rooms(file.read_text(encoding="utf-8"), module_name(file)) - TABLE[room] - {room}
        assert not wrong, f"{file.relative_to(REPOSITORY)} imports {sorted(wrong)}, {room} may import {sorted(TABLE[room])}"


@pytest.mark.parametrize("room", HARD)
def test_room_of_hard_imports_only_what_its_row_names(room):
    """`parameters` is built beside `world.py`, which it may import, and stands with the files above the rooms."""
    above = {"world", "workspace", "body_table"} if room in ("gradients", "parameters") else set()
    for file in (PACKAGE / "hard" / room).rglob("*.py"):
        names = re.findall(r"from dojo_py\.hard(?:\.(\w+)[\w.]*)? import (\w+)", file.read_text(encoding="utf-8"))
        wrong = {first or name for first, name in names} - HARD[room] - SHARED - above - {room}
        assert not wrong, f"{file.relative_to(REPOSITORY)} imports {sorted(wrong)} of hard/"


def test_every_room_of_hard_is_in_its_table():
    assert {p.parent.name for p in (PACKAGE / "hard").glob("*/__init__.py")} == set(HARD)
    assert len(SHARED) == 10 and all((PACKAGE / "hard" / f"{name}.py").is_file() for name in SHARED)


def test_every_folder_and_module_is_a_room_of_the_table():
    there = {p.stem for p in PACKAGE.glob("*.py")} | {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    assert there - {"__init__", "__main__"} <= set(TABLE)


@pytest.mark.parametrize("table", [TABLE, HARD])
def test_the_table_has_no_circles(table):
    seen: set[str] = set()
    for room, below in table.items():
        assert below <= seen, f"{room} names rooms that stand below it in the table"
        seen.add(room)


def test_the_reader_of_imports_sees_what_it_must():
    source = "from dojo_py.hard import step\nfrom ..soft.euler import euler\ndef f():\n    import dojo_py.cli\n"
    assert imported_rooms(source, ["dojo_py", "solver", "cones"]) == {"hard", "soft", "cli"}
    assert imported_rooms("from dojo_py import HardSimulator, __version__", ["x"]) == {FRONT}


def test_packaging_lists_every_package():
    import tomllib

    listed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    there = {".".join(p.parent.relative_to(REPOSITORY).parts) for p in PACKAGE.rglob("__init__.py")}
    for room, folder in ELSEWHERE.items():
        inside = (p.parent.relative_to(folder).parts for p in folder.rglob("__init__.py"))
        there |= {".".join(["dojo_py", room, *parts]) for parts in inside}
    assert set(listed) == there
