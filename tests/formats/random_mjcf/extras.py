"""User data, samples of the past, surfaces that move and stick: on elements that are there already, and a few new ones."""

import numpy as np
from lxml import etree

from .draw import listed


def with_user_data(text: str, rng: np.random.Generator) -> str:
    """The model with numbers of the user's in its elements, custom ones, and a few sensors."""
    root = etree.fromstring(text)
    named = []
    for node in root.iter("body", "joint", "geom", "site", "motor", "position", "general", "fixed"):
        if node.getparent().tag in ("default", "fixed", "spatial", "equality"):
            continue
        if rng.random() < 0.1:
            node.set("user", listed(rng.normal(size=int(rng.integers(1, 4)))))
        if node.get("name") and node.tag in ("body", "joint", "geom", "site"):
            named.append((node.tag, node.get("name")))
    custom = etree.SubElement(root, "custom")
    etree.SubElement(custom, "numeric", name="gains", data=listed(rng.normal(size=3)), size=str(rng.integers(3, 6)))
    etree.SubElement(custom, "numeric", name="zeros", size="2")
    etree.SubElement(custom, "text", name="note", data="words")
    for size in (3, 1):
        group = etree.SubElement(custom, "tuple", name=f"group{size}")
        for k in rng.integers(len(named), size=size):
            tag, name = named[k]
            etree.SubElement(group, "element", objtype=tag, objname=name, prm=listed(rng.normal(size=1)))
    sensor = etree.SubElement(root, "sensor")
    for k in rng.integers(len(named), size=4):
        tag, name = named[k]
        if tag != "joint":
            kind = str(rng.choice(["framepos", "framequat", "frameangvel", "framelinacc"]))
            node = etree.SubElement(sensor, kind, objtype=tag, objname=name, noise=listed(rng.random(1)))
            if kind != "framequat":
                node.set("cutoff", listed(rng.random(1)))
            sites = [other for what, other in named if what == "site"]
            if sites and kind != "framelinacc" and rng.random() < 0.5:
                node.set("reftype", "site")
                node.set("refname", str(rng.choice(sites)))
    for node in sensor:
        if rng.random() < 0.5:
            node.set("user", listed(rng.normal(size=2)))
    etree.SubElement(sensor, "clock", name="clock")
    sizes = {"nuserdata": str(rng.integers(1, 9))} | ({"nuser_geom": "5"} if rng.random() < 0.3 else {})
    etree.SubElement(root, "size", **sizes)
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
                node.set("delay", listed(rng.random(1)))
            if node.getparent().tag == "sensor" and rng.random() < 0.5:
                node.set("interval", listed([0.2, -0.2 * rng.random()][: int(rng.integers(1, 3))]))
    return etree.tostring(root).decode()


def with_surfaces(text: str, rng: np.random.Generator) -> str:
    """The model with surfaces that move and stick, and servos of the orientations of its ball joints and of two sites."""
    root = etree.fromstring(text)
    for node in root.iter("geom", "pair"):
        if node.getparent().tag in ("spatial",):
            continue
        if rng.random() < 0.1:
            node.set("adhesion", listed(rng.normal(size=1)))
        if node.tag == "geom" and rng.random() < 0.1:
            node.set("surfacevel", listed(rng.normal(size=6)))
    actuator = root.find("actuator")
    if actuator is None:
        actuator = etree.SubElement(root, "actuator")
    balls = [node.get("name") for node in root.iter("joint") if node.get("type") == "ball" and node.get("name")]
    sites = [node.get("name") for node in root.iter("site") if node.getparent().tag in ("body", "worldbody") and node.get("name")]
    targets = [{"joint": name} for name in balls] + [dict(zip(("site", "refsite"), sites, strict=False))] * (len(sites) > 1)
    for target in targets[:2]:
        servo = {"forcerange": f"0 {1.0 + rng.random():.3f}", "kp": listed(rng.random(1))} | target
        servo[str(rng.choice(["kv", "dampratio"]))] = listed(rng.random(1))
        etree.SubElement(actuator, "orientation", input=str(rng.choice(["expmap", "quat"])), **servo)
    return etree.tostring(root).decode()
