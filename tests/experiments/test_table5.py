"""Step and gradient beside MuJoCo's finite differences, and two threads beside one: `dojo_py reproduce table5` prints the split."""

import os
import time

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.reproduce.scenes import random_controls, start_of
from dojo_py.reproduce.table5 import ROBOTS, TIMESTEP, measure

pytestmark = pytest.mark.slow  # wall-clock ratios: alone on the machine

TRIES = 4


@pytest.mark.parametrize("name", ROBOTS)
def test_step_and_gradient_cost_less_than_finite_differences(name):
    """1000 steps, h 0.01, random actions: ratio to one-sided mjd_transitionFD below 1.

    Measured: humanoid 0.50, quadruped 0.72, Panda 0.92 to 0.95, quadrotor 0.81 to 0.85.
    """
    m = measure(name, repeats=3)
    print(
        f"{name}: {m['relaxed']:.3f} s (hard limit, solved again at κ: {m['both']:.3f}), MuJoCo one-sided {m['one-sided']:.3f}, "
        f"centred {m['centred']:.3f}: ratio {m['relaxed'] / m['one-sided']:.2f} (bound 1); {m['iterations']:.1f} iterations, "
        f"step {m['relaxed step']:.3f} s, gradient {m['relaxed'] - m['relaxed step']:.3f} s"
    )
    assert m["unsolved"] == 0, "steps that did not converge"
    assert m["relaxed"] / m["one-sided"] < 1.0


@pytest.mark.parametrize("name", ROBOTS)
def test_steps_in_the_hard_limit_are_all_differentiated(name):
    model = load_model(name)
    sim = HardSimulator(model, timestep=TIMESTEP)
    run = sim.rollout(sim.initial_state(*start_of(model)), random_controls(model, 1000), linearize=True)
    print(f"{name}: {run.unsolved} steps unsolved, {np.count_nonzero(run.gradient_status)} not differentiated")
    assert run.unsolved == 0 and not run.gradient_status.any()


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
def test_two_threads_on_a_batch_with_gradients():
    """64 humanoids: at least 1.8 times as fast as one thread. Other work on the machine makes it worse: the best of a few tries.

    Measured: 1.91 … 2.00 alone on two cores (1.62 when the kernels counted references to shared arrays, atomically).
    """
    model = load_model("humanoid")
    sim = HardSimulator(model, timestep=TIMESTEP)
    state = sim.initial_state(*start_of(model))
    controls = np.array([random_controls(model, 20, seed) for seed in range(64)])
    sim.rollout_batch(state, controls[:2], threads=2, linearize=True)
    found = []
    for _ in range(TRIES):
        seconds = []
        for threads in (1, 2):
            clock = time.perf_counter()
            sim.rollout_batch(state, controls, threads=threads, linearize=True)
            seconds.append(time.perf_counter() - clock)
        found.append(seconds[0] / seconds[1])
        if found[-1] >= 1.8:
            break
    print(f"two threads over one, 64 humanoids with gradients: {max(found):.2f} (bound 1.8); all tries {np.round(found, 2)}")
    assert max(found) >= 1.8
