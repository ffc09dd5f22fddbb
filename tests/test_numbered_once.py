"""Statuses, kinds and flags are numbered in one enum each; kernels take their numbers from there."""

import ast
import re
from pathlib import Path

import mujoco

from dojo_py import Status
from dojo_py.hard import statuses
from dojo_py.hard.elements import couplings
from dojo_py.mechanism.enums import GeomType, JointType
from dojo_py.soft import narrowphase, step
from dojo_py.soft.row_kinds import RowKind

REPOSITORY = Path(__file__).resolve().parent.parent
FILES = sorted([*(REPOSITORY / "dojo_py").rglob("*.py"), *(REPOSITORY / "environments").rglob("*.py")])
NUMBERED = re.compile(r"(DYN|GAIN|BIAS|TRN|WRAP|DISABLE|ENABLE)_[A-Z0-9]+|EULER|RK4|IMPLICITFAST|PGS|BALL|WELD|PYRAMIDAL")
"""Names of an enum's numbers; of each enum one that nothing else is called by. hard/terms.py has kinds of its own."""
STATUSES = {status.name for status in Status} - {"MAX_ITERATIONS"}
OWN = ("hard/terms.py", "actuation/transmission.py")


def literals(tree: ast.Module) -> set[str]:
    """Names at the top of a module that are set to numbers written out."""
    found = set()
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        plain = all(
            isinstance(part, (ast.Constant, ast.Tuple, ast.BinOp, ast.operator, ast.expr_context)) for part in ast.walk(node.value)
        )
        counted = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "range"
        numbers = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
        if (plain or counted) and all(type(number) is int for number in numbers):
            found |= {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return found


def test_numbers_of_enums_are_not_written_out():
    for file in FILES:
        names = literals(ast.parse(file.read_text(encoding="utf-8")))
        wrong = {name for name in names if NUMBERED.fullmatch(name) or name in STATUSES}
        assert not wrong or file.as_posix().endswith(OWN), f"{file.relative_to(REPOSITORY)}: {sorted(wrong)}"


def test_statuses_of_both_modes():
    for name in ("SOLVED", "MAX_ITERATIONS", "STALLED", "SINGULAR", "TOO_FAST", "NOT_FINITE", "INEXACT"):
        assert getattr(statuses, name) == Status[name]
    for name in ("SOLVED", "INEXACT", "SINGULAR", "NOT_FINITE", "TOO_MANY_CONTACTS"):
        assert getattr(step, name) == Status[name]


def test_numbers_that_are_written_out_in_tables():
    """Of the hard mode's couplings, and of the functions for pairs of shapes, which know one kind more."""
    assert (couplings.MJ_SLIDE, couplings.MJ_HINGE) == (JointType.SLIDE, JointType.HINGE)
    for kind in GeomType:
        assert getattr(narrowphase, kind.name) == kind


def test_rows_have_the_wheels_numbers():
    wheel = mujoco.mjtConstraint
    names = {"FRICTIONLESS": "CONTACT_FRICTIONLESS", "PYRAMIDAL": "CONTACT_PYRAMIDAL", "ELLIPTIC": "CONTACT_ELLIPTIC"}
    for kind in RowKind:
        assert kind == getattr(wheel, f"mjCNSTR_{names.get(kind.name, kind.name)}")
