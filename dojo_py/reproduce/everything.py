"""`dojo_py reproduce all`: every experiment, one after the other, and an index page of all tables beside what the paper says."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dojo_py.reproduce import EXPERIMENTS, load
from dojo_py.reproduce.markdown import write_pages
from dojo_py.reproduce.page import Outcome, write_index, write_page
from dojo_py.reproduce.report import MissingPackage, Report, draw, write_csv

PAPER = {
    "table2": "Dojo's feet never below the ground: 1e-12, 1e-7, 8e-6 mm at h = 0.1, 0.01, 0.001 s; MuJoCo fails, -28, -46 mm.",
    "figure4": "At kappa 1e-4 the next position is up to 1.52 mm (friction) and 2.56 mm (impact) from that at 1e-8.",
    "table5": "Seconds of 1000 steps with gradients: Dojo 1.750, 5.235, 1.159, 0.807; MuJoCo's differences 1.512, 1.114, 0.335, "
    "0.047 (humanoid, A1, Panda, Skydio X2): ratios 1.16, 4.7, 3.5, 17.",
    "table6": "Reward and evaluations: half-cheetah ARS 46 at 3e4, AGS 44 at 5e3; ant ARS 64 at 2e5, AGS 54 at 2e4 "
    "(best three of five seeds).",
    "figure5": "The nonlinear cone keeps the box on a straight line; pyramids drift aside.",
    "figure7": "The height curves of 20 to 500 Hz stay together.",
    "figure9": "At most 15 iterations to any tolerance.",
    "table3": "Cost, violation, iterations: box right 14.5, 3e-3, 30; box up 14.5, 3e-3, 106; hopper 8.9, 1e-3, 96; "
    "quadruped 2e-2, 3e-4, 20.",
    "conservation": "Momentum drift below 1e-8; energy bounded.",
}
"""Experiment -> what the paper states; its figures also stand in the columns of the tables."""


def run_all(
    out: Path, quick: bool, names: Sequence[str] = tuple(EXPERIMENTS), tell: Callable[[str], Any] = print
) -> tuple[list[Outcome], Path]:
    """Run experiments one by one, whatever becomes of them, and write their files, index.html,
    accuracy.md and speed.md into a folder.

    quick: the size that each module's QUICK gives. tell: called with a line of progress. Returns (outcomes, the index page).
    """
    outcomes: list[Outcome] = []
    title = "dojo_py: the experiments" + (", quick sizes" if quick else "")
    for name in names:
        tell(f"{name}: {EXPERIMENTS[name][1]}")
        outcomes.append(run_one(name, out, quick))
        tell(f"{name}: {outcomes[-1].verdict}, {outcomes[-1].seconds:.0f} s")
        index = write_index(outcomes, out, title)
        write_pages(outcomes, out, "dojo_py reproduce all" + (" --quick" if quick else ""))
    return outcomes, index


def run_one(name: str, out: Path, quick: bool) -> Outcome:
    """One experiment with its files; what goes wrong is its outcome."""
    began, paper = time.perf_counter(), PAPER.get(name, "")
    try:
        module = load(name)
        report: Report = module.run(**(module.QUICK if quick else getattr(module, "FULL", {})))
        seconds = time.perf_counter() - began
        judged = not quick or getattr(module, "QUICK_JUDGED", True)
        write_files(report, out, seconds, judged)
    except MissingPackage as error:
        return Outcome(name, None, str(error), time.perf_counter() - began, paper=paper)
    except Exception as error:  # the others go on; the index names it, the exit status tells
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        return Outcome(name, None, text, time.perf_counter() - began, paper=paper)
    return Outcome(name, report, "", seconds, out / f"{report.name}.html", paper, judged)


def write_files(report: Report, out: Path, seconds: float, judged: bool) -> list[Path]:
    """CSV, figure (where matplotlib is installed) and page of a report; judged: see `write_page`."""
    files = write_csv(report, out)
    try:
        files += draw(report, out)
    except MissingPackage:  # the page says so
        pass
    return [*files, write_page(report, out, seconds, judged)]
