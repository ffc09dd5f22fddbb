"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def shared_folder() -> Path:
    """Folder of the shared reference data (real models, cube tosses): DOJO_SHARED, or shared beside the repository."""
    return Path(os.environ.get("DOJO_SHARED", REPOSITORY.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared data; missing data fails in CI and skips elsewhere."""
    folder = shared_folder()
    if not (folder / "data").is_dir():
        message = f"no reference data in {folder}: set DOJO_SHARED"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder
