"""The mujoco wheel beside our simulator: models, random states, and the largest relative difference of each stage."""

import copy
import re
from pathlib import Path

import mujoco
import numpy as np
from lxml import etree
from public import MJCF, SHARED, URDF

from dojo_py.soft.narrowphase import SEARCHED_PAIRS, SUPPORTED
from dojo_py.soft.workspace import NCON, NEFC

mujoco.set_mju_user_warning(lambda message: None)  # or it writes a log file where we stand

REPOSITORY = Path(__file__).resolve().parents[2]
MODELS = sorted((REPOSITORY / "models").glob("*.xml"))


def strip_meshes(text):
    """MJCF without assets and mesh geoms (their inertias are explicit in the models that we use)."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"<asset>.*?</asset>", "", text, flags=re.S)
    text = re.sub(r"<geom[^>]*\bmesh=[^>]*/>", "", text)
    text = re.sub(r'(<geom[^>]*)\btype="mesh"', r"\1", text)
    return re.sub(r'\bmaterial="[^"]*"', "", text)


def public_model(name):
    """MjModel of a public robot, without meshes; pairs of shapes that the wheel computes inexactly are switched off.

    name: of an MJCF or URDF file in public.py, or "FOLDER scene", see `SCENES`.
    """
    folder, _, rest = name.partition(" ")
    if rest == "scene":
        return shared_scene(folder, SCENES[folder])
    text = strip_urdf_meshes(name) if name in URDF else strip_meshes(MJCF[name].read_text())
    return without_unsupported_pairs(mujoco.MjModel.from_xml_string(text))


SCENES = {"franka_emika_panda": "panda.xml", "skydio_x2": "x2.xml", "unitree_a1": "a1.xml"} if SHARED.is_dir() else {}
"""Folder of the shared data -> the robot that its scene.xml puts on a floor (gymnasium's robots have theirs)."""


def shared_scene(folder, robot):
    """MjModel of a public robot on the floor of its scene.xml, as `public_model`."""
    texts = [strip_meshes((SHARED / folder / name).read_text()) for name in ("scene.xml", robot)]
    return without_unsupported_pairs(mujoco.MjModel.from_xml_string(texts[0], {robot: texts[1].encode()}))


def strip_urdf_meshes(name):
    """Text of a public URDF without visuals and mesh collisions."""
    root = etree.fromstring(URDF[name].read_bytes(), etree.XMLParser(remove_comments=True))
    meshes = [c for c in root.iter("collision") if c.find("geometry/mesh") is not None]
    for element in [*root.iter("visual"), *meshes]:
        element.getparent().remove(element)
    return etree.tostring(root).decode()


def without_unsupported_pairs(model):
    """Switch off the larger shape of every pair that has no contact function of its own; returns the model."""
    for _ in range(model.ngeom):
        bad = unsupported_geom(model)
        if bad is None:
            return model
        model.geom_contype[bad] = model.geom_conaffinity[bad] = 0
    return model


def unsupported_geom(model):
    """A geom of a candidate pair that the soft mode refuses or the wheel searches (test_narrowphase.py has these), or None."""
    from dojo_py.soft.pairs import candidate_pairs

    for pair in candidate_pairs(model):
        kinds = (int(pair["type"]) // 10, int(pair["type"]) % 10)
        if kinds not in SUPPORTED or kinds in SEARCHED_PAIRS:
            return int(pair["geom2"])
    return None


def with_options(model, **options):
    """A copy with other solver options."""
    model = copy.copy(model)
    for name, value in options.items():
        setattr(model.opt, name, value)
    return model


def random_state(model, rng, spread=0.5, speed=1.0, heights=(0.0, 1.2)):
    """qpos near the initial pose, at a random height if the root is free, and qvel."""
    qpos = np.array(model.qpos0)
    mujoco.mj_integratePos(model, qpos, spread * rng.normal(size=model.nv), 1.0)
    if model.njnt and model.jnt_type[0] == 0:
        qpos[2] = rng.uniform(*heights)
    return qpos, speed * rng.normal(size=model.nv)


def forward(model, qpos, qvel, ctrl=None, act=None):
    """MjData after mj_forward."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    if ctrl is not None:
        data.ctrl[:] = ctrl
    if act is not None and model.na:
        data.act[:] = act
    mujoco.mj_forward(model, data)
    return data


def difference(ours, theirs):
    """Largest difference relative to the largest entry of the wheel's array (at least 1e-3 of its unit)."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, f"shapes {ours.shape} and {theirs.shape}"
    if not theirs.size:
        return 0.0
    return float(np.abs(ours - theirs).max() / max(1e-3, np.abs(theirs).max()))


def dense_inertia(packed, values):
    """(nv, nv) from the sparse lower triangle."""
    nv = len(packed.M_rowadr) - 1
    M = np.zeros((nv, nv))
    for i in range(nv):
        columns = packed.M_colind[packed.M_rowadr[i] : packed.M_rowadr[i + 1]]
        M[i, columns] = M[columns, i] = values[packed.M_rowadr[i] : packed.M_rowadr[i + 1]]
    return M


def wheel_inertia(model, data):
    """(nv, nv) of the wheel."""
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M


def primal_cost(model, data):
    """Function of an acceleration (nv,): what the constraint solvers minimise at data's state, in the scale of their tolerance."""
    if not data.nefc:
        return lambda qacc: 0.0
    J, M, aref = wheel_jacobian(model, data), wheel_inertia(model, data), data.efc_aref.copy()
    scale = 1.0 / (model.stat.meaninertia * max(1, model.nv))

    def cost(qacc):
        total, off = np.zeros(1), qacc - data.qacc_smooth
        mujoco.mj_constraintUpdate(model, data, J @ qacc - aref, total, 0)
        return scale * float(total[0] + 0.5 * off @ M @ off)

    return cost


def jacobian(rows, nv):
    """(nefc, nv) of our rows."""
    n = int(rows.counts[NEFC])
    J = np.zeros((n, nv))
    for i in range(n):
        r = rows.rows[i]
        J[i, rows.J_colind[r["block"], : r["nnz"]]] = rows.J[i, : r["nnz"]]
    return J


def wheel_jacobian(model, data):
    """(nefc, nv) of the wheel."""
    if not mujoco.mj_isSparse(model):
        return data.efc_J.reshape(data.nefc, model.nv)
    J = np.zeros((data.nefc, model.nv))
    for i in range(data.nefc):
        adr, n = data.efc_J_rowadr[i], data.efc_J_rownnz[i]
        J[i, data.efc_J_colind[adr : adr + n]] = data.efc_J[adr : adr + n]
    return J


def smooth_differences(simulator, model, data):
    """Stages without constraints: name → relative difference."""
    pose, forces, packed = simulator.work.pose, simulator.work.forces, simulator._packed
    result = {
        "xpos": difference(pose.bodies["xpos"], data.xpos),
        "xmat": difference(pose.bodies["xmat"].reshape(-1, 9), data.xmat),
        "xipos": difference(pose.bodies["xipos"], data.xipos),
        "geom_xpos": difference(pose.geoms["xpos"], data.geom_xpos),
        "geom_xmat": difference(pose.geoms["xmat"].reshape(-1, 9), data.geom_xmat),
        "site_xpos": difference(pose.sites["xpos"], data.site_xpos),
        "site_xmat": difference(pose.sites["xmat"].reshape(-1, 9), data.site_xmat),
        "cdof": difference(pose.cdof, data.cdof),
        "M": difference(dense_inertia(packed, pose.M), wheel_inertia(model, data)),
        "bias": difference(forces.bias, data.qfrc_bias),
        "passive": difference(forces.passive, data.qfrc_passive),
        "actuator": difference(forces.actuator, data.qfrc_actuator),
    }
    if model.nu:
        result["actuator_length"] = difference(forces.actuators["length"], data.actuator_length)
        if not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION):  # not computed then
            result["actuator_velocity"] = difference(forces.actuators["velocity"], data.actuator_velocity)
        result["actuator_force"] = difference(forces.actuators["force"], data.actuator_force)
    return result


def contact_differences(simulator, data):
    """Detected contacts: name → difference (absolute for geometry)."""
    rows = simulator.work.rows
    n = int(rows.counts[NCON])
    assert n == data.ncon, f"{n} contacts, wheel {data.ncon}"
    ours, theirs = rows.contacts[:n], data.contact
    if not n:
        return {}
    geoms = np.stack([ours["geom1"], ours["geom2"]], axis=1)
    assert np.array_equal(geoms, theirs.geom), "contacts between other geoms, or in another order"
    return {
        "dist": float(np.abs(ours["dist"] - theirs.dist).max()),
        "pos": float(np.abs(ours["pos"] - theirs.pos).max()),
        "frame": float(np.abs(ours["frame"].reshape(-1, 9) - theirs.frame).max()),
    }


def row_differences(simulator, model, data):
    """Constraint rows: name → relative difference."""
    rows = simulator.work.rows
    n = int(rows.counts[NEFC])
    assert n == data.nefc, f"{n} rows, wheel {data.nefc}"
    if not n:
        return {}
    r = rows.rows[:n]
    assert np.array_equal(r["type"], data.efc_type), "rows of other types, or in another order"
    result = {"J": difference(jacobian(rows, model.nv), wheel_jacobian(model, data))}
    for name in ("pos", "margin", "frictionloss", "diagA", "D", "R", "vel", "aref"):
        result[name] = difference(r[name], getattr(data, f"efc_{name}"))
    return result


def worst(results):
    """Largest value of each key over a list of dictionaries."""
    total = {}
    for result in results:
        for key, value in result.items():
            total[key] = max(total.get(key, 0.0), value)
    return total
