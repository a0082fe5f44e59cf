"""The body of a pack (FORMAT.md 5): the person down to the waist at rest, and arms that leave from and return to this rest."""
import json
import math
import os
import tempfile
import time

import bpy
import numpy as np
from mathutils import Matrix, Vector
from PIL import Image

from arms import Arm, mixed
from imaging import denoise, render, to_bytes
from materials import set_vertices
from stage import build
from strands import StrandFlow

SIDE, STEP = 1840, 2              # side of the square picture in plate px; px of the plate per px of the files
TOP_SHARE = .2                    # the body begins this share of the way from the chin to the neck above the chin
PICTURED = 9.                     # dm below the eyes down to which the person is built
KEYS = 15                         # pictures of a motion after the rest, enough to be shown without pictures in between
STIRRED, THICKNESS = 2., .1       # px of the files from which a place has moved; dm of cloth outside of its mesh
MARGIN, SEAM = 10, 12             # px of the files around moving arms, and over which their pictures fade into the rest
ARM_QUALITY = 80                  # WebP
SAMPLES = dict(rest=8, key=8)
HEAD = ('hair', 'eye', 'teeth', 'tongue', 'lash', 'brow', 'cap', 'wire')   # objects that arms do not need

# directions of the person's left arm (arms.py): x = the person's left, y up, z to the viewer
# Upper arms are still, also in their turn about themselves, which would move sleeves up to the shoulder: only forearms gesture.
UPPER, BEND = (.25, -.968, .02), (-.28, .06, .955)
REST = dict(upper=UPPER, bend=BEND, fore=BEND, hand=(-.34, -.10, .935), palm=(-.50, -.55, -.67), curl=[10, 20, 24, 28, 32],
            spread=2)
MOTIONS = {
    # the side of the hand comes down on a word
    'beat': dict(upper=UPPER, bend=BEND, fore=(-.28, .40, .87), hand=(-.18, .50, .84), palm=(-.95, -.15, -.25), curl=[12, 14, 18, 22, 26],
                 spread=3),
    # the palm opens upwards and to the side
    'open': dict(upper=UPPER, bend=BEND, fore=(.02, .26, .97), hand=(.20, .24, .95), palm=(-.30, .92, .22), curl=[6, 12, 15, 18, 20],
                 spread=4),
    # a raised index finger
    'point': dict(upper=UPPER, bend=BEND, fore=(-.22, .66, .72), hand=(-.08, .96, .26), palm=(-.55, -.10, .83), curl=[34, 3, 72, 78, 80],
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
    """A stage whose person has arms: poses both alike, and knows where skin and clothes are in the picture."""

    def __init__(self, st):
        self.st, self.arms = st, [Arm(st.human, side) for side in 'LR']
        self.cloths = [(obj, proxy) for obj, proxy in st.followers if obj.name.startswith('cloth')]
        self.surfaces = [st.body, *(obj for obj, _ in self.cloths)]
        self.at_right = self.vertices()[:, 0] > 0       # before hands come close to the middle
        self.pose(REST)
        self.at_rest = self.places()

    def pose(self, pose):
        """Moves body and clothes."""
        st, human = self.st, self.st.human
        human.limbs = {bone: q for arm in self.arms for bone, q in arm.rotations(pose).items()}
        v = human.pose({})
        set_vertices(st.body, v)
        for obj, proxy in self.cloths:
            set_vertices(obj, human.fit(proxy, v))

    def vertices(self):
        """All vertices of skin and clothes, Blender's axes: (n, 3)."""
        parts = []
        for obj in self.surfaces:
            part = np.empty(3 * len(obj.data.vertices), np.float32)
            obj.data.vertices.foreach_get('co', part)
            parts.append(part.reshape(-1, 3))
        return np.concatenate(parts)

    def places(self):
        """Where they are: px, (n, 2)."""
        return np.array([self.st.project((x, z, -y)) for x, y, z in self.vertices()])

    def stirred(self, places):
        """Which of them have moved from the rest."""
        return np.abs(places - self.at_rest).max(1) > STIRRED

    def reach(self):
        """The box, px, of what the arm on the right of the picture moves, here and at rest."""
        now = self.places()
        moves = self.stirred(now) & self.at_right
        if not moves.any():
            return np.full(4, np.nan)
        p = np.concatenate([now[moves], self.at_rest[moves]])
        thickness = THICKNESS * self.st.px_per_dm
        return np.array([*(p.min(0) - thickness), *(p.max(0) + thickness)])


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


def within(sitter, motion, side):
    """The end of a motion, turned to the middle until large people's hands are in the picture."""
    for degrees in range(0, 30, 2):
        turn = Matrix.Rotation(-math.radians(degrees), 3, 'Y')
        end = dict(motion, **{key: tuple(turn @ Vector(motion[key])) for key in ('fore', 'hand', 'palm')})
        sitter.pose(end)
        if sitter.reach()[2] + MARGIN <= side:
            break
    return end


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
        motions = {}
        for motion, end in MOTIONS.items():
            end = within(sitter, end, side)
            boxes = boxes_of(sitter, end, side)
            whole = [boxes[0][0], boxes[0][1], boxes[1][2], boxes[1][3]]
            strips = ([], [])
            for key in range(1, KEYS + 1):
                sitter.pose(mixed(REST, end, key / KEYS))
                picture = np.zeros_like(rest)
                picture[whole[1]:whole[3], whole[0]:whole[2]] = developed(st, whole, SAMPLES['key'], exposure, False)
                for strip, (x0, y0, x1, y1) in zip(strips, boxes):
                    strip.append(blended(rest[y0:y1, x0:x1], picture[y0:y1, x0:x1], y1 == side))
            arms = {}
            for where, strip, box in zip(('left', 'right'), strips, boxes):
                file = f'{motion}_{where}.webp'
                save(np.concatenate(strip), file, ARM_QUALITY)
                arms[where] = dict(file=file, box=[x * STEP for x in box])
            motions[motion] = arms
    body = dict(version=1, base='body.webp', side=SIDE, step=STEP, top=top * STEP, keys=KEYS, motions=motions)
    json.dump(body, open(os.path.join(folder, 'body.json'), 'w'), indent=1)
    print('BODY DONE', name, '%.0f s of processor time' % time.process_time())
