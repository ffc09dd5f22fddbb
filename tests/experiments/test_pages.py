"""Pages of experiments: one file, what the table says, a figure as vectors and PDF, replays; the index of all shows every table."""

import base64
import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pytest

from dojo_py import HardSimulator
from dojo_py.cli import main
from dojo_py.reproduce import EXPERIMENTS, everything, load
from dojo_py.reproduce.page import write_page
from dojo_py.reproduce.report import MissingPackage, Report


def draw(plt, report):
    figure, axis = plt.subplots()
    axis.plot([0, 1], [2, 3])
    return figure


def a_report(holds=True, name="toy"):
    sim = HardSimulator("box")
    run = sim.rollout(sim.initial_state(keyframe="home"), np.zeros((5, 3)))
    rows = [(1, "x < y"), (None, 2.5)]
    return Report(name, "A toy & more", ("a", "b"), rows, ["a note"], {}, draw, holds, {"a box": run})


def test_a_page_holds_table_figure_and_replay_and_needs_no_other_file(tmp_path):
    pytest.importorskip("viser")
    pytest.importorskip("matplotlib")
    text = write_page(a_report(), tmp_path, 1.0).read_text(encoding="utf-8")
    for words in ("A toy &amp; more", "x &lt; y", "<td>-</td><td>2.5</td>", "a note", "What must hold, holds", "a box", "srcdoc="):
        assert words in text, words
    assert base64.b64decode(re.search(r"data:application/pdf;base64,([^\"]+)", text)[1]).startswith(b"%PDF")
    svg = base64.b64decode(re.search(r"data:image/svg\+xml;base64,([^\"]+)", text)[1]).decode()
    assert "#0072b2" in svg  # the first colour of the palette
    assert not re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="https?:', text)


def test_what_is_not_installed_is_named_on_the_page(tmp_path, monkeypatch):
    from dojo_py.view import extra

    def missing(package):
        raise ImportError(f"{package} is not installed")

    monkeypatch.setattr("dojo_py.view.recording.imported", missing)
    assert extra and "no replays: viser is not installed" in write_page(a_report(), tmp_path).read_text(encoding="utf-8")


def test_every_experiment_has_a_quick_size():
    import inspect

    for name in EXPERIMENTS:
        module = load(name)
        assert set(module.QUICK) <= set(inspect.signature(module.run).parameters), name


def test_all_goes_on_when_one_fails_and_the_index_names_it(tmp_path, monkeypatch, capsys):
    def fails(**_):
        raise ValueError("overflow\nsecond line")

    def lacks(**_):
        raise MissingPackage("mujoco is not installed")

    toys = {
        "good": SimpleNamespace(QUICK={}, run=lambda: dataclasses.replace(a_report(name="good"), replays={})),
        "bad": SimpleNamespace(QUICK={}, run=lambda: dataclasses.replace(a_report(False, "bad"), replays={})),
        "small": SimpleNamespace(
            QUICK={}, QUICK_JUDGED=False, run=lambda: dataclasses.replace(a_report(False, "small"), replays={})
        ),
        "fails": SimpleNamespace(QUICK={}, run=fails),
        "lacks": SimpleNamespace(QUICK={}, run=lacks),
    }
    monkeypatch.setattr(everything, "EXPERIMENTS", {name: ("", "a toy") for name in toys})
    monkeypatch.setattr(everything, "load", toys.__getitem__)
    monkeypatch.setitem(everything.PAPER, "good", "what the paper says")
    told = []
    outcomes, index = everything.run_all(tmp_path, True, tuple(toys), told.append)
    assert any(line.startswith("small: ran, at a size too small") for line in told)
    assert [o.holds for o in outcomes] == [True, False, True, False, False]
    text = index.read_text(encoding="utf-8")
    for words in ("what the paper says", "did not run: ValueError: overflow<", "mujoco is not installed"):
        assert words in text, words
    assert 'href="good.html"' in text
    assert text.count("x &lt; y") == 3 and "too small to judge" in text
    assert (tmp_path / "good.html").exists() and (tmp_path / "bad.csv").exists()
    pages = {name: (tmp_path / f"{name}.md").read_text(encoding="utf-8") for name in ("accuracy", "speed")}
    assert pages["accuracy"].startswith("# Accuracy") and "`dojo_py reproduce all --quick`: dojo_py " in pages["accuracy"]
    for words in ("The paper: what the paper says", "Did not run: ValueError: overflow.", "**What must hold does", "x \\< y"):
        assert words in pages["accuracy"], words
    assert pages["speed"].startswith("# Speed") and "##" not in pages["speed"]
    assert main(["reproduce", "all", "--seeds", "1", "--out", str(tmp_path)]) == 2
    monkeypatch.setattr(everything, "run_all", lambda out, quick, tell: (outcomes, index))
    assert main(["reproduce", "all", "--quick", "--out", str(tmp_path)]) == 1
    said = "3 of 5 ran, 1 hold; bound missed: bad; too small to judge: small; did not run: fails, lacks"
    assert said in capsys.readouterr().out and said in text


def test_all_exits_with_1_for_a_missed_bound_only_when_strict_but_names_it_always(tmp_path, monkeypatch, capsys):
    toys = {
        name: SimpleNamespace(QUICK={}, run=lambda name=name: dataclasses.replace(a_report(name == "good", name), replays={}))
        for name in ("good", "bad")
    }
    monkeypatch.setattr(everything, "load", toys.__getitem__)
    monkeypatch.setattr(everything, "EXPERIMENTS", {name: ("", "a toy") for name in toys})
    run_all = everything.run_all
    monkeypatch.setattr(everything, "run_all", lambda out, quick, tell: run_all(out, quick, tuple(toys), tell))
    for more, status in (([], 0), (["--strict"], 1)):
        assert main(["reproduce", "all", "--quick", "--out", str(tmp_path), *more]) == status
        assert "2 of 2 ran, 1 hold; bound missed: bad" in capsys.readouterr().out
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'class="bad">2 of 2 ran, 1 hold; bound missed: bad<' in text and "What must hold does not" not in text
    assert "What must hold does not: a bound is missed" in (tmp_path / "bad.html").read_text(encoding="utf-8")
    assert main(["reproduce", "table2", "--strict", "--out", str(tmp_path)]) == 2
    assert "--strict: belongs to all" in capsys.readouterr().err


def test_a_quick_size_that_is_too_small_to_judge_says_so_alone_too(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(load("contact"), "run", lambda **_: dataclasses.replace(a_report(False, "contact"), replays={}))
    assert main(["reproduce", "contact", "--quick", "--out", str(tmp_path)]) == 0
    assert "contact: ran, at a size too small to judge its bounds" in capsys.readouterr().out
    text = (tmp_path / "contact.html").read_text(encoding="utf-8")
    assert "too small to judge" in text and "What must hold" not in text
    assert main(["reproduce", "contact", "--out", str(tmp_path)]) == 1


@pytest.mark.parametrize("option", [["--family", "bodies"], ["--seeds", "1:2"], ["--minimise"], ["--workers", "2"]])
def test_the_quick_gauntlet_has_its_own_cases_and_refuses_others(tmp_path, capsys, option):
    assert main(["reproduce", "gauntlet", "--quick", *option, "--out", str(tmp_path)]) == 2
    assert f"{option[0]}: --quick has a family and seeds of its own" in capsys.readouterr().err


@pytest.mark.slow  # 5 to 20 minutes
def test_all_quick_is_complete(tmp_path):
    outcomes, index = everything.run_all(tmp_path, True)
    assert [o.name for o in outcomes if o.report is None] == [] and len(outcomes) == len(EXPERIMENTS)
    assert sum(o.seconds for o in outcomes) < 1200.0
    assert [o.name for o in outcomes if not o.report.replays] == []
    text = index.read_text(encoding="utf-8")
    assert all(o.report.title.split("&")[0][:20] in text for o in outcomes)
