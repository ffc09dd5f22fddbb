"""Searches on tasks of one's own: an arm that reaches for a target, which is a mocap body, from starts that differ."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from default_run import some

from dojo_py.environments.task import Task
from dojo_py.policy import (
    Ags,
    AgsOptions,
    Ars,
    ArsOptions,
    Climb,
    ClimbOptions,
    ClosedLoop,
    LinearPolicy,
    RolloutOptions,
    Shac,
    ShacOptions,
)
from dojo_py.policy.derivatives import differenced_observation, differenced_reward, observation_jacobian, reward_gradient
from dojo_py.policy.rollout import Job, play
from dojo_py.simulate.results import State

ARM = """<mujoco><worldbody>
  <body name="target" mocap="true" pos="0.3 0.6 0"><geom type="sphere" size="0.02" contype="0" conaffinity="0"/></body>
  <body><joint name="a" axis="0 0 1" damping="0.2"/><geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0" mass="1"/>
  <body pos="0.5 0 0"><joint name="b" axis="0 0 1" damping="0.2"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="0.6"/></body></body></worldbody>
  <actuator><motor joint="a" {range}/><motor name="elbow" joint="b" ctrlrange="-3 3" ctrllimited="true"/></actuator>
  <keyframe><key name="home"/></keyframe></mujoco>"""


@pytest.fixture(scope="module", autouse=True)
def _file(tmp_path_factory):
    """The models, as files that tasks name."""
    here = tmp_path_factory.mktemp("own")
    Reach.model_name = str(here / "arm.xml")
    Free.model_name = str(here / "free.xml")
    Path(Reach.model_name).write_text(ARM.format(range='ctrlrange="-4 4" ctrllimited="true"'))
    Path(Free.model_name).write_text(ARM.format(range=""))


@dataclass(frozen=True, kw_only=True)
class Reach(Task):
    """Rewarded by the square of the tip's distance from the target."""

    model_name: ClassVar[str] = ""
    interval: ClassVar[float] = 0.05

    def initial_state(self, rng):
        """Any pose, any place of the target on a circle."""
        place, angle = self.sim.initial_state(rng.uniform(-1.5, 1.5, 2), np.zeros(2)), rng.uniform(0.0, 1.0)
        return replace(place, mocap_pos=np.array([[0.6 * np.cos(angle), 0.6 * np.sin(angle), 0.0]]))

    def missing(self, state):
        """(2,)"""
        a, b = np.cumsum(state.qpos)
        return np.array([0.5 * np.cos(a) + 0.4 * np.cos(b), 0.5 * np.sin(a) + 0.4 * np.sin(b)]) - state.mocap_pos[0, :2]

    def observe(self, state, contacts):
        """(8,)"""
        return np.concatenate([np.cos(state.qpos), np.sin(state.qpos), state.qvel, self.missing(state)])

    def reward(self, before, action, after, contacts):
        """Minus the square of the distance."""
        missing = self.missing(after)
        return -float(missing @ missing), {}

    def terminated(self, state):
        """Never."""
        return False


@dataclass(frozen=True, kw_only=True)
class Free(Reach):
    """The first motor has no range."""

    model_name: ClassVar[str] = ""


class Replaced(Reach):
    """Starts as Reach does, said by a state that belongs to another pose."""

    def initial_state(self, rng):
        """With the exact part of the pose at zero."""
        there = super().initial_state(rng)
        return replace(self.sim.initial_state(), qpos=there.qpos, mocap_pos=there.mocap_pos)


class Plain(Reach):
    """Starts as Reach does, said by the coordinates alone."""

    def initial_state(self, rng):
        """Without an exact part, and without what is placed elsewhere than the model says."""
        there = super().initial_state(rng)
        return State(there.qpos, there.qvel, there.act, mocap_pos=there.mocap_pos)


class NanReward(Reach):
    """After a while its reward is no number."""

    def reward(self, before, action, after, contacts):
        """NaN from 0.2 s on."""
        return (float("nan") if after.time > 0.2 else 0.0), {}


class NanObservation(Reach):
    """After a while what it sees is no number."""

    def observe(self, state, contacts):
        """NaN from 0.2 s on."""
        return np.full(8, np.nan if state.time > 0.2 else 1.0)


class Slopes(Reach):
    """Derivatives of its own, right unless a test replaces them."""

    jacobian: ClassVar = staticmethod(lambda found: found)
    gradient: ClassVar = staticmethod(lambda found: found)

    def observation_jacobian(self, state):
        """By differences."""
        return self.jacobian(differenced_observation(self, state, None))

    def reward_gradient(self, before, action, after):
        """By differences."""
        return self.gradient(differenced_reward(self, before, action, after, None))


class Bare(Reach):
    """A reward without its parts."""

    def reward(self, before, action, after, contacts):
        """A number."""
        return 1.0


SEARCHES = [(Ars, ArsOptions()), (Ags, AgsOptions()), (Climb, ClimbOptions()), (Shac, ShacOptions())]


def search(kind, options, task=None, horizon=10, seed=0):
    return kind(task or Reach(), LinearPolicy(8, 2, 0.01), options, RolloutOptions(horizon), seed, 0)


@pytest.mark.parametrize(("kind", "options"), SEARCHES)
@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        (NanReward, ValueError, r"NanReward\.reward is nan after action .* at qpos"),
        (NanObservation, ValueError, r"NanObservation\.observe: entry 0 is nan at qpos"),
        (Bare, TypeError, r"Bare\.reward returned 1\.0, expected a pair"),
    ],
)
def test_what_is_no_number_is_named(kind, options, task, error, message):
    """Climb tried policies for ever, the others spoke of controls or of a missing key."""
    with pytest.raises(error, match=message):
        search(kind, options, task()).run(2)


class Steep(Reach):
    """Finite rewards whose squares are not."""

    def reward(self, before, action, after, contacts):
        """Up to 1e160."""
        return 1e160 * float(after.qpos[0]), {}


@pytest.mark.parametrize(("kind", "options"), SEARCHES)
def test_returns_too_large_for_a_variance_are_named(kind, options):
    """Climb never came back."""
    with pytest.raises(ValueError, match=r"Steep\.reward: an episode has a return of .*e\+1.., searches take ±1e\+100 at most"):
        search(kind, options, Steep()).run(2)


@pytest.mark.parametrize("task", [Replaced, Plain])
@pytest.mark.parametrize(("kind", "options"), SEARCHES)
def test_initial_states_are_what_their_coordinates_say(kind, options, task):
    """SHAC began where the state's exact part was, and asked a plain state for one."""
    found, wanted = search(kind, options, task(), 5).run(1), search(kind, options, Reach(), 5).run(1)
    np.testing.assert_allclose(found.parameters, wanted.parameters, atol=1e-9)


def from_home(**placed):
    """A task that starts in one pose, with what a function draws beside it."""

    def initial_state(self, rng):
        return replace(self.sim.initial_state(), **{name: draw(rng) for name, draw in placed.items()})

    return type("FromHome", (Reach,), {"initial_state": initial_state})()


def test_starts_vary_where_targets_or_times_do():
    """Targets that are mocap bodies counted as fixed, and a single return as all there is to know of a policy."""
    assert not search(*SEARCHES[0], from_home()).varied
    assert search(*SEARCHES[0], from_home(mocap_pos=lambda rng: rng.uniform(-0.5, 0.5, (1, 3)))).varied
    assert search(*SEARCHES[0], from_home(time=lambda rng: float(rng.uniform()))).varied


WRONG_SLOPES = [
    ("jacobian", lambda J: J[:, :3], r"Slopes\.observation_jacobian has shape \(8, 3\), expected \(8, 4\)"),
    ("jacobian", lambda J: np.full((8, 4), np.nan), r"Slopes\.observation_jacobian: entry \[0, 0\] is nan at qpos"),
    (
        "jacobian",
        lambda J: J + np.eye(8, 4),
        r"Slopes\.observation_jacobian: row 0 by entry 0 of the state is .*, differences give",
    ),
    (
        "gradient",
        lambda g: (g[0][:3], g[1], g[2]),
        r"Slopes\.reward_gradient, by the state before, has shape \(3,\), expected \(4,\)",
    ),
    (
        "gradient",
        lambda g: (g[0], g[1], g[2][:1]),
        r"Slopes\.reward_gradient, by the state after, has shape \(1,\), expected \(4,\)",
    ),
    ("gradient", lambda g: (g[0], g[1][:1], g[2]), r"Slopes\.reward_gradient, by the action, has shape \(1,\), expected \(2,\)"),
    ("gradient", lambda g: g[:2], r"Slopes\.reward_gradient returned .*, expected three arrays"),
    ("gradient", lambda g: (g[0], g[1], g[2] * np.inf), r"Slopes\.reward_gradient, by the state after,: entry \[0\] is "),
    (
        "gradient",
        lambda g: (g[0], g[1], -g[2]),
        r"Slopes\.reward_gradient: row 0 by entry 0 of the state after is .*, differences give",
    ),
]


@pytest.mark.parametrize(("kind", "options"), [*SEARCHES[1:], (None, None)])
def test_derivatives_that_are_none_are_named(kind, options):
    """Short ones were padded with zeros, with NaN the searches took no step, wrong ones led them astray."""
    policy, rng = LinearPolicy(8, 2, 0.3), np.random.default_rng(0)

    def use(task):
        if kind is None:
            state = task.initial_state(rng)
            return ClosedLoop(task, policy, 5).policy_gradient(policy.initial(rng), state, 1e-3).parameters
        return kind(task, policy, options, RolloutOptions(5), 0, 0).run(1).parameters

    use(Slopes())
    for name, change, message in WRONG_SLOPES:
        task = type("Slopes", (Slopes,), {name: staticmethod(change)})()
        for _ in range(2):  # (the second time too)
            with pytest.raises(ValueError, match=message), np.errstate(invalid="ignore"):
                use(task)
    unchecked = {"gradient": staticmethod(lambda g: (g[0], g[1], -g[2])), "check_derivatives": False}
    assert np.isfinite(use(type("Slopes", (Slopes,), unchecked)())).all()


class Edge(Reach):
    """What it sees is no number where the first angle is negative, its derivatives are wrong."""

    def observe(self, state, contacts):
        """NaN beyond the edge."""
        return super().observe(state, contacts) * (np.nan if state.qpos[0] < 0.0 else 1.0)

    def observation_jacobian(self, state):
        """Wrong."""
        return np.ones((8, 4))

    def reward(self, before, action, after, contacts):
        """NaN beyond the edge."""
        return after.qpos[0] * (np.nan if after.qpos[0] < 0.0 else 1.0), {}

    def reward_gradient(self, before, action, after):
        """Wrong."""
        return np.zeros(4), np.zeros(2), np.zeros(4)


def test_derivatives_that_could_not_be_compared_are_compared_later():
    """Next to where a task is not defined there are no differences; the wrong derivatives counted as compared for good."""
    task, action = Edge(), np.zeros(2)
    edge, inside = (replace(task.sim.initial_state([x, 0.5]), mocap_pos=np.array([[0.3, 0.6, 0.0]])) for x in (0.0, 0.5))
    observation_jacobian(task, edge, None), reward_gradient(task, edge, action, edge, None)
    with pytest.raises(ValueError, match=r"Edge\.observation_jacobian: row 0 by entry 0"):
        observation_jacobian(task, inside, None)
    with pytest.raises(ValueError, match=r"Edge\.reward_gradient: row 0 by entry 0 of the state after"):
        reward_gradient(task, inside, action, inside, None)


class Single(Slopes):
    """What it sees and earns is in single precision, its derivatives are those of Reach."""

    def observe(self, state, contacts):
        """As Reach."""
        return super().observe(state, contacts).astype(np.float32)

    def reward(self, before, action, after, contacts):
        """Of a size at which single precision counts by 8e-6."""
        return np.float32(super().reward(before, action, after, contacts)[0] + 100.0), {}


def test_tasks_in_single_precision_are_differenced_by_wider_steps():
    """Steps of 1e-6 are below what such rewards resolve, and right derivatives of a task's own were refused."""
    policy = LinearPolicy(8, 2, 0.3)
    parameters, state = policy.initial(np.random.default_rng(1)), Reach().initial_state(np.random.default_rng(0))
    parameters = parameters + 0.3 * np.random.default_rng(2).standard_normal(policy.size)
    own = {
        "observation_jacobian": lambda self, s: differenced_observation(Reach(), s, None),
        "reward_gradient": lambda self, b, u, a: differenced_reward(Reach(), b, u, a, None),
    }
    none = {"observation_jacobian": Task.observation_jacobian, "reward_gradient": Task.reward_gradient}
    tasks = Reach(), type("Single", (Single,), none)(), type("Single", (Single,), own)()
    right, *others = (ClosedLoop(task, policy, 10).policy_gradient(parameters, state, 1e-3).parameters for task in tasks)
    for found in others:
        assert np.linalg.norm(found - right) < 1e-3 * np.linalg.norm(right)


class Odd(LinearPolicy):
    """Its answers are no actions."""

    answer: ClassVar = np.zeros(3)

    def act(self, parameters, observation):
        """Whatever."""
        return self.answer


@pytest.mark.parametrize(("kind", "options"), SEARCHES)
def test_policies_that_do_not_act_are_named(kind, options, monkeypatch):
    """The errors spoke of operands and of controls."""
    for answer, message in (
        (np.zeros(3), r"shape \(3,\), the task's sizes ask for \(2,\)"),
        (np.full(2, np.nan), r"\[nan, nan\] for the obs"),
    ):
        monkeypatch.setattr(Odd, "answer", answer)
        with pytest.raises(ValueError, match=r"Odd: policy\.act returned .*" + message):
            kind(Reach(), Odd(8, 2), options, RolloutOptions(5)).run(1)


class Forward:
    """A policy that knows no way back."""

    observation_size, action_size, size = 8, 2, 16
    initial, act, describe = LinearPolicy(8, 2).initial, LinearPolicy(8, 2).act, LinearPolicy(8, 2).describe


@pytest.mark.parametrize(("kind", "options"), SEARCHES)
def test_a_policy_without_a_way_back_is_refused_where_it_is_needed(kind, options):
    if kind is Ars:
        assert kind(Reach(), Forward(), options, RolloutOptions(5)).run(1).iteration == 1
        return
    with pytest.raises(TypeError, match="`backward`"):
        kind(Reach(), Forward(), options, RolloutOptions(5))


def test_gradients_know_where_the_target_is():
    """The states at which observations and rewards are differenced have the mocap body where the episode has it."""
    task, policy = Reach(), LinearPolicy(8, 2, 0.3)
    theta, state = policy.initial(np.random.default_rng(1)), task.initial_state(np.random.default_rng(0))
    loop, aside = ClosedLoop(task, policy, 20), 1e-5 * np.random.default_rng(2).standard_normal(16)
    ends = [loop.play(theta + sign * aside, state, None, 1e-3).total for sign in (1.0, -1.0)]
    assert loop.policy_gradient(theta, state, 1e-3).parameters @ aside == pytest.approx((ends[0] - ends[1]) / 2, rel=1e-5)


@pytest.mark.parametrize(
    ("kind", "options", "least"),
    some([(Ags, AgsOptions(), 0.4), (Climb, ClimbOptions(), 0.15), (Shac, ShacOptions(), 0.4)], lambda row: row[0] is Shac),
)
def test_gradient_searches_learn_to_reach(kind, options, least):
    """Share of what the start lacks that is earned on fresh episodes, mean of two seeds, 4,000 evaluations of 60 actions.

    Measured: AGS 0.73, Climb 0.34, SHAC 0.65, which refused tasks that are not shipped.
    """
    gained = []
    for seed in range(2):
        found = search(kind, options, horizon=60, seed=seed)
        before = found.test(10).mean()
        gained.append(1.0 - found.run(10**6, budget=4000).test(10).mean() / before)
    assert np.mean(gained) > least, gained


def test_climb_goes_on_where_no_try_makes_a_difference():
    """In the warm-up this arm never moves: nothing is seen to vary, no policy acts, all tries earn the same. It tried for ever."""
    found = search(Climb, ClimbOptions(), Reach(mode="soft"), 20)
    assert found.run(3).iteration == 3 and found.evaluations < 2000


def test_a_motor_without_a_range_is_refused():
    """Its largest control counted as 0: it never acted."""
    with pytest.raises(ValueError, match=r"Free: the actuators \['#0'\] have no range: give them a ctrlrange"):
        play(Job(Free(), LinearPolicy(8, 2), np.zeros(16), np.zeros(8), np.ones(8), (0,), RolloutOptions(3)))
