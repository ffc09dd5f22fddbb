"""A step of a small scene, loaded at a random point off its solution, whose residuals can be differenced."""

import numpy as np

from dojo_py import HardOptions, load_model
from dojo_py.arrays import copy_rows
from dojo_py.handles import handle, handles
from dojo_py.hard.compiled_apart import choose_features
from dojo_py.hard.contacts.choice import choose_contacts
from dojo_py.hard.contacts.pair_tasks import load_pairs
from dojo_py.hard.elements.coordinates import maximal_from_minimal
from dojo_py.hard.elements.drives import allocate_drive
from dojo_py.hard.islands import take_world
from dojo_py.hard.solve.first_point import release_cones
from dojo_py.hard.solve.residuals import evaluate
from dojo_py.hard.solve.start import load_state, start_step
from dojo_py.hard.workspace import allocate_work
from dojo_py.hard.world import build_world
from dojo_py.jit import entry

H = 0.02
"""[s]"""
EVERYTHING = 1e3
"""Distance within which pairs of bodies take part [m]."""


@entry
def load(L, P, Q, W, bodies, angle, rate, wrench, h):
    take_world(L, W)
    load_state(L, W, bodies, angle, rate, h)
    W.warm_feature[:, :] = 0.0
    choose_features(L, P, Q, W, h, 0.0, EVERYTHING)
    choose_contacts(L, P, Q, W, h, True, 0.0)
    take_world(L, W)
    release_cones(L, W, h)
    copy_rows(wrench, W.wrench)
    start_step(L, P, Q, W, h, 1.0 / h)


@entry
def residuals(L, P, Q, V, W, h):
    evaluate(L, P, Q, V.servos, W, h)


class LoadedStep:
    """A loaded step at a random point off the solution."""

    def __init__(self, text: str, seed: int, friction: str = "cone", springs: str = "midpoint"):
        self.model = load_model(text)
        rng = np.random.default_rng(seed)
        m = self.model
        options = HardOptions(springs=springs)
        world = build_world(m, friction, "error", float(m.opt.timestep))
        self.L = world.layout
        self.W = allocate_work(world.layout, world.planes, world.pairs, options.numbers(), options.constants())
        self.layout, planes, pairs, _, _ = handles(world)
        work = handle(self.W)
        load_pairs(self.layout, planes, pairs, work)
        self.drive = allocate_drive(world.actuators, world.layout, 0)
        self.arguments = self.layout, planes, pairs, handle(self.drive), work
        qpos = m.integrate(m.qpos0, 0.3 * rng.normal(size=m.nv))
        qvel = rng.normal(size=m.nv)
        bodies = np.zeros((len(self.L.mass), 13))
        maximal_from_minimal(self.layout, qpos, qvel, H, bodies)
        angle = np.zeros(m.nv)
        for j in range(m.njnt):
            if m.jnt_type[j] >= 2:
                angle[m.jnt_dofadr[j]] = qpos[m.jnt_qposadr[j]]
        load(self.layout, planes, pairs, work, bodies, angle, qvel, np.zeros((len(self.L.mass), 6)), H)
        W, nb = self.W, len(self.L.mass)
        W.v[:nb] = W.v_prev[:nb] + 0.5 * rng.normal(size=(nb, 6))
        W.lam[:] = rng.normal(size=W.lam.shape)
        W.con[:, :4] = rng.uniform(0.5, 1.0, size=(len(W.con), 4))
        W.lim[:] = rng.uniform(0.5, 1.0, size=W.lim.shape)
        self.nb = nb
        self.run()

    def run(self):
        residuals(*self.arguments, H)

    def differences(self, array, read):
        """Central differences of read() by every entry of array: (…read, array.size)."""
        columns, step = [], np.finfo(float).eps ** (1 / 3)
        for i in np.ndindex(array.shape):
            saved = array[i]
            values = []
            for s in (1, -1):
                array[i] = saved + s * step
                self.run()
                values.append(read().copy())
            array[i] = saved
            columns.append((values[0] - values[1]) / (2 * step))
        self.run()
        return np.stack(columns, axis=-1)


def check(name, analytic, numeric, bound=1e-7):
    worst = np.abs(analytic - numeric).max() / max(np.abs(numeric).max(), 1.0)
    print(f"{name}: {worst:.1e}")
    assert worst <= bound, f"{name}: {worst:.1e} at {np.unravel_index(np.abs(analytic - numeric).argmax(), analytic.shape)}"
