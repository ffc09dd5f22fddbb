"""The notebooks on environments and policy search run from top to bottom, with small settings, and open with their picture."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")
matplotlib = pytest.importorskip("matplotlib")

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
PNG = b"\x89PNG"


def cells(name, kind):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def run(name, monkeypatch, folder):
    """Names that the notebook's code defines."""
    monkeypatch.setenv("DOJO_NOTEBOOK_SMALL", "1")
    monkeypatch.chdir(folder)
    matplotlib.use("Agg")
    scope = {"__name__": "__main__"}
    for number, cell in enumerate(cells(name, "code")):
        exec(compile("".join(cell["source"]), f"{name}, code cell {number + 1}", "exec"), scope)  # noqa: S102
    matplotlib.pyplot.close("all")
    return scope


@pytest.mark.parametrize("name", ["environments", "policy_search"])
def test_notebook_opens_with_its_picture(name):
    first = cells(name, "markdown")[0]
    assert "attachment:picture.png" in "".join(first["source"])
    assert base64.b64decode(first["attachments"]["picture.png"]["image/png"]).startswith(PNG)


def test_environments(monkeypatch, tmp_path):
    scope = run("environments", monkeypatch, tmp_path)
    assert scope["PICTURE"].startswith(PNG) and 0.05 < scope["slip"] < 0.76
    assert scope["observations"].shape == (2, 11)


def test_policy_search(monkeypatch, tmp_path):
    scope = run("policy_search", monkeypatch, tmp_path)
    assert scope["PICTURE"].startswith(PNG)
    assert scope["error"] < 1e-4 and np.isfinite(scope["ars"].history[-1][3])
