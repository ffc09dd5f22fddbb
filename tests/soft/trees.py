"""Random models as MJCF text, one per seed: trees of every joint type with the features that the soft mode simulates."""

import numpy as np

JOINTS = ("hinge", "slide", "ball")


def _text(values):
    return " ".join(f"{v:.6g}" for v in np.atleast_1d(values))


class _Writer:
    """One random model in the making."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.scalar_joints, self.joints, self.bodies, self.sites = [], [], [], []
        # With the override flag the wheel's mid phase drops some contacts that lie in the gap only (they carry no force).
        self.override = self.chance(0.2)
        self.gaps = [0] if self.override else [0, 0.02]

    def chance(self, p):
        return self.rng.random() < p

    def solver_parameters(self, prefix=""):
        """solref in both formats and all five numbers of solimp, on some elements."""
        rng, words = self.rng, ""
        if self.chance(0.4):
            direct = self.chance(0.4)
            ref = -rng.uniform([200, 5], [2000, 50]) if direct else rng.uniform([0.005, 0.5], [0.05, 1.5])
            words += f' solref{prefix}="{_text(ref)}"'
        if self.chance(0.4):
            low = rng.uniform(0.1, 0.9)
            imp = [low, rng.uniform(low, 0.99), rng.uniform(0.001, 0.1), rng.uniform(0.1, 0.9), rng.uniform(1, 4)]
            words += f' solimp{prefix}="{_text(imp)}"'
        return words

    def geom(self, position):
        rng = self.rng
        kind = rng.choice(["sphere", "capsule", "box"])
        low, high = {"sphere": (0.05, 0.15), "capsule": ([0.04, 0.05], [0.1, 0.2]), "box": ([0.04] * 3, [0.15] * 3)}[kind]
        size = rng.uniform(low, high)
        friction = rng.uniform([0.2, 0.001, 0.0005], [1.2, 0.05, 0.01])
        words = f'<geom type="{kind}" size="{_text(size)}" pos="{_text(position)}" euler="{_text(rng.uniform(-90, 90, 3))}"'
        words += f' condim="{rng.choice([1, 3, 4, 6])}" friction="{_text(friction)}" solmix="{rng.uniform(0.5, 2):.3g}"'
        words += f' margin="{rng.choice([0, 0.01, 0.05])}" gap="{rng.choice(self.gaps)}" priority="{rng.choice([0, 0, 1])}"'
        return words + self.solver_parameters() + "/>"

    def joint(self, kind, name):
        rng = self.rng
        words = f'<joint type="{kind}" name="{name}" pos="{_text(rng.normal(size=3) * 0.05)}"'
        if kind != "ball":
            words += f' axis="{_text(rng.normal(size=3))}" ref="{rng.uniform(-0.3, 0.3):.4g}"'
            words += f' springref="{rng.uniform(-0.3, 0.3):.4g}"'
            self.scalar_joints.append(name)
        self.joints.append(name)
        words += f' armature="{rng.uniform(0, 0.05):.4g}"'
        if self.chance(0.5):
            words += f' damping="{_text(rng.uniform(0, [1, 0.3, 0.1]))}"'
        if self.chance(0.5):
            linear_only = kind == "ball"
            words += f' stiffness="{_text(rng.uniform(0, 20) if linear_only else rng.uniform(0, [20, 5, 2]))}"'
        if self.chance(0.3):
            words += f' frictionloss="{rng.uniform(0, 1):.4g}"' + self.solver_parameters("friction")
        if self.chance(0.5):
            span = (0, rng.uniform(10, 60)) if kind == "ball" else np.sort(rng.uniform(-40, 40, 2))
            if kind == "slide":
                span = np.sort(rng.uniform(-0.3, 0.3, 2))
            words += f' limited="true" range="{_text(span)}" margin="{rng.choice([0, 0.02])}"'
            words += self.solver_parameters("limit")
        return words + "/>"

    def body(self, depth):
        rng = self.rng
        index = len(self.bodies)
        self.bodies.append(f"b{index}")
        gravcomp = rng.uniform(0, 1) if self.chance(0.3) else 0
        words = f'<body name="b{index}" pos="{_text(rng.normal(size=3) * 0.25)}" euler="{_text(rng.uniform(-90, 90, 3))}"'
        words += f' gravcomp="{gravcomp:.4g}">'
        if depth == 0 and self.chance(0.5):
            words += f'<freejoint name="j{index}"/>'
        else:
            count = rng.choice([1, 1, 2, 3])
            for k in range(count):
                words += self.joint(rng.choice(JOINTS if count == 1 else JOINTS[:2]), f"j{index}_{k}")
        for _ in range(rng.choice([1, 2])):
            words += self.geom(rng.normal(size=3) * 0.1)
        self.sites.append(f"s{index}")
        words += f'<site name="s{index}" pos="{_text(rng.normal(size=3) * 0.1)}" euler="{_text(rng.uniform(-90, 90, 3))}"/>'
        while depth < 3 and len(self.bodies) < 7 and self.chance(0.6):
            words += self.body(depth + 1)
        return words + "</body>"

    def actuators(self):
        rng, words = self.rng, ""
        for name in self.scalar_joints[:4]:
            kind = rng.choice(["motor", "position", "velocity", "filter", "integrator"])
            common = f'joint="{name}" gear="{rng.uniform(0.5, 3):.4g}"'
            if self.chance(0.5):
                common += ' ctrlrange="-1 1"'
            if self.chance(0.3):
                common += ' forcerange="-2 2"'
            if kind in ("motor", "position", "velocity"):
                gain = {"motor": "", "position": f'kp="{rng.uniform(1, 20):.4g}" kv="0.3"', "velocity": 'kv="0.7"'}[kind]
                words += f"<{kind} {common} {gain}/>"
            else:
                dynamics = f'dyntype="{kind}" dynprm="{rng.uniform(0.02, 0.2):.4g}"'
                if kind == "filter" and self.chance(0.5):
                    dynamics = dynamics.replace('"filter"', '"filterexact"')
                early = ' actearly="true"' if self.chance(0.3) else ""
                words += f'<general {common} {dynamics}{early} gaintype="affine" gainprm="3 0.5 0.2" biastype="affine"'
                words += ' biasprm="0.1 -2 -0.3" actlimited="true" actrange="-1 1"/>'
        if self.chance(0.5):
            words += f'<general site="{self.sites[-1]}" gear="{_text(rng.normal(size=6))}"/>'
        if len(self.sites) > 2 and self.chance(0.5):
            words += f'<general site="{self.sites[-1]}" refsite="{self.sites[0]}" gear="{_text(rng.normal(size=6))}"'
            words += ' biastype="affine" biasprm="0 -1 -0.2"/>'
        return words

    def equalities(self):
        rng, words = self.rng, ""
        if len(self.bodies) > 1 and self.chance(0.4):
            kind = rng.choice(["connect", "weld"])
            anchor = f'anchor="{_text(rng.normal(size=3) * 0.1)}"'
            words += f'<{kind} body1="{self.bodies[0]}" body2="{self.bodies[-1]}" {anchor}{self.solver_parameters()}/>'
        if len(self.sites) > 1 and self.chance(0.3):
            kind = rng.choice(["connect", "weld"])
            words += f'<{kind} site1="{self.sites[0]}" site2="{self.sites[-1]}"{self.solver_parameters()}/>'
        if len(self.scalar_joints) > 1 and self.chance(0.5):
            words += f'<joint joint1="{self.scalar_joints[0]}" joint2="{self.scalar_joints[1]}"'
            words += f' polycoef="{_text(rng.normal(size=5) * 0.3)}"{self.solver_parameters()}/>'
        return words

    def model(self):
        rng = self.rng
        medium = f' density="{rng.uniform(1, 100):.4g}" viscosity="0.1" wind="1 0.5 0"' if self.chance(0.3) else ""
        cone = rng.choice(["pyramidal", "elliptic"])
        flag = ""
        if self.override:
            flag = '<flag override="enable"/>'
            medium += ' o_margin="0.03" o_solref="0.03 0.9" o_solimp="0.8 0.9 0.01 0.4 3" o_friction="0.8 0.6 0.01 0.002 0.001"'
        option = f'<option timestep="0.002" cone="{cone}" impratio="{rng.choice([1, 10])}"{medium}>{flag}</option>'
        bodies = "".join(self.body(0) for _ in range(rng.choice([1, 2])))
        floor = '<geom type="plane" size="5 5 0.1" pos="0 0 -0.2" euler="3 -5 0" condim="3"/>'
        world = f"<worldbody>{floor}{bodies}</worldbody>"
        rest = f"<actuator>{self.actuators()}</actuator><equality>{self.equalities()}</equality>"
        return f'<mujoco><compiler autolimits="true"/>{option}{world}{rest}</mujoco>'


def random_tree(seed):
    """MJCF text of the model with this seed."""
    return _Writer(seed).model()
