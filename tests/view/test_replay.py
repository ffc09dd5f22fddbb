"""Replays: one file, no network, what it shows is the trajectory; opened in a real browser where there is one."""

import dataclasses
import pickle
import time

import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, load_model, load_trajectory, models
from dojo_py.view import replay
from dojo_py.view.curves import at, limits, path
from dojo_py.view.record import WEIGHT, Curve, frames_of, record
from dojo_py.view.scene import extent

pytest.importorskip("viser", reason="no viser: pip install 'dojo-sim[view]'")

EVERY_SHAPE = """<mujoco><default><geom conaffinity="0"/></default><worldbody><geom type="plane" size="2 2 0.1" conaffinity="1"/>
<body pos="0 0 0.5"><freejoint/><geom type="sphere" size="0.1" rgba="1 0 0 1"/></body>
<body pos="0.5 0 0.5"><freejoint/><geom type="capsule" size="0.1 0.1" rgba="0 1 0 0.5"/></body>
<body pos="1 0 0.5"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.15" rgba="0 0 1 1"/></body>
<body pos="0 1 0.5"><freejoint/><geom type="cylinder" size="0.1 0.1"/></body>
<body pos="0.5 1 0.5" name="a/b"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


def drop(name, seconds=0.5, simulator=HardSimulator, **start):
    sim = simulator(name if isinstance(name, str) and "<" not in name else load_model(name))
    state = sim.initial_state(**start)
    return sim, sim.rollout(state, np.zeros((round(seconds / sim.timestep), sim.model.nu)))


@pytest.fixture(scope="module")
def humanoid():
    return drop("humanoid", 10.0, keyframe="home")


def test_ten_seconds_of_humanoid_are_one_small_file(humanoid, tmp_path):
    sim, run = humanoid
    target = replay(sim.model, run, tmp_path / "run.html")
    assert target.stat().st_size < 5e6  # measured: 1.03 MB, of which viser's page is 0.82
    text = target.read_text(encoding="utf-8")
    assert "humanoid, hard mode" in text and text.count('class="chart"') == 4


def test_poses_are_recorded_without_the_server(humanoid, tmp_path, monkeypatch):
    """It wakes its thread for each: a quarter of the time that a replay took."""
    from viser.infra._infra import WebsockMessageHandler

    asked, send = [], WebsockMessageHandler.queue_message
    monkeypatch.setattr(WebsockMessageHandler, "queue_message", lambda self, message: asked.append(1) or send(self, message))
    sim, run = humanoid
    replay(sim.model, run, tmp_path / "run.html")
    assert len(asked) < 1500  # measured: 645, most of them arrows; 5377 by way of the server


def test_the_page_opens_offline_without_errors_and_moves(humanoid, tmp_path, open_page):
    sim, run = humanoid
    shown = open_page(replay(sim.model, run, tmp_path / "run.html").resolve().as_uri())
    field = shown.page.locator("input").first
    now = "Number(getComputedStyle(curves).getPropertyValue('--now'))"

    def until(act, reached):
        """act() again until reached() within 3 s: a busy page loses what is typed or clicked."""
        for _ in range(20):
            act()
            end = time.monotonic() + 3.0
            while time.monotonic() < end:
                if reached():
                    return
        pytest.fail("the page does not answer within a minute")

    def stands():
        before = shown.page.evaluate(now)
        shown.page.wait_for_timeout(1000)
        return shown.page.evaluate(now) == before

    # pause: a page that plays moves on from the time that is asked for
    until(shown.page.get_by_role("button").first.click, stands)

    def ask_for(t):
        field.fill(str(t))
        field.press("Enter")

    def at_time(t):
        until(lambda: ask_for(t), lambda: abs(10.0 * shown.page.evaluate(now) - t) < 0.03)
        shown.page.wait_for_timeout(500)
        return shown.picture(), shown.page.locator(".now").all_text_contents()

    for _ in range(20):  # software rendering may show late what the page has long been told
        (first, early), (second, late), (again, _) = at_time(0.5), at_time(2.5), at_time(0.5)
        moves = np.abs(first - second).mean() > 5 * np.abs(first - again).mean()  # measured: 0.011 against 0
        if moves and first.std() > 0.03:
            break
    assert moves and first.std() > 0.03  # measured: 0.10; a blank canvas has 0
    assert float(early[0]) > float(late[0]) + 100.0  # the energy falls from 330 J to 107 J
    before = shown.page.evaluate(now)
    until(shown.page.get_by_role("button").first.click, lambda: shown.page.evaluate(now) > before)  # play
    assert shown.errors == [] and shown.network == []


@pytest.mark.slow  # software rendering
def test_every_shape_is_drawn_in_its_colour(tmp_path, open_page):
    sim, run = drop(EVERY_SHAPE, 0.1)
    shown = open_page(replay(sim.model, run, tmp_path / "run.html").resolve().as_uri())

    def pixels(picture):
        red, green, blue = np.moveaxis(picture, -1, 0)
        return {"red": (red > 1.3 * np.maximum(green, blue)).sum(), "green": (green > 1.1 * np.maximum(red, blue)).sum(),
                "blue": (blue > 1.2 * np.maximum(red, green)).sum()}  # fmt: skip

    drawn = pixels(shown.picture_when(lambda picture: min(pixels(picture).values()) > 100))
    assert min(drawn.values()) > 100, drawn
    assert shown.errors == [] and shown.network == []


@pytest.mark.slow  # software rendering
def test_pictures_lie_on_meshes_boxes_and_the_floor(tmp_path, open_page):
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install 'dojo-sim[view]'")
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:, :32], pixels[:, 32:] = (255, 0, 0), (0, 0, 255)
    image.fromarray(pixels).save(tmp_path / "halves.png")
    (tmp_path / "tent.obj").write_text(
        "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0.5 1\n"
        "f 1/1 3/3 2/2\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 3/1 1/2 4/3\n"
    )
    (tmp_path / "robot.xml").write_text("""<mujoco model="pictures"><asset><texture name="t" type="2d" file="halves.png"/>
    <texture name="f" type="2d" builtin="checker" rgb1="0 .6 0" rgb2=".9 .9 0" width="64" height="64"/>
    <material name="m" texture="t"/>
    <material name="f" texture="f" texuniform="true"/><mesh name="tent" file="tent.obj"/></asset><worldbody>
    <geom type="plane" size="0 0 1" material="f"/>
    <body pos="0 0 1"><freejoint/><geom type="box" size=".4 .4 .4" material="m"/></body>
    <body pos="2 0 1"><freejoint/><geom type="mesh" mesh="tent" material="m"/></body></worldbody></mujoco>""")
    sim = HardSimulator(load_model(tmp_path / "robot.xml"))
    path = replay(sim.model, sim.rollout(sim.initial_state(), np.zeros((20, 0))), tmp_path / "run.html")
    assert path.stat().st_size < 1.5e6  # measured: 0.84 MB
    shown = open_page(path.resolve().as_uri())

    def shares(picture):
        """Of red, blue, green and yellow pixels."""
        r, g, b = (picture[..., i] for i in range(3))
        high, low = picture.max(axis=2), 0.55
        return [
            float(np.mean(mask))
            for mask in (
                (r == high) & (g < low * r) & (b < low * r), (b == high) & (r < low * b) & (g < low * b),
                (g == high) & (r < low * g) & (b < low * g), (b < low * g) & (r > 0.8 * g) & (g > 0.8 * r),
            )
        ]  # fmt: skip

    found = shares(shown.picture_when(lambda picture: min(shares(picture)) > 0.01))
    assert min(found) > 0.01, found
    assert shown.errors == [] and shown.network == []


def test_forces_on_a_light_box_are_seen_on_a_heavy_table():
    """What is fixed in the world has no weight to compare a force with."""
    model = load_model("""<mujoco><worldbody><body pos="0 0 .5"><geom type="box" size="1 1 .5"/></body>
    <body pos="0 0 1.02"><freejoint/><geom type="box" size=".02 .02 .02" mass="0.01"/></body>
    <body pos="0 3 1" mocap="true"><geom type="box" size="1 1 .5"/></body></worldbody></mujoco>""")
    sim = HardSimulator(model, 0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((30, 0)))
    shown = record(model, run, np.array([30]), 0.03)
    carried = sum(np.diff(shown.arrows[0], axis=1)[:, 0, 2])
    assert abs(carried / (WEIGHT * 0.03) - 1.0) < 0.01 and abs(carried / shown.scale / (0.01 * 9.81) - 1.0) < 0.01


@pytest.mark.parametrize("mode", [HardSimulator, SoftSimulator])
def test_forces_of_a_box_at_rest_carry_its_weight(mode):
    sim, run = drop("box", 3.0, mode, keyframe="home")
    shown = record(sim.model, run, frames_of(run, 30.0), 1.0)
    weight = 9.81 * sim.model.body_mass.sum()
    carried = sum(np.diff(shown.arrows[-1], axis=1)[:, 0, 2]) / shown.scale
    assert abs(carried / weight - 1.0) < 1e-3 and shown.notes == []  # measured: 5e-14 hard, 1.4e-5 soft
    assert np.abs(shown.arrows[-1][:, 0, 2]).max() < 0.01  # on the floor


def test_contacts_are_left_out_with_a_word_where_wrenches_acted():
    sim = HardSimulator("box")
    wrench = np.zeros((sim.model.nbody, 6))
    wrench[1, 2] = 5.0
    run = sim.rollout(sim.initial_state(keyframe="home"), np.zeros((100, 3)), wrenches=wrench)
    shown = record(sim.model, run, frames_of(run, 60.0), 1.0)
    assert all(len(arrows) == 0 for arrows in shown.arrows) and "left out" in shown.notes[0]


def test_a_model_that_no_simulator_takes_is_still_drawn(tmp_path):
    sim, run = drop("box", 0.2)
    nameless = dataclasses.replace(run, metadata={})
    shown = record(sim.model, nameless, frames_of(nameless, 60.0), 1.0)
    assert "no energy" in shown.notes[0] and len(shown.position) > 5
    assert replay(sim.model, nameless, tmp_path / "run.html").exists()


@pytest.mark.parametrize("name", models.names())
def test_every_shipped_model_has_a_replay(name, tmp_path):
    sim, run = drop(name, 0.05)
    assert replay(sim, run, tmp_path / "run.html").stat().st_size > 8e5


def test_frames_keep_the_first_and_the_last_state():
    _, run = drop("box", 0.5)
    chosen = frames_of(run, 30.0)
    assert chosen[0] == 0 and chosen[-1] == len(run) and len(chosen) < 20
    assert len(frames_of(run, 1000.0)) == len(run) + 1


@pytest.mark.parametrize("fps", [30.0, 60.0, 70.0, 100.0])
def test_there_are_at_most_as_many_frames_as_asked_for(fps):
    _, run = drop("box", 1.0)  # of 100 steps a second
    chosen = frames_of(run, fps)
    assert len(chosen) <= fps + 1 and (fps < 100.0 or len(chosen) == 101)


def test_curves_keep_peaks_and_gaps():
    time = np.linspace(0, 1, 5001)
    value = np.zeros(5001)
    value[1234], value[2000:3000] = 7.0, np.nan
    curve = Curve("x", "m", time, value)
    assert limits(curve) == (0.0, 7.0)
    drawn = path(curve, 0.0, 7.0, 1.0)
    assert " 0.0" in drawn and drawn.count("M") >= 2 and len(drawn) < 6000
    assert at(Curve("x", "", np.array([0.1, 0.2]), np.array([1.0, 2.0])), np.array([0.0, 0.15, 0.3])) == ["1", "1", "2"]


def test_wrong_arguments_are_named(tmp_path):
    sim, run = drop("box", 0.1)
    with pytest.raises(TypeError, match="trajectory="):
        replay(sim.model, None, tmp_path / "x.html")
    with pytest.raises(TypeError, match="model="):
        replay("box", run, tmp_path / "x.html")
    with pytest.raises(ValueError, match="fps="):
        replay(sim.model, run, tmp_path / "x.html", fps=0)
    with pytest.raises(ValueError, match="of another model"):
        replay(load_model("ant"), run, tmp_path / "x.html")


def test_a_file_keeps_its_model_and_old_files_load(tmp_path):
    sim, run = drop("quadruped", 0.1)
    run.save(tmp_path / "new.npz")
    run.save(tmp_path / "old.npz", model=False)
    kept = load_trajectory(tmp_path / "new.npz")
    assert load_trajectory(tmp_path / "old.npz").model is None and kept.metadata == run.metadata
    for item in dataclasses.fields(sim.model):
        ours, theirs = getattr(sim.model, item.name), getattr(kept.model, item.name)
        if isinstance(ours, np.ndarray):
            assert np.array_equal(ours, theirs) and ours.dtype == theirs.dtype, item.name
    again = HardSimulator(kept.model).rollout(kept.state(0), kept.control)
    assert np.array_equal(again.qpos, run.qpos)
    kept.save(tmp_path / "again.npz")
    assert load_trajectory(tmp_path / "again.npz").model is not None


@pytest.mark.parametrize("simulator", [HardSimulator, SoftSimulator])
def test_every_trajectory_of_a_simulator_carries_its_model(simulator):
    """One object for all, so that a batch in one pickle holds it once: further worlds take 3 kB each (measured), the model 12."""
    sim = simulator("box")
    worlds = sim.rollout_batch(sim.initial_state(), np.zeros((32, 3, sim.model.nu)))
    steps = sim.rollout(sim.initial_state(), np.zeros((2, sim.model.nu)), linearize=True)
    assert all(world.model is sim.model for world in [*worlds, steps])
    one, all_of_them = (len(pickle.dumps(some)) for some in (worlds[:1], worlds))
    assert all_of_them - one < 31 * 4000, (one, all_of_them)


def test_a_model_of_mujoco_is_not_kept(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    sim = SoftSimulator(model)
    run = sim.rollout(sim.initial_state(), np.zeros((2, 0)))
    run.save(tmp_path / "run.npz")
    assert run.model is None and load_trajectory(tmp_path / "run.npz").model is None


def test_a_damaged_model_in_a_file_is_refused_by_name(tmp_path):
    sim, run = drop("box", 0.1)
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        arrays = dict(file)
    name = next(name for name in arrays if name.endswith("geom_bodyid"))
    arrays[name] = arrays[name] + 7
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.warns(UserWarning, match="geom_bodyid has numbers beyond"):
        assert load_trajectory(tmp_path / "bad.npz").model is None


def test_the_command_knows_every_shipped_model_by_its_name(tmp_path):
    """Scenes were unknown, where the file does not keep the model."""
    from dojo_py.cli.replay import model_of

    sim = HardSimulator("slope")
    run = sim.rollout(sim.initial_state(), np.zeros((0, sim.model.nu)))
    assert model_of(dataclasses.replace(run, model=None), tmp_path / "run.npz", None).name == "slope"


def test_the_command_writes_a_page_from_a_saved_run(tmp_path, capsys):
    from dojo_py.cli import main

    run, page = tmp_path / "run.npz", tmp_path / "run.html"
    assert main(["simulate", "box", "--duration", "0.2", "--out", str(run)]) == 0
    assert main(["replay", str(run)]) == 0 and page.stat().st_size > 8e5
    assert f"wrote {page}" in capsys.readouterr().out
    load_trajectory(run).save(tmp_path / "bare.npz")
    plain = dataclasses.replace(load_trajectory(run), model=None, metadata={"model": "mine", "timestep": 0.01})
    plain.save(tmp_path / "mine.npz")
    assert main(["replay", str(tmp_path / "mine.npz"), "--model", "box"]) == 0
    capsys.readouterr()
    for words, said in (
        (["mine.npz"], "--model NAME|FILE"),
        (["none.npz"], "no such file"),
        (["run.html"], "not a trajectory file"),
        (["run.npz", "--html", "page.txt"], "must end in .html"),
        (["run.npz", "--html", "none/page.html"], "no such folder"),
        (["run.npz", "--model", "ant"], "of another model"),
        (["run.npz", "--fps", "-1"], "--fps and --speed"),
        (["run.npz", "--size", "9x9"], "--size 9x9"),
        (["run.npz", "--png", "7"], "run.npz goes from 0 to 0.2 s"),
        (["run.npz", "--png", "nan"], "--png nan"),
        (["run.npz", "--video", "film.avi"], "must end in .mp4"),
    ):
        assert main(["replay", str(tmp_path / words[0]), *words[1:]]) == 2
        assert said in capsys.readouterr().err, words


def test_extent_is_around_the_model_not_the_floor():
    model = load_model("humanoid")
    centre, radius = extent(model, model.qpos0)
    assert 0.5 < radius < 1.5 and 0.5 < centre[2] < 1.5
