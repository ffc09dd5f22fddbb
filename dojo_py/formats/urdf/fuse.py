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
    masses = _mass_properties(mechanism, problems)
    joined: set[int] = set()
    # from the leaves up, so that a chain of fixed links ends in one body
    for body, parent in reversed(list(world.walk())):
        if parent is not None and not body.joints:
            _join(body, parent, masses, joined, parent is world)
    bodies = [body for body, parent in world.walk() if parent is not None]
    if mechanism.settings.inertiafromgeom:  # decided above; the joined bodies must keep what was computed
        mechanism.settings.inertiafromgeom = None
        joined |= {id(body) for body in bodies}
    for body in bodies:
        if id(body) in joined:
            total = masses[id(body)]
            body.inertial = Inertial(total.mass, _list(total.pos), _list(total.quat), _list(total.inertia))
            body.inertial.where = body.where


def _mass_properties(mechanism: Mechanism, problems: Problems) -> dict[int, MassProperties]:
    """Mass properties of every body, by identity of the body."""
    layout = lay_out(mechanism, problems)
    _, parts = geom_arrays(layout, mechanism.settings, Problems())
    settings = mechanism.settings
    bodies = zip(layout.bodies[1:], parts[1:], strict=True)
    return {id(body): body_mass_properties(problems, body, geoms, settings) for body, geoms in bodies}


def _join(body: Body, parent: Body, masses: dict[int, MassProperties], joined: set[int], in_world: bool) -> None:
    pos, quat = np.asarray(body.pos, dtype=float), quaternion.normalise(np.asarray(body.quat, dtype=float))
    elements: list[Geom | Site | Body] = [*body.geoms, *body.sites, *body.bodies]
    for element in elements:
        _move(element, pos, quat)
    place = next(i for i, child in enumerate(parent.bodies) if child is body)
    parent.bodies[place : place + 1] = body.bodies
    parent.geoms += body.geoms
    parent.sites += body.sites
    own = masses[id(body)]
    if in_world or own.mass <= 0.0:
        return
    centre, axes = pos + quaternion.rotate(quat, own.pos), quaternion.multiply(quat, own.quat)
    moved = MassProperties(own.mass, centre, axes, own.inertia)
    base = masses[id(parent)]
    masses[id(parent)] = from_geoms([base, moved] if base.mass > 0.0 else [moved])
    joined.add(id(parent))


def _move(element: Geom | Site | Body, pos: np.ndarray, quat: np.ndarray) -> None:
    element.pos = _list(pos + quaternion.rotate(quat, np.asarray(element.pos, dtype=float)))
    element.quat = _list(quaternion.multiply(quat, quaternion.normalise(np.asarray(element.quat, dtype=float))))


def _list(values: np.ndarray) -> Vector:
    return [float(x) for x in values]
