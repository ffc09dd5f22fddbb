"""`dojo_py view NAME|FILE`: a live viewer in the browser."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake
from dojo_py.cli.words import MODEL_HELP


def add(commands: Any) -> None:
    """Add the command's parser."""
    p = commands.add_parser(
        "view",
        help="simulate a model in the browser: play, push, move its joints and controls",
        description="Show a model in the browser, simulated as you look on. Ctrl-C ends it.",
    )
    p.add_argument("model", metavar="NAME|FILE", help=MODEL_HELP)
    p.add_argument("--mode", choices=("hard", "soft", "both"), help="contact model (default: the trajectory's, else hard)")
    p.add_argument("--trajectory", metavar="FILE.npz", type=Path, help="a saved trajectory to begin with")
    p.add_argument("--timestep", type=float, metavar="S", help="time step [s] (default: the trajectory's, else the file's)")
    p.add_argument("--keyframe", metavar="NAME", help="start (default: drop, else home, else the file's first)")
    p.add_argument("--port", type=int, default=8080, metavar="N", help="of the address (default: 8080; 0: any free one)")
    p.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="0.0.0.0 lets others look on (default: 127.0.0.1)")
    p.add_argument("--play", action="store_true", help="begin at once")
    p.add_argument("--no-browser", action="store_true", help="only print the address")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show it until it is interrupted."""
    from dojo_py.cli.inputs import check_times

    if not 0 <= arguments.port <= 65535:
        raise Mistake(f"--port {arguments.port}: must be from 0 to 65535")
    check_times(arguments)
    if arguments.trajectory is not None and arguments.keyframe is not None:
        raise Mistake("--keyframe: a --trajectory begins where it began; ask for one of them")
    viewer = open_viewer(arguments)
    print(f"{viewer.session.model.name or arguments.model}: {viewer.url} (Ctrl-C ends it)", flush=True)
    if not arguments.no_browser:
        webbrowser.open(viewer.url)
    try:
        viewer.wait()
    except RuntimeError as error:
        raise Mistake(str(error)) from None
    return 0


def open_viewer(arguments: argparse.Namespace) -> Any:
    """The running viewer, or a Mistake."""
    from dojo_py import load_model
    from dojo_py.cli.inputs import choose_keyframe
    from dojo_py.cli.replay import read_trajectory
    from dojo_py.mechanism.errors import ModelError
    from dojo_py.view.extra import imported

    try:
        imported("viser")
        from dojo_py.view.live import Viewer, check_port, simulators_of
        from dojo_py.view.session import Session

        check_port(arguments.host, arguments.port)
        model = load_model(arguments.model)
        trajectory = None if arguments.trajectory is None else read_trajectory(arguments.trajectory)
        sims, names = simulators_of(model, arguments.mode, trajectory, arguments.timestep)
        _, keyframe = choose_keyframe(model, arguments.keyframe)
        session = Session(sims, [sim.initial_state(keyframe=keyframe) for sim in sims], names)
        if trajectory is not None:
            session.load(trajectory)
        viewer = Viewer(session, arguments.host, arguments.port, tell=lambda message: print(message, flush=True))
    except ModelError:
        raise
    except (ImportError, OSError, ValueError) as error:
        raise Mistake(str(error)) from None
    viewer.session.play(arguments.play)
    return viewer
