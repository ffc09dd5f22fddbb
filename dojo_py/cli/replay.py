"""`dojo_py replay FILE.npz`: a saved trajectory as a page that opens in any browser, a film or a picture."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake

ENDINGS = {"html": (".html", ".htm"), "video": (".mp4",), "gif": (".gif",), "png": (".png",)}
GIF_FPS, VIDEO_FPS, PAGE_FPS = 20.0, 30.0, 60.0
SLACK = 1e-9
"""Of the time of a picture [s]: times are sums of steps."""


def add(commands: Any) -> None:
    """Add the command's parser."""
    p = commands.add_parser(
        "replay",
        help="draw a saved trajectory: an HTML page, a film, a picture",
        description="Draw a trajectory that `dojo_py simulate --out` saved: as an HTML page unless something else is asked for.",
    )
    p.add_argument("trajectory", metavar="FILE.npz", type=Path, help="a saved trajectory")
    p.add_argument("--model", metavar="NAME|FILE", help="its model, where the file does not keep it")
    p.add_argument("--html", metavar="OUT", nargs="?", type=Path, const=Path(), help="a page that opens without a network")
    p.add_argument("--video", metavar="OUT", nargs="?", type=Path, const=Path(), help="an .mp4 film")
    p.add_argument("--gif", metavar="OUT", nargs="?", type=Path, const=Path(), help="a .gif film")
    p.add_argument("--png", metavar="T", type=float, help="a picture at the time T [s]: FILE.png")
    p.add_argument("--fps", type=float, metavar="N", help="frames a second (default: 60 at most, video 30, gif 20)")
    p.add_argument("--speed", type=float, metavar="X", help="simulated seconds a second of a film (default: 1)")
    p.add_argument("--size", metavar="WxH", help="of films and pictures [pixels] (default: 640x480)")
    p.add_argument("--no-contacts", action="store_true", help="leave out the contact forces")
    p.add_argument("--progress", action="store_true", help="show the progress bar even when not on a terminal")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Draw. 0 when everything asked for was written."""
    width, height = _size(arguments.size or "640x480")
    speed = 1.0 if arguments.speed is None else arguments.speed
    if not 0 < (1.0 if arguments.fps is None else arguments.fps) <= 240 or not 0 < speed <= 1000:
        raise Mistake("--fps and --speed: must be positive, at most 240 and 1000")
    targets = _targets(arguments)
    _check_belongings(arguments, set(targets))
    trajectory = read_trajectory(arguments.trajectory)
    first, last = float(trajectory.time[0]), float(trajectory.time[-1])
    if arguments.png is not None and not first - SLACK <= arguments.png <= last + SLACK:
        raise Mistake(f"--png {arguments.png:g}: {arguments.trajectory} goes from {first:g} to {last:g} s")
    model = model_of(trajectory, arguments.trajectory, arguments.model)
    from dojo_py import view

    contacts, fps = not arguments.no_contacts, arguments.fps
    seen = {"width": width, "height": height, "contacts": contacts}
    makers: dict[str, Callable[[Path], Path]] = {
        "html": lambda out: view.replay(model, trajectory, out, fps=fps or PAGE_FPS, contacts=contacts),
        "video": lambda out: _film(arguments, model, trajectory, out, fps or VIDEO_FPS, speed, seen),
        "gif": lambda out: _film(arguments, model, trajectory, out, fps or GIF_FPS, speed, seen),
        "png": lambda out: view.picture(model, trajectory, out, time=arguments.png, **seen),
    }
    for kind, target in targets.items():
        try:
            written = makers[kind](target)
        except (ImportError, ValueError, OSError) as error:
            raise Mistake(str(error)) from None
        print(f"wrote {written}, {written.stat().st_size / 1e6:.2g} MB")
    return 0


def _check_belongings(arguments: argparse.Namespace, asked: set[str]) -> None:
    """A Mistake for an option of something that is not drawn."""
    films = {"video", "gif"}
    for option, kinds in (("speed", films), ("size", {*films, "png"}), ("fps", {*films, "html"})):
        if getattr(arguments, option) is not None and not asked & kinds:
            those = ", ".join(f"--{kind}" for kind in ENDINGS if kind in kinds)
            raise Mistake(f"--{option}: belongs to {those}; none is asked for")


def _film(
    arguments: argparse.Namespace, model: Any, trajectory: Any, target: Path, fps: float, speed: float, seen: dict[str, Any]
) -> Path:  # fmt: skip
    from dojo_py import view
    from dojo_py.progress import Progress
    from dojo_py.view.films import film_frames, frame_rate

    frames = len(film_frames(trajectory.time, frame_rate(target, fps), speed))
    with Progress(frames, "drawing", force=arguments.progress) as bar:
        return Path(view.film(model, trajectory, target, fps=fps, speed=speed, advance=bar.advance, **seen))


def _targets(arguments: argparse.Namespace) -> dict[str, Path]:
    """Kind -> file to write; the page when nothing is asked for."""
    asked = {kind: getattr(arguments, kind) for kind in ENDINGS if getattr(arguments, kind) is not None}
    asked = asked or {"html": Path()}
    if not arguments.trajectory.name:
        raise Mistake(f"{arguments.trajectory}: is a folder, a saved trajectory is wanted")
    targets = {}
    for kind, value in asked.items():
        beside = arguments.trajectory.with_suffix(ENDINGS[kind][0])
        targets[kind] = value if isinstance(value, Path) and value != Path() else beside
        check_target(f"--{kind}", targets[kind], ENDINGS[kind])
    return targets


def _size(text: str) -> tuple[int, int]:
    """Width and height of "640x480"."""
    words = text.lower().split("x")
    if len(words) != 2 or not all(word.isascii() and word.isdigit() and 16 <= int(word) <= 4096 for word in words):
        raise Mistake(f"--size {text}: must be two numbers from 16 to 4096, as in 640x480")
    return int(words[0]), int(words[1])


def check_target(option: str, target: Path, endings: tuple[str, ...]) -> None:
    """A Mistake when a file of that name cannot be written."""
    if target.suffix.lower() not in endings:
        raise Mistake(f"{option} {target}: must end in {' or '.join(endings)}")
    if not target.resolve().parent.is_dir():
        raise Mistake(f"{option} {target}: no such folder")
    if target.is_dir():
        raise Mistake(f"{option} {target}: is a folder, a file is wanted")


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
    from dojo_py import load_model
    from dojo_py.formats.load import model_names

    if given is not None:
        return load_model(given)
    if trajectory.model is not None:
        return trajectory.model
    name = trajectory.metadata.get("model")
    if name in model_names():
        return load_model(name)
    raise Mistake(f"{file}: the file does not keep its model, {name or 'which has no name'}; name it with --model NAME|FILE")
