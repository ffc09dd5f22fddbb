"""System identification: physical parameters of a model from recorded motion.

recordings = [Recording(name, qpos, control), …]                     data.py: also read from CSV and npz files, with units
unknowns = [Unknown("friction", lower=0.01, upper=1), Tied(("mass:trunk", "inertia:trunk")), PseudoInertia("link1"), Delay()]
result = identify(sim, recordings, unknowns)                         fit.py: multiple shooting on exact Jacobians
print(result); result.interval(0.95), result.undetermined, result.simulator
rollout_errors(result.simulator, held_out)                           validate.py
with_estimated_starts(result.simulator, held_out, samples=8)         starts.py
fit_restitution(result.simulator, recordings)                        bounces.py
write_report(result, "fit.html", held_out)                           report.py
base_parameters(jacobian)                                            base_parameters.py: which combinations data determine
"""

from dojo_py.identification.base_parameters import BaseParameters, base_parameters
from dojo_py.identification.bounces import fit_restitution
from dojo_py.identification.data import Recording, read_recording
from dojo_py.identification.delays import Delay, delayed
from dojo_py.identification.fit import Result, identify
from dojo_py.identification.report import write_report
from dojo_py.identification.resample import resample
from dojo_py.identification.starts import with_estimated_starts
from dojo_py.identification.unknowns import PseudoInertia, Tied, Unknown, Unknowns
from dojo_py.identification.validate import RolloutErrors, rollout_errors

__all__ = [
    "BaseParameters", "Delay", "PseudoInertia", "Recording", "Result", "RolloutErrors", "Tied", "Unknown", "Unknowns",
    "base_parameters", "delayed", "fit_restitution", "identify", "read_recording", "resample", "rollout_errors",
    "with_estimated_starts", "write_report",
]  # fmt: skip
