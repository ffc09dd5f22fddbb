"""`dojo_py identify cube [--data DIR]`: the recorded cube's parameters, and how well unseen tosses are predicted."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from dojo_py.cli.mistake import Mistake
from dojo_py.cli.replay import check_target
from dojo_py.whole_file import write_arrays


def add(commands: Any) -> None:
    """Add the command's parser."""
    p = commands.add_parser(
        "identify",
        help="find physical parameters from recorded motion",
        description="Identify friction, inertia, centre of mass and corners of a tossed cube; exit status 1: a bound is missed.",
    )
    p.add_argument("subject", choices=("cube",), help="what is identified")
    p.add_argument("--data", type=Path, metavar="DIR", help="folder of tosses: 0.csv, 2.csv, … (default: those shipped)")
    p.add_argument("--fit", type=int, default=200, metavar="N", help="tosses to fit (default: 200)")
    p.add_argument("--validate", type=int, default=85, metavar="N", help="tosses that are held out (default: 85)")
    p.add_argument("--every", type=int, default=4, metavar="K", help="fit every K-th of these tosses (default: 4)")
    p.add_argument(
        "--length-unit", type=float, metavar="M", help="length unit of the files [m] (default: the one that makes gravity 9.81)"
    )
    p.add_argument("--html", type=Path, metavar="FILE.html", help="where to write a report of the fit")
    p.add_argument("--out", type=Path, metavar="FILE.npz", help="where to save values and errors")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Identify, print the report, save."""
    for name in ("fit", "validate", "every"):
        if getattr(arguments, name) < 1:
            raise Mistake(f"--{name} {getattr(arguments, name)}: must be at least 1")
    if arguments.length_unit is not None and not 0 < arguments.length_unit < float("inf"):
        raise Mistake(f"--length-unit {arguments.length_unit:g}: must be positive [m]")
    for name, target in (("--out", arguments.out), ("--html", arguments.html)):
        if target:
            check_target(name, target, (".npz",) if name == "--out" else (target.suffix.lower(),))

    from dojo_py.identification import write_report
    from dojo_py.identification.cube import FLIGHT, identify_cube
    from dojo_py.identification.tosses import read_tosses

    began = time.perf_counter()

    try:
        counts, unit = (arguments.fit, arguments.validate), arguments.length_unit
        report = identify_cube(arguments.data, *counts, length_unit=unit, every=arguments.every)
    except (OSError, ValueError) as error:
        raise Mistake(str(error).splitlines()[0]) from None
    print(report)
    print(f"{time.perf_counter() - began:.0f} s")
    if arguments.html:
        held = read_tosses(arguments.data, report.length_unit)[arguments.fit :][: arguments.validate]
        found = replace(report.result, simulator=report.simulator)
        print(f"wrote {write_report(found, arguments.html, held, starts=FLIGHT)}")
    if arguments.out:
        figures = dict(
            friction=report.friction, restitution=report.restitution, inertia=report.inertia, com=report.com,
            edges=report.edges, corners=report.result.values["contact_point"],
            interval=report.result.interval(), covariance=report.result.covariance, length_unit=report.length_unit,
            position_error=report.fitted.position, rotation_error=report.fitted.rotation,
            nominal_position_error=report.nominal.position, nominal_rotation_error=report.nominal.rotation,
        )  # fmt: skip
        write_arrays(arguments.out, figures)
        print(f"saved {arguments.out}")
    return 0 if report.holds else 1
