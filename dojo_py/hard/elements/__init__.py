"""Elements of a step: bodies, joints, closures, tendons, actuators, limits, contacts. Each has a table that is built from the
model, its rows at the next poses and their derivative by the motion, and the impulses that its rows put on bodies.

They know nothing of how the rows are solved.
"""
