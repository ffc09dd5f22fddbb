"""`dojo_py check FILE`: what a model file holds, what each mode would refuse, all errors at once."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from typing import Any

import numpy as np

from dojo_py.cli.mistake import Mistake
from dojo_py.cli.models import count_contacts
from dojo_py.cli.words import MODEL_HELP
from dojo_py.reproduce.text import format_pairs

JOINTS = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
SHAPES = {0: "plane", 1: "hfield", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}

MOST_TOLD = 6
"""Open equalities that are named one by one."""


def add(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "check",
        help="say what a model file holds and what would be refused",
        description="Say what a model file holds and what each mode would refuse, all errors at once. The exit status is 1 when "
        "neither mode takes the whole file, 2 when there is no such file.",
    )
    parser.add_argument("model", metavar="NAME|FILE", help=MODEL_HELP)
    parser.add_argument(
        "--keyframe", metavar="NAME", help="where to look for bodies in each other and open equalities (default: at qpos0)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report. 0 when either mode takes the whole file, 1 otherwise; a Mistake where there is no file."""
    from dojo_py.formats import check

    report = check(arguments.model)
    if report.mechanism is None and not _is_there(arguments.model):
        raise Mistake(str(report.errors[0]).removeprefix("<model>: ").splitlines()[0])
    refused: dict[str, list[str]] = {}
    if report.model is not None:
        print(format_pairs(contents(report.model)))
        refused = refusals(report.model)
        _tell_overlaps(report.model, arguments.keyframe)
        _tell_open_equalities(report.model, arguments.keyframe)
    for record in report.unsupported:
        print(f"refused by both modes: {record}")
    for mode, messages in refused.items():
        for message in messages:
            print(f"refused by the {mode} mode: {message}")
    for record in report.errors:
        print(f"error: {str(record).removeprefix('<model>: ')}")
    for record in report.notices:
        print(f"left out, the motion does not depend on it: {record}")
    problems = len(report.unsupported) + len(report.errors)
    if problems:
        print(f"{problems} problem{'s' if problems > 1 else ''}")
    elif not any(refused.values()):
        print("ok: both modes simulate all of it" + (" that moves" if report.notices else ""))
    return 1 if problems or (refused and all(refused.values())) else 0


def _tell_overlaps(model: Any, keyframe: str | None) -> None:
    """Say what overlaps at this keyframe, at qpos0 if there is none."""
    from dojo_py.cli.inputs import pose_at
    from dojo_py.overlapping import overlaps, told

    found = overlaps(model, pose_at(model, keyframe))
    if found:
        print(
            f"note: at {_place(keyframe)} {told(model, found)}. If joints hold bodies like this, the joints jam in the hard mode:"
        )
        print("      `dojo_py convert --exclude-overlaps` writes the model without contacts between such bodies")


def _tell_open_equalities(model: Any, keyframe: str | None) -> None:
    """Say which equalities are open at this keyframe, at qpos0 if there is none, and how fast the hard mode closes them."""
    from dojo_py.cli.inputs import choose_keyframe
    from dojo_py.mechanism.open_equalities import open_equalities
    from dojo_py.mechanism.source import name_of

    found = open_equalities(model, None if keyframe is None else choose_keyframe(model, keyframe)[1])
    for one in found[:MOST_TOLD]:
        wide = " and ".join(f"{error:.3g} {unit}" for error, unit in one.errors)
        fast = " and ".join(f"{error / model.timestep:.3g} {unit}/s" for error, unit in one.errors)
        print(f"note: at {_place(keyframe)} equality '{name_of(model, 'equality', one.equality)}' is open by {wide}:")
        print(f"      the hard mode closes it in the first step of {model.timestep:g} s, at {fast}")
    if len(found) > MOST_TOLD:
        print(f"note: so are {len(found) - MOST_TOLD} more equalities")


def _place(keyframe: str | None) -> str:
    return "qpos0" if keyframe is None else f"keyframe '{keyframe}'"


def _is_there(source: str) -> bool:
    """Whether a source is a file, the name of a model, or XML text."""
    from dojo_py.formats.load import model_names

    return "<" in source or os.path.isfile(source) or source in model_names()


def contents(model: Any) -> list[tuple[str, str]]:
    """Name and description of everything the model holds."""
    joints = Counter(JOINTS[int(t)] for t in model.jnt_type)
    shapes = Counter(SHAPES.get(int(t), f"shape {t}") for t in model.geom_type)
    limited = int(np.count_nonzero(model.jnt_limited))
    gravity = " ".join(f"{g:g}" for g in model.opt.gravity)
    rows = [
        ("model", model.name or "(no name)"),
        ("bodies", f"{model.nbody - 1}, {float(model.body_mass.sum()):.6g} kg"),
        ("joints", f"{model.njnt}{_listed(joints)}; {limited} limited"),
        ("coordinates", f"qpos {model.nq}, qvel {model.nv}"),
        ("geoms", f"{model.ngeom}{_listed(shapes)}"),
        ("meshes", f"{model.nmesh}, {model.nmeshvert} vertices, {model.nmeshface} faces" if model.nmesh else "0"),
        ("height fields", f"{model.nhfield}, {model.nhfielddata} points" if model.nhfield else "0"),
        ("contacts", f"{count_contacts(model)} points that may touch; {model.npair} pairs, {model.nexclude} excludes"),
        ("actuators", f"{model.nactuator}: {model.nu} inputs, {model.na} activations"),
        ("tendons", str(model.ntendon)),
        ("equalities", str(model.neq)),
        ("sites", str(model.nsite)),
        ("keyframes", ", ".join(name or "(no name)" for name in model.key_names) or "none"),
        ("options", f"timestep {model.timestep:g} s, gravity {gravity} m/s2"),
    ]
    return [row for row in rows if row[1] != "0"]


def _listed(counts: Counter[str]) -> str:
    return f" ({', '.join(f'{n} {word}' for word, n in sorted(counts.items()))})" if counts else ""


def refusals(model: Any) -> dict[str, list[str]]:
    """Mode -> what it refuses of a model that both readers accept."""
    from dojo_py import HardSimulator, ModelError, SoftSimulator

    found: dict[str, list[str]] = {}
    for mode, simulator in (("hard", HardSimulator), ("soft", SoftSimulator)):
        try:
            simulator(model)
            found[mode] = []
        except ModelError as error:
            found[mode] = [str(record) for record in error.errors]
    return found
