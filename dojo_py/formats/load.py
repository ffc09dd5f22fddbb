"""`load_model`: a path, XML text or the name of a model that comes with the package -> `Model`."""

from __future__ import annotations

import dataclasses
import importlib.resources
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from os import PathLike
from pathlib import Path
from typing import Any

from ..mechanism.compile import compile_model
from ..mechanism.errors import ErrorRecord, ModelError, Problems, nearest
from ..mechanism.model import Model
from ..mechanism.spec import Mechanism
from .xml_tree import Node, expand_includes, parse_file, parse_text, resolved


@dataclass(frozen=True)
class Chain:
    """The files that attach one another, the innermost last, and what was read for them in this load, by path."""

    files: tuple[str, ...] = ()
    read: dict[str, Mechanism | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def then(self, path: Path) -> Chain:
        """The chain with one more file."""
        return dataclasses.replace(self, files=(*self.files, str(resolved(path))))


def load_model(source: str | bytes | PathLike, unsupported: str = "error") -> Model:
    """Read and compile a model.

    `source`: path of an MJCF or URDF file, XML text, or a bare name ("quadruped") of a model in `dojo_py.models`.
    `unsupported`: what to do with elements that change the motion and are not simulated: "error" refuses the file naming
    them all, "warn" leaves them out with a warning each, "skip" leaves them out (with what refers to them). A mesh that
    could touch something keeps its mass then, and touches nothing. A body that gets its mass from a mesh whose file is
    missing is refused under every policy: what would be left is another robot.

    What adds outputs only and leaves the motion as it is (some sensors, declared plugins, materials without a
    definition) stops no file. Under every policy it is named in `model.left_out`, with what was skipped; "warn" warns of
    it, and a file that is refused names it last. So is a mesh that only draws and whose file is missing. Textures,
    lights, cameras, visual settings, user data and custom numbers are kept in the Mechanism.
    Raises `ModelError` with every problem found.
    """
    problems = Problems(unsupported)
    mechanism = read_mechanism(source, problems)
    model = _compile(mechanism, problems)
    problems.raise_if_any()
    assert model is not None
    return model


def _compile(mechanism: Mechanism, problems: Problems) -> Model | None:
    """Compile also what was read with errors, to report everything at once; what only follows from them is left out."""
    mechanism.left_out = [*problems.left_out, *problems.notices]
    faulty = {(record.path, record.line, record.element) for record in problems.records}
    if any(record.unsupported for record in problems.records):
        return None  # the mechanism lacks parts: its masses and references would only be reported as missing
    try:
        return compile_model(mechanism)
    except ModelError as error:
        fresh = [record for record in error.errors if (record.path, record.line, record.element) not in faulty]
        problems.records += fresh or ([] if faulty else error.errors)
        return None


def load_mechanism(source: str | bytes | PathLike, unsupported: str = "error") -> Mechanism:
    """Read a model without compiling it, to change it: see `Mechanism`. Arguments and errors as for `load_model`."""
    problems = Problems(unsupported)
    mechanism = read_mechanism(source, problems)
    problems.raise_if_any()
    mechanism.left_out = [*problems.left_out, *problems.notices]
    return mechanism


def read_mechanism(source: str | bytes | PathLike, problems: Problems) -> Mechanism:
    """The mechanism a source describes, not yet compiled. Problems are collected where reading can go on."""
    root, folder = open_source(source)
    chain = Chain() if folder is None else Chain().then(folder / Path(root.where.path).name)
    return _read_root(root, folder, problems, chain)


def read_file(path: Path, problems: Problems, chain: Chain) -> Mechanism:
    """The mechanism of a file that another one attaches; chain: the files that attach it."""
    return _read_root(parse_file(path), path.parent, problems, chain.then(path), whole=False)


def _read_root(root: Node, folder: Path | None, problems: Problems, chain: Chain, whole: bool = True) -> Mechanism:
    if root.tag == "mujoco":
        from .mjcf import read_mjcf

        return read_mjcf(expand_includes(root, folder, problems), problems, folder, chain, whole)
    if root.tag == "robot":
        from .urdf import read_urdf

        return read_urdf(root, problems, folder)
    problems.add(root.where, f"the root element is one of ['mujoco', 'robot']{nearest(root.tag, ('mujoco', 'robot'))}")
    problems.raise_if_any()
    raise AssertionError


SUFFIXES = (".xml", ".mjcf", ".urdf")
"""A name that ends so is a file's."""


def open_source(source: str | bytes | PathLike) -> tuple[Node, Path | None]:
    """The XML tree of a source and the folder its includes are relative to (None for text)."""
    if not isinstance(source, (str, bytes, PathLike)):
        raise TypeError(f"source is a {type(source).__name__}, expected a path, XML text or the name of a model{_instead(source)}")
    if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
        return parse_text(source), None
    path = Path(source)
    if _is(path, Path.is_file):
        return parse_file(path, str(source)), path.parent
    name = str(source)
    available = model_names()
    if name in available:
        with importlib.resources.as_file(available[name]) as file:
            return parse_file(file, file.name), file.parent
    if _is(path, Path.is_dir):
        raise ModelError(f"'{name}' is a folder, a file is wanted")
    names = sorted(available)
    guess = nearest(name, names)
    if not guess and path.suffix:  # file names are compared without their folder, which may be long
        siblings = {file: str(path.parent / file) for file in _listing(path.parent)}
        guess = nearest(path.name, siblings, siblings)
    if path.suffix in SUFFIXES or len(path.parts) > 1:
        raise ModelError(f"'{name}': no such file{guess}")
    raise ModelError(f"'{name}' is neither a file, nor XML text, nor one of the models {names}{guess}")


def _instead(source: Any) -> str:
    """What to do with an object that is given where the place of a model is wanted."""
    if isinstance(source, Model):
        return "; a Model needs no loading"
    if isinstance(source, Mechanism):
        return "; `compile()` of a Mechanism makes a Model"
    if type(source).__name__ == "MjModel":
        return "; SoftSimulator takes a mujoco.MjModel as it is, the hard mode needs the file that it came from"
    return ""


def model_names() -> dict[str, Traversable]:
    """Names of the models that come with the package -> their files."""
    try:
        folder = importlib.resources.files("dojo_py.models")
    except ModuleNotFoundError:  # a source tree that is not installed: models/ lies beside the package
        folder = Path(__file__).resolve().parents[2] / "models"
    if not folder.is_dir():
        return {}
    folders = (folder, folder / "scenes")
    return {Path(file.name).stem: file for place in folders for file in place.iterdir() if file.name.endswith((".xml", ".urdf"))}


def _is(path: Path, kind: Callable[[Path], bool]) -> bool:
    """Whether a path is of a kind; a text that can be no path is of none."""
    try:
        return kind(path)
    except (OSError, ValueError):
        return False


def _listing(folder: Path) -> list[str]:
    try:
        return [item.name for item in folder.iterdir()]
    except (OSError, ValueError):
        return []


@dataclass(frozen=True)
class CheckReport:
    """What a file holds, what would be refused, and everything that is wrong with it."""

    mechanism: Mechanism | None
    model: Model | None
    """The model without the refused parts; None when there are errors."""
    unsupported: list[ErrorRecord] = field(default_factory=list)
    errors: list[ErrorRecord] = field(default_factory=list)
    notices: list[ErrorRecord] = field(default_factory=list)
    """What is not read and the motion does not depend on."""

    @property
    def ok(self) -> bool:
        """`load_model(source)` would succeed."""
        return not self.unsupported and not self.errors

    def contents(self) -> dict[str, int]:
        """How many of each kind of element the compiled model has."""
        if self.model is None:
            return {}
        counts = {"bodies": "nbody", "joints": "njnt", "qpos": "nq", "qvel": "nv", "controls": "nu", "geoms": "ngeom"}
        counts |= {"sites": "nsite", "equalities": "neq", "contact pairs": "npair", "excludes": "nexclude"}
        counts |= {"keyframes": "nkey", "meshes": "nmesh", "height fields": "nhfield", "tendons": "ntendon"}
        return {word: getattr(self.model, size) for word, size in counts.items()}

    def __str__(self) -> str:
        lines = [f"{word}: {count}" for word, count in self.contents().items()]
        lines += [f"not simulated: {record}" for record in self.unsupported]
        lines += [f"error: {record}" for record in self.errors]
        lines += [f"left out, the motion does not depend on it: {record}" for record in self.notices]
        return "\n".join([*lines, "ok" if self.ok else f"{len(self.errors) + len(self.unsupported)} problem(s)"])


def check(source: str | bytes | PathLike) -> CheckReport:
    """Read and compile without raising: everything the file holds, would be refused for, or has wrong, at once."""
    problems = Problems("skip", survey=True)
    mechanism: Mechanism | None = None
    model: Model | None = None
    try:
        mechanism = read_mechanism(source, problems)
    except ModelError as error:
        problems.records = [record for record in error.errors if not record.notice]
    else:
        model = _compile(mechanism, problems)
    unsupported = problems.left_out + [record for record in problems.records if record.unsupported]
    errors = [record for record in problems.records if not record.unsupported]
    return CheckReport(mechanism, None if problems.records else model, unsupported, errors, problems.notices)
