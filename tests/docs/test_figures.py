"""The figures of the concepts: made by docs/make_figures.py, whose numbers are those that the pages state."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BOUNDS = {  # the number of each figure, and what the page says
    "maximal_coordinates": (0.0, 2e-12),  # [m], measured 1.3e-12
    "variational_integrator": (0.05, 0.0625),  # 1/18 of the other's energy error, measured 0.0560
    "contact": (0.0, 1e-12),  # [N m s], measured 5e-15
    "central_path": (4.15, 4.25),  # [mm/N], measured 4.219
    "gradients_lie": (50.0, 1000.0),  # "a hundred times", measured 104; the last bits decide
}


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("matplotlib", reason="no matplotlib: pip install 'dojo-sim[plot]'")
    spec = importlib.util.spec_from_file_location("make_figures", DOCS / "make_figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", BOUNDS)
def test_a_figure_is_made_and_its_number_is_the_one_stated(script, name, tmp_path):
    least, most = BOUNDS[name]
    assert least <= script.make(name, tmp_path) <= most
    assert (tmp_path / f"{name}.svg").stat().st_size > 10_000


def test_every_figure_is_there_and_on_a_page(script):
    assert set(script.FIGURES) == set(BOUNDS) == {file.stem for file in (DOCS / "figures").glob("*.svg")}
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "concepts").glob("*.md"))
    assert all(f"figures/{name}.svg)" in pages and f"`{name}` of `docs/make_figures.py`" in pages for name in BOUNDS)
