"""Spatial tendons: lengths and moment arms at a thousand poses against the wheel; wrapping by what a taut string does."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, load_model
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.reference import state_at
from dojo_py.mechanism.tendon_paths import tendon_geometry
from dojo_py.mechanism.wrapping import through_circle

TEXT = """<mujoco><worldbody><site name="w" pos="0.1 0 2"/><site name="w2" pos=".5 0 2"/>
  <geom name="p" type="cylinder" size=".1 .1" pos="0 .3 1.5" euler="30 20 0" contype="0" conaffinity="0"/>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" ref="10" springref="20"/><site name="in" pos=".05 .02 0"/>
    <geom name="g" size=".15" pos=".05 0 0"/><site name="s" pos="0 0 -.3"/><site name="s2" pos=".2 0 -.3"/>
    <site name="side" pos="0 .3 0"/><body pos="0 0 -.5"><joint name="b" axis="1 0 0"/><geom size=".1"/>
      <geom name="c" type="cylinder" size=".05 .1" euler="90 0 0" pos="0 .05 -.1"/><site name="e" pos=".1 0 -.3"/>
      <site name="cs" pos="0 .3 -.1"/><site name="ci" pos="0 .06 -.1"/></body></body>
  <body pos="1 0 1"><joint type="ball"/><geom size=".1"/><site name="x" pos="0 0 .2"/></body></worldbody><tendon>
  <spatial name="sphere" stiffness="3"><site site="w"/><geom geom="g"/><site site="e"/></spatial>
  <spatial name="sides" width=".01" rgba="1 0 0 .5"><site site="w"/><geom geom="g" sidesite="side"/><site site="s2"/>
    <geom geom="c" sidesite="cs"/><site site="e"/></spatial>
  <spatial name="pulleys" springlength=".5"><site site="w"/><geom geom="p"/><site site="e"/><pulley divisor="2"/>
    <site site="x"/><site site="s"/><pulley divisor="3"/><site site="w2"/><site site="x"/></spatial>
  <spatial name="heavy" armature=".2"><site site="w"/><site site="x"/><site site="s"/></spatial>
  <spatial name="inside" range="0 3"><site site="w"/><geom geom="g" sidesite="in"/><site site="s2"/>
    <geom geom="c" sidesite="ci"/><site site="e"/></spatial></tendon>
  <actuator><motor tendon="sphere"/><position tendon="heavy" kp="3" dampratio="1"/></actuator></mujoco>"""
INSIDE = 4
"""The wheel ends its search for the point that touches from inside at 1e-7 of it; lengths are stationary there."""


def test_lengths_and_moment_arms_are_the_wheels():
    """Measured: 3e-14; moment arms of the inside wrap 2e-6."""
    model, wheel = load_model(TEXT), mujoco.MjModel.from_xml_string(TEXT)
    data, rng, arrays = mujoco.MjData(wheel), np.random.default_rng(0), Arrays(model)
    lengths, arms = [], []
    for _ in range(1000):
        qpos = model.integrate(model.qpos0, rng.uniform(-3, 3, model.nv))
        data.qpos[:] = qpos
        mujoco.mj_fwdPosition(wheel, data)
        ours, J = tendon_geometry(arrays, state_at(arrays, qpos), qpos)
        theirs = np.zeros_like(J)
        for t in range(wheel.ntendon):
            row = slice(wheel.ten_J_rowadr[t], wheel.ten_J_rowadr[t] + wheel.ten_J_rownnz[t])
            theirs[t, wheel.ten_J_colind[row]] = data.ten_J[row]
        lengths.append(np.abs(ours - data.ten_length))
        arms.append(np.abs(J - theirs).max(axis=1))
    lengths, arms = np.array(lengths), np.array(arms)
    assert lengths[:, :INSIDE].max() < 1e-10 and arms[:, :INSIDE].max() < 1e-10
    assert lengths[:, INSIDE].max() < 1e-9 and arms[:, INSIDE].max() < 1e-4 and np.quantile(arms[:, INSIDE], 0.99) < 1e-6


def test_moment_arms_are_the_derivatives_of_lengths():
    """Of tendons inside too, where the wheel is not exact. Measured: 2e-9."""
    model, rng = load_model(TEXT), np.random.default_rng(1)
    arrays, step, off = Arrays(model), 1e-5, []
    for _ in range(100):
        qpos = model.integrate(model.qpos0, rng.uniform(-3, 3, model.nv))
        _, J = tendon_geometry(arrays, state_at(arrays, qpos), qpos)
        for i in range(model.nv):
            ends = [model.integrate(qpos, s * step * np.eye(model.nv)[i]) for s in (1, -1)]
            above, below = (tendon_geometry(arrays, state_at(arrays, q), q)[0] for q in ends)
            off.append(np.abs((above - below) / (2 * step) - J[:, i]).max())
    assert np.quantile(off, 0.98) < 1e-7  # (some poses lie on either side of the beginning of a wrap)


def test_inside_wrap_reflects():
    """A string that touches a circle from inside makes equal angles with it on both sides. Measured: 1e-12."""
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(300):
        d = rng.uniform(-0.5, 0.5, 4)
        length, x, y, _, _ = through_circle(*d, 0.1)
        if length == 0.0:
            normal = np.array([x, y]) / 0.1
            one, two = (v / np.linalg.norm(v) for v in (d[:2] - [x, y], d[2:] - [x, y]))
            found += 1
            if abs(normal @ one) > 1e-3:  # (at a tangent the search ends at its first point)
                assert abs(normal @ (one - two)) < 1e-8
    assert found > 100


PATHS = {
    "geom at the end": ('<site site="w"/><geom geom="g"/>', "geom", "", "between two sites"),
    "two geoms": ('<site site="w"/><geom geom="g"/><geom geom="p"/><site site="e"/>', "geom", "", "between two sites"),
    "one site": ('<site site="w"/>', "spatial", "", "two sites at least"),
    "lonely site": ('<site site="w"/><site site="e"/><pulley divisor="2"/><site site="x"/>', "site", "", "needs a neighbour"),
    "pulley at the end": ('<site site="w"/><site site="e"/><pulley divisor="2"/>', "pulley", "", "cannot end"),
    "two pulleys": (
        '<site site="w"/><site site="e"/><pulley divisor="2"/><pulley divisor="2"/><site site="x"/><site site="w"/>',
        *("pulley", "", "cannot follow"),
    ),
    "divisor": ('<site site="w"/><site site="e"/><pulley divisor="0"/><site site="x"/><site site="w"/>', "pulley", "divisor", "0"),
    "site twice": ('<site site="w"/><site site="w"/>', "site", "", "cannot follow itself"),
    "no such site": ('<site site="w"/><site site="ee"/>', "site", "site", "no site is named 'ee'"),
    "no such geom": ('<site site="w"/><geom geom="q"/><site site="e"/>', "geom", "geom", "no geom is named 'q'"),
    "side site": ('<site site="w"/><geom geom="g" sidesite="q"/><site site="e"/>', "geom", "sidesite", "no site is named 'q'"),
    "missing": ('<site/><site site="w"/><site site="e"/>', "site", "site", "is required"),
    "joint": ('<joint joint="a" coef="1"/>', "joint", "", "not an element of spatial"),
    "unknown attribute": ('<site site="w" body="x"/><site site="e"/>', "site", "body", "not an attribute"),
}


@pytest.mark.parametrize("case", PATHS)
def test_faulty_paths_are_named(case):
    path, element, attribute, message = PATHS[case]
    text = TEXT.replace("<tendon>", f'<tendon>\n<spatial name="t">{path}</spatial>\n')
    line = text[: text.index('name="t"')].count("\n") + 1
    with pytest.raises(ModelError) as caught:
        load_model(text)
    found = [r for r in caught.value.errors if (r.line, r.element, r.attribute) == (line, element, attribute)]
    assert any(message in record.message for record in found), [str(record) for record in caught.value.errors]


def test_armature_does_not_wrap():
    text = TEXT.replace('<spatial name="sphere"', '<spatial name="sphere" armature="1"')
    with pytest.raises(ModelError, match="'sphere', armature.*wraps"):
        load_model(text)


def test_hard_mode_refuses_by_name():
    text = TEXT.replace('<spatial name="sphere" stiffness="3"><site site="w"/><geom geom="g"/><site site="e"/></spatial>',
                        '<spatial name="sphere" stiffness="3"><site site="w"/><site site="w2"/></spatial>')  # fmt: skip
    with pytest.raises(ModelError, match="tendon 'sphere': it touches no body that moves"):
        HardSimulator(load_model(text))
