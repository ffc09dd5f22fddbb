"""Sections that hold for the whole model: compiler, option, default classes."""

from .attributes import geom_attributes, joint_attributes, pair_attributes


def compiler(draw):
    seq = "".join(draw.pick("xyzXYZ") for _ in range(3))
    unit = "radian" if draw.radian else "degree"
    text = f' angle="{unit}"' + draw.maybe(0.6, f'eulerseq="{seq}"')
    text += draw.maybe(0.2, 'boundmass="0.9" boundinertia="0.05"') + draw.maybe(0.2, 'balanceinertia="true"')
    text += draw.maybe(0.2, 'settotalmass="7"') + draw.maybe(0.3, 'alignfree="true"')
    text += draw.maybe(0.2, f'inertiafromgeom="{draw.pick(["auto", "true"])}"')
    return f"<compiler{text}/>"


def option(draw):
    flags = "".join(
        draw.maybe(0.2, f'{flag}="{draw.pick(["enable", "disable"])}"')
        for flag in ("contact", "limit", "gravity", "energy", "eulerdamp", "frictionloss", "override", "damper")
    )
    text = draw.maybe(0.5, f'timestep="{draw.positive(1)}"') + draw.maybe(0.3, f'gravity="{draw.numbers(3)}"')
    text += draw.maybe(0.3, 'cone="elliptic"') + draw.maybe(0.3, f'solver="{draw.pick(["PGS", "CG", "Newton"])}"')
    text += draw.maybe(0.3, f'integrator="{draw.pick(["Euler", "RK4", "implicit", "implicitfast"])}"')
    text += draw.maybe(0.3, 'jacobian="dense"') + draw.maybe(0.3, f'impratio="{draw.positive(1)}"')
    text += draw.maybe(0.3, 'iterations="7" ls_iterations="8" noslip_iterations="2" tolerance="1e-5"')
    text += draw.maybe(0.3, f'wind="{draw.numbers(3)}" density="2" viscosity="0.1" o_margin="0.1"')
    text += draw.maybe(0.3, 'o_solref="0.1 0.2" o_solimp="0.7 0.8" o_friction="0.1 0.2"')
    text += draw.maybe(0.2, 'actuatorgroupdisable="1 3"')
    return f"<option{text}><flag{flags}/></option>"


def defaults(draw):
    def content():
        text = ""
        if draw.chance(0.5):
            text += f"<joint{joint_attributes(draw, 'none', limited=False)}/>"
        if draw.chance(0.6):
            orient = draw.orientation(0.3)
            density = draw.maybe(0.3, f'density="{draw.positive(1, 100, 900)}"')
            size = draw.maybe(0.4, f'size="{draw.positive(3)}"')
            text += f"<geom{size}{orient}{density}"
            text += f"{geom_attributes(draw)}/>"
        if draw.chance(0.3):
            text += f'<site size="{draw.positive(2)}"{draw.orientation(0.3)}/>'
        if draw.chance(0.3):
            text += f"<pair{pair_attributes(draw)}/>"
        if draw.chance(0.3):
            text += f"<equality{draw.solver()}/>"
        if draw.chance(0.5):
            text += draw.pick(
                [
                    f'<motor gear="{draw.positive(2)}"/>',
                    f'<position kp="{draw.positive(1)}" kv="{draw.positive(1)}"/>',
                    f'<general gainprm="{draw.positive(2)}" forcerange="-1 1"/>',
                    f'<velocity kv="{draw.positive(1)}" ctrlrange="0 1"/>',
                    '<cylinder timeconst="0.2" area="3" bias="1 2 3"/>',
                    '<general dyntype="filter" dynprm="0.4" biastype="affine" biasprm="1 2"/>',
                    '<position kp="3" dampratio="0.5"/><general forcerange="-2 2"/>',
                    '<intvelocity kp="3" kv="0.4"/>',
                ]
            )
        return text

    nested = f'<default class="b">{content()}</default>'
    return f'<default>{content()}<default class="a">{content()}{nested}</default><default class="c">{content()}</default></default>'
