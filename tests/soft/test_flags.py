"""Every flag that switches something off or on, on random trees, stage by stage against the wheel."""

import mujoco
import numpy as np
import oracle
import pytest
from test_stages import OPTIONS, check
from trees import random_tree

from dojo_py.soft import SoftSimulator

SEEDS = (3, 17, 41, 77)
OFF = "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent actuation refsafe"


def tree(seed, **options):
    wheel = mujoco.MjModel.from_xml_string(random_tree(seed))
    for name, value in options.items():
        setattr(wheel.opt, name, getattr(wheel.opt, name) | value if name.endswith("flags") else value)
    return oracle.with_options(oracle.without_unsupported_pairs(wheel), tolerance=1e-12, iterations=200)


@pytest.mark.parametrize("name", OFF.split())
def test_disabled(name):
    bit = int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}"))
    for seed in SEEDS:
        wheel = tree(seed, disableflags=bit)
        check(SoftSimulator(wheel, options=OPTIONS), wheel, seed, states=4)


@pytest.mark.parametrize("solref", [(0.001, 1.0), (0.0001, 0.3)])
@pytest.mark.parametrize("refsafe", [True, False])
def test_reference_faster_than_the_step(solref, refsafe):
    """refsafe keeps the time constant at twice the step (0.004 s)."""
    for seed in SEEDS:
        wheel = tree(seed, disableflags=0 if refsafe else int(mujoco.mjtDisableBit.mjDSBL_REFSAFE))
        for name in ("jnt_solref", "geom_solref", "eq_solref", "dof_solref"):
            getattr(wheel, name)[:] = solref
        check(SoftSimulator(wheel, options=OPTIONS), wheel, seed, states=4)


@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
@pytest.mark.parametrize("impratio", [0.1, 1.0, 100.0])
def test_override_replaces_every_contacts_parameters(cone, impratio):
    """o_margin, o_solref, o_solimp, o_friction, for all contacts."""
    for seed in SEEDS:
        wheel = tree(seed, enableflags=int(mujoco.mjtEnableBit.mjENBL_OVERRIDE), cone=cone, impratio=impratio)
        wheel.geom_gap[:] = 0.0
        wheel.opt.o_margin, wheel.opt.o_solref[:], wheel.opt.o_solimp[:] = 0.03, (-900, -30), (0.7, 0.95, 0.02, 0.3, 3)
        wheel.opt.o_friction[:] = 0.8, 0.6, 0.01, 0.002, 0.001
        simulator = SoftSimulator(wheel, options=OPTIONS)
        pairs = simulator._packed.pairs
        assert np.all(pairs["margin"] == 0.03) and np.all(pairs["solref"] == (-900, -30))
        check(simulator, wheel, seed, states=4)
