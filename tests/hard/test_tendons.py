"""Fixed tendons in the hard mode: derivatives, a tendon of one joint as that joint's own parts, limits, dry friction, energy."""

import numpy as np
import pytest
from differences import compare, ridders, tight

import dojo_py
from dojo_py import HardOptions, HardSimulator, ModelError, Status, load_model

ARMS = """<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 -.4"/>
    <body pos="0 0 -.4"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 .1 0 -.3"/>
      <body pos="0 0 -.3"><joint name="c" type="slide" axis="1 0 0"/><geom size=".05"/></body></body></body>
  <body pos="1 0 1"><joint name="d" axis="1 0 0"/><joint name="e" axis="0 1 0"/>
    <geom type="capsule" size=".03" fromto="0 0 0 0 .2 -.4"/></body></worldbody>
  <tendon><fixed name="t" {}><joint joint="a" coef="1"/><joint joint="b" coef="-1.5"/><joint joint="d" coef=".5"/></fixed>
    <fixed name="u" damping=".1"><joint joint="c" coef="2"/><joint joint="b" coef=".5"/><joint joint="e" coef="-1"/></fixed>
  </tendon>
  {}<actuator><motor name="m" tendon="t" gear="2"/><position name="p" tendon="u" kp="3" kv=".2"/></actuator></mujoco>"""
CASES = {
    "springs": ('stiffness="5" springlength="0.01 0.02" damping=".2" armature=".05"', ""),
    "limits": ('range="-.02 .03"', ""),
    "friction": ('frictionloss=".3" armature=".02"', ""),
    "equality": ('stiffness="1"', '<equality><tendon tendon1="t" tendon2="u" polycoef="0 .5 .3 0 0"/></equality>'),
    "bounds": ('actuatorfrcrange="-.4 .4" stiffness="2"', ""),
    "all": ('range="-.05 .05" frictionloss=".1" stiffness="5" damping=".1" armature=".05"', ""),
}


def scene(case, kappa, seed=1):
    """A simulator, a state some steps after a random start, a control."""
    model = load_model(ARMS.format(*CASES[case]))
    sim, rng = tight(model, 0.01), np.random.default_rng(seed)
    near = 0.01 if "range=" in CASES[case][0] else 0.3
    state = sim.initial_state(qpos=near * rng.normal(size=model.nq), qvel=rng.normal(size=model.nv))
    for _ in range(3):
        state = sim.step(state, rng.uniform(-0.4, 0.4, 2), kappa=kappa).state
    return sim, state, rng.uniform(-0.3, 0.3, 2)


@pytest.mark.parametrize("kappa", [1e-3, 1e-5])
@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_differences(case, kappa):
    """Measured at worst: 6e-11."""
    found = compare(*scene(case, kappa), kappa)
    assert found.estimate < 1e-8 and max(found.A, found.B) < 1e-7, found


@pytest.mark.parametrize("case", ["all", "equality"])
def test_parameters_act_through_tendons(case):
    """Derivatives by the time step, anchors, axes, gears and masses. Measured: 2e-9 relative to the largest entry."""
    kappa = 1e-4
    sim, state, control = scene(case, kappa)
    names = ["timestep", "joint_anchor", "joint_axis", "gear", "mass"]
    found = sim.linearize(state, control, kappa=kappa, parameters=names).parameters
    for name in names:
        values = sim.parameter(name).value.ravel()
        size = max(np.abs(found[name]).max(), 1e-3)
        for k in range(0, len(values), 4):
            by = np.eye(len(values))[k] * (1e-3 if name == "timestep" else 1.0)

            def end(amount, name=name, values=values, by=by):
                other = sim.with_parameters({name: values + amount * by})
                after = other.step(other.initial_state(state.qpos, state.qvel), control, kappa=kappa)
                return np.concatenate([after.state.qpos, after.state.qvel])

            numeric = ridders(lambda step, end=end: (end(step) - end(-step)) / (2 * step), 1e-2)[0]
            assert np.abs(numeric / by[k] - found[name][:, k]).max() / size < 1e-6, (name, k)


ONE = """<mujoco><worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0" {}/>
  <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.4"/>
  <body pos="0 0 -.4"><joint axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 -.4"/></body></body></worldbody>
  {}<actuator><motor {}="{}" gear="2"/><position {}="{}" kp="3" kv=".2" forcerange="-1 1"/></actuator></mujoco>"""
PARTS = {
    "spring": ('stiffness="5" springref="20" damping=".2" armature=".05"',) * 2,
    "limits": ('range="-10 10"', 'range="-.17453292519943295 .17453292519943295"'),
    "friction": ('frictionloss=".3"', 'frictionloss=".3"'),
    "bound of force": ('actuatorfrcrange="-.5 .5"', 'actuatorfrcrange="-.25 .25"'),
}


@pytest.mark.parametrize("part", PARTS)
def test_tendon_of_one_joint_is_that_joints_own(part):
    """Same motion as with the joint's own attributes over 200 steps. Measured: 2e-12 (limits 5e-8: resting contact of a chain)."""
    of_joint, of_tendon = PARTS[part]
    if part == "spring":
        of_tendon = of_tendon.replace('springref="20"', f'springlength="{float(np.deg2rad(20.0))!r}"')
    tendon = f'<tendon><fixed name="t" {of_tendon}><joint joint="j" coef="1"/></fixed></tendon>'
    motor = ("tendon", "t") if part == "bound of force" else ("joint", "j")
    gears = ONE.replace('gear="2"/><position', 'gear="2" ctrlrange="-.2 .2"/><position') if part == "bound of force" else ONE
    if part == "bound of force":  # one motor on the tendon: its bound counts before the gear
        gears = gears.replace('<position {}="{}" kp="3" kv=".2" forcerange="-1 1"/>', '<motor {}="{}" gear="2"/>')
    models = [load_model(gears.format(of_joint, "", *("joint", "j") * 2)), load_model(gears.format("", tendon, *motor * 2))]
    controls = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    ends = []
    for model in models:
        sim = tight(model, 0.005)
        run = sim.rollout(sim.initial_state(qvel=[0.5, -0.2]), controls)
        assert np.all(run.status == 0)
        ends.append(run.qpos)
    bound = 1e-5 if part == "limits" else 1e-9
    assert np.abs(ends[0] - ends[1]).max() < bound


def test_limits_hold_and_friction_keeps_still():
    model = load_model(ARMS.format('range="-.1 .2"', ""))
    sim = HardSimulator(model, timestep=0.01)
    rng = np.random.default_rng(0)
    run = sim.rollout(sim.initial_state(qvel=rng.normal(size=5)), rng.uniform(-2, 2, (300, 2)))
    length = run.qpos @ [1.0, -1.5, 0.0, 0.5, 0.0]
    assert np.all(run.status == 0)
    assert length.min() > -0.1 - 1e-9 and length.max() < 0.2 + 1e-9 and length.max() > 0.19  # it gets there
    firm = load_model(ARMS.format('frictionloss="5"', "").replace("<mujoco>", '<mujoco><option gravity="0 0 0"/>'))
    sim = HardSimulator(firm, timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.tile([1.0, 0.0], (100, 1)))
    assert np.abs(run.qpos @ [1.0, -1.5, 0.0, 0.5, 0.0]).max() < 1e-9  # 2 N against 5 N


def test_energy_of_a_sprung_tendon_is_kept():
    """No gravity, damping or input: the energy mid-step oscillates by O(h²). Measured: 4e-5, 1e-5 at half the step."""
    text = ARMS.format('stiffness="20" armature=".05"', "").replace(' damping=".1"', "").replace(' kp="3" kv=".2"', ' kp="0"')
    model = load_model(text.replace("<mujoco>", '<mujoco><option gravity="0 0 0"/>'))
    errors = []
    for h in (0.01, 0.005):
        sim = HardSimulator(model, timestep=h)
        state = sim.initial_state(qpos=[0.3, -0.2, 0.0, 0.4, 0.0])
        values = []
        for _ in range(int(2.0 / h)):
            state = sim.step(state, np.zeros(2)).state
            values.append(sim.energy(state))
        errors.append(np.ptp(values) / np.mean(values))
    assert errors[0] < 1e-2 and errors[1] < 0.35 * errors[0], errors


def test_hard_and_soft_tend_to_the_same_motion():
    """Smooth forces of tendons at small steps: MuJoCo's motion and ours differ by O(h). Measured 2e-3 and 1e-3."""
    model = load_model(ARMS.format('stiffness="20" springlength="-.1 .1" damping=".3"', ""))
    gaps = []
    for h in (2e-3, 1e-3):
        ends = []
        for kind in (HardSimulator, dojo_py.SoftSimulator):
            sim = kind(model, timestep=h)
            run = sim.rollout(sim.initial_state(qpos=[0.3, -0.2, 0.05, 0.4, 0.1]), np.tile([0.2, 0.1], (int(0.4 / h), 1)))
            ends.append(run.qpos[-1])
        gaps.append(np.abs(ends[0] - ends[1]).max())
    assert gaps[0] < 2e-2 and gaps[1] < 0.7 * gaps[0], gaps


REFUSED = {
    "two gears": (
        ARMS.format('actuatorfrcrange="-1 1"', "").replace('tendon="u"', 'tendon="t"'),
        "'t'.*different gears",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case):
    text, message = REFUSED[case]
    with pytest.raises(ModelError, match=message):
        HardSimulator(load_model(text))


def test_gymnasium_humanoid_runs():
    """Two fixed tendons with limits, as the package ships it. Measured: all 200 steps solved, gaps above 0."""
    envs = pytest.importorskip("gymnasium.envs.mujoco")
    model = load_model(f"{list(envs.__path__)[0]}/assets/humanoid.xml")
    assert model.ntendon == 2 and not [record for record in model.left_out if not record.notice]
    rng = np.random.default_rng(0)
    for sim in (HardSimulator(model, options=HardOptions()), dojo_py.SoftSimulator(model)):
        run = sim.rollout(sim.initial_state(), rng.uniform(-0.4, 0.4, (200, model.nu)))
        assert np.all(np.isfinite(run.qpos)) and np.all(np.isin(run.status, [Status.SOLVED, Status.INEXACT]))
        if isinstance(sim, HardSimulator):
            assert np.all(run.status == 0) and np.nanmin(run.min_gap) > -1e-9
