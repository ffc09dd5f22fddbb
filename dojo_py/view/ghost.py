"""`Ghost`: the relaxed motion beside a hard one, at a central-path parameter of choice, on the same controls and pushes."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

REACH = 100
"""It begins where the motion was so many moments before."""
PATIENCE = 0.03
"""Wall time that one call of `follow` may take [s]; the next one goes on."""
LOWEST = -9
"""Smallest power of ten of κ that the slider offers [N m s]."""


class Ghost:
    """States of the same steps at `kappa` [N m s], from at most REACH moments before the one that is shown.

    It follows a lane: the list of its moments grows, is cut where something was changed, and loses its oldest ones. So the ghost
    keeps the moments that it has followed, and simulates anew from where they are no longer the lane's.
    """

    def __init__(self, sim: Any):
        self.sim = sim
        self.kappa: float | None = None
        """None: there is no ghost."""
        self.message = ""
        """Why it stands still, or nothing."""
        self._first = 0
        self._followed: list[Any] = []
        self._states: list[Any] = []

    def choose(self, kappa: float | None) -> None:
        """Another κ, or none; it begins anew."""
        self.kappa, self.message = kappa, ""
        self._followed, self._states = [], []

    def forget(self, many: int) -> None:
        """The lane has lost its oldest moments."""
        self._first -= many

    def follow(self, past: list[Any], k: int) -> Any:
        """The state at moment k of a lane's `past`; None when there is no ghost or it is not there yet."""
        if self.kappa is None:
            return None
        self._let_go(past)
        if not self._followed or not 0 <= self._first <= k:
            self._first = max(0, k - REACH)
            self._followed, self._states = [past[self._first]], [past[self._first].state]
            self.message = ""
        begin = time.perf_counter()
        while self._first + len(self._states) <= k and time.perf_counter() - begin < PATIENCE and not self.message:
            self._step(past[self._first + len(self._states)])
        return self._states[k - self._first] if k - self._first < len(self._states) else None

    def _let_go(self, past: list[Any]) -> None:
        """Forget what is no longer the lane's."""
        while self._followed:
            last = self._first + len(self._followed) - 1
            if 0 <= last < len(past) and past[last] is self._followed[-1]:
                return
            self._followed.pop()
            self._states.pop()
            self.message = ""

    def _step(self, moment: Any) -> None:
        """Go where the control and the pushes of a moment's step lead at κ."""
        control = np.zeros(int(self.sim.model.nu)) if moment.control is None else moment.control
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # the panel says how large κ is
                step = self.sim.step(self._states[-1], control, kappa=self.kappa, wrenches=moment.wrenches)
        except (ValueError, np.linalg.LinAlgError) as error:
            self.message = f"at κ: {error}"
            return
        self._followed.append(moment)
        self._states.append(step.state)
