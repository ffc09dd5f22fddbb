"""Films and pictures: as many frames as seconds ask for, of the right size, and they move."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.view import film, picture
from dojo_py.view.films import film_frames

av = pytest.importorskip("av", reason="no PyAV: pip install 'dojo-sim[view]'")
Image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install 'dojo-sim[view]'")


@pytest.fixture(scope="module")
def fall():
    sim = HardSimulator("box")
    return sim.model, sim.rollout(sim.initial_state(qpos=[0, 0, 1.0, 1, 0, 0, 0]), np.zeros((100, 3)))


def test_video_has_its_frames_and_moves(fall, tmp_path):
    done = []
    target = film(*fall, tmp_path / "fall.mp4", fps=20, width=161, height=120, advance=done.append)
    with av.open(str(target)) as container:
        stream = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(stream)]
        assert stream.average_rate == 20 and stream.codec_context.name == "h264"
    assert len(frames) == sum(done) == 21 and frames[0].shape == (120, 160, 3)
    assert frames[0].std() > 10 and np.abs(frames[10] - frames[0]).mean() > 1.0


def test_gif_has_its_frames_and_lasts_as_long(fall, tmp_path):
    with Image.open(film(*fall, tmp_path / "fall.gif", fps=20, speed=0.5, width=80, height=60)) as gif:
        pauses = []
        for k in range(gif.n_frames):  # frames that are the same are one, shown for longer
            gif.seek(k)
            pauses.append(gif.info["duration"])
        assert sum(pauses) == 41 * 50 and min(pauses) == 50 and gif.size == (80, 60) and gif.info["loop"] == 0
        gif.seek(0)
        first = np.asarray(gif.convert("RGB"), int)
        gif.seek(gif.n_frames // 2)
        assert np.abs(np.asarray(gif.convert("RGB"), int) - first).mean() > 1.0


@pytest.mark.parametrize("fps", [30.0, 60.0, 240.0, 7.0])
def test_gif_plays_at_its_speed_at_every_rate(fall, tmp_path, fps):
    done = []
    with Image.open(film(*fall, tmp_path / "fall.gif", fps=fps, width=32, height=24, advance=done.append)) as gif:
        lasts = 0.0
        for k in range(gif.n_frames):
            gif.seek(k)
            lasts += 1e-3 * gif.info["duration"]
    assert abs(lasts - 1.0) <= 1.01 * lasts / sum(done)  # the fall of 1 s, and the last frame's time


def test_a_picture_is_of_its_time(fall, tmp_path):
    shown = [np.asarray(Image.open(picture(*fall, tmp_path / f"{t}.png", time=t, width=120, height=90)), int) for t in (0, 0.3, 1)]
    assert shown[0].shape == (90, 120, 3) and all(np.abs(a - b).mean() > 0.5 for a, b in zip(shown, shown[1:], strict=False))


HAND = """<mujoco><worldbody><body name="hand" mocap="true" pos="0 0 1"><geom size=".3" rgba="1 0 0 1"/></body>
<body><joint axis="0 0 1"/><geom size=".1" rgba="0 0 1 1"/></body></worldbody>
<keyframe><key name="away" mpos="0 0 3"/></keyframe></mujoco>"""


def test_a_mocap_body_is_drawn_where_the_trajectory_has_it(tmp_path):
    """Three times as far from the ball, in its own diameters and but for the perspective."""

    def apart(keyframe):
        sim = HardSimulator(load_model(HAND))
        run = sim.rollout(sim.initial_state(keyframe=keyframe), np.zeros((2, 0)))
        r, _, b = np.moveaxis(np.asarray(Image.open(picture(sim, run, tmp_path / "x.png")), int), -1, 0)
        red, blue = np.argwhere(r > 2 * b)[:, 0], np.argwhere(b > 2 * r)[:, 0]
        return (blue.mean() - red.mean()) / (np.ptp(red) + 1)

    assert abs(apart("away") / apart(None) - 3.0) < 0.3  # measured: 2.88


def test_arrows_of_contact_forces_are_in_the_picture(fall, tmp_path):
    def red(contacts):
        r, g, b = np.moveaxis(np.asarray(Image.open(picture(*fall, tmp_path / "x.png", time=1.0, contacts=contacts)), int), -1, 0)
        return int(((r > 100) & (g < 60) & (b < 60)).sum())

    assert red(True) > 200 and red(False) == 0


def test_film_frames_are_the_nearest_states():
    time = np.arange(0, 1.001, 0.01)
    assert list(film_frames(time, 10.0, 1.0)) == list(range(0, 101, 10))
    assert len(film_frames(time, 30.0, 0.5)) == 61 and len(film_frames(time, 30.0, 4.0)) == 8
    assert list(film_frames(time[:1], 30.0, 1.0)) == [0]


def test_wrong_arguments_are_named(fall, tmp_path):
    for call, said in (
        (lambda: film(*fall, tmp_path / "x.avi"), "must end in .mp4 or .gif"),
        (lambda: film(*fall, tmp_path / "x.gif", fps=0), "fps="),
        (lambda: film(*fall, tmp_path / "x.gif", speed=-1), "speed="),
        (lambda: film(*fall, tmp_path / "x.gif", width=5), "width="),
        (lambda: picture(*fall, tmp_path / "x.jpg"), "must end in .png"),
        (lambda: picture(*fall, tmp_path / "x.png", time=2.0), "time=2.0 must be"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


@pytest.mark.slow  # half a minute, as in docs/test_blocks.py
def test_the_code_of_the_documentation_runs(tmp_path, monkeypatch):
    import re
    from pathlib import Path

    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).resolve().parents[2] / "docs" / "view.md").read_text(encoding="utf-8")
    names: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(compile(block, "docs/view.md", "exec"), names)
    assert {file.suffix for file in tmp_path.iterdir()} == {".html", ".mp4", ".png"}


def test_the_camera_follows_what_moves_away(tmp_path):
    sim = HardSimulator("box")
    run = sim.rollout(sim.initial_state(qpos=[0, 0, 500.0, 1, 0, 0, 0], qvel=[5.0, 0, 0, 0, 0, 0]), np.zeros((300, 3)))
    first, last = (
        np.asarray(Image.open(picture(sim.model, run, tmp_path / "x.png", time=t, width=160, height=120)), int) for t in (0.0, 3.0)
    )
    inside = np.s_[40:80, 60:100]
    assert np.abs(first[inside] - last[inside]).mean() < 5.0  # 15 m away and 44 m lower
    with av.open(str(film(sim.model, run, tmp_path / "x.mp4", fps=10, width=160, height=120))) as container:
        frames = [frame.to_ndarray(format="rgb24").astype(int)[inside] for frame in container.decode(video=0)]
    assert len(frames) == 31 and max(np.abs(frame - frames[0]).mean() for frame in frames) < 10.0
