"""`dojo_py compare NAME|FILE`: hard beside soft contact, measured and side by side in one page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake
from dojo_py.cli.replay import ENDINGS, check_target
from dojo_py.cli.words import MODEL_HELP


def add(commands: Any) -> None:
    """Add the command's parser."""
    p = commands.add_parser(
        "compare",
        help="simulate a model in both modes: a table and a page that shows them side by side",
        description="Simulate a model with hard and with soft contact from the same start under the same controls: penetration, "
        "creep, energy, and a page that plays both (extra view; without it the table alone).",
    )
    p.add_argument("model", metavar="NAME|FILE", help=MODEL_HELP)
    p.add_argument("--html", type=Path, metavar="OUT", help="the page (default: MODEL_compare.html)")
    p.add_argument("--timestep", type=float, metavar="S", help="time step [s] (default: the file's)")
    p.add_argument("--duration", type=float, metavar="S", help="simulated time [s] (default: 5, or the control file's)")
    p.add_argument("--control", default="zero", metavar="random|zero|FILE", help="controls: .npy, .npz or .csv of (steps, inputs)")
    p.add_argument("--seed", type=int, default=0, help="of random controls (default: 0)")
    p.add_argument("--keyframe", metavar="NAME", help="start (default: drop, else home, else the file's first)")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print the table, write the page. 0 when every step of both modes is solved, else 1."""
    import importlib.util
    import sys

    from dojo_py import load_model
    from dojo_py.cli.inputs import check_times, choose_keyframe, count_steps, make_controls
    from dojo_py.cli.simulate import DEFAULT_DURATION
    from dojo_py.view import compare

    check_times(arguments)
    if arguments.seed < 0:
        raise Mistake(f"--seed {arguments.seed}: must not be negative")
    target = arguments.html or Path(f"{Path(arguments.model).stem}_compare.html")
    check_target("--html", target, ENDINGS["html"])
    model = load_model(arguments.model)
    if not model.nv:
        raise Mistake(f"{arguments.model}: no body has a joint, nothing moves: there is nothing to compare")
    h = arguments.timestep or model.timestep
    start, keyframe = choose_keyframe(model, arguments.keyframe)
    steps, usual = count_steps(arguments.duration, h), count_steps(DEFAULT_DURATION, h)
    controls = make_controls(model, arguments.control, steps, usual or 1, arguments.seed)
    drawn = importlib.util.find_spec("viser") is not None
    try:
        found = compare(model, target if drawn else None, timestep=h, controls=controls, keyframe=keyframe)
    except OSError as error:
        raise Mistake(f"--html {target} cannot be written: {error.strerror or error}") from None
    print(f"{model.name or arguments.model}: {len(controls)} steps of {h:g} s from {start}, control {arguments.control}")
    print(found)
    if drawn:
        print(f"wrote {target}, {target.stat().st_size / 1e6:.2g} MB")
    else:
        print('dojo_py: no page: viser is not installed; pip install "dojo-sim[view]"', file=sys.stderr)
    return int(found.hard.unsolved + found.soft.unsolved > 0)
