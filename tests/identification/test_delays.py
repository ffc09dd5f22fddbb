"""Controls that act later than they were recorded: by a known time, and by one that is found beside a mass."""

import numpy as np
import pytest
from default_run import some

from dojo_py import HardSimulator, load_model
from dojo_py.identification import Delay, Recording, Tied, delayed, identify, rollout_errors, write_report
from dojo_py.identification.delays import controls_later

PAIR = """<mujoco><worldbody><body name="upper"><joint name="a" axis="0 1 0" damping="0.02"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.4" mass="0.4"/><body name="lower" pos="0 0 -0.4">
  <joint name="b" axis="0 1 0" damping="0.02"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="0.2"/></body></body>
  </worldbody><actuator><motor joint="a"/><motor joint="b"/></actuator>
  <contact><exclude body1="upper" body2="lower"/></contact></mujoco>"""
LOWER = Tied(("mass:lower", "inertia:lower"), lower=0.3, upper=3)
MASS = 1.4


def controls(seed, count=150):
    """(count, 2) new every 10 ms [N m]."""
    return 0.5 * np.cumsum(np.random.default_rng(seed).normal(0.0, 0.2, (count, 2)), axis=0)


def record(seed, delay, noise=1e-4):
    """What a heavier lower link does under controls that act later, simulated in steps of 1 ms."""
    sim, rng, push = HardSimulator(load_model(PAIR), 0.001), np.random.default_rng(seed), controls(seed)
    true = sim.with_parameters({name: MASS * sim.parameter(name).value for name in LOWER.names})
    late, _ = controls_later(push, 0.01, delay, 10)
    run = true.rollout(true.initial_state(rng.uniform(-0.5, 0.5, 2)), late)
    return Recording(f"seed {seed}", run.qpos[::10] + rng.normal(0.0, noise, run.qpos[::10].shape), push)


def test_later_controls_are_means_and_their_slopes():
    push, interval = controls(0, 6), 0.02
    same, _ = controls_later(push, interval, 0.0, 2)
    np.testing.assert_allclose(same, np.repeat(push, 2, axis=0), atol=1e-13)
    shifted, _ = controls_later(push, interval, interval, 1)
    np.testing.assert_allclose(shifted, np.vstack([push[:1], push[:-1]]), atol=1e-13)
    for delay in (0.003, 0.017, 0.034, 0.5):
        fine = np.repeat(push, 2000, axis=0)  # every 10 µs
        back = np.clip(np.arange(len(fine)) - round(delay / 1e-5), 0, None)
        late, slope = controls_later(push, interval, delay, 2)
        np.testing.assert_allclose(late, fine[back].reshape(12, 1000, 2).mean(axis=1), atol=1e-12)
        ends = [controls_later(push, interval, delay + side, 2)[0] for side in (1e-6, -1e-6)]
        np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, atol=1e-6)


@pytest.mark.parametrize("delay", some([0.0, 0.013, 0.04], [0.013]))
def test_a_delay_is_found_beside_a_mass(delay, tmp_path):
    """Two recordings of 1.5 s in steps of 1 ms, fitted in steps of 10 ms.

    A control acts at the start of a step, half a step before its mean: 4.5 ms more are found. The interval knows of it, since
    the estimate moves by half of that when steps are cut in two. Measured: 4.5, 17.2, 44.8 ms, ± 10.
    """
    sim, recordings = HardSimulator(load_model(PAIR), 0.01), [record(seed, delay) for seed in (1, 2)]
    found = identify(sim, recordings, [LOWER, Delay(upper=0.1)])
    (low, high), (soonest, latest) = found.interval()
    assert low < MASS < high and high - low < 0.1
    assert soonest < delay < latest and latest - soonest < 0.025
    assert found.delay == pytest.approx(delay + 0.0045, abs=1e-3) and found.unknowns.labels[1] == "delay"
    unseen = [record(3, delay, 0.0)]
    late = rollout_errors(found.simulator, delayed(sim, unseen, found.delay)).position
    if delay:
        assert late < 0.5 * rollout_errors(found.simulator, unseen).position
    write_report(found, tmp_path / "fit.html", unseen)
    assert "<td>delay" in (tmp_path / "fit.html").read_text() and f"{late[0]:.4g}" in (tmp_path / "fit.html").read_text()
    if delay == 0.04:
        blind = identify(sim, recordings, [LOWER])
        assert np.ptp(blind.interval()[0]) > 3 * (high - low), "what is not known of the delay is not known of the mass"


def test_mistakes_are_named():
    sim = HardSimulator(load_model(PAIR), 0.01)
    with pytest.raises(ValueError, match="Delay: start=-0.1"):
        Delay(-0.1)
    with pytest.raises(ValueError, match="start must lie within the bounds"):
        Delay(0.5, upper=0.2)
    with pytest.raises(ValueError, match="several delays"):
        identify(sim, [record(1, 0.0)], [Delay(), Delay()])
    with pytest.raises(ValueError, match="delay=-1"):
        delayed(sim, [record(1, 0.0)], -1.0)
