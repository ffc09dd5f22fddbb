"""`dojo_py doctor`: what is installed, where compiled kernels are kept, and whether simulating works here."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dojo_py import __version__
from dojo_py.cli.mistake import Mistake
from dojo_py.reproduce.text import format_pairs, format_table


class Extra(NamedTuple):
    """An extra of the package: what it is for, and the modules that its packages bring."""

    purpose: str
    modules: dict[str, str]
    """Module -> package."""


CORE = {"numpy": "numpy", "scipy": "scipy", "numba": "numba", "lxml": "lxml"}
EXTRAS = {
    "view": Extra("viewer, replays, films, `compare`", {"viser": "viser", "av": "av", "PIL": "pillow"}),
    "plot": Extra("figures of `reproduce`", {"matplotlib": "matplotlib"}),
    "mujoco": Extra("MuJoCo beside our figures in `reproduce`", {"mujoco": "mujoco"}),
    "jax": Extra("dojo_py.jax: steps and roll-outs under jit, grad, vmap", {"jax": "jax"}),
    "envs": Extra("dojo_py.environments: Gymnasium tasks", {"gymnasium": "gymnasium"}),
    "ppo": Extra("training the tasks by PPO", {"gymnasium": "gymnasium", "stable_baselines3": "stable-baselines3"}),
    "cluster": Extra("searches, fits and sweeps on several machines", {"distributed": "distributed", "ray": "ray"}),
    "cholmod": Extra("the soft mode on models of 800 degrees of freedom and more", {"sksparse": "scikit-sparse"}),
    "docs": Extra(
        "this documentation as a site",
        {
            "mkdocs": "mkdocs", "material": "mkdocs-material", "mkdocstrings": "mkdocstrings",
            "mkdocstrings_handlers": "mkdocstrings-python",
        },
    ),
}  # fmt: skip
"""Without `test`, which is for the developers of dojo_py, and `all`."""


class Check(NamedTuple):
    """One part of the self-test."""

    name: str
    holds: bool
    found: str
    seconds: float


def add(commands: Any) -> None:
    """Add the command's parser."""
    p = commands.add_parser(
        "doctor",
        help="say what is installed, what is missing and what for; run a self-test",
        description="Say what is installed and where compiled kernels are kept, and run a self-test (10 s; minutes if kernels are "
        "to be compiled first). The exit status is 1 when a needed package is missing or a test fails.",
    )
    p.add_argument("--no-test", action="store_true", help="only say what is there")
    p.add_argument(
        "--compile",
        action="store_true",
        help="compile all kernels now (both modes, derivatives, pictures, environments: a few minutes), so that no later run does",
    )
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report. 0 when all that is needed is there and works."""
    missing = [package for module, package in CORE.items() if importlib.util.find_spec(module) is None]
    print(format_pairs(machine()))
    print()
    print(format_table(("extra", "", "for", "missing"), list(extras())))
    wanted = [name for name, state, *_ in extras() if state != "installed"]
    if wanted:
        print(f'all that is missing: pip install "dojo-sim[{",".join(wanted)}]"')
    print()
    if missing:
        print(f"needed and missing: {', '.join(missing)}: pip install dojo-sim")
        return 1
    failed = lost = 0
    if arguments.compile:
        from dojo_py.cli.compile_all import compile_all
        from dojo_py.compiler import compiling

        if not compiling():
            raise Mistake("--compile: NUMBA_DISABLE_JIT is set, kernels run as plain Python")
        lost = len(compile_all(lambda line: print(line, flush=True)))
        print()
    print(format_pairs(kernels()))
    if arguments.no_test:
        return int(lost > 0)
    print()
    for check in self_test():
        print(f"{'ok    ' if check.holds else 'FAILED'}  {check.name}: {check.found}  ({check.seconds:.1f} s)", flush=True)
        failed += not check.holds
    print("all is well" if not failed else f"{failed} of the tests failed")
    return int(failed > 0 or lost > 0)


def machine() -> list[tuple[str, str]]:
    """Versions, the system and the processor."""
    import dojo_py

    packages = ", ".join(f"{package} {version_of(package) or 'missing'}" for package in CORE.values())
    return [
        ("dojo_py", f"{__version__} in {Path(dojo_py.__file__).parent}"),
        ("python", f"{platform.python_version()} ({sys.executable})"),
        ("packages", packages),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors"),
    ]


def version_of(package: str) -> str | None:
    """Of an installed distribution, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def extras() -> Iterator[tuple[str, str, str, str]]:
    """(name, "installed" or "missing", what for, packages that are missing) of each extra."""
    for name, extra in EXTRAS.items():
        lost = [package for module, package in extra.modules.items() if importlib.util.find_spec(module) is None]
        yield name, "missing" if lost else "installed", extra.purpose, ", ".join(lost)


def kernels() -> list[tuple[str, str]]:
    """Where compiled kernels are kept, for which processor, and which modes have theirs."""
    from llvmlite import binding
    from numba import config

    from dojo_py.compiler import compiling

    if not compiling():
        return [("kernels", "run as plain Python: NUMBA_DISABLE_JIT is set")]
    settings: Any = config
    processor = settings.CPU_NAME or binding.get_host_cpu_name()
    rows = [("processor", f"{processor}; versions of kernels for other processors are kept beside")]
    for name, entry in main_entries().items():
        kept = entry._cache
        fresh = "compiled" if kept.fresh() else "not compiled yet: the first use takes a minute or two, or `doctor --compile` now"
        rows.append((name, fresh))
        rows.append(("  kept in", kept.cache_path or "no folder that can be written: every process compiles; set NUMBA_CACHE_DIR"))
        rows += [("  read from", f"{shelf.cache_path} (cannot be written)") for shelf in kept.shelves]
    return rows


def main_entries() -> dict[str, Any]:
    """What each mode's steps go through, and what of the hard mode is compiled when it is first needed."""
    from dojo_py.hard.contacts.pair_tasks import PAIRS
    from dojo_py.hard.gradients.derivatives import DERIVATIVES
    from dojo_py.hard.parameters.columns import PARAMETERS
    from dojo_py.hard.rollout import roll_out
    from dojo_py.soft.kernels import run as soft_run

    return {
        "hard mode": roll_out,
        f"  {PAIRS.subject}": PAIRS.entry,
        f"  {DERIVATIVES.subject}": DERIVATIVES.entry,
        f"  {PARAMETERS.subject}": PARAMETERS.entry,
        "soft mode": soft_run,
    }


def self_test() -> Iterator[Check]:
    """Simulate in both modes, differentiate, save and load; each compared with what must come out."""
    for name, test in (
        ("hard mode", _hard), ("bodies", _bodies), ("gradients", _gradients), ("parameters", _parameters), ("soft mode", _soft),
        ("files", _files), ("replay", _replay),
    ):  # fmt: skip
        if name == "replay" and importlib.util.find_spec("viser") is None:
            continue
        began = time.perf_counter()
        holds, found = _tried(test)
        yield Check(name, holds, found, time.perf_counter() - began)


def _tried(test: Callable[[], tuple[bool, str]]) -> tuple[bool, str]:
    try:
        return test()
    except Exception as error:  # the report goes on, and names it
        return False, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def _hard() -> tuple[bool, str]:
    import numpy as np

    from dojo_py import HardSimulator

    sim = HardSimulator("atlas", timestep=0.01)
    run = sim.rollout(sim.initial_state(keyframe="drop"), np.zeros((100, sim.model.nu)))
    gap = float(run.min_gap.min())
    return run.unsolved == 0 and gap >= 0.0, f"Atlas dropped, {run.unsolved} of 100 steps unsolved, smallest gap {gap:.1e} m"


def _bodies() -> tuple[bool, str]:
    import numpy as np

    from dojo_py import HardSimulator

    sim = HardSimulator("tower", timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((50, 0)))
    gap, moved = float(run.min_gap.min()), float(np.abs(run.qpos[-1] - run.qpos[0]).max())
    return run.unsolved == 0 and gap >= 0.0 and moved < 1e-3, f"a tower of boxes stands, smallest gap {gap:.1e} m"


def _gradients() -> tuple[bool, str]:
    import numpy as np

    from dojo_py import HardSimulator

    sim, kappa, e = HardSimulator("box", timestep=0.01), 1e-4, 1e-5
    state, u = sim.initial_state(keyframe="home"), np.array([3.0, 1.0, 2.0])
    found = sim.linearize(state, u, kappa=kappa).B
    ends = [[sim.step(state, u + sign * e * row, kappa=kappa).state for sign in (1.0, -1.0)] for row in np.eye(3)]
    numeric = np.array([(a.qvel - b.qvel) / (2.0 * e) for a, b in ends]).T
    error = float(np.abs(found[sim.model.nv :] - numeric).max() / np.abs(numeric).max())
    return error < 1e-4, f"a box on the ground, off central differences by {error:.1e} of the largest"


def _parameters() -> tuple[bool, str]:
    import numpy as np

    from dojo_py import HardSimulator

    sim, kappa, e = HardSimulator("box", timestep=0.01), 1e-4, 1e-5
    state, u = sim.initial_state(keyframe="home"), np.array([3.0, 1.0, 2.0])
    found = sim.linearize(state, u, kappa=kappa, parameters=["mass"]).parameters["mass"][sim.model.nv :, 0]
    mass = sim.parameter("mass").value
    ends = [sim.with_parameters({"mass": mass + sign * e}).step(state, u, kappa=kappa).state.qvel for sign in (1.0, -1.0)]
    numeric = (ends[0] - ends[1]) / (2.0 * e)
    error = float(np.abs(found - numeric).max() / np.abs(numeric).max())
    return error < 1e-4, f"a box by its mass, off central differences by {error:.1e} of the largest"


def _soft() -> tuple[bool, str]:
    import numpy as np

    from dojo_py import SoftSimulator

    sim = SoftSimulator("humanoid")
    run = sim.rollout(sim.initial_state(), np.zeros((100, sim.model.nu)))
    return run.unsolved == 0 and bool(np.isfinite(run.qpos).all()), f"humanoid, {run.unsolved} of 100 steps unsolved"


def _files() -> tuple[bool, str]:
    import tempfile

    import numpy as np

    from dojo_py import HardSimulator, load_trajectory

    sim = HardSimulator("pendulum")
    run = sim.rollout(sim.initial_state(), np.zeros((5, sim.model.nu)))
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.npz")
        again = load_trajectory(Path(folder) / "run.npz")
    return np.array_equal(again.qpos, run.qpos) and again.model is not None, "a saved run is the same when it is loaded"


def _replay() -> tuple[bool, str]:
    import tempfile

    import numpy as np

    from dojo_py import HardSimulator, view

    sim = HardSimulator("box")
    run = sim.rollout(sim.initial_state(), np.zeros((20, sim.model.nu)))
    with tempfile.TemporaryDirectory() as folder:
        size = view.replay(sim.model, run, Path(folder) / "run.html").stat().st_size
    return size > 100_000, f"a page of {size / 1e6:.2g} MB"
