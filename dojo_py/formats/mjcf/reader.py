"""The sections of an MJCF file -> `Mechanism`. Sections may come in any order and more than once.

Order of reading: compiler (angles), defaults, tree, then what refers to the tree by name. With `unsupported` "warn" or
"skip", what refers to an element that was left out is left out too.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from ...mechanism.errors import Problems, nearest
from ...mechanism.fuse import fuse_static
from ...mechanism.spec import (
    Actuator,
    CompilerSettings,
    ContactPair,
    Equality,
    Exclude,
    JointTerm,
    Keyframe,
    Mechanism,
    OptionSpec,
    Pulley,
    SitePoint,
    Tendon,
    WrapGeom,
)
from ..load import Chain
from ..mesh_files import MeshFiles
from ..xml_tree import Node
from . import schema
from .actuators import OWN_RULES, Force, apply_shortcut
from .assets import read_assets
from .bodies import TreeReader, _fill
from .composite import expand_composites
from .custom import read_custom, read_sizes, read_statistic
from .defaults import Defaults, merge
from .drawn import read_drawn_assets, read_visual
from .macros import Models
from .sensors import read_sensors
from .settings import Switches, read_compiler, read_option
from .values import read_attributes

PARTS: dict[str, type] = {part.tag: part for part in (JointTerm, SitePoint, WrapGeom, Pulley)}
"""Parts of a tendon's path by their tag."""


def read_mjcf(
    root: Node, problems: Problems, folder: Path | None = None, chain: Chain | None = None, whole: bool = True
) -> Mechanism:
    """The mechanism of a file whose includes are expanded; `folder`: the main file's. Problems are collected.

    chain: files that attach this one, the innermost last. whole: it is not attached, so that what is fixed may be fused.
    """
    reader = _Reader(root, problems)
    mechanism = reader.read(MeshFiles(folder), chain or Chain())
    if whole and reader.switches.fusestatic and not problems.records:
        fuse_static(mechanism, problems)
    return mechanism


class _Reader:
    def __init__(self, root: Node, problems: Problems):
        self.root, self.problems = root, problems
        self.sections: dict[str, list[Node]] = {tag: [] for tag in schema.SECTIONS}
        for node in root.children:
            if node.tag in self.sections:
                self.sections[node.tag].append(node)
            elif node.tag in schema.NOTED_SECTIONS:
                self._note(node)
            else:
                accepted = (*schema.SECTIONS, *schema.NOTED_SECTIONS)
                problems.add(node.where, f"is not an element of mujoco{nearest(node.tag, accepted)}")

    def read(self, files: MeshFiles, chain: Chain) -> Mechanism:
        settings = self._compiler()
        option = self._option()
        self.defaults = Defaults(self.sections["default"], self.problems)
        expand_composites(self.sections, self.problems)
        assets = read_assets(self.sections["asset"], self.switches, files, self.defaults, self.problems)
        models = Models(self.sections["asset"], files.folder, chain, self.problems)
        tree = TreeReader(self.defaults, self.switches.angles, settings, self._materials(), assets, models, option, self.problems)
        world = tree.read_world(self.sections["worldbody"])
        self.skipped_geoms = tree.skipped_geoms
        assets.note_unused(self.sections["asset"], self.problems)
        mechanism = Mechanism(self.root.attributes.get("model", "MuJoCo Model"), world, settings, option)
        mechanism.meshes = list(assets.meshes.values())
        mechanism.hfields = list(assets.hfields.values())
        mechanism.where = self.root.where
        self._contacts(mechanism)
        self._tendons(mechanism)
        self._equalities(mechanism)
        kept = self._actuators(mechanism)
        read_sensors(self.sections["sensor"], mechanism, self.problems)
        self._keyframes(mechanism, kept)
        read_sizes(self.sections["size"], mechanism, self.problems)
        read_custom(self.sections["custom"], mechanism, self.problems)
        read_statistic(self.sections["statistic"], mechanism, self.problems)
        read_visual(self.sections["visual"], mechanism, self.problems)
        asset = self.sections["asset"]
        read_drawn_assets(asset, files.folder, self.switches, self.defaults, mechanism, self.problems)
        for section in self.sections["deformable"]:
            for node in section.children:
                self.problems.refuse(node.where, "is not simulated", name=node.attributes.get("name", ""))
        mechanism.frames = tree.frames
        for expand in tree.expansions:
            expand(mechanism)
        return mechanism

    def _note(self, section: Node) -> None:
        for node in section.children:
            name = node.attributes.get("name") or node.attributes.get("plugin", "")
            self.problems.note(node.where, f"{section.tag}: {schema.NOTED_SECTIONS[section.tag]}", name=name)

    def _materials(self) -> set[str]:
        """Names of the materials."""
        return {node.attributes.get("name", "") for section in self.sections["asset"] for node in section.find_all("material")}

    def _compiler(self) -> CompilerSettings:
        settings, self.switches = CompilerSettings(), Switches()
        for node in self.sections["compiler"]:
            read_compiler(node, settings, self.switches, self.problems)
        if self.switches.discardvisual:
            self.problems.note(settings.where, "shapes that only draw are kept", attribute="discardvisual")
        return settings

    def _option(self) -> OptionSpec:
        option = OptionSpec()
        for node in self.sections["option"]:
            read_option(node, option, self.problems)
        return option

    def _contacts(self, mechanism: Mechanism) -> None:
        for node in self._elements("contact", tuple(schema.CONTACT), ()):
            if node.tag == "exclude":
                values = read_attributes(node, schema.CONTACT["exclude"], self.problems)
                mechanism.excludes.append(_fill(Exclude, values, node))
                continue
            pair = _fill(ContactPair, self._with_class(node, schema.CONTACT["pair"], "pair"), node)
            gone = [geom for geom in (pair.geom1, pair.geom2) if geom and geom in self.skipped_geoms]
            if gone:
                self.problems.refuse(node.where, f"refers to geom '{gone[0]}', which is left out", name=pair.name)
            else:
                mechanism.pairs.append(pair)

    def _tendons(self, mechanism: Mechanism) -> None:
        for node in self._elements("tendon", tuple(schema.PATHS), ()):
            table = schema.NAMED | (schema.FIXED if node.tag == "fixed" else schema.TENDON)
            tendon = _fill(Tendon, self._with_class(node, table, "tendon"), node)
            accepted = schema.PATHS[node.tag]
            for child in node.children:
                if child.tag not in accepted:
                    guess = nearest(child.tag, accepted)
                    self.problems.add(child.where, f"is not an element of {node.tag}; accepted: {list(accepted)}{guess}")
                    continue
                values = read_attributes(child, accepted[child.tag], self.problems)
                missing = [key for key in accepted[child.tag] if key not in values and key != "sidesite"]
                for key in missing:
                    if key not in child.attributes:
                        self.problems.add(child.where, "is required", attribute=key)
                if not missing:
                    tendon.path.append(PARTS[child.tag](**values, where=child.where))
            mechanism.tendons.append(tendon)

    def _equalities(self, mechanism: Mechanism) -> None:
        for node in self._elements("equality", tuple(schema.EQUALITIES), schema.REFUSED_EQUALITIES):
            values = self._with_class(node, schema.EQUALITIES[node.tag], "equality")
            kinds = [kind for kind in ("body", "site", "joint", "tendon") if f"{kind}1" in values or f"{kind}2" in values]
            coupling = node.tag in ("joint", "tendon")
            kind = kinds[0] if kinds else (node.tag if coupling else "body")
            name = values.get("name", "")
            if len(kinds) > 1 or f"{kind}1" not in values or (kind == "site" and "site2" not in values):
                pairs = f"{node.tag}1" if coupling else "body1 and body2, or site1 and site2,"
                self.problems.add(node.where, f"{pairs} must be given", name=name)
                continue
            if kind == "site" and ("anchor" in values or "relpose" in values):
                self.problems.add(node.where, "anchor and relpose cannot be combined with sites", name=name)
            names = {"name1": values.get(f"{kind}1", ""), "name2": values.get(f"{kind}2", "")}
            mechanism.equalities.append(
                _fill(Equality, values, node, type=node.tag, objtype="site" if kind == "site" else "body", **names)
            )

    def _actuators(self, mechanism: Mechanism) -> list[bool]:
        """Fills in the actuators; for each actuator element of the file, whether it was kept."""
        kept = []
        for node in self._elements("actuator", tuple(schema.SHORTCUTS), ()):
            refused = len(self.problems.left_out)
            if node.tag in schema.REFUSED_ACTUATORS:
                self.problems.refuse(node.where, "is not simulated", name=node.attributes.get("name", ""))
                kept.append(False)
                continue
            actuator = self._actuator(node)
            kept.append(len(self.problems.left_out) == refused)
            if kept[-1]:
                mechanism.actuators.append(actuator)
        return kept

    def _actuator(self, node: Node) -> Actuator:
        own = read_attributes(node, schema.actuator_table(node.tag), self.problems)
        chosen = self.defaults.find(node, self.defaults.root)
        force = apply_shortcut(node, own, chosen.settings, self.problems).force
        common = merge({key: own[key] for key in own if key in schema.ACTUATOR}, chosen.values.get("actuator", {}))
        numbers: dict[str, Any] = {item.name: getattr(force, item.name) for item in fields(Force)}
        for key in ("dyntype", "gaintype", "biastype"):
            if numbers[key] in schema.GENERAL[key].refused:
                message = f"'{numbers[key]}' is not simulated; accepted: {list(schema.GENERAL[key].words)}"
                self.problems.refuse(node.where, message, name=own.get("name", ""), attribute=key)
        for key in OWN_RULES:
            forced = numbers.pop(key)
            if forced is not None:
                common[key] = forced
        if "posrange" in own:
            common["ctrlrange"] = own["posrange"]
        for key in ("ctrlrange", "posrange"):
            if key in own and numbers["inheritrange"] > 0.0 and node.tag in ("position", "general", "pid"):
                message = "cannot be combined with inheritrange"
                self.problems.add(node.where, message, name=own.get("name", ""), attribute=key)
        if node.tag in ("damper", "adhesion") and not all(bound >= 0.0 for bound in common.get("ctrlrange", (-1.0,))):
            message = f"{'a damper' if node.tag == 'damper' else 'adhesion'} needs a range that is not negative"
            self.problems.add(node.where, message, name=own.get("name", ""), attribute="ctrlrange")
        targets = {key: own[key] for key in ("name", *schema.OWN, *schema.TARGETS) if key in own}
        return _fill(Actuator, common | targets | numbers, node)

    def _keyframes(self, mechanism: Mechanism, kept: list[bool]) -> None:
        for node in self._elements("keyframe", ("key",), ()):
            values = read_attributes(node, schema.KEY, self.problems)
            key = _fill(Keyframe, {name: value for name, value in values.items() if value != ()}, node)
            if not all(kept):
                if key.ctrl is not None and len(key.ctrl) == len(kept):
                    key.ctrl = [value for value, keep in zip(key.ctrl, kept, strict=True) if keep]
                key.act = None  # how many activations the missing actuators had is not known
            mechanism.keyframes.append(key)

    def _elements(self, section: str, accepted: tuple[str, ...], refused: tuple[str, ...]) -> list[Node]:
        """The children of all sections of a name; those refused or unknown are reported and left out."""
        out = []
        for node in self.sections[section]:
            for child in node.children:
                if child.tag in accepted or (section == "actuator" and child.tag in schema.REFUSED_ACTUATORS):
                    out.append(child)
                elif child.tag in refused:
                    self.problems.refuse(child.where, "is not simulated", name=child.attributes.get("name", ""))
                else:
                    message = f"is not an element of {section}; accepted: {list(accepted)}"
                    self.problems.add(child.where, message + nearest(child.tag, accepted))
        return out

    def _with_class(self, node: Node, table: dict[str, schema.Kind], tag: str) -> dict[str, Any]:
        own = read_attributes(node, table, self.problems)
        chosen = self.defaults.find(node, self.defaults.root)
        own.pop("class", None)
        return merge(own, chosen.values.get(tag, {}))
