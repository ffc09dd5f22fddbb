"""Text that is not well-formed XML but that MuJoCo's parser, TinyXML-2, reads: written again so that any parser does.

    <geom type="box"size="1"/>     white space between attributes is missing
    <!-- -- a -- -->               hyphens within a comment
    name="a<b & c"                 characters that have to be escaped, entities that nothing declares
    bytes that are not UTF-8       taken as Latin-1

Lines stay where they are. What is wrong otherwise is left as it is.
"""

import re

_NAME = r"[\w:.-]++"
_ATTRIBUTE = rf"""{_NAME}\s*+=\s*+(?:"[^"]*"|'[^']*')"""
_BARE = r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)"

# a part that does not end goes on to the end of the text, so that it is looked for once
_PARTS = re.compile(
    rf"(?P<comment><!--.*?(?:-->|\Z))|(?P<kept><!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z))"
    rf"|(?P<tag><{_NAME}(?:\s*+{_ATTRIBUTE})++)|(?P<bare>{_BARE})",
    re.DOTALL,
)


def mended(data: bytes) -> bytes | None:
    """The same elements and attributes, in UTF-8; None where a document type says how to read the text."""
    if b"DOCTYPE" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return _PARTS.sub(_part, text).encode("utf-8")


def _part(found: re.Match[str]) -> str:
    """A part of the text, mended."""
    part = found.group()
    if found.lastgroup == "comment":
        ends = part.endswith("-->") and len(part) >= len("<!---->")
        return "<!--" + "\n" * part.count("\n") + "-->" if ends else part
    if found.lastgroup == "tag":
        return re.sub(rf"(\s*)({_ATTRIBUTE})", _attribute, part)
    return "&amp;" if found.lastgroup == "bare" else part


def _attribute(found: re.Match[str]) -> str:
    """An attribute behind white space, its value escaped."""
    space, attribute = found.groups()
    return (space or " ") + re.sub(_BARE, "&amp;", attribute).replace("<", "&lt;")
