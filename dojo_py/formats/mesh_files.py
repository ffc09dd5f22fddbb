"""Mesh files: where they lie, which reader takes them, and every file read once.

MJCF: `meshdir` (else `assetdir`) and the file's name, relative to the main file; `strippath` drops the folders of the name.
URDF: likewise; else relative to the file, else `package://name/...` in a folder `name` above it or in the folders above it, as
the file may be in its package; else by the name without its folders, which older MuJoCo did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from .mesh_data import MAX_FILE_BYTES, MeshData, MeshFileError
from .mesh_msh import read_msh
from .mesh_obj import read_obj
from .mesh_stl import read_stl
from .xml_tree import exists, path_of

READERS: dict[str, Callable[[bytes], MeshData]] = {".obj": read_obj, ".stl": read_stl, ".msh": read_msh}
CONTENT_TYPES = {"model/obj": ".obj", "model/stl": ".stl", "model/vnd.mujoco.msh": ".msh"}
PACKAGE = "package://"
MAX_LEVELS = 12
"""Folders above a URDF in which a package is looked for."""


class MissingMesh(Exception):
    """No such file; the text says what was looked for."""


class MeshFiles:
    """The mesh files of one model; `folder` is that of its main file, None for a model given as text."""

    def __init__(self, folder: Path | None):
        self.folder = folder
        self._read: dict[Path, MeshData] = {}

    def read(self, candidates: Iterable[str], content_type: str = "", stands_in: str = "") -> MeshData:
        """The first of the candidate paths that exists. Raises `MissingMesh`, or `ModelError` for a file that is bad."""
        path, name = self.found(candidates, "mesh", stands_in)
        return self._load(path, name, content_type)

    def found(self, candidates: Iterable[str], kind: str, stands_in: str = "") -> tuple[Path, str]:
        """The first of the candidate paths that exists, with and without the folder of the main file; or `MissingMesh`.

        stands_in: the file that names them, in whose folder they are looked for where the main file's has none.
        """
        names = list(dict.fromkeys(candidates))
        places = [(path, name) for name in names if (path := path_of(name, self.folder)) is not None]
        if not places:
            raise MissingMesh(f"{kind} file '{names[0]}' has no folder: load the model from a path")
        beside = [(Path(stands_in).parent / name, name) for name in names] if stands_in and self.folder is not None else []
        for path, name in places + beside:
            if exists(path):
                return path, name
        raise MissingMesh(f"{kind} file '{places[0][0]}' does not exist")

    def _load(self, path: Path, name: str, content_type: str) -> MeshData:
        if path not in self._read:
            try:
                self._read[path] = _reader(name, content_type)(file_bytes(path))
            except MeshFileError as error:
                raise error.in_file(str(path)) from None
        return self._read[path]


def file_bytes(path: Path) -> bytes:
    """What a file holds; `MeshFileError` for what is no file, too large, or cannot be read."""
    try:
        if not path.is_file():
            raise MeshFileError("is not a file")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise MeshFileError(f"the file has more than {MAX_FILE_BYTES} bytes")
        return path.read_bytes()
    except OSError as error:
        raise MeshFileError(f"cannot be read: {error.strerror or error}") from None


def _reader(name: str, content_type: str) -> Callable[[bytes], MeshData]:
    if content_type:
        if content_type not in CONTENT_TYPES:
            raise MeshFileError(f"content_type '{content_type}' is not one of {list(CONTENT_TYPES)}")
        return READERS[CONTENT_TYPES[content_type]]
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in READERS:
        cure = "convert it, for example by trimesh.load(...).export('x.obj')"
        raise MeshFileError(f"'{suffix}' is not one of the mesh formats {list(READERS)}; {cure}")
    return READERS[suffix]


def mjcf_candidates(name: str, meshdir: str, strippath: bool) -> list[str]:
    """Where a file of an MJCF asset may lie, relative to the main file."""
    name = name.replace("\\", "/")
    if strippath:
        name = PurePosixPath(name).name
    return [str(PurePosixPath(meshdir.replace("\\", "/")) / name)]


def urdf_candidates(name: str, meshdir: str, strippath: bool) -> list[str]:
    """Where a file of a URDF may lie, relative to the URDF's folder."""
    name = name.replace("\\", "/")
    bare = name.removeprefix(PACKAGE).removeprefix("file://")
    found = [*mjcf_candidates(bare, meshdir, strippath), bare]
    if name.startswith(PACKAGE):
        inside = str(PurePosixPath(*PurePosixPath(bare).parts[1:]))
        for level in range(MAX_LEVELS):
            found += ["../" * level + bare, "../" * level + inside]
    return [*found, *mjcf_candidates(bare, meshdir, True)]
