"""The wheel's numbers beside ours: compiled arrays, stages of one evaluation, steps, and how far its own round-off carries them."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from dojo_py.mechanism.model import Model
from dojo_py.mechanism.model_arrays import NOT_IN_MUJOCO
from dojo_py.mechanism.option import Option
from dojo_py.mechanism.quaternion import matrix
from dojo_py.soft import SoftSimulator
from dojo_py.soft.workspace import NCON, NEFC

Array = np.ndarray

mujoco.set_mju_user_warning(lambda message: None)  # or it writes a log file where we stand


LARGEST = 1e10
"""Positions and velocities beyond this are an overflow: the wheel starts anew, with a warning."""


INVERSE = ("body_invweight0", "dof_invweight0", "tendon_invweight0", "actuator_acc0")
"""Arrays that come from the inverse of the mass matrix."""


class Start(NamedTuple):
    """A state and what is done from there."""

    qpos: Array
    qvel: Array
    act: Array
    controls: Array
    """(T, nu)"""


def draw_start(model: Any, seed: int, spread: float, speed: float, force: float, steps: int) -> Start:
    """A start near the initial pose: spread [rad, m], speed [rad/s, m/s], controls of size `force`; for smaller models, too."""
    rng = np.random.default_rng(seed)
    qpos = np.array(model.qpos0)
    mujoco.mj_integratePos(model, qpos, spread * rng.normal(size=model.nv), 1.0)
    qvel, act = speed * rng.normal(size=model.nv), 0.5 * rng.normal(size=model.na)
    return Start(qpos, qvel, act, force * rng.normal(size=(steps, model.nu)))


def array_differences(ours: Model, wheel: Any) -> dict[str, float]:
    """Name -> largest difference of every array, option and size, relative to max(1, |value|); wrong shapes: infinity."""
    out = {}
    for item in dataclasses.fields(Model):
        if item.name in ("name", "opt", "stat", "source", "body_iquat", "text_values", *NOT_IN_MUJOCO):
            continue
        if not item.name.endswith("_names"):
            out[item.name] = _relative(getattr(ours, item.name), getattr(wheel, item.name))
    for item in dataclasses.fields(Option):
        out[f"opt.{item.name}"] = _relative(getattr(ours.opt, item.name), getattr(wheel.opt, item.name))
    # what the inverse of the mass matrix makes of round-off is nobody's error
    round_off = np.finfo(float).eps * np.max(wheel.dof_M0, initial=0.0) * np.max(wheel.dof_invweight0, initial=0.0)
    for name in INVERSE:
        out[name] = max(out[name] - round_off, 0.0)
    out["mesh_graph"] = 0.0 if hulls(ours) == hulls(wheel) else np.inf
    out["mesh_vert"] = _relative(*(np.float64(x) * SINGLE for x in (ours.mesh_vert, wheel.mesh_vert)))
    out["stat.meaninertia"] = _relative(ours.stat.meaninertia, wheel.stat.meaninertia)
    out["inertia tensors"] = _relative(_tensors(ours), _tensors(wheel))  # equal principal moments leave the axes open
    return out


SINGLE = 1e-3
"""Factor of what the wheel has in single precision: of 1e-7 of a vertex 1e-10 counts."""


def hulls(model: Any) -> list[Any]:
    """Convex hulls of the meshes: neighbours of every vertex by its number in the mesh, and the faces; None without a hull.

    The vertices of a hull stand in another order in the wheel.
    """
    out: list[Any] = []
    for address in model.mesh_graphadr:
        if address < 0:
            out.append(None)
            continue
        graph = np.asarray(model.mesh_graph[address:])
        nvert, nface = graph[:2]
        first, vertices, edges = graph[2 : 2 + nvert], graph[2 + nvert : 2 + 2 * nvert], graph[2 + 2 * nvert :]
        last = [int(np.argmax(edges[a:] < 0)) + a for a in first]
        around = {int(v): set(vertices[edges[a:b]].tolist()) for v, a, b in zip(vertices, first, last, strict=True)}
        out.append((around, graph[2 + 3 * (nvert + nface) :][: 3 * nface].tolist()))
    return out


def _relative(ours: Any, theirs: Any) -> float:
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if a.shape != b.shape:
        return np.inf
    return float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b)), initial=0.0))


def _tensors(model: Any) -> Array:
    axes = matrix(np.asarray(model.body_iquat))
    return np.einsum("bij,bj,bkj->bik", axes, np.asarray(model.body_inertia), axes)


def data_at(model: Any, start: Start) -> Any:
    """MjData at the start, not evaluated."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.act[:] = start.qpos, start.qvel, start.act
    data.ctrl[:] = start.controls[0] if len(start.controls) else 0.0
    return data


def warned(data: Any) -> str:
    """The wheel's own complaints about a simulation: overflows, too small buffers; empty where it has none."""
    return ", ".join(str(mujoco.mjtWarning(i)).split("_")[-1] for i, w in enumerate(data.warning) if w.number)


def step_with_contacts(model: Any, start: Start, simulator: SoftSimulator) -> Array | None:
    """(nq + nv + na,) what mj_step makes of the start where its contacts stand where the simulator found them.

    The simulator has just been evaluated there. None where its contacts are others.
    """
    data = data_at(model, start)
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        return _runge_kutta(model, start, simulator)
    mujoco.mj_step1(model, data)
    if not _take_contacts(model, data, simulator):
        return None
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_step2(model, data)
    return None if warned(data) else np.concatenate([data.qpos, data.qvel, data.act])


def _take_contacts(model: Any, data: Any, simulator: SoftSimulator) -> bool:
    """The data's contacts stand where the simulator's do, and rows follow; not where they are others."""
    rows = simulator.work.rows
    ours = rows.contacts[_as_in_wheel(rows, data.contact, simulator)[0]]
    if not np.array_equal(np.stack([ours["geom1"], ours["geom2"]], axis=1), data.contact.geom):
        return False
    data.contact.dist[:], data.contact.pos[:] = ours["dist"], ours["pos"]
    data.contact.frame[:] = ours["frame"].reshape(-1, 9)
    for stage in (mujoco.mj_makeConstraint, mujoco.mj_island, mujoco.mj_projectConstraint):
        stage(model, data)
    return True


def _runge_kutta(model: Any, start: Start, simulator: SoftSimulator) -> Array | None:
    """(nq + nv + na,) a step of RK4, each of whose four stages has the simulator's contacts; None where it has others."""
    h, control = model.opt.timestep, start.controls[0] if model.nu else None
    rates: list[tuple[Array, Array, Array]] = []  # of increments, velocities, activations; what activations come to is mj_step's
    for share in (0.0, 0.5, 0.5, 1.0):
        u, qvel, act = np.zeros(model.nv), np.array(start.qvel), np.array(start.act)
        if rates:
            u, qvel, act = (x + share * h * rate for x, rate in zip((u, qvel, act), rates[-1], strict=True))
        qpos = np.array(start.qpos)
        mujoco.mj_integratePos(model, qpos, u, 1.0)
        data = data_at(model, start._replace(qpos=qpos, qvel=qvel, act=act))
        simulator.acceleration(simulator.initial_state(qpos, qvel, act=act), control)
        mujoco.mj_fwdPosition(model, data)
        if not _take_contacts(model, data, simulator):
            return None
        for stage in (mujoco.mj_fwdVelocity, mujoco.mj_fwdActuation, mujoco.mj_fwdAcceleration, mujoco.mj_fwdConstraint):
            stage(model, data)
        if warned(data):
            return None
        rates.append((_increment_rate(model, u, qvel), np.array(data.qacc), np.array(data.act_dot)))
    mean = [np.average([rate[k] for rate in rates], axis=0, weights=(1.0, 2.0, 2.0, 1.0)) for k in range(2)]
    qpos, data = np.array(start.qpos), data_at(model, start)
    mujoco.mj_integratePos(model, qpos, mean[0], h)
    mujoco.mj_step(model, data)
    return np.concatenate([qpos, start.qvel + h * mean[1], data.act])


def _increment_rate(model: Any, u: Array, qvel: Array) -> Array:
    """(nv,) rate of the increment u from the start that qvel makes: of rotations by Munthe-Kaas, as the wheel has it."""
    rate = np.array(qvel)
    free, ball = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
    for kind, first in zip(model.jnt_type, model.jnt_dofadr, strict=True):
        if kind in (free, ball):
            turn = slice(first + 3, first + 6) if kind == free else slice(first, first + 3)
            vector, spin = Rotation.from_rotvec(u[turn]).as_rotvec(), qvel[turn]
            half = max(0.5 * float(np.linalg.norm(vector)), 1e-3)
            once = np.cross(vector, spin)
            rate[turn] += 0.5 * once + (1.0 - half / np.tan(half)) / (4.0 * half * half) * np.cross(vector, once)
    return rate


class Motion(NamedTuple):
    """A roll-out of the wheel."""

    states: Array
    """(steps done + 1, nq + nv + na); fewer steps than asked for where it warned"""
    patterns: list[tuple[Any, ...]]
    """Of every step: the contacts and rows that were found"""
    warning: str


def wheel_motion(model: Any, start: Start) -> Motion:
    """mj_step with every control in turn, until the wheel warns (it starts anew then)."""
    data = data_at(model, start)
    states = [np.concatenate([data.qpos, data.qvel, data.act])]
    patterns: list[tuple[Any, ...]] = []
    for control in start.controls:
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        if warned(data) or max(np.abs(data.qpos).max(initial=0.0), np.abs(data.qvel).max(initial=0.0)) > LARGEST:
            return Motion(np.array(states), patterns, warned(data) or "beyond 1e10")
        patterns.append((data.contact.geom.tolist(), data.efc_type.tolist()))
        states.append(np.concatenate([data.qpos, data.qvel, data.act]))
    return Motion(np.array(states), patterns, "")


def nudged(model: Any, start: Start, size: float, seed: int) -> Start:
    """The start moved by random numbers of this size."""
    rng = np.random.default_rng(seed)
    qpos = np.array(start.qpos)
    mujoco.mj_integratePos(model, qpos, size * rng.normal(size=model.nv), 1.0)
    scale = size * max(1.0, np.abs(start.qvel).max(initial=0.0))
    return start._replace(qpos=qpos, qvel=start.qvel + scale * rng.normal(size=model.nv))


def stage_differences(simulator: SoftSimulator, model: Any, data: Any) -> dict[str, float]:
    """Name -> difference relative to the largest entry (at least 1) of what `data` holds after mj_forward."""
    work = simulator.work
    pose, forces, rows = work.pose, work.forces, work.rows
    pairs: dict[str, tuple[Any, Any]] = {
        "xpos": (pose.bodies["xpos"], data.xpos),
        "geom_xmat": (pose.geoms["xmat"].reshape(-1, 9), data.geom_xmat),
        "site_xpos": (pose.sites["xpos"], data.site_xpos),
        "cdof": (pose.cdof, data.cdof),
        "qfrc_bias": (forces.bias, data.qfrc_bias),
        "qfrc_passive": (forces.passive, data.qfrc_passive),
        "qfrc_actuator": (forces.actuator, data.qfrc_actuator),
        "actuator_length": (forces.actuators["length"], data.actuator_length),
        "actuator_force": (forces.actuators["force"], data.actuator_force),
        "qacc_smooth": (forces.qacc_smooth, data.qacc_smooth),
    }
    count, found = int(rows.counts[NEFC]), data.contact
    order, row_order = _as_in_wheel(rows, found, simulator)
    contacts, r = rows.contacts[order], rows.rows[row_order]
    pairs["contacts"] = (np.stack([contacts["geom1"], contacts["geom2"]], axis=1), found.geom)
    # rows without a Jacobian do nothing: the wheel leaves them out with a dense Jacobian, not with a sparse one
    J, theirs = _jacobian(rows, count, model.nv)[row_order], _wheel_jacobian(model, data)
    mine, wheels = np.full(count, True), np.full(data.nefc, True)
    if count != data.nefc:
        mine, wheels = np.abs(J).max(axis=1, initial=0.0) > 1e-14, np.abs(theirs).max(axis=1, initial=0.0) > 1e-14
    pairs["rows"] = (r["type"][mine], data.efc_type[wheels])
    if len(contacts) == data.ncon:
        pairs |= {"dist": (contacts["dist"], found.dist), "pos": (contacts["pos"], found.pos)}
        pairs["frame"] = (contacts["frame"].reshape(-1, 9), found.frame)
    if mine.sum() == wheels.sum():
        for name in ("pos", "margin", "frictionloss", "R", "aref"):
            pairs[f"efc_{name}"] = (r[name][mine], getattr(data, f"efc_{name}")[wheels])
        pairs["efc_J"] = (J[mine], theirs[wheels])
    return {name: _against_largest(*pair) for name, pair in pairs.items()}


def in_order(simulator: SoftSimulator, data: Any) -> bool:
    """Whether the simulator, evaluated there, has its contacts in the data's order."""
    order = _as_in_wheel(simulator.work.rows, data.contact, simulator)[0]
    return bool(np.all(order == np.arange(len(order))))


def _as_in_wheel(rows: Any, found: Any, simulator: SoftSimulator) -> tuple[Array, Array]:
    """Our contacts, and our rows, in the wheel's order: the points of one pair of geoms may come in another."""
    contacts = rows.contacts[: int(rows.counts[NCON])]
    order = np.arange(len(contacts))
    geoms = np.stack([contacts["geom1"], contacts["geom2"]], axis=1)
    if np.array_equal(geoms, found.geom):
        free = np.full(len(contacts), True)
        for k in range(len(contacts)):
            fit = np.flatnonzero(free & (geoms == geoms[k]).all(axis=1))
            order[k] = fit[np.abs(contacts["pos"][fit] - found.pos[k]).max(axis=1).argmin()]
            free[order[k]] = False
    elliptic = simulator._packed.options[0]["cone"] == 1
    first = [c["efc_address"] for c in contacts if c["efc_address"] >= 0]
    moved: list[int] = list(range(min(first, default=int(rows.counts[NEFC]))))
    for c in contacts[order]:
        size = c["dim"] if elliptic or c["dim"] == 1 else 2 * (c["dim"] - 1)
        moved += range(c["efc_address"], c["efc_address"] + size) if c["efc_address"] >= 0 else ()
    return order, np.array(moved, dtype=int)


def _against_largest(ours: Any, theirs: Any) -> float:
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if a.shape != b.shape:
        return np.inf
    return float(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


def _jacobian(rows: Any, count: int, nv: int) -> Array:
    J = np.zeros((count, nv))
    for i, r in enumerate(rows.rows[:count]):
        J[i, rows.J_colind[r["block"], : r["nnz"]]] = rows.J[i, : r["nnz"]]
    return J


def _wheel_jacobian(model: Any, data: Any) -> Array:
    if not mujoco.mj_isSparse(model):
        return np.array(data.efc_J[: data.nefc * model.nv]).reshape(data.nefc, model.nv)
    J = np.zeros((data.nefc, model.nv))
    for i in range(data.nefc):
        begin, n = data.efc_J_rowadr[i], data.efc_J_rownnz[i]
        J[i, data.efc_J_colind[begin : begin + n]] = data.efc_J[begin : begin + n]
    return J


def cost_above(model: Any, data: Any, qacc: Array, least: Array) -> float:
    """What the solvers minimise, at qacc less at `least` (nv,): in the scale of their tolerance. data: after mj_forward."""
    if not data.nefc:
        return 0.0
    J, M = _wheel_jacobian(model, data), np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    values = []
    for point in (qacc, least):
        total, off = np.zeros(1), point - data.qacc_smooth
        mujoco.mj_constraintUpdate(model, data, J @ point - data.efc_aref, total, 0)
        values.append(float(total[0] + 0.5 * off @ M @ off))
    scale = 1.0 / (model.stat.meaninertia * max(1, model.nv))
    return scale * (values[0] - values[1])
