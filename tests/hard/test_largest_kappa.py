"""From which κ on a roll-out means nothing: contacts carry a body's weight from as far away as the body is large."""

import warnings

import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model

BALL = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 {z}"><freejoint/><geom type="sphere" size="0.1" mass="{m}"/></body></worldbody></mujoco>"""


def ball(z=0.1, m=1.0, timestep=0.01):
    return HardSimulator(load_model(BALL.format(z=z, m=m)), timestep)


def test_it_is_weight_times_size_over_contacts():
    """A ball of 0.2 m, one contact: m g h L."""
    assert ball().largest_kappa() == pytest.approx(9.81 * 0.01 * 0.2)
    assert ball(m=3.0, timestep=0.02).largest_kappa() == pytest.approx(3 * 9.81 * 0.02 * 0.2)
    heavy = ball().with_parameters({"mass": [5.0]})
    assert heavy.largest_kappa() == pytest.approx(5 * 9.81 * 0.01 * 0.2) and ball().largest_kappa() < heavy.largest_kappa()


def test_a_body_floats_at_its_share_of_the_size():
    """At κ it rests where κ / gap = m g h."""
    sim = ball()
    kappa = 0.05 * sim.largest_kappa()
    gap = 0.05 * 0.2
    run = sim.rollout(sim.initial_state([0, 0, 0.1 + gap, 1, 0, 0, 0]), np.zeros((100, 0)), kappa=kappa)
    assert run.unsolved == 0 and np.abs(run.qpos[:, 2] - 0.1 - gap).max() < 1e-3 * gap


def test_without_weight_or_contact_every_kappa_will_do():
    assert HardSimulator(load_model("dzhanibekov")).largest_kappa() == np.inf
    assert ball().with_parameters({"gravity": [0, 0, 0]}).largest_kappa() == np.inf


def test_a_rollout_beyond_it_warns():
    sim = HardSimulator(load_model("quadruped"), timestep=0.01)
    state, controls = sim.initial_state(keyframe=0), np.zeros((2, sim.model.nu))
    assert 1e-3 < sim.largest_kappa() < 0.1
    for call in (sim.rollout, sim.rollout_batch):
        u = controls if call == sim.rollout else controls[None]
        with pytest.warns(UserWarning, match="kappa=0.1 .*no meaning"):
            call(state, u, kappa=0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(state, u, kappa=3e-4)
            call(state, u)


def test_kappa_of_derivatives_is_positive():
    """At 0 there are none: the hard limit was differentiated without a word. Where round-off hides κ the status says so."""
    sim = ball()
    for kappa in (0, 0.0, -1.0, np.nan, np.inf, "soft"):
        with pytest.raises(ValueError, match="kappa=.* must be a positive, finite number"):
            sim.linearize(sim.initial_state(), kappa=kappa)
        with pytest.raises(ValueError, match="gradient_kappa="):
            sim.rollout(sim.initial_state(), np.zeros((1, 0)), linearize=True, gradient_kappa=kappa)
    resting = sim.rollout(sim.initial_state(), np.zeros((200, 0))).final_state
    for kappa in (1e-12, 1e-20, 1e-300):
        lin = sim.linearize(resting, kappa=kappa)
        assert lin.kappa == kappa and np.isfinite(lin.A).all()
        assert lin.status != Status.SOLVED or lin.centring <= 1e-5 * kappa
