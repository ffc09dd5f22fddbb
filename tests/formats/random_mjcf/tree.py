"""The world: bodies with their joints, geoms and sites."""

from .attributes import geom_attributes, joint_attributes


def shape(draw, kind, segment):
    if segment and kind in ("capsule", "cylinder", "ellipsoid", "box"):
        return f' type="{kind}" size="{draw.positive(1)}" fromto="{draw.numbers(6)}"'
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2}.get(kind, 3)
    return f' type="{kind}" size="{draw.positive(needed)}"' + draw.maybe(0.7, f'pos="{draw.numbers(3)}"')


def geom(draw, heavy):
    kind = draw.pick(["sphere", "capsule", "cylinder", "ellipsoid", "box"])
    segment = draw.chance(0.4)
    text = shape(draw, kind, segment)
    text += "" if "fromto" in text else draw.orientation()
    density = f'density="{draw.positive(1, 100, 900)}"'
    mass = draw.maybe(0.4, f'mass="{draw.positive(1, 0.5, 3)}"') or draw.maybe(0.4, density)
    if not heavy and draw.chance(0.2):
        mass = ' mass="0"'
    return f"<geom{draw.name('geom')}{draw.cls()}{text}{mass}{geom_attributes(draw)}/>"


def site(draw):
    kind = draw.pick(["sphere", "capsule", "cylinder", "ellipsoid", "box"])
    segment = draw.chance(0.3) and kind != "sphere"
    text = shape(draw, kind, segment) if draw.chance(0.6) else f' pos="{draw.numbers(3)}"'
    orient = "" if "fromto" in text else draw.orientation()
    group = draw.maybe(0.3, 'group="4"')
    return f"<site{draw.name('site')}{draw.cls()}{text}{orient}{group}/>"


def inertial(draw):
    moments = draw.rng.uniform(0.13, 0.2, 3)
    text = f'<inertial pos="{draw.numbers(3, 0.2)}" mass="{draw.positive(1, 0.5, 3)}"'
    if draw.chance(0.5):
        return text + ' diaginertia="' + " ".join(f"{m:.4g}" for m in moments) + '"' + draw.orientation() + "/>"
    off = draw.rng.uniform(-0.01, 0.01, size=3)
    return text + ' fullinertia="' + " ".join(f"{m:.4g}" for m in [*moments, *off]) + '"/>'


def joints(draw, depth):
    kind = draw.pick(["hinge", "hinges", "slide", "ball", "free", "none", "mixed"])
    if kind == "free" and depth > 0:
        kind = "hinge"
    if kind == "free":
        draw.nq, draw.nv = draw.nq + 7, draw.nv + 6
        if draw.chance(0.5):
            align = draw.maybe(0.6, f'align="{draw.pick(["true", "false", "auto"])}"')
            return f"<freejoint{draw.name('free')}{align}/>"
        return f'<joint{draw.name("free")} type="free" limited="false"{joint_attributes(draw, "free")}/>'
    kinds = {"hinges": ["hinge", "hinge", "hinge"], "none": [], "mixed": ["slide", "ball"]}.get(kind, [kind])
    out = ""
    for index, one in enumerate(kinds):
        group = "ball" if one == "ball" else "scalar"
        attributes = joint_attributes(draw, one)
        name = draw.name(group)
        if ' range="' in attributes and group == "scalar":
            draw.names["limited"].append(draw.names["scalar"][-1])
        axis = draw.maybe(0.8, f'axis="{draw.numbers(3)}"') if index == 0 else f' axis="{draw.numbers(3)}"'
        draw.nq, draw.nv = draw.nq + (4 if one == "ball" else 1), draw.nv + (3 if one == "ball" else 1)
        pos = draw.maybe(0.6, f'pos="{draw.numbers(3, 0.3)}"')
        chosen = draw.cls(0.2) if one == "hinge" else ""
        out += f'<joint{name} type="{one}"{chosen}{axis}{pos}{attributes}/>'
    return out


def body(draw, depth):
    text = f"<body{draw.name('body')}" + draw.maybe(0.9, f'pos="{draw.numbers(3)}"') + draw.orientation()
    text += draw.maybe(0.3, f'childclass="{draw.pick(draw.classes)}"') + draw.maybe(0.2, 'gravcomp="0.4"') + ">"
    text += joints(draw, depth)
    explicit = draw.chance(0.4)
    text += inertial(draw) if explicit else geom(draw, heavy=True)
    for _ in range(draw.rng.integers(3)):
        text += geom(draw, heavy=False)
    text += site(draw) if draw.chance(0.6) else ""
    if draw.chance(0.3):
        inner = geom(draw, heavy=False) + (site(draw) if draw.chance(0.5) else "")
        inner += body(draw, depth + 1) if depth < 2 else ""
        childclass = draw.maybe(0.3, f'childclass="{draw.pick(draw.classes)}"')
        text += f'<frame pos="{draw.numbers(3)}"{draw.orientation(0.9)}{childclass}>{inner}</frame>'
    for _ in range(draw.rng.integers(3) if depth < 2 else 0):
        text += body(draw, depth + 1)
    return text + "</body>"


def world(draw):
    text = f'<geom{draw.name("geom")} type="plane" size="1 1 0.1"{geom_attributes(draw)}/>' + site(draw)
    text += "".join(body(draw, 0) for _ in range(draw.rng.integers(1, 4)))
    return f"<worldbody>{text}</worldbody>"
