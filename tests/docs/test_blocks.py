"""Every Python block of the documentation runs, page by page in one namespace, and prints what its comments say."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "```python" in page.read_text(encoding="utf-8")]
SLOW = {"planning.md", "view.md", "coming_from/brax_mjx.md", "jax.md", "guides/machines.md", "guides/identification.md"}
"""Plans several times; draws replays; compiles with JAX (both); starts Dask and Ray; fits: a quarter to half a minute each."""
NEEDS = {
    "jax.md": ["jax"], "brax_mjx.md": ["jax"], "environments.md": ["gymnasium"], "view.md": ["viser"],
    "planning.md": ["matplotlib"], "policy_search.md": ["gymnasium"], "machines.md": ["distributed", "ray"],
}  # fmt: skip


def blocks(page):
    """(line of the first row, code) of the Python blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start()) + 2, m[1]) for m in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]


def marked(page):
    marks = [pytest.mark.slow] if page.relative_to(DOCS).as_posix() in SLOW else []
    return pytest.param(page, id=str(page.relative_to(DOCS)), marks=marks)


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
@pytest.mark.filterwarnings("default")
def test_the_blocks_of_a_page_run_and_print_what_they_say(page, tmp_path, monkeypatch):
    for module in NEEDS.get(page.name, []):
        pytest.importorskip(module, reason=f"{module} is not installed")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    scope: dict = {"__name__": "__main__"}
    for line, code in blocks(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), scope)  # noqa: S102
        shown = re.findall(r"^ *# prints: (.*)$", code, re.M)
        assert [row for row in shown if row not in printed.getvalue().splitlines()] == [], printed.getvalue()


def test_there_are_pages_with_code():
    assert len(PAGES) >= 18


def test_no_python_block_hides_from_the_test():
    """Fences of Python are all written in the one way that the test finds."""
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(r"^\s*(?:```|~~~) *(?:python|py)\b.*$", text, re.M)) == len(blocks(page)), page


def shell_lines():
    """(page, command line) of the shell blocks of README and documentation, one command each."""
    for page in (DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))):
        for block in re.findall(r"^```(?:sh|bash)?\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
            for line in block.splitlines():
                yield from ((page.name, part.split("#")[0].strip()) for part in line.split("&&"))


def test_commands_in_shell_blocks_are_accepted():
    """Words and options of every `dojo_py ...` that a reader may copy; nothing is run."""
    from dojo_py.cli import build_parser

    seen = 0
    for page, line in shell_lines():
        found = re.match(r"(?:\S*/bin/)?dojo_py (.*)$", line)
        if found:
            try:
                build_parser().parse_args(found[1].split())
            except SystemExit:
                pytest.fail(f"{page}: {line}")
            seen += 1
    assert seen >= 8
