"""Files around the code say the same: versions, what CI runs, extras, links."""

import re
import tomllib
from pathlib import Path

import pytest

from dojo_py import __version__

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_one():
    assert re.search(r"^version: (\S+)$", text("CITATION.cff"), re.M)[1] == PROJECT["version"] == __version__


def test_yaml_files_are_yaml():
    yaml = pytest.importorskip("yaml")
    files = ["CITATION.cff", ".pre-commit-config.yaml", ".github/workflows/ci.yml"]
    files += [str(file.relative_to(ROOT)) for file in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")]
    assert len(files) >= 6
    for file in files:
        assert isinstance(yaml.safe_load(text(file)), dict), file
    assert {"title", "authors", "cff-version", "preferred-citation"} <= set(yaml.safe_load(text("CITATION.cff")))
    jobs = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    systems = {*matrix["os"], *(row["os"] for row in matrix["include"])}
    assert systems == {"ubuntu-latest", "macos-latest", "windows-latest"}
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert oldest in matrix["python"]
    numba = next(line for line in PROJECT["dependencies"] if line.startswith("numba"))
    assert re.search(r">=([\d.]+)", numba)[1] + ".*" in {row["numba"] for row in matrix["include"]}


def test_pre_commit_runs_what_ci_runs():
    hooks = set(re.findall(r"entry: (.*)$", text(".pre-commit-config.yaml"), re.M))
    assert {"ruff check", "ruff format", "mypy"} <= hooks and "pre-commit run --all-files" in text(".github/workflows/ci.yml")
    assert {"ruff check .", "ruff format --check .", "mypy"} <= set(text(".ci/run").splitlines())


def test_no_test_waits_for_data_that_is_not_here():
    """Reference data widens lists of files (tests/public.py); the one test that is about it says what stands for it."""
    asking = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("*.py") if file.name != "public.py"}
    asking = {name: text for name, text in asking.items() if re.search(r"skip.*(DOJO_SHARED|SHARED_|reference data)", text)}
    assert set(asking) - {Path(__file__).name} == {"test_urdf.py"}
    assert "no DOJO_SHARED; own files, and mistakes by their names, are tested beside this" in asking["test_urdf.py"]
    assert not re.search(r"def \w+\((.*, )?shared[,)]", "".join(asking.values()))


def test_the_extra_all_names_extras_that_exist():
    extras = PROJECT["optional-dependencies"]
    named = re.search(r"\[(.*)\]", extras["all"][0])[1].split(",")
    assert set(named) <= set(extras) and {"view", "plot", "jax", "envs", "mujoco"} <= set(named)


def test_links_and_paths_of_contributing_exist():
    page = text("CONTRIBUTING.md")
    paths = re.findall(r"`((?:dojo_py|docs|environments|tests|mkdocs)[\w/.]*[/.]\w*)`", page)
    for target in re.findall(r"\]\(([^)#]+)\)", page) + paths:
        assert (ROOT / target).exists(), target


def test_the_readme_opens_with_a_small_moving_picture_and_two_commands():
    page = text("README.md")
    picture = ROOT / re.search(r"!\[.*\]\((\S+\.gif)\)", page)[1]
    assert picture.read_bytes()[:6] == b"GIF89a" and picture.stat().st_size < 1e6  # measured: 0.75 MB
    assert page.index(picture.name) < page.index("dojo_py simulate") < page.index("dojo_py replay") < 1400
