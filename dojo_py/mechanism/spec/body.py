"""Bodies, what they hold and who hangs on whom: the kinematic tree."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import ModelError
from .drawn import Camera, Light
from .element import IDENTITY, ZERO3, Element, Vector
from .geom import Geom, Site
from .joint import Joint
from .settings import CompilerSettings

MAX_WALKED = 100_000
"""Most bodies of a subtree that is looked through: one that holds itself has no end."""


@dataclass
class Inertial(Element):
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
class Body(Element):
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
    settings: CompilerSettings | None = field(default=None, repr=False)
    """How its inertia is completed, where not as the model says: the settings of the model that it was attached from."""
    frame: tuple[Vector, Vector] | None = field(default=None, repr=False, compare=False)
    """Pose in the parent of the frame of a file that it stands in; `pos` and `quat` have it in them, `attach` takes it out."""

    def add(self, element: Any) -> Any:
        """Add a child body, joint, geom, site, camera or light, and return it."""
        lists: dict[type, list[Any]] = {
            Body: self.bodies, Joint: self.joints, Geom: self.geoms, Site: self.sites, Camera: self.cameras, Light: self.lights,
        }  # fmt: skip
        kind = next((kind for kind in lists if isinstance(element, kind)), None)
        if kind is None:
            accepted = [kind.__name__ for kind in lists]
            raise TypeError(f"a {type(element).__name__} cannot be added to body '{self.name}'; accepted: {accepted}")
        if kind is Body and any(body is self for body, _ in element.walk()):
            raise ModelError(f"body '{element.name}' cannot be added to body '{self.name}', which it holds")
        lists[kind].append(element)
        return element

    def __deepcopy__(self, memo: dict[int, Any]) -> Body:
        """Body by body: trees may be deeper than Python's stack."""
        for body, parent in self.walk():
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
        count = 0
        while stack:
            count += 1
            if count > MAX_WALKED:
                raise ModelError(f"body '{self.name}' holds more than {MAX_WALKED} bodies, or itself")
            body, parent = stack.pop()
            yield body, parent
            stack.extend((child, body) for child in reversed(body.bodies))


@dataclass
class NamedFrame(Element):
    """A `frame` of a file that has a name: what stood in it can be attached by that name, and belongs to the body around it."""

    name: str = ""
    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    frame: tuple[Vector, Vector] | None = None
    """Pose of the frame around it, which `pos` and `quat` have in them."""
    elements: list[Any] = field(default_factory=list)
