"""Candidate geom pairs and their mixed contact parameters, found once per model.

Rules (modeling chapter, "Contact parameters"; computation chapter, "Selection"): bodies welded together count as one, a parent and
its child do not collide unless the parent is the world, contype/conaffinity bits must match, excluded body pairs are dropped,
explicit pairs bypass these filters. Order: by body pair, explicit pairs first, then by the two geoms, smaller type first. Margins
and gaps are summed (MuJoCo 3.5); a contact is active below `margin`, detected below `margin + gap` (3.9).
"""

from typing import Any

import numpy as np

F, I = np.float64, np.int32

PAIR = np.dtype(
    [
        ("geom1", I), ("geom2", I), ("type", I),  # type: 10 * smaller geom type + larger geom type
        ("dim", I), ("margin", F), ("gap", F), ("friction", F, 5), ("solref", F, 2), ("solreffriction", F, 2), ("solimp", F, 5),
    ],
    align=True,
)  # fmt: skip

DISABLE_CONTACT, DISABLE_FILTERPARENT = 1 << 4, 1 << 10
ENABLE_OVERRIDE = 1
MIN_FRICTION = 1e-5
PLANE = 0


def _mix(model: Any, g1: int, g2: int, record: Any) -> None:
    """Contact parameters of two geoms: priority first, then maximum (friction, condim) and solmix average (solref, solimp)."""
    p1, p2 = int(model.geom_priority[g1]), int(model.geom_priority[g2])
    record["margin"] = model.geom_margin[g1] + model.geom_margin[g2]
    record["gap"] = model.geom_gap[g1] + model.geom_gap[g2]
    if p1 != p2:
        g = g1 if p1 > p2 else g2
        record["dim"] = model.geom_condim[g]
        record["solref"], record["solimp"] = model.geom_solref[g], model.geom_solimp[g]
        f = np.asarray(model.geom_friction[g], dtype=float)
    else:
        record["dim"] = max(int(model.geom_condim[g1]), int(model.geom_condim[g2]))
        m1, m2 = float(model.geom_solmix[g1]), float(model.geom_solmix[g2])
        if m1 >= 1e-15 and m2 >= 1e-15:
            w = m1 / (m1 + m2)
        elif m1 < 1e-15 and m2 < 1e-15:
            w = 0.5
        else:
            w = float(m1 >= 1e-15)
        r1, r2 = np.asarray(model.geom_solref[g1]), np.asarray(model.geom_solref[g2])
        record["solref"] = w * r1 + (1 - w) * r2 if r1[0] > 0 and r2[0] > 0 else np.minimum(r1, r2)
        record["solimp"] = w * np.asarray(model.geom_solimp[g1]) + (1 - w) * np.asarray(model.geom_solimp[g2])
        f = np.maximum(model.geom_friction[g1], model.geom_friction[g2])
    record["friction"] = f[[0, 0, 1, 2, 2]]


def _ordered(model: Any, g1: int, g2: int) -> tuple[int, int]:
    """The pair with the smaller geom type first; equal types keep their order."""
    return (g2, g1) if model.geom_type[g1] > model.geom_type[g2] else (g1, g2)


def _bodies_can_collide(model: Any, b1: int, b2: int, filter_parent: bool, excluded: set[int]) -> bool:
    w1, w2 = int(model.body_weldid[b1]), int(model.body_weldid[b2])
    if w1 == w2 or (b1 << 16) + b2 in excluded:
        return False
    if not filter_parent or not w1 or not w2:
        return True
    parent1 = int(model.body_weldid[model.body_parentid[w1]])
    parent2 = int(model.body_weldid[model.body_parentid[w2]])
    return w1 != parent2 and w2 != parent1


def candidate_pairs(model: Any) -> np.ndarray:
    """PAIR records of every two geoms that may ever touch, in MuJoCo's order of contacts."""
    opt = model.opt
    if int(opt.disableflags) & (DISABLE_CONTACT | 1):
        return np.zeros(0, PAIR)
    filter_parent = not int(opt.disableflags) & DISABLE_FILTERPARENT
    excluded = {int(s) for s in getattr(model, "exclude_signature", ())}
    explicit: dict[tuple[int, int], list[int]] = {}
    taken = set()
    for k in range(int(getattr(model, "npair", 0))):
        g1, g2 = int(model.pair_geom1[k]), int(model.pair_geom2[k])
        b1, b2 = sorted((int(model.geom_bodyid[g1]), int(model.geom_bodyid[g2])))
        explicit.setdefault((b1, b2), []).append(k)
        taken.add(frozenset((g1, g2)))
    geoms_of: list[list[int]] = [[] for _ in range(model.nbody)]
    for g in range(model.ngeom):
        if model.geom_contype[g] or model.geom_conaffinity[g]:
            geoms_of[int(model.geom_bodyid[g])].append(g)
    records = []
    for b1 in range(model.nbody):
        for b2 in range(b1, model.nbody):
            for k in explicit.get((b1, b2), ()):
                record = np.zeros((), PAIR)
                record["geom1"], record["geom2"] = _ordered(model, int(model.pair_geom1[k]), int(model.pair_geom2[k]))
                record["dim"], record["margin"], record["gap"] = model.pair_dim[k], model.pair_margin[k], model.pair_gap[k]
                record["friction"], record["solref"] = model.pair_friction[k], model.pair_solref[k]
                record["solreffriction"], record["solimp"] = model.pair_solreffriction[k], model.pair_solimp[k]
                records.append(record)
            if b1 == b2 or not _bodies_can_collide(model, b1, b2, filter_parent, excluded):
                continue
            found = []
            for g1 in geoms_of[b1]:
                for g2 in geoms_of[b2]:
                    matches = (int(model.geom_contype[g1]) & int(model.geom_conaffinity[g2])) or (
                        int(model.geom_contype[g2]) & int(model.geom_conaffinity[g1])
                    )
                    both_planes = model.geom_type[g1] == PLANE and model.geom_type[g2] == PLANE
                    if not matches or both_planes or frozenset((g1, g2)) in taken:
                        continue
                    record = np.zeros((), PAIR)
                    record["geom1"], record["geom2"] = _ordered(model, g1, g2)
                    _mix(model, g1, g2, record)
                    found.append(record)
            records += sorted(found, key=lambda r: (int(r["geom1"]), int(r["geom2"])))
    pairs = np.array(records, dtype=PAIR) if records else np.zeros(0, PAIR)
    kinds = np.asarray(model.geom_type, dtype=I)
    pairs["type"] = 10 * kinds[pairs["geom1"]] + kinds[pairs["geom2"]] if len(pairs) else 0
    if int(opt.enableflags) & ENABLE_OVERRIDE:
        pairs["margin"], pairs["solref"], pairs["solimp"] = opt.o_margin, opt.o_solref, opt.o_solimp
        pairs["friction"] = opt.o_friction
    pairs["friction"] = np.maximum(pairs["friction"], MIN_FRICTION)
    return pairs
