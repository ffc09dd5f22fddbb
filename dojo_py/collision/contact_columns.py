"""Columns of the table of contacts (n, WIDTH), which both modes write and closed loops read; they are defined only here."""

GAP, IMPULSE, POSITION, FRAME, GEOMS, TORQUE, APPLIED, WIDTH = 0, 1, 4, 7, 16, 18, 21, 24
"""First column of: gap; impulse (3); position (3); frame (9, by rows: normal towards the first geom, two tangents); numbers of both
geoms + 1 (2; 0: none); torque of torsional and rolling friction (3); in the hard mode a point on the line along which the
impulse acts at the poses where the step starts (3)."""
