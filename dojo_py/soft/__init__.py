"""MuJoCo's soft-contact dynamics in joint coordinates, on the same Model as the hard mode.

One step: position_stage (kinematics, inertia, transmissions, contacts, constraint rows), velocity_stage (velocities, passive
forces, reference accelerations, bias), acceleration_stage (actuators, constraint solver), then
an integrator; see forward.py and step.py.

Reference: the mujoco wheel 4.0. Where it differs from the chapters in circulation, the wheel is followed:
margins and gaps of two geoms are summed, contact acts below `margin` and is listed below `margin + gap`; connect and weld subtract
dJ/dt qvel from the reference acceleration; stiffness and damping are polynomials; RK4 corrects orientations (Munthe-Kaas);
implicitfast keeps the gyroscopic derivatives of standalone free bodies; parallel capsules make two contacts.
Which shapes meet, what was measured, what is refused: docs/soft_contact.md.
Where we differ on purpose: PGS leaves the tip of an elliptic cone along its edge, where the wheel's may stop short of the minimum.
Refused by name when a simulator is built (support.py): pairs of shapes without a contact function, deformable bodies, plugins,
springs that yield, the flags `sleep`, `invdiscrete`, `diagexact`, `ipc` and `speculative`, delayed controls with RK4, cameras.
"""

from dojo_py.soft.options import SoftOptions
from dojo_py.soft.simulator import SoftSimulator

__all__ = ["SoftOptions", "SoftSimulator"]
