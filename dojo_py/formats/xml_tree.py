"""XML files as plain trees of `Node`, every node knowing its file and line.

The parser resolves no entities, loads no DTD, opens no network address; a file with a DTD is refused. File size, number
of elements and nesting depth are bounded. `include` elements (MJCF) are replaced by the children of the file's root.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ..mechanism.errors import ModelError, Problems, Where
from .lenient_xml import mended

MAX_BYTES = 32 * 1024 * 1024
MAX_ELEMENTS = 200_000
MAX_DEPTH = 497
"""Levels below the root, as many as MuJoCo accepts."""
MAX_ATTRIBUTES = 200
MAX_INCLUDES = 1000
MAX_PREFIXES = 20
"""Namespaces that a file uses without declaring them."""


@dataclass
class Node:
    """One XML element. Comments and processing instructions are gone; `text` is the stripped leading text."""

    tag: str
    attributes: dict[str, str]
    where: Where
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def find_all(self, tag: str) -> list[Node]:
        """Direct children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> Node | None:
        """The first direct child with this tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)


def parse_file(path: Path, shown: str | None = None) -> Node:
    """The tree of a file; `shown` is the path as it appears in messages."""
    shown = shown or str(path)
    if exists(path) and not path.is_file():  # (devices and pipes have no end)
        raise ModelError(f"{shown}: is not a file")
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise ModelError(f"{shown}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL character in the path
        raise ModelError(f"{shown!r}: cannot be read: {error}") from None
    if size > MAX_BYTES:
        raise ModelError(f"{shown}: the file has more than {MAX_BYTES} bytes")
    return parse_bytes(data, shown)


def parse_text(text: str | bytes, shown: str = "<text>") -> Node:
    """The tree of an XML text. A `str` is taken as it is, whatever encoding its declaration names."""
    if isinstance(text, bytes):
        return parse_bytes(text, shown)
    try:
        return parse_bytes(text.encode("utf-8"), shown, encoding="utf-8")
    except UnicodeEncodeError as error:
        raise ModelError(f"{shown}: not valid text: {error}") from None


def parse_bytes(data: bytes, shown: str, encoding: str | None = None) -> Node:
    """Parse with the restrictions of this module."""
    where = Where(shown)
    if len(data) > MAX_BYTES:
        raise ModelError(f"{shown}: the text has more than {MAX_BYTES} bytes")
    problems = Problems()
    try:
        root = _parsed(data, encoding)
    except etree.XMLSyntaxError as error:
        reason = (error.msg or "empty document").partition(", line ")[0].strip()
        problems.add(Where(shown, error.lineno or 0), f"not well-formed XML: {reason}")
    except (ValueError, LookupError) as error:
        problems.add(where, f"not well-formed XML: {error}")
    problems.raise_if_any()
    info = root.getroottree().docinfo
    if info.doctype or info.internalDTD is not None:
        problems.add(where, "a document type definition (<!DOCTYPE ...>) is not accepted; remove it")
    elif sum(1 for _ in root.iter()) > MAX_ELEMENTS:
        problems.add(where, f"more than {MAX_ELEMENTS} elements")
    problems.raise_if_any()
    return _tree(root, shown)


def _parsed(data: bytes, encoding: str | None) -> etree._Element:
    """The root element, of what MuJoCo reads although it is not well-formed, too."""
    try:
        return _well_formed(data, encoding)
    except etree.XMLSyntaxError:
        text = mended(data)
        if text is not None:
            with contextlib.suppress(etree.XMLSyntaxError):
                return _well_formed(text, "utf-8")
        raise


def _well_formed(data: bytes, encoding: str | None) -> etree._Element:
    """The root element. Prefixes that nothing declares, as URDFs of other programs have, are declared and tried again.

    Of the declaration only the encoding is read: public files have versions like 0.0, or lines before it.
    """
    declared = re.match(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s([^>]*)\?>", data)
    if declared is not None:
        named = re.search(rb"""encoding\s*=\s*["']([\w.-]+)["']""", declared.group(1))
        encoding = encoding or (named.group(1).decode("ascii") if named else None)
        data = b"\n" * declared.group().count(b"\n") + data[declared.end() :]
    for _ in range(MAX_PREFIXES):
        try:
            return etree.fromstring(data, _parser(encoding, deep=_may_be_deep(data)))
        except etree.XMLSyntaxError as error:
            found = re.match(r"Namespace prefix ([\w.-]+) ", error.msg or "", re.ASCII)
            root = re.search(rb"<(mujoco|robot)(?=[\s/>])", data)
            if found is None or root is None:
                raise
            prefix = found.group(1).encode()
            data = data[: root.end()] + b" xmlns:" + prefix + b'="undeclared:' + prefix + b'"' + data[root.end() :]
    return etree.fromstring(data, _parser(encoding, deep=_may_be_deep(data)))


def _parser(encoding: str | None, deep: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=deep,
        remove_comments=True,
        remove_pis=True,
        encoding=encoding,
    )


def _may_be_deep(data: bytes) -> bool:
    """libxml2's own bounds, 256 levels among them, may be lifted: without a document type there is nothing to expand.

    The zeros are those of 16- and 32-bit encodings; a root that can be read shows that the encoding has ASCII's letters.
    """
    plain = data.replace(b"\0", b"")
    return b"DOCTYPE" not in plain and (b"<mujoco" in plain or b"<robot" in plain)


def _tree(root: etree._Element, shown: str) -> Node:
    """The tree of nodes, without recursion."""
    top = _node(root, shown, 0)
    pending = [(root, top, 1)]
    while pending:
        element, node, depth = pending.pop()
        for child in element:
            if isinstance(child.tag, str):
                node.children.append(_node(child, shown, depth))
                pending.append((child, node.children[-1], depth + 1))
    return top


def _node(element: etree._Element, shown: str, depth: int) -> Node:
    """One element, without its children."""
    tag = f"{element.prefix}:{etree.QName(element).localname}" if element.prefix else etree.QName(element).localname
    where = Where(shown, element.sourceline or 0, tag)
    problems = Problems()
    if depth > MAX_DEPTH:
        problems.add(where, f"elements are nested deeper than {MAX_DEPTH}")
    if len(element.attrib) > MAX_ATTRIBUTES:  # lxml takes quadratic time to list them
        problems.add(where, f"has more than {MAX_ATTRIBUTES} attributes")
    problems.raise_if_any()
    prefixes = {uri: prefix for prefix, uri in element.nsmap.items() if prefix}
    attributes = {}
    for key, value in element.attrib.items():
        name = etree.QName(key)
        attributes[f"{prefixes[name.namespace]}:{name.localname}" if name.namespace in prefixes else name.localname] = str(value)
    return Node(tag, attributes, where, text=(element.text or "").strip())


def path_of(file: str, folder: Path | None) -> Path | None:
    """Where a file that a model names lies: relative to the folder of the model, None where that is text and has none."""
    path = Path(file)
    return path if path.is_absolute() else None if folder is None else folder / path


def expand_includes(root: Node, folder: Path | None, problems: Problems) -> Node:
    """Replace every `include` of the tree in place. Paths are relative to `folder`, that of the main file, or else to that of the
    file in which the include stands.

    Each file may be included once (MuJoCo's rule), which also rules out recursion.
    """
    seen = {resolved(folder / Path(root.where.path).name)} if folder else set()
    elements = _size(root)

    def load(include: Node, depth: int) -> list[Node]:
        nonlocal elements
        file = include.attributes.get("file", "")
        if not file:
            problems.add(include.where, "the name of a file is missing", attribute="file")
        elif (path := path_of(file, folder)) is None:
            problems.add(include.where, f"'{file}' has no folder: load the model from a path", attribute="file")
        elif len(seen) > MAX_INCLUDES or elements > MAX_ELEMENTS or depth > MAX_DEPTH:
            problems.add(include.where, "the included files are too many, too large or nested too deeply")
        else:
            beside = Path(include.where.path).parent / file
            path = beside if exists(beside) and not exists(path) else path
            if resolved(path) in seen:
                problems.add(include.where, f"'{file}' is included more than once", attribute="file")
                return []
            seen.add(resolved(path))
            try:
                tree = parse_file(path)
            except ModelError as error:
                for record in error.errors:
                    where = Where(record.path, record.line) if record.line else include.where
                    problems.add(where, f"{record.message} (included at {include.where.path}:{include.where.line})")
                return []
            elements += _size(tree)
            return tree.children
        return []

    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        pending, node.children = [(child, depth) for child in reversed(node.children)], []
        while pending:
            child, level = pending.pop()
            if child.tag == "include":
                pending += [(included, level + 1) for included in reversed(load(child, level))]
            else:
                node.children.append(child)
                stack.append((child, level + 1))
    return root


def _size(root: Node) -> int:
    """How many elements a tree has."""
    count, stack = 0, [root]
    while stack:
        count += 1
        stack.extend(stack.pop().children)
    return count


def exists(path: Path) -> bool:
    """Whether there is a file or folder; False for names that are too long or have a NUL character."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def resolved(path: Path) -> Path:
    """The path without links; as it is where there is none, because of a NUL character or a loop of links."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path
