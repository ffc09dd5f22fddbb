"""A case as a Python program that checks it again."""

from __future__ import annotations

import numpy as np

from dojo_py.reproduce.gauntlet.family import Case

ARRAYS = {"precision": 17, "threshold": 10**6, "floatmode": "unique", "linewidth": 130}


def as_python(case: Case, family: str) -> str:
    """Text that prints every property that the case breaks when it is run with Python."""
    controls = f"np.zeros({case.controls.shape})" if not np.any(case.controls) else _array(case.controls)
    fields = [
        f"    timestep={case.timestep!r},",
        f"    qpos={_array(case.qpos)},",
        f"    qvel={_array(case.qvel)},",
        f"    controls={controls},",
        f"    settings={dict(case.settings)!r},",
    ]
    return "\n".join(
        [
            "import numpy as np",
            "",
            f"from dojo_py.reproduce.gauntlet import {family}",
            "from dojo_py.reproduce.gauntlet.family import Case",
            "",
            'xml = """',
            case.xml.strip(),
            '"""',
            "case = Case(",
            "    xml,",
            *fields,
            ")",
            'if __name__ == "__main__":',
            f"    for name, outcome in {family}.check(case).items():",
            "        if outcome.broken:",
            '            print(f"{name}: {outcome.where}")',
        ]
    )


def _array(values: np.ndarray | None) -> str:
    if values is None:
        return "None"
    with np.printoptions(**ARRAYS):  # type: ignore[arg-type]
        return f"np.{np.asarray(values, float)!r}"
