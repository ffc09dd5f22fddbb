"""Triangles to pixels: the nearest surface along each pixel's ray, with the shadow of one light far away.

A pixel's ray is d = (x, y, 1) in the camera's axes right, up, forward. It meets the triangle a, b, c at t d with

    t = det / (e_a + e_b + e_c),   e_a = d · (b × c), e_b = d · (c × a), e_c = d · (a × b),   det = a · (b × c)

inside where each e has the sign of det [Olano and Greer 1997]: linear functions of the pixel, valid also where a corner lies behind
the camera, so that nothing is clipped. For the light the rays are parallel, d = (x, y, ·), and a, b, c are taken in its plane.
"""

import math

from dojo_py.jit import entry, kernel, pasted

NEAR = 1e-3
"""Nothing closer to the camera is drawn [m]."""


@kernel
def rotate_into(R, x, y, z, out, row):
    """out[row] = R (3, 3) times (x, y, z)."""
    for i in range(3):
        out[row, i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z


@kernel
def place(vertices, normals, owner, rotation, position, world, world_normal):
    """World coordinates of all vertices (n, 3) and normals (n, 3); owner (n,): which pose each one follows."""
    for v in range(len(vertices)):
        g = owner[v]
        rotate_into(rotation[g], vertices[v, 0], vertices[v, 1], vertices[v, 2], world, v)
        rotate_into(rotation[g], normals[v, 0], normals[v, 1], normals[v, 2], world_normal, v)
        for i in range(3):
            world[v, i] += position[g, i]


@kernel
def view_from(world, eye, axes, seen):
    """Coordinates (n, 3) along axes (3, 3 rows) from a point."""
    for v in range(len(world)):
        rotate_into(axes, world[v, 0] - eye[0], world[v, 1] - eye[1], world[v, 2] - eye[2], seen, v)


@pasted
def pixel_span(low, high, most):
    """First and last pixel that may lie between two coordinates in pixels."""
    first = int(max(0.0, math.floor(min(low, most))))
    last = int(min(most - 1.0, math.ceil(max(high, -1.0))))
    return first, last


@pasted
def covers(alpha, x, y):
    """Whether a surface of this opacity covers the pixel: an ordered pattern of 4 × 4 pixels."""
    bits = (x ^ y) & 3
    rank = ((bits & 1) << 3) | ((y & 1) << 2) | (bits & 2) | ((y & 2) >> 1)
    return 16.0 * alpha > rank + 0.5


@kernel
def flatten(seen, scale, near, flat):
    """Places (n, 2) in pixels from the middle, x to the right and y up. near: of what is seen in perspective [m], else 0."""
    for v in range(len(seen)):
        by = scale if near == 0.0 else scale / max(seen[v, 2], near)
        flat[v, 0], flat[v, 1] = by * seen[v, 0], by * seen[v, 1]


@kernel
def draw_triangle(face, a, b, c, seen, flat, scale, alpha, both, depth, shown):
    """Enter the triangle of vertices a, b, c where it is nearer than what is there. scale: [pixels] of a slope of 1."""
    height, width = depth.shape
    x0, x1, y0, y1 = 0, width - 1, 0, height - 1
    az, bz, cz = seen[a, 2], seen[b, 2], seen[c, 2]
    if min(az, bz, cz) >= NEAR:
        ax, ay, bx, by, cx, cy = flat[a, 0], flat[a, 1], flat[b, 0], flat[b, 1], flat[c, 0], flat[c, 1]
        if not both and (bx - ax) * (cy - ay) <= (by - ay) * (cx - ax):
            return
        x0, x1 = pixel_span(min(ax, bx, cx) + 0.5 * width - 0.5, max(ax, bx, cx) + 0.5 * width - 0.5, width)
        y0, y1 = pixel_span(0.5 * height - 0.5 - max(ay, by, cy), 0.5 * height - 0.5 - min(ay, by, cy), height)
    if x1 < x0 or y1 < y0 or max(az, bz, cz) < NEAR:
        return
    a0, a1, b0, b1, c0, c1 = seen[a, 0], seen[a, 1], seen[b, 0], seen[b, 1], seen[c, 0], seen[c, 1]
    na0, na1, na2 = b1 * cz - bz * c1, bz * c0 - b0 * cz, b0 * c1 - b1 * c0
    nb0, nb1, nb2 = c1 * az - cz * a1, cz * a0 - c0 * az, c0 * a1 - c1 * a0
    nc0, nc1, nc2 = a1 * bz - az * b1, az * b0 - a0 * bz, a0 * b1 - a1 * b0
    det = a0 * na0 + a1 * na1 + az * na2
    if det <= 0.0 and not both:  # right, up, forward are left-handed: a front has det > 0
        return
    sign, step = (1.0 if det > 0.0 else -1.0), 1.0 / scale
    det = abs(det)
    for y in range(y0, y1 + 1):
        dy = (0.5 * height - 0.5 - y) * step
        for x in range(x0, x1 + 1):
            dx = (x + 0.5 - 0.5 * width) * step
            ea = sign * (dx * na0 + dy * na1 + na2)
            eb = sign * (dx * nb0 + dy * nb1 + nb2)
            ec = sign * (dx * nc0 + dy * nc1 + nc2)
            total = ea + eb + ec
            if ea >= 0.0 and eb >= 0.0 and ec >= 0.0 and total > 0.0:
                t = det / total
                if NEAR < t < depth[y, x] and (alpha >= 1.0 or covers(alpha, x, y)):
                    depth[y, x] = t
                    shown[y, x] = face


@kernel
def draw_shadow(a, b, c, seen, flat, both, depth):
    """Enter the triangle of vertices a, b, c into the map of distances from the light."""
    half = 0.5 * len(depth) - 0.5
    ax, ay, bx, by, cx, cy = flat[a, 0], flat[a, 1], flat[b, 0], flat[b, 1], flat[c, 0], flat[c, 1]
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if (area <= 0.0 and not both) or abs(area) < 1e-12:
        return
    x0, x1 = pixel_span(min(ax, bx, cx) + half, max(ax, bx, cx) + half, len(depth))
    y0, y1 = pixel_span(min(ay, by, cy) + half, max(ay, by, cy) + half, len(depth))
    if x1 < x0 or y1 < y0:
        return
    az, bz, cz = seen[a, 2], seen[b, 2], seen[c, 2]
    inverse = 1.0 / area
    for y in range(y0, y1 + 1):
        py = y - half
        for x in range(x0, x1 + 1):
            px = x - half
            wb = ((px - ax) * (cy - ay) - (py - ay) * (cx - ax)) * inverse
            wc = ((bx - ax) * (py - ay) - (by - ay) * (px - ax)) * inverse
            if wb >= 0.0 and wc >= 0.0 and wb + wc <= 1.0:
                t = az + wb * (bz - az) + wc * (cz - az)
                if t < depth[y, x]:
                    depth[y, x] = t


@pasted
def lit(x, y, z, axes, scale, bias, shadows):
    """Share of the light that reaches a point (relative to the light's), from the four nearest entries of the map of distances."""
    half = 0.5 * len(shadows) - 0.5
    u = scale * (axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z) + half
    v = scale * (axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z) + half
    if not (0.0 <= u < 2.0 * half and 0.0 <= v < 2.0 * half):
        return 1.0
    t = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z - bias
    i, j = int(u), int(v)
    fu, fv = u - i, v - j
    low = (1.0 - fu if t < shadows[j, i] else 0.0) + (fu if t < shadows[j, i + 1] else 0.0)
    high = (1.0 - fu if t < shadows[j + 1, i] else 0.0) + (fu if t < shadows[j + 1, i + 1] else 0.0)
    return (1.0 - fv) * low + fv * high


@pasted
def nearest_plane(d0, d1, d2, eye, planes, paint, column, row, far):
    """(number, distance along d) of the nearest plane seen from above; planes (n, 17): point, axes as rows, half lengths, picture
    (-1: none) and its repetitions a metre. paint (n, 4): colours, whose opacity decides whether a plane covers the pixel.
    """
    best, found = far, -1
    for k in range(len(planes)):
        plane = planes[k]
        down = d0 * plane[9] + d1 * plane[10] + d2 * plane[11]
        if down >= -1e-12:
            continue
        x, y, z = eye[0] - plane[0], eye[1] - plane[1], eye[2] - plane[2]
        t = -(x * plane[9] + y * plane[10] + z * plane[11]) / down
        if not 0.0 < t < best:
            continue
        if plane[12] > 0.0 or plane[13] > 0.0:
            x, y, z = x + t * d0, y + t * d1, z + t * d2
            if plane[12] > 0.0 and abs(x * plane[3] + y * plane[4] + z * plane[5]) > plane[12]:
                continue
            if plane[13] > 0.0 and abs(x * plane[6] + y * plane[7] + z * plane[8]) > plane[13]:
                continue
        if covers(paint[k, 3], column, row):
            best, found = t, k
    return found, best


@pasted
def plane_light(d0, d1, d2, eye, t, plane, per_tile, squares, light, shadows):
    """(brightness, fog) of a plane's point: squares that fade out where they get smaller than pixels, shadow, distance.

    squares: whether there are any; not under a picture.
    """
    sun, sun_axes, sun_scale, bias = light
    p0, p1, p2 = eye[0] + t * d0, eye[1] + t * d1, eye[2] + t * d2
    x, y, z = p0 - plane[0], p1 - plane[1], p2 - plane[2]
    u = per_tile * (x * plane[3] + y * plane[4] + z * plane[5])
    v = per_tile * (x * plane[6] + y * plane[7] + z * plane[8])
    dark = (int(math.floor(u)) + int(math.floor(v))) & 1
    distance = per_tile * t * (d0 * d0 + d1 * d1 + d2 * d2)
    contrast = min(1.0, -150.0 * (d0 * plane[9] + d1 * plane[10] + d2 * plane[11]) / distance)
    share = lit(p0 - sun[0], p1 - sun[1], p2 - sun[2], sun_axes, sun_scale, bias, shadows)
    tile = 0.0 if not squares else 0.09 if dark else -0.09
    brightness = (0.86 - tile * contrast) * (0.6 + 0.4 * share)
    return brightness, distance / (distance + 60.0)


@pasted
def face_light(p0, p1, p2, d0, d1, d2, corners, world, normal, light, shadows):
    """(brightness, shares of the corners b and c) of a triangle's point: light of the sun where it reaches, of sky and ground."""
    sun, sun_axes, sun_scale, bias = light
    a, b, c = corners[0], corners[1], corners[2]
    bx, by, bz = world[b, 0] - world[a, 0], world[b, 1] - world[a, 1], world[b, 2] - world[a, 2]
    cx, cy, cz = world[c, 0] - world[a, 0], world[c, 1] - world[a, 1], world[c, 2] - world[a, 2]
    px, py, pz = p0 - world[a, 0], p1 - world[a, 1], p2 - world[a, 2]
    bb, bc, cc = bx * bx + by * by + bz * bz, bx * cx + by * cy + bz * cz, cx * cx + cy * cy + cz * cz
    pb, pc = px * bx + py * by + pz * bz, px * cx + py * cy + pz * cz
    inverse = 1.0 / (bb * cc - bc * bc)
    wb, wc = (cc * pb - bc * pc) * inverse, (bb * pc - bc * pb) * inverse
    wa = 1.0 - wb - wc
    nx = wa * normal[a, 0] + wb * normal[b, 0] + wc * normal[c, 0]
    ny = wa * normal[a, 1] + wb * normal[b, 1] + wc * normal[c, 1]
    nz = wa * normal[a, 2] + wb * normal[b, 2] + wc * normal[c, 2]
    scale = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz + 1e-300)
    if nx * d0 + ny * d1 + nz * d2 > 0.0:  # seen from behind
        scale = -scale
    nx, ny, nz = scale * nx, scale * ny, scale * nz
    direct = -(nx * sun_axes[2, 0] + ny * sun_axes[2, 1] + nz * sun_axes[2, 2])
    if direct > 0.0:
        away = 2.0 * bias
        x, y, z = p0 + away * nx - sun[0], p1 + away * ny - sun[1], p2 + away * nz - sun[2]
        direct *= lit(x, y, z, sun_axes, sun_scale, bias, shadows)
    return 0.42 + 0.13 * nz + 0.55 * max(0.0, direct), wb, wc


@pasted
def texel(pictures, k, u, v, contrast, i):
    """Colour i, 0 to 1, of picture k at a place (repetitions to the right and down); its mean where contrast is 0."""
    table, mean, pixels = pictures
    row = min(int((v - math.floor(v)) * table[k, 1]), table[k, 1] - 1)
    column = min(int((u - math.floor(u)) * table[k, 2]), table[k, 2] - 1)
    return mean[k, i] + contrast * (pixels[table[k, 0] + row * table[k, 2] + column, i] / 255.0 - mean[k, i])


@pasted
def plane_place(d0, d1, d2, eye, t, plane):
    """(u, v, contrast) of a plane's point: its place in the picture, which fades to its mean where it gets smaller than pixels."""
    x, y, z = eye[0] + t * d0 - plane[0], eye[1] + t * d1 - plane[1], eye[2] + t * d2 - plane[2]
    u = plane[15] * (x * plane[3] + y * plane[4] + z * plane[5]) - 0.5
    v = -plane[16] * (x * plane[6] + y * plane[7] + z * plane[8]) - 0.5
    distance = max(plane[15], plane[16]) * t * (d0 * d0 + d1 * d1 + d2 * d2)
    return u, v, min(1.0, -150.0 * (d0 * plane[9] + d1 * plane[10] + d2 * plane[11]) / max(distance, 1e-30))


@pasted
def byte(value):
    """A brightness, 0 to 1, as 0 to 255."""
    return int(255.0 * min(1.0, max(0.0, value)) + 0.5)


@kernel
def shade(geometry, world, normal, view, light, planes, pictures, depth, shown, shadows, colours, per_tile, image):
    """The colour of each pixel whose nearest triangle and depth are known; planes are entered here."""
    faces, paint, place, picture = geometry[3], geometry[4], geometry[6], geometry[7]
    eye, axes, scale = view
    height, width = depth.shape
    step = 1.0 / scale
    for y in range(height):
        dy = (0.5 * height - 0.5 - y) * step
        for x in range(width):
            dx = (x + 0.5 - 0.5 * width) * step
            d0 = dx * axes[0, 0] + dy * axes[1, 0] + axes[2, 0]
            d1 = dx * axes[0, 1] + dy * axes[1, 1] + axes[2, 1]
            d2 = dx * axes[0, 2] + dy * axes[1, 2] + axes[2, 2]
            k, t = nearest_plane(d0, d1, d2, eye, planes[0], planes[1], x, y, depth[y, x])
            high = min(1.0, max(0.0, 2.0 * d2))
            if k >= 0:
                depth[y, x] = t
                shown[y, x] = -2 - k
                own = int(planes[0][k, 14])
                bright, fog = plane_light(d0, d1, d2, eye, t, planes[0][k], per_tile, own < 0, light, shadows)
                u, v, contrast = 0.0, 0.0, 0.0
                if own >= 0:
                    u, v, contrast = plane_place(d0, d1, d2, eye, t, planes[0][k])
                for i in range(3):
                    tone = planes[1][k, i] * (texel(pictures, own, u, v, contrast, i) if own >= 0 else 1.0)
                    image[y, x, i] = byte((1.0 - fog) * bright * tone + fog * colours[1, i])
            elif shown[y, x] >= 0:
                f = shown[y, x]
                p0, p1, p2 = eye[0] + t * d0, eye[1] + t * d1, eye[2] + t * d2
                bright, wb, wc = face_light(p0, p1, p2, d0, d1, d2, faces[f], world, normal, light, shadows)
                own, u, v = picture[f], 0.0, 0.0
                if own >= 0:
                    a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
                    u = place[a, 0] + wb * (place[b, 0] - place[a, 0]) + wc * (place[c, 0] - place[a, 0])
                    v = place[a, 1] + wb * (place[b, 1] - place[a, 1]) + wc * (place[c, 1] - place[a, 1])
                for i in range(3):
                    tone = paint[f, i] * (texel(pictures, own, u, v, 1.0, i) if own >= 0 else 1.0)
                    image[y, x, i] = byte(bright * tone)
            else:
                for i in range(3):
                    image[y, x, i] = byte(high * colours[0, i] + (1.0 - high) * colours[1, i])


@entry
def render(geometry, poses, view, light, planes, pictures, buffers, colours, tile, image):
    """Draw everything into image (height, width, 3) uint8. All arrays float64 but faces, owner, picture, table, shown (int64),
    pixels and image.

    geometry: vertices, normals (n, 3), owner (n,), faces (m, 3), paint (m, 4), both (m,) seen from behind too, place (n, 2) in the
    picture (m,) of a face, -1 for none. pictures: table (p, 3) of first pixel, rows, columns; mean (p, 3), pixels (k, 3). poses:
    rotation (g, 3, 3), position (g, 3). view: eye (3,), axes (3, 3), pixels of a slope of 1. light: point (3,), axes (3, 3; the
    last one away from it), pixels/m, bias [m]. planes: table (p, 17), paint (p, 4). buffers: world, normal, seen (n, 3), flat
    (n, 2), depth, shown (height, width), shadows (s, s), modified in place. colours: sky above and at the horizon (2, 3). tile: of
    the floor [m].
    """
    vertices, normals, owner, faces, paint, both, _, _ = geometry
    world, normal, seen, flat, depth, shown, shadows = buffers
    place(vertices, normals, owner, poses[0], poses[1], world, normal)
    view_from(world, light[0], light[1], seen)
    flatten(seen, light[2], 0.0, flat)
    shadows[:] = 1e30
    for f in range(len(faces)):
        if paint[f, 3] >= 0.5:
            draw_shadow(faces[f, 0], faces[f, 1], faces[f, 2], seen, flat, both[f] > 0, shadows)
    view_from(world, view[0], view[1], seen)
    flatten(seen, view[2], NEAR, flat)
    depth[:] = 1e30
    shown[:] = -1
    for f in range(len(faces)):
        draw_triangle(f, faces[f, 0], faces[f, 1], faces[f, 2], seen, flat, view[2], paint[f, 3], both[f] > 0, depth, shown)
    shade(geometry, world, normal, view, light, planes, pictures, depth, shown, shadows, colours, 1.0 / tile, image)
