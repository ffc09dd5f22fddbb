"""Tasks of your own in environments and closed loops: those that move by themselves, and infos that differ from world to world."""

import copy
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from dojo_py import load_model, models  # noqa: E402
from dojo_py.environments import make_task  # noqa: E402
from dojo_py.environments.advance import differentiate  # noqa: E402
from dojo_py.environments.single import DojoEnv  # noqa: E402
from dojo_py.environments.task import Task, planar_noise  # noqa: E402
from dojo_py.environments.tasks.hopper import Hopper  # noqa: E402
from dojo_py.environments.tasks.pendulum import Pendulum  # noqa: E402
from dojo_py.environments.vector import DojoVectorEnv  # noqa: E402
from dojo_py.policy import Ags, AgsOptions, Climb, ClimbOptions, ClosedLoop, LinearPolicy, RolloutOptions, Shac, ShacOptions  # noqa: E402
from dojo_py.policy.closed_loop import compiled_parts  # noqa: E402
from dojo_py.policy.derivatives import control_jacobian  # noqa: E402
from dojo_py.policy.gradient import GradientJob, play_and_differentiate  # noqa: E402
from dojo_py.policy.rollout import Job, play  # noqa: E402
from dojo_py.policy.smoothing import Smoothing  # noqa: E402
from dojo_py.policy.state_task import StateTask  # noqa: E402
from dojo_py.simulate.status import OutOfDomain  # noqa: E402


@dataclass(frozen=True, kw_only=True)
class Breeze(Pendulum):
    """A pendulum that is pushed after every action."""

    def move(self, states, actions, threads=1, kappa=None):
        """0.5 rad/s more."""
        moved = super().move(states, actions, threads, kappa)
        return [replace(m, state=self.sim.initial_state(m.state.qpos, m.state.qvel + 0.5)) for m in moved]


@dataclass(frozen=True, kw_only=True)
class Blunt(Pendulum):
    """A pendulum whose derivatives are its own."""

    def differentiate(self, state, action, kappa):
        """Of a model without gravity."""
        A, B, after = super().differentiate(state, action, kappa)
        return np.array([[1.0, 0.05], [0.0, 1.0]]), B, after


@dataclass(frozen=True, kw_only=True)
class Talkative(Hopper):
    """Infos of several kinds, not the same in all worlds."""

    def reward(self, before, action, after, contacts):
        """Nothing, with a story."""
        parts = {"pose": after.qpos.copy(), "name": f"{after.qpos[0]:.3f}", "count": 3}
        if after.qvel[0] > 0:
            parts["forward"] = True
        return 0.0, parts


def actions_of(env, seed, steps):
    rng, space = np.random.default_rng(seed), env.action_space
    return [rng.uniform(space.low, space.high).astype(np.float32) for _ in range(steps)]


def test_environments_step_a_task_by_its_own_move():
    task, single, many = Breeze(), DojoEnv(Breeze()), DojoVectorEnv(Breeze(), num_envs=2, threads=2)
    seen, worlds = single.reset(seed=3)[0], many.reset(seed=3)[0]
    state = single.state
    assert np.array_equal(seen, worlds[0])
    for action in actions_of(single, 0, 5):
        moved = task.move([state], action[None].astype(float))[0]
        reward, parts = task.reward(state, action.astype(float), moved.state, moved.contacts)
        seen, found, over, truncated, info = single.step(action)
        worlds, rewards, *_, infos = many.step(np.array([action, action]))
        assert np.array_equal(seen, task.observe(moved.state, None)) and np.array_equal(seen, worlds[0])
        assert found == reward == rewards[0] and not over and not truncated
        assert info == {**parts, "status": 0} and infos["angle"][0] == parts["angle"]
        state = moved.state


def test_no_compiled_loop_runs_a_task_that_moves_by_itself():
    """It would play another world; searches play the task's own."""
    task, policy = Breeze(), LinearPolicy(3, 1)
    assert compiled_parts(task, policy) is None and compiled_parts(Pendulum(), policy) is not None
    with pytest.raises(ValueError, match="Breeze has a `move` of its own"):
        ClosedLoop(task, policy)
    job = Job(task, policy, np.zeros(3), np.zeros(3), np.ones(3), (0,), RolloutOptions(20))
    path = []
    play(job, path)
    first = path[0]
    calm = Pendulum().move([first.before], first.action[None])[0].state
    assert first.after.qvel[0] == pytest.approx(calm.qvel[0] + 0.5)


def test_derivatives_of_a_task_are_its_own():
    task, policy, start = Blunt(), LinearPolicy(3, 1), Pendulum().initial_state(np.random.default_rng(0))
    loop = ClosedLoop(task, policy, 5)
    assert loop.compiled and len(loop.play(np.zeros(3), start).rewards) == 5
    with pytest.raises(ValueError, match="Blunt has a `differentiate` of its own"):
        loop.policy_gradient(np.zeros(3), start, 1e-3)
    jobs = [Job(t, policy, np.full(3, 0.1), np.zeros(3), np.ones(3), (0,), RolloutOptions(5), 1e-3) for t in (task, Pendulum())]
    own, usual = (play_and_differentiate(GradientJob(job)) for job in jobs)
    assert own.episode.total == pytest.approx(usual.episode.total) and not np.allclose(own.gradient, usual.gradient)


@dataclass(frozen=True, kw_only=True)
class Windy(Breeze):
    """The breeze's derivatives too: it adds a constant."""

    def differentiate(self, state, action, kappa):
        """The simulator's."""
        A, B, _ = differentiate(self, state, action, kappa)
        return A, B, self.move([state], action[None], kappa=kappa)[0].state


def test_a_move_of_ones_own_is_not_differentiated_as_the_simulators():
    """The derivatives were those of steps that the task does not take, and the searches' episodes too."""
    policy, message = LinearPolicy(3, 1), "Breeze has a `move` of its own and needs a `differentiate` of its own"
    for make in (
        lambda task: task.differentiate(task.initial_state(np.random.default_rng(0)), np.zeros(1), 1e-3),
        lambda task: DojoEnv(task, gradients=True),
        lambda task: DojoVectorEnv(task, num_envs=2, gradients=True),
        lambda task: Ags(task, policy, AgsOptions(), RolloutOptions(5)).run(1),
        lambda task: Climb(task, policy, ClimbOptions(), RolloutOptions(5)).run(1),
    ):
        with pytest.raises(ValueError, match=message):
            make(Breeze())
        make(Windy())
    Climb(Breeze(), policy, ClimbOptions(gradients=False), RolloutOptions(5)).run(1)
    with pytest.raises(ValueError, match="Shac needs a task .* without a `move` or a `differentiate`"):
        Shac(Breeze(), policy, ShacOptions(), RolloutOptions(5))
    Ags(Breeze(), policy, AgsOptions(smoothing=Smoothing(2)), RolloutOptions(5)).run(1)


@dataclass(frozen=True, kw_only=True)
class Cubed(Pendulum):
    """A motor with another law."""

    def control(self, action):
        """Clipped, unlike the default one by far."""
        return -2.0 * np.clip(action, *self.action_bounds) ** 3


class Stated(Cubed):
    """The law's derivative, times a factor."""

    factor = 1.0

    def control_jacobian(self, action):
        """0 at the bounds, where both sides' are right."""
        inside = np.abs(action) < self.action_bounds[1]
        return self.factor * np.diag(-6.0 * action**2 * inside)


class Unclipped(Pendulum):
    """A control beyond the bounds too."""

    def control(self, action):
        """The action."""
        return 1.5 * np.asarray(action, float)


def test_a_control_of_ones_own_is_differentiated():
    """Derivatives were those of the default control."""
    high = float(Cubed().action_bounds[1][0])
    for kind in (Cubed, Stated):
        for u in (0.3, -0.7, high, -high, 3 * high):
            slope = 0.0 if u > high or (kind is Stated and abs(u) == high) else -6.0 * u * u
            assert control_jacobian(kind(), np.array([u])) == pytest.approx(np.array([[slope]]), rel=1e-5)
    for u in (0.3, high, 3 * high, -3 * high):
        assert control_jacobian(Unclipped(), np.array([u])) == pytest.approx(np.array([[1.5]]), rel=1e-6)
    policy, theta = LinearPolicy(3, 1), np.array([0.5, -0.7, -0.3])
    for task in (Cubed(), Stated()):
        state = task.initial_state(np.random.default_rng(0))
        loop, aside = ClosedLoop(task, policy, 3), 1e-6 * np.array([1.0, -2.0, 0.5])
        ends = [loop.play(theta + sign * aside, state, kappa=1e-4).total for sign in (1.0, -1.0)]
        assert loop.policy_gradient(theta, state, 1e-4).parameters @ aside == pytest.approx((ends[0] - ends[1]) / 2, rel=1e-5)
        _, B, after = task.differentiate(state, np.array([0.3]), 1e-4)
        ends = [task.move([state], np.array([[0.3 + e]]), kappa=1e-4)[0].state.qvel for e in (1e-6, -1e-6)]
        assert B[1] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)


def test_a_wrong_derivative_of_a_control_is_named():
    for factor, message in (
        (-1.0, r"Stated\.control_jacobian: row 0 by entry 0 of the action is .*, differences give"),
        (np.nan, r"Stated\.control_jacobian: entry \[0, 0\] is nan at the action \[0.3\]"),
        (np.ones((2, 1)), r"Stated\.control_jacobian has shape \(2, 1\), expected \(1, 1\)"),
    ):
        task = type("Stated", (Stated,), {"factor": factor})()
        for _ in range(2):
            with pytest.raises(ValueError, match=message):
                DojoEnv(task).task.differentiate(task.initial_state(np.random.default_rng(0)), np.array([0.3]), 1e-4)
    unchecked = type("Stated", (Stated,), {"factor": -1.0, "check_derivatives": False})()
    assert control_jacobian(unchecked, np.array([0.3])) == pytest.approx(np.array([[0.54]]))


@dataclass(frozen=True, kw_only=True)
class Mistaken(Pendulum):
    """Its derivatives are a mistake, or undefined."""

    error: type = ValueError

    def differentiate(self, state, action, kappa):
        """None."""
        raise self.error("matmul: a mismatch")


@pytest.mark.parametrize(("kind", "options"), [(Ags, AgsOptions()), (Climb, ClimbOptions())])
def test_mistakes_in_a_tasks_derivatives_are_not_steps_without_one(kind, options):
    """The searches went on without gradients."""
    with pytest.raises(ValueError, match="a mismatch"):
        kind(Mistaken(), LinearPolicy(3, 1), options, RolloutOptions(5)).run(1)
    with pytest.warns(RuntimeWarning, match="had no derivative"):
        kind(Mistaken(error=OutOfDomain), LinearPolicy(3, 1), options, RolloutOptions(5)).run(1)


def test_too_fast_a_turn_is_out_of_domain():
    sim = Pendulum().sim
    with pytest.raises(OutOfDomain, match="a body turns half a turn or more"):
        sim.initial_state(None, [100.0])


@pytest.mark.parametrize("task", [make_task("Hopper", reset_noise_scale=0.1), Talkative(reset_noise_scale=0.1), Breeze()])
def test_infos_of_a_vector_are_those_of_gymnasiums(task):
    """Names, masks, kinds of numbers and values, also where worlds are over and start anew."""
    mine = DojoVectorEnv(task, num_envs=3, threads=1, max_episode_steps=7)
    singles = [lambda: gymnasium.wrappers.TimeLimit(DojoEnv(task), 7) for _ in range(3)]
    theirs = SyncVectorEnv(singles, autoreset_mode=AutoresetMode.NEXT_STEP)
    assert np.array_equal(mine.reset(seed=1)[0], theirs.reset(seed=1)[0])
    for action in actions_of(mine, 0, 12):
        a, b = mine.step(action), theirs.step(action)
        assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4], strict=True))
        assert set(a[4]) == set(b[4])
        for name, column in b[4].items():
            assert a[4][name].dtype == column.dtype and np.array_equal(a[4][name], column), name


@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("task", [make_task("Ant"), make_task("Ant", mode="soft"), Breeze()])
def test_copies_of_environments_live_the_same_episode(task, again):
    """Before the first reset, and from the middle of an episode; gymnasium's workers get their environments so."""
    for env in (DojoEnv(task), DojoVectorEnv(task, num_envs=2, threads=2)):
        fresh = again(env)
        env.reset(seed=2), fresh.reset(seed=2)
        actions = actions_of(env, 1, 8)
        for action in actions[:4]:
            env.step(action), fresh.step(action)
        twin = again(env)
        for action in actions[4:]:
            outcomes = [e.step(action) for e in (env, twin, fresh)]
            for other in outcomes[1:]:
                assert all(np.array_equal(x, y) for x, y in zip(outcomes[0][:4], other[:4], strict=True))
        assert np.array_equal(env.reset()[0], twin.reset()[0])  # (the generators go with them)


class Plain:
    """A policy with nothing but what closed loops ask for, and without a hash."""

    size = 3
    __hash__ = None

    def __init__(self, width=1):
        self.width = width

    def __eq__(self, other):
        return NotImplemented

    def act(self, parameters, observation):
        return np.full(self.width, parameters @ observation)

    def backward(self, parameters, observation, cotangent):
        return cotangent[0] * observation, cotangent[0] * parameters


def test_a_policy_needs_no_more_than_is_said():
    task, start, theta = make_task("Pendulum"), make_task("Pendulum").initial_state(np.random.default_rng(0)), np.full(3, 0.1)
    mine, known = ClosedLoop(task, Plain(), 4), ClosedLoop(task, LinearPolicy(3, 1), 4)
    first, second = mine.policy_gradient(theta, start, 1e-3), known.policy_gradient(theta, start, 1e-3)
    assert np.allclose(first.parameters, second.parameters) and first.played.total == pytest.approx(second.played.total)
    job = Job(task, Plain(), theta, np.zeros(3), np.ones(3), (0,), RolloutOptions(4), 1e-3)
    assert play(job).steps == play_and_differentiate(GradientJob(job)).gradients == 4
    with pytest.raises(ValueError, match=r"policy.act returned an array of shape \(2,\), the task's sizes ask for \(1,\)"):
        ClosedLoop(task, Plain(2), 4).play(theta, start)
    with pytest.raises(TypeError, match="expected a LinearPolicy, an MlpPolicy or an object with `size`, `act`"):
        ClosedLoop(task, object(), 4)


def test_an_edited_model_file_counts_for_new_tasks(tmp_path):
    """They were given the simulator, the kernels' numbers and the loops of an equal task, of the old file."""
    file, text = tmp_path / "pendulum.xml", models.path("pendulum").read_text(encoding="utf-8")
    kept, earned = [], []
    for gravity in ("0 0 -9.81", "0 0 -20"):
        file.write_text(text.replace('timestep="0.01"', f'timestep="0.01" gravity="{gravity}"'))
        task = Pendulum(model=str(file))
        kept.append(task)
        job = Job(task, LinearPolicy(3, 1), np.zeros(3), np.zeros(3), np.ones(3), (0,), RolloutOptions(5))
        earned.append(play(job).total)
    assert [task.sim.model.opt.gravity[2] for task in kept] == [-9.81, -20.0] and kept[0] == kept[1]
    assert earned[0] != earned[1] and Pendulum(model=str(file)).sim is kept[1].sim
    assert pickle.loads(pickle.dumps(kept[0])).sim is kept[1].sim and "sim" not in kept[0].__getstate__()


@pytest.mark.parametrize("torque", [2.0, 0.1, 0.7])
def test_the_ends_of_the_action_space_lie_within_the_tasks(torque):
    """0.1 in float32 is more than 0.1: the derivative by the action was 0 there."""
    env = DojoEnv("Pendulum", gradients=True, max_torque=torque)
    low, high = env.task.action_bounds
    for end in (env.action_space.low, env.action_space.high):
        assert end.dtype == np.float32 and np.all((low <= end) & (end <= high)) and abs(end[0]) == pytest.approx(torque, rel=1e-6)
        env.reset(seed=0)
        assert env.action_space.contains(end) and env.step(end)[4]["B"].any()


@dataclass(frozen=True, kw_only=True)
class Named(Pendulum):
    """A reward whose figures have the names of derivatives."""

    def reward(self, before, action, after, contacts):
        """Nothing."""
        return 0.0, {"A": 1.0, "B": 2.0, "differentiated": 3.0, "status": 4.0, "height": 5.0}


@pytest.mark.parametrize("mode", AutoresetMode)
def test_derivatives_keep_their_names(mode):
    """Figures of a reward of these names replaced them."""
    plain, env = DojoEnv(Named()), DojoEnv(Named(), gradients=True)
    many = DojoVectorEnv(Named(), num_envs=2, threads=1, gradients=True, max_episode_steps=1, autoreset_mode=mode)
    for one in (plain, env, many):
        one.reset(seed=0)
    assert plain.step(np.zeros(1))[4] == {"A": 1.0, "B": 2.0, "differentiated": 3.0, "status": 0, "height": 5.0}
    infos = many.step(np.zeros((2, 1)))[4]
    infos = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
    for info in (env.step(np.zeros(1))[4], {name: infos[name][0] for name in infos if not name.startswith("_")}):
        assert info["A"].shape == (2, 2) and info["B"].shape == (2, 1) and info["differentiated"]
        assert info["status"] == 0 and info["height"] == 5.0


@pytest.mark.parametrize("reward", [np.array([1.0]), [1.0], "1.0", 1.0 + 0j, None, np.complex128(1)])
def test_a_reward_that_is_no_number_is_named(reward):
    """Some counted as numbers, others failed in numpy's words."""
    task = type("Odd", (Pendulum,), {"reward": lambda self, *_: (reward, {})})()
    env = DojoEnv(task)
    env.reset(seed=0)
    with pytest.raises(TypeError, match=r"Odd\.reward returned .* as the reward, a .*, expected one real number"):
        env.step(np.zeros(1))
    for right in (1, True, np.float32(1), np.array(1.0), np.True_):
        task = type("Even", (Pendulum,), {"reward": lambda self, *_, right=right: (right, {})})()
        env = DojoEnv(task)
        env.reset(seed=0)
        assert env.step(np.zeros(1))[1] == 1.0


def test_another_task_counts_from_the_next_reset():
    """Randomised models: an environment whose task was replaced went on with the model that it had been built with."""
    weak, strong = Pendulum(), Pendulum(max_torque=4.0)
    env, many, fresh = DojoEnv(weak), DojoVectorEnv(weak, num_envs=2), DojoEnv(strong)
    for each in (env, many):
        each.reset(seed=0)
        each.task = strong
        each.reset(seed=1)
    fresh.reset(seed=1)
    wanted = fresh.step(np.ones(1))[0]
    np.testing.assert_array_equal(env.step(np.ones(1))[0], wanted)
    np.testing.assert_array_equal(many.step(np.ones((2, 1)))[0][0], wanted)


def test_a_world_that_starts_anew_keeps_its_task_until_all_are_reset():
    """It drew its state from the new task and moved it by the model of the old one."""

    def refuse(self, rng):
        raise RuntimeError("the next task's")

    many = DojoVectorEnv(Pendulum(), num_envs=2, max_episode_steps=1)
    many.reset(seed=0)
    many.task = type("Next", (Pendulum,), {"initial_state": refuse})()
    many.step(np.zeros((2, 1)))
    many.step(np.zeros((2, 1)))
    many.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(RuntimeError, match="the next task's"):
        many.reset()


def test_observations_in_single_precision_are_in_the_space_from_the_start():
    """Gymnasium warned of the first one; and a first one that is no number was returned."""
    task = type("Single", (Pendulum,), {"observe": lambda self, *a: Pendulum.observe(self, *a).astype(np.float32)})()
    env = DojoEnv(task)
    first, after = env.reset(seed=0)[0], env.step(np.zeros(1))[0]
    assert first.dtype == after.dtype == env.observation_space.dtype
    lost = type("Lost", (Pendulum,), {"observe": lambda self, *a: np.full(3, np.nan)})()
    for broken in (DojoEnv(lost), DojoVectorEnv(lost, num_envs=1)):
        with pytest.raises(ValueError, match=r"Lost\.observe: entry 0 is nan"):
            broken.reset(seed=0)


@dataclass(frozen=True, kw_only=True)
class Held(Pendulum):
    """Begins in a keyframe with an activation, a time and a mocap body elsewhere."""

    initial_state = Task.initial_state

    def prepare(self, model):
        """Another pendulum, whatever the file says."""
        return load_model("""<mujoco><worldbody><body mocap="true"><geom size=".1" contype="0" conaffinity="0"/></body>
          <body><joint name="j" axis="0 1 0"/><geom size=".1" pos="0 0 -.5"/></body></worldbody>
          <actuator><general joint="j" dyntype="integrator" ctrlrange="-1 1"/></actuator>
          <keyframe><key name="home" time="3" act="0.25" mpos="1 2 3"/></keyframe></mujoco>""")


@pytest.mark.parametrize("start", [Task.initial_state, planar_noise])
def test_starts_have_all_that_the_keyframe_says(start):
    """Activations, time and the poses of mocap bodies were those of the model."""
    state = start(Held(), np.random.default_rng(0))
    assert state.act.tolist() == [0.25] and state.time == 3.0 and state.mocap_pos.tolist() == [[1.0, 2.0, 3.0]]


def test_frame_skip_is_an_integer():
    """Of a task that is no `Task`, 2.5 was 2."""
    with pytest.raises(ValueError, match=r"frame_skip=2\.5 must be an integer$"):
        make_task("Pendulum", frame_skip=2.5)
    task = StateTask(Pendulum().sim)
    task.frame_skip = 2.5
    with pytest.raises(ValueError, match=r"task\.frame_skip=2\.5 must be an integer"):
        ClosedLoop(task)


def test_a_model_with_other_joints_is_refused_by_them():
    """The ant as a hopper: an error about the norm of a quaternion."""
    with pytest.raises(
        ValueError, match="Hopper: the joints of model='ant' begin with free, hinge.* expected those of 'hopper', slide"
    ):
        make_task("Hopper", model="ant").sim  # noqa: B018


def test_ranges_have_their_lower_end_first():
    """Every state was unhealthy, without a word."""
    with pytest.raises(ValueError, match=r"healthy_z_range=\(2.0, 1.0\), expected the lower end, then the upper one"):
        make_task("Hopper", healthy_z_range=(2.0, 1.0))
