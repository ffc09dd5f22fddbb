"""The mechanism as the user describes it: dataclasses, filled by a reader or by hand, compiled by `compile_model`.

Everything is in SI units and radians, orientations are quaternions (w, x, y, z), positions and orientations are
relative to the owning body (a body's own: relative to its parent body). `None` means "not given": the compiler infers
the value. Names must be unique per kind; "" means unnamed. Names, defaults and meanings: MuJoCo 4.0.

    mechanism = Mechanism("pendulum")
    arm = mechanism.world.add(Body("arm", pos=(0, 0, 1)))
    arm.add(Joint("swing", type="hinge", axis=(0, 1, 0)))
    arm.add(Geom("rod", type="capsule", fromto=(0, 0, 0, 0, 0, -0.5), size=(0.02,)))
    model = mechanism.compile()

One file a kind of element, as MJCF has its sections:

    mechanism                               what holds the rest
    body, joint, geom                       the kinematic tree and the shapes on it
    asset, drawn                            meshes, height fields; what is only drawn
    contact, equality, tendon, actuator     what acts on and between bodies
    sensor, keyframe, custom                outputs, stored states, the user's own data
    settings                                of the compiler and of the simulation
    element                                 what all of them have
"""

from .actuator import Actuator
from .asset import HField, Mesh
from .body import Body, Inertial, NamedFrame
from .contact import ContactPair, Exclude
from .custom import Numeric, Text, Tuple, TupleElement
from .drawn import Camera, Drawn, Light, Material, Texture
from .element import Element, Vector
from .equality import EQUALITY_TYPES, Equality
from .geom import GEOM_TYPES, SITE_TYPES, Geom, Site
from .joint import JOINT_TYPES, Joint
from .keyframe import Keyframe, KeyPart
from .mechanism import Mechanism
from .sensor import Sensor
from .settings import CompilerSettings, LengthRange, OptionSpec
from .tendon import JointTerm, Pulley, SitePoint, Tendon, WrapGeom

__all__ = [
    "Mechanism", "Element", "Vector", "CompilerSettings", "LengthRange", "OptionSpec",
    "Body", "Inertial", "NamedFrame", "Joint", "JOINT_TYPES", "Geom", "GEOM_TYPES", "Site", "SITE_TYPES",
    "Mesh", "HField", "Drawn", "Texture", "Material", "Camera", "Light",
    "ContactPair", "Exclude", "Equality", "EQUALITY_TYPES", "Tendon", "JointTerm", "SitePoint", "WrapGeom", "Pulley", "Actuator",
    "Sensor", "Keyframe", "KeyPart", "Numeric", "Text", "Tuple", "TupleElement",
]  # fmt: skip
