"""The family `api` of the gauntlet: its fixed seeds, and that it sees what it should."""

import numpy as np
import pytest
from gauntlet_default import outcomes

from dojo_py.reproduce.gauntlet import api
from dojo_py.reproduce.gauntlet.api_targets import Target
from dojo_py.reproduce.gauntlet.api_values import ODD, REFUSE, SAME, Value, values_of

CHUNK = 10


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(api.FIXED), CHUNK))
def test_fixed_seeds(first):
    """Ten at a time. The default run judges those of gauntlet_default.py, in test_gauntlet.py."""
    for seed in api.FIXED[first : first + CHUNK]:
        for name, outcome in outcomes("api", seed).items():
            assert not outcome.broken, f"seed {seed}, {name}: {outcome.where}"


def test_a_seed_is_the_same_case():
    assert api.generate(3) == api.generate(3) != api.generate(4)
    text = api.describe(api.generate(3))
    assert text.startswith("from dojo_py.reproduce.gauntlet.api_setup import *")
    assert len(list(api.shrink(api.generate(3)))) == api.CALLS


def test_every_argument_has_values_of_each_verdict():
    for calls in api.calls():
        for argument in {call.argument for call in calls}:
            verdicts = {call.value.verdict for call in calls if call.argument == argument}
            assert verdicts & {REFUSE, ODD}, (calls[0].target.call, argument)


def careless(array: np.ndarray, number: float = 1.0):
    array += 0.0 * number
    array[0] += 1.0
    return array * number


def test_carelessness_is_seen(monkeypatch):
    """A function that adds to the caller's array, takes texts for numbers, and divides by zero."""
    target = Target("careless", {"array": "np.ones(3)", "number": "1.0"})
    monkeypatch.setattr(api, "TARGETS", (*api.TARGETS, target))
    monkeypatch.setitem(api.surroundings(), "careless", careless)

    def broken(argument, text, verdict):
        return {name for name, wrong in api.judge(api.Call(target, argument, Value(text, verdict))).items() if wrong}

    assert broken("array", "v", SAME) == {"unchanged"}
    assert broken("array", "v.tolist()", SAME) == {"same"}
    assert "refused" in broken("array", "v * nan", REFUSE)
    assert "odd" in broken("array", "v * nan", ODD)
    assert broken("number", "'x'", REFUSE) >= {"refused"}
    assert broken("number", "np.zeros((2, 5))", REFUSE) >= {"refused"}


def failing(k: int = 0):
    raise ValueError("it takes no such thing")


def test_a_letter_within_a_word_is_not_the_name_of_an_argument(monkeypatch):
    """`k` is a letter of "takes"; a message with the word passes."""
    monkeypatch.setitem(api.surroundings(), "failing", failing)
    wrong = api.Call(Target("failing", {"k": "1"}), "k", Value("1.5", REFUSE))
    assert "does not name k" in api._mistake(wrong, None, ValueError("it takes no such thing"), b"")
    assert api._mistake(wrong, None, ValueError("k=1.5, expected an integer"), b"") == ""
    assert api._says("the controls have shape (3,)", "controls") and api._says("control[0] is NaN", "controls")
    assert not api._says("uncontrolled", "controls")


def test_values_fit_the_kind():
    kinds = {"threads": 1, "kappa": 0.5, "name": "x", "qpos": np.ones(2), "values": {"a": 1}, "path": "x", "flag": True}
    for name, working in kinds.items():
        values = values_of(name, working, type(working).__name__, False)
        assert {v.verdict for v in values} >= {ODD}, name
        for value in values:
            compile(value.text, name, "eval")


def test_values_can_be_made_of_what_they_replace():
    """600 is no int8; a named tuple is no list."""
    assert not any("int8" in value.text for value in values_of("count", 600, "int", False))
    assert any("int8" in value.text for value in values_of("count", 6, "int", False))
    assert not any("list(v)" in value.text for value in values_of("solver", Value("x", ODD), "Value", False))
