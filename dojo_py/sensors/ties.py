"""Where connects and welds hold their two bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import EqualityType, ObjType

Array = np.ndarray
KINDS = (EqualityType.CONNECT, EqualityType.WELD)


def anchors(model: Any, e: int) -> tuple[tuple[int, int], Array]:
    """Bodies of equality e, a connect or a weld, and the points (2, 3) in their frames."""
    one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if int(model.eq_objtype[e]) == ObjType.SITE:
        return (int(model.site_bodyid[one]), int(model.site_bodyid[two])), np.array([model.site_pos[one], model.site_pos[two]])
    first, second = np.asarray(model.eq_data[e][:3], float), np.asarray(model.eq_data[e][3:6], float)
    return (one, two), np.array([first, second] if int(model.eq_type[e]) == EqualityType.CONNECT else [second, first])
