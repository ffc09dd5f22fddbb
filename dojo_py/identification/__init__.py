"""System identification: physical parameters of a model from recorded motion.

    recordings = [Recording(name, qpos, control), …]                     data.py: also read from CSV and npz files, with units
    unknowns = Unknowns(sim, [Unknown("friction", lower=0.01, upper=1), PseudoInertia("link1")])
    result = identify(sim, recordings, unknowns, kappa=1e-5)             fit.py: scipy's least_squares on exact Jacobians
    result.values, result.deviations, result.interval(0.95), result.simulator
    rollout_errors(result.simulator, held_out)                           validate.py
"""

from dojo_py.identification.data import Recording, read_recording
from dojo_py.identification.fit import Result, identify
from dojo_py.identification.unknowns import PseudoInertia, Unknown, Unknowns
from dojo_py.identification.validate import RolloutErrors, rollout_errors

__all__ = [
    "PseudoInertia", "Recording", "Result", "RolloutErrors", "Unknown", "Unknowns", "identify", "read_recording", "rollout_errors",
]  # fmt: skip
