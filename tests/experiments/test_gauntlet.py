"""The gauntlet: its counts, its minimiser, its command, and the fixed seeds of every family that is there."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest
import toy_family
from default_run import some
from gauntlet_default import DEFAULT, outcomes, seeds_of
from gauntlet_known import KNOWN

from dojo_py import HardSimulator, Status, load_model
from dojo_py.cli import main
from dojo_py.reproduce import load
from dojo_py.reproduce.gauntlet import FAMILIES, load_family, scenes
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.judge import CRASH, WORK, judge, judge_seed
from dojo_py.reproduce.gauntlet.minimise import minimise
from dojo_py.reproduce.gauntlet.run import report as table
from dojo_py.reproduce.gauntlet.run import run
from dojo_py.reproduce.gauntlet.scene_gaps import pairs_of, support
from dojo_py.reproduce.gauntlet.scene_run import simulate
from dojo_py.reproduce.gauntlet.scene_status import status_outcomes
from dojo_py.reproduce.gauntlet.shrink_mjcf import shrink

WRITTEN = [name for name in FAMILIES if importlib.util.find_spec(f"dojo_py.reproduce.gauntlet.{name}")]


def toys(seeds, **settings):
    return run("toy", seeds, module="toy_family", **settings)


def rows(report):
    return {row[0]: row[1:] for row in report.rows}


# the machinery


def test_counts_and_seeds_of_every_property():
    report = toys(range(0, 20, 2), workers=2)
    found = rows(report)
    assert found["no thirteen"] == (9, 3, sum(range(2, 20, 2)), 3, 1.0, "14 16 18")
    assert found["few"][:2] == (9, 5) and found["few"][4] == 18.0
    assert found[CRASH][:2] == (10, 0) and not report.holds
    assert list(report.curves["broken"]["seed"]) == [14, 16, 18, 10, 12, 14, 16, 18]
    assert toys(range(3)).holds


@pytest.mark.parametrize(("family", "name"), [("gradients", "close"), ("touching", "close"), ("shapes", "solved, other")])
def test_a_property_holds_up_to_the_share_that_its_text_allows(family, name):
    loaded = load_family(family)
    assert "at most 0.1 %" in loaded.PROPERTIES[name] and set(loaded.ALLOWED) == {name}
    for broken, holds in ((0, True), (1, True), (2, False)):
        found = {0: {name: Outcome(500, 0), "together": Outcome(9, 0)}, 1: {name: Outcome(500, broken)}}
        assert table(loaded, family, found).holds == holds
    assert not table(loaded, family, {0: {name: Outcome(1, 1)}}).holds
    assert not table(loaded, family, {0: {"together": Outcome(10**6, 1)}}).holds


def test_a_case_that_hangs_raises_or_ends_its_process_is_a_finding(tmp_path):
    report = toys([1, toy_family.HANGS, 2, toy_family.DIES, toy_family.RAISES, 3], minimised=1, out=tmp_path)
    found = rows(report)
    assert found["few"][:2] == (3, 0)
    assert found[WORK][:2] == (1, 1) and found[WORK][-1] == str(toy_family.HANGS)
    assert found[CRASH][1] == 2 and found[CRASH][-1] == f"{toy_family.RAISES} {toy_family.DIES}"
    said = " ".join(report.notes)
    assert "not done after 1 s" in said and "status 7" in str(report.curves["broken"]["where"])
    assert "KeyError: 'no such number' (toy_family.py" in str(judge_seed(toy_family, toy_family.RAISES)[CRASH].where)


def test_a_case_is_minimised_to_what_breaks_the_property():
    smallest = minimise(toy_family, tuple(range(40)), "no thirteen", lambda case: judge(toy_family, case))
    assert smallest is not None and smallest.case == (13,) and smallest.tried < 40
    smallest = minimise(toy_family, tuple(range(40)), "few", lambda case: judge(toy_family, case))
    assert smallest is not None and len(smallest.case) == 9 and smallest.outcome.where == "9 numbers"
    assert minimise(toy_family, (1, 2), "few", lambda case: judge(toy_family, case)) is None


def test_the_smallest_cases_are_written_with_the_command_that_repeats_them(tmp_path):
    report = toys(range(12, 16), minimised=1, out=tmp_path)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == ["gauntlet_toy_few_12.py", "gauntlet_toy_no_thirteen_14.py"]
    text = (tmp_path / files[1]).read_text(encoding="utf-8")
    assert "# breaks: no thirteen: entry 0" in text and "gauntlet --family toy --seeds 14:15" in text
    assert text.endswith("case = (13,)\n") and any(files[1] in note for note in report.notes)


SCENE = """<mujoco><option timestep="0.0123"/><worldbody><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1"><freejoint/><geom size="0.12345"/>
  <body name="b" pos="0.5 0 0"><joint name="hinge" axis="0 1 0"/><geom size="0.1"/></body></body>
<body name="c" pos="3 0 0.1"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody>
<equality><connect body1="b" body2="c" anchor="0 0 0"/></equality>
<actuator><motor joint="hinge"/><motor name="push" site="s"/></actuator></mujoco>"""


def test_shrinking_an_mjcf_keeps_the_start_of_what_is_left():
    xml = SCENE.replace('<motor name="push" site="s"/>', "")
    case = Case(xml, 0.0123, None, np.arange(1.0, 9.0), np.full((30, 1), 0.7))
    smaller = list(shrink(case))
    assert len(smaller) > 40
    for found in smaller:
        model = load_model(found.xml)
        assert found.controls.shape[1] == model.nu and (found.qvel is None or found.qvel.shape == (model.nv,))
    without_a = next(c for c in smaller if 'name="a"' not in c.xml)
    assert list(without_a.qvel) == [8.0] and without_a.controls.shape == (30, 0) and "connect" not in without_a.xml
    without_b = next(c for c in smaller if 'name="b"' not in c.xml and 'name="a"' in c.xml)
    assert list(without_b.qvel) == [1, 2, 3, 4, 5, 6, 8]
    assert any(len(c.controls) == 1 for c in smaller) and any('size="0.12"' in c.xml for c in smaller)
    assert any(c.timestep == 0.01 for c in smaller) and any(c.qvel is None for c in smaller)


def test_a_written_scene_can_be_checked_again():
    case = replace(scenes.generate(8), settings={"ordinary": True, "kind": "toy"})
    place = {}
    exec(scenes.describe(case), place)
    again = place["case"]
    assert again.xml.strip() == case.xml.strip() and again.timestep == case.timestep and again.settings == case.settings
    assert np.array_equal(again.controls, case.controls)
    assert (again.qvel is None) == (case.qvel is None) or np.array_equal(again.qvel, case.qvel)


# the oracles of scenes

SHAPES = {
    "sphere": "0.3",
    "capsule": "0.1 0.4",
    "box": "0.1 0.2 0.3",
    "cylinder": "0.2 0.3",
    "ellipsoid": "0.1 0.2 0.3",
}


@pytest.mark.parametrize("kind", SHAPES)
def test_gaps_above_a_plane_are_those_of_the_wheel(kind):
    """Where the wheel is exact: cylinders tilted by less than 1e-3 are left out."""
    import mujoco

    body = f'<body><freejoint/><geom type="{kind}" size="{SHAPES[kind]}"/></body>'
    wheel = mujoco.MjModel.from_xml_string(f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{body}</worldbody></mujoco>')
    data, rng = mujoco.MjData(wheel), np.random.default_rng(0)
    for _ in range(100):
        data.qpos[:] = rng.normal(size=7)
        data.qpos[3:] /= np.linalg.norm(data.qpos[3:])
        mujoco.mj_kinematics(wheel, data)
        n = data.geom_xmat[1].reshape(3, 3)[2:3]
        gap = data.geom_xpos[1, 2] - support(wheel.geom_type[1:], wheel.geom_size[1:], n)[0]
        assert abs(gap - mujoco.mj_geomDistance(wheel, data, 0, 1, 10.0, None)) < 1e-12


@pytest.mark.parametrize("seed", [3, 7, 13, 28, 100])
def test_pairs_of_geoms_are_those_that_the_simulator_looks_at(seed):
    import mujoco

    case = scenes.generate(seed)
    sim = HardSimulator(load_model(case.xml), timestep=case.timestep)
    listed = np.concatenate([sim.world.planes.geom, sim.world.pairs.geom])
    ours = {frozenset(pair) for pair in listed.tolist()}
    pairs = pairs_of(mujoco.MjModel.from_xml_string(case.xml))
    assert ours == {frozenset(pair) for pair in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)} and ours


def test_ordinary_scenes_are_half_of_all_and_kinds_are_all_there():
    cases = [scenes.generate(seed) for seed in range(200)]
    assert 60 < sum(case.settings["ordinary"] for case in cases) < 140
    assert {case.settings["kind"] for case in cases} == {kind.__name__ for kind in scenes.KINDS}
    assert all(case.timestep <= 0.01 for case in cases if case.settings["ordinary"])


@pytest.mark.parametrize("status", [Status.SINGULAR, Status.STALLED, Status.TOO_FAST])
def test_a_failure_after_which_everything_moved_is_not_honest(status):
    """The same step is when a body stayed, or when it is INEXACT."""
    run = simulate(scenes.generate(3))
    assert run.solved.all() and not run.substeps.max() > 1

    def dishonest(run, status):
        found = run._replace(status=np.where(np.arange(len(run.status)) == 3, int(status), run.status))
        return status_outcomes(found, True)["honest failure"].broken

    assert dishonest(run, status) == 1 and dishonest(run, Status.INEXACT) == 0
    stayed = run.maximal.copy()
    stayed[4, 1] = stayed[3, 1]
    assert dishonest(run._replace(maximal=stayed), status) == 0


# the command


@pytest.mark.parametrize(
    ("argv", "part"),
    [
        (["gauntlet"], "--family is missing, one of scenes"),
        (["gauntlet", "--family", "scense", "--seeds", "0:1"], "did you mean 'scenes'"),
        (["gauntlet", "--family", "scenes"], "--seeds is missing"),
        (["gauntlet", "--family", "scenes", "--seeds", "5:5"], "no seed from 5"),
        (["gauntlet", "--family", "scenes", "--seeds", "a"], "--seeds a"),
        (["gauntlet", "--family", "scenes", "--seeds=-1:4"], "--seeds -1:4"),
        (["gauntlet", "--family", "scenes", "--seeds", "0:1", "--workers", "0"], "--workers 0"),
        (["table2", "--seeds", "0:1"], "belongs to the gauntlet"),
    ],
)
def test_mistakes_are_one_line(capsys, tmp_path, argv, part):
    assert main(["reproduce", *argv, "--out", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert part in message and message.count("\n") == 1


@pytest.mark.parametrize("seed, status", [(8, 0), (14, 1)])
def test_the_command_prints_the_counts_and_says_whether_all_hold(capsys, tmp_path, monkeypatch, seed, status):
    module = load("gauntlet")
    monkeypatch.setattr(module, "run", lambda **given: toys(given["seeds"]))
    argv = ["reproduce", "gauntlet", "--family", "scenes", "--seeds", f"{seed}:{seed + 1}", "--out", str(tmp_path)]
    assert main(argv) == status
    said = capsys.readouterr().out
    assert "no thirteen" in said and "seeds that break it" in said
    assert ("first: no thirteen, seed 14: entry 13" in said) == bool(status)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["gauntlet_toy.csv", "gauntlet_toy.html", "gauntlet_toy_broken.csv"]


# the families


@pytest.mark.parametrize("name", WRITTEN)
def test_a_family_has_what_the_gauntlet_asks_of_it(name):
    family = load_family(name)
    assert family.TITLE and family.PROPERTIES and len(set(family.FIXED)) == len(family.FIXED) > 0
    assert set(DEFAULT.get(name, ())) | {s for known in KNOWN.get(name, {}).values() for s in known.seeds} <= set(family.FIXED)
    one, again = family.generate(family.FIXED[0]), family.generate(family.FIXED[0])
    assert family.describe(one) == family.describe(again)


RUNS = some(["default", "all"], ["default"])
"""Fixed seeds of gauntlet_default.py, which are chosen by rule; all fixed seeds, among which every seed is that ever failed."""


def broken_seeds(name, prop, seeds):
    """Seed -> where it breaks the property."""
    found = {seed: outcomes(name, seed) for seed in seeds}
    return {seed: row[prop].where for seed, row in found.items() if prop in row and row[prop].broken}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("run", RUNS)
def test_fixed_seeds_break_nothing_that_is_not_known(run, name):
    """All fixed seeds in the run "all", among them every seed that ever failed; in the default run those of gauntlet_default.py."""
    # (None of 514 seeds of `gradients` is at a kink since capsules side by side, as of seed 1525, have the mean of both sides,
    # which counts as good. The judge's own test has a kink.)
    seeds = seeds_of(name, run)
    properties = {prop for seed in seeds for prop in outcomes(name, seed)}
    missing = set(load_family(name).PROPERTIES) - properties
    assert missing <= ({"kink"} if name == "gradients" else set()), "fixed seeds must reach every property"
    known = KNOWN.get(name, {})
    new = {prop: broken_seeds(name, prop, seeds) for prop in properties}
    for prop, broken in known.items():
        if prop in new:
            new[prop] = {seed: where for seed, where in new[prop].items() if seed not in broken.seeds}
    assert not any(new.values()), {prop: found for prop, found in new.items() if found}


def known_failures():
    """Family, property, seeds that break it: of the default run, where it has any, and of all. Strict, unless round-off decides."""
    for name, rows_ in KNOWN.items():
        for prop, known in rows_.items() if name in WRITTEN else ():
            of_default = tuple(seed for seed in known.seeds if seed in DEFAULT.get(name, known.seeds))
            for which, seeds, marks in (("default", of_default, []), ("all", known.seeds, [pytest.mark.slow])):
                xfail = pytest.mark.xfail(strict=not set(seeds) <= set(known.round_off), reason=known.reason)
                if seeds:
                    yield pytest.param(name, prop, seeds, marks=[*marks, xfail], id=f"{which}-{name}-{prop}")


@pytest.mark.parametrize(("name", "prop", "seeds"), list(known_failures()))
def test_known_failures(name, prop, seeds):
    """A property is taken out of gauntlet_known.py once no seed breaks it. The default run asks seeds of gauntlet_default.py."""
    assert not broken_seeds(name, prop, seeds)
