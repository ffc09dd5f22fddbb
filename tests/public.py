"""Model files that tests read beside the shipped ones: gymnasium's, a test dependency, and two URDFs of our own (tests/data).

Where DOJO_SHARED, or a folder `shared` beside the repository, holds further robots, the same tests read these, too; where it does
not, they are not asked for, and nothing is skipped.
"""

import importlib.util
import os
from pathlib import Path

import mujoco

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("DOJO_SHARED", REPOSITORY.parent / "shared")) / "data" / "models"
GYMNASIUM = Path(importlib.util.find_spec("gymnasium").origin).parent / "envs" / "mujoco" / "assets"
OLD = ("pusher.xml", "walker2d.xml")
"""Of these gymnasium has a newer version, too."""

TIE = "gymnasium/point.xml"
"""A sphere that touches the floor to the last bit, 0 here and -6e-17 in the wheel, where friction acts: no motion to compare."""


def _readable(path):
    """Whether this version of the wheel reads a file."""
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return False
    return True


GYMNASIUM_MJCF = {f"gymnasium/{f.name}": f for f in sorted(GYMNASIUM.glob("*.xml")) if f.name not in OLD and _readable(f)}
"""Name -> file."""
SHARED_MJCF = {f"{f.parent.name}/{f.name}": f for f in sorted(SHARED.glob("*/*.xml"))}
OWN_URDF = {file.name: file for file in sorted((REPOSITORY / "tests" / "data").glob("*.urdf"))}
SHARED_URDF = {f"dojo_urdf/{file.name}": file for file in sorted((SHARED / "dojo_urdf").glob("*.urdf"))}
MJCF, URDF = GYMNASIUM_MJCF | SHARED_MJCF, OWN_URDF | SHARED_URDF
