"""A body on a cord: a tendon at its limit gives no energy, however far its direction turns within a step."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, Status

CORD = """<mujoco>
  <worldbody>
    <site name="nail" pos="0 0 0.2"/>
    <body name="box" pos="{place}"><freejoint/><geom type="box" size="0.015 0.015 0.015" contype="0" conaffinity="0"/>
      <site name="hook" pos="0.015 0.015 0.015"/></body>
  </worldbody>
  <tendon><spatial limited="true" range="0 0.02"><site site="hook"/><site site="nail"/></spatial></tendon>
</mujoco>"""


def energies(place, h, seconds):
    """Total energy after each step, relative to the start [J], by the wheel; whether all steps are SOLVED; the trajectory."""
    xml = CORD.format(place=place)
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = float(data.energy.sum())
    sim = HardSimulator(xml, timestep=h)
    run = sim.rollout(sim.initial_state(), np.zeros((round(seconds / h), 0)))
    out = []
    for qpos, qvel in zip(run.qpos[1:], run.qvel[1:], strict=True):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        out.append(float(data.energy.sum()) - start)
    return np.array(out), bool(np.all(run.status == Status.SOLVED)), run


@pytest.mark.parametrize("h", [0.01, 0.005, 0.002])
def test_a_falling_box_gains_no_energy_from_its_cord(h):
    """The drop is worth 5 mJ. Before the work of tendons was looked at: 7 kJ at h 0.01, after steps that were SOLVED; now none."""
    energy, solved, _ = energies("-0.01 -0.01 0.18", h, 1.3)
    assert solved
    assert energy.max() <= 0.0


@pytest.mark.parametrize("h", [0.002, 0.001])
def test_a_cord_that_is_too_long_pulls_no_faster_than_the_recovery_speed(h):
    """33 mm too long: a body of 27 g at 5 m/s has 0.34 J. Measured 0.24 and 0.22; 11 and 3e5 before."""
    energy, solved, run = energies("0 0 0.15", h, 0.2)
    assert solved
    assert energy.max() <= 0.34
    assert np.linalg.norm(run.qvel[:, :3], axis=1).max() <= 5.0


@pytest.mark.parametrize("h", [0.01, 0.005, 0.002])
def test_a_cord_that_starts_too_long_is_shortened(h):
    """Of 4 cm to its 2 cm within 0.1 s, by solved steps (the object of a public gripper's scene hangs like this).

    Pulled at its corner the box turns, and no pull in one direction brings it there in a step of 0.01 s. The violation stayed for
    good before, SOLVED, with the box 2 cm too low.
    """
    sim = HardSimulator(CORD.format(place="0 0 0.15"), timestep=h)
    run = sim.rollout(sim.initial_state(), np.zeros((round(1.0 / h), 0)))
    poses = [sim.poses(run.state(k)) for k in range(len(run) + 1)]
    lengths = np.array([np.linalg.norm(p.site("hook").position - p.site("nail").position) for p in poses])
    late = lengths[round(0.1 / h) :].max()
    print(f"h {h}: {lengths[0]:.4f} m at first, {late:.9f} m at most after 0.1 s")
    assert run.unsolved == 0 and lengths[0] > 0.04 and late < 0.02 + 1e-8
