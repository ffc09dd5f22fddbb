"""Equalities that a pose violates are found, and `dojo_py check` names them."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.cli import main
from dojo_py.mechanism.open_equalities import open_equalities

TEXT = """<mujoco><option timestep="0.01" gravity="0 0 0"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body name="a" pos="0 0 1"><joint name="hinge" axis="0 1 0"/><geom size=".1"/><site name="sa" pos=".3 0 0"/>
  <body name="c" pos=".3 0 0"><joint name="slide" type="slide" axis="1 0 0" ref=".1"/><geom size=".1"/><site name="sc"/>
  </body></body>
<body name="free" pos="1 0 1" quat="1 .2 0 .3"><freejoint/><geom size=".1"/><site name="sf" pos="0 0 .2"/></body>
<body name="hand" mocap="true" pos="1 0 1.5"><geom size=".1"/></body>
<site name="world" pos="1 .02 1"/><site name="above" pos="1 0 2"/></worldbody>
<tendon><fixed name="turned"><joint joint="hinge" coef="2"/></fixed>
<spatial name="rope"><site site="above"/><site site="sc"/></spatial></tendon>
<equality>EQUALITIES</equality>
<keyframe><key name="off" qpos=".2 .15 1.1 0 1 1 0 .1 0" mpos="1 0 1.7"/></keyframe></mujoco>"""
KINDS = [
    '<connect name="e" site1="sf" site2="world"/>',
    '<connect name="e" body1="free" body2="a" anchor="0 .1 0"/>',
    '<weld name="e" site1="sf" site2="world"/>',
    '<weld name="e" body1="free" body2="c" relpose=".1 .2 0 1 .1 0 0" anchor="0 0 .1"/>',
    '<weld name="e" body1="hand" body2="free"/>',
    '<weld name="e" body1="free" torquescale="3"/>',
    '<joint name="e" joint1="hinge" polycoef=".01"/>',
    '<joint name="e" joint1="slide" joint2="hinge" polycoef="-.02 .5 .3 0 1"/>',
    '<tendon name="e" tendon1="turned" polycoef=".1"/>',
    '<tendon name="e" tendon1="rope" tendon2="turned" polycoef=".03 .1 .2"/>',
]


@pytest.mark.parametrize("keyframe", [None, 0])
@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_the_wheels(kind, keyframe):
    """Of all kinds, at qpos0 and in a keyframe: |efc_pos| of positions, sin(θ/2) of angles, within 1e-12; what is closed is not
    found."""
    text = TEXT.replace("EQUALITIES", kind)
    wheel = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(wheel)
    if keyframe is not None:
        mujoco.mj_resetDataKeyframe(wheel, data, keyframe)
    mujoco.mj_forward(wheel, data)
    rows = data.efc_pos[: data.ne]
    wanted = [np.linalg.norm(rows[:3])]
    if len(rows) == 6:
        wanted.append(2.0 * np.arcsin(np.linalg.norm(rows[3:]) / wheel.eq_data[0][10]))
    found = open_equalities(load_model(text), keyframe)
    errors = [error for error, _ in found[0].errors] if found else []
    assert errors == pytest.approx([error for error in wanted if error > 1e-6], rel=0, abs=1e-12), (errors, wanted)


def test_what_does_not_act_is_not_open():
    for text in (
        TEXT.replace("EQUALITIES", KINDS[0].replace("/>", ' active="false"/>')),
        TEXT.replace("EQUALITIES", KINDS[0]).replace("<default>", '<option><flag equality="disable"/></option><default>'),
        TEXT.replace("EQUALITIES", '<connect site1="world" site2="above"/>'),
    ):
        assert open_equalities(load_model(text)) == []


def test_the_command_line_names_them_and_the_speed(tmp_path, capsys):
    file = tmp_path / "open.xml"
    file.write_text(TEXT.replace("EQUALITIES", '<connect name="loop" body1="free" body2="world" anchor="0 0 0"/>' + KINDS[6]))
    assert main(["check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "note: at qpos0 equality 'e' is open by 0.01 rad:\n" in said and "'loop'" not in said
    assert "the hard mode closes it in the first step of 0.01 s, at 1 rad/s" in said
    sim = HardSimulator(load_model(str(file)))
    assert sim.step(sim.initial_state(), np.zeros(0)).state.qvel[0] == pytest.approx(1.0)
    assert main(["check", str(file), "--keyframe", "off"]) == 0
    said = capsys.readouterr().out
    assert "note: at keyframe 'off' equality 'loop' is open by 0.1 m" in said and "'e' is open by 0.19 rad" in said


def test_many_are_counted(tmp_path, capsys):
    file = tmp_path / "open.xml"
    file.write_text(TEXT.replace("EQUALITIES", '<joint joint1="hinge" polycoef=".01"/>' * 8))
    main(["check", str(file)])
    said = capsys.readouterr().out
    assert said.count("is open by") == 6 and "note: so are 2 more equalities" in said
