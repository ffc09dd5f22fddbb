"""The way of a tendon around a sphere or a cylinder between two points: plain functions of numbers, for Python and for kernels.

In the plane of the wrap, with the object's centre as origin and its radius r, the tendon leaves the first point d₀ along a tangent,
follows the circle and goes on to d₁ along a tangent: the shorter way, or, with a side site, the way on its side. With a side site
inside the object the tendon passes through the circle and touches it from within, in one point. A tendon that clears the circle
wraps only where it passes on the side away from the side site.

    tangent points of d:   (r² d ± r sqrt(|d|² - r²) (d_y, -d_x)) / |d|²
    inside:                asin(Az) + asin(Bz) - 2 asin(z) + G = 0,   A = r/|d₀|, B = r/|d₁|, cos G = d₀·d₁ / |d₀||d₁|

The cases are those of MuJoCo 4.0, whose lengths these equal; inside, it stops at 1e-7 of the touching point, we at 1e-12.
"""

import math

SMALL = 1e-15
"""MuJoCo's mjMINVAL."""
NONE = (-1.0, 0.0, 0.0, 0.0, 0.0)
"""No wrap: the tendon is straight."""
ROUNDS, NEAR_ONE, ENOUGH = 50, 1.0 - 1e-7, 1e-12


def dot3(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross3(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def unit3(a):
    """a / |a|; the first axis where there is no direction."""
    norm = math.sqrt(dot3(a, a))
    if norm < SMALL:
        return 1.0, 0.0, 0.0
    return a[0] / norm, a[1] / norm, a[2] / norm


def segments_cross(px, py, qx, qy, rx, ry, sx, sy):
    """Whether the segments p-q and r-s meet."""
    det = (sy - ry) * (qx - px) - (sx - rx) * (qy - py)
    if abs(det) < SMALL:
        return False
    a = ((sx - rx) * (py - ry) - (sy - ry) * (px - rx)) / det
    b = ((qx - px) * (py - ry) - (qy - py) * (px - rx)) / det
    return a >= 0.0 and a <= 1.0 and b >= 0.0 and b <= 1.0


def crosses_ray(px, py, qx, qy, ux, uy):
    """Whether the segment p-q meets the ray from the origin in the direction u."""
    hp, hq = ux * py - uy * px, ux * qy - uy * qx
    if hp * hq > 0.0 or hp == hq:
        return False
    a = hp / (hp - hq)
    return ux * (px + a * (qx - px)) + uy * (py + a * (qy - py)) >= 0.0


def tangent_pair(x0, y0, x1, y1, r, sign):
    """Tangent points (ax, ay, bx, by) of the way that turns by `sign` about the circle."""
    n0, n1 = x0 * x0 + y0 * y0, x1 * x1 + y1 * y1
    t0, t1 = math.sqrt(n0 - r * r), math.sqrt(n1 - r * r)
    ax, ay = (x0 * r * r + sign * r * y0 * t0) / n0, (y0 * r * r - sign * r * x0 * t0) / n0
    bx, by = (x1 * r * r - sign * r * y1 * t1) / n1, (y1 * r * r + sign * r * x1 * t1) / n1
    return ax, ay, bx, by


def shorter(x0, y0, x1, y1, left, right):
    """Whether the left way is better without a side site: its tangent points are closer, and its straight pieces do not meet."""
    gap_left = (left[0] - left[2]) ** 2 + (left[1] - left[3]) ** 2
    gap_right = (right[0] - right[2]) ** 2 + (right[1] - right[3]) ** 2
    if segments_cross(x0, y0, left[0], left[1], x1, y1, left[2], left[3]):
        gap_left = 10000.0
    if segments_cross(x0, y0, right[0], right[1], x1, y1, right[2], right[3]):
        gap_right = 10000.0
    return gap_left < gap_right


def sweeps_over(x0, y0, x1, y1, ux, uy):
    """Whether the counterclockwise turn from d₀ to d₁ passes the direction u."""
    to_end = math.atan2(x0 * y1 - y0 * x1, x0 * x1 + y0 * y1)
    to_u = math.atan2(x0 * uy - y0 * ux, x0 * ux + y0 * uy)
    if to_end < 0.0:
        to_end += 2.0 * math.pi
    if to_u < 0.0:
        to_u += 2.0 * math.pi
    return to_u <= to_end


def around_circle(x0, y0, x1, y1, r, sided, sx, sy):
    """(length on the circle, ax, ay, bx, by), or NONE. (sx, sy): where the side site is, at distance r."""
    dx, dy = x1 - x0, y1 - y0
    dd = dx * dx + dy * dy
    if x0 * x0 + y0 * y0 < r * r or x1 * x1 + y1 * y1 < r * r or r < SMALL or dd < SMALL:
        return NONE
    a = min(max(-(dx * x0 + dy * y0) / dd, 0.0), 1.0)
    nx, ny = x0 + a * dx, y0 + a * dy
    if nx * nx + ny * ny > r * r and not (sided and crosses_ray(x0, y0, x1, y1, -sx, -sy)):
        return NONE
    left, right = tangent_pair(x0, y0, x1, y1, r, 1.0), tangent_pair(x0, y0, x1, y1, r, -1.0)
    if sided:  # not over the side away from the side site
        first = sweeps_over(x0, y0, x1, y1, -sx, -sy)
    else:
        first = shorter(x0, y0, x1, y1, left, right)
    ax, ay, bx, by = left if first else right
    if segments_cross(x0, y0, ax, ay, x1, y1, bx, by):
        return NONE
    na, nb = math.sqrt(ax * ax + ay * ay), math.sqrt(bx * bx + by * by)
    angle = math.acos(min(max((ax * bx + ay * by) / (na * nb), -1.0), 1.0))
    turn = ay * bx - ax * by
    if (turn > 0.0 and not first) or (turn < 0.0 and first):
        angle = 2.0 * math.pi - angle
    return r * angle, ax, ay, bx, by


def through_circle(x0, y0, x1, y1, r):
    """(0, ax, ay, ax, ay) where the tendon touches the circle from within, or NONE."""
    n0, n1 = math.sqrt(x0 * x0 + y0 * y0), math.sqrt(x1 * x1 + y1 * y1)
    dx, dy = x1 - x0, y1 - y0
    dd = dx * dx + dy * dy
    if n0 <= r or n1 <= r or r < SMALL or n0 < SMALL or n1 < SMALL:
        return NONE
    if dd > SMALL:
        a = -(dx * x0 + dy * y0) / dd
        if a > 0.0 and a < 1.0 and math.sqrt((x0 + a * dx) ** 2 + (y0 + a * dy) ** 2) <= r:
            return NONE
    mx, my = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    norm = math.sqrt(mx * mx + my * my)
    if norm < SMALL:
        mx, my, norm = 1.0, 0.0, 1.0
    middle = (0.0, r * mx / norm, r * my / norm, r * mx / norm, r * my / norm)
    A, B = r / n0, r / n1
    cosine = (n0 * n0 + n1 * n1 - dd) / (2.0 * n0 * n1)
    if cosine < -1.0:
        return NONE
    if cosine > 1.0:
        return middle
    G, z = math.acos(cosine), NEAR_ONE
    f = math.asin(A * z) + math.asin(B * z) - 2.0 * math.asin(z) + G
    rounds = 0
    if f > 0.0:  # it grazes the circle
        z, f = 1.0, 0.0
    while rounds < ROUNDS and abs(f) > ENOUGH:
        slope = A / max(SMALL, math.sqrt(1.0 - z * z * A * A)) + B / max(SMALL, math.sqrt(1.0 - z * z * B * B))
        slope -= 2.0 / max(SMALL, math.sqrt(1.0 - z * z))
        if slope > -SMALL or z - f / slope > z:
            return middle
        z -= f / slope
        f = math.asin(A * z) + math.asin(B * z) - 2.0 * math.asin(z) + G
        if f > ENOUGH:
            return middle
        rounds += 1
    if rounds >= ROUNDS:
        return middle
    if x0 * y1 - y0 * x1 > 0.0:
        vx, vy, angle = x0 / n0, y0 / n0, math.asin(z) - math.asin(A * z)
    else:
        vx, vy, angle = x1 / n1, y1 / n1, math.asin(z) - math.asin(B * z)
    c, s = math.cos(angle), math.sin(angle)
    x, y = r * (c * vx - s * vy), r * (s * vx + c * vy)
    return 0.0, x, y, x, y


def plane_of(p0, p1):
    """Axes (3), (3) of the plane through the centre of a sphere and two points."""
    first = unit3(p0)
    normal = cross3(p0, p1)
    norm = math.sqrt(dot3(normal, normal))
    if norm < SMALL:  # no plane: any
        u = (abs(first[0]), abs(first[1]), abs(first[2]))
        i = 0
        if u[1] > u[0] and u[1] > u[2]:
            i = 1
        if u[2] > u[0] and u[2] > u[1]:
            i = 2
        normal = cross3(first, (0.0 if i == 0 else 1.0, 0.0 if i == 1 else 1.0, 0.0 if i == 2 else 1.0))
    return first, unit3(cross3(unit3(normal), first))


def wrap(p0, p1, r, cylinder, sided, side):
    """(length on the object, a (3), b (3)) between the points p0, p1 in the frame of the object; a length below 0: straight.

    r: radius of the sphere, or of the cylinder about the z axis; sided: there is a side site, at `side`.
    """
    if math.sqrt(dot3(p0, p0)) < SMALL or math.sqrt(dot3(p1, p1)) < SMALL:
        return -1.0, p0, p1
    u, v = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    if not cylinder:
        u, v = plane_of(p0, p1)
    x0, y0, x1, y1 = dot3(p0, u), dot3(p0, v), dot3(p1, u), dot3(p1, v)
    sx, sy, inside = 0.0, 0.0, False
    if sided:
        sx, sy = dot3(side, u), dot3(side, v)
        norm = math.sqrt(sx * sx + sy * sy)
        if norm < SMALL:
            sx, sy, norm = 1.0, 0.0, 1.0
        sx, sy = r * sx / norm, r * sy / norm
        inside = math.sqrt(dot3(side, side)) < r
    found = through_circle(x0, y0, x1, y1, r) if inside else around_circle(x0, y0, x1, y1, r, sided, sx, sy)
    length, ax, ay, bx, by = found
    if length < 0.0:
        return -1.0, p0, p1
    a = (ax * u[0] + ay * v[0], ax * u[1] + ay * v[1], ax * u[2] + ay * v[2])
    b = (bx * u[0] + by * v[0], bx * u[1] + by * v[1], bx * u[2] + by * v[2])
    if cylinder:
        l0 = math.sqrt((p0[0] - a[0]) ** 2 + (p0[1] - a[1]) ** 2)
        l1 = math.sqrt((p1[0] - b[0]) ** 2 + (p1[1] - b[1]) ** 2)
        rise = (p1[2] - p0[2]) / (l0 + length + l1)
        a, b = (a[0], a[1], p0[2] + rise * l0), (b[0], b[1], p0[2] + rise * (l0 + length))
        length = math.sqrt(length * length + (b[2] - a[2]) ** 2)
    return length, a, b


FUNCTIONS = (
    dot3, cross3, unit3, segments_cross, crosses_ray, tangent_pair, shorter, sweeps_over, around_circle, through_circle, plane_of,
    wrap,
)  # fmt: skip
"""What kernels call, each after those that it calls itself."""
