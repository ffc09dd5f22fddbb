"""How long the first use on a machine takes, in processor time: everything that is compiled into an empty cache."""

import os
import subprocess
import sys

import pytest

START = """
import resource
import dojo_py
sim = dojo_py.HardSimulator(dojo_py.load_model("box"))
none = [[0.0] * sim.model.nu] * 2
began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
"""
STEPS = "sim.rollout(sim.initial_state(), none)\n"
DERIVATIVES = "sim.rollout(sim.initial_state(), none, kappa=3e-4, linearize=True)\n"
END = "print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - began)\n"


def seconds_of(use: str, folder) -> float:
    """Processor time in user mode [s] of a first use."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    ran = subprocess.run([sys.executable, "-c", START + use + END], env=environment, capture_output=True, text=True, check=True)
    assert "compiling kernels" in ran.stderr
    seconds = float(ran.stdout)
    print(f"cold compile {seconds:.1f} s")
    return seconds


