"""Hair as strands. Two ways to generate them, both return an array (strands, points, 3) in MakeHuman coordinates:

* trace(): over the surface of a MakeHuman hair or eyebrow mesh, following the strand direction painted in its texture;
* grow():  from the scalp itself, combed by a style ('parted', 'short') with gravity and collision against the body.

add_strands() turns them into Blender hair curves. Lengths in decimetres.
"""
import math

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from scipy import ndimage as ndi

from human import to_blender


def smoothstep(a, b, x):
    """0 at or below a, 1 at or above b (a may be the larger), smooth in between."""
    x = np.clip((x - a) / (b - a), 0, 1)
    return x * x * (3 - 2 * x)


def sample(image, u, v):
    """Colour of an image (row 0 at the bottom) at texture coordinates u, v."""
    h, w = image.shape[:2]
    return image[np.clip((v * h).astype(int), 0, h - 1), np.clip((u * w).astype(int), 0, w - 1)]


def vector_noise(p, scale, seed):
    """Cheap smooth vector noise (about -1..1): a sum of random sinusoids."""
    r = np.random.RandomState(seed)
    out = np.zeros_like(p)
    for _ in range(6):
        d = r.normal(size=(3, 3)) * scale
        phase = r.uniform(0, 6.28, 3)
        out += np.sin(p @ d + phase) * r.uniform(.5, 1)
    return out / 3.


def triangulate(faces):
    """All faces as fans of triangles: vertex ids and texture coordinate ids, each (n, 3)."""
    tri, tri_uv = [], []
    for _, f, t in faces:
        for k in range(1, len(f) - 1):
            tri.append((f[0], f[k], f[k + 1]))
            tri_uv.append((t[0], t[k], t[k + 1]))
    return np.array(tri), np.array(tri_uv)


# ------------------------------------------------------------------------------------------------ traced strands
def painted_direction(texture):
    """Structure tensor of the painted strands: (angle along the strands in UV space, coherence 0..1)."""
    a = texture[..., :3].mean(2) * (texture[..., 3] if texture.shape[2] == 4 else 1)
    width = a.shape[1]
    fine, wide = width / 512 * 1.2, width / 512 * 9
    gx = ndi.gaussian_filter(a, fine, order=(0, 1))
    gy = ndi.gaussian_filter(a, fine, order=(1, 0))
    jxx, jyy, jxy = (ndi.gaussian_filter(x, wide) for x in (gx * gx, gy * gy, gx * gy))
    angle = .5 * np.arctan2(2 * jxy, jxx - jyy) + math.pi / 2
    return angle, np.sqrt((jxx - jyy) ** 2 + 4 * jxy ** 2) / (jxx + jyy + 1e-9)


def trace(points, uvs, faces, texture, count, length, steps, seed=1, depth=(-.08, .02), wave=.03, wave_scale=3.,
          frizz=.008, alpha_min=.4, outward='crown', crown=None, lift=0., length_jitter=.35, smooth=3, min_length=.25,
          root_dive=.05, thin=0., ends=None):
    """points/uvs/faces: the fitted hair mesh; texture: its RGBA map (row 0 = v 0).

    depth: range of the strands' offset along the surface normal; lift: extra offset towards the tips; wave/wave_scale:
    shared low-frequency displacement (amplitude, 1/dm); frizz: per-strand wiggle; outward: how the sign of the painted
    direction is chosen - 'crown' (away from the crown) or 'brow' (away from the nose); thin: how much sparser strands are where
    the texture is less opaque; ends: shares of a brow's width over which it thins out towards nose and temple.
    """
    r = np.random.RandomState(seed)
    tri, tri_uv = triangulate(faces)
    tri_u, tri_x = uvs[tri_uv], points[tri]
    angle, coherence = painted_direction(texture)
    centre_uv = tri_u.mean(1)
    t = sample(angle, centre_uv[:, 0], centre_uv[:, 1])
    c = sample(coherence, centre_uv[:, 0], centre_uv[:, 1])
    # UV direction -> 3-D direction through the triangle's parametrisation
    e1, e2 = tri_x[:, 1] - tri_x[:, 0], tri_x[:, 2] - tri_x[:, 0]
    u1, u2 = tri_u[:, 1] - tri_u[:, 0], tri_u[:, 2] - tri_u[:, 0]
    det = u1[:, 0] * u2[:, 1] - u1[:, 1] * u2[:, 0]
    det[np.abs(det) < 1e-12] = 1e-12
    per_u = (e1 * u2[:, 1:2] - e2 * u1[:, 1:2]) / det[:, None]
    per_v = (e2 * u1[:, 0:1] - e1 * u2[:, 0:1]) / det[:, None]
    d = per_u * np.cos(t)[:, None] + per_v * np.sin(t)[:, None]
    d /= np.linalg.norm(d, axis=1, keepdims=True) + 1e-9
    normal = np.cross(e1, e2)
    area = np.linalg.norm(normal, axis=1) / 2
    normal /= 2 * area[:, None] + 1e-12
    centre = tri_x.mean(1)
    if outward == 'crown':
        ref = centre - np.array(crown)
        ref = ref / np.linalg.norm(ref, axis=1, keepdims=True) + np.array([0, -.6, 0])
    else:
        ref = np.stack([np.sign(centre[:, 0]), np.full(len(centre), .35), 0 * centre[:, 0]], 1)
    d *= np.sign((d * ref).sum(1, keepdims=True) + 1e-9)
    w = (area * (c + .1))[:, None]
    # averaged to vertices, welded at the mesh's seams, then smoothed over the triangle graph
    n_vert = len(points)
    vert_d, vert_n = np.zeros((n_vert, 3)), np.zeros((n_vert, 3))
    for k in range(3):
        np.add.at(vert_d, tri[:, k], d * w)
        np.add.at(vert_n, tri[:, k], normal * area[:, None])
    _, weld = np.unique(np.round(points, 3), axis=0, return_inverse=True)
    weld = weld.ravel()
    n_weld = weld.max() + 1

    def welded(x):
        acc = np.zeros((n_weld, 3))
        np.add.at(acc, weld, x)
        return acc[weld]
    vert_d, vert_n = welded(vert_d), welded(vert_n)
    for _ in range(smooth):
        acc, hits = np.zeros((n_vert, 3)), np.zeros(n_vert)
        vert_d /= np.linalg.norm(vert_d, axis=1, keepdims=True) + 1e-9
        for k in range(3):
            for j in range(3):
                np.add.at(acc, tri[:, k], vert_d[tri[:, j]])
                np.add.at(hits, tri[:, k], 1)
        vert_d = welded(acc / np.maximum(hits, 1)[:, None])
    vert_d /= np.linalg.norm(vert_d, axis=1, keepdims=True) + 1e-9
    vert_n /= np.linalg.norm(vert_n, axis=1, keepdims=True) + 1e-9
    # roots: uniform by area, kept where the texture is opaque
    bvh = BVHTree.FromPolygons([tuple(x) for x in points], [tuple(int(i) for i in x) for x in tri])
    alpha = texture[..., 3] if texture.shape[2] == 4 else np.ones(texture.shape[:2])
    pick = r.choice(len(tri), count, p=area / area.sum())
    bary = r.dirichlet((1, 1, 1), count)
    root = (tri_x[pick] * bary[:, :, None]).sum(1)
    root_uv = (tri_u[pick] * bary[:, :, None]).sum(1)
    opaque = sample(alpha, root_uv[:, 0], root_uv[:, 1])
    kept = (opaque > alpha_min * r.uniform(.6, 1.4, count)) & (r.uniform(size=count) < opaque ** thin)
    if ends:
        across = np.abs(root[:, 0])
        inner, outer = np.percentile(across[kept], (.5, 99.5))
        u = (across - inner) / (outer - inner)
        kept &= r.uniform(size=count) < smoothstep(-.03, ends[0], u) * smoothstep(1.02, 1 - ends[1], u)
    root = root[kept]
    n = len(root)
    step = length * (1 - length_jitter * r.uniform(0, 1, n)) / (steps - 1)
    pts, nrm, used = np.zeros((n, steps, 3)), np.zeros((n, steps, 3)), np.full(n, steps)
    for i in range(n):
        p, previous = Vector(root[i]), None
        for k in range(steps):
            hit, _, tri_id, _ = bvh.find_nearest(p)
            if k > 0 and (hit - p).length > step[i] * .55:      # left the edge of the mesh
                used[i] = k
                break
            q = np.array(hit)
            pts[i, k] = q
            ids = tri[tri_id]
            near = 1 / (np.linalg.norm(points[ids] - q, axis=1) + 1e-4)
            near /= near.sum()
            go = (vert_d[ids] * near[:, None]).sum(0)
            nrm[i, k] = (vert_n[ids] * near[:, None]).sum(0)
            if previous is not None:
                if go @ previous < -.2:
                    go = -go
                go = .6 * go + .4 * previous
            go /= np.linalg.norm(go) + 1e-9
            previous = go
            p = Vector(q + go * step[i])
    nrm /= np.linalg.norm(nrm, axis=2, keepdims=True) + 1e-9
    good = (used >= 3) & (used * step >= min_length * length)
    pts, nrm, used, step = pts[good], nrm[good], used[good], step[good]
    n = len(pts)
    out, out_n = np.zeros_like(pts), np.zeros_like(nrm)
    for i in range(n):                                          # short ones are resampled to the full point count
        x = np.linspace(0, used[i] - 1, steps)
        j = np.minimum(x.astype(int), max(used[i] - 2, 0))
        f, j2 = (x - j)[:, None], np.minimum(j + 1, used[i] - 1)
        out[i] = pts[i, j] * (1 - f) + pts[i, j2] * f
        out_n[i] = nrm[i, j] * (1 - f) + nrm[i, j2] * f
    t = np.linspace(0, 1, steps)[None, :, None]
    layer = depth[0] + (depth[1] - depth[0]) * r.uniform(0, 1, n) ** .7
    tip = np.clip((t - .75) / .25, 0, 1)
    offset = out_n * (layer[:, None, None] * (1 - .3 * tip) - root_dive * np.exp(-t * 8) + lift * t ** 1.5)
    ease = np.clip(t * 3, 0, 1)
    flat = out.reshape(-1, 3)
    w1 = vector_noise(flat, wave_scale, seed + 1).reshape(out.shape) * wave * ease
    w2 = vector_noise(flat, wave_scale * 4, seed + 2).reshape(out.shape) * wave * .35 * ease
    phase = r.uniform(0, 6.28, (n, 1, 3))
    rate = r.uniform(6, 14, (n, 1, 1))
    fz = np.sin(t * rate + phase) * frizz * r.exponential(1, (n, 1, 1)) * np.clip(t * 2, 0, 1)
    return out + offset + w1 + w2 + fz


# ------------------------------------------------------------------------------------------------- grown strands
class HeadFrame:
    """Head-relative coordinates: height() 0 at the eyes, 1 on top of the skull; azimuth() 0 front, pi back (radians)."""

    def __init__(self, human, eye_centre, head_top):
        v = human.rest_vertices
        self.eye, self.top, self.height_dm = eye_centre, head_top, head_top - eye_centre[1]
        body = np.array(sorted({i for g, f, _ in human.faces if g == 'body' for i in f}))
        skull = v[body]
        skull = skull[skull[:, 1] > eye_centre[1] + .35 * self.height_dm]
        self.half_width, self.front, self.back = np.abs(skull[:, 0]).max(), skull[:, 2].max(), skull[:, 2].min()
        self.centre = np.array([0, eye_centre[1] + .3 * self.height_dm, (self.front + self.back) / 2])
        self.half_depth = (self.front - self.back) / 2
        moved = np.zeros(len(v))
        for side in 'lr':
            moved = np.maximum(moved, np.linalg.norm(human.target(f'ears/{side}-ear-scale-incr'), axis=1))
        self.is_ear = moved > .5 * moved.max()
        # only the protruding part of the ear: the skin in front of it moves along, but sideburns grow on it
        self.is_pinna = self.is_ear & (self.azimuth(v) > 1.42)

    def height(self, p):
        """Height of points in the head frame: 0 at the eyes, 1 at the crown."""
        return (p[..., 1] - self.eye[1]) / self.height_dm

    def azimuth(self, p):
        """Angle of points around the vertical axis, 0 to the front."""
        return np.arctan2(np.abs(p[..., 0]) / self.half_width, (p[..., 2] - self.centre[2]) / self.half_depth)


# hairline: (azimuth, height) pairs, from the forehead round the ear to the nape
HAIRLINES = {
    'female': [(0, .60), (.35, .58), (.62, .50), (.85, .36), (1.05, .18), (1.2, -.05), (1.45, .02), (1.75, .0),
               (2.05, -.45), (2.6, -.72), (3.15, -.78)],
    'male': [(0, .62), (.30, .64), (.52, .62), (.72, .45), (.86, .30), (.97, .12), (1.06, -.04), (1.13, -.20), (1.32, -.20),
             (1.45, .02), (1.8, .0), (2.1, -.40), (2.6, -.62), (3.15, -.66)],
    'receding': [(0, .90), (.25, .93), (.45, .98), (.62, .95), (.80, .60), (.90, .33), (.99, .12), (1.07, -.04), (1.14, -.18),
                 (1.32, -.18), (1.45, .02), (1.8, .0), (2.1, -.40), (2.6, -.62), (3.15, -.66)],
}
SIDEBURNS = ('male', 'receding')       # hairlines that extend down in front of the ear


def scalp_density(head, p, line, soft=.08):
    """0 outside the hairline .. 1 inside; `soft` is the width of the transition in head heights."""
    table = np.array(HAIRLINES[line])
    edge = np.interp(head.azimuth(p), table[:, 0], table[:, 1])
    return smoothstep(-.2 * soft, soft, head.height(p) - edge)


def scalp_roots(head, vertices, faces, count, line, rng, soft):
    """`count` random points on the scalp, denser where hair grows thicker."""
    tri = np.array([(f[0], f[k], f[k + 1]) for g, f, _ in faces if g == 'body' for k in range(1, len(f) - 1)])
    x = vertices[tri]
    centre = x.mean(1)
    bare = head.is_pinna if line in SIDEBURNS else head.is_ear
    keep = ((head.height(centre) > -1.0) & (centre[:, 2] < head.front + .2) & ~bare[tri].any(1)
            & (np.abs(centre[:, 0]) < head.half_width * 1.15))
    tri, x = tri[keep], x[keep]
    normal = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    area = np.linalg.norm(normal, axis=1) / 2
    pick = rng.choice(len(tri), count * 3, p=area / area.sum())
    bary = rng.dirichlet((1, 1, 1), count * 3)
    p = (x[pick] * bary[:, :, None]).sum(1)
    n = normal[pick] / (2 * area[pick][:, None] + 1e-12)
    ok = rng.uniform(size=len(p)) < scalp_density(head, p, line, soft)
    return p[ok][:count], n[ok][:count]


def ease_bends(head, pts, used, rounds=16):
    """Smooths the bend where combed strands leave the skull: ears and temples push them out, which would look like a step.
    Strands on the skull keep their shape (averaging would move hair into the scalp), and so do roots and ends."""
    steps = pts.shape[1]
    k = np.arange(steps)[None]
    inner = (k > 1) & (k < used[:, None] - 1)
    for _ in range(rounds):
        share = .5 * smoothstep(.66, .42, head.height(pts)) * inner
        middle = (np.roll(pts, 1, 1) + np.roll(pts, -1, 1)) / 2
        pts = pts + share[..., None] * (middle - pts)
    return pts


def grow(head, vertices, faces, count=20000, line='female', style='parted', length=2.5, steps=18, volume=.14,
         volume_min=.02, part=None, back=.35, cut=None, cut_jitter=.06, wave=.03, wave_scale=2.2, frizz=.004, seed=3,
         lift=.3, taper=None, soft=.07, follow=.35, top_length=None, side_length=None, direction_top=(0, 0, 1),
         direction_side=(0, -1, -.4), length_jitter=.25, face_half_width=.70, part_jitter=.015,
         sideburn_length=.08):
    """Comb strands from the scalp.

    style 'parted': to both sides of a part at x = `part` dm, swept backwards by `back`, hugging the skull, then hanging;
      `cut`: height (absolute y) of the ends. style 'short': top_length/side_length dm combed along the two directions.
    volume_min..volume_min+volume: distance of the strands from the skin; lift: how steeply they leave it; follow: how
    quickly a strand turns to the combing direction (0..1 per step).
    """
    r = np.random.RandomState(seed)
    root, root_n = scalp_roots(head, vertices, faces, count, line, r, soft)
    n = len(root)
    parted = style == 'parted'
    tri = [tuple(int(i) for i in (f[0], f[k], f[k + 1])) for g, f, _ in faces if g == 'body'
           for k in range(1, len(f) - 1)
           if vertices[f[0]][1] > head.eye[1] - 4.2 and not (parted and head.is_ear[f].all())]
    bvh = BVHTree.FromPolygons([tuple(v) for v in vertices], tri)
    root_h, root_az, layer = head.height(root), head.azimuth(root), r.uniform(0, 1, n)
    strand_len = np.full(n, length)
    if top_length is not None:
        k = smoothstep(.45, .80, root_h) * (1 - smoothstep(2.2, 2.9, root_az) * .5)
        strand_len = side_length + (top_length - side_length) * k
        if taper:
            strand_len *= 1 - taper * (1 - smoothstep(-.7, .35, root_h))
    beside_ear = np.zeros(n)
    if line in SIDEBURNS:                                        # short, and combed straight down
        beside_ear = smoothstep(.22, -.06, root_h) * smoothstep(1.5, 1.38, root_az)
        strand_len = strand_len * (1 - beside_ear) + sideburn_length * beside_ear
    strand_len = strand_len * (1 - length_jitter * r.uniform(0, 1, n))
    step = strand_len / (steps - 1)
    pts = np.zeros((n, steps, 3))
    cur = root - root_n * .02
    pts[:, 0] = cur
    velocity, travelled, used, local_n = None, np.zeros(n), np.full(n, steps), root_n.copy()
    part_x = part or 0.
    part_jittered = part_x + part_jitter * r.normal(size=n)
    for k in range(1, steps):
        h = head.height(cur)
        if parted:
            side = np.where(root[:, 0] > part_jittered, 1., -1.)
            hug = smoothstep(.10, .32, h)                        # 1 on the dome, 0 where the hair hangs free
            sweep = back + .9 * smoothstep(1.4, 2.4, root_az)    # strands of the back of the head fall backwards
            d = np.stack([side * (1 - .75 * smoothstep(1.7, 2.6, root_az)), np.full(n, -.35),
                          -sweep * np.exp(-travelled / 1.1)], 1)
            d /= np.linalg.norm(d, axis=1, keepdims=True)
            d = d * hug[:, None] + np.array([0, -1., 0]) * (
                (1 - hug) * 1.2 + .25 + .5 * smoothstep(.2, 1.2, travelled))[:, None]
            d[:, 0] -= .22 * np.sign(cur[:, 0]) * (1 - hug)      # the ends turn in
        else:
            top = smoothstep(.45, .8, root_h)[:, None] * (1 - smoothstep(1.9, 2.6, root_az))[:, None]
            d = np.tile(np.array(direction_top, float), (n, 1)) * top \
                + np.tile(np.array(direction_side, float), (n, 1)) * (1 - top)
            d = d * (1 - beside_ear[:, None]) + np.array([0, -1., -.12]) * beside_ear[:, None]
        away = lift * np.exp(-k / (steps * .35))
        d = d - (d * local_n).sum(1, keepdims=True) * local_n * (hug[:, None] if parted else .85)
        d /= np.linalg.norm(d, axis=1, keepdims=True) + 1e-9
        d = d + local_n * (away * np.exp(-travelled / .2)[:, None] if parted else away)
        obey = (follow + .25 * (1 - hug))[:, None] if parted else follow
        velocity = d if velocity is None else velocity * (1 - obey) + d * obey
        velocity = velocity / (np.linalg.norm(velocity, axis=1, keepdims=True) + 1e-9)
        nxt = cur + velocity * step[:, None]
        t = k / (steps - 1)
        if parted:                                               # keep strands off the face (an elliptic cylinder)
            ex, ey = nxt[:, 0] / face_half_width, (nxt[:, 1] - (head.eye[1] - .35)) / 1.25
            front = smoothstep(head.eye[2] - .95, head.eye[2] - .45, nxt[:, 2]) \
                * (nxt[:, 1] < head.eye[1] + .55 * head.height_dm) * (nxt[:, 1] > head.eye[1] - 1.7)
            push = np.clip(1 - np.hypot(ex, ey), 0, 1) * front
            nxt[:, 0] += np.where(root[:, 0] > part_x, 1, -1) * push * face_half_width * .55
        want = volume_min + (volume * layer) * min(1, t * 3.5) * (1 - .8 * beside_ear)
        if parted:                                               # room for the ears
            want = want + .05 * smoothstep(.75, .15, head.height(nxt)) * np.exp(-((head.azimuth(nxt) - 1.55) / .55) ** 2)
        for i in range(n):
            hit, m, _, _ = bvh.find_nearest(nxt[i])
            if hit is None:
                continue
            gap = (nxt[i, 0] - hit[0]) * m[0] + (nxt[i, 1] - hit[1]) * m[1] + (nxt[i, 2] - hit[2]) * m[2]
            w = want[i] + (.10 if hit[1] < head.eye[1] - 1.9 else 0)
            if gap < w:
                nxt[i] += np.array(m) * (w - gap)
            elif parted and hug[i] > .02 and gap > w + .01:
                nxt[i] -= np.array(m) * (gap - w - .01) * hug[i] * .9
            if gap < w + .25:
                local_n[i] = m
        moved = nxt - cur
        velocity = moved / (np.linalg.norm(moved, axis=1, keepdims=True) + 1e-9)
        cur = nxt.copy()
        travelled += step
        pts[:, k] = cur
        if cut is not None:
            below = cur[:, 1] < cut + cut_jitter * r.normal(size=n)
            used = np.where(below & (used == steps), k, used)
    used = np.minimum(used, steps)
    ok = used >= 3
    if parted:                                                   # and drop the few that still cross it
        crosses = ((pts[..., 2] > head.eye[2] - .45) & (np.abs(pts[..., 0]) < .52)
                   & (pts[..., 1] < head.eye[1] + .42 * head.height_dm) & (pts[..., 1] > head.eye[1] - 1.5)
                   & (np.arange(steps)[None] < used[:, None]))
        ok &= ~crosses.any(1)
    pts, used = pts[ok], used[ok]
    n = len(pts)
    if parted:
        pts = ease_bends(head, pts, used)
    x = np.linspace(0, 1, steps)[None] * (used[:, None] - 1)
    j = np.minimum(x.astype(int), steps - 2)
    f, rows = (x - j)[..., None], np.arange(n)[:, None]
    out = pts[rows, j] * (1 - f) + pts[rows, np.minimum(j + 1, steps - 1)] * f
    t = np.linspace(0, 1, steps)[None, :, None]
    ease = np.clip(t * 2.5, 0, 1)
    flat = out.reshape(-1, 3)
    w1 = vector_noise(flat, wave_scale, seed + 1).reshape(out.shape) * wave * ease
    w2 = vector_noise(flat, wave_scale * 4, seed + 2).reshape(out.shape) * wave * .35 * ease
    fz = np.sin(t * r.uniform(5, 12, (n, 1, 1)) + r.uniform(0, 6.28, (n, 1, 3))) * frizz \
        * np.minimum(r.exponential(1, (n, 1, 1)), 2.5) * ease
    return out + w1 + w2 + fz


# ------------------------------------------------------------------------------------------------ into the scene
def add_strands(name, strands, material, radius=.0035, tip=.25):
    """Strands -> a mesh of poly-lines -> hair curves through geometry nodes. Returns (curves object, source mesh object)."""
    n, k, _ = strands.shape
    mesh = bpy.data.meshes.new(name + '_m')
    mesh.vertices.add(n * k)
    mesh.vertices.foreach_set('co', to_blender(strands.reshape(-1, 3)).astype(np.float32).ravel())
    edges = np.stack([np.arange(n * k - 1), np.arange(1, n * k)], 1)
    edges = edges[(np.arange(n * k - 1) % k) != k - 1].astype(np.int32)
    mesh.edges.add(len(edges))
    mesh.edges.foreach_set('vertices', edges.ravel())
    mesh.update()
    source = bpy.data.objects.new(name + '_src', mesh)
    bpy.context.collection.objects.link(source)
    source.hide_render = True
    attribute = mesh.attributes.new('rad', 'FLOAT', 'POINT')
    t = np.tile(np.linspace(0, 1, k), n)
    rad = radius * (1 - (1 - tip) * t ** 2) * np.repeat(np.random.RandomState(3).uniform(.7, 1.3, n), k)
    attribute.data.foreach_set('value', rad.astype(np.float32))
    curves = bpy.data.hair_curves.new(name)
    obj = bpy.data.objects.new(name, curves)
    bpy.context.collection.objects.link(obj)
    group = bpy.data.node_groups.new(name + 'g', 'GeometryNodeTree')
    obj.modifiers.new('g', 'NODES').node_group = group
    group.outputs.new('NodeSocketGeometry', 'Geometry')
    group.inputs.new('NodeSocketGeometry', 'Geometry')
    out = group.nodes.new('NodeGroupOutput')
    info = group.nodes.new('GeometryNodeObjectInfo')
    info.inputs['Object'].default_value = source
    to_curve = group.nodes.new('GeometryNodeMeshToCurve')
    set_radius = group.nodes.new('GeometryNodeSetCurveRadius')
    named = group.nodes.new('GeometryNodeInputNamedAttribute')
    named.inputs[0].default_value = 'rad'
    set_material = group.nodes.new('GeometryNodeSetMaterial')
    set_material.inputs['Material'].default_value = material
    link = group.links.new
    link(info.outputs['Geometry'], to_curve.inputs[0])
    link(to_curve.outputs[0], set_radius.inputs['Curve'])
    values = [x for x in named.outputs if x.type == 'VALUE' and x.enabled] or [named.outputs[1]]
    link(values[0], set_radius.inputs['Radius'])
    link(set_radius.outputs[0], set_material.inputs[0])
    link(set_material.outputs[0], out.inputs[0])
    curves.materials.append(material)
    return obj, source
