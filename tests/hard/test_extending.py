"""docs/extending.md: what it, architecture.md and notation.md name exists, and it names every file that branches on a kind.

A file branches on an enumeration where it lists its members, uses it or one of them, compares a field that holds a member
(`jnt_type`, `eq_kind`, ...), or compares with the word of one ("hinge").
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "dojo_py").rglob("*.py"))
PAGES = ("extending.md", "architecture.md", "notation.md")
FOREIGN = {"mjd_transitionFD", "efc_J", "efc_aref", "qpos_spring"}
"""Names of MuJoCo and of numba that the pages use."""


class Kinds(NamedTuple):
    """An enumeration, under all names that it has in the code."""

    classes: str
    members: str
    """Constants of the modules in `homes`."""
    homes: str
    fields: str
    """Arrays of members, of the Model and of kernels."""
    words: str
    """Members as words, in files and descriptions."""


KINDS = {
    "shapes": Kinds(
        "GeomType", "PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH", "convex_shapes height_fields narrowphase",
        "geom_type site_type shape_kind", "plane hfield sphere capsule ellipsoid cylinder box mesh",
    ),
    "joints": Kinds(
        "JointType", "FREE BALL SLIDE HINGE COMPOUND", "terms poses kinematics", "jnt_type", "free freejoint ball slide hinge",
    ),
    "closures": Kinds(
        "EqualityType", "EQ_CONNECT EQ_WELD EQ_COUPLING EQ_LENGTHS EQ_ORIENTATION EQ_TENDON EQ_PATH", "terms", "eq_type eq_kind",
        "connect weld",
    ),
    "features": Kinds(
        "", "BALL_FEATURE CROSSING POINT_PLANE EDGE_EDGE EDGE_OVER RIM_PLANE NEAREST RIM_EDGE RIM_RIM ELLIPSOID_PLANE", "features",
        "fkind", "",
    ),
    "actuators": Kinds(
        "TrnType DynType GainType BiasType", "SCALAR BALL FREE SITE TENDON CRANK ADHESION ORIENTATION GAIN_PID GAIN_DCMOTOR "
        "GAIN_AFFINE GAIN_MUSCLE GAIN_SO3 BIAS_AFFINE BIAS_MUSCLE DYN_NONE DYN_INTEGRATOR DYN_FILTER DYN_FILTEREXACT DYN_MUSCLE "
        "DYN_DCMOTOR DYN_PID TRN_TENDON", "transmission force dynamics controlled actuation",
        "actuator_trntype actuator_dyntype actuator_gaintype actuator_biastype gaintype dyntype biastype trntype", "",
    ),
    "wraps": Kinds("WrapType", "PULLEY SITE SPHERE CYLINDER", "wrapping", "wrap_type", ""),
}  # fmt: skip


@cache
def parsed(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def branches(tree, kinds):
    """Whether a module branches on the kinds."""
    classes, members, fields, words = (set(part.split()) for part in (kinds.classes, kinds.members, kinds.fields, kinds.words))
    homes, known = set(kinds.homes.split()), set(classes)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] in homes:
            known |= {alias.asname or alias.name for alias in node.names if alias.name in members}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in known:
            return True
        if isinstance(node, (ast.Tuple, ast.List)):
            names = {part.id for part in node.elts if isinstance(part, ast.Name) and part.id in members}
            listed = {part.value for part in node.elts if isinstance(part, ast.Constant) and part.value in words}
            if len(names) >= 3 or len(listed) >= 3:
                return True
        if isinstance(node, ast.Dict):
            parts = [*node.keys, *node.values]
            if len({part.value for part in parts if isinstance(part, ast.Constant) and part.value in words}) >= 3:
                return True
        if isinstance(node, ast.Compare):
            parts = list(ast.walk(node))
            if any(isinstance(part, ast.Attribute) and part.attr in fields for part in parts):
                return True
            if any(isinstance(part, ast.Constant) and part.value in words for part in parts):
                return True
    return False


def page(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def sections():
    """(title, text) of the sections of extending.md."""
    parts = re.split(r"^## (.*)$", page("extending.md"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


SECTION = {
    "shapes": "A collision shape", "joints": "A joint", "closures": "A closure", "features": "A kind of contact feature",
    "actuators": "A force law, actuator or transmission", "wraps": "A force law, actuator or transmission",
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_every_file_that_branches_on_a_kind_is_named(name):
    text = sections()[SECTION[name]]
    files = [f.relative_to(ROOT / "dojo_py").as_posix() for f in SOURCES if branches(parsed(f), KINDS[name])]
    assert len(files) >= 5
    assert [file for file in files if f"`{file}`" not in text] == []


def defined(tree):
    """Every name that a module defines: functions, classes, arguments, fields, variables."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value  # (names of options, parameters, flags, attributes of a file)


@pytest.mark.parametrize("name", PAGES)
def test_files_that_a_page_names_exist(name):
    for path in set(re.findall(r"`([\w/*]+\.py)`", page(name))):
        assert [
            file for folder in ("dojo_py", "tests", "docs", "environments", "models") for file in (ROOT / folder).rglob(path)
        ] or (ROOT / path).is_file(), path


@pytest.mark.parametrize("name", PAGES)
def test_names_in_a_page_exist(name):
    known = (
        {word for file in SOURCES for word in defined(parsed(file))} | {f.stem for f in SOURCES} | {f.parent.name for f in SOURCES}
    )
    for words in set(re.findall(r"`(\w+(?:\.\w+)*)`", page(name))):
        for word in words.split("."):
            if "_" in word.strip("_") and not word.endswith(("py", "md")):
                assert word in known | FOREIGN, words


def test_functions_are_in_the_file_beside_which_they_stand():
    """In extending.md: `file.py` (`function`, `function`: what they decide)."""
    found = re.findall(r"`([\w/]+\.py)`\s+\(([^()]*`[^()]*)\)", page("extending.md"))
    assert len(found) >= 40
    for path, text in found:
        (file,) = [file for file in (ROOT / "dojo_py" / path, ROOT / path) if file.is_file()]
        names = set(re.findall(r"`(\w+)`", text))
        used = {node.id for node in ast.walk(parsed(file)) if isinstance(node, ast.Name)}
        assert names <= used | set(defined(parsed(file))), (path, names)
