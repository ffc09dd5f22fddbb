"""What is to be found: parameters of a simulator by name, with bounds and transforms, as one vector of free numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.hard.parameters.kind import not_zero
from dojo_py.hard.parameters.registry import KINDS, TIMESTEP
from dojo_py.hard.parameters.shared import shared_number
from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification import pseudo_inertia
from dojo_py.identification.bounds import check_bounds, check_given
from dojo_py.identification.delays import Delay
from dojo_py.identification.transforms import TRANSFORMS
from dojo_py.simulate.values import having, real_array, shown, text_of

Array = np.ndarray


def _like(there: Array, name: str, value: Any) -> Array:
    """(n,) the value, spread over a parameter's numbers."""
    given = real_array(name, value)
    fits = given.ndim <= there.ndim and all(a in (1, b) for a, b in zip(given.shape[::-1], there.shape[::-1], strict=False))
    if np.isnan(given).any() or not fits:
        raise ValueError(f"{name} has shape {given.shape} or holds NaN, expected one number or {there.shape}")
    return np.broadcast_to(given, there.shape).ravel()


def _deviation(part: Any, size: int) -> Array:
    """(size,) deviation of what is known of a part beforehand, infinite where nothing is."""
    prior = getattr(part, "prior", None)
    if prior is None:
        return np.full(size, np.inf)
    given = real_array("prior", prior)
    if given.size not in (1, size) or not np.all(given > 0):
        raise ValueError(f"prior={shown(prior)}, expected a positive deviation, one number or {size}")
    return np.broadcast_to(given.ravel(), (size,))


DIRECTIONS = frozenset(name for name, kind in KINDS.items() if kind.check is not_zero)
"""Kinds whose values are vectors or quaternions of any length but 0, of which the direction counts."""
LENGTH = 1e-2
"""Deviation from 1 of the lengths of such vectors in a fit: no residual tells of them, steps across a vector lengthen it.
What is found does not depend on it: from 1e-3 to 1e-1 a floor's normal by 2e-5, where its interval is 3e-3."""


def _width(name: str) -> int:
    """Numbers of each value of a parameter."""
    return KINDS[name.partition(":")[0]].width


def _vectors(part: Any, size: int) -> list[tuple[int, int]]:
    """Places of the vectors and matrices among a part's `size` numbers; a number of its own is one of length 1."""
    if isinstance(part, PseudoInertia):
        return [(0, 1), (1, 4), (4, 10)]
    kind = KINDS.get(part.name.partition(":")[0]) if isinstance(part, Unknown) else None
    width = max(kind.width, 1) if kind is not None else 1
    return [(i, i + width) for i in range(0, size, width)]


SMALL = 1e-6
"""Least value, over the start, of what `with_parameters` wants positive."""


def _floor(name: str) -> float | None:
    """Natural bound from below of a parameter, over its start: 0, SMALL where 0 is refused; None where values may be negative."""
    kind = name.partition(":")[0]
    if kind == TIMESTEP:
        return SMALL

    def refused(value: float) -> bool:
        width = KINDS[kind].width
        return KINDS[kind].check(np.full((1, width) if width else 1, value)) is not None

    if refused(1.0) or not refused(-1.0):  # (a matrix of ones is no inertia: its entries have no bound each)
        return None
    return SMALL if refused(0.0) else 0.0


@dataclass(frozen=True)
class Unknown:
    """Parameters of one name (see `HardSimulator.parameter`). start, lower, upper: numbers or arrays of the parameter's shape.

    Where `with_parameters` refuses negative values (masses, damping, friction, sizes, …) lower is 0 at least, a millionth of the
    start where it refuses 0 too.
    """

    name: str
    start: Any = None
    """None: the simulator's present values."""
    lower: Any = -np.inf
    upper: Any = np.inf
    transform: str = "none"
    """"none", "log" or "softplus"."""
    prior: Any = None
    """Deviation of what is known beforehand: the value is start ± prior. A number, or an array of the parameter's shape."""

    def __post_init__(self) -> None:
        text_of("name", self.name)
        text_of("transform", self.transform, sorted(TRANSFORMS))
        positive = self.transform if self.transform != "none" and not self.is_direction() else ""
        check_given(self.name, self.start, self.lower, self.upper, positive=positive)

    def parameters(self) -> tuple[str, ...]:
        """Parameters whose derivatives are needed."""
        return (self.name,)

    def prepare(self, sim: HardSimulator) -> tuple[Array, Array, Array, list[str], str]:
        """(start, lower, upper) of the n free numbers, (n,) each, labels and unit; ValueError for a start outside the bounds."""
        text_of("transform", self.transform, sorted(TRANSFORMS))
        there = sim.parameter(self.name)
        if not there.size:
            raise ValueError(f"the model has no {self.name}")
        given = {"start": there.value if self.start is None else self.start, "lower": self.lower, "upper": self.upper}
        full = [_like(there.value, f"{self.name}: {word}", value) for word, value in given.items()]
        check_bounds(self.name, *full)
        if self.is_direction():
            if self.transform != "none":
                raise ValueError(f"{self.name}: a direction has no transform, {self.transform!r} was given")
            lengths = np.repeat(self._lengths(full[0]), _width(self.name))
            if not np.all(lengths > 0):
                raise ValueError(f"{self.name}: the start must not be zero")
            full[0] = np.clip(full[0] / lengths, full[1], full[2])
        floor = _floor(self.name) if self.transform == "none" else None
        if floor is not None:
            least = floor * np.abs(full[0])
            full[1] = np.where((full[0] >= least) & (full[2] > least), np.maximum(full[1], least), full[1])
        if self.transform != "none" and not np.all(full[0] > 0):
            raise ValueError(f"{self.name}: transform {self.transform!r} needs a positive start, {np.min(full[0]):g} was read")
        free = TRANSFORMS[self.transform].free
        low = full[1] if self.transform == "none" else np.maximum(full[1], 0.0)
        axes = there.value.reshape(len(there.labels), -1).shape[1]
        kind = self.name.partition(":")[0]
        labels = [f"{kind}:{one}" + (f"[{k}]" if axes > 1 else "") for one in there.labels for k in range(axes)]
        return free(full[0]), free(low), free(full[2]), labels, there.unit

    def values(self, present: dict[str, Array], z: Array) -> dict[str, Array]:
        """Parameter values, in their shape and unit, of free numbers z (n,); present: the simulator's values by name."""
        return {self.name: TRANSFORMS[self.transform].value(z).reshape(present[self.name].shape)}

    def columns(self, present: dict[str, Array], z: Array, given: dict[str, Array]) -> Array:
        """(…, rows, n) derivatives by z from those by the parameters; of directions those by unit vectors."""
        if self.is_direction():
            return given[self.name] / np.repeat(self._lengths(z), _width(self.name))
        return given[self.name] * TRANSFORMS[self.transform].slope(z)

    def report(self, z: Array) -> tuple[Array, Array]:
        """Values (n,), of directions unit vectors, and their derivative by z (n, n), for a table."""
        if not self.is_direction():
            chosen = TRANSFORMS[self.transform]
            return chosen.value(z), np.diag(chosen.slope(z))
        units, lengths = z.reshape(-1, _width(self.name)), self._lengths(z)
        units, slope = units / lengths[:, None], np.zeros((len(z), len(z)))
        for i, (unit, length) in enumerate(zip(units, lengths, strict=True)):
            mine = slice(i * len(unit), (i + 1) * len(unit))
            slope[mine, mine] = (np.eye(len(unit)) - np.outer(unit, unit)) / length
        return units.ravel(), slope

    def is_direction(self) -> bool:
        """Whether the values are unit vectors or quaternions, given by vectors of any length but 0."""
        return self.name.partition(":")[0] in DIRECTIONS

    def _lengths(self, z: Array) -> Array:
        return np.asarray(np.linalg.norm(z.reshape(-1, _width(self.name)), axis=1))

    def length_rows(self, z: Array) -> tuple[Array, Array]:
        """Residuals (m,) that keep the lengths of directions near 1, which nothing else determines, and derivatives (m, n) by z."""
        width, lengths = _width(self.name), self._lengths(z)
        slope = np.zeros((len(lengths), len(z)))
        for i, length in enumerate(lengths):
            slope[i, i * width : (i + 1) * width] = z[i * width : (i + 1) * width] / (length * LENGTH)
        return (lengths - 1.0) / LENGTH, slope


@dataclass(frozen=True)
class Tied:
    """One factor of several parameters over the simulator's values: of a body's mass and inertia, of the masses of four legs."""

    names: tuple[str, ...]
    """Parameters, each a name as in `Unknown`."""
    start: float = 1.0
    lower: float = 0.0
    upper: float = np.inf
    label: str = ""
    """How a table calls it; by default the names."""
    prior: float | None = None
    """Deviation of what is known beforehand of the factor, about its start."""

    def __post_init__(self) -> None:
        given = (self.names,) if isinstance(self.names, str) else self.names
        if not isinstance(given, Sequence) or not given or not all(isinstance(name, str) for name in given):
            raise TypeError(f"names={shown(self.names)}, expected names of parameters")
        object.__setattr__(self, "names", tuple(given))
        text_of("label", self.label)
        check_given(self._text(), self.start, self.lower, self.upper)

    def prepare(self, sim: HardSimulator) -> tuple[Array, Array, Array, list[str], str]:
        """(start, lower, upper) of the factor, (1,) each, labels and unit; as in `Unknown`."""
        for name in self.names:
            if not sim.parameter(name).size:
                raise ValueError(f"the model has no {name}")
        start, lower, upper = (_like(np.ones(1), f"{self._text()}: {w}", getattr(self, w)) for w in ("start", "lower", "upper"))
        check_bounds(self._text(), start, lower, upper)
        floors = [least for least in map(_floor, self.names) if least is not None]
        if floors and start[0] >= max(floors) and upper[0] > max(floors):  # the natural bounds of what it is a factor of
            lower = np.maximum(lower, max(floors))
        return start, lower, upper, [self._text()], "1"

    def _text(self) -> str:
        return self.label or " = ".join(self.names)

    def parameters(self) -> tuple[str, ...]:
        """Parameters whose derivatives are needed."""
        return self.names

    def values(self, present: dict[str, Array], z: Array) -> dict[str, Array]:
        """Parameter values, in their shape and unit, of the factor z (1,); present: the simulator's values by name."""
        return {name: z[0] * present[name] for name in self.names}

    def columns(self, present: dict[str, Array], z: Array, given: dict[str, Array]) -> Array:
        """(…, rows, 1) derivative by the factor z (1,) from those by the parameters, (…, rows, p)."""
        return np.sum([given[name] @ present[name].ravel() for name in self.names], axis=0)[..., None]

    def report(self, z: Array) -> tuple[Array, Array]:
        """The factor (1,) and its derivative by z (1, 1), for a table."""
        return z, np.ones((1, 1))


@dataclass(frozen=True)
class PseudoInertia:
    """Mass, centre of mass and inertia of one body, consistent whatever the free numbers are (pseudo_inertia.py)."""

    body: str

    def __post_init__(self) -> None:
        text_of("body", self.body)

    def parameters(self) -> tuple[str, ...]:
        """Parameters whose derivatives are needed."""
        return (f"mass:{self.body}", f"com:{self.body}", f"inertia:{self.body}")

    def prepare(self, sim: HardSimulator) -> tuple[Array, Array, Array, list[str], str]:
        """(start, lower, upper) of the ten free numbers (10,), labels and unit; as in `Unknown`."""
        mass, com, inertia = (sim.parameter(name).value[0] for name in self.parameters())
        words = ("mass", "com[0]", "com[1]", "com[2]", *(f"inertia[{k}]" for k in ("xx", "yy", "zz", "xy", "xz", "yz")))
        labels = [f"{self.body}.{word}" for word in words]
        return pseudo_inertia.to_free(mass, com, inertia), np.full(10, -np.inf), np.full(10, np.inf), labels, "kg, m, kg m^2"

    def values(self, present: dict[str, Array], z: Array) -> dict[str, Array]:
        """Mass (1,) [kg], centre of mass (1, 3) [m] and inertia (1, 6) [kg m²] of free numbers z (10,), by name."""
        body = pseudo_inertia.to_body(z)
        return dict(zip(self.parameters(), (body[:1], body[None, 1:4], body[None, 4:]), strict=True))

    def columns(self, present: dict[str, Array], z: Array, given: dict[str, Array]) -> Array:
        """(…, rows, 10) derivative by z from those by the values, `given` by name (…, rows, p)."""
        together = np.concatenate([given[name] for name in self.parameters()], axis=-1)
        return together @ pseudo_inertia.slope(pseudo_inertia.to_body, z)

    def report(self, z: Array) -> tuple[Array, Array]:
        """Values (10,) and their derivative by z (10, 10), for a table."""
        return pseudo_inertia.to_body(z), pseudo_inertia.slope(pseudo_inertia.to_body, z)


def _check_single(sim: HardSimulator, parts: Sequence[Part]) -> None:
    """ValueError where several of the parts hold the same number, as "mass" and "mass:trunk" do."""
    owners = [(name, part) for part in parts for name in part.parameters()]
    found = shared_number(sim, [name for name, _ in owners])
    if found is not None:
        entry, first, second = found
        one = next(i for i, (name, _) in enumerate(owners) if name == first)
        other = next(i for i, (name, _) in enumerate(owners) if name == second and i != one)
        said = (_said(*owners[i]) for i in sorted((one, other)))
        raise ValueError(f"parts: {entry} belongs to several unknowns, {' and '.join(said)}")


def _said(name: str, part: Part) -> str:
    """A parameter's name, and the unknown that has it if that is called otherwise."""
    if isinstance(part, PseudoInertia):
        return f"'{name}' of PseudoInertia('{part.body}')"
    return f"'{name}' of Tied '{part._text()}'" if isinstance(part, Tied) else f"'{name}'"


Part = Unknown | Tied | PseudoInertia | Delay


class Unknowns:
    """Several unknowns as one vector z (n,) of free numbers."""

    def __init__(self, sim: HardSimulator, parts: Sequence[Part]):
        having("sim", sim, ("parameter", "with_parameters"), "a HardSimulator")
        if not isinstance(parts, Sequence) or not all(isinstance(part, (Unknown, Tied, PseudoInertia, Delay)) for part in parts):
            raise TypeError(f"parts={shown(parts)}, expected a list of unknowns: Unknown, Tied, PseudoInertia, Delay")
        if not parts:
            raise ValueError("parts: no unknowns, nothing to identify")
        self.sim, self.parts = sim, tuple(parts)
        prepared = [part.prepare(sim) for part in parts]
        self.start, self.lower, self.upper = (np.concatenate([p[i] for p in prepared]) for i in range(3))
        self.labels = [label for p in prepared for label in p[3]]
        self.units = [p[4] for p in prepared for _ in p[3]]
        self._prior = np.concatenate([_deviation(part, len(p[0])) for part, p in zip(parts, prepared, strict=True)])
        self.names = tuple(name for part in parts for name in part.parameters())
        _check_single(sim, self.parts)
        late = [i for i, part in enumerate(parts) if isinstance(part, Delay)]
        if len(late) > 1:
            raise ValueError("parts: several delays, there is one of all controls")
        if any(name.partition(":")[0] == "restitution" for name in self.names):
            raise ValueError("parts: the derivatives of a step know no restitution; fit_restitution finds it by whole roll-outs")
        self._present = {name: sim.parameter(name).value for name in self.names}
        self._ends = np.cumsum([0, *(len(p[0]) for p in prepared)])
        self._late = int(self._ends[late[0]]) if late else None

    def __len__(self) -> int:
        return len(self.start)

    def delay(self, z: Array) -> float | None:
        """By how much later controls act [s]; None where that is no unknown."""
        return None if self._late is None else float(z[self._late])

    def _pieces(self, z: Array) -> Any:
        return [(part, z[a:b]) for part, a, b in zip(self.parts, self._ends[:-1], self._ends[1:], strict=True)]

    def scale(self, values: Array) -> Array:
        """(n,) size of each reported value, to compare its interval with: the larger of it and of what it started from; of half
        the room of bounds, too, where values of both signs are allowed or all started from 0. (A share of a value that is 0 says
        nothing. A wide bound of one that is not makes no interval narrow.) Of what must be more than 0, its own alone: 0.1 ± 0.2
        says nothing, wherever it started from. The numbers of a vector or matrix have one size; one
        that started from 0 has the largest of its unknown's.
        """
        out, first = np.ones(len(values)), self.report(self.start)[0]
        for part, a, b in zip(self.parts, self._ends[:-1], self._ends[1:], strict=True):
            value = TRANSFORMS[part.transform if isinstance(part, Unknown) else "none"].value
            low, high = value(self.lower[a:b]), value(self.upper[a:b])
            about = (low < 0) | ((low <= 0) & (not first[a:b].any()))
            room = np.where(about & np.isfinite(self.lower[a:b]) & np.isfinite(high), 0.5 * (high - low), 0.0)
            begun = np.where(low > 0, 0.0, first[a:b])
            sizes = np.max(np.abs([values[a:b], begun, room]), axis=0)
            for c, d in _vectors(part, b - a):
                largest = float((sizes[c:d] if first[a + c : a + d].any() else sizes).max())
                out[a + c : a + d] = largest if largest > 0 else 1.0
            if isinstance(part, PseudoInertia):  # a centre of mass at the origin is compared with the radius of gyration
                out[a + 1 : a + 4] = max(float(sizes[1:4].max()), float(np.sqrt(out[a + 4] / out[a])))
        return out

    def sizes(self, z: Array) -> Array:
        """(n,) size of each free number, by those of the reported values."""
        values, slope = self.report(z)
        return np.asarray(np.maximum(np.abs(np.linalg.pinv(slope) @ self.scale(values)), 1e-300))

    def prior_rows(self, z: Array) -> tuple[Array, Array]:
        """Residuals (m,) of what is known beforehand, values less their start over their deviation, and of lengths of directions;
        derivatives (m, n) by z.
        """
        known = np.isfinite(self._prior)
        (now, slope), (first, _) = self.report(z), self.report(self.start)
        residuals, slopes = [((now - first) / self._prior)[known]], [(slope / self._prior[:, None])[known]]
        for part, a, b in zip(self.parts, self._ends[:-1], self._ends[1:], strict=True):
            if isinstance(part, Unknown) and part.is_direction():
                off, by = part.length_rows(z[a:b])
                residuals.append(off)
                slopes.append(np.pad(by, ((0, 0), (a, len(z) - b))))
        return np.concatenate(residuals), np.concatenate(slopes)

    def values(self, z: Array) -> dict[str, Array]:
        """Parameter values by name, of all free numbers z (n,)."""
        return {name: value for part, piece in self._pieces(z) for name, value in part.values(self._present, piece).items()}

    def simulator(self, z: Array) -> Any:
        """The simulator with the values of free numbers z (n,)."""
        return self.sim.with_parameters(self.values(z))

    def columns(self, z: Array, given: dict[str, Array]) -> Array:
        """(…, rows, n) derivatives by z from those by the parameters, of one step or of several."""
        return np.concatenate([part.columns(self._present, piece, given) for part, piece in self._pieces(z)], axis=-1)

    def report(self, z: Array) -> tuple[Array, Array]:
        """(n,) reported values and (n, n) their derivatives by z."""
        pieces = [part.report(piece) for part, piece in self._pieces(z)]
        slope = np.zeros((len(z), len(z)))
        for (_, one), a, b in zip(pieces, self._ends[:-1], self._ends[1:], strict=True):
            slope[a:b, a:b] = one
        return np.concatenate([value for value, _ in pieces]), slope
