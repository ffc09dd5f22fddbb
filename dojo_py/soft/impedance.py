"""Solver parameters of a constraint row: impedance d(r), spring-damper of the reference acceleration, regulariser.

R = (1 - d) / d * A_hat;  a_ref = -b J v - k d (r - margin). solref = (timeconst, dampratio) gives b = 2 / (d_w timeconst),
k = 1 / (d_w timeconst dampratio)^2; solref = (-stiffness, -damping) gives b = damping / d_w, k = stiffness / d_w^2.
Source: modeling chapter, "Solver parameters"; computation chapter, "Parameters".
"""

from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DisableBit

MIN_VALUE = 1e-15
MIN_IMPEDANCE, MAX_IMPEDANCE = 1e-4, 0.9999
DISABLE_REFSAFE = int(DisableBit.REFSAFE)
DEFAULT_TIMECONST, DEFAULT_DAMPRATIO = 0.02, 1.0


@kernel
def impedance(solimp, r):
    """d(r) in (0, 1) for solimp (5,) = (d0, dwidth, width, midpoint, power) at the violation r."""
    d0 = min(max(solimp[0], MIN_IMPEDANCE), MAX_IMPEDANCE)
    dw = min(max(solimp[1], MIN_IMPEDANCE), MAX_IMPEDANCE)
    width = max(0.0, solimp[2])
    if d0 == dw or width <= MIN_VALUE:
        return 0.5 * (d0 + dw)
    x = abs(r) / width
    if x >= 1.0:
        return dw
    if x == 0.0:
        return d0
    power = max(1.0, solimp[4])
    if power == 1.0:
        y = x
    else:
        midpoint = min(max(solimp[3], MIN_IMPEDANCE), MAX_IMPEDANCE)
        if x <= midpoint:
            y = (x / midpoint) ** (power - 1.0) * x
        else:
            y = 1.0 - ((1.0 - x) / (1.0 - midpoint)) ** (power - 1.0) * (1.0 - x)
    return d0 + y * (dw - d0)


@kernel
def has_mixed_signs(solref):
    """Whether one number of solref (2,) is positive and the other is not: neither of its two forms."""
    return (solref[0] > 0.0) != (solref[1] > 0.0)


@kernel
def spring_damper(solref, solimp, timestep, disableflags):
    """Stiffness (to be multiplied by d) and damping of the reference acceleration; of mixed signs the default's, as in MuJoCo."""
    dw = min(max(solimp[1], MIN_IMPEDANCE), MAX_IMPEDANCE)
    timeconst, ratio = solref[0], solref[1]
    if has_mixed_signs(solref):
        timeconst, ratio = DEFAULT_TIMECONST, DEFAULT_DAMPRATIO
    if timeconst > 0.0 and not disableflags & DISABLE_REFSAFE:
        timeconst = max(timeconst, 2.0 * timestep)
    if timeconst > 0.0:
        stiffness = 1.0 / max(MIN_VALUE, dw * dw * timeconst * timeconst * ratio * ratio)
    else:
        stiffness = -timeconst / max(MIN_VALUE, dw * dw)
    if ratio > 0.0:
        damping = 2.0 / max(MIN_VALUE, dw * timeconst)
    else:
        damping = -ratio / max(MIN_VALUE, dw)
    return stiffness, damping


@kernel
def set_parameters(row, solref, solimp, violation, timestep, disableflags):
    """Fill stiffness, damping, impedance, R and D of a row; violation: residual beyond the margin [m or rad]."""
    row.stiffness, row.damping = spring_damper(solref, solimp, timestep, disableflags)
    row.impedance = impedance(solimp, violation)
    row.R = max(MIN_VALUE, (1.0 - row.impedance) * row.diagA / row.impedance)
    row.D = 1.0 / row.R
