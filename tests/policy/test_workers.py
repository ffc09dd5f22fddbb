"""Workers on real engines, each of two processes: the numbers of one thread, bit for bit, also after a worker was killed."""

import os
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from default_run import some

import dojo_py
from dojo_py.environments import make_task
from dojo_py.identification import Recording, Tied, Unknown, identify
from dojo_py.policy import Ars, ArsOptions, LinearPolicy, RayExecutor, RolloutOptions, Workers
from dojo_py.sweeps import Recipe, rollout_batch

pytestmark = pytest.mark.filterwarnings("default")  # of the engines


ENGINES = ("processes", "dask", "ray")
on_each = pytest.mark.parametrize("workers", ENGINES, indirect=True, scope="module")
on_processes = pytest.mark.parametrize("workers", some(ENGINES, ["processes"]), indirect=True, scope="module")
"""What takes long on Dask and Ray, whose processes load all kernels anew, runs there by hand; sweeps run always on all."""


@pytest.fixture(scope="module")
def workers(request):
    """Two processes of the engine."""
    if request.param == "processes":
        with Workers(2, "processes") as pool:
            yield pool
    elif request.param == "dask":
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield Workers(executor=client.get_executor(pure=False))
    else:
        ray = pytest.importorskip("ray")
        folder = Path(__file__).parent  # (of its functions; what it imports is above)
        here = {"env_vars": {"PYTHONPATH": f"{folder}{os.pathsep}{folder.parent}"}}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=here)
        yield Workers(executor=RayExecutor())
        ray.shutdown()


def learnt(workers=None):
    task = make_task("Hopper", reset_noise_scale=0.05)
    return Ars(task, LinearPolicy(11, 3), ArsOptions(directions=3), RolloutOptions(20), 0, 1, workers).run(2)


@on_processes
def test_a_search_is_that_of_one_thread(workers):
    mine, theirs = learnt(workers), learnt()
    assert np.array_equal(mine.parameters, theirs.parameters) and mine.history == theirs.history


@on_each
@pytest.mark.parametrize("mode", some(["hard", "soft"], ["soft"]))
def test_a_sweep_is_that_of_the_simulator(workers, mode):
    """Of a simulator with other parameters too, and with derivatives."""
    sim = dojo_py.HardSimulator("hopper", 0.02) if mode == "hard" else dojo_py.SoftSimulator("hopper", 0.005)
    sim = sim.with_parameters({"friction": 0.3, "damping": np.full(6, 2.0)}) if mode == "hard" else sim
    controls = np.random.default_rng(0).normal(size=(5, 12, sim.model.nu))
    mine = rollout_batch(sim, sim.initial_state(), controls, workers, linearize=True)
    theirs = sim.rollout_batch(sim.initial_state(), controls, threads=1, linearize=True)
    for a, b in zip(mine, theirs, strict=True):
        assert np.array_equal(a.qpos, b.qpos) and np.array_equal(a.A, b.A) and a.model is sim.model
        end = sim.rollout(a.final_state, controls[0]), sim.rollout(b.final_state, controls[0])
        assert np.array_equal(end[0].qpos, end[1].qpos)  # (their states go on alike)


@on_processes
def test_a_fit_is_that_of_one_thread(workers):
    sim = dojo_py.HardSimulator("double_pendulum", 0.01)
    true = sim.with_parameters({"damping": [0.05, 0.05], "mass:lower": 1.3})
    rng = np.random.default_rng(0)
    run = true.rollout(true.initial_state(np.array([0.5, 0.0])), rng.uniform(-2, 2, (60, 2)))
    recordings = [Recording("one", run.qpos + rng.normal(0, 1e-4, run.qpos.shape), run.control)]
    unknowns = [Unknown("damping", 0.1, 0.0, 1.0), Tied(("mass:lower", "inertia:lower"), lower=0.3, upper=3)]
    fit = partial(identify, sim, recordings, unknowns, kappa=1e-5)
    mine, theirs = fit(workers=workers), fit()
    assert np.array_equal(mine.z, theirs.z) and np.array_equal(mine.covariance, theirs.covariance) and mine.cost == theirs.cost


def killed_once(job):
    """The job's square, but its process is killed where the file is not there yet."""
    number, flag = job
    if number == 2 and not Path(flag).exists():
        Path(flag).touch()
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2


@on_each
def test_a_lost_workers_jobs_are_done_again(workers, tmp_path):
    jobs = [(i, str(tmp_path / "killed")) for i in range(6)]
    assert workers.map(killed_once, jobs) == [i**2 for i in range(6)]
    assert (tmp_path / "killed").exists()
    assert workers.map(killed_once, jobs) == [i**2 for i in range(6)]


def always_killed(_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_are_lost_again_and_again_are_an_error():
    with Workers(2, "processes") as pool, pytest.raises(RuntimeError, match="workers were lost before 1 of 1 jobs"):
        pool.map(always_killed, [0])


def refused(_):
    raise ValueError("this job says no")


@on_each
def test_an_error_of_a_job_is_its_own(workers):
    with pytest.raises(ValueError, match="this job says no"):
        workers.map(refused, [0, 1])


def test_equal_recipes_make_one_simulator():
    sim = dojo_py.HardSimulator("box", 0.02).with_parameters({"friction": 0.2})
    again, other = Recipe.of(sim).simulator(), Recipe.of(sim.with_parameters({"friction": 0.3})).simulator()
    assert again is Recipe.of(sim).simulator() and again is not other
    assert again.parameter("friction").value.tolist() == [0.2] and again.timestep == sim.timestep


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="executor"):
        Workers(executor=3)
    sim = dojo_py.HardSimulator("box")
    with pytest.raises(TypeError, match="workers"):
        rollout_batch(sim, sim.initial_state(), np.zeros((1, 2, sim.model.nu)), 2)
