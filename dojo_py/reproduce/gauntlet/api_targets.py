"""The public calls of the family `api`: a working call of each. Arguments that are not named here have their defaults.

Everything is Python text for the names of api_setup.py; what may go wrong is drawn by introspection of the signatures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

STATE = {"qpos": "model.key_qpos[0]", "qvel": "np.full(7, 0.125)", "act": "np.zeros(0)", "time": "0.5"}
WRENCHES = "np.full((3, 6), 0.25)"
FEW = {"iterations": "1"}


@dataclass(frozen=True)
class Target:
    """One public function or class."""

    call: str
    """What is called."""
    valid: Mapping[str, str] = field(default_factory=dict)
    """Argument -> its text in a call that works."""
    then: str = "result"
    """What is made of the result: that which was accepted must also work."""
    leave: tuple[str, ...] = ()
    """Arguments that are not drawn: callbacks into the caller's own code, progress bars."""
    free: tuple[str, ...] = ()
    """Arguments for which any value of the right type is right: free texts, first axes of any length."""


def _options(call: str, then: str, **valid: str) -> Target:
    return Target(call, valid, then)


TARGETS = (
    # models
    Target("dojo_py.load_model", {"source": "TEXT"}),
    Target("dojo_py.load_model", {"source": "FOLDER / 'model.xml'"}),
    Target("dojo_py.load_model", {"source": "URDF"}),
    Target("checked", {"source": "FOLDER / 'model.xml'"}),
    Target("model.integrate", {"qpos": "model.key_qpos[1]", "dq": "np.full(7, 0.25)"}),
    Target("model.difference", {"qpos_b": "model.key_qpos[1]", "qpos_a": "model.key_qpos[0]"}),
    Target("model.body_id", {"name": "'oar'"}),
    Target("model.joint_id", {"name": "'swing'"}),
    Target("model.key_id", {"name": "'home'"}),
    Target("models.npendulum_xml", {"links": "2"}, "dojo_py.load_model(result)"),
    Target("models.path", {"name": "'atlas'"}, "0"),
    # simulators
    Target("dojo_py.HardSimulator", {"model": "model"}, "result.step(result.initial_state())"),
    Target("dojo_py.SoftSimulator", {"model": "model"}, "result.step(result.initial_state())"),
    _options("dojo_py.HardOptions", "dojo_py.HardSimulator(model, options=result).step(moved)"),
    _options("dojo_py.SoftOptions", "dojo_py.SoftSimulator(model, options=result).step(resting)"),
    Target("sim.initial_state", {"qpos": STATE["qpos"], "qvel": STATE["qvel"], "act": "np.zeros(0)", "keyframe": "1"}),
    Target("sim.initial_state", {"keyframe": "'high'"}),
    Target("soft.initial_state", {"qpos": STATE["qpos"], "qvel": STATE["qvel"], "act": "np.zeros(0)", "keyframe": "1"}),
    Target("filtered.initial_state", {"act": "np.full(1, 0.5)"}),
    Target("stepped_from", STATE),
    Target("stepped_on", STATE),
    Target("softly_stepped_from", STATE),
    Target("sim.step", {"state": "moved", "control": "np.full(1, 0.5)", "kappa": "0.0009765625", "wrenches": WRENCHES}),
    Target("soft.step", {"state": "resting", "control": "np.full(1, 0.5)"}),
    Target(
        "sim.rollout",
        {"state": "moved", "controls": "np.full((3, 1), 0.5)", "wrenches": WRENCHES, "kappa": "0.0009765625",
         "gradient_kappa": "0.00048828125", "parameters": "['mass', 'friction:floor']"},
        free=("controls",),
    ),
    Target("sim.rollout", {"state": "moved", "controls": "np.full((3, 1), 0.5)", "wrenches": "np.full((3, 3, 6), 0.25)"},
           free=("controls", "wrenches")),
    Target("soft.rollout", {"state": "resting", "controls": "np.full((3, 1), 0.5)"}, free=("controls",)),
    Target(
        "sim.rollout_batch",
        {"states": "[moved, state]", "controls": "np.full((2, 3, 1), 0.5)", "threads": "1", "wrenches": WRENCHES,
         "linearize": "True", "gradient_kappa": "0.0009765625"},
        free=("controls",),
    ),
    Target("soft.rollout_batch", {"states": "[resting, resting]", "controls": "np.full((2, 3, 1), 0.5)", "threads": "1"},
           free=("controls",)),
    Target("sim.linearize", {"state": "moved", "control": "np.full(1, 0.5)", "kappa": "0.0009765625",
                             "parameters": "['mass']", "wrenches": WRENCHES}),
    Target("sim.linearize", {"state": "moved", "coordinates": "'maximal'"}),
    Target("soft.linearize", {"state": "resting", "control": "np.full(1, 0.5)"}),
    Target("sim.rollout_vjp", {"trajectory": "trajectory", "cotangents": "np.full(14, 0.25)", "kappa": "0.0009765625"}),
    Target("sim.rollout_vjp", {"trajectory": "sim.rollout(moved, np.zeros((2, 1)), linearize=True)",
                               "cotangents": "np.full((3, 14), 0.25)"}),
    Target("sim.parameter", {"name": "'mass:oar'"}),
    Target("sim.with_parameters", {"values": "{'mass': np.full(2, 2.0), 'timestep': 0.015625}"},
           "result.step(result.initial_state())"),
    Target("sim.trace", {"state": "moved", "control": "np.full(1, 0.5)", "kappa": "0.0009765625"}),
    Target("sim.energy", {"state": "moved"}),
    Target("sim.momentum", {"state": "moved"}),
    Target("sim.largest_kappa"),
    Target("soft.energy", {"state": "resting"}),
    Target("soft.momentum", {"state": "resting"}),
    Target("soft.inverse", {"state": "resting", "qacc": "np.full(7, 0.5)"}),
    Target("soft.acceleration", {"state": "resting", "control": "np.full(1, 0.5)"}),
    # trajectories
    Target("trajectory.state", {"k": "2"}),
    Target("trajectory.save", {"path": "FOLDER / 'again.npz'"}, "0"),
    Target("dojo_py.load_trajectory", {"path": "FOLDER / 'run.npz'"}, "sim.step(result.final_state)"),
    # planning
    Target("planning.Options", {"max_iterations": "2", "max_updates": "1", "max_total_iterations": "3"},
           "planned(planning.ilqr(swing, hanging, np.zeros((3, 1)), stage=effort, options=result))"),
    Target(
        "planning.ilqr",
        {"sim": "swing", "state": "hanging", "controls": "np.full((3, 1), 0.5)", "stage": "effort",
         "terminal": "planning.state_cost(arm, np.ones(1))", "constraints": "[planning.goal(arm, np.ones(1))]",
         "control_limits": "(-2.0, 2.0)", "states": "[hanging] * 4", "options": "quick"},
        "planned(result)", ("callback", "progress", "paths"), ("controls", "states"),
    ),
    Target("planning.ilqr", {"sim": "swing", "state": "hanging", "controls": "np.full((3, 1), 0.5)", "stage": "effort",
                             "control_limits": "(np.full(1, -2.0), np.full(1, 2.0))", "options": "quick"},
           "planned(result)", ("callback", "progress", "paths"), ("controls", "states")),
    Target("planning.state_cost", {"model": "arm", "qpos": "np.ones(1)", "qvel": "np.ones(1)", "weight": "np.full(2, 0.5)"},
           "planned(planning.ilqr(swing, hanging, np.zeros((3, 1)), terminal=result, options=quick))", free=("weight",)),
    Target("planning.control_cost", {"model": "arm", "weight": "np.full(1, 0.5)", "reference": "np.full((3, 1), 0.5)"},
           "planned(planning.ilqr(swing, hanging, np.zeros((3, 1)), stage=result, options=quick))"),
    Target("planning.goal", {"model": "arm", "qpos": "np.ones(1)", "qvel": "np.ones(1)", "rows": "np.arange(1)"},
           "planned(planning.ilqr(swing, hanging, np.zeros((3, 1)), stage=effort, constraints=result, options=quick))",
           free=("rows",)),
    Target("planning.ResidualCost", {"residual": "lambda s, u, k: s.qpos - 1.0", "weight": "0.5",
                                     "jacobian": "lambda s, u, k: (np.eye(1, 2), np.zeros((1, 0 if u is None else 1)))"},
           "planned(planning.ilqr(swing, hanging, np.zeros((3, 1)), stage=result, options=quick))"),
    Target("planning.Constraint", {"function": "lambda s, u, k: s.qpos - 1.0", "kind": "'inequality'", "knots": "(1, 2)"},
           "planned(planning.ilqr(swing, hanging, np.zeros((3, 1)), stage=effort, constraints=result, options=quick))",
           free=("name", "knots")),
    Target("planning.Controller", {"sim": "swing", "objective": "lambda s: {'stage': effort}", "controls": "np.zeros((3, 1))",
                                   "options": "quick", "shift": "1"},
           "planned(result.plan(hanging))", free=("controls",)),
    Target("planning.mpc", {"sim": "swing", "state": "hanging", "steps": "2", "controller":
                            "planning.Controller(swing, lambda s: {'stage': effort}, np.zeros((3, 1)), quick)"},
           "result.controls", ("callback", "progress")),
    Target("plan.control", {"k": "1", "state": "hanging", "model": "arm", "part": "0.5"}),
    Target("plan.save", {"path": "FOLDER / 'plan again.npz'"}, "0"),
    Target("planning.load_plan", {"path": "FOLDER / 'plan.npz'"}, "planned(result)"),
    # policy search
    Target("policy.LinearPolicy", {"observation_size": "3", "action_size": "1", "spread": "0.125"},
           "policy.Ars(task, result, policy.ArsOptions(directions=1), few).run(1).history"),
    Target("policy.MlpPolicy", {"observation_size": "3", "action_size": "1", "hidden": "(4,)"},
           "policy.Ars(task, result, policy.ArsOptions(directions=1), few).run(1).history"),
    Target("policy.RolloutOptions", {"horizon": "3", "reward_clip": "1.0"},
           "policy.Ars(task, linear, policy.ArsOptions(directions=1), result).run(1).history"),
    Target("policy.ArsOptions", {"directions": "2", "top": "1"}, "policy.Ars(task, linear, result, few).run(1).history"),
    Target("policy.AgsOptions", {"warmup": "1", "truncation": "2", "patience": "2"},
           "policy.Ags(task, linear, result, few).run(1).history"),
    Target("policy.ClimbOptions", {"warmup": "1"}, "policy.Climb(task, linear, result, few).run(3, budget=30).history"),
    Target("policy.smoothing.Smoothing", {"pairs": "2"},
           "policy.Ags(task, linear, policy.AgsOptions(smoothing=result), few).run(1).history"),
    Target("policy.Ars", {"task": "task", "policy": "linear", "options": "policy.ArsOptions(directions=1)", "rollout": "few"},
           "result.run(1).parameters"),
    Target("policy.Climb", {"task": "task", "policy": "linear", "options": "policy.ClimbOptions(warmup=1)", "rollout": "few"},
           "result.run(2, budget=30).parameters"),
    Target("policy.Ars(task, linear, policy.ArsOptions(directions=1), few).run", {"iterations": "1"}, "result.history",
           ("callback", "progress")),
    Target("policy.Ars(task, linear, policy.ArsOptions(directions=1), few).resume", {"path": "FOLDER / 'search.npz'"}, "0"),
    Target("policy.Ars(task, linear, policy.ArsOptions(directions=1), few).save", {"path": "FOLDER / 'search.npz'"}, "0"),
    Target("policy.Ars(task, linear, policy.ArsOptions(directions=1), few).test", {"episodes": "1"}),
    Target("policy.Workers", {"count": "2"}, "result.map(abs, [-1, 2])", ("executor",)),
    Target("policy.run_seeds", {"make": "lambda s: policy.Ars(task, linear, policy.ArsOptions(directions=1), few, s)",
                                "seeds": "(0,)", "iterations": "1"}, "[s.history for s in result]", ("progress",)),
    # identification
    Target("identification.Unknown", {"name": "'damping'", "start": "np.full(1, 0.5)", "lower": "0.125", "upper": "2.0",
                                      "transform": "'log'"},
           "identification.identify(swing, [recording], [result], max_iterations=2).values"),
    Target("identification.PseudoInertia", {"body": "'link'"}, "identification.Unknowns(swing, [result]).start"),
    Target("identification.Unknowns", {"sim": "swing", "parts": "[identification.Unknown('damping', 0.5, 0.0, 2.0)]"},
           "result.start"),
    Target(
        "identification.identify",
        {"sim": "swing", "recordings": "[recording]", "unknowns": "[identification.Unknown('damping', 0.5, 0.0, 2.0)]",
         "kappa": "0.0009765625", "horizon": "2", "weights": "np.ones(1)", "prior": "0.125", "max_iterations": "2"},
        "result.values", ("choose", "progress"),
    ),
    Target("identification.Recording", {"name": "'swing'", "qpos": "recording.qpos", "control": "recording.control",
                                        "qvel": "np.zeros((5, 1))"},
           "identification.rollout_errors(swing, [result])", free=("name",)),
    Target("identification.rollout_errors", {"sim": "swing", "recordings": "[recording]", "kappa": "0.0009765625"}),
    Target("identification.read_recording", {"file": "FOLDER / 'swing.csv'", "columns": "{'qpos': [0], 'control': [1]}",
                                             "units": "{'qpos': 'deg', 'control': 0.5}", "model": "arm"}, "result.qpos"),
    Target("identification.read_recording", {"file": "FOLDER / 'run.npz'"}, "result.qpos"),
    # environments
    Target("environments.make_task", {"name": "'HalfCheetah'", "settings": "'paper'"}, "result.observation_size"),
    Target("fields_of('Pendulum')"),
    Target("fields_of('Hopper')"),
    Target("fields_of('Quadruped')"),
    Target("environment_of"),
    Target("environment_action", {"action": "np.full(1, 0.5)"}),
    Target("vector_environment", {"actions": "np.full((2, 1), 0.5)", "num_envs": "2", "threads": "1"}),
    # the command
    Target("command_of('simulate', model='pendulum', duration=0.02)", {"model": "'pendulum'", "duration": "0.0625"}),
    Target("command_of('simulate', model='pendulum', duration=0.02)", {"model": "'pendulum'", "control": "'controls.npy'",
                                                                       "duration": "0.03125"}),
    Target("command_of('check')", {"model": "'model.xml'"}),
    Target("command_of('reproduce', experiment='table9')", {"experiment": "'conservation'"}, leave=("experiment", "out")),
    # under jax
    Target("jaxed.rollout_function", {"model": "arm", "timestep": "0.0625", "threads": "1", "parameters": "['damping']"},
           "result(np.zeros(2), np.ones((2, 1)), {'damping': np.ones(1)})", ("simulator",)),
    Target("jaxed.step_function", {"model": "arm"}, "result(np.zeros(2), np.ones(1))"),
    Target("jaxed_rollout", {"state_vector": "np.full(2, 0.5)", "controls": "np.full((2, 1), 0.5)",
                             "parameters": "{'damping': np.ones(1)}"}, free=("controls",)),
    Target("jaxed_step", {"state_vector": "np.full(2, 0.5)", "control": "np.full(1, 0.5)"}),
)  # fmt: skip
"""Every public call."""
