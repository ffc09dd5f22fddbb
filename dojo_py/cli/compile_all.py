"""`dojo_py doctor --compile`: all kernels compiled now, so that nothing is compiled later."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

from dojo_py.announce import ANNOUNCEMENT

PROCESSES = 2
"""Most processes that compile at a time, each a piece: three would wait for each other's pieces, of up to 2 GB each."""
NEEDS = {
    "contacts between bodies": ("hard mode",), "derivatives": ("contacts between bodies",),
    "derivatives by parameters": ("derivatives",), "plans": ("derivatives",), "shapes and pictures": ("contacts between bodies",),
    "environments": ("derivatives", "soft mode"),
}  # fmt: skip
"""Piece -> those that must be there first, which it would compile itself otherwise."""


class Outcome(NamedTuple):
    """What became of a piece."""

    functions: int  # that were compiled
    seconds: float
    error: str  # empty: none


def pieces() -> dict[str, Callable[[], Any]]:
    """What is compiled apart -> a small use of it."""
    found = {
        "hard mode": _hard, "soft mode": _soft, "contacts between bodies": _bodies, "derivatives": _derivatives,
        "derivatives by parameters": _parameters, "plans": _plans, "shapes and pictures": _pictures,
    }  # fmt: skip
    if importlib.util.find_spec("gymnasium") is not None:
        found["environments"] = _environments
    return found


def compile_all(tell: Callable[[str], Any] = print) -> list[str]:
    """Compile what is not in the cache yet, piece by piece; returns the names of those that failed or could not be kept.

    tell: called with a line as each piece is begun, compiled or loaded, and with its outcome.
    """
    names, failed, began = list(pieces()), [], time.perf_counter()

    def begin(name: str) -> None:
        tell(f"{names.index(name) + 1} of {len(names)}  {name} ...")

    outcomes = _beside_each_other if min(PROCESSES, os.cpu_count() or 1) > 1 else _one_by_one
    for name, outcome in outcomes(names, begin):
        if outcome.error:
            failed.append(name)
        did = f"compiled, {outcome.functions} functions in {outcome.seconds:.0f} s" if outcome.functions else "there already"
        tell(f"        {name}: {outcome.error or did}")
    if failed:
        tell(f"not compiled: {', '.join(failed)}")
    elif not kept():
        tell("all are compiled, but not kept: no folder can be written; set NUMBA_CACHE_DIR")
        return names
    else:
        tell(f"all are compiled and kept, in {time.perf_counter() - began:.0f} s: later runs load them")
    return failed


def compile_piece(name: str) -> Outcome:
    """Compile one piece in this process, or load it."""
    before, clock, error = ANNOUNCEMENT.functions, time.perf_counter(), ""
    try:
        pieces()[name]()
    except Exception as problem:  # the others are compiled all the same
        error = f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]}"
    return Outcome(ANNOUNCEMENT.functions - before, time.perf_counter() - clock, error)


def _one_by_one(names: list[str], begin: Callable[[str], None]) -> Iterator[tuple[str, Outcome]]:
    for name in names:
        begin(name)
        yield name, compile_piece(name)


def _beside_each_other(names: list[str], begin: Callable[[str], None]) -> Iterator[tuple[str, Outcome]]:
    """In processes of their own, each piece after those it needs, in the order of names where several may begin."""
    done, running = set[str](), dict[Future[Outcome], str]()
    waiting = list(names)
    with ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn")) as pool:
        while waiting or running:
            for name in [n for n in waiting if done.issuperset(NEEDS.get(n, ()))][: PROCESSES - len(running)]:
                begin(name)
                waiting.remove(name)
                try:
                    running[pool.submit(compile_piece, name)] = name
                except BrokenProcessPool as broken:  # (another piece's process was ended, and the pool with it)
                    done.add(name)
                    yield name, Outcome(0, 0.0, f"{type(broken).__name__}: {broken}")
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(future)
                done.add(name)
                problem = future.exception()  # (the process was ended)
                yield name, Outcome(0, 0.0, f"{type(problem).__name__}: {problem}") if problem is not None else future.result()


def kept() -> bool:
    """Whether there is a folder that compiled kernels are written to."""
    from dojo_py.hard.rollout import roll_out

    cache: Any = roll_out
    return cache._cache.cache_path is not None


def _step(sim: Any) -> Any:
    import numpy as np

    return sim.step(sim.initial_state(), np.zeros(sim.model.nu))


def _hard() -> None:
    from dojo_py import HardSimulator

    sim = HardSimulator("atlas")
    sim.poses(_step(sim).state)


def _bodies() -> None:
    from dojo_py import HardSimulator

    _step(HardSimulator("tower"))


def _derivatives() -> None:
    import numpy as np

    from dojo_py import HardSimulator

    sim = HardSimulator("tower")
    sim.linearize(sim.initial_state(), np.zeros(0), kappa=1e-3)


def _parameters() -> None:
    import numpy as np

    from dojo_py import HardSimulator

    sim = HardSimulator("box")
    sim.linearize(sim.initial_state(), np.zeros(sim.model.nu), kappa=1e-3, parameters=["mass"])


def _plans() -> None:
    import numpy as np

    from dojo_py import HardSimulator
    from dojo_py.planning import Options, control_cost, ilqr

    sim = HardSimulator("pendulum")
    ilqr(sim, sim.initial_state(), np.ones((2, 1)), stage=control_cost(sim.model), options=Options(max_total_iterations=1))


def _soft() -> None:
    from dojo_py import SoftSimulator

    _step(SoftSimulator("humanoid"))


def _pictures() -> None:
    import numpy as np

    from dojo_py import load_model
    from dojo_py.collision.convex import Shapes
    from dojo_py.drawing.picture import Painter, camera

    model = load_model("box")
    Painter(model).picture(model.qpos0, *camera(90.0, -20.0, 3.0, np.zeros(3)), 32, 24)
    upright = (1.0, 0.0, 0.0, 0.0)
    Shapes.of_model(load_model("tower")).nearest(1, ((0.0, 0.0, 0.0), upright), 2, ((0.0, 0.0, 3.0), upright))


def _environments() -> None:
    import gymnasium

    from dojo_py.environments import environment_ids, register_environments

    def steps() -> Iterator[Any]:
        for name in environment_ids():
            made: Any = gymnasium.make(name, disable_env_checker=True)
            made.reset(seed=0)
            yield made.step(made.action_space.sample())
            made.close()

    register_environments()
    list(steps())
