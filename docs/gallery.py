"""The gallery: simulates what docs/gallery.md shows. `python docs/gallery.py` draws the pictures of the page anew.

As a hook of mkdocs it writes the replays into the built site, gallery/NAME.html, where the extra `view` is installed; with
DOJO_GALLERY=no in the environment it leaves them out, and the page shows its pictures only.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

PICTURES = Path(__file__).parent / "figures" / "gallery"
SIZE = (360, 240)
"""Of a picture [pixels]."""


def still(name: str, seconds: float, keyframe: str | None = None) -> Any:
    """A model under no control."""
    import dojo_py

    sim = dojo_py.HardSimulator(name)
    return sim.rollout(sim.initial_state(keyframe=keyframe), np.zeros((round(seconds / sim.timestep), sim.model.nu)))


def lift() -> Any:
    """The gripper closes, lifts the mug by 0.2 m and holds it."""
    import dojo_py

    sim = dojo_py.HardSimulator("gripper")
    time = sim.timestep * np.arange(500)
    force = np.where(time < 1.0, 0.0, 15.0)
    return sim.rollout(sim.initial_state(), np.stack([np.clip(0.1 * (time - 2.0), 0.0, 0.2), force, force], axis=1))


def stagger() -> Any:
    """The humanoid under random controls."""
    import dojo_py
    from dojo_py.reproduce.scenes import random_controls

    sim = dojo_py.HardSimulator("humanoid", timestep=0.01)
    return sim.rollout(sim.initial_state(keyframe="home"), random_controls(sim.model, 400, 0))


ENTRIES: dict[str, tuple[Callable[[], Any], float]] = {
    "atlas": (lambda: still("atlas", 3.0, "drop"), 1.0),
    "quadruped": (lambda: still("quadruped", 2.0, "drop"), 1.5),
    "humanoid": (stagger, 1.0),
    "gripper": (lift, 4.5),
    "dominoes": (lambda: still("dominoes", 2.0, "push"), 0.7),
    "tower": (lambda: still("tower", 3.0), 3.0),
    "arch": (lambda: still("arch", 3.0), 3.0),
    "card_house": (lambda: still("card_house", 2.0), 2.0),
    "tippetop": (lambda: still("tippetop", 8.0, "spin"), 2.0),
    "dzhanibekov": (lambda: still("dzhanibekov", 10.0, "spin"), 5.0),
}
"""Name -> (what gives the trajectory, time of the picture [s])."""


def write_replay(name: str, folder: Path) -> Path:
    """Simulate an entry and write folder/NAME.html."""
    import dojo_py.view

    run = ENTRIES[name][0]()
    return dojo_py.view.replay(run.model, run, folder / f"{name}.html", fps=30.0)


def draw_picture(name: str) -> Path:
    """Simulate an entry and draw its picture."""
    import dojo_py.view

    make, time = ENTRIES[name]
    run = make()
    return dojo_py.view.picture(run.model, run, PICTURES / f"{name}.png", time=time, width=SIZE[0], height=SIZE[1])


def on_post_build(config: Any) -> None:
    """Called by mkdocs: the replays, into the built site."""
    import logging

    log = logging.getLogger("mkdocs")
    if os.environ.get("DOJO_GALLERY") == "no":
        return
    try:
        import viser  # noqa: F401
    except ImportError:
        log.info('no replays in the gallery: pip install "dojo-sim[view]"')
        return
    folder = Path(config["site_dir"]) / "gallery"
    folder.mkdir(exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ENTRIES:
            log.info("gallery: %s", write_replay(name, folder).name)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for entry in sys.argv[1:] or ENTRIES:
        print(draw_picture(entry))
