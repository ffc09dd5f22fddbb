"""URDF texts for the tests: building blocks, random robots, and one robot that uses everything the reader knows."""

import numpy as np


def robot(*parts: str, compiler: str = "") -> str:
    extension = f"<mujoco><compiler {compiler}/></mujoco>" if compiler else ""
    return '<robot name="r">\n' + "\n".join([extension, *parts]) + "\n</robot>"


def origin(xyz=(0, 0, 0), rpy=(0, 0, 0)) -> str:
    return f'<origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/>'


def inertial(mass=1.0, tensor=np.eye(3), place="") -> str:
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    text = " ".join(f'{name}="{float(tensor[i][j])!r}"' for name, (i, j) in entries.items())
    return f'<inertial>{place}<mass value="{mass!r}"/><inertia {text}/></inertial>'


def link(name: str, *parts: str) -> str:
    return f'<link name="{name}">' + "".join(parts) + "</link>"


def mass_link(name: str, mass=1.0) -> str:
    return link(name, inertial(mass))


def collision(shape: str, place="", name="") -> str:
    label = f' name="{name}"' if name else ""
    return f"<collision{label}>{place}<geometry>{shape}</geometry></collision>"


def joint(name: str, kind: str, parent: str, child: str, *parts: str) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">\n{ends}' + "".join(parts) + "</joint>"


def numbers(values) -> str:
    return " ".join(repr(float(x)) for x in values)


SHAPES = (
    '<sphere radius="0.1"/>',
    '<box size="0.1 0.3 0.2"/>',
    '<cylinder radius="0.1" length="0.5"/>',
    '<capsule radius="0.05" length="0.3"/>',
)
TYPES = ("revolute", "continuous", "prismatic", "fixed", "planar", "spherical", "floating")


def random_robot(seed: int) -> str:
    """A tree of 2 to 9 links with every joint type; every body that moves has mass."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 10))
    settings = ["", 'fusestatic="false"', 'discardvisual="false"', 'balanceinertia="true" boundmass="0.5"']
    compiler = settings[rng.integers(4)]
    fusing = "fusestatic" not in compiler
    links, joints, single, fixed_to_world = [], [], [], {0}
    for i in range(count):
        a, b, c = rng.uniform(0.01, 0.1, 3)  # squared half axes: moments b + c, a + c, a + b are those of a body
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = turn @ np.diag([b + c, a + c, a + b]) @ turn.T
        place = origin(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
        shapes = [collision(SHAPES[rng.integers(4)], place) for _ in range(rng.integers(0, 3))]
        own = [inertial(float(rng.uniform(0.1, 3)), tensor, place)] if rng.random() < 0.7 or not shapes else []
        links.append(link(f"l{i}", *own, *shapes))
        if i == 0:
            continue
        parent = int(rng.integers(0, i))
        kind = TYPES[rng.integers(len(TYPES) if parent in fixed_to_world and fusing else len(TYPES) - 1)]
        if kind == "fixed" and parent in fixed_to_world:
            fixed_to_world.add(i)
        parts = [origin(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))] if rng.random() < 0.8 else []
        parts += [f'<axis xyz="{numbers(rng.normal(size=3))}"/>'] if rng.random() < 0.8 else []
        parts += [f'<dynamics damping="{rng.uniform():.3f}" friction="{rng.uniform():.3f}"/>'] * int(rng.integers(2))
        if kind not in ("spherical", "floating") and rng.random() < 0.6:
            low, high = rng.uniform(-2, 0.5), rng.uniform(0, 2)  # now and then empty
            parts.append(f'<limit lower="{low:.3f}" upper="{high:.3f}" effort="{rng.uniform(-9, 9):.3f}" velocity="1"/>')
        if kind in ("revolute", "continuous", "prismatic"):
            if single and rng.random() < 0.3:
                parts.append(f'<mimic joint="{single[-1]}" multiplier="{rng.normal():.3f}" offset="0.2"/>')
            single.append(f"j{i}")
        joints.append(joint(f"j{i}", kind, f"l{parent}", f"l{i}", *parts))
    rng.shuffle(joints)
    return robot(*links, *joints, compiler=compiler)


EVERYTHING = (
    '<robot name="everything" version="1.0">\n'
    '<mujoco><compiler autolimits="true" discardvisual="false" meshdir="x" inertiagrouprange="0 5"/>\n'
    '<option timestep="0.005" gravity="0 0 -9.8" integrator="implicitfast"><flag contact="disable"/></option>\n'
    '<size nuserdata="1"/></mujoco>\n'
    '<material name="red"><color rgba="1 0 0 1"/></material>\n'
    + "\n".join(
        [
            link("base", collision(SHAPES[1])),
            link("a", inertial(2.0, np.diag([1, 2, 2.5]), origin((0.1, 0, 0), (0.1, 0.2, 0.3))), collision(SHAPES[3])),
            link(
                "b",
                collision(SHAPES[0], origin((0, 0, 1)), "ball"),
                "<visual><geometry><box size='1 1 1'/></geometry></visual>",
            ),
            link("c", inertial(0.5), collision(SHAPES[2])),
            link("d", inertial(0.7)),
            link("e", inertial(0.9)),
            joint(
                "j1",
                "revolute",
                "base",
                "a",
                origin((0, 0, 1)),
                '<axis xyz="0 1 0"/>',
                '<limit lower="-1" upper="1" effort="5"/>',
            ),
            joint("j2", "prismatic", "a", "b", '<axis xyz="0 0 2"/>', '<dynamics damping="0.1" friction="0.2"/>'),
            joint("j3", "continuous", "b", "c", '<mimic joint="j1" multiplier="2"/>', "<safety_controller/>"),
            joint("j4", "fixed", "c", "d", origin((0, 1, 0), (0, 0, 1))),
            joint("j5", "planar", "d", "e", '<axis xyz="1 0 1"/>'),
        ]
    )
    + '\n<loop_joint name="loop" type="revolute"><axis xyz="0 1 0"/>'
    '<link1 link="a" xyz="0 0 1"/><link2 link="c"/></loop_joint>\n'
    '<transmission name="t"/><gazebo reference="a"/>\n</robot>'
)
