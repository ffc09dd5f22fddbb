"""Small scenes, one feature each, and states of them in which that feature is at work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BOX = '<geom type="box" size=".1 .2 .15" pos=".05 .02 -.1" euler="20 30 40" mass="1.3" contype="0" conaffinity="0"/>'


def _joint(joint: str, actuator: str = "", limits: str = "") -> str:
    """Two bodies of boxes: one on a ball from the world, one with the joint in question below it."""
    return f"""<mujoco><worldbody><body pos="0 0 1"><joint type="ball" damping=".1"/>{BOX}
      <body pos=".3 .1 -.2" euler="10 20 -30">{joint}{BOX}
        <body pos=".2 0 0"><joint name="last" axis="0 1 0"/>{BOX}</body></body></body></worldbody>{limits}
      <actuator>{actuator}</actuator></mujoco>"""


def _pair(first: str, second: str, apart: str, turned: str = "0 0 0") -> str:
    """Two free bodies without gravity, `apart` between their frames."""
    return f"""<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/><geom {first} mass="1"/></body>
      <body pos="{apart}" euler="{turned}"><freejoint/><geom {second} mass="2"/></body></worldbody></mujoco>"""


def _world(moving: str, fixed: str, height: float) -> str:
    """A free body above a geom of the world."""
    return f"""<mujoco><worldbody><geom {fixed}/><body pos="0 0 {height}"><freejoint/><geom {moving} mass="1"/></body>
      </worldbody></mujoco>"""


ONE_TREE = """<mujoco><option gravity="0 0 0"/><default><geom contype="0" conaffinity="0"/></default><worldbody><body><freejoint/>
  <geom {base} mass="2" contype="1" conaffinity="1"/>
  <body pos=".4 0 0"><joint axis="0 1 0" damping=".1"/><geom type="sphere" size=".05" mass=".5"/>
    <body pos="0 0 .1"><joint type="slide" axis="1 .3 .2"/><geom {tip} mass=".4" contype="1" conaffinity="1"/>
  </body></body></body></worldbody></mujoco>"""
FOOT = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 .35"><freejoint/>
  <geom type="sphere" size=".1" mass="4"/><site name="hip" euler="10 0 0"/>
  <body><joint name="leg" type="slide" axis="0 0 -1" damping=".1"/>
    <geom type="sphere" pos="0 0 -.3" size=".05" mass=".5"/></body></body></worldbody>
  <actuator><motor site="hip" gear="1 0 2 1 .3 0"/><motor site="hip" gear="0 0 0 0 1 0"/><motor joint="leg"/></actuator></mujoco>"""
LOOP = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body name="a" pos="0 0 {height}"><joint name="ja" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/>
    <body name="b" pos=".3 0 0"><joint name="jb" type="{joint}" {axis}/>
      <geom type="capsule" fromto="0 0 0 .1 .1 -.3" size=".03" mass="1"/></body></body>
  <body name="c" pos=".6 .1 .2"><freejoint/><geom type="sphere" size=".1" mass=".7" contype="0"/></body></worldbody>
  <equality>{equality}</equality></mujoco>"""
ARMS = f"""<mujoco><worldbody>
  <body name="a" pos="0 0 1"><joint type="ball" damping=".1"/>{BOX}
    <body name="b" pos=".3 .1 -.2"><joint name="jb" axis="1 2 0" damping=".1"/>{BOX}</body>
    <body name="d" pos="-.2 .2 .3" euler="10 20 -30"><joint name="jd" axis="0 1 .3" ref="20" damping=".2"/>{BOX}</body>
    <body name="e" pos="-.4 .3 .1"><joint type="ball"/>{BOX}</body></body>
  <body name="c" pos="-.3 .6 1.2"><joint type="ball" damping=".1"/>{BOX}
    <body pos=".1 .1 .3"><joint name="jc" axis="0 2 1" pos="0 .1 0" ref="-30"/><joint name="sc" type="slide" axis="1 .3 0"/>{BOX}
    </body></body></worldbody><equality>{{}}</equality></mujoco>"""
SPHERE, LARGE = 'type="sphere" size=".2"', 'type="sphere" size=".3"'
CAPSULE, ROD = 'type="capsule" size=".1 .4"', 'type="capsule" size=".05 .4"'
BLOCK, TILTED = 'type="box" size=".3 .2 .1"', 'type="plane" size="0 0 1" euler="10 20 0"'
TOWARDS = (0, 0, 0, 0, 0, 0, 0, -2.0)
SERVO = '<position joint="j" kp="40" kv="2"{}/>'
SERVOS = '<position joint="j" kp="40"/><velocity joint="j" kv="2" gear="-.5"/><motor joint="j" gear="2"/>'
ARM_OF = '<joint name="j" axis="1 .2 0" damping=".2" armature=".05"{}/>'


class Scene(NamedTuple):
    """A model and how far its states are from its initial one."""

    text: str
    spread: float = 0.3
    """Of the coordinates [m, rad]."""
    speed: float = 1.0
    push: tuple[float, ...] = ()
    """Velocities added, the first nv entries of the scene's."""
    control: float = 1.0
    wrenches: bool = False
    friction: str = "cone"
    timestep: float = 0.01


IN_JOINTS = {
    "ball, spring and damper": Scene(_joint('<joint type="ball" pos=".1 -.2 .3" damping=".3" stiffness="2" armature=".1"/>')),
    "ball limit": Scene(_joint('<joint type="ball" limited="true" range="0 20" damping=".1"/>'), 0.2, 3.0),
    "free, damping": Scene(
        f'<mujoco><worldbody><body><joint type="free" damping=".4"/>{BOX}<body pos=".3 0 0"><joint axis="0 1 0"/>{BOX}'
        "</body></body></worldbody></mujoco>",
        speed=3.0,
    ),
    "free, armature": Scene(
        f'<mujoco><worldbody><body><joint type="free" armature=".2"/>{BOX}<body pos=".3 0 0"><joint axis="0 1 0"/>{BOX}'
        "</body></body></worldbody></mujoco>",
        speed=3.0,
    ),
    "hinge": Scene(_joint('<joint axis="1 2 3" pos=".1 .2 -.1" ref="25" damping=".3" stiffness="20" armature=".1"/>')),
    "hinge limit": Scene(_joint('<joint axis="1 2 3" limited="true" range="-5 5" margin=".01"/>'), 0.1, 3.0),
    "slide": Scene(_joint('<joint type="slide" axis="1 -2 1" pos=".3 .1 0" ref=".4" damping=".3" stiffness="2" armature=".1"/>')),
    "slide limit": Scene(_joint('<joint type="slide" axis="1 -2 1" limited="true" range="-.02 .02"/>'), 0.02, 3.0),
    "two hinges": Scene(_joint('<joint axis="1 0 .2" pos=".1 0 .2"/><joint axis="0 1 0" pos="-.1 0 0" ref="-30" damping=".3"/>')),
    "three hinges": Scene(
        _joint(
            '<joint axis="0 0 1" pos=".1 0 0" stiffness="5"/><joint axis="0 1 0" ref="10" armature=".1"/>'
            '<joint axis="1 .3 0" pos="0 .2 0" limited="true" range="-10 10"/>'
        ),
        0.2,
    ),
    "planar": Scene(_joint('<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1" ref="1.2"/><joint axis="0 1 0"/>')),
    "slides and a ball, limits": Scene(
        _joint(
            '<joint type="slide" axis="1 -2 1" ref=".1" limited="true" range=".06 .14" damping=".1"/>'
            '<joint type="ball" pos=".1 -.2 .3" limited="true" range="0 20" damping=".1" armature=".05"/>'
            '<joint type="slide" axis="0 1 .3" stiffness="3" armature=".1"/>'
        ),
        0.04,
        3.0,
    ),
    "hinge and a ball, springs": Scene(
        _joint(
            '<joint axis="1 2 3" pos=".3 .2 -.4" ref="25" damping=".3" stiffness="2 .5"/>'
            '<joint type="ball" pos=".1 -.2 .3" damping=".3" stiffness="2 1 .5" armature=".1" frictionloss=".2"/>'
        )
    ),
    "two hinges and a ball, motors": Scene(
        _joint(
            '<joint name="h" axis="1 0 .2" pos=".3 0 .4"/><joint axis="0 1 0" pos="-.3 .2 0" frictionloss=".2"/>'
            '<joint name="j" type="ball" damping=".1"/>',
            '<motor joint="j" gear="1 2 3"/><motor jointinparent="j" gear="1 -2 1"/><position joint="j" gear="2 1 3" kp="3"/>'
            '<position joint="h" kp="10" kv=".5"/>',
        )
    ),
    "position servo": Scene(_joint(ARM_OF.format(""), SERVO.format(""))),
    "position servo, inside its range": Scene(_joint(ARM_OF.format(""), SERVO.format(' forcerange="-500 500"'))),
    "position servo, outside its range": Scene(_joint(ARM_OF.format(""), SERVO.format(' forcerange="-.5 .5"')), control=5.0),
    "velocity servo": Scene(_joint(ARM_OF.format(""), '<velocity joint="j" kv="5" gear="3"/>')),
    "velocity servo, outside its range": Scene(
        _joint(ARM_OF.format(""), '<velocity joint="j" kv="5" forcerange="-.1 .1"/>'), control=8.0
    ),
    "motor, bounded joint force": Scene(
        _joint(ARM_OF.format(' actuatorfrcrange="-.1 .1"'), '<motor joint="j" gear="2"/><motor joint="last"/>'), control=3.0
    ),
    "servos and a motor, bounded joint force": Scene(_joint(ARM_OF.format(' actuatorfrcrange="-60 50"'), SERVOS)),
    "servos and a motor, outside the bound": Scene(_joint(ARM_OF.format(' actuatorfrcrange="-.3 .2"'), SERVOS), control=5.0),
    "ball motor": Scene(_joint('<joint name="j" type="ball"/>', '<motor joint="j" gear="1 2 3"/>')),
    "ball motor in the parent": Scene(_joint('<joint name="j" type="ball"/>', '<motor jointinparent="j" gear="1 2 3"/>')),
    "ball servo": Scene(_joint('<joint name="j" type="ball"/>', '<position joint="j" gear="1 2 3" kp="10"/>')),
    "dry friction": Scene(_joint('<joint axis="1 2 3" frictionloss=".5"/>')),
    "dry friction, at rest": Scene(_joint('<joint axis="1 2 3" frictionloss="20"/>'), speed=0.0),
    "gravity compensation": Scene(
        f'<mujoco><worldbody><body gravcomp=".7"><joint type="ball"/>{BOX}<body pos=".3 0 0" gravcomp="1">'
        f'<joint axis="0 1 0" actuatorgravcomp="true"/>{BOX}</body></body></worldbody></mujoco>'
    ),
    "wrenches": Scene(_joint('<joint axis="1 2 3"/>'), wrenches=True),
}
IN_CONTACT = {
    "leg that turns its actuators": Scene(FOOT, 0.01, 1.0, (0, 0, -1.0), 3.0),
    "sphere on a slope": Scene(_world(SPHERE, TILTED, 0.21), 0.01, 0.5, (0, 0, -1.0)),
    "capsule on a slope": Scene(_world(f'{CAPSULE} euler="0 100 0"', TILTED, 0.19), 0.01, 0.5, (0, 0, -2.0)),
    "cylinder on a slope": Scene(_world('type="cylinder" size=".1 .2"', TILTED, 0.25), 0.02, 0.5, (0, 0, -2.0)),
    "ellipsoid on a slope": Scene(_world('type="ellipsoid" size=".1 .2 .15"', TILTED, 0.16), 0.01, 0.5, (0, 0, -1.0)),
    "sphere on a sphere": Scene(_pair(SPHERE, LARGE, ".3 .2 .352"), 0.005, 0.5, (0.5, 0.5, 1.0)),
    "sphere on a box": Scene(_pair(SPHERE, BLOCK, "0 .05 .301"), 0.005, 0.5, (0, 0, 1.0)),
    "sphere on a box's edge": Scene(_pair(SPHERE, BLOCK, ".44 .05 .241"), 0.005, 0.5, (1.0, 0, 1.0)),
    "sphere on a capsule": Scene(_pair(SPHERE, CAPSULE, "0 .1 .301", "80 10 0"), 0.002, 0.1, (0, 0, 2.0)),
    "crossing capsules": Scene(_pair(f'{ROD} euler="90 0 0"', CAPSULE, "0 .1 .151", "0 80 10"), 0.005, 0.5, (0, 0, 1.0)),
    "capsule's end on a capsule": Scene(_pair(ROD, CAPSULE, "0 .1 .541", "80 10 0"), 0.002, 0.1, (0, 0, 2.0)),
    "capsules end to end": Scene(_pair(ROD, CAPSULE, ".01 0 .951", "0 5 0"), 0.002, 0.2, (0, 0, 2.0)),
    "sphere on its own tree": Scene(
        ONE_TREE.format(base='type="sphere" size=".2"', tip='type="sphere" size=".1" pos="-.1 0 -.1"'), 0.002, 0.5, TOWARDS
    ),
    "sphere on a box of its tree": Scene(
        ONE_TREE.format(base='type="box" size=".2 .1 .1"', tip='type="sphere" size=".1" pos="-.1 .02 -.1"'), 0.002, 0.5, TOWARDS
    ),
    "capsule on a capsule of its tree": Scene(
        ONE_TREE.format(base='type="capsule" size=".1 .2"', tip='type="capsule" size=".05 .2" pos="-.25 .02 -.1" euler="80 0 10"'),
        0.002,
        0.5,
        TOWARDS,
    ),
    "sphere on a box of the world": Scene(_world(SPHERE, f'{BLOCK} euler="5 0 20"', 0.305), 0.002, 0.5, (0, 0, -1.0)),
    "sphere on a sphere of the world": Scene(_world(SPHERE, f'{LARGE} pos=".1 0 0"', 0.495), 0.002, 0.5, (0, 0, -1.0)),
    "capsule on a capsule of the world": Scene(
        _world(f'{ROD} euler="85 0 0"', f'{CAPSULE} euler="0 85 10"', 0.155), 0.002, 0.5, (0, 0, -1.0)
    ),
    "box on a sphere of the world": Scene(_world(BLOCK, f'{LARGE} pos=".1 .05 0"', 0.405), 0.002, 0.5, (0, 0, -1.0)),
    "box, pyramid": Scene(_world(BLOCK, 'type="plane" size="0 0 1"', 0.11), 0.02, 1.0, (0, 0, -2.0), friction="pyramid"),
    "box, no friction": Scene(_world(BLOCK, 'type="plane" size="0 0 1"', 0.11), 0.02, 1.0, (0, 0, -2.0), friction="none"),
    "capsule on a capsule of the world, pyramid": Scene(
        _world(f'{ROD} euler="85 0 0"', f'{CAPSULE} euler="0 85 10"', 0.155), 0.002, 0.5, (0, 0, -1.0), friction="pyramid"
    ),
    "crossing capsules, pyramid": Scene(
        _pair(f'{ROD} euler="90 0 0"', CAPSULE, "0 .1 .151", "0 80 10"), 0.005, 0.5, (0, 0, 1.0), friction="pyramid"
    ),
    "sphere on a sphere, pyramid": Scene(_pair(SPHERE, LARGE, ".3 .2 .352"), 0.005, 0.5, (0.5, 0.5, 1.0), friction="pyramid"),
    "sphere on a box of its tree, pyramid": Scene(
        ONE_TREE.format(base='type="box" size=".2 .1 .1"', tip='type="sphere" size=".1" pos="-.1 .02 -.1"'),
        0.002,
        0.5,
        TOWARDS,
        friction="pyramid",
    ),
    "overlap at the start": Scene(_world(SPHERE, 'type="plane" size="0 0 1"', 0.18), 0.01),
    "box under wrenches": Scene(_world(BLOCK, 'type="plane" size="0 0 1"', 0.1), 0.01, 0.2, (0, 0, -0.5), wrenches=True),
    "deep overlap at the start": Scene(_world(SPHERE, 'type="plane" size="0 0 1"', 0.1), 0.01),
    "hinge far beyond its limit": Scene(_joint('<joint axis="1 2 3" limited="true" range="-5 5"/>'), 0.4),
}
IN_LOOPS = {
    "connect": Scene(
        LOOP.format(height=0.32, joint="ball", axis="", equality='<connect body1="b" body2="c" anchor=".2 .1 -.2"/>'), 0.02, 1.0
    ),
    "connect to the world": Scene(
        LOOP.format(height=0.4, joint="ball", axis="", equality='<connect body1="b" anchor=".1 .1 -.3"/>'), 0.05, 1.0
    ),
    "connect in one tree": Scene(ARMS.format('<connect body1="d" body2="e" anchor=".3 .1 -.2"/>'), 0.05),
    "connect between trees": Scene(ARMS.format('<connect body1="d" body2="c" anchor=".1 0 .2"/>'), 0.05),
    "weld": Scene(LOOP.format(height=0.32, joint="ball", axis="", equality='<weld body1="b" body2="c"/>'), 0.05, 1.0),
    "weld between trees": Scene(ARMS.format('<weld body1="d" body2="c"/>'), 0.05),
    "weld to the world": Scene(LOOP.format(height=0.32, joint="ball", axis="", equality='<weld body1="c"/>'), 0.05, 1.0),
    "weld of the world": Scene(LOOP.format(height=0.32, joint="ball", axis="", equality='<weld body1="world" body2="c"/>'), 0.05),
    "joint coupling": Scene(
        LOOP.format(
            height=0.4, joint="hinge", axis='axis="0 1 .2"', equality='<joint joint1="ja" joint2="jb" polycoef="0 .7 .2 0 0"/>'
        ),
        0.1,
    ),
    "joint coupling between trees": Scene(ARMS.format('<joint joint1="jd" joint2="jc" polycoef=".02 .8 .3 -.2 .1"/>'), 0.1),
    "joint coupling in one body": Scene(ARMS.format('<joint joint1="jc" joint2="sc" polycoef="0 .8 .3 -.2 .1"/>'), 0.1),
    "two joint couplings": Scene(
        ARMS.format('<joint joint1="jd" joint2="jb" polycoef="0 -.8 .3"/><joint joint1="sc" joint2="jb" polycoef="0 .1 -.3"/>'), 0.1
    ),
    "locked joint": Scene(ARMS.format('<joint joint1="jb" polycoef=".05 0 0 0 0"/>'), 0.1),
}
SCENES = {**IN_JOINTS, **IN_CONTACT, **IN_LOOPS}


def start(sim, scene: Scene, seed: int):
    """(state, control, wrenches) of a scene."""
    m, rng = sim.model, np.random.default_rng(seed)
    qpos = m.integrate(m.qpos0, scene.spread * rng.uniform(-1, 1, m.nv))
    qvel = scene.speed * rng.uniform(-1, 1, m.nv)
    qvel[: len(scene.push)] += scene.push
    control = scene.control * rng.uniform(0.5, 1.0, m.nu)
    wrenches = np.vstack([np.zeros(6), 3.0 * rng.normal(size=(m.nbody - 1, 6))]) if scene.wrenches else None
    return sim.initial_state(qpos, qvel), control, wrenches
