"""Islands of dofs: groups that the kinematic tree or constraint rows connect. The Hessian of Newton's method has a block for each.

Blocks stand one behind the other in the memory of `Solver.H`, dense, their dofs in ascending order. The zeros between islands are
neither written nor read, so that bodies which touch nothing in common cost what each costs alone.
"""

from dojo_py.arrays import square
from dojo_py.disjoint_sets import join, root
from dojo_py.jit import kernel, pasted
from dojo_py.soft.workspace import NEFC


@kernel
def find_islands(m, rows, sol):
    """Fill sol.islands and what goes with it from the tree and the rows of this state."""
    nv = len(sol.island)
    label, first = sol.island, sol.first
    for i in range(nv):
        label[i] = i
    for i in range(nv):
        if m.dofs[i].parentid >= 0:
            join(label, i, m.dofs[i].parentid)
    last = -1
    for r in range(rows.counts[NEFC]):
        row = rows.rows[r]
        if row.block != last and row.nnz > 0:
            last = row.block
            for a in range(1, row.nnz):
                join(label, rows.J_colind[last, 0], rows.J_colind[last, a])
    count = 0
    for i in range(nv):  # (a representative comes before its members)
        if root(label, i) == i:
            sol.member[i] = count  # for now: number of the island that it represents
            count += 1
    for i in range(nv - 1, -1, -1):
        label[i] = sol.member[root(label, i)]
    for k in range(count + 1):
        first[k] = 0
    for i in range(nv):
        sol.place[i] = first[label[i] + 1]
        first[label[i] + 1] += 1
    sol.offset[0] = 0
    for k in range(count):
        sol.offset[k + 1] = sol.offset[k] + first[k + 1] * first[k + 1]
        first[k + 1] += first[k]
    for i in range(nv):
        sol.member[first[label[i]] + sol.place[i]] = i
    sol.islands[0] = count


@pasted
def block(sol, k):
    """The Hessian (n, n) of island k."""
    return square(sol.H, sol.offset[k], sol.first[k + 1] - sol.first[k])
