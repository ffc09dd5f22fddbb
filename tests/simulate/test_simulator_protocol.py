"""One protocol for both modes: the same signatures, the same errors, the same state after a step that failed."""

import dataclasses
import inspect

import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, State, Status, load_model
from dojo_py.identification import Recording, rollout_errors
from dojo_py.planning import Options, control_cost, ilqr
from dojo_py.simulate.simulator import Simulator, kappa_of_mode
from dojo_py.simulate.status import LOST, MILDEST_FIRST, SEVERITY
from dojo_py.soft import differences

MODES = {"hard": HardSimulator, "soft": SoftSimulator}
METHODS = sorted(name for name, _ in inspect.getmembers(Simulator, inspect.isfunction) if name[0] != "_")
BEYOND = {"initial_state": 2, "step": 2, "rollout": 2, "rollout_batch": 2, "linearize": 2, "rollout_vjp": 2}
"""First arguments, which may be given by their places; one of the other methods."""
OVERFLOWS = 1.7e308

ARM = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/></body>
  </worldbody><actuator><motor joint="j"/></actuator></mujoco>"""


@pytest.fixture(scope="module", params=sorted(MODES))
def box(request):
    return MODES[request.param]("box")


@pytest.fixture(scope="module", params=sorted(MODES))
def arm(request):
    return MODES[request.param](load_model(ARM))


@pytest.fixture(scope="module")
def hard():
    return HardSimulator(load_model(ARM))


@pytest.fixture(scope="module")
def soft():
    return SoftSimulator(load_model(ARM))


def test_the_protocol_has_what_design_promises():
    assert {"initial_state", "step", "rollout", "rollout_batch", "linearize", "energy", "momentum", "poses"} <= set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_signatures_are_the_same(name):
    """Names, order, kinds, defaults and annotations."""
    wanted = inspect.signature(getattr(Simulator, name))
    for kind in MODES.values():
        assert inspect.signature(getattr(kind, name)) == wanted


@pytest.mark.parametrize("kind", [Simulator, *MODES.values()])
@pytest.mark.parametrize("name", METHODS)
def test_keywords_beyond_the_first_arguments(kind, name):
    parameters = list(inspect.signature(getattr(kind, name)).parameters.values())[1:]
    for parameter in parameters[BEYOND.get(name, 1) :]:
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("kind", MODES.values())
def test_keywords_beyond_the_timestep(kind):
    parameters = list(inspect.signature(kind).parameters.values())
    assert [p.name for p in parameters[:2]] == ["model", "timestep"]
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters[2:])


def test_what_both_modes_have_is_in_the_protocol():
    shared = {n for n, _ in inspect.getmembers(HardSimulator, inspect.isfunction)}
    shared &= {n for n, _ in inspect.getmembers(SoftSimulator, inspect.isfunction)}
    assert {name for name in shared if name[0] != "_"} == set(METHODS)


def test_both_are_simulators(arm):
    assert isinstance(arm, Simulator) and not isinstance(arm.model, Simulator)
    assert MODES[arm.mode] is type(arm)


WEIGHTS = np.ones(2)
REFUSED = {
    "hard": [("linearize", {"epsilon": 1e-6}), ("linearize", {"centred": True})],
    "soft": [
        ("step", {"kappa": 1e-4}),
        ("step", {"kappa": 0.0}),
        ("linearize", {"kappa": 3e-4}),
        ("linearize", {"coordinates": "maximal"}),
        *(
            (name, given)
            for name in ("rollout", "rollout_batch")
            for given in ({"kappa": 1e-4}, {"gradient_kappa": 1e-4}, {"maximal": True}, {"parameters": ["mass"]})
        ),
        ("rollout_vjp", {"kappa": 1e-4}),
        ("rollout_vjp", {"parameters": ["mass"]}),
    ],
}


def call(sim, name, **given):
    """A method of the arm with the first arguments that it needs."""
    state, controls = sim.initial_state(), np.zeros((2, 1))
    first = {
        "step": (state,),
        "linearize": (state,),
        "rollout": (state, controls),
        "rollout_batch": (state, controls[None]),
        "rollout_vjp": (sim.rollout(state, controls) if name == "rollout_vjp" else None, WEIGHTS),
    }
    return getattr(sim, name)(*first[name], **given)


@pytest.mark.parametrize(("mode", "name", "given"), [(mode, *case) for mode, cases in REFUSED.items() for case in cases])
def test_what_has_no_meaning_is_refused_by_name(hard, soft, mode, name, given):
    sim = hard if mode == "hard" else soft
    with pytest.raises(ValueError, match=f"^{next(iter(given))}: it has no meaning in the {mode} mode"):
        call(sim, name, **given)


def test_what_asks_for_nothing_is_taken(arm):
    for name in ("rollout", "rollout_batch"):
        call(arm, name, kappa=None, maximal=False, gradient_kappa=None, parameters=[], wrenches=np.zeros((2, 6)))
    call(arm, "linearize", coordinates="minimal", parameters=(), epsilon=None, centred=None, joint_forces=np.zeros(1))


@pytest.mark.parametrize(
    ("name", "given", "error", "text"),
    [
        ("step", {"wrenches": np.zeros((3, 6))}, ValueError, r"wrenches has shape \(3, 6\), expected \(2, 6\)"),
        ("step", {"joint_forces": [np.nan]}, ValueError, "joint_forces has entries that are not finite"),
        ("rollout", {"joint_forces": np.zeros((3, 1))}, ValueError, r"joint_forces has shape \(3, 1\), expected \(2, 1\)"),
        ("rollout", {"linearize": 1}, TypeError, "linearize=1 is a int, expected True or False"),
        ("rollout", {"maximal": "no"}, TypeError, "maximal='no' is a str, expected True or False"),
        ("rollout", {"parameters": "mass"}, TypeError, "parameters='mass', expected a list of names"),
        ("rollout_batch", {"threads": 0}, ValueError, "threads=0 must be an integer, at least 1"),
        ("rollout_batch", {"parameters": [1]}, TypeError, "parameters=.*expected a list of names"),
        ("linearize", {"coordinates": "polar"}, ValueError, "coordinates='polar', accepted"),
        ("linearize", {"parameters": "mass"}, TypeError, "parameters='mass', expected a list of names"),
    ],
)
def test_wrong_arguments_have_the_same_error(arm, name, given, error, text):
    with pytest.raises(error, match=text):
        call(arm, name, **given)


def pushed(sim, wrench=OVERFLOWS):
    """Start, controls, wrenches of five steps, of which the second cannot be simulated."""
    wrenches = np.zeros((5, sim.model.nbody, 6))
    wrenches[1, 1, [0, 3]] = wrench
    return sim.initial_state(keyframe="home"), np.zeros((5, sim.model.nu)), wrenches


def test_a_step_that_fails_leaves_the_state_and_its_time(box):
    state, controls, wrenches = pushed(box)
    state = box.step(state).state
    step = box.step(state, controls[0], wrenches=wrenches[1])
    assert step.status is Status.NOT_FINITE and step.substeps == 0
    for name in ("qpos", "qvel", "act", "time"):
        assert np.array_equal(getattr(step.state, name), getattr(state, name))
    for name in ("impulse", "torque", "gap", "position", "frame"):
        assert np.all(np.isfinite(getattr(step.contacts, name)))
    assert not step.contacts.impulse.any()
    assert not np.isnan([step.residual, step.complementarity]).any() and step.iterations >= 0


@pytest.mark.parametrize("wrench", [1e200, OVERFLOWS])
@pytest.mark.parametrize("linearize", [False, True])
def test_a_rollout_tries_again_after_a_step_that_failed(box, linearize, wrench):
    """With the smaller wrench accelerations are numbers, and what the soft mode's solver minimises is not."""
    state, controls, wrenches = pushed(box, wrench)
    h = box.timestep
    trajectory = box.rollout(state, controls, wrenches=wrenches, linearize=linearize)
    assert trajectory.status.tolist() == [0, 5, 0, 0, 0] and trajectory.substeps.tolist() == [1, 0, 1, 1, 1]
    assert trajectory.time.tolist() == [0.0, h, h, h + h, h + h + h, h + h + h + h]
    assert np.array_equal(trajectory.qpos[1], trajectory.qpos[2]) and trajectory.qpos[2].tolist() != trajectory.qpos[3].tolist()
    for k in range(5):
        step = box.step(trajectory.state(k), controls[k], wrenches=wrenches[k])
        assert step.status == trajectory.status[k] and step.state.time == trajectory.time[k + 1]
        np.testing.assert_allclose(step.state.qvel, trajectory.qvel[k + 1], atol=1e-6)
    for table in (trajectory.residual, trajectory.complementarity, trajectory.min_gap):
        assert not np.isnan(table).any()
    if linearize:
        assert [k for k in range(5) if trajectory.gradient_status[k] in LOST] == [1]
        assert not trajectory.A[1].any() and not trajectory.B[1].any() and np.isfinite(trajectory.A).all()


def test_a_step_that_fails_has_no_derivatives(box):
    state, controls, wrenches = pushed(box)
    found = box.linearize(state, controls[0], wrenches=wrenches[1])
    assert found.status in LOST and not found.A.any() and not found.B.any()
    assert np.array_equal(found.next_state.qpos, state.qpos) and found.next_state.time == state.time


def test_differences_beside_a_step_that_fails(soft):
    """The step itself is fine, one that is moved by a column is not: no derivatives, and its status."""
    start = soft.initial_state()

    def step(state, control):
        one = soft.rollout(state, control[None])
        return dataclasses.replace(one, status=np.array([Status.SINGULAR])) if state.qvel[0] > 0.0 else one

    found = differences.linearize(soft.model, step, start, np.zeros(1), 1e-6, True)
    assert found.status is Status.SINGULAR and not found.A.any() and not found.B.any()


def test_gradients_say_which_steps_failed(box):
    state, controls, wrenches = pushed(box)
    ends = np.ones(2 * box.model.nv)
    plain = box.rollout(state, controls, wrenches=wrenches)
    for found in (
        box.rollout_vjp(plain, ends, wrenches=wrenches),
        box.rollout_vjp(box.rollout(state, controls, wrenches=wrenches, linearize=True), ends),
    ):
        assert [k for k in range(5) if found.status[k] in LOST] == [1]
        assert np.isfinite(found.state).all() and np.isfinite(found.control).all() and not found.control[:2].any()


def test_results_have_the_same_shapes_and_types(box):
    state = box.initial_state()
    trajectory = box.rollout(state, np.zeros((3, box.model.nu)), linearize=True)
    for name in ("status", "iterations", "substeps", "attempts", "gradient_status"):
        assert getattr(trajectory, name).shape == (3,) and getattr(trajectory, name).dtype == np.int64
    for name in ("residual", "complementarity", "min_gap", "round_off"):
        assert getattr(trajectory, name).shape == (3,) and getattr(trajectory, name).dtype == float
    n = 2 * box.model.nv
    assert trajectory.A.shape == (3, n, n) and trajectory.B.shape == (3, n, box.model.nu)
    found = box.linearize(state)
    assert found.A.shape == (n, n) and isinstance(found.next_state, State) and found.status is Status.SOLVED
    linear, angular = box.momentum(state)
    assert linear.shape == angular.shape == (3,) and type(box.energy(state)) is float


def test_batches_record_parameters(hard):
    state, controls = hard.initial_state([0.3]), np.array([[[0.1], [0.2]], [[0.0], [0.4]]])
    batch = hard.rollout_batch(state, controls, parameters=["mass"], threads=2)
    for one, u in zip(batch, controls, strict=True):
        alone = hard.rollout(state, u, parameters=["mass"])
        assert one.parameters["mass"].any() and one.parameters["mass"].tobytes() == alone.parameters["mass"].tobytes()
        assert one.A.tobytes() == alone.A.tobytes() and one.maximal is None and alone.maximal is not None


def test_plans_of_the_soft_mode_have_no_kappa(soft):
    """κ of a plan is the hard mode's setting; the soft mode descends on its differences, of the width that is asked for."""
    options = Options(kappa=1e-3, difference_width=1e-5)
    plan = ilqr(soft, soft.initial_state(), np.ones((3, 1)), stage=control_cost(soft.model, 1.0), options=options)
    assert all(record.kappa == 0.0 for record in plan.log) and abs(plan.controls).max() < 1e-9


def test_exact_derivatives_have_no_width(hard):
    with pytest.raises(ValueError, match="difference_width=1e-05: this simulator's derivatives are exact"):
        ilqr(
            hard, hard.initial_state(), np.ones((3, 1)), stage=control_cost(hard.model, 1.0),
            options=Options(difference_width=1e-5),
        )  # fmt: skip


def test_recordings_are_compared_with_either_mode(arm):
    trajectory = arm.rollout(arm.initial_state([0.3]), np.zeros((4, 1)))
    recording = Recording("swing", trajectory.qpos, trajectory.control, trajectory.qvel)
    assert rollout_errors(arm, [recording]).position[0] < 1e-9


def test_kappa_is_for_simulators_with_a_central_path(hard, soft):
    assert kappa_of_mode(hard, 1e-3) == 1e-3 and kappa_of_mode(soft, 1e-3) is None and kappa_of_mode(object(), 1e-3) == 1e-3


def test_the_worst_status_is_a_failure():
    """INEXACT has the largest number, and is the mildest of what is not SOLVED."""
    assert set(MILDEST_FIRST) == set(Status) and MILDEST_FIRST[:2] == (Status.SOLVED, Status.INEXACT)
    assert Status.worst([Status.INEXACT, Status.NOT_FINITE, Status.SOLVED]) is Status.NOT_FINITE
    assert Status.worst([7, 0]) is Status.INEXACT and Status.worst([]) is Status.SOLVED
    assert [MILDEST_FIRST[SEVERITY[status]] for status in Status] == list(Status)


def test_closed_loops_keep_the_worst_status():
    from dojo_py.policy.loop_kernels import worse

    for a in Status:
        for b in Status:
            assert worse.py_func(int(a), int(b)) == Status.worst((a, b))
