"""Self-dual cones and what Newton's method needs of them; how a contact is made of cones.

`orthant` and `second_order` have these functions in the same order, for a pair (b, c) with b ∘ c = κ e:

    product         b ∘ c, and how far it is from κ e
    inverse         x with b ∘ x = r
    scaling         K of δb = f - K δc, the linearised product solved for δb
    largest_step    how far b can move along δb within its cone
    start           the pair on the central path of a single contact that is coupled to nothing else
    condense        f and K together; `recover` gives the change of the variable that was eliminated

`pyramid` is friction's cone made linear: orthants and linear rows. `contact` puts them together: the law of a contact tells
which cones it consists of (`ROWS`, `SECOND_ORDER`), so that torsional and rolling friction take a larger cone and nothing else.
"""
