"""`dojo_py simulate NAME|FILE`: roll a model out and say how well every step was solved."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake
from dojo_py.cli.words import MODEL_HELP
from dojo_py.reproduce.text import format_pairs

DEFAULT_DURATION = 5.0
"""[s]"""


def add(commands: Any) -> None:
    """Add the command's parser."""
    p = commands.add_parser(
        "simulate",
        help="simulate a model and report residuals, gaps and drift",
        description="Simulate a model; the exit status is 1 when any step is not solved.",
    )
    p.add_argument("model", metavar="NAME|FILE", help=MODEL_HELP)
    p.add_argument("--timestep", type=float, metavar="S", help="time step [s] (default: the file's)")
    p.add_argument("--duration", type=float, metavar="S", help="simulated time [s] (default: 5, or the control file's)")
    p.add_argument("--mode", choices=("hard", "soft"), default="hard", help="contact model (default: hard)")
    p.add_argument("--friction", choices=("cone", "pyramid", "none"), help="friction model of the hard mode (default: cone)")
    p.add_argument("--control", default="zero", metavar="random|zero|FILE", help="controls: .npy, .npz or .csv of (steps, inputs)")
    p.add_argument("--seed", type=int, default=0, help="of random controls (default: 0)")
    p.add_argument("--keyframe", metavar="NAME", help="start (default: drop, else home, else the file's first)")
    p.add_argument("--out", type=Path, metavar="FILE.npz", help="where to save the trajectory, with its model")
    p.add_argument("--progress", action="store_true", help="show the progress bar even when not on a terminal")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print the table, save. 0 when every step is solved, else 1."""
    _check_numbers(arguments)
    import numpy as np

    from dojo_py import load_model
    from dojo_py.cli.inputs import choose_keyframe, count_steps, make_controls
    from dojo_py.cli.runner import make_simulator, roll_out, summarise
    from dojo_py.overlapping import overlaps, told
    from dojo_py.progress import Progress
    from dojo_py.simulate.ending import Ending
    from dojo_py.simulate.status import Status

    clock = time.perf_counter()
    model = load_model(arguments.model)
    timestep = arguments.timestep or model.timestep
    start, keyframe = choose_keyframe(model, arguments.keyframe)
    steps, usual = count_steps(arguments.duration, timestep), count_steps(DEFAULT_DURATION, timestep)
    controls = make_controls(model, arguments.control, steps, usual or 1, arguments.seed)
    sim = make_simulator(model, arguments.mode, timestep, arguments.friction)
    state = sim.initial_state(keyframe=keyframe)
    sim.rollout(state, np.zeros((1, model.nu)))  # compiles, or loads the compiled kernels
    prepared = time.perf_counter() - clock
    clock = time.perf_counter()
    with Progress(len(controls), "simulating", force=arguments.progress) as bar:
        trajectory, last = roll_out(sim, state, controls, bar.advance)
    wall = time.perf_counter() - clock
    print(f"{model.name or arguments.model}: {arguments.mode} mode, from {start}, control {arguments.control}")
    print(format_pairs(summarise(sim, state, last, trajectory, wall, prepared)))
    if arguments.out:
        _save(trajectory, arguments.out, model)
        print(f"saved {arguments.out}; to see it: dojo_py replay {arguments.out}")
    failed = np.asarray(trajectory.status) != 0
    if failed.any():
        first = int(np.flatnonzero(failed)[0])
        status = Status(int(trajectory.status[first]))
        print(f"{failed.sum()} unsolved steps, the first at {trajectory.time[first]:g} s: {status.name}: {status.message}")
        if arguments.mode == "hard":
            print(f"it {Ending(int(trajectory.ending[first])).message}")
            if found := told(model, overlaps(model, state.qpos)):
                print(f"where it starts, {found}: see `dojo_py check --keyframe`")
    return int(failed.any())


def _save(trajectory: Any, out: Path, model: Any) -> None:
    try:
        trajectory.save(out, model=model)
    except OSError as error:
        raise Mistake(f"--out {out} cannot be written: {error.strerror or error}") from None


def _check_numbers(arguments: argparse.Namespace) -> None:
    from dojo_py.cli.inputs import check_times
    from dojo_py.cli.replay import check_target

    check_times(arguments)
    if arguments.friction and arguments.mode == "soft":
        raise Mistake("--friction belongs to the hard mode; the soft mode takes the cone from the model file")
    if arguments.seed < 0:
        raise Mistake(f"--seed {arguments.seed}: must not be negative")
    if arguments.out:
        check_target("--out", arguments.out, (".npz",))
