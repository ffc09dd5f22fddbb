"""`Model`: the frozen arrays every kernel reads. Names, shapes, order, dtypes, enum values: those of mujoco.MjModel.

SI units, radians, float64 (int32 and bool where MuJoCo has them); quaternions (w, x, y, z). Arrays are read-only;
`model.replace(body_mass=...)` makes a changed copy. Meanings: MuJoCo's `mjmodel.h`, version 4.0.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .configuration import configuration_difference, integrate_configuration
from .errors import ErrorRecord
from .source import Source
from .views import View, index_of, view

Array = np.ndarray


LARGEST = 1e100
"""Coordinates beyond it overflow in the arithmetic of rotations."""


def _array(shape: str, dtype: type) -> Any:
    return field(metadata={"shape": tuple(shape.split()), "dtype": dtype})


def _real(shape: str) -> Any:
    return _array(shape, np.float64)


def _int(shape: str) -> Any:
    return _array(shape, np.int32)


def _bool(shape: str) -> Any:
    return _array(shape, np.bool_)


def _freeze(instance: Any, sizes: Mapping[str, int]) -> None:
    """Turn every array field into a read-only array of its declared dtype, checking its shape."""
    for item in dataclasses.fields(instance):
        if "shape" not in item.metadata:
            continue
        value = np.array(getattr(instance, item.name), dtype=item.metadata["dtype"], order="C")
        expected = tuple(_product(token, sizes) for token in item.metadata["shape"])
        if value.shape != expected:
            raise ValueError(f"{item.name} has shape {value.shape}, expected {expected}")
        value.flags.writeable = False
        object.__setattr__(instance, item.name, value)


def _product(token: str, sizes: Mapping[str, int]) -> int:
    """Of a size, a number, or several with * between them."""
    return math.prod(sizes[part] if part in sizes else int(part) for part in token.split("*"))


OWN = (
    "mat_texrgb", "mat_texsize", "mat_texeladr", "texel_rgb", "mesh_cornertexadr", "mesh_cornertex", "ntexel", "ncornertex",
)  # fmt: skip
"""Arrays and sizes that MuJoCo does not have under these names: they only draw."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Option:
    """Simulation options under MuJoCo's names (`mjModel.opt`)."""

    timestep: float
    """[s]"""
    impratio: float
    tolerance: float
    ls_tolerance: float
    noslip_tolerance: float
    ccd_tolerance: float
    sleep_tolerance: float
    gravity: Array = _real("3")
    """[m/s^2]"""
    wind: Array = _real("3")
    """[m/s]"""
    magnetic: Array = _real("3")
    density: float
    """Of the medium [kg/m^3]."""
    viscosity: float
    """Of the medium [N s/m^2]."""
    o_margin: float
    o_solref: Array = _real("2")
    o_solimp: Array = _real("5")
    o_friction: Array = _real("5")
    integrator: int
    cone: int
    jacobian: int
    solver: int
    iterations: int
    ls_iterations: int
    noslip_iterations: int
    ccd_iterations: int
    sdf_iterations: int
    sdf_initpoints: int
    disableflags: int
    enableflags: int
    disableactuator: int

    def __post_init__(self) -> None:
        _freeze(self, {})


@dataclass(frozen=True, eq=False, kw_only=True)
class Statistic:
    """Model statistics (`mjModel.stat`), as far as the dynamics uses them."""

    meaninertia: float
    """Mean diagonal of the joint-space inertia at qpos0 [kg, kg m^2]."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Model:
    """A compiled mechanism. Rows are in document order (bodies depth first; the world is body 0)."""

    name: str
    nq: int
    nv: int
    nu: int
    na: int
    nbody: int
    njnt: int
    ngeom: int
    nsite: int
    nmesh: int
    nmeshvert: int
    nmeshface: int
    nmeshgraph: int
    nhfield: int
    nhfielddata: int
    nmat: int
    ntexel: int
    """Pixels of all pictures of materials; not a size of MuJoCo's."""
    ncornertex: int
    """Faces with texture coordinates of their corners; not a size of MuJoCo's."""
    neq: int
    ntendon: int
    nwrap: int
    npair: int
    nexclude: int
    nsensor: int
    nsensordata: int
    nmocap: int
    nkey: int
    nactuator: int
    nout: int
    """Forces of actuators: three of a servo of an orientation, one of each other."""
    ntree: int
    nuserdata: int
    nuser_body: int
    nuser_jnt: int
    nuser_geom: int
    nuser_site: int
    nuser_tendon: int
    nuser_actuator: int
    nnumeric: int
    nnumericdata: int
    ntuple: int
    ntupledata: int

    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    geom_names: tuple[str, ...]
    site_names: tuple[str, ...]
    mesh_names: tuple[str, ...]
    hfield_names: tuple[str, ...]
    material_names: tuple[str, ...]
    actuator_names: tuple[str, ...]
    equality_names: tuple[str, ...]
    sensor_names: tuple[str, ...]
    tendon_names: tuple[str, ...]
    key_names: tuple[str, ...]
    numeric_names: tuple[str, ...]
    text_names: tuple[str, ...]
    tuple_names: tuple[str, ...]
    text_values: tuple[str, ...]
    """Contents of the custom texts (MuJoCo's `text_data`, as strings)."""

    opt: Option
    stat: Statistic
    source: Source = field(default_factory=Source)
    """Places of the parts in the file; not an array of MuJoCo's."""

    qpos0: Array = _real("nq")
    qpos_spring: Array = _real("nq")

    body_parentid: Array = _int("nbody")
    body_rootid: Array = _int("nbody")
    body_weldid: Array = _int("nbody")
    body_treeid: Array = _int("nbody")
    body_mocapid: Array = _int("nbody")
    body_jntnum: Array = _int("nbody")
    body_jntadr: Array = _int("nbody")
    body_dofnum: Array = _int("nbody")
    body_dofadr: Array = _int("nbody")
    body_geomnum: Array = _int("nbody")
    body_geomadr: Array = _int("nbody")
    body_pos: Array = _real("nbody 3")
    body_quat: Array = _real("nbody 4")
    body_ipos: Array = _real("nbody 3")
    body_iquat: Array = _real("nbody 4")
    body_mass: Array = _real("nbody")
    body_subtreemass: Array = _real("nbody")
    body_inertia: Array = _real("nbody 3")
    body_invweight0: Array = _real("nbody 2")
    body_gravcomp: Array = _real("nbody")

    jnt_type: Array = _int("njnt")
    jnt_qposadr: Array = _int("njnt")
    jnt_dofadr: Array = _int("njnt")
    jnt_bodyid: Array = _int("njnt")
    jnt_group: Array = _int("njnt")
    jnt_limited: Array = _bool("njnt")
    jnt_actfrclimited: Array = _bool("njnt")
    jnt_actgravcomp: Array = _bool("njnt")
    jnt_solref: Array = _real("njnt 2")
    jnt_solimp: Array = _real("njnt 5")
    jnt_pos: Array = _real("njnt 3")
    jnt_axis: Array = _real("njnt 3")
    jnt_stiffness: Array = _real("njnt")
    jnt_stiffnesspoly: Array = _real("njnt 2")
    jnt_range: Array = _real("njnt 2")
    jnt_actfrcrange: Array = _real("njnt 2")
    jnt_margin: Array = _real("njnt")

    dof_bodyid: Array = _int("nv")
    dof_jntid: Array = _int("nv")
    dof_parentid: Array = _int("nv")
    dof_treeid: Array = _int("nv")
    dof_solref: Array = _real("nv 2")
    dof_solimp: Array = _real("nv 5")
    dof_frictionloss: Array = _real("nv")
    dof_armature: Array = _real("nv")
    dof_damping: Array = _real("nv")
    dof_dampingpoly: Array = _real("nv 2")
    dof_invweight0: Array = _real("nv")
    dof_M0: Array = _real("nv")

    geom_type: Array = _int("ngeom")
    geom_contype: Array = _int("ngeom")
    geom_conaffinity: Array = _int("ngeom")
    geom_condim: Array = _int("ngeom")
    geom_bodyid: Array = _int("ngeom")
    geom_dataid: Array = _int("ngeom")
    """Mesh of a geom of type mesh, height field of one of type hfield; -1 for the others."""
    geom_group: Array = _int("ngeom")
    geom_priority: Array = _int("ngeom")
    geom_solmix: Array = _real("ngeom")
    geom_solref: Array = _real("ngeom 2")
    geom_solimp: Array = _real("ngeom 5")
    geom_size: Array = _real("ngeom 3")
    geom_aabb: Array = _real("ngeom 6")
    """Centre and half extents of the box about the shape, in the geom's frame."""
    geom_rbound: Array = _real("ngeom")
    geom_pos: Array = _real("ngeom 3")
    geom_quat: Array = _real("ngeom 4")
    geom_friction: Array = _real("ngeom 3")
    geom_margin: Array = _real("ngeom")
    geom_gap: Array = _real("ngeom")
    geom_surfacevel: Array = _real("ngeom 6")
    """Velocity of the surface in the geom's frame: linear [m/s], angular [rad/s]."""
    geom_adhesion: Array = _real("ngeom")
    """[N] a contact"""
    geom_fluid: Array = _real("ngeom 12")
    geom_rgba: Array = _array("ngeom 4", np.float32)
    geom_matid: Array = _int("ngeom")
    """Material of a geom; -1 for none."""

    site_type: Array = _int("nsite")
    site_bodyid: Array = _int("nsite")
    site_group: Array = _int("nsite")
    site_size: Array = _real("nsite 3")
    site_pos: Array = _real("nsite 3")
    site_quat: Array = _real("nsite 4")
    site_rgba: Array = _array("nsite 4", np.float32)

    mesh_vertadr: Array = _int("nmesh")
    mesh_vertnum: Array = _int("nmesh")
    mesh_faceadr: Array = _int("nmesh")
    mesh_facenum: Array = _int("nmesh")
    mesh_graphadr: Array = _int("nmesh")
    """Start of the convex hull in `mesh_graph`; -1 without one."""
    mesh_vert: Array = _array("nmeshvert 3", np.float32)
    """In the frame of the mesh's centre of mass and principal axes [m]."""
    mesh_face: Array = _int("nmeshface 3")
    mesh_graph: Array = _int("nmeshgraph")
    """MuJoCo's layout (`mechanism/mesh_hull.py`); each hull's vertices in ascending order."""
    mesh_scale: Array = _real("nmesh 3")
    mesh_pos: Array = _real("nmesh 3")
    """Pose of that frame in the mesh's own one."""
    mesh_quat: Array = _real("nmesh 4")

    hfield_size: Array = _real("nhfield 4")
    """Half widths along x and y, height above z = 0, depth of the base below it [m]."""
    hfield_nrow: Array = _int("nhfield")
    """Points along y."""
    hfield_ncol: Array = _int("nhfield")
    """Points along x."""
    hfield_adr: Array = _int("nhfield")
    """Start in `hfield_data`."""
    hfield_data: Array = _array("nhfielddata", np.float32)
    """Heights as fractions of the largest, 0 to 1, row by row: x ascending, then y."""

    mat_rgba: Array = _array("nmat 4", np.float32)
    mat_emission: Array = _array("nmat", np.float32)
    mat_specular: Array = _array("nmat", np.float32)
    mat_shininess: Array = _array("nmat", np.float32)
    mat_reflectance: Array = _array("nmat", np.float32)
    mat_metallic: Array = _array("nmat", np.float32)
    mat_roughness: Array = _array("nmat", np.float32)
    mat_texrgb: Array = _array("nmat 6", np.float32)
    """Both colours of the material's built-in texture, or twice its picture's mean; white without."""
    mat_texrepeat: Array = _array("nmat 2", np.float32)
    """How often the picture is repeated along x and y: over a geom, or with `mat_texuniform` over a metre."""
    mat_texuniform: Array = _bool("nmat")
    mat_texsize: Array = _int("nmat 2")
    """Rows and columns of the material's two-dimensional picture; 0 without."""
    mat_texeladr: Array = _int("nmat")
    """Its start in `texel_rgb`."""
    texel_rgb: Array = _array("ntexel 3", np.uint8)
    """Pictures of materials, row by row from the upper edge; large ones are kept smaller (`mechanism/textures.py`)."""
    mesh_cornertexadr: Array = _int("nmesh")
    """Start of a mesh's rows in `mesh_cornertex`, one a face; -1 for a mesh without texture coordinates."""
    mesh_cornertex: Array = _array("ncornertex 6", np.float32)
    """Places in the picture of a face's three corners: fractions to the right and from the upper edge down."""

    pair_dim: Array = _int("npair")
    pair_geom1: Array = _int("npair")
    pair_geom2: Array = _int("npair")
    pair_signature: Array = _int("npair")
    pair_solref: Array = _real("npair 2")
    pair_solreffriction: Array = _real("npair 2")
    pair_solimp: Array = _real("npair 5")
    pair_margin: Array = _real("npair")
    pair_gap: Array = _real("npair")
    pair_adhesion: Array = _real("npair")
    """[N] a contact"""
    pair_friction: Array = _real("npair 5")

    exclude_signature: Array = _int("nexclude")

    eq_type: Array = _int("neq")
    eq_obj1id: Array = _int("neq")
    eq_obj2id: Array = _int("neq")
    eq_objtype: Array = _int("neq")
    eq_active0: Array = _bool("neq")
    eq_solref: Array = _real("neq 2")
    eq_solimp: Array = _real("neq 5")
    eq_data: Array = _real("neq 12")

    tendon_adr: Array = _int("ntendon")
    """First row of the tendon's path in `wrap_*`."""
    tendon_num: Array = _int("ntendon")
    tendon_group: Array = _int("ntendon")
    tendon_limited: Array = _bool("ntendon")
    tendon_actfrclimited: Array = _bool("ntendon")
    tendon_solref_lim: Array = _real("ntendon 2")
    tendon_solimp_lim: Array = _real("ntendon 5")
    tendon_solref_fri: Array = _real("ntendon 2")
    tendon_solimp_fri: Array = _real("ntendon 5")
    tendon_range: Array = _real("ntendon 2")
    tendon_actfrcrange: Array = _real("ntendon 2")
    tendon_margin: Array = _real("ntendon")
    tendon_stiffness: Array = _real("ntendon")
    tendon_stiffnesspoly: Array = _real("ntendon 2")
    tendon_damping: Array = _real("ntendon")
    tendon_dampingpoly: Array = _real("ntendon 2")
    tendon_armature: Array = _real("ntendon")
    tendon_frictionloss: Array = _real("ntendon")
    tendon_lengthspring: Array = _real("ntendon 2")
    tendon_length0: Array = _real("ntendon")
    tendon_invweight0: Array = _real("ntendon")
    tendon_width: Array = _real("ntendon")
    tendon_rgba: Array = _array("ntendon 4", np.float32)
    wrap_type: Array = _int("nwrap")
    wrap_objid: Array = _int("nwrap")
    wrap_prm: Array = _real("nwrap")

    actuator_trntype: Array = _int("nactuator")
    actuator_dyntype: Array = _int("nactuator")
    actuator_gaintype: Array = _int("nactuator")
    actuator_biastype: Array = _int("nactuator")
    actuator_trnid: Array = _int("nactuator 2")
    actuator_ctrladr: Array = _int("nactuator")
    actuator_ctrlnum: Array = _int("nactuator")
    actuator_ctrlspec: Array = _int("nactuator")
    """Which controls a servo or motor has (`CtrlInput`)."""
    actuator_outadr: Array = _int("nactuator")
    actuator_outnum: Array = _int("nactuator")
    actuator_actadr: Array = _int("nactuator")
    actuator_actnum: Array = _int("nactuator")
    actuator_group: Array = _int("nactuator")
    actuator_ctrllimited: Array = _bool("nu")
    actuator_forcelimited: Array = _bool("nactuator")
    actuator_actlimited: Array = _bool("nactuator")
    actuator_actearly: Array = _bool("nactuator")
    actuator_dynprm: Array = _real("nactuator 10")
    actuator_gainprm: Array = _real("nactuator 10")
    actuator_biasprm: Array = _real("nactuator 10")
    actuator_ctrlrange: Array = _real("nu 2")
    actuator_forcerange: Array = _real("nactuator 2")
    actuator_actrange: Array = _real("nactuator 2")
    actuator_gear: Array = _real("nout 6")
    actuator_cranklength: Array = _real("nactuator")
    actuator_history: Array = _int("nactuator 2")
    """[samples of its controls, interpolation]; likewise of sensors."""
    actuator_historyadr: Array = _int("nactuator")
    """First entry in a state's `history`."""
    actuator_delay: Array = _real("nactuator")
    actuator_armature: Array = _real("nactuator")
    actuator_damping: Array = _real("nactuator")
    actuator_dampingpoly: Array = _real("nactuator 2")
    actuator_acc0: Array = _real("nout")
    actuator_length0: Array = _real("nout")
    actuator_lengthrange: Array = _real("nout 2")

    sensor_type: Array = _int("nsensor")
    sensor_datatype: Array = _int("nsensor")
    sensor_needstage: Array = _int("nsensor")
    sensor_objtype: Array = _int("nsensor")
    sensor_objid: Array = _int("nsensor")
    sensor_reftype: Array = _int("nsensor")
    sensor_refid: Array = _int("nsensor")
    sensor_intprm: Array = _int("nsensor 3")
    sensor_dim: Array = _int("nsensor")
    sensor_adr: Array = _int("nsensor")
    """First entry in `sensordata`."""
    sensor_cutoff: Array = _real("nsensor")
    sensor_noise: Array = _real("nsensor")
    sensor_history: Array = _int("nsensor 2")
    sensor_historyadr: Array = _int("nsensor")
    sensor_delay: Array = _real("nsensor")
    sensor_interval: Array = _real("nsensor 2")
    sensor_plugin: Array = _int("nsensor")

    body_user: Array = _real("nbody nuser_body")
    """User data, as in the file; likewise below."""
    jnt_user: Array = _real("njnt nuser_jnt")
    geom_user: Array = _real("ngeom nuser_geom")
    site_user: Array = _real("nsite nuser_site")
    tendon_user: Array = _real("ntendon nuser_tendon")
    actuator_user: Array = _real("nactuator nuser_actuator")
    numeric_adr: Array = _int("nnumeric")
    numeric_size: Array = _int("nnumeric")
    numeric_data: Array = _real("nnumericdata")
    tuple_adr: Array = _int("ntuple")
    tuple_size: Array = _int("ntuple")
    tuple_objtype: Array = _int("ntupledata")
    tuple_objid: Array = _int("ntupledata")
    tuple_objprm: Array = _real("ntupledata")

    key_time: Array = _real("nkey")
    key_qpos: Array = _real("nkey nq")
    key_qvel: Array = _real("nkey nv")
    key_act: Array = _real("nkey na")
    key_ctrl: Array = _real("nkey nu")
    key_mpos: Array = _real("nkey nmocap*3")
    key_mquat: Array = _real("nkey nmocap*4")

    def __post_init__(self) -> None:
        sizes = {item.name: getattr(self, item.name) for item in dataclasses.fields(self) if item.type == "int"}
        _freeze(self, sizes)

    def __repr__(self) -> str:
        sizes = " ".join(f"{size}={getattr(self, size)}" for size in ("nq", "nv", "nu", "nbody", "njnt", "ngeom"))
        return f"<Model '{self.name}' {sizes} timestep={self.timestep}>"

    @property
    def timestep(self) -> float:
        """The file's time step [s]."""
        return self.opt.timestep

    @property
    def left_out(self) -> tuple[ErrorRecord, ...]:
        """What the file holds and the model does not: sensors, and what `unsupported` "warn" or "skip" dropped."""
        return self.source.left_out

    def replace(self, **changes: Any) -> Model:
        """A copy with other values, `model.replace(body_mass=...)`. What derives from them is recomputed (`derived.py`).

        Whatever is given itself stays as given; `opt` takes another `Option` (`dataclasses.replace(model.opt, gravity=...)`).
        """
        from .derived import with_derived

        return with_derived(self, changes)

    def body(self, key: str | int) -> View:
        """The body of this name or number: `model.body("torso").mass`, `.pos`, `.inertia`, every array `body_*`."""
        return view(self, "body", key)

    def joint(self, key: str | int) -> View:
        """The joint of this name or number: every array `jnt_*`, its degrees of freedom `dof_*`, qpos0."""
        return view(self, "joint", key)

    def geom(self, key: str | int) -> View:
        """The geom of this name or number: every array `geom_*`."""
        return view(self, "geom", key)

    def site(self, key: str | int) -> View:
        """The site of this name or number: every array `site_*`."""
        return view(self, "site", key)

    def mesh(self, key: str | int) -> View:
        """The mesh of this name or number: every array `mesh_*` with a row for it."""
        return view(self, "mesh", key)

    def material(self, key: str | int) -> View:
        """The material of this name or number: every array `mat_*`."""
        return view(self, "material", key)

    def actuator(self, key: str | int) -> View:
        """The actuator of this name or number: every array `actuator_*`."""
        return view(self, "actuator", key)

    def equality(self, key: str | int) -> View:
        """The equality constraint of this name or number: every array `eq_*`."""
        return view(self, "equality", key)

    def tendon(self, key: str | int) -> View:
        """The tendon of this name or number: every array `tendon_*`."""
        return view(self, "tendon", key)

    def sensor(self, key: str | int) -> View:
        """The sensor of this name or number: every array `sensor_*`."""
        return view(self, "sensor", key)

    def numeric(self, name: str) -> Array:
        """(n,) the custom numbers of this name."""
        i = index_of("numeric", self.numeric_names, name)
        return self.numeric_data[self.numeric_adr[i] : self.numeric_adr[i] + self.numeric_size[i]]

    def text(self, name: str) -> str:
        """The custom text of this name."""
        return self.text_values[index_of("text", self.text_names, name)]

    def keyframe(self, key: str | int) -> View:
        """The keyframe of this name or number: `.qpos`, `.qvel`, `.act`, `.ctrl`, `.time`."""
        return view(self, "keyframe", key)

    def integrate(self, qpos: Array, dq: Array) -> Array:
        """`qpos` (nq) moved by the tangent `dq` (nv); rotations by rotation vectors in the body frame."""
        qpos, dq = self._vector(qpos, self.nq, "qpos"), self._vector(dq, self.nv, "dq")
        return integrate_configuration(self.jnt_type, self.jnt_qposadr, self.jnt_dofadr, qpos, dq)

    def difference(self, qpos_b: Array, qpos_a: Array) -> Array:
        """Tangent (nv) that moves `qpos_a` to `qpos_b`, the inverse of `integrate`."""
        qpos_b, qpos_a = self._vector(qpos_b, self.nq, "qpos_b"), self._vector(qpos_a, self.nq, "qpos_a")
        return configuration_difference(self.jnt_type, self.jnt_qposadr, self.jnt_dofadr, qpos_b, qpos_a)

    def body_id(self, name: str) -> int:
        """Index of the body with this name."""
        return index_of("body", self.body_names, name)

    def joint_id(self, name: str) -> int:
        """Index of the joint with this name."""
        return index_of("joint", self.joint_names, name)

    def geom_id(self, name: str) -> int:
        """Index of the geom with this name."""
        return index_of("geom", self.geom_names, name)

    def hfield(self, key: str | int) -> View:
        """The height field of this name or number: every array `hfield_*` with a row for it."""
        return view(self, "hfield", key)

    def hfield_id(self, name: str) -> int:
        """Index of the height field with this name."""
        return index_of("hfield", self.hfield_names, name)

    def mesh_id(self, name: str) -> int:
        """Index of the mesh with this name."""
        return index_of("mesh", self.mesh_names, name)

    def site_id(self, name: str) -> int:
        """Index of the site with this name."""
        return index_of("site", self.site_names, name)

    def actuator_id(self, name: str) -> int:
        """Index of the actuator with this name."""
        return index_of("actuator", self.actuator_names, name)

    def sensor_id(self, name: str) -> int:
        """Index of the sensor with this name."""
        return index_of("sensor", self.sensor_names, name)

    def equality_id(self, name: str) -> int:
        """Index of the equality constraint with this name."""
        return index_of("equality", self.equality_names, name)

    def tendon_id(self, name: str) -> int:
        """Index of the tendon with this name."""
        return index_of("tendon", self.tendon_names, name)

    def key_id(self, name: str) -> int:
        """Index of the keyframe with this name."""
        return index_of("keyframe", self.key_names, name)

    @staticmethod
    def _vector(value: Array, size: int, name: str) -> Array:
        try:
            given = np.asarray(value)
        except Exception as error:  # ragged lists, objects that fail to convert
            raise ValueError(f"{name} is not an array of numbers: {error}") from error
        if given.dtype.kind not in "iuf":
            raise ValueError(f"{name} is not an array of numbers but of {given.dtype}, expected shape ({size},)")
        given = given.astype(float)
        if given.shape != (size,):
            raise ValueError(f"{name} has shape {given.shape}, expected ({size},)")
        if not np.all(np.abs(given) <= LARGEST):
            raise ValueError(f"{name} has entries that are not finite, or beyond {LARGEST:g}")
        return given
