"""Mass properties of the bodies of a mechanism before it is compiled: given, or from their geoms, bounds and balance applied."""

from __future__ import annotations

from .compile_geoms import geom_arrays
from .compile_hfields import compile_hfields
from .compile_meshes import compile_meshes
from .errors import Problems
from .inertia import MassProperties, body_mass_properties
from .layout import lay_out
from .spec import Body, Mechanism


def described_inertias(mechanism: Mechanism, problems: Problems) -> list[tuple[Body, MassProperties]]:
    """Every body but the world with its own mass properties, without those of bodies that are welded to it."""
    settings = mechanism.settings
    bodies = [body for body, parent in mechanism.world.walk() if parent is not None]
    # side by side instead of nested: only their geoms matter here, whose problems the compiler will report
    row = Mechanism(world=Body("world", bodies=[Body(geoms=body.geoms) for body in bodies]))
    shapes = compile_meshes(mechanism, Problems()), compile_hfields(mechanism, Problems())
    _, parts = geom_arrays(lay_out(row, Problems()), settings, Problems(), *shapes)
    return [(body, body_mass_properties(problems, body, geoms, settings)) for body, geoms in zip(bodies, parts[1:], strict=True)]
