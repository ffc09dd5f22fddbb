"""Policy search for linear and small MLP policies: ARS (Mania et al. 2018), AGS, its first-order variant (Dojo, section V-C), Climb
(AGS with exploration) and SHAC (Xu et al. 2022).

from dojo_py.environments import make_task
from dojo_py.policy import Ars, ArsOptions, LinearPolicy, RolloutOptions
search = Ars(make_task("HalfCheetah"), LinearPolicy(17, 6), ArsOptions(), RolloutOptions(horizon=80), seed=0)
search.run(30, progress=True)
"""

from dojo_py.policy.ags import Ags, AgsOptions
from dojo_py.policy.ars import Ars, ArsOptions
from dojo_py.policy.climb import Climb, ClimbOptions
from dojo_py.policy.closed_loop import ClosedLoop, PolicyGradient
from dojo_py.policy.policies import LinearPolicy, MlpPolicy
from dojo_py.policy.rollout import RolloutOptions
from dojo_py.policy.seeds import SeedSummary, run_seeds, summarise
from dojo_py.policy.shac import Shac, ShacOptions
from dojo_py.workers import RayExecutor, Workers

__all__ = [
    "Ags",
    "AgsOptions",
    "Ars",
    "ArsOptions",
    "Climb",
    "ClimbOptions",
    "ClosedLoop",
    "LinearPolicy",
    "MlpPolicy",
    "PolicyGradient",
    "RayExecutor",
    "RolloutOptions",
    "SeedSummary",
    "Shac",
    "ShacOptions",
    "Workers",
    "run_seeds",
    "summarise",
]
