"""ClosedLoop: policy, observations, rewards and physics of an episode in one kernel call, and the gradient in a second one.

    loop = ClosedLoop(make_task("HalfCheetah"), LinearPolicy(17, 6), horizon=80)
    played = loop.play(parameters, state)                                   # in the hard limit
    found = loop.policy_gradient(parameters, state, kappa=1e-2)             # gradient of the return of the episode at κ

Observations and rewards of the shipped tasks are compiled (environments/tasks/*_kernels.py), and so are linear policies and MLPs
with tanh. A user's tasks and policies are called back in Python from within the kernel, at a few microseconds a call.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from dojo_py.handles import handle
from dojo_py.policy import loop_counts as at
from dojo_py.policy.derivatives import control_jacobian
from dojo_py.policy.policies import LinearPolicy, MlpPolicy
from dojo_py.policy.rollout import Moment, RolloutOptions
from dojo_py.simulate.loop_pool import LoopPool
from dojo_py.simulate.own_steps import has_own
from dojo_py.simulate.simulator import kappa_of_mode
from dojo_py.simulate.status import WITHOUT_DERIVATIVE
from dojo_py.simulate.values import count, having, real_number, vector

Array = np.ndarray


class Played(NamedTuple):
    """An episode of n actions."""

    total: float
    """Return: the sum of the rewards, shifted and clipped as the options say."""
    rewards: Array
    """(n,) rewards of the task, neither shifted nor clipped."""
    observations: Array
    """(n + 1, no), not normalised; the last one follows the last action."""
    actions: Array
    """(n, na)"""
    status: Array
    """(n,) worst `Status` of each action's steps."""
    over: bool
    """Whether the task terminated or the simulation failed."""
    whole: bool
    """False if the episode was abandoned because its partial return was too small (`least` of `play`)."""


class PolicyGradient(NamedTuple):
    """Derivatives of an objective of an episode: weighted sum of its rewards, plus linear terms (see `pull_back`)."""

    parameters: Array
    """(size,) by the policy's parameters."""
    state: Array
    """(2nv + na,) by the first state, tangent [δq, δv, δact]."""
    actions: Array
    """(n, na) total derivatives by the actions, including their effect on later actions through the policy."""
    status: Array
    """(n, frame_skip) `Status` of the differentiated steps. Cotangents stop at a step that has no derivative; see `cut`."""
    played: Played

    @property
    def cut(self) -> int:
        """Number of steps without a derivative (SINGULAR, TOO_FAST, NOT_FINITE): effects of earlier actions after such a step are
        missing.
        """
        return int(np.isin(self.status, WITHOUT_DERIVATIVE).sum())


def layers_of(policy: Any) -> tuple[Array, bool] | None:
    """Layer widths of a policy that has kernels, and whether its layers have biases; None for any other policy."""
    if type(policy) is LinearPolicy:
        return np.array([policy.observation_size, policy.action_size]), False
    if type(policy) is MlpPolicy:
        return np.array([policy.observation_size, *policy.hidden, policy.action_size]), True
    return None


def compiled_parts(task: Any, policy: Any) -> Any:
    """The kernels of a task (Task.loop_kernels); None unless both it and the policy have them, or if it overrides `move`."""
    found = task.loop_kernels() if hasattr(task, "loop_kernels") and not has_own(task, "move") else None
    return None if found is None or (policy is not None and layers_of(policy) is None) else found


def _check_policy(task: Any, policy: Any) -> None:
    """Raise unless `policy` is a policy and its sizes, where it states them, are the task's."""
    having("policy", policy, ("act", "size"), "a LinearPolicy, an MlpPolicy or an object with `size`, `act` and `backward`")
    for name in ("observation_size", "action_size"):
        mine, wanted = getattr(policy, name, None), getattr(task, name)
        if mine is not None and mine != wanted:
            what = name.removesuffix("_size")
            raise ValueError(f"the policy has {mine} {what}s, the task has {wanted} {what}s")


class ClosedLoop:
    """Arrays and kernels for episodes of at most `horizon` actions. To be used by one thread at a time.

    policy: None if the caller gives the actions, one at a time (`act`).
    """

    def __init__(self, task: Any, policy: Any = None, horizon: int = 1):
        having("task", task, ("observation_size", "action_size", "sim", "control"), "a task: see dojo_py.environments.make_task")
        having("task.sim", task.sim, ("loop",), "a HardSimulator or a SoftSimulator")
        if has_own(task, "move"):
            raise ValueError(
                f"{type(task).__name__} has a `move` of its own, and a closed loop runs the simulator's steps: play its episodes "
                "with dojo_py.policy.rollout.play or in an environment, or put what moves it into the model or into `control`"
            )
        self.horizon = count("horizon", horizon)
        if policy is not None:
            _check_policy(task, policy)
        self.task, self.policy, self.skip = task, policy, count("task.frame_skip", task.frame_skip)
        self.rows = task.sim.loop(horizon * self.skip, contacts=bool(task.wants_contacts))
        self._kernels = compiled_parts(task, policy)
        self._layers = layers_of(policy)
        self.data = self._allocate()
        self._take(self.rows)
        self._asked: Any = None
        self.held: tuple[bytes, Played] | None = None
        """For callers: a key of the episode whose data this loop holds, and that episode; every run resets it to None."""
        if self._kernels is None:
            from dojo_py.policy.asked import AskedInPython

            self._asked = AskedInPython(self)
        self._act = self._function("act")
        self._started = False

    def __getstate__(self) -> dict[str, Any]:
        """For pickling and copies: task, policy, horizon and the present state. Recorded episodes are not included."""
        state = self.state() if self._started else None
        return {"task": self.task, "policy": self.policy, "horizon": self.horizon, "state": state}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(kept["task"], kept["policy"], kept["horizon"])  # type: ignore[misc]
        if kept["state"] is not None:
            self.start(kept["state"])

    @property
    def compiled(self) -> bool:
        """Whether observations, rewards and the policy run in kernels; if not, they are called back in Python."""
        return self._kernels is not None

    def _function(self, name: str) -> int:
        """Address of the function that the roll-out calls: "act" before each step, "back" in the reverse pass."""
        from dojo_py.by_address import address_of

        if self._asked is not None:
            return int(getattr(self._asked, name).address)
        return address_of(getattr(self._kernels.module, name))

    def _allocate(self) -> Any:
        from dojo_py.policy.loop_arrays import WHOLE_NUMBERS, Loop

        task, policy, rows, model, K = self.task, self.policy, self.rows, self.task.sim.model, self.horizon
        no, na, z = task.observation_size, task.action_size, np.zeros
        widths, biased = self._layers or (np.array([no, na]), False)
        parts = 0 if self._kernels is None else len(self._kernels.parts)
        low, high = (np.array(bound, float) for bound in task.action_bounds)
        bounded = np.isfinite(low) & np.isfinite(high)
        middle = np.where(bounded, 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)), np.clip(0.0, low, high))
        scale = control_jacobian(task, middle)
        n, widest = model.nbody, int(max(widths))
        fields: dict[str, Any] = {name: getattr(rows, name) for name in _OF_ROWS}
        fields |= {
            "counts": z(at.COUNTS), "sums": z(at.SUMS), "geom_body": model.geom_bodyid, "parent": model.body_parentid,
            "body_pos": model.body_pos, "body_quat": model.body_quat, "body_ipos": model.body_ipos, "body_iquat": model.body_iquat,
            "body_mass": model.body_mass, "body_inertia": model.body_inertia, "first_joint": model.body_jntadr,
            "joints": model.body_jntnum, "joint_type": model.jnt_type, "joint_qpos": model.jnt_qposadr,
            "joint_dof": model.jnt_dofadr, "joint_pos": model.jnt_pos, "joint_axis": model.jnt_axis, "qpos0": model.qpos0,
            "numbers": z(0) if self._kernels is None else self._kernels.numbers, "low": low, "high": high, "scale": scale,
            "offset": task.control(middle) - scale @ middle, "widths": widths,
            "parameters": z(0 if policy is None else policy.size),
            "shift": z(no), "gain": np.ones(no), "values": z((len(widths), widest)), "slopes": z((2, widest)),
            "actions": z((K, na)), "seen": z((K + 1, no)), "rewards": z(K), "parts": z((K, parts)), "status": z(K),
            "kept": z((K + 1, *rows.contacts.shape)), "least": z(K), "position": z((n, 3)), "rotation": z((n, 3, 3)),
            "angular": z((n, 3)), "linear": z((n, 3)), "wrench": z((n, 6)), "moved": z((2, model.nq + model.nv)),
            "trial": z((3, no + parts)), "small": z((2, 3, 3)), "row": z(9), "weights": z(K), "slopes_seen": z((K + 1, no)),
            "by_action": z((K, na)), "by_parameters": z(0 if policy is None else policy.size),
        }  # fmt: skip
        kinds = {name: np.int64 if name in WHOLE_NUMBERS else np.float64 for name in fields}
        made = {name: value if name in _OF_ROWS else np.array(value, kinds[name], order="C") for name, value in fields.items()}
        data = Loop(**made)
        data.counts[[at.SKIP, at.POLICY, at.BIASED]] = self.skip, policy is not None, biased
        data.least[:] = -np.inf
        return data

    def _take(self, rows: Any) -> int:
        """Attach the loop to other rows (the simulator's loop). Returns the address of the data."""
        self.rows, rows.grown = rows, self._moved
        return self._moved()

    def _moved(self) -> int:
        """Attach to the arrays that the rows have now, some of which may be larger; recorded contacts are copied. As `_take`."""
        from dojo_py.by_address import struct_address

        rows, before = self.rows, self.data.kept
        kept = np.zeros((len(before), *rows.contacts.shape))
        fits = min(kept.shape[1], before.shape[1])
        kept[:, :fits] = before[:, :fits]
        self.data = self.data._replace(kept=kept, **{name: getattr(rows, name) for name in _OF_ROWS})
        self._handle = handle(self.data)
        self._address = struct_address(self._handle)
        return self._address

    # roll-out

    def start(self, state: Any) -> None:
        """Set the initial state of the next run."""
        rows = self.rows.at(state)
        if rows is not self.rows:
            self._take(rows)
        self.rows.start(state)
        self.data.counts[[at.ONWARD, at.DONE]] = 0
        self._started = True

    def _run(self, kappa: float | None) -> int:
        self.held = None
        self.rows.run(self._act, self._address, kappa_of_mode(self.task.sim, kappa) or 0.0, self._moved)
        if self._asked is not None:
            self._asked.act.check()
        return int(self.data.counts[at.DONE])

    def act(self, action: Array, kappa: float | None = None) -> None:
        """Apply one action (na,) in the state that the last one led to, or that `start` set; results in `data`. No checks."""
        d, c = self.data, self.data.counts
        d.actions[0] = action
        if c[at.ONWARD]:
            self.rows.go_on(int(c[at.DONE]) * self.skip)
        c[at.HORIZON] = 1
        self._run(kappa)
        c[at.ONWARD] = 1

    def outcome(self) -> tuple[Array, float, bool, dict[str, Any]]:
        """Of the last `act`: observation (no,), reward, whether the episode is over, terms of the reward and the worst status."""
        d = self.data
        return d.seen[1].copy(), float(d.rewards[0]), bool(d.counts[at.OVER]), {**self.parts(), "status": int(d.status[0])}

    def state(self) -> Any:
        """The state in which the last run ended, or the one that `start` set."""
        c = self.data.counts
        return self.rows.state(int(c[at.DONE]) * self.skip)

    def play(
        self,
        parameters: Array,
        state: Any,
        whitening: tuple[Array, Array] | None = None,
        kappa: float | None = None,
        options: RolloutOptions | None = None,
        least: Array | None = None,
    ) -> Played:
        """An episode of the policy from a state. whitening: (shift, gain), each (no,); the policy gets (observation - shift) gain.

        kappa [N m s]: central-path parameter of the simulation in the hard mode; None: the hard limit. options: horizon, at most
        the loop's, and shift and clipping of the rewards. least (n,): the episode is abandoned when its partial return after an
        action falls below this; the last entry holds for all further actions.
        """
        if self.policy is None:
            raise ValueError("this loop has no policy: give it one when it is made, or take `act`")
        d, o = self.data, options or RolloutOptions(self.horizon)
        if kappa is not None:
            kappa = real_number("kappa", kappa, above=0.0, unit="N m s")
        d.parameters[:] = vector("parameters", parameters, d.parameters.shape)
        d.shift[:], d.gain[:] = (0.0, 1.0) if whitening is None else whitening
        c = d.counts
        c[at.HORIZON], c[at.LIMITED] = min(o.horizon, self.horizon), o.reward_clip is not None
        d.sums[at.CLIP], d.sums[at.SHIFT] = o.reward_clip or 0.0, o.reward_shift
        d.least[:] = -np.inf
        if least is not None:
            d.least[:] = np.concatenate([least, np.full(max(0, self.horizon - len(least)), least[-1])])[: self.horizon]
        self.start(state)
        n = self._run(kappa)
        return Played(
            float(d.sums[at.TOTAL]), d.rewards[:n].copy(), d.seen[: n + 1].copy(), d.actions[:n].copy(), d.status[:n].copy(),
            bool(c[at.OVER]), bool(c[at.WHOLE]),
        )  # fmt: skip

    def parts(self, action: int = 0) -> dict[str, float]:
        """The terms of an action's reward, by name."""
        if self._asked is not None:
            return dict(self._asked.parts[action])
        return dict(zip(self._kernels.parts, self.data.parts[action].tolist(), strict=True))

    def moments(self) -> list[Moment]:
        """The transitions of the last episode, with states and contacts as `Task.move` gives them."""
        d, skip = self.data, self.skip
        n = int(d.counts[at.DONE])
        states = [self.rows.state(k * skip) for k in range(n + 1)]
        contacts = [None] * (n + 1)
        if self._asked is not None:
            contacts = list(self._asked.contacts)
        elif self.task.wants_contacts:
            contacts = [None, *(self.rows.contacts_of(d.kept[k]) for k in range(1, n + 1))]
        return [
            Moment(states[k], contacts[k], d.seen[k].copy(), d.actions[k].copy(), states[k + 1], contacts[k + 1]) for k in range(n)
        ]

    # reverse mode

    def policy_gradient(
        self,
        parameters: Array,
        state: Any,
        kappa: float,
        whitening: tuple[Array, Array] | None = None,
        options: RolloutOptions | None = None,
        discount: float = 1.0,
    ) -> PolicyGradient:
        """The exact derivative of Σ discountᵏ rₖ, the return of an episode at κ [N m s] with rewards clipped as the options say.

        Observations and rewards that depend on contacts (Ant, Humanoid) are differentiated by impulses, positions and frames; by
        gaps and torques only if the task is called back in Python.
        """
        discount = real_number("discount", discount, above=0.0, most=1.0)
        self._check_way_back(kappa)
        played = self.play(parameters, state, whitening, kappa, options)
        o = options or RolloutOptions(self.horizon)
        weights = np.array([o.slope(r) for r in played.rewards]) * discount ** np.arange(len(played.rewards))
        return self.pull_back(played, weights, kappa)

    def pull_back(
        self, played: Played, weights: Array, kappa: float, final: Array | None = None, truncation: int = 0, decay: float = 1.0,
        states: Array | None = None, actions: Array | None = None,
    ) -> PolicyGradient:  # fmt: skip
        """The derivative of Σ weights (n,) · rewards + Σ final · observations, of the episode that was just played at κ.

        final: cotangents of the last observation (no,) or of all (n + 1, no). states (n + 1, 2nv + na), or (n + 1, 2nv) without
        activations, and actions (n, action size): cotangents of the states between actions and of the actions, added to the others.
        truncation: number of actions through which cotangents are carried back, 0: all. decay: factor on a cotangent per action.
        """
        self._check_way_back(kappa)
        d, n = self.data, len(played.rewards)
        d.weights[:n], d.slopes_seen[: n + 1] = weights, 0.0
        if final is not None:
            d.slopes_seen[n if np.ndim(final) == 1 else slice(n + 1)] = final
        d.counts[at.TRUNCATION], d.sums[at.DISCOUNT] = truncation, decay
        d.cotangents[:], d.by_control[:], d.by_action[:], d.by_parameters[:] = 0.0, 0.0, 0.0, 0.0
        if states is not None:
            model, shape = self.task.sim.model, np.shape(states)
            if shape not in ((n + 1, 2 * model.nv), (n + 1, 2 * model.nv + model.na)):
                raise ValueError(f"states has shape {shape}, expected (n + 1, 2nv + na) = {(n + 1, 2 * model.nv + model.na)}")
            d.cotangents[: n * self.skip + 1 : self.skip, : shape[1]] = states
        if actions is not None:
            d.by_action[:n] = actions
        status = self.rows.run_back(self._function("back"), self._address, n * self.skip, kappa, self._moved)
        if self._asked is not None:
            self._asked.back.check()
        return PolicyGradient(
            d.by_parameters.copy(), d.cotangents[0].copy(), d.by_action[:n].copy(), status.reshape(n, self.skip), played
        )

    def _check_way_back(self, kappa: Any) -> None:
        """ValueError or TypeError where nothing is differentiated: the soft mode, steps of the task's own, the hard limit."""
        if not hasattr(self.rows, "run_back"):
            raise ValueError('mode="soft" has no reverse mode: take the hard mode, or differences (linearize)')
        if has_own(self.task, "differentiate"):
            raise ValueError(
                f"{type(self.task).__name__} has a `differentiate` of its own, and the way back of a closed loop is the "
                "simulator's: take dojo_py.policy.gradient.play_and_differentiate, which asks it"
            )
        if self._asked is not None:
            having("policy", self.policy, ("backward",), "one with a method `backward`: see dojo_py.policy.policies.Policy")
        real_number("kappa", kappa, above=0.0, unit="N m s")


_OF_ROWS = (
    "qpos", "qvel", "act", "bodies", "impulses", "control", "contacts", "fixed", "cotangents", "by_control", "by_contacts",
)  # fmt: skip
"""Arrays shared by the simulator's loop and the kernels."""

# loops that are lent

MOST_KEPT = 8
"""Number of tasks, simulators, policies and horizons, together, whose unused loops are kept."""
_pool: LoopPool[ClosedLoop] = LoopPool(MOST_KEPT)


def _name(thing: Any) -> Any:
    """Key of a task or policy: the object if it is hashable, else its id, which is valid while a loop refers to it."""
    try:
        hash(thing)
    except TypeError:
        return type(thing), id(thing)
    return thing


def borrowed(task: Any, policy: Any, horizon: int) -> AbstractContextManager[ClosedLoop]:
    """A loop for exclusive use, from the pool if there is one; it returns to the pool afterwards."""
    key = (_name(task), id(task.sim), _name(policy), horizon)
    return _pool.borrowed(key, lambda: ClosedLoop(task, policy, horizon))
