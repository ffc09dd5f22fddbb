"""Mass properties of a body: given, or inferred from its geoms; principal axes of a full inertia.

A body of several geoms: m = Σ mᵢ, c = Σ mᵢ cᵢ / m, I = Σ Rᵢ Iᵢ Rᵢᵀ + mᵢ (|dᵢ|² 1 - dᵢ dᵢᵀ), dᵢ = cᵢ - c  (Steiner).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import quaternion
from .checks import MIN_VALUE, Check
from .errors import Problems
from .placing import out_of
from .spec import Body, CompilerSettings, Inertial

Array = np.ndarray


@dataclass
class MassProperties:
    """Mass [kg], centre of mass and principal axes in the body frame, principal moments [kg m^2]."""

    mass: float
    pos: Array
    quat: Array
    inertia: Array

    @staticmethod
    def none() -> MassProperties:
        """No mass, at the origin of the body frame."""
        return MassProperties(0.0, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3))


def body_mass_properties(problems: Problems, body: Body, geoms: list[MassProperties], settings: CompilerSettings) -> MassProperties:
    """Mass properties of a body other than the world. `geoms`: those of its geoms that count (group, mass)."""
    given = body.inertial
    if settings.inertiafromgeom or (given is None and settings.inertiafromgeom is None):
        # without geoms that have mass, an inertial stays even when inertiafromgeom is true
        properties = from_geoms(geoms) if geoms or given is None else from_inertial(problems, given, body.name)
        if not geoms and given is None:
            properties = without_mass(problems, body)
    elif given is None:
        properties = without_mass(problems, body)
    else:
        properties = from_inertial(problems, given, body.name)
    properties.mass = max(properties.mass, settings.boundmass)
    properties.inertia = np.maximum(properties.inertia, settings.boundinertia)
    a, b, c = np.sort(properties.inertia)
    if a + b < c:
        if settings.balanceinertia:
            properties.inertia = np.full(3, properties.inertia.mean())
        elif a + b < c * (1.0 - 1e-12):
            shown = " ".join(f"{x:g}" for x in properties.inertia)
            message = f"the principal moments of inertia of body '{body.name}' ({shown}) must satisfy A + B >= C"
            Check(problems, given or body).fail("", f"{message}; or set balanceinertia='true'")
    return properties


def without_mass(problems: Problems, body: Body) -> MassProperties:
    """A body nothing gives mass to. MuJoCo puts its inertial frame at the numbers of its pose in its frame, and so do we."""
    check = Check(problems, body)
    origin, turn = out_of(body.frame)
    pos, quat = origin + quaternion.rotate(turn, check.vector("pos", 3)), quaternion.multiply(turn, check.quaternion())
    return MassProperties(0.0, pos, quat, np.zeros(3))


def from_geoms(parts: list[MassProperties]) -> MassProperties:
    """The sum of rigidly connected parts. One part is taken as it is, axes included."""
    if not parts:
        return MassProperties.none()
    if len(parts) == 1:
        part = parts[0]
        return MassProperties(part.mass, part.pos.copy(), part.quat.copy(), part.inertia.copy())
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * part.pos for part in parts), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for part in parts:
        rotation, arm = quaternion.matrix(part.quat), part.pos - centre
        tensor += rotation @ np.diag(part.inertia) @ rotation.T
        tensor += part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    moments, axes = principal_axes(tensor)
    return MassProperties(mass, centre, axes, moments)


def from_inertial(problems: Problems, inertial: Inertial, name: str = "") -> MassProperties:
    """What an explicit `inertial` of the body of that name says."""
    check = Check(problems, inertial)
    mass, pos, quat = check.scalar("mass", low=0.0), check.vector("pos", 3), check.quaternion()
    if inertial.fullinertia is not None and inertial.diaginertia is not None:
        check.fail("fullinertia", f"give diaginertia or fullinertia of body '{name}', not both")
    if inertial.fullinertia is None:
        inertia = np.zeros(3) if inertial.diaginertia is None else check.vector("diaginertia", 3, low=0.0)
        return MassProperties(mass, pos, quat, inertia)
    xx, yy, zz, xy, xz, yz = check.vector("fullinertia", 6)
    moments, axes = principal_axes(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if moments[2] < MIN_VALUE:
        shown = " ".join(f"{x:g}" for x in moments)
        check.fail("fullinertia", f"the inertia of body '{name}' is not positive definite (moments {shown})")
        moments = np.ones(3)
    return MassProperties(mass, pos, quaternion.multiply(quat, axes), moments)


def principal_axes(tensor: Array) -> tuple[Array, Array]:
    """Principal moments (3), largest first, and the axes as a quaternion, of a symmetric (3, 3).

    Jacobi's method on the quaternion: each sweep turns away the largest off-diagonal entry by the smaller angle, so a
    diagonal tensor in descending order keeps its axes, and nearly diagonal ones are turned little.
    """
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(500):
        rotation = quaternion.matrix(q)
        d = rotation.T @ tensor @ rotation
        pairs = ((0, 1), (0, 2), (1, 2))
        i, j = max(pairs, key=lambda pair: abs(d[pair]))
        if abs(d[i, j]) < 1e-12 * max(1e-300, np.abs(np.diag(d)).max()) * 1e-3:
            break
        tau = (d[j, j] - d[i, i]) / (2.0 * d[i, j])
        tangent = (1.0 if tau >= 0.0 else -1.0) / (abs(tau) + np.hypot(1.0, tau))
        half = 0.5 * np.arctan(tangent)
        axis = np.zeros(3)
        axis[3 - i - j] = -1.0 if (i, j) != (0, 2) else 1.0
        q = quaternion.normalise(quaternion.multiply(q, np.concatenate([[np.cos(half)], np.sin(half) * axis])))
    rotation = quaternion.matrix(q)
    moments = np.diag(rotation.T @ tensor @ rotation).copy()
    for i, j in ((0, 1), (1, 2), (0, 1)):
        if moments[i] < moments[j]:
            moments[[i, j]] = moments[[j, i]]
            axis = np.zeros(3)
            axis[3 - i - j] = 1.0  # a quarter turn exchanges the two axes
            q = quaternion.multiply(q, np.concatenate([[np.sqrt(0.5)], np.sqrt(0.5) * axis]))
    return moments, q
