"""The oracle of the gradient tests: central differences of `sim.step(kappa=κ)`, extrapolated, with their own error estimate.

Scaling: coordinates and activations count as they are, rates times the time step (what a step makes of them), so that A in these
units has entries near 1. Errors are relative to the largest scaled entry of their column; where contact or a limit has wiped a
column out, so that it has no size of its own, to more: for a state to 1, for a control to LEAST of its column at κ = 1, where
nothing holds.

Differences: Ridders' method: central differences at steps that shrink by RATIO, extrapolated as polynomials in the step squared
(Neville, at most DEPTH together); the entry whose neighbours agree best is taken and their disagreement is its error estimate.
What is stiff (κ = 1e-6: slip speeds of 1e-5 m/s, gaps of 1e-5 m) needs the small steps, everything else is exact with the large.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from dojo_py import HardOptions, HardSimulator, State, Status

FIRST_STEP, RATIO, LEVELS, DEPTH = 1e-3, 3.0, 11, 4
ENOUGH = 1e-10
"""Scaled error estimate with which a column is done."""
LEAST = 1e-2
TIGHT = HardOptions(residual_tolerance=1e-11, complementarity_tolerance=1e-14)


class Comparison(NamedTuple):
    """Worst scaled errors over the columns."""

    A: float
    B: float
    estimate: float
    """Of the differences' own error, same scale."""
    column: int
    """Worst one; from 2nv + na on it is a control."""


def moved(model, state: State, direction: np.ndarray, amount: float) -> State:
    """The state moved by amount times a tangent [δq, δv, δact]."""
    nv, move = model.nv, amount * direction
    return State(model.integrate(state.qpos, move[:nv]), state.qvel + move[nv : 2 * nv], state.act + move[2 * nv :], state.time)


def tangent(model, b, a, h: float) -> np.ndarray:
    """Scaled difference [q_b - q_a, h (v_b - v_a), act_b - act_a]."""
    return np.concatenate([model.difference(b.qpos, a.qpos), h * (b.qvel - a.qvel), b.act - a.act])


def ridders(central, first: float) -> tuple[np.ndarray, float]:
    """(derivative, error estimate) of central(step): largest entry of the disagreement."""
    rows: list[list[np.ndarray]] = []
    best, error, step = None, np.inf, first
    for level in range(LEVELS):
        row = [central(step)]
        factor = 1.0
        for k in range(min(level, DEPTH)):
            factor *= RATIO * RATIO
            row.append(row[k] + (row[k] - rows[-1][k]) / (factor - 1.0))
            other = max(np.abs(row[k + 1] - row[k]).max(), np.abs(row[k + 1] - rows[-1][k]).max())
            if other < error:
                best, error = row[k + 1], other
        rows.append(row)
        if level >= 2 and error < ENOUGH * max(1.0, np.abs(best).max()):
            break
        step /= RATIO
    return best, error


def difference_column(after, sim, reference, first: float):
    """Ridders' derivative of after(amount) -> State-like, around `reference`."""
    h, model = sim.timestep, sim.model

    def central(step):
        ends = []
        for amount in (step, -step):
            end = after(amount)
            ends.append(tangent(model, end, reference, h))
        return (ends[0] - ends[1]) / (2.0 * step)

    return ridders(central, first)


def room(model, control, k: int) -> float:
    """How far a control may move before it is clipped."""
    if not model.actuator_ctrllimited[k]:
        return np.inf
    low, high = model.actuator_ctrlrange[k]
    return min(control[k] - low, high - control[k])


def compare(sim, state, control, kappa, wrenches=None, columns=None, verbose=False) -> Comparison:
    """A and B of `linearize` against differences of `step`, all columns or the chosen ones."""
    model, h = sim.model, sim.timestep
    nv, nu = model.nv, model.nu
    n = 2 * nv + model.na
    lin = sim.linearize(state, control, kappa=kappa, wrenches=wrenches)
    assert lin.status is Status.SOLVED, lin.status.message
    free = sim.linearize(state, control, kappa=1.0, wrenches=wrenches).B
    scale_out = np.concatenate([np.ones(nv), np.full(nv, h), np.ones(model.na)])

    def step(start, u):
        end = sim.step(start, u, kappa=kappa, wrenches=wrenches)
        assert end.status is Status.SOLVED, end.status.message
        return end.state

    worst, estimate, where = {"A": 0.0, "B": 0.0}, 0.0, -1
    for i in range(n + nu) if columns is None else columns:
        if i < n:
            direction = np.zeros(n)
            direction[i] = 1.0 / h if nv <= i < 2 * nv else 1.0
            ours = scale_out * lin.A[:, i] * direction[i]
            size = max(1.0, np.abs(ours).max())
            found, error = difference_column(
                lambda amount: step(moved(model, state, direction, amount), control), sim, lin.next_state, FIRST_STEP
            )
        else:
            k = i - n
            size = max(np.abs(scale_out * lin.B[:, k]).max(), LEAST * np.abs(scale_out * free[:, k]).max())
            if size < 1e-11:  # no influence, as when its actuator is saturated
                size = 1.0
            u = np.eye(nu)[k] / size
            ours, first, size = scale_out * lin.B[:, k] / size, min(FIRST_STEP, 0.9 * room(model, control, k) * size), 1.0
            found, error = difference_column(lambda amount: step(state, control + amount * u), sim, lin.next_state, first)
        off = np.abs(found - ours).max() / size
        if verbose:
            row = int(np.argmax(np.abs(found - ours)))
            print(f"  column {i} row {row}: {ours[row]:.9g}, differences {found[row]:.9g} off {off:.1e} error {error / size:.1e}")
        kind = "A" if i < n else "B"
        if off > max(worst.values()):
            where = i
        worst[kind] = max(worst[kind], off)
        estimate = max(estimate, error / size)
    return Comparison(worst["A"], worst["B"], estimate, where)


def tight(model, h: float, **more) -> HardSimulator:
    """A simulator whose steps are solved well below what is compared."""
    return HardSimulator(model, timestep=h, options=dataclasses.replace(TIGHT), **more)
