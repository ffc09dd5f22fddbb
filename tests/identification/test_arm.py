"""The panda arm from its joint trajectories: the combinations of inertias and dampers that these determine."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.identification import PseudoInertia, Recording, Unknown, base_parameters, identify
from dojo_py.identification.data import measured_state
from dojo_py.identification.pseudo_inertia import slope, to_body, to_com, to_free, to_linear

LINKS = [f"link{i}" for i in range(1, 8)]
KAPPA = 1e-9


def swing(sim, steps, seed, strength=0.15, rate=0.1):
    """A recording of smooth random torques, at most `strength` of each actuator's range, from the home pose."""
    model, rng = sim.model, np.random.default_rng(seed)
    time = sim.timestep * np.arange(steps)[:, None]
    top = strength * model.actuator_ctrlrange[:, 1]
    control = np.zeros((steps, model.nu))
    for _ in range(4):
        control += 0.25 * top * np.sin(2 * np.pi * rng.uniform(rate, 10 * rate, model.nu) * time + rng.uniform(0, 6.28, model.nu))
    state = sim.initial_state(keyframe=0) if model.nkey else sim.initial_state()
    trajectory = sim.rollout(state, control, maximal=False)
    return Recording(f"swing {seed}", trajectory.qpos, control)


def linear_values(sim):
    """(10 n + nj,) linear parameters of the links, then damping of all joints."""
    parts = [to_linear(body_values(sim, name)) for name in LINKS]
    return np.concatenate([*parts, sim.parameter("damping").value])


def body_values(sim, name):
    """(10,) mass, com, inertia about it."""
    return np.concatenate([sim.parameter(f"{kind}:{name}").value.ravel() for kind in ("mass", "com", "inertia")])


def determined(sim, recordings, every):
    """The combinations of the linear parameters that change the predicted rates of one-step predictions."""
    names = [f"{kind}:{name}" for name in LINKS for kind in ("mass", "com", "inertia")] + ["damping"]
    turns = [slope(to_com, to_linear(body_values(sim, name))) for name in LINKS]
    rows = []
    for recording in recordings:
        for k in range(recording.first, len(recording.qpos) - 1, every):
            state = sim.initial_state(*measured_state(recording, sim, k))
            lin = sim.linearize(state, recording.controls(sim.model.nu)[k], kappa=KAPPA, parameters=names)
            bodies_part = [
                np.hstack([lin.parameters[name] for name in names[3 * i : 3 * i + 3]]) @ turn for i, turn in enumerate(turns)
            ]
            rows.append(np.hstack([*bodies_part, lin.parameters["damping"]])[sim.model.nv :])
    return base_parameters(np.concatenate(rows))


def arm(count):
    sim = HardSimulator(load_model("panda"), 0.01)
    return sim, [swing(sim, 120, seed) for seed in range(count)]


def test_seven_joints_determine_43_combinations_of_inertias():
    """70 numbers of seven links; 43 is the known count of an arm with seven hinges (Gaz et al., 2019), and 8 dampers; the first
    link turns about the vertical. The two coupled fingers share one damping."""
    sim, recordings = arm(2)
    base = determined(sim, recordings, every=4)
    assert len(base.independent) == 51
    assert base.strength[50] > 1e-3 and base.strength[51] < 1e-5


@pytest.mark.slow
def test_identifiable_combinations_to_1_percent():
    """Start: every free number off by 0.1, dampers by 30 %. Within 1 % of each combination's value, or of 1e-4 in its SI unit.

    Measured: 0.7 % after 315 evaluations, of which the prior's narrow valley takes most (with a prior of 1e-4: 0.4 % after 36).
    Round-off decides how many: with solvers of other round-off 195 and 217 to 0.9 %.
    """
    sim, recordings = arm(2)
    base = determined(sim, recordings, every=2)
    rng = np.random.default_rng(3)
    off = {"damping": sim.parameter("damping").value * rng.uniform(0.7, 1.3, 9)}
    for link in LINKS:
        now = body_values(sim, link)
        noise = 0.1 * rng.uniform(-1, 1, 10) * np.array([1, 1, 1, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
        body = to_body(to_free(now[0], now[1:4], now[4:]) + noise)
        off |= {f"mass:{link}": body[:1], f"com:{link}": body[1:4], f"inertia:{link}": body[4:]}
    start = sim.with_parameters(off)
    unknowns = [*(PseudoInertia(link) for link in LINKS), Unknown("damping", transform="log")]
    result = identify(
        start, recordings, unknowns, KAPPA, horizon=1, free_states=False, every=2, weights=1e5, prior=1e-3, max_iterations=600
    )
    true, found, first = (base.combine @ linear_values(s) for s in (sim, result.simulator, start))
    error = np.abs(found - true) / np.maximum(np.abs(true), 1e-4)
    before = np.abs(first - true) / np.maximum(np.abs(true), 1e-4)
    print(f"worst of {len(true)}: {error.max():.1e}; at the start {before.max():.1e}")
    assert error.max() < 0.01
