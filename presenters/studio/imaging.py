"""From Cycles passes to display pixels: rendering, demodulated denoising with screen-space scattering, tone curve."""
import os
import time

import bpy
import numpy as np
from scipy import ndimage as ndi

from detail import paint_skin, seams, weave
from materials import load_pixels
from stage import EYE_INDEX, RENDER_PASSES, SKIN_INDEX


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


def edge_avoiding(colour, features, steps):
    """Repeated means over 3 x 3 pixels `steps` apart, of neighbours whose features (h, w, k; 1 = another surface) are alike."""
    h, w = colour.shape[:2]
    kernel = (.25, .5, .25)
    for step in steps:
        pad = ((step, step), (step, step), (0, 0))
        c, f = np.pad(colour, pad, mode='edge'), np.pad(features, pad, mode='edge')
        total, weight = np.zeros_like(colour), np.zeros((h, w, 1), np.float32)
        for dy in range(3):
            for dx in range(3):
                part = (slice(dy * step, dy * step + h), slice(dx * step, dx * step + w))
                d = features - f[part]
                share = kernel[dy] * kernel[dx] * np.exp(-np.einsum('ijk,ijk->ij', d, d))[..., None]
                total += share * c[part]
                weight += share
        colour = total / weight
    return colour


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


CROSSTALK = .14
# skin scattering per channel: (weight, sigma in px at 270 px per dm)
SCATTER = [((.35, 1.6), (.40, 4.5), (.25, 11.)), ((.62, 1.2), (.30, 3.), (.08, 6.)), ((.8, 1.), (.2, 2.2), (0, 4.))]


def denoise(passes, stage, flow, scatter=.52):
    """Diffuse light is filtered without its albedo and multiplied back, so texture stays sharp; on skin, part of it is
    replaced by a blurred copy (screen-space subsurface scattering). Gloss is filtered separately,
    hair along its strands (flow: StrandFlow). Skin and cloth get their fine structure from detail.py."""
    rgba = passes['rgba'].astype(np.float32)
    alpha, rgb = rgba[..., 3:4], rgba[..., :3]
    light = (passes['dd'][..., :3] + passes['di'][..., :3]).astype(np.float32)
    albedo = passes['dc'][..., :3].astype(np.float32)
    rest = rgb - light * albedo
    index = passes['ix'][..., 0]
    skin = (np.abs(index - SKIN_INDEX) < .5).astype(np.float32)
    normal = smooth(passes['nor'][..., :3], .8)
    depth = np.minimum(passes['z'][..., :1], 50)
    features = [normal * 5, depth * 7, alpha * 10, index[..., None] * 4]
    light = remove_fireflies(light.copy())
    light = filtered(light, features, 3., (1, 2), (3, 5, 8))
    scale, z = stage.px_per_dm / 270., depth[..., 0]
    same_surface = np.exp(-((z - masked_blur(z, skin, 10 * scale)) / .35) ** 2)
    scattered = np.zeros_like(light)
    for ch in range(3):
        scattered[..., ch] = sum(w * masked_blur(light[..., ch], skin, s * scale) for w, s in SCATTER[ch] if w)
    m = (skin * same_surface * scatter)[..., None]
    light = light * (1 - m) + scattered * m
    raw = rest
    guide_albedo = np.stack([ndi.median_filter(passes['alb'][..., k], 3) for k in range(3)], -1)
    rest = remove_fireflies(rest.copy(), 3.)
    rest = filtered(rest, features + [guide_albedo * 16], 4., (1, 2), (2, 4))
    detail = ndi.gaussian_filter(np.abs(guide_albedo - smooth(guide_albedo, 1.5)).mean(2), 1.5)
    keep = np.clip((detail - .015) / .04, 0, .8) * (1 - skin)
    keep = np.where(ndi.minimum_filter(passes['cloth'][..., 0], 3) > .99, 0, keep)
    keep = np.maximum(keep, np.abs(index - EYE_INDEX) < .5)[..., None]                   # catchlights are not fireflies
    raw = np.where((np.abs(index - EYE_INDEX) < .5)[..., None], smooth(without_glints(raw), .7), raw)
    hair = flow.smooth(np.concatenate([light * albedo + without_glints(raw), alpha], -1))
    albedo, light, rest = with_detail(passes, albedo, light, rest, stage)
    calm = calm_edges(light * albedo + rest * (1 - keep) + raw * keep, rgb, skin)
    return lerp(np.concatenate([calm, alpha], -1), hair, flow.cover[..., None])


def with_detail(passes, albedo, light, gloss, stage):
    """Albedo, light and gloss with the structure of skin and cloth."""
    config = stage.config
    skin = (np.abs(passes['ix'][..., 0] - SKIN_INDEX) < .5) & (passes['rgba'][..., 3] > .98)
    cloth = passes['cloth'][..., 0] > .98                    # places are means: at edges, of two surfaces
    rest, mask = passes['rest'][..., :3], passes['mask'][..., :3]
    albedo, light, gloss = albedo.copy(), light.copy(), gloss.copy()
    if skin.any():
        albedo[skin], light[skin], gloss[skin] = paint_skin(
            albedo[skin], light[skin], gloss[skin], rest[skin], mask[skin], config.get('skin_look', {}), config.get('beard'))
    if cloth.any():
        albedo[cloth] *= (weave(rest[cloth], config['clothes'][0].get('fabric')) * seams(rest[cloth], stage.shoulders))[:, None]
    return albedo, light, gloss


def smooth(picture, sigma):
    """Gaussian blur of each channel."""
    return ndi.gaussian_filter(picture, (sigma, sigma, 0))


def filtered(colour, features, gain, near, far):
    """Edge-avoiding means: first by surface alone, over the steps `near`, because with few samples light is too noisy to guide
    itself; then over the steps `far` also by the light that is left."""
    colour = edge_avoiding(colour, np.concatenate(features, -1).astype(np.float32), near)
    guide = smooth(np.log1p(gain * np.clip(colour, 0, 9)), 1.5) * 5
    return edge_avoiding(colour, np.concatenate([*features, guide], -1).astype(np.float32), far)


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
    """Linear -> display: the layers of film leak into each other (CROSSTALK), which takes the neon out of bright skin; long
    shoulder, sRGB, slight S curve."""
    x = np.clip(x, 0, None)
    luma = (x @ np.array([.2126, .7152, .0722]))[..., None]
    x = x + CROSSTALK * (luma - x)

    def shoulder(v):
        return np.where(v < .45, v, .45 + .55 * (1 - np.exp(-(v - .45) / .55)))
    y = .7 * shoulder(x) + .3 * np.clip(shoulder(luma) * x / np.maximum(luma, 1e-6), 0, 1)
    s = np.clip(np.where(y <= .0031308, 12.92 * y, 1.055 * np.clip(y, 1e-9, None) ** (1 / 2.4) - .055), 0, 1)
    return np.clip(s + (s * s * (3 - 2 * s) - s) * .3, 0, 1)


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
