"""Actions of tasks whose controls are not symmetric, and derivatives of steps that have none."""

import gymnasium
import numpy as np
import pytest

from dojo_py.environments import make_task
from dojo_py.environments.task import Task

SLIDER = """<mujoco><worldbody><body><joint name="a" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/></body></worldbody>
  <actuator><motor joint="a" ctrlrange="{range}"/></actuator></mujoco>"""


def slide(path, given):
    """A task of a slider whose motor has this range."""
    path.write_text(SLIDER.format(range=given))

    class Slide(Task):
        model_name = "slide"

    return Slide(model=str(path))


@pytest.mark.parametrize("given, low, high", [("-2 0", -2.0, 0.0), ("0 1", 0.0, 1.0), ("-3 3", -3.0, 3.0), ("2 5", 2.0, 5.0)])
def test_actions_reach_all_controls(tmp_path, given, low, high):
    """A range of "-2 0" gave a motor that never acts; of "0 1" half of the actions did nothing, with a slope all the same."""
    task = slide(tmp_path / "slide.xml", given)
    for action, control in ((-1.0, low), (1.0, high), (0.0, 0.5 * (low + high)), (7.0, high)):
        assert task.control(np.array([action])) == pytest.approx([control])
    assert task.control_jacobian(np.zeros(1)) == pytest.approx(np.array([[0.5 * (high - low)]]))


@pytest.mark.parametrize("name", ["Hopper", "Humanoid", "Ant"])
def test_controls_of_shipped_tasks_are_what_they_were(name):
    """Their ranges are symmetric: action 1 is the largest control, and 0 is none."""
    task = make_task(name)
    largest = task.sim.model.actuator_ctrlrange[:, 1]
    assert np.array_equal(task.control(np.ones(task.action_size)), largest)
    assert not task.control(np.zeros(task.action_size)).any()


def test_a_step_without_derivatives_ends_no_program(monkeypatch):
    """FloatingPointError came out of `env.step`, although the episode is to end as terminated."""
    env = gymnasium.make("dojo_py/Hopper-v0", gradients=True).unwrapped
    env.reset(seed=0)
    _, _, _, _, info = env.step(np.zeros(3))
    assert info["differentiated"] and info["A"].any()

    def overflows(*_):
        raise FloatingPointError("the step cannot be differentiated")

    monkeypatch.setattr(type(env.task), "differentiate", overflows)
    _, _, _, _, info = env.step(np.zeros(3))
    assert info["differentiated"] is False and not info["A"].any() and info["B"].shape == (12, 3)
