"""Columns of the table of contacts (n, WIDTH), which both modes write and closed loops read; they are defined only here."""

GAP, IMPULSE, POSITION, FRAME, GEOMS, TORQUE, WIDTH = 0, 1, 4, 7, 16, 18, 21
"""First column of: gap; impulse (3); position (3); frame (9, by rows: normal towards the first geom, two tangents); numbers of both
geoms + 1 (2; 0: none); torque of torsional and rolling friction (3)."""
