"""Sensors `distance`, `normal` and `fromto` beside the wheel, of all shapes and of bodies; written files; what is refused."""

import mujoco
import numpy as np
import pytest
from wheel_oracle import assert_equal

import dojo_py
from dojo_py import ModelError, load_model
from dojo_py.formats.save import mjcf

WORDS = ("distance", "normal", "fromto")
SIZES = {"sphere": ".1", "capsule": ".1 .2", "box": ".1 .2 .3", "ellipsoid": ".1 .2 .3", "cylinder": ".1 .2"}
ROUND = ("ellipsoid", "cylinder")


def pairs():
    names = [*SIZES, "plane", "mesh"]
    return [(a, b) for a in names for b in names if a != b]


def text():
    bodies = "".join(
        f'<body name="{k}_body" pos="{0.4 * i} 0 1"><freejoint/><geom name="{k}" type="{k}" size="{s}"/>'
        '<geom type="box" size=".05 .05 .05"'
        ' pos="0 .4 0"/></body>'
        for i, (k, s) in enumerate(SIZES.items())
    )
    sensors = "".join(
        f'<{w} name="{w} {a} {b} {c}" geom1="{a}" geom2="{b}" cutoff="{c}"/>'
        for a, b in pairs()
        for w in WORDS
        for c in ("5", ".3", "0")
    )
    of_bodies = "".join(
        f'<{w} body1="sphere_body" body2="ellipsoid_body" cutoff="3"/><{w} body1="sphere_body" geom2="plane" cutoff="3"/>'
        f'<{w} body1="world" body2="box_body" cutoff="3"/>'
        for w in WORDS
    )
    return f"""<mujoco><option><flag contact="disable"/></option><asset><mesh name="m" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .2"/>
  </asset><worldbody>
    <geom name="plane" type="plane" size="1 1 1"/>{bodies}<body name="mesh_body" pos="1 .3 1"><freejoint/>
  <geom name="mesh" type="mesh" mesh="m"/>
    </body></worldbody><sensor>{sensors}{of_bodies}</sensor></mujoco>"""


def test_nearest_points_are_the_wheels():
    """Measured, with the wheel run to the end: distances 6e-12; normals and points 5e-15, of ellipsoids and cylinders 1.4e-6."""
    model, wheel = load_model(text()), mujoco.MjModel.from_xml_string(text())
    assert_equal(model, wheel)
    wheel.opt.ccd_tolerance, wheel.opt.ccd_iterations = 1e-12, 300
    data, rng, sim = mujoco.MjData(wheel), np.random.default_rng(0), dojo_py.SoftSimulator(model)
    worst = dict.fromkeys(("distance", "flat", "round"), 0.0)
    for _ in range(20):
        qpos = model.integrate(model.qpos0, rng.normal(size=model.nv) * np.tile([0.3] * 3 + [1.0] * 3, 6))
        data.qpos[:] = qpos
        mujoco.mj_forward(wheel, data)
        ours = sim.step(sim.initial_state(qpos))
        for i in range(model.nsensor):
            at = slice(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i])
            word, *shapes = model.sensor_names[i].split() or ("normal", "ellipsoid")
            of = "distance" if model.sensor_type[i] == 39 else "round" if set(shapes) & set(ROUND) else "flat"
            worst[of] = max(worst[of], np.abs(ours.sensordata[at] - data.sensordata[at]).max())
        ends, gap = ours.sensor("fromto box mesh 5"), ours.sensor("distance box mesh 5")[0]
        assert abs(np.linalg.norm(ends[3:] - ends[:3]) - abs(gap)) < 1e-9
    print(worst)
    assert worst["distance"] < 1e-10 and worst["flat"] < 1e-10 and worst["round"] < 1e-5


def test_files_and_the_hard_mode():
    model = load_model(text())
    assert_equal(load_model(mjcf(model)), mujoco.MjModel.from_xml_string(mjcf(model)))
    sims = dojo_py.SoftSimulator(model), dojo_py.HardSimulator(model, timestep=0.002)
    steps = [sim.step(sim.initial_state()).sensordata for sim in sims]
    assert np.abs(steps[0] - steps[1]).max() < 1e-12


FAULTY = {
    '<distance geom1="g" cutoff="1"/>': "exactly one of geom2 and body2 must be given",
    '<distance geom1="g" body1="b" geom2="p"/>': "exactly one of geom1 and body1 must be given",
    '<normal geom1="g" geom2="g"/>': "two different geoms or bodies",
    '<fromto body1="b" body2="c"/>': "no body is named 'c'",
    '<fromto geom1="g" geom2="p" objtype="geom"/>': "is not an attribute of fromto",
}


@pytest.mark.parametrize("sensor", FAULTY)
def test_what_is_wrong_is_named(sensor):
    body = '<geom name="p" type="plane" size="1 1 1"/><body name="b"><freejoint/><geom name="g" size=".1"/></body>'
    with pytest.raises(ModelError, match=FAULTY[sensor]):
        load_model(f"<mujoco><worldbody>{body}</worldbody><sensor>{sensor}</sensor></mujoco>")
