"""What a human sees of a plan: a picture, a summary, a log to read, a bar that tells the cost."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.planning import Options, cem, control_cost, goal, ilqr, state_cost
from dojo_py.planning.picture import coordinate_names
from dojo_py.progress import Progress


@pytest.fixture(scope="module")
def plan_and_model():
    sim = HardSimulator("box", timestep=0.1)
    start = sim.initial_state(keyframe="home")
    end = start.qpos + 0.5 * np.eye(7)[0]
    plan = ilqr(
        sim, start, np.zeros((6, 3)), stage=control_cost(sim.model, 1e-4), terminal=state_cost(sim.model, end),
        constraints=goal(sim.model, end, rows=[0]), options=Options(kappa=(1e-3, 3e-4)),
    )  # fmt: skip
    return plan, sim.model


def test_a_plan_is_drawn(plan_and_model, tmp_path):
    plan, model = plan_and_model
    figure = plan.plot(model, rows=[0, 2], path=tmp_path / "plan.png")
    motion, pushes, progress = figure.axes
    assert (tmp_path / "plan.png").stat().st_size > 5000
    assert [text.get_text() for text in motion.get_legend().get_texts()] == ["root x", "root z"]
    assert [text.get_text() for text in pushes.get_legend().get_texts()] == ["push_x", "push_y", "push_z"]
    np.testing.assert_array_equal(motion.lines[0].get_ydata(), plan.hard_trajectory.qpos[:, 0])
    np.testing.assert_array_equal(progress.lines[0].get_ydata(), [r.cost for r in plan.log])
    assert len(plan.plot().axes[0].lines) == 14, "all seven coordinates in both motions, without names of a model"
    with pytest.raises(ValueError, match="rows must be indices of the 7 coordinates"):
        plan.plot(rows=[7])
    with pytest.raises(TypeError, match="model"):
        plan.plot(model=3)
    with pytest.raises(ValueError, match="model: it has 15 coordinates, the plan 7"):
        plan.plot(model=load_model("ant"))


def test_names_of_coordinates():
    assert coordinate_names(None, 2) == ["q0", "q1"]
    assert coordinate_names(load_model("cartpole"), 2) == list(load_model("cartpole").joint_names)


def test_summary_and_log_can_be_read(plan_and_model):
    plan, _ = plan_and_model
    said = str(plan)
    assert said.startswith("SOLVED: converged") and f"(hard {plan.hard_cost:.6g})" in said and "6 steps of 0.1 s" in said
    lines = plan.log_text().splitlines()
    assert lines[0].split()[:4] == ["iter", "kappa", "penalty", "cost"]
    assert sum(line.startswith("-- kappa") for line in lines) == len({r.kappa for r in plan.log}) - 1
    numbers = [line for line in lines[1:] if not line.startswith("--")]
    assert len(numbers) == plan.iterations and {len(line) for line in numbers} == {len(lines[0])}


def test_bars_tell_the_cost(capsys):
    sim = HardSimulator("pendulum", timestep=0.05)
    problem = {"terminal": state_cost(sim.model, np.array([1.0]))}
    ilqr(sim, sim.initial_state(), np.zeros((5, 1)), progress=True, **problem)
    assert "cost" in capsys.readouterr().err
    cem(sim, sim.initial_state(), np.zeros((5, 1)), progress=True, **problem)
    assert "cost" in capsys.readouterr().err
    ilqr(sim, sim.initial_state(), np.zeros((5, 1)), progress=None, **problem)
    assert capsys.readouterr().err == ""


def test_a_bar_without_a_note_and_one_that_is_never_shown(capsys):
    with Progress(2, "steps", force=True) as bar:
        bar.advance(2)
    with Progress(2, "hidden", force=None) as bar:
        bar.advance(2, "note")
    assert "steps" in (said := capsys.readouterr().err) and "hidden" not in said
