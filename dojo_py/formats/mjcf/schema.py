"""The table of MJCF: which attributes each element accepts, of which kind, and what is not simulated.

Names and defaults: MuJoCo's XML reference, version 4.0. Defaults live in the dataclasses of `mechanism.spec`. A list
shorter than its default replaces only the first numbers, so the kinds give the least and the most numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...mechanism.compile_actuators import BIAS_TYPES, DYN_TYPES, GAIN_TYPES
from ...mechanism.compile_option import COUNTS, FLAGS, SCALARS, VECTORS, WORDS
from ...mechanism.length_range import MODES as LENGTH_MODES
from ...mechanism.mesh_inertia import INERTIA_TYPES
from ...mechanism.sensor_kinds import INTERPOLATIONS
from ...mechanism.spec import GEOM_TYPES, JOINT_TYPES, SITE_TYPES


@dataclass(frozen=True)
class Kind:
    """How the text of an attribute is read: `read` is one of real, int, bool, auto, word, text, skip, refuse."""

    read: str
    least: int = 1
    most: int = 1
    words: tuple[str, ...] = ()
    """read "word": the accepted words. read "refuse": the values that ask for nothing special."""
    refused: tuple[str, ...] = ()
    """read "word": further words of MuJoCo that are not simulated. They pass here, because a defaults
    class may hold them unused; who uses the value refuses it."""
    infinite: bool = False
    """read "real": whether `inf` and `-inf` are accepted; they are the largest numbers that are."""


def real(most: int, least: int | None = None) -> Kind:
    """A list of `least` to `most` numbers (exactly `most` if not given); most 1 is a single number."""
    return Kind("real", most if least is None else least, most)


BOUNDS = Kind("real", 2, 2, infinite=True)
"""Lower and upper bound; one that is infinite bounds nothing."""


def word(*words: str, refused: tuple[str, ...] = ()) -> Kind:
    """One of some words."""
    return Kind("word", words=words, refused=refused)


def refuse(*harmless: str) -> Kind:
    """An attribute that changes the dynamics in a way not simulated, unless its value is one of `harmless`."""
    return Kind("refuse", words=harmless)


INT, BOOL, AUTO, TEXT, SKIP = Kind("int"), Kind("bool"), Kind("auto"), Kind("text"), Kind("skip")
MANY, MANY_INTS = Kind("real", 0, 3_000_000), Kind("ints", 0, 3_000_000)
INTS = Kind("ints", 0, 64)

NAMED = {"name": TEXT, "class": TEXT}
FRAME = {"quat": real(4), "axisangle": real(4), "xyaxes": real(6), "zaxis": real(3), "euler": real(3)}
POSE = {"pos": real(3)} | FRAME
SOLVER = {"solref": real(2, 1), "solimp": real(5, 1)}
LOOK = {"material": TEXT, "rgba": real(4), "user": MANY, "group": INT}

JOINT = (
    {"type": word(*JOINT_TYPES), "pos": real(3), "axis": real(3), "limited": AUTO, "range": BOUNDS, "group": INT}
    | {"ref": real(1), "springref": real(1), "stiffness": real(3, 1), "damping": real(3, 1), "springdamper": real(2)}
    | {"armature": real(1), "frictionloss": real(1), "margin": real(1), "user": MANY, "springyield": refuse("0")}
    | {"actuatorfrclimited": AUTO, "actuatorfrcrange": BOUNDS, "actuatorgravcomp": BOOL}
    | {"solreflimit": real(2, 1), "solimplimit": real(5, 1)}
    | {"solreffriction": real(2, 1), "solimpfriction": real(5, 1)}
)
GEOM = (
    {"type": word(*GEOM_TYPES, refused=("sdf",)), "size": real(3, 1), "fromto": real(6)}
    | POSE
    | LOOK
    | SOLVER
    | {"contype": INT, "conaffinity": INT, "condim": INT, "priority": INT, "friction": real(3, 1), "mass": real(1)}
    | {"density": real(1), "shellinertia": BOOL, "solmix": real(1), "margin": real(1), "gap": real(1)}
    | {"mesh": TEXT, "hfield": TEXT, "fitscale": real(1), "castshadow": SKIP, "fluidcoef": real(5, 1)}
    | {"fluidshape": word("none", "ellipsoid"), "adhesion": real(1), "surfacevel": real(6)}
)
SITE = {"type": word(*SITE_TYPES), "size": real(3, 1), "fromto": real(6), "mesh": SKIP} | POSE | LOOK
SHARED_MESH = {"scale": real(3), "maxhullvert": INT, "inertia": word(*INERTIA_TYPES)}
"""Attributes of a mesh that a defaults class may hold."""
MESH = SHARED_MESH | {"file": TEXT, "content_type": TEXT, "vertex": MANY, "face": MANY_INTS, "refpos": real(3), "refquat": real(4)}
MESH |= {"builtin": TEXT, "params": SKIP} | dict.fromkeys(("normal", "texcoord", "smoothnormal", "material"), SKIP)
HFIELD = {"file": TEXT, "content_type": TEXT, "nrow": INT, "ncol": INT, "size": real(4), "elevation": MANY}
PAIR = {"condim": INT, "friction": real(5, 1), "solreffriction": real(2, 1), "margin": real(1), "gap": real(1)} | SOLVER
PAIR |= {"adhesion": real(1)}
EQUALITY = {"active": BOOL} | SOLVER

FIXED = (
    {"group": INT, "user": MANY, "limited": AUTO, "range": BOUNDS, "margin": real(1), "springlength": real(2, 1)}
    | {"actuatorfrclimited": AUTO, "actuatorfrcrange": BOUNDS, "stiffness": real(3, 1), "damping": real(3, 1)}
    | {"armature": real(1), "frictionloss": real(1), "springyield": refuse("0")}
    | {"solreflimit": real(2, 1), "solimplimit": real(5, 1), "solreffriction": real(2, 1), "solimpfriction": real(5, 1)}
)
TENDON = FIXED | {"width": real(1), "rgba": real(4), "material": TEXT}
"""Attributes of a tendon in a defaults class; a fixed tendon accepts none that only draw."""
PATHS: dict[str, dict[str, dict[str, Kind]]] = {
    "fixed": {"joint": {"joint": TEXT, "coef": real(1)}},
    "spatial": {"site": {"site": TEXT}, "geom": {"geom": TEXT, "sidesite": TEXT}, "pulley": {"divisor": real(1)}},
}
"""Kind of tendon -> its children and their attributes; all but sidesite are required."""

OWN = {"lengthrange": real(2)}
TARGETS = dict.fromkeys(("joint", "jointinparent", "tendon", "site", "refsite", "body", "slidersite", "cranksite"), TEXT)
ACTUATOR = (
    {"gear": real(6, 1), "ctrllimited": AUTO, "ctrlrange": BOUNDS, "forcelimited": AUTO, "forcerange": BOUNDS}
    | {"group": INT, "user": MANY, "interp": word(*INTERPOLATIONS), "cranklength": real(1), "nsample": INT}
    | {"delay": real(1), "armature": real(1), "damping": real(3, 1)}
)
GENERAL = (
    {"actdim": INT, "actearly": BOOL, "actlimited": AUTO, "actrange": BOUNDS, "inheritrange": real(1)}
    | {"dyntype": word(*DYN_TYPES, refused=("user",)), "dynprm": real(10, 1)}
    | {"gaintype": word(*GAIN_TYPES, refused=("user",)), "gainprm": real(10, 1)}
    | {"biastype": word(*BIAS_TYPES, refused=("user",)), "biasprm": real(10, 1)}
    | {"input": TEXT, "ffrange": real(2), "velrange": real(2)}
)
SERVO = {"kp": real(1), "kv": real(1), "dampratio": real(1), "inheritrange": real(1)}
SHORTCUTS: dict[str, dict[str, Kind]] = {
    "general": GENERAL,
    "motor": {},
    "position": SERVO | {"timeconst": real(1)},
    "velocity": {"kv": real(1)},
    "intvelocity": SERVO | {"actlimited": AUTO, "actrange": BOUNDS},
    "damper": {"kv": real(1)},
    "muscle": {"timeconst": real(2), "tausmooth": real(1), "range": real(2)}
    | dict.fromkeys(("force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"), real(1)),
    "adhesion": {"gain": real(1)},
    "pid": SERVO
    | dict.fromkeys(("ki", "imax", "slewmax"), real(1))
    | dict.fromkeys(("posrange", "velrange", "ffrange"), real(2))
    | {"input": TEXT},
    "dcmotor": {"motorconst": real(2, 1), "resistance": real(1), "nominal": real(3, 1), "saturation": real(3, 1), "input": TEXT}
    | {"inductance": real(2, 1), "cogging": real(3, 1), "controller": real(6, 1), "thermal": real(6, 1), "lugre": real(5, 1)},
    "cylinder": {"timeconst": real(1), "area": real(1), "diameter": real(1), "bias": real(3)},
    "orientation": {"kp": real(1), "kv": real(1), "dampratio": real(1), "input": TEXT},
}
"""Actuator elements that are simulated: their own attributes beyond those of every actuator."""
NOT_OF = {
    "adhesion": (*(target for target in TARGETS if target != "body"), *OWN)
    + ("gear", "ctrllimited", "armature", "damping", "cranklength"),
    "dcmotor": ("forcelimited", "forcerange"),
    "damper": ("ctrllimited",),
    "orientation": (*(target for target in TARGETS if target not in ("joint", "site", "refsite")), *OWN)
    + ("gear", "ctrllimited", "armature", "damping", "cranklength"),
}
"""Attributes of every actuator that a kind does not accept; none but `general` and `adhesion` accepts `body`."""


def actuator_table(tag: str) -> dict[str, Kind]:
    """What an actuator element accepts."""
    table = NAMED | OWN | TARGETS | ACTUATOR | SHORTCUTS[tag]
    excluded = NOT_OF.get(tag, ()) + (() if tag in ("general", "adhesion") else ("body",))
    return {key: kind for key, kind in table.items() if key not in excluded}


REFUSED_ACTUATORS = ("plugin",)

CAMERA = dict.fromkeys(
    "focal focalpixel fovy ipd mode output principal principalpixel projection resolution sensorsize user".split(), TEXT
)
CAMERA |= POSE
LIGHT = dict.fromkeys(
    "active ambient attenuation bulbradius castshadow cutoff diffuse directional exponent intensity mode range softness specular"
    " type".split(), TEXT,
)  # fmt: skip
LIGHT |= {"pos": real(3), "dir": real(3)}
MATERIAL = dict.fromkeys(
    "emission metallic reflectance rgba roughness shininess specular texrepeat texture texuniform".split(), TEXT
)
TEXTURE = dict.fromkeys(
    "builtin colorspace embed gridlayout gridsize height hflip mark markrgb nchannel random rgb1 rgb2 type vflip width".split(),
    TEXT,
)
"""Of what is only drawn: kept as texts."""
TEXTURE_FILES = tuple(f"file{side}" for side in ("", "back", "down", "front", "left", "right", "up"))
LAYER = {"role": TEXT, "texture": TEXT}
VISUAL: dict[str, tuple[str, ...]] = {
    "global": tuple(
        "azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight offwidth orthographic"
        " realtime".split()
    ),
    "quality": ("numquads", "numslices", "numstacks", "offsamples", "shadowsize"),
    "headlight": ("active", "ambient", "diffuse", "specular"),
    "map": tuple(
        "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot torque zfar znear".split()
    ),
    "scale": tuple(
        "actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth forcewidth framelength framewidth"
        " frustum jointlength jointwidth light selectpoint slidercrank".split()
    ),
    "rgba": tuple(
        "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint contactforce contactfriction"
        " contactgap contactpoint contacttorque crankbroken fog force frustum haze inertia joint light rangefinder selectpoint"
        " slidercrank".split()
    ),
}
STATISTIC = {"meaninertia": real(1), "meanmass": real(1), "meansize": real(1), "extent": real(1), "center": real(3)}
CUSTOM: dict[str, dict[str, Kind]] = {
    "numeric": {"name": TEXT, "data": MANY, "size": INT},
    "text": {"name": TEXT, "data": TEXT},
    "tuple": {"name": TEXT},
}
TUPLE_ELEMENT = {"objtype": TEXT, "objname": TEXT, "prm": real(1)}

DEFAULTS: dict[str, dict[str, Kind]] = {
    "joint": JOINT,
    "geom": GEOM,
    "site": SITE,
    "pair": PAIR,
    "equality": EQUALITY,
    "tendon": TENDON,
    "mesh": SHARED_MESH,
    "camera": CAMERA,
    "light": LIGHT,
    "material": MATERIAL,
    "texture": TEXTURE,
    **{
        tag: {key: kind for key, kind in (ACTUATOR | own).items() if key not in NOT_OF.get(tag, ())}
        for tag, own in SHORTCUTS.items()
    },
}
"""Elements of a defaults class that matter; the others only draw or belong to elements that are refused."""
IGNORED_DEFAULTS = REFUSED_ACTUATORS

BODY = {"name": TEXT, "childclass": TEXT, "gravcomp": real(1), "user": MANY, "fuse": word("auto", "false"), "simple": SKIP} | POSE
BODY |= {"mocap": BOOL, "sleep": refuse("auto", "never")}
INERTIAL = {"name": SKIP, "mass": real(1), "diaginertia": real(3), "fullinertia": real(6)} | POSE
FREEJOINT = {"name": TEXT, "group": INT, "align": AUTO}
MJCF_FRAME = {"name": TEXT, "childclass": TEXT} | POSE

REPLICATE = {"count": INT, "sep": TEXT, "offset": real(3), "euler": real(3), "childclass": TEXT}
ATTACH = {"model": TEXT, "body": TEXT, "frame": TEXT, "prefix": TEXT}
MODEL_ASSET = {"name": TEXT, "file": TEXT, "content_type": SKIP}

CONTACT = {
    "pair": NAMED | {"geom1": TEXT, "geom2": TEXT} | PAIR,
    "exclude": {"name": TEXT, "body1": TEXT, "body2": TEXT},
}
EQUALITIES = {
    "connect": NAMED | EQUALITY | {"anchor": real(3)} | {k: TEXT for k in ("body1", "body2", "site1", "site2")},
    "weld": NAMED | EQUALITY | {"anchor": real(3), "relpose": real(7), "torquescale": real(1)},
    "joint": NAMED | EQUALITY | {"joint1": TEXT, "joint2": TEXT, "polycoef": real(5, 1)},
    "tendon": NAMED | EQUALITY | {"tendon1": TEXT, "tendon2": TEXT, "polycoef": real(5, 1)},
}
EQUALITIES["weld"] |= {k: TEXT for k in ("body1", "body2", "site1", "site2")}
REFUSED_EQUALITIES = ("flex", "flexvert", "flexstrain", "distance")
KEY = {"name": TEXT, "time": real(1), "qpos": MANY, "qvel": MANY, "act": MANY, "ctrl": MANY}
KEY |= {"mpos": MANY, "mquat": MANY, "plastic": SKIP}

USER_SIZES = ("nuserdata", "nuser_actuator", "nuser_body", "nuser_geom", "nuser_jnt", "nuser_sensor", "nuser_site", "nuser_tendon")
SIZE = dict.fromkeys(("nkey", *USER_SIZES), INT) | dict.fromkeys(("memory", "nconmax", "njmax", "nstack", "nuser_cam"), SKIP)


COMPILER = {
    "angle": word("degree", "radian"),
    "coordinate": word("local", refused=("global",)),
    "eulerseq": TEXT,
    "autolimits": BOOL,
    "inertiafromgeom": AUTO,
    "inertiagrouprange": Kind("ints", 2, 2),
    "boundmass": real(1),
    "boundinertia": real(1),
    "balanceinertia": BOOL,
    "settotalmass": real(1),
    "fusestatic": BOOL,
    "alignfree": BOOL,
    "discardvisual": BOOL,
    "fitaabb": BOOL,
    "meshdir": TEXT,
    "assetdir": TEXT,
    "texturedir": TEXT,
    "strippath": BOOL,
} | dict.fromkeys(
    ("conflict", "passthrough", "savecanonical", "savecompiled", "saveinertial", "usethread"),
    SKIP,
)

LENGTHRANGE = {"mode": word(*LENGTH_MODES), "useexisting": BOOL, "uselimit": BOOL} | dict.fromkeys(
    ("accel", "maxforce", "timeconst", "timestep", "inttotal", "interval", "tolrange"), real(1)
)

OPTION = (
    dict.fromkeys(SCALARS, real(1))
    | dict.fromkeys(COUNTS, INT)
    | {name: real(size, 1 if name.startswith("o_") else size) for name, size in VECTORS.items()}
    | {"actuatorgroupdisable": INTS}
    | {name: word(*words) for name, words in WORDS.items()}
)
FLAG = dict.fromkeys(FLAGS, word("enable", "disable"))

SECTIONS = tuple(
    "compiler option size default asset worldbody contact equality actuator sensor keyframe tendon deformable custom statistic"
    " visual".split()
)
NOTED_SECTIONS = {
    "extension": "plugins are not simulated; what uses one is named where it stands",
}
"""Sections without which the model moves just the same."""
SENSORS = tuple(
    "touch accelerometer velocimeter gyro force torque magnetometer camprojection rangefinder jointpos jointvel tendonpos"
    " tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel jointlimitpos"
    " jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat framexaxis frameyaxis"
    " framezaxis framelinvel frameangvel framelinacc frameangacc subtreecom subtreelinvel subtreeangmom insidesite distance"
    " normal fromto contact e_potential e_kinetic clock tactile user plugin".split()
)
CONTAINERS: tuple[str, ...] = ("mujoco", "compiler", "option", "default", "worldbody", "body", "frame", "replicate", "fixed")
CONTAINERS += ("spatial", "tuple", "material", "composite")
"""Elements that have children; the others accept none, but for plugins."""
BODY_CHILDREN = ("inertial", "joint", "freejoint", "geom", "site", "body", "frame", "replicate", "attach", "camera", "light")
REFUSED_BODY_CHILDREN = ("flexcomp", "plugin")
