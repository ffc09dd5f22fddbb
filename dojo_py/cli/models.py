"""`dojo_py models`: the shipped models and scenes and what they hold."""

from __future__ import annotations

import argparse
from typing import Any

from dojo_py.reproduce.text import format_table

COLUMNS = ("model", "bodies", "joints", "dofs", "contacts", "inputs", "mass [kg]", "keyframes")


def add(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "models", help="list the shipped models", description="List the shipped models and scenes and what they hold."
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    from dojo_py import load_model, models

    rows = []
    for name in (*models.names(), *models.scenes()):
        model = load_model(name)
        keys = " ".join(model.key_names)
        bodies = model.nbody - 1  # without the world
        mass = float(model.body_mass.sum())
        rows.append((name, bodies, model.njnt, model.nv, count_contacts(model), model.nu, mass, keys))
    print(format_table(COLUMNS, rows))
    return 0


def count_contacts(model: Any) -> int:
    """What may touch something: points against planes, and pairs of geoms of two bodies, in the hard mode."""
    import numpy as np

    from dojo_py.collision.candidates import build_candidates
    from dojo_py.hard.elements.layout import map_bodies

    where = map_bodies(model)
    com, turning = np.zeros((len(where.body), 3)), np.ones(len(where.body))
    planes, pairs = build_candidates(model, where, com, turning, model.opt.timestep, skip_unsupported=True)
    return len(planes.body) + len(pairs.geom)
