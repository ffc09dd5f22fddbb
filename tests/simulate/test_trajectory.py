"""Trajectory files: numbers and JSON, exact there and back, anything else refused; statuses."""

import dataclasses
import json
import pickle

import numpy as np
import pytest

from dojo_py import Status, Trajectory, load_trajectory
from dojo_py.simulate.results import Contacts, State


def example(steps: int = 4, maximal: bool = True) -> Trajectory:
    rng = np.random.default_rng(0)
    return Trajectory(
        time=np.arange(steps + 1) * 0.01,
        qpos=rng.normal(size=(steps + 1, 7)),
        qvel=rng.normal(size=(steps + 1, 6)),
        act=np.zeros((steps + 1, 0)),
        control=rng.normal(size=(steps, 2)),
        status=np.array([0, 0, 1, 0][:steps]),
        iterations=np.arange(steps),
        residual=rng.random(steps),
        complementarity=rng.random(steps),
        min_gap=np.full(steps, np.inf),
        maximal=rng.normal(size=(steps + 1, 2, 13)) if maximal else None,
        bodies=rng.normal(size=(steps + 1, 1, 13)) if maximal else None,
        impulses=rng.normal(size=(steps + 1, 8)) if maximal else None,
        metadata={"model": "box", "timestep": 0.01},
    )


@pytest.mark.parametrize("maximal", [True, False])
def test_save_and_load_give_back_every_bit(tmp_path, maximal):
    saved = example(maximal=maximal)
    saved.save(tmp_path / "run.npz")
    loaded = load_trajectory(tmp_path / "run.npz")
    for item in dataclasses.fields(Trajectory):
        a, b = getattr(saved, item.name), getattr(loaded, item.name)
        assert a == b if not isinstance(a, np.ndarray) else np.array_equal(a, b), item.name
    assert loaded.unsolved == 1 and len(loaded) == 4


def test_states_of_a_trajectory():
    run = example()
    assert np.array_equal(run.final_state.qpos, run.qpos[-1]) and run.final_state.time == run.time[-1]
    assert np.array_equal(run.state(1).exact.bodies, run.bodies[1])
    assert run.state(-5).time == 0.0
    with pytest.raises(IndexError):
        run.state(5)


def test_files_hold_no_pickle_and_none_is_loaded(tmp_path):
    example().save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert json.loads(str(file["metadata"]))["format"] == "dojo_py trajectory 1"
    arrays = {item.name: getattr(example(), item.name) for item in dataclasses.fields(Trajectory)}
    arrays["status"] = np.array([print], dtype=object)
    np.savez(tmp_path / "bad.npz", **{k: v for k, v in arrays.items() if k != "metadata"}, metadata=np.array("{}"))
    with pytest.raises(ValueError, match="not a trajectory"):
        load_trajectory(tmp_path / "bad.npz")
    (tmp_path / "raw.npz").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ValueError, match="not a trajectory"):
        load_trajectory(tmp_path / "raw.npz")


@pytest.mark.parametrize("damage", ["missing", "rows", "format", "text", "json", "empty", "npy"])
def test_damaged_files_are_refused_with_the_path(tmp_path, damage):
    run = example()
    arrays = {item.name: getattr(run, item.name) for item in dataclasses.fields(Trajectory) if item.name != "metadata"}
    arrays["metadata"] = np.array(json.dumps({"format": "dojo_py trajectory 1"}))
    if damage == "missing":
        del arrays["qvel"]
    elif damage == "rows":
        arrays["qpos"] = arrays["qpos"][:-1]
    elif damage == "format":
        arrays["metadata"] = np.array(json.dumps({"format": "other"}))
    elif damage == "text":
        arrays["residual"] = np.array(["a"] * 4)
    elif damage == "json":
        arrays["metadata"] = np.array("{")
    path = tmp_path / "bad.npz"
    if damage == "empty":
        path.write_bytes(b"")
    elif damage == "npy":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    else:
        np.savez(path, **arrays)
    with pytest.raises(ValueError, match="bad.npz"):
        load_trajectory(path)


@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        ("qpos", lambda a: a[:, 0], "qpos has shape"), ("qpos", lambda a: a[..., None], "expected 2 axes"),
        ("status", lambda a: np.stack([a, a], axis=1), "status has shape"), ("time", lambda a: a[::-1], "time does not go on"),
        ("time", lambda a: a * np.nan, "time does not go on"), ("metadata", lambda m: {**m, "timestep": [1]}, "timestep="),
        ("metadata", lambda m: {**m, "timestep": -1.0}, "timestep="),
    ],
)  # fmt: skip
def test_arrays_of_other_shapes_and_times_that_do_not_go_on_are_refused(tmp_path, name, damage, said):
    run = example()
    dataclasses.replace(run, **{name: damage(getattr(run, name))}).save(tmp_path / "bad.npz")
    with pytest.raises(ValueError, match=said):
        load_trajectory(tmp_path / "bad.npz")


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"path: No such file or directory: '.*none\.npz'"):
        load_trajectory(tmp_path / "none.npz")
    with pytest.raises(FileNotFoundError, match=r"no such folder to write to: '.*none/run\.npz'"):
        example().save(tmp_path / "none" / "run.npz")


def test_another_programs_file_is_told_once(tmp_path):
    """A traceback showed the sentence, and the one that it was made of."""
    np.savez(tmp_path / "other.npz", qpos=np.zeros(3))
    (tmp_path / "words.npz").write_text("these are words")
    for name, said in (("other", r"it has no \['act', .*"), ("words", "not an .npz file")):
        with pytest.raises(ValueError, match=rf"{name}\.npz: not a trajectory file \({said}\)") as caught:
            load_trajectory(tmp_path / f"{name}.npz")
        assert caught.value.__cause__ is None


def test_every_failure_says_what_to_try():
    assert Status.SOLVED == 0
    for status in Status:
        assert status.message and (status == 0 or ":" in status.message)


def test_statuses_mirror_the_steps_constants():
    from dojo_py.hard import statuses

    for name in ("SOLVED", "MAX_ITERATIONS", "STALLED", "SINGULAR", "TOO_FAST", "NOT_FINITE"):
        assert Status[name] == getattr(statuses, name)


def test_records_are_frozen():
    state = State(np.zeros(1), np.zeros(1), np.zeros(0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.time = 1.0  # type: ignore[misc]


def test_contact_names_and_world_impulse():
    frame = np.array([[[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]])
    table = Contacts(
        np.array([[1, 0]]), np.array([[2, 0]]), np.zeros((1, 3)), frame, np.zeros(1), np.array([[3.0, 1, 2]]),
        ("world", "box"), ("floor", "", "corner"),
    )  # fmt: skip
    assert table.body_names == [("box", "world")] and table.geom_names == [("corner", "floor")]
    assert table.world_impulse.tolist() == [[1.0, 2.0, 3.0]] and len(table) == 1
