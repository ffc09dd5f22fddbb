"""Explicit contact pairs and excluded body pairs: arrays `pair_*`, `exclude_signature`.

Both are sorted by signature, (smaller body id) << 16 + (larger body id), as MuJoCo keeps them for its merge with the
broad phase; equal signatures stay in document order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Check
from .compile_geoms import CONDIMS
from .errors import Problems
from .layout import Layout
from .spec import ContactPair, Mechanism

Array = np.ndarray


def pair_arrays(mechanism: Mechanism, layout: Layout, problems: Problems) -> dict[str, Array]:
    """Arrays of the contact pairs."""
    rows = [_pair_row(Check(problems, pair), layout) for pair in mechanism.pairs]
    rows.sort(key=lambda row: row["pair_signature"])
    if not rows:
        return {key: np.zeros((0, *np.shape(value))) for key, value in _EMPTY.items()}
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def exclude_arrays(mechanism: Mechanism, layout: Layout, problems: Problems) -> dict[str, Array]:
    """Signatures of the excluded body pairs."""
    signatures = []
    for exclude in mechanism.excludes:
        check = Check(problems, exclude)
        bodies = [check.reference(side, layout.body_ids, "body") for side in ("body1", "body2")]
        signatures.append(signature(*bodies))
    return {"exclude_signature": np.sort(np.array(signatures, dtype=int))}


def signature(body1: int, body2: int) -> int:
    """One integer for an unordered pair of bodies."""
    return (min(body1, body2) << 16) + max(body1, body2)


def _pair_row(check: Check, layout: Layout) -> dict[str, Any]:
    geoms = [check.reference(side, layout.geom_ids, "geom") for side in ("geom1", "geom2")]
    bodies = [layout.geom_body[g] if g >= 0 else 0 for g in geoms]
    if geoms[0] >= 0 and geoms[0] == geoms[1]:
        check.fail("geom2", "a geom cannot be paired with itself")
    if bodies[0] > bodies[1]:
        geoms.reverse()
    return {
        "pair_dim": check.integer("condim", accepted=CONDIMS),
        "pair_geom1": geoms[0],
        "pair_geom2": geoms[1],
        "pair_signature": signature(*bodies),
        "pair_solref": check.vector("solref", 2),
        "pair_solreffriction": check.vector("solreffriction", 2),
        "pair_solimp": check.vector("solimp", 5),
        "pair_margin": check.scalar("margin"),
        "pair_gap": check.scalar("gap"),
        "pair_adhesion": check.scalar("adhesion"),
        "pair_friction": check.vector("friction", 5, least=1, low=0.0, fill=(1.0, 1.0, 0.005, 0.0001, 0.0001)),
    }


_EMPTY: dict[str, Any] = {
    "pair_dim": 0,
    "pair_geom1": 0,
    "pair_geom2": 0,
    "pair_signature": 0,
    "pair_solref": np.zeros(2),
    "pair_solreffriction": np.zeros(2),
    "pair_solimp": np.zeros(5),
    "pair_margin": 0.0,
    "pair_gap": 0.0,
    "pair_adhesion": 0.0,
    "pair_friction": np.zeros(5),
}
assert set(_EMPTY) == set(_pair_row(Check(Problems(), ContactPair()), Layout()))
