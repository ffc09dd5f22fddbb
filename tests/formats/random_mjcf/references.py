"""Sections whose elements name bodies, joints, geoms and sites: contact, equality, actuator, keyframe."""

from .attributes import actuator_attributes, pair_attributes


def contact(draw):
    geoms, bodies, out = draw.names["geom"], draw.names["body"], ""
    for _ in range(4):
        if len(geoms) > 1:
            one, two = draw.rng.choice(geoms, 2, replace=False)
            out += f'<pair geom1="{one}" geom2="{two}"{draw.cls()}{pair_attributes(draw)}/>'
    used = set()
    for _ in range(3):
        if len(bodies) > 1:
            pair = tuple(sorted(draw.rng.choice(bodies, 2, replace=False)))
            if pair not in used:
                out += f'<exclude body1="{pair[1]}" body2="{pair[0]}"/>'
            used.add(pair)
    return f"<contact>{out}</contact>"


def equality(draw):
    bodies, sites, scalars, out = draw.names["body"], draw.names["site"], draw.names["scalar"], ""
    tail = draw.cls() + draw.solver() + draw.maybe(0.3, 'active="false"')
    if len(bodies) > 1:
        one, two = draw.rng.choice(bodies, 2, replace=False)
        out += f'<connect{draw.name("eq")} body1="{one}" body2="{two}" anchor="{draw.numbers(3)}"{tail}/>'
        out += f'<connect body1="{one}" anchor="{draw.numbers(3)}"/><weld body1="{two}"/>'
        relpose = draw.maybe(0.5, f'relpose="{draw.numbers(7)}"')
        scale = draw.maybe(0.5, f'torquescale="{draw.positive(1)}"')
        out += f'<weld body1="{one}" body2="{two}" anchor="{draw.numbers(3)}"{relpose}{scale}{tail}/>'
    if len(sites) > 1:
        one, two = draw.rng.choice(sites, 2, replace=False)
        out += f'<connect site1="{one}" site2="{two}"/><weld site1="{one}" site2="{two}"{tail}/>'
    if len(scalars) > 1:
        one, two = draw.rng.choice(scalars, 2, replace=False)
        poly = draw.maybe(0.7, f'polycoef="{draw.numbers(int(draw.rng.integers(1, 6)))}"')
        out += f'<joint joint1="{one}" joint2="{two}"{poly}/><joint joint1="{one}"{tail}/>'
    return f"<equality>{out}</equality>"


def actuators(draw):
    joints = draw.names["scalar"] + draw.names["ball"] + draw.names["free"]
    sites, out = draw.names["site"], ""
    for _ in range(6):
        target = ""
        if joints:
            target = f' {draw.pick(["joint", "jointinparent"])}="{draw.pick(joints)}"'
        if sites and (not joints or draw.chance(0.4)):
            target = f' site="{draw.pick(sites)}"' + draw.maybe(0.5, f'refsite="{draw.pick(sites)}"')
        if not target:
            break
        common = f"{draw.name('actuator')}{target}{actuator_attributes(draw)}{draw.cls(0.3)}"
        bounded = common if "ctrlrange" in common else common + ' ctrlrange="0 1"'
        act = ' actrange="-1 1" actlimited="true"' + draw.maybe(0.5, 'actearly="true"')
        kv = draw.maybe(0.5, 'kv="0.3"')
        positive = bounded.replace('"-1 2"', '"0 2"')
        out += draw.pick(
            [
                f"<motor{common}/>",
                f'<position{common} kp="{draw.positive(1)}"{kv}/>',
                f'<position{common} kp="{draw.positive(1)}" timeconst="0.2"/>',
                f"<position{common}/>",
                f'<position{common} dampratio="0.5"/>',
                f'<velocity{common} kv="{draw.positive(1)}"/>',
                f"<velocity{common}/>",
                f'<intvelocity{common} kp="{draw.positive(1)}" actrange="-1 1"/>',
                f'<damper{positive} kv="{draw.positive(1)}"/>',
                f'<cylinder{common} timeconst="0.3" area="2" bias="{draw.numbers(3)}"/>',
                f'<cylinder{common} diameter="0.3"/>',
                f'<general{common} dyntype="filter" dynprm="0.3"{act}/>',
                f'<general{common} gaintype="affine" gainprm="{draw.numbers(3)}"/>',
                f'<general{common} biastype="affine" biasprm="{draw.numbers(3, -1)}" dyntype="filterexact"/>',
            ]
        )
    if draw.names["limited"]:
        joint = draw.pick(draw.names["limited"])
        out += f'<position class="main" joint="{joint}" kp="2" dampratio="0.7" inheritrange="0.8"/>'
        out += f'<intvelocity class="main" joint="{joint}" kp="2" inheritrange="1"/>'
    draw.nu = out.count("/>")
    return f"<actuator>{out}</actuator>"


def keyframes(draw):
    out = f'<key{draw.name("key")} time="1.5" qvel="{draw.numbers(draw.nv)}"/>' if draw.nv else ""
    if draw.nq:
        out += f'<key qpos="{draw.positive(draw.nq)}"/>'
    if draw.nu:
        out += f'<key ctrl="{draw.positive(draw.nu)}"/>'
    return f"<keyframe>{out}<key/></keyframe>"
