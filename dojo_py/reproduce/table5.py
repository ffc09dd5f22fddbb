"""Table V: 1000 steps with random actions, every one with its derivatives by state and control, beside MuJoCo's differences.

Three clocks run in turn over the same controls, in blocks, so that other work on the machine slows all of them:

    ours      roll out, A and B of every step at κ: either the hard limit, solved once more at κ to be differentiated, or the
              κ-relaxed step itself, differentiated where it stands (what the paper times)
    MuJoCo    mj_step and mjd_transitionFD, one-sided and centred, eps 1e-6, on its own motion from the same file
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report, import_mujoco
from dojo_py.reproduce.scenes import measured_motion, random_controls, start_of
from dojo_py.reproduce.speed import EPSILON, PAPER, TIMESTEP

ROBOTS = ("humanoid", "quadruped", "panda", "quadrotor")
STEPS, BLOCK, REPEATS = 1000, 100, 5
KAPPA = 3e-4
"""[N m s]"""
LABELS = {"humanoid": "Humanoid", "quadruped": "A1", "panda": "Panda", "quadrotor": "Skydio X2"}
PAPER_SECONDS = {"humanoid": (1.750, 1.512), "quadruped": (5.235, 1.114), "panda": (1.159, 0.335), "quadrotor": (0.807, 0.047)}
"""Dojo and MuJoCo finite differences in the paper [s]."""
VARIANTS = {
    "step": {},
    "relaxed step": {"kappa": KAPPA},
    "both": {"linearize": True, "gradient_kappa": KAPPA},
    "relaxed": {"linearize": True, "kappa": KAPPA},
}
"""What is timed of ours: arguments of `rollout`."""
COLUMNS = (
    "model", "dojo_py [s]", "dojo_py, hard limit and κ [s]", "mjd_transitionFD one-sided [s]", "centred [s]", "ratio one-sided",
    "ratio, hard limit and κ", "ratio centred", "paper: Dojo [s]", "paper: MuJoCo FD [s]", "paper: ratio", "iterations a step",
    "step [ms]", "gradient [ms]", "unsolved", "load [s]",
)  # fmt: skip
SHOWN = 200
"""Steps of a replay."""
QUICK: dict[str, Any] = {}
"""Arguments of `run` for `--quick`."""


class Ours:
    """The hard simulator going through a motion in blocks; `start` begins anew."""

    def __init__(self, model: Any, variant: dict[str, Any]):
        from dojo_py import HardSimulator

        self.sim, self.variant = HardSimulator(model, timestep=TIMESTEP), variant
        self.first = self.sim.initial_state(*start_of(model))
        self.iterations = self.unsolved = 0
        self.start()

    def start(self) -> None:
        """From the first state."""
        self.state, self.iterations, self.unsolved = self.first, 0, 0

    def run(self, controls: np.ndarray) -> float:
        """Seconds of a block."""
        clock = time.perf_counter()
        trajectory = self.sim.rollout(self.state, controls, maximal=False, **self.variant)
        seconds = time.perf_counter() - clock
        self.state = trajectory.final_state
        self.iterations += int(trajectory.iterations.sum())
        failed = trajectory.status if trajectory.gradient_status is None else trajectory.status + trajectory.gradient_status
        self.unsolved += int(np.count_nonzero(failed))
        return seconds


class Theirs:
    """MuJoCo going through its own motion in blocks."""

    def __init__(self, name: str, model: Any, centred: bool):
        from dojo_py import models

        self.mujoco: Any = import_mujoco(required=True)
        self.model = self.mujoco.MjModel.from_xml_path(str(models.path(name)))
        self.model.opt.timestep = TIMESTEP
        self.first, self.centred = start_of(model), centred
        n = 2 * self.model.nv + self.model.na
        self.A, self.B = np.zeros((n, n)), np.zeros((n, self.model.nu))
        self.start()

    def start(self) -> None:
        """From the first state."""
        self.data = self.mujoco.MjData(self.model)
        self.data.qpos[:], self.data.qvel[:] = self.first

    def resets(self) -> int:
        """How often the motion blew up and MuJoCo began anew."""
        bad = (self.mujoco.mjtWarning.mjWARN_BADQPOS, self.mujoco.mjtWarning.mjWARN_BADQVEL, self.mujoco.mjtWarning.mjWARN_BADQACC)
        return sum(int(self.data.warning[int(w)].number) for w in bad)

    def run(self, controls: np.ndarray) -> float:
        """Seconds of a block."""
        mujoco, model, data = self.mujoco, self.model, self.data
        clock = time.perf_counter()
        for control in controls:
            data.ctrl[:] = control
            mujoco.mjd_transitionFD(model, data, EPSILON, int(self.centred), self.A, self.B, None, None)
            mujoco.mj_step(model, data)
        return time.perf_counter() - clock


def measure(name: str, steps: int = STEPS, repeats: int = REPEATS, block: int = BLOCK) -> dict[str, Any]:
    """Seconds of `steps` steps, medians over repeats, and the split of ours."""
    from dojo_py import load_model

    model = load_model(name)
    controls = random_controls(model, steps)
    clock = time.perf_counter()
    runners: dict[str, Any] = {variant: Ours(model, arguments) for variant, arguments in VARIANTS.items()}
    for runner in runners.values():
        runner.run(controls[:1])
    load = time.perf_counter() - clock
    runners |= {"one-sided": Theirs(name, model, False), "centred": Theirs(name, model, True)}
    found = np.zeros((repeats, len(runners)))
    for r in range(repeats):
        for runner in runners.values():
            runner.start()
        for first in range(0, steps, block):
            for i, runner in enumerate(runners.values()):
                found[r, i] += runner.run(controls[first : first + block])
    out: dict[str, Any] = dict(zip(runners, np.median(found, axis=0), strict=True))
    out["resets"] = runners["one-sided"].resets()
    out["load"], out["steps"] = load, steps
    out["iterations"] = runners["relaxed"].iterations / steps
    out["unsolved"] = runners["relaxed"].unsolved + runners["both"].unsolved
    return out


def _row(name: str, m: dict[str, Any]) -> tuple[object, ...]:
    dojo, fd = PAPER_SECONDS[name]
    return (
        name, f"{m['relaxed']:.3f}", f"{m['both']:.3f}", f"{m['one-sided']:.3f}", f"{m['centred']:.3f}",
        f"{m['relaxed'] / m['one-sided']:.2f}", f"{m['both'] / m['one-sided']:.2f}", f"{m['relaxed'] / m['centred']:.2f}",
        dojo, fd, PAPER[name], f"{m['iterations']:.1f}", f"{1e3 * m['relaxed step'] / m['steps']:.3f}",
        f"{1e3 * (m['relaxed'] - m['relaxed step']) / m['steps']:.3f}", m["unsolved"], f"{m['load']:.1f}",
    )  # fmt: skip


def run(names: Sequence[str] = ROBOTS) -> Report:
    """All robots."""
    found = {name: measure(name) for name in names}
    blown = [name for name, m in found.items() if m["resets"]]
    slow = [name for name, m in found.items() if not m["relaxed"] < m["one-sided"]]
    notes = [
        f"{STEPS} steps, h {TIMESTEP:g} s, random actions, one thread, medians of {REPEATS} runs in turn by blocks of {BLOCK}",
        f"dojo_py: steps relaxed to κ {KAPPA:g} and differentiated there; beside it steps in the hard limit, solved again at κ",
        f"MuJoCo: mj_step and mjd_transitionFD, eps {EPSILON:g}, its own motion, same file; load: kernels read or compiled",
        "bound, ratio to one-sided below 1: " + (f"missed by {', '.join(slow)}" if slow else "met by all"),
    ]
    if blown:
        notes.append(f"MuJoCo's motion blows up under these actions and begins anew: {', '.join(blown)}")
    curves = {
        "seconds": {
            "model": np.array(names),
            **{key: np.array([found[name][key] for name in names]) for key in (*VARIANTS, "one-sided", "centred")},
        }
    }
    motions = {name: measured_motion(name, TIMESTEP, SHOWN, kappa=KAPPA) for name in names}
    shown = {f"{name}, κ {KAPPA:g}: the motion that is timed": motion for name, motion in motions.items()}
    return Report(
        "table5", "Speed of step and gradient (Table V)", COLUMNS, [_row(*item) for item in found.items()], notes, curves,
        _figure, not slow, shown,
    )  # fmt: skip


def _figure(plt: Any, report: Report) -> Any:
    seconds = report.curves["seconds"]
    names = [str(name) for name in seconds["model"]]
    bars = {
        "dojo_py": seconds["relaxed"] / seconds["one-sided"],
        "dojo_py, hard limit and κ": seconds["both"] / seconds["one-sided"],
        "MuJoCo centred": seconds["centred"] / seconds["one-sided"],
        "Dojo (paper)": np.array([PAPER[name] for name in names]),
    }
    figure, axis = plt.subplots(figsize=(6.5, 3.5))
    width = 0.8 / len(bars)
    for i, (label, values) in enumerate(bars.items()):
        axis.bar(np.arange(len(names)) + (i - 1.5) * width, values, width, label=label)
    axis.axhline(1.0, color="0.4", lw=0.8)
    axis.set_yscale("log")
    axis.set_xticks(range(len(names)), [LABELS[name] for name in names])
    axis.set_ylabel("time / MuJoCo one-sided")
    axis.legend(fontsize=7)
    return figure
