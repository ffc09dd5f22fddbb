"""The broad phase against all pairs looked at one by one."""

import numpy as np
import pytest

from dojo_py.collision.sweep import allocate_sweep, find_near, pair_index, set_box, sort_numbers
from dojo_py.jit import entry


@entry
def near_of(index, S, centre, reach):
    """The pairs whose boxes about spheres overlap; a box for each geom of the index."""
    for i in range(index.box_geom.shape[0]):
        g = index.box_geom[i]
        set_box(S, i, centre[g, 0], centre[g, 1], centre[g, 2], reach[g])
    find_near(index, S)


@entry
def sort_first(x, n):
    """`sort_numbers` for Python."""
    sort_numbers(x, n)


def scattered(rng: np.random.Generator, n: int, flat: int) -> np.ndarray:
    """Points in a box that is thin along `flat` axes."""
    return rng.random((n, 3)) * np.array([1.0, 1.0, 1.0 if flat < 1 else 0.01]) * (1.0 if flat < 2 else np.array([0.01, 1, 1]))


@pytest.mark.parametrize("seed", range(6))
def test_the_same_pairs_as_all_pairs(seed: int) -> None:
    """Pairs within reach are found wherever the bodies went since the last call, in the order of the model's pairs."""
    rng = np.random.default_rng(seed)
    n = 60
    geoms = np.array([(i, k) for i in range(n) for k in range(i + 1, n) if rng.random() < 0.6])
    geoms = np.concatenate([geoms, geoms[rng.integers(0, len(geoms), 5)][:, ::-1]])  # the model's own pairs come twice
    geoms = geoms[rng.permutation(len(geoms))]
    boundless = np.zeros(n, bool)
    boundless[rng.integers(0, n, 2)] = True
    index = pair_index(geoms, boundless)
    work = allocate_sweep(index, len(geoms))
    for turn in range(8):
        centre, reach = scattered(rng, n, turn % 3), 0.1 * rng.random(n)
        near_of(index, work, centre, reach)
        assert work.found[1] == 0
        found = work.near[: work.found[0]]
        apart = np.abs(centre[geoms[:, 0]] - centre[geoms[:, 1]]).max(axis=1)
        within = (apart <= reach[geoms].sum(axis=1)) | boundless[geoms].any(axis=1)
        assert found.tolist() == np.flatnonzero(within).tolist()
        fresh = allocate_sweep(index, len(geoms))
        near_of(index, fresh, centre, reach)
        assert fresh.near[: fresh.found[0]].tolist() == found.tolist(), "whatever was sorted before"


def test_no_room_is_told_and_nothing_is_written_beyond() -> None:
    """All boxes in one place: the room at first is linear in them, what does not fit is counted."""
    n = 100
    geoms = np.stack(np.triu_indices(n, 1), axis=1)
    index = pair_index(geoms, np.zeros(n, bool))
    work = allocate_sweep(index)
    assert len(work.near) < 1000
    near_of(index, work, np.zeros((n, 3)), np.ones(n))
    assert work.found.sum() == len(geoms) and work.found[0] == len(work.near)


def test_poses_that_are_not_numbers_are_near_nothing() -> None:
    """A world that diverged costs no more than others."""
    geoms = np.stack(np.triu_indices(20, 1), axis=1)
    index = pair_index(geoms, np.zeros(20, bool))
    work = allocate_sweep(index)
    near_of(index, work, np.full((20, 3), np.nan), np.ones(20))
    assert work.found[0] == 0


def test_sorting() -> None:
    """Against numpy, sorted and not, with repetitions."""
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 7, 100):
        for x in (rng.integers(0, 50, n + 3), np.arange(n + 3), np.arange(n + 3)[::-1].copy()):
            want = np.concatenate([np.sort(x[:n]), x[n:]])
            sort_first(x, n)
            assert x.tolist() == want.tolist()
