"""dm_control's suite with our simulators: its own model files, observations, rewards and starts; the motion is ours.

    env = load("cheetah", "run", mode="hard")          # a dm_control Environment: reset(), step(action), action_spec(), ...

Tasks of the suite ask a `Physics` for everything, by names. Here it is filled from `sim.poses` and the sensors of a State, so that
MuJoCo is not asked for anything, and dm_control needs no version of it that it knows. As there, sensors of forces and accelerations
are those of the last step of an action, all others those of the state it ends in; at the start of an episode nothing is driven yet.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from dojo_py.formats import load_model
from dojo_py.hard.simulator import HardSimulator
from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import DisableBit, JointType
from dojo_py.mechanism.sensor_kinds import ACCELERATION
from dojo_py.simulate.status import Status
from dojo_py.simulate.values import text_of
from dojo_py.soft import SoftSimulator

Array = np.ndarray
MODES = ("hard", "soft")
_patching = threading.Lock()


def load(
    domain: str, task: str, mode: str = "hard", timestep: float | None = None, task_kwargs: Mapping[str, Any] | None = None,
    environment_kwargs: Mapping[str, Any] | None = None, unsupported: str = "error",
) -> Any:  # fmt: skip
    """The suite's environment of this domain and task, as `dm_control.suite.load` returns it.

    timestep [s]: of the simulation, by default the file's; the task's control interval is a multiple of it. unsupported: as in
    HardSimulator.
    """
    text_of("mode", mode, MODES)
    suite = import_module("dm_control.suite")
    kind = import_module(f"dm_control.suite.{domain}").Physics

    def build(cls: Any, xml: str, assets: Mapping[str, Any] | None = None) -> Any:
        return _physics_class(cls)(_read(xml, assets or {}), mode, timestep, unsupported)

    with _patching:
        kind.from_xml_string = classmethod(build)
        try:
            return suite.load(domain, task, dict(task_kwargs or {}), dict(environment_kwargs or {}))
        finally:
            del kind.from_xml_string


def _read(xml: str | bytes, assets: Mapping[str, Any]) -> Any:
    """The model of a text and the files that it includes; dm_control finds them by name, in whatever folder the text says."""
    text = xml.encode() if isinstance(xml, str) else xml
    with tempfile.TemporaryDirectory() as root:
        for folder in ("", *sorted(_asset_folders(text))):
            for name, content in assets.items():
                path = Path(root) / folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        (Path(root) / "suite.xml").write_bytes(text)
        return load_model(Path(root) / "suite.xml")


def _asset_folders(xml: bytes) -> set[str]:
    """Folders in which a text looks for meshes, textures and height fields, below its own."""
    settings = etree.fromstring(xml).iter("compiler")
    named = {str(value) for element in settings for key, value in element.items() if key in ("assetdir", "meshdir", "texturedir")}
    return {folder for folder in named if not Path(folder).is_absolute() and ".." not in Path(folder).parts}


class SuiteModel:
    """The model as tasks see it: arrays that they may write; `changed` are those they wrote."""

    def __init__(self, model: Any):
        self._model = model
        self._given: dict[str, Array] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._given:
            value = getattr(self._model, name)
            if not isinstance(value, np.ndarray):
                return value
            self._given[name] = np.array(value)
        return self._given[name]

    def id2name(self, index: int, kind: str) -> str:
        """Name of the joint, actuator, sensor ... of this number."""
        return str(getattr(self._model, f"{kind}_names")[index])

    def name2id(self, name: str, kind: str) -> int:
        """Its number."""
        return list(getattr(self._model, f"{kind}_names")).index(name)

    @property
    def changed(self) -> dict[str, Array]:
        """Arrays that are no longer as in the file, by name."""
        return {name: a.copy() for name, a in self._given.items() if not np.array_equal(a, getattr(self._model, name))}


class SuiteData:
    """Coordinates, which tasks may write, and what follows from them; the same arrays for ever, filled anew by `fill`."""

    def __init__(self, model: Any):
        z, n, g, s = np.zeros, int(model.nbody), int(model.ngeom), int(model.nsite)
        self.time = 0.0
        self.qpos, self.qvel, self.act, self.ctrl = np.array(model.qpos0), z(model.nv), z(model.na), z(model.nu)
        self.xpos, self.xquat, self.xmat, self.xipos = z((n, 3)), z((n, 4)), z((n, 9)), z((n, 3))
        self.geom_xpos, self.geom_xmat = z((g, 3)), z((g, 9))
        self.site_xpos, self.site_xmat = z((s, 3)), z((s, 9))
        self.subtree_com, self._sensordata = z((n, 3)), z(model.nsensordata)
        self.xanchor, self.xaxis = z((model.njnt, 3)), z((model.njnt, 3))
        self._frames: dict[str, Any] = {}
        self._names = {kind: list(getattr(model, f"{kind}_names")) for kind in ("body", "geom", "site")}
        self._overlaps: Any = None
        self._unread: Callable[[], Array] | None = None

    @property
    def ncon(self) -> int:
        """Contacts that touch or overlap."""
        return int(self._overlaps())

    @property
    def sensordata(self) -> Array:
        """(nsensordata,) read when somebody asks."""
        if self._unread is not None:
            self._sensordata[:], self._unread = self._unread(), None
        return self._sensordata

    def object_velocity(self, object_id: str | int, object_type: str, local_frame: bool = False) -> Array:
        """(2, 3) velocity, angular velocity of a "body" (at its centre of mass), "xbody", "geom" or "site", world or own axes."""
        frames = self._frames[object_type]
        names = self._names["body" if object_type == "xbody" else object_type]
        row = frames.row(names.index(object_id) if isinstance(object_id, str) else int(object_id))
        rates = np.stack([row.velocity, row.world_angular])
        return rates @ row.rotation if local_frame else rates

    def fill(self, model: Any, poses: Any, sensordata: Callable[[], Array]) -> None:
        """Everything that follows from the coordinates; sensors when they are asked for."""
        self._unread = sensordata
        self._frames = {"body": poses.inertial, "xbody": poses.bodies, "geom": poses.geoms, "site": poses.sites}
        self.xpos[:], self.xquat[:] = poses.bodies.position, poses.bodies.quat
        self.xmat[:], self.xipos[:] = poses.bodies.rotation.reshape(-1, 9), poses.inertial.position
        self.geom_xpos[:], self.geom_xmat[:] = poses.geoms.position, poses.geoms.rotation.reshape(-1, 9)
        self.site_xpos[:], self.site_xmat[:] = poses.sites.position, poses.sites.rotation.reshape(-1, 9)
        mass = np.array(model.body_mass, float)
        moment = mass[:, None] * self.xipos
        for i in range(len(mass) - 1, 0, -1):
            mass[model.body_parentid[i]] += mass[i]
            moment[model.body_parentid[i]] += moment[i]
        heavy = mass > 0
        self.subtree_com[:] = self.xipos
        self.subtree_com[heavy] = moment[heavy] / mass[heavy, None]
        for body in np.flatnonzero(model.body_jntnum):
            self._joints_of(model, int(body))

    def _joints_of(self, model: Any, body: int) -> None:
        """Anchors and axes of a body's joints, each before the joints after it have moved the body: from the last one back."""
        first, position, quat = int(model.body_jntadr[body]), self.xpos[body], self.xquat[body]
        for j in range(first + int(model.body_jntnum[body]) - 1, first - 1, -1):
            anchor, axis = position + quaternion.rotate(quat, model.jnt_pos[j]), quaternion.rotate(quat, model.jnt_axis[j])
            self.xanchor[j], self.xaxis[j] = anchor, axis
            kind, at = int(model.jnt_type[j]), int(model.jnt_qposadr[j])
            if kind == JointType.SLIDE:
                shift = axis * (self.qpos[at] - model.qpos0[at])
                position, self.xanchor[j] = position - shift, anchor - shift
                continue
            if kind == JointType.HINGE:
                back = quaternion.from_axis_angle(model.jnt_axis[j], float(model.qpos0[at] - self.qpos[at]))
            elif kind == JointType.BALL:
                back = quaternion.conjugate(quaternion.normalise(self.qpos[at : at + 4]))
            else:
                self.xaxis[j] = 0.0, 0.0, 1.0
                continue
            quat = quaternion.multiply(quat, back)
            self.xaxis[j] = quaternion.rotate(quat, model.jnt_axis[j])
            position = anchor - quaternion.rotate(quat, model.jnt_pos[j])


class Named:
    """Fields of a structure, indexed by names of bodies, joints, ... and of columns: `named.xmat["torso", "zz"]`."""

    COLUMNS = {3: ["x", "y", "z"], 4: ["qw", "qx", "qy", "qz"], 9: ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"]}

    def __init__(self, struct: Any, model: Any):
        from dm_control.mujoco import index

        self._struct, self._index, self._found = struct, index, {}  # type: ignore[var-annotated]
        self._rows = {name: index.RegularNamedAxis(list(names)) for name, names in _names(model).items()}
        for name, sizes in _sizes(model).items():
            owners = list(getattr(model, {"act": "actuator_names", "sensordata": "sensor_names"}.get(name, "joint_names")))
            self._rows[name] = index.RaggedNamedAxis(owners, sizes, singleton=name == "act")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name.startswith("light_"):
            return _Unlit()
        field = getattr(self._struct, name)
        if not isinstance(field, np.ndarray):
            raise AttributeError(f"{name} is no field with names")
        if name not in self._found:  # and a field that is read late is up to date now
            kind = name if name in self._rows else _owner(name)
            axes = [self._rows.get(kind, self._index.UnnamedAxis())]
            if field.ndim > 1:
                columns = ["r", "g", "b", "a"] if name.endswith("rgba") else self.COLUMNS.get(field.shape[1])
                axes.append(self._index.UnnamedAxis() if columns is None else self._index.RegularNamedAxis(columns))
            self._found[name] = self._index.FieldIndexer(self._struct, name, axes)
        return self._found[name]


class _Unlit:
    """Lights: a task may move them (the swimmer's target has one), nothing comes of it."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Nothing."""


def _names(model: Any) -> dict[str, tuple[str, ...]]:
    """What rows are named by, by the beginning of a field's name."""
    return {
        "body": model.body_names, "jnt": model.joint_names, "geom": model.geom_names, "site": model.site_names,
        "actuator": model.actuator_names, "ctrl": model.actuator_names, "sensor": model.sensor_names,
    }  # fmt: skip


def _owner(field: str) -> str:
    """Kind of the rows of a field: `geom_xpos` has geoms, `xpos` and `subtree_com` have bodies."""
    first = field.partition("_")[0]
    if field in ("xanchor", "xaxis"):
        return "jnt"
    return "body" if field in ("xpos", "xquat", "xmat", "xipos", "subtree_com") else {"dof": "qvel"}.get(first, first)


def _sizes(model: Any) -> dict[str, Array]:
    """Entries of each joint, actuator or sensor in fields of other lengths."""

    def between(first: Any, end: int) -> Array:
        return np.diff(np.append(np.asarray(first, int), end))

    return {
        "qpos": between(model.jnt_qposadr, model.nq), "qvel": between(model.jnt_dofadr, model.nv),
        "act": np.where(np.asarray(model.actuator_actadr) < 0, 0, 1), "sensordata": between(model.sensor_adr, model.nsensordata),
    }  # fmt: skip


class _NamedPair:
    """`physics.named`."""

    def __init__(self, data: SuiteData, model: SuiteModel, base: Any):
        self.data, self.model = Named(data, base), Named(model, base)


_classes: dict[Any, Any] = {}


def _physics_class(base: Any) -> Any:
    """A domain's Physics with our motion under its own measures."""
    if base not in _classes:
        _classes[base] = type(f"Dojo{base.__module__.rpartition('.')[2].title()}Physics", (SuitePhysics, base), {})
    return _classes[base]


class SuitePhysics:
    """What dm_control's Environment and tasks ask of a Physics; the domain's own measures are inherited beside it."""

    legacy_step = True
    contexts = None
    """Of rendering: none."""

    def __init__(self, model: Any, mode: str, timestep: float | None, unsupported: str):
        self._how = mode, timestep, unsupported
        self._base, self._written = model, {}  # type: ignore[var-annotated]
        self._model, self._data = SuiteModel(model), SuiteData(model)
        self._data._overlaps = self._overlaps
        self._acting = np.repeat(np.asarray(model.sensor_needstage) == ACCELERATION, model.sensor_dim)
        self._named = _NamedPair(self._data, self._model, model)
        self.simulator = self._simulator(model)
        self._undriven: Any = None
        self._soft_twin: Any = None
        self._state: Any = None
        self._status = Status.SOLVED
        self._own_caches()
        self.reset()

    def _own_caches(self) -> None:
        """What the domain's Physics sets up when it is loaded, without what dm_control's does there."""
        from dm_control.mujoco.engine import Physics

        general = Physics._reload_from_data
        Physics._reload_from_data = lambda physics, data: None
        try:
            super()._reload_from_data(None)  # type: ignore[misc]
        finally:
            Physics._reload_from_data = general

    def _simulator(self, model: Any) -> Any:
        mode, timestep, unsupported = self._how
        return SoftSimulator(model, timestep) if mode == "soft" else HardSimulator(model, timestep, unsupported=unsupported)

    @property
    def model(self) -> SuiteModel:
        """Arrays of the model; what a task writes there is simulated from its next `forward` on."""
        return self._model

    @property
    def data(self) -> SuiteData:
        """Coordinates and what follows from them."""
        return self._data

    @property
    def named(self) -> _NamedPair:
        """Both by names."""
        return self._named

    # time and state

    def step(self, nstep: int = 1) -> None:
        """So many steps with the present controls."""
        self._follow()
        sees = int(self.simulator.model.nsensordata > 0)
        run = self.simulator.rollout(self._state, np.repeat(self.data.ctrl[None], nstep + sees, axis=0))
        self._status = Status.worst(run.status[:nstep])

        def sensordata() -> Array:
            """Forces and accelerations of the last step, all else of the state after it, which one step more has read."""
            return np.where(self._acting, run.sensordata[nstep - 1], run.sensordata[nstep]) if sees else np.zeros(0)

        self._take(run.state(nstep), sensordata)

    @property
    def status(self) -> Status:
        """The worst of the steps of the last action."""
        return self._status

    def reset(self, keyframe_id: int | None = None) -> None:
        """The file's start, or a keyframe."""
        sim = self.simulator
        self.data.ctrl[:] = 0.0
        state = sim.initial_state() if keyframe_id is None else sim.initial_state(keyframe=keyframe_id)
        self._take(state, lambda: self._read_undriven(state))

    def after_reset(self) -> None:
        """A task has written coordinates. No control is meant yet: sensors read what happens without actuators."""
        self._follow()
        state = self._state
        self._take(state, lambda: self._read_undriven(state))

    def forward(self) -> None:
        """What follows from the coordinates that were written, and from the model's arrays."""
        self._follow()
        state, control = self._state, self.data.ctrl.copy()
        self._take(state, lambda: self.simulator.step(state, control).sensordata)

    def _read_undriven(self, state: Any) -> Array:
        if self._undriven is None:
            model = self.simulator.model
            flags = int(model.opt.disableflags) | int(DisableBit.ACTUATION)
            self._undriven = self._simulator(model.replace(opt=replace(model.opt, disableflags=flags)))
        return np.asarray(self._undriven.step(state, np.zeros(self.data.ctrl.shape)).sensordata)

    def _follow(self) -> None:
        """The model and the state are as a task wrote them."""
        written = self.model.changed
        if {k: a.tobytes() for k, a in written.items()} != {k: a.tobytes() for k, a in self._written.items()}:
            self._written = written
            self.simulator, self._state = self._simulator(self._base.replace(**written)), None
            self._undriven = self._soft_twin = None
        d, s = self.data, self._state
        if s is None or not (np.array_equal(d.qpos, s.qpos) and np.array_equal(d.qvel, s.qvel) and np.array_equal(d.act, s.act)):
            self._state = self.simulator.initial_state(d.qpos, d.qvel, act=d.act)
            self._state = type(self._state)(**{**self._state.__dict__, "time": d.time})

    def _take(self, state: Any, sensordata: Callable[[], Array]) -> None:
        d = self.data
        self._state, d.time = state, float(state.time)
        d.qpos[:], d.qvel[:], d.act[:] = state.qpos, state.qvel, state.act
        d.fill(self.simulator.model, self.simulator.poses(state), sensordata)

    def _overlaps(self) -> int:
        """Contacts of MuJoCo's kind at the present coordinates: a soft step lists those that touch at its start."""
        if self._soft_twin is None:
            self._soft_twin = SoftSimulator(self.simulator.model)
        soft, d = self._soft_twin, self.data
        contacts = soft.step(soft.initial_state(d.qpos, d.qvel, act=d.act)).contacts
        return int(np.count_nonzero(contacts.gap <= 0.0))

    @contextmanager
    def reset_context(self) -> Iterator[Any]:
        """Within it a task writes where an episode starts."""
        self.reset()
        yield self
        self.after_reset()

    @contextmanager
    def suppress_physics_errors(self) -> Iterator[None]:
        """Ours are statuses of steps."""
        yield

    def check_invalid_state(self) -> None:
        """Likewise."""

    def free(self) -> None:
        """Nothing is held."""

    def __del__(self) -> None:
        """Nothing is held."""

    # what tasks read

    def set_control(self, control: Array) -> None:
        """The controls of the next steps (nu,)."""
        self.data.ctrl[:] = control

    def control(self) -> Array:
        """(nu,)"""
        return self.data.ctrl.copy()

    def activation(self) -> Array:
        """(na,)"""
        return self.data.act.copy()

    def position(self) -> Array:
        """(nq,)"""
        return self.data.qpos.copy()

    def velocity(self) -> Array:
        """(nv,)"""
        return self.data.qvel.copy()

    def state(self) -> Array:
        """(nq + nv + na,)"""
        return np.concatenate([self.data.qpos, self.data.qvel, self.data.act])

    get_state = state

    def set_state(self, physics_state: Array) -> None:
        """Coordinates, velocities and activations, one after another."""
        m = self._base
        self.data.qpos[:], self.data.qvel[:], self.data.act[:] = np.split(np.asarray(physics_state, float), [m.nq, m.nq + m.nv])

    def timestep(self) -> float:
        """Of the simulation [s]."""
        return float(self.simulator.timestep)

    def time(self) -> float:
        """[s]"""
        return float(self.data.time)

    def render(
        self, height: int = 240, width: int = 320, camera_id: Any = -1, overlays: Any = (), depth: bool = False,
        segmentation: bool = False, **_: Any,
    ) -> Array:  # fmt: skip
        """(height, width, 3) picture from the side, uint8, whatever the camera; ValueError for depth and segmentation."""
        from dojo_py.drawing.picture import Painter, camera

        if depth or segmentation:
            raise ValueError("depth and segmentation are not drawn: `dojo_py.drawing.picture.Painter` has `depth` and `geom_at`")
        middle = self.data.subtree_com[1] if len(self.data.subtree_com) > 1 else np.zeros(3)
        return Painter(self.simulator.model).picture(self.data.qpos, *camera(90.0, -15.0, 4.0, middle), width, height)
