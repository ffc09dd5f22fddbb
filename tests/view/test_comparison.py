"""Hard beside soft: the measures are those of closed forms, the page shows both modes and moves."""

import dataclasses

import numpy as np
import pytest

from dojo_py import ModelError, load_model
from dojo_py.cli import main
from dojo_py.view import compare

pytest.importorskip("viser", reason="no viser: pip install 'dojo-sim[view]'")


def rows_of(comparison):
    return {name: (hard, soft) for name, _, hard, soft in comparison.rows}


def test_a_box_at_rest_sinks_in_softly_and_not_hard():
    """MuJoCo's resting penetration of its default contact: 1 mm at h 0.01 (measured 0.98); the hard box rests on the floor."""
    rows = rows_of(compare("box", duration=2.0, keyframe="home"))
    hard, soft = rows["smallest gap"]
    assert 0.0 <= hard < 1e-6 and -2.0 < soft < -0.1
    assert rows["steps with penetration"][0] == 0.0 and rows["steps with penetration"][1] > 90.0
    assert rows["energy at the start"][0] == pytest.approx(rows["energy at the start"][1], rel=1e-12)
    assert rows["unsolved steps"] == (0.0, 0.0) and rows["creep at the end"][0] < 1e-6  # [mm/s], measured: 0


def test_a_slide_is_measured_by_its_closed_form():
    """A body that moves on at 2 m/s: the creep is 2000 mm/s, both end at the same place."""
    xml = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body>
    </worldbody></mujoco>"""
    found = compare(xml, duration=1.0, qvel=np.array([2.0]))
    rows = rows_of(found)
    assert rows["creep at the end"] == pytest.approx((2000.0, 2000.0), rel=1e-9) and rows["ends apart by"][0] < 1e-9
    assert "no contact" in str(found) and str(found).count("\n") == len(found.rows)


@pytest.mark.slow  # software rendering: half a minute
def test_the_page_plays_both(tmp_path, open_page):
    page = tmp_path / "both.html"
    assert compare("quadruped", page, duration=1.0, keyframe="drop").path == page
    text = page.read_text(encoding="utf-8")
    assert "quadruped: hard beside soft" in text and text.count('class="chart"') == 3 and "smallest gap [mm]" in text
    shown = open_page(page.resolve().as_uri())
    shown.page.wait_for_function("document.querySelector('output.now').innerText != ''", timeout=60_000)
    shown.page.get_by_role("button").first.click()  # pause: a page that plays moves on from the time that is asked for
    for _ in range(20):  # a busy page loses what is typed
        shown.page.locator("input").first.fill("0")
        shown.page.locator("input").first.press("Enter")
        shown.page.wait_for_timeout(500)
        values = shown.page.locator("output.now").all_inner_texts()
        if values[0] == values[1]:
            break
    assert len(values) == 6 and values[0] == values[1] != ""  # the energy of the same start in both

    def least(picture):
        half = picture.shape[1] // 2
        return min(picture[:, :half].std(), picture[:, half:].std())

    assert least(shown.picture_when(lambda picture: least(picture) > 0.03)) > 0.03
    assert shown.errors == [] and shown.network == []


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"duration": 0.0}, ValueError, "duration="), ({"path": 3}, TypeError, "path="), ({"fps": -1}, ValueError, "fps="),
        ({"controls": np.zeros((3, 9))}, ValueError, "controls"), ({"controls": np.zeros(3)}, ValueError, r"shape \(3,\)"),
        ({"controls": np.zeros((0, 3))}, ValueError, "controls hold no steps"), ({"keyframe": "none"}, ValueError, "none"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(arguments, error, said):
    with pytest.raises(error, match=said):
        compare("box", **arguments)


def test_wrong_models_are_named():
    with pytest.raises(ModelError, match="did you mean 'box'"):
        compare("bax")
    with pytest.raises(TypeError, match="model="):
        compare(7)


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "box", "--duration", "0.1"]) == 0
    said = capsys.readouterr().out
    assert "smallest gap [mm]" in said and "wrote box_compare.html" in said and (tmp_path / "box_compare.html").stat().st_size > 5e5
    for words, part in ((["--duration", "-1"], "--duration -1"), (["--html", "x.pdf"], "must end in .html")):
        assert main(["compare", "box", *words]) == 2 and part in capsys.readouterr().err


def test_models_of_all_kinds_are_compared(tmp_path):
    for name in ("fourbar", "cartpole", "sphere"):
        compare(load_model(name), tmp_path / f"{name}.html", duration=0.1)


def test_a_replay_inside_a_notebook_is_a_frame_that_holds_the_page():
    from dojo_py import HardSimulator
    from dojo_py.view import inline

    sim = HardSimulator("box")
    run = sim.rollout(sim.initial_state(), np.zeros((5, 3)))
    shown = inline(run, height=300)
    assert shown._repr_html_().startswith("<iframe srcdoc=") and "height: 300px" in shown._repr_html_() and "MB" in repr(shown)
    with pytest.raises(ValueError, match="model="):
        inline(dataclasses.replace(run, model=None))
    with pytest.raises(TypeError, match="trajectory="):
        inline(3)
