"""Rangefinders against the wheel: rays over planes, primitives, a mesh, with and without a cutoff, what is left out."""

import mujoco
import numpy as np

from dojo_py import HardSimulator, SoftSimulator, load_model

SCENE = """<mujoco><option gravity="0 0 0"/><asset><mesh name="m" vertex="0 0 0 .4 0 0 0 .4 0 0 0 .5 .3 .3 .3"/></asset><worldbody>
<geom type="plane" size="2 2 1" pos="0 0 -1"/><geom type="plane" size="0 0 1" pos="0 0 -3"/>
<body><freejoint/><geom size=".05"/><site name="a"/><site name="b" euler="70 10 0" pos=".3 .2 0"/>
<site name="c" euler="200 40 10" pos=".1 .2 .5"/></body>{}<geom type="mesh" mesh="m" pos="-.6 -.6 .2"/>
<geom size="5" rgba="1 1 1 0"/></worldbody><sensor>{}</sensor></mujoco>"""


def test_distances_are_the_wheels():
    """60 scenes, 172 hits of 360. Measured: 5e-11 (the mesh, whose corners the wheel keeps in single precision)."""
    rng, geoms, sensors = np.random.default_rng(0), "", ""
    for shape in ("sphere", "capsule", "box", "cylinder", "ellipsoid"):
        place, turn = rng.uniform(-1, 1, 3), rng.uniform(0, 90, 2)
        geoms += f'<body pos="{place[0]} {place[1]} {place[2]}" euler="{turn[0]} {turn[1]} 0"><freejoint/>'
        geoms += f'<geom type="{shape}" size=".3 .35 .25" contype="0" conaffinity="0"/></body>'
    for site in "abc":
        sensors += f'<rangefinder site="{site}"/><rangefinder site="{site}" cutoff=".4"/>'
    text = SCENE.format(geoms, sensors)
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    assert not model.left_out and np.array_equal(model.sensor_intprm, wheel.sensor_intprm)
    sim, data, hits = SoftSimulator(model), mujoco.MjData(wheel), 0
    for _ in range(60):
        data.qpos[:], data.qvel[:] = model.integrate(model.qpos0, 0.8 * rng.normal(size=model.nv)), 0.0
        step = sim.step(sim.initial_state(data.qpos))
        mujoco.mj_step(wheel, data)
        hits += int(np.sum(data.sensordata > 0.0))
        assert np.abs(step.sensordata - data.sensordata).max() < 1e-8
    assert hits > 100


def test_what_is_left_out_is_named():
    for data in ('data="dist point"', 'data="normal"'):
        model = load_model(SCENE.format("", f'<rangefinder name="r" site="a" {data}/>'))
        assert model.nsensor == 0 and "'r'" in str(model.left_out[0]) and "data is not simulated" in str(model.left_out[0])


def test_rays_pass_what_is_transparent():
    """The material's colour counts where there is one, in both modes; a sphere in front of a plane 3 m away."""
    text = """<mujoco><asset><material name="m" rgba="1 1 1 {}"/></asset><worldbody><body><freejoint/><geom size=".1"/>
    <site name="s" zaxis="1 0 0"/></body><geom size=".5" pos="2 0 0" {}/>
    <geom type="plane" size="9 9 1" pos="3 0 0" zaxis="-1 0 0"/></worldbody><sensor><rangefinder site="s"/></sensor></mujoco>"""
    for alpha, colour in ((1, ""), (0, 'material="m"'), (1, 'material="m" rgba="1 1 1 0"'), (1, 'rgba="1 1 1 0"')):
        filled = text.format(alpha, colour)
        wheel = mujoco.MjModel.from_xml_string(filled)
        data = mujoco.MjData(wheel)
        mujoco.mj_forward(wheel, data)
        for mode in (SoftSimulator, HardSimulator):
            sim = mode(load_model(filled))
            assert abs(sim.step(sim.initial_state()).sensordata[0] - data.sensordata[0]) < 1e-4, (colour, mode)
