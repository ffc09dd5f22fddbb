"""What flies past without touching feels nothing: faces and edges have no ends within a step, but impulses have.

Random pairs at up to 8 m/s and 15 rad/s that come as near as 1 mm to 5 cm within a step of 0.01 s, judged by MuJoCo's distance at
21 poses of the free motion. (Of 1000 such steps 4 have an impulse of a plane or line beside the shapes; 71 before ghosts.py.)
"""

import mujoco
import numpy as np

from dojo_py import HardSimulator, Status, load_model

NEAREST, FARTHEST = 1e-3, 0.05
SHAPES = {
    "box": lambda rng: 'type="box" size="{:.4f} {:.4f} {:.4f}"'.format(*rng.uniform(0.03, 0.15, 3)),
    "capsule": lambda rng: f'type="capsule" size="{rng.uniform(0.02, 0.06):.4f} {rng.uniform(0.05, 0.2):.4f}"',
    "cylinder": lambda rng: f'type="cylinder" size="{rng.uniform(0.03, 0.1):.4f} {rng.uniform(0.03, 0.15):.4f}"',
    "ellipsoid": lambda rng: 'type="ellipsoid" size="{:.4f} {:.4f} {:.4f}"'.format(*rng.uniform(0.03, 0.15, 3)),
    "mesh": lambda rng: 'type="mesh" mesh="lump"',
}
SCENE = """<mujoco><option gravity="0 0 0" timestep="0.01"/><asset><mesh name="lump" vertex="{}"/></asset><worldbody>
  <body><freejoint/><geom {} mass="1"/></body><body><freejoint/><geom {} mass="1"/></body></worldbody></mujoco>"""


def scene(rng):
    lump = " ".join(f"{x:.5f}" for x in 0.1 * rng.normal(size=42))
    return SCENE.format(lump, *(SHAPES[shape](rng) for shape in rng.choice(list(SHAPES), 2)))


def throw(rng):
    """(qpos, qvel) of both bodies, 10 to 45 cm from each other."""
    turns = rng.normal(size=(2, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    way = rng.normal(size=3)
    place = way * rng.uniform(0.1, 0.45) / np.linalg.norm(way)
    speeds = [rng.normal(size=3) * rng.uniform(0, most) for most in (8, 15, 8, 15)]
    return np.concatenate([np.zeros(3), turns[0], place, turns[1]]), np.concatenate(speeds)


def least_distance(model, wheel, data, start, end):
    """Along the free motion [m]."""
    least, way = np.inf, model.difference(end, start)
    for share in np.linspace(0.0, 1.0, 21):
        data.qpos[:] = model.integrate(start, share * way)
        mujoco.mj_kinematics(wheel, data)
        least = min(least, mujoco.mj_geomDistance(wheel, data, 0, 1, 0.5, None))
        if least < NEAREST:
            break
    return least


def test_near_misses_are_free_flight():
    rng, tried, felt = np.random.default_rng(0), 0, []
    while tried < 240:
        text = scene(rng)
        model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
        data, none = mujoco.MjData(wheel), np.zeros(2, int)
        sim, free = HardSimulator(model), HardSimulator(model.replace(geom_contype=none, geom_conaffinity=none))
        for _ in range(20):
            qpos, qvel = throw(rng)
            flown = free.step(free.initial_state(qpos, qvel)).state
            if not NEAREST < least_distance(model, wheel, data, qpos, flown.qpos) < FARTHEST:
                continue
            tried += 1
            step = sim.step(sim.initial_state(qpos, qvel))
            assert step.status is Status.SOLVED
            felt.append(np.abs(step.state.qvel - flown.qvel).max())
    assert max(felt) < 1e-6
