"""What is not the right kind of argument is refused by name; what is, is taken in whatever shape numpy has it."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, load_model
from dojo_py.simulate.values import check_fields, count, real_array, real_number
from dojo_py.sweeps import Recipe

ARM = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/></body>
  </worldbody><actuator><motor joint="j"/></actuator><keyframe><key name="side" qpos="1"/></keyframe></mujoco>"""


@pytest.fixture(scope="module", params=[HardSimulator, SoftSimulator])
def arm(request):
    return request.param(load_model(ARM))


@pytest.mark.parametrize("keyframe", [99, -2, 1.0, "down", True, [0], np.nan])
def test_keyframes_that_are_not_there(arm, keyframe):
    with pytest.raises(ValueError, match="keyframe"):
        arm.initial_state(keyframe=keyframe)


def test_keyframes_by_number_and_name(arm):
    for keyframe in (0, -1, np.int32(0), "side", np.str_("side")):
        assert arm.initial_state(keyframe=keyframe).qpos.tolist() == [1.0]


NOT_NUMBERS = [[1j], np.array([1 + 0j]), ["1"], [None], np.array([1.0], dtype=object), [True], {}, [[1.0], []]]


@pytest.mark.parametrize("control", NOT_NUMBERS)
def test_controls_that_are_not_real_numbers(arm, control):
    state = arm.initial_state()
    with pytest.raises(ValueError, match="control"):
        arm.step(state, control)
    with pytest.raises(ValueError, match="controls"):
        arm.rollout(state, [control])


@pytest.mark.parametrize("threads", [1.5, "2", 0, -1, np.nan, True, 1j])
def test_threads_are_whole(arm, threads):
    with pytest.raises(ValueError, match="threads=.* must be an integer, at least 1"):
        arm.rollout_batch(arm.initial_state(), np.zeros((1, 2, 1)), threads=threads)


def test_states_are_states(arm):
    for state in (None, "state", np.zeros(2), {}):
        with pytest.raises(TypeError, match="state is a .*expected a State"):
            arm.step(state)
        with pytest.raises(TypeError, match="state"):
            arm.rollout_batch([state], np.zeros((1, 2, 1)))


def test_states_of_other_models_are_told(arm):
    """Before: "qvel has shape (6,), expected (1,)"."""
    other = HardSimulator("box").initial_state()
    told = "state is of another model, 'box' with nq 7, nv 6; the simulator's is 'MuJoCo Model' with nq 1, nv 1"
    state, controls = arm.initial_state(), np.zeros((1, 2, 1))
    for use in (
        arm.step,
        arm.poses,
        arm.linearize,
        lambda s: arm.rollout(s, controls[0]),
        lambda s: arm.rollout_batch([s], controls),
    ):
        with pytest.raises(ValueError, match=told):
            use(other)
    with pytest.raises(ValueError, match=r"qpos has shape \(2,\), expected \(1,\)"):  # its own model's, with another array
        arm.step(dataclasses.replace(state, qpos=np.zeros(2)))
    arm.step(dataclasses.replace(other, qpos=state.qpos, qvel=state.qvel))  # as taken before


def test_a_number_of_steps_is_no_controls(arm):
    with pytest.raises(
        ValueError, match=r"controls has shape \(\), expected \(T, 1\), a row for each step: np.zeros\(\(100, 1\)\)"
    ):
        arm.rollout(arm.initial_state(), 100)


def test_what_there_is_instead_is_said(arm):
    """Before: the name alone, or how many there are."""
    state = arm.initial_state()
    with pytest.raises(ValueError, match=r"keyframe=7: the model has 1 keyframes, 0 … 0, named \['side'\]"):
        arm.initial_state(keyframe=7)
    with pytest.raises(ValueError, match="no site is named 'tip'; the model has none with a name"):
        arm.jacobian(state, site="tip")
    with pytest.raises(ValueError, match="geom=3: the model has 1, 0 … 0"):
        arm.jacobian(state, geom=3)
    with pytest.raises(ValueError, match="no sensor is named 'imuu'; the model has none with a name"):
        arm.rollout(state, np.zeros((1, 1))).sensor("imuu")


def strided(a):
    return np.repeat(a, 2, axis=1)[:, ::2]


@pytest.mark.parametrize("shape", [list, np.asfortranarray, strided, np.float32, np.int64])
def test_numbers_in_any_shape_are_the_same_numbers(arm, shape):
    controls = np.array([[1.0], [-2.0], [3.0]])
    expected = arm.rollout(arm.initial_state(), controls)
    assert arm.rollout(arm.initial_state(), shape(controls)).qpos.tobytes() == expected.qpos.tobytes()


def test_numbers_by_kind():
    assert real_number("x", np.float32(0.5)) == 0.5 and count("n", np.uint8(3)) == 3
    assert real_array("a", [[1, 2]]).dtype == float
    for wrong in ("1", 1j, None, [1.0], True, object(), b"1", {}, [[1.0], []]):
        with pytest.raises(ValueError, match="x="):
            real_number("x", wrong)
    with pytest.raises(ValueError, match="x=inf must be finite"):
        real_number("x", np.inf)


def test_fields_are_checked_as_annotated():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Settings:
        size: "float" = 1.0
        steps: "int | None" = None
        ends: "tuple[float, float]" = (0.0, np.inf)

        def __post_init__(self):
            check_fields(self)

    assert type(Settings(size=np.float32(2)).size) is float and Settings(ends=[0, 1]).ends == (0.0, 1.0)
    for wrong in ({"size": np.nan}, {"size": "1"}, {"steps": 1.5}, {"ends": (1.0,)}, {"ends": "ab"}):
        with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
            Settings(**wrong)


@pytest.mark.parametrize("how", [pickle.dumps, copy.deepcopy])
def test_simulators_are_not_pickled(arm, how):
    """It was "cannot pickle '_thread.lock' object". The recipe that the message names makes one like it."""
    with pytest.raises(TypeError, match=rf"a {type(arm).__name__} holds .* dojo_py.sweeps.Recipe.of\(sim\) can be pickled"):
        how(arm)
    assert copy.copy(arm).model is arm.model
    again = pickle.loads(pickle.dumps(Recipe.of(arm))).simulator()
    assert np.array_equal(again.step(again.initial_state(), [1.0]).state.qpos, arm.step(arm.initial_state(), [1.0]).state.qpos)


def test_a_state_of_another_model_is_refused_where_it_is_read(arm):
    """It read the entries of another joint."""
    state = dataclasses.replace(arm.initial_state(), model=load_model("box"))
    with pytest.raises(ValueError, match=r"qpos has shape \(1,\), expected \(7,\): the state's model is another"):
        state.joint(0)
