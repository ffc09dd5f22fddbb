"""Environments for reinforcement learning: tasks on the shipped models, for Gymnasium, single and vectorised.

    import dojo_py.environments
    env = gymnasium.make("dojo_py/HalfCheetah-v0", mode="hard", timestep=0.05)

Importing this module registers the names; `gymnasium.make("dojo_py.environments:dojo_py/HalfCheetah-v0")` needs no import. The
package also declares the entry point `gymnasium.envs`, which Gymnasium read up to 0.29 and no longer does since 1.0. The tasks
themselves (`make_task`) work without Gymnasium.
"""

from __future__ import annotations

from typing import Any

from dojo_py.environments.tasks import TASKS, make_task, task_class

__all__ = ["TASKS", "environment_ids", "make_task", "register_environments"]

VERSION = "v0"


def environment_ids() -> tuple[str, ...]:
    """What `gymnasium.make` takes."""
    return tuple(f"dojo_py/{name}-{VERSION}" for name in TASKS)


def import_gymnasium() -> Any:
    """Gymnasium, or an ImportError that says what to install."""
    try:
        import gymnasium
    except ImportError:
        raise ImportError('gymnasium is not installed; pip install "dojo-sim[envs]"') from None
    return gymnasium


def register_environments() -> None:
    """Add the environments to Gymnasium's registry; nothing happens the second time."""
    gymnasium = import_gymnasium()
    for name, full in zip(TASKS, environment_ids(), strict=True):
        if full in gymnasium.registry:
            continue
        gymnasium.register(
            full,
            entry_point="dojo_py.environments.single:DojoEnv",
            vector_entry_point="dojo_py.environments.vector:DojoVectorEnv",
            max_episode_steps=task_class(name).horizon,
            kwargs={"task": name},
        )


try:
    register_environments()
except ImportError:
    pass
