"""The README's code runs and prints what it says; its commands are those of the tests and of .ci/run."""

import contextlib
import io
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_python_block_runs_and_prints_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    assert len([line for line in code.splitlines() if line and not line.startswith("#")]) <= 12
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    shown = re.findall(r"# prints: (.*)", code)
    assert shown, "the README must show what its code prints"
    for expected, line in zip(shown, printed.getvalue().splitlines(), strict=True):
        assert line == expected


def test_every_command_of_the_readme_exists():
    from dojo_py.cli import build_parser

    commands = set(re.findall(r"dojo_py ([a-z]+)", "\n".join(blocks("sh")))) | set(re.findall(r"`dojo_py ([a-z]+)", README))
    assert "simulate" in commands and "reproduce" in commands
    known = build_parser().format_help()
    assert all(re.search(rf"^ +{command}\b", known, re.MULTILINE) for command in commands), (commands, known)


def test_ci_runs_the_test_command_of_the_readme():
    test_command = re.search(r"pip install \"\.\[test\]\".*&& \.venv/bin/(pytest.*)$", README, re.MULTILINE)
    assert test_command, "the README's second command installs and passes the tests"
    assert test_command.group(1) in (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_figures_and_links_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (REPOSITORY / target).exists(), target
