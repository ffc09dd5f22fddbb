"""Drawn models for the family `gradients`: trees of joints, two shapes at touch, a shape on a plane; and their states.

Ties are drawn on purpose: axes along the world's, contact at the middle of a face, parallel and crossing capsules, gap 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dojo_py import HardSimulator, load_model
from dojo_py.reproduce.gauntlet.family import Case

Array = np.ndarray

KAPPAS = (1e-1, 1e-2, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-6, 1e-8, 1e-12)
GAPS = (0.0, 0.0, 1e-5, 1e-3, 1e-2, 0.1, -1e-3, -0.02, -0.2)
"""At the start, in units of the shapes' size."""
POLYNOMIALS_FROM = 2_000_000
"""First seed of models with polynomial springs and dampers, and springs of free joints: those before keep their cases."""
LIFTED_FROM = 3_000_000
"""Likewise with gravity compensation, through actuators too, and with dampers and rotors of actuators."""
STEPS = 3
"""Of the roll-out that is pulled back."""
HEADER = '<mujoco><compiler angle="radian" autolimits="true"/><option gravity="{}"/>'
AXES = np.eye(3)


def text(values: Any) -> str:
    """Numbers as an attribute."""
    return " ".join(repr(float(v)) for v in np.ravel(values))


def some(rng: Any, share: float) -> bool:
    """True with this chance."""
    return bool(rng.random() < share)


def unit(rng: Any, exact: bool) -> Array:
    """A direction: along an axis or a diagonal of the world if exact."""
    if exact:
        v = AXES[rng.integers(3)] if some(rng, 0.6) else rng.integers(-1, 2, 3) + 0.0
        v = v if np.any(v) else AXES[2]
        return v * rng.choice([-1.0, 1.0]) / np.linalg.norm(v)
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def beside(n: Array) -> tuple[Array, Array]:
    """Two unit vectors across n."""
    a = np.cross(n, AXES[int(np.argmin(np.abs(n)))])
    a /= np.linalg.norm(a)
    return a, np.cross(n, a)


def quaternion_to(axis: Array) -> Array:
    """(4,) the smallest rotation from z to a unit vector."""
    if axis[2] < -0.999999:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    return q / np.linalg.norm(q)


def any_quaternion(rng: Any, exact: bool) -> Array:
    """(4,) of any rotation; exact: by right angles."""
    if exact:
        turns = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1.0]])
        q = np.eye(4)[0] if some(rng, 0.5) else turns[rng.integers(4)]
    else:
        q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def matrix(q: Array) -> Array:
    """(3, 3) of a unit quaternion."""
    w, v = q[0], q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


# joints


def powers(draw: Any, coefficient: float, scale: float) -> str:
    """The coefficient of a spring or damper; at times with two more, of higher powers of what has the size `scale`."""
    if draw.later is None or not some(draw.later, 0.3):
        return text(coefficient)
    return text(coefficient * np.array([1.0, draw.later.uniform(0.0, 1.0) / scale, draw.later.uniform(0.0, 3.0) / scale**2]))


def joint(rng: Any, kind: str, name: str, axis: Array, size: float, draw: Any) -> str:
    """One joint with springs, dampers, limits, … of its own. draw: gives the coordinate of each hinge or slide, and keeps it."""
    length = size if kind == "slide" else 1.0
    force = 3.0 * size * draw.mass * (1.0 if kind == "slide" else size)
    out = f'<joint name="{name}" type="{kind}"'
    if kind in ("hinge", "slide"):
        out += f' axis="{text(axis)}"'
    if kind in ("hinge", "ball") and some(rng, 0.6):
        out += f' pos="{text(size * rng.normal(size=3) * 0.5)}"'
    if some(rng, 0.4):
        out += f' damping="{powers(draw, force * rng.uniform(0.01, 0.3) / length, length)}"'
    if kind == "free" and draw.later is not None and some(draw.later, 0.3):
        out += f' stiffness="{powers(draw, force * draw.later.uniform(0.1, 10.0), 1.0)}"'
    if kind != "free" and some(rng, 0.3):
        out += f' stiffness="{powers(draw, force * rng.uniform(0.1, 10.0) / length, length)}"'
        out += f' springref="{text(0.3 * length * rng.normal())}"' if kind != "ball" else ""
    if some(rng, 0.3):
        out += f' armature="{text(0.1 * force * rng.random() / length)}"'
    if kind != "free" and some(rng, 0.2):
        out += f' frictionloss="{text(force * rng.choice([0.01, 0.3, 5.0]))}"'
    value = 0.3 * length * rng.uniform(-1, 1) if some(rng, 0.8) else 0.0
    if kind in ("hinge", "slide"):
        draw.coordinates[name] = value
        if some(rng, 0.2):
            out += f' ref="{text(0.3 * length * rng.normal())}"'
        if some(rng, 0.35):  # far from, near, at or beyond a bound
            room = length * rng.choice([-0.2, -0.01, 0.0, 1e-4, 1e-2, 0.3], 2)
            low, high = value - room[0], value + room[1]
            if high > low:
                out += f' range="{text([low, high])}"'
        bounded = some(rng, 0.15)
        if bounded or (draw.lifted is not None and some(draw.lifted, 0.3)):
            out += f' actuatorfrcrange="{text([-force, 0.5 * force])}"'
            draw.bounded.add(name)
    elif kind == "ball" and some(rng, 0.3):
        out += f' range="0 {text(rng.uniform(0.05, 1.0))}"'
    if draw.lifted is not None and some(draw.lifted, 0.5):
        out += ' actuatorgravcomp="true"'
    draw.joints.append((name, kind))
    return out + "/>"


def joints(rng: Any, body: str, size: float, draw: Any, root: bool) -> str:
    """Joints of one body."""
    sets = ["hinge", "slide", "ball", "hinge hinge", "hinge hinge hinge", "slide hinge", "slide slide hinge"]
    kinds = ["free"] if root and some(rng, 0.4) else rng.choice(sets, p=[0.3, 0.15, 0.2, 0.15, 0.08, 0.07, 0.05]).split()
    axes = matrix(any_quaternion(rng, some(rng, 0.4))) @ np.eye(3)
    lean = 0.0 if some(rng, 0.5) else 0.25
    parts = []
    for i, kind in enumerate(kinds):
        axis = axes[:, i] + lean * axes[:, (i + 1) % 3]
        parts.append(joint(rng, kind, f"{body}j{i}", axis / np.linalg.norm(axis), size, draw))
    return "".join(parts)


# actuators


def actuator(rng: Any, name: str, kind: str, size: float, draw: Any) -> str:
    """One actuator on a joint."""
    force = 3.0 * draw.mass * size * (1.0 if kind == "slide" else size)
    where = f'joint="{name}"' if some(rng, 0.8) or kind in ("hinge", "slide") else f'jointinparent="{name}"'
    width = {"ball": 3, "free": 6}.get(kind, 1)
    gear = rng.normal(size=width) if width > 1 else [rng.choice([1.0, -2.0, 0.5])]
    sort = str(rng.choice(["motor", "position", "velocity", "damper", "intvelocity", "filter", "affine", "integrator"],
                          p=[0.3, 0.25, 0.1, 0.07, 0.07, 0.07, 0.07, 0.07]))  # fmt: skip
    if name in draw.bounded:
        sort = "motor"
    common = f'{where} gear="{text(gear)}"'
    if some(rng, 0.3):  # often saturated
        common += f' forcerange="{text([-force * rng.uniform(0.05, 3), force * rng.uniform(0.05, 3)])}"'
    length = size if kind == "slide" else 1.0
    k = force / length * rng.uniform(0.3, 10.0)
    if draw.lifted is not None and some(draw.lifted, 0.3):
        c = 0.1 * force / length * np.array([draw.lifted.uniform(0.1, 1.0), draw.lifted.uniform(0.0, 1.0) / length])
        common += f' damping="{text(c)}" armature="{text(0.1 * force * draw.lifted.random() / length)}"'
    if sort == "motor":
        return f"<motor {common}/>"
    if sort == "position":
        return f'<position {common} kp="{text(k)}" kv="{text(0.1 * k * some(rng, 0.6))}"/>'
    if sort == "velocity":
        return f'<velocity {common} kv="{text(0.1 * k)}"/>'
    if sort == "damper":
        return f'<damper {common} kv="{text(0.1 * k)}" ctrlrange="0 3"/>'
    if sort == "intvelocity":
        return f'<intvelocity {common} kp="{text(k)}" actrange="-1 1"/>'
    if sort == "integrator":
        return f'<general {common} dyntype="integrator" gainprm="{text(k)}"/>'
    if sort == "filter":
        return f'<general {common} dyntype="{rng.choice(["filter", "filterexact"])}" dynprm=".1" gainprm="{text(k)}"/>'
    return (
        f'<general {common} gaintype="affine" gainprm="{text([k, 0.5 * k, 0.1 * k])}" biastype="affine" '
        f'biasprm="{text([0.1 * k, -k, -0.1 * k])}"/>'
    )


class Draw:
    """What the pieces of a model know of each other."""

    def __init__(self, size: float, mass: float, seed: int = 0):
        self.size, self.mass = size, mass
        self.later = np.random.default_rng([20261, seed]) if seed >= POLYNOMIALS_FROM else None
        self.lifted = np.random.default_rng([20262, seed]) if seed >= LIFTED_FROM else None
        self.coordinates: dict[str, float] = {}
        self.joints: list[tuple[str, str]] = []
        self.bounded: set[str] = set()
        self.bodies: list[str] = []
        self.sites: list[str] = []


SHAPES = ("sphere", "capsule", "box", "cylinder", "ellipsoid")


def shape(rng: Any, kind: str, size: float) -> Array:
    """Sizes of a geom."""
    s = size * rng.uniform(0.3, 1.0, 3)
    return {"sphere": s[:1], "capsule": s[:2] * [0.4, 1], "cylinder": s[:2]}.get(kind, s)


def solid(rng: Any, draw: Draw, collides: bool, kind: str | None = None, mu: float = 1.0) -> str:
    """A geom somewhere in a body."""
    kind = kind or str(rng.choice(SHAPES))
    exact = some(rng, 0.4)
    flag = f'contype="0" conaffinity="1" friction="{text(mu)}"' if collides else 'contype="0" conaffinity="0"'
    size = shape(rng, kind, 0.4 * draw.size)
    return (
        f'<geom type="{kind}" size="{text(size)}" mass="{text(draw.mass * 10 ** rng.uniform(-1, 0.3))}" '
        f'pos="{"0 0 0" if exact else text(0.3 * draw.size * rng.normal(size=3))}" '
        f'quat="{text(any_quaternion(rng, exact))}" {flag}/>'
    )


def lift(draw: Draw) -> str:
    """Gravity compensation of a body, at times."""
    if draw.lifted is None or not some(draw.lifted, 0.5):
        return ""
    return f' gravcomp="{text(draw.lifted.uniform(-0.3, 1.3))}"'


def tree(rng: Any, draw: Draw, name: str, bodies: int, root: bool, collides: bool, mu: float) -> str:
    """A body with joints and what hangs on it."""
    draw.bodies.append(name)
    exact = some(rng, 0.4)
    place = draw.size * (rng.integers(-1, 2, 3) if exact else rng.normal(size=3))
    out = f'<body name="{name}" pos="{text(place)}" quat="{text(any_quaternion(rng, exact))}"{lift(draw)}>'
    out += joints(rng, name, draw.size, draw, root) + solid(rng, draw, collides, mu=mu)
    if draw.lifted is not None and some(draw.lifted, 0.2):  # a part with a compensation of its own
        place = 0.3 * draw.size * draw.lifted.normal(size=3)
        out += f'<body pos="{text(place)}"{lift(draw)}>{solid(draw.lifted, draw, False)}</body>'
    if some(rng, 0.3):
        draw.sites.append(f"{name}s")
        place = 0.3 * draw.size * rng.normal(size=3)
        out += f'<site name="{name}s" pos="{text(place)}" quat="{text(any_quaternion(rng, False))}"/>'
    left, child = bodies - 1, 0
    while left > 0:
        share = int(rng.integers(1, left + 1))
        out += tree(rng, draw, f"{name}{'abcdef'[child]}", share, False, collides, mu)
        left, child = left - share, child + 1
    return out + "</body>"


def extras(rng: Any, draw: Draw, loops: bool) -> str:
    """Actuators and loop closures."""
    out = "<actuator>"
    for name, kind in draw.joints:
        if some(rng, 0.5):
            out += actuator(rng, name, kind, draw.size, draw)
    force = 3.0 * draw.mass * draw.size
    for site in draw.sites:
        reference = [s for s in draw.sites if s != site]
        ref = f' refsite="{reference[0]}"' if reference and some(rng, 0.4) else ""
        gear = np.concatenate([rng.normal(size=3), draw.size * rng.normal(size=3)])
        sort = f'kp="{text(0.5 * force)}"' if ref and some(rng, 0.5) else ""
        out += f'<{"position" if sort else "motor"} site="{site}"{ref} gear="{text(gear)}" {sort}/>'
    out += "</actuator>"
    if loops:
        ends = rng.permutation(draw.bodies)
        scalar = [n for n, k in draw.joints if k in ("hinge", "slide")]
        sort = rng.choice(["connect", "weld", "joint", "lock"])
        if sort == "connect" and len(ends) > 1:
            anchor = text(0.3 * draw.size * rng.normal(size=3))
            out += f'<equality><connect body1="{ends[0]}" body2="{ends[1]}" anchor="{anchor}"/></equality>'
        elif sort == "weld" and len(ends) > 1:
            out += f'<equality><weld body1="{ends[0]}" body2="{ends[1]}"/></equality>'
        elif sort == "joint" and len(scalar) > 1:
            out += f'<equality><joint joint1="{scalar[0]}" joint2="{scalar[1]}" polycoef="0 0.7 0.2 -0.1 0"/></equality>'
        elif scalar:
            out += f'<equality><joint joint1="{scalar[0]}" polycoef="0.02 0 0 0 0"/></equality>'
    return out


# contact


def plane(normal: Array, point: Array, mu: float) -> str:
    """A plane through a point."""
    return (
        f'<geom type="plane" size="0 0 1" pos="{text(point)}" quat="{text(quaternion_to(normal))}" friction="{text(mu)}" '
        'contype="1" conaffinity="0"/>'
    )


def lowest(kind: int, size: Array, centre: Array, R: Array, n: Array) -> float:
    """Height over a plane through the origin, normal n, of a geom's lowest point."""
    local = R.T @ n
    reach = {
        2: size[0],
        3: size[0] + size[1] * abs(local[2]),
        4: math.sqrt(np.sum((size * local) ** 2)),
        5: size[1] * abs(local[2]) + size[0] * math.hypot(local[0], local[1]),
        6: float(np.abs(size * local).sum()),
    }[kind]
    return float(n @ centre) - reach


def geoms_of(model: Any, maximal: Array) -> list[tuple[int, Array, Array, Array]]:
    """(type, size, centre, axes) of the geoms that touch planes, at a maximal state."""
    out = []
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        if b == 0 or not model.geom_conaffinity[g]:
            continue
        R = matrix(maximal[b, 6:10])
        origin = maximal[b, :3] - R @ model.body_ipos[b]
        centre = origin + R @ model.geom_pos[g]
        out.append((int(model.geom_type[g]), model.geom_size[g], centre, R @ matrix(model.geom_quat[g])))
    return out


def holder(rng: Any, name: str, size: float, draw: Draw, free: float) -> str:
    """Joints that carry one of two shapes."""
    if some(rng, free):
        return f'<joint name="{name}j" type="free"/>'
    kind = str(rng.choice(["ball", "hinge", "slide", "hinge slide"]))
    out = ""
    for i, k in enumerate(kind.split()):
        axis = unit(rng, some(rng, 0.5))
        pos = f' pos="{text(size * rng.normal(size=3))}"' if k != "slide" else ""
        out += f'<joint name="{name}j{i}" type="{k}" axis="{text(axis)}"{pos} damping="{text(0.02 * draw.mass * size * size)}"/>'
    return out


def two_shapes(rng: Any, draw: Draw, mu: float) -> tuple[str, Array]:
    """Bodies 'a' and 'b' (or a geom of the world) whose shapes nearly touch, and the normal from b to a."""
    exact = some(rng, 0.5)
    first, second = [("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "box"), ("capsule", "capsule")][rng.integers(4)]
    a, b = shape(rng, first, draw.size), shape(rng, second, draw.size)
    if exact and some(rng, 0.3) and first == second:
        b = a.copy()
    turn = any_quaternion(rng, exact)
    R = matrix(turn)
    if second == "sphere":
        n = unit(rng, exact)
        p = b[0] * n
    elif second == "capsule":
        along = rng.choice([0.0, 1.0, 0.5]) if exact else rng.uniform(-1.3, 1.3)
        side = unit(rng, exact)
        local = np.array([side[0], side[1], 0.0 if abs(along) <= 1 else np.sign(along) * abs(side[2])])
        local = local if np.linalg.norm(local) > 1e-6 else AXES[0]
        local = local / np.linalg.norm(local)
        n = R @ local
        p = R @ (np.array([0, 0, b[1] * np.clip(along, -1, 1)]) + b[0] * local)
    else:
        place = rng.choice([0.0, 0.5], 3) if exact else rng.uniform(-0.95, 0.95, 3)
        outer = rng.permutation(3)[: rng.choice([1, 1, 2, 3])]  # a face, an edge, a corner
        local = np.zeros(3)
        local[outer] = rng.choice([-1.0, 1.0], len(outer)) * (1.0 if exact else rng.uniform(0.2, 1.0, len(outer)))
        place[outer] = np.sign(local[outer])
        local /= np.linalg.norm(local)
        n, p = R @ local, R @ (place * b)
    gap = draw.size * rng.choice(GAPS)
    quat = any_quaternion(rng, exact)
    centre = p + (gap + a[0]) * n
    if first == "capsule":
        across = beside(n)
        own = R[:, 2]
        how = rng.choice(["crossing", "parallel", "end", "any"])
        axis = {"crossing": np.cross(n, own), "parallel": own, "end": n}.get(how, unit(rng, False))
        axis = across[0] if np.linalg.norm(axis) < 1e-6 else axis / np.linalg.norm(axis)
        if not exact:
            axis = axis + 0.05 * rng.normal(size=3)
            axis /= np.linalg.norm(axis)
        reach = axis @ n
        shift = -math.copysign(1.0, reach) if abs(reach) > 0.05 else (rng.choice([0.0, 1.0]) if exact else rng.uniform(-0.9, 0.9))
        centre = centre - shift * a[1] * axis
        quat = quaternion_to(axis)
    flag = f'friction="{text(mu)}"'
    place = draw.size * (0.0 if exact else 3.0) * rng.normal(size=3)
    geoms = [f'<geom type="{first}" size="{text(a)}"', f'<geom type="{second}" size="{text(b)}"']
    masses = draw.mass * 10 ** rng.uniform(-1, 1, 2)
    fixed = some(rng, 0.2)
    out = f'<body name="a" pos="{text(place + centre)}" quat="{text(quat)}">{holder(rng, "a", draw.size, draw, 0.7)}'
    out += f'{geoms[0]} mass="{text(masses[0])}" {flag}/></body>'
    if fixed:
        out += f'{geoms[1]} pos="{text(place)}" quat="{text(turn)}" {flag}/>'
    else:
        out += f'<body name="b" pos="{text(place)}" quat="{text(turn)}">{holder(rng, "b", draw.size, draw, 0.7)}'
        out += f'{geoms[1]} mass="{text(masses[1])}" {flag}/></body>'
    return out, n


# whole cases


def velocity(rng: Any, model: Any, normal: Array, size: float, mu: float, h: float) -> Array:
    """(nv,) at rest, coming down, sliding, near stick-slip, or anyhow."""
    v, pace = np.zeros(model.nv), math.sqrt(10.0 * size)
    how = rng.choice(["rest", "impact", "slide", "slip", "any", "any"])
    across = beside(normal)[0]
    pushes = {"impact": -rng.uniform(0.1, 1.0) * normal, "slide": 0.5 * across, "slip": mu * 10.0 * h / pace * across}
    push = pushes.get(how, 0 * normal)
    first = True
    for j in range(model.njnt):
        dof, kind = int(model.jnt_dofadr[j]), int(model.jnt_type[j])
        if kind == 0:
            if first:
                v[dof : dof + 3] += pace * push
            first = False
        if how != "rest":
            width, angular = (6, 3) if kind == 0 else ((3, 3) if kind == 1 else (1, int(kind == 3)))
            noise = rng.normal(size=width)
            noise[: width - angular] *= size
            v[dof : dof + width] += (1.0 if how == "any" else 0.1) * pace / size * 0.3 * noise
    return v


FAST_SEEDS = 3_000_000
"""From this seed on half of the cases rotate by a radian and more in a step, which is then solved in parts."""


def rotating(rng: Any, model: Any, qpos: Array, qvel: Array, h: float) -> Array:
    """(nv,) qvel with joints and free bodies that rotate by 0.7 to 2.8 rad in a step, some of them; less where that is too much."""
    v = np.array(qvel)
    for j in range(model.njnt):
        dof, kind = int(model.jnt_dofadr[j]), int(model.jnt_type[j])
        if kind == 2 or not some(rng, 0.6):
            continue
        first, width = {0: (dof + 3, 3), 1: (dof, 3)}.get(kind, (dof, 1))
        spin = rng.normal(size=width)
        v[first : first + width] = spin / np.linalg.norm(spin) * rng.uniform(0.7, 2.8) / h
    sim = HardSimulator(model, timestep=h)
    for _ in range(10):
        try:
            sim.initial_state(qpos, v)
            return v
        except ValueError:  # a body rotates by half a revolution and more
            v = qvel + 0.7 * (v - qvel)
    return qvel


def draw_case(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([20260, seed])
    kappa = float(rng.choice(KAPPAS))
    size = float(rng.choice([0.3, 1e-3, 100.0, 3.0], p=[0.8, 0.07, 0.06, 0.07])) * rng.uniform(0.5, 1.5)
    mass = {True: 1.0, False: 1e3}[size < 10] if size > 0.01 else 1e-4
    pace = math.sqrt(size / 0.3)
    h = float(rng.choice([0.001, 0.01, 0.01, 0.02, 0.05])) * pace
    mu = float(rng.choice([0.0, 0.1, 0.5, 1.0, 3.0], p=[0.08, 0.2, 0.3, 0.3, 0.12]))
    friction = str(rng.choice(["cone", "pyramid", "none"], p=[0.7, 0.22, 0.08]))
    draw = Draw(size, mass, seed)
    exact = some(rng, 0.4)
    tilt = AXES[2] if exact else unit(rng, False)
    down = -9.81 * (AXES[2] if some(rng, 0.5) else tilt) * float(rng.choice([0.0, 1.0], p=[0.25, 0.75]))
    scene = str(rng.choice(["tree", "tree on a plane", "pair", "plane"], p=[0.3, 0.17, 0.38, 0.15]))
    world, below, rest = "", "", ""
    if scene.startswith("tree"):
        touching = scene != "tree"
        for i in range(int(rng.integers(1, 3))):
            world += tree(rng, draw, "ABC"[i], int(rng.integers(1, 4)), True, touching, mu)
        rest = extras(rng, draw, some(rng, 0.25))
    elif scene == "plane":
        world = f'<body name="a"><freejoint/>{solid(rng, draw, True, mu=mu)}</body>'
    else:
        world, tilt = two_shapes(rng, draw, mu)
    header = HEADER.format(text(down))
    model = load_model(f"{header}<worldbody>{world}</worldbody>{rest}</mujoco>")
    qpos = np.array(model.qpos0)
    if scene != "pair":
        qpos = model.integrate(qpos, rng.choice([0.0, 0.3]) * rng.uniform(-1, 1, model.nv))
        for name, value in draw.coordinates.items():
            qpos[model.jnt_qposadr[model.joint_names.index(name)]] = value
    qvel = velocity(rng, model, tilt, size, mu, h)
    if scene in ("plane", "tree on a plane"):
        state = HardSimulator(model, timestep=h).initial_state(qpos)
        shapes = geoms_of(model, np.asarray(state.maximal))
        height = min(lowest(*g, tilt) for g in shapes)
        below = plane(tilt, (height - size * float(rng.choice(GAPS))) * tilt, mu)
        model = load_model(f"{header}<worldbody>{below}{world}</worldbody>{rest}</mujoco>")
    xml = f"{header}<worldbody>{below}{world}</worldbody>{rest}</mujoco>"
    if seed >= FAST_SEEDS and seed % 2:
        qvel = rotating(np.random.default_rng([20261, seed]), model, qpos, qvel, h)
    reach = 3.0 * mass * size
    controls = float(rng.choice([0.1, 1.0, 5.0])) * rng.uniform(-1, 1, (STEPS, model.nu))
    for i in range(model.nu):
        if model.actuator_ctrllimited[i]:
            low, high = model.actuator_ctrlrange[i]
            controls[:, i] = low + (high - low) * rng.uniform(0.1, 0.9, STEPS)
        elif model.actuator_biasprm[i, 1] == 0.0 and model.actuator_dyntype[i] == 0:
            controls[:, i] *= reach * min(1.0, size)
    settings = {
        "kappa": kappa * mass * size * math.sqrt(10.0 * size) / (0.3 * math.sqrt(3.0)),
        "kappa in units of the model": kappa,
        "friction": friction,
        "scene": scene,
        "size": size,
        "act": 0.3 * rng.normal(size=model.na),
        "seed": seed,
    }
    return Case(xml, h, qpos, qvel, controls, settings)
