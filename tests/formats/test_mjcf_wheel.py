"""MJCF: every array of the compiled model agrees by name with the compilation of the mujoco wheel.

Measured: real and shipped models 9e-14, random models 3e-12, relative to max(1, |value|).
"""

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest
from public import MJCF
from random_mjcf import random_mjcf
from wheel_oracle import assert_equal, stripped_xml

from dojo_py import load_model
from dojo_py.mechanism.model import Model

MODELS = Path(__file__).resolve().parents[2] / "models"
SHIPPED = sorted(path.name for path in MODELS.glob("*.xml"))
NEVER_VARIED = {"body_mocapid", "geom_fluid", "actuator_cranklength", "actuator_armature", "actuator_damping"}
NEVER_VARIED |= {"key_mpos", "key_mquat", "key_act", "actuator_dampingpoly", "actuator_lengthrange", "actuator_ctrlnum"}
NEVER_VARIED |= {"actuator_outnum", "geom_matid"} | {f"mat_{name}" for name in ("rgba", "texrgb", "emission", "specular")}
NEVER_VARIED |= {f"mat_{name}" for name in ("shininess", "reflectance", "metallic", "roughness")}
NEVER_VARIED |= {f"mat_tex{name}" for name in ("repeat", "uniform", "size", "eladr")}
NEVER_VARIED |= {"sensor_plugin", "texel_rgb", "mesh_cornertexadr", "mesh_cornertex"}
"""Arrays that hold one constant for everything simulated here (key_act varies in the special cases, mocap bodies in
tests/simulate/test_mocap.py, materials and textures in their own tests)."""


@pytest.fixture(autouse=True)
def wheel_log_elsewhere(tmp_path, monkeypatch):
    """The wheel writes its warnings into the working folder."""
    monkeypatch.chdir(tmp_path)


def test_real_models():
    assert len(MJCF) >= 12
    for path in MJCF.values():
        assert_equal(load_model(path, unsupported="skip"), mujoco.MjModel.from_xml_string(stripped_xml(path)))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_models(name):
    path = MODELS / name
    assert_equal(load_model(path, unsupported="skip"), mujoco.MjModel.from_xml_string(stripped_xml(path)))


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_random_models(start):
    for seed in range(start, start + 10):
        text = random_mjcf(seed)
        assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))


def test_random_models_vary_every_array():
    """The comparison above is not one of zeros with zeros."""
    models = [load_model(random_mjcf(seed)) for seed in range(40)]
    for item in dataclasses.fields(Model):
        if "shape" in item.metadata and item.name not in NEVER_VARIED:
            values = np.concatenate([getattr(model, item.name).ravel() for model in models])
            assert np.ptp(values.astype(float)) > 0.0, item.name
    for name in ("timestep", "cone", "solver", "integrator", "disableflags", "enableflags", "disableactuator"):
        assert len({getattr(model.opt, name) for model in models}) > 1, name


BODY = '<body name="b"><joint name="j" range="-1 1"/><geom size=".1"/></body>'
SHORTCUTS = {
    "general": 'gainprm="7 1 2" biastype="affine" biasprm="1 -7 -3" dynprm=".4 .5" dyntype="filter"',
    "motor": 'gear="3"',
    "position": 'kp="5" kv="2" timeconst=".3"',
    "velocity": 'kv="3"',
    "intvelocity": 'kp="4" kv="6"',
    "damper": 'kv="3" ctrlrange="0 1"',
    "cylinder": 'area="3" bias="1 2 3" timeconst=".7"',
}


AFFINE = '<general gaintype="affine" gainprm="7 1 -2"/>'
FILTERED = '<general dyntype="filterexact" dynprm=".6"/>'


@pytest.mark.parametrize("outer", SHORTCUTS)
def test_actuator_defaults(outer):
    """Which numbers a shortcut inherits from a defaults class that another shortcut filled, also nested."""
    for tag in SHORTCUTS:
        extra = {"damper": 'ctrlrange="0 1"', "intvelocity": 'actrange="0 1"'}.get(tag, "")
        for inner in ("", AFFINE, FILTERED, *(f"<{other} {values}/>" for other, values in SHORTCUTS.items())):
            if inner.startswith("<general") and inner != AFFINE and outer == tag == "damper":
                continue  # the wheel reads a negative damping coefficient
            text = f"""<mujoco><default><{outer} {SHORTCUTS[outer]}/><default class="in">{inner}</default></default>
              <worldbody>{BODY}</worldbody>
              <actuator><{tag} class="in" joint="j" {extra}/></actuator></mujoco>"""
            assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))


CASES = {
    "defaults that stand below a nested class hold for it, too": """<mujoco><default><default class="a"><default class="b">
        <geom density="4"/></default><joint stiffness="2"/></default><joint damping=".6"/></default>
        <worldbody><body childclass="b"><joint/><geom size=".1"/></body></worldbody></mujoco>""",
    "own orientation replaces the class's": """<mujoco><default><geom euler="90 0 0" size="1 1 1"/></default>
        <worldbody><geom type="box" quat="1 0 1 0"/><geom type="box"/><geom type="box" zaxis="1 1 0"/></worldbody>
        </mujoco>""",
    "fromto beats the class's orientation": """<mujoco><default><geom euler="90 0 0" size=".1" type="capsule"/>
        </default><worldbody><geom fromto="0 0 0 0 0 1"/><geom fromto="0 0 0 0 0 -1"/><geom fromto="1 0 0 0 0 0"/>
        </worldbody></mujoco>""",
    "short lists keep the class's tail": """<mujoco><default><geom size="1 2 3" friction=".1 .2 .3"/></default>
        <worldbody><geom type="box" size="4" friction="4"/></worldbody></mujoco>""",
    "massless static bodies": """<mujoco><worldbody><body pos="1 2 3" quat="1 1 0 0"/><body><joint/><geom size="1"/>
        <body pos="1 2 3" euler="1 2 3"><site/></body></body></worldbody></mujoco>""",
    "mass of a welded child": """<mujoco><worldbody><body><joint/><body pos="1 0 0"><geom size=".1"/></body></body>
        </worldbody></mujoco>""",
    "sliders": """<mujoco><worldbody><body><joint type="slide" axis="1 0 0" armature="3"/><joint type="slide"/>
        <geom size=".1"/></body><body><joint type="slide" axis="1 1 0" armature="2"/><geom size=".1"/></body>
        <body><body><joint type="slide" armature="1"/><geom size=".1"/></body></body></worldbody></mujoco>""",
    "inertial kept when geoms have no mass": """<mujoco><compiler inertiafromgeom="true"/><worldbody>
        <body pos="1 2 3"><inertial pos="1 1 1" mass="3" diaginertia="1 1 1"/><geom size="1" mass="0"/></body>
        </worldbody></mujoco>""",
    "bounds": """<mujoco><compiler boundmass="2" boundinertia="3" settotalmass="7"/><worldbody>
        <body pos="1 2 3"/><body><geom size=".1"/></body></worldbody></mujoco>""",
    "sections twice": """<mujoco><default><geom size="1"/></default><option timestep=".1"/><worldbody><geom/>
        </worldbody><default><geom condim="4"/></default><option gravity="1 2 3"/><worldbody><geom/></worldbody>
        </mujoco>""",
    "keyframe activations": f"""<mujoco><worldbody>{BODY}</worldbody><actuator><intvelocity joint="j"/>
        <motor joint="j"/><cylinder joint="j"/></actuator><keyframe><key act="1 2" ctrl="1 2 3" qpos="0.3" name="k"/>
        </keyframe></mujoco>""",
    "joints in frames": """<mujoco><worldbody><body><frame pos="1 2 3" euler="10 20 30"><frame quat="1 1 0 0"><joint/>
        <joint type="slide" pos="1 0 0" axis="1 2 3"/><geom size="1"/></frame><joint pos="0 1 2" axis="0 1 0"/></frame>
        </body></worldbody></mujoco>""",
    "equal diagonals of xyaxes": """<mujoco><worldbody><site xyaxes="0 -1 0 0 0 1"/><site xyaxes="0 1 0 0 0 1"/>
        <site xyaxes="0 1 0 1 0 0"/><site xyaxes="0 0 1 0 -1 0"/><site xyaxes="-1 0 0 0 0 1"/></worldbody></mujoco>""",
    "coefficients beyond the largest position": """<mujoco><worldbody><body><joint damping="1e11" stiffness="1e12"
        armature="1e11"/><geom size="1"/></body></worldbody></mujoco>""",
    "nothing": "<mujoco/>",
}


@pytest.mark.parametrize("case", CASES)
def test_special_cases(case):
    assert_equal(load_model(CASES[case]), mujoco.MjModel.from_xml_string(CASES[case]))
