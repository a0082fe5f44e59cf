"""Render a presenter pack. Run inside Blender:

  blender -b -noaudio -P pack.py -- --assets DIR --out DIR --who ava [--samples 8] [--patch-samples 8]
          [--scale 1] [--threads 2] [--base-only] [--variant NAME]

--scale 1 = a 1440 x 1080 plate. Output: DIR/<who>/ (FORMAT.md) and DIR/<who>_preview.jpg; with --variant (of an existing
pack) DIR/<who>/variants/<variant>/.
"""
import argparse
import json
import math
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np                                                      # noqa: E402
from mathutils import Vector                                            # noqa: E402
from mathutils.bvhtree import BVHTree                                   # noqa: E402
from PIL import Image                                                   # noqa: E402
from scipy import ndimage as ndi                                        # noqa: E402
from scipy.interpolate import griddata                                  # noqa: E402

import body                                                             # noqa: E402
import frames                                                           # noqa: E402
import visemes                                                          # noqa: E402
from human import Assets                                                # noqa: E402
from imaging import denoise, over_backdrop, render, to_bytes            # noqa: E402
from materials import mesh_vertices                                     # noqa: E402
from stage import EYE_INDEX, build                                      # noqa: E402
from strands import StrandFlow                                          # noqa: E402

FLOW_CELL = 8              # px of a scale-1 plate
FLOW_UNIT = 16             # flow is stored in 1/16 px
DEPTH_STEP = 4             # depth.png: one pixel per 4 plate pixels


def arguments():
    """The command line after `--`."""
    a = argparse.ArgumentParser(prog='pack.py')
    a.add_argument('--assets', required=True)
    a.add_argument('--out', required=True)
    a.add_argument('--who', required=True, help='name, several with commas, or all')
    a.add_argument('--samples', type=int, default=8, help='of the plate; powers of two, others leave blotches')
    a.add_argument('--patch-samples', type=int, default=8)
    a.add_argument('--scale', type=float, default=1.)
    a.add_argument('--threads', type=int, default=2)
    a.add_argument('--quality', type=int, default=92)
    a.add_argument('--hair-density', type=float, default=1.)
    a.add_argument('--base-only', action='store_true', help='only the preview picture')
    a.add_argument('--crop', type=lambda text: [float(x) for x in text.split(',')],
                   help='with --base-only: only this part of the plate, left,top,right,bottom as shares of its sides')
    a.add_argument('--redo', help='only these pictures of an existing pack: base, eyes (brows and eyes of the plate), lids, patch '
                                  'ids and/or lips (the area around the lips, in all mouths that are not shut), with commas')
    a.add_argument('--variant', help='other clothes on an existing pack: a name under "variants", or "all"')
    a.add_argument('--body', action='store_true', help='only the body down to the waist and its gestures, for an existing pack')
    return a.parse_args(sys.argv[sys.argv.index('--') + 1:] if '--' in sys.argv else [])


def developed(stage, tag, box, samples, exposure):
    """Renders the plate or a box of it: display pixels (h, w, 4) and their passes."""
    passes = render(stage, tag, box, samples)
    return to_bytes(denoise(passes, stage, StrandFlow(stage, passes['z'][..., 0], box)), exposure), passes


def depth_map(stage, passes):
    """Depth relative to the head pivot in px, towards the viewer, extended outside the silhouette and smoothed."""
    z, alpha = passes['z'][..., 0], passes['rgba'][..., 3]
    ok = (alpha > .6) & (z < 1e3)
    front = np.where(ok, stage.eye_centre[2] + stage.camera_distance - z, 0)
    nearest = ndi.distance_transform_edt(~ok, return_distances=False, return_indices=True)
    front = front[nearest[0], nearest[1]]
    rel = (front - stage.human.bone_head['head'][2]) * stage.px_per_dm
    return ndi.gaussian_filter(ndi.median_filter(rel[::DEPTH_STEP, ::DEPTH_STEP], 5), 3)


class MotionFields:
    """Motion of skin points from the half-open mouth to another shape, on a grid over the mouth box."""

    def __init__(self, stage, box, cell):
        self.stage = stage
        used = mesh_vertices['body']
        reference = visemes.mouth_grid(.45, 0)
        closed, _ = self.visible(used, {})
        opened, v = self.visible(used, reference)
        self.ids = used[closed & opened]
        p = self.project(v)
        inside = ((p[:, 0] > box[0] - 30) & (p[:, 0] < box[2] + 30) & (p[:, 1] > box[1] - 30) & (p[:, 1] < box[3] + 30))
        self.ids, self.reference = self.ids[inside], p[inside]
        self.width = int(math.ceil((box[2] - box[0]) / cell)) + 1
        self.height = int(math.ceil((box[3] - box[1]) / cell)) + 1
        self.grid = np.meshgrid(np.arange(self.width) * cell + box[0], np.arange(self.height) * cell + box[1])

    def visible(self, ids, controls):
        """A mask of the vertices that are visible in a pose, and all vertices in that pose."""
        st = self.stage
        v = st.human.pose(controls)
        tree = BVHTree.FromPolygons([tuple(p) for p in v], [tuple(f[1]) for f in st.human.faces if f[0] == 'body'])
        eye = Vector((0, st.camera.location[2], st.eye_centre[2] + st.camera_distance))
        seen = []
        for i in ids:
            ray = Vector(v[i]) - eye
            hit = tree.ray_cast(eye, ray / ray.length)
            seen.append(hit[0] is None or hit[3] > ray.length - .02)
        return np.array(seen), v

    def project(self, v):
        """Plate pixels of the tracked points."""
        return np.array([self.stage.project(v[i]) for i in self.ids])

    def field(self, v):
        """Displacements of the grid nodes in 1/16 px, int16 (rows, columns, 2)."""
        moved = self.project(v) - self.reference
        d = np.stack([griddata(self.reference, moved[:, c], tuple(self.grid), method='linear', fill_value=np.nan)
                      for c in range(2)], -1)
        outside = ndi.distance_transform_edt(np.isnan(d[..., 0]), return_distances=False, return_indices=True)
        return np.round(d[outside[0], outside[1]] * FLOW_UNIT).astype(np.int16)


LIPS = (.22, .16, .78, .76)   # the part of the mouth's box that contains the lips in every shape
SEAM = 16                  # px of the blend between a part and the picture it is pasted into


def lay_in(picture, part, left, top):
    """A picture with another one pasted into it with soft edges."""
    height, width = part.shape[:2]
    y, x = np.mgrid[0:height, 0:width]
    depth = np.minimum(np.minimum(x, width - 1 - x), np.minimum(y, height - 1 - y))
    share = np.clip((depth + .5) / SEAM, 0, 1)[..., None]
    out = picture.copy()
    under = out[top:top + height, left:left + width, :3]
    under[:] = (under * (1 - share) + part * share + .5).astype(np.uint8)
    return out


SHUT = ('g02', 'g03', 'PP', 'smile0')   # patches that show nothing of the inside of the mouth


def redo_lips(st, config, manifest, out, save, shot):
    """Re-renders the lips of mouths that are not shut, a fifth of the time of whole patches. Returns the fields' vertices."""
    box = manifest['mouth']['box']
    size = (box[2] - box[0], box[3] - box[1])
    left, top, right, bottom = (int(share * size[k % 2]) for k, share in enumerate(LIPS))
    part = [box[0] + left, box[1] + top, box[0] + right, box[1] + bottom]
    for patch_id, _, controls in visemes.all_patches(config):
        st.apply(controls)
        if patch_id not in SHUT:
            file = f'm_{patch_id}.webp'
            save(lay_in(np.asarray(Image.open(os.path.join(out, file))), shot('lips', part), left, top), file)
        yield st.vertices


def redo(st, config, a, out, save, shot, exposure):
    """Re-renders single pictures of an existing pack; for a mouth patch also its motion field."""
    manifest = json.load(open(os.path.join(out, 'manifest.json')))
    mouth, patches = manifest['mouth'], {i: (k, c) for k, (i, _, c) in enumerate(visemes.all_patches(config))}
    flow_path = os.path.join(out, 'flow.i16')
    motion = MotionFields(st, mouth['box'], mouth['flow']['cell'])
    flow = np.fromfile(flow_path, '<i2').reshape(-1, mouth['flow']['gh'], mouth['flow']['gw'], 2)
    for what in a.redo.split(','):
        if what == 'base':
            st.apply({})
            picture, passes = developed(st, 'base', None, a.samples, exposure)
            save(picture, 'base.webp')
            save_recoloured(out, config, picture, passes, a.quality)
            save_eye_mask(passes, manifest['eye']['box'], out)
            manifest['depth'].update(save_depth(st, passes, out))
        elif what == 'lips':
            for index, vertices in enumerate(redo_lips(st, config, manifest, out, save, shot)):
                flow[index] = motion.field(vertices)[:flow.shape[1], :flow.shape[2]]
        elif what == 'eyes':
            st.apply({})
            box = manifest['eye']['box']
            plate = np.asarray(Image.open(os.path.join(out, manifest['base'])))
            eyes, _ = developed(st, 'eyes', box, a.samples, exposure)
            save(lay_in(plate, eyes[..., :3], box[0], box[1]), manifest['base'])
        elif what == 'lids':
            for stage in manifest['eye']['stages']:
                st.apply(visemes.eyelids(config, stage['closed']))
                save(shot('lid', manifest['eye']['box']), stage['file'])
        else:
            index, controls = patches[what]
            st.apply(controls)
            flow[index] = motion.field(st.vertices)[:flow.shape[1], :flow.shape[2]]
            save(shot('mouth', mouth['box']), f'm_{what}.webp')
    flow.tofile(flow_path)
    json.dump(manifest, open(os.path.join(out, 'manifest.json'), 'w'), indent=1)


def save_depth(stage, passes, out):
    """Writes the depth map. Returns its range for the manifest."""
    depth = depth_map(stage, passes)
    lo, hi = float(depth.min()), float(depth.max())
    Image.fromarray(((depth - lo) / (hi - lo) * 255).astype(np.uint8)).save(os.path.join(out, 'depth.png'))
    return dict(min=lo, max=hi)


def save_eye_mask(passes, box, out):
    """Mask of the visible eyeballs, from the object index pass of the plate."""
    mask = np.abs(passes['ix'][..., 0] - EYE_INDEX) < .5
    mask = ndi.gaussian_filter(mask[box[1]:box[3], box[0]:box[2]].astype(np.float32), .8)
    Image.fromarray((mask * 255).astype(np.uint8)).save(os.path.join(out, 'eyemask.png'))


COLLAR_TOP = 1.3           # maximum height of collars above the chin, in half widths of the mouth's box
NECK_BLEND = .5            # in the middle, the plate blends into the variant's from the chin to this share of the way to the neck


def variant_share(manifest, rows):
    """Weight of the re-dressed picture, 0..1: full beside the jaw, where collars may be high, none in the face, so that lids
    and mouths of the pack fit."""
    head, box = manifest['head'], manifest['mouth']['box']
    half = (box[2] - box[0]) / 2
    y, x = np.mgrid[rows[0]:rows[1], 0:manifest['width']].astype(np.float32)

    def ramp(from_, to, v):
        t = np.clip((v - from_) / (to - from_), 0, 1)
        return t * t * (3 - 2 * t)
    beside = ramp(.5 * half, .8 * half, abs(x - head['pivot'][0])) * ramp(rows[0], rows[0] + .3 * half, y)
    below = ramp(head['chinY'], head['chinY'] + NECK_BLEND * (head['neckY'] - head['chinY']), y)
    return np.maximum(beside, below)[..., None]


def linear(x):
    """sRGB 0..255 to linear light 0..1."""
    x = np.asarray(x, float) / 255
    return np.where(x <= .04045, x / 12.92, ((x + .055) / 1.055) ** 2.4)


def recolour(plate, cloth, to):
    """The plate (straight RGBA, bytes) with its cloth (share of each pixel, 0..1) in the colour `to` (sRGB 0..255); light,
    shadow, stripes and weave are unchanged."""
    rgb, weights = linear(plate[..., :3]), np.array([.2126, .7152, .0722])
    luma = rgb @ weights
    shade = luma / np.median(luma[cloth > .9])
    share = np.clip(cloth / np.maximum(plate[..., 3] / 255., .02), 0, 1)[..., None]
    mixed = np.clip(rgb * (1 - share) + linear(to) * shade[..., None] * share, 0, 1)
    out = plate.copy()
    out[..., :3] = 255 * np.where(mixed <= .0031308, 12.92 * mixed, 1.055 * mixed ** (1 / 2.4) - .055) + .5
    return out


def save_variant(folder, variant, title, plate, quality):
    """Writes a variant that replaces the plate."""
    out = os.path.join(folder, 'variants', variant)
    os.makedirs(out, exist_ok=True)
    Image.fromarray(plate).save(os.path.join(out, 'base.webp'), quality=quality, method=6, alpha_quality=95)
    json.dump(dict(version=1, title=title, base='base.webp'), open(os.path.join(out, 'variant.json'), 'w'), indent=1)


def save_recoloured(out, config, plate, passes, quality):
    """Writes the variants that only change the colour of the clothes."""
    for name, changes in config.get('variants', {}).items():
        if 'recolour' in changes:
            save_variant(out, name, changes['title'], recolour(plate, passes['cloth'][..., 0], changes['recolour']), quality)


def make_variant(name, variant, config, assets, a):
    """The same person in other clothes: renders only the part below the face; the face is that of the plate."""
    folder = os.path.join(a.out, name)
    manifest = json.load(open(os.path.join(folder, 'manifest.json')))
    plate = np.asarray(Image.open(os.path.join(folder, manifest['base'])).convert('RGBA')).astype(np.float32)
    mouth = manifest['mouth']['box']
    top = int(manifest['head']['chinY'] - COLLAR_TOP * (mouth[2] - mouth[0]) / 2)
    changes = config['variants'][variant]
    dressed = dict(config, **{k: v for k, v in changes.items() if k != 'title'})
    with tempfile.TemporaryDirectory() as cache:
        st = build(dressed, assets, cache, (manifest['width'], manifest['height']), a.samples, a.threads, a.hair_density)
        box = [0, top, manifest['width'], manifest['height']]
        below, _ = developed(st, 'variant', box, a.samples, config.get('exposure', 1.))
    share = variant_share(manifest, (box[1], box[3]))
    # premultiplied, so that transparent pixels have no colour
    def weigh(rgba):
        return np.concatenate([rgba[..., :3] * rgba[..., 3:] / 255, rgba[..., 3:]], -1)
    mixed = weigh(plate[box[1]:]) * (1 - share) + weigh(below.astype(np.float32)) * share
    alpha = mixed[..., 3:]
    plate[box[1]:] = np.concatenate([mixed[..., :3] * 255 / np.maximum(alpha, .5), alpha], -1)
    save_variant(folder, variant, changes['title'], (plate.clip(0, 255) + .5).astype(np.uint8), a.quality)
    print('VARIANT DONE', name, variant)


def make_pack(name, config, assets, a):
    """Renders one presenter: plate, depth, eyes, lids, mouths, motion fields and manifest."""
    start, seconds = time.time(), {}
    width, height = int(1440 * a.scale), int(1080 * a.scale)
    exposure = config.get('exposure', 1.)
    out = os.path.join(a.out, name)
    os.makedirs(a.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        st = build(config, assets, cache, (width, height), a.samples, a.threads, a.hair_density)
        seconds['build'] = time.time() - start

        def save(rgb, file):
            Image.fromarray(rgb).save(os.path.join(out, file), quality=a.quality, method=6, alpha_quality=95)

        def shot(tag, box):
            return developed(st, tag, box, a.patch_samples, exposure)[0][..., :3]
        if a.redo:
            redo(st, config, a, out, save, shot, exposure)
            return
        t = time.time()
        box = a.base_only and a.crop and [int(share * (width, height)[k % 2]) for k, share in enumerate(a.crop)]
        plate, passes = developed(st, 'base', box or None, a.samples, exposure)
        Image.fromarray(over_backdrop(plate)).save(os.path.join(a.out, name + '_preview.jpg'), quality=93)
        seconds['base'] = time.time() - t
        if a.base_only:
            return
        os.makedirs(out, exist_ok=True)
        save(plate, 'base.webp')
        save_recoloured(out, config, plate, passes, a.quality)
        depth = save_depth(st, passes, out)
        # eyes
        eye_box = st.eye_box()
        save_eye_mask(passes, eye_box, out)
        irises = []
        for centre, radius in st.eyes:
            x, y = st.project(centre + np.array([0, 0, radius]))
            irises.append(dict(x=x - eye_box[0], y=y - eye_box[1], r=radius * st.px_per_dm * config['eyes']['radius']))
        pivot = st.human.bone_head['head']
        px, py = st.project(np.array([0, pivot[1], pivot[2]]))
        manifest = dict(
            version=1, name=name, width=width, height=height, base='base.webp',
            depth=dict(file='depth.png', scale=DEPTH_STEP, **depth),
            head=dict(pivot=[px, py],
                      chinY=st.project(st.mouth - np.array([0, .62 * (st.eye_centre[1] - st.mouth[1]), 0]))[1],
                      neckY=st.project(st.human.bone_head['neck01'])[1],
                      camDist=st.camera_distance * st.px_per_dm, topY=st.top_px * a.scale),
            eye=dict(box=eye_box, mask='eyemask.png', eyes=irises,
                     pxPerDeg=float(st.eyes[0][1] * st.px_per_dm * math.pi / 180), stages=[]),
            mouth=dict(box=st.mouth_box(), patches=[]))
        t = time.time()
        for k, closed in enumerate((.35, .7, 1.0)):
            st.apply(visemes.eyelids(config, closed))
            save(shot('lid', eye_box), f'lid{k + 1}.webp')
            manifest['eye']['stages'].append(dict(file=f'lid{k + 1}.webp', closed=closed))
        seconds['lids'] = time.time() - t
        # mouth
        box, cell = manifest['mouth']['box'], FLOW_CELL * a.scale
        motion, fields = MotionFields(st, box, cell), []
        t = time.time()
        for patch_id, keys, controls in visemes.all_patches(config):
            st.apply(controls)
            fields.append(motion.field(st.vertices))
            save(shot('mouth', box), f'm_{patch_id}.webp')
            manifest['mouth']['patches'].append(dict(id=patch_id, file=f'm_{patch_id}.webp', **keys))
        seconds['mouth'] = time.time() - t
        np.stack(fields).astype('<i2').tofile(os.path.join(out, 'flow.i16'))
        manifest['mouth']['flow'] = dict(file='flow.i16', cell=cell, gw=motion.width, gh=motion.height, scale=FLOW_UNIT)
        manifest['mouth']['opens'], manifest['mouth']['widths'] = visemes.OPENINGS, visemes.WIDTHS
        seconds['total'] = time.time() - start
        manifest['renderSeconds'] = seconds
        json.dump(manifest, open(os.path.join(out, 'manifest.json'), 'w'), indent=1)
        frames.write(out)
        print('PACK DONE', name, seconds)


if __name__ == '__main__':
    args = arguments()
    here = os.path.dirname(os.path.abspath(__file__))
    presenters = json.load(open(os.path.join(here, 'presenters.json')))
    for who in presenters if args.who == 'all' else args.who.split(','):
        dressed = [k for k, v in presenters[who].get('variants', {}).items() if 'clothes' in v]
        kinds = dressed if args.variant == 'all' else args.variant.split(',') if args.variant else []
        if args.body:
            body.make_body(who, presenters[who], Assets(args.assets), args)
            continue
        if args.variant is None:
            make_pack(who, presenters[who], Assets(args.assets), args)
            kinds = [] if args.base_only or args.redo else dressed
        for kind in kinds:
            make_variant(who, kind, presenters[who], Assets(args.assets), args)
