"""Meshes and height fields, and geoms of them."""

import numpy as np
from scipy.spatial import ConvexHull

from .draw import listed


def with_meshes(text: str, rng: np.random.Generator) -> str:
    """The model with meshes of every kind of inertia, in geoms that only draw and in primitives that are fitted to them."""
    assets, geoms = "", ""
    for k, kind in enumerate(("convex", "exact", "legacy", "shell", "")):
        points = rng.normal(size=(int(rng.integers(4, 30)), 3)) * rng.uniform(0.01, 1.0, 3)
        body = f'<mesh name="mesh{k}" vertex="{listed(points)}"'
        hull = ConvexHull(points)
        outwards = np.einsum("ij,ij->i", np.cross(*_edges(points, hull.simplices)), hull.equations[:, :3]) > 0.0
        faces = np.where(outwards[:, None], hull.simplices, hull.simplices[:, [1, 0, 2]])
        body += f' face="{listed(faces)}"' if rng.random() < 0.6 else f' maxhullvert="{rng.integers(4, 40)}"'
        body += f' inertia="{kind}"' if kind else ""
        body += f' refpos="{listed(rng.normal(size=3))}"' if rng.random() < 0.5 else ""
        body += f' refquat="{listed(rng.normal(size=4))}"' if rng.random() < 0.5 else ""
        sign = rng.choice([-1.0, 1.0], 3)
        body += f' scale="{listed(rng.uniform(0.5, 2.0, 3) * sign)}"' if rng.random() < 0.5 else ""
        assets += body + "/>"
        shape = rng.choice(["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "mesh"])
        still = ' contype="0" conaffinity="0"' if shape == "mesh" else ' fitscale="1.3"'
        geoms += f'<body><joint/><geom type="{shape}" mesh="mesh{k}" pos="{listed(rng.normal(size=3))}"{still}/></body>'
    text = text.replace("</worldbody>", f"{geoms}</worldbody><asset>{assets}</asset>", 1)
    return text.replace("<compiler ", '<compiler fitaabb="true" ', 1) if rng.random() < 0.5 else text


def with_hfield(text: str, rng: np.random.Generator) -> str:
    """The model with a height field that weighs, one that stands still, and one that nothing shows; none touches anything."""
    assets = '<hfield name="flat" nrow="3" ncol="2" size="1 1 1 1"/>'
    for k in range(2):
        nrow, ncol = rng.integers(2, 9, 2)
        heights = f' elevation="{listed(rng.normal(size=nrow * ncol))}"' if k or rng.random() < 0.7 else ""
        assets += f'<hfield name="field{k}" nrow="{nrow}" ncol="{ncol}" size="{listed(rng.uniform(0.1, 2.0, 4))}"{heights}/>'
    still = 'type="hfield" contype="0" conaffinity="0"'
    geoms = f'<geom {still} hfield="field0" pos="{listed(rng.normal(size=3))}" quat="{listed(rng.normal(size=4))}"/>'
    geoms += f'<body><joint/><geom {still} hfield="field1" pos="{listed(rng.normal(size=3))}" fluidshape="ellipsoid"/></body>'
    return text.replace("</worldbody>", f"{geoms}</worldbody><asset>{assets}</asset>", 1)


def _edges(points, faces):
    a, b, c = (points[faces[:, k]] for k in range(3))
    return b - a, c - a
