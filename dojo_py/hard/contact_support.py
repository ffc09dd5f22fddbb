"""What contacts of a model ask for beyond hard contact with friction: reported pair by pair.

Refused, because the motion differs: unequal coefficients of a capsule on a plane, whose directions MuJoCo rotates with the capsule;
surfaces that move or stick (`surfacevel`, `adhesion`).
Notices: margins. In MuJoCo a contact with a margin holds the shapes apart by it; hard shapes touch where they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dojo_py.collision.convex_shapes import CAPSULE, PLANE
from dojo_py.collision.friction import coefficients, laws
from dojo_py.collision.pair_filter import colliding_pairs
from dojo_py.mechanism.enums import EnableBit
from dojo_py.mechanism.errors import ErrorRecord
from dojo_py.mechanism.source import MOST_NAMED, name_of, place_of

Array = np.ndarray


def contact_records(model: Any) -> list[ErrorRecord]:
    """One record for each feature of the contacts between bodies that can move."""
    may = colliding_pairs(model)
    if not len(may.geoms):
        return []
    g, k = may.geoms.T
    kinds = _kinds(model)
    alike = ((kinds[g] * (kinds.max() + 1) + kinds[k]) * 8 + may.condim) * (int(model.npair) + 1) + may.listed + 1
    _, first, group = np.unique(alike, return_index=True, return_inverse=True)
    found: dict[tuple[str, bool], Array] = {}
    for number, i in enumerate(first):
        pair = int(may.listed[i]) if may.listed[i] >= 0 else None
        for feature in _pair_features(model, int(g[i]), int(k[i]), int(may.condim[i]), pair):
            found[feature] = found.get(feature, False) | (group.reshape(-1) == number)
    first_of = sorted(found.items(), key=lambda item: int(np.argmax(item[1])))
    return [_record(model, *feature, may.geoms[rows]) for feature, rows in first_of]


def _kinds(model: Any) -> Array:
    """(ngeom,) the same number for geoms that ask for the same of a contact."""
    names = ("type", "priority", "condim", "friction", "margin", "surfacevel", "adhesion")
    columns = [np.asarray(getattr(model, f"geom_{name}"), float).reshape(model.ngeom, -1) for name in names]
    return np.unique(np.concatenate(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _pair_features(model: Any, g: int, k: int, condim: int, pair: int | None) -> Iterable[tuple[str, bool]]:
    """(message, whether it is a notice) of what one pair of geoms asks for."""
    friction = coefficients(model, np.array([[g, k]]), [-1 if pair is None else pair])
    ratio = laws(friction, [condim])[2][0]
    kinds = {int(model.geom_type[g]), int(model.geom_type[k])}
    if kinds == {PLANE, CAPSULE} and (ratio[0] != ratio[1] or ratio[3] != ratio[4]):
        yield "unequal coefficients of friction of a capsule on a plane; give equal ones", False
    if condim > 1 and (model.geom_surfacevel[g].any() or model.geom_surfacevel[k].any()):
        yield "surfacevel: surfaces that move are simulated in the soft mode only", False
    if (model.geom_adhesion[g] or model.geom_adhesion[k]) if pair is None else model.pair_adhesion[pair]:
        yield "adhesion: surfaces that stick are simulated in the soft mode only", False
    margin = model.geom_margin[g] + model.geom_margin[k] if pair is None else model.pair_margin[pair]
    if int(model.opt.enableflags) & EnableBit.OVERRIDE:
        margin = model.opt.o_margin
    if margin > 0.0:
        yield "margin: the surfaces touch at distance 0, not at the margin", True


def _record(model: Any, message: str, notice: bool, pairs: Array) -> ErrorRecord:
    shown = [" - ".join(f"'{name_of(model, 'geom', int(g))}'" for g in pair) for pair in pairs[:MOST_NAMED]]
    more = f" and {len(pairs) - MOST_NAMED} more" if len(pairs) > MOST_NAMED else ""
    text = f"{message} (here: {', '.join(shown)}{more})"
    where = place_of(model, "geom", int(pairs[0, 0]))
    return ErrorRecord(where.path, where.line, "contact", "", "", text, unsupported=not notice, notice=notice)
