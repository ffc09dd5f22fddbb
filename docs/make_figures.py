"""The figures of docs/concepts, made by the code they explain: `python docs/make_figures.py [NAME ...]` writes figures/NAME.svg.

Each function below draws one figure and returns it with one number that the page states; tests/docs/test_figures.py pins these.
Needs the extra `plot`. figures/atlas.gif is made by `dojo_py simulate atlas --duration 1.8 --out run.npz`
and `dojo_py replay run.npz --gif --size 400x300`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import dojo_py
from dojo_py.reproduce.palette import BLACK, BLUE, COLOURS, GREEN, ORANGE, set_style

FOLDER = Path(__file__).parent / "figures"


def maximal_coordinates(plt: Any) -> tuple[Any, float]:
    """How far the two halves of every joint of a chain are apart while it swings; largest distance [m]."""
    from dojo_py.mechanism import quaternion

    model = dojo_py.load_model(dojo_py.models.npendulum_xml(5))
    sim = dojo_py.HardSimulator(model, timestep=0.01)
    run = sim.rollout(sim.initial_state(keyframe="horizontal"), np.zeros((1000, model.nu)))
    x, q = run.maximal[:, :, :3], run.maximal[:, :, 6:10]

    def point(body: int, local: np.ndarray) -> np.ndarray:
        """(T + 1, 3) a point of a body, world axes; local counts from the body frame's origin."""
        return x[:, body] + quaternion.rotate(q[:, body], local - model.body_ipos[body])

    figure, axes = plt.subplots(1, 2, figsize=(8, 2.8))
    for k in np.linspace(0, 60, 4).astype(int):
        ends = np.array([point(b, np.zeros(3))[k] for b in range(1, 6)] + [point(5, np.array([0.0, 0.0, -1.0]))[k]])
        axes[0].plot(ends[:, 0], ends[:, 2], "o-", ms=3, color=BLUE, alpha=0.3 + 0.7 * k / 60)
    axes[0].set(xlabel="x [m]", ylabel="z [m]", title="five free bodies, five hinges", aspect="equal")
    apart = np.array([
        np.linalg.norm(point(b - 1, model.body_pos[b]) - point(b, np.zeros(3)), axis=1) for b in range(2, 6)
    ])  # fmt: skip
    for colour, row in zip(COLOURS, apart, strict=False):
        axes[1].semilogy(run.time, np.maximum(row, 1e-18), color=colour, lw=0.8)
    axes[1].set(xlabel="time [s]", ylabel="halves of a joint apart [m]", ylim=(1e-18, 1e-6), title="what the solver keeps together")
    return figure, float(apart.max())


def variational_integrator(plt: Any) -> tuple[Any, float]:
    """Energy of a double pendulum: ours, and semi-implicit Euler in joint coordinates; ratio of their largest errors."""
    model = dojo_py.load_model("double_pendulum")
    free = model.replace(dof_damping=np.zeros(model.nv), dof_frictionloss=np.zeros(model.nv))
    figure, axis = plt.subplots(figsize=(6, 2.8))
    errors = []
    for simulator, label, colour in (
        (dojo_py.SoftSimulator, "semi-implicit Euler, joint coordinates", ORANGE),
        (dojo_py.HardSimulator, "variational integrator, maximal coordinates", BLUE),
    ):
        sim = simulator(free, timestep=0.01)
        run = sim.rollout(sim.initial_state(qpos=np.array([1.5, 0.5])), np.zeros((2000, free.nu)))
        energy = np.array([sim.energy(run.state(k)) for k in range(len(run.time))])
        errors.append(float(np.abs(energy - energy[0]).max()))
        axis.plot(run.time, energy - energy[0], color=colour, label=label, lw=1)
    axis.set(xlabel="time [s]", ylabel="energy error [J]", title="double pendulum, h = 0.01 s, 20 s")
    axis.legend()
    return figure, errors[1] / errors[0]


def contact(plt: Any) -> tuple[Any, float]:
    """Gap and normal impulse of a dropped ball: one of them is zero, always; the largest product [N m s]."""
    xml = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.4"><freejoint/>
    <geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""
    sim = dojo_py.HardSimulator(dojo_py.load_model(xml))
    state, gaps, impulses = sim.initial_state(), [], []
    for _ in range(60):
        step = sim.step(state)
        state = step.state
        gaps.append(float(step.contacts.gap[0]))
        impulses.append(float(step.contacts.impulse[0, 0]))
    time = 0.01 * np.arange(1, 61)
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(6, 3.6))
    axes[0].plot(time, gaps, color=BLUE)
    axes[0].set(ylabel="gap s [m]", title="a ball of 1 kg falls 0.3 m")
    axes[1].plot(time, impulses, color=ORANGE)
    axes[1].axhline(9.81 * 0.01, color=BLACK, lw=0.7, ls=":")
    axes[1].set(xlabel="time [s]", ylabel="impulse γ [N s]")
    return figure, float(np.max(np.maximum(np.array(gaps) - 2e-10, 0.0) * np.array(impulses)))


def central_path(plt: Any) -> tuple[Any, float]:
    """Next height of a box pushed up with less or more than its weight, and the derivative, for several κ; that at κ = 1e-4."""
    from dojo_py.reproduce.figure4 import Box

    box, forces = Box(), np.linspace(0.0, 2.0, 81)
    figure, axes = plt.subplots(1, 2, figsize=(8, 2.8))
    hard, _ = box.push(1, forces, None, False)
    axes[0].plot(forces, 1e3 * (hard - hard[0]), color=BLACK, label="hard limit")
    axes[1].plot(forces, 1e3 * np.where(forces > 1.0, 0.01, 0.0), color=BLACK)
    number = 0.0
    for kappa, colour in ((1e-4, ORANGE), (1e-5, BLUE), (1e-7, GREEN)):
        position, slope = box.push(1, forces, kappa, True)
        axes[0].plot(forces, 1e3 * (position - hard[0]), color=colour, label=f"κ = {kappa:g}")
        axes[1].plot(forces, 1e3 * slope, color=colour)
        number = number or float(1e3 * np.interp(0.9, forces, slope))
    axes[0].set(xlabel="push upwards [N]", ylabel="next height [mm]", title="the step")
    axes[1].set(xlabel="push upwards [N]", ylabel="derivative [mm/N]", title="its derivative")
    axes[0].legend()
    return figure, number


def gradients_lie(plt: Any) -> tuple[Any, float]:
    """Where a thrown box comes to lie, by its spin: the hard landscape, and the slope that gradients at two κ tell of it.

    The number: the slope at κ = 1e-6 over that of the landscape as a whole, where it is worst.
    """
    model = dojo_py.load_model("box")
    sim = dojo_py.HardSimulator(model, timestep=0.02)
    start = np.array(model.qpos0)
    start[2] += 0.4
    spins, steps = np.linspace(0.0, 6.0, 121), 50
    states = [sim.initial_state(qpos=start, qvel=np.array([1.0, 0, 0, 0, spin, 0])) for spin in spins]
    none = np.zeros((len(spins), steps, model.nu))
    ends = np.array([run.qpos[-1, 0] for run in sim.rollout_batch(states, none)])
    figure, axes = plt.subplots(1, 2, figsize=(8, 2.8))
    axes[0].plot(spins, ends, ".-", ms=3, lw=0.6, color=BLACK)
    trend = np.polyfit(spins, ends, 1)[0]
    axes[0].set(xlabel="spin at the start [rad/s]", ylabel="x after 1 s [m]", title="the hard motion")
    worst = 0.0
    for kappa, colour in ((1e-3, ORANGE), (1e-6, BLUE)):
        slopes = []
        for run in sim.rollout_batch(states, none, kappa=kappa, linearize=True):
            chain = np.eye(2 * model.nv)
            for A in run.A:
                chain = A @ chain
            slopes.append(chain[0, model.nv + 4])
        axes[1].plot(spins, slopes, ".", ms=3, color=colour, label=f"κ = {kappa:g}")
        worst = float(np.abs(slopes).max() / abs(trend))
    axes[1].axhline(trend, color=BLACK, lw=0.8, label="straight line through the left")
    axes[1].set(xlabel="spin at the start [rad/s]", ylabel="dx / dspin [m s/rad]", yscale="symlog", title="what gradients say")
    axes[1].legend()
    return figure, worst


FIGURES = {f.__name__: f for f in (maximal_coordinates, variational_integrator, contact, central_path, gradients_lie)}


def make(name: str, folder: Path = FOLDER) -> float:
    """Write a figure as NAME.svg; return its number."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with set_style(matplotlib):
        figure, number = FIGURES[name](plt)
        figure.tight_layout()
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)
    return number


if __name__ == "__main__":
    for chosen in sys.argv[1:] or FIGURES:
        print(f"{chosen}: {make(chosen):.4g}")
