"""Checkpoint files: numpy arrays and one JSON text in an .npz, without pickle."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.simulate.values import file_of, path_of
from dojo_py.whole_file import write_arrays

FORMAT = "dojo_py policy search 1"


def write_checkpoint(path: str | Path, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    """Write the file. meta: JSON-serialisable values; integers of any size are kept exactly."""
    path_of("path", path)
    if not Path(path).name:
        raise ValueError(f"path={str(path)!r} must name a file")
    text = json.dumps({"format": FORMAT, **meta}, sort_keys=True)
    write_arrays(path, {"meta": np.array(text), **arrays})


def read_checkpoint(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and meta; ValueError if the file is not a checkpoint of this format."""
    file_of("path", path)
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        meta = json.loads(str(arrays.pop("meta")))
    except (ValueError, TypeError, KeyError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: not a checkpoint ({error})") from error
    if not isinstance(meta, dict) or meta.pop("format", None) != FORMAT:
        raise ValueError(f"{path}: not a checkpoint of this version ({FORMAT!r})")
    return arrays, meta
