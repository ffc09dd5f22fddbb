"""Candidate geom pairs and their mixed contact parameters, found once per model.

Rules: modeling chapter, "Contact parameters"; which pairs: collision/pair_filter.py. Order: by body pair, explicit pairs first,
then by the two geoms, smaller type first (without the mid phase: smaller number first). Margins and gaps are summed (MuJoCo 3.5),
adhesion, too; a contact is active below `margin`, detected below `margin + gap` (3.9).
"""

from typing import Any

import numpy as np

from dojo_py.collision.pair_filter import filtered_pairs
from dojo_py.mechanism.enums import DisableBit, EnableBit, GeomType

F, I = np.float64, np.int32

PAIR = np.dtype(
    [
        ("geom1", I), ("geom2", I), ("type", I),  # type: 10 * smaller geom type + larger geom type
        ("dim", I), ("margin", F), ("gap", F), ("adhesion", F), ("friction", F, 5),
        ("solref", F, 2), ("solreffriction", F, 2), ("solimp", F, 5),
    ],
    align=True,
)  # fmt: skip

DISABLE_CONSTRAINT, DISABLE_CONTACT, DISABLE_MIDPHASE = (
    int(bit) for bit in (DisableBit.CONSTRAINT, DisableBit.CONTACT, DisableBit.MIDPHASE)
)
ENABLE_OVERRIDE = int(EnableBit.OVERRIDE)
MIN_FRICTION = 1e-5
PLANE, HFIELD = int(GeomType.PLANE), int(GeomType.HFIELD)
MIN_WEIGHT = 1e-15
"""Below which a solmix counts as zero."""
FRICTION = [0, 0, 1, 2, 2]
"""Sliding, torsional, rolling: the directions that share a coefficient."""


def _weights(m1: np.ndarray, m2: np.ndarray) -> np.ndarray:
    """Share of the first geom's solref and solimp from the two solmix; a negligible one leaves all to the other."""
    small1, small2 = m1 < MIN_WEIGHT, m2 < MIN_WEIGHT
    shares = m1 / np.where(small1 & small2, 1.0, m1 + m2)
    return np.where(small1 & small2, 0.5, np.where(small1, 0.0, np.where(small2, 1.0, shares)))


def _mix(model: Any, pairs: np.ndarray) -> None:
    """Contact parameters of two geoms: priority first, then maximum (friction, condim) and solmix average (solref, solimp)."""

    def both(name: str) -> tuple[np.ndarray, np.ndarray]:
        values = np.asarray(getattr(model, name))
        return values[pairs["geom1"]], values[pairs["geom2"]]

    def column(mask: np.ndarray) -> np.ndarray:
        return mask[:, None]

    p1, p2 = both("geom_priority")
    first, second = p1 > p2, p2 > p1
    w = column(_weights(*both("geom_solmix")))
    r1, r2 = both("geom_solref")
    i1, i2 = both("geom_solimp")
    f1, f2 = both("geom_friction")
    d1, d2 = both("geom_condim")
    standard = column((r1[:, 0] > 0) & (r2[:, 0] > 0))
    mixed = {
        "dim": (d1, d2, np.maximum(d1, d2)),
        "solref": (r1, r2, np.where(standard, w * r1 + (1 - w) * r2, np.minimum(r1, r2))),
        "solimp": (i1, i2, w * i1 + (1 - w) * i2),
        "friction": (f1[:, FRICTION], f2[:, FRICTION], np.maximum(f1, f2)[:, FRICTION]),
    }
    for name, (one, two, blend) in mixed.items():
        a, b = (first, second) if one.ndim == 1 else (column(first), column(second))
        pairs[name] = np.where(a, one, np.where(b, two, blend))
    for name in ("margin", "gap"):
        one, two = both(f"geom_{name}")
        pairs[name] = one + two
    a1, a2 = both("geom_adhesion")
    pairs["adhesion"] = np.where(first, a1, np.where(second, a2, a1 + a2))


def _explicit(model: Any) -> np.ndarray:
    """PAIR records of the model's own pair elements."""
    pairs = np.zeros(int(getattr(model, "npair", 0)), PAIR)
    if len(pairs):
        pairs["geom1"], pairs["geom2"] = model.pair_geom1, model.pair_geom2
        for name in ("dim", "margin", "gap", "adhesion", "friction", "solref", "solreffriction", "solimp"):
            pairs[name] = np.asarray(getattr(model, f"pair_{name}")).reshape(pairs[name].shape)
    return pairs


def candidate_pairs(model: Any) -> np.ndarray:
    """PAIR records of every two geoms that may ever touch, in MuJoCo's order of contacts."""
    opt = model.opt
    if int(opt.disableflags) & (DISABLE_CONTACT | DISABLE_CONSTRAINT):
        return np.zeros(0, PAIR)
    explicit = _explicit(model)
    body, kinds = np.asarray(model.geom_bodyid), np.asarray(model.geom_type, dtype=I)
    filtered = filtered_pairs(model)
    filtered = filtered[(kinds[filtered] > HFIELD).any(axis=1)]  # planes and height fields do not touch one another
    mixed = np.zeros(len(filtered), PAIR)
    mixed["geom1"], mixed["geom2"] = filtered.T
    pairs = np.concatenate([explicit, mixed])
    swap = kinds[pairs["geom1"]] > kinds[pairs["geom2"]]  # the smaller type first
    pairs["geom1"], pairs["geom2"] = (
        np.where(swap, pairs["geom2"], pairs["geom1"]),
        np.where(swap, pairs["geom1"], pairs["geom2"]),
    )
    _mix(model, pairs[len(explicit) :])
    # by body pair, explicit ones first in their own order, then by the geoms
    b1, b2 = body[pairs["geom1"]], body[pairs["geom2"]]
    own = np.arange(len(pairs)) >= len(explicit)
    first, second = pairs["geom1"], pairs["geom2"]
    if int(opt.disableflags) & DISABLE_MIDPHASE:  # not sorted afterwards
        first, second = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((second * own, first * own, own, np.maximum(b1, b2), np.minimum(b1, b2)))
    pairs = pairs[order]
    pairs["type"] = 10 * kinds[pairs["geom1"]] + kinds[pairs["geom2"]]
    if int(opt.enableflags) & ENABLE_OVERRIDE:
        pairs["margin"], pairs["solref"], pairs["solimp"] = opt.o_margin, opt.o_solref, opt.o_solimp
        pairs["friction"], pairs["solreffriction"] = opt.o_friction, 0.0  # (0: that of the normal)
    pairs["friction"] = np.maximum(pairs["friction"], MIN_FRICTION)
    return pairs
