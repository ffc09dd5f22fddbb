"""Muscles against the wheel: the curves, what the reader and the compiler make of them, steps of both modes."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model, save_mjcf
from dojo_py.actuation.muscle import muscle_bias, muscle_gain, muscle_rate
from dojo_py.jit import entry

ARM = """<mujoco><option timestep="0.005" integrator="{integrator}"/><compiler>{lengthrange}</compiler>
<default><muscle scale="150" vmax="2"/><geom contype="0" conaffinity="0"/>
<default class="a"><muscle force="80" timeconst="0.02 .05"/></default>
<default class="g"><general gaintype="muscle" dyntype="muscle" biastype="muscle" gainprm=".6 1.3 7"/></default></default>
<worldbody><geom type="cylinder" name="w" size=".04 .1" zaxis="0 1 0"/><site name="o" pos="-.05 0 .25"/>
 <site name="side" pos="0 0 .2"/>
 <body><joint name="s" axis="0 1 0" range="-60 90"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
 <site name="i" pos=".12 0 .03"/>
 <body pos=".3 0 0"><joint name="e" axis="0 1 0" range="-120 5"/><geom type="capsule" size=".025" fromto="0 0 0 .25 0 0"/>
 <site name="k" pos=".08 0 .03"/></body></body></worldbody>
 <tendon><spatial name="t1"><site site="o"/><geom geom="w" sidesite="side"/><site site="i"/></spatial>
 <spatial name="t2" stiffness="20"><site site="o"/><site site="i"/><site site="k"/></spatial></tendon>
 <actuator><muscle name="m1" tendon="t1" {given}/><muscle name="m2" class="a" tendon="t2" range=".6 1.2" tausmooth=".3" {given}/>
 <muscle joint="e" lengthrange="-2 .1" gear="-1"/><muscle class="g" joint="e" lengthrange="-2 .1"/>
 <general joint="s" dyntype="muscle" dynprm=".01 .03 .1" gaintype="fixed" gainprm="3" biastype="none"/>
 <general joint="s" gaintype="muscle" biastype="muscle" gainprm=".7 1.1 30 10 .5 1.7 1.5 1.3 1.2" lengthrange="-1 2"
  biasprm=".7 1.1 30 10 .5 1.7 1.5 1.3 1.2" dyntype="integrator" actlimited="true" actrange="0 1" actearly="true"/>
 </actuator></mujoco>"""
ARRAYS = "gainprm biasprm dynprm length0 dyntype gaintype biastype actnum actadr ctrllimited".split()


@entry
def gain_of(length, velocity, prm, span, acc0):
    return muscle_gain(length, velocity, prm, span, acc0)


@entry
def bias_of(length, prm, span, acc0):
    return muscle_bias(length, prm, span, acc0)


@entry
def rate_of(control, act, prm):
    return muscle_rate(control, act, prm)


def arm(integrator="Euler", lengthrange="", given='lengthrange=".1 .6"'):
    return ARM.format(integrator=integrator, lengthrange=lengthrange, given=given)


def test_the_curves_are_the_wheels():
    """Measured: 4e-15 relative to the peak force."""
    rng = np.random.default_rng(0)
    for _ in range(2000):
        prm = np.array([rng.uniform(0.3, 0.8), rng.uniform(0.9, 1.6), rng.choice([-1.0, 50.0]), 200.0, rng.uniform(0.2, 0.7),
                        rng.uniform(1.3, 2.0), rng.uniform(0.5, 3.0), rng.uniform(0.5, 2.0), rng.uniform(1.05, 1.8)])  # fmt: skip
        span, acc0 = np.sort(rng.uniform(-1, 1, 2)), rng.uniform(0.1, 30.0)
        length, velocity = span[0] + rng.uniform(-0.7, 1.7) * np.ptp(span), rng.normal() * 3.0
        peak = 50.0 if prm[2] > 0 else 200.0 / acc0
        gain = mujoco.mju_muscleGain(length, velocity, span, acc0, prm)
        bias = mujoco.mju_muscleBias(length, span, acc0, prm)
        assert abs(gain_of(length, velocity, prm, span, acc0)[0] - gain) < 1e-12 * peak
        assert abs(bias_of(length, prm, span, acc0)[0] - bias) < 1e-12 * peak
        filters = np.array([0.01, 0.04, rng.choice([0.0, 0.3])])
        control, act = rng.uniform(-0.5, 1.5, 2)
        rate = mujoco.mju_muscleDynamics(control, act, filters)
        assert abs(rate_of(control, act, filters) - rate) < 1e-12 * max(1.0, abs(rate))


def test_slopes_are_those_of_differences():
    """Away from the knots of the splines. Measured: 2e-9."""
    prm = np.array([0.75, 1.05, 10.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2])
    span, e = np.array([0.2, 0.5]), 1e-6
    for length in np.linspace(0.0, 1.2, 25) + 0.00123:
        for velocity in np.linspace(-2.0, 1.0, 11) + 0.0123:
            _, by_length, by_velocity = gain_of(length, velocity, prm, span, 1.0)
            ends = [gain_of(length + a, velocity + b, prm, span, 1.0)[0] for a, b in ((e, 0), (-e, 0), (0, e), (0, -e))]
            assert by_length == pytest.approx((ends[0] - ends[1]) / (2 * e), abs=1e-4)
            assert by_velocity == pytest.approx((ends[2] - ends[3]) / (2 * e), abs=1e-4)
        biases = [bias_of(length + a, prm, span, 1.0)[0] for a in (e, -e)]
        assert bias_of(length, prm, span, 1.0)[1] == pytest.approx((biases[0] - biases[1]) / (2 * e), abs=1e-4)


def test_what_the_compiler_makes_of_a_muscle():
    """Everything the wheel's, defaults and classes included. Measured: 0; ranges of lengths 6e-9."""
    for text in (arm(), arm(given=""), arm(given="", lengthrange='<lengthrange uselimit="true" accel="10" inttotal="6"/>')):
        model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
        assert not model.left_out
        for name in ARRAYS:
            assert np.array_equal(getattr(model, f"actuator_{name}"), getattr(wheel, f"actuator_{name}")), name
        assert np.abs(model.actuator_acc0 - wheel.actuator_acc0).max() < 1e-9
        assert np.abs(model.actuator_lengthrange - wheel.actuator_lengthrange).max() < 1e-7


def test_a_written_muscle_is_read_again(tmp_path):
    model = load_model(arm(given=""))
    save_mjcf(model, tmp_path / "arm.xml")
    again, wheel = load_model(tmp_path / "arm.xml"), mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    for name in (*ARRAYS, "lengthrange", "acc0"):
        ours = getattr(model, f"actuator_{name}")
        assert np.array_equal(getattr(again, f"actuator_{name}"), ours)
        assert np.abs(np.asarray(getattr(wheel, f"actuator_{name}"), float) - np.asarray(ours, float)).max() < 1e-9


def test_ranges_that_never_rest_are_named():
    text = "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='.1 0 0'/></body></worldbody><actuator>"
    with pytest.raises(ModelError, match="muscle 'm'.*did not come to rest|'m'.*no range"):
        load_model(text + "<muscle name='m' joint='j'/></actuator></mujoco>")
    with pytest.raises(ModelError, match="lengthrange, mode"):
        load_model("<mujoco><compiler><lengthrange mode='some'/></compiler></mujoco>")
    for wrong, message in (
        ("range='1 .8'", "must ascend"), ("lmin='2'", "lmin < 1 < lmax"), ("vmax='0'", "must be positive")
    ):  # fmt: skip
        with pytest.raises(ModelError, match=message):
            load_model(text + f"<muscle name='m' joint='j' {wrong} lengthrange='0 1'/></actuator></mujoco>")
    with pytest.raises(ModelError, match="tausmooth: -1 is negative"):
        load_model(text + "<muscle name='m' joint='j' tausmooth='-1' lengthrange='0 1'/></actuator></mujoco>")


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "RK4"])
def test_soft_steps_are_the_wheels(integrator):
    """One step from 100 random states: forces, activations, velocities. Measured: 1e-13."""
    wheel = mujoco.MjModel.from_xml_string(arm(integrator))
    wheel.opt.tolerance, wheel.opt.iterations, wheel.opt.ls_iterations, wheel.opt.ls_tolerance = 1e-15, 300, 200, 1e-10
    sim, data, rng = SoftSimulator(wheel), mujoco.MjData(wheel), np.random.default_rng(0)
    for _ in range(100):
        data.qpos[:], data.qvel[:], data.act[:] = rng.uniform(-1.2, 0.9, 2), rng.uniform(-8, 8, 2), rng.uniform(0, 1, wheel.na)
        control = rng.uniform(-0.2, 1.2, wheel.nu)
        start = sim.initial_state(data.qpos, data.qvel, act=data.act)
        data.ctrl[:], data.qacc_warmstart[:] = control, 0.0
        mujoco.mj_step(wheel, data)
        end = sim.step(start, control).state
        assert np.abs(end.qvel - data.qvel).max() < 1e-9 * max(1.0, np.abs(data.qvel).max())
        assert np.abs(end.act - data.act).max() < 1e-12


def test_hard_and_soft_tend_to_the_same_motion():
    """Antagonists of a joint at small steps: the modes differ by O(h). Measured 1e-3 and 5e-4 rad after 0.3 s."""
    text = """<mujoco><option gravity="0 0 0" integrator="implicitfast"/><worldbody><body>
      <joint name="j" axis="0 1 0" armature=".01"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/></body></worldbody><actuator>
      <muscle joint="j" lengthrange="-1.5 1.5" force="6"/>
      <muscle joint="j" gear="-1" lengthrange="-1.5 1.5" force="4"/></actuator></mujoco>"""
    model, gaps = load_model(text), []
    for h in (2e-3, 1e-3):
        ends = []
        for kind in (HardSimulator, SoftSimulator):
            sim = kind(model, timestep=h)
            run = sim.rollout(sim.initial_state(qpos=[0.4]), np.tile([0.8, 0.3], (int(0.3 / h), 1)))
            assert np.all(run.status == 0)
            ends.append(run.qpos[-1])
        gaps.append(np.abs(ends[0] - ends[1]).max())
    assert gaps[0] < 2e-2 and gaps[1] < 0.7 * gaps[0], gaps
