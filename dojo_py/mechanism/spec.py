"""The mechanism as the user describes it: dataclasses, filled by a reader or by hand, compiled by `compile_model`.

Everything is in SI units and radians, orientations are quaternions (w, x, y, z), positions and orientations are
relative to the owning body (a body's own: relative to its parent body). `None` means "not given": the compiler infers
the value. Names must be unique per kind; "" means unnamed. Names, defaults and meanings: MuJoCo 4.0.

    mechanism = Mechanism("pendulum")
    arm = mechanism.world.add(Body("arm", pos=(0, 0, 1)))
    arm.joints.append(Joint("swing", type="hinge", axis=(0, 1, 0)))
    arm.geoms.append(Geom("rod", type="capsule", fromto=(0, 0, 0, 0, 0, -0.5), size=(0.02,)))
    model = compile_model(mechanism)
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .errors import ErrorRecord, ModelError, Where
from .keys import KeyPart, bind_keyframes

if TYPE_CHECKING:
    from .model import Model

Vector = Sequence[float] | np.ndarray
"""Any sequence of floats (tuple, list, array); the compiler checks length and finiteness."""

IDENTITY = (1.0, 0.0, 0.0, 0.0)
ZERO3 = (0.0, 0.0, 0.0)
SOLREF = (0.02, 1.0)
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)

MAX_COPIED = 100_000
"""Bodies below one that is copied."""
JOINT_TYPES = ("free", "ball", "slide", "hinge")
GEOM_TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
SITE_TYPES = GEOM_TYPES[2:-1]
EQUALITY_TYPES = ("connect", "weld", "joint", "tendon")


@dataclass(kw_only=True)
class _Element:
    """Base of every described element: where it stands in the file, for error messages."""

    where: Where | None = field(default=None, repr=False, compare=False)


@dataclass
class Inertial(_Element):
    """Mass properties of a body given explicitly. Give `diaginertia` or `fullinertia`, not both."""

    mass: float = 0.0
    """[kg]"""
    pos: Vector = ZERO3
    """Centre of mass in the body frame [m]."""
    quat: Vector = IDENTITY
    """Orientation of the axes in which the inertia is given."""
    diaginertia: Vector | None = None
    """Principal moments (3) [kg m^2]."""
    fullinertia: Vector | None = None
    """M(1,1) M(2,2) M(3,3) M(1,2) M(1,3) M(2,3) [kg m^2] in the axes of `quat`, about the centre of mass."""


@dataclass
class Joint(_Element):
    """A joint between the body that owns it and that body's parent.

    Several may follow each other: hinges and slides, and among them a ball, after which there are slides only.
    """

    name: str = ""
    type: str = "hinge"
    """One of `JOINT_TYPES`; free and ball joints ignore `axis`, a free joint also ignores `pos`."""
    pos: Vector = ZERO3
    """Anchor in the child body's frame [m]."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Axis in the child body's frame; any non-zero length."""
    limited: bool | None = None
    """None: limited when `range` is given (compiler setting `autolimits`)."""
    range: Vector | None = None
    """Lower and upper bound [rad or m]; a ball joint: 0 and the largest angle."""
    ref: float = 0.0
    """Value of qpos in the described configuration [rad or m]."""
    springref: float = 0.0
    """Value of qpos at which the spring is at rest [rad or m]."""
    stiffness: Vector | float = 0.0
    """Spring [N m/rad or N/m]; up to two more numbers are the polynomial coefficients of MuJoCo 4."""
    damping: Vector | float = 0.0
    """Viscous friction [N m s/rad or N s/m]; up to two more numbers as for `stiffness`."""
    springdamper: Vector | None = None
    """(time constant [s], damping ratio [-]): chooses `stiffness` and `damping` from the inertia, as MuJoCo does."""
    armature: float = 0.0
    """Rotor inertia added to the diagonal of the joint-space inertia [kg m^2 or kg]."""
    frictionloss: float = 0.0
    """Dry friction [N m or N]."""
    actuatorfrclimited: bool | None = None
    actuatorfrcrange: Vector | None = None
    """Bounds on the total actuator force on this joint [N m or N]."""
    actuatorgravcomp: bool = False
    margin: float = 0.0
    """Distance to the limit at which the soft limit becomes active [rad or m]."""
    solreflimit: Vector = SOLREF
    solimplimit: Vector = SOLIMP
    solreffriction: Vector = SOLREF
    solimpfriction: Vector = SOLIMP
    user: Vector = ()
    """Numbers for your own use."""
    align: bool | None = None
    """Free joint only: put the body frame at the inertial frame. None: compiler setting `alignfree`."""
    group: int = 0


@dataclass
class Geom(_Element):
    """A shape fixed to a body, for contact and for inferring mass."""

    name: str = ""
    type: str = "sphere"
    """One of `GEOM_TYPES`."""
    size: Vector = ()
    """MuJoCo's half sizes [m]: sphere (r), capsule and cylinder (r, half length), ellipsoid and box (x, y, z),
    plane (x, y, grid)."""
    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    fromto: Vector | None = None
    """Two end points (6) [m] in the body frame, for capsule, cylinder, ellipsoid, box: replaces pos, quat and the
    half length."""
    mass: float | None = None
    """[kg]; None: `density` times volume."""
    density: float = 1000.0
    """[kg/m^3]"""
    shellinertia: bool = False
    """The mass is on the surface."""
    contype: int = 1
    conaffinity: int = 1
    condim: int = 3
    priority: int = 0
    friction: Vector = (1.0, 0.005, 0.0001)
    """Sliding [-], torsional [m], rolling [m]."""
    solmix: float = 1.0
    solref: Vector = SOLREF
    solimp: Vector = SOLIMP
    margin: float = 0.0
    """[m]"""
    gap: float = 0.0
    """[m]"""
    surfacevel: Vector = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """Velocity of the surface in the frame of the geom, linear [m/s] and angular [rad/s] about its centre, as of a belt or a wheel
    whose geom stands still. Soft mode only."""
    adhesion: float = 0.0
    """Force that pulls at each of its contacts along the normal [N]; those of two geoms add up. Soft mode only."""
    group: int = 0
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)
    fluidshape: str = "none"
    """"none" or "ellipsoid": what the geom is to a medium (options density, viscosity); a body without ellipsoids is a box."""
    fluidcoef: Vector = (0.5, 0.25, 1.5, 1.0, 1.0)
    """Of an ellipsoid: drag of blunt and slender bodies, angular drag, Kutta lift, Magnus lift [-]."""
    material: str = ""
    """Of its picture."""
    mesh: str = ""
    """Name of a mesh of the mechanism: the shape of type "mesh"; a primitive type is fitted to it (`size` is not used)."""
    hfield: str = ""
    """Name of a height field of the mechanism: the shape of type "hfield" (`size` is not used)."""
    user: Vector = ()
    """Numbers for your own use."""
    fitscale: float = 1.0
    """Factor on the sizes of a primitive that is fitted to a mesh."""


@dataclass
class Mesh(_Element):
    """A triangle mesh. Its own frame is lost: geoms see it from its centre of mass, in its principal axes."""

    name: str = ""
    vertices: Vector | Sequence[Vector] = ()
    """(n, 3) [m]"""
    faces: Sequence[int] | Sequence[Sequence[int]] | np.ndarray | None = None
    """(m, 3) indices of vertices, counterclockwise seen from outside; None: the convex hull's."""
    scale: Vector = (1.0, 1.0, 1.0)
    refpos: Vector = ZERO3
    """Position and orientation of the reference frame in the vertices' frame; taken off before scaling."""
    refquat: Vector = IDENTITY
    inertia: str = "legacy"
    """"convex" (of the hull), "exact", "legacy" (for meshes that are not closed), "shell" (the mass is on the surface)."""
    maxhullvert: int = -1
    """Most vertices of the convex hull; -1: all."""
    hull: bool = False
    """Compute the convex hull even if no geom that touches something needs it."""
    texcoords: np.ndarray | None = field(default=None, compare=False, repr=False)
    """(m, 3, 2) places in a picture of the faces' corners, fractions to the right and from the upper edge down; None: none."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Mesh:
        """Copies share the arrays of vertices and faces, which nothing changes in place."""
        return replace(self)


@dataclass
class HField(_Element):
    """A height field: a grid of heights over a rectangle, on a base. Between four points lie two triangles."""

    name: str = ""
    nrow: int = 0
    """Points along y, at least 2; 0: as many as `elevation` has rows."""
    ncol: int = 0
    """Points along x."""
    size: Vector = ()
    """Half width along x, half width along y, height of the highest point above z = 0, depth of the base below it [m]."""
    elevation: Vector | Sequence[Vector] = ()
    """(nrow, ncol) heights in any unit, the row of the largest y first, x ascending; the lowest lies at z = 0. Empty: flat."""

    def __post_init__(self) -> None:
        rows: Any = self.elevation
        if not self.nrow and not self.ncol and len(rows) and np.ndim(rows[0]) == 1:
            self.nrow, self.ncol = len(rows), len(rows[0])

    def __deepcopy__(self, memo: dict[int, Any]) -> HField:
        """Copies share the array of heights, which nothing changes in place."""
        return replace(self)


@dataclass
class Site(_Element):
    """A named frame fixed to a body."""

    name: str = ""
    type: str = "sphere"
    size: Vector = (0.005, 0.005, 0.005)
    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    fromto: Vector | None = None
    material: str = ""
    user: Vector = ()
    """Numbers for your own use."""
    group: int = 0
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)


@dataclass
class Body(_Element):
    """A rigid body: joints to its parent, geoms, sites, and bodies attached to it. No joints: welded to the parent."""

    name: str = ""
    pos: Vector = ZERO3
    """Position in the parent's frame [m]."""
    quat: Vector = IDENTITY
    inertial: Inertial | None = None
    """None: inferred from the geoms."""
    joints: list[Joint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    cameras: list[Camera] = field(default_factory=list)
    lights: list[Light] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    user: Vector = ()
    """Numbers for your own use."""
    gravcomp: float = 0.0
    """Fraction of the weight compensated [-]."""
    mocap: bool = False
    """The state tells where the body is (`State.mocap_pos`, `.mocap_quat`). A child of the world, without joints."""
    fuse: str = "auto"
    """"false": stays a body of its own where a file's compiler has `fusestatic`."""

    def add(self, element: Any) -> Any:
        """Add a child body, joint, geom or site, and return it."""
        lists: dict[type, list[Any]] = {Body: self.bodies, Joint: self.joints, Geom: self.geoms, Site: self.sites}
        lists |= {Camera: self.cameras, Light: self.lights}
        kind = next((kind for kind in lists if isinstance(element, kind)), None)
        if kind is None:
            accepted = [kind.__name__ for kind in lists]
            raise TypeError(f"a {type(element).__name__} cannot be added to body '{self.name}'; accepted: {accepted}")
        lists[kind].append(element)
        return element

    def __deepcopy__(self, memo: dict[int, Any]) -> Body:
        """Body by body: trees may be deeper than Python's stack."""
        for count, (body, parent) in enumerate(self.walk()):
            if count > MAX_COPIED:
                raise ModelError(f"body '{self.name}' holds more than {MAX_COPIED} bodies, or itself")
            made = memo[id(body)] = copy.copy(body)
            for item in fields(body):
                if item.name != "where":
                    setattr(made, item.name, [] if item.name == "bodies" else copy.deepcopy(getattr(body, item.name), memo))
            if parent is not None:
                memo[id(parent)].bodies.append(made)
        return memo[id(self)]

    def walk(self) -> Iterator[tuple[Body, Body | None]]:
        """Every body of this subtree with its parent, depth first, the order of body ids."""
        stack: list[tuple[Body, Body | None]] = [(self, None)]
        while stack:
            body, parent = stack.pop()
            yield body, parent
            stack.extend((child, body) for child in reversed(body.bodies))


@dataclass
class ContactPair(_Element):
    """A pair of geoms tested for contact whatever the masks say. The properties of the two geoms are not used."""

    geom1: str = ""
    geom2: str = ""
    name: str = ""
    condim: int = 3
    friction: Vector = (1.0, 1.0, 0.005, 0.0001, 0.0001)
    """Two sliding [-], torsional [m], two rolling [m]."""
    solref: Vector = SOLREF
    solimp: Vector = SOLIMP
    solreffriction: Vector = (0.0, 0.0)
    """(0, 0): as `solref`."""
    margin: float = 0.0
    gap: float = 0.0
    adhesion: float = 0.0
    """Force that pulls at each contact along the normal [N]. Soft mode only."""


@dataclass
class Exclude(_Element):
    """Two bodies that never touch each other."""

    body1: str = ""
    body2: str = ""
    name: str = ""


@dataclass
class Equality(_Element):
    """A constraint between two bodies, sites, joints or tendons.

    type "connect": point of body1 and body2 (or `objtype` "site": two sites) coincide; `anchor` in the frame of body1.
    type "weld": the relative pose is fixed; `anchor` in the frame of body2, `relpose` = pose of body2 in body1 (7).
    type "joint": joint1 - ref1 = polycoef(joint2 - ref2), five coefficients; type "tendon": the same of two lengths.
    """

    type: str = "connect"
    name1: str = ""
    name2: str = ""
    """Empty: the world (connect, weld) or a constant (joint, tendon)."""
    name: str = ""
    objtype: str = "body"
    """"body" or "site" for connect and weld."""
    active: bool = True
    anchor: Vector | None = None
    relpose: Vector | None = None
    """None: the relative pose in the described configuration."""
    torquescale: float = 1.0
    """[m] weight of the orientation rows of a weld."""
    polycoef: Vector = (0.0, 1.0, 0.0, 0.0, 0.0)
    solref: Vector = SOLREF
    solimp: Vector = SOLIMP


@dataclass
class JointTerm(_Element):
    """A term of a fixed tendon: `coef` times the coordinate of a hinge or a slide."""

    tag: ClassVar[str] = "joint"
    joint: str
    coef: float


@dataclass
class SitePoint(_Element):
    """A site that a spatial tendon passes through."""

    tag: ClassVar[str] = "site"
    site: str


@dataclass
class WrapGeom(_Element):
    """A sphere or cylinder that a spatial tendon wraps around, between two sites."""

    tag: ClassVar[str] = "geom"
    geom: str
    sidesite: str = ""
    """On the side of this site; through the object when it is inside."""


@dataclass
class Pulley(_Element):
    """Behind it a spatial tendon is one of `divisor` equal branches: its length counts by 1 / divisor."""

    tag: ClassVar[str] = "pulley"
    divisor: float


@dataclass
class Tendon(_Element):
    """A length with a spring, a damper, limits and friction.

    Fixed tendon: terms, length = sum of coef * joint coordinate. Spatial tendon: the shortest way through sites, around geoms.
    """

    name: str = ""
    path: list[JointTerm | SitePoint | WrapGeom | Pulley] = field(default_factory=list)
    limited: bool | None = None
    """None: limited when `range` is given (compiler setting `autolimits`)."""
    range: Vector | None = None
    """Lower and upper bound of the length [m, or rad]."""
    actuatorfrclimited: bool | None = None
    actuatorfrcrange: Vector | None = None
    """Bounds on the total actuator force on this tendon [N]."""
    springlength: Vector = (-1.0, -1.0)
    """Interval of lengths without spring force; one number: both ends; -1: the length at `springref` of the joints."""
    stiffness: Vector | float = 0.0
    """Spring [N/m]; up to two more numbers are the polynomial coefficients of MuJoCo 4."""
    damping: Vector | float = 0.0
    """[N s/m]; up to two more numbers as for `stiffness`."""
    armature: float = 0.0
    """Inertia that moves with the length [kg]."""
    frictionloss: float = 0.0
    """Dry friction [N]."""
    margin: float = 0.0
    solreflimit: Vector = SOLREF
    solimplimit: Vector = SOLIMP
    solreffriction: Vector = SOLREF
    solimpfriction: Vector = SOLIMP
    width: float = 0.003
    """Drawn with [m]."""
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)
    material: str = ""
    user: Vector = ()
    """Numbers for your own use."""
    group: int = 0


@dataclass
class Actuator(_Element):
    """A general actuator: force = gain(length, velocity) * input + bias(length, velocity); shortcuts set both."""

    name: str = ""
    joint: str = ""
    """Exactly one of `joint`, `jointinparent`, `tendon`, `site`, `cranksite`, `body` (name of the target)."""
    jointinparent: str = ""
    tendon: str = ""
    site: str = ""
    body: str = ""
    """Adhesion: pulls at all contacts of this body, along their normals."""
    refsite: str = ""
    """With `site`: the frame in which the wrench or position is expressed."""
    cranksite: str = ""
    """A slider-crank: the pin of the crank; a rod of length `cranklength` [m] couples it to a slider on the z axis of
    `slidersite`."""
    slidersite: str = ""
    cranklength: float = 0.0
    gear: Vector = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    ctrllimited: bool | None = None
    ctrlrange: Vector | None = None
    """Of the only control; of a `pid`'s position; of every control of a `dcmotor`."""
    input: str = ""
    """Controls of a `pid` or `dcmotor`, some of "pos vel ff voltage" in this order; "": "pos vel", "voltage".
    Of others only a note."""
    velrange: Vector | None = None
    """Of the control "vel" of a `pid`; limited where it is given. Likewise `ffrange`."""
    ffrange: Vector | None = None
    forcelimited: bool | None = None
    forcerange: Vector | None = None
    """[N or N m]"""
    armature: float = 0.0
    """Inertia of the rotor before the gear; on hinges and slides [kg m² or kg]."""
    damping: Vector = (0.0,)
    """Damper before the gear, in every phase: linear, |v| v and v³ coefficient; on hinges and slides."""
    actlimited: bool | None = None
    actrange: Vector | None = None
    actearly: bool = False
    actdim: int = -1
    dyntype: str = "none"
    """"none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid"."""
    dynprm: Vector = (1.0,)
    gaintype: str = "fixed"
    """"fixed", "affine", "muscle", "dcmotor" or "pid": the last two have a controller and several controls (`input`)."""
    gainprm: Vector = (1.0,)
    biastype: str = "none"
    """"none", "affine", "muscle" or "dcmotor"."""
    biasprm: Vector = (0.0,)
    nsample: int = 0
    """Samples of its controls that states keep; 0: none, and no delay."""
    delay: float = 0.0
    """How late its controls arrive [s]; needs samples."""
    interp: str = "zoh"
    """Between samples: "zoh" (held), "linear" or "cubic"."""
    dampratio: float | None = None
    """Position servo: damping ratio from which the velocity gain is computed at compile time (kv not given)."""
    inheritrange: float = 0.0
    """> 0: ctrlrange (or actrange, for an integrator) is this multiple of the joint's or tendon's range, about its middle."""
    user: Vector = ()
    """Numbers for your own use."""
    lengthrange: Vector | None = None
    """Feasible lengths of the transmission, which muscles use; not given, they are found (`CompilerSettings.lengthrange`)."""
    group: int = 0


@dataclass
class Sensor(_Element):
    """An output: what `type` names of an object, row by row in `sensordata`. Types and their objects: `mechanism.sensor_kinds`."""

    type: str = ""
    """MJCF's word: "jointpos", "accelerometer", "framepos", …"""
    name: str = ""
    objtype: str = ""
    """"site", "joint", "tendon", "actuator", "body" (its inertial frame), "xbody" (its own frame), "geom"; "" for none."""
    objname: str = ""
    reftype: str = ""
    refname: str = ""
    """Frame sensors: the frame in which the output is seen; `insidesite`: the site."""
    cutoff: float = 0.0
    """> 0: the largest absolute value of the output."""
    noise: float = 0.0
    """Standard deviation that a user may add; the output has none."""
    data: str = "found"
    """Contact sensors: what they tell of each contact, words of `sensor_kinds.CONTACT_FIELDS` in that order."""
    reduce: str = "none"
    """Contact sensors: "none" (the first contacts), "mindist", "maxforce", or "netforce": all as one."""
    num: int = 1
    """Contact sensors: how many contacts have room in the output."""
    nsample: int = 0
    """Samples of its past that states keep; 0: it has none, and no interval."""
    delay: float = 0.0
    """How late its outputs come [s]; needs samples."""
    interp: str = "zoh"
    """Between samples: "zoh" (held), "linear" or "cubic"."""
    interval: Vector = (0.0, 0.0)
    """Time between samples, 0: a step; and the one before the start, not positive [s]."""


@dataclass
class Keyframe(_Element):
    """A stored state. None: the reference configuration, zero velocity, zero activation, zero control."""

    name: str = ""
    time: float = 0.0
    qpos: Vector | None = None
    """A list may be short: the rest is as if not given. Quaternions of zeros are the identity. Likewise below."""
    qvel: Vector | None = None
    act: Vector | None = None
    ctrl: Vector | None = None
    mpos: Vector | None = None
    mquat: Vector | None = None
    parts: list[KeyPart] = field(default_factory=list)
    """Values by joint and actuator (`Mechanism.bind_keyframes`); the lists above come first where they are given."""


@dataclass
class Numeric(_Element):
    """Numbers of the user's with a name."""

    name: str = ""
    data: Vector = ()
    size: int | None = None
    """How many there are, the rest zeros; None: as many as `data`."""


@dataclass
class Text(_Element):
    """A text of the user's with a name."""

    name: str = ""
    data: str = ""


@dataclass
class TupleElement(_Element):
    """An object that a tuple lists, and a number with it."""

    objtype: str = ""
    objname: str = ""
    prm: float = 0.0


@dataclass
class Tuple(_Element):
    """A list of objects of the model with a name."""

    name: str = ""
    elements: list[TupleElement] = field(default_factory=list)


@dataclass
class Drawn(_Element):
    """What is only drawn, kept for viewers: the attributes of its element as texts. Checked by name, not by value."""

    name: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Drawn] = field(default_factory=list)
    tag: str = ""


@dataclass
class Texture(Drawn):
    """A texture; `attributes["file"]` is a path that does not depend on the model's folder."""

    colour: Vector | None = None
    """Mean red, green, blue of its picture, 0 to 1, where a reader found one."""
    pixels: np.ndarray | None = field(default=None, compare=False, repr=False)
    """(rows, columns, 3) uint8 from the upper edge down: its picture, where a reader found one."""


@dataclass
class Material(Drawn):
    """A material."""

    texture: str = ""


@dataclass
class Camera(Drawn):
    """A camera fixed to a body."""

    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    target: str = ""


@dataclass
class Light(Drawn):
    """A light fixed to a body."""

    pos: Vector = ZERO3
    dir: Vector = (0.0, 0.0, -1.0)
    target: str = ""
    texture: str = ""


@dataclass
class NamedFrame(_Element):
    """A `frame` of a file that has a name, for attaching what stood in it. Its contents belong to the body around it."""

    name: str = ""
    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    elements: list[Any] = field(default_factory=list)


@dataclass
class LengthRange(_Element):
    """How the ranges of actuators' lengths that are not given are found when a mechanism is compiled (`length_range.py`)."""

    mode: str = "muscle"
    """Of which actuators: "none", "muscle", "muscleuser" (the same here), "all"."""
    useexisting: bool = True
    """Ranges that are given stay."""
    uselimit: bool = False
    """The range of a limited joint or tendon is taken instead."""
    accel: float = 20.0
    """Joint acceleration with which an actuator pulls [rad/s² or m/s²]."""
    maxforce: float = 0.0
    """> 0: most generalised force [N or N m]."""
    timeconst: float = 1.0
    """Velocities decay with it [s]."""
    timestep: float = 0.01
    """[s]"""
    inttotal: float = 10.0
    """How long an actuator is pulled [s]."""
    interval: float = 2.0
    """The last seconds, in which it should rest [s]."""
    tolrange: float = 0.05
    """Change of length in them that counts as rest, over the range."""


@dataclass
class CompilerSettings(_Element):
    """How masses and limits are completed (MJCF element `compiler`, as far as it matters after reading)."""

    autolimits: bool = True
    inertiafromgeom: bool | None = None
    """None ("auto"): from the geoms where no inertial is given. True: always from the geoms. False: never."""
    inertiagrouprange: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    """Lower bound on the mass of every body but the world [kg]."""
    boundinertia: float = 0.0
    """Lower bound on the principal moments of every body but the world [kg m^2]."""
    balanceinertia: bool = False
    """Replace moments that break A + B >= C by their mean."""
    settotalmass: float = -1.0
    """> 0: scale masses and inertias to this total [kg]."""
    alignfree: bool = False
    fitaabb: bool = False
    """Primitives that name a mesh enclose it; otherwise they have its inertia."""
    lengthrange: LengthRange = field(default_factory=LengthRange)


@dataclass
class OptionSpec(_Element):
    """Simulation options under MuJoCo's names. Enumerations as words, flags as the words of MJCF's `flag` element."""

    timestep: float = 0.002
    """[s]"""
    impratio: float = 1.0
    tolerance: float = 1e-8
    ls_tolerance: float = 0.01
    noslip_tolerance: float = 1e-6
    ccd_tolerance: float = 1e-6
    sleep_tolerance: float = 1e-3
    gravity: Vector = (0.0, 0.0, -9.81)
    """[m/s^2]"""
    wind: Vector = ZERO3
    """[m/s]"""
    magnetic: Vector = (0.0, -0.5, 0.0)
    density: float = 0.0
    """Of the medium [kg/m^3]."""
    viscosity: float = 0.0
    """Of the medium [N s/m^2]."""
    o_margin: float = 0.0
    o_solref: Vector = SOLREF
    o_solimp: Vector = SOLIMP
    o_friction: Vector = (1.0, 1.0, 0.005, 0.0001, 0.0001)
    integrator: str = "Euler"
    cone: str = "pyramidal"
    jacobian: str = "auto"
    solver: str = "Newton"
    iterations: int = 100
    ls_iterations: int = 50
    noslip_iterations: int = 0
    ccd_iterations: int = 35
    sdf_iterations: int = 10
    sdf_initpoints: int = 40
    actuatorgroupdisable: tuple[int, ...] = ()
    flags: dict[str, bool] = field(default_factory=dict)
    """Only the flags that were given: {"contact": False, "energy": True, ...}."""


@dataclass
class Mechanism(_Element):
    """The whole described model. `world` is the root body: its geoms and sites do not move."""

    name: str = "model"
    world: Body = field(default_factory=lambda: Body("world"))
    settings: CompilerSettings = field(default_factory=CompilerSettings)
    option: OptionSpec = field(default_factory=OptionSpec)
    pairs: list[ContactPair] = field(default_factory=list)
    excludes: list[Exclude] = field(default_factory=list)
    equalities: list[Equality] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    sensors: list[Sensor] = field(default_factory=list)
    keyframes: list[Keyframe] = field(default_factory=list)
    keyframe_count: int = 0
    """At least so many keyframes; those not described are at the reference configuration (MJCF: `size nkey`)."""
    meshes: list[Mesh] = field(default_factory=list)
    hfields: list[HField] = field(default_factory=list)
    tendons: list[Tendon] = field(default_factory=list)
    textures: list[Texture] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    numerics: list[Numeric] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    tuples: list[Tuple] = field(default_factory=list)
    user_sizes: dict[str, int] = field(default_factory=dict)
    """Numbers of user data an element has, "nuser_body", ...; not given: as many as the longest list. And "nuserdata"."""
    statistic: dict[str, Vector] = field(default_factory=dict)
    """What the file sets of meaninertia (which scales the soft mode's tolerances), meanmass, meansize, extent, center."""
    visual: dict[str, dict[str, str]] = field(default_factory=dict)
    """Settings of viewers: section -> attributes as texts."""
    frames: list[NamedFrame] = field(default_factory=list, repr=False)
    left_out: list[ErrorRecord] = field(default_factory=list, repr=False, compare=False)
    """What the file that it was read from holds besides."""

    def find(self, kind: str, name: str) -> Any:
        """The described element of this kind ("body", "joint", "geom", "actuator", ...) and name, or `ModelError`."""
        from .edit import find

        return find(self, kind, name)

    def body(self, name: str) -> Body:
        """The body of this name; "world" is the root."""
        return self.find("body", name)

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        return self.find("joint", name)

    def geom(self, name: str) -> Geom:
        """The geom of this name."""
        return self.find("geom", name)

    def site(self, name: str) -> Site:
        """The site of this name."""
        return self.find("site", name)

    def actuator(self, name: str) -> Actuator:
        """The actuator of this name."""
        return self.find("actuator", name)

    def equality(self, name: str) -> Equality:
        """The equality constraint of this name."""
        return self.find("equality", name)

    def keyframe(self, name: str) -> Keyframe:
        """The keyframe of this name."""
        return self.find("keyframe", name)

    def add(self, element: Any) -> Any:
        """Add an actuator, equality, pair, exclude, keyframe, mesh, ... and return it; a body is added to the world."""
        from .edit import add

        return add(self, element)

    def delete(self, element: Any) -> None:
        """Take an element out, with everything in it and everything that refers to it; keyframes keep what remains."""
        from .edit import delete

        delete(self, element)

    def attach(
        self,
        child: Mechanism,
        to: str | Body = "world",
        prefix: str = "",
        *,
        body: str = "",
        frame: str = "",
        pos: Vector = ZERO3,
        quat: Vector = IDENTITY,
    ) -> list[Body]:
        """Copy another mechanism, or one of its bodies or frames, into a body of this one; its names get the prefix.

        pos, quat: where the child's world (or what holds the chosen body) stands in that body. Returns the attached bodies.
        """
        from .edit import attach_at

        return attach_at(self, child, to, prefix, body, frame, pos, quat)

    def bind_keyframes(self) -> None:
        """Let keyframes keep their values by joint and actuator. Call it before you add joints or actuators yourself."""
        bind_keyframes(self)

    def copy(self) -> Mechanism:
        """An independent copy."""
        return copy.deepcopy(self)

    def compile(self) -> Model:
        """The model of this description."""
        from .compile import compile_model

        return compile_model(self)
