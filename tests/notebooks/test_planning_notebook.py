"""The notebook on planning runs from its first cell to its last, and its figures are what it says."""

import json
from pathlib import Path

import matplotlib

NOTEBOOK = Path(__file__).resolve().parent.parent.parent / "notebooks" / "planning.ipynb"


def cells_of(notebook, kind):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def test_notebook_runs_and_writes_its_picture(tmp_path, capsys):
    """Settings as shipped, but the receding horizon is shorter. Box right: 14.46 (the paper's 14.5), 16 iterations at most 30."""
    matplotlib.use("Agg")
    picture = tmp_path / "planning.png"
    names: dict = {}
    for i, source in enumerate(cells_of(NOTEBOOK, "code")):
        exec(compile(source, f"cell {i}", "exec"), names)
        if i == 0:
            names.update(CONTROL_STEPS=14, PICTURE=str(picture))
    names["plt"].close("all")
    assert picture.stat().st_size > 10_000 and "SOLVED" in capsys.readouterr().out
    for plan in (names["right"], names["up"]):
        assert plan.violation <= 5e-3 and plan.iterations <= 30
    assert abs(names["right"].cost - 14.5) < 0.3
    assert names["pushed"] > 0.05 and names["left"] < 0.2 * names["pushed"]


def test_notebook_opens_with_its_picture():
    first = cells_of(NOTEBOOK, "markdown")[0]
    assert "](planning.png)" in first and (NOTEBOOK.parent / "planning.png").exists()
    assert not any(cell.get("outputs") for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])
