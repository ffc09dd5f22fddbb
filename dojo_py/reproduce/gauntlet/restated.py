"""Family "restated": a relaxed step and its derivatives must not depend on how a scene is said (restatements.py).

No oracle is needed, and differences of the step cannot see what is asked here: where the model of contact itself depends on the
order of two bodies, or on a number that it should not know, steps and derivatives agree with each other.

Compared are rates and coordinates after the step in units of the scene (size ℓ, speed √(10 ℓ), angular speed √(10/ℓ)), and the
columns of A and B, mapped to the edited scene. Judged are steps of a single solve at κ ≥ 1e-6 in units of the model: one in parts,
from another start or close to the hard limit may end at another of several solutions, as round-off decides.
"""

from __future__ import annotations

import copy
import math
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dojo_py import HardOptions, HardSimulator, ModelError, Status, load_model
from dojo_py.reproduce.gauntlet import gradients, scenes, touching
from dojo_py.reproduce.gauntlet.describe import as_python
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.restatements import BALL, EDITS, FREE, SLIDE, Restated, Skip, named

Array = np.ndarray

TITLE = "hard mode: relaxed steps and derivatives of the same scene, said differently"
PROPERTIES = {
    "turned": "the world elsewhere, turned: the same motion to 1e-7, the same A to 1e-6",
    "mirrored": "its mirror image: the same",
    "moving": "free bodies with a common velocity more: the same",
    "units": "other units of length and mass: the same to 1e-6",
    "order": "bodies and geoms in reverse order: the same",
    "parts": "geoms of a body in bodies without joints: the same",
    "axes": "joints about the opposite axes: the same",
    "references": "coordinates counted from elsewhere: the same",
    "springs": "springs and dampers of hinges and slides as servos: the same",
    "tendons": "springs, dampers, rotors and dry friction of joints on tendons: the same",
    "pairs": "pairs of geoms listed one by one: the same",
    "weight": "weight as outside forces: the same",
    "file": "the file that save_mjcf writes: the same to 1e-9",
    "timestep": "the time step in the file: the same bit for bit",
    "calls": "step, rollout, rollout_batch and linearize: bit for bit; rollout_vjp: the product with A and B to 1e-9",
    "not judged": "restated steps that are not solved, or not at once, of one of the two (nothing is asked of them)",
    "runs": "nothing is raised",
}
FIXED: tuple[int, ...] = (*range(30), 66, 67, 77, 93, 123, 174, 175, 366, 1264, 1520, 2269, 2492, 880004)
KAPPAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""Of scenes, in units of the model."""


def generate(seed: int) -> Case:
    """The case of a seed: of `touching`, `gradients` and `scenes` in turn."""
    kind, number = seed % 3, 7_000_000 + seed // 3
    if kind == 0:
        return touching.generate(number)
    if kind == 1:
        return gradients.generate(number)
    case = scenes.generate(number)
    model = load_model(case.xml)
    moving = np.asarray(model.body_mass)[1:]
    size = float(np.median(np.linalg.norm(model.geom_size, axis=1))) if model.ngeom else 0.1
    rng = np.random.default_rng([31, seed])
    kappa = float(rng.choice(KAPPAS))
    settings = {
        "kappa": kappa * float(np.median(moving)) * size * math.sqrt(10.0 * size),
        "kappa in units of the model": kappa,
        "friction": "cone",
        "scene": case.settings["kind"],
        "size": size,
        "act": np.zeros(model.na),
        "seed": seed,
    }
    qvel = np.zeros(model.nv) if case.qvel is None else case.qvel
    return replace(case, qpos=np.array(model.qpos0), qvel=qvel, controls=case.controls[:1], settings=settings)


def check(case: Case) -> dict[str, Outcome]:
    """Every restatement that applies to the case."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="kappa=", category=UserWarning)
        try:
            return _check(case)
        except Exception as error:
            return {"runs": Outcome(1, 1, 0.0, f"{type(error).__name__}: {error}"[:300])}


def _check(case: Case) -> dict[str, Outcome]:
    found = {"runs": Outcome(1, 0)}
    root = named(case.xml)
    if float(case.settings["kappa in units of the model"]) < 0.99e-6:
        return found
    first = _Solved(case, Restated(root))
    if not first.at_once:
        return found | {"not judged": Outcome(1, 0, 0.0, f"the step itself: {first.step.status.name}")}
    wrong = first.other_calls()
    found["calls"] = Outcome(1, int(bool(wrong)), 0.0, wrong)
    left_out = 0
    for number, (name, edit) in enumerate(EDITS.items()):
        try:
            restated = edit(copy.deepcopy(root), case, first.model, np.random.default_rng([number, int(case.settings["seed"])]))
            other = _Solved(case, restated, first)
        except Skip:
            continue
        except ModelError as error:
            if name in ("parts", "units") and "no mass" in str(error):  # (the lightest that there may be)
                continue
            found["runs"] = Outcome(1, 1, 0.0, f"{name}: {error}"[:300])
            continue
        if not other.at_once:
            left_out += 1
            continue
        motion, row = first.distance(other)
        derivative = first.derivative_distance(other)
        broken = motion > restated.bound or derivative > max(10.0 * restated.bound, 1e-9)
        worst = max(motion, 0.1 * derivative)
        found[name] = Outcome(1, int(broken), worst, f"{case.settings['scene']}: {row}, off {motion:.1e}, A {derivative:.1e}")
    if left_out:
        found["not judged"] = Outcome(left_out, 0)
    return found


class _Solved:
    """A scene, the step from its start and the derivatives there."""

    def __init__(self, case: Case, restated: Restated, first: _Solved | None = None):
        self.case, self.restated = case, restated
        self.model = load_model(ET.tostring(restated.root, encoding="unicode"))
        tight = HardOptions(residual_tolerance=1e-11, complementarity_tolerance=1e-14)
        options = replace(tight, recovery_speed=5.0 * restated.length, contact_margin=0.002 * restated.length)
        step_length = {} if restated.own_timestep else {"timestep": case.timestep}
        sim = HardSimulator(self.model, friction=str(case.settings["friction"]), options=options, **step_length)
        assert case.qpos is not None and case.qvel is not None
        qpos, qvel = (case.qpos, case.qvel) if first is None else self._start(first)
        state = sim.initial_state(qpos, qvel, act=np.asarray(case.settings["act"], float))
        kappa, wrenches = restated.kappa * float(case.settings["kappa"]), None
        if restated.weight is not None:
            wrenches = np.zeros((self.model.nbody, 6))
            wrenches[1:, :3] = np.asarray(self.model.body_mass)[1:, None] * restated.weight
        self.sim, self.state, self.kappa = sim, state, kappa
        control = np.concatenate([case.controls[0], np.zeros(self.model.nu - case.controls.shape[1])])
        self.step = sim.step(state, control, kappa=kappa, wrenches=wrenches)
        self.at_once = self.step.status is Status.SOLVED and self.step.attempts == 1 and self.step.substeps == 1
        self.A: Array | None = None
        self.B: Array | None = None
        if self.at_once:
            lin = sim.linearize(state, control, kappa=kappa, wrenches=wrenches)
            if lin.status is Status.SOLVED:
                self.A, self.B = lin.A, lin.B

    def other_calls(self) -> str:
        """Which other way to ask for this step gives another answer; "" if none does."""
        sim, state, kappa, u = self.sim, self.state, self.kappa, self.case.controls[:1]
        once = sim.rollout(state, u, kappa=kappa, linearize=True, gradient_kappa=kappa)
        many = sim.rollout_batch([state, state], np.stack([u, u]), kappa=kappa)
        linear = sim.linearize(state, u[0], kappa=kappa)
        ends = {"rollout": once.final_state, "rollout_batch": many[1].final_state, "linearize": linear.next_state}
        for name, end in ends.items():
            for field in ("qpos", "qvel", "act"):
                if not np.array_equal(getattr(end, field), getattr(self.step.state, field)):
                    return f"{name}: another {field} than step's"
        if self.A is None or once.A is None or once.B is None:
            return ""
        if not (np.array_equal(once.A[0], self.A) and np.array_equal(once.B[0], linear.B)):
            return "rollout: other A or B than linearize's"
        weights = np.random.default_rng(3).standard_normal(len(self.A))
        back = sim.rollout_vjp(once, weights)
        for name, found, expected in (
            ("state", back.state, self.A.T @ weights),
            ("control", back.control[0], linear.B.T @ weights),
        ):
            if np.abs(found - expected).max(initial=0.0) > 1e-9 * max(1.0, np.abs(expected).max(initial=0.0)):
                return f"rollout_vjp: by the {name} {np.abs(found - expected).max():.1e} off"
        return ""

    def joints(self) -> dict[str, tuple[int, slice, slice]]:
        """Name -> kind, places in qpos, places in qvel."""
        m, out = self.model, {}
        for j, name in enumerate(m.joint_names):
            kind, q, v = int(m.jnt_type[j]), int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
            out[name] = kind, slice(q, q + {FREE: 7, BALL: 4}.get(kind, 1)), slice(v, v + {FREE: 6, BALL: 3}.get(kind, 1))
        return out

    def _start(self, first: _Solved) -> tuple[Array, Array]:
        """The first scene's start in this one."""
        qpos, qvel, mine = np.array(self.model.qpos0), np.zeros(self.model.nv), self.joints()
        assert self.case.qpos is not None and self.case.qvel is not None
        for name, (kind, q, v) in first.joints().items():
            qpos[mine[name][1]] = self.restated.qpos(kind, name, self.case.qpos[q])
            qvel[mine[name][2]] = self.restated.rate(kind, name, self.case.qvel[v])
        return qpos, qvel

    def units(self, kind: int, size: int) -> Array:
        """Units of the rates of a joint of the first scene."""
        length = float(self.case.settings["size"])
        speed, spin = math.sqrt(10.0 * length), math.sqrt(10.0 / length)
        return np.array({FREE: [speed] * 3 + [spin] * 3, SLIDE: [speed]}.get(kind, [spin] * size))

    def distance(self, other: _Solved) -> tuple[float, str]:
        """Largest difference of rates, and of displacements in a step, over their units; the joint that has it."""
        edit, theirs, worst, where = other.restated, other.joints(), 0.0, ""
        after = edit.qpos_after or edit.qpos
        expected = np.array(other.model.qpos0)
        for name, (kind, q, _) in self.joints().items():
            expected[theirs[name][1]] = after(kind, name, self.step.state.qpos[q])
        moved = other.model.difference(expected, other.step.state.qpos) / self.case.timestep
        for name, (kind, _, v) in self.joints().items():
            unit, w = self.units(kind, v.stop - v.start), theirs[name][2]
            unit = np.abs(edit.rate(kind, name, unit) - edit.rate(kind, name, 0.0 * unit)) if edit.length != 1.0 else unit
            rate = other.step.state.qvel[w] - edit.rate(kind, name, self.step.state.qvel[v])
            off = max(np.abs(rate / unit).max(), np.abs(moved[w] / unit).max())
            if off > worst:
                worst, where = float(off), name
        return worst, where

    def derivative_distance(self, other: _Solved) -> float:
        """Largest difference of the columns of A and B in the edited scene, over the largest entry of the column, in its units."""
        if self.A is None or self.B is None or other.A is None or other.B is None:
            return 0.0
        edit, theirs, nv, na = other.restated, other.joints(), self.model.nv, self.model.na
        P, unit = np.zeros((nv, nv)), np.ones(nv)
        for name, (kind, _, v) in self.joints().items():
            zero = np.zeros(v.stop - v.start)
            base = edit.rate(kind, name, zero)
            P[theirs[name][2], v] = np.column_stack([edit.rate(kind, name, e) - base for e in np.eye(len(zero))])
            unit[v] = self.units(kind, len(zero))
        size = 2 * nv + na
        change = np.eye(size)
        change[:nv, :nv] = change[nv : 2 * nv, nv : 2 * nv] = P
        back = np.linalg.solve(change, np.hstack([other.A @ change, other.B[:, : self.B.shape[1]]]))
        scale = np.concatenate([unit * self.case.timestep, unit, np.ones(na)])
        by = np.concatenate([scale, np.ones(back.shape[1] - size)])
        ours, theirs_back = np.hstack([self.A, self.B]) * by / scale[:, None], back * by / scale[:, None]
        sizes = np.maximum(np.abs(ours).max(axis=0), 1e-3)
        return float((np.abs(ours - theirs_back) / sizes).max())


def shrink(case: Case) -> Iterator[Case]:
    """As for gradients."""
    yield from gradients.shrink(case)


def describe(case: Case) -> str:
    """Python that checks the case again."""
    return as_python(case, "restated")
