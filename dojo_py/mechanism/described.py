"""Mass properties of the bodies of a mechanism before it is compiled: given, or from their geoms, bounds and balance applied."""

from __future__ import annotations

import dataclasses
from typing import Any

from .compile_geoms import geom_arrays
from .compile_hfields import compile_hfields
from .compile_meshes import compile_meshes
from .errors import Problems
from .inertia import MassProperties, body_mass_properties
from .layout import lay_out
from .spec import Body, Inertial, Mechanism

SETTINGS = ("inertiafromgeom", "inertiagrouprange", "boundmass", "boundinertia", "balanceinertia")
"""Settings by which a body's inertia is completed: those of the model, or its own."""
INERTIALS_ONLY: dict[str, Any] = {"inertiafromgeom": False, "boundmass": 0.0, "boundinertia": 0.0, "balanceinertia": False}
"""With these the inertials say all."""


def described_inertias(mechanism: Mechanism, problems: Problems) -> list[tuple[Body, MassProperties]]:
    """Every body but the world with its own mass properties, without those of bodies that are welded to it."""
    settings = mechanism.settings
    bodies = [body for body, parent in mechanism.world.walk() if parent is not None]
    # side by side instead of nested: only their geoms matter here, whose problems the compiler will report
    row = Mechanism(world=Body("world", bodies=[Body(geoms=body.geoms, settings=body.settings) for body in bodies]))
    shapes = compile_meshes(mechanism, Problems()), compile_hfields(mechanism, Problems())
    _, parts = geom_arrays(lay_out(row, Problems()), settings, Problems(), *shapes)
    return [
        (body, body_mass_properties(problems, body, geoms, body.settings or settings))
        for body, geoms in zip(bodies, parts[1:], strict=True)
    ]


def complete_inertials(mechanism: Mechanism) -> None:
    """Let the inertials say all, in place, where a file could not: it has one compiler for all bodies, and ours have no frames."""
    mine, bodies = mechanism.settings, [body for body, parent in mechanism.world.walk() if parent is not None]
    others = [body.settings for body in bodies if body.settings is not None]
    alike = all(getattr(its, name) == getattr(mine, name) for its in others for name in SETTINGS)
    if alike and not any(body.frame and body.inertial is None for body in bodies):
        return
    inertias = described_inertias(mechanism, Problems())
    if alike and not any(body.frame and found.mass <= mine.boundmass for body, found in inertias):
        return
    for body, found in inertias:
        pos, quat, moments = (tuple(float(x) for x in values) for values in (found.pos, found.quat, found.inertia))
        body.inertial, body.settings = Inertial(found.mass, pos, quat, moments, where=body.where), None
    mechanism.settings = dataclasses.replace(mine, **INERTIALS_ONLY)
