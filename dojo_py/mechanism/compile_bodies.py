"""Bodies: arrays `body_pos`, `body_quat`, `body_mass`, inertial frames; total mass; massless moving bodies."""

from __future__ import annotations

import numpy as np

from . import quaternion
from .checks import MIN_VALUE, Check
from .errors import Problems
from .inertia import MassProperties, body_mass_properties
from .layout import Layout
from .spec import Body, CompilerSettings, Mechanism

Array = np.ndarray


def body_arrays(mechanism: Mechanism, layout: Layout, parts: list[list[MassProperties]], problems: Problems) -> dict[str, Array]:
    """Poses and mass properties. `parts`: per body, the geoms that count for its inertia."""
    settings, world = mechanism.settings, MassProperties.none()
    rows = [(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), world, 0.0)]
    for body, geoms in zip(layout.bodies[1:], parts[1:], strict=True):
        check = Check(problems, body)
        properties = body_mass_properties(problems, body, geoms, body.settings or settings)
        rows.append((check.vector("pos", 3), check.quaternion(), properties, check.scalar("gravcomp")))
    mass = np.array([row[2].mass for row in rows])
    inertia = np.array([row[2].inertia for row in rows])
    total = Check(problems, settings).scalar("settotalmass")
    if total > 0.0:
        factor = total / max(mass.sum(), MIN_VALUE)
        mass, inertia = mass * factor, inertia * factor
    return {
        "body_pos": np.array([row[0] for row in rows]),
        "body_quat": np.array([row[1] for row in rows]),
        "body_ipos": np.array([row[2].pos for row in rows]),
        "body_iquat": np.array([row[2].quat for row in rows]),
        "body_mass": mass,
        "body_inertia": inertia,
        "body_gravcomp": np.array([row[3] for row in rows]),
    }


def align_free_bodies(mechanism: Mechanism, layout: Layout, a: dict[str, Array]) -> dict[str, Array]:
    """Childless free bodies that ask for it: body frame moved to the inertial frame, with all it carries."""
    out = {key: a[key].copy() for key in _MOVED}
    has_child = np.bincount(a["body_parentid"][1:], minlength=len(layout.bodies)) > 0
    for joint, b in zip(layout.joints, layout.joint_body, strict=True):
        align = mechanism.settings.alignfree if joint.align is None else joint.align
        if joint.type != "free" or not align or has_child[b]:
            continue
        shift, turn = a["body_ipos"][b], a["body_iquat"][b]
        out["body_pos"][b] += quaternion.rotate(a["body_quat"][b], shift)
        out["body_quat"][b] = quaternion.multiply(a["body_quat"][b], turn)
        out["body_ipos"][b], out["body_iquat"][b] = 0.0, (1.0, 0.0, 0.0, 0.0)
        back = quaternion.conjugate(turn)
        for kind in ("geom", "site"):
            mine = a[f"{kind}_bodyid"] == b
            out[f"{kind}_pos"][mine] = quaternion.rotate(back, a[f"{kind}_pos"][mine] - shift)
            out[f"{kind}_quat"][mine] = quaternion.multiply(back, a[f"{kind}_quat"][mine])
    return out


_MOVED = ("body_pos", "body_quat", "body_ipos", "body_iquat", "geom_pos", "geom_quat", "site_pos", "site_quat")


def check_moving_mass(mechanism: Mechanism, layout: Layout, a: dict[str, Array], problems: Problems) -> None:
    """A body with joints needs mass and inertia, its own or that of a body welded to it."""
    solid = (a["body_mass"] >= MIN_VALUE) & np.all(a["body_inertia"] >= MIN_VALUE, axis=1)
    for b in range(len(layout.bodies) - 1, 0, -1):
        if solid[b] and not layout.bodies[b].joints:
            solid[a["body_parentid"][b]] = True
    for body, ok in zip(layout.bodies, solid, strict=True):
        if body.joints and not ok:
            check = Check(problems, body)
            advice = _advice(body, body.settings or mechanism.settings)
            check.fail("", f"the moving body '{body.name}' has no mass or no inertia: {advice}")


def _advice(body: Body, settings: CompilerSettings) -> str:
    if body.inertial is not None and not settings.inertiafromgeom:
        return "its inertial needs a positive mass and positive moments of inertia"
    if settings.inertiafromgeom is False:
        return "it needs an inertial, because the compiler setting inertiafromgeom is 'false'"
    return "give it an inertial, or a geom with positive mass, or set boundmass and boundinertia"


def subtree_sums(parent: Array, values: Array) -> Array:
    """Per body, the sum of `values` over the body and everything attached to it."""
    out = np.array(values, dtype=float)
    for b in range(len(out) - 1, 0, -1):
        out[parent[b]] += out[b]
    return out
