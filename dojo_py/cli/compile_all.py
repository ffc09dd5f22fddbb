"""`dojo_py doctor --compile`: all kernels compiled now, so that nothing is compiled later."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from typing import Any

from dojo_py.announce import ANNOUNCEMENT


def pieces() -> dict[str, Callable[[], Any]]:
    """What is compiled apart, in the order in which it needs each other -> a small use of it."""
    found = {
        "hard mode": _hard, "contacts between bodies": _bodies, "derivatives": _derivatives,
        "derivatives by parameters": _parameters, "plans": _plans, "soft mode": _soft, "shapes and pictures": _pictures,
    }  # fmt: skip
    if importlib.util.find_spec("gymnasium") is not None:
        found["environments"] = _environments
    return found


def compile_all(tell: Callable[[str], Any] = print) -> list[str]:
    """Compile what is not in the cache yet, piece by piece; returns the names of those that failed or could not be kept.

    tell: called with a line before each piece that is compiled or loaded, and with its outcome.
    """
    all_pieces, failed, began = pieces(), [], time.perf_counter()
    for number, (name, use) in enumerate(all_pieces.items(), start=1):
        before, clock = ANNOUNCEMENT.functions, time.perf_counter()
        tell(f"{number} of {len(all_pieces)}  {name} ...")
        try:
            use()
        except Exception as error:  # the others are compiled all the same
            tell(f"        {name}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")
            failed.append(name)
            continue
        functions = ANNOUNCEMENT.functions - before
        seconds = time.perf_counter() - clock
        tell(f"        compiled, {functions} functions in {seconds:.0f} s" if functions else "        there already")
    if failed:
        tell(f"not compiled: {', '.join(failed)}")
    elif not kept():
        tell("all are compiled, but not kept: no folder can be written; set NUMBA_CACHE_DIR")
        return list(all_pieces)
    else:
        tell(f"all are compiled and kept, in {time.perf_counter() - began:.0f} s: later runs load them")
    return failed


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
