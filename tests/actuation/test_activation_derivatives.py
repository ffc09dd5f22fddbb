"""Activations in A, B and `rollout_vjp`: beside differences of the hard step at the same κ, and beside MuJoCo in the soft mode."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import dojo_py

KAPPA = 1e-4
EPSILON = 2e-4
ARM = """<mujoco><option timestep=".01" integrator="implicitfast"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" {limit}/>
  <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/><site name="rail" euler="0 70 0"/><body pos=".4 0 0">
  <joint name="b" axis="0 1 .3" damping=".1"/>
  <geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/><site name="pin" pos=".3 .02 0"/><body pos=".3 0 0">
  <joint name="c" type="ball" damping=".05"/>
  <site name="tip" pos="0 .1 0" euler="40 0 0"/><geom type="box" size=".05 .1 .03"/></body></body></body></worldbody>
  <actuator>{actuators}</actuator></mujoco>"""
MOTOR = 'motorconst=".5 .5" resistance="2"'
CASES = {
    "integrator": '<general joint="a" dyntype="integrator" gainprm="3"/><general joint="b" dyntype="integrator" gear="-2"/>',
    "filters": (
        '<general joint="a" dyntype="filter" dynprm=".05" gainprm="3"/><motor joint="b"/>'
        '<general joint="b" dyntype="filterexact" dynprm=".02" gear="2"/>'
    ),
    "next activation acts": (
        '<general joint="a" dyntype="filter" dynprm=".05" actearly="true" gainprm="3"/>'
        '<general joint="b" dyntype="filterexact" dynprm=".02" actearly="true"/>'
        '<general joint="b" dyntype="integrator" actearly="true"/>'
    ),
    "affine gain": (
        '<general joint="a" dyntype="filter" dynprm=".05" gaintype="affine" gainprm="2 3 -4" biastype="affine" biasprm=".5 -3 -.7"/>'
    ),
    "integrated velocity": (
        '<intvelocity joint="a" kp="20" kv="1" actrange="-2 2"/><intvelocity joint="b" kp="5" actrange="-.1 .1" ctrlrange="-1 1"/>'
    ),
    "muscles": '<muscle joint="a" lengthrange="-1.5 1.5" force="30"/><muscle joint="b" gear="-2" lengthrange="-3 3" force="8"/>',
    "smooth muscle": '<muscle joint="a" lengthrange="-1.5 1.5" force="30" tausmooth=".3"/>',
    "site": '<general site="pin" gear="0 6 20 0 -1 0" dyntype="filter" dynprm=".05" actearly="true"/><motor joint="b"/>',
    "site beside another": '<general site="tip" refsite="rail" gear="1 2 0 0 0 1" dyntype="filter" dynprm=".05" gainprm="9"/>',
    "ball": '<general joint="c" gear=".3 .2 .4" dyntype="integrator" gainprm="2"/>',
    "servo of a ball": '<position joint="c" kp="2" kv=".1" gear=".3 0 .2" timeconst=".04"/>',
    "bounded force": '<general joint="a" dyntype="filter" dynprm=".05" gainprm="100" forcerange="-.1 .1"/>',
    "pid": '<pid joint="a" kp="20" kv="1" ki="9" imax="1" slewmax="90" input="pos vel ff"/>',
    "pid, slow": '<pid joint="a" kp="20" kv="1" ki="9" imax="1" slewmax=".2" input="pos"/>',
    "pid on a site": '<pid site="tip" refsite="rail" gear="1 2 0 0 0 0" kp="20" kv="1" ki="9" imax="1"/>',
    "motor": f'<dcmotor joint="a" {MOTOR} inductance=".01 0" gear="3"/>',
    "orientation": '<general gaintype="so3" joint="c" gainprm="2" biasprm="0 0 .1" dyntype="integrator" actdim="3"/>',
    "switched off": '<general joint="a" dyntype="filter" dynprm=".05" group="2"/><general joint="b" dyntype="integrator"/>',
}
BOUNDED = '<general joint="a" dyntype="filter" dynprm=".05" gainprm="9"/><position joint="a" kp="5"/>'


def arm(actuators, limit="", option=""):
    """A model whose acting joints have no contacts."""
    return dojo_py.load_model(ARM.format(actuators=actuators, limit=limit).replace("<option", f"<option {option}"))


def somewhere(simulator, seed):
    """A state with activations and a control."""
    model, rng = simulator.model, np.random.default_rng(seed)
    qpos = model.integrate(model.qpos0, rng.uniform(-1, 1, model.nv))
    state = simulator.initial_state(qpos, rng.uniform(-2, 2, model.nv), act=rng.uniform(0.05, 0.95, model.na))
    return state, rng.uniform(0.1, 0.9, model.nu)


def moved(simulator, state, move):
    """The state moved along [δq, δv, δact]."""
    model = simulator.model
    nv, act = model.nv, state.act + move[2 * model.nv :]
    return simulator.initial_state(model.integrate(state.qpos, move[:nv]), state.qvel + move[nv : 2 * nv], act=act)


def apart(model, one, two):
    """[δq, δv, δact] from the second state to the first."""
    return np.concatenate([model.difference(one.qpos, two.qpos), one.qvel - two.qvel, one.act - two.act])


def differences(simulator, state, control, epsilon=EPSILON):
    """A, B by central differences of `step(kappa=KAPPA)`, extrapolated once (Richardson)."""
    model = simulator.model
    n = 2 * model.nv + model.na
    size = n + model.nu

    def column(i, width):
        ends = []
        for sign in (1, -1):
            move = np.zeros(size)
            move[i] = sign * width
            ends.append(simulator.step(moved(simulator, state, move[:n]), control + move[n:], kappa=KAPPA).state)
        return apart(model, *ends) / (2 * width)

    table = np.array([(4.0 * column(i, 0.5 * epsilon) - column(i, epsilon)) / 3.0 for i in range(size)]).T
    return table[:, :n], table[:, n:]


def largest_error(found, expected):
    """Beside the largest entry."""
    return np.abs(found - expected).max() / max(1e-3, np.abs(expected).max())


if __name__ == "__main__":
    import sys
    for name in CASES:
      try:
        model = arm(CASES[name])
        sim = dojo_py.HardSimulator(model, timestep=0.01)
        for seed in range(2):
            state, control = somewhere(sim, seed)
            lin = sim.linearize(state, control, kappa=KAPPA)
            A, B = differences(sim, state, control)
            n = 2 * model.nv
            print(f"{name:25s} na {model.na} A {largest_error(lin.A, A):.1e} B {largest_error(lin.B, B):.1e} rows {largest_error(lin.A[n:], A[n:]):.1e} {largest_error(lin.B[n:], B[n:]):.1e} cols {largest_error(lin.A[:n, n:], A[:n, n:]):.1e}", flush=True)
      except Exception as e:
        print(name, type(e), e)
