"""Contact and friction of simple bodies against what mechanics says."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.reproduce.figure5 import along_and_aside, slide
from dojo_py.reproduce.scenes import with_friction

G = 9.81


def boxes(slope=0.0, friction=0.5, pose='pos="0 0 0.25"'):
    """MJCF: a 1 kg cube of edge 0.5 m over a plane that is turned about y by `slope` degrees."""
    return f"""<mujoco><worldbody><geom type="plane" size="0 0 1" euler="0 {slope} 0"/>
<body {pose}><freejoint/><geom type="box" size="0.25 0.25 0.25" mass="1" friction="{friction} 0 0" priority="1"/></body>
</worldbody></mujoco>"""


def run(model, duration, timestep=0.01, qvel=None, **options):
    sim = HardSimulator(model, timestep=timestep, **options)
    steps = round(duration / timestep)
    return sim.rollout(sim.initial_state(qvel=qvel), np.zeros((steps, model.nu)))


def test_box_on_a_slope_stays():
    tilt = np.radians(20.0)
    x, z = 0.25 * np.sin(tilt), 0.25 * np.cos(tilt)
    model = load_model(boxes(20.0, 0.7, f'pos="{x:.17g} 0 {z:.17g}" euler="0 20 0"'))
    trajectory = run(model, 10.0)
    moved = np.abs(trajectory.qpos[:, :3] - trajectory.qpos[0, :3]).max()
    print(f"box on a 20 degree slope, friction 0.7, 10 s: moved {moved:.1e} m (bound 1e-9)")
    assert trajectory.unsolved == 0
    assert moved <= 1e-9


def test_box_on_a_slope_slides_when_friction_is_too_small():
    """Friction 0.2 < tan 20: a = g (sin - 0.2 cos)."""
    tilt = np.radians(20.0)
    x, z = 0.25 * np.sin(tilt), 0.25 * np.cos(tilt)
    trajectory = run(load_model(boxes(20.0, 0.2, f'pos="{x:.17g} 0 {z:.17g}" euler="0 20 0"')), 1.0, 0.002)
    moved = np.linalg.norm(trajectory.qpos[-1, :3] - trajectory.qpos[0, :3])
    expected = 0.5 * G * (np.sin(tilt) - 0.2 * np.cos(tilt))
    assert moved == pytest.approx(expected, rel=3e-3)


def test_sliding_box_keeps_its_line_and_stops_in_time():
    """v lives mid-step: the box that has v over the interval before the start has v - μ g h/2 at it."""
    trajectory = slide("hard", "cone", height=0.25, timestep=0.005)
    along, aside = along_and_aside(trajectory)
    speed = np.linalg.norm(trajectory.qvel[0, :2])
    error = along[-1] / (speed**2 / (2 * 0.25 * G)) - 1.0
    middle = along[-1] / ((speed - 0.25 * G * 0.0025) ** 2 / (2 * 0.25 * G)) - 1.0
    print(
        f"sliding box, cone: leaves its line by {np.abs(aside).max():.1e} m (bound 1e-9), stops {error:+.2%} from v²/2μg"
        f" (bound 0.5 %), {middle:+.1e} with v mid-step"
    )
    assert trajectory.unsolved == 0
    assert np.abs(aside).max() <= 1e-9
    assert abs(error) <= 5e-3 and abs(middle) <= 1e-4
    assert np.abs(trajectory.qvel[-1]).max() <= 1e-6


def test_dropped_sliding_box_cone_against_pyramid():
    """The figure's start, 0.5 m above the floor."""
    drift = {}
    for friction in ("cone", "pyramid"):
        trajectory = slide("hard", friction)
        assert trajectory.unsolved == 0
        drift[friction] = np.abs(along_and_aside(trajectory)[1]).max()
    print(f"sliding box, dropped: cone {drift['cone']:.1e} m (bound 1e-9), pyramid {drift['pyramid']:.2f} m")
    assert drift["cone"] <= 1e-9
    assert drift["pyramid"] > 0.05


@pytest.mark.parametrize("friction", [0.0, 0.01, 0.2, 0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("timestep", [0.01, 0.05])
def test_tilted_box_comes_to_rest(friction, timestep):
    """A cube tilted by 0.1 and 0.05 rad falls on its edge and face from 2 cm: at rest within 1 s, whatever the friction."""
    pose = 'pos="0 0 0.3" quat="0.99843 0.04992 0.02496 0"'
    trajectory = run(load_model(boxes(0.0, friction, pose)), 1.5, timestep)
    late = trajectory.time[1:] > 1.0
    speed = np.abs(trajectory.qvel[1:][late]).max()
    print(f"tilted box, friction {friction}, h {timestep}: speed after 1 s {speed:.1e} (bound 1e-6)")
    assert trajectory.unsolved == 0
    assert trajectory.min_gap.min() >= -1e-9
    assert speed <= 1e-6


STACKS = {
    "sphere on box": """<body pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1" mass="{low}"/></body>
<body pos="0 0 0.31"><freejoint/><geom type="sphere" size="0.1" mass="{high}"/></body>""",
    "box on four spheres": """<body pos="0 0 0.31"><freejoint/><geom type="box" size="0.3 0.3 0.1" mass="{high}"/></body>
<body pos="0.2 0.2 0.1"><freejoint/><geom type="sphere" size="0.1" mass="{low}"/></body>
<body pos="-0.2 0.2 0.1"><freejoint/><geom type="sphere" size="0.1" mass="{low}"/></body>
<body pos="0.2 -0.2 0.1"><freejoint/><geom type="sphere" size="0.1" mass="{low}"/></body>
<body pos="-0.2 -0.2 0.1"><freejoint/><geom type="sphere" size="0.1" mass="{low}"/></body>""",
    "sphere on sphere on a rail": """<body pos="0 0 0.1"><joint type="slide" axis="0 0 1"/>
<geom type="sphere" size="0.1" mass="{low}"/></body>
<body pos="0 0 0.31"><joint type="slide" axis="0 0 1"/><geom type="sphere" size="0.1" mass="{high}"/></body>""",
    "crossed capsules": """<body pos="0 0 0.1"><freejoint/><geom type="capsule" size="0.1 0.3" euler="0 90 0" mass="{low}"/>
<geom type="sphere" size="0.1" pos="0 0.3 0" mass="0.1"/><geom type="sphere" size="0.1" pos="0 -0.3 0" mass="0.1"/></body>
<body pos="0 0 0.31"><freejoint/><geom type="capsule" size="0.1 0.3" euler="90 0 0" mass="{high}"/></body>""",
}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize(("low", "high"), [(1.0, 1000.0), (1000.0, 1.0), (1.0, 1.0)])
def test_stacks_of_unequal_masses_come_to_rest(stack, low, high):
    """The upper body falls 1 cm onto the lower: at rest within 1 s."""
    floor = '<geom type="plane" size="0 0 1"/>'
    xml = f"<mujoco><worldbody>{floor}{STACKS[stack].format(low=low, high=high)}</worldbody></mujoco>"
    trajectory = run(load_model(xml), 1.5)
    late = trajectory.time[1:] > 1.0
    speed = np.abs(trajectory.qvel[1:][late]).max()
    print(f"{stack}, {low:g} kg below {high:g} kg: speed after 1 s {speed:.1e} (bound 1e-6), gap {trajectory.min_gap.min():.1e} m")
    assert trajectory.unsolved == 0
    assert trajectory.min_gap.min() >= -1e-9
    assert speed <= 1e-6


def test_friction_stays_in_its_cone_and_opposes_motion():
    model = with_friction(load_model("box"), 0.3)
    sim = HardSimulator(model, timestep=0.01)
    state = sim.initial_state(qvel=np.array([1.0, 0.5, 0, 0, 0, 2.0]))
    for _ in range(40):
        step = sim.step(state, np.zeros(3))
        normal, tangent = step.contacts.impulse[:, 0], step.contacts.impulse[:, 1:]
        assert step.solved and (normal >= -1e-12).all()
        assert (np.linalg.norm(tangent, axis=1) <= 0.3 * normal + 1e-9).all()
        before, state = state, step.state
        assert sim.energy(state) <= sim.energy(before) + 1e-9


def test_without_friction_nothing_slows_a_box():
    model = load_model(boxes(friction=0.0))
    trajectory = run(model, 1.0, qvel=np.array([1.0, 0.3, 0, 0, 0, 0]), friction="none")
    assert trajectory.unsolved == 0
    assert np.abs(trajectory.qvel[-1, :2] - [1.0, 0.3]).max() <= 1e-9
