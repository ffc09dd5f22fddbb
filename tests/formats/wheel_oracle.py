"""The mujoco wheel as oracle: stripped XML it can compile without mesh files, and array by array comparison."""

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
from lxml import etree

from dojo_py.mechanism.model import Model
from dojo_py.mechanism.model_arrays import NOT_IN_MUJOCO
from dojo_py.mechanism.option import Option
from dojo_py.mechanism.quaternion import matrix
from dojo_py.reproduce.gauntlet.soft_wheel import hulls

TOLERANCE = 1e-10
"""Largest difference accepted, relative to max(1, |value|)."""

FLOAT32 = TOLERANCE / 1.2e-7
"""Factor for numbers that both round to float32: one unit in the last place is accepted."""

INERTIAL_FRAME = ("body_iquat",)
"""Compared as inertia tensors: equal principal moments leave the axes open."""


def stripped_xml(path):
    """The file with includes expanded and without what needs mesh files."""
    root = _expanded(Path(path), Path(path).parent)
    types = {}
    for section in root.findall("default"):
        _class_types(section, "sphere", types)
    for body in (*root.findall("worldbody"),):
        _remove_meshes(body, "main", types)
    for tag in ("visual", "statistic"):
        for node in list(root.findall(tag)):
            root.remove(node)
    for node in list(root.iter("mesh", "texture", "hfield")):
        if node.getparent().tag == "asset":
            node.getparent().remove(node)
    for node in list(root.iter()):
        for attribute in ("texture", "mesh"):
            node.attrib.pop(attribute, None)
    return etree.tostring(root).decode()


def _class_types(default, inherited, types):
    geom = default.find("geom")
    own = geom.get("type", inherited) if geom is not None else inherited
    types[default.get("class", "main")] = own
    for nested in default.findall("default"):
        _class_types(nested, own, types)


def _remove_meshes(body, inherited, types):
    inherited = body.get("childclass", inherited)
    for child in list(body):
        if child.tag in ("body", "frame"):
            _remove_meshes(child, inherited, types)
        elif child.tag == "geom" and child.get("type", types.get(child.get("class", inherited), "sphere")) == "mesh":
            body.remove(child)


def _expanded(path, folder):
    root = etree.parse(str(path), etree.XMLParser(remove_comments=True)).getroot()
    for include in list(root.iter("include")):
        parent, index = include.getparent(), include.getparent().index(include)
        parent.remove(include)
        for child in reversed(_expanded(folder / include.get("file"), folder)):
            parent.insert(index, child)
    return root


def differences(model: Model, reference: mujoco.MjModel) -> dict[str, float]:
    """Largest difference of every array, option and size, relative to max(1, |value|). Wrong shapes give infinity."""
    out = {}
    for item in dataclasses.fields(Model):
        if item.name in ("name", "opt", "stat", "source", *NOT_IN_MUJOCO):
            continue
        if item.name.endswith("_names") or item.name == "text_values":  # bytes in the wheel
            continue
        out[item.name] = _difference(getattr(model, item.name), getattr(reference, item.name))
    for item in dataclasses.fields(Option):
        out[f"opt.{item.name}"] = _difference(getattr(model.opt, item.name), getattr(reference.opt, item.name))
    out["stat.meaninertia"] = _difference(model.stat.meaninertia, reference.stat.meaninertia)
    out["mesh_vert"] = _difference(*(np.float64(x) * FLOAT32 for x in (model.mesh_vert, reference.mesh_vert)))
    out["mesh_graph"] = 0.0 if hulls(model) == hulls(reference) else np.inf
    out["body_iquat"] = _difference(_inertia_tensors(model), _inertia_tensors(reference))
    for kind in ("body", "joint", "geom", "site", "hfield", "actuator", "equality", "tendon", "key"):
        names = getattr(model, f"{kind}_names")
        obj = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        wheel = tuple(mujoco.mj_id2name(reference, obj, i) or "" for i in range(len(names)))
        out[f"{kind}_names"] = 0.0 if wheel == names else np.inf
    return out


def dtype_mismatches(model: Model, reference: mujoco.MjModel) -> list[str]:
    """Arrays whose dtype differs from the wheel's."""
    fields = [item for item in dataclasses.fields(Model) if "dtype" in item.metadata]
    names = [item.name for item in fields if item.name not in NOT_IN_MUJOCO]
    return [name for name in names if getattr(model, name).dtype != getattr(reference, name).dtype]


def _difference(ours, theirs):
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if ours.shape != theirs.shape:
        return np.inf
    if ours.size == 0:
        return 0.0
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


def _inertia_tensors(model):
    rotation = matrix(np.asarray(model.body_iquat))
    return np.einsum("bij,bj,bkj->bik", rotation, np.asarray(model.body_inertia), rotation)


def assert_equal(model, reference, tolerance=TOLERANCE):
    """Every array of the model agrees with the wheel."""
    found = differences(model, reference)
    wrong = {name: value for name, value in found.items() if not value <= tolerance}
    assert not wrong, wrong
    assert not dtype_mismatches(model, reference)
    return max(found.values())
