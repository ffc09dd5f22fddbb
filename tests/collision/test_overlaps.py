"""Bodies that overlap where joints hold them are found, named, and can be excluded."""

import mujoco
import numpy as np
import pytest

import dojo_py
from dojo_py import HardSimulator, exclude_overlaps, load_mechanism, load_model, overlaps
from dojo_py.reproduce.gauntlet import shapes

ARM = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><geom name="wall" type="box" size=".1 .1 .1" pos="0 0 .9"/>
  <body name="upper" pos="0 0 1"><joint axis="0 1 0"/><geom type="sphere" size=".05"/>
    <body pos=".06 0 0"><joint axis="0 1 0"/><geom type="sphere" size=".01"/>
      <body name="hand" pos=".02 0 0"><joint axis="0 1 0"/><geom type="sphere" size=".05"/></body></body></body>
  <body name="ball" pos="0 0 .04"><freejoint/><geom size=".05"/></body></worldbody></mujoco>"""
"""The upper link overlaps the wall and the hand, its neighbour's neighbour; the ball the floor."""


def test_what_overlaps_is_named_with_its_depth():
    model = load_model(ARM)
    found = overlaps(model)
    named = {tuple(model.body_names[b] for b in overlap.bodies): overlap.depth for overlap in found}
    assert named == pytest.approx({("world", "upper"): 0.05, ("world", "hand"): 0.05, ("upper", "hand"): 0.02, ("world", ""): 0.01})
    assert [overlap.depth for overlap in found] == sorted((overlap.depth for overlap in found), reverse=True)


def test_depths_are_the_wheels():
    """Of all that overlaps in drawn heaps, drawn together. Bound 1e-6 m beyond the wheel's depth, which is not always the least."""
    off = []
    for seed in range(40):
        case = shapes.generate(seed)
        model, wheel = load_model(case.xml), mujoco.MjModel.from_xml_string(case.xml)
        qpos = np.array(model.qpos0 if case.qpos is None else case.qpos)
        for j in np.flatnonzero(np.asarray(model.jnt_type) == 0):
            qpos[model.jnt_qposadr[j] : model.jnt_qposadr[j] + 3] *= 0.8
        data = mujoco.MjData(wheel)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(wheel, data)
        for overlap in overlaps(model, qpos):
            off.append(overlap.depth + mujoco.mj_geomDistance(wheel, data, *overlap.geoms, 10.0, None))
    print(f"{len(off)} overlaps, deeper than the wheel's by {max(off):.1e} m at most")
    assert len(off) > 50 and max(off) < 1e-6


def test_excluded_bodies_move_freely(tmp_path):
    """The joint between links that overlap turns as a pendulum's; with the overlap its steps are jammed or INEXACT."""
    mechanism = load_mechanism(ARM)
    found = exclude_overlaps(mechanism)
    model = mechanism.compile()
    assert len(found) == 4 and overlaps(model) == [] and "body_2" in model.body_names
    sim, before = HardSimulator(model, timestep=0.01), HardSimulator(load_model(ARM), timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((50, 0)))
    assert run.unsolved == 0 and abs(run.qpos[-1][0]) > 0.5
    assert abs(before.rollout(before.initial_state(), np.zeros((50, 0))).qpos[-1][0]) < 0.3
    dojo_py.save_mjcf(model, tmp_path / "arm.xml")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml")).nexclude == 4


def test_a_pose_can_be_given():
    mechanism = load_mechanism(ARM)
    qpos = np.array(mechanism.compile().qpos0)
    qpos[1], qpos[0] = np.pi / 2, np.pi
    found = exclude_overlaps(mechanism, qpos)
    model = mechanism.compile()
    names = {frozenset(model.body_names[b] for b in overlap.bodies) for overlap in found}
    assert {frozenset((e.body1, e.body2)) for e in mechanism.excludes} == names
    assert overlaps(model, qpos) == []
    with pytest.raises(ValueError, match=r"qpos has shape \(2,\), expected \(10,\)"):
        overlaps(mechanism.compile(), [0.0, 1.0])
    with pytest.raises(TypeError, match="expected a Model"):
        overlaps(ARM)


def test_listed_pairs_stay_and_shipped_models_are_clean():
    listed = (
        ARM.replace("</worldbody>", '</worldbody><contact><pair geom1="a" geom2="b"/></contact>')
        .replace('<geom type="sphere" size=".05"/>', '<geom name="a" type="sphere" size=".05"/>', 1)
        .replace('<geom type="sphere" size=".05"/></body></body>', '<geom name="b" type="sphere" size=".05"/></body></body>')
    )
    assert len(overlaps(load_model(listed))) == 3
    for name in ("humanoid", "atlas", "quadruped", "panda", "half_cheetah", "walker", "hopper", "ant"):
        assert overlaps(load_model(name)) == [], name


def test_the_command_line_tells_and_excludes(tmp_path, capsys):
    from dojo_py.cli import main

    keyframe = '</worldbody><keyframe><key name="bent" qpos="3.1416 1.5708 0 3 0 1 1 0 0 0"/></keyframe>'
    (tmp_path / "arm.xml").write_text(ARM.replace("</worldbody>", keyframe))
    assert main(["check", str(tmp_path / "arm.xml")]) == 0
    assert "4 pairs of bodies overlap, the deepest" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "arm.xml"), "--keyframe", "bent"]) == 0
    assert "at keyframe 'bent' 4 pairs of bodies overlap" in capsys.readouterr().out
    assert main(["convert", str(tmp_path / "arm.xml"), str(tmp_path / "out.xml"), "--exclude-overlaps"]) == 0
    assert "excluded: 'upper' and 'hand', 20 mm in each other" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "out.xml")]) == 0
    assert "overlap" not in capsys.readouterr().out
