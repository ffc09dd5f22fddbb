"""One file per kind of joint. Each uses only the relative pose of its child in its parent: E = R_aᵀ R_b, d = R_aᵀ (x_b - x_a).

Rows 0 … 5-k are constraints, the last k rows are the displacements of the k coordinates since the start of the step. Row
Jacobians are given in (δd, δφ), δφ = δφ_b - Eᵀ δφ_a: the relative rotation vector in the child's frame. Because nothing but the
relative pose enters, impulses mapped by the transpose come in exactly opposite pairs and conserve both momenta.
"""
