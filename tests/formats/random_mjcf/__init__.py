"""Seeded random MJCF files that use every attribute the reader knows, for comparison with the wheel.

    tree, settings, references      sections of a first text, one function a section or element
    attributes                      what elements and default classes have in common
    tendons, extras, assets         functions that take a text and return it with more in it
    draw                            random values and the names given so far

Each part draws from a generator of its own, so that more of one kind leaves the others as they are.
"""

import numpy as np

from .assets import with_hfield, with_meshes
from .draw import Draw
from .extras import with_samples, with_surfaces, with_user_data
from .references import actuators, contact, equality, keyframes
from .settings import compiler, defaults, option
from .tendons import with_tendons
from .tree import world


def random_mjcf(seed: int) -> str:
    """One random model. Valid by construction; moving bodies have mass."""
    text = with_tendons(_first_text(Draw(seed)), np.random.default_rng([seed, 2]))
    text = with_user_data(text, np.random.default_rng([seed, 3]))
    text = with_samples(text, np.random.default_rng([seed, 4]))
    text = with_surfaces(text, np.random.default_rng([seed, 5]))
    text = with_meshes(text, np.random.default_rng([seed, 1])) if seed % 2 else text
    return with_hfield(text, np.random.default_rng([seed, 2])) if seed % 3 == 0 else text


def _first_text(draw: Draw) -> str:
    tree = world(draw)  # first: the others name what is in it
    parts = [compiler(draw), option(draw), defaults(draw), tree, contact(draw), equality(draw), actuators(draw), keyframes(draw)]
    return "<mujoco model='random'>\n" + "\n".join(parts) + "\n</mujoco>"
