"""Many bodies: the broad phase changes no contact, work arrays grow, islands of dofs cost what they cost alone."""

import mujoco
import numpy as np
import pytest

from dojo_py import SoftOptions, SoftSimulator, Status, load_model
from dojo_py.by_address import STOP, Callback
from dojo_py.collision.contact_columns import GEOMS
from dojo_py.collision.sweep import pair_index
from dojo_py.soft import workspace
from dojo_py.soft.kernels import ThreadWorkspace

SHAPES = (
    '<geom type="sphere" size=".1"/>', '<geom type="capsule" size=".06 .1"/>', '<geom type="box" size=".1 .08 .06"/>',
    '<geom type="ellipsoid" size=".1 .07 .05"/>', '<geom type="cylinder" size=".07 .08"/>',
)  # fmt: skip


def heap(n: int, spacing: float, cone: str = "pyramidal", more: str = "", shapes: tuple[str, ...] = SHAPES) -> str:
    """n bodies of these shapes over a floor, on a grid that is `spacing` wide."""
    side = int(np.ceil(n ** (1 / 3)))
    bodies = "".join(
        f'<body pos="{spacing * (i % side)} {spacing * (i // side % side)} {0.15 + spacing * (i // side**2)}" '
        f'euler="{17 * i} {31 * i} 0"><freejoint/>{shapes[i % len(shapes)].replace("geom", f"""geom name="g{i}" """)}</body>'
        for i in range(n)
    )
    world = f'<worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody>'
    return f'<mujoco><option timestep="0.004" cone="{cone}"/>{world}{more}</mujoco>'


def with_all_pairs(simulator: SoftSimulator) -> SoftSimulator:
    """The same simulator, its broad phase told that every geom is of no finite size: every pair is looked at."""
    packed = simulator._packed
    geoms = np.stack([packed.pairs["geom1"], packed.pairs["geom2"]], axis=1).astype(np.int64)
    index = pair_index(geoms, np.ones(len(packed.geoms), bool))
    simulator._packed = packed._replace(by_geoms=index, box_reach=np.zeros(0))
    simulator._model_handle = simulator._kernels.handle(simulator._packed)
    simulator._workspace = ThreadWorkspace(simulator._packed)
    return simulator


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_the_same_motion_as_with_all_pairs(cone: str) -> None:
    """Bit for bit, while bodies fall, roll and come apart; with a pair of the model's own and margins."""
    more = '<contact><pair geom1="g0" geom2="g6" margin=".05"/></contact>'
    text = heap(40, 0.21, cone, more).replace('size=".1"/>', 'size=".1" margin=".02"/>')
    model = load_model(text)
    near, every = SoftSimulator(model), with_all_pairs(SoftSimulator(model))
    start, controls = near.initial_state(), np.zeros((120, 0))
    a, b = near.rollout(start, controls), every.rollout(start, controls)
    assert np.array_equal(a.qpos, b.qpos) and np.array_equal(a.qvel, b.qvel) and np.array_equal(a.min_gap, b.min_gap)
    assert not a.status.any()
    one, other = near.step(a.state(100)).contacts, every.step(a.state(100)).contacts
    assert len(one) > 40 and np.array_equal(one.geoms, other.geoms) and np.array_equal(one.position, other.position)


def test_work_arrays_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """From room for next to nothing, in roll-outs and single evaluations: the same numbers as with room from the start."""
    model = load_model(heap(27, 0.2))
    wide = SoftSimulator(model)
    state, controls = wide.initial_state(), np.zeros((60, 0))
    want = wide.rollout(state, controls)
    monkeypatch.setattr(workspace, "ROOM_A_GEOM", 0)
    monkeypatch.setattr(workspace, "LEAST_ROOM", 1)
    small = SoftSimulator(model)
    assert len(small.work.rows.contacts) == 1
    found = small.rollout(state, controls)
    assert np.array_equal(found.qpos, want.qpos) and not found.status.any()
    assert len(small.work.rows.contacts) >= 32
    again = SoftSimulator(model)
    assert np.array_equal(again.acceleration(want.state(50)), wide.acceleration(want.state(50)))
    batch = SoftSimulator(model).rollout_batch(state, np.zeros((2, 60, 0)), threads=2)
    assert all(np.array_equal(t.qpos, want.qpos) for t in batch)


def test_islands_solve_what_the_whole_does() -> None:
    """A heap beside loose bodies: accelerations of the wheel's Newton solver (4e-15 of their size measured), and of CG (1e-15)."""
    loose = '<body pos="5 0 3"><freejoint/><geom size=".1"/></body></worldbody>'
    text = heap(20, 0.19, shapes=SHAPES[:3]).replace("</worldbody>", loose)
    text = text.replace("<option ", '<option tolerance="0" iterations="60" ls_iterations="50" ')
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    simulator, data = SoftSimulator(model), mujoco.MjData(wheel)
    for _ in range(60):
        mujoco.mj_step(wheel, data)
    state = simulator.initial_state(data.qpos, data.qvel)
    mujoco.mj_forward(wheel, data)
    found, size = simulator.acceleration(state), np.abs(data.qacc).max()
    assert 2 <= simulator.work.solver.islands[0] < 21
    assert found == pytest.approx(data.qacc, abs=1e-12 * size)
    other = SoftSimulator(model, options=SoftOptions(solver="CG", iterations=20000, tolerance=1e-30))
    assert found == pytest.approx(other.acceleration(state), abs=1e-12 * size)


def test_nothing_is_kept_for_every_pair() -> None:
    """400 loose spheres, 80 000 pairs: memory of the work arrays is that of their contacts with the floor. Status stays SOLVED."""
    bodies = "".join(
        f'<body pos="{0.3 * (i % 20)} {0.3 * (i // 20)} .1"><freejoint/><geom size=".1"/></body>' for i in range(400)
    )  # fmt: skip
    simulator = SoftSimulator(load_model(f'<mujoco><worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody></mujoco>'))
    rows = simulator.work.rows
    assert len(rows.contacts) < 10 * 400 and len(rows.sweep.near) < 20 * 400
    run = simulator.rollout(simulator.initial_state(), np.zeros((3, 0)))
    assert (run.status == Status.SOLVED).all()


def test_a_loop_asks_about_every_step_once() -> None:
    """Where its work arrays and its table of contacts grow in the first step and later; and it may stop before it begins."""
    boxes = "".join(
        f'<body pos="{0.15 * (i % 10)} {0.15 * (i // 10)} {0.04 if i < 10 else 0.0502}"><freejoint/>'
        '<geom type="box" size=".05 .05 .05"/></body>'
        for i in range(30)
    )
    simulator = SoftSimulator(load_model(f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{boxes}</worldbody></mujoco>'))
    asked: list[int] = []
    going, stopping = Callback(lambda t, _: asked.append(t)), Callback(lambda t, _: (asked.append(t), STOP)[1])
    loop = simulator.loop(5, contacts=True)
    room = len(loop.contacts)
    loop.start(simulator.initial_state())
    assert loop.run(going.address, 0) == 5 and asked == [0, 1, 2, 3, 4, 5]
    assert room < 40 < len(loop.contacts) and np.count_nonzero(loop.contacts[:, GEOMS]) == 120
    assert np.array_equal(loop.qpos, simulator.rollout(simulator.initial_state(), np.zeros((5, 0))).qpos)
    asked.clear()
    other = simulator.loop(5, contacts=True)
    other.start(simulator.initial_state())
    assert other.run(stopping.address, 0) == 0 and asked == [0] and len(other.contacts) == room
