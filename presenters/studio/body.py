"""The body of a pack (FORMAT.md 5): the person down to the waist at rest, and arms that leave from and return to this rest."""
import json
import math
import os
import tempfile
import time

import bpy
import numpy as np
from PIL import Image

from arms import Arm, mixed
from imaging import denoise, render, to_bytes
from materials import mesh_vertices, set_vertices
from stage import build
from strands import StrandFlow

SIDE, STEP = 1840, 2              # side of the square picture in plate px; px of the plate per px of the files
TOP_SHARE = .2                    # the body begins this share of the way from the chin to the neck above the chin
PICTURED = 9.                     # dm below the eyes down to which the person is built
KEYS = 5                          # pictures of a motion after the rest
CELL = 16                         # px of the files between nodes of the motion fields
FLOW_UNIT = 16                    # fields are stored in 1/16 px of the plate
NEAR, FAINT = 8., .05             # px of the files over which points of an arm decide about its field; share below which it fades
MARGIN, SEAM = 10, 12             # px of the files around moving arms, and over which their pictures fade into the rest
ARM_QUALITY = 80                  # WebP
SAMPLES = dict(rest=8, key=8)
HEAD = ('hair', 'eye', 'teeth', 'tongue', 'lash', 'brow', 'cap', 'wire')   # objects that arms do not need

# directions of the person's left arm (arms.py): x = the person's left, y up, z to the viewer
UPPER = (.25, -.968, .02)         # upper arms are still: only forearms gesture
REST = dict(upper=UPPER, fore=(-.28, .06, .955), hand=(-.34, -.10, .935), palm=(-.50, -.55, -.67), curl=[10, 20, 24, 28, 32],
            spread=2)
MOTIONS = {
    # the side of the hand comes down on a word
    'beat': dict(upper=UPPER, fore=(-.28, .40, .87), hand=(-.18, .50, .84), palm=(-.95, -.15, -.25), curl=[12, 14, 18, 22, 26],
                 spread=3),
    # the palm opens upwards and to the side
    'open': dict(upper=UPPER, fore=(.02, .26, .97), hand=(.20, .24, .95), palm=(-.30, .92, .22), curl=[6, 12, 15, 18, 20],
                 spread=4),
    # a raised index finger
    'point': dict(upper=UPPER, fore=(-.22, .66, .72), hand=(-.08, .96, .26), palm=(-.55, -.10, .83), curl=[34, 3, 72, 78, 80],
                  spread=0),
}


class NoStrands:
    """Stands for StrandFlow where there is no hair."""

    def __init__(self, depth):
        self.cover = np.zeros(depth.shape[:2], np.float32)

    @staticmethod
    def smooth(picture):
        """Unchanged."""
        return picture


def widen(st):
    """Turns the plate's camera into one whose picture reaches down to the waist: same place, same scale."""
    side = SIDE // STEP
    middle = st.centre[1]
    st.centre = (side / 2, middle)
    st.resolution = (side, side)
    st.scene.render.resolution_x = st.scene.render.resolution_y = side
    st.camera.data.lens = st.camera_distance * st.px_per_dm * 36 / side
    st.camera.data.shift_y = (middle - side / 2) / side


class Sitter:
    """A stage whose person has arms: poses both alike, and knows where they are in the picture."""

    def __init__(self, st):
        self.st, self.arms = st, [Arm(st.human, side) for side in 'LR']
        weights = np.zeros(st.human.count)
        for bone, (ids, w) in st.human.skin_weights.items():
            if bone.startswith(('lowerarm', 'wrist', 'metacarpal', 'finger')):
                np.add.at(weights, ids, w)
        used = mesh_vertices['body']
        self.moving = used[weights[used] > .3]
        self.sleeves = [(proxy, np.flatnonzero(weights[proxy['rows'][:, :3].astype(int)].max(1) > .05))
                        for obj, proxy in st.followers if obj.name.startswith('cloth')]

    def pose(self, pose):
        """Moves body and clothes."""
        st, human = self.st, self.st.human
        human.limbs = {bone: q for arm in self.arms for bone, q in arm.rotations(pose).items()}
        v = human.pose({})
        set_vertices(st.body, v)
        for obj, proxy in st.followers:
            if obj.name.startswith('cloth'):
                set_vertices(obj, human.fit(proxy, v))

    def points(self):
        """Points of the arm on the right of the picture, then of the other, each (n, 3): px and dm towards the viewer."""
        v = self.st.human.vertices
        p = np.concatenate([v[self.moving], *(self.st.human.fit(proxy, v)[ids] for proxy, ids in self.sleeves)])
        places = np.array([[*self.st.project(q), q[2]] for q in p])
        at_right = self.at_right if hasattr(self, 'at_right') else p[:, 0] > 0
        self.at_right = at_right                                      # of the rest: hands may come close to the middle
        return places[at_right], places[~at_right]

    def reach(self):
        """The box of the arm on the right of the picture (the person's left), px."""
        v = self.st.human.vertices
        ids = [i for i in self.moving if v[i][0] > 0]
        p = np.array([self.st.project(v[i]) for i in ids])
        sleeve = .3 * self.st.px_per_dm                                # clothes are wider than arms
        return np.array([*(p.min(0) - sleeve), *(p.max(0) + sleeve)])


def developed(st, box, samples, exposure, has_hair):
    """Display pixels (h, w, 4) of a part of the picture."""
    passes = render(st, 'body', box, samples)
    depth = passes['z'][..., 0]
    flow = StrandFlow(st, depth, box) if has_hair else NoStrands(depth)
    return to_bytes(denoise(passes, st, flow), exposure)


def remove_head(st):
    """Removes what only heads have, so that pictures of arms cost less."""
    st.followers = [(obj, proxy) for obj, proxy in st.followers if not obj.name.startswith(HEAD)]
    for obj in list(bpy.data.objects):
        if obj.name.startswith(HEAD):
            bpy.data.objects.remove(obj)


def smoothness(st, levels):
    """Subdivision of skin and clothes: at half the plate's size, less of it shows the same outlines."""
    for obj in [st.body, *(obj for obj, _ in st.followers if obj.name.startswith('cloth'))]:
        for modifier in obj.modifiers:
            if modifier.type == 'SUBSURF':
                modifier.levels = modifier.render_levels = levels


def boxes_of(sitter, motion, side):
    """[left, right] boxes (files' px, even) in which the arms of a motion may be; they meet at most in the middle."""
    box = np.full(4, np.nan)
    for share in np.linspace(0, 1, KEYS + 1):
        sitter.pose(mixed(REST, motion, share))
        reach = sitter.reach()
        box = np.array([*np.fmin(box[:2], reach[:2]), *np.fmax(box[2:], reach[2:])])
    x0, y0 = max(box[0] - MARGIN, side / 2), max(box[1] - MARGIN, 0)
    x1, y1 = min(box[2] + MARGIN, side), min(box[3] + MARGIN, side)
    right = [math.floor(x0 / 4) * 4, math.floor(y0 / 4) * 4, math.ceil(x1 / 4) * 4, math.ceil(y1 / 4) * 4]
    return [[side - right[2], right[1], side - right[0], right[3]], right]


def motion_field(before, after, box):
    """Displacement from one key to the next at the places half way, on a grid over the box, fading out beside the arm: (rows, columns, 2)."""
    middle, way = (before[:, :2] + after[:, :2]) / 2, after[:, :2] - before[:, :2]
    columns, rows = (int(math.ceil((box[k + 2] - box[k]) / CELL)) + 1 for k in (0, 1))
    x, y = np.meshgrid(box[0] + CELL * np.arange(columns), box[1] + CELL * np.arange(rows))
    front = np.exp(before[:, 2] - before[:, 2].max())                 # what is in front decides
    far = (x.ravel()[:, None] - middle[:, 0]) ** 2 + (y.ravel()[:, None] - middle[:, 1]) ** 2
    weight = np.exp(-far / (2 * NEAR ** 2)) * front
    field = weight @ way / (weight.sum(1, keepdims=True) + FAINT)
    return np.round(field.reshape(rows, columns, 2) * STEP * FLOW_UNIT).astype('<i2')


def blended(rest, key, reaches_bottom):
    """A key that fades into the rest at the box's sides; premultiplied, so that transparent pixels have no colour."""
    h, w = key.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    depth = np.minimum(np.minimum(x, w - 1 - x), y)
    if not reaches_bottom:
        depth = np.minimum(depth, h - 1 - y)
    share = np.clip((depth + .5) / SEAM, 0, 1)[..., None]

    def weigh(rgba):
        rgba = rgba.astype(np.float32)
        return np.concatenate([rgba[..., :3] * rgba[..., 3:] / 255, rgba[..., 3:]], -1)
    mix = weigh(rest) * (1 - share) + weigh(key) * share
    alpha = mix[..., 3:]
    return (np.concatenate([mix[..., :3] * 255 / np.maximum(alpha, .5), alpha], -1).clip(0, 255) + .5).astype(np.uint8)


def make_body(name, config, assets, a):
    """Renders the body of an existing pack."""
    folder, side = os.path.join(a.out, name), SIDE // STEP
    manifest = json.load(open(os.path.join(folder, 'manifest.json')))
    head, exposure = manifest['head'], config.get('exposure', 1.)

    def save(picture, file, quality):
        Image.fromarray(picture).save(os.path.join(folder, file), quality=quality, method=6, alpha_quality=90)
    with tempfile.TemporaryDirectory() as cache:
        plate = (manifest['width'] // STEP, manifest['height'] // STEP)
        st = build(config, assets, cache, plate, SAMPLES['rest'], a.threads, a.hair_density, PICTURED)
        widen(st)
        smoothness(st, 1)
        sitter = Sitter(st)
        top = int((head['chinY'] - TOP_SHARE * (head['neckY'] - head['chinY'])) / STEP) // 4 * 4
        sitter.pose(REST)
        rest = np.zeros((side, side, 4), np.uint8)
        rest[top:] = developed(st, [0, top, side, side], SAMPLES['rest'], exposure, True)
        save(rest[top:], 'body.webp', a.quality)
        remove_head(st)
        motions, fields = {}, []
        for motion, end in MOTIONS.items():
            boxes = boxes_of(sitter, end, side)
            whole = [boxes[0][0], boxes[0][1], boxes[1][2], boxes[1][3]]
            strips = ([], [])
            sitter.pose(REST)
            points = [sitter.points()]
            for key in range(1, KEYS + 1):
                sitter.pose(mixed(REST, end, key / KEYS))
                points.append(sitter.points())
                picture = np.zeros_like(rest)
                picture[whole[1]:whole[3], whole[0]:whole[2]] = developed(st, whole, SAMPLES['key'], exposure, False)
                for strip, (x0, y0, x1, y1) in zip(strips, boxes):
                    strip.append(blended(rest[y0:y1, x0:x1], picture[y0:y1, x0:x1], y1 == side))
            for arm, box in ((1, boxes[0]), (0, boxes[1])):
                fields += [motion_field(a[arm], b[arm], box) for a, b in zip(points, points[1:])]
            arms = {}
            for where, strip, box in zip(('left', 'right'), strips, boxes):
                file = f'{motion}_{where}.webp'
                save(np.concatenate(strip), file, ARM_QUALITY)
                arms[where] = dict(file=file, box=[x * STEP for x in box])
            motions[motion] = arms
    np.concatenate([field.ravel() for field in fields]).tofile(os.path.join(folder, 'arms.i16'))
    body = dict(version=1, base='body.webp', side=SIDE, step=STEP, top=top * STEP, keys=KEYS,
                flow=dict(file='arms.i16', cell=CELL * STEP, scale=FLOW_UNIT), motions=motions)
    json.dump(body, open(os.path.join(folder, 'body.json'), 'w'), indent=1)
    print('BODY DONE', name, '%.0f s of processor time' % time.process_time())
