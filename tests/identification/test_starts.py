"""Start states from the first samples, restitution by whole roll-outs, and hard roll-outs in a fit."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import HALF, tosses, truth

from dojo_py import HardSimulator
from dojo_py.identification import Recording, Unknown, fit_restitution, identify, rollout_errors, with_estimated_starts
from dojo_py.identification.bounces import rollout_loss

NOISE = np.array([1e-3] * 3 + [1e-3 / HALF] * 3)


def bouncing(e, count=2, steps=50):
    """The simulator of the tosses with this restitution, and recordings of what it does; (qpos, qvel) that each starts from."""
    sim, rng, out, starts = truth().with_parameters({"restitution": e}), np.random.default_rng(3), [], []
    for i in range(count):
        qpos = np.array([0, 0, 0.12, *rng.normal(size=4)])
        qpos[3:] /= np.linalg.norm(qpos[3:])
        starts.append((qpos, np.array([*rng.uniform(-1, 1, 2), -1.0, *rng.uniform(-5, 5, 3)])))
        run = sim.rollout(sim.initial_state(*starts[-1]), np.zeros((steps, 0)))
        out.append(Recording(f"bounce {i}", run.qpos))
    return sim, out, starts


def test_restitution_is_found_by_whole_roll_outs():
    """From exact starts of six tosses: 0.3 to 0.01, the search's own precision. Its derivatives are not known, and said so."""
    sim, recordings, starts = bouncing(0.3, 6)
    known = [replace(recording, start=start) for recording, start in zip(recordings, starts, strict=True)]
    found, loss = fit_restitution(truth(), known, NOISE)
    assert abs(found.parameter("restitution").value[0] - 0.3) < 0.01
    assert loss < 0.1 * rollout_loss(truth(), known, NOISE)
    with pytest.raises(ValueError, match="fit_restitution"):
        identify(sim, recordings, [Unknown("restitution", 0.1, 0.0, 1.0)])


def test_friction_is_found_with_restitution():
    """As above, from friction 0.25 in place of 0.21: 0.302 and 0.212, the search's precision. Restitution alone leaves 14 times the
    loss."""
    _, recordings, starts = bouncing(0.3, 6)
    known = [replace(recording, start=start) for recording, start in zip(recordings, starts, strict=True)]
    wrong = truth().with_parameters({"friction": [0.25]})
    found, loss = fit_restitution(wrong, known, NOISE, friction=True)
    assert abs(found.parameter("restitution").value[0] - 0.3) < 0.01
    assert abs(found.parameter("friction").value[0] / 0.21 - 1) < 0.02
    assert loss < 0.1 * fit_restitution(wrong, known, NOISE)[1]
    arm = HardSimulator("pendulum")
    with pytest.raises(ValueError, match="has friction"):
        fit_restitution(arm, [Recording("swing", np.zeros((4, 1)))], [1e-3], friction=True)


def test_tosses_that_do_not_bounce_have_no_restitution():
    sim, recordings, starts = bouncing(0.0, 3)
    known = [replace(recording, start=start) for recording, start in zip(recordings, starts, strict=True)]
    assert fit_restitution(sim, known, NOISE)[0].parameter("restitution").value[0] == 0.0


def test_a_fit_may_simulate_in_the_hard_limit():
    """Derivatives at 1e-5 beside hard roll-outs: friction to 1e-4 of hard recordings; steps at 1e-5 miss it more."""
    sim, recordings = tosses(3, steps=40)
    unknowns = [Unknown("friction", 0.3, 0.01, 0.8)]
    miss = {}
    for how in (None, "gradient"):
        result = identify(sim, recordings, unknowns, 1e-5, rollout_kappa=how)
        miss[how] = abs(result.values["friction"][0] / 0.21 - 1)
    assert miss[None] < 1e-4 < miss["gradient"], miss
    with pytest.raises(ValueError, match="rollout_kappa"):
        identify(sim, recordings, unknowns, 1e-5, rollout_kappa="hard")


def test_starts_by_eight_samples_are_better_than_by_two():
    """1 mm and 1.1 deg of noise at 148 samples a second: two samples give velocities to 0.2 m/s and 4 rad/s, eight to a tenth."""
    sim, clean = tosses(6, steps=30)
    rng, noisy = np.random.default_rng(0), []
    for recording in clean:
        noisy.append(
            replace(recording, qpos=np.array([sim.model.integrate(q, NOISE * rng.normal(size=6)) for q in recording.qpos]))
        )
    estimated = with_estimated_starts(sim, noisy, 8, NOISE)
    misses = []
    for truth_, raw, better in zip(clean, noisy, estimated, strict=True):
        assert len(better.qpos) == len(raw.qpos) - 7 and better.first == 0
        true = sim.model.difference(truth_.qpos[7], truth_.qpos[6]) / sim.timestep
        two = sim.model.difference(raw.qpos[7], raw.qpos[6]) / sim.timestep
        misses.append([np.abs(two - true) / NOISE, np.abs(better.start[1] - true) / NOISE])
    raw_miss, better_miss = np.sqrt(np.mean(np.square(misses), axis=(0, 2)))
    assert better_miss < 0.25 * raw_miss, (raw_miss, better_miss)
    plain = rollout_errors(sim, [replace(r, qpos=r.qpos[6:]) for r in noisy])
    assert rollout_errors(sim, estimated).position.mean() < plain.position.mean()


def test_exact_samples_give_the_exact_start_and_later_ones_do_not_matter():
    sim, (recording, *_) = tosses(1, steps=40)
    (found,) = with_estimated_starts(sim, [recording], 25, NOISE)  # over the first contact
    run = sim.rollout(sim.initial_state(*found.start), np.zeros((16, 0)))
    assert np.abs(run.qpos - recording.qpos[24:]).max() < 1e-5
    broken = recording.qpos.copy()
    broken[25:] = broken[25]
    (other,) = with_estimated_starts(sim, [replace(recording, qpos=broken)], 25, NOISE)
    np.testing.assert_array_equal(other.start[0], found.start[0])
    np.testing.assert_array_equal(other.start[1], found.start[1])


def test_what_cannot_be_estimated_is_refused():
    sim, recordings = tosses(1, steps=5)
    with pytest.raises(ValueError, match="6 samples, none after the first 6"):
        with_estimated_starts(sim, recordings, 6)
    with pytest.raises(ValueError, match="samples"):
        with_estimated_starts(sim, recordings, 2)
    with pytest.raises(ValueError, match="noise has shape"):
        with_estimated_starts(sim, recordings, 4, np.ones(3))
    wrong = replace(recordings[0], start=(np.zeros(6), np.zeros(6)))
    with pytest.raises(ValueError, match="start of 'toss 0'"):
        rollout_errors(sim, [wrong])
