"""`dojo_py replay FILE.npz`: a saved trajectory as a page that opens in any browser."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake


def add(commands: Any) -> None:
    """Add the command's parser."""
    p = commands.add_parser(
        "replay",
        help="draw a saved trajectory: an HTML page",
        description="Draw a trajectory that `dojo_py simulate --out` saved: as an HTML page unless something else is asked for.",
    )
    p.add_argument("trajectory", metavar="FILE.npz", type=Path, help="a saved trajectory")
    p.add_argument("--model", metavar="NAME|FILE", help="its model, where the file does not keep it")
    p.add_argument("--html", metavar="FILE", type=Path, help="one page that opens without a network (default: FILE.html)")
    p.add_argument("--fps", type=float, default=60.0, metavar="N", help="most frames a second (default: 60)")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Draw. 0 when everything asked for was written."""
    check_numbers(arguments)
    trajectory = read_trajectory(arguments.trajectory)
    model = model_of(trajectory, arguments.trajectory, arguments.model)
    target = arguments.html or arguments.trajectory.with_suffix(".html")
    check_target("--html", target, (".html", ".htm"))
    from dojo_py.view import replay

    try:
        written = replay(model, trajectory, target, fps=arguments.fps)
    except (ImportError, ValueError, OSError) as error:
        raise Mistake(str(error)) from None
    print(f"wrote {written}, {written.stat().st_size / 1e6:.2g} MB")
    return 0


def check_numbers(arguments: argparse.Namespace) -> None:
    """A Mistake for numbers that mean nothing."""
    if not 0 < arguments.fps <= 1000:
        raise Mistake(f"--fps {arguments.fps:g}: must be positive and at most 1000")


def check_target(option: str, target: Path, endings: tuple[str, ...]) -> None:
    """A Mistake when a file of that name cannot be written."""
    if target.suffix.lower() not in endings:
        raise Mistake(f"{option} {target}: must end in {' or '.join(endings)}")
    if not target.resolve().parent.is_dir():
        raise Mistake(f"{option} {target}: no such folder")


def read_trajectory(file: Path) -> Any:
    """The trajectory in a file, or a Mistake."""
    from dojo_py import load_trajectory

    try:
        return load_trajectory(file)
    except FileNotFoundError:
        raise Mistake(f"{file}: no such file") from None
    except (OSError, ValueError) as error:
        raise Mistake(str(error).splitlines()[0]) from None


def model_of(trajectory: Any, file: Path, given: str | None) -> Any:
    """The model asked for, else the one the file keeps, else the shipped one that it names."""
    from dojo_py import load_model, models

    if given is not None:
        return load_model(given)
    if trajectory.model is not None:
        return trajectory.model
    name = trajectory.metadata.get("model")
    if name in models.names():
        return load_model(name)
    raise Mistake(f"{file}: the file does not keep its model, {name or 'which has no name'}; name it with --model NAME|FILE")
