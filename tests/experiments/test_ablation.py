"""The ablation: every constant of the solver is switched off once, and counts are what they say."""

from dojo_py import HardOptions, HardSimulator, load_model
from dojo_py.reproduce import ablation
from dojo_py.solver.settings import WITHOUT, SolverSettings


def test_a_row_for_the_solver_as_it_is_and_for_every_constant(monkeypatch):
    counted = []

    def count(options, *where):
        counted.append((options, where))
        return ablation.Count(100, 2, 730)

    for kind in ("robots", "generated", "piles"):
        monkeypatch.setattr(ablation, kind, count)
    report = ablation.run(range(5, 8))
    assert [row[0] for row in report.rows] == ["as it is", *WITHOUT]
    assert {row[2:] for row in report.rows} == {("2/100, 7.30",) * 4}
    tried = [options.solver for options, _ in counted[::4]]
    assert tried == [SolverSettings(), *(SolverSettings(**values) for values in WITHOUT.values())]
    assert [where for _, where in counted[:4]] == [(), (True, range(5, 8)), (False, range(5, 8)), ()]


def test_counts_of_generated_scenes_are_those_of_their_roll_outs():
    """Seed 2: one scene, ordinary or not."""
    ordinary, other = (ablation.generated(HardOptions(), kind, range(2, 3)) for kind in (True, False))
    assert (ordinary.steps == 0) != (other.steps == 0)
    assert ordinary.unsolved == other.unsolved == 0


def test_a_pile_is_bodies_above_a_floor_between_walls():
    model = load_model(ablation.bin_of_spheres(3, 11, timestep=0.002))
    sim = HardSimulator(model)
    assert model.nbody == 12 and model.ngeom == 16 and sim.timestep == 0.002
    assert sim.step(sim.initial_state()).contacts.gap.min() > 0.0
