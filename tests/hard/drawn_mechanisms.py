"""Drawn mechanisms without contact: trees of all joints, merged bodies, tendons of both kinds, limits, bounded actuators."""

from __future__ import annotations

import numpy as np

from dojo_py import load_model

HEAD = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
  <default><geom contype="0" conaffinity="0"/></default><worldbody><site name="ceiling" pos="0 0 .8"/>
  <geom name="drum" type="cylinder" size=".06 .2" pos=".1 0 .35" zaxis="0 1 .2"/><site name="over" pos=".1 0 .6"/>"""
JOINTS = ("hinge", "slide", "ball", "hinge hinge", "slide hinge", "hinge ball", "slide slide hinge")


def numbers(values) -> str:
    """A list as MJCF writes it."""
    return " ".join(f"{value:.6g}" for value in np.atleast_1d(values))


class Mechanism:
    """The text of a model, made of pieces that know what the others are called."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.scalars: list[str] = []
        self.sites: list[str] = ["ceiling"]
        self.balls: list[str] = []
        trees = self._body("a", "free", 2) + self._body("b", "", 2)
        self.text = f"{HEAD}{trees}</worldbody>{self._tendons()}{self._actuators()}</mujoco>"

    def _sometimes(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def _range(self, width: float) -> str:
        """Near, at or beyond what a state near 0 has."""
        return f' range="{numbers(width * self.rng.uniform([-0.3, 0.01], [-0.01, 0.3]))}"'

    def _joint(self, name: str, kind: str) -> str:
        rng = self.rng
        if kind == "free":
            return f'<freejoint name="{name}"/>'
        out = f'<joint name="{name}" type="{kind}" axis="{numbers(rng.normal(size=3))}" pos="{numbers(0.05 * rng.normal(size=3))}"'
        out += f' damping="{rng.uniform(0.05, 0.3):.3g}"' * self._sometimes(0.6) + ' armature=".02"' * self._sometimes(0.3)
        if kind == "ball":
            self.balls.append(name)
            return out + f' range="0 {rng.uniform(0.1, 0.5):.3g}"' * self._sometimes(0.5) + "/>"
        self.scalars.append(name)
        out += self._range(1.0 if kind == "hinge" else 0.2) * self._sometimes(0.5)
        out += f' actuatorfrcrange="{numbers(rng.uniform([-2, 0.2], [-0.2, 2]))}"' * self._sometimes(0.3)
        return out + ' actuatorgravcomp="true"' * self._sometimes(0.3) + "/>"

    def _body(self, name: str, joint: str, below: int) -> str:
        rng = self.rng
        pos, turn = numbers(0.2 * rng.normal(size=3)), numbers(rng.normal(size=4))
        out = f'<body name="{name}" pos="{pos}" quat="{turn}" gravcomp="{rng.uniform(-0.2, 1.2):.3g}">'
        kinds = joint.split() or str(rng.choice(JOINTS)).split()
        out += "".join(self._joint(f"{name}{i}", kind) for i, kind in enumerate(kinds))
        place, mass = numbers(0.05 * rng.normal(size=3)), rng.uniform(0.3, 2)
        out += f'<geom name="{name}" type="sphere" size=".05" pos="{place}" mass="{mass:.3g}"/>'
        out += f'<geom type="box" size=".08 .05 .03" pos="{numbers(0.1 * rng.normal(size=3))}" mass=".4"/>'
        self.sites += [f"{name}s", f"{name}t"]
        out += "".join(f'<site name="{site}" pos="{numbers(0.15 * rng.normal(size=3))}"/>' for site in self.sites[-2:])
        if self._sometimes(0.4):  # a part of it, with a compensation of its own
            out += f'<body pos=".1 0 .1" gravcomp="{rng.uniform(0, 1):.3g}"><geom size=".04" mass=".3"/></body>'
        if below:
            out += self._body(name + "b", "", below - 1)
        return out + "</body>"

    def _law(self, fixed: bool, rotor: bool = True) -> str:
        """rotor: whether it may have armature, as tendons that wrap around geoms may not."""
        rng = self.rng
        size = 0.3 if fixed else 1.0
        rest = numbers(np.sort(rng.uniform(-0.1, 0.3, 2) if fixed else rng.uniform(0.1, 0.8, 2)))
        out = f' stiffness="{30 * size:.3g}" springlength="{rest}"' * self._sometimes(0.7)
        out += f' damping="{size * rng.uniform(0.1, 2):.3g}"' * self._sometimes(0.5) + ' armature=".05"' * (
            rotor and self._sometimes(0.4)
        )
        out += f' frictionloss="{size * rng.uniform(0.1, 2):.3g}"' * self._sometimes(0.5)
        return out + (self._range(0.3) if fixed else ' range=".2 1.5"') * self._sometimes(0.4)

    def _tendons(self) -> str:
        rng, out = self.rng, ""
        chosen = rng.permutation(self.scalars)[: int(rng.integers(1, 4))]
        terms = "".join(f'<joint joint="{name}" coef="{rng.choice([-1.5, 0.7, 1.0])}"/>' for name in chosen)
        out += f'<fixed name="fixed"{self._law(True)} group="1">{terms}</fixed>' if len(chosen) else ""
        for k in range(3):
            one, two, three = rng.permutation(self.sites)[:3]
            wrapped = ('<geom geom="drum" sidesite="over"/>', '<geom geom="drum"/>', f'<geom geom="{two[0]}"/>', "")[
                rng.integers(4)
            ]
            wrapped = "" if two == "ceiling" and "drum" not in wrapped else wrapped
            path = f'<site site="{one}"/>{wrapped}<site site="{two}"/>'
            path += f'<pulley divisor="2"/><site site="{two}"/><site site="{three}"/>' * self._sometimes(0.5)
            out += f'<spatial name="spatial{k}"{self._law(False, not wrapped)}>{path}</spatial>'
        return f"<tendon>{out}</tendon>"

    def _actuators(self) -> str:
        rng, out = self.rng, ""
        for name in self.scalars:
            low = "" if self._sometimes(0.5) else f' forcerange="{numbers(rng.uniform([-3, 0.1], [-0.1, 3]))}"'
            low += "" if self._sometimes(0.5) else f' ctrlrange="{numbers(rng.uniform([-2, 0.1], [-0.1, 2]))}"'
            kind = ("motor", 'position kp="8" kv=".3"', 'velocity kv=".8"')[rng.integers(3)]
            out += f'<{kind} name="{name}" joint="{name}" gear="{rng.choice([1.0, -2.0])}"{low}/>'
        for name in self.balls:
            out += f'<motor name="{name}" joint="{name}" gear="1 .5 -1" forcerange="-.4 .6"/>'
        out += '<motor name="pull" tendon="spatial0" ctrlrange="-1 2"/>'
        out += '<position name="hold" tendon="spatial1" kp="9" forcerange="-1 2"/>'
        return f'<actuator>{out}<motor name="lag" site="as" gear="1 0 2 0 1 0" forcerange="-.5 .7"/></actuator>'


def drawn(seed: int):
    """(model, qpos, qvel, control) of a seed."""
    model, rng = load_model(Mechanism(seed).text), np.random.default_rng([1, seed])
    qpos = model.integrate(model.qpos0, 0.2 * rng.normal(size=model.nv))
    return model, qpos, rng.normal(size=model.nv), rng.uniform(-2.0, 2.0, model.nu)
