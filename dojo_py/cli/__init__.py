"""The command `dojo_py`: one file a command, each with `add(subparsers)` and `run(arguments) -> exit status`.

Exit status: 0 done, 1 the work was done and something in it failed (an unsolved step, an error in a file), 2 a mistake in what
was asked, reported in one line.
"""

from __future__ import annotations

import argparse
import difflib
import io
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from dojo_py import __version__
from dojo_py.cli.mistake import Mistake

__all__ = ["main"]


DESCRIPTION = "Differentiable hard-contact physics for robotics: simulate a model file, see it, differentiate, compare."
EPILOG = """to begin with:
  dojo_py simulate atlas --out run.npz     drop a robot on the floor (the first run compiles, for a minute or two)
  dojo_py replay run.npz                   run.html, which opens in any browser
  dojo_py view atlas                       push and steer it in the browser
  dojo_py COMMAND --help                   what a command takes

exit status: 0 done; 1 done, and something in it failed; 2 a mistake in what was asked
"""


class _Parser(argparse.ArgumentParser):
    """Mistakes in one line instead of the whole usage, in the words of the other errors."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"dojo_py: error: {_said(message)} (see {self.prog} --help)\n")


def _said(message: str) -> str:
    """A message of argparse; of a wrong choice with what comes near."""
    wrong = re.fullmatch(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message)
    if wrong is None:
        return message
    choices = [word.strip("'") for word in wrong[3].split(", ")]
    near = difflib.get_close_matches(wrong[2], choices, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"{wrong[1]} {wrong[2]}: not one of {', '.join(choices)}{hint}"


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    from dojo_py.cli import check, compare, convert, doctor, identify, models, replay, reproduce, simulate, view

    parser = _Parser(prog="dojo_py", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"dojo_py {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (simulate, view, replay, compare, check, convert, models, reproduce, identify, doctor):
        command.add(commands)
    parser.set_defaults(parsers=commands.choices)
    return parser


def parsed(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The arguments; an option that a command does not have is said by this command, with what comes near."""
    parser = build_parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest:
        given = sys.argv[1:] if argv is None else argv
        command = next(word for word in given if word in arguments.parsers)
        one = arguments.parsers[command]
        word = rest[0].partition("=")[0]
        near = difflib.get_close_matches(word, [option for action in one._actions for option in action.option_strings], 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        one.error(f"{word}: not an option of {command}{hint}" if word.startswith("-") else f"{word}: one argument too many")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. argv: the arguments after the program's name, by default the process's own."""
    from dojo_py.mechanism.errors import ModelError
    from dojo_py.simulate.status import OutOfDomain

    _write_all_letters()
    arguments = parsed(argv)
    try:
        return int(arguments.run(arguments))
    except (Mistake, OutOfDomain) as error:
        return _fail(str(error))
    except ModelError as error:
        first, more = str(error.errors[0]) if error.errors else str(error), len(error.errors) - 1
        hint = f" (and {more} more: `dojo_py check` lists them all)" if more > 0 else ""
        return _fail(first.splitlines()[0].removeprefix("<model>: ") + hint)
    except MemoryError:
        return _fail("not enough memory for as much as was asked for")
    except KeyboardInterrupt:
        print("dojo_py: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of the output went away: `dojo_py models | head -1`
        sys.stderr.close()
        return 0


def _write_all_letters() -> None:
    """Names with letters that the output's encoding lacks (a file on Windows, LANG=C) are written as escapes, not refused."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(message: str) -> int:
    print(f"dojo_py: error: {message}", file=sys.stderr)
    return 2
