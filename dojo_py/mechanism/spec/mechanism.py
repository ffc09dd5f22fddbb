"""`Mechanism`: everything that is described, and the ways to find, add, delete, attach and compile it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import ErrorRecord
from .actuator import Actuator
from .asset import HField, Mesh
from .body import Body, NamedFrame
from .contact import ContactPair, Exclude
from .custom import Numeric, Text, Tuple
from .drawn import Material, Texture
from .element import IDENTITY, ZERO3, Element, Vector
from .equality import Equality
from .geom import Geom, Site
from .joint import Joint
from .keyframe import Keyframe
from .sensor import Sensor
from .settings import CompilerSettings, OptionSpec
from .tendon import Tendon

if TYPE_CHECKING:
    from ..keep import Kept
    from ..model import Model


@dataclass
class Mechanism(Element):
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
    """What the file sets of meaninertia, meanmass, meansize, extent, center: scales for viewers."""
    visual: dict[str, dict[str, str]] = field(default_factory=dict)
    """Settings of viewers: section -> attributes as texts."""
    frames: list[NamedFrame] = field(default_factory=list, repr=False)
    left_out: list[ErrorRecord] = field(default_factory=list, repr=False, compare=False)
    """What the file that it was read from holds besides."""

    def find(self, kind: str, name: str) -> Any:
        """The described element of this kind ("body", "joint", "geom", "actuator", ...) and name, or `ModelError`."""
        from ..edit import find

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

    def tendon(self, name: str) -> Tendon:
        """The tendon of this name."""
        return self.find("tendon", name)

    def sensor(self, name: str) -> Sensor:
        """The sensor of this name."""
        return self.find("sensor", name)

    def mesh(self, name: str) -> Mesh:
        """The mesh of this name."""
        return self.find("mesh", name)

    def material(self, name: str) -> Material:
        """The material of this name."""
        return self.find("material", name)

    def keyframe(self, name: str) -> Keyframe:
        """The keyframe of this name."""
        return self.find("keyframe", name)

    def add(self, element: Any) -> Any:
        """Add an actuator, equality, pair, exclude, keyframe, mesh, ... and return it; a body becomes a child of the world."""
        from ..edit import add

        return add(self, element)

    def delete(self, element: Any) -> None:
        """Take an element out, with everything in it and everything that refers to it; keyframes keep what remains."""
        from ..edit import delete

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
        from ..edit import attach_at

        return attach_at(self, child, to, prefix, body, frame, pos, quat)

    def bind_keyframes(self) -> None:
        """Let keyframes keep their values by joint, actuator and mocap body. Call it before you add any of these yourself."""
        from ..keys import bind_keyframes

        bind_keyframes(self)

    def keep(self, state: Any) -> Kept:
        """Keep a state of this mechanism's model while the mechanism is edited: call it first, then `kept.compile()`.

        state: as a simulator of the present model returns it. Raises ValueError for one of another model.
        """
        from ..keep import Kept

        return Kept(self, state)

    def copy(self) -> Mechanism:
        """An independent copy."""
        return copy.deepcopy(self)

    def compile(self) -> Model:
        """The model of this description."""
        from ..compile import compile_model

        return compile_model(self)
