"""`dojo_py convert IN OUT`: a model file (URDF, or MJCF with its includes and attached files) as one MJCF file.

The file holds the meshes, no classes and no macros; reading it gives the same model, here and in MuJoCo.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake
from dojo_py.cli.words import MODEL_HELP


def add(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "convert",
        help="write a model file as one MJCF file",
        description="Write a model file (URDF, or MJCF with its includes and attached files) as one MJCF file. It holds the "
        "meshes, no classes and no macros; reading it gives the same model, here and in MuJoCo, but for what "
        "--exclude-overlaps drops.",
    )
    parser.add_argument("source", metavar="NAME|FILE", help=MODEL_HELP)
    parser.add_argument("target", metavar="OUT.xml", help="the file to write")
    parser.add_argument("--skip", action="store_true", help="leave out what is not simulated instead of refusing the file")
    parser.add_argument(
        "--exclude-overlaps", action="store_true", help="let bodies that overlap not touch each other, and say which"
    )
    parser.add_argument("--keyframe", metavar="NAME", help="where --exclude-overlaps looks (default: at qpos0)")
    parser.add_argument("--force", action="store_true", help="write over an existing file")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Convert, and say what was written and what was left out."""
    from dojo_py.cli.inputs import pose_at
    from dojo_py.formats import load_mechanism, save_mjcf
    from dojo_py.overlapping import by_bodies, exclude_overlaps

    target = Path(arguments.target)
    if arguments.keyframe is not None and not arguments.exclude_overlaps:
        raise Mistake("--keyframe: says where --exclude-overlaps looks, which is not asked for")
    if target.exists() and not arguments.force:
        raise Mistake(f"{target} exists; --force writes over it")
    if target.suffix.lower() != ".xml":
        raise Mistake(f"{target}: MJCF files end in .xml")
    if not target.resolve().parent.is_dir():
        raise Mistake(f"{target}: no such folder")
    mechanism = load_mechanism(arguments.source, unsupported="skip" if arguments.skip else "error")
    model, found = mechanism.compile(), []
    if arguments.exclude_overlaps:
        found = exclude_overlaps(mechanism, pose_at(model, arguments.keyframe))
        model = mechanism.compile()
    try:
        save_mjcf(model, target)
    except OSError as error:
        raise Mistake(f"{target} cannot be written: {error.strerror or error}") from error
    print(f"{target}: {model.nbody - 1} bodies, {model.njnt} joints, {model.ngeom} geoms, {model.nu} inputs")
    for (one, two), depth in by_bodies(found).items():
        print(f"excluded: '{model.body_names[one]}' and '{model.body_names[two]}', {1e3 * depth:.3g} mm in each other")
    for record in model.left_out:
        print(f"left out: {record}")
    return 0
