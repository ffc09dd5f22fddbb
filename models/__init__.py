"""The model files shipped with dojo_py (MJCF): robots, classical systems, scenes of bodies that touch; chains of any length."""

from importlib.resources import as_file, files
from numbers import Integral
from pathlib import Path
from typing import Any

__all__ = ["names", "npendulum_xml", "path", "scenes"]


LARGEST = 1e10
"""Largest number that a model file may hold."""


def names() -> tuple[str, ...]:
    """Names of the shipped robots and systems, sorted."""
    return _files(files(__name__))


def scenes() -> tuple[str, ...]:
    """Names of the shipped scenes, sorted: towers, dominoes, a gripper; bodies that touch each other."""
    return _files(files(__name__) / "scenes")


def _files(folder: Any) -> tuple[str, ...]:
    return tuple(sorted(entry.name[:-4] for entry in folder.iterdir() if entry.name.endswith(".xml")))


def path(name: str) -> Path:
    """Path of the model or scene called `name` (with or without `.xml`); ValueError names the nearest if there is none."""
    known = names() + scenes()
    if not isinstance(name, str):
        raise TypeError(f"name={name!r} is a {type(name).__name__}, expected one of {', '.join(known)}")
    stem = name.removesuffix(".xml")
    if stem not in known:
        raise ValueError(f"no shipped model is called {name!r}{_nearest(stem, known)}; there are {', '.join(known)}")
    folder = files(__name__) if stem in names() else files(__name__) / "scenes"
    with as_file(folder / f"{stem}.xml") as file:
        return Path(file)


def _nearest(name: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(name, known, n=1)
    return f", did you mean {found[0]!r}?" if found else ""


def npendulum_xml(
    links: int = 5,
    length: float = 1.0,
    mass: float = 1.0,
    width: float = 0.1,
    torque: float = 5.0,
    timestep: float = 0.01,
) -> str:
    """MJCF text of a chain of `links` equal rods hanging from a fixed pivot by hinges about y, without damping.

    A rod is a uniform box of `width` x `width` x `length` [m] and `mass` [kg]; the pivot is one rod's length above the
    origin plus the chain's length, so nothing reaches below z = `length`. All angles are 0 when the chain hangs
    straight. A motor in each hinge takes -`torque` ... `torque` [N m]; `torque` 0 leaves the motors out.
    Keyframes: `home` (hanging), `horizontal` (stretched out along -x).
    """
    if isinstance(links, bool) or not isinstance(links, Integral):
        raise TypeError(f"npendulum_xml: links={links!r} must be an integer, at least 1")
    sizes = {"length": length, "mass": mass, "width": width, "torque": torque, "timestep": timestep}
    for name, value in sizes.items():
        try:
            fits = not isinstance(value, (str, bytes, bool)) and 0.0 <= float(value) <= LARGEST
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise ValueError(f"npendulum_xml: {name}={value!r} must be a number from 0 to {LARGEST:g}")
    length, mass, width, torque, timestep = (float(value) for value in sizes.values())
    if links < 1 or min(length, mass, width, timestep) <= 0.0 or torque < 0.0:
        raise ValueError("npendulum_xml: links >= 1, length, mass, width, timestep > 0, torque >= 0")
    across, along = mass * (width**2 + length**2) / 12.0, mass * width**2 / 6.0
    opening: list[str] = []
    closing: list[str] = []
    for i in range(1, links + 1):
        pad = "  " * (i + 1)
        z = (links + 1) * length if i == 1 else -length
        shade = 0.25 + 0.5 * (i % 2)
        opening += [
            f'{pad}<body name="link{i}" pos="0 0 {z:.15g}">',
            f'{pad}  <joint name="hinge{i}" type="hinge" axis="0 1 0"/>',
            f'{pad}  <inertial pos="0 0 {-length / 2:.15g}" mass="{mass:.15g}"',
            f'{pad}            diaginertia="{across:.15g} {across:.15g} {along:.15g}"/>',
            f'{pad}  <geom name="link{i}" type="box" pos="0 0 {-length / 2:.15g}"'
            f' size="{width / 2:.15g} {width / 2:.15g} {length / 2:.15g}" rgba="0.2 {shade:g} 0.8 1"/>',
        ]
        closing.insert(0, f"{pad}</body>")
    motors = [f'    <motor name="hinge{i}" joint="hinge{i}"/>' for i in range(1, links + 1)]
    motors = ["  <actuator>", *motors, "  </actuator>"] if torque else []
    zeros = " 0" * (links - 1)
    lines = [
        "<!--",
        f"  A chain of {links} rods on hinges, no damping; written by dojo_py.models.npendulum_xml.",
        f"  Figures: uniform rods of {width:g} x {width:g} x {length:g} m and {mass:g} kg (the link of Dojo's pendulum",
        "  examples), inertia m (a^2 + b^2) / 12. The hinge axes are y; all angles are 0 when it hangs straight.",
        "-->",
        '<mujoco model="npendulum">',
        '  <compiler angle="radian" autolimits="true"/>',
        f'  <option timestep="{timestep:.15g}"/>',
        "  <default>",
        '    <geom contype="0" conaffinity="0" mass="0"/>',
        *([f'    <motor ctrlrange="{-torque:.15g} {torque:.15g}"/>'] if torque else []),
        "  </default>",
        "  <worldbody>",
        *opening,
        *closing,
        "  </worldbody>",
        *motors,
        "  <keyframe>",
        f'    <key name="home" qpos="0{zeros}"/>',
        f'    <key name="horizontal" qpos="1.5707963267948966{zeros}"/>',
        "  </keyframe>",
        "</mujoco>",
    ]
    return "\n".join(lines) + "\n"
