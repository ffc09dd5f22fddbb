"""Seeded random MJCF files that use every attribute the reader knows, for comparison with the wheel."""

import re

import numpy as np
from lxml import etree
from scipy.spatial import ConvexHull


def random_mjcf(seed: int) -> str:
    """One random model. Valid by construction; moving bodies have mass."""
    text = with_tendons(_Generator(seed).text(), np.random.default_rng([seed, 2]))
    text = with_samples(with_user_data(text, np.random.default_rng([seed, 3])), np.random.default_rng([seed, 4]))
    text = with_surfaces(text, np.random.default_rng([seed, 5]))
    text = with_meshes(text, np.random.default_rng([seed, 1])) if seed % 2 else text
    return with_hfield(text, np.random.default_rng([seed, 2])) if seed % 3 == 0 else text


def with_user_data(text: str, rng: np.random.Generator) -> str:
    """The model with numbers of the user's in its elements, custom ones, and a few sensors."""
    root = etree.fromstring(text)
    named = []
    for node in root.iter("body", "joint", "geom", "site", "motor", "position", "general", "fixed"):
        if node.getparent().tag in ("default", "fixed", "spatial", "equality"):
            continue
        if rng.random() < 0.1:
            node.set("user", _listed(rng.normal(size=int(rng.integers(1, 4)))))
        if node.get("name") and node.tag in ("body", "joint", "geom", "site"):
            named.append((node.tag, node.get("name")))
    custom = etree.SubElement(root, "custom")
    etree.SubElement(custom, "numeric", name="gains", data=_listed(rng.normal(size=3)), size=str(rng.integers(3, 6)))
    etree.SubElement(custom, "numeric", name="zeros", size="2")
    etree.SubElement(custom, "text", name="note", data="words")
    for size in (3, 1):
        group = etree.SubElement(custom, "tuple", name=f"group{size}")
        for k in rng.integers(len(named), size=size):
            tag, name = named[k]
            etree.SubElement(group, "element", objtype=tag, objname=name, prm=_listed(rng.normal(size=1)))
    sensor = etree.SubElement(root, "sensor")
    for k in rng.integers(len(named), size=4):
        tag, name = named[k]
        if tag != "joint":
            kind = str(rng.choice(["framepos", "framequat", "frameangvel", "framelinacc"]))
            node = etree.SubElement(sensor, kind, objtype=tag, objname=name, noise=_listed(rng.random(1)))
            if kind != "framequat":
                node.set("cutoff", _listed(rng.random(1)))
            sites = [other for what, other in named if what == "site"]
            if sites and kind != "framelinacc" and rng.random() < 0.5:
                node.set("reftype", "site")
                node.set("refname", str(rng.choice(sites)))
    etree.SubElement(sensor, "clock", name="clock")
    sizes = {"nuserdata": str(rng.integers(1, 9))} | ({"nuser_geom": "5"} if rng.random() < 0.3 else {})
    etree.SubElement(root, "size", **sizes)
    return etree.tostring(root).decode()


def with_surfaces(text: str, rng: np.random.Generator) -> str:
    """The model with surfaces that move and stick, and servos of the orientations of its ball joints and of two sites."""
    root = etree.fromstring(text)
    for node in root.iter("geom", "pair"):
        if node.getparent().tag in ("spatial",):
            continue
        if rng.random() < 0.1:
            node.set("adhesion", _listed(rng.normal(size=1)))
        if node.tag == "geom" and rng.random() < 0.1:
            node.set("surfacevel", _listed(rng.normal(size=6)))
    actuator = root.find("actuator")
    if actuator is None:
        actuator = etree.SubElement(root, "actuator")
    balls = [node.get("name") for node in root.iter("joint") if node.get("type") == "ball" and node.get("name")]
    sites = [node.get("name") for node in root.iter("site") if node.getparent().tag in ("body", "worldbody") and node.get("name")]
    targets = [{"joint": name} for name in balls] + [dict(zip(("site", "refsite"), sites, strict=False))] * (len(sites) > 1)
    for target in targets[:2]:
        servo = {"forcerange": f"0 {1.0 + rng.random():.3f}", "kp": _listed(rng.random(1))} | target
        servo[str(rng.choice(["kv", "dampratio"]))] = _listed(rng.random(1))
        etree.SubElement(actuator, "orientation", input=str(rng.choice(["expmap", "quat"])), **servo)
    return etree.tostring(root).decode()


def with_samples(text: str, rng: np.random.Generator) -> str:
    """The model with actuators and sensors that come late or seldom, and contact sensors."""
    root = etree.fromstring(text)
    bodies, sensors = [node.get("name") for node in root.iter("body") if node.get("name")], root.find("sensor")
    for reduce in ("none", "mindist", "netforce"):
        node = etree.SubElement(sensors, "contact", num=str(rng.integers(1, 4)), reduce=reduce, data="found dist pos")
        if bodies and rng.random() < 0.7:
            node.set(str(rng.choice(["body1", "subtree1", "body2"])), str(rng.choice(bodies)))
    for node in [child for section in root.iter("actuator", "sensor") for child in section]:
        if rng.random() < 0.3:
            node.set("nsample", str(rng.integers(1, 9)))
            node.set("interp", str(rng.choice(["zoh", "linear", "cubic"])))
            if rng.random() < 0.7:
                node.set("delay", _listed(rng.random(1)))
            if node.getparent().tag == "sensor" and rng.random() < 0.5:
                node.set("interval", _listed([0.2, -0.2 * rng.random()][: int(rng.integers(1, 3))]))
    return etree.tostring(root).decode()


def with_meshes(text: str, rng: np.random.Generator) -> str:
    """The model with meshes of every kind of inertia, in geoms that only draw and in primitives that are fitted to them."""
    assets, geoms = "", ""
    for k, kind in enumerate(("convex", "exact", "legacy", "shell", "")):
        points = rng.normal(size=(int(rng.integers(4, 30)), 3)) * rng.uniform(0.01, 1.0, 3)
        body = f'<mesh name="mesh{k}" vertex="{_listed(points)}"'
        hull = ConvexHull(points)
        outwards = np.einsum("ij,ij->i", np.cross(*_edges(points, hull.simplices)), hull.equations[:, :3]) > 0.0
        faces = np.where(outwards[:, None], hull.simplices, hull.simplices[:, [1, 0, 2]])
        body += f' face="{_listed(faces)}"' if rng.random() < 0.6 else f' maxhullvert="{rng.integers(4, 40)}"'
        body += f' inertia="{kind}"' if kind else ""
        body += f' refpos="{_listed(rng.normal(size=3))}"' if rng.random() < 0.5 else ""
        body += f' refquat="{_listed(rng.normal(size=4))}"' if rng.random() < 0.5 else ""
        sign = rng.choice([-1.0, 1.0], 3)
        body += f' scale="{_listed(rng.uniform(0.5, 2.0, 3) * sign)}"' if rng.random() < 0.5 else ""
        assets += body + "/>"
        shape = rng.choice(["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "mesh"])
        still = ' contype="0" conaffinity="0"' if shape == "mesh" else ' fitscale="1.3"'
        geoms += f'<body><joint/><geom type="{shape}" mesh="mesh{k}" pos="{_listed(rng.normal(size=3))}"{still}/></body>'
    text = text.replace("</worldbody>", f"{geoms}</worldbody><asset>{assets}</asset>", 1)
    return text.replace("<compiler ", '<compiler fitaabb="true" ', 1) if rng.random() < 0.5 else text


def with_hfield(text: str, rng: np.random.Generator) -> str:
    """The model with a height field that weighs, one that stands still, and one that nothing shows; none touches anything."""
    assets = '<hfield name="flat" nrow="3" ncol="2" size="1 1 1 1"/>'
    for k in range(2):
        nrow, ncol = rng.integers(2, 9, 2)
        heights = f' elevation="{_listed(rng.normal(size=nrow * ncol))}"' if k or rng.random() < 0.7 else ""
        assets += f'<hfield name="field{k}" nrow="{nrow}" ncol="{ncol}" size="{_listed(rng.uniform(0.1, 2.0, 4))}"{heights}/>'
    still = 'type="hfield" contype="0" conaffinity="0"'
    geoms = f'<geom {still} hfield="field0" pos="{_listed(rng.normal(size=3))}" quat="{_listed(rng.normal(size=4))}"/>'
    geoms += f'<body><joint/><geom {still} hfield="field1" pos="{_listed(rng.normal(size=3))}" fluidshape="ellipsoid"/></body>'
    return text.replace("</worldbody>", f"{geoms}</worldbody><asset>{assets}</asset>", 1)


def with_tendons(text: str, rng: np.random.Generator) -> str:
    """The model with fixed tendons on its hinges and slides, and what refers to them."""
    joints = sorted(set(re.findall(r'joint name="(scalar\d+)"', text)))
    if not joints:
        return text
    out, names = "", [f"tendon{t}" for t in range(int(rng.integers(1, 5)))]
    armature = rng.random() < 0.5
    for name in names:
        out += f'<fixed name="{name}"{_tendon_attributes(rng, armature)}'
        out += ' class="a"' if rng.random() < 0.3 else ""
        out += f' range="{_listed(np.sort(rng.normal(size=2)))}"' if rng.random() < 0.5 else ""
        out += f' actuatorfrcrange="{_listed(np.sort(rng.normal(size=2)) * (-1, 1) * 0.5 + (-2, 2))}"' if rng.random() < 0.4 else ""
        # three joints of two branches and armature: what is left of the inertia within the tree may be indefinite
        most = 2 if armature else len(joints)
        chosen = rng.choice(joints, int(rng.integers(1, min(most, len(joints)) + 1)), replace=False)
        out += ">" + "".join(f'<joint joint="{joint}" coef="{rng.normal():.4g}"/>' for joint in chosen) + "</fixed>"
    out += _spatial_tendons(text, rng)
    one, two = rng.choice(names), rng.choice(names)
    out = f'<tendon>{out}</tendon><actuator><motor tendon="{one}" gear="{rng.normal():.3g}"/><position tendon="{two}" kp="3"'
    out += f' dampratio="0.7"/></actuator><equality><tendon tendon1="{one}" polycoef="{_listed(rng.normal(size=3))}"'
    out += f' tendon2="{two}"/></equality>' if one != two else "/></equality>"
    default = f'<default class="a"><tendon{_tendon_attributes(rng, armature)} width=".02" rgba="{_listed(rng.uniform(size=4))}"/>'
    text = text.replace('<default class="a">', default, 1)
    return text.replace("</mujoco>", f"{out}</mujoco>")


def _spatial_tendons(text: str, rng: np.random.Generator) -> str:
    """Ways through the model's sites, around its spheres and cylinders, with pulleys."""
    sites = sorted(set(re.findall(r'<site name="(site\d+)"', text)))
    geoms = re.findall(r'<geom name="(geom\d+)"[^>]*? type="(?:sphere|cylinder)"', text)
    if len(sites) < 2:
        return ""
    out = ""
    for k in range(3):
        path = list(rng.permutation(sites)[: int(rng.integers(2, 5))])
        out += f'<spatial name="spatial{k}"{_tendon_attributes(rng, False)}>'
        for i, site in enumerate(path):
            if i > 0 and geoms and rng.random() < 0.5:
                side = f' sidesite="{rng.choice(sites)}"' if rng.random() < 0.5 else ""
                out += f'<geom geom="{rng.choice(geoms)}"{side}/>'
            out += f'<site site="{site}"/>'
        if rng.random() < 0.4:
            out += f'<pulley divisor="{rng.integers(1, 4)}"/><site site="{path[1]}"/><site site="{path[0]}"/>'
        out += "</spatial>"
    return out


def _tendon_attributes(rng, armature) -> str:
    numbers = {"stiffness": 3, "damping": 3, "springlength": 2, "frictionloss": 1, "margin": 1}
    numbers |= {"armature": 1} if armature else {}
    numbers |= {"solreflimit": 2, "solimplimit": 3, "solreffriction": 2, "solimpfriction": 5}
    out = ""
    for attribute, most in numbers.items():
        if rng.random() < 0.3:
            count = most if attribute.startswith("sol") else int(rng.integers(1, most + 1))
            out += f' {attribute}="{_listed(np.sort(rng.uniform(0.05, 0.9, count)))}"'
    return out + (f' group="{rng.integers(4)}"' if rng.random() < 0.3 else "")


def _listed(numbers) -> str:
    return " ".join(f"{x:.6g}" for x in np.ravel(numbers))


def _edges(points, faces):
    a, b, c = (points[faces[:, k]] for k in range(3))
    return b - a, c - a


class _Generator:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.radian = self.chance(0.4)
        self.count = 0
        self.names = {"body": [], "geom": [], "site": [], "scalar": [], "ball": [], "free": [], "limited": []}
        self.classes = ["main", "a", "b", "c"]
        self.nq, self.nv = 0, 0

    # -- random numbers as text
    def chance(self, p):
        return self.rng.random() < p

    def numbers(self, n, scale=1.0):
        return " ".join(f"{x:.4g}" for x in self.rng.normal(size=n) * scale)

    def positive(self, n, low=0.05, high=0.4):
        return " ".join(f"{x:.4g}" for x in self.rng.uniform(low, high, n))

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def angle(self, low, high):
        scale = 1.0 if self.radian else 180 / np.pi
        return f"{self.rng.uniform(low, high) * scale:.4g}"

    def name(self, kind):
        self.count += 1
        self.names.setdefault(kind, []).append(f"{kind}{self.count}")
        return f' name="{kind}{self.count}"'

    def maybe(self, p, text):
        return f" {text}" if self.chance(p) else ""

    def orientation(self, p=0.6):
        if not self.chance(p):
            return ""
        angles = " ".join(self.angle(-3, 3) for _ in range(3))
        return " " + self.pick(
            [
                f'quat="{self.numbers(4)}"',
                f'axisangle="{self.numbers(3)} {self.angle(-3, 3)}"',
                f'xyaxes="{self.numbers(6)}"',
                f'zaxis="{self.numbers(3)}"',
                f'euler="{angles}"',
            ]
        )

    def solver(self, suffix="", p=0.2):
        text = self.maybe(p, f'solref{suffix}="{self.positive(1, 0.01, 0.1)} {self.positive(1, 0.5, 2)}"')
        full = f"{self.positive(1, 0.5, 0.9)} {self.positive(1, 0.9, 0.99)} {self.positive(1, 0.001, 0.1)}"
        full += self.pick(["", " 0.3", " 0.4 3"])
        return text + self.maybe(p, f'solimp{suffix}="{self.pick([full, "0.8", "0.7 0.9"])}"')

    def cls(self, p=0.25):
        return self.maybe(p, f'class="{self.pick(self.classes)}"')

    # -- attributes shared by elements and defaults
    def joint_attributes(self, kind, limited=True):
        text = self.solver("limit") + self.solver("friction")
        text += self.maybe(0.3, f'stiffness="{self.pick([self.positive(1), self.positive(3), self.positive(2)])}"')
        text += self.maybe(0.3, f'damping="{self.pick([self.positive(1), self.positive(3)])}"')
        text += self.maybe(0.1, f'springdamper="{self.positive(2)}"')
        text += self.maybe(0.4, f'armature="{self.positive(1)}"')
        text += self.maybe(0.2, f'frictionloss="{self.positive(1)}"')
        text += self.maybe(0.2, f'margin="{self.positive(1, 0, 0.1)}"')
        text += self.maybe(0.2, f'group="{self.pick([0, 3])}"')
        text += self.maybe(0.2, 'actuatorgravcomp="true"')
        if kind in ("hinge", "slide"):
            text += self.maybe(0.3, f'ref="{self.angle(-1, 1)}"') + self.maybe(0.3, f'springref="{self.angle(-1, 1)}"')
            flag = self.maybe(0.3, f'actuatorfrclimited="{self.pick(["true", "auto", "false"])}"')
            text += self.maybe(0.3, f'actuatorfrcrange="-{self.positive(1)} {self.positive(1)}"' + flag)
        if kind != "free" and limited and self.chance(0.5):
            low = "0" if kind == "ball" else f"{self.angle(-2, 0)}"
            text += f' range="{low} {self.angle(0.1, 2)}"' + self.maybe(0.4, 'limited="true"')
        return text

    def geom_attributes(self):
        friction = self.pick([self.positive(1), self.positive(2), self.positive(3)])
        text = self.maybe(0.4, f'friction="{friction}"') + self.maybe(0.3, f'condim="{self.pick([1, 3, 4, 6])}"')
        text += self.maybe(0.3, f'contype="{self.rng.integers(4)}"')
        text += self.maybe(0.3, f'conaffinity="{self.rng.integers(4)}"') + self.maybe(0.2, 'priority="2"')
        text += self.maybe(0.2, f'solmix="{self.positive(1)}"')
        text += self.maybe(0.2, f'margin="{self.positive(1, 0, 0.1)}"')
        text += self.maybe(0.2, f'gap="{self.positive(1, 0, 0.1)}"')
        text += self.maybe(0.2, f'rgba="{self.positive(4, 0, 1)}"')
        return text + self.solver() + self.maybe(0.3, f'group="{self.rng.integers(6)}"')

    def shape(self, kind, segment):
        if segment and kind in ("capsule", "cylinder", "ellipsoid", "box"):
            return f' type="{kind}" size="{self.positive(1)}" fromto="{self.numbers(6)}"'
        needed = {"sphere": 1, "capsule": 2, "cylinder": 2}.get(kind, 3)
        return f' type="{kind}" size="{self.positive(needed)}"' + self.maybe(0.7, f'pos="{self.numbers(3)}"')

    def geom(self, heavy):
        kind = self.pick(["sphere", "capsule", "cylinder", "ellipsoid", "box"])
        segment = self.chance(0.4)
        text = self.shape(kind, segment)
        text += "" if "fromto" in text else self.orientation()
        density = f'density="{self.positive(1, 100, 900)}"'
        mass = self.maybe(0.4, f'mass="{self.positive(1, 0.5, 3)}"') or self.maybe(0.4, density)
        if not heavy and self.chance(0.2):
            mass = ' mass="0"'
        return f"<geom{self.name('geom')}{self.cls()}{text}{mass}{self.geom_attributes()}/>"

    def site(self):
        kind = self.pick(["sphere", "capsule", "cylinder", "ellipsoid", "box"])
        segment = self.chance(0.3) and kind != "sphere"
        text = self.shape(kind, segment) if self.chance(0.6) else f' pos="{self.numbers(3)}"'
        orient = "" if "fromto" in text else self.orientation()
        group = self.maybe(0.3, 'group="4"')
        return f"<site{self.name('site')}{self.cls()}{text}{orient}{group}/>"

    def inertial(self):
        moments = self.rng.uniform(0.13, 0.2, 3)
        text = f'<inertial pos="{self.numbers(3, 0.2)}" mass="{self.positive(1, 0.5, 3)}"'
        if self.chance(0.5):
            return text + ' diaginertia="' + " ".join(f"{m:.4g}" for m in moments) + '"' + self.orientation() + "/>"
        off = self.rng.uniform(-0.01, 0.01, size=3)
        return text + ' fullinertia="' + " ".join(f"{m:.4g}" for m in [*moments, *off]) + '"/>'

    def joints(self, depth):
        kind = self.pick(["hinge", "hinges", "slide", "ball", "free", "none", "mixed"])
        if kind == "free" and depth > 0:
            kind = "hinge"
        if kind == "free":
            self.nq, self.nv = self.nq + 7, self.nv + 6
            if self.chance(0.5):
                align = self.maybe(0.6, f'align="{self.pick(["true", "false", "auto"])}"')
                return f"<freejoint{self.name('free')}{align}/>"
            return f'<joint{self.name("free")} type="free" limited="false"{self.joint_attributes("free")}/>'
        kinds = {"hinges": ["hinge", "hinge", "hinge"], "none": [], "mixed": ["slide", "ball"]}.get(kind, [kind])
        out = ""
        for index, one in enumerate(kinds):
            group = "ball" if one == "ball" else "scalar"
            attributes = self.joint_attributes(one)
            name = self.name(group)
            if ' range="' in attributes and group == "scalar":
                self.names["limited"].append(self.names["scalar"][-1])
            axis = self.maybe(0.8, f'axis="{self.numbers(3)}"') if index == 0 else f' axis="{self.numbers(3)}"'
            self.nq, self.nv = self.nq + (4 if one == "ball" else 1), self.nv + (3 if one == "ball" else 1)
            pos = self.maybe(0.6, f'pos="{self.numbers(3, 0.3)}"')
            chosen = self.cls(0.2) if one == "hinge" else ""
            out += f'<joint{name} type="{one}"{chosen}{axis}{pos}{attributes}/>'
        return out

    def body(self, depth):
        text = f"<body{self.name('body')}" + self.maybe(0.9, f'pos="{self.numbers(3)}"') + self.orientation()
        text += self.maybe(0.3, f'childclass="{self.pick(self.classes)}"') + self.maybe(0.2, 'gravcomp="0.4"') + ">"
        text += self.joints(depth)
        explicit = self.chance(0.4)
        text += self.inertial() if explicit else self.geom(heavy=True)
        for _ in range(self.rng.integers(3)):
            text += self.geom(heavy=False)
        text += self.site() if self.chance(0.6) else ""
        if self.chance(0.3):
            inner = self.geom(heavy=False) + (self.site() if self.chance(0.5) else "")
            inner += self.body(depth + 1) if depth < 2 else ""
            childclass = self.maybe(0.3, f'childclass="{self.pick(self.classes)}"')
            text += f'<frame pos="{self.numbers(3)}"{self.orientation(0.9)}{childclass}>{inner}</frame>'
        for _ in range(self.rng.integers(3) if depth < 2 else 0):
            text += self.body(depth + 1)
        return text + "</body>"

    def defaults(self):
        def content():
            text = ""
            if self.chance(0.5):
                text += f"<joint{self.joint_attributes('none', limited=False)}/>"
            if self.chance(0.6):
                orient = self.orientation(0.3)
                density = self.maybe(0.3, f'density="{self.positive(1, 100, 900)}"')
                size = self.maybe(0.4, f'size="{self.positive(3)}"')
                text += f"<geom{size}{orient}{density}"
                text += f"{self.geom_attributes()}/>"
            if self.chance(0.3):
                text += f'<site size="{self.positive(2)}"{self.orientation(0.3)}/>'
            if self.chance(0.3):
                text += f"<pair{self.pair_attributes()}/>"
            if self.chance(0.3):
                text += f"<equality{self.solver()}/>"
            if self.chance(0.5):
                text += self.pick(
                    [
                        f'<motor gear="{self.positive(2)}"/>',
                        f'<position kp="{self.positive(1)}" kv="{self.positive(1)}"/>',
                        f'<general gainprm="{self.positive(2)}" forcerange="-1 1"/>',
                        f'<velocity kv="{self.positive(1)}" ctrlrange="0 1"/>',
                        '<cylinder timeconst="0.2" area="3" bias="1 2 3"/>',
                        '<general dyntype="filter" dynprm="0.4" biastype="affine" biasprm="1 2"/>',
                        '<position kp="3" dampratio="0.5"/><general forcerange="-2 2"/>',
                        '<intvelocity kp="3" kv="0.4"/>',
                    ]
                )
            return text

        nested = f'<default class="b">{content()}</default>'
        return (
            f'<default>{content()}<default class="a">{content()}{nested}</default>'
            f'<default class="c">{content()}</default></default>'
        )

    def pair_attributes(self):
        friction = self.positive(int(self.rng.integers(1, 6)))
        text = self.maybe(0.4, f'friction="{friction}"') + self.maybe(0.3, f'condim="{self.pick([1, 3, 4, 6])}"')
        text += self.maybe(0.3, f'margin="{self.positive(1)}"') + self.maybe(0.3, f'gap="{self.positive(1)}"')
        return text + self.maybe(0.2, f'solreffriction="{self.positive(2)}"') + self.solver()

    def contact(self):
        geoms, bodies, out = self.names["geom"], self.names["body"], ""
        for _ in range(4):
            if len(geoms) > 1:
                one, two = self.rng.choice(geoms, 2, replace=False)
                out += f'<pair geom1="{one}" geom2="{two}"{self.cls()}{self.pair_attributes()}/>'
        used = set()
        for _ in range(3):
            if len(bodies) > 1:
                pair = tuple(sorted(self.rng.choice(bodies, 2, replace=False)))
                if pair not in used:
                    out += f'<exclude body1="{pair[1]}" body2="{pair[0]}"/>'
                used.add(pair)
        return f"<contact>{out}</contact>"

    def equality(self):
        bodies, sites, scalars, out = self.names["body"], self.names["site"], self.names["scalar"], ""
        tail = self.cls() + self.solver() + self.maybe(0.3, 'active="false"')
        if len(bodies) > 1:
            one, two = self.rng.choice(bodies, 2, replace=False)
            out += f'<connect{self.name("eq")} body1="{one}" body2="{two}" anchor="{self.numbers(3)}"{tail}/>'
            out += f'<connect body1="{one}" anchor="{self.numbers(3)}"/><weld body1="{two}"/>'
            relpose = self.maybe(0.5, f'relpose="{self.numbers(7)}"')
            scale = self.maybe(0.5, f'torquescale="{self.positive(1)}"')
            out += f'<weld body1="{one}" body2="{two}" anchor="{self.numbers(3)}"{relpose}{scale}{tail}/>'
        if len(sites) > 1:
            one, two = self.rng.choice(sites, 2, replace=False)
            out += f'<connect site1="{one}" site2="{two}"/><weld site1="{one}" site2="{two}"{tail}/>'
        if len(scalars) > 1:
            one, two = self.rng.choice(scalars, 2, replace=False)
            poly = self.maybe(0.7, f'polycoef="{self.numbers(int(self.rng.integers(1, 6)))}"')
            out += f'<joint joint1="{one}" joint2="{two}"{poly}/><joint joint1="{one}"{tail}/>'
        return f"<equality>{out}</equality>"

    def actuator_attributes(self):
        text = self.maybe(0.4, f'gear="{self.positive(int(self.rng.integers(1, 7)))}"')
        text += self.maybe(0.3, 'forcerange="-2 3"') + self.maybe(0.2, 'group="2"')
        return text + self.maybe(0.3, 'ctrlrange="-1 2"')

    def actuators(self):
        joints = self.names["scalar"] + self.names["ball"] + self.names["free"]
        sites, out = self.names["site"], ""
        for _ in range(6):
            target = ""
            if joints:
                target = f' {self.pick(["joint", "jointinparent"])}="{self.pick(joints)}"'
            if sites and (not joints or self.chance(0.4)):
                target = f' site="{self.pick(sites)}"' + self.maybe(0.5, f'refsite="{self.pick(sites)}"')
            if not target:
                break
            common = f"{self.name('actuator')}{target}{self.actuator_attributes()}{self.cls(0.3)}"
            bounded = common if "ctrlrange" in common else common + ' ctrlrange="0 1"'
            act = ' actrange="-1 1" actlimited="true"' + self.maybe(0.5, 'actearly="true"')
            kv = self.maybe(0.5, 'kv="0.3"')
            positive = bounded.replace('"-1 2"', '"0 2"')
            out += self.pick(
                [
                    f"<motor{common}/>",
                    f'<position{common} kp="{self.positive(1)}"{kv}/>',
                    f'<position{common} kp="{self.positive(1)}" timeconst="0.2"/>',
                    f"<position{common}/>",
                    f'<position{common} dampratio="0.5"/>',
                    f'<velocity{common} kv="{self.positive(1)}"/>',
                    f"<velocity{common}/>",
                    f'<intvelocity{common} kp="{self.positive(1)}" actrange="-1 1"/>',
                    f'<damper{positive} kv="{self.positive(1)}"/>',
                    f'<cylinder{common} timeconst="0.3" area="2" bias="{self.numbers(3)}"/>',
                    f'<cylinder{common} diameter="0.3"/>',
                    f'<general{common} dyntype="filter" dynprm="0.3"{act}/>',
                    f'<general{common} gaintype="affine" gainprm="{self.numbers(3)}"/>',
                    f'<general{common} biastype="affine" biasprm="{self.numbers(3, -1)}" dyntype="filterexact"/>',
                ]
            )
        if self.names["limited"]:
            joint = self.pick(self.names["limited"])
            out += f'<position class="main" joint="{joint}" kp="2" dampratio="0.7" inheritrange="0.8"/>'
            out += f'<intvelocity class="main" joint="{joint}" kp="2" inheritrange="1"/>'
        self.nu = out.count("/>")
        return f"<actuator>{out}</actuator>"

    def keyframes(self):
        out = f'<key{self.name("key")} time="1.5" qvel="{self.numbers(self.nv)}"/>' if self.nv else ""
        if self.nq:
            out += f'<key qpos="{self.positive(self.nq)}"/>'
        if self.nu:
            out += f'<key ctrl="{self.positive(self.nu)}"/>'
        return f"<keyframe>{out}<key/></keyframe>"

    def option(self):
        flags = "".join(
            self.maybe(0.2, f'{flag}="{self.pick(["enable", "disable"])}"')
            for flag in ("contact", "limit", "gravity", "energy", "eulerdamp", "frictionloss", "override", "damper")
        )
        text = self.maybe(0.5, f'timestep="{self.positive(1)}"') + self.maybe(0.3, f'gravity="{self.numbers(3)}"')
        text += self.maybe(0.3, 'cone="elliptic"') + self.maybe(0.3, f'solver="{self.pick(["PGS", "CG", "Newton"])}"')
        text += self.maybe(0.3, f'integrator="{self.pick(["Euler", "RK4", "implicit", "implicitfast"])}"')
        text += self.maybe(0.3, 'jacobian="dense"') + self.maybe(0.3, f'impratio="{self.positive(1)}"')
        text += self.maybe(0.3, 'iterations="7" ls_iterations="8" noslip_iterations="2" tolerance="1e-5"')
        text += self.maybe(0.3, f'wind="{self.numbers(3)}" density="2" viscosity="0.1" o_margin="0.1"')
        text += self.maybe(0.3, 'o_solref="0.1 0.2" o_solimp="0.7 0.8" o_friction="0.1 0.2"')
        text += self.maybe(0.2, 'actuatorgroupdisable="1 3"')
        return f"<option{text}><flag{flags}/></option>"

    def compiler(self):
        seq = "".join(self.pick("xyzXYZ") for _ in range(3))
        unit = "radian" if self.radian else "degree"
        text = f' angle="{unit}"' + self.maybe(0.6, f'eulerseq="{seq}"')
        text += self.maybe(0.2, 'boundmass="0.9" boundinertia="0.05"') + self.maybe(0.2, 'balanceinertia="true"')
        text += self.maybe(0.2, 'settotalmass="7"') + self.maybe(0.3, 'alignfree="true"')
        text += self.maybe(0.2, f'inertiafromgeom="{self.pick(["auto", "true"])}"')
        return f"<compiler{text}/>"

    def text(self):
        world = f'<geom{self.name("geom")} type="plane" size="1 1 0.1"{self.geom_attributes()}/>' + self.site()
        world += "".join(self.body(0) for _ in range(self.rng.integers(1, 4)))
        parts = [self.compiler(), self.option(), self.defaults(), f"<worldbody>{world}</worldbody>"]
        parts += [self.contact(), self.equality(), self.actuators(), self.keyframes()]
        return "<mujoco model='random'>\n" + "\n".join(parts) + "\n</mujoco>"
