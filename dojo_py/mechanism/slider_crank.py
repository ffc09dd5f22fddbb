"""Slider-crank: a rod of length r from the pin of a crank to a slider on an axis, plain functions for Python and for kernels.

With v from the slider site to the pin and the unit axis a of the slider site (its z axis), the slider stands at the length

    l = a·v - s,   s = sqrt((a·v)² + r² - v·v)

on the axis. Where the rod is too short (no root) the wheel, and we, take l = a·v. The force along l acts with f = ∂l/∂v on the pin
and -f on the slider's body, at its site, and with the torque a × ∂l/∂a on that body:

    ∂l/∂v = (1 - a·v/s) a + v/s,   ∂l/∂a = (1 - a·v/s) v        without a root: a and v
"""

import math

from .wrapping import cross3


def slider_crank(vx, vy, vz, ax, ay, az, rod):
    """(length [m], force (3,) on the pin, torque (3,) on the slider's body) of a unit force along the length."""
    along = ax * vx + ay * vy + az * vz
    root = along * along + rod * rod - (vx * vx + vy * vy + vz * vz)
    if root <= 0.0:
        return along, (ax, ay, az), cross3((ax, ay, az), (vx, vy, vz))
    s = math.sqrt(root)
    c = 1.0 - along / s
    force = (c * ax + vx / s, c * ay + vy / s, c * az + vz / s)
    return along - s, force, cross3((ax, ay, az), (c * vx, c * vy, c * vz))
