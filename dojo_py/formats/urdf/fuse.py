"""`fusestatic`: bodies without joints become part of the body they are fixed to, the world included.

Their geoms, sites and children move up, the children to the place the body had; their mass is added to the parent's,
or lost where the parent is the world. As in MuJoCo each body's mass properties are completed (from geoms, bounds,
balancing) before bodies are joined:

    m = m1 + m2,  c = (m1 c1 + m2 c2) / m,  I = sum of I_k + m_k (|d_k|^2 1 - d_k d_k^T),  d_k = c_k - c   (Steiner)
"""

from __future__ import annotations

import numpy as np

from ...mechanism import quaternion
from ...mechanism.compile_geoms import geom_arrays
from ...mechanism.compile_meshes import compile_meshes
from ...mechanism.errors import Problems
from ...mechanism.inertia import MassProperties, body_mass_properties, from_geoms
from ...mechanism.layout import lay_out
from ...mechanism.spec import Body, Geom, Inertial, Mechanism, Site, Vector


def fuse_static(mechanism: Mechanism, problems: Problems) -> None:
    """Fuse every jointless body of the mechanism, in place."""
    world = mechanism.world
    static = [body for body, parent in world.walk() if parent is not None and not body.joints]
    if not static:
        return
    from_geoms_only = bool(mechanism.settings.inertiafromgeom)  # then the geoms that moved up say it all
    masses = {} if from_geoms_only else _mass_properties(mechanism, problems)
    heavier: list[Body] = []
    owner = {id(body): parent for body, parent in world.walk()}
    # from the root down: what a fused body held then belongs to its parent, and is fused into that one in its turn
    for body in static:
        parent = owner[id(body)]
        assert parent is not None
        owner.update({id(child): parent for child in body.bodies})
        _join(body, parent)
        if masses and parent is not world and masses[id(body)].mass > 0.0:
            masses[id(parent)] = _sum(masses[id(parent)], masses[id(body)], body)
            heavier.append(parent)
    for body in heavier:
        total = masses[id(body)]
        inertia = _list(total.inertia)
        body.inertial = Inertial(total.mass, _list(total.pos), _list(total.quat), inertia, where=body.where)


def _mass_properties(mechanism: Mechanism, problems: Problems) -> dict[int, MassProperties]:
    """Mass properties of every body but the world, by identity of the body."""
    settings = mechanism.settings
    bodies = [body for body, parent in mechanism.world.walk() if parent is not None]
    # side by side instead of nested: only their geoms matter here, whose problems the compiler will report
    row = Mechanism(world=Body("world", bodies=[Body(geoms=body.geoms) for body in bodies]))
    meshes = compile_meshes(mechanism, Problems())
    _, parts = geom_arrays(lay_out(row, Problems()), settings, Problems(), meshes)
    pairs = zip(bodies, parts[1:], strict=True)
    return {id(body): body_mass_properties(problems, body, geoms, settings) for body, geoms in pairs}


def _join(body: Body, parent: Body) -> None:
    """Geoms, sites and children of a body become those of its parent."""
    pos, quat = np.asarray(body.pos, dtype=float), quaternion.normalise(np.asarray(body.quat, dtype=float))
    elements: list[Geom | Site | Body] = [*body.geoms, *body.sites, *body.bodies]
    for element in elements:
        _move(element, pos, quat)
    place = next(i for i, child in enumerate(parent.bodies) if child is body)
    parent.bodies[place : place + 1] = body.bodies
    parent.geoms += body.geoms
    parent.sites += body.sites


def _sum(base: MassProperties, added: MassProperties, body: Body) -> MassProperties:
    """Mass properties of a parent, `base`, and of a body fixed to it."""
    pos, quat = np.asarray(body.pos, dtype=float), quaternion.normalise(np.asarray(body.quat, dtype=float))
    centre, axes = pos + quaternion.rotate(quat, added.pos), quaternion.multiply(quat, added.quat)
    moved = MassProperties(added.mass, centre, axes, added.inertia)
    return from_geoms([base, moved]) if base.mass > 0.0 else moved


def _move(element: Geom | Site | Body, pos: np.ndarray, quat: np.ndarray) -> None:
    element.pos = _list(pos + quaternion.rotate(quat, np.asarray(element.pos, dtype=float)))
    element.quat = _list(quaternion.multiply(quat, quaternion.normalise(np.asarray(element.quat, dtype=float))))


def _list(values: np.ndarray) -> Vector:
    return [float(x) for x in values]
