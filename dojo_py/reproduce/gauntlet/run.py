"""`dojo_py reproduce gauntlet`: cases of a range of seeds judged, counted a property, and the broken ones minimised."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.progress import Progress
from dojo_py.reproduce.gauntlet import FAMILIES
from dojo_py.reproduce.gauntlet.family import Case, Family, Outcome
from dojo_py.reproduce.gauntlet.judge import COMMON, breaks
from dojo_py.reproduce.gauntlet.minimise import minimise
from dojo_py.reproduce.gauntlet.workers import TIME_LIMIT, Worker, spread
from dojo_py.reproduce.report import Report, import_mujoco
from dojo_py.whole_file import write_text

PACKAGE = "dojo_py.reproduce.gauntlet"
SHOWN = 8
"""Seeds named in a row of the table; the CSV has all."""

PLAYED, LONGEST = 3, 100
"""Seeds whose motions the page plays; steps of each, at most."""

Findings = dict[int, dict[str, Outcome]]
QUICK: dict[str, Any] = {"family": "scenes", "seeds": range(6)}
"""Arguments of `run` for `--quick`."""
QUICK_JUDGED = False
"""Bounds are shares of all steps, such as 0.1 %: six seeds have too few."""
FULL: dict[str, Any] = {"family": "scenes", "seeds": range(200)}
"""And among all experiments."""


def run(
    family: str = "scenes",
    seeds: Iterable[int] = range(20),
    minimised: int = 0,
    out: Path | None = None,
    workers: int = 1,
    module: str | None = None,
) -> Report:
    """Judge the cases of the seeds. minimised: of so many seeds a property the smallest case is written to the folder `out`.

    module: of the family, when it is not one of the package's.
    """
    import importlib

    name = module or f"{PACKAGE}.{family}"
    try:
        loaded: Any = importlib.import_module(name)
    except ModuleNotFoundError:
        import_mujoco(required=True)  # (says what is missing, where it is the wheel)
        raise
    if getattr(loaded, "NEEDS_WHEEL", False):
        import_mujoco(required=True)
    seeds = list(seeds)
    limit = float(getattr(loaded, "TIME_LIMIT", TIME_LIMIT))
    crew = [Worker(name, limit) for _ in range(max(1, min(workers, len(seeds))))]
    try:
        found = look(crew, seeds)
        notes = shrink_broken(loaded, family, found, crew[0], minimised, out) if minimised and out is not None else []
    finally:
        for worker in crew:
            worker.stop()
    return dataclasses.replace(report(loaded, family, found, notes), replays=motions(loaded, family, found))


def motions(family: Family, name: str, found: Findings) -> dict[str, Any]:
    """Trajectories of the first seeds, those that break something before others; none of families that draw no simulations."""
    from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model

    shown: dict[str, Any] = {}
    for seed in sorted(found, key=lambda seed: (not any(o.broken for o in found[seed].values()), seed)):
        try:
            case = family.generate(seed)
            if not isinstance(case, Case):
                return {}
            model = load_model(case.xml)
            if name == "soft":
                sim: Any = SoftSimulator(model, timestep=case.timestep)
            else:
                sim = HardSimulator(model, timestep=case.timestep, friction=str(case.settings.get("friction", "cone")))
            controls = case.controls[:LONGEST] if case.controls.shape[1] == model.nu else np.zeros((LONGEST, model.nu))
            shown[f"seed {seed}"] = sim.rollout(sim.initial_state(case.qpos, case.qvel), controls)
        except (ModelError, ValueError):  # what the family looks at may be just that
            continue
        if len(shown) == PLAYED:
            break
    return shown


def look(crew: list[Worker], seeds: Sequence[int]) -> Findings:
    """Outcomes of every seed, in their order."""
    found: Findings = {}
    with Progress(len(seeds), "cases") as bar:
        for (_, seed), outcomes in spread(crew, (("seed", seed) for seed in seeds)):
            found[seed] = outcomes
            bar.advance(1)
    return {seed: found[seed] for seed in sorted(found)}


def properties_of(family: Family, found: Findings) -> dict[str, str]:
    """Name -> what must hold: the family's own in its order, then the common ones and what else was reported."""
    known = {**family.PROPERTIES, **{k: v for k, v in COMMON.items() if k not in family.PROPERTIES}}
    return known | {name: "" for outcomes in found.values() for name in outcomes if name not in known}


def report(family: Family, name: str, found: Findings, notes: Sequence[str] = ()) -> Report:
    """A row a property: cases and things looked at, how many of them break it, the largest measure, the seeds."""
    rows: list[Sequence[object]] = []
    broken: list[tuple[str, int, int, str]] = []
    allowed, holds = getattr(family, "ALLOWED", {}), True
    properties = properties_of(family, found)
    for prop in properties:
        outcomes = {seed: row[prop] for seed, row in found.items() if prop in row and row[prop].checked > 0}
        bad = [seed for seed, outcome in outcomes.items() if outcome.broken]
        broken += [(prop, seed, outcomes[seed].broken, outcomes[seed].where) for seed in bad]
        checked, wrong = sum(o.checked for o in outcomes.values()), sum(o.broken for o in outcomes.values())
        holds &= wrong <= allowed.get(prop, 0.0) * checked
        worst = max((o.worst for o in outcomes.values()), default=0.0)
        rows.append((prop, len(outcomes), len(bad), checked, wrong, float(worst), _listed(bad)))
    columns = ("property", "cases", "break it", "checked", "broken", "worst", "seeds that break it")
    lines = [f"{prop}: {text}" for prop, text in properties.items() if text]
    lines += [f"first: {prop}, seed {seed}: {where}" for prop, seed, where in _first(broken)]
    table = {
        "property": np.array([b[0] for b in broken]),
        "seed": np.array([b[1] for b in broken]),
        "broken": np.array([b[2] for b in broken]),
        "where": np.array([b[3] for b in broken]),
    }
    span = f"{min(found)} to {max(found)}" if found else "none"
    title = f"Gauntlet, {name}: {family.TITLE}; {len(found)} seeds, {span}"
    return Report(f"gauntlet_{name}", title, columns, rows, [*lines, *notes], {"broken": table}, holds=bool(holds))


def _listed(seeds: Sequence[int]) -> str:
    shown = " ".join(str(seed) for seed in seeds[:SHOWN])
    return shown + (f" and {len(seeds) - SHOWN} more" if len(seeds) > SHOWN else "") or "-"


def _first(broken: Sequence[tuple[str, int, int, str]]) -> list[tuple[str, int, str]]:
    """The first seed of each property, with where it breaks."""
    seen: dict[str, tuple[str, int, str]] = {}
    for prop, seed, _, where in broken:
        seen.setdefault(prop, (prop, seed, where))
    return list(seen.values())


def shrink_broken(family: Family, name: str, found: Findings, worker: Worker, most: int, out: Path) -> list[str]:
    """Minimise the first seeds that break each property, write them, and return a line for each."""
    lines = []
    for prop in properties_of(family, found):
        for seed in [seed for seed, outcomes in found.items() if breaks(outcomes, prop)][:most]:
            try:
                case = family.generate(seed)
            except Exception:  # that it cannot be generated is the finding
                continue
            smallest = minimise(family, case, prop, lambda c: worker.judge(("case", c)))
            if smallest is None:
                lines.append(f"seed {seed}, {prop}: holds when looked at once more")
                continue
            command = f"dojo_py reproduce gauntlet --family {name} --seeds {seed}:{seed + 1}"
            text = family.describe(smallest.case)
            stem = re.sub(r"[^a-z0-9]+", "_", f"gauntlet_{name}_{prop.lower()}_{seed}")
            file = out / (stem + (".xml" if text.startswith("<") else ".py"))
            write_text(file, headed(text, prop, smallest.outcome.where, command))
            lines.append(f"seed {seed}, {prop}: smallest of {smallest.tried} cases in {file}: {smallest.outcome.where}")
    return lines


def headed(text: str, prop: str, where: str, command: str) -> str:
    """The case's text under a comment that says what it breaks and which command draws the case that it came from."""
    lines = [f"breaks: {prop}: {where}", f"drawn by: {command}"]
    if text.startswith("<"):
        return "<!-- " + "\n     ".join(line.replace("--", "- -") for line in lines) + " -->\n" + text + "\n"
    return "".join(f"# {line}\n" for line in lines) + text + "\n"


__all__ = ["FAMILIES", "run"]
