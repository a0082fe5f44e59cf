"""From Cycles passes to display pixels: rendering, demodulated denoising with screen-space scattering, tone curve."""
import os
import time

import bpy
import numpy as np
from scipy import ndimage as ndi

from materials import load_pixels
from stage import RENDER_PASSES, SKIN_INDEX


def render(stage, tag, box=None, samples=None):
    """Render the plate or the pixel box (x0, y0, x1, y1; y down). -> {pass: array (h, w, 4)}, row 0 = top."""
    scene, (width, height) = stage.scene, stage.resolution
    if samples:
        scene.cycles.samples = samples
    r = scene.render
    r.use_border = r.use_crop_to_border = bool(box)
    if box:
        x0, y0, x1, y1 = box                             # a quarter pixel inside, so that rounding down never loses one
        r.border_min_x, r.border_max_x = (x0 + .25) / width, (x1 + .25) / width
        r.border_min_y, r.border_max_y = 1 - (y1 - .25) / height, 1 - (y0 - .25) / height
    for slot, (name, _) in zip(stage.file_output.file_slots, RENDER_PASSES):
        slot.path = f'{tag}_{name}_'
    start = time.time()
    bpy.ops.render.render(write_still=False)
    passes = {}
    for name, _ in RENDER_PASSES:
        path = os.path.join(stage.file_output.base_path, f'{tag}_{name}_{scene.frame_current:04d}.exr')
        passes[name] = load_pixels(path)[::-1]
        os.remove(path)
    print('RENDER', tag, passes['rgba'].shape, '%.1fs' % (time.time() - start))
    return passes


def masked_blur(x, mask, sigma):
    """Gaussian blur that uses only pixels of the mask."""
    return ndi.gaussian_filter(x * mask, sigma) / np.maximum(ndi.gaussian_filter(mask, sigma), 1e-4)


def cross_bilateral(colour, guide, features, radius, sigma):
    """features: [(array (h, w, k), variance)]"""
    total, weight = np.zeros_like(colour), np.zeros(colour.shape[:2], np.float32)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            if dx * dx + dy * dy > radius * radius + 1:
                continue
            def shift(x):
                return np.roll(x, (dy, dx), (0, 1))
            e = (dx * dx + dy * dy) / (radius * radius * .9) + ((guide - shift(guide)) ** 2).sum(2) / (sigma * sigma)
            for f, variance in features:
                e = e + ((f - shift(f)) ** 2).sum(2) / variance
            w = np.exp(-e)
            total += w[..., None] * shift(colour)
            weight += w
    return total / weight[..., None]


def remove_fireflies(colour, k=2.5):
    """Replaces outlier pixels by the median of their neighbours."""
    for _ in range(2):
        luma = colour[..., :3].mean(2)
        median = ndi.median_filter(luma, 3)
        spread = ndi.gaussian_filter(np.abs(luma - median), 3) + .003
        bad = np.abs(luma - median) > k * spread
        medians = np.stack([ndi.median_filter(colour[..., q], 3) for q in range(3)], -1)
        colour[..., :3] = np.where(bad[..., None], medians, colour[..., :3])
    return colour


# skin scattering per channel: (weight, sigma in px at 270 px per dm)
SCATTER = [((.35, 1.6), (.40, 4.5), (.25, 11.)), ((.62, 1.2), (.30, 3.), (.08, 6.)), ((.8, 1.), (.2, 2.2), (0, 4.))]


def denoise(passes, px_per_dm, flow, scatter=.52):
    """Diffuse light is filtered without its albedo and multiplied back, so texture stays sharp; on skin, part of it is
    replaced by a blurred copy (screen-space subsurface scattering). Gloss is filtered separately,
    hair along its strands (flow: StrandFlow)."""
    rgba = passes['rgba'].astype(np.float32)
    alpha, rgb = rgba[..., 3:4], rgba[..., :3]
    light = (passes['dd'][..., :3] + passes['di'][..., :3]).astype(np.float32)
    albedo = passes['dc'][..., :3].astype(np.float32)
    rest = rgb - light * albedo
    skin = (np.abs(passes['ix'][..., 0] - SKIN_INDEX) < .5).astype(np.float32)
    guide_albedo = np.stack([ndi.median_filter(passes['alb'][..., k], 3) for k in range(3)], -1)
    normal = np.stack([ndi.gaussian_filter(passes['nor'][..., k], 1.) for k in range(3)], -1)
    depth = passes['z'][..., :1].copy()
    depth[depth > 1e4] = 50
    features = [(normal, .04), (depth, .02), (alpha, .01), (skin[..., None], .05)]
    light = remove_fireflies(light.copy())

    def log_guide(x, gain, sigma):
        return np.stack([ndi.gaussian_filter(np.log1p(gain * np.clip(x[..., k], 0, 9)), sigma) for k in range(3)], -1)
    light = cross_bilateral(light, log_guide(light, 3, 1.6), features, 4, .25)
    scale, z = px_per_dm / 270., depth[..., 0]
    same_surface = np.exp(-((z - masked_blur(z, skin, 10 * scale)) / .35) ** 2)
    scattered = np.zeros_like(light)
    for ch in range(3):
        scattered[..., ch] = sum(w * masked_blur(light[..., ch], skin, s * scale) for w, s in SCATTER[ch] if w)
    m = (skin * same_surface * scatter)[..., None]
    light = light * (1 - m) + scattered * m
    detail = ndi.gaussian_filter(np.abs(guide_albedo - ndi.gaussian_filter(guide_albedo, (1.5, 1.5, 0))).mean(2), 1.5)
    raw = rest
    rest = remove_fireflies(rest.copy(), 3.)
    rest = cross_bilateral(rest, log_guide(rest, 4, 1.0), features + [(guide_albedo, .004)], 3, .12)
    keep = np.clip((detail - .015) / .04, 0, .8)[..., None] * (1 - skin[..., None])
    calm = calm_edges(light * albedo + rest * (1 - keep) + raw * keep, rgb, skin)
    hair = flow.smooth(np.concatenate([light * albedo + without_glints(raw), alpha], -1))
    return lerp(np.concatenate([calm, alpha], -1), hair, flow.cover[..., None])


def lerp(a, b, share):
    """Linear interpolation from a (share 0) to b (share 1)."""
    return a * (1 - share) + b * share


def without_glints(colour):
    """Limits single pixels that are far brighter than their surroundings."""
    around = np.stack([ndi.gaussian_filter(colour[..., k], 2.5) for k in range(3)], -1)
    return np.minimum(colour, around * 2.2 + .01)


def calm_edges(filtered, rendered, skin):
    """Limits the brightness of pixels at the edge of skin to that of the render around them: if a pixel has skin and another
    material, its mean light times its mean albedo is not its mean colour, which would cause dots along lips and hairline."""
    edge = ndi.maximum_filter(skin, 3) - ndi.minimum_filter(skin, 3) > .5
    median = np.stack([ndi.median_filter(rendered[..., k], 3) for k in range(3)], -1)
    brightest = np.maximum(median, np.stack([ndi.gaussian_filter(rendered[..., k], .8) for k in range(3)], -1))
    return np.where(edge[..., None], np.minimum(filtered, brightest), filtered)


def film_curve(x):
    """Linear -> display: soft shoulder (3/4 per channel, 1/4 hue preserving), sRGB, slight S curve."""
    x = np.clip(x, 0, None)

    def shoulder(v):
        return np.where(v < .6, v, .6 + .4 * (1 - np.exp(-(v - .6) / .4)))
    luma = (x @ np.array([.2126, .7152, .0722]))[..., None]
    y = .75 * shoulder(x) + .25 * np.clip(shoulder(luma) * x / np.maximum(luma, 1e-6), 0, 1)
    s = np.clip(np.where(y <= .0031308, 12.92 * y, 1.055 * np.clip(y, 1e-9, None) ** (1 / 2.4) - .055), 0, 1)
    return np.clip(s + (s * s * (3 - 2 * s) - s) * .25, 0, 1)


def to_bytes(image, exposure=1.):
    """Premultiplied linear RGBA -> straight-alpha 8-bit RGBA."""
    alpha = np.clip(image[..., 3:4], 0, 1)
    rgb = np.where(alpha > 1e-4, image[..., :3] / np.maximum(alpha, 1e-4), 0)
    return (np.concatenate([film_curve(rgb * exposure), alpha], -1) * 255 + .5).astype(np.uint8)


def over_backdrop(rgba):
    """Straight RGBA -> RGB over a blue-grey radial backdrop (for previews only)."""
    h, w = rgba.shape[:2]
    a = rgba[..., 3:4] / 255.
    y, x = np.mgrid[0:h, 0:w]
    glow = np.clip(1.15 - np.hypot((x - w / 2) / w, (y - h * .4) / h) * .9, 0, 1)[..., None] * np.array([92, 108, 128])
    return (rgba[..., :3] * a + glow * (1 - a)).clip(0, 255).astype(np.uint8)
