"""Seed → MJCF with all that the reader accepts and the soft mode simulates; at times what only the wheel's reader accepts."""

from dojo_py.reproduce.gauntlet.soft_bodies import Tree, can_touch
from dojo_py.reproduce.gauntlet.soft_random import Draw

DISABLED = "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent actuation refsafe"
DISABLED += " sensor midphase eulerdamp nativeccd island multiccd"
ENABLED = ("override", "energy", "fwdinv")
RARELY = ("constraint", "contact", "gravity", "actuation")
"""Flags after which little is left to compare."""


def soft_model(seed: int) -> tuple[str, float, bool]:
    """(MJCF, time step [s], whether our reader accepts it: the soft mode simulates more of what the wheel reads)."""
    d = Draw(seed)
    tree = Tree(d, d.pick([1, 2, 3, 5, 8]))
    timestep = 10 ** d.rng.uniform(-4, -1.3)
    world = tree.world()
    wheel_only = d.chance(0.15) and len(tree.names["scalar"]) > 0
    parts = [_compiler(d), _option(d, timestep), _defaults(d, tree), world, _contact(d, tree), _equality(d, tree)]
    actuators = _actuators(d, tree)
    parts += [_tendons(d, tree)] if wheel_only else []
    parts += [f"<actuator>{actuators}</actuator>", _keyframes(d, tree)]
    return "<mujoco>\n" + "\n".join(parts) + "\n</mujoco>", float(f"{timestep:.4g}"), not wheel_only


def _compiler(d: Draw) -> str:
    words = f' angle="{"radian" if d.radian else "degree"}"' + d.some(0.4, "eulerseq", "".join(d.pick("xyzXYZ") for _ in range(3)))
    words += d.maybe(0.2, 'boundmass="0.05" boundinertia="0.001"') + d.maybe(0.3, 'balanceinertia="true"')
    words += d.maybe(0.1, 'settotalmass="7"') + d.maybe(0.2, 'alignfree="true"') + d.maybe(0.1, 'inertiafromgeom="auto"')
    return f"<compiler{words}/>"


def _option(d: Draw, timestep: float) -> str:
    flags = ""
    for name in DISABLED.split():
        flags += d.maybe(0.02 if name in RARELY else 0.07, f'{name}="disable"')
    for name in ENABLED:
        flags += d.maybe(0.1, f'{name}="enable"')
    words = f' timestep="{timestep:.4g}"' + d.maybe(0.3, f'gravity="{d.normal(3, 6)}"') + d.maybe(0.5, 'cone="elliptic"')
    words += d.maybe(0.6, f'integrator="{d.pick(["Euler", "RK4", "implicit", "implicitfast"])}"')
    words += d.maybe(0.5, f'solver="{d.pick(["PGS", "CG", "Newton"])}"') + d.maybe(0.3, f'jacobian="{d.pick(["dense", "sparse"])}"')
    words += d.maybe(0.3, f'impratio="{d.wide(0.1, 100)}"') + d.maybe(0.15, f'noslip_iterations="{d.count(1, 5)}"')
    words += d.maybe(0.25, f'wind="{d.normal(3)}" density="{d.wide(0.5, 1000)}" viscosity="{d.wide(1e-5, 1)}"')
    words += d.maybe(0.2, f'o_margin="{d.uniform(1, 0, 0.05)}"') + d.maybe(0.2, f'o_friction="{d.uniform(d.count(1, 5), 0, 1)}"')
    words += d.maybe(0.2, f'o_solref="{d.wide(0.005, 0.1)} 0.9" o_solimp="0.7 0.9 {d.wide(0.001, 0.1)} 0.4 2"')
    words += d.maybe(0.15, 'actuatorgroupdisable="1 3"')
    return f"<option{words}><flag{flags}/></option>"


def _defaults(d: Draw, tree: Tree) -> str:
    servos = (
        '<motor gear="2"/>', '<position kp="3" kv="0.4"/>', '<velocity kv="0.3"/>', '<position kp="3" dampratio="0.5"/>',
        '<general forcerange="-2 2"/>', '<general dyntype="filter" dynprm="0.1"/>', '<intvelocity kp="3" kv="0.4"/>',
        '<cylinder timeconst="0.2" area="3" bias="1 -2 -3"/>', '<damper kv="2" ctrlrange="0 2"/>',
    )  # fmt: skip

    def content() -> str:
        words = d.maybe(0.4, f"<joint{tree.joint_attributes('default')}/>") + d.maybe(0.4, f"<geom{tree.contact_attributes()}/>")
        words += d.maybe(0.2, f"<site{d.orientation(0.5)}/>") + d.maybe(0.3, f"<pair{_pair_attributes(d)}/>")
        return words + d.maybe(0.3, f"<equality{d.solver(0.5)}/>") + d.maybe(0.3, d.pick(servos))

    a = f'<default class="a">{content()}<default class="b">{content()}</default></default>'
    return f'<default>{content()}{a}<default class="c">{content()}</default></default>'


def _pair_attributes(d: Draw) -> str:
    words = d.maybe(0.4, f'friction="{d.uniform(d.count(1, 5), 0, 1.5)}"') + d.maybe(0.4, f'condim="{d.pick([1, 3, 4, 6])}"')
    words += d.maybe(0.3, f'margin="{d.uniform(1, 0, 0.1)}"') + d.maybe(0.2, f'gap="{d.uniform(1, 0, 0.05)}"')
    return words + d.maybe(0.2, f'solreffriction="{d.pick([f"-{d.wide(50, 2000)} -{d.wide(1, 50)}", "0.03 0.8"])}"') + d.solver(0.3)


def _contact(d: Draw, tree: Tree) -> str:
    words, used = "", set()
    for _ in range(d.pick([0, 0, 2, 4])):
        if len(tree.shapes) > 1:
            one, two = (str(name) for name in d.rng.choice(list(tree.shapes), 2, replace=False))
            if can_touch(tree.shapes[one], tree.shapes[two]):
                words += f'<pair geom1="{one}" geom2="{two}"{tree.of_class()}{_pair_attributes(d)}/>'
    for _ in range(d.pick([0, 0, 2])):
        if len(tree.names["body"]) > 1:
            pair = tuple(sorted(str(name) for name in d.rng.choice(tree.names["body"], 2, replace=False)))
            words += "" if pair in used else f'<exclude body1="{pair[0]}" body2="{pair[1]}"/>'
            used.add(pair)
    return f"<contact>{words}</contact>"


def _two(d: Draw, names: list[str]) -> tuple[str, str]:
    one, two = d.rng.choice(names, 2, replace=False)
    return str(one), str(two)


def _equality(d: Draw, tree: Tree) -> str:
    bodies, sites, scalars, words = tree.names["body"], tree.names["site"], tree.names["scalar"], ""

    def tail() -> str:
        return tree.of_class() + d.solver(0.4) + d.maybe(0.15, 'active="false"')

    for _ in range(d.pick([0, 0, 1, 1, 3])):
        kind = d.pick(["connect", "weld", "anchored", "fixed", "sites", "coupled", "held"])
        if kind in ("connect", "weld") and len(bodies) > 1:
            one, two = _two(d, bodies)
            words += f'<{kind} body1="{one}" body2="{two}" anchor="{d.normal(3, 0.2)}"'
            words += d.maybe(0.5, f'torquescale="{d.wide(0.1, 3)}"') if kind == "weld" else ""
            words += d.maybe(0.4, f'relpose="{d.normal(3, 0.2)} {d.normal(4)}"') if kind == "weld" else ""
            words += f"{tail()}/>"
        elif kind == "anchored":
            words += f'<connect body1="{d.pick(bodies)}" anchor="{d.normal(3, 0.2)}"{tail()}/>'
        elif kind == "fixed":
            words += f'<weld body1="{d.pick(bodies)}"{tail()}/>'
        elif kind == "sites" and len(sites) > 1:
            one, two = _two(d, sites)
            words += f'<{d.pick(["connect", "weld"])} site1="{one}" site2="{two}"{tail()}/>'
        elif kind == "coupled" and len(scalars) > 1:
            one, two = _two(d, scalars)
            words += f'<joint joint1="{one}" joint2="{two}" polycoef="{d.normal(d.count(1, 5), 0.5)}"{tail()}/>'
        elif kind == "held" and scalars:
            words += f'<joint joint1="{d.pick(scalars)}"' + d.some(0.5, "polycoef", d.normal(1, 0.3)) + f"{tail()}/>"
    return f"<equality>{words}</equality>"


def _gear(d: Draw) -> str:
    """All six numbers, or only a force, or only a torque: a site's servo of a torque alone takes the short way round."""
    return d.pick([d.normal(d.count(1, 3)), d.normal(6), f"0 0 0 {d.normal(3)}", f"{d.normal(1)} 0 0"])


def _actuators(d: Draw, tree: Tree) -> str:
    names, words = tree.names, ""
    joints = names["scalar"] * 2 + names["ball"] + names["free"]
    for _ in range(d.pick([0, 1, 3, 6])):
        target = f'{d.pick(["joint", "joint", "jointinparent"])}="{d.pick(joints)}"' if joints else ""
        if not target or d.chance(0.35):
            target = f'site="{d.pick(names["site"])}"' + d.maybe(0.6, f'refsite="{d.pick(names["site"])}"')
        common = f"{tree.name('actuator')} {target}{tree.of_class()}" + d.maybe(0.6, f'gear="{_gear(d)}"')
        common += d.maybe(0.25, f'forcerange="-{d.wide(0.05, 5)} {d.wide(0.05, 5)}"') + d.maybe(0.2, f'group="{d.count(0, 4)}"')
        limits = d.maybe(0.3, 'ctrlrange="-1 2"')
        activation = d.maybe(0.4, 'actrange="-1 1" actlimited="true"') + d.maybe(0.4, 'actearly="true"')
        dynamics = f'dyntype="{d.pick(["integrator", "filter", "filterexact"])}" dynprm="{d.wide(0.003, 1)}"{activation}'
        law = f'gaintype="{d.pick(["fixed", "affine"])}" gainprm="{d.normal(3, 3)}" '
        law += f'biastype="{d.pick(["none", "affine"])}" biasprm="{d.normal(3, 3)}"'
        kp, kv = d.wide(0.1, 300), d.wide(0.01, 10)
        damping = d.some(0.5, "kv", kv)
        words += d.pick([
            f"<motor{common}{limits}/>",
            f'<position{common}{limits} kp="{kp}"{damping}/>',
            f'<position{common}{limits} kp="{kp}" timeconst="{d.wide(0.01, 1)}"/>',
            f'<position{common}{limits} kp="{kp}" dampratio="{d.uniform(1, 0.1, 2)}"/>',
            f'<velocity{common}{limits} kv="{kv}"/>',
            f'<intvelocity{common}{limits} kp="{kp}"{damping} actrange="-3 3"/>',
            f'<damper{common} kv="{kv}" ctrlrange="0 2"/>',
            f'<cylinder{common}{limits} timeconst="{d.wide(0.01, 1)}" area="2" bias="{d.normal(3)}"/>',
            f"<general{common}{limits} {law}/>",
            f"<general{common}{limits} {law} {dynamics}/>",
            f"<general{common}{limits} {dynamics}/>",
        ])  # fmt: skip
    if names["limited"] and d.chance(0.3):
        words += f'<position class="main" joint="{d.pick(names["limited"])}" kp="9" dampratio="1" inheritrange="0.8"/>'
    return words


def _tendons(d: Draw, tree: Tree) -> str:
    """Fixed tendons, their limits, friction, springs, equalities and actuators; dampers of actuators: the wheel's reader only."""
    scalars, words = tree.names["scalar"], ""
    count = d.count(1, 2)
    for i in range(count):
        words += f'<fixed name="t{i}"' + d.maybe(0.5, 'limited="true" range="-.1 .1"')
        words += d.maybe(0.5, f'frictionloss="{d.wide(0.1, 3)}"')
        words += d.maybe(0.5, f'stiffness="{d.wide(0.1, 50)}"') + d.maybe(0.5, f'damping="{d.wide(0.01, 3)}"')
        words += d.maybe(0.3, 'springlength="0 .05"') + d.maybe(0.3, f'margin="{d.uniform(1, 0, 0.2)}"')
        words += d.maybe(0.3, 'actuatorfrclimited="true" actuatorfrcrange="-1 1"') + ">"
        chosen = d.rng.choice(scalars, min(len(scalars), d.count(1, 3)), replace=False)
        words += "".join(f'<joint joint="{joint}" coef="{d.normal(1)}"/>' for joint in chosen) + "</fixed>"
    words = f"<tendon>{words}</tendon><actuator>"
    words += d.maybe(0.7, f'<motor tendon="t0" gear="{d.normal(1)}"/>')
    words += d.maybe(0.5, f'<position tendon="t0" kp="{d.wide(1, 50)}" kv=".3"/>')
    words += d.maybe(0.3, f'<motor joint="{d.pick(scalars)}" gear="2" damping="{d.wide(0.01, 2)}" armature="0.1"/>') + "</actuator>"
    second = ' tendon2="t1" polycoef=".1 .5 .2 0 .1"' if count > 1 else ""
    return words + d.maybe(0.5, f'<equality><tendon tendon1="t0"{second}{d.solver(0.4)}/></equality>')


def _keyframes(d: Draw, tree: Tree) -> str:
    words = f'<key name="k" time="1.5" qvel="{d.normal(tree.nv)}"/>' if tree.nv else ""
    return f"<keyframe>{words}<key/></keyframe>"
