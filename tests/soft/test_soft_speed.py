"""Speed of one step beside mj_step, in the same process on one thread; batch beside mujoco.rollout; compile time."""

import time

import mujoco
import mujoco.rollout
import numpy as np
import oracle
import pytest

import dojo_py
from dojo_py.soft import SoftSimulator

STEPS = 1000


def best_of(function, repeats=5):
    """Shortest wall time [s] of several calls: the least disturbed one."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def settled(model, steps=300):
    """qpos, qvel after a fall."""
    data = mujoco.MjData(model)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    assert data.ncon > 0
    return data.qpos.copy(), data.qvel.copy()


@pytest.mark.parametrize("moving", [False, True], ids=["at rest", "driven"])
def test_step_costs_at_most_three_mj_steps(moving):
    """Humanoid on the ground. Measured on two cores: 1.0 to 1.5 times mj_step (26 to 40 µs)."""
    path = oracle.REPOSITORY / "models" / "humanoid.xml"
    wheel = mujoco.MjModel.from_xml_path(str(path))
    simulator = SoftSimulator(dojo_py.load_model(path))
    qpos, qvel = settled(wheel)
    controls = np.random.default_rng(0).uniform(-1, 1, (STEPS, wheel.nu)) * moving
    state = simulator.initial_state(qpos, qvel)
    simulator.rollout(state, controls[:2])
    data = mujoco.MjData(wheel)

    def theirs():
        mujoco.mj_resetData(wheel, data)
        data.qpos[:], data.qvel[:] = qpos, qvel
        for control in controls:
            data.ctrl[:] = control
            mujoco.mj_step(wheel, data)

    ours_time, wheel_time = best_of(lambda: simulator.rollout(state, controls)), best_of(theirs)
    print(f"\nours {1e6 * ours_time / STEPS:.1f} µs, mj_step {1e6 * wheel_time / STEPS:.1f} µs, ratio {ours_time / wheel_time:.2f}")
    assert ours_time < 3 * wheel_time


@pytest.mark.slow
def test_batch_beside_mujoco_rollout():
    """256 rollouts of 100 steps over 2 threads; printed, not judged."""
    path = oracle.REPOSITORY / "models" / "humanoid.xml"
    wheel = mujoco.MjModel.from_xml_path(str(path))
    simulator = SoftSimulator(dojo_py.load_model(path))
    qpos, qvel = settled(wheel)
    state = simulator.initial_state(qpos, qvel)
    controls = np.random.default_rng(0).uniform(-1, 1, (256, 100, wheel.nu))
    simulator.rollout_batch(state, controls[:2, :2])
    data = [mujoco.MjData(wheel) for _ in range(2)]
    data[0].qpos[:], data[0].qvel[:] = qpos, qvel
    size = mujoco.mj_stateSize(wheel, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros(size)
    mujoco.mj_getState(wheel, data[0], start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    starts = np.tile(start, (256, 1))
    ours = best_of(lambda: simulator.rollout_batch(state, controls, threads=2), 3)
    theirs = best_of(lambda: mujoco.rollout.rollout(wheel, data, starts, controls), 3)
    print(f"\nbatch of 256 × 100: ours {25600 / ours:.0f} steps/s, mujoco.rollout {25600 / theirs:.0f} steps/s")
