"""The documentation site: strict build, no network, every page in the navigation, every public name in the reference."""

import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PACKAGES = (
    "dojo_py", "dojo_py.environments", "dojo_py.formats", "dojo_py.identification", "dojo_py.jax", "dojo_py.models",
    "dojo_py.planning", "dojo_py.policy", "dojo_py.view",
)  # fmt: skip


QUIET = os.environ | {"NO_MKDOCS_2_WARNING": "1", "DOJO_GALLERY": "no"}
"""The theme advertises its successor otherwise; the replays of the gallery have a test of their own."""


SHAPE_OR_UNIT = re.compile(
    r"\([^()]*\b(n|nv|nu|nq|na|T|B|K|3|4|6|7|10|nbody|2nv|no|p|size|seeds|out|rows)\b[^()]*\)"
    r"|\[[^\]]*\b(m|s|N|J|kg|rad|mm|cost)\b[^\]]*\]"
)


def public_names():
    """(package, name, object) of every public class and function."""
    for package in PACKAGES:
        if package == "dojo_py.jax":
            pytest.importorskip("jax")
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing):
                yield package, name, thing


def members(thing):
    """(name, function) of the public methods and properties that a class defines."""
    for name, value in vars(thing).items():
        if not name.startswith("_"):
            value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if inspect.isfunction(value):
                yield name, value


def test_every_public_name_is_in_the_reference():
    written = set(re.findall(r"^::: (\S+)$", "".join(page.read_text() for page in (DOCS / "reference").glob("*.md")), re.M))
    for package, name, thing in public_names():
        home = re.sub(r"^dojo_py\.(environments|models)\b", r"\1", thing.__module__)
        assert f"{home}.{name}" in written, f"{package}.{name}: add a line '::: {home}.{name}' to a page of docs/reference"


def test_public_names_have_docstrings_with_shapes_and_units():
    """All have a docstring; of those that take or return arrays at least 95 % name a shape or a unit (measured: see the output)."""
    silent, shapeless, with_arrays = [], [], 0
    for package, name, thing in public_names():
        for path, function in [(f"{package}.{name}", thing), *((f"{package}.{name}.{n}", f) for n, f in
                                                              (members(thing) if inspect.isclass(thing) else ()))]:  # fmt: skip
            text = inspect.getdoc(function) or ""
            if not text:
                silent.append(path)
            if inspect.isclass(function):
                text += "".join(re.findall(r'"""(.*?)"""', inspect.getsource(function), re.S))
            noted = str(getattr(function, "__annotations__", {}))
            if "Array" in noted or "ndarray" in noted:
                with_arrays += 1
                if not SHAPE_OR_UNIT.search(text):
                    shapeless.append(path)
    print(f"{with_arrays} with arrays, without shape or unit: {shapeless}")
    assert not silent
    assert len(shapeless) <= 0.05 * with_arrays, shapeless


def navigation():
    """Pages that mkdocs.yml lists."""
    return re.findall(r"([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)


def test_every_page_is_in_the_navigation():
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert pages == set(navigation()), "add the page to the nav of mkdocs.yml"


def test_pages_of_figures_hold_experiments_with_machine_and_date():
    """docs/accuracy.md and docs/speed.md are what `dojo_py reproduce all` writes; copied at releases: new ones may lack."""
    from dojo_py.reproduce import EXPERIMENTS
    from dojo_py.reproduce.markdown import SPEED

    for name, known, least in (("accuracy", set(EXPERIMENTS) - set(SPEED), 12), ("speed", set(SPEED), 2)):
        text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        assert re.search(r"^Written by `dojo_py reproduce all.*`: dojo_py \S+, .*\d{4}-\d\d-\d\d.*, \d+ × ", text, re.M), name
        found = set(re.findall(r"^## (\w+): ", text, re.M))
        assert found <= known and len(found) >= least and "Did not run" not in text


def test_every_notebook_is_on_its_page():
    listed = re.findall(r"^\| `(\w+)` \|", (DOCS / "notebooks.md").read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted(file.stem for file in (ROOT / "notebooks").glob("*.ipynb"))


def test_commands_that_pages_name_exist():
    from dojo_py.cli import build_parser

    known = build_parser().format_help()
    for page in DOCS.rglob("*.md"):
        for command in re.findall(r"(?:`|bin/)dojo_py ([a-z]+)", page.read_text(encoding="utf-8"), re.M):
            assert re.search(rf"^ +{command}\b", known, re.M), (page.name, command)


def test_the_site_builds_strictly_and_asks_for_nothing_from_the_network(tmp_path):
    pytest.importorskip("mkdocs", reason="no mkdocs: pip install 'dojo-sim[docs]'")
    pytest.importorskip("mkdocstrings", reason="no mkdocstrings: pip install 'dojo-sim[docs]'")
    call = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(call, capture_output=True, text=True, cwd=ROOT, env=QUIET, timeout=300)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) >= 35
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="([^"]*)"', text)
        loaded += re.findall(r'<link[^>]*rel="(?:stylesheet|preconnect|icon)"[^>]*href="([^"]*)"', text)
        assert not [address for address in loaded if address.startswith(("http:", "https:", "//"))], page
    simulators = (tmp_path / "site" / "reference" / "simulators.html").read_text(encoding="utf-8")
    assert "linearize" in simulators and "largest_kappa" in simulators
