"""Times of samples: read from files, compared with the simulator's steps, and gaps that are not filled in silence."""

from dataclasses import replace

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.identification import Recording, Unknown, fit_restitution, identify, read_recording, resample, rollout_errors

PENDULUM = """<mujoco><worldbody><body name="bob"><joint name="pivot" axis="0 1 0" damping="0.02"/>
<geom type="sphere" size="0.05" pos="0 0 -0.5" mass="1"/></body></worldbody><actuator><motor joint="pivot"/></actuator></mujoco>"""


def swing(h, steps=40):
    """(simulator, trajectory) at a time step."""
    sim = HardSimulator(load_model(PENDULUM), h)
    return sim, sim.rollout(sim.initial_state([0.5]), np.zeros((steps, 1)))


@pytest.fixture
def saved(tmp_path):
    """A trajectory in steps of 20 ms, which holds its times."""
    _, run = swing(0.02)
    run.save(tmp_path / "run.npz")
    return tmp_path / "run.npz"


def test_a_recording_at_another_time_step_is_refused(saved):
    """It was fitted, with 0.75 times the damping, without a word."""
    read = read_recording(saved)
    assert read.interval == pytest.approx(0.02)
    short, same = HardSimulator(load_model(PENDULUM), 0.01), HardSimulator(load_model(PENDULUM), 0.02)
    told = r"'run' has a sample every 0\.02 s, but stride=1 of the simulator's time steps of 0\.01 s are 0\.01 s"
    for use in (lambda s, r: identify(s, [r], [Unknown("damping")]), lambda s, r: rollout_errors(s, [r])):
        with pytest.raises(ValueError, match=told):
            use(short, read)
    with pytest.raises(ValueError, match=told):
        fit_restitution(short, [read])
    assert rollout_errors(short, [replace(read, stride=2)]).position < 0.01 and rollout_errors(same, [read]).position < 1e-6
    assert rollout_errors(short, [replace(read, interval=None)]).position > 0.01
    with pytest.raises(ValueError, match="recording 'run': interval=-1"):
        replace(read, interval=-1.0)


def test_an_unknown_time_step_may_be_another_one(saved):
    sim = HardSimulator(load_model(PENDULUM), 0.018)
    found = identify(sim, [read_recording(saved)], [Unknown("timestep", None, 0.01, 0.03)])
    assert found.estimates[0] == pytest.approx(0.02, rel=0.01)


def test_times_of_files_are_at_equal_intervals(tmp_path):
    """A jump of half a second was not seen."""
    qpos, time = np.zeros((50, 1)), 0.01 * np.arange(50.0)
    jump, back, gone = time + 0.5 * (time > 0.205), time.copy(), time.copy()
    back[7], gone[3] = 0.0, np.nan
    for given, told in (
        (jump, r"time goes from 0\.2 to 0\.71 s at sample 21, by 0\.51 s, elsewhere by 0\.01 s: .*`resample`"),
        (back, r"time\[7\] is 0 after 0\.06"),
        (gone, r"time\[3, 0\] is nan"),
        (time[:-1], "49 times for 50 samples"),
    ):
        np.savez(tmp_path / "a.npz", qpos=qpos, time=given)
        with pytest.raises(ValueError, match=rf"a\.npz: .*{told}" if "times for" in told else rf"a\.npz: {told}"):
            read_recording(tmp_path / "a.npz")
    rows = [f"{round(1000 * k / 60)},0.5" for k in range(30)]  # 60 Hz in ms
    (tmp_path / "b.csv").write_text("\n".join(["ms,angle", *rows]))
    columns = {"time": [0], "qpos": [1]}
    assert read_recording(tmp_path / "b.csv", columns, {"time": "ms"}).interval == pytest.approx(1 / 60, rel=2e-3)
    rows[9] = rows[8]
    (tmp_path / "b.csv").write_text("\n".join(["ms,angle", *rows]))
    with pytest.raises(ValueError, match=r"b\.csv: time\[9\] is 0\.133 after 0\.133"):
        read_recording(tmp_path / "b.csv", columns, {"time": "ms"})


def test_long_gaps_are_not_filled_in_silence():
    """5 s without samples became 500 rows that were taken for measured, 60 samples in ms 60 001."""
    sim, run = swing(0.01)
    time, model = 0.01 * np.arange(41), sim.model
    there = (time < 0.1) | (time > 0.135)
    assert len(resample(model, "a", time[there], run.qpos[there], 0.01).qpos) == 41
    hole = time + 5.0 * (time > 0.205)
    told = r"time: no sample from 0\.2 s \(time\[20\]\) to 5\.21 s, a gap of 5\.01 s; .* largest_gap=0\.05 s, 5 intervals \(median"
    with pytest.raises(ValueError, match=told):
        resample(model, "a", hole, run.qpos, 0.01)
    with pytest.raises(ValueError, match="a gap of 10 s; .*are the times in seconds"):
        resample(model, "a", 1000 * time, run.qpos, 0.01)
    with pytest.raises(ValueError, match=r"largest_gap=0\.1 s \(median"):
        resample(model, "a", hole, run.qpos, 0.01, largest_gap=0.1)
    filled = resample(model, "a", hole, run.qpos, 0.01, largest_gap=np.inf)
    assert len(filled.qpos) == 541 and filled.interval == 0.01
    with pytest.raises(ValueError, match="'a' has a sample every 0.01 s"):
        rollout_errors(HardSimulator(load_model(PENDULUM), 0.002), [filled])


def test_times_that_do_not_increase_are_named():
    model, qpos = swing(0.01)[0].model, np.zeros((4, 1))
    for time, told in (
        ([0, 0.1, 0.05, 0.2], r"time\[2\] is 0\.05 after 0\.1, expected increasing"),
        ([0, 0.1, 0.1, 0.2], r"time\[2\] is 0\.1 after 0\.1"),
        ([0, np.nan, 0.1, 0.2], r"time\[1\] is nan"),
    ):
        with pytest.raises(ValueError, match=told):
            resample(model, "x", time, qpos, 0.1)
    recording = Recording("x", qpos)
    assert recording.interval is None
