"""`Model`: a compiled mechanism, whose frozen arrays every kernel reads; its elements by name, changed copies, tangent arithmetic.

SI units, radians, float64 (int32, bool and float32 where MuJoCo has them); quaternions (w, x, y, z). Arrays are read-only;
`model.replace(body_mass=...)` makes a changed copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .configuration import checked, configuration_difference, integrate_configuration
from .errors import ErrorRecord
from .frozen_arrays import Array
from .model_arrays import ModelArrays
from .views import View, index_of, view


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Model(ModelArrays):
    """A compiled mechanism: the arrays of `ModelArrays`, under MuJoCo's names, and its elements by name or number."""

    def __repr__(self) -> str:
        sizes = " ".join(f"{size}={getattr(self, size)}" for size in ("nq", "nv", "nu", "nbody", "njnt", "ngeom"))
        return f"<Model '{self.name}' {sizes} timestep={self.timestep}>"

    @property
    def timestep(self) -> float:
        """The file's time step [s]."""
        return self.opt.timestep

    @property
    def left_out(self) -> tuple[ErrorRecord, ...]:
        """What the file holds and the model does not: what no motion depends on, and what `unsupported` "warn" or "skip" drops."""
        return self.source.left_out

    def replace(self, **changes: Any) -> Model:
        """A copy with other values, `model.replace(body_mass=...)`. What derives from them is recomputed (`derived.py`).

        Whatever is given itself stays as given; `opt` takes another `Option` (`dataclasses.replace(model.opt, gravity=...)`).
        """
        from .derived import with_derived

        return with_derived(self, changes)

    def body(self, key: str | int) -> View:
        """The body of this name or number: `model.body("torso").mass`, `.pos`, `.inertia`, every array `body_*`."""
        return view(self, "body", key)

    def joint(self, key: str | int) -> View:
        """The joint of this name or number: every array `jnt_*`, its degrees of freedom `dof_*`, qpos0."""
        return view(self, "joint", key)

    def geom(self, key: str | int) -> View:
        """The geom of this name or number: every array `geom_*`."""
        return view(self, "geom", key)

    def site(self, key: str | int) -> View:
        """The site of this name or number: every array `site_*`."""
        return view(self, "site", key)

    def mesh(self, key: str | int) -> View:
        """The mesh of this name or number: every array `mesh_*` with a row for it."""
        return view(self, "mesh", key)

    def hfield(self, key: str | int) -> View:
        """The height field of this name or number: every array `hfield_*` with a row for it."""
        return view(self, "hfield", key)

    def material(self, key: str | int) -> View:
        """The material of this name or number: every array `mat_*`."""
        return view(self, "material", key)

    def actuator(self, key: str | int) -> View:
        """The actuator of this name or number: every array `actuator_*`."""
        return view(self, "actuator", key)

    def tendon(self, key: str | int) -> View:
        """The tendon of this name or number: every array `tendon_*`."""
        return view(self, "tendon", key)

    def equality(self, key: str | int) -> View:
        """The equality constraint of this name or number: every array `eq_*`."""
        return view(self, "equality", key)

    def sensor(self, key: str | int) -> View:
        """The sensor of this name or number: every array `sensor_*`."""
        return view(self, "sensor", key)

    def keyframe(self, key: str | int) -> View:
        """The keyframe of this name or number: `.qpos`, `.qvel`, `.act`, `.ctrl`, `.time`."""
        return view(self, "keyframe", key)

    def numeric(self, name: str) -> Array:
        """(n,) the custom numbers of this name."""
        i = index_of("numeric", self.numeric_names, name)
        return self.numeric_data[self.numeric_adr[i] : self.numeric_adr[i] + self.numeric_size[i]]

    def text(self, name: str) -> str:
        """The custom text of this name."""
        return self.text_values[index_of("text", self.text_names, name)]

    def body_id(self, name: str) -> int:
        """Index of the body with this name."""
        return index_of("body", self.body_names, name)

    def joint_id(self, name: str) -> int:
        """Index of the joint with this name."""
        return index_of("joint", self.joint_names, name)

    def geom_id(self, name: str) -> int:
        """Index of the geom with this name."""
        return index_of("geom", self.geom_names, name)

    def site_id(self, name: str) -> int:
        """Index of the site with this name."""
        return index_of("site", self.site_names, name)

    def mesh_id(self, name: str) -> int:
        """Index of the mesh with this name."""
        return index_of("mesh", self.mesh_names, name)

    def hfield_id(self, name: str) -> int:
        """Index of the height field with this name."""
        return index_of("hfield", self.hfield_names, name)

    def actuator_id(self, name: str) -> int:
        """Index of the actuator with this name."""
        return index_of("actuator", self.actuator_names, name)

    def tendon_id(self, name: str) -> int:
        """Index of the tendon with this name."""
        return index_of("tendon", self.tendon_names, name)

    def equality_id(self, name: str) -> int:
        """Index of the equality constraint with this name."""
        return index_of("equality", self.equality_names, name)

    def sensor_id(self, name: str) -> int:
        """Index of the sensor with this name."""
        return index_of("sensor", self.sensor_names, name)

    def key_id(self, name: str) -> int:
        """Index of the keyframe with this name."""
        return index_of("keyframe", self.key_names, name)

    def integrate(self, qpos: Array, dq: Array) -> Array:
        """`qpos` (nq) moved by the tangent `dq` (nv); rotations by rotation vectors in the body frame."""
        qpos, dq = checked("qpos", qpos, self.nq), checked("dq", dq, self.nv)
        return integrate_configuration(self.jnt_type, self.jnt_qposadr, self.jnt_dofadr, qpos, dq)

    def difference(self, qpos_b: Array, qpos_a: Array) -> Array:
        """Tangent (nv) that moves `qpos_a` to `qpos_b`, the inverse of `integrate`."""
        qpos_b, qpos_a = checked("qpos_b", qpos_b, self.nq), checked("qpos_a", qpos_a, self.nq)
        return configuration_difference(self.jnt_type, self.jnt_qposadr, self.jnt_dofadr, qpos_b, qpos_a)
