"""Newton's coefficient of restitution of pairs of geoms, from a solref with little damping (MuJoCo, Modeling, "Restitution").

A mass on the spring and damper of a contact, with damping ratio ζ, leaves it after half an oscillation with the fraction

    e = exp(-π ζ / sqrt(1 - ζ²))                       (-stiffness, -damping):  ζ = damping / (2 sqrt(stiffness))

of its speed; (-stiffness, 0) gives 1, as in that chapter. From ζ = 0.5 on (e = 0.16) a contact counts as merely soft: e = 0.
"""

import numpy as np

from dojo_py.mechanism.enums import EnableBit

BOUNCY = 0.5
"""Damping ratio below which a contact bounces."""


def solrefs(model, geoms, listed):
    """(n, 2) solref of pairs of geoms (n, 2), as MuJoCo combines them; listed (n,): number of the <pair> that names them, or -1."""
    listed = np.asarray(listed)
    if int(model.opt.enableflags) & EnableBit.OVERRIDE:
        return np.broadcast_to(np.asarray(model.opt.o_solref, float), (len(geoms), 2)).copy()
    refs, priority = np.asarray(model.geom_solref, float)[geoms], np.asarray(model.geom_priority)[geoms]
    weights = np.asarray(model.geom_solmix, float)[geoms]
    total = weights.sum(axis=1)
    share = np.where(total < 1e-15, 0.5, weights[:, 0] / np.maximum(total, 1e-15))[:, None]
    mixed = share * refs[:, 0] + (1.0 - share) * refs[:, 1]
    mixed = np.where(np.any(refs[:, :, 0] <= 0.0, axis=1)[:, None], refs.min(axis=1), mixed)
    mixed = np.where((priority[:, 0] > priority[:, 1])[:, None], refs[:, 0], mixed)
    mixed = np.where((priority[:, 1] > priority[:, 0])[:, None], refs[:, 1], mixed)
    if model.npair:
        mixed = np.where((listed >= 0)[:, None], np.asarray(model.pair_solref, float)[np.maximum(listed, 0)], mixed)
    return mixed


def damping_ratio(solref):
    """ζ of (time constant, damping ratio) or (-stiffness, -damping)."""
    first, second = float(solref[0]), float(solref[1])
    if first > 0.0:
        return second
    return -second / (2.0 * np.sqrt(-first)) if first < 0.0 else np.inf


def restitution(solref):
    """e in [0, 1] of a solref (2,)."""
    ratio = max(damping_ratio(solref), 0.0)
    return float(np.exp(-np.pi * ratio / np.sqrt(1.0 - ratio * ratio))) if ratio < BOUNCY else 0.0


def restitutions(solrefs):
    """(n,) e of solrefs (n, 2)."""
    different, which = np.unique(solrefs, axis=0, return_inverse=True)
    return np.array([restitution(ref) for ref in different], float)[which.reshape(-1)].reshape(len(solrefs))
