"""What every constant of the interior-point method is worth: robots, generated scenes and piles without it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dojo_py.reproduce.gauntlet import scenes
from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import random_controls, start_of

SEEDS = range(3000, 3100)
"""Of the generated scenes."""
TIMESTEPS = (0.001, 0.01, 0.03, 0.1)
STEPS = 200
"""Of each shipped model at each time step."""
PILES = range(2, 5)
"""Seeds of the piles: 27 spheres, friction 1, the first PILE_STEPS steps of 10 ms."""
PILE_STEPS = 120
PATIENCE = 5.0
"""Processor time after which a scene is left [s]."""
WALLS = ((0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
QUICK: dict[str, Any] = {"seeds": range(5, 6)}
"""Arguments of `run` for `--quick`."""


class Count(NamedTuple):
    """Steps of one kind of case."""

    steps: int = 0
    unsolved: int = 0
    iterations: int = 0

    def add(self, run: Any) -> Count:
        """With those of a trajectory."""
        steps, unsolved, iterations = self
        return Count(steps + len(run), unsolved + run.unsolved, iterations + int(run.iterations.sum()))

    def __str__(self) -> str:
        return f"{self.unsolved}/{self.steps}, {self.iterations / max(self.steps, 1):.2f}"


def robots(options: Any) -> Count:
    """Every shipped model under random controls."""
    from dojo_py import HardSimulator, load_model, models

    count = Count()
    for name in models.names():
        model = load_model(name)
        for h in TIMESTEPS:
            sim = HardSimulator(model, timestep=h, options=options)
            count = count.add(sim.rollout(sim.initial_state(*start_of(model)), random_controls(model, STEPS, 5)))
    return count


def generated(options: Any, ordinary: bool, seeds: range = SEEDS) -> Count:
    """Scenes of the gauntlet, ordinary ones or the others."""
    from dojo_py import HardSimulator, ModelError, load_model

    count = Count()
    for case in (scenes.generate(seed) for seed in seeds):
        if bool(case.settings.get("ordinary")) != ordinary:
            continue
        try:
            model = load_model(case.xml)
        except ModelError:  # (a number out of the reader's range)
            continue
        friction = str(case.settings.get("friction", "cone"))
        sim = HardSimulator(model, timestep=case.timestep, friction=friction, options=options)
        state, clock = sim.initial_state(case.qpos, case.qvel), time.process_time()
        for i in range(0, len(case.controls), 10):
            run = sim.rollout(state, case.controls[i : i + 10])
            state, count = run.final_state, count.add(run)
            if time.process_time() - clock > PATIENCE:
                break
    return count


def piles(options: Any) -> Count:
    """Spheres that fall into a bin."""
    count = Count()
    for seed in PILES:
        count = count.add(pile(seed, options))
    return count


def pile(seed: int, options: Any = None) -> Any:
    """The Trajectory of spheres that fall into a bin. options: HardOptions; None: the defaults."""
    from dojo_py import HardSimulator, load_model

    sim = HardSimulator(load_model(bin_of_spheres(seed, 27)), options=options)
    return sim.rollout(sim.initial_state(), np.zeros((PILE_STEPS, 0)))


def bin_of_spheres(seed: int, count: int, timestep: float = 0.01) -> str:
    """MJCF of spheres of 0.1 m in layers of nine, gaps and offsets drawn from the seed, above the floor between four walls."""
    generator, bodies = np.random.default_rng(seed), []
    for i in range(count):
        layer, place = divmod(i, 9)
        x, y = divmod(place, 3)
        p = np.array([0.25 * (x - 1), 0.25 * (y - 1), 0.15 + 0.25 * layer]) + generator.uniform(-0.02, 0.02, 3)
        bodies.append(f'<body pos="{p[0]} {p[1]} {p[2]}"><freejoint/><geom size=".1"/></body>')
    walls = "".join(f'<geom type="plane" size="5 5 1" pos="{-0.5 * x} {-0.5 * y} 0" zaxis="{x} {y} {z}"/>' for x, y, z in WALLS)
    return (
        f'<mujoco><option timestep="{timestep}"/><default><geom friction="1 0 0"/></default>'
        f"<worldbody>{walls}{''.join(bodies)}</worldbody></mujoco>"
    )


def variants() -> Iterator[tuple[str, str, Any]]:
    """(name, value without it, HardOptions), the solver as it is first."""
    from dojo_py import HardOptions
    from dojo_py.solver.settings import WITHOUT, SolverSettings

    yield "as it is", "", HardOptions()
    for name, values in WITHOUT.items():
        yield name, f"{values[name]:g}", HardOptions(solver=SolverSettings(**values))


def run(seeds: range = SEEDS) -> Report:
    """One row a constant: steps not solved of all, and iterations a step, without it."""
    rows = []
    for name, value, options in variants():
        counts = robots(options), generated(options, True, seeds), generated(options, False, seeds), piles(options)
        rows.append((name, value, *map(str, counts)))
    notes = [
        "unsolved/steps, iterations a step",
        f"robots: shipped models, h {TIMESTEPS}, {STEPS} steps; scenes: gauntlet seeds {seeds.start} to {seeds.stop - 1}",
        f"piles: 27 spheres, friction 1, {PILE_STEPS} steps of seeds {PILES.start} to {PILES.stop - 1}",
    ]
    columns = ("without", "set to", "robots", "ordinary scenes", "other scenes", "piles")
    shown = {f"a pile, seed {PILES.start}, the solver as it is": pile(PILES.start)}
    return Report("ablation", "What each constant of the solver is worth", columns, rows, notes, replays=shown)
