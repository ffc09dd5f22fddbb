"""The compiled functions that the simulator calls, imported only when one is built, and the work arrays that it calls them with."""

from typing import Any

from dojo_py.handles import handle
from dojo_py.soft.contact_table import contacts_of, fill_contacts_once
from dojo_py.soft.packing import SoftModel
from dojo_py.soft.sparse_hessian import BY_CHOLMOD, FACTORIZE
from dojo_py.soft.step import Extras, Outcomes, States, run
from dojo_py.soft.workspace import FULL, NCON, Work, allocate, larger

__all__ = [
    "NCON", "Extras", "Outcomes", "States", "ThreadWorkspace", "contacts_of", "fill_contacts_once", "handle", "load_cholmod", "run",
]  # fmt: skip


def load_cholmod(m: SoftModel, w: Work) -> None:
    """Compile or load what calls CHOLMOD."""
    BY_CHOLMOD.load(FACTORIZE, handle(m), handle(w.pose), handle(w.rows), w.solver.grad, w.solver.search)


class ThreadWorkspace:
    """Work arrays of one thread, replaced by larger ones where a step needs more room."""

    work: Work
    handle: Any  # the same for kernels

    def __init__(self, packed: SoftModel):
        self._packed = packed
        self._take(allocate(packed))

    def _take(self, work: Work) -> None:
        self.work, self.handle = work, handle(work)

    def grow(self) -> bool:
        """Whether the last step found no room and there is more of it now."""
        rows = self.work.rows
        if not (rows.counts[FULL] and rows.may_grow[0]):
            return False
        self._take(larger(self._packed, self.work))
        return True
