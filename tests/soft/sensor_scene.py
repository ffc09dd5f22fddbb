"""A file with a sensor of every type that is read, on every kind of object."""

OBJECTS = [("body", "b"), ("xbody", "c"), ("geom", "gb"), ("site", "sb")]
REFERENCES = ["", 'reftype="site" refname="w"', 'reftype="body" refname="a"', 'reftype="geom" refname="gc"']
FRAME = "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel".split()
LINES = [
    f'<{tag} objtype="{kind}" objname="{name}" {REFERENCES[(i + k) % 4]}/>'
    for i, tag in enumerate(FRAME)
    for k, (kind, name) in enumerate(OBJECTS)
]
LINES += [f'<{tag} objtype="{kind}" objname="{name}"/>' for tag in ("framelinacc", "frameangacc") for kind, name in OBJECTS]
LINES += [f'<insidesite site="{site}" objtype="{kind}" objname="{name}"/>' for site in ("sb", "w", "zb") for kind, name in OBJECTS]
OF_SITES = "accelerometer velocimeter gyro force torque magnetometer".split()
LINES += [f'<{tag} site="{site}"/>' for tag in OF_SITES for site in ("sa", "sb", "w")]
LINES.remove('<torque site="w"/>')  # (of the world, where the wheel adds torques about different points)
LINES += [f'<touch site="{site}"/>' for site in ("za", "zb", "zc", "zd", "ze", "w")]
LINES += [f'<{tag} body="{body}"/>' for tag in ("subtreecom", "subtreelinvel", "subtreeangmom") for body in ("world", "a", "b")]
SCALAR = ("pos", "vel", "actuatorfrc", "limitpos", "limitvel", "limitfrc")
LINES += [f'<joint{what} joint="{joint}"/>' for what in SCALAR for joint in "jk"]
LINES += [f'<jointlimit{what} joint="bl"/>' for what in ("pos", "vel", "frc")]
LINES += [f'<tendon{what} tendon="t"/>' for what in SCALAR]
LINES += [f'<actuator{what} actuator="{name}"/>' for what in ("pos", "vel", "frc") for name in ("m", "p", "s", "g")]
LINES += ['<ballquat joint="bl"/><ballangvel joint="bl"/><clock/><e_potential/><e_kinetic/>']
LINES += ['<gyro name="clipped" site="sa" cutoff=".1" noise="3"/><touch name="bounded" site="za" cutoff="5"/>']
LINES += ['<rangefinder site="e1"/>', '<rangefinder site="e2"/>', '<rangefinder site="w"/>']
ENDS = ('geom1="gb" geom2="gc"', 'geom1="floor" geom2="gb"', 'body1="e" body2="d"')
LINES += [f'<{tag} {ends} cutoff="5"/>' for tag in ("distance", "normal", "fromto") for ends in ENDS]
CONTACT, TOGETHER = "found force torque dist pos normal tangent linvel angvel", "found force torque dist pos normal tangent"
BETWEEN = ["", 'geom1="ga"', 'geom2="ga"', 'geom1="floor" geom2="gc"', 'geom1="gc" geom2="floor"', 'body1="b"', 'geom1="gd"']
BETWEEN += ['subtree1="a"', 'body2="world"', 'subtree1="world" subtree2="b"', 'site="za"']
BETWEEN += ['site="zb" body2="world"', 'subtree1="b" subtree2="b"']
REDUCE = ("none", "mindist", "maxforce", "netforce")
LINES += [
    f'<contact {ends} num="{1 + i % 5}" reduce="{reduce}" data="{TOGETHER if reduce == "netforce" else CONTACT}"/>'
    for i, (ends, reduce) in enumerate((ends, reduce) for ends in BETWEEN for reduce in REDUCE)
]
LINES += ["<contact/>", '<contact data="dist" num="3" cutoff=".01"/>', '<contact name="last" geom1="ga" data="normal angvel"/>']
LINES += ['<framexaxis name="axis" objtype="site" objname="sb"/>']

SCENE = """<mujoco><option timestep=".004" tolerance="0" iterations="500" ls_iterations="200" ls_tolerance="1e-6"
  integrator="{integrator}" cone="{cone}" density="2" magnetic=".1 .2 .3"/>
<worldbody><geom name="floor" type="plane" size="5 5 1"/><site name="w" pos="1 0 0" euler="10 20 30"/>
<body name="a" pos="0 0 .15"><freejoint name="f"/>
  <geom name="ga" type="box" size=".1 .1 .1" pos=".02 0 0" euler="0 0 20" condim="{condim}"/>
  <site name="sa" pos=".05 .02 .03" euler="20 10 0"/><site name="za" type="box" size=".2 .2 .2"/><site name="zb" size=".15"/>
  <site name="zc" type="capsule" size=".02 .1" pos=".1 .1 0"/><site name="zd" type="cylinder" size=".05 .2" pos="-.1 -.1 0"/>
  <site name="ze" type="ellipsoid" size=".2 .1 .3" pos="0 0 -.1"/>
  <body name="b" pos=".3 0 0"><joint name="j" axis="0 1 0" range="-10 10" limited="true" pos="-.1 0 .01"
      armature=".01" frictionloss=".05"/>
    <joint name="k" type="slide" axis="1 0 1" range="-.02 .02" limited="true" damping=".5"/>
    <geom name="gb" size=".1" pos="0 0 .05"/><site name="sb" size=".2" euler="0 50 0"/>
    <body name="c" pos=".3 0 0" euler="10 0 0"><joint name="bl" type="ball" range="0 20" limited="true" stiffness=".2"/>
      <geom name="gc" type="capsule" size=".05 .1"/></body></body></body>
<body name="d" pos="0 1 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" contype="0" conaffinity="0"/>
  <site name="e1" pos=".5 0 0"/></body>
<body name="g" pos="-1 -1 .12"><freejoint/><geom name="gd" size=".1" margin=".1" gap=".05" condim="6"/></body>
<body name="e" pos="1 1 1"><freejoint/>
  <geom size=".1" pos="0 .1 0" contype="0" conaffinity="0"/><site name="e2" pos="-.4 0 0"/></body></worldbody>
<tendon><fixed name="t" limited="true" range="-.01 .01"><joint joint="j" coef="2"/><joint joint="k" coef="1"/></fixed></tendon>
<equality>{equality}</equality>
<actuator><motor name="m" joint="j" gear="2"/><position name="p" tendon="t" kp="3"/><motor name="s" site="sb" gear="1 0 0 0 1 0"/>
  <general name="g" joint="bl" gear="0 1 0 0 0 0" biastype="affine" biasprm="0 -1 -.1"/></actuator>
<sensor>{sensors}</sensor></mujoco>"""
EQUALITIES = [
    '<connect body1="d" body2="e" anchor=".5 0 .02"/>',
    '<weld body1="e" body2="d" anchor=".1 0 0"/>',
    '<connect site1="e1" site2="e2"/><joint joint1="j" polycoef=".1 0 0 0 0"/>',
    '<weld site1="e1" site2="e2" torquescale=".5"/>',
]


def scene(integrator="Euler", cone="pyramidal", condim=3, equality=0, lines=LINES):
    """The text of the file."""
    values = {"integrator": integrator, "cone": cone, "condim": condim, "equality": EQUALITIES[equality]}
    return SCENE.format(sensors="\n".join(lines), **values)
