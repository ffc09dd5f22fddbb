"""How long the first use on a machine takes, in processor time: everything that is compiled into an empty cache."""

import os
import subprocess
import sys

import pytest

START = """
import time
import dojo_py
sim = dojo_py.HardSimulator(dojo_py.load_model("box"))
none = [[0.0] * sim.model.nu] * 2
began = time.process_time()
"""
STEPS = "sim.rollout(sim.initial_state(), none)\n"
DERIVATIVES = "sim.rollout(sim.initial_state(), none, kappa=3e-4, linearize=True)\n"
END = "print(time.process_time() - began)\n"


def seconds_of(use: str, folder) -> float:
    """Processor time [s] of a first use."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    ran = subprocess.run([sys.executable, "-c", START + use + END], env=environment, capture_output=True, text=True, check=True)
    assert "compiling kernels" in ran.stderr
    seconds = float(ran.stdout)
    print(f"cold compile {seconds:.1f} s")
    return seconds


@pytest.mark.slow
@pytest.mark.xfail(reason="65 to 71 s; 114 s with pairs and derivatives compiled in", strict=True)
def test_first_steps_compile_within_60_seconds(tmp_path):
    """Steps of a model without pairs of bodies, no derivatives."""
    assert 5.0 < seconds_of(STEPS, tmp_path) <= 60.0


@pytest.mark.slow
@pytest.mark.xfail(reason="97 s; 114 s with pairs compiled in", strict=True)
def test_engine_compiles_within_90_seconds(tmp_path):
    """Steps and their derivatives."""
    assert 5.0 < seconds_of(DERIVATIVES, tmp_path) <= 90.0
