"""`Session`: simulations that go on together on the same controls, with their past, for a viewer. Knows no browser."""

from __future__ import annotations

import dataclasses
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.drawing.poses import body_poses, centres_of_mass, moving_mass
from dojo_py.mechanism.quaternion import conjugate, rotate
from dojo_py.simulate.simulator import Simulator
from dojo_py.view.felt_mass import felt_mass
from dojo_py.view.ghost import Ghost
from dojo_py.view.record import solved_again

Array = np.ndarray

LONGEST = 20_000
"""Moments that are kept; of more, the oldest are forgotten."""
PATIENCE = 0.05
"""Wall time that one `advance` may take [s]; what remains is left out, and `pace` says how much."""


@dataclass(frozen=True, eq=False)
class Moment:
    """A state and how it was reached."""

    state: Any
    status: int = 0
    iterations: float = np.nan
    residual: float = np.nan
    gap: float = np.nan
    """[m]"""
    energy: float = np.nan
    """[J]"""
    contacts: Any = None
    """`Contacts` of the step; None where they are not known."""
    control: Any = None
    """(nu,) of the step."""
    wrenches: Any = None
    """(nbody, 6) of the step, or None."""
    kappa: float | None = None
    """Of the step [N m s]; None: the hard limit."""
    elsewhere: bool = False
    """The step, solved again, leads to another state: its contacts are not to be known."""


class Lane:
    """One simulator and the moments it has been through."""

    def __init__(self, sim: Simulator, state: Any, name: str):
        self.sim, self.name = sim, name
        self.past = [self.moment_of(state)]
        self.ghost = Ghost(sim) if hasattr(sim, "largest_kappa") else None
        """The relaxed motion, of the hard mode."""

    def moment_of(self, state: Any, step: Any = None, control: Any = None, wrenches: Any = None) -> Moment:
        """A state with its energy, and what its step says."""
        try:
            with np.errstate(all="ignore"):
                energy = float(self.sim.energy(state))
        except ValueError:
            energy = np.nan
        if step is None:
            return Moment(state, energy=energy)
        gap = float(step.contacts.gap.min(initial=np.inf))
        return Moment(state, int(step.status), step.iterations, step.residual, gap, energy, step.contacts, control, wrenches)

    def step(self, k: int, control: Array, wrenches: Array | None) -> Moment:
        """The moment after moment k. wrenches (nbody, 6) [N, N m] about the centres of mass."""
        state = self.past[k].state
        found = self.sim.step(state, control, wrenches=wrenches)
        return self.moment_of(found.state, found, control, wrenches)

    def contacts(self, k: int) -> Any:
        """Contacts of the step that ended in moment k; those of a loaded trajectory are solved again. None: not known."""
        moment = self.past[k]
        if moment.contacts is None and k > 0 and moment.control is not None and not moment.elsewhere:
            found = solved_again(self.sim, self.past[k - 1].state, moment.control, moment.state, moment.kappa)
            moment = self.past[k] = dataclasses.replace(moment, contacts=found, elsewhere=found is None)
        return moment.contacts


class Session:
    """Plays, stops, steps, goes back, resets; pushes bodies. All methods may be called from several threads.

    sims: simulators of one model with the same time step. states: where each begins.
    """

    def __init__(self, sims: list[Any], states: list[Any], names: list[str] | None = None):
        if len({sim.timestep for sim in sims}) != 1:
            raise ValueError(f"sims: their timesteps differ: {[sim.timestep for sim in sims]} s; they go on together")
        names = names or ["soft" if not hasattr(sim, "friction") else "hard" for sim in sims]
        self.model, self.timestep = sims[0].model, float(sims[0].timestep)
        self.lanes = [Lane(sim, state, name) for sim, state, name in zip(sims, states, names, strict=True)]
        self.control = np.zeros(int(self.model.nu))
        self.k = 0
        """Number of the moment that is shown."""
        self.playing, self.speed, self.message = False, 1.0, ""
        self.pace = 1.0
        """Share of the wanted speed that was kept lately."""
        self.lock = threading.RLock()
        self._owed, self._changed = 0.0, False
        self._pushes: list[tuple[int, Array, int]] = []
        """Body, wrench (6,) and how many steps it acts yet."""
        self._pull: tuple[int, Array, Array, float] | None = None

    @property
    def last(self) -> int:
        """Number of the newest moment."""
        return len(self.lanes[0].past) - 1

    @property
    def time(self) -> float:
        """Simulated time of the moment shown [s]."""
        return float(self.lanes[0].past[self.k].state.time)

    def moment(self, lane: int = 0) -> Moment:
        """The one that is shown."""
        return self.lanes[lane].past[self.k]

    # time

    def advance(self, seconds: float) -> int:
        """Let so much wall time pass; return the number of moments gone on. Nothing happens while it stands still."""
        with self.lock:
            if not self.playing:
                self._owed = 0.0
                return 0
            self._owed += seconds * self.speed / self.timestep
            wanted, done, begin = int(self._owed), 0, time.perf_counter()
            while done < wanted and self.playing and time.perf_counter() - begin < PATIENCE:
                self.step()
                done += 1
            if wanted:
                self.pace += 0.1 * (done / wanted - self.pace)
            self._owed -= wanted
            return done

    def step(self) -> None:
        """One moment on: into what has been simulated before, else by a step of every simulator."""
        with self.lock:
            if self.k < self.last and not (self._changed or self._pushes or self._pull):
                self.k += 1
                return
            self._branch()
            try:
                wrenches = self._wrenches()
                fresh = [
                    lane.step(self.k, self.control, None if wrenches is None else wrenches[i]) for i, lane in enumerate(self.lanes)
                ]
            except (ValueError, np.linalg.LinAlgError) as error:
                self._fail(str(error))
                return
            for lane, moment in zip(self.lanes, fresh, strict=True):
                lane.past.append(moment)
            self.k += 1
            self._forget()
            for lane, moment in zip(self.lanes, fresh, strict=True):
                if moment.state.time == lane.past[self.k - 1].state.time:  # nothing moved
                    self._fail(f"{lane.name}: {_status(moment.status)}")

    def _fail(self, message: str) -> None:
        self.playing, self.message = False, message

    def _forget(self) -> None:
        extra = self.last + 1 - LONGEST
        if extra > 0:
            for lane in self.lanes:
                del lane.past[:extra]
                if lane.ghost is not None:
                    lane.ghost.forget(extra)
            self.k -= extra

    def play(self, on: bool = True) -> None:
        """Go on, or stand still."""
        with self.lock:
            self.playing, self._owed = bool(on), 0.0
            if on:
                self.message = ""

    def seek(self, k: int) -> None:
        """Show moment k (0 … last) and stand still."""
        with self.lock:
            self.k, self.playing = int(np.clip(k, 0, self.last)), False

    def _branch(self) -> None:
        """Forget what came after the moment shown: it is simulated anew."""
        self._changed = False
        for lane in self.lanes:
            del lane.past[self.k + 1 :]

    def reset(self, keyframe: str | int | None = None, qpos: Array | None = None) -> None:
        """Begin anew, from a keyframe, from coordinates at rest, or from where it began."""
        with self.lock:
            if keyframe is None and qpos is None:
                starts = [lane.past[0].state for lane in self.lanes]
            else:
                starts = [lane.sim.initial_state(qpos=qpos, keyframe=keyframe) for lane in self.lanes]
            self._begin(starts)

    def _begin(self, starts: list[Any]) -> None:
        """Begin anew from these states, one a lane."""
        for lane, start in zip(self.lanes, starts, strict=True):
            lane.past = [lane.moment_of(start)]
        self.k, self._pushes, self._pull, self.message, self._owed, self._changed = 0, [], None, "", 0.0, False

    def load(self, trajectory: Any) -> None:
        """Take a trajectory as the future to play; every other simulator goes from its first state, on its controls."""
        with self.lock:
            self.reset()
            mine, kappa = self.lanes[0], trajectory.metadata.get("kappa") or None
            for lane in self.lanes:
                start = trajectory.state(0)
                lane.past = [lane.moment_of(start if lane is mine else dataclasses.replace(start, maximal=None, exact=None))]
            for lane in self.lanes[1:]:
                for k in range(len(trajectory)):
                    lane.past.append(lane.step(k, trajectory.control[k], None))
            for k in range(len(trajectory)):
                numbers = (trajectory.status[k], trajectory.iterations[k], trajectory.residual[k], trajectory.min_gap[k])
                status, iterations, residual, gap = (float(number) for number in numbers)
                state = trajectory.state(k + 1)
                energy, control = mine.moment_of(state).energy, trajectory.control[k]
                mine.past.append(Moment(state, int(status), iterations, residual, gap, energy, None, control, kappa=kappa))

    # hands

    def set_control(self, i: int, value: float) -> None:
        """Input i from now on; what was simulated with another one is forgotten."""
        with self.lock:
            if self.control[i] != value:
                self.control = self.control.copy()
                self.control[i] = value
                self._changed = True

    def set_kappa(self, kappa: float | None) -> None:
        """Show the relaxed motion at κ [N m s] beside the hard one, or none of it."""
        with self.lock:
            for lane in self.lanes:
                if lane.ghost is not None:
                    lane.ghost.choose(kappa)

    def ghost_states(self) -> list[Any]:
        """The state of each lane's relaxed motion at the moment shown; None where there is none."""
        with self.lock:
            return [None if lane.ghost is None else lane.ghost.follow(lane.past, self.k) for lane in self.lanes]

    def set_coordinate(self, i: int, value: float) -> None:
        """Entry i of qpos, at rest; begins anew from there, with mocap bodies where they are."""
        with self.lock:
            qpos = np.array(self.moment().state.qpos)
            qpos[i] = value
            self._begin([_placed_as(lane.past[self.k].state, lane.sim.initial_state(qpos=qpos)) for lane in self.lanes])

    def push(self, body: int, impulse: Array, steps: int = 1) -> None:
        """An impulse (3,) [N s] at a body's centre of mass, spread over the next steps, beside those that still act."""
        with self.lock:
            wrench = np.zeros(6)
            wrench[:3] = np.asarray(impulse, float) / (steps * self.timestep)
            self._pushes.append((body, wrench, steps))

    def pull(self, body: int, at: Array | None, to: Array | None = None) -> None:
        """While it plays, hold a body at a point, world axes (3,) [m], by a spring to another one; at None: let go."""
        with self.lock:
            if at is None or to is None or not self.playing:
                self._pull = None
                return
            state = self.moment().state
            x, q = body_poses(self.model, state.qpos[None], state)
            if self._pull is not None and self._pull[0] == body:
                held, felt = self._pull[1], self._pull[3]
            else:
                offset = np.asarray(at, float) - centres_of_mass(self.model, x, q)[0, body]
                held, felt = rotate(conjugate(q[0, body]), at - x[0, body]), felt_mass(self.model, state, body, offset)
            self._pull = body, held, np.asarray(to, float), felt

    def _wrenches(self) -> list[Array] | None:
        """(nbody, 6) for each simulator, or None when nobody pushes."""
        if not self._pushes and self._pull is None:
            return None
        pushed = np.zeros((int(self.model.nbody), 6))
        for body, wrench, _ in self._pushes:
            pushed[body] += wrench
        self._pushes = [(body, wrench, steps - 1) for body, wrench, steps in self._pushes if steps > 1]
        return [pushed if self._pull is None else pushed + self._spring(lane) for lane in self.lanes]

    def _spring(self, lane: Lane) -> Array:
        """(nbody, 6) of the spring between a held body and the hand, damped, soft enough for the time step."""
        assert self._pull is not None
        body, held, to, felt = self._pull
        state, before = lane.past[self.k].state, lane.past[max(0, self.k - 1)].state
        x, q = body_poses(self.model, np.stack([before.qpos, state.qpos]), state)
        points = x[:, body] + rotate(q[:, body], held)
        com = centres_of_mass(self.model, x, q)[1, body]
        stiffness = min(40.0 * float(np.sum(moving_mass(self.model))), 0.1 * felt / self.timestep**2)
        damping = min(2.0 * np.sqrt(stiffness * felt), 0.3 * felt / self.timestep)
        force = stiffness * (to - points[1]) - damping * (points[1] - points[0]) / self.timestep
        out = np.zeros((int(self.model.nbody), 6))
        out[body, :3], out[body, 3:] = force, np.cross(points[1] - com, force)
        return out


def _placed_as(shown: Any, start: Any) -> Any:
    """A start with the mocap bodies and equality constraints of another state; its poses are then computed anew."""
    if shown.mocap_pos is None and shown.mocap_quat is None and shown.eq_active is None:
        return start
    placed = {name: getattr(shown, name) for name in ("mocap_pos", "mocap_quat", "eq_active")}
    return dataclasses.replace(start, maximal=None, exact=None, **placed)


def _status(status: int) -> str:
    from dojo_py.simulate.status import Status

    return f"{Status(status).name}: {Status(status).message}"
