"""Builds one presenter in an empty Blender scene: body, eyes, teeth, hair, clothes, camera and lights.

All lengths are decimetres in MakeHuman coordinates (human.py). `build()` returns a Stage; `Stage.apply(controls)` poses it.
"""
import math
import os

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from mathutils.kdtree import KDTree
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

import hair as hair_lib
from hair import SIDEBURNS, HeadFrame, add_strands, scalp_density, smoothstep
from human import Human, to_blender
from materials import (add_mesh, add_subdivision, alpha_material, cloth_material, cornea_material, eye_material,
                       hair_material, lining_material, load_pixels, mark_cloth_parts, mesh_vertices, new_material, set_inputs,
                       set_vertex_colour, set_vertices, skin_material, smoothed_skin, tame_pale, teeth_material,
                       tongue_material)

RENDER_PASSES = [('rgba', 'Image'), ('alb', 'Denoising Albedo'), ('nor', 'Denoising Normal'), ('z', 'Depth'),
                 ('dd', 'DiffDir'), ('di', 'DiffInd'), ('dc', 'DiffCol'), ('ix', 'IndexOB'),
                 ('rest', 'rest'), ('mask', 'mask'), ('cloth', 'cloth')]
SKIN_INDEX, EYE_INDEX = 1, 2                       # object index pass
# px at 270 px per dm along which strands are smoothed: of hair by its length (px per dm, least, most)
HAIR_REACH, BROW_REACH, LASH_REACH = (6, 7, 16), 5, 2
BROW_CLEARANCE = .012                                # dm
LIP_SEAM = (474, 523)                                # vertices of the base mesh in whose middle the closed lips meet
# Edges of the incisors below the lips' seam and how far both rows come forward, dm. People at rest show 2 to 3 mm of the upper
# row below the upper lip; the lower one ends behind the upper one, in the cover of the lower lip.
INCISORS = dict(upper=.024, lower=-.004, forward=.022, back=.008)
TONGUE_TIP = dict(length=.35, thickness=.6)          # its front, dm, thinned to this share: the mesh's is 9 mm thick
LASH_RADIUS, TEARS = .0017, .0045                    # dm, radii of a lash's root and of the tear line
PICTURED = 4.6                                       # dm below the eyes down to which the person is built
KEPT_TEETH = .30                                     # half width of the rows, dm
# dm by which the lining is moved back beside the corners of the mouth (from, to), where it would pierce the thin skin of a smile
LINING_BACK, CORNER = .035, (.2, .28)


def gaussian(points, centre, radius):
    """A bell around `centre` with a radius for each axis, 1 in the middle."""
    return np.exp(-((points - np.array(centre)) ** 2 / np.array(radius) ** 2).sum(1))


def fit_sphere(points):
    """Centre and radius of the sphere through points."""
    a = np.c_[2 * points, np.ones(len(points))]
    x = np.linalg.lstsq(a, (points ** 2).sum(1), rcond=None)[0]
    return x[:3], math.sqrt(x[3] + x[:3] @ x[:3])


def mean_length(strands):
    """Mean length of strands (n, k, 3), dm."""
    return float(np.linalg.norm(np.diff(strands, axis=1), axis=2).sum(1).mean())


def load_teeth(human, path):
    """The proxy of teeth and gums, with both rows moved to their places behind the closed lips (INCISORS) and without the
    back teeth, whose gums would be visible through the cheeks of a wide open mouth; and which vertices are of the lower row."""
    proxy = human.load_proxy(path)
    rows = proxy['rows']
    vertices = human.pose({})
    seam = vertices[list(LIP_SEAM), 1].mean()
    on_jaw = np.zeros(human.count)
    ids, weights = human.skin_weights['jaw']
    on_jaw[ids] = weights
    lower = (on_jaw[rows[:, :3].astype(int)] * rows[:, 3:6]).sum(1) > .5
    fitted = human.fit(proxy, vertices)
    front = (np.abs(fitted[:, 0]) < .05) & (fitted[:, 2] > fitted[:, 2].max() - .15)
    up = seam - INCISORS['upper'] - fitted[front & ~lower, 1].min()
    down = seam - INCISORS['lower'] - fitted[front & lower, 1].max()
    move = np.where(lower[:, None], (0, down, -INCISORS['back']), (0, up, INCISORS['forward']))
    proxy['rows'] = np.concatenate([rows[:, :6], rows[:, 6:9] + move / proxy['scale']], 1)
    proxy['faces'] = [f for f in proxy['faces'] if np.abs(fitted[f[1]][:, 0]).max() < KEPT_TEETH]
    return proxy, lower


def load_tongue(human, path):
    """The proxy of the tongue, with a tip thin enough to fit between both rows of teeth (TONGUE_TIP); and 0 .. 1, how
    far each vertex is in front."""
    proxy = human.load_proxy(path)
    rows, fitted = proxy['rows'], human.fit(proxy, human.pose({}))
    tip = fitted[:, 2].max()
    front = smoothstep(tip - TONGUE_TIP['length'], tip - .05, fitted[:, 2])
    top = fitted[fitted[:, 2] > tip - .06, 1].max()
    thinned = (1 - TONGUE_TIP['thickness']) * front * (top - fitted[:, 1])
    proxy['rows'] = np.concatenate([rows[:, :6], rows[:, 6:9] + thinned[:, None] * (0, 1, 0) / proxy['scale']], 1)
    return proxy, front


class Stage:
    """human, config, eyes [(centre, radius)], eye_centre, mouth, eye_distance, px_per_dm, camera..."""

    def project(self, p):
        """MakeHuman point -> plate pixel (x right, y down)."""
        f = self.px_per_dm * self.camera_distance
        z = self.eye_centre[2] + self.camera_distance - p[2]
        return (self.centre[0] + p[0] * f / z, self.centre[1] - (p[1] - self.camera.location[2]) * f / z)

    def strands(self):
        """All strands in the current pose: [(points (n, k, 3), px along which the picture may be smoothed)]."""
        scale = self.px_per_dm / 270
        return [(points, float(np.clip(HAIR_REACH[0] * mean_length(points), *HAIR_REACH[1:])) * scale) for points in self.hair] \
            + [(self.brow_now, BROW_REACH * scale), (self.lashes_now, LASH_REACH * scale)]

    def mouth_box(self):
        """Box of the mouth patches in plate pixels."""
        x, y = self.project(self.mouth)
        w = self.eye_distance * self.px_per_dm
        box = [int(x - w), int(y - w * .62), int(x + w), int(y + w * 1.02)]
        box[3] = min(box[3] + int(.2 * (box[3] - box[1])), self.resolution[1])
        return box

    def eye_box(self):
        """Box of the lid pictures in plate pixels."""
        x, y = self.project(self.eye_centre + np.array([0, 0, .3]))
        w = self.eye_distance * self.px_per_dm * 1.12
        box = [int(x - w), int(y - w * .55), int(x + w), int(y + w * .32)]
        return [max(0, box[0]), max(0, box[1]), min(self.resolution[0], box[2]), min(self.resolution[1], box[3])]

    def apply(self, controls):
        """Poses body, garments, eyes' surroundings and brows."""
        v = self.human.pose(controls)
        v[:, 2] -= self.lining_back
        set_vertices(self.body, v)
        for obj, proxy in self.followers:
            fitted = self.human.fit(proxy, v)
            if np.abs(fitted - proxy.get('fitted', 0)).max() > 1e-6:      # garments do not follow the mouth: no update
                proxy['fitted'] = fitted
                set_vertices(obj, fitted)
        self.lashes_now = lash_strands(self.human.fit(self.lash_proxy, v), self.lash_hairs)
        move_strands(self.lash_source, self.lashes_now)
        # brow strands follow the brow mesh
        moved = self.human.fit(self.brow_proxy, v) - self.brow_rest
        moved = (moved[self.brow_bind] * self.brow_bind_weight[:, :, None]).sum(1)
        if np.abs(moved).max() > 1e-6 or self.brow_moved:
            # moved slightly forward; lowered skin would otherwise be visible between the strands
            strands = self.brow_now = self.brow_strands + moved[:, None, :] + np.array([0, 0, BROW_CLEARANCE])
            move_strands(self.brow_source, strands)
            self.brow_moved = True
        self.vertices = v


def move_strands(source, strands):
    """Moves the strands of a source mesh of `add_strands`."""
    source.data.vertices.foreach_set('co', to_blender(strands.reshape(-1, 3)).astype(np.float32).ravel())
    source.data.update()


def build(config, assets, cache, resolution=(1440, 1080), samples=40, threads=2, hair_density=1., pictured=PICTURED):
    """A whole scene for one presenter of presenters.json; `pictured`: dm below the eyes down to which the person is built."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh_vertices.clear()
    st = Stage()
    st.config, st.resolution, st.cache = config, resolution, cache
    st.centre = (resolution[0] / 2, resolution[1] / 2)
    st.followers, st.hair, st.brow_moved = [], [], False
    h = st.human = Human(config, assets)
    arm = config.get('arm_down_degrees', 44)
    config.setdefault('rest', {}).update({'bone:upperarm01.L:z': -arm, 'bone:upperarm01.R:z': arm,
                                          'bone:clavicle.L:z': -4, 'bone:clavicle.R:z': 4})
    v = h.pose({})
    groups = {}
    for g, f, _ in h.faces:
        groups.setdefault(g, set()).update(f)
    # --- landmarks
    st.eyes = [fit_sphere(v[sorted(groups[f'helper-{side}-eye'])]) for side in 'lr']
    c = st.eye_centre = (st.eyes[0][0] + st.eyes[1][0]) / 2
    upper = np.linalg.norm(h.target('mouth/mouth-upperlip-volume-incr'), axis=1)
    lower = np.linalg.norm(h.target('mouth/mouth-lowerlip-volume-incr'), axis=1)
    lips = np.clip((upper / upper.max() + lower / lower.max()) * 1.5, 0, 1)
    body_faces = [f for f in h.faces if f[0] == 'body']
    body_ids = np.array(sorted({i for _, f, _ in body_faces for i in f}))
    lip_ids = [i for i in body_ids if lips[i] > .5]
    st.mouth = v[lip_ids].mean(0)
    st.mouth[2] = v[lip_ids][:, 2].max()
    joints = [h.bone_posed(f'upperarm01.{side}') for side in 'LR']
    st.shoulders = [(to_blender(joint[None])[0], np.array([np.sign(joint[0]), 0, .35])) for joint in joints]
    # --- skin
    pixels = smoothed_skin(assets.skin(config['skin']))
    cheeks = []
    for _, f, t in body_faces:
        p = v[f].mean(0)
        if .25 < abs(p[0]) < .5 and abs(p[1] - (c[1] - .45)) < .25 and p[2] > c[2] - .3:
            cheeks.append(hair_lib.sample(pixels, h.uvs[t][:, 0].mean(), h.uvs[t][:, 1].mean()))
    tone = np.median(np.array(cheeks), 0) ** 2.2 if cheeks else np.array([.5, .3, .2])
    skin = skin_material(config, tame_pale(pixels, tone), tone)
    # --- clothes first, because they determine the hidden body vertices
    hidden = set()
    for cloth in config['clothes']:
        proxy = h.load_proxy(assets.proxy('clothes', cloth['id']))
        hidden |= proxy['hidden']
        fitted = h.fit(proxy)
        faces = [f for f in proxy['faces'] if fitted[f[1], 1].max() > c[1] - pictured]
        obj = add_mesh('cloth_' + cloth['id'], fitted, proxy['uvs'], faces, cloth_material(cloth, assets), 0)
        mark_cloth_parts(obj, cloth, fitted, proxy)
        solid = obj.modifiers.new('sol', 'SOLIDIFY')
        solid.thickness, solid.offset = .05, .6
        obj.data.materials.append(lining_material(cloth))
        solid.material_offset = 1
        add_subdivision(obj, 2)
        st.followers.append((obj, proxy))
    depth = config.get('neckline', 0)          # dm below the eyes down to which an open collar shows skin
    shown = [f for f in body_faces if not all(i in hidden for i in f[1]) or
             (depth and all(abs(v[i][0]) < .5 and v[i][1] > c[1] - depth and v[i][2] > c[2] - .8 for i in f[1]))]
    st.body = add_mesh('body', v, h.uvs, [f for f in shown if v[f[1], 1].max() > c[1] - pictured], skin, 2)
    st.body.pass_index = SKIN_INDEX
    head = st.head = HeadFrame(h, c, max(h.rest_vertices[body_ids][:, 1]))
    paint_masks(st, lips)
    # --- eyes
    eye_mat, cornea_mat = eye_material(config['eyes'], config.get('exposure', 1.)), cornea_material()
    for k, (centre, radius) in enumerate(st.eyes):
        add_eyeball('eye%d' % k, centre, radius, eye_mat, cornea_mat)

    def follow(key, proxy, material, subdivisions):
        obj = add_mesh(key, h.fit(proxy), proxy['uvs'], proxy['faces'], material, subdivisions)
        st.followers.append((obj, proxy))
        return obj
    teeth, is_lower = load_teeth(h, assets.proxy('teeth', 'teeth_base'))
    rows = follow('teeth', teeth, teeth_material(assets.teeth_texture(), config), 2)
    set_vertex_colour(rows, 'row', np.repeat(is_lower[:, None], 3, 1))
    tongue, front = load_tongue(h, assets.proxy('tongue', 'tongue01'))
    set_vertex_colour(follow('tongue', tongue, tongue_material(config), 2), 'front', np.repeat(front[:, None], 3, 1))
    add_lashes(st, h.load_proxy(assets.proxy('eyelashes', config['lashes']['id'])), config['lashes'])
    add_tear_line(st)
    # --- hair
    brow_mat = hair_material('brow', config['brow'].get('melanin', .85), .3, .4, .5, dye=config['brow'].get('dye'))
    brow_id = config['brow']['id']
    st.brow_proxy = h.load_proxy(assets.proxy('eyebrows', brow_id))
    st.brow_rest = h.fit(st.brow_proxy, v)
    if config.get('hair_mesh'):
        add_traced_hair(st, config['hair_mesh'], assets, hair_density)
    material = None
    for k, layer in enumerate(config.get('hair_grown', [])):
        kw = dict(layer)
        radius, look = kw.pop('radius', .0035), kw.pop('look', None)
        if k == 0 or look:
            material = hair_material('hairg%d' % k, **(look or {}))
        kw['count'] = int(kw['count'] * hair_density)
        if kw.get('cut') is not None:
            kw['cut'] = c[1] + kw['cut']                       # given relative to the eyes
        strands = hair_lib.grow(head, v, h.faces, **kw)
        add_strands('hairg%d' % k, strands, material, radius)
        st.hair.append(strands)
    if config.get('glasses'):
        add_glasses(st, config['glasses'])
    b = config['brow']
    texture = load_pixels(assets.proxy_texture('eyebrows', brow_id))
    strands = hair_lib.trace(st.brow_rest, st.brow_proxy['uvs'], st.brow_proxy['faces'], texture, b['count'], b['length'], 5,
                             seed=5, depth=(0.0, .010), wave=.002, wave_scale=10, frizz=.0012, alpha_min=b['alpha_min'],
                             outward='brow', length_jitter=.5, min_length=.5, lift=.006, smooth=14, thin=b.get('thin', 0),
                             ends=b.get('ends'))
    _, st.brow_source = add_strands('brow', strands, brow_mat, b['radius'])
    tree = KDTree(len(st.brow_rest))
    for i, p in enumerate(st.brow_rest):
        tree.insert(p, i)
    tree.balance()
    near = [tree.find_n(p, 4) for p in strands[:, 0]]
    st.brow_strands = st.brow_now = strands
    st.brow_bind = np.array([[x[1] for x in q] for q in near])
    w = 1 / (np.array([[x[2] for x in q] for q in near]) + .01)
    st.brow_bind_weight = w / w.sum(1, keepdims=True)
    add_camera_and_lights(st, v, body_ids)
    configure_render(st, samples, threads)
    st.vertices = v
    st.apply({})
    return st


def paint_masks(st, lips):
    """Vertex colours of the skin: 'mask' (lips, blush, T-zone), 'mask2' (scalp, eye sockets, beard)."""
    config, h, head = st.config, st.human, st.head
    p, c, mo = h.rest_vertices, st.eye_centre, st.mouth
    eye_y, d = c[1], np.linalg.norm(st.eyes[0][0] - st.eyes[1][0])
    st.eye_distance = d
    face = eye_y - mo[1]                                       # eye line to mouth
    blush = np.zeros(len(p))
    for s in (-1, 1):
        blush = np.maximum(blush, gaussian(p, (s * d * .62, mo[1] + .50 * face, mo[2] - .25), (d * .34, d * .24, .6)))
    nose = gaussian(p, (0, mo[1] + .42 * face, mo[2] + .15), (d * .25, d * .2, .35))
    blush = np.maximum(blush, nose * .35)
    for s in (-1, 1):                                          # ears
        blush = np.maximum(blush, gaussian(p, (s * d * 1.25, eye_y - .3, c[2] - .9), (d * .35, d * .6, .5)) * .7)
    tzone = np.maximum(gaussian(p, (0, eye_y + d * .6, mo[2] - .1), (d * .7, d * .4, .6)), nose)
    set_vertex_colour(st.body, 'rest', p)
    set_vertex_colour(st.body, 'mask', np.stack([lips, blush, tzone], 1))
    socket = np.zeros(len(p))
    for centre, _ in st.eyes:
        socket = np.maximum(socket, gaussian(p, centre + np.array([0, .05, .2]), (d * .42, d * .30, .6)))
    scalp = np.zeros(len(p))
    if config.get('hair_grown'):
        line = config['hair_grown'][0].get('line', 'female')
        bare = head.is_pinna if line in SIDEBURNS else head.is_ear
        shown = scalp_density(head, p, line, config['hair_grown'][0].get('soft', .16)) * ~bare
        if line == 'receding':             # skins are painted with a shaven head, so bald skin needs a separate colour
            shown = np.maximum(shown, smoothstep(.48, .66, head.height(p)))
        scalp = shown * config.get('scalp', {}).get('amount', .85)
    beard = np.zeros(len(p))
    if config.get('beard'):
        up, side = (p[:, 1] - mo[1]) / face, np.abs(p[:, 0]) / d
        jaw = smoothstep(.05, -.25, up - 1.3 * np.clip(side - .62, 0, 1)) \
            * smoothstep(c[2] - 1.15, c[2] - .75, p[:, 2]) * smoothstep(mo[1] - .8, mo[1] - .5, p[:, 1]) * ~head.is_ear
        moustache = gaussian(p, (0, mo[1] + .22 * face, mo[2]), (d * .42, d * .11, .5))
        beard = np.clip(np.maximum(jaw, moustache * 1.2), 0, 1) * (1 - np.clip(lips * 1.6, 0, 1))
    set_vertex_colour(st.body, 'mask2', np.stack([scalp, socket, beard], 1))
    inner = mouth_lining(h, mo)
    st.lining_back = LINING_BACK * np.minimum(1, 8 * inner) * smoothstep(*CORNER, abs(p[:, 0]))
    lit = inner * smoothstep(mo[2] - .5, mo[2] - .15, p[:, 2])
    set_vertex_colour(st.body, 'mask3', np.stack([inner, lit, 0 * inner], 1))


def mouth_lining(human, mouth):
    """0 .. 1 for the vertices inside the mouth, by how deep the shut lips hide them: lips turn into lining gradually. Nostrils
    and folds of the skin are hidden too, but apart from the mouth."""
    v = human.pose({})
    faces = [f[1] for f in human.faces if f[0] == 'body']
    tree = BVHTree.FromPolygons([tuple(p) for p in v], [tuple(f) for f in faces])
    near = (np.abs(v[:, 0]) < .38) & (v[:, 2] > mouth[2] - 1.) & (v[:, 1] > mouth[1] - .26) \
        & (v[:, 1] < mouth[1] + np.where(v[:, 2] < mouth[2] - .25, .4, .16))
    inner = np.zeros(len(v))
    for i in np.flatnonzero(near):
        hit = tree.ray_cast(Vector((v[i][0], v[i][1], mouth[2] + 5)), Vector((0, 0, -1)))
        inner[i] = 0 if hit[0] is None else smoothstep(.03, .12, hit[0].z - v[i][2])
    edges = np.array([(a, b) for f in faces for a, b in zip(f, f[1:] + f[:1]) if inner[a] * inner[b] > 0])
    _, part = connected_components(coo_matrix((np.ones(len(edges)), edges.T), (len(v), len(v))), directed=False)
    return inner * (part == np.bincount(part[edges[:, 0]]).argmax())


# hairs, their greatest length, the rise of their ends, and how far they stand below and before the lash mesh, whose roots are
# in the subdivided skin; dm
LASHES = dict(upper=(170, .080, .022, -.016), lower=(60, .045, -.006, .010))
LASH_FORWARD = .022


def lash_rows(proxy, fitted, eyes):
    """[(roots, ends, is upper)]: of each strip of the lash mesh, the vertices of its long sides, at the lid and at the ends."""
    uses = {}
    for _, f, _ in proxy['faces']:
        for a, b in zip(f, f[1:] + f[:1]):
            uses.setdefault(frozenset((a, b)), []).append(f)
    ids, counts = np.unique([i for _, f, _ in proxy['faces'] for i in f], return_counts=True)
    around, corners = {}, set(ids[counts == 1])
    for edge in (e for e, f in uses.items() if len(f) == 1):
        a, b = edge
        around.setdefault(a, []).append(b)
        around.setdefault(b, []).append(a)
    sides = []
    for corner in sorted(corners):
        for following in around[corner]:
            side = [corner, following]
            while side[-1] not in corners:
                side.append(next(i for i in around[side[-1]] if i != side[-2]))
            if len(side) > 8 and fitted[side[0], 0] < fitted[side[-1], 0]:
                sides.append(np.array(side))
    rows = []
    for centre, _ in eyes:
        own = [s for s in sides if fitted[s, 0].mean() * centre[0] > 0]
        own.sort(key=lambda s: fitted[s, 1].mean())              # lower ends, lower roots, upper roots, upper ends
        rows += [(own[1], own[0], False), (own[2], own[3], True)]
    return rows


def lash_strands(fitted, hairs):
    """The lashes of a pose, (hairs, points, 3): from the lids outwards, their ends bent up (upper) or down."""
    t = np.linspace(0, 1, 5)[None, :, None]
    out = []
    for (roots, ends, is_upper), at, lean, share in hairs:
        x = np.arange(len(roots))
        def along(ids, u):
            return np.stack([np.interp(u * (len(ids) - 1), x, fitted[ids, k]) for k in range(3)], 1)
        root, end = along(roots, at), along(ends, np.clip(at + lean, 0, 1))
        longest, rise, sink = LASHES['upper' if is_upper else 'lower'][1:]
        root, end = root + (0, sink, LASH_FORWARD), end + (0, sink, LASH_FORWARD)
        way = end - root
        length = np.linalg.norm(way, axis=1, keepdims=True)
        way *= (np.minimum(length, longest) / (length + 1e-9)) * share[:, None]
        out.append(root[:, None] + way[:, None] * t + np.array([0, rise, 0]) * share[:, None, None] * (t ** 2 - t * .4))
    return np.concatenate(out)


def add_lashes(st, proxy, look):
    """Single hairs at the lids, placed by the lash mesh, which follows the lids."""
    rng = np.random.RandomState(8)
    fitted = st.human.fit(proxy, st.human.pose({}))
    st.lash_proxy, st.lash_hairs = proxy, []
    gain = look.get('gain', 1.)
    longest = min(1, .45 + .6 * gain)
    for row in lash_rows(proxy, fitted, st.eyes):
        count = int(LASHES['upper' if row[2] else 'lower'][0] * gain)
        at = np.clip((np.arange(count) + rng.uniform(-.4, .4, count)) / (count - 1), .02, .98)
        st.lash_hairs.append((row, at, rng.normal(0, .035, count), rng.uniform(.55, 1, count) * longest * (1 - .45 * abs(2 * at - 1) ** 3)))
    material, _, shader = new_material('lash')
    set_inputs(shader, Base_Color=(*look.get('colour', (.02, .014, .01)), 1), Roughness=.5, Specular=.2)
    st.lashes_now = lash_strands(fitted, st.lash_hairs)
    _, st.lash_source = add_strands('lash', st.lashes_now, material, LASH_RADIUS, .3)


def add_tear_line(st):
    """The film of tears between eyeball and lower lid: a thin clear tube along the lowest visible points of each eye."""
    bpy.context.view_layer.update()
    skin = BVHTree.FromObject(st.body, bpy.context.evaluated_depsgraph_get())
    material = cornea_material(.3, .025)
    for centre, radius in st.eyes:
        points = []
        for x in np.linspace(-.8, .8, 25) * radius:
            for y in np.linspace(-.75, .1, 60) * radius:
                z = math.sqrt(max(radius ** 2 - x * x - y * y, 0))
                p = centre + np.array([x, y, z])
                start = Vector((p[0], -p[2] - 3, p[1]))
                hit = skin.ray_cast(start, Vector((0, 1, 0)))
                if hit[0] is None or hit[3] > 3.005:
                    points.append(p + np.array([0, TEARS * .3, TEARS * .3]))
                    break
        if len(points) > 4:
            add_wire(points, TEARS, material).pass_index = EYE_INDEX


def add_eyeball(name, centre, radius, iris, cornea):
    """Front 72 % of a sphere with a flat iris disc, inside a slightly bulging cornea. Pole towards -y (the camera)."""
    around, rings = 64, 48
    v, f = [], []
    for i in range(rings + 1):
        theta = math.pi * i / rings * .72
        for j in range(around):
            phi = 2 * math.pi * j / around
            v.append((math.sin(theta) * math.cos(phi), -math.cos(theta), math.sin(theta) * math.sin(phi)))
    for i in range(rings):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            f.append((a, b, b + around, a + around))
    v = np.array(v)
    r, edge = np.hypot(v[:, 0], v[:, 2]), .5
    inside = (r < edge) & (v[:, 1] < 0)
    inner = v.copy()
    inner[inside, 1] = -math.sqrt(1 - edge * edge) + .05 * (1 - (r[inside] / edge))
    inner *= .985
    bulge = np.clip(1 - (r / (edge * 1.12)) ** 2, 0, 1) * (v[:, 1] < 0)
    outer = v * (1 + .055 * bulge[:, None])
    objects = []
    for suffix, verts, material in (('in', inner, iris), ('cor', outer, cornea)):
        mesh = bpy.data.meshes.new(name + suffix)
        mesh.from_pydata((verts * radius).tolist(), [], f)
        mesh.polygons.foreach_set('use_smooth', [True] * len(mesh.polygons))
        mesh.materials.append(material)
        loops = np.array([i for p in f for i in p])
        mesh.uv_layers.new().data.foreach_set('uv', np.stack([.5 + .5 * v[loops, 0], .5 + .5 * v[loops, 2]], 1).ravel())
        obj = bpy.data.objects.new(name + suffix, mesh)
        bpy.context.collection.objects.link(obj)
        obj.pass_index = EYE_INDEX
        objects.append(obj)
    objects[1].parent, objects[1].visible_shadow = objects[0], False
    objects[0].location = (centre[0], -centre[2], centre[1])


def add_traced_hair(st, hair, assets, density):
    """Strands over a MakeHuman hair mesh, plus the shrunken mesh itself as an opaque cap under them."""
    h, d, c = st.human, st.eye_distance, st.eye_centre
    crown = np.array([0, c[1] + d * 1.1, c[2] - d * 1.3])
    proxy = h.load_proxy(assets.proxy('hair', hair['id']))
    points = h.fit(proxy, h.rest_vertices)
    if hair.get('scale'):
        points = crown + (points - crown) * np.array(hair['scale'])
    texture_path = assets.hair_texture(hair['id'])
    texture = load_pixels(texture_path)
    material = hair_material('hairm', **hair['look'])
    cap_look = hair['cap']
    cap = add_mesh('cap', points, proxy['uvs'], proxy['faces'],
                   alpha_material('cap', texture_path, cap_look['colour'], cap_look['gain'], .9), 0)
    # towards the middle of the skull, not along the normals, because hair cards may face either way
    outward = points - np.array([0, c[1] + d * .4, c[2] - d * 1.3])
    outward /= np.linalg.norm(outward, axis=1, keepdims=True) + 1e-9
    set_vertices(cap, points - outward * cap_look['inset'])
    for k, layer in enumerate(hair['layers']):
        kw = dict(layer)
        count, radius = int(kw.pop('count') * density), kw.pop('radius', .0035)
        strands = hair_lib.trace(points, proxy['uvs'], proxy['faces'], texture, count, crown=crown, seed=11 + k, **kw)
        add_strands('hair%d' % k, strands, material, radius)
        st.hair.append(strands)


def add_wire(points, radius, material, cyclic=False):
    """A round wire through MakeHuman points."""
    curve = bpy.data.curves.new('wire', 'CURVE')
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = '3D', radius, 3
    spline = curve.splines.new('POLY')
    spline.points.add(len(points) - 1)
    spline.use_cyclic_u = cyclic
    for q, p in zip(spline.points, to_blender(np.array(points))):
        q.co = (*p, 1)
    obj = bpy.data.objects.new('wire', curve)
    bpy.context.collection.objects.link(obj)
    curve.materials.append(material)
    return obj


def add_glasses(st, g):
    """Spectacles from curves: two super-elliptic rims, bridge, temples. half_size (dm), exponent, wire radius (dm)."""
    centres = [x[0] for x in st.eyes]
    rx, ry = g['half_size']
    wire, exponent = g.get('wire', .016), g.get('exponent', 2.9)
    z = max(x[0][2] + x[1] for x in st.eyes) + .16
    dy = -.03
    material, _, b = new_material('rim')
    set_inputs(b, Base_Color=(*g.get('colour', (.03, .022, .018)), 1), Roughness=.25, Metallic=g.get('metal', 0), Specular=.5)

    angles, ends = np.linspace(0, 2 * math.pi, 72, endpoint=False), []
    for p in centres:
        s = np.sign(p[0])
        cs, sn = np.cos(angles), np.sin(angles)
        cx = p[0] + s * .015
        x = cx + np.sign(cs) * np.abs(cs) ** (2 / exponent) * rx
        y = np.sign(sn) * np.abs(sn) ** (2 / exponent) * ry * (1 + .06 * cs * s)
        add_wire(np.stack([x, p[1] + dy + y, z - .10 * np.clip(np.abs(x) - .18, 0, 9) ** 1.5], 1), wire, material, True)
        outer = cx + s * rx
        ends.append((s, outer, p[1] + dy + .35 * ry, z - .10 * max(abs(outer) - .18, 0) ** 1.5, cx - s * rx))
    u = np.linspace(-1, 1, 13)
    bridge_x = np.linspace(ends[0][4], ends[1][4], 13)
    add_wire(np.stack([bridge_x, ends[0][2] - .02 + .035 * (1 - u ** 2), z + .02 * (1 - u ** 2)], 1), wire, material)
    for s, x, y, zz, _ in ends:
        w = max(st.head.half_width * .98, abs(x) + .06)
        add_wire([(x, y, zz), (s * (abs(x) + .05), y, zz - .03), (s * (w * .6 + abs(x) * .4), y, zz - .4),
                    (s * w, y - .01, zz - .9), (s * w * 1.01, y - .03, zz - 1.25), (s * w, y - .2, zz - 1.5)],
                 wire * .85, material)


def add_camera_and_lights(st, v, body_ids):
    """Framing: top of the head at framing['top_px'], head height framing['head_px'], both on a 1080 px high plate."""
    c, (width, height) = st.eye_centre, st.resolution
    framing = st.config.get('framing', {})
    st.top_px, head_px = framing.get('top_px', 90), framing.get('head_px', 640)
    head_top = max(v[body_ids][:, 1])
    chin = st.mouth[1] - .75 * (c[1] - st.mouth[1])
    st.px_per_dm = head_px / 1080. * height / (head_top - chin + .25)            # in the plane of the eyes
    st.camera_distance = 17                                                      # dm
    cam = bpy.data.cameras.new('c')
    cam.lens, cam.sensor_width, cam.sensor_fit = st.camera_distance * st.px_per_dm * 36 / width, 36, 'HORIZONTAL'
    st.camera = bpy.data.objects.new('cam', cam)
    bpy.context.collection.objects.link(st.camera)
    bpy.context.scene.camera = st.camera
    centre_y = head_top + .25 - (height / 2 - st.top_px / 1080 * height) / st.px_per_dm
    st.camera.location = (0, -c[2] - st.camera_distance, centre_y)
    st.camera.rotation_euler = (math.pi / 2, 0, 0)

    def area_light(location, watts, size, colour, glossy=True):
        data = bpy.data.lights.new('l', 'AREA')
        data.energy, data.color, data.shape = watts, colour, 'RECTANGLE'
        data.size, data.size_y = size
        obj = bpy.data.objects.new('l', data)
        bpy.context.collection.objects.link(obj)
        obj.location, obj.visible_glossy = location, glossy
        obj.rotation_euler = (Vector((0, -c[2], c[1] - .3)) - Vector(location)).to_track_quat('-Z', 'Y').to_euler()
    y, z = -c[2], c[1]
    area_light((-5.5, y - 7.5, z + 3.6), 1150, (5, 6), (1, .955, .90))       # key softbox, camera left, high
    # the fill must not shine: mirrored by moist skin and corneas it looks like oil and milk
    area_light((6, y - 9, z - 1.), 430, (9, 9), (.94, .97, 1), False)
    area_light((4.5, y + 8, z + 4.), 420, (2, 6), (.95, .97, 1))             # strip light behind, right
    area_light((-4.5, y + 4.5, z + 5.5), 420, (4, 3), (1, .97, .93))         # hair light behind, left
    world = bpy.data.worlds.new('w')
    bpy.context.scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes['Background']
    background.inputs[0].default_value, background.inputs[1].default_value = (.44, .46, .5, 1), .42


def configure_render(st, samples, threads):
    """Sets up Cycles on the CPU, with the passes for imaging.py."""
    scene = st.scene = bpy.context.scene
    scene.render.engine = 'CYCLES'
    cy = scene.cycles
    cy.samples, cy.use_denoising, cy.use_adaptive_sampling = samples, False, False
    cy.max_bounces, cy.diffuse_bounces, cy.glossy_bounces = 5, 1, 2
    cy.transparent_max_bounces, cy.transmission_bounces, cy.sample_clamp_indirect = 20, 6, 4
    cy.caustics_reflective = cy.caustics_refractive = False
    cy.pixel_filter_type, cy.filter_width, cy.seed = 'BLACKMAN_HARRIS', 1.4, 1
    r = scene.render
    r.resolution_x, r.resolution_y = st.resolution
    r.film_transparent, r.threads_mode, r.threads, r.use_persistent_data = True, 'FIXED', threads, True
    layer = bpy.context.view_layer
    layer.use_pass_normal = layer.use_pass_z = layer.use_pass_diffuse_color = True
    layer.use_pass_diffuse_direct = layer.use_pass_diffuse_indirect = layer.use_pass_object_index = True
    layer.cycles.denoising_store_passes = True
    for name in ('rest', 'mask', 'cloth'):
        layer.aovs.add().name = name
    scene.use_nodes = True
    tree = scene.node_tree
    tree.nodes.clear()
    source = tree.nodes.new('CompositorNodeRLayers')
    out = st.file_output = tree.nodes.new('CompositorNodeOutputFile')
    out.format.file_format, out.format.color_depth, out.format.color_mode = 'OPEN_EXR', '32', 'RGBA'
    out.format.exr_codec, out.base_path = 'NONE', os.path.abspath(st.cache)
    out.file_slots.clear()
    for slot, socket in RENDER_PASSES:
        out.file_slots.new(slot)
        tree.links.new([x for x in source.outputs if x.name == socket][0], out.inputs[slot])
    tree.links.new(source.outputs[0], tree.nodes.new('CompositorNodeComposite').inputs[0])
