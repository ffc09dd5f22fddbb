"""Without contact the hard mode converges to MuJoCo's RK4 trajectory, with order 2."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardOptions, HardSimulator, load_model, models

CASES = [
    ("pendulum", 2.0, 0.0),
    ("double_pendulum", 1.0, 0.0),
    ("npendulum", 0.5, 0.2),
    ("cartpole", 1.0, 0.2),
    ("slider", 1.0, 0.5),
    ("dzhanibekov", 1.0, 0.0),
    ("quadrotor", 0.5, 0.3),
]
"""Model, duration [s], control as a share of the upper control limit. Not the four-bar: MuJoCo's loops give way."""
STEPS = (0.01, 0.005, 0.0025)
"""[s]"""
FINE = 2.5e-4
"""[s] step of the reference."""


def start(model):
    """An uneven start away from equilibrium: (qpos, qvel)."""
    if "spin" in model.key_names:
        k = model.key_names.index("spin")
        return np.array(model.key_qpos[k]), np.array(model.key_qvel[k])
    generator = np.random.default_rng(3)
    qpos, qvel = np.array(model.qpos0), np.zeros(model.nv)
    if model.neq == 0:
        qpos = model.integrate(qpos, 0.5 * generator.standard_normal(model.nv))
        qvel = 0.5 * generator.standard_normal(model.nv)
    if model.jnt_type[0] == 0:
        qpos[2] += 5.0
    return qpos, qvel


def reference(name, qpos, qvel, control, duration):
    """qpos of MuJoCo's RK4 at every FINE seconds."""
    model = mujoco.MjModel.from_xml_path(str(models.path(name)))
    model.opt.timestep, model.opt.integrator = FINE, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, control
    table = [qpos.copy()]
    for _ in range(round(duration / FINE)):
        mujoco.mj_step(model, data)
        table.append(data.qpos.copy())
    assert data.ncon == 0, "the case must be free of contact"
    return np.array(table)


@pytest.mark.parametrize(("name", "duration", "share"), CASES)
def test_second_order_to_rk4(name, duration, share):
    """The hard mode starts one step in, with the reference's own difference over that step as its velocity."""
    model = load_model(name)
    qpos, qvel = start(model)
    control = share * model.actuator_ctrlrange[:, 1] if model.nu else np.zeros(0)
    fine = reference(name, qpos, qvel, control, duration)
    errors = []
    for h in STEPS:
        every, steps = round(h / FINE), round(duration / h)
        options = HardOptions(residual_tolerance=1e-12, complementarity_tolerance=1e-12)
        sim = HardSimulator(model, timestep=h, options=options)
        state = sim.initial_state(fine[every], model.difference(fine[every], fine[0]) / h)
        trajectory = sim.rollout(state, np.tile(control, (steps - 1, 1)))
        assert trajectory.unsolved == 0
        found = [model.difference(q, r) for q, r in zip(trajectory.qpos, fine[every::every], strict=True)]
        errors.append(np.abs(found).max())
    order = np.polyfit(np.log(STEPS), np.log(np.maximum(errors, 1e-15)), 1)[0]
    print(f"{name}: error {errors[-1]:.1e} at h {STEPS[-1]} s, order {order:.2f} (bound 2 ± 0.1)")
    assert abs(order - 2.0) <= 0.1 or errors[0] <= 1e-8
    assert errors[-1] <= 1e-2
