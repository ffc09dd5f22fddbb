"""The experiments run the whole engine for minutes: they are deselected by default, like the sweeps (`pytest -m slow`)."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)
