"""What tells xacro, the macro language from which URDFs are generated: a file that was not expanded describes no robot yet.

Its elements have the prefix that xacro itself asks for; its expressions are ${...} and $(...), of which "$$" writes a plain "$".
"""

from __future__ import annotations

import re

from ...mechanism.errors import Problems
from ..xml_tree import Node

PREFIX = "xacro:"
LEFT_BEHIND = ("property", "arg")
"""Elements that only define names, which expanded files may still have: what uses the names is an expression, which tells."""
EXPRESSION = re.compile(r"(?<!\$)(?:\$\$)*\$[{(]")
TOLD = "this is xacro, not URDF; expand it first: `xacro in.xacro > out.urdf`"


def refuse_xacro(root: Node, problems: Problems) -> None:
    """Raise `ModelError` with the place of the first element or attribute that xacro has not expanded."""
    pending = [root]
    while pending:
        node = pending.pop()
        name = node.attributes.get("name", "")
        if node.tag.startswith(PREFIX) and node.tag.removeprefix(PREFIX) not in LEFT_BEHIND:
            problems.add(node.where, TOLD, name=name)
        for attribute, value in node.attributes.items():
            if not node.tag.startswith(PREFIX) and EXPRESSION.search(value):
                problems.add(node.where, f"'{value}' was read; {TOLD}", name=name, attribute=attribute)
        problems.raise_if_any()
        pending += reversed(node.children)
