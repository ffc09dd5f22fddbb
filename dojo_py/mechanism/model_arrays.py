"""`ModelArrays`: the sizes, names and arrays of a compiled mechanism, as `mujoco.MjModel` has them.

Names, shapes, order, dtypes and enum values are MuJoCo's (`mjmodel.h`, version 4.0), SI units, radians, quaternions (w, x, y, z).
A docstring stands where there is more to say than that file says.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from .frozen_arrays import Array, array, boolean, freeze, integer, real
from .option import Option, Statistic
from .source import Source

NOT_IN_MUJOCO = (
    "mat_texrgb", "mat_texsize", "mat_texeladr", "texel_rgb", "mesh_cornertexadr", "mesh_cornertex", "ntexel", "ncornertex",
)  # fmt: skip
"""Arrays and sizes that MuJoCo does not have under these names: they only draw."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ModelArrays:
    """What kernels read of a model. Rows are in document order (bodies depth first; the world is body 0)."""

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
    nuser_sensor: int
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

    qpos0: Array = real("nq")
    qpos_spring: Array = real("nq")

    body_parentid: Array = integer("nbody")
    body_rootid: Array = integer("nbody")
    body_weldid: Array = integer("nbody")
    body_treeid: Array = integer("nbody")
    body_mocapid: Array = integer("nbody")
    body_jntnum: Array = integer("nbody")
    body_jntadr: Array = integer("nbody")
    body_dofnum: Array = integer("nbody")
    body_dofadr: Array = integer("nbody")
    body_geomnum: Array = integer("nbody")
    body_geomadr: Array = integer("nbody")
    body_pos: Array = real("nbody 3")
    body_quat: Array = real("nbody 4")
    body_ipos: Array = real("nbody 3")
    body_iquat: Array = real("nbody 4")
    body_mass: Array = real("nbody")
    body_subtreemass: Array = real("nbody")
    body_inertia: Array = real("nbody 3")
    body_invweight0: Array = real("nbody 2")
    body_gravcomp: Array = real("nbody")

    jnt_type: Array = integer("njnt")
    jnt_qposadr: Array = integer("njnt")
    jnt_dofadr: Array = integer("njnt")
    jnt_bodyid: Array = integer("njnt")
    jnt_group: Array = integer("njnt")
    jnt_limited: Array = boolean("njnt")
    jnt_actfrclimited: Array = boolean("njnt")
    jnt_actgravcomp: Array = boolean("njnt")
    jnt_solref: Array = real("njnt 2")
    jnt_solimp: Array = real("njnt 5")
    jnt_pos: Array = real("njnt 3")
    jnt_axis: Array = real("njnt 3")
    jnt_stiffness: Array = real("njnt")
    jnt_stiffnesspoly: Array = real("njnt 2")
    jnt_range: Array = real("njnt 2")
    jnt_actfrcrange: Array = real("njnt 2")
    jnt_margin: Array = real("njnt")

    dof_bodyid: Array = integer("nv")
    dof_jntid: Array = integer("nv")
    dof_parentid: Array = integer("nv")
    dof_treeid: Array = integer("nv")
    dof_solref: Array = real("nv 2")
    dof_solimp: Array = real("nv 5")
    dof_frictionloss: Array = real("nv")
    dof_armature: Array = real("nv")
    dof_damping: Array = real("nv")
    dof_dampingpoly: Array = real("nv 2")
    dof_invweight0: Array = real("nv")
    dof_M0: Array = real("nv")

    geom_type: Array = integer("ngeom")
    geom_contype: Array = integer("ngeom")
    geom_conaffinity: Array = integer("ngeom")
    geom_condim: Array = integer("ngeom")
    geom_bodyid: Array = integer("ngeom")
    geom_dataid: Array = integer("ngeom")
    """Mesh of a geom of type mesh, height field of one of type hfield; -1 for the others."""
    geom_group: Array = integer("ngeom")
    geom_priority: Array = integer("ngeom")
    geom_solmix: Array = real("ngeom")
    geom_solref: Array = real("ngeom 2")
    geom_solimp: Array = real("ngeom 5")
    geom_size: Array = real("ngeom 3")
    geom_aabb: Array = real("ngeom 6")
    """Centre and half extents of the box about the shape, in the geom's frame."""
    geom_rbound: Array = real("ngeom")
    geom_pos: Array = real("ngeom 3")
    geom_quat: Array = real("ngeom 4")
    geom_friction: Array = real("ngeom 3")
    geom_margin: Array = real("ngeom")
    geom_gap: Array = real("ngeom")
    geom_surfacevel: Array = real("ngeom 6")
    """Velocity of the surface in the geom's frame: linear [m/s], angular [rad/s]."""
    geom_adhesion: Array = real("ngeom")
    """[N] a contact"""
    geom_fluid: Array = real("ngeom 12")
    geom_rgba: Array = array("ngeom 4", np.float32)
    geom_matid: Array = integer("ngeom")
    """Material of a geom; -1 for none."""

    site_type: Array = integer("nsite")
    site_bodyid: Array = integer("nsite")
    site_group: Array = integer("nsite")
    site_size: Array = real("nsite 3")
    site_pos: Array = real("nsite 3")
    site_quat: Array = real("nsite 4")
    site_rgba: Array = array("nsite 4", np.float32)

    mesh_vertadr: Array = integer("nmesh")
    mesh_vertnum: Array = integer("nmesh")
    mesh_faceadr: Array = integer("nmesh")
    mesh_facenum: Array = integer("nmesh")
    mesh_graphadr: Array = integer("nmesh")
    """Start of the convex hull in `mesh_graph`; -1 without one."""
    mesh_vert: Array = array("nmeshvert 3", np.float32)
    """In the frame of the mesh's centre of mass and principal axes [m]."""
    mesh_face: Array = integer("nmeshface 3")
    mesh_graph: Array = integer("nmeshgraph")
    """MuJoCo's layout (`mechanism/mesh_hull.py`); each hull's vertices in ascending order."""
    mesh_scale: Array = real("nmesh 3")
    mesh_pos: Array = real("nmesh 3")
    """Pose of that frame in the mesh's own one."""
    mesh_quat: Array = real("nmesh 4")

    hfield_size: Array = real("nhfield 4")
    """Half widths along x and y, height above z = 0, depth of the base below it [m]."""
    hfield_nrow: Array = integer("nhfield")
    """Points along y."""
    hfield_ncol: Array = integer("nhfield")
    """Points along x."""
    hfield_adr: Array = integer("nhfield")
    """Start in `hfield_data`."""
    hfield_data: Array = array("nhfielddata", np.float32)
    """Heights as fractions of the largest, 0 to 1, row by row: x ascending, then y."""

    mat_rgba: Array = array("nmat 4", np.float32)
    mat_emission: Array = array("nmat", np.float32)
    mat_specular: Array = array("nmat", np.float32)
    mat_shininess: Array = array("nmat", np.float32)
    mat_reflectance: Array = array("nmat", np.float32)
    mat_metallic: Array = array("nmat", np.float32)
    mat_roughness: Array = array("nmat", np.float32)
    mat_texrgb: Array = array("nmat 6", np.float32)
    """Both colours of the material's built-in texture, or twice its picture's mean; white without."""
    mat_texrepeat: Array = array("nmat 2", np.float32)
    """How often the picture is repeated along x and y: over a geom, or with `mat_texuniform` over a metre."""
    mat_texuniform: Array = boolean("nmat")
    mat_texsize: Array = integer("nmat 2")
    """Rows and columns of the material's two-dimensional picture; 0 without."""
    mat_texeladr: Array = integer("nmat")
    """Its start in `texel_rgb`."""
    texel_rgb: Array = array("ntexel 3", np.uint8)
    """Pictures of materials, row by row from the upper edge; large ones are kept smaller (`mechanism/textures.py`)."""
    mesh_cornertexadr: Array = integer("nmesh")
    """Start of a mesh's rows in `mesh_cornertex`, one a face; -1 for a mesh without texture coordinates."""
    mesh_cornertex: Array = array("ncornertex 6", np.float32)
    """Places in the picture of a face's three corners: fractions to the right and from the upper edge down."""

    pair_dim: Array = integer("npair")
    pair_geom1: Array = integer("npair")
    pair_geom2: Array = integer("npair")
    pair_signature: Array = integer("npair")
    pair_solref: Array = real("npair 2")
    pair_solreffriction: Array = real("npair 2")
    pair_solimp: Array = real("npair 5")
    pair_margin: Array = real("npair")
    pair_gap: Array = real("npair")
    pair_adhesion: Array = real("npair")
    """[N] a contact"""
    pair_friction: Array = real("npair 5")

    exclude_signature: Array = integer("nexclude")

    eq_type: Array = integer("neq")
    eq_obj1id: Array = integer("neq")
    eq_obj2id: Array = integer("neq")
    eq_objtype: Array = integer("neq")
    eq_active0: Array = boolean("neq")
    eq_solref: Array = real("neq 2")
    eq_solimp: Array = real("neq 5")
    eq_data: Array = real("neq 12")

    tendon_adr: Array = integer("ntendon")
    """First row of the tendon's path in `wrap_*`."""
    tendon_num: Array = integer("ntendon")
    tendon_group: Array = integer("ntendon")
    tendon_limited: Array = boolean("ntendon")
    tendon_actfrclimited: Array = boolean("ntendon")
    tendon_solref_lim: Array = real("ntendon 2")
    tendon_solimp_lim: Array = real("ntendon 5")
    tendon_solref_fri: Array = real("ntendon 2")
    tendon_solimp_fri: Array = real("ntendon 5")
    tendon_range: Array = real("ntendon 2")
    tendon_actfrcrange: Array = real("ntendon 2")
    tendon_margin: Array = real("ntendon")
    tendon_stiffness: Array = real("ntendon")
    tendon_stiffnesspoly: Array = real("ntendon 2")
    tendon_damping: Array = real("ntendon")
    tendon_dampingpoly: Array = real("ntendon 2")
    tendon_armature: Array = real("ntendon")
    tendon_frictionloss: Array = real("ntendon")
    tendon_lengthspring: Array = real("ntendon 2")
    tendon_length0: Array = real("ntendon")
    tendon_invweight0: Array = real("ntendon")
    tendon_width: Array = real("ntendon")
    tendon_rgba: Array = array("ntendon 4", np.float32)
    wrap_type: Array = integer("nwrap")
    wrap_objid: Array = integer("nwrap")
    wrap_prm: Array = real("nwrap")

    actuator_trntype: Array = integer("nactuator")
    actuator_dyntype: Array = integer("nactuator")
    actuator_gaintype: Array = integer("nactuator")
    actuator_biastype: Array = integer("nactuator")
    actuator_trnid: Array = integer("nactuator 2")
    actuator_ctrladr: Array = integer("nactuator")
    actuator_ctrlnum: Array = integer("nactuator")
    actuator_ctrlspec: Array = integer("nactuator")
    """Which controls a servo or motor has (`CtrlInput`)."""
    actuator_outadr: Array = integer("nactuator")
    actuator_outnum: Array = integer("nactuator")
    actuator_actadr: Array = integer("nactuator")
    actuator_actnum: Array = integer("nactuator")
    actuator_group: Array = integer("nactuator")
    actuator_ctrllimited: Array = boolean("nu")
    actuator_forcelimited: Array = boolean("nactuator")
    actuator_actlimited: Array = boolean("nactuator")
    actuator_actearly: Array = boolean("nactuator")
    actuator_dynprm: Array = real("nactuator 10")
    actuator_gainprm: Array = real("nactuator 10")
    actuator_biasprm: Array = real("nactuator 10")
    actuator_ctrlrange: Array = real("nu 2")
    actuator_forcerange: Array = real("nactuator 2")
    actuator_actrange: Array = real("nactuator 2")
    actuator_gear: Array = real("nout 6")
    actuator_cranklength: Array = real("nactuator")
    actuator_history: Array = integer("nactuator 2")
    """[samples of its controls, interpolation]; likewise of sensors."""
    actuator_historyadr: Array = integer("nactuator")
    """First entry in a state's `history`."""
    actuator_delay: Array = real("nactuator")
    actuator_armature: Array = real("nactuator")
    actuator_damping: Array = real("nactuator")
    actuator_dampingpoly: Array = real("nactuator 2")
    actuator_acc0: Array = real("nout")
    actuator_length0: Array = real("nout")
    actuator_lengthrange: Array = real("nout 2")

    sensor_type: Array = integer("nsensor")
    sensor_datatype: Array = integer("nsensor")
    sensor_needstage: Array = integer("nsensor")
    sensor_objtype: Array = integer("nsensor")
    sensor_objid: Array = integer("nsensor")
    sensor_reftype: Array = integer("nsensor")
    sensor_refid: Array = integer("nsensor")
    sensor_intprm: Array = integer("nsensor 3")
    sensor_dim: Array = integer("nsensor")
    sensor_adr: Array = integer("nsensor")
    """First entry in `sensordata`."""
    sensor_cutoff: Array = real("nsensor")
    sensor_noise: Array = real("nsensor")
    sensor_history: Array = integer("nsensor 2")
    sensor_historyadr: Array = integer("nsensor")
    sensor_delay: Array = real("nsensor")
    sensor_interval: Array = real("nsensor 2")
    sensor_plugin: Array = integer("nsensor")

    body_user: Array = real("nbody nuser_body")
    """User data, as in the file; likewise below."""
    jnt_user: Array = real("njnt nuser_jnt")
    geom_user: Array = real("ngeom nuser_geom")
    site_user: Array = real("nsite nuser_site")
    tendon_user: Array = real("ntendon nuser_tendon")
    actuator_user: Array = real("nactuator nuser_actuator")
    sensor_user: Array = real("nsensor nuser_sensor")
    numeric_adr: Array = integer("nnumeric")
    numeric_size: Array = integer("nnumeric")
    numeric_data: Array = real("nnumericdata")
    tuple_adr: Array = integer("ntuple")
    tuple_size: Array = integer("ntuple")
    tuple_objtype: Array = integer("ntupledata")
    tuple_objid: Array = integer("ntupledata")
    tuple_objprm: Array = real("ntupledata")

    key_time: Array = real("nkey")
    key_qpos: Array = real("nkey nq")
    key_qvel: Array = real("nkey nv")
    key_act: Array = real("nkey na")
    key_ctrl: Array = real("nkey nu")
    key_mpos: Array = real("nkey nmocap*3")
    key_mquat: Array = real("nkey nmocap*4")

    def __post_init__(self) -> None:
        sizes = {item.name: getattr(self, item.name) for item in dataclasses.fields(self) if item.type == "int"}
        freeze(self, sizes)
