"""The hard mode: variational integrator, joint constraints, hard contact and friction, solved by an interior-point method."""
