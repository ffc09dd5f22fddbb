"""Attributes that elements have in the model and in default classes alike."""


def joint_attributes(draw, kind, limited=True):
    text = draw.solver("limit") + draw.solver("friction")
    text += draw.maybe(0.3, f'stiffness="{draw.pick([draw.positive(1), draw.positive(3), draw.positive(2)])}"')
    text += draw.maybe(0.3, f'damping="{draw.pick([draw.positive(1), draw.positive(3)])}"')
    text += draw.maybe(0.1, f'springdamper="{draw.positive(2)}"')
    text += draw.maybe(0.4, f'armature="{draw.positive(1)}"')
    text += draw.maybe(0.2, f'frictionloss="{draw.positive(1)}"')
    text += draw.maybe(0.2, f'margin="{draw.positive(1, 0, 0.1)}"')
    text += draw.maybe(0.2, f'group="{draw.pick([0, 3])}"')
    text += draw.maybe(0.2, 'actuatorgravcomp="true"')
    if kind in ("hinge", "slide"):
        text += draw.maybe(0.3, f'ref="{draw.angle(-1, 1)}"') + draw.maybe(0.3, f'springref="{draw.angle(-1, 1)}"')
        flag = draw.maybe(0.3, f'actuatorfrclimited="{draw.pick(["true", "auto", "false"])}"')
        text += draw.maybe(0.3, f'actuatorfrcrange="-{draw.positive(1)} {draw.positive(1)}"' + flag)
    if kind != "free" and limited and draw.chance(0.5):
        low = "0" if kind == "ball" else f"{draw.angle(-2, 0)}"
        text += f' range="{low} {draw.angle(0.1, 2)}"' + draw.maybe(0.4, 'limited="true"')
    return text


def geom_attributes(draw):
    friction = draw.pick([draw.positive(1), draw.positive(2), draw.positive(3)])
    text = draw.maybe(0.4, f'friction="{friction}"') + draw.maybe(0.3, f'condim="{draw.pick([1, 3, 4, 6])}"')
    text += draw.maybe(0.3, f'contype="{draw.rng.integers(4)}"')
    text += draw.maybe(0.3, f'conaffinity="{draw.rng.integers(4)}"') + draw.maybe(0.2, 'priority="2"')
    text += draw.maybe(0.2, f'solmix="{draw.positive(1)}"')
    text += draw.maybe(0.2, f'margin="{draw.positive(1, 0, 0.1)}"')
    text += draw.maybe(0.2, f'gap="{draw.positive(1, 0, 0.1)}"')
    text += draw.maybe(0.2, f'rgba="{draw.positive(4, 0, 1)}"')
    return text + draw.solver() + draw.maybe(0.3, f'group="{draw.rng.integers(6)}"')


def pair_attributes(draw):
    friction = draw.positive(int(draw.rng.integers(1, 6)))
    text = draw.maybe(0.4, f'friction="{friction}"') + draw.maybe(0.3, f'condim="{draw.pick([1, 3, 4, 6])}"')
    text += draw.maybe(0.3, f'margin="{draw.positive(1)}"') + draw.maybe(0.3, f'gap="{draw.positive(1)}"')
    return text + draw.maybe(0.2, f'solreffriction="{draw.positive(2)}"') + draw.solver()


def actuator_attributes(draw):
    text = draw.maybe(0.4, f'gear="{draw.positive(int(draw.rng.integers(1, 7)))}"')
    text += draw.maybe(0.3, 'forcerange="-2 3"') + draw.maybe(0.2, 'group="2"')
    return text + draw.maybe(0.3, 'ctrlrange="-1 2"')
