"""Pictures and films of a trajectory: drawn without a display, encoded by libraries whose wheels carry their encoders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.drawing.picture import Painter, camera
from dojo_py.drawing.poses import centres_of_mass, moving_mass
from dojo_py.simulate.values import count, having, path_of, real_number, truth_of
from dojo_py.view.extra import imported
from dojo_py.view.record import Record, check_fits, record
from dojo_py.view.scene import extent
from dojo_py.whole_file import whole_file

Array = np.ndarray

AZIMUTH, ELEVATION = 130.0, -16.0
"""Of the camera [degrees], in MuJoCo's sense."""
SAMPLES = 2
FORMATS = (".mp4", ".gif")
LONGEST_PAUSE = 2**16 - 1
"""Hundredths of a second that a .gif can show a frame."""
MOST = 4096
"""Largest width and height [pixels]."""


def picture(
    model: Any, trajectory: Any, path: str | PathLike, *, time: float = 0.0, width: int = 640, height: int = 480,
    contacts: bool = True,
) -> Path:  # fmt: skip
    """Write a PNG of a trajectory at a time [s]; return its path. The arguments' meaning as in `film`."""
    target = Path(path_of("path", path))
    if target.suffix.lower() != ".png":
        raise ValueError(f"path={str(target)!r}: must end in .png")
    shape = _checked(model, trajectory)
    times = trajectory.time
    slack = 1e-9 * (1.0 + abs(float(times[-1])))  # times are sums of steps
    time = real_number("time", time, least=float(times[0]) - slack, most=float(times[-1]) + slack, unit="s")
    k = int(np.abs(times - time).argmin())
    scene = _Scene(shape, model, trajectory, np.array([k]), contacts, width, height)
    with whole_file(target) as draft:
        imported("PIL.Image").fromarray(scene.draw(0)).save(draft)
    return target


def film(
    model: Any, trajectory: Any, path: str | PathLike, *, fps: float = 30.0, speed: float = 1.0, width: int = 640,
    height: int = 480, contacts: bool = True, advance: Callable[[int], None] | None = None,
) -> Path:  # fmt: skip
    """Write a trajectory as a film, .mp4 or .gif; return its path. Needs the extra `view`.

    model: the Model, or the simulator that made the trajectory. fps: frames a second of the film; a .gif shows each for a whole
    number of hundredths of a second, at least two, and has as many frames as that makes. speed: simulated seconds a second
    of the film. contacts: show forces as arrows. advance: called with the number of frames done since the last call.
    """
    target = Path(path_of("path", path))
    if target.suffix.lower() not in FORMATS:
        raise ValueError(f"path={str(target)!r}: must end in {' or '.join(FORMATS)}")
    fps, speed = real_number("fps", fps, above=0.0, most=240.0, unit="1/s"), real_number("speed", speed, above=0.0, most=1e3)
    shape = _checked(model, trajectory)
    fps = frame_rate(target, fps)
    chosen = film_frames(trajectory.time, fps, speed)
    scene = _Scene(shape, model, trajectory, chosen, contacts, width, height)
    frames = scene.frames(advance or (lambda done: None))
    with whole_file(target) as draft:
        (_write_gif if target.suffix.lower() == ".gif" else _write_mp4)(draft, frames, fps, scene.width, scene.height)
    return target


def frame_rate(target: Path, fps: float) -> float:
    """Frames a second that a film in this format has when so many are asked for."""
    return 1e3 / _pause(fps) if target.suffix.lower() == ".gif" else fps


def _pause(fps: float) -> int:
    """Time that a .gif shows a frame [ms]: the format counts hundredths of a second, and browsers slow down what is below two."""
    return 10 * min(max(2, round(100.0 / fps)), LONGEST_PAUSE)


def film_frames(time: Array, fps: float, speed: float) -> Array:
    """Numbers of the states nearest to the times of a film's frames."""
    span = float(time[-1] - time[0])
    wanted = time[0] + np.arange(int(np.floor(span * fps / speed + 1e-9)) + 1) * speed / fps
    after = np.clip(np.searchsorted(time, wanted), 1, max(1, len(time) - 1))
    if len(time) == 1:
        return np.zeros(1, int)
    return np.where(time[after] - wanted < wanted - time[after - 1], after, after - 1)


def _checked(model: Any, trajectory: Any) -> Any:
    """The model without its simulator, of which the trajectory is."""
    having("model", model, ("timestep",), "a Model or a simulator")
    having("trajectory", trajectory, ("qpos", "metadata", "state"), "a Trajectory")
    shape = getattr(model, "model", model)
    check_fits(shape, trajectory)
    return shape


class _Scene:
    """The frames of a film, drawn one by one."""

    def __init__(self, shape: Any, model: Any, trajectory: Any, chosen: Array, contacts: bool, width: int, height: int):
        self.width, self.height = count("width", width, 16, MOST), count("height", height, 16, MOST)
        self.qpos, self.placed = trajectory.qpos[chosen], trajectory.state(0)
        centre = extent(shape, self.qpos[0], self.placed)[0]
        self.size = extent(shape, trajectory.qpos[0], self.placed)[1]
        self.shown: Record = record(model, trajectory, chosen, self.size, truth_of("contacts", contacts), curves=False)
        self.painter = Painter(shape)
        self.targets = _targets(shape, self.shown, centre)

    def draw(self, k: int) -> Array:
        """(height, width, 3) of frame k."""
        at = camera(AZIMUTH, ELEVATION, 2.9 * self.size, self.targets[k])
        shape, arrows = (self.width, self.height), self.shown.arrows[k]
        return self.painter.picture(self.qpos[k], *at, *shape, arrows=arrows, samples=SAMPLES, placed=self.placed)

    def frames(self, advance: Callable[[int], None]) -> Iterator[Array]:
        for k in range(len(self.qpos)):
            yield self.draw(k)
            advance(1)


def _targets(model: Any, shown: Record, centre: Array) -> Array:
    """(F, 3) what the camera looks at: where the middle of the model would be if it moved with its centre of mass."""
    mass = moving_mass(model)
    if mass.sum() <= 0.0:
        return np.tile(centre, (len(shown.time), 1))
    com = np.einsum("b,tbi->ti", mass, centres_of_mass(model, shown.position, shown.rotation)) / mass.sum()
    return np.asarray(centre + com - com[0])


def _write_gif(target: Path, frames: Iterator[Array], fps: float, width: int, height: int) -> None:
    image = imported("PIL.Image")
    pictures = [image.fromarray(frame).quantize(colors=128, dither=0) for frame in frames]
    pictures[0].save(target, save_all=True, append_images=pictures[1:], duration=_pause(fps), loop=0, optimize=False)


def _write_mp4(target: Path, frames: Iterator[Array], fps: float, width: int, height: int) -> None:
    from fractions import Fraction

    av = imported("av")
    with av.open(str(target), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000), options={"crf": "20"})
        stream.width, stream.height, stream.pix_fmt = width - width % 2, height - height % 2, "yuv420p"
        for frame in frames:
            cut = np.ascontiguousarray(frame[: stream.height, : stream.width])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(cut, format="rgb24")))
        container.mux(stream.encode())
