"""The live viewer through viser's server and in a real browser where there is one."""

import dataclasses
import html
import re
import socket
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model, models

pytest.importorskip("viser", reason="no viser: pip install 'dojo-sim[view]'")

from dojo_py.view import show  # noqa: E402
from dojo_py.view.panels import control_ranges, joint_range, kappa_power, kappa_text, status_text  # noqa: E402


@pytest.fixture
def viewer_of():
    """viewer_of(model, ...) -> a running viewer on a free port."""
    opened = []

    def open_(*what, **how):
        opened.append(show(*what, **{"port": 0, "block": False, **how}))
        return opened[-1]

    yield open_
    for viewer in opened:
        viewer.stop()
        assert viewer.error is None


def until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


def nodes(viewer):
    """Names of what is in viser's scene."""
    return set(viewer.server.scene._handle_from_node_name)


def test_bodies_move_with_the_session_and_both_modes_stand_side_by_side(viewer_of):
    viewer = viewer_of("humanoid", mode="both", keyframe="home")
    assert {"/hard", "/soft", "/hard/1 torso/geom 1"} <= nodes(viewer)
    viewer.session.play()
    until(lambda: viewer.session.time > 0.5)
    viewer.session.play(False)
    time.sleep(0.1)
    viewer.draw()
    for lane, scene in zip(viewer.session.lanes, viewer.scenes, strict=True):
        state = lane.past[viewer.session.k].state
        assert np.abs(scene.frames[1].position - state.qpos[:3]).max() < 1e-5
    assert viewer.panel.play.value is False and viewer.panel.line.value == viewer.session.k
    assert "hard: solved" in viewer.panel.status.content and "soft: solved" in viewer.panel.status.content


def test_it_keeps_real_time_on_the_humanoid(viewer_of):
    viewer = viewer_of("humanoid", keyframe="home")
    viewer.session.step()
    begin, at = time.perf_counter(), viewer.session.time
    viewer.session.play()
    time.sleep(2.0)
    share = (viewer.session.time - at) / (time.perf_counter() - begin)
    assert share > 0.8  # measured: 0.99 with two browsers' worth of load beside it


def test_curves_and_overlays_show_what_the_session_knows(viewer_of):
    viewer = viewer_of("box", keyframe="home")
    for _ in range(20):
        viewer.session.step()
    for overlay in viewer.overlays:
        overlay.on.update(dict.fromkeys(overlay.on, True))
    viewer.draw()
    viewer.panel.draw_curves()
    time_, energy = viewer.panel.charts["energy"].data
    assert len(time_) == 21 and np.isfinite(energy).all() and time_[-1] == viewer.session.time
    arrows = viewer.scenes[0].arrows
    assert arrows.visible and arrows.points.shape == (4, 2, 3) and (arrows.points[:, 1, 2] > arrows.points[:, 0, 2] + 0.01).all()
    cones = viewer.overlays[0].cones
    assert cones.visible and cones.batched_positions.shape == (4, 3)
    mu = cones.batched_scales[:, 0] / cones.batched_scales[:, 2]
    assert np.allclose(mu, viewer.session.model.geom_friction[:, 0].max())
    assert viewer.overlays[0].masses.points.shape == (2, 3) and viewer.scenes[0].frames[1].show_axes
    for overlay in viewer.overlays:
        overlay.on.update(dict.fromkeys(overlay.on, False))
    viewer.draw()
    assert not (arrows.visible or cones.visible or viewer.overlays[0].masses.visible or viewer.scenes[0].frames[1].show_axes)


def test_kappa_is_a_slider_that_shows_the_relaxed_motion(viewer_of):
    viewer = viewer_of("box", mode="both", keyframe="home")
    assert [ghost is None for ghost in viewer.ghosts] == [False, True] and not viewer.ghosts[0].root.visible
    for _ in range(50):
        viewer.session.step()
    shown, power, said = viewer.panel.kappa
    assert abs(power.max - np.log10(viewer.session.lanes[0].sim.largest_kappa())) < 0.06
    viewer.session.set_kappa(10.0**power.max / 10.0)
    ghost = viewer.ghosts[0]
    until(lambda: ghost.root.visible)
    viewer.draw()
    above = ghost.scene.frames[1].position[2] - viewer.scenes[0].frames[1].position[2]
    assert 0.005 < above < 0.2  # it floats up and down about 0.047 m; measured 0.020
    assert "/hard/relaxed/1 box/geom 1" in nodes(viewer)
    viewer.session.set_kappa(None)
    viewer.draw()
    assert not ghost.root.visible
    assert "10 % of its size" in kappa_text(0.01, 0.1) and kappa_power(np.inf) == 0.0


def test_a_trajectory_is_the_past_of_the_time_line(viewer_of):
    sim = HardSimulator("box")
    run = sim.rollout(sim.initial_state(keyframe="slide"), np.zeros((90, 3)))
    viewer = viewer_of(sim, trajectory=run)
    viewer.session.seek(80)  # it slides
    viewer.draw()
    assert np.abs(viewer.scenes[0].frames[1].position - run.qpos[80, :3]).max() < 1e-6
    assert viewer.scenes[0].arrows.visible and viewer.panel.line.max >= 90


def test_a_model_goes_on_as_its_trajectory_was_simulated(viewer_of):
    """Its own time step, the cone and the hard mode were taken, whatever the trajectory says."""
    model = load_model("box")
    sims = HardSimulator(model, 0.02, friction="none"), SoftSimulator(model, 0.01)
    runs = [sim.rollout(sim.initial_state(keyframe="slide"), np.zeros((5, 3))) for sim in sims]
    first, other = (viewer_of(model, trajectory=run).session.lanes[0] for run in runs)
    assert (first.name, first.sim.timestep, first.sim.friction) == ("hard", 0.02, "none")
    assert (other.name, other.sim.timestep) == ("soft", 0.01)
    both = viewer_of(model, trajectory=runs[1], mode="both").session
    assert [lane.name for lane in both.lanes] == ["soft", "hard"] and both.timestep == 0.01 and both.last == 5


def test_mocap_bodies_are_where_the_session_has_them(viewer_of):
    model = load_model("""<mujoco><worldbody><body mocap="true"><geom size=".1"/><body><joint axis="0 0 1"/><geom size=".1"/></body>
    </body></worldbody><keyframe><key name="away" mpos="0 0 3"/></keyframe></mujoco>""")
    viewer = viewer_of(model, mode="both", keyframe="away")
    viewer.session.set_kappa(1e-4)
    for _ in range(2):
        viewer.session.step()
        viewer.draw()
        assert all(np.allclose(scene.frames[2].position, [0, 0, 3]) for scene in viewer.scenes)
        viewer.session.set_coordinate(0, 0.5)  # begins anew, with the hand where it is
    viewer.session.play()
    viewer.session.pull(2, np.array([0.0, 0.0, 3.0]), np.array([0.0, 0.0, 3.1]))
    until(lambda: viewer.session.k > 3)
    assert viewer.session.message == "" and np.allclose(viewer.scenes[0].frames[2].position, [0, 0, 3])


def test_a_model_that_fails_stops_with_a_word_and_the_page_stays(viewer_of):
    viewer = viewer_of("box", keyframe="home")
    told = []
    viewer.tell = told.append
    viewer.session.push(1, [0.0, 0.0, -1e200])
    viewer.session.play()
    until(lambda: not viewer.session.playing and told)
    assert viewer.session.message in status_text(viewer.session) and viewer.error is None


def test_a_port_in_use_is_said(viewer_of):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="is in use: choose another one, or 0"):
            viewer_of("box", port=taken.getsockname()[1])


def test_pages_of_other_origins_are_refused(viewer_of):
    """viser answered the websocket of any page that a browser of this machine had open."""
    client = pytest.importorskip("websockets.sync.client")
    viser, plain = pytest.importorskip("viser"), pytest.importorskip("websockets.asyncio.server").serve
    url = viewer_of("box").url
    assert pytest.importorskip("websockets.asyncio.server").serve is plain, "nothing stays changed"

    def connect(**more):
        what = {"subprotocols": [f"viser-v{viser.__version__}"], "compression": None, **more}
        with client.connect(url.replace("http", "ws"), **what) as connection:
            return len(connection.recv())

    def status(**headers):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    for origin in ("http://evil.example", "http://localhost:1", "null"):
        with pytest.raises(Exception, match="403"):
            connect(origin=origin)
        assert status(Origin=origin) == 403
    assert connect() > 0 and connect(origin=url) > 0 and status() == status(Origin=url) == 200
    behind = {"X-Forwarded-Host": "hub.example"}
    assert status(Origin="https://hub.example", **behind) == 200
    assert connect(origin="https://hub.example", additional_headers=behind) > 0


def test_a_stopped_viewer_frees_its_port(viewer_of):
    viewer = viewer_of("box")
    port = viewer.server.get_port()
    viewer.stop()
    assert viewer_of("pendulum", port=port).url.endswith(str(port))


def test_wrong_arguments_are_named(viewer_of):
    for call, kind, said in (
        (lambda: viewer_of(3), TypeError, "sim_or_model=3"),
        (lambda: viewer_of("box", mode="stiff"), ValueError, "mode="),
        (lambda: viewer_of("box", port=70000), ValueError, "port="),
        (lambda: viewer_of("box", host=""), ValueError, "host="),
        (lambda: viewer_of("boxx"), ModelError, "did you mean"),
        (lambda: viewer_of("box", keyframe="none"), ModelError, "no keyframe"),
        (lambda: viewer_of("box", trajectory=3), TypeError, "trajectory="),
        (lambda: viewer_of("box", trajectory=3, keyframe="home"), ValueError, "keyframe: a trajectory begins"),
    ):
        with pytest.raises(kind, match=said):
            call()


def test_sliders_have_the_ranges_of_the_model():
    model = load_model("humanoid")
    ranges = control_ranges(model)
    assert len(ranges) == model.nu and all(low < high for _, low, high in ranges)
    assert [name for name, _, _ in ranges] == list(model.actuator_names)
    hinge = int(np.flatnonzero(model.jnt_limited)[0])
    assert joint_range(model, hinge) == tuple(model.jnt_range[hinge])


HOSTILE = '<img src="x" onerror="hacked=1"> <script>hacked=1</script> a*b* _c_ d_e [f](http://g) ![h](/i) `j` &lt; \\'


def test_names_are_shown_as_they_are_and_never_run(viewer_of):
    """A page's status is Markdown, in which viser runs HTML; the model's name and messages with names come from a file."""
    from markdown_it import MarkdownIt

    model = dataclasses.replace(load_model("box"), name=HOSTILE)
    viewer = viewer_of(model)
    viewer.session.lanes[0].ghost.message = viewer.session.message = HOSTILE
    shown = MarkdownIt("commonmark", {"html": True}).render(status_text(viewer.session))
    tags = set(re.findall(r"<(/?\w+)", shown))
    assert tags == {"p", "/p", "strong", "/strong"} and html.unescape(shown).count(HOSTILE) == 3, shown


@pytest.mark.parametrize("name", models.names())
def test_every_shipped_model_is_shown(viewer_of, name):
    viewer = viewer_of(name, mode="hard")
    viewer.session.step()
    viewer.draw()
    assert len(viewer.panel.controls) == viewer.session.model.nu and viewer.session.message == ""


@pytest.mark.slow  # software rendering; test_replay.py opens a browser in every run
def test_in_a_browser_it_plays_by_its_buttons_and_a_closed_page_pauses_it(viewer_of, open_page):
    viewer = viewer_of(SoftSimulator("cartpole"))
    told = []
    viewer.tell = told.append
    shown = open_page(viewer.url, 1200, 900)
    page = shown.page
    before = shown.picture()
    assert before.std() > 0.03
    page.get_by_label("Play").check()
    until(lambda: viewer.session.time > 0.3)
    page.get_by_label("Play").uncheck()
    until(lambda: not viewer.session.playing)
    page.get_by_text("back", exact=True).click()
    until(lambda: viewer.session.k == viewer.session.last - 1)
    page.get_by_text("to the end", exact=True).click()
    until(lambda: viewer.session.k == viewer.session.last)
    page.get_by_role("button", name="Reset").click()
    until(lambda: viewer.session.time == 0.0)
    slider = page.get_by_text(viewer.session.model.actuator_names[0], exact=True)
    slider.wait_for()
    number = page.locator("input[inputmode='decimal'], input[inputmode='numeric']").nth(2)
    number.fill("0.5")
    number.press("Enter")
    until(lambda: viewer.session.control[0] == 0.5)
    page.get_by_label("Play").check()
    until(lambda: viewer.session.time > 1.0)
    moved = shown.picture_when(lambda picture: np.abs(picture - before).mean() > 0.002)
    assert np.abs(moved - before).mean() > 0.002
    assert shown.errors == [] and all(url.startswith((viewer.url, "blob:", "data:")) for url in shown.requests)
    page.close()
    until(lambda: not viewer.session.playing)
    until(lambda: any("page was closed" in message for message in told))


def test_the_command_says_what_is_wrong(capsys, tmp_path):
    from dojo_py.cli import main

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, said in (
            (["box", "--port", port], "is in use"),
            (["boxx", "--port", "0"], "did you mean"),
            (["box", "--port", "-1"], "--port -1"),
            (["box", "--port", "0", "--host", ""], 'host="" is no address'),
            (["box", "--port", "0", "--timestep", "-1"], "--timestep -1"),
            (["box", "--port", "0", "--keyframe", "x"], "no such keyframe"),
            (["box", "--port", "0", "--trajectory", str(tmp_path / "x.npz")], "no such file"),
        ):
            assert main(["view", *words, "--no-browser"]) == 2
            assert said in capsys.readouterr().err, words


def test_the_command_shows_a_trajectory(tmp_path, capsys, monkeypatch):
    from dojo_py.cli import main
    from dojo_py.view.live import Viewer

    run = tmp_path / "run.npz"
    assert main(["simulate", "box", "--duration", "0.2", "--timestep", "0.02", "--out", str(run)]) == 0
    seen = []

    def wait(viewer):
        seen.append((viewer.session.last, viewer.session.timestep, viewer.url))
        viewer.stop()

    monkeypatch.setattr(Viewer, "wait", wait)
    assert main(["view", "box", "--mode", "both", "--trajectory", str(run), "--port", "0", "--no-browser"]) == 0
    assert seen[0][:2] == (10, 0.02) and seen[0][2] in capsys.readouterr().out
    assert main(["view", "box", "--timestep", "0.01", "--trajectory", str(run), "--port", "0", "--no-browser"]) == 0
    assert seen[1][:2] == (10, 0.01)


def test_a_trajectory_of_another_model_is_refused(viewer_of):
    sim = HardSimulator("ant")
    run = sim.rollout(sim.initial_state(), np.zeros((2, sim.model.nu)))
    with pytest.raises(ValueError, match="of another model"):
        viewer_of("box", trajectory=run)
    short = dataclasses.replace(run, metadata={})
    with pytest.raises(ValueError, match="of another model"):
        viewer_of("box", trajectory=short)
