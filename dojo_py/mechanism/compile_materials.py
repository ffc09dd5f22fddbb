"""Materials: arrays `mat_*` and which geom shows which. They only draw: mean colours of textures, pixels of flat ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import MAX_VALUE, Check
from .errors import Problems
from .layout import Layout
from .spec import Drawn, Material, Mechanism, Texture
from .textures import BUILTIN, MARKS, painted

Array = np.ndarray

NUMBERS = {"emission": 0.0, "specular": 0.5, "shininess": 0.5, "reflectance": 0.0, "metallic": -1.0, "roughness": -1.0}
"""Attribute of a material -> its default, MuJoCo's."""
FIRST, SECOND = (0.8, 0.8, 0.8), (0.5, 0.5, 0.5)
"""Default colours of a built-in texture."""
WHITE, BLACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)


def material_arrays(mechanism: Mechanism, layout: Layout, problems: Problems) -> dict[str, Array]:
    """`geom_matid`, -1 for none, and the arrays of the materials."""
    number = {material.name: i for i, material in enumerate(mechanism.materials) if material.name}
    textures = {texture.name: texture for texture in mechanism.textures}
    rows = [_row(material, textures, problems) for material in mechanism.materials]
    arrays = {key: np.array([row[key] for row in rows]) for key in ("mat_rgba", "mat_texrgb", *(f"mat_{n}" for n in NUMBERS))}
    arrays["mat_rgba"], arrays["mat_texrgb"] = arrays["mat_rgba"].reshape(-1, 4), arrays["mat_texrgb"].reshape(-1, 6)
    pixels = [row["pixels"] for row in rows]
    arrays |= {
        "mat_texrepeat": np.array([row["mat_texrepeat"] for row in rows]).reshape(-1, 2),
        "mat_texuniform": np.array([row["mat_texuniform"] for row in rows], bool),
        "mat_texsize": np.array([p.shape[:2] for p in pixels], int).reshape(-1, 2),
        "mat_texeladr": np.cumsum([0, *(p.shape[0] * p.shape[1] for p in pixels)])[: len(pixels)],
        "texel_rgb": np.concatenate([np.zeros((0, 3), np.uint8), *(p.reshape(-1, 3) for p in pixels)]),
    }
    return arrays | {"geom_matid": np.array([number.get(geom.material, -1) for geom in layout.geoms], int)}


def _row(material: Material, textures: dict[str, Texture], problems: Problems) -> dict[str, Any]:
    row: dict[str, Any] = {f"mat_{name}": _numbers(material, name, (default,), problems)[0] for name, default in NUMBERS.items()}
    row["mat_rgba"] = _numbers(material, "rgba", (1.0, 1.0, 1.0, 1.0), problems)
    layers = {layer.attributes.get("role", ""): layer.attributes.get("texture", "") for layer in material.children}
    texture = textures.get(material.texture or layers.get("rgb", ""))
    row["mat_texrgb"] = _colours(texture, problems)
    row["mat_texrepeat"] = _numbers(material, "texrepeat", (1.0, 1.0), problems)
    row["mat_texuniform"] = material.attributes.get("texuniform", "false") == "true"
    row["pixels"] = _pixels(texture, problems)
    return row


NOTHING = np.zeros((0, 0, 3), np.uint8)


def _pixels(texture: Texture | None, problems: Problems) -> Array:
    """(rows, columns, 3) of a two-dimensional texture; nothing of others, and of those of one colour."""
    if texture is None or texture.attributes.get("type", "cube") != "2d":
        return NOTHING
    if texture.pixels is not None:
        return np.asarray(texture.pixels, np.uint8)
    kind, mark = texture.attributes.get("builtin", "none"), texture.attributes.get("mark", "none")
    if kind not in BUILTIN or (kind == "flat" and mark not in MARKS):
        return NOTHING
    colours = (("rgb1", FIRST), ("rgb2", SECOND), ("markrgb", BLACK))
    first, second, ink = (_numbers(texture, name, default, problems) for name, default in colours)
    (columns,), (rows,) = (_numbers(texture, name, (0.0,), problems) for name in ("width", "height"))
    if not (rows >= 1.0 and columns >= 1.0):
        return NOTHING
    return painted(kind, np.array(first), np.array(second), int(rows), int(columns), mark, np.array(ink))


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
        Check(problems, element).fail(attribute, f"'{text}': {count} accepted")
        return default
    return found
