"""States of the packaged models in flight, at an impact, sliding, sticking and at a joint limit."""

from __future__ import annotations

import numpy as np

FREE, BALL, SLIDE, HINGE = range(4)
GROUNDED = ("box", "hopper", "raibert_hopper", "quadruped", "humanoid", "atlas", "quadrotor", "half_cheetah", "ant")
LIMITED = ("hopper", "quadruped", "humanoid", "atlas", "panda", "half_cheetah", "ant")
SITUATIONS = {
    "flight": (*GROUNDED, "panda", "fourbar"),
    "impact": GROUNDED,
    "sliding": GROUNDED,
    "sticking": GROUNDED,
    "limit": LIMITED,
}
CASES = [(name, situation) for situation, names in SITUATIONS.items() for name in names]
RANGE_SHARE = 0.05
"""Of an actuator's range."""


def height_dof(model) -> tuple[int, int]:
    """(entry in qpos, entry in qvel) of the root's height."""
    if model.jnt_type[0] == FREE:
        return 2, 2
    return 1, 1  # planar: root_x, root_z, root_y


def _posture(sim, rng, spread: float, speed: float):
    """The first keyframe, disturbed: hinges and slides stay inside their ranges."""
    m = sim.model
    qpos = np.array(m.key_qpos[0]) if m.nkey else np.array(m.qpos0)
    qpos = m.integrate(qpos, spread * rng.uniform(-1, 1, m.nv))
    for j in range(m.njnt):
        if m.jnt_limited[j] and m.jnt_type[j] >= SLIDE:
            low, high = m.jnt_range[j]
            room = 0.1 * (high - low)
            qpos[m.jnt_qposadr[j]] = np.clip(qpos[m.jnt_qposadr[j]], low + room, high - room)
    return qpos, speed * rng.uniform(-1, 1, m.nv)


def _controls(model, rng, share: float = RANGE_SHARE):
    low, high = np.array(model.actuator_ctrlrange).T
    return share * np.where(high > low, high, 1.0) * rng.uniform(0.1, 1.0, model.nu)


def _lowest(sim, qpos) -> float:
    return float(sim.step(sim.initial_state(qpos), None, kappa=1e-6).contacts.gap.min())


def _on_the_ground(sim, qpos, gap: float):
    """qpos with the lowest contact at a gap after one step from rest, from well above."""
    m = sim.model
    at, _ = height_dof(m)
    qpos = np.array(qpos)
    qpos[at] += 2.0
    for _ in range(2):
        qpos[at] -= _lowest(sim, qpos) - gap
    return qpos


def situation(sim, kind: str, seed: int = 0):
    """(state, control) of the simulator's model."""
    m, rng, h = sim.model, np.random.default_rng(seed), sim.timestep
    if kind == "sticking":  # from its home, a fifth of a second of coming to rest under its weight
        home, _ = _posture(sim, rng, 0.002, 0.0)
        start = sim.initial_state(_on_the_ground(sim, home, 1e-3))
        return sim.rollout(start, np.zeros((20, m.nu))).final_state, _controls(m, rng, 0.02)
    qpos, qvel = _posture(sim, rng, 0.05, 0.5)
    control = _controls(m, rng)
    if kind == "limit":
        for j in range(m.njnt):
            if m.jnt_limited[j] and m.jnt_type[j] >= SLIDE:
                dof = m.jnt_dofadr[j]
                qpos[m.jnt_qposadr[j]] = m.jnt_range[j][1] - 0.2 * h
                qvel[dof] = 0.5
                if j > m.njnt // 2:
                    break
    if sim.model.opt is not None and m.njnt and kind in ("flight", "limit") and m.name not in ("panda", "fourbar"):
        qpos[height_dof(m)[0]] += 2.0
    if kind in ("impact", "sliding"):
        _, dof = height_dof(m)
        qpos = _on_the_ground(sim, qpos, 2e-3)
        qvel *= 0.2
        if kind == "impact":
            qvel[dof] -= 2.0
        else:
            qvel[dof] -= 0.5
            qvel[0] += 2.0
    return sim.initial_state(qpos, qvel), control
