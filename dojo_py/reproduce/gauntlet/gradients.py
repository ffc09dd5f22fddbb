"""Derivatives of the hard step against Ridders' differences of `step(kappa=κ)`, on drawn models and states.

A and B column by column, every parameter kind by one of its numbers, `rollout_vjp` along one direction. Units, the size of a column
and what counts as wrong: gradients_oracle.py. κ is drawn in units of the model, m ℓ √(g ℓ), which is 1 N m s for 1 kg and 0.3 m.
"""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py import HardOptions, HardSimulator, State, Status, load_model
from dojo_py.actuation.owners import owners_of_controls
from dojo_py.mechanism.enums import TrnType
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.gradients_oracle import GOOD, JUMP, KINK, ORACLE, UNKNOWN, Judged, judge
from dojo_py.reproduce.gauntlet.gradients_scenes import draw_case

Array = np.ndarray

TITLE = "hard mode: derivatives against Ridders' differences of the step"
PROPERTIES = {
    "A": "columns by the state: within 1e-5 of the differences at κ ≥ 1e-6, 1e-4 below",
    "B": "columns by the controls: the same",
    "parameters": "columns by the parameters: the same",
    "vjp": "derivative of a roll-out's scalar along a direction: the same",
    "close": "all these at κ ≥ 1e-6 within 1e-6, where the differences are good to a tenth of it: at most 0.1 % may be farther",
    "kink": "at a kink of the step they lie between its two sides",
    "not judged": "columns whose differences do not converge, steps and roll-outs that are not solved (nothing is asked of them)",
    "refused": "derivatives with a status that is not SOLVED, at steps that are (nothing is asked of them)",
    "runs": "nothing is raised",
}
ALLOWED = {"close": 1e-3}
FIXED: tuple[int, ...] = (
    0, 2, 3, 4, 5, 7, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 1000, 1003, 1008, 1062, 1072, 1136,
    1234, 1260, 1307, 1501, 1524, 1525, 1706, 3000001, 3000003, 3000005, 821020, 830058, 830069, 830097, 840038, 840041,
    850123, 850180, 6000068, 6000076, 6000198, 6000248, 910034, 910049, 920093, 970033, 970067,
)  # fmt: skip

TIGHT = HardOptions(residual_tolerance=1e-11, complementarity_tolerance=1e-14)
CLOSE = 1e-6
"""Bound of what is judged closely."""
FIRST, LONGEST, LEAST = 1e-3, 1e-2, 1e-2
"""Largest step of the differences by states and controls, by parameters; share of its size without contact that a column has."""
STATE_COLUMNS, CONTROL_COLUMNS = 10, 4
OWN_DRAWS = (
    "gainprm", "biasprm", "dynprm", "gravcomp", "tendon_damping", "tendon_armature", "tendon_frictionloss", "tendon_stiffness",
    "tendon_springlength", "tendon_slack", "joint_range", "tendon_range", "ctrlrange", "forcerange", "actuatorfrcrange", "body_pos",
    "body_quat", "site_pos", "equality_anchor", "plane_offset", "plane_normal", "size", "wrench", "site_quat",
    "equality_quat",
)  # fmt: skip
"""Kinds whose numbers are drawn apart, so that the others of a seed stay what they were."""
KINDS = (
    "mass", "inertia", "com", "gravity", "friction", "contact_point", "contact_radius", "joint_anchor", "joint_axis", "damping",
    "stiffness", "springref", "armature", "frictionloss", "gear", "timestep", *OWN_DRAWS,
)  # fmt: skip
TURNS = ("joint_axis", "body_quat", "equality_quat")
"""Kinds that turn the axis of a joint."""
NOT_IN_A_MEDIUM = ("com", "joint_axis", "body_quat")
"""Kinds of which derivatives in a medium, or in its wind, are refused."""
NEED_ROOM = (
    "contact_radius", "damping", "armature", "stiffness", "tendon_damping", "tendon_armature", "tendon_stiffness", "tendon_slack",
)  # fmt: skip
"""Kinds that must not be negative."""


def generate(seed: int) -> Case:
    """The case of a seed."""
    return draw_case(seed)


class Bench:
    """A case with its simulator and the units its derivatives are compared in."""

    def __init__(self, case: Case):
        self.case, self.model = case, load_model(case.xml)
        self.h, self.kappa = case.timestep, float(case.settings["kappa"])
        self.units = float(case.settings.get("kappa in units of the model", self.kappa))
        self.sim = HardSimulator(self.model, timestep=self.h, friction=str(case.settings["friction"]), options=TIGHT)
        self.act = np.asarray(case.settings["act"], float)
        self.state = self.sim.initial_state(case.qpos, case.qvel, act=self.act)
        self.control = case.controls[0]
        weight = np.ones(self.model.nv)
        self.length = float(case.settings["size"])
        for j in range(self.model.njnt):
            kind, dof = int(self.model.jnt_type[j]), int(self.model.jnt_dofadr[j])
            weight[dof : dof + {0: 3, 2: 1}.get(kind, 0)] /= self.length
        self.weight = np.concatenate([weight, self.h * weight, np.ones(self.model.na)])
        self.bound = 1e-5 if self.units >= 0.99e-6 else 1e-4
        self.rng = np.random.default_rng([1, int(case.settings["seed"])])

    def scaled(self, state: Any, reference: Any) -> Array:
        """Tangent from a reference state, in the units of comparison."""
        dq = self.model.difference(state.qpos, reference.qpos)
        return self.weight * np.concatenate([dq, state.qvel - reference.qvel, state.act - reference.act])

    def moved(self, tangent: Array) -> State | None:
        """The start moved by a tangent; None where a body turns too far."""
        nv = self.model.nv
        qpos, act = self.model.integrate(self.state.qpos, tangent[:nv]), self.act + tangent[2 * nv :]
        try:
            return self.sim.initial_state(qpos, self.state.qvel + tangent[nv : 2 * nv], act=act)
        except ValueError:
            return None

    def end(self, state: State | None, control: Array, reference: Any, sim: Any = None) -> Array | None:
        """Where a step leads, as a scaled tangent; None when it is not solved."""
        if state is None:
            return None
        step = (sim or self.sim).step(state, control, kappa=self.kappa)
        return self.scaled(step.state, reference) if step.status is Status.SOLVED else None


class Tally:
    """Outcomes by property, filled column by column."""

    def __init__(self) -> None:
        self.found: dict[str, list[Any]] = {}

    def add(self, name: str, checked: int, broken: int, worst: float, where: str) -> None:
        """Count one column."""
        entry = self.found.setdefault(name, [0, 0, 0.0, ""])
        entry[0] += checked
        entry[1] += broken
        if (broken and worst >= entry[2]) or not entry[3]:
            entry[3] = where
        entry[2] = max(entry[2], worst)

    def column(self, bench: Bench, name: str, label: str, judged: Judged) -> None:
        """Count a column under its property."""
        where = f"{label}, row {judged.row}: {judged.verdict}, off {judged.error:.1e}"
        if judged.verdict == UNKNOWN:
            self.add("not judged", 1, 0, 0.0, where)
        elif judged.verdict in (KINK, JUMP):
            self.add(judged.verdict, 1, 0, judged.error, where)
        else:
            self.add(name, 1, int(judged.verdict != GOOD), judged.error, where)
            if bench.units >= 0.99e-6 and judged.estimate <= ORACLE * CLOSE:
                self.add("close", 1, int(judged.error > CLOSE), judged.error, where)

    def outcomes(self) -> dict[str, Outcome]:
        """As the runner wants them."""
        return {name: Outcome(int(c), int(b), float(w), where) for name, (c, b, w, where) in self.found.items()}


def check(case: Case) -> dict[str, Outcome]:
    """Every property on one case."""
    with warnings.catch_warnings():  # derivatives hold at any kappa, also where roll-outs mean nothing
        warnings.filterwarnings("ignore", message="kappa=", category=UserWarning)
        return _check(case)


def _check(case: Case) -> dict[str, Outcome]:
    tally = Tally()
    try:
        bench = Bench(case)
        step = bench.sim.step(bench.state, bench.control, kappa=bench.kappa)
        if step.status is not Status.SOLVED:
            tally.add("not judged", 1, 0, 0.0, f"the step itself: {step.status.name}")
            return tally.outcomes()
        part = "subdivided " if getattr(step, "substeps", 1) > 1 else ""
        lin = bench.sim.linearize(bench.state, bench.control, kappa=bench.kappa)
        if lin.status is not Status.SOLVED:
            tally.add("refused", 1, 0, 0.0, f"{part}{lin.status.name}")
            return tally.outcomes()
        check_states(bench, lin, tally, part)
        check_controls(bench, lin, tally, part)
        check_parameters(bench, tally, part)
        check_rollout(bench, tally, part)
        tally.add("runs", 1, 0, 0.0, "")
    except Exception as error:
        tally.add("runs", 1, 1, 0.0, f"{type(error).__name__}: {error}"[:300])
    return tally.outcomes()


def check_states(bench: Bench, lin: Any, tally: Tally, part: str) -> None:
    """Some columns of A."""
    size = len(bench.weight)
    for i in bench.rng.permutation(size)[:STATE_COLUMNS]:
        direction = np.eye(size)[i] / bench.weight[i]
        ours = bench.weight * lin.A[:, i] / bench.weight[i]

        def motion(amount: float, direction: Array = direction) -> Array | None:
            return bench.end(bench.moved(amount * direction), bench.control, lin.next_state)

        tally.column(bench, "A", f"{part}A[:, {i}]", judge(ours, motion, FIRST, 1.0, bench.bound))


def room(model: Any, control: Array, k: int) -> float:
    """How far a control is from where it, or the force of a plain motor, begins or ends to be clipped; of servos, which have their
    force from the state, too, what changes it by a hundredth of its range.
    """
    free = np.inf
    if model.actuator_ctrllimited[k]:
        low, high = model.actuator_ctrlrange[k]
        free = float(min(abs(control[k] - low), abs(high - control[k])))
    i = int(owners_of_controls(model)[k])
    plain = not (model.actuator_gaintype[i] or model.actuator_biastype[i] or model.actuator_dyntype[i])
    if model.actuator_forcelimited[i]:
        gain, (low, high) = float(model.actuator_gainprm[i, 0]), model.actuator_forcerange[i]
        force = gain * control[k] if plain else 0.0
        left = min(abs(force - low), abs(high - force)) if plain else 0.01 * (high - low)
        free = min(free, left / max(abs(gain), 1e-300))
    return min(free, _joint_room(model, i))


def _joint_room(model: Any, i: int) -> float:
    """How far a control of actuator i may move to change a joint's force by a hundredth of the joint's range for all actuators."""
    joint = int(model.actuator_trnid[i][0])
    if int(model.actuator_trntype[i]) != TrnType.JOINT or not model.jnt_actfrclimited[joint]:
        return np.inf
    low, high = model.jnt_actfrcrange[joint]
    slope = float(model.actuator_gainprm[i, 0]) * float(model.actuator_gear[int(model.actuator_outadr[i]), 0])
    return 0.01 * float(high - low) / max(abs(slope), 1e-300)


def check_controls(bench: Bench, lin: Any, tally: Tally, part: str) -> None:
    """Some columns of B; their size is at least a share of what the control does where nothing holds (κ large)."""
    model, u = bench.model, bench.control
    if not model.nu:
        return
    free = bench.sim.linearize(bench.state, u, kappa=max(1.0, bench.kappa)).B
    for k in bench.rng.permutation(model.nu)[:CONTROL_COLUMNS]:
        column = bench.weight * lin.B[:, k]
        size = max(float(np.abs(column).max()), LEAST * float(np.abs(bench.weight * free[:, k]).max()))
        size = size if size > 1e-11 else 1.0
        unit = np.eye(model.nu)[k] / size

        def motion(amount: float, unit: Array = unit) -> Array | None:
            return bench.end(bench.state, u + amount * unit, lin.next_state)

        first = min(FIRST, 0.9 * room(model, u, int(k)) * size)
        judged = judge(column / size, motion, first, 1.0, bench.bound)
        tally.column(bench, "B", f"{part}B[:, {k}] '{model.actuator_names[owners_of_controls(model)[k]]}'", judged)


def parameter_size(bench: Bench, kind: str, value: Array) -> float:
    """Size of one number of a parameter."""
    length, top = bench.length, float(np.abs(value).max())
    sizes = {"com": length, "contact_point": length, "contact_radius": 0.1 * length, "joint_anchor": length, "joint_axis": 1.0}
    sizes |= {"gravity": 10.0, "springref": 1.0, "gear": max(top, 0.1), "gravcomp": 1.0, "body_pos": length, "body_quat": 1.0}
    sizes |= {"site_pos": length, "equality_anchor": length, "plane_offset": length, "plane_normal": 1.0}
    sizes |= {"site_quat": 1.0, "equality_quat": 1.0, "wrench": 10.0 * float(np.max(bench.model.body_mass))}
    sizes |= {"tendon_springlength": max(top, length), "tendon_slack": max(top, length), "tendon_range": max(top, length)}
    if kind == "inertia":
        return float(np.abs(value.ravel()[:3]).mean())
    return sizes.get(kind, max(top, 1e-3))


def check_parameters(bench: Bench, tally: Tally, part: str) -> None:
    """One number of every kind."""
    sim = bench.sim
    inertia = float(np.max(bench.model.body_mass)) * bench.length**2  # an armature a billion times as large is round-off
    for kind in NEED_ROOM:
        there = sim.parameter(kind)
        if there.size:
            room = max(float(np.abs(there.value).max()), min(1e-3, inertia))
            step = 1e-3 * bench.length if kind == "contact_radius" else 1e-2 * room
            sim = sim.with_parameters({kind: there.value + step})
    refused = NOT_IN_A_MEDIUM if bench.model.opt.density or bench.model.opt.viscosity else ()
    kinds = [kind for kind in KINDS if kind not in refused and sim.parameter(kind).size]
    if "equality" in bench.case.xml:
        kinds = [kind for kind in kinds if kind not in TURNS]  # an axis turned alone can leave a loop no motion
    qpos, qvel, act = bench.state.qpos, bench.state.qvel, bench.act
    lin = sim.linearize(sim.initial_state(qpos, qvel, act=act), bench.control, kappa=bench.kappa, parameters=kinds)
    if lin.status is not Status.SOLVED:
        tally.add("refused", 1, 0, 0.0, f"{part}parameters: {lin.status.name}")
        return
    pace = np.sqrt(10.0 * bench.length)
    floor = 1e-3 * bench.h * pace / bench.length
    for kind in kinds:
        there = sim.parameter(kind)
        flat = np.array(there.value, float).ravel()
        draws = np.random.default_rng([int(bench.case.settings["seed"]), *kind.encode()]) if kind in OWN_DRAWS else bench.rng
        k = int(draws.integers(flat.size))
        row = np.atleast_2d(there.value.reshape(len(there.labels), -1))[k // (flat.size // len(there.labels))]
        size = parameter_size(bench, kind, row)
        columns = bench.weight[:, None] * lin.parameters[kind] * size

        def motion(amount: float, kind: str = kind, k: int = k, flat: Array = flat, size: float = size) -> Array | None:
            values = flat.copy()
            values[k] += amount * size
            try:
                other = sim.with_parameters({kind: values})
                start = other.initial_state(qpos, qvel, act=act)
            except ValueError:
                return None
            end = bench.end(start, bench.control, lin.next_state, other)
            return end

        least = max(floor, LEAST * float(np.abs(columns).max()))
        judged = judge(columns[:, k] / least, lambda a: _over(motion(a), least), LONGEST, 1.0, bench.bound)
        tally.column(bench, "parameters", f"{part}{kind}[{k}] at {there.labels[k // (flat.size // len(there.labels))]}", judged)


def _over(value: Array | None, size: float) -> Array | None:
    return None if value is None else value / size


def check_rollout(bench: Bench, tally: Tally, part: str) -> None:
    """One direction of a short roll-out, by reverse mode without A and B."""
    sim, u, rng = bench.sim, bench.case.controls, bench.rng
    run = sim.rollout(bench.state, u, kappa=bench.kappa)
    if run.unsolved:
        tally.add("not judged", 1, 0, 0.0, f"{part}rollout_vjp: the roll-out has unsolved steps")
        return
    weights = rng.normal(size=(len(u) + 1, len(bench.weight))) * bench.weight
    gradient = sim.rollout_vjp(run, weights)
    if np.any(gradient.status):
        tally.add("refused", 1, 0, 0.0, f"{part}rollout_vjp: {Status.worst(gradient.status).name}")
        return
    direction = rng.normal(size=len(bench.weight)) / bench.weight
    push = rng.uniform(-1, 1, u.shape) * np.array([min(room(bench.model, c, k) for c in u) for k in range(u.shape[1])]).clip(0, 1)
    terms = np.concatenate([gradient.state * direction, (gradient.control * push).ravel()])
    size = max(1.0, float(np.abs(terms).max()))

    def motion(amount: float) -> Array | None:
        start = bench.moved(amount * direction)
        if start is None:
            return None
        other = sim.rollout(start, u + amount * push, kappa=bench.kappa)
        if other.unsolved:
            return None
        total = 0.0
        for t in range(len(u) + 1):
            dq = bench.model.difference(other.qpos[t], run.qpos[t])
            total += float(weights[t] @ np.concatenate([dq, other.qvel[t] - run.qvel[t], other.act[t] - run.act[t]]))
        return np.array([total / size])

    judged = judge(np.array([terms.sum() / size]), motion, FIRST, 1.0, bench.bound)
    tally.column(bench, "vjp", f"{part}rollout_vjp", judged)


# smaller cases


def _without(text: str, tag: str, n: int) -> str | None:
    """The model without its n-th element of a tag."""
    root = ET.fromstring(text)
    seen = 0
    for parent in root.iter():
        for child in list(parent):
            if child.tag == tag:
                if seen == n:
                    parent.remove(child)
                    return ET.tostring(root, encoding="unicode")
                seen += 1
    return None


def shrink(case: Case) -> Iterator[Case]:
    """Without a body, actuator, closure or geom; without an attribute; with rounded numbers. The state is kept where it fits."""
    old = load_model(case.xml)
    if len(case.controls) > 1:
        yield replace(case, controls=case.controls[:1])
    for tag in ("body", "actuator", "equality", "joint", "position", "motor", "velocity", "general", "damper", "site", "geom"):
        for n in range(20):
            text = _without(case.xml, tag, n)
            if text is None:
                break
            yield from _refitted(case, old, text)
    forces = ("damping", "stiffness", "armature", "frictionloss", "springref", "forcerange", "actuatorfrcrange")
    for attribute in (*forces, "range", "ref"):
        text = re.sub(rf' {attribute}="[^"]*"', "", case.xml)
        if text != case.xml:
            yield from _refitted(case, old, text)
    assert case.qpos is not None and case.qvel is not None
    for digits in (1, 2, 3):
        text = rounded(case.xml, digits)
        if text != case.xml:
            yield from _refitted(case, old, text)
        yield replace(case, qvel=np.round(case.qvel, digits))
    yield replace(case, qvel=np.zeros_like(case.qvel))


def rounded(text: str, digits: int) -> str:
    """The text with its long numbers cut to some digits."""
    return re.sub(r"-?\d+\.\d{4,}(e-?\d+)?", lambda found: f"{float(found.group()):.{digits}g}", text)


def _refitted(case: Case, old: Any, text: str) -> Iterator[Case]:
    """The case with another model, its state by the names of the joints."""
    assert case.qpos is not None and case.qvel is not None
    try:
        new = load_model(text)
    except Exception:
        return
    if new.nv == 0:
        return
    qpos, qvel = np.array(new.qpos0), np.zeros(new.nv)
    for j, name in enumerate(new.joint_names):
        if name not in old.joint_names:
            continue
        i = old.joint_names.index(name)
        kind = int(new.jnt_type[j])
        if kind != int(old.jnt_type[i]):
            continue
        nq, nv = {0: (7, 6), 1: (4, 3)}.get(kind, (1, 1))
        qpos[new.jnt_qposadr[j] : new.jnt_qposadr[j] + nq] = case.qpos[old.jnt_qposadr[i] : old.jnt_qposadr[i] + nq]
        qvel[new.jnt_dofadr[j] : new.jnt_dofadr[j] + nv] = case.qvel[old.jnt_dofadr[i] : old.jnt_dofadr[i] + nv]
    controls = case.controls if new.nu == old.nu else np.zeros((len(case.controls), new.nu))
    act = case.settings["act"] if new.na == old.na else np.zeros(new.na)
    yield replace(case, xml=text, qpos=qpos, qvel=qvel, controls=controls, settings={**case.settings, "act": act})


def describe(case: Case) -> str:
    """MJCF with the start in a comment."""
    lines = [f"timestep {case.timestep!r}", f"qpos {case.qpos!r}", f"qvel {case.qvel!r}", f"controls {case.controls!r}"]
    lines += [f"{name} {value!r}" for name, value in case.settings.items()]
    return "<!-- " + "\n     ".join(lines).replace("--", "- -") + " -->\n" + case.xml + "\n"
