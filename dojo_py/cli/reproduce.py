"""`dojo_py reproduce NAME`: one experiment of the paper or of the bounds, its table on screen, CSV and PNG in a folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake


def add(commands: Any) -> None:
    """Add the command's parser."""
    from dojo_py.reproduce import EXPERIMENTS

    listed = "\n".join(f"  {name:<13} {what}" for name, (_, what) in EXPERIMENTS.items())
    p = commands.add_parser(
        "reproduce",
        help="repeat an experiment and print it beside the published figures",
        description="Repeat an experiment; writes its table as CSV and its figure as PNG.",
        epilog=f"experiments:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("experiment", choices=tuple(EXPERIMENTS), metavar="EXPERIMENT", help="see the list below")
    p.add_argument(
        "--out", type=Path, default=Path("reproduced"), metavar="DIR", help="folder written to (default: reproduced)"
    )
    p.add_argument("--quick", action="store_true", help="a size for tests: the bounds mean nothing (table6 only)")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment, print and write it. 1 when what must hold did not."""
    from dojo_py.reproduce import load
    from dojo_py.reproduce.report import MissingPackage, draw, write_csv

    module = load(arguments.experiment)
    if arguments.quick and not hasattr(module, "QUICK"):
        raise Mistake(f"--quick: {arguments.experiment} has no quick size")
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"--out {arguments.out}: {error.strerror}") from None
    try:
        report = module.run(**module.QUICK) if arguments.quick else module.run()
    except MissingPackage as error:
        raise Mistake(str(error)) from None
    print(report)
    files = write_csv(report, arguments.out)
    try:
        files += draw(report, arguments.out)
    except MissingPackage as error:
        print(f"dojo_py: no figure: {error}", file=sys.stderr)
    print("wrote " + ", ".join(str(file) for file in files))
    return 0 if report.holds else 1
