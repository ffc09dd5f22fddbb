"""A bit of everything that kernels of the hard mode do, as lines of text that name all numbers by a hash: `python everything.py`.

With checked indices (NUMBA_BOUNDSCHECK=1) the lines are the same.
"""

import hashlib
import importlib
import warnings

import numpy as np

import dojo_py
from dojo_py import planning, policy
from dojo_py.collision import candidates, sweep
from dojo_py.environments import make_task
from dojo_py.hard import workspace
from dojo_py.hard.parameters.registry import PARAMETER_NAMES

HEAD = '<mujoco><option timestep="0.005"/>'
GROUND = '<geom name="floor" type="plane" size="3 3 .1"/>'
SHAPES = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".06 .08"',
    "box": 'type="box" size=".1 .08 .06"',
    "cylinder": 'type="cylinder" size=".08 .06"',
    "ellipsoid": 'type="ellipsoid" size=".1 .07 .05"',
    "mesh": 'type="mesh" mesh="disc"',
}


def text(numbers):
    return " ".join(f"{x:.6g}" for x in np.ravel(numbers))


def assets():
    """A prism of 140 corners, whose caps meet in as many points; a height field."""
    a = np.linspace(0.0, 2.0 * np.pi, 70, endpoint=False)
    disc = np.concatenate([np.stack([0.1 * np.cos(a), 0.1 * np.sin(a), z + 0.0 * a], axis=1) for z in (-0.05, 0.05)])
    field = text(np.random.default_rng(0).uniform(size=(12, 9)))
    return (
        f'<asset><mesh name="disc" vertex="{text(disc)}"/>'
        f'<hfield name="field" nrow="12" ncol="9" size="1 1 .2 .1" elevation="{field}"/></asset>'
    )


def heap(shapes, ground=GROUND, apart=0.2):
    """Free bodies of these shapes, one above the other, a little beside each other."""
    bodies = "".join(
        f'<body pos="{0.02 * (k % 3)} {0.03 * (k % 2)} {0.15 + apart * k}" quat="1 .0{k % 7} .1 0"><freejoint/>'
        f'<geom {SHAPES[shape]} condim="{(1, 3, 4, 6)[k % 4]}" friction="1 .01 .001"/></body>'
        for k, shape in enumerate(shapes)
    )
    return f"{HEAD}{assets()}<worldbody>{ground}{bodies}</worldbody></mujoco>"


def chain(links, joints):
    one = f'<body pos=".2 0 0">{joints}<geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/>'
    return f"{HEAD}<worldbody>{GROUND}<body pos='0 0 1'>{one * links}{'</body>' * links}</body></worldbody></mujoco>"


HINGES = '<joint axis="1 0 0"/><joint axis="0 1 0" range="-29 29"/><joint axis="0 0 1" frictionloss=".1"/>'
SLIDES = '<joint type="slide" axis="1 0 0" range="-.2 .2" stiffness="3"/><joint type="slide" axis="0 1 0"/>'
BALL = '<joint type="ball" range="0 46" stiffness=".5" damping=".1"/>'
WORKSHOP = """<worldbody>{ground}<site name="w" pos="0 0 1.4"/>
  <body name="m" mocap="true" pos=".5 0 1"><geom size=".05" contype="0" conaffinity="0"/></body>
  <body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0" range="-90 90"/><geom name="ga" type="capsule" fromto="0 0 0 .3 0 0"
    size=".04"/><site name="sa" pos=".15 0 .05"/><geom name="wrap" type="cylinder" size=".03 .1" pos=".3 0 0" quat="1 1 0 0"
    contype="0" conaffinity="0"/><site name="side" pos=".3 0 .1"/>
    <body name="b" pos=".3 0 0"><joint name="jb" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
      <site name="sb" pos=".15 0 .05"/><geom name="ball" size=".02" pos=".2 0 0" contype="0" conaffinity="0"/>
      <body name="c" pos=".3 0 0"><joint name="jc" type="ball" damping=".05"/><geom name="gc" type="box" size=".1 .05 .03"
        pos=".1 0 0"/><site name="sc" pos=".1 0 .05"/></body></body></body>
  <body name="d" pos="1.5 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="sd"/></body>
  <body name="e" pos="1.5 0 1.5"><joint name="je" type="slide" axis="0 0 1"/><geom size=".08"/></body>
  <body name="f" pos="2 0 1.5"><joint name="jf" type="slide" axis="0 0 1"/><geom size=".08"/></body></worldbody>
<tendon><spatial name="t1" range="0 .6" stiffness="10" damping=".1"><site site="w"/><geom geom="wrap" sidesite="side"/>
    <site site="sb"/></spatial>
  <spatial name="t2" stiffness="5" springlength=".1 .3" frictionloss=".1"><site site="sa"/><geom geom="ball"/><site site="sc"/>
    <pulley divisor="2"/><site site="sd"/><site site="w"/></spatial>
  <fixed name="t3" range="-1 1" stiffness="1" damping=".1" armature=".01" frictionloss=".02"><joint joint="ja" coef="1"/>
    <joint joint="jb" coef="-.5"/></fixed></tendon>
<equality>{equalities}</equality>
<actuator><motor joint="ja" gear="2"/><position joint="jb" kp="10" kv="1"/><velocity joint="je" kv="2"/><motor tendon="t3"/>
  <motor tendon="t1" ctrlrange="-1 1"/><general joint="jf" dyntype="filter" dynprm=".1" gainprm="3" biastype="affine"
  biasprm="0 -1 -.1"/><general joint="ja" dyntype="integrator" actlimited="true" actrange="-1 1"/><general site="sd"
  gear="1 0 0 0 .1 0"/><muscle tendon="t2" lengthrange=".2 3"/><cylinder joint="jf" area=".1"/><damper joint="je"
  ctrlrange="0 1" kv="1"/><intvelocity joint="jf" kp="3" actrange="-1 1"/><general joint="jc" gear="1 .5 .2"/><motor site="sc"
  refsite="sa" gear="0 0 1 0 0 0"/></actuator>
<sensor><jointpos joint="ja"/><ballquat joint="jc"/><ballangvel joint="jc"/><tendonpos tendon="t1"/><tendonvel tendon="t2"/>
  <accelerometer site="sa"/><gyro site="sb"/><force site="sb"/><torque site="sb"/><touch site="sd"/><framepos objtype="body"
  objname="d" reftype="site" refname="sa"/><frameangacc objtype="body" objname="c"/><subtreecom body="a"/><subtreeangmom body="a"/>
  <rangefinder site="sd"/><jointlimitpos joint="ja"/><tendonlimitpos tendon="t3"/><distance geom1="ga" geom2="gc" cutoff="1"/>
  <e_kinetic/><e_potential/></sensor></mujoco>"""
EQUALITIES = {
    "no closure": "",
    "connects": '<connect body1="c" body2="d" anchor=".1 0 0"/><connect body1="b" body2="e" anchor=".1 0 .1"/>',
    "welds": '<weld body1="c" body2="m"/><weld body1="d" body2="f"/>',
    "couplings": '<joint joint1="je" joint2="jf" polycoef="0 1 .1 .1 0"/><tendon tendon1="t3" tendon2="t1" polycoef="0 1 0 0 0"/>',
}


HEAPS = heap(list(SHAPES) * 2), heap(["mesh"] * 4, apart=0.11)


def begin_with_little_room(set):
    """Tables of contacts and of near pairs of later simulators have room for few at first. set: `setattr` or one that is undone."""
    small = {candidates: ("ROOM", "ROOM_A_BODY"), sweep: ("ROOM_A_BOX", "LEAST_ROOM"), workspace: ("NEAR_A_FEATURE", "MOST_NEAR")}
    for module, names in small.items():
        for name in names:
            set(module, name, 1)


def models():
    """Name -> a model: shipped ones, and others of unusual sizes."""
    yield from ((name, name) for name in (*dojo_py.models.names(), *dojo_py.models.scenes()))
    yield "nothing", f"{HEAD}<worldbody/></mujoco>"
    yield "a floor and a fixed body", f'{HEAD}<worldbody>{GROUND}<body><geom size=".1"/></body></worldbody></mujoco>'
    yield "one body", f'{HEAD}<worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    yield "balls", chain(30, BALL)
    yield "many joints", chain(3, SLIDES + HINGES)
    yield "ball and slides", chain(3, BALL + SLIDES)
    yield "a heap", HEAPS[0]
    yield "discs", HEAPS[1]
    yield "a field", heap(list(SHAPES), '<geom type="hfield" hfield="field"/>', 0.3)
    for name, equalities in EQUALITIES.items():
        yield name, HEAD + WORKSHOP.format(ground=GROUND, equalities=equalities)


def digest(*values):
    found = hashlib.sha256()
    for value in values:
        found.update(np.ascontiguousarray(np.asarray(value, float)).tobytes())
    return found.hexdigest()[:16]


def motions(name, model, steps=12):
    """A model's roll-outs, in the hard limit and at κ, their derivatives by state, control and parameters, both ways."""
    sim, rng = dojo_py.HardSimulator(model, timestep=0.01, unsupported="skip"), np.random.default_rng(0)
    m = sim.model
    controls, start = 0.3 * rng.uniform(-1.0, 1.0, (steps, m.nu)), sim.initial_state(qvel=0.3 * rng.normal(size=m.nv))
    wrenches = 0.3 * rng.normal(size=(m.nbody, 6)) * (np.arange(m.nbody) > 0)[:, None]
    forces = 0.1 * rng.normal(size=m.nv)
    hard = sim.rollout(start, controls)
    yield name, digest(hard.qpos, hard.qvel, hard.maximal, *([hard.sensordata] if m.nsensordata else []))
    soft = sim.rollout(start, controls, kappa=1e-4, linearize=True, wrenches=wrenches, joint_forces=forces)
    yield f"{name}, on the path", digest(soft.qpos, soft.qvel, soft.A, soft.B)
    back = sim.rollout_vjp(hard, np.ones(2 * m.nv + m.na), kappa=1e-3)
    yield f"{name}, in reverse", digest(*back[:2])
    state = hard.state(steps)
    step = sim.step(state, controls[0], wrenches=wrenches)
    yield f"{name}, contacts", digest(step.contacts.gap, step.contacts.impulse, step.contacts.position)
    yield f"{name}, maximal", digest(sim.linearize(state, controls[0], coordinates="maximal").A)
    if m.nv <= 40:
        kinds = [kind for kind in PARAMETER_NAMES if _has(sim, kind)]
        found = sim.linearize(state, controls[0], kappa=1e-3, wrenches=wrenches, joint_forces=forces, parameters=kinds)
        yield f"{name}, parameters", digest(*(found.parameters[kind] for kind in kinds))


def _has(sim, kind):
    try:
        return sim.parameter(kind).size > 0
    except ValueError:
        return False


FAMILIES = ("scenes", "bodies", "shapes", "touching", "gradients")
TIMED = "work bounded"


def families(seeds=range(995500, 995508)):
    """What families of the gauntlet find, but for what depends on how fast the machine is."""
    for name in FAMILIES:
        family = importlib.import_module(f"dojo_py.reproduce.gauntlet.{name}")
        for seed in seeds:
            found = family.check(family.generate(seed))
            yield f"{name} {seed}", {prop: outcome for prop, outcome in found.items() if prop != TIMED}


def closed_loops():
    """Episodes of tasks with a policy, and the derivative of the return; a plan of a few iterations."""
    for name in ("HalfCheetah", "Ant", "BlockPush"):
        task = make_task(name)
        one = policy.MlpPolicy(task.observation_size, task.action_size, (5, 4))
        loop, rng = policy.ClosedLoop(task, one, 4), np.random.default_rng(0)
        state, theta = task.initial_state(rng), one.initial(rng)
        yield f"{name}, played", digest(loop.play(theta, state).rewards)
        yield f"{name}, derivative", digest(loop.policy_gradient(theta, state, 1e-3).parameters)
    sim = dojo_py.HardSimulator("cartpole", timestep=0.05)
    costs = {"stage": planning.control_cost(sim.model, 0.1), "terminal": planning.state_cost(sim.model, np.zeros(2))}
    options = planning.Options(max_iterations=4)
    plan = planning.ilqr(sim, sim.initial_state([0.1, 0.5]), np.zeros((10, 1)), options=options, **costs)
    yield "a plan", digest(plan.controls, plan.gains)


def lines():
    """All of these."""
    for name, model in models():
        yield from motions(name, model)
    yield from closed_loops()
    yield from families()
    begin_with_little_room(setattr)
    for heap in HEAPS:
        yield from motions("in little room", heap)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in lines():
        print(*line, flush=True)
