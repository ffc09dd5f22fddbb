"""`Model`: frozen, checked, named; the mechanism built by hand compiles like the same file; imports stay light."""

import subprocess
import sys

import numpy as np
import pytest

from dojo_py import Mechanism, ModelError, compile_model, load_model
from dojo_py.mechanism.spec import Actuator, Body, Geom, HField, Inertial, Joint, Material, Sensor, Tendon, Tuple

TEXT = """<mujoco><worldbody><body name="arm" pos="0 0 1"><joint name="swing" axis="0 1 0" range="-1 1"/>
  <geom name="rod" type="capsule" size=".02" fromto="0 0 0 0 0 -.5"/></body></worldbody>
  <actuator><position name="servo" joint="swing" kp="2"/></actuator></mujoco>"""


def by_hand():
    mechanism = Mechanism("pendulum")
    arm = mechanism.world.add(Body("arm", pos=(0, 0, 1)))
    arm.joints.append(Joint("swing", axis=(0, 1, 0), range=np.deg2rad([-1, 1])))
    arm.geoms.append(Geom("rod", type="capsule", fromto=(0, 0, 0, 0, 0, -0.5), size=(0.02,)))
    servo = Actuator("servo", joint="swing", gainprm=(2,), biastype="affine", biasprm=(0, -2), input="pos")
    mechanism.actuators.append(servo)
    return mechanism


def test_by_hand_equals_the_file():
    ours, read = compile_model(by_hand()), load_model(TEXT)
    for name, value in vars(ours).items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(read, name)), name
    assert (ours.joint_names, ours.geom_names, ours.actuator_names) == (("swing",), ("rod",), ("servo",))


def test_frozen():
    model = load_model(TEXT)
    with pytest.raises(AttributeError):
        model.nq = 3
    for array in (model.body_mass, model.opt.gravity, model.key_qpos):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    heavier = model.replace(body_mass=2 * model.body_mass)
    assert heavier.body_mass[1] == 2 * model.body_mass[1] and not heavier.body_mass.flags.writeable
    with pytest.raises(ValueError, match="body_mass has shape"):
        model.replace(body_mass=np.ones(3))


def test_names():
    model = load_model(TEXT)
    assert model.body_id("arm") == 1 and model.body_id("world") == 0 and model.joint_id("swing") == 0
    assert model.timestep == 0.002 and "nv=1" in repr(model)
    with pytest.raises(ModelError, match="no joint is named 'swng'; .* did you mean 'swing'"):
        model.joint_id("swng")
    with pytest.raises(ModelError, match="no key"):
        model.key_id("")


@pytest.mark.parametrize(
    "change, pattern",
    [
        (lambda m: setattr(m.world.bodies[0], "pos", (0, 0)), "body 'arm', pos: 2 numbers were read"),
        (lambda m: setattr(m.world.bodies[0].joints[0], "type", "hing"), "joint 'swing', type: 'hing' is not one of"),
        (lambda m: setattr(m.world.bodies[0].geoms[0], "size", "big"), "geom 'rod', size: 'big' is not made of"),
        (lambda m: setattr(m.world.bodies[0], "inertial", Inertial(mass=float("nan"))), "inertial '', mass: nan"),
        (lambda m: setattr(m.world.bodies[0], "quat", (0, 0, 0, 0)), "body 'arm', quat: .* zero length"),
        (lambda m: m.world.add(m.world.bodies[0]), "in the tree twice"),
        (lambda m: m.world.bodies[0].bodies.append(m.world), "in the tree twice"),
        (lambda m: setattr(m.world.bodies[0], "name", 3), "3 is not a string"),
        (lambda m: setattr(m.actuators[0], "joint", "swong"), "did you mean 'swing'"),
        (lambda m: m.option.flags.update(contacts=False), "did you mean 'contact'"),
        (lambda m: m.add(Sensor("contact", data=3)), "sensor '', data: 3 is not a string"),
        (lambda m: m.add(Sensor("contact", num="x")), "sensor '', num: 'x' is not an integer"),
        (lambda m: m.add(Sensor(3)), "sensor '', type: 3 is not a string"),
        (lambda m: m.add(Sensor("clock", name="c", interval="x")), "sensor 'c', interval: 'x' is not made of numbers"),
        (lambda m: m.add(Tuple("t", [3])), "tuple 't', elements: 3 is not an element"),
        (lambda m: m.add(Material("m", {"rgba": 5})), "material 'm', attributes: .* is not made of strings"),
        (lambda m: m.add(Actuator("a", joint="swing", nsample="x")), "actuator 'a', nsample: 'x' is not an integer"),
        (lambda m: m.add(Actuator("a", joint="swing", gaintype=["x"])), r"actuator 'a', gaintype: \['x'\] is not a string"),
        (lambda m: m.add(Tendon("t", path=3)), "tendon 't', path: 3 is not a list"),
        (lambda m: m.add(Tendon("t", width="x")), "tendon 't', width: 'x' is not made of numbers"),
        (lambda m: m.add(HField("h", elevation=3)), "hfield 'h'"),
        (lambda m: setattr(m.world, "bodies", [3]), "not made of bodies"),
        (
            lambda m: setattr(m.world.bodies[0].joints[0], "limited", "false"),
            "joint 'swing', limited: 'false' is not True, False or None",
        ),
        (
            lambda m: setattr(m.world.bodies[0].joints[0], "actuatorgravcomp", "false"),
            "actuatorgravcomp: 'false' is not True or False",
        ),
        (lambda m: setattr(m.world.bodies[0].joints[0], "limited", 2), "limited: 2 is not True, False or None"),
        (lambda m: setattr(m.settings, "autolimits", "false"), "autolimits: 'false' is not True or False"),
        (lambda m: setattr(m.settings, "boundmass", "a"), "boundmass: 'a' is not a number"),
        (lambda m: m.option.flags.update(contact="disable"), "flags: {'contact': 'disable'} is not made of flags"),
        (lambda m: m.world.bodies[0].joints.append(m.world.bodies[0].geoms[0]), "joints: a Geom is not one of .'Joint'"),
        (lambda m: setattr(m.world.bodies[0], "inertial", {"mass": 1}), "is not of class Inertial"),
        (lambda m: setattr(m, "option", {}), "option: {} is not of class OptionSpec"),
    ],
)
def test_faulty_by_hand(change, pattern):
    mechanism = by_hand()
    change(mechanism)
    with pytest.raises(ModelError, match=pattern):
        compile_model(mechanism)


def test_fields_that_do_not_exist_are_refused():
    mechanism = by_hand()
    with pytest.raises(AttributeError, match="Joint has no field 'dampping'; did you mean 'damping'"):
        mechanism.joint("swing").dampping = 3.0
    with pytest.raises(AttributeError, match="OptionSpec has no field 'timestp'"):
        mechanism.option.timestp = 0.1


def test_importing_is_light():
    """`import dojo_py` loads none of the heavy packages; loading a model compiles no kernels."""
    heavy = "{'numba', 'jax', 'scipy', 'matplotlib', 'mujoco'}"
    code = f"import sys, dojo_py; assert not {heavy} & set(sys.modules); assert 'numpy' not in sys.modules;"
    code += f"dojo_py.load_model('<mujoco/>'); assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_many_trees_cost_what_each_costs():
    """Inverse weights and servos of forty trees: the wheel's (2e-11 of 1e3 measured), without the inverse of the whole matrix."""
    import mujoco

    def leg(i: int) -> str:
        rod = '<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.3"/>'
        hip, knee = (f'<joint name="{part}{i}" axis="0 1 0" armature="0.01"/>{rod}' for part in ("hip", "knee"))
        return f'<body pos="{i} 0 1"><freejoint/><geom size=".1"/><body>{hip}<body pos="0 0 -.3">{knee}'

    bodies = "".join(leg(i) + "</body></body></body>" for i in range(40))
    joints = [f"{part}{i}" for i in range(40) for part in ("hip", "knee")]
    servos = "".join(f'<position joint="{name}" kp="20" dampratio="1"/>' for name in joints)
    text = f"<mujoco><worldbody>{bodies}</worldbody><actuator>{servos}</actuator></mujoco>"
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    for name in ("dof_invweight0", "body_invweight0", "actuator_acc0", "actuator_biasprm"):
        want = getattr(wheel, name)
        assert np.abs(getattr(model, name) - want).max() < 1e-12 * np.abs(want).max() + 1e-9, name
