"""Loops that are lent: to one borrower at a time, again to the next, and forgotten where nobody asks for long."""

import pytest

from dojo_py.simulate.loop_pool import LoopPool


def test_a_loop_is_lent_to_one_at_a_time_and_again():
    pool, made = LoopPool(2), []

    def make():
        made.append(object())
        return made[-1]

    with pool.borrowed("a", make) as first, pool.borrowed("a", make) as second:
        assert first is not second
    with pool.borrowed("a", make) as one, pool.borrowed("a", make) as other:
        assert {id(one), id(other)} == {id(first), id(second)} and len(made) == 2
    with pytest.raises(ZeroDivisionError), pool.borrowed("a", make):
        raise ZeroDivisionError
    with pool.borrowed("a", make), pool.borrowed("a", make):
        assert len(made) == 2, "a loop comes back whatever happens to its borrower"


def test_keys_that_nobody_asks_for_are_forgotten():
    pool = LoopPool(2)
    for key in "abac":
        with pool.borrowed(key, lambda key=key: [key]) as loop:
            loop.append("used")
    found = {}
    for key in "cab":
        with pool.borrowed(key, lambda: []) as loop:
            found[key] = list(loop)
    assert found == {"c": ["c", "used"], "a": ["a", "used", "used"], "b": []}
