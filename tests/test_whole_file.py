"""Whatever we write is there whole or not at all."""

import os
import stat
from types import SimpleNamespace

import numpy as np
import pytest

import dojo_py
from dojo_py.planning import control_cost, ilqr
from dojo_py.policy.checkpoint import write_checkpoint
from dojo_py.whole_file import whole_file, write_arrays, write_text

TEXT = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom type="sphere" size=".1" pos="0 0 -.5"/></body></worldbody>
  <actuator><motor joint="j" ctrlrange="-1 1"/></actuator></mujoco>"""


class Full(Exception):
    """The disk is full."""


def fail_after(write):
    """The function, which fails when it has done its work."""

    def failing(*arguments, **more):
        write(*arguments, **more)
        raise Full

    return failing


@pytest.fixture(scope="module")
def run():
    sim = dojo_py.HardSimulator(dojo_py.load_model(TEXT))
    trajectory = sim.rollout(sim.initial_state([0.5]), np.zeros((5, 1)))
    plan = ilqr(sim, sim.initial_state(), np.zeros((3, 1)), stage=control_cost(sim.model, 1.0))
    return SimpleNamespace(model=sim.model, trajectory=trajectory, plan=plan)


WRITERS = {
    "run.npz": ("numpy.savez", lambda run, path: run.trajectory.save(path)),
    "plan.npz": ("numpy.savez", lambda run, path: run.plan.save(path)),
    "search.npz": ("numpy.savez", lambda run, path: write_checkpoint(path, {}, {})),
    "model.xml": ("pathlib.Path.write_text", lambda run, path: dojo_py.save_mjcf(run.model, path)),
    "plan.png": ("matplotlib.figure.Figure.savefig", lambda run, path: run.plan.plot(run.model, path=path)),
    "run.html": ("pathlib.Path.write_text", lambda run, path: _view().replay(run.model, run.trajectory, path)),
    "run.png": ("PIL.Image.Image.save", lambda run, path: _view().picture(run.model, run.trajectory, path)),
    "run.gif": ("PIL.Image.Image.save", lambda run, path: _view().film(run.model, run.trajectory, path)),
    "run.mp4": ("dojo_py.view.films._write_mp4", lambda run, path: _view().film(run.model, run.trajectory, path)),
}


def _view():
    pytest.importorskip("viser"), pytest.importorskip("av")
    import dojo_py.view

    return dojo_py.view


@pytest.mark.parametrize("name", WRITERS)
def test_a_failed_write_leaves_what_was_there(name, run, tmp_path, monkeypatch):
    """Half a film, page or archive lay there, over the one before."""
    inner, write = WRITERS[name]
    place, _, attribute = inner.rpartition(".")
    pytest.importorskip(place.split(".")[0])
    target = tmp_path / name
    write(run, target)
    size, names = target.stat().st_size, os.listdir(tmp_path)
    assert size > 0 and names == [name]
    owner = pytest.importorskip(place) if place.islower() else _class(place)
    monkeypatch.setattr(owner, attribute, fail_after(getattr(owner, attribute)))
    target.write_bytes(b"before")
    for path in (target, tmp_path / ("other" + target.suffix)):
        with pytest.raises(Full):
            write(run, path)
    assert os.listdir(tmp_path) == [name] and target.read_bytes() == b"before"


def _class(place):
    module, _, name = place.rpartition(".")
    return getattr(pytest.importorskip(module), name)


def test_arrays_of_objects_are_no_file(tmp_path):
    with pytest.raises(TypeError, match="thing: object"):
        write_arrays(tmp_path / "a.npz", {"number": 1.0, "thing": np.array([None])})
    assert not os.listdir(tmp_path)


def test_links_and_permissions_stay(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink() and real.read_text() == "new" and stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_device_is_written_to_as_it_is():
    write_text(os.devnull, "gone")
    assert not os.path.isfile(os.devnull)


NOWHERE = [("", IsADirectoryError), ("none/x.txt", FileNotFoundError), ("file/x.txt", NotADirectoryError)]


@pytest.mark.parametrize(("name", "kind"), NOWHERE)
def test_what_cannot_be_written_is_named_before_the_work(name, kind, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(kind) as found, whole_file(f"{tmp_path}/{name}"):
        pytest.fail("nothing is written")
    assert found.value.filename == f"{tmp_path}/{name}"
