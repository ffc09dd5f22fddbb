"""The notebook runs from top to bottom with smaller settings, and finds what it hid."""

import json
from pathlib import Path

import numpy as np
import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "identification.ipynb"
SMALL = "TOSSES, STEPS, KAPPAS = 3, 40, (1e-5, 1e-7)"


@pytest.mark.slow  # a quarter of a minute
def test_the_notebook_runs(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert "identification.png" in "".join(cells[0]["source"]) and (NOTEBOOK.parent / "identification.png").exists()
    names: dict = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            if "TOSSES, STEPS, KAPPAS =" in source:
                source = SMALL
            exec(compile(source, str(NOTEBOOK), "exec"), names)  # noqa: S102
    assert abs(names["result"].values["friction"][0] / 0.21 - 1) < 0.02
    assert np.isfinite(names["result"].cost)
    assert (tmp_path / "identification.png").exists()
