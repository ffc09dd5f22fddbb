"""Trees of bodies for the soft mode: joints, geoms and sites with every attribute that the reader accepts.

A geom's contype tells its shape and its conaffinity the shapes that it may touch, so that only pairs with a contact function arise.
"""

from dojo_py.reproduce.gauntlet.soft_random import Draw
from dojo_py.soft.narrowphase import SHAPE_NAMES, SUPPORTED

SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
JOINTS: tuple[list[str], ...] = (
    ["hinge"], ["hinge"], ["slide"], ["ball"], ["free"], [], ["hinge", "hinge", "hinge"], ["slide", "ball"], ["slide", "hinge"],
)  # fmt: skip
"""What a body may have."""
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


def can_touch(a: str, b: str) -> bool:
    """Whether there is a contact function for these two shapes."""
    i, j = sorted((SHAPE_NAMES.index(a), SHAPE_NAMES.index(b)))
    return (i, j) in SUPPORTED


class Tree:
    """The bodies of one model in the making, and the names that its other sections refer to."""

    def __init__(self, draw: Draw, size: int):
        self.draw = draw
        self.room = size
        self.classes = ["main", "a", "b", "c"]
        self.names: dict[str, list[str]] = {kind: [] for kind in ("body", "site", "scalar", "ball", "free", "limited")}
        self.shapes: dict[str, str] = {}
        self.nq = self.nv = 0

    def name(self, kind: str) -> str:
        """A new name as an attribute."""
        names = self.names.setdefault(kind, [])
        names.append(f"{kind}{len(names)}")
        return f' name="{names[-1]}"'

    def of_class(self, p: float = 0.2) -> str:
        """A class attribute, with the probability p."""
        return self.draw.maybe(p, f'class="{self.draw.pick(self.classes)}"')

    # attributes that elements and defaults share

    def joint_attributes(self, kind: str) -> str:
        """Of a joint of the given type; "default": those that every type takes."""
        d = self.draw
        words = d.solver(0.2, "limit") + d.solver(0.2, "friction")
        stiffness = d.pick([d.wide(0.1, 100), f"{d.wide(0.1, 10)} {d.normal(2)}"])
        damping = d.pick([d.wide(0.001, 3), d.uniform(3, 0, 0.5)])
        words += d.maybe(0.3, f'stiffness="{stiffness}"') + d.maybe(0.4, f'damping="{damping}"')
        words += d.maybe(0.05, f'springdamper="{d.uniform(2, 0.05, 0.5)}"') + d.maybe(0.4, f'armature="{d.wide(1e-4, 0.3)}"')
        words += d.maybe(0.3, f'frictionloss="{d.wide(0.01, 5)}"') + d.maybe(0.2, f'margin="{d.uniform(1, 0, 0.3)}"')
        words += d.maybe(0.25, 'actuatorgravcomp="true"') + d.maybe(0.1, 'group="3"')
        if kind in ("hinge", "slide"):
            words += d.maybe(0.2, f'ref="{d.angle(-0.5, 0.5)}"') + d.maybe(0.2, f'springref="{d.angle(-0.5, 0.5)}"')
            words += d.maybe(0.25, f'actuatorfrcrange="-{d.wide(0.01, 3)} {d.wide(0.01, 3)}"')
        if kind in ("hinge", "slide", "ball") and d.chance(0.5):
            low = "0" if kind == "ball" else d.angle(-0.8, 0)
            words += f' range="{low} {d.angle(0.05, 0.8)}"' + d.maybe(0.4, 'limited="true"')
        return words

    def contact_attributes(self) -> str:
        """Of a geom, but for its shape and what it touches."""
        d = self.draw
        words = d.maybe(0.4, f'friction="{d.uniform(d.count(1, 3), 0, 1.5)}"') + d.maybe(0.5, f'condim="{d.pick([1, 3, 4, 6])}"')
        words += d.maybe(0.15, f'priority="{d.pick([-1, 1, 2])}"') + d.maybe(0.2, f'solmix="{d.pick(["0", d.wide(0.1, 10)])}"')
        words += d.maybe(0.25, f'margin="{d.uniform(1, 0, 0.1)}"') + d.maybe(0.2, f'gap="{d.uniform(1, 0, 0.05)}"')
        return words + d.solver(0.2) + d.maybe(0.2, f'group="{d.count(0, 5)}"')

    def touches(self, shape: str) -> str:
        """contype and conaffinity of a geom."""
        shapes = ("plane", *SHAPES)
        mask = sum(1 << i for i, other in enumerate(shapes) if can_touch(shape, other) and self.draw.chance(0.85))
        own = 0 if self.draw.chance(0.1) else 1 << shapes.index(shape)
        return f' contype="{own}" conaffinity="{mask}"'

    # elements

    def geom(self, heavy: bool) -> str:
        """A geom; a heavy one has mass."""
        d = self.draw
        shape = d.pick(SHAPES)
        name = self.name("geom")
        self.shapes[self.names["geom"][-1]] = shape
        segment = shape != "sphere" and d.chance(0.25)
        where = f' type="{shape}" size="{d.uniform(SIZES[shape], 0.04, 0.2)}"' + d.maybe(0.7, f'pos="{d.normal(3, 0.15)}"')
        where += d.orientation(0.6)
        if segment:
            where = f' type="{shape}" size="{d.uniform(1, 0.04, 0.15)}" fromto="{d.normal(6, 0.2)}"'
        mass = d.pick(["", f' mass="{d.wide(0.01, 30)}"', f' density="{d.wide(50, 5000)}"'])
        if not heavy and d.chance(0.2):
            mass = ' mass="0"'
        return f"<geom{name}{self.of_class()}{where}{self.touches(shape)}{mass}{self.contact_attributes()}/>"

    def plane(self) -> str:
        """A floor, tilted or not."""
        d = self.draw
        name = self.name("geom")
        self.shapes[self.names["geom"][-1]] = "plane"
        tilt = d.maybe(0.4, f'euler="{d.angle(-0.2, 0.2)} {d.angle(-0.2, 0.2)} 0"')
        size = d.pick(["1 1 .1", "0 0 1"])
        where = f'size="{size}" pos="0 0 {d.uniform(1, -0.6, -0.1)}"{tilt}'
        return f'<geom{name} type="plane" {where}{self.touches("plane")}{self.contact_attributes()}/>'

    def site(self) -> str:
        """A site."""
        d = self.draw
        return f'<site{self.name("site")}{self.of_class()} pos="{d.normal(3, 0.2)}"{d.orientation(0.6)}/>'

    def inertial(self) -> str:
        """An explicit inertia."""
        d = self.draw
        scale = 10 ** d.rng.uniform(-3, 0)
        words = f'<inertial pos="{d.normal(3, 0.1)}" mass="{d.wide(0.05, 10)}"'
        if d.chance(0.5):
            return f'{words} diaginertia="{d.uniform(3, 0.13 * scale, 0.2 * scale)}"{d.orientation(0.5)}/>'
        return f'{words} fullinertia="{d.uniform(3, 0.13 * scale, 0.2 * scale)} {d.uniform(3, -0.01 * scale, 0.01 * scale)}"/>'

    def joints(self, depth: int) -> str:
        """The joints of a body: none, one of any type, or several."""
        d = self.draw
        kinds = d.pick(JOINTS)
        if kinds == ["free"] and depth:
            kinds = ["ball"]
        if kinds == ["free"]:
            self.nq, self.nv = self.nq + 7, self.nv + 6
            if d.chance(0.4):
                return f"<freejoint{self.name('free')}" + d.some(0.4, "align", "true") + "/>"
            return f'<joint{self.name("free")} type="free" limited="false"{self.joint_attributes("free")}/>'
        words = ""
        for kind in kinds:
            group = "ball" if kind == "ball" else "scalar"
            name, attributes = self.name(group), self.joint_attributes(kind)
            if " range=" in attributes and group == "scalar":
                self.names["limited"].append(self.names[group][-1])
            self.nq, self.nv = self.nq + (4 if kind == "ball" else 1), self.nv + (3 if kind == "ball" else 1)
            where = f'axis="{d.normal(3)}"' + d.some(0.5, "pos", d.normal(3, 0.1))
            words += f'<joint{name} type="{kind}" {where}{attributes}/>'
        return words

    def body(self, depth: int = 0) -> str:
        """A body with its descendants."""
        d = self.draw
        self.room -= 1
        words = f'<body{self.name("body")} pos="{d.normal(3, 0.3)}"{d.orientation(0.5)}'
        words += d.maybe(0.2, f'childclass="{d.pick(self.classes)}"') + d.maybe(0.3, f'gravcomp="{d.uniform(1, -0.5, 1.5)}"') + ">"
        words += self.joints(depth)
        words += self.inertial() if d.chance(0.3) else self.geom(heavy=True)
        words += "".join(self.geom(heavy=False) for _ in range(d.count(0, 2)))
        words += self.site() if d.chance(0.6) else ""
        inner = ""
        while self.room > 0 and depth < 4 and d.chance(0.55):
            inner += self.body(depth + 1)
        if d.chance(0.15):
            where = f'pos="{d.normal(3, 0.2)}"{d.orientation(0.9)}' + d.some(0.2, "childclass", d.pick(self.classes))
            return words + f"<frame {where}>{inner}</frame></body>"
        return words + inner + "</body>"

    def world(self) -> str:
        """The worldbody: floors, things that stand still, trees."""
        d = self.draw
        words = "".join(self.plane() for _ in range(d.pick([0, 1, 1, 1, 2])))
        words += "".join(self.geom(heavy=False) for _ in range(d.pick([0, 0, 1]))) + self.site()
        while self.room > 0:
            words += self.body()
        return f"<worldbody>{words}</worldbody>"
