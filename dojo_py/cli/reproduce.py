"""`dojo_py reproduce NAME`: an experiment, or all; its table on screen, CSV, PNG, PDF and an HTML page in a folder."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake

ALL = "all"
GAUNTLET = "gauntlet"
OPTIONS = ("family", "seeds", "minimise", "workers")
"""The experiment that the options of the second group belong to, and these."""


def add(commands: Any) -> None:
    """Add the command's parser."""
    from dojo_py.reproduce import EXPERIMENTS
    from dojo_py.reproduce.gauntlet import FAMILIES

    rows = [(ALL, "every one of these, and an index page"), *((name, what) for name, (_, what) in EXPERIMENTS.items())]
    listed = "\n".join(f"  {name:<13} {what}" for name, what in rows)
    families = "\n".join(f"  {name:<13} {what}" for name, what in FAMILIES.items())
    p = commands.add_parser(
        "reproduce",
        help="repeat an experiment and print it beside the published figures",
        description="Repeat an experiment, or all: write the table as CSV, the figure as PNG and PDF, and one HTML page\n"
        "with both and replays of what was simulated. The exit status is 1 when what must hold does not (a quick size can be\n"
        "too small to judge, and says so); of all, when one did not run, and with --strict also when one ran and missed its\n"
        "bound, which the index page names in any case.",
        epilog=f"experiments:\n{listed}\n\nfamilies of the gauntlet:\n{families}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("experiment", choices=(*EXPERIMENTS, ALL), metavar="EXPERIMENT", help="see the list below")
    p.add_argument("--out", type=Path, default=Path("reproduced"), metavar="DIR", help="folder written to (default: reproduced)")
    p.add_argument("--quick", action="store_true", help="take a smaller size; all of them: under 20 minutes")
    p.add_argument("--strict", action="store_true", help="with all: exit status 1 also when an experiment misses its bound")
    g = p.add_argument_group("gauntlet only")
    g.add_argument("--family", metavar="NAME", help="which cases: " + ", ".join(FAMILIES))
    g.add_argument("--seeds", metavar="A:B", help="from A up to, not including, B; or one seed")
    g.add_argument(
        "--minimise", type=int, nargs="?", const=1, metavar="N", help="shrink the cases of N seeds a property (default 1)"
    )
    g.add_argument("--workers", type=int, metavar="N", help="processes (default 1)")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment, print and write it. 1 when what must hold did not."""
    from dojo_py.reproduce import load
    from dojo_py.reproduce.page import TOO_SMALL, write_page
    from dojo_py.reproduce.report import MissingPackage, draw, write_csv

    if arguments.experiment == ALL:
        return _run_all(arguments)
    if arguments.strict:
        raise Mistake(f"--strict: belongs to {ALL}; {arguments.experiment} alone is always judged by its bound")
    if arguments.quick and arguments.experiment == GAUNTLET:
        _refuse_options(arguments, "--quick has a family and seeds of its own")
    settings = {} if arguments.quick else _gauntlet_settings(arguments)
    try:
        module = load(arguments.experiment)
    except MissingPackage as error:
        raise Mistake(str(error)) from None
    if arguments.quick and not hasattr(module, "QUICK"):
        raise Mistake(f"--quick: {arguments.experiment} has no quick size")
    _make_folder(arguments.out)
    if arguments.quick:
        settings = module.QUICK
    judged = not arguments.quick or getattr(module, "QUICK_JUDGED", True)
    began = time.perf_counter()
    try:
        report = module.run(**settings)
    except MissingPackage as error:
        raise Mistake(str(error)) from None
    print(report)
    files = write_csv(report, arguments.out)
    try:
        files += draw(report, arguments.out)
    except MissingPackage as error:
        print(f"dojo_py: no figure: {error}", file=sys.stderr)
    files.append(write_page(report, arguments.out, time.perf_counter() - began, judged))
    print("wrote " + ", ".join(str(file) for file in files))
    if not judged:
        print(f"{arguments.experiment}: {TOO_SMALL}")
    return 0 if report.holds or not judged else 1


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise Mistake(f"--out {out}: is a file, a folder is wanted") from None
    except OSError as error:
        raise Mistake(f"--out {out}: {error.strerror}") from None


def _run_all(arguments: argparse.Namespace) -> int:
    """Every experiment. 1 when one did not run, so that the index lacks its table; with --strict also when a bound is missed."""
    from dojo_py.reproduce.everything import run_all
    from dojo_py.reproduce.page import summary

    _refuse_options(arguments, f"belongs to the gauntlet, not to {ALL}")
    _make_folder(arguments.out)
    outcomes, index = run_all(arguments.out, arguments.quick, tell=lambda line: print(line, flush=True))
    print(summary(outcomes))
    print(f"wrote {index}")
    return int(any(not outcome.ran or (arguments.strict and not outcome.holds) for outcome in outcomes))


def _refuse_options(arguments: argparse.Namespace, why: str) -> None:
    """A mistake if one of the gauntlet's options is given."""
    for name in OPTIONS:
        if getattr(arguments, name) is not None:
            raise Mistake(f"--{name}: {why}")


def _gauntlet_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Arguments of the gauntlet's `run`; none for other experiments, which refuse its options."""
    if arguments.experiment != GAUNTLET:
        _refuse_options(arguments, f"belongs to the gauntlet, not to {arguments.experiment}")
        return {}
    workers = 1 if arguments.workers is None else arguments.workers
    minimised = 0 if arguments.minimise is None else arguments.minimise
    for name, value in (("workers", workers - 1), ("minimise", minimised)):
        if value < 0:
            raise Mistake(f"--{name} {getattr(arguments, name)}: must be at least {1 if name == 'workers' else 0}")
    return {
        "family": _family(arguments.family),
        "seeds": _seeds(arguments.seeds),
        "minimised": minimised,
        "out": arguments.out,
        "workers": workers,
    }


def _family(name: str | None) -> str:
    import difflib
    import importlib.util

    from dojo_py.reproduce.gauntlet import FAMILIES

    known = ", ".join(FAMILIES)
    if name is None:
        raise Mistake(f"gauntlet: --family is missing, one of {known}")
    if name not in FAMILIES:
        near = difflib.get_close_matches(name, FAMILIES, 1)
        hint = f", did you mean '{near[0]}'?" if near else ""
        raise Mistake(f"--family {name}: not one of {known}{hint}")
    if importlib.util.find_spec(f"dojo_py.reproduce.gauntlet.{name}") is None:
        raise Mistake(f"--family {name}: not written yet")
    return name


def _seeds(text: str | None) -> range:
    """A:B or one number."""
    if text is None:
        raise Mistake("gauntlet: --seeds is missing: A:B, from A up to, not including, B")
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if not match:
        raise Mistake(f"--seeds {text}: expected A:B, two whole numbers from 0 on, or one")
    first = int(match[1])
    last = first + 1 if match[2] is None else int(match[2])
    if last <= first:
        raise Mistake(f"--seeds {text}: no seed from {first} up to, not including, {last}")
    return range(first, last)
