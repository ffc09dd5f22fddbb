"""The closed loop in kernels: observation, policy and reward between the steps of a compiled roll-out, and their reverse mode.

The compiled roll-out calls two functions (by_address.py). `decide_with` makes the one called before every step: at the end of an
action it computes the reward, at the beginning of the next one it observes, evaluates the policy and sets the controls. `pull_with`
makes the one called in the reverse pass, from the last step to the first:

    λ ← λ + (∂r/∂x₊)ᵀ w,   ∂R/∂u = Σ Bᵀ λ + (∂r/∂u)ᵀ w,   λ ← Aᵀ λ + (∂r/∂x)ᵀ w + (∂o/∂x)ᵀ (∂u/∂o)ᵀ ∂R/∂u

λ: cotangent of the state, which the roll-out pulls back through its steps; w: weight of the reward r; u: action, held for the steps
of the sum; o: observation. o and r are differentiated by central differences, which cost little beside a step. Where they depend on
the contact table after the step, their derivatives by impulses, positions and frames are cotangents of that table, which the
roll-out pulls back together with the state (hard/gradients/contact_pull.py).

A task gives three kernels: observe(D, qpos, qvel, contacts, out), reward(D, qpos, qvel, action, qpos after, qvel after, contacts,
parts) and, if it can terminate, over(D, qpos, qvel). D: a Loop (loop_arrays.py). `entries_of` makes the two functions from them.
"""

from __future__ import annotations

import math
from types import FunctionType

from dojo_py.arrays import copy, copy_rows
from dojo_py.by_address import FRESH, GO, STOP
from dojo_py.collision.contact_columns import FRAME, GEOMS, IMPULSE
from dojo_py.jit import entry, kernel
from dojo_py.mechanism.enums import JointType
from dojo_py.policy import loop_counts as at
from dojo_py.policy.loop_arrays import loop_at
from dojo_py.simulate.status import LOST, SEVERITY

FREE, BALL = int(JointType.FREE), int(JointType.BALL)
SINGULAR, NOT_FINITE = (int(status) for status in LOST)
"""Statuses after which the state did not move; the episode ends there."""
DIFFERENCE = 1e-6
"""Step of the central differences of observations and rewards."""


# roll-out


@kernel
def forward(D, seen):
    """Forward pass: D.values for an observation (no,), which is normalised first; the last row is the policy's output."""
    values, theta, k, layers = D.values, D.parameters, 0, D.widths.shape[0] - 1
    for i in range(seen.shape[0]):
        values[0, i] = (seen[i] - D.shift[i]) * D.gain[i]
    for layer in range(layers):
        inputs, outputs = D.widths[layer], D.widths[layer + 1]
        biases = k + inputs * outputs
        for i in range(outputs):
            total = theta[biases + i] if D.counts[at.BIASED] else 0.0
            for j in range(inputs):
                total += theta[k + j] * values[layer, j]
            k += inputs
            values[layer + 1, i] = math.tanh(total) if layer < layers - 1 else total
        if D.counts[at.BIASED]:
            k += outputs


@kernel
def worse(a, b):
    """The worse of two statuses."""
    return a if SEVERITY[a] >= SEVERITY[b] else b


@kernel
def _go_on(D):
    """Copy the last state of the previous run to row 0."""
    last = D.counts[at.DONE] * D.counts[at.SKIP]
    copy(D.qpos[last], D.qpos[0])
    copy(D.qvel[last], D.qvel[0])
    copy(D.act[last], D.act[0])
    if D.impulses.shape[0] > 0:
        copy_rows(D.bodies[last], D.bodies[0])
        copy(D.impulses[last], D.impulses[0])


@kernel
def _begin(D):
    """Reset the counts and sums for a new run, which continues from the end of the last one if ONWARD is set."""
    if D.counts[at.ONWARD]:
        _go_on(D)
    D.counts[at.DONE], D.counts[at.OVER], D.counts[at.WHOLE], D.counts[at.WORST], D.sums[at.TOTAL] = 0, 0, 1, 0, 0.0


@kernel
def _act(D, k, t):
    """Set the controls of step t from action k, which is that of the policy for observation k, or given."""
    action = D.actions[k]
    if D.counts[at.POLICY]:
        forward(D, D.seen[k])
        copy(D.values[D.widths.shape[0] - 1, : action.shape[0]], action)
    for i in range(D.offset.shape[0]):
        total = D.offset[i]
        for j in range(action.shape[0]):
            total += D.scale[i, j] * min(max(action[j], D.low[j]), D.high[j])
        D.control[t, i] = total


@kernel
def move(D, t, i, sign, out):
    """out (nq + nv,) = state t displaced by sign DIFFERENCE along coordinate i of its tangent [δq, δv]."""
    nq, nv, eps = D.qpos.shape[1], D.qvel.shape[1], sign * DIFFERENCE
    for k in range(nq):
        out[k] = D.qpos[t, k]
    for k in range(nv):
        out[nq + k] = D.qvel[t, k]
    if i >= nv:
        out[nq + i - nv] += eps
        return
    for j in range(D.joint_type.shape[0]):
        place, kind, q = i - D.joint_dof[j], D.joint_type[j], D.joint_qpos[j]
        size = 6 if kind == FREE else 3 if kind == BALL else 1
        if place < 0 or place >= size:
            continue
        if kind > BALL or (kind == FREE and place < 3):
            out[q + place] += eps
            return
        axis = place - 3 if kind == FREE else place
        q = q + 3 if kind == FREE else q
        w, s = math.cos(0.5 * eps), math.sin(0.5 * eps)  # q ⊗ [w, s e]
        y, z = (axis + 1) % 3, (axis + 2) % 3
        a, b, e, f = out[q], out[q + 1 + axis], out[q + 1 + y], out[q + 1 + z]
        out[q], out[q + 1 + axis] = a * w - b * s, b * w + a * s
        out[q + 1 + y], out[q + 1 + z] = e * w + f * s, f * w - e * s


@kernel
def _layers_back(D, seen, by_action):
    """Backward pass through the policy: adds to by_parameters; slopes[0] = cotangent of the observation (not normalised)."""
    forward(D, seen)
    layers, theta = D.widths.shape[0] - 1, D.parameters
    c, below = D.slopes[0], D.slopes[1]
    copy(by_action, c[: by_action.shape[0]])
    k = theta.shape[0]
    for i in range(layers):
        layer = layers - 1 - i
        inputs, outputs = D.widths[layer], D.widths[layer + 1]
        if layer < layers - 1:
            for o in range(outputs):
                c[o] *= 1.0 - D.values[layer + 1, o] * D.values[layer + 1, o]
        if D.counts[at.BIASED]:
            k -= outputs
            for o in range(outputs):
                D.by_parameters[k + o] += c[o]
        k -= inputs * outputs
        for j in range(inputs):
            below[j] = 0.0
        for o in range(outputs):
            for j in range(inputs):
                D.by_parameters[k + o * inputs + j] += c[o] * D.values[layer, j]
                below[j] += c[o] * theta[k + o * inputs + j]
        copy(below[:inputs], c[:inputs])
    for j in range(seen.shape[0]):
        c[j] *= D.gain[j]


@kernel
def read_columns(D, contacts, i):
    """Range of columns to differentiate in row i: none without an impulse; no frame for contacts with planes, where it is fixed."""
    if contacts[i, IMPULSE] == 0.0:
        return IMPULSE, IMPULSE
    return IMPULSE, FRAME if i < D.fixed.shape[0] else GEOMS


@kernel
def _slope(cotangent, plus, minus):
    """cotangentᵀ ∂o/∂x by central differences; plus, minus: o at x ± DIFFERENCE; all (no,)."""
    total = 0.0
    for k in range(cotangent.shape[0]):
        total += cotangent[k] * (plus[k] - minus[k])
    return total / (2.0 * DIFFERENCE)


@kernel
def _action_back(D, k):
    """Pull the cotangents of the controls back to action k, and through the policy to its parameters and observation k."""
    first, skip = k * D.counts[at.SKIP], D.counts[at.SKIP]
    for i in range(D.low.shape[0]):
        total, action = 0.0, D.actions[k, i]
        if action >= D.low[i] and action <= D.high[i]:
            for s in range(first, first + skip):
                for j in range(D.offset.shape[0]):
                    total += D.by_control[s, j] * D.scale[j, i]
        D.by_action[k, i] += total
    if D.counts[at.POLICY]:
        _layers_back(D, D.seen[k], D.by_action[k])
        for i in range(D.seen.shape[1]):
            D.slopes_seen[k, i] += D.slopes[0, i]


@kernel
def _discount(D, t, left):
    """Multiply the cotangents of state t and its contacts by the decay; by 0 at a truncation. left: actions after t."""
    every = D.counts[at.TRUNCATION]
    factor = 0.0 if every > 0 and left % every == 0 else D.sums[at.DISCOUNT]
    for i in range(D.cotangents.shape[1]):
        D.cotangents[t, i] *= factor
    for i in range(D.by_contacts.shape[0]):
        for j in range(D.by_contacts.shape[1]):
            D.by_contacts[i, j] *= factor


# functions made for each task (kernels passed as arguments could not be cached on disk)


def _kernel_of(observe):
    """Decorator `kernel` for functions that are made for each task: it puts the task's module into their names.

    The linker takes the first symbol of a name, so the names must differ between tasks; within a task they must differ anyway.
    """
    task = getattr(observe, "py_func", observe).__module__

    def decorate(function):
        function.__qualname__ = f"{task.replace('.', '_')}_{function.__name__}"
        return kernel(function)

    return decorate


def decide_with(observe, reward, over):
    """The kernel (D, t, status) -> GO, STOP or FRESH, called before step t, from a task's kernels."""
    own = _kernel_of(observe)

    @own
    def finish(D, k, t):
        """Reward and status of action k - 1, whose last step was t - 1."""
        skip = D.counts[at.SKIP]
        if D.kept.shape[1] > 0:
            copy_rows(D.contacts, D.kept[k])
        before = t - skip
        value = reward(D, D.qpos[before], D.qvel[before], D.actions[k - 1], D.qpos[t], D.qvel[t], D.kept[k], D.parts[k - 1])
        D.rewards[k - 1], D.status[k - 1] = value, D.counts[at.WORST]
        D.counts[at.DONE] = k
        value -= D.sums[at.SHIFT]
        if D.counts[at.LIMITED]:
            value = min(max(value, -D.sums[at.CLIP]), D.sums[at.CLIP])
        D.sums[at.TOTAL] += value

    @own
    def decide(D, t, status):
        """GO, STOP or FRESH for step t; status: of the step before."""
        c, skip = D.counts, D.counts[at.SKIP]
        if t == 0:
            _begin(D)
        c[at.WORST] = worse(c[at.WORST], status)
        if t % skip != 0:
            copy(D.control[t - 1], D.control[t])
            return GO
        k = t // skip
        if k > 0:
            finish(D, k, t)
        if c[at.POLICY] or k > 0:
            observe(D, D.qpos[t], D.qvel[t], D.kept[k], D.seen[k])
        if k > 0:
            if c[at.WORST] == SINGULAR or c[at.WORST] == NOT_FINITE or over(D, D.qpos[t], D.qvel[t]):
                c[at.OVER] = 1
                return STOP
            if D.sums[at.TOTAL] < D.least[k - 1]:
                c[at.WHOLE] = 0
                return STOP
        if k >= c[at.HORIZON]:
            return STOP
        _act(D, k, t)
        c[at.WORST] = 0
        return FRESH

    return decide


def pull_with(observe, reward):
    """The kernel (D, t, status) -> GO of the reverse pass, from a task's kernels."""
    own = _kernel_of(observe)
    observation_back, reward_back = _observation_back_with(observe, own), _reward_back_with(reward, own)

    @own
    def pull(D, t, status):
        """Before step t is pulled back: add the cotangents of state t + 1, if an action begins or ends there."""
        here = t + 1
        D.by_contacts[:, :] = 0.0
        if here % D.counts[at.SKIP] != 0:
            return GO
        k, done = here // D.counts[at.SKIP], D.counts[at.DONE]
        if k < done:
            _action_back(D, k)
        observation_back(D, here, k, D.slopes_seen[k])
        if k > 0:
            if k < done:
                _discount(D, here, done - k)
            reward_back(D, k - 1)
        return GO

    return pull


def _observation_back_with(observe, own):
    """The kernel (D, t, k, cotangent) that pulls an observation back; own: the decorator of the task (`_kernel_of`)."""

    @own
    def observation_by_state(D, t, contacts, cotangent, plus, minus):
        """λ_t += (∂o/∂x)ᵀ cotangent, at fixed contacts."""
        nq, nv = D.qpos.shape[1], D.qvel.shape[1]
        for i in range(2 * nv):
            move(D, t, i, 1.0, D.moved[0])
            move(D, t, i, -1.0, D.moved[1])
            observe(D, D.moved[0, :nq], D.moved[0, nq:], contacts, plus)
            observe(D, D.moved[1, :nq], D.moved[1, nq:], contacts, minus)
            D.cotangents[t, i] += _slope(cotangent, plus, minus)

    @own
    def observation_by_contacts(D, t, contacts, cotangent, plus, minus):
        """D.by_contacts += (∂o/∂contacts)ᵀ cotangent."""
        for i in range(contacts.shape[0]):
            first, last = read_columns(D, contacts, i)
            for column in range(first, last):
                here = contacts[i, column]
                contacts[i, column] = here + DIFFERENCE
                observe(D, D.qpos[t], D.qvel[t], contacts, plus)
                contacts[i, column] = here - DIFFERENCE
                observe(D, D.qpos[t], D.qvel[t], contacts, minus)
                contacts[i, column] = here
                D.by_contacts[i, column] += _slope(cotangent, plus, minus)

    @own
    def observation_back(D, t, k, cotangent):
        """Pull the cotangent (no,) of observation k back to state t and to the contact table."""
        plus, minus = D.trial[0, : cotangent.shape[0]], D.trial[1, : cotangent.shape[0]]
        observation_by_state(D, t, D.kept[k], cotangent, plus, minus)
        observation_by_contacts(D, t, D.kept[k], cotangent, plus, minus)

    return observation_back


def _reward_back_with(reward, own):
    """The kernel (D, k) that pulls a reward back; own: the decorator of the task (`_kernel_of`)."""

    @own
    def reward_by_states(D, k, weight, contacts, parts):
        """Add to the cotangents of the states before and after action k."""
        nq, nv, b, a = D.qpos.shape[1], D.qvel.shape[1], k * D.counts[at.SKIP], (k + 1) * D.counts[at.SKIP]
        for i in range(2 * nv):
            value = 0.0
            for side in range(2):
                sign, x = 1.0 - 2.0 * side, D.moved[side]
                move(D, b, i, sign, x)
                value += sign * reward(D, x[:nq], x[nq:], D.actions[k], D.qpos[a], D.qvel[a], contacts, parts)
            D.cotangents[b, i] += weight * value
            value = 0.0
            for side in range(2):
                sign, x = 1.0 - 2.0 * side, D.moved[side]
                move(D, a, i, sign, x)
                value += sign * reward(D, D.qpos[b], D.qvel[b], D.actions[k], x[:nq], x[nq:], contacts, parts)
            D.cotangents[a, i] += weight * value

    @own
    def reward_by_action(D, k, weight, contacts, parts):
        """Add to the cotangent of action k."""
        b, a, action = k * D.counts[at.SKIP], (k + 1) * D.counts[at.SKIP], D.actions[k]
        u = D.trial[0, : action.shape[0]]
        for i in range(action.shape[0]):
            copy(action, u)
            u[i] = action[i] + DIFFERENCE
            value = reward(D, D.qpos[b], D.qvel[b], u, D.qpos[a], D.qvel[a], contacts, parts)
            u[i] = action[i] - DIFFERENCE
            value -= reward(D, D.qpos[b], D.qvel[b], u, D.qpos[a], D.qvel[a], contacts, parts)
            D.by_action[k, i] += weight * value

    @own
    def reward_by_contacts(D, k, weight, contacts, parts):
        """Add to the cotangents of the contact table after action k."""
        b, a, action = k * D.counts[at.SKIP], (k + 1) * D.counts[at.SKIP], D.actions[k]
        for i in range(contacts.shape[0]):
            first, last = read_columns(D, contacts, i)
            for column in range(first, last):
                here = contacts[i, column]
                contacts[i, column] = here + DIFFERENCE
                value = reward(D, D.qpos[b], D.qvel[b], action, D.qpos[a], D.qvel[a], contacts, parts)
                contacts[i, column] = here - DIFFERENCE
                value -= reward(D, D.qpos[b], D.qvel[b], action, D.qpos[a], D.qvel[a], contacts, parts)
                contacts[i, column] = here
                D.by_contacts[i, column] += weight * value

    @own
    def reward_back(D, k):
        """Add the derivatives of reward k by both states, its action and the contacts, times its weight, to their cotangents."""
        weight, contacts, parts = D.weights[k] / (2.0 * DIFFERENCE), D.kept[k + 1], D.trial[2, : D.parts.shape[1]]
        reward_by_states(D, k, weight, contacts, parts)
        reward_by_action(D, k, weight, contacts, parts)
        reward_by_contacts(D, k, weight, contacts, parts)

    return reward_back


# functions whose addresses Python passes to the roll-out


@kernel
def never(D, qpos, qvel):
    """`over` of a task that never terminates; its episodes end at the horizon."""
    return False


def _asked(t, status, data):
    return answer(loop_at(data), t, status)  # type: ignore[name-defined]  # noqa: F821  (a name of the entry's own, see entries_of)


def entries_of(observe, reward, over=never):
    """The entries `act`, called before each step of an episode, and `back`, called in the reverse pass, in the task's own file."""
    home = getattr(observe, "py_func", observe)
    answers = {"act": decide_with(observe, reward, over), "back": pull_with(observe, reward)}
    return tuple(_entry(name, home, answer) for name, answer in answers.items())


def _entry(name, home, answer):
    """A copy of `_asked` that belongs to the file of a task: numba caches it on disk there and recompiles it when the file changes.

    `answer` is a global of it, not a closure variable: numba's cache distinguishes closures by the objects they hold, and these
    differ between processes.
    """
    code = _asked.__code__.replace(co_filename=home.__code__.co_filename, co_name=name, co_qualname=name)
    made = FunctionType(code, {"answer": answer, "loop_at": loop_at, "__name__": home.__module__}, name)
    made.__doc__ = "See entries_of."
    return entry(no_cfunc_wrapper=False)(made)
