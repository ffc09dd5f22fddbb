"""The compiled closed loop against the same loop in Python, its derivative against Ridders' differences of itself."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from default_run import some

from dojo_py import HardSimulator
from dojo_py.environments import TASKS, make_task
from dojo_py.environments.task import Task
from dojo_py.environments.tasks.half_cheetah import HalfCheetah
from dojo_py.policy import ClosedLoop, LinearPolicy, MlpPolicy, RolloutOptions
from dojo_py.policy.closed_loop import compiled_parts
from dojo_py.policy.gradient import GradientJob, play_and_differentiate
from dojo_py.policy.rollout import Job
from dojo_py.policy.state_task import StateTask
from dojo_py.simulate.status import Status


@dataclass(frozen=True)
class Own:
    """A policy that kernels do not know: an MlpPolicy under another name."""

    inner: MlpPolicy

    def __getattr__(self, name):
        return getattr(self.inner, name)


def worst_difference(task, policy, actions=3):
    """Largest relative difference between the compiled loop and the task's own methods, one action after another."""
    rng = np.random.default_rng(0)
    state, theta = task.initial_state(rng), policy.initial(rng)
    loop = ClosedLoop(task, policy, actions)
    played = loop.play(theta, state)
    seen, worst = task.observe(state, None), 0.0
    for k in range(len(played.rewards)):
        action = policy.act(theta, seen)
        moved = task.move([state], action[None])[0]
        reward, parts = task.reward(state, action, moved.state, moved.contacts)
        mine = [*played.observations[k], *played.actions[k], played.rewards[k], *loop.parts(k).values()]
        theirs = [*seen, *action, reward, *parts.values()]
        assert list(parts) == list(loop.parts(k)) and played.status[k] == moved.status
        worst = max(worst, np.max(np.abs(np.subtract(mine, theirs)) / np.maximum(1.0, np.abs(theirs))))
        state, seen = moved.state, task.observe(moved.state, moved.contacts)
    assert np.allclose(loop.state().qpos, state.qpos, atol=1e-9) and loop.state().time == pytest.approx(state.time)
    return max(worst, np.abs(played.observations[-1] - seen).max() / np.abs(seen).max())


@pytest.mark.parametrize("mode", ["hard", "soft"])
@pytest.mark.parametrize("name", TASKS)
def test_kernels_are_the_formulas_of_the_task(name, mode):
    """Measured: 2e-12 at most, which is round-off of the policy's sums through the simulation."""
    task = make_task(name, mode=mode)
    assert compiled_parts(task, None) is not None
    assert worst_difference(task, MlpPolicy(task.observation_size, task.action_size, (5, 4))) < 1e-9


def test_other_settings_and_a_linear_policy_reach_the_kernels():
    for task in (make_task("Ant", "paper"), make_task("Hopper", frame_skip=2, healthy_z_range=(0.5, 2.0), ctrl_cost_weight=0.5)):
        assert worst_difference(task, LinearPolicy(task.observation_size, task.action_size, 0.05)) < 1e-9


def test_a_subclass_with_a_formula_of_its_own_is_asked_in_python():
    """Never the kernels of the formula that it replaced."""

    @dataclass(frozen=True, kw_only=True)
    class Backwards(HalfCheetah):
        def reward(self, before, action, after, contacts):
            return -float(after.qpos[0]), {"far": 1.0}

    task, policy = Backwards(), LinearPolicy(17, 6, 0.1)
    assert compiled_parts(task, policy) is None and compiled_parts(HalfCheetah(), policy) is not None
    assert worst_difference(task, policy) < 1e-9


def situation(task, hidden=(4,), K=6):
    """A loop, parameters, a start, a whitening and options for K actions."""
    rng, policy = np.random.default_rng(1), MlpPolicy(task.observation_size, task.action_size, hidden)
    theta = policy.initial(rng) + 0.1 * rng.standard_normal(policy.size)
    no = task.observation_size
    whitening = 0.1 * rng.standard_normal(no), 1.0 + 0.1 * rng.standard_normal(no)
    return policy, theta, task.initial_state(rng), whitening, RolloutOptions(K)


def ridders(f, step):
    """Derivative of f at 0 by Ridders' extrapolated central differences, and its estimate of the error."""
    table, best, error = [[(f(step) - f(-step)) / (2 * step)]], 0.0, np.inf
    for i in range(1, 8):
        step /= 1.4
        row = [(f(step) - f(-step)) / (2 * step)]
        for j, above in enumerate(table[-1]):
            factor = 1.4 ** (2 * (j + 1))
            row.append((factor * row[j] - above) / (factor - 1))
            doubt = max(abs(row[-1] - row[-2]), abs(row[-1] - above))
            if doubt < error:
                best, error = row[-1], doubt
        table.append(row)
    return best, error


def assert_gradient_is_exact(task, given, kappa, directions, step):
    """`policy_gradient` against Ridders' differences along random directions of the parameters, and along one of the start.

    given: what `situation` returns; step: the first one of the differences by the parameters.
    """
    policy, theta, start, whitening, options = given
    loop, rng = ClosedLoop(task, policy, options.horizon), np.random.default_rng(2)
    found = loop.policy_gradient(theta, start, kappa, whitening, options, discount=0.9)
    assert not found.status.any() and len(found.played.rewards) == options.horizon
    weights = 0.9 ** np.arange(options.horizon)

    def value(parameters, state):
        return float(weights @ loop.play(parameters, state, whitening, kappa, options).rewards)

    for _ in range(directions):
        d = rng.standard_normal(policy.size)
        expected, doubt = ridders(lambda e, d=d: value(theta + e * d, start), step)
        assert abs(found.parameters @ d - expected) <= 1e-6 * np.linalg.norm(found.parameters) * np.linalg.norm(d) + 3 * doubt
    model, d = task.sim.model, rng.standard_normal(2 * task.sim.model.nv)

    def moved(e):
        qpos = model.integrate(start.qpos, e * d[: model.nv])
        return value(theta, task.sim.initial_state(qpos, start.qvel + e * d[model.nv :]))

    expected, doubt = ridders(moved, 1e-5)
    assert abs(found.state @ d - expected) <= 1e-6 * np.linalg.norm(found.state) * np.linalg.norm(d) + 3 * doubt


HOPPER = {"frame_skip": 2, "reset_noise_scale": 0.1, "terminate_when_unhealthy": False, "healthy_reward": 0.0}


EPISODES = [
    ("HalfCheetah", 1e-2, {}), ("HalfCheetah", 1e-3, {}), ("Hopper", 1e-3, HOPPER),
    ("BlockPush", 1e-3, {}), ("Quadrotor", 1e-3, {}), ("Quadruped", 1e-2, {}),
]  # fmt: skip


@pytest.mark.parametrize("name, kappa, settings", some(EPISODES, lambda row: row[0] in ("HalfCheetah", "BlockPush", "Quadrotor")))
def test_the_policy_gradient_is_the_derivative_of_the_episode_at_kappa(name, kappa, settings):
    """Three random directions of the parameters, one of the start. Measured: 2e-8 at most, of the gradient's length."""
    task = make_task(name, **settings)
    assert_gradient_is_exact(task, situation(task), kappa, directions=3, step=1e-3)


def test_the_way_back_in_python_is_that_of_the_kernels():
    """A policy that kernels do not know; whitened, discounted, clipped, cut, with values of what is seen. Measured: 2e-10."""
    task = make_task("HalfCheetah")
    policy, theta, start, whitening, _ = situation(task)
    options, end = RolloutOptions(6, reward_clip=1.0, reward_shift=0.1), np.random.default_rng(3).standard_normal((7, 17))
    found = []
    for p in (policy, Own(policy)):
        loop = ClosedLoop(task, p, 6)
        played = loop.play(theta, start, whitening, 1e-2, options)
        found.append(loop.pull_back(played, np.arange(1.0, 7.0), 1e-2, end, truncation=4, decay=0.9))
    kernels, python = found
    assert kernels.played.total == pytest.approx(python.played.total, rel=1e-12)
    for a, b in ((kernels.parameters, python.parameters), (kernels.state, python.state), (kernels.actions, python.actions)):
        assert np.allclose(a, b, rtol=1e-7, atol=1e-8 * np.abs(b).max())


@pytest.mark.parametrize("name", some(["Ant", "Humanoid"], ["Humanoid"]))
def test_what_contacts_show_is_differentiated_on_both_ways_back(name):
    """Wrenches about the centre of mass, which moves, too: in kernels and in Python."""
    task = make_task(name, reset_noise_scale=0.0)
    policy, theta, start, whitening, _ = situation(task, ())
    found = []
    for p in (policy, Own(policy)):
        loop = ClosedLoop(task, p, 4)
        played = loop.play(theta, start, whitening, 1e-3, RolloutOptions(4))
        assert np.abs(played.observations[1:, -6 * (task.sim.model.nbody - 1) :]).max() > 0.1  # (it touches the ground)
        found.append(loop.pull_back(played, np.arange(1.0, 5.0), 1e-3, np.linspace(-1, 1, task.observation_size)))
    for a, b in zip(*((f.parameters, f.state, f.actions) for f in found), strict=True):
        assert np.allclose(a, b, rtol=1e-6, atol=1e-7 * np.abs(b).max())


@pytest.mark.parametrize("seen", [False, True])
def test_the_gradient_of_a_task_with_contacts_is_exact(seen):
    """Ant, one direction of the parameters, against Ridders. Measured: 3e-11 of the gradient's length, whether it sees them or not;
    8e-3 when what it sees counted as constant.
    """
    task = make_task("Ant", reset_noise_scale=0.0, contact_cost_weight=0.0)
    policy, theta, start, whitening, options = situation(task, ())
    if not seen:
        theta[: 8 * 81].reshape(8, 81)[:, 27:] = 0.0
    loop, d = ClosedLoop(task, policy, 6), np.random.default_rng(2).standard_normal(policy.size)
    if not seen:
        d[: 8 * 81].reshape(8, 81)[:, 27:] = 0.0
    found = loop.policy_gradient(theta, start, 1e-3, whitening, options)
    expected, doubt = ridders(lambda e: float(loop.play(theta + e * d, start, whitening, 1e-3, options).rewards.sum()), 1e-4)
    assert abs(found.parameters @ d - expected) <= 1e-6 * np.linalg.norm(found.parameters) * np.linalg.norm(d) + 3 * doubt


ON_AN_ARM = """<mujoco><worldbody><geom name="floor" type="plane" size="9 9 .1" condim="6"/>
<body name="arm" pos="0 0 .3"><joint name="arm" axis="0 1 0" damping="1"/>
<geom type="capsule" fromto="0 -.1 0 .6 .1 0" size=".05" condim="6"/></body>
<body name="ball" pos=".3 .01 .449"><freejoint/><geom type="sphere" size=".1" condim="6"/></body>
<body name="block" pos="-.5 0 .1"><freejoint/><geom type="ellipsoid" size=".1 .15 .1" condim="6"/></body>
</worldbody><actuator><motor joint="arm" ctrllimited="true" ctrlrange="-20 20"/></actuator></mujoco>"""


@dataclass(frozen=True, kw_only=True)
class OnAnArm(Task):
    """A ball rolls on an arm, a block on the floor. It sees what contacts do to each body, about the origin, and gaps."""

    wants_contacts = True
    interval = 0.02

    def initial_state(self, rng):
        return self.sim.initial_state(qvel=np.r_[0.1, 0.1, -0.2, 0.0, 1.0, 2.0, 3.0, 0.5, 0.2, 0.0, 1.0, 1.0, 3.0])

    def observe(self, state, contacts):
        out = np.zeros((5, 6))
        if contacts is None:
            return out.ravel()
        force = contacts.world_impulse / self.timestep
        torque = np.einsum("ni,nij->nj", contacts.torque, contacts.frame) / self.timestep + np.cross(contacts.position, force)
        for side, sign in enumerate((1.0, -1.0)):
            np.add.at(out, contacts.bodies[:, side], 0.1 * sign * np.hstack([force, torque]))
        out[4, :3] = np.sum(contacts.frame[:, 0] * contacts.gap[:, None], axis=0)
        return out.ravel()

    def reward(self, before, action, after, contacts):
        return float(after.qpos[1] + after.qvel @ after.qvel + contacts.impulse[:, 0] @ contacts.impulse[:, 0]), {}


@pytest.mark.parametrize("name, kappa, settings", [
    ("Ant", 1e-3, {}), ("Ant", 1e-2, {"contact_cost_weight": 0.1}), ("Ant", 1e-3, {"contact_form": "impulses", "frame_skip": 2}),
    ("Humanoid", 1e-3, {"contact_cost_weight": 1e-4}), ("OnAnArm", 1e-3, {}), ("OnAnArm", 1e-4, {}),
])  # fmt: skip
def test_the_gradient_of_a_task_that_sees_contacts_is_exact(name, kappa, settings, tmp_path):
    """Two directions of the parameters, one of the start, against Ridders; pairs, rolling friction and gaps in OnAnArm.

    Measured: 4e-10 of the gradient's length at most. Steps of 1e-4 would take wrenches of the ant across the clip at 1.
    """
    if name == "OnAnArm":
        (tmp_path / "arm.xml").write_text(ON_AN_ARM)
        task = OnAnArm(model=str(tmp_path / "arm.xml"))
    else:
        task = make_task(name, reset_noise_scale=0.0, **settings)
    assert_gradient_is_exact(task, situation(task, ()), kappa, directions=2, step=1e-6)


def test_an_episode_stops_for_what_it_has_not_earned():
    task = make_task("HalfCheetah")
    policy, theta, start, whitening, _ = situation(task)
    for p in (policy, Own(policy)):
        loop = ClosedLoop(task, p, 6)
        played = loop.play(theta, start, whitening, None, None, np.array([-np.inf, -np.inf, 1e9]))
        assert not played.whole and not played.over and len(played.rewards) == 3
        assert loop.play(theta, start, whitening).whole


def test_what_a_policy_raises_is_raised():
    class Broken:
        observation_size, action_size, size = 17, 6, 1

        def act(self, parameters, observation):
            raise ZeroDivisionError("no such action")

    task = make_task("HalfCheetah")
    with pytest.raises(ZeroDivisionError, match="no such action"):
        ClosedLoop(task, Broken(), 3).play(np.zeros(1), task.initial_state(np.random.default_rng(0)))


def test_contacts_are_read_at_the_columns_where_they_are_written():
    """What a loop shows is what a step shows."""
    for mode in ("hard", "soft"):
        task = make_task("Ant", mode=mode, frame_skip=1)
        loop, state = ClosedLoop(task), task.initial_state(np.random.default_rng(0))
        loop.start(state)
        loop.act(np.zeros(8))
        shown, expected = loop.rows.contacts_of(loop.rows.contacts), task.move([state], np.zeros((1, 8)))[0].contacts
        assert len(shown) == len(expected) > 0
        for name in ("geoms", "bodies", "gap", "impulse", "torque", "position", "frame"):
            assert np.allclose(getattr(shown, name), getattr(expected, name), atol=1e-12), name


MANY = """<mujoco><option timestep="0.005"/><worldbody><geom name="floor" type="plane" size="9 9 .1"/>{}</worldbody>
<actuator><motor joint="z0" ctrllimited="true" ctrlrange="-1 1"/></actuator></mujoco>"""
CUBE = """<body pos="{x} {y} {z}"><joint name="z{i}" type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body>"""


@dataclass(frozen=True, kw_only=True)
class Many(Task):
    """Cubes that fall from rising heights, four contacts each; it sees how hard each is pushed."""

    wants_contacts = True
    interval = 0.02
    soft_skip = 4

    def initial_state(self, rng):
        return self.sim.initial_state()

    def observe(self, state, contacts):
        out = np.zeros(self.sim.model.nv)
        if contacts is not None:
            np.add.at(out, contacts.bodies[:, 0] - 1, contacts.impulse[:, 0])
        return out

    def reward(self, before, action, after, contacts):
        return float(len(contacts)), {}


def test_a_soft_loop_shows_as_many_contacts_as_there_are(tmp_path):
    """None at first, 288 at the end; the same as the task's own moves show. The table held 256, what came beyond was dropped."""
    cubes = (CUBE.format(i=i, x=0.3 * (i % 9), y=0.3 * (i // 9), z=0.101 + 0.0005 * i) for i in range(72))
    (tmp_path / "many.xml").write_text(MANY.format("".join(cubes)))
    task = Many(mode="soft", model=str(tmp_path / "many.xml"))
    state, policy = task.initial_state(None), LinearPolicy(72, 1, 0.1)
    theta = policy.initial(np.random.default_rng(0))
    loop = ClosedLoop(task, policy, 8)
    played = loop.play(theta, state)
    shown, moments = [], loop.moments()
    for k, moment in enumerate(moments):
        moved = task.move([state], played.actions[k][None])[0]
        assert len(moment.contacts_after) == len(moved.contacts) == played.rewards[k]
        assert np.allclose(played.observations[k + 1], task.observe(moved.state, moved.contacts), atol=1e-9)
        state = moved.state
        shown.append(len(moved.contacts))
    assert shown[0] < 16 and shown[-1] == 288


MOVED = """<mujoco><option timestep="0.02"/><worldbody><geom type="plane" size="9 9 .1"/>
<body name="hand" mocap="true" pos="0 0 0.9"/>
<body name="ball" pos="0 0 0.9"><freejoint/><geom type="sphere" size="0.1" mass="0.2"/></body>
<body name="flap" pos="1 0 0.5"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/></body>
</worldbody><equality><connect name="held" body1="ball" body2="hand" anchor="0 0 0"/></equality>
<actuator><motor joint="hinge" ctrllimited="true" ctrlrange="-1 1"/></actuator></mujoco>"""


def test_a_loop_starts_wherever_mocap_bodies_are_and_whichever_equalities_hold(tmp_path):
    """As `rollout` does from the same states with the loop's actions, forwards and in the derivative."""
    (tmp_path / "moved.xml").write_text(MOVED)
    sim = HardSimulator(str(tmp_path / "moved.xml"))
    task, home = StateTask(sim), sim.initial_state()
    policy = LinearPolicy(task.observation_size, 1, 0.1)
    theta = policy.initial(np.random.default_rng(0))
    loop = ClosedLoop(task, policy, 5)
    lifted = sim.initial_state(np.r_[0, 0.1, 1.2, 1, 0, 0, 0, 0])
    lifted = replace(lifted, mocap_pos=np.array([[0.0, 0.1, 1.2]]), exact=None)
    free = replace(home, eq_active=np.array([False]), exact=None)
    for state in (home, lifted, free, home):
        played = loop.play(theta, state, kappa=1e-3)
        expected = sim.rollout(state, played.actions, kappa=1e-3, linearize=True)
        assert np.array_equal(loop.data.qpos, expected.qpos) and np.array_equal(loop.data.qvel, expected.qvel)
        last = loop.state()
        for name in ("mocap_pos", "mocap_quat", "eq_active"):
            assert np.array_equal(getattr(last, name), getattr(expected, name)), name
        found = loop.pull_back(played, np.zeros(5), 1e-3, actions=np.ones((5, 1)), states=np.ones((6, 2 * sim.model.nv)))
        assert not found.cut and np.isfinite(found.state).all()
    assert np.linalg.norm(free.qpos - loop.state().qpos) < 1.0  # (held again)


def test_a_task_that_ends_says_so():
    task = make_task("Hopper", healthy_z_range=(5.0, 6.0))
    policy = LinearPolicy(task.observation_size, task.action_size)
    played = ClosedLoop(task, policy, 9).play(np.zeros(policy.size), task.initial_state(np.random.default_rng(0)))
    assert played.over and played.whole and len(played.rewards) == 1 and played.status[0] == Status.SOLVED


def test_mistakes_are_named():
    task, soft = make_task("HalfCheetah"), make_task("HalfCheetah", mode="soft")
    start, theta = task.initial_state(np.random.default_rng(0)), np.zeros(102)
    with pytest.raises(ValueError, match="horizon"):
        ClosedLoop(task, None, 0)
    with pytest.raises(ValueError, match="has no policy"):
        ClosedLoop(task).play(theta, start)
    with pytest.raises(ValueError, match="parameters"):
        ClosedLoop(task, LinearPolicy(17, 6)).play(np.zeros(3), start)
    with pytest.raises(ValueError, match="17 observations"):
        ClosedLoop(task, LinearPolicy(16, 6))
    with pytest.raises(ValueError, match='mode="soft" has no reverse mode'):
        ClosedLoop(soft, LinearPolicy(17, 6)).policy_gradient(theta, soft.initial_state(np.random.default_rng(0)), 1e-3)
    for kappa in (None, 0.0):  # (the compiler said that its argument was of no type that it knows)
        with pytest.raises(ValueError, match=f"kappa={kappa}.*positive.*N m s"):
            ClosedLoop(task, LinearPolicy(17, 6)).policy_gradient(theta, start, kappa)


def tumbling():
    """An episode whose trunk soon turns too fast for a step at κ: task, policy, parameters, start."""
    task, policy, rng = make_task("HalfCheetah"), LinearPolicy(17, 6, 0.3), np.random.default_rng(3)
    return task, policy, policy.initial(rng), task.initial_state(rng)


def test_steps_without_a_derivative_are_counted():
    """In the gradient of a loop and in what searches take from it, whichever way they are played."""
    task, policy, theta, start = tumbling()
    found = ClosedLoop(task, policy, 30).policy_gradient(theta, start, 1e-2)
    assert found.cut == np.sum(found.played.status == Status.TOO_FAST) > 10
    for p in (policy, Own(MlpPolicy(17, 6, ()))):
        parameters = theta if p is policy else np.concatenate([theta, np.zeros(6)])
        job = Job(task, p, parameters, np.zeros(17), np.ones(17), (3,), RolloutOptions(30), 1e-2)
        assert play_and_differentiate(GradientJob(job)).cut > 0
