"""What is only drawn: cameras, lights, materials, textures, settings of viewers. Kept as texts, with names checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...mechanism.errors import Problems, nearest
from ...mechanism.spec import Drawn, Material, Mechanism, Texture
from ..picture_colour import mean_colour, pixels_of
from ..xml_tree import Node, resolved
from . import schema
from .defaults import Defaults, merge
from .values import Values, read_attributes


def drawn_values(node: Node, tag: str, table: dict[str, schema.Kind], defaults: Defaults, problems: Problems) -> Values:
    """The attributes of an element, with those of its class."""
    own = read_attributes(node, table | schema.NAMED, problems)
    chosen = defaults.find(node, defaults.root)
    own.pop("class", None)
    return merge(own, chosen.values.get(tag, {}))


def texts_of(values: Values) -> dict[str, str]:
    """The attributes that are kept as they stand, but for the name."""
    return {key: value for key, value in values.items() if isinstance(value, str) and key != "name"}


def read_drawn_assets(
    sections: list[Node], folder: Path | None, settings: Any, defaults: Defaults, mechanism: Mechanism, problems: Problems
) -> None:
    """Textures and materials of the `asset` sections."""
    files = dict.fromkeys((*schema.TEXTURE_FILES, "content_type"), schema.TEXT)
    for node in (child for section in sections for child in section.children):
        if node.tag == "texture":
            values = drawn_values(node, "texture", schema.TEXTURE | files, defaults, problems)
            kept = texts_of(values)
            for side in schema.TEXTURE_FILES:
                if side in kept and folder is not None:
                    place = settings.texturedir or settings.assetdir
                    name = Path(kept[side]).name if settings.strippath else kept[side]
                    kept[side] = str(resolved(folder / place / name))
            name = values.get("name") or Path(values.get("file", "")).stem
            mechanism.textures.append(Texture(name, kept, tag="texture", where=node.where))
        elif node.tag == "material":
            values = drawn_values(node, "material", schema.MATERIAL, defaults, problems)
            kept = texts_of(values)
            texture = kept.pop("texture", "")
            material = Material(values.get("name", ""), kept, tag="material", texture=texture, where=node.where)
            material.children = [_layer(child, problems) for child in node.children]
            mechanism.materials.append(material)
    _read_colours(mechanism)


def _read_colours(mechanism: Mechanism) -> None:
    """The mean colours of the pictures that materials show."""
    shown = {material.texture for material in mechanism.materials}
    shown |= {layer.attributes.get("texture", "") for material in mechanism.materials for layer in material.children}
    for texture in mechanism.textures:
        files = [Path(texture.attributes[side]) for side in schema.TEXTURE_FILES if side in texture.attributes]
        if files and texture.name in shown:
            texture.colour = mean_colour(files)
            if texture.attributes.get("type", "cube") == "2d" and len(files) == 1:
                texture.pixels = pixels_of(files[0], *(texture.attributes.get(flip) == "true" for flip in ("hflip", "vflip")))


def _layer(node: Node, problems: Problems) -> Drawn:
    if node.tag != "layer":
        problems.add(node.where, f"is not an element of material{nearest(node.tag, ('layer',))}")
    return Drawn("", texts_of(read_attributes(node, schema.LAYER, problems)), tag="layer", where=node.where)


def read_visual(sections: list[Node], mechanism: Mechanism, problems: Problems) -> None:
    """Settings of viewers."""
    for node in (child for section in sections for child in section.children):
        if node.tag not in schema.VISUAL:
            problems.add(node.where, f"is not an element of visual{nearest(node.tag, schema.VISUAL)}")
            continue
        table = dict.fromkeys(schema.VISUAL[node.tag], schema.TEXT)
        mechanism.visual.setdefault(node.tag, {}).update(read_attributes(node, table, problems))
