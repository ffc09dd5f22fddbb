"""Materials: arrays `mat_*` and which geom shows which. They only draw; of textures their mean colours are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import MAX_VALUE
from .errors import Problems
from .layout import Layout
from .spec import Drawn, Material, Mechanism, Texture

Array = np.ndarray

NUMBERS = {"emission": 0.0, "specular": 0.5, "shininess": 0.5, "reflectance": 0.0, "metallic": -1.0, "roughness": -1.0}
"""Attribute of a material -> its default, MuJoCo's."""
FIRST, SECOND = (0.8, 0.8, 0.8), (0.5, 0.5, 0.5)
"""Default colours of a built-in texture."""
WHITE = (1.0, 1.0, 1.0)


def material_arrays(mechanism: Mechanism, layout: Layout, problems: Problems) -> dict[str, Array]:
    """`geom_matid`, -1 for none, and the arrays of the materials."""
    number = {material.name: i for i, material in enumerate(mechanism.materials) if material.name}
    textures = {texture.name: texture for texture in mechanism.textures}
    rows = [_row(material, textures, problems) for material in mechanism.materials]
    arrays = {key: np.array([row[key] for row in rows]) for key in ("mat_rgba", "mat_texrgb", *(f"mat_{n}" for n in NUMBERS))}
    arrays["mat_rgba"], arrays["mat_texrgb"] = arrays["mat_rgba"].reshape(-1, 4), arrays["mat_texrgb"].reshape(-1, 6)
    return arrays | {"geom_matid": np.array([number.get(geom.material, -1) for geom in layout.geoms], int)}


def _row(material: Material, textures: dict[str, Texture], problems: Problems) -> dict[str, Any]:
    row: dict[str, Any] = {f"mat_{name}": _numbers(material, name, (default,), problems)[0] for name, default in NUMBERS.items()}
    row["mat_rgba"] = _numbers(material, "rgba", (1.0, 1.0, 1.0, 1.0), problems)
    layers = {layer.attributes.get("role", ""): layer.attributes.get("texture", "") for layer in material.children}
    row["mat_texrgb"] = _colours(textures.get(material.texture or layers.get("rgb", "")), problems)
    return row


def _colours(texture: Texture | None, problems: Problems) -> tuple[float, ...]:
    """Both colours of a built-in texture; its one colour twice where it is flat, or a picture's mean; white where there is none."""
    if texture is not None and texture.colour is not None:
        return 2 * tuple(texture.colour)
    kind = "none" if texture is None else texture.attributes.get("builtin", "none")
    if texture is None or kind not in ("checker", "gradient", "flat"):
        return WHITE + WHITE
    first, second = _numbers(texture, "rgb1", FIRST, problems), _numbers(texture, "rgb2", SECOND, problems)
    return first + (first if kind == "flat" else second)


def _numbers(element: Drawn, attribute: str, default: tuple[float, ...], problems: Problems) -> tuple[float, ...]:
    """The numbers of an attribute that was kept as text, as many as the default has."""
    text = element.attributes.get(attribute)
    if text is None:
        return default
    try:
        found = tuple(float(word) for word in text.split())
    except ValueError:
        found = ()
    if len(found) != len(default) or not all(abs(value) <= MAX_VALUE for value in found):
        count = "one number is" if len(default) == 1 else f"{len(default)} numbers are"
        problems.add(element.where, f"'{text}': {count} accepted", name=element.name, attribute=attribute)
        return default
    return found
