"""`fusestatic`: bodies without joints become part of the body they are fixed to, the world included.

Their geoms, sites and children move up, the children to the place the body had; their mass is added to the parent's,
or lost where the parent is the world. As in MuJoCo each body's mass properties are completed (from geoms, bounds,
balancing) before bodies are joined:

Nothing is fused in a medium, whose drag depends on how mass is divided into bodies. A body stays where something refers to it by
name (an exclusion, an equality, a sensor, an actuator, a tuple, a camera's or light's target), where a site of it has a force or
torque sensor, where it is a mocap body or has `fuse="false"`, and where its parent is not the world and compensates another share
of weight, or has its mass from geoms alone (MuJoCo 4.0's rule).

    m = m1 + m2,  c = (m1 c1 + m2 c2) / m,  I = sum of I_k + m_k (|d_k|^2 1 - d_k d_k^T),  d_k = c_k - c   (Steiner)
"""

from __future__ import annotations

import numpy as np

from . import quaternion
from .described import described_inertias
from .errors import Problems
from .inertia import MassProperties, from_geoms
from .names import listed, references, tree_elements
from .placing import parts, place
from .spec import Body, CompilerSettings, Inertial, Mechanism, Vector


def fuse_static(mechanism: Mechanism, problems: Problems) -> None:
    """Fuse every jointless body of the mechanism that nothing needs, in place."""
    world, needed = mechanism.world, _needed(mechanism)
    static = [
        body
        for body, parent in world.walk()
        if parent is not None and not (body.joints or body.mocap or body.fuse == "false" or id(body) in needed)
    ]
    option = mechanism.option
    if not static or option.density > 0.0 or option.viscosity > 0.0:
        return
    masses = {id(body): found for body, found in described_inertias(mechanism, problems)}
    heavier: list[Body] = []
    owner = {id(body): parent for body, parent in world.walk()}
    # from the root down: what a fused body held then belongs to its parent, and is fused into that one in its turn
    for body in static:
        parent = owner[id(body)]
        assert parent is not None
        if parent is not world and _apart(body, parent, masses[id(body)], mechanism.settings):
            continue
        owner.update({id(child): parent for child in body.bodies})
        _join(body, parent)
        for frame in mechanism.frames:
            if any(element is body for element in frame.elements):
                frame.elements[:] = [part for part in (*frame.elements, *parts(body)) if part is not body]
        from_geoms_only = bool((parent.settings or mechanism.settings).inertiafromgeom)  # then what moved up says it all
        if not from_geoms_only and parent is not world and masses[id(body)].mass > 0.0:
            masses[id(parent)] = _sum(masses[id(parent)], masses[id(body)], body)
            heavier.append(parent)
    for body in heavier:
        total = masses[id(body)]
        inertia = _list(total.inertia)
        body.inertial = Inertial(total.mass, _list(total.pos), _list(total.quat), inertia, where=body.where)


def _needed(mechanism: Mechanism) -> set[int]:
    """Ids of the bodies that something refers to, and of those that a force or torque sensor stands in."""
    elements = [element for _, element in tree_elements([mechanism.world])]
    elements += [element for _, those in listed(mechanism) for element in those]
    found = list({(kind, getattr(holder, name)) for e in elements for holder, name, kind in references(e)})
    loaded = {sensor.objname for sensor in mechanism.sensors if sensor.type in ("force", "torque")}
    names = {name for kind, name in found if kind == "body"}
    bodies = [body for body, _ in mechanism.world.walk()]
    return {id(body) for body in bodies if body.name in names or any(site.name in loaded for site in body.sites if site.name)}


def _apart(body: Body, parent: Body, found: MassProperties, settings: CompilerSettings) -> bool:
    """Whether the mass of a body cannot become part of its parent's: other shares of weight are compensated, or the parent has its
    mass from geoms only, and the body not.
    """
    own, its = (each.settings or settings for each in (body, parent))
    if found.mass > 0.0 and body.gravcomp != parent.gravcomp:
        return True
    given = not own.inertiafromgeom and (body.inertial is not None or (own.inertiafromgeom is False and bool(body.geoms)))
    bounds = ((found.mass, own.boundmass), (found.inertia.min(), own.boundinertia))
    bounded = found.mass > 0.0 and any(value <= bound and bound > 0.0 for value, bound in bounds)
    return bool(its.inertiafromgeom) and (given or bounded)


def _join(body: Body, parent: Body) -> None:
    """Geoms, sites and children of a body become those of its parent."""
    pos, quat = np.asarray(body.pos, dtype=float), quaternion.normalise(np.asarray(body.quat, dtype=float))
    place(parts(body), pos, quat)
    at = next(i for i, child in enumerate(parent.bodies) if child is body)
    parent.bodies[at : at + 1] = body.bodies
    parent.geoms += body.geoms
    parent.sites += body.sites
    parent.cameras += body.cameras
    parent.lights += body.lights


def _sum(base: MassProperties, added: MassProperties, body: Body) -> MassProperties:
    """Mass properties of a parent, `base`, and of a body fixed to it."""
    pos, quat = np.asarray(body.pos, dtype=float), quaternion.normalise(np.asarray(body.quat, dtype=float))
    centre, axes = pos + quaternion.rotate(quat, added.pos), quaternion.multiply(quat, added.quat)
    moved = MassProperties(added.mass, centre, axes, added.inertia)
    return from_geoms([base, moved]) if base.mass > 0.0 else moved


def _list(values: np.ndarray) -> Vector:
    return [float(x) for x in values]
