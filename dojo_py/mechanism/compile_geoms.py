"""Geoms and sites: arrays `geom_*`, `site_*`, and the mass properties each geom gives to its body."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import quaternion
from .checks import MIN_VALUE, Check
from .compile_hfields import CompiledHField
from .compile_meshes import CompiledMesh, fitted
from .enums import GeomType
from .errors import Problems, listing, nearest
from .fluid import DEFAULT, NUMBERS, fluid_numbers
from .inertia import MassProperties
from .layout import Layout
from .shapes import FROMTO_SHAPES, SIZE_NUMBERS, bounding_radius, box_about, unit_inertia, volume
from .spec import GEOM_TYPES, SITE_TYPES, CompilerSettings, Geom, Site

Array = np.ndarray

_FITTED = tuple(word for word in GEOM_TYPES if word != "hfield")
"""Types of a geom that names a mesh."""
Meshes = dict[str, CompiledMesh]
HFields = dict[str, CompiledHField]
CONDIMS = (1, 3, 4, 6)


def geom_arrays(
    layout: Layout, settings: CompilerSettings, problems: Problems, meshes: Meshes, hfields: HFields
) -> tuple[dict[str, Array], list[list[MassProperties]]]:
    """The arrays, and per body the mass properties of the geoms that count for its inertia."""
    rows: list[dict[str, Any]] = []
    parts: list[list[MassProperties]] = [[] for _ in layout.bodies]
    for geom, body in zip(layout.geoms, layout.geom_body, strict=True):
        check = Check(problems, geom)
        mesh, hfield = _mesh_of(check, geom, meshes), _hfield_of(check, geom, hfields)
        row = _geom_row(check, geom, mesh, settings.fitaabb, hfield)
        if row["geom_type"] == GeomType.MESH:
            row["geom_dataid"] = list(meshes).index(geom.mesh)
        elif row["geom_type"] == GeomType.HFIELD:
            row["geom_dataid"] = list(hfields).index(geom.hfield)
        rows.append(row)
        if geom.type == "plane" and layout.arrays["body_weldid"][body] != 0:
            check.fail("type", "a plane is only accepted in a body that cannot move")
        properties = _mass_properties(check, geom, row, mesh if row["geom_type"] == GeomType.MESH else None)
        low, high = (layout.bodies[body].settings or settings).inertiagrouprange
        if body > 0 and low <= row["geom_group"] <= high and properties.mass > MIN_VALUE:
            parts[body].append(properties)
    return _stack(rows, _EMPTY_GEOM), parts


def site_arrays(layout: Layout, problems: Problems) -> dict[str, Array]:
    """Arrays of the sites."""
    return _stack([_site_row(Check(problems, site), site) for site in layout.sites], _EMPTY_SITE)


def _mesh_of(check: Check, geom: Geom, meshes: Meshes) -> CompiledMesh | None:
    if not geom.mesh:
        if geom.type == "mesh":
            check.fail("mesh", f"a geom of type 'mesh' needs the name of a mesh{listing(meshes)}")
        return None
    if geom.mesh not in meshes:
        check.fail("mesh", f"no mesh is named '{geom.mesh}'{listing(meshes)}{nearest(geom.mesh, meshes)}")
    if geom.fromto is not None:
        check.fail("fromto", "is not accepted for a geom with a mesh, which gives pose and size")
    if geom.type == "plane":
        check.fail("mesh", "a plane cannot be fitted to a mesh; accepted: sphere, capsule, cylinder, ellipsoid, box")
    return meshes.get(geom.mesh)


def _hfield_of(check: Check, geom: Geom, hfields: HFields) -> CompiledHField | None:
    if not geom.hfield:
        if geom.type == "hfield":
            check.fail("hfield", f"a geom of type 'hfield' needs the name of a height field{listing(hfields)}")
        return None
    if geom.type != "hfield":
        check.fail("hfield", f"is only accepted for a geom of type 'hfield', not '{geom.type}'")
        return None
    if geom.mesh:
        check.fail("mesh", "a geom of type 'hfield' takes its shape from a height field, not from a mesh")
    if geom.fromto is not None:
        check.fail("fromto", "is not accepted for a height field, which gives the size")
    if geom.hfield not in hfields:
        guess = nearest(geom.hfield, hfields)
        check.fail("hfield", f"no height field is named '{geom.hfield}'{listing(hfields)}{guess}")
    return hfields.get(geom.hfield)


def _geom_row(
    check: Check, geom: Geom, mesh: CompiledMesh | None = None, fitaabb: bool = False, hfield: CompiledHField | None = None
) -> dict[str, Any]:
    radius, shape = None, int(GeomType.SPHERE)  # of what was reported
    if geom.type == "hfield":
        pos, quat = check.vector("pos", 3), check.quaternion()
        size, box = np.ones(3), np.zeros(6)
        if hfield is not None:
            shape, size, box, radius = int(GeomType.HFIELD), hfield.half_sizes, hfield.box, hfield.radius
    elif geom.mesh or geom.type == "mesh":
        shape, size, pos, quat, box = _mesh_frame(check, geom, mesh, fitaabb)
    else:
        shape, size, pos, quat = _frame(check, geom, check.vector("size", 3, least=0))
        box = box_about(shape, size)
    return {
        "geom_type": shape,
        "geom_contype": check.integer("contype"),
        "geom_conaffinity": check.integer("conaffinity"),
        "geom_condim": check.integer("condim", accepted=CONDIMS),
        "geom_group": check.integer("group"),
        "geom_priority": check.integer("priority"),
        "geom_solmix": check.scalar("solmix", low=0.0),
        "geom_solref": check.vector("solref", 2),
        "geom_solimp": check.vector("solimp", 5),
        "geom_size": size,
        "geom_dataid": -1,
        "geom_rbound": bounding_radius(shape, size) if radius is None else radius,
        "geom_aabb": box,
        "geom_pos": pos,
        "geom_quat": quat,
        "geom_friction": check.vector("friction", 3, least=1, low=0.0, fill=(1.0, 0.005, 0.0001)),
        "geom_margin": check.scalar("margin"),
        "geom_gap": check.scalar("gap"),
        "geom_surfacevel": _surface_velocity(check, geom, pos, quat),
        "geom_adhesion": check.scalar("adhesion"),
        "geom_fluid": _fluid(check, geom, shape, size),
        "geom_rgba": check.vector("rgba", 4),
    }


def _surface_velocity(check: Check, geom: Geom, pos: Array, quat: Array) -> Array:
    """In the frame of the compiled geom at pos, quat: that of a mesh is not the one that is described."""
    velocity = check.vector("surfacevel", 6)
    if not geom.mesh or not velocity.any():
        return velocity
    own = quaternion.conjugate(check.quaternion())
    apart = quaternion.rotate(own, pos - check.vector("pos", 3))
    turn = quaternion.conjugate(quaternion.multiply(own, quat))
    return moved(velocity, apart, turn)


def moved(velocity: Array, apart: Array, turn: Array) -> Array:
    """A body's velocity (6), linear at a point and angular, at another point and in other axes. turn: old axes -> new ones."""
    linear, angular = velocity[:3] + np.cross(velocity[3:], apart), velocity[3:]
    return np.concatenate([quaternion.rotate(turn, linear), quaternion.rotate(turn, angular)])


def _fluid(check: Check, geom: Geom, shape: int, size: Array) -> Array:
    coefficients = check.vector("fluidcoef", 5, least=1, fill=DEFAULT)
    if check.word("fluidshape", ("none", "ellipsoid")) == 0:
        return np.zeros(NUMBERS)
    return fluid_numbers(shape, size, coefficients)


def _site_row(check: Check, site: Site) -> dict[str, Any]:
    shape, size, pos, quat = _frame(check, site, check.vector("size", 3, least=0, fill=(0.005, 0.005, 0.005)))
    if shape == GeomType.PLANE:
        check.fail("type", "a site cannot be a plane")
    return {
        "site_type": shape,
        "site_group": check.integer("group"),
        "site_size": size,
        "site_pos": pos,
        "site_quat": quat,
        "site_rgba": check.vector("rgba", 4),
    }


def _mesh_frame(check: Check, geom: Geom, mesh: CompiledMesh | None, fitaabb: bool) -> tuple[int, Array, Array, Array, Array]:
    """Type, sizes, position, quaternion, box (centre 3, half extents 3) of a mesh, or of a primitive fitted to one."""
    pos, quat = check.vector("pos", 3), check.quaternion()
    known = geom.type in _FITTED
    if not known:
        check.word("type", _FITTED)
    if mesh is None or not known or geom.type == "plane":  # reported
        return GeomType.SPHERE, np.ones(3), pos, quat, np.zeros(6)
    shape = GeomType[geom.type.upper()]
    offset = np.zeros(3)
    if shape == GeomType.MESH:
        size = np.maximum(np.abs(mesh.low), np.abs(mesh.high))
        box = np.concatenate([0.5 * (mesh.low + mesh.high), 0.5 * (mesh.high - mesh.low)])
    else:
        size, offset = fitted(shape, check.vector("size", 3, least=0), mesh, fitaabb, check.scalar("fitscale"))
        box = box_about(shape, size)
        if np.any(size[: SIZE_NUMBERS[GeomType(shape)]] <= 0.0) and shape != GeomType.CAPSULE:
            check.fail("fitscale", f"the {geom.type} fitted to mesh '{geom.mesh}' has no size")
    pos = pos + quaternion.rotate(quat, mesh.inertia.centre + quaternion.rotate(mesh.inertia.quat, offset))
    return shape, size, pos, quaternion.normalise(quaternion.multiply(quat, mesh.inertia.quat)), box


def _frame(check: Check, element: Geom | Site, size: Array) -> tuple[int, Array, Array, Array]:
    """Type, sizes, position, quaternion. With `fromto` the z axis lies along the segment, towards its first point."""
    accepted = SITE_TYPES if isinstance(element, Site) else GEOM_TYPES
    if element.type not in (*accepted, "plane"):
        check.word("type", accepted)
        return GeomType.SPHERE, np.ones(3), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    shape = GeomType[element.type.upper()]
    if element.fromto is None:
        pos, quat = check.vector("pos", 3), check.quaternion()
        needed = SIZE_NUMBERS[GeomType(shape)]
    else:
        ends = check.vector("fromto", 6, fill=(0, 0, 1, 0, 0, 0))
        along = ends[:3] - ends[3:]
        length = float(np.linalg.norm(along))
        if shape not in FROMTO_SHAPES:
            check.fail("fromto", f"is not accepted for a {element.type}, only for capsule, cylinder, ellipsoid, box")
        if np.any(check.vector("pos", 3)):
            check.fail("fromto", "cannot be combined with pos, of a class neither")
        if length < MIN_VALUE:
            check.fail("fromto", "the two points are the same")
            along, length = np.array([0.0, 0.0, 1.0]), 1.0
        size = size.copy()
        if shape in (GeomType.ELLIPSOID, GeomType.BOX):
            size[1], size[2] = size[0], 0.5 * length
        else:
            size[1] = 0.5 * length
        pos, quat, needed = 0.5 * (ends[:3] + ends[3:]), quaternion.from_z_axis(along), 1
    if shape == GeomType.PLANE:
        if size[2] <= 0.0 or np.any(size < 0.0):
            check.fail("size", "a plane needs three numbers, the first two not negative, the third positive")
    elif np.any(size[:needed] <= 0.0):
        check.fail("size", f"a {element.type} needs {needed} positive number(s)")
        size = np.ones(3)
    return shape, size, pos, quat


def _mass_properties(check: Check, geom: Geom, row: dict[str, Any], mesh: CompiledMesh | None) -> MassProperties:
    if geom.shellinertia:
        cure = "give the mesh inertia='shell'" if geom.mesh else "give the body an inertial"
        check.fail("shellinertia", f"mass on the surface is not supported; {cure}")
    shape, size = row["geom_type"], row["geom_size"]
    if shape == GeomType.HFIELD:  # a box of the geom's sizes, as in MuJoCo
        shape = GeomType.BOX
    solid = volume(shape, size) if mesh is None else mesh.inertia.volume
    unit = unit_inertia(shape, size) if mesh is None else unit_inertia(GeomType.BOX, mesh.inertia.box)
    mass = check.scalar("density", low=0.0) * solid if geom.mass is None else check.scalar("mass", low=0.0)
    if solid < MIN_VALUE:
        mass = 0.0
    return MassProperties(mass, row["geom_pos"], row["geom_quat"], mass * unit)


def _stack(rows: list[dict[str, Any]], empty: dict[str, Any]) -> dict[str, Array]:
    if not rows:
        return {key: np.zeros((0, *np.shape(value))) for key, value in empty.items()}
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


_EMPTY_GEOM = _geom_row(Check(Problems(), Geom(size=(1,))), Geom(size=(1,)))
_EMPTY_SITE = _site_row(Check(Problems(), Site()), Site())
