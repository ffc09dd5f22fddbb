"""The experiments as commands: tables, CSV and PNG, with short settings."""

import csv
import sys

import numpy as np
import pytest

from dojo_py.cli import main
from dojo_py.reproduce import (
    EXPERIMENTS,
    ablation,
    conservation,
    figure4,
    figure5,
    figure7,
    figure9,
    load,
    report,
    soft_speed,
    soft_vs_hard,
    speed,
    sweep,
    table2,
    table6,
)  # fmt: skip
from dojo_py.reproduce.gauntlet import load_family
from dojo_py.reproduce.gauntlet.family import Outcome
from dojo_py.reproduce.gauntlet.run import motions
from dojo_py.reproduce.report import MissingPackage, Report, draw, write_csv
from dojo_py.reproduce.scenes import measured_motion

SHORT = {
    "table2": lambda: table2.run((0.1, 0.05), 0.6),
    "figure4": lambda: figure4.run(21, 50),
    "figure5": lambda: figure5.run(0.5),
    "figure7": lambda: figure7.run((20, 50), 0.6),
    "figure9": lambda: figure9.run(0.4),
    "soft_vs_hard": lambda: soft_vs_hard.run(0.4, 0.4, (0.1, 0.05), 0.6, 0.1, 0.5),
    "soft_speed": lambda: soft_speed.run(("pendulum", "raibert_hopper"), 2),
    "sweep": lambda: sweep.run((0.05,), 4),
}


@pytest.mark.parametrize("name", SHORT)
def test_experiment_writes_what_it_prints(name, tmp_path):
    found = SHORT[name]()
    text = str(found)
    assert all(column in text for column in found.columns)
    assert found.replays and all(len(t.time) >= 5 and t.model is not None for t in found.replays.values())
    for file in write_csv(found, tmp_path) + draw(found, tmp_path):
        assert file.stat().st_size > 20, file
    with open(tmp_path / f"{name}.csv", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == list(found.columns) and len(rows) == len(found.rows) + 1


def test_experiments_whose_tables_take_long_have_replays_too():
    """`test_all_quick_is_complete` asks all of them, in its twenty minutes."""
    search = table6.make_search("HalfCheetah", "ARS", 0, "hard", None)
    seeds = {seed: {"gap": Outcome(1, int(seed == 2))} for seed in range(4)}
    played = motions(load_family("scenes"), "scenes", seeds)
    assert list(played) == ["seed 2", "seed 0", "seed 1"] and motions(load_family("api"), "api", seeds) == {}
    found = [*played.values(), *conservation.adrift().values(), ablation.pile(3), table6.episode(search)]
    found.append(measured_motion("panda", 0.01, 20, kappa=3e-4))
    assert all(len(t.time) > 5 and t.model is not None for t in found)


def test_iterations_are_counted_of_steps_that_reach_the_tolerance():
    """The drops of figure 9 reach the smallest one; a trace that ends above it is no iteration count."""
    found = figure9.run(0.2)
    assert found.holds and len(found.rows) == 18 and all(row[4] == 0 and row[3] <= 15 for row in found.rows)
    ends_above = np.array([[1.0, 1.0], [1e-3, 1e-5], [1e-9, 1e-8]])
    counts, never = figure9.iterations_to([ends_above, ends_above[:2]], 1e-6)
    assert counts.tolist() == [2] and never == 1
    assert figure9.iterations_to([ends_above], 1e-12)[0].tolist() == []


def test_chains_that_cost_more_than_linear_miss_their_bound(monkeypatch):
    monkeypatch.setattr(speed, "ROBOTS", ())
    monkeypatch.setattr(speed, "measured_motion", lambda *_: None)
    monkeypatch.setattr(speed, "parameter_times", lambda _: (1, 1.0, 1.0, 1.0))
    for power, holds in ((1.0, True), (1.2, False)):
        monkeypatch.setattr(speed, "chain_step_time", lambda links, power=power: 1e-6 * links**power)
        assert speed.run().holds == holds


def test_every_experiment_can_be_asked_for():
    for name in EXPERIMENTS:
        assert callable(load(name).run)


def a_report(holds=True):
    curve = {"x": np.arange(3.0), "y": np.arange(2.0)}
    return Report("toy", "A toy", ("a", "b"), [(1, "x")], ["a note"], {"c": curve}, lambda plt, _: plt.figure(), holds)


def test_the_command_writes_and_says_whether_it_holds(capsys, tmp_path, monkeypatch):
    module = load("table2")
    for holds in (True, False):
        monkeypatch.setattr(module, "run", lambda holds=holds: a_report(holds))
        assert main(["reproduce", "table2", "--out", str(tmp_path / "new" / "folder")]) == (0 if holds else 1)
    assert "A toy" in capsys.readouterr().out
    names = sorted(file.name for file in (tmp_path / "new" / "folder").iterdir())
    assert names == ["toy.csv", "toy.html", "toy.pdf", "toy.png", "toy_c.csv"]


def test_without_matplotlib_the_table_is_written_and_the_remedy_named(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(load("table2"), "run", a_report)
    assert main(["reproduce", "table2", "--out", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert 'pip install "dojo-sim[plot]"' in captured.err and (tmp_path / "toy.csv").exists()


def test_without_mujoco_the_comparison_says_what_to_install(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert report.import_mujoco() is None
    with pytest.raises(MissingPackage, match=r"dojo-sim\[mujoco\]"):
        report.import_mujoco(required=True)
    monkeypatch.delitem(sys.modules, "dojo_py.reproduce.gauntlet.soft", raising=False)
    for family in ("scenes", "soft"):
        assert main(["reproduce", "gauntlet", "--family", family, "--seeds", "0:1", "--out", str(tmp_path)]) == 2
        assert "dojo-sim[mujoco]" in capsys.readouterr().err
