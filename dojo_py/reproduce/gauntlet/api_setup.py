"""What the calls of the family `api` are made with: a small world, its simulators, costs, recordings, tasks. Run by `exec`.

Everything here can be repeated by a reader: a case's text begins with `from dojo_py.reproduce.gauntlet.api_setup import *`.
"""

# ruff: noqa: D103, F401
from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import io
import math
import tempfile
from pathlib import Path

import numpy as np

import dojo_py
import dojo_py.formats
from dojo_py import environments, identification, models, planning, policy

nan, inf = math.nan, math.inf

TEXT = """<mujoco model="boat"><option timestep="0.01"/>
<worldbody><geom name="floor" type="plane" size="0 0 1" friction="0.5 0 0"/>
  <body name="hull" pos="0 0 0.25"><freejoint name="root"/><geom name="hull" type="box" size="0.25 0.125 0.125" mass="2"/>
    <body name="oar" pos="0.25 0 0.25"><joint name="swing" axis="0 1 0" range="-90 90" damping="0.125"/>
      <geom name="oar" type="capsule" fromto="0 0 0 0 0 0.5" size="0.0625" mass="0.5"/></body></body></worldbody>
<actuator><motor name="pull" joint="swing" ctrlrange="-2 2"/></actuator>
<keyframe><key name="home" qpos="0 0 0.25 1 0 0 0 0"/><key name="high" qpos="0 0 2 1 0 0 0 0.5"/></keyframe></mujoco>"""
STATEFUL = TEXT.replace('<motor name="pull"', '<general dyntype="filter" dynprm="0.5" name="pull"')
URDF = """<robot name="r"><link name="w"/><joint name="j" type="continuous"><parent link="w"/><child link="a"/></joint>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
FOLDER = Path(tempfile.mkdtemp(prefix="gauntlet-"))

model = dojo_py.load_model(TEXT)
stateful = dojo_py.load_model(STATEFUL)
sim = dojo_py.HardSimulator(model)
soft = dojo_py.SoftSimulator(model)
filtered = dojo_py.HardSimulator(stateful)
state = sim.initial_state(keyframe="home")
moved = sim.step(state, [0.5]).state
resting = soft.initial_state(keyframe="home")
trajectory = sim.rollout(state, np.full((3, 1), 0.5))
arm = dojo_py.load_model("pendulum")
swing = dojo_py.HardSimulator(arm, timestep=0.05)
hanging = swing.initial_state()
linear = policy.LinearPolicy(3, 1)
task = environments.make_task("Pendulum")
few = policy.RolloutOptions(horizon=3)
recording = identification.Recording("swing", swing.rollout(hanging, np.full((4, 1), 0.5)).qpos, np.full((4, 1), 0.5))
quick = planning.Options(max_iterations=2, max_updates=1)
effort = planning.control_cost(arm, 0.125)
plan = planning.ilqr(swing, hanging, np.zeros((3, 1)), stage=effort, options=quick)
search = policy.Ars(task, linear, policy.ArsOptions(directions=1), few)


def write_files():
    """The files that calls are made with, each time anew: some are written over."""
    trajectory.save(FOLDER / "run.npz")
    plan.save(FOLDER / "plan.npz")
    search.save(FOLDER / "search.npz")
    np.savetxt(FOLDER / "swing.csv", np.arange(12.0).reshape(6, 2), delimiter=",")
    np.save(FOLDER / "controls.npy", np.zeros((4, 1)))
    (FOLDER / "model.xml").write_text(TEXT)
    (FOLDER / "empty.npz").write_bytes(b"")
    (FOLDER / "half.npz").write_bytes((FOLDER / "run.npz").read_bytes()[:700])
    (FOLDER / "words.npz").write_text("these are words")
    np.savez(FOLDER / "other.npz", a=np.zeros(3))
    np.savez(FOLDER / "objects.npz", metadata=np.array([{}], dtype=object))


write_files()


def stepped_from(qpos: np.ndarray, qvel: np.ndarray, act: np.ndarray, time: float = 0.0):
    return sim.step(dojo_py.State(qpos, qvel, act, time))


def stepped_on(qpos: np.ndarray, qvel: np.ndarray, act: np.ndarray, time: float = 0.0):
    return sim.step(dataclasses.replace(moved, qpos=qpos, qvel=qvel, act=act, time=time))


def softly_stepped_from(qpos: np.ndarray, qvel: np.ndarray, act: np.ndarray | None, time: float = 0.0):
    return soft.step(dojo_py.State(qpos, qvel, act, time))


def made_of(kind, **settings):
    """A task that has been moved once."""
    made = environments.make_task(kind, **settings)
    rng = np.random.default_rng(0)
    start = made.initial_state(rng)
    return made.move([start], np.zeros((1, made.action_size)))[0].state


def fields_of(kind):
    """A function with the settings of a task as its arguments."""

    def make(**settings):
        return made_of(kind, **settings)

    plain = {f.name: f for f in dataclasses.fields(environments.tasks.task_class(kind))}
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type) for n, f in plain.items()]
    )
    return make


def environment(action=None, seed=None, options=None, **settings):
    """One action in a Gymnasium environment."""
    from dojo_py.environments.single import DojoEnv

    env = DojoEnv("Pendulum", **settings)
    env.reset(seed=seed if seed is not None else 0, options=options)
    return env.step(np.zeros(1) if action is None else action)[:4]


def environment_of(task: str = "Pendulum", render_mode: str | None = None, gradients: bool = False, kappa: float = 3e-4,
                   width: int = 48, height: int = 36, settings: str = "v5"):  # fmt: skip
    from dojo_py.environments.single import DojoEnv

    env = DojoEnv(task, render_mode, gradients, kappa, width, height, settings)
    env.reset(seed=0)
    first = env.step(np.zeros(env.action_space.shape))
    return first[:4], env.render()


def environment_action(action: np.ndarray):
    from dojo_py.environments.single import DojoEnv

    env = DojoEnv("Pendulum")
    env.reset(seed=0)
    return env.step(action)[:4]


def vector_environment(actions: np.ndarray, num_envs: int = 2, threads: int | None = None, max_episode_steps: int | None = None):
    from dojo_py.environments.vector import DojoVectorEnv

    envs = DojoVectorEnv("Pendulum", num_envs, threads=threads, max_episode_steps=max_episode_steps)
    envs.reset(seed=0)
    return envs.step(actions)[:4]


def checked(source: str):
    """What `check` finds; its errors are raised here."""
    report = dojo_py.formats.check(source)
    if report.errors:
        raise dojo_py.ModelError(report.errors)
    return str(report)


def planned(result):
    """A plan's own figures: its times are those of this machine."""
    return result.controls, result.states, result.status.name


def command(*words):
    """Exit status of the command `dojo_py`; a mistake it reports is a ValueError here."""
    main = importlib.import_module("dojo_py.cli").main  # as a shell would, by its name: nothing here builds on it
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said), contextlib.chdir(FOLDER):
        try:
            status = main([str(word) for word in words])
        except SystemExit as error:
            status = error.code
    if status == 2:
        raise ValueError(said.getvalue())
    if status not in (0, 1):
        raise AssertionError(f"exit status {status!r}")
    return status


def command_of(name, **fixed):
    """A function with the options of a command as its arguments; `fixed` are given in any case."""
    parser = importlib.import_module("dojo_py.cli").build_parser()._subparsers._group_actions[0].choices[name]
    actions = {a.dest: a for a in parser._actions if a.dest != "help"}

    def call(**given):
        words = [name]
        for key, value in {**fixed, **given}.items():
            flags = actions[key].option_strings
            if value is None:
                continue
            if actions[key].nargs == 0:
                words += [flags[0]] if value else []
            else:
                words += [f"{flags[0]}={value}"] if flags else [value]
        return command(*words)

    kinds = {float: "float | None", int: "int | None", None: "str | None", Path: "Path | None"}
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=fixed.get(key), annotation=kinds[action.type])
            for key, action in actions.items()
            if action.nargs != 0
        ]
    )
    return call
