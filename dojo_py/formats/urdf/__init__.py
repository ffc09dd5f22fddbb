"""URDF: links connected by joints, read as MuJoCo's own URDF compiler reads them.

    root link          merged into the world, as is every link fixed to it (`fusestatic`, unless the extension says no)
    link               Body; its frame is that of the joint above it
    inertial           centre of mass `origin`, full inertia in the axes of `origin`
    collision          geoms: box, cylinder, sphere, capsule, mesh; visuals are discarded (`discardvisual`)
    joint              hinge, slide, free, ball or several of them (`joints.py`)
    limit effort       bound on the total actuator force of the joint; a URDF has no actuators
    mimic, loop_joint  equality constraints (`loops.py`)
    mujoco             extension: `compiler`, `option`, `size` as in MJCF (`extension.py`)

Sources: the URDF specification (wiki.ros.org/urdf/XML) and the behaviour of the MuJoCo 4.0 wheel.
"""

from __future__ import annotations

from pathlib import Path

from ...mechanism.errors import Problems
from ...mechanism.fuse import fuse_static
from ...mechanism.spec import Mechanism
from ..lost_shapes import LostShapes
from ..mesh_files import MeshFiles
from ..xml_tree import Node
from .element import Element
from .extension import read_extension
from .joints import add_joints
from .links import read_links
from .loops import add_loop_joints, add_mimics
from .meshes import UrdfMeshes
from .tree import assemble
from .xacro import refuse_xacro

__all__ = ["read_urdf"]

IGNORED = ("material", "gazebo", "transmission", "sensor", "ros2_control")
"""Children of `robot` that say nothing about the mechanics of the model."""
NOTED = {"sensor": "is not simulated: it gives no output", "transmission": "is not read: a URDF has no actuators"}
NOTED |= {"ros2_control": "is not read: a URDF has no actuators", "gazebo": "settings of another simulator are not read"}
"""Those of them that a user may miss."""


def read_urdf(root: Node, problems: Problems, folder: Path | None = None) -> Mechanism:
    """The mechanism that the `robot` element describes; `folder`: that of its file.

    Problems are collected; the result is complete without them. A file that is still xacro is refused at once.
    """
    refuse_xacro(root, problems)
    robot = Element(root, problems)
    robot.accept(("name", "version"), ("link", "joint", "loop_joint", "mujoco"), IGNORED)
    for child in root.children:
        if child.tag in NOTED:
            problems.note(child.where, NOTED[child.tag], name=child.attributes.get("name", ""))
    mechanism = Mechanism(name=robot.text("name", required=False) or "robot", where=root.where)
    switches = read_extension(robot, mechanism)
    lost = LostShapes(mechanism.settings, problems)
    meshes = UrdfMeshes(MeshFiles(folder), switches)
    bodies = read_links(robot, switches, mechanism.world, lost, meshes)
    mechanism.meshes = meshes.found
    tree = assemble(robot, mechanism, bodies)
    joints = add_joints(tree, mechanism.world)
    add_mimics(tree, joints, mechanism)
    add_loop_joints(robot, bodies, mechanism)
    lost.report(mechanism.world)
    if switches.fusestatic and not problems.records:
        fuse_static(mechanism, problems)
    return mechanism
