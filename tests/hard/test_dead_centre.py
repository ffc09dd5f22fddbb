"""Loop closures at a dead centre: a straight arm whose hand is held, where no impulse closes what gravity opens."""

import numpy as np
import pytest

from dojo_py import HardOptions, HardSimulator, load_model

ARM = """<mujoco><worldbody>
<body name="hand" mocap="true" pos=".6 0 0"/>
<body name="upper"><joint name="shoulder" axis="0 1 0" range="{range}"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
<body name="lower" pos=".3 0 0"><joint name="elbow" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/></body>
</body>
</worldbody><equality><connect body1="lower" body2="hand" anchor=".3 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize("timestep", [0.001, 0.002, 0.01, 0.03])
def test_a_straight_arm_is_held(timestep: float) -> None:
    """Solved, open by at most 1e-6 m (0.6, 10, 770, 980 nm at these steps); one step of 200 was solved before at 1 ms."""
    simulator = HardSimulator(load_model(ARM.format(range="-180 180")), timestep=timestep)
    run = simulator.rollout(simulator.initial_state(), np.zeros((200, 0)))
    assert not run.status.any()
    assert run.residual.max() * timestep <= 1e-6
    assert np.abs(run.qpos).max() <= 1e-3  # (3.8e-4)


def test_a_violated_limit_that_the_closure_holds() -> None:
    """A limit that is violated by 0.5 rad cannot open while the hand is held: it stays, and gets no worse."""
    simulator = HardSimulator(load_model(ARM.format(range="-170 -28.65")), timestep=0.002)
    run = simulator.rollout(simulator.initial_state(), np.zeros((100, 0)))
    assert not run.status.any()
    assert run.qpos[:, 0].max() <= 1e-8
    assert run.residual.max() * 0.002 <= 1e-6


def test_the_best_point_is_judged_with_its_own_recovery() -> None:
    """Where the step with the violation as it is comes nearest, the limit's 5 rad/s (`recovery_speed`) is no residual (1.4e-8)."""
    options = HardOptions(max_iterations=19, subdivisions=0)
    simulator = HardSimulator(load_model(ARM.format(range="-170 -28.65")), timestep=0.002, options=options)
    step = simulator.step(simulator.initial_state(), np.zeros(0))
    assert step.status != 0 and step.residual < 1e-6
