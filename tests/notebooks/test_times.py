"""Every notebook at the size it is shipped with, one after the other, in processes of their own, with kernels compiled before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(file.stem for file in FOLDER.glob("*.ipynb"))
EACH, ALL = 120.0, 600.0
"""Bounds [s] of processor time."""
RUN = """
import json, sys, time
import matplotlib
matplotlib.use("Agg")
scope = {"__name__": "__main__"}
began = time.process_time()
for number, cell in enumerate(json.load(open(sys.argv[1], encoding="utf-8"))["cells"]):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), scope)
print(f"seconds {time.process_time() - began}")
"""


@pytest.mark.slow
def test_each_notebook_takes_less_than_two_minutes_and_all_less_than_ten(tmp_path):
    """Measured, kernels compiled: push_to_a_pose 27 s, policy_search 11, identification 10, trot 7, others 3 at most; 68 in all."""
    pytest.importorskip("gymnasium")
    pytest.importorskip("viser")
    assert len(NOTEBOOKS) >= 9
    subprocess.run([sys.executable, "-m", "dojo_py", "doctor", "--compile", "--no-test"], check=True, capture_output=True)
    total, one_thread = 0.0, {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for name in NOTEBOOKS:
        call = [sys.executable, "-c", RUN, str(FOLDER / f"{name}.ipynb")]
        done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **one_thread}, timeout=900)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        seconds = float(done.stdout.rpartition("seconds ")[2])
        print(f"{name}: {seconds:.0f} s")
        assert seconds < EACH, f"{name}: {seconds:.0f} s of processor time"
        total += seconds
    assert total < ALL
