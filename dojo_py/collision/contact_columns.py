"""Columns of a table of contacts (n, WIDTH), which both modes write and closed loops read: the only place where they are told."""

GAP, IMPULSE, POSITION, FRAME, GEOMS, TORQUE, WIDTH = 0, 1, 4, 7, 16, 18, 21
"""Gap, impulse 3, position 3, frame 9 (rows: normal to the first geom, two tangents), the two geoms + 1 (0: none), torque of
torsional and rolling friction 3."""
