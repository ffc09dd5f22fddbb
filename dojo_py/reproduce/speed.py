"""Table V's question: what a hard step costs beside one finite-difference linearisation of MuJoCo on the same file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report, import_mujoco
from dojo_py.reproduce.scenes import idle, measured_motion, random_controls, start_of

ROBOTS = ("humanoid", "quadruped", "panda", "quadrotor", "atlas")
PAPER = {"humanoid": 1.16, "quadruped": 4.7, "panda": 3.5, "quadrotor": 17.0}
"""Dojo's step with gradients over MuJoCo's finite differences, from the paper's Table V."""
TIMESTEP, BLOCK, BLOCKS, ROUNDS = 0.01, 10, 20, 5
"""[s]; steps timed together; how many times; all of it again with other controls."""
LINKS = (25, 50, 100, 200, 400)
CHAIN_TIMESTEP = 0.001
"""[s]: a taut chain of 50 links swings at 2/0.01 s, beyond which the integrator, like every explicit one, is unstable."""
GROWTH_BOUND = 1.15
"""Greatest time a link of the longest chain over that of the shortest."""
EPSILON = 1e-6
"""Of the finite differences."""
KAPPA = 3e-4
"""[N m s] of the steps whose gradients by parameters are timed."""
SHOWN = 200
"""Steps of a replay."""
QUICK: dict[str, Any] = {}
"""Arguments of `run` for `--quick`."""


def hard_step_times(model: Any, controls: np.ndarray, block: int = BLOCK) -> Iterator[float]:
    """Seconds of this thread per step of each block of steps, with these controls, kernels compiled before."""
    from dojo_py import HardSimulator

    sim = HardSimulator(model, timestep=TIMESTEP)
    state = sim.initial_state(*start_of(model))
    sim.rollout(state, controls[:1])
    for i in range(0, len(controls), block):
        part = controls[i : i + block]
        clock = time.thread_time()
        trajectory = sim.rollout(state, part)
        yield (time.thread_time() - clock) / len(part)
        state = trajectory.final_state


def mujoco_linearisation_times(name: str, controls: np.ndarray) -> Iterator[float]:
    """Seconds of mjd_transitionFD, one-sided, at every `BLOCK`-th state of MuJoCo's own motion under the same controls."""
    mujoco: Any = import_mujoco(required=True)
    from dojo_py import load_model, models

    model = mujoco.MjModel.from_xml_path(str(models.path(name)))
    model.opt.timestep = TIMESTEP
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = start_of(load_model(name))
    n = 2 * model.nv + model.na
    A, B = np.zeros((n, n)), np.zeros((n, model.nu))
    for i, control in enumerate(controls):
        data.ctrl[:] = control
        if i % BLOCK == 0:
            clock = time.thread_time()
            mujoco.mjd_transitionFD(model, data, EPSILON, 0, A, B, None, None)
            yield time.thread_time() - clock
        mujoco.mj_step(model, data)


def ratio(name: str, blocks: int = BLOCKS, rounds: int = ROUNDS) -> tuple[float, float, float]:
    """(seconds of a hard step, seconds of a linearisation by MuJoCo, their ratio): the round whose ratio is the median.

    A round alternates blocks of hard steps and linearisations and counts this thread's own time, so that other work on the
    machine slows both or neither.
    """
    from dojo_py import load_model

    model = load_model(name)
    found = []
    for seed in range(rounds):
        controls = random_controls(model, blocks * BLOCK, seed)
        both = zip(hard_step_times(model, controls), mujoco_linearisation_times(name, controls), strict=True)
        ours, theirs = np.median(np.array(list(both)), axis=0)
        found.append((float(ours), float(theirs), float(ours / theirs)))
    return sorted(found, key=lambda item: item[2])[rounds // 2]


def chain(links: int) -> Any:
    """Model of rods of 0.1 m and 0.1 kg on hinges about y, hanging. Built by hand: XML readers stop at depth 256."""
    from dojo_py import compile_model
    from dojo_py.mechanism.spec import Body, Inertial, Joint, Mechanism

    mechanism = Mechanism("chain")
    above = mechanism.world
    for i in range(links):
        link = Body(f"link{i}", pos=(0.0, 0.0, -0.1 if i else 0.0))
        link.joints.append(Joint(f"hinge{i}", axis=(0.0, 1.0, 0.0)))
        link.inertial = Inertial(mass=0.1, pos=(0.0, 0.0, -0.05), diaginertia=(9e-5, 9e-5, 7e-6))
        above = above.add(link)
    return compile_model(mechanism)


def chain_step_time(links: int, steps: int = 20, repeats: int = 5) -> float:
    """Shortest mean seconds (of this thread) per step of a falling hinge chain."""
    from dojo_py import HardSimulator

    model = chain(links)
    sim = HardSimulator(model, timestep=CHAIN_TIMESTEP)
    qpos = np.zeros(model.nq)
    qpos[0] = 0.3
    state, controls = sim.initial_state(qpos), idle(model, steps * CHAIN_TIMESTEP, CHAIN_TIMESTEP)
    times = []
    for _ in range(repeats + 1):
        clock = time.thread_time()
        trajectory = sim.rollout(state, controls)
        times.append((time.thread_time() - clock) / max(1, int(trajectory.iterations.sum())))
    return min(times[1:]) * float(np.mean(trajectory.iterations))


def growth(times: dict[int, float]) -> float:
    """Time a link of the longest chain over that of the shortest: 1 is linear."""
    short, long = min(times), max(times)
    return (times[long] / long) / (times[short] / short)


def parameter_times(name: str, repeats: int = 200, without: Sequence[str] = ()) -> tuple[int, float, float, float]:
    """Number of a robot's parameters, and the shortest seconds (of this thread) of a step at κ, with A and B, with all columns.

    without: kinds of parameters that are left out. From 15 steps after its keyframe, under small random controls.
    """
    from dojo_py import HardSimulator, load_model
    from dojo_py.hard.parameters.registry import PARAMETER_NAMES

    sim = HardSimulator(load_model(name), timestep=TIMESTEP)
    controls = 0.3 * np.random.default_rng(0).normal(size=(15, sim.model.nu))
    state = sim.rollout(sim.initial_state(*start_of(sim.model)), controls).final_state
    names = [kind for kind in PARAMETER_NAMES if kind not in without and sim.parameter(kind).size]
    calls = (
        lambda: sim.step(state, controls[0], kappa=KAPPA),
        lambda: sim.linearize(state, controls[0], kappa=KAPPA),
        lambda: sim.linearize(state, controls[0], kappa=KAPPA, parameters=names),
    )
    count = sum(columns.shape[1] for columns in calls[2]().parameters.values())
    best = [np.inf] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            clock = time.thread_time()
            call()
            best[i] = min(best[i], time.thread_time() - clock)
    return count, best[0], best[1], best[2]


def run() -> Report:
    """Robots beside MuJoCo, then the chains."""
    rows: list[tuple[object, ...]] = []
    for name in ROBOTS:
        ours, theirs, share = ratio(name)
        rows.append((name, f"{1e3 * ours:.3f}", f"{1e3 * theirs:.3f}", f"{share:.2f}", PAPER.get(name)))
    times = {links: chain_step_time(links) for links in LINKS}
    rows += [(f"chain of {links} hinges", f"{1e3 * t:.3f}", None, None, None) for links, t in times.items()]
    count, step, both, everything = parameter_times("quadruped")
    columns = ("model", "hard step [ms]", "mjd_transitionFD [ms]", "ratio", "paper: step + gradient / FD")
    notes = [
        f"one thread, random controls, h {TIMESTEP:g} s, median of {ROUNDS} interleaved rounds; MuJoCo one-sided differences,"
        f" eps {EPSILON:g}, same file",
        f"chains: h {CHAIN_TIMESTEP:g} s; time a link, 400 over 25: {growth(times):.2f} (bound {GROWTH_BOUND}, 1 is linear)",
        f"quadruped, {count} parameters at κ {KAPPA:g}: step {1e3 * step:.3f} ms, with A and B {1e3 * both:.3f} ms, with all "
        f"gradients by parameters {1e3 * everything:.3f} ms: {(everything - both) / step:.2f} steps more",
    ]
    curves = {"chain": {"links": np.array(list(times)), "seconds": np.array(list(times.values()))}}
    shown = {f"{name}: the motion that is timed": measured_motion(name, TIMESTEP, SHOWN) for name in ("humanoid", "atlas")}
    return Report("speed", "Speed of one hard step", columns, rows, notes, curves, _figure, growth(times) <= GROWTH_BOUND, shown)


def _figure(plt: Any, report: Report) -> Any:
    figure, axis = plt.subplots(figsize=(5, 3.5))
    chain = report.curves["chain"]
    axis.loglog(chain["links"], 1e3 * chain["seconds"], "o-", label="hinge chain")
    linear = 1e3 * chain["seconds"][0] * chain["links"] / chain["links"][0]
    axis.loglog(chain["links"], linear, ":", label="linear")
    axis.set_xlabel("links")
    axis.set_ylabel("one step [ms]")
    axis.legend()
    return figure
