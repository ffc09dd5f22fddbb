"""Simulators take what `load_model` takes."""

import mujoco
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_mechanism, load_model


@pytest.mark.parametrize("simulator", [HardSimulator, SoftSimulator])
def test_a_name_or_a_path(simulator, tmp_path):
    assert simulator("quadruped").model.nu == 12
    file = tmp_path / "one.xml"
    file.write_text('<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>')
    assert simulator(file).model.nv == simulator(str(file)).model.nv == 1
    with pytest.raises(ModelError, match="did you mean 'quadruped'"):
        simulator("quadrupd")


def test_another_programs_model_is_refused_in_plain_words():
    """Before: 'MjModel has no attribute replace', and a TypeError of pathlib."""
    theirs = mujoco.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(TypeError, match=r"is a MjModel, expected a Model, as load_model .*SoftSimulator takes a mujoco.MjModel"):
        HardSimulator(theirs)
    with pytest.raises(TypeError, match="source is a MjModel, expected a path, XML text .*; SoftSimulator takes"):
        load_model(theirs)
    assert SoftSimulator(theirs).model is theirs


def test_models_are_not_loaded_twice():
    mechanism = load_mechanism("pendulum")
    with pytest.raises(TypeError, match="source is a Model, .*; a Model needs no loading"):
        load_model(mechanism.compile())
    with pytest.raises(TypeError, match="source is a Mechanism, .*; `compile"):
        load_model(mechanism)
    for simulator in (HardSimulator, SoftSimulator):
        with pytest.raises(TypeError, match="is a Mechanism, expected a Model"):
            simulator(mechanism)
