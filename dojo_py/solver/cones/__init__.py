"""Self-dual cones and what Newton's method needs of them; what a contact is made of.

`orthant` and `second_order` have the same functions in the same order, for a pair (b, c) with b ∘ c = κ e:

    product         b ∘ c, and how far it is from κ e
    inverse         x with b ∘ x = r
    scaling         K of δb = f - K δc, the linearised product solved for δb
    largest_step    how far b can go along δb
    start           the pair on the central path of a single contact that is coupled to nothing else
    condense        f and K together; `recover` gives what was eliminated

`pyramid` is friction's cone made linear: orthants and linear rows. `contact` puts them together: a law says of which cones a
contact consists (`ROWS`, `SECOND_ORDER`), so that friction about the normal and against rolling are larger cones and nothing else.
"""
