"""The notebooks to begin with run from top to bottom, draw pictures, show a replay, and each pins a number."""

import json
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot", reason="no matplotlib: pip install 'dojo-sim[plot]'")
pytest.importorskip("viser", reason="no viser: pip install 'dojo-sim[view]'")

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
PINNED = {
    "first_contact": lambda n: (
        n["run"].unsolved == 0
        and n["largest_product"] < 1e-12  # [N m s], the solver's tolerance
        and abs(n["carried"] / n["sim"].model.body_mass.sum() - 1.0) < 0.05
    ),
    "gradients_through_contact": lambda n: abs(n["miss"]) < 1e-3 and 4.9 < n["push"] < 8.0,  # [m], [N]: friction's limit is 4.9
    "push_to_a_pose": lambda n: n["metres"] < 0.02 and n["degrees"] < 0.5,  # measured 6.6 or 13 mm and 0.005
    "trot": lambda n: (
        n["motion"].unsolved == 0
        and n["lowest"] > 0.24  # [m], measured 0.267
        and abs(n["speed"] / n["gait"].speed - 1.0) < 0.2
    ),  # measured 0.03
    "gripper": lambda n: (
        abs(n["least"] - 1.635) < 1e-9  # [N], m g / 2 mu: at 0.97 of it the mug falls, at 1.03 it is held
        and list(n["held"]) == [False, False, False, True, True, True]
        and n["creeps"]["hard"] < 1e-9 < 1e-4 < n["creeps"]["soft"]
    ),  # [m/s], measured 4e-14 and 5.7e-3
    "kappa": lambda n: n["worst"] < 1e-4,  # of the closed form
    "hard_against_soft": lambda n: (
        n["speeds"]["hard"] < 1e-4 < n["speeds"]["soft"]  # [mm/s]
        and n["sinks"]["hard"] >= 0.0 > -1.0 > n["sinks"]["soft"]
    ),  # [mm]
}
SLOW = ("gradients_through_contact", "push_to_a_pose", "hard_against_soft", "trot")


def cells(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def run(name, folder, monkeypatch):
    """(names that the notebook defines, values of its cells' last lines, figures drawn)."""
    monkeypatch.chdir(folder)
    pyplot.switch_backend("Agg")
    pyplot.close("all")
    scope: dict = {"__name__": "__main__"}
    shown = []
    for number, cell in enumerate(cell for cell in cells(name) if cell["cell_type"] == "code"):
        source = "".join(cell["source"])
        if "\n" not in source:
            shown.append(eval(compile(source, f"{name}, cell {number}", "eval"), scope))  # noqa: S307
        else:
            exec(compile(source, f"{name}, cell {number}", "exec"), scope)  # noqa: S102
    figures = len(pyplot.get_fignums())
    pyplot.close("all")
    return scope, shown, figures


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in PINNED])
def test_a_notebook_runs_and_its_number_holds(name, tmp_path, monkeypatch, capsys):
    scope, shown, figures = run(name, tmp_path, monkeypatch)
    assert PINNED[name](scope), capsys.readouterr().out
    assert figures + len(shown) >= 2
    assert all("<iframe srcdoc=" in value._repr_html_() for value in shown)


@pytest.mark.parametrize("name", PINNED)
def test_a_notebook_is_saved_without_outputs_and_says_what_it_is(name):
    assert all(not cell.get("outputs") for cell in cells(name))
    assert "".join(cells(name)[0]["source"]).startswith("# ")
