"""Figure 4: what derivatives at κ must show beside point-wise ones and randomised smoothing."""

from dojo_py.reproduce import figure4


def test_relaxed_derivatives_see_contact_ahead_and_tend_to_the_point_wise_ones():
    """Measured at κ 1e-4, 0.1 N before the switch: 1.0 (friction) and 4.2 mm/N (impact) where the point-wise one is 0."""
    found = figure4.run(41, 100)
    print(found)
    assert found.holds
    relaxed = {(row[0], row[2]): row for row in found.rows if row[1] == "relaxed"}
    smoothing = [row for row in found.rows if row[1] == "smoothing"]
    for case, _ in figure4.CASES:
        before = [relaxed[case, f"kappa {kappa:g}"][4] for kappa in figure4.KAPPAS]
        apart = [relaxed[case, f"kappa {kappa:g}"][6] for kappa in figure4.KAPPAS]
        assert before[0] > 0.5 and before == sorted(before, reverse=True) and before[-1] > 0.0
        assert apart[-1] < 1e-2 and apart == sorted(apart, reverse=True)
    slowest = max(row[7] for row in relaxed.values())
    fastest = min(row[7] for row in smoothing)
    print(f"smoothing with 100 samples takes {fastest / slowest:.0f} times as long (500: five times that)")
    assert fastest > 5 * slowest
    noise = [row[5] for row in smoothing if row[2] == "variance 0.01"]
    assert max(row[5] for row in relaxed.values()) < 1e-2 < min(noise)
