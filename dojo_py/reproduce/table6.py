"""Table VI: half-cheetah and ant learn to run: ARS, AGS, SHAC, Climb and Climb without gradients; all seeds count.

Each method has one set of options for both robots. A search amplifies round-off: another machine, or the last bit of the start,
gives another reward for the same seed, now and then a very different one. So the table says the median and the quartiles of all
runs; with repeats, every seed is run again from starts moved by a few units of round-off.

Paper: mean of the best three of five seeds; here the median of all. Evaluations: simulated plus differentiated steps of training,
as in the paper; SHAC's trials of its policy, by which it chooses, are among them. `Climb` chooses its steps by episodes; its
patience and margin, in spreads of the returns it has seen, were found on these two robots. Each iteration's policy is also tried
without noise at the hard limit, which is not counted and teaches nothing. Rewards are clipped to ±1 an action in all of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report

SEEDS = tuple(range(10))
REPEATS = 1
"""Runs of every seed; the first is as it is, the others start moved by round-off."""
METHODS = {"hard": ("ARS", "AGS", "SHAC", "Climb", "no gradients"), "soft": ("ARS", "AGS", "randomised")}
"""Methods of each mode."""
WITHOUT = "² Climb by noise alone, as many evaluations: what its gradients are worth"
FOOTNOTE = (
    "¹ gradient search whose steps are tried by episodes (dojo_py.policy.climb); its patience and margin, in spreads of returns "
    "seen, were found on these robots, where every episode starts alike"
)
PAPER = {
    ("HalfCheetah", "ARS"): ("46 ± 24", "3e4"),
    ("HalfCheetah", "AGS"): ("44 ± 24", "5e3"),
    ("HalfCheetah", "randomised"): ("39 ± 27", "8e3"),
    ("Ant", "ARS"): ("64 ± 15", "2e5"),
    ("Ant", "AGS"): ("54 ± 28", "2e4"),
    ("Ant", "randomised"): ("59 ± 24", "4e4"),
}
"""(robot, method) -> reward, simulation evaluations in the paper."""


@dataclass(frozen=True)
class Setting:
    """How one robot is trained."""

    horizon: int
    ars_iterations: int
    gradient_budget: int
    """Evaluations Climb or AGS may use: a fifth of ARS's."""
    ags: dict[str, Any]
    """Options of AGS, found by trial."""
    random_budget: int
    """Evaluations of AGS with randomised gradients."""
    pairs: int
    """Antithetic pairs a step of the randomised gradients."""


AGS: dict[str, Any] = {"truncation": 10, "step_size": 0.1, "step_decay": 0.94, "kappa": 1e-2}
"""Of AGS with implicit and with randomised gradients, found by trial: the paper's kappa 3e-4 reaches 40 to 70 and forgets it again,
chains of 20 steps mislead, of 6 see too little."""
SPREAD = 0.01
"""Standard deviation of AGS's first parameters: from zero, all seeds would be one."""
SETTINGS = {
    "HalfCheetah": Setting(80, 30, 5760, AGS, 28800, 12),
    "Ant": Setting(150, 100, 36000, AGS, 180000, 16),
}
QUICK: dict[str, Any] = {"seeds": (0, 1), "iterations": 1, "workers": 1}
"""Arguments of `run` for a size that only shows that it runs."""
QUICK_JUDGED = False
"""One iteration reaches no reward."""
MOST = 10_000
"""Iterations where a budget ends the search."""
SHARE = 5.0
"""Climb's median must reach ARS's final median with this many times fewer evaluations."""
LABELS = {"Climb": "Climb ¹", "no gradients": "Climb, no gradients ²"}


@dataclass(frozen=True)
class Moved:
    """A task whose starts are moved by round-off, as another machine would have them."""

    task: Any
    repeat: int
    """How many units of round-off."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "task" not in self.__dict__:  # (while it is unpickled)
            raise AttributeError(name)
        return getattr(self.task, name)

    def initial_state(self, rng: np.random.Generator) -> Any:
        """The task's start, its coordinates moved."""
        state = self.task.initial_state(rng)
        unit = np.finfo(float).eps * np.maximum(1.0, np.abs(state.qpos))
        return self.task.sim.initial_state(state.qpos + self.repeat * unit, state.qvel, act=state.act)


def make_search(robot: str, method: str, seed: int, mode: str = "hard", workers: Any = None, repeat: int = 0) -> Any:
    """The search of a table row; settings of EXPERIMENTS as far as the paper's scripts state them. repeat: see `Moved`."""
    from dojo_py.environments import make_task
    from dojo_py.policy import (
        Ags,
        AgsOptions,
        Ars,
        ArsOptions,
        Climb,
        ClimbOptions,
        LinearPolicy,
        RolloutOptions,
        Shac,
        ShacOptions,
    )
    from dojo_py.policy.smoothing import Smoothing

    setting = SETTINGS[robot]
    task = make_task(robot, "paper", mode=mode)
    task = Moved(task, repeat) if repeat else task
    policy = LinearPolicy(task.observation_size, task.action_size, SPREAD if method in ("AGS", "SHAC", "randomised") else 0.0)
    rollout = RolloutOptions(setting.horizon, reward_clip=1.0)
    if method == "ARS":
        return Ars(task, policy, ArsOptions(), rollout, seed, 1, workers, True)
    if method == "SHAC":
        return Shac(task, policy, ShacOptions(), rollout, seed, 1, workers, True)
    if method in ("Climb", "no gradients"):
        return Climb(task, policy, ClimbOptions(gradients=method == "Climb"), rollout, seed, 1, workers, True)
    smoothing = Smoothing(setting.pairs) if method == "randomised" else None
    return Ags(task, policy, AgsOptions(**setting.ags, smoothing=smoothing), rollout, seed, 1, workers, True)


def limits_of(robot: str, method: str) -> tuple[int, int | None]:
    """Iterations and evaluations at which a search ends."""
    setting = SETTINGS[robot]
    if method == "ARS":
        return setting.ars_iterations, None
    return MOST, setting.random_budget if method == "randomised" else setting.gradient_budget


def run(
    robots: Sequence[str] = tuple(SETTINGS),
    methods: Sequence[str] | None = None,
    seeds: Sequence[int] = SEEDS,
    iterations: int | None = None,
    mode: str = "hard",
    workers: int = 2,
    checkpoints: Path | None = None,
    repeats: int = REPEATS,
) -> Report:
    """The table and the learning curves. iterations: at most so many a search. checkpoints: folder searches resume from.

    methods: "ARS", "AGS", "SHAC", "Climb", "no gradients", "randomised"; by default those of METHODS. repeats: runs of every seed.
    """
    from dojo_py.policy import Workers
    from dojo_py.policy.seeds import summarise

    rows: list[tuple[object, ...]] = []
    notes: list[str] = []
    curves: dict[str, dict[str, np.ndarray]] = {}
    replays: dict[str, Any] = {}
    holds = True
    with Workers(workers, "threads" if mode == "hard" else "processes") as pool:
        for robot in robots:
            found: dict[str, tuple[Any, list[dict[str, np.ndarray]]]] = {}
            for method in methods or METHODS[mode]:
                count, budget = limits_of(robot, method)
                count = min(count, iterations or MOST)
                began = time.perf_counter()
                runs = [(seed, repeat) for seed in seeds for repeat in range(repeats)]
                searches = [_trained(robot, method, *one, mode, pool, (count, budget), checkpoints) for one in runs]
                summary, lines = summarise(searches), [search.curve() for search in searches]
                found[method] = (summary, lines)
                best = searches[int(np.argmax(summary.final))]
                replays[f"{robot}, {LABELS.get(method, method)}: the policy of the best run"] = episode(best)
                notes.append(f"{robot} {method}: {time.perf_counter() - began:.0f} s")
                reward, cost = PAPER.get((robot, method), ("", ""))
                spread = " … ".join(f"{quartile:.1f}" for quartile in np.quantile(summary.final, (0.25, 0.75)))
                rows.append(
                    (robot, LABELS.get(method, method), f"{summary.median:.1f}", spread,
                     _list(summary.final, repeats), int(np.median(summary.evaluations)), reward, cost)
                )  # fmt: skip
                curves[f"{robot}_{method.replace(' ', '_')}"] = _columns(runs, lines)
            searched = next((name for name in ("Climb", "AGS") if name in found), None)
            if "ARS" in found and searched is not None:
                sooner, note = _beside_ars(searched, found[searched][1], found["ARS"][0])
                holds &= sooner
                notes.append(f"{robot}: {note}")
            if robot == "HalfCheetah" and "ARS" in found and iterations is None:
                holds &= found["ARS"][0].median >= 46.0
    there = {row[1] for row in rows}
    notes += [text for label, text in ((LABELS["Climb"], FOOTNOTE), (LABELS["no gradients"], WITHOUT)) if label in there]
    columns = (
        "robot", "method", "reward, median", "quartiles", "each seed", "evaluations", "paper (best 3 of 5)", "paper's evaluations",
    )  # fmt: skip
    title = f"Table VI: linear policies, {mode} mode, h 0.05 s, {len(seeds)} seeds" + (
        f", each from {repeats} starts moved by round-off" if repeats > 1 else ""
    )
    return Report("table6", title, columns, rows, notes, curves, _figure, bool(holds), replays)


def _beside_ars(method: str, curves: list[dict[str, np.ndarray]], ars: Any) -> tuple[bool, str]:
    """Whether the median of a method reaches ARS's final one in 1/SHARE of ARS's evaluations, and what to note of it."""
    from dojo_py.policy.seeds import evaluations_to_reach

    target, limit = ars.median, float(np.median(ars.evaluations)) / SHARE
    reached = evaluations_to_reach(curves, target, np.median)
    when = "never" if reached is None else f"after {reached:.0f} evaluations"
    return reached is not None and reached <= limit, f"{method}'s median reaches ARS's final {target:.1f} {when}; bound {limit:.0f}"


def episode(search: Any) -> Any:
    """An episode of the policy that a search offers, as a Trajectory: its controls rolled out once more from its start."""
    from dojo_py.policy.rollout import play

    task = search.task
    path: list[Any] = []
    parameters, whitening = search.chosen()
    play(search.job(parameters, (search.seed, 0), None, whitening), path)
    skip = round(task.dt / task.sim.timestep)
    controls = np.repeat([task.control(moment.action) for moment in path], skip, axis=0)
    return task.sim.rollout(path[0].before, controls)


def _trained(
    robot: str, method: str, seed: int, repeat: int, mode: str, workers: Any, limits: tuple[int, int | None],
    checkpoints: Path | None,
) -> Any:  # fmt: skip
    search = make_search(robot, method, seed, mode, workers, repeat)
    again = f"_{repeat}" if repeat else ""
    file = None if checkpoints is None else checkpoints / f"{robot}_{method.replace(' ', '_')}_{mode}_{seed}{again}.npz"
    if file is not None and file.exists():
        search.resume(file)
    search.kind = search.kind if method != "randomised" else "randomised"
    return search.run(limits[0], progress=True, checkpoint=file, budget=limits[1])


def _list(values: np.ndarray, repeats: int) -> str:
    """Rewards; the runs of a seed are joined by a stroke."""
    return " ".join("/".join(f"{v:.1f}" for v in values[i : i + repeats]) for i in range(0, len(values), repeats))


def _columns(runs: Sequence[tuple[int, int]], lines: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Evaluations and reward of each run."""
    columns: dict[str, np.ndarray] = {}
    for (seed, repeat), c in zip(runs, lines, strict=True):
        name = f"seed{seed}" + (f"_{repeat}" if repeat else "")
        columns |= {f"evaluations_{name}": c["evaluations"] + c["gradients"], f"reward_{name}": c["reward"]}
    return columns


def _figure(plt: Any, report: Report) -> Any:
    robots = list(dict.fromkeys(str(row[0]) for row in report.rows))
    figure, axes = plt.subplots(1, len(robots), figsize=(4.5 * len(robots), 3.5), squeeze=False)
    for axis, robot in zip(axes[0], robots, strict=True):
        for i, method in enumerate(("ARS", "Climb", "randomised", "AGS", "no_gradients", "SHAC")):
            columns = report.curves.get(f"{robot}_{method}")
            if columns is None:
                continue
            seeds = [name.removeprefix("reward_") for name in columns if name.startswith("reward_")]
            for k, seed in enumerate(seeds):
                label = method if k == 0 else None
                axis.plot(columns[f"evaluations_{seed}"], columns[f"reward_{seed}"], color=f"C{i}", lw=0.8, alpha=0.7, label=label)
        axis.set_title(f"{robot} (a line a run)")
        axis.set_xlabel("evaluations")
        axis.set_xscale("log")
    axes[0][0].set_ylabel("reward")
    axes[0][0].legend()
    return figure
