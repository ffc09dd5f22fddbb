"""A model that was kept in a file is refused where its numbers point beyond what there is, with the array's name."""

import json

import numpy as np
import pytest

import dojo_py
from dojo_py.mechanism.archive import pack_model, unpack_model
from dojo_py.mechanism.errors import ModelError
from dojo_py.simulate.trajectory import MODEL

RICH = """<mujoco><custom><numeric name="n" data="1 2"/><tuple name="t"><element objtype="body" objname="a"/></tuple></custom>
<asset><material name="m" rgba="1 0 0 1"/><mesh name="k" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
<hfield name="h" nrow="3" ncol="3" size="1 1 .1 .1"/></asset>
<worldbody><geom type="hfield" hfield="h" pos="0 0 -5"/><site name="w" pos="0 0 1"/>
<body name="mo" mocap="true"><geom size=".1"/></body>
<body name="a" pos="0 0 1"><freejoint name="f"/><geom name="ga" size=".1" material="m"/><site name="sa"/></body>
<body name="b" pos="1 0 1"><joint name="jb" axis="0 1 0"/><geom name="gb" type="capsule" size=".05 .2"/><site name="sb"/>
 <body name="c" pos="0 0 -.4"><joint name="jc" axis="0 1 0"/><geom name="gc" type="mesh" mesh="k"/><site name="sc"/></body></body>
<body name="d" pos="2 0 1"><joint name="jd" type="ball"/><geom size=".1 .1 .1" type="box"/><site name="sd"/></body></worldbody>
<contact><pair geom1="ga" geom2="gb"/><exclude body1="a" body2="b"/></contact>
<tendon><fixed name="fx"><joint joint="jb" coef="1"/><joint joint="jc" coef="-1"/></fixed>
<spatial name="sp"><site site="w"/><geom geom="ga" sidesite="sa"/><site site="sb"/><pulley divisor="2"/><site site="sb"/>
<site site="sc"/></spatial></tendon>
<equality><connect body1="a" body2="b" anchor="0 0 0"/><weld body1="c" body2="d"/><joint joint1="jb" joint2="jc"/>
<connect site1="sa" site2="sb"/><tendon tendon1="fx" tendon2="sp"/></equality>
<actuator><motor name="u" joint="jb" delay=".01" nsample="3"/><position site="sa" refsite="sb" kp="1"/><motor tendon="fx"/>
<muscle tendon="sp" lengthrange=".1 3"/><motor joint="f" gear="1 0 0 0 0 0"/><pid joint="jc" kp="2" input="pos vel"/>
<general joint="jd" gaintype="so3" biastype="so3" gainprm="5" biasprm="0 -5 -1"/><adhesion body="a" ctrlrange="0 1"/>
<motor cranksite="sb" slidersite="sc" cranklength=".1"/></actuator>
<sensor><framepos objtype="site" objname="sa" reftype="body" refname="b"/><jointpos joint="jb" delay=".01" nsample="2"/>
<touch site="sa"/><actuatorfrc actuator="u"/><contact geom1="ga"/><clock/></sensor></mujoco>"""
FREE = """geom_contype geom_conaffinity geom_priority geom_group jnt_group site_group tendon_group actuator_group sensor_datatype
    sensor_needstage sensor_intprm sensor_plugin""".split()
"""Arrays of integers that are no places of anything."""
BEYOND = (-2, 10**6, -(10**6), 2**31 - 1)


@pytest.fixture(scope="module")
def kept():
    arrays, values = pack_model(dojo_py.load_model(RICH))
    assert unpack_model(arrays, values).nbody == 6
    return arrays, values


def test_every_index_beyond_the_model_is_named(kept):
    """Those of equalities, transmissions, sensors, tuples and hulls were not looked at: an IndexError, or memory of others."""
    arrays, values = kept
    indices = [name for name, table in arrays.items() if table.dtype.kind == "i" and table.size and name not in FREE]
    assert len(indices) > 60
    for name in indices:
        for k in range(arrays[name].size):
            for wrong in BEYOND:
                table = arrays[name].copy()
                table.reshape(-1)[k] = wrong
                if name == "eq_objtype" and values["neq"] and arrays["eq_type"][k] > 1:
                    continue  # (couplings have no type of object)
                with pytest.raises(ModelError, match=name):
                    unpack_model({**arrays, name: table}, values)


@pytest.mark.parametrize(
    ("name", "row", "wrong"),
    [
        ("geom_bodyid", 0, -1), ("jnt_bodyid", 0, -1), ("eq_obj1id", 2, -1), ("actuator_trnid", 0, [-1, -1]),
        ("sensor_objid", 1, -1),
        ("body_weldid", 1, 3), ("dof_parentid", 0, 3), ("pair_geom1", 0, -1), ("actuator_ctrlspec", 5, 7), ("sensor_objtype", 1, 6),
    ],
)  # fmt: skip
def test_none_and_others_are_no_objects_where_one_is_needed(kept, name, row, wrong):
    arrays, values = kept
    table = arrays[name].copy()
    table[row] = wrong
    with pytest.raises(ModelError, match=name):
        unpack_model({**arrays, name: table}, values)


def test_a_trajectory_is_loaded_without_a_damaged_model(tmp_path):
    """The run itself is good; a warning names the array."""
    sim = dojo_py.SoftSimulator("cartpole")
    sim.rollout(sim.initial_state(), np.zeros((2, 1))).save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        arrays = dict(file)
    arrays[MODEL + "actuator_trnid"][0, 0] = 99
    np.savez(tmp_path / "run.npz", **arrays)
    with pytest.warns(UserWarning, match="actuator_trnid has numbers beyond what the model holds"):
        run = dojo_py.load_trajectory(tmp_path / "run.npz")
    assert run.model is None and len(run) == 2 and json.dumps(run.metadata)
