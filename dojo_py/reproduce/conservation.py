"""Conservation: momentum of mechanisms that nothing holds, order of the energy error of those that nothing brakes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import (
    FREE,
    idle,
    keyframe,
    random_controls,
    states,
    steps_of,
    with_gravity,
    without_contact,
)

TOLERANCE, COARSE = 1e-13, 1e-10
"""Of the solver, residual and complementarity: asked for; and for mechanisms that round-off keeps from it."""
TIMESTEP, PUSH, DURATION = 0.01, 1.0, 10.0
"""[s]: the step, the time of random control, the time after it over which drift is measured."""
BLOCK = 20
"""Steps between two looks at the momentum."""
BOUND = 1e-10
"""Greatest relative drift accepted."""
ENERGY_TOLERANCE = 1e-11
"""Residual [m/s]: joint rows over a small step cannot be met to 1e-13 five metres from the origin."""
ENERGY_STEPS = (0.02, 0.01, 0.005)
ENERGY_CASES = (
    ("pendulum", "horizontal", 10.0),
    ("cartpole", "swing", 3.0),
    ("double_pendulum", "horizontal", 2.0),
    ("npendulum", "swing", 4.0),
    ("dzhanibekov", "spin", 10.0),
    ("fourbar", "swing", 3.0),
)
"""Model, start, duration [s]: short where the motion is chaotic, so that the three time steps see the same motion."""

JOINTS = {
    "hinge": '<joint name="j1" axis="0.2 1 0.1"/>',
    "hinge, limited": '<joint name="j1" axis="0.2 1 0.1" range="-20 30" limited="true"/>',
    "hinge, spring and damper": '<joint name="j1" axis="0 1 0" stiffness="3" damping="0.1" armature="0.01"/>',
    "hinge, dry friction": '<joint name="j1" axis="0 1 0" frictionloss="0.05"/>',
    "slide": '<joint name="j1" type="slide" axis="1 0.3 0.2" range="-0.2 0.3" limited="true"/>',
    "ball": '<joint name="j1" type="ball"/>',
    "ball, limited": '<joint name="j1" type="ball" range="0 40" limited="true" damping="0.02"/>',
    "two hinges": '<joint name="j1" axis="1 0 0"/><joint name="j2" axis="0 1 0"/>',
    "three hinges": '<joint name="j1" axis="1 0 0"/><joint name="j2" axis="0 1 0"/><joint name="j3" axis="0 0 1" damping="0.02"/>',
    "hinge and slide": '<joint name="j1" axis="0 0 1"/><joint name="j2" type="slide" axis="0 0 1" stiffness="20"/>',
    "fixed": "",
}
"""Kind -> the joint between two bodies adrift."""
QUICK: dict[str, Any] = {}
"""Arguments of `run` for `--quick`."""


def pair_xml(joint: str) -> str:
    """MJCF of two bodies adrift, joined by `joint` and driven by a motor on each of its coordinates."""
    motors = "".join(f'<motor joint="j{i}" gear="0.5 0.3 0.2" ctrlrange="-1 1"/>' for i in range(1, 4) if f'name="j{i}"' in joint)
    inertia = 'mass="{}" fullinertia="0.02 0.05 0.04 0.004 -0.003 0.002"'
    return f"""<mujoco model="pair"><option gravity="0 0 0"/><worldbody><body pos="0 0 1"><freejoint/>
<inertial pos="0.02 -0.01 0.05" {inertia.format(2)}/>
<body pos="0.3 0.1 -0.1" quat="0.9 0.1 0.3 0.2">{joint}<inertial pos="0.1 0.05 0.02" {inertia.format(1)}/></body>
</body></worldbody><actuator>{motors}</actuator></mujoco>"""


def drifters() -> dict[str, Any]:
    """Name -> model without gravity and contact."""
    from dojo_py import load_model

    block = '<mujoco model="block"><worldbody><body><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>'
    models = {"free block": load_model(block)}
    models |= {f"pair: {kind}": load_model(pair_xml(joint)) for kind, joint in JOINTS.items()}
    models |= {name: load_model(name) for name in ("humanoid", "atlas", "quadruped", "ant")}
    return {name: without_contact(with_gravity(model, (0.0, 0.0, 0.0))) for name, model in models.items()}


def momentum_drift(
    model: Any, timestep: float = TIMESTEP, duration: float = DURATION, tolerance: float = TOLERANCE
) -> tuple[float, float, int]:
    """(linear, angular, unsolved steps): greatest relative change of momentum after `PUSH` seconds of random control."""
    from dojo_py import HardOptions, HardSimulator

    options = HardOptions(residual_tolerance=tolerance, complementarity_tolerance=tolerance)
    sim = HardSimulator(model, timestep=timestep, options=options)
    qpos, qvel = (np.array(model.key_qpos[0]) if model.nkey else np.array(model.qpos0)), np.zeros(model.nv)
    if model.jnt_type[0] == FREE:
        qvel[:6] = (0.3, -0.2, 0.1, *((10.0, 10.0, 10.0) if model.njnt == 1 else (0.5, 1.0, -0.7)))
    state, unsolved = sim.initial_state(qpos, qvel), 0
    controls = np.concatenate([random_controls(model, steps_of(PUSH, timestep), seed=1), idle(model, duration, timestep)])
    momenta = []
    for i in range(0, len(controls), BLOCK):
        part = sim.rollout(state, controls[i : i + BLOCK])
        state, unsolved = part.final_state, unsolved + part.unsolved
        if unsolved or part.time[-1] >= PUSH - 0.5 * timestep:
            momenta.append(np.concatenate(sim.momentum(state)))
        if unsolved:
            break  # a step that fails tries everything first, which takes long; one is enough to know
    change = np.abs(np.array(momenta) - momenta[0])
    linear, angular = np.linalg.norm(momenta[0][:3]), np.linalg.norm(momenta[0][3:])
    return float(change[:, :3].max() / linear), float(change[:, 3:].max() / angular), unsolved


def energy_start(model: Any, key: str) -> tuple[np.ndarray, np.ndarray]:
    """(qpos, qvel): a keyframe, or `swing`: the initial pose, all joints at 0.5 rad/s; a loop starts at rest."""
    if key != "swing":
        return keyframe(model, key)
    qpos = np.array(model.qpos0)
    if model.neq:  # only the loop's own motion would keep it closed
        return qpos, np.zeros(model.nv)
    return qpos, np.full(model.nv, 0.5)


class EnergyError(NamedTuple):
    """How the mid-step energy of a mechanism that nothing brakes behaves."""

    order: float
    """Of the error (half the range of the energy) against the time step."""
    error: float
    """At the smallest step, over the range of the potential energy."""
    trend: float
    """Distance of the means of both halves over the range, at the smallest step."""
    unsolved: int
    errors: tuple[float, ...] = ()
    """Half the range of the energy [J] at every time step."""

    @property
    def holds(self) -> bool:
        """Order 2, or no error to speak of (the free rotation of a body keeps its energy to round-off)."""
        return self.unsolved == 0 and (abs(self.order - 2.0) <= 0.1 or self.error <= 1e-11)


def energy_order(name: str, key: str, duration: float) -> EnergyError:
    """Runs at the three time steps of `ENERGY_STEPS`."""
    from dojo_py import HardOptions, HardSimulator, load_model

    model = without_contact(load_model(name))
    errors, trend, unsolved = [], 0.0, 0
    for h in ENERGY_STEPS:
        sim = HardSimulator(model, timestep=h, options=HardOptions(residual_tolerance=ENERGY_TOLERANCE))
        trajectory = sim.rollout(sim.initial_state(*energy_start(model, key)), idle(model, duration, h))
        unsolved += trajectory.unsolved
        found = states(trajectory)[1:]
        energy = np.array([sim.energy(state) for state in found])  # taken mid-step, where the velocity lives
        errors.append(0.5 * np.ptp(energy))
        half = len(energy) // 2
        trend = abs(energy[half:].mean() - energy[:half].mean()) / max(np.ptp(energy), 1e-300)
        scale = np.ptp([energy_at_rest(sim, state) for state in found[::10]]) or energy[0]
    order = float(np.polyfit(np.log(ENERGY_STEPS), np.log(np.maximum(errors, 1e-300)), 1)[0])
    return EnergyError(order, float(errors[-1] / scale), float(trend), unsolved, tuple(errors))


def energy_at_rest(sim: Any, state: Any) -> float:
    """Potential energy [J]: that of the same pose at rest."""
    return float(sim.energy(sim.initial_state(state.qpos)))


def adrift() -> dict[str, Any]:
    """Robots without gravity and contact under the random controls that precede the drift, as Trajectories."""
    from dojo_py import HardSimulator

    found, models = {}, drifters()
    for name in ("humanoid", "atlas"):
        sim = HardSimulator(models[name], timestep=TIMESTEP)
        qpos = np.array(sim.model.key_qpos[0])
        controls = random_controls(sim.model, steps_of(PUSH, TIMESTEP), seed=1)
        found[f"{name}, adrift: the first {PUSH:g} s"] = sim.rollout(sim.initial_state(qpos), controls)
    return found


def run() -> Report:
    """Momentum drift of every mechanism adrift and the order of the energy error of every conservative one."""
    rows: list[tuple[object, ...]] = []
    curves: dict[str, Any] = {}
    holds = True
    for name, model in drifters().items():
        for tolerance in (TOLERANCE, COARSE):
            linear, angular, unsolved = momentum_drift(model, tolerance=tolerance)
            if unsolved == 0:
                break
        holds &= max(linear, angular) <= BOUND and unsolved == 0
        rows.append((name, f"{tolerance:g}", f"{linear:.1e}", f"{angular:.1e}", None, None, unsolved))
    for name, key, duration in ENERGY_CASES:
        found = energy_order(name, key, duration)
        holds &= found.holds
        curves[name] = {"h": np.array(ENERGY_STEPS), "error": np.array(found.errors)}
        order, error = f"{found.order:.3f}", f"{found.error:.1e}"
        rows.append((f"{name}, {key}", f"{ENERGY_TOLERANCE:g}", None, None, order, error, found.unsolved))
    columns = (
        "mechanism",
        "tolerance",
        "linear drift",
        "angular drift",
        "energy order",
        "energy error at 0.005 s",
        "unsolved",
    )
    notes = [
        f"drift: relative, over {DURATION:g} s after {PUSH:g} s of random control, h {TIMESTEP:g} s; bound {BOUND:g}, paper < 1e-8",
        f"tolerance: {TOLERANCE:g}; {COARSE:g} where a step cannot be solved to that",
        "energy: taken mid-step, half its range over the range of the potential energy; bound on the order: 2 +- 0.1",
    ]
    title = "Conservation of momentum and energy"
    return Report("conservation", title, columns, rows, notes, curves, _figure, bool(holds), adrift())


def _figure(plt: Any, report: Report) -> Any:
    figure, axis = plt.subplots(figsize=(5, 3.5))
    for name, curve in report.curves.items():
        axis.loglog(curve["h"], np.maximum(curve["error"], 1e-18), "o-", label=name)
    h = np.array(ENERGY_STEPS)
    axis.loglog(h, 10.0 * h * h, "k:", label="order 2")
    axis.set_xlabel("h [s]")
    axis.set_ylabel("half the range of the energy [J]")
    axis.legend(fontsize=7)
    return figure
