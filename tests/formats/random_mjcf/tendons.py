"""Fixed and spatial tendons, and what acts on them."""

import re

import numpy as np

from .draw import listed


def with_tendons(text: str, rng: np.random.Generator) -> str:
    """The model with fixed tendons on its hinges and slides, and what refers to them."""
    joints = sorted(set(re.findall(r'joint name="(scalar\d+)"', text)))
    if not joints:
        return text
    out, names = "", [f"tendon{t}" for t in range(int(rng.integers(1, 5)))]
    armature = rng.random() < 0.5
    for name in names:
        out += f'<fixed name="{name}"{_tendon_attributes(rng, armature)}'
        out += ' class="a"' if rng.random() < 0.3 else ""
        out += f' range="{listed(np.sort(rng.normal(size=2)))}"' if rng.random() < 0.5 else ""
        out += f' actuatorfrcrange="{listed(np.sort(rng.normal(size=2)) * (-1, 1) * 0.5 + (-2, 2))}"' if rng.random() < 0.4 else ""
        # three joints of two branches and armature: what is left of the inertia within the tree may be indefinite
        most = 2 if armature else len(joints)
        chosen = rng.choice(joints, int(rng.integers(1, min(most, len(joints)) + 1)), replace=False)
        out += ">" + "".join(f'<joint joint="{joint}" coef="{rng.normal():.4g}"/>' for joint in chosen) + "</fixed>"
    out += _spatial_tendons(text, rng)
    one, two = rng.choice(names), rng.choice(names)
    out = f'<tendon>{out}</tendon><actuator><motor tendon="{one}" gear="{rng.normal():.3g}"/><position tendon="{two}" kp="3"'
    out += f' dampratio="0.7"/></actuator><equality><tendon tendon1="{one}" polycoef="{listed(rng.normal(size=3))}"'
    out += f' tendon2="{two}"/></equality>' if one != two else "/></equality>"
    default = f'<default class="a"><tendon{_tendon_attributes(rng, armature)} width=".02" rgba="{listed(rng.uniform(size=4))}"/>'
    text = text.replace('<default class="a">', default, 1)
    return text.replace("</mujoco>", f"{out}</mujoco>")


def _spatial_tendons(text: str, rng: np.random.Generator) -> str:
    """Ways through the model's sites, around its spheres and cylinders, with pulleys."""
    sites = sorted(set(re.findall(r'<site name="(site\d+)"', text)))
    geoms = re.findall(r'<geom name="(geom\d+)"[^>]*? type="(?:sphere|cylinder)"', text)
    if len(sites) < 2:
        return ""
    out = ""
    for k in range(3):
        path = list(rng.permutation(sites)[: int(rng.integers(2, 5))])
        out += f'<spatial name="spatial{k}"{_tendon_attributes(rng, False)}>'
        for i, site in enumerate(path):
            if i > 0 and geoms and rng.random() < 0.5:
                side = f' sidesite="{rng.choice(sites)}"' if rng.random() < 0.5 else ""
                out += f'<geom geom="{rng.choice(geoms)}"{side}/>'
            out += f'<site site="{site}"/>'
        if rng.random() < 0.4:
            out += f'<pulley divisor="{rng.integers(1, 4)}"/><site site="{path[1]}"/><site site="{path[0]}"/>'
        out += "</spatial>"
    return out


def _tendon_attributes(rng, armature) -> str:
    numbers = {"stiffness": 3, "damping": 3, "springlength": 2, "frictionloss": 1, "margin": 1}
    numbers |= {"armature": 1} if armature else {}
    numbers |= {"solreflimit": 2, "solimplimit": 3, "solreffriction": 2, "solimpfriction": 5}
    out = ""
    for attribute, most in numbers.items():
        if rng.random() < 0.3:
            count = most if attribute.startswith("sol") else int(rng.integers(1, most + 1))
            out += f' {attribute}="{listed(np.sort(rng.uniform(0.05, 0.9, count)))}"'
    return out + (f' group="{rng.integers(4)}"' if rng.random() < 0.3 else "")
