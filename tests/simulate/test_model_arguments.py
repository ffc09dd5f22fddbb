"""Simulators take what `load_model` takes."""

import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator


@pytest.mark.parametrize("simulator", [HardSimulator, SoftSimulator])
def test_a_name_or_a_path(simulator, tmp_path):
    assert simulator("quadruped").model.nu == 12
    file = tmp_path / "one.xml"
    file.write_text('<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>')
    assert simulator(file).model.nv == simulator(str(file)).model.nv == 1
    with pytest.raises(ModelError, match="did you mean 'quadruped'"):
        simulator("quadrupd")
