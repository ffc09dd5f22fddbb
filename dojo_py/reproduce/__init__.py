"""The experiments: one file each with `run() -> Report`, through the public interface only."""

from __future__ import annotations

import importlib
from typing import Any

EXPERIMENTS = {
    "table2": ("dojo_py.reproduce.table2", "Atlas drop: how deep the feet sink at three time steps"),
    "figure4": ("dojo_py.reproduce.figure4", "pushed box: derivatives at kappa, point-wise and by randomised smoothing"),
    "table5": ("dojo_py.reproduce.table5", "time of step and gradient beside MuJoCo's finite differences"),
    "table6": ("dojo_py.reproduce.table6", "policy search: half-cheetah and ant by ARS, Climb and randomised gradients (hours)"),
    "figure5": ("dojo_py.reproduce.figure5", "sliding box: lateral drift of cones and pyramids"),
    "figure7": ("dojo_py.reproduce.figure7", "torso height of falling robots at 20 to 500 Hz"),
    "figure9": ("dojo_py.reproduce.figure9", "violations against iteration for three robots"),
    "table3": ("dojo_py.reproduce.table3", "plans by iterative LQR: box, hopper, quadruped; soft mode beside"),
    "push": ("dojo_py.reproduce.push", "model-predictive control of a trot through a sideways push"),
    "conservation": ("dojo_py.reproduce.conservation", "momentum drift and order of the energy error"),
    "speed": ("dojo_py.reproduce.speed", "time of a step beside MuJoCo's finite differences; hinge chains"),
    "soft_speed": ("dojo_py.reproduce.soft_speed", "time of a soft step beside mj_step, of all models"),
    "soft_vs_hard": ("dojo_py.reproduce.soft_vs_hard", "soft beside hard contact: slide, slope, fall, grasp, bounce"),
    "contact": ("dojo_py.reproduce.contact", "towers, heaps, hands, loops beside MuJoCo: do they stand, hold, close?"),
    "sweep": ("dojo_py.reproduce.sweep", "100 000 steps of all models with random controls: is every one solved?"),
    "ablation": ("dojo_py.reproduce.ablation", "the solver without each of its constants: what fails (half an hour)"),
    "gauntlet": ("dojo_py.reproduce.gauntlet.run", "generated cases, properties of all: --family, --seeds, --minimise"),
}
"""Name -> (module, one line)."""


def load(name: str) -> Any:
    """The experiment's module."""
    return importlib.import_module(EXPERIMENTS[name][0])
