"""Motions recorded from MuJoCo's own simulation, of models whose parameters differ by 30 % from those that a fit starts from."""

import numpy as np

from dojo_py import HardSimulator, load_model
from dojo_py.identification import Recording, Tied

H, FINE, NOISE = 0.01, 0.001, 1e-4
"""Samples' interval, MuJoCo's time step [s]; noise of the samples [m, rad]."""
ARM = """<mujoco><compiler angle="radian"/><option timestep="0.001"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.03"/><joint axis="0 1 0" damping="0.2"/></default><worldbody>
<body name="a" pos="0 0 1"><joint name="a"/><geom fromto="0 0 0 0 0 -0.3" mass="1.2"/>
<body name="b" pos="0 0 -0.3"><joint name="b"/><geom fromto="0 0 0 0 0 -0.25" mass="0.8"/>
<body name="c" pos="0 0 -0.25"><joint name="c" axis="1 0 0"/><geom fromto="0 0 0 0 0 -0.2" mass="0.5"/></body></body></body>
</worldbody>
<actuator><motor joint="a" ctrlrange="-9 9"/><motor joint="b" ctrlrange="-4 4"/><motor joint="c" ctrlrange="-2 2"/>
</actuator></mujoco>"""
BOX = """<mujoco><option timestep="0.001" cone="elliptic"/><worldbody>
<geom name="table" type="plane" size="0 0 1" friction="0.3 0 0"/><body name="box" pos="0 0 .3"><freejoint/>
<geom name="box" type="box" size=".05 .05 .05" mass="0.4" friction="0.3 0 0"/></body></worldbody></mujoco>"""


def record(name, model, data, duration, control, rng):
    """A Recording of `control(t, data)`, held between samples."""
    import mujoco

    model.opt.timestep = FINE
    qpos, controls = [data.qpos.copy()], []
    for k in range(round(duration / H)):
        data.ctrl[:] = control(k * H, data)
        controls.append(data.ctrl.copy())
        for _ in range(round(H / FINE)):
            mujoco.mj_step(model, data)
        qpos.append(data.qpos.copy())
    for q in qpos:
        mujoco.mj_integratePos(model, q, NOISE * rng.normal(size=model.nv), 1.0)
    return Recording(name, np.array(qpos), np.array(controls))


def arm(seed):
    """(simulator, recordings, unknowns, their true values): three links in a swing."""
    import mujoco

    rng, model = np.random.default_rng(seed), mujoco.MjModel.from_xml_string(ARM)
    true = rng.choice([0.7, 1.3], 6)
    for i in range(3):
        model.body_mass[i + 1] *= true[i]
        model.body_inertia[i + 1] *= true[i]
        model.dof_damping[i] *= true[3 + i]
    recordings = []
    for run in range(2):
        data = mujoco.MjData(model)
        data.qpos[:] = rng.uniform(-0.5, 0.5, 3)
        phase, rate, top = rng.uniform(0, 6.28, (3, 3)), rng.uniform(0.3, 2, (3, 3)), np.array([4, 1.5, 0.5]) / 1.5

        def torque(t, data, phase=phase, rate=rate, top=top):
            return top * np.sin(2 * np.pi * rate * t + phase).sum(0)

        recordings.append(record(f"swing {run}", model, data, 3.0, torque, rng))
    unknowns = [Tied((f"mass:{b}", f"inertia:{b}"), 1.0, 0.1, 5, f"mass {b}") for b in "abc"]
    unknowns += [Tied((f"damping:{b}",), 1.0, 0.05, 10, f"damping {b}") for b in "abc"]
    return HardSimulator(load_model(ARM), H), recordings, unknowns, true


def quadruped(seed, path):
    """Likewise: the quadruped of `path` stands and moves its legs, by torques of a servo."""
    import mujoco

    rng, model = np.random.default_rng(seed), mujoco.MjModel.from_xml_path(str(path))
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    true = rng.choice([0.7, 1.3], 4)
    thighs = [model.body(i).name for i in range(model.nbody) if "thigh" in model.body(i).name]
    for name, factor in [("trunk", true[0]), *((name, true[1]) for name in thighs)]:
        model.body_mass[model.body(name).id] *= factor
        model.body_inertia[model.body(name).id] *= factor
    model.dof_damping[:] *= true[2]
    model.geom_friction[:, 0] *= true[3]
    recordings = []
    for run in range(2):
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        home, phase = data.qpos[7:].copy(), rng.uniform(0, 6.28, (3, 12))
        rate, size = rng.uniform(0.5, 2.5, (3, 12)), rng.uniform(0.03, 0.12, (3, 12))

        def servo(t, data, home=home, phase=phase, rate=rate, size=size):
            wave = size * (np.sin(2 * np.pi * rate * t + phase) - np.sin(phase))
            return np.clip(60 * (home + wave.sum(0) * min(1, t / 0.3) - data.qpos[7:]) - 2 * data.qvel[6:], -33.5, 33.5)

        recordings.append(record(f"stand {run}", model, data, 2.0, servo, rng))
    legs = tuple(f"{kind}:{name}" for name in thighs for kind in ("mass", "inertia"))
    unknowns = [
        Tied(("mass:trunk", "inertia:trunk"), 1.0, 0.1, 5, "trunk"), Tied(legs, 1.0, 0.1, 5, "thighs"),
        Tied(("damping",), 1.0, 0.05, 10), Tied(("friction",), 1.0, 0.1, 3),
    ]  # fmt: skip
    return HardSimulator(load_model("quadruped"), H), recordings, unknowns, true


def box(seed, count=10):
    """Likewise: tosses of a box. Its friction, size and inertia."""
    import mujoco

    rng, model = np.random.default_rng(seed), mujoco.MjModel.from_xml_string(BOX)
    true = rng.choice([0.7, 1.3], 3)
    model.geom_friction[:, 0] *= true[0]
    model.geom_size[1] *= true[1]
    model.body_inertia[1] *= true[2]
    recordings = []
    for toss in range(count):
        data, q = mujoco.MjData(model), rng.normal(size=4)
        data.qpos[:] = [0, 0, 0.15, *(q / np.linalg.norm(q))]
        data.qvel[:] = [*rng.uniform(-1.5, 1.5, 2), -0.5, *rng.uniform(-8, 8, 3)]
        recordings.append(record(f"toss {toss}", model, data, 0.8, lambda t, data: data.ctrl, rng))
    unknowns = [Tied(("friction",), 1.0, 0.1, 3), Tied(("contact_point",), 1.0, 0.3, 3, "size"), Tied(("inertia",), 1.0, 0.1, 10)]
    return HardSimulator(load_model(BOX), H), recordings, unknowns, true


BLOCK = """<mujoco><option timestep="0.001" integrator="implicitfast" cone="elliptic" impratio="10"/><worldbody>
<geom type="plane" size="5 5 1" friction="0.45" priority="1"/>
<body name="b" pos="0 0 .05"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom type="box" size=".1 .1 .05" mass="1.7"/></body></worldbody>
<actuator><motor joint="x" ctrlrange="-30 30"/></actuator></mujoco>"""


def pushed_block():
    """(simulator, recordings, true mass [kg] and friction): a block under forces of up to 16 N that change every 0.2 s."""
    import mujoco

    model, recordings = mujoco.MjModel.from_xml_string(BLOCK), []
    for seed in (0, 1):
        rng, data = np.random.default_rng(seed), mujoco.MjData(model)
        mujoco.mj_step(model, data, 200)  # it sinks in
        forces = rng.uniform(-16.0, 16.0, 10)
        push = lambda t, data, forces=forces: forces[int(round(t / H)) // 20]  # noqa: E731
        recordings.append(record(f"push {seed}", model, data, 2.0, push, rng))
    return HardSimulator(load_model(BLOCK), timestep=H), recordings, np.array([1.7, 0.45])
