"""Recolours the clothes of finished packs as variants (FORMAT.md 4), without rendering. Needs numpy, scipy and Pillow:

  python3 recolour.py --packs DIR [--who ava,leo]

Uses `recolour` of the variants in presenters.json: `near`, the cloth's colour (sRGB 0..255), `reach`, the maximum chroma
distance of a pixel from it, and `to`, the new colour. Optionally `also`: the colour under coloured lights; `unlike`: colours of
other things, to exclude pixels nearer to them; `from`: the highest row of cloth; `least`: its minimum luma (linear, 0..1).
"""
import argparse
import json
import os

import numpy as np
from PIL import Image
from scipy import ndimage as ndi

EDGE = 16                  # rows that continue the picture below its bottom edge
COLLAR_TOP = 1.3           # maximum height of cloth above the chin, in half widths of the mouth's box


def linear(x):
    """sRGB 0..255 to linear light 0..1."""
    x = np.asarray(x, float) / 255
    return np.where(x <= .04045, x / 12.92, ((x + .055) / 1.055) ** 2.4)


def display(x):
    """Linear light to sRGB 0..255."""
    x = np.clip(x, 0, 1)
    return 255 * np.where(x <= .0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - .055)


def luma(rgb):
    """Relative luminance of linear colours."""
    return rgb @ np.array([.2126, .7152, .0722])


def chroma(rgb):
    """Two chroma coordinates of linear colours, without brightness."""
    total = rgb.sum(-1, keepdims=True) + .02
    return (rgb / total)[..., :2]


def cloth_mask(rgba, look, top):
    """Share of cloth in each pixel, 0..1: the large pieces that touch the picture's bottom edge, with edges one pixel soft."""
    rgb = linear(rgba[..., :3])
    blurred = np.stack([ndi.gaussian_filter(rgb[..., k], 1.) for k in range(3)], -1)
    near = np.min([np.linalg.norm(chroma(blurred) - chroma(linear(shade)), axis=-1)
                   for shade in [look['near']] + look.get('also', [])], 0)
    is_cloth = (near < look['reach']) & (rgba[..., 3] > 20)
    is_cloth &= luma(blurred) > look.get('least', 0)
    for other in look.get('unlike', []):
        is_cloth &= near < np.linalg.norm(chroma(blurred) - chroma(linear(other)), axis=-1)
    is_cloth[:max(top, look.get('from', 0))] = False
    # the person continues below the picture's bottom edge
    is_cloth = np.pad(is_cloth, ((0, EDGE), (0, 0)), mode='edge')
    is_cloth = ndi.binary_opening(is_cloth, iterations=1)
    labels, count = ndi.label(is_cloth)
    sizes = ndi.sum(is_cloth, labels, range(1, count + 1))
    at_foot = np.isin(np.arange(1, count + 1), labels[-1])
    keep = np.isin(labels, 1 + np.flatnonzero((sizes > .02 * sizes.max()) & at_foot))
    keep = ndi.binary_fill_holes(ndi.binary_closing(keep, iterations=3))
    # extended over the soft silhouette, and by one pixel over other borders, where colours are mixed
    soft = np.pad(rgba[..., 3] < 250, ((0, EDGE), (0, 0)), mode='edge')
    keep = ndi.binary_dilation(keep, iterations=1) | (ndi.binary_dilation(keep, iterations=4) & soft)
    mask = np.clip(ndi.gaussian_filter(keep.astype(float), 1.2) * 1.6 - .3, 0, 1)
    return mask[:rgba.shape[0]]


def recolour(rgba, look, top):
    """The plate with its cloth in the new colour; light and shadow are unchanged."""
    mask = cloth_mask(rgba, look, top)[..., None]
    rgb = linear(rgba[..., :3])
    typical = luma(linear(look['near']))
    shade = luma(rgb)[..., None] / typical
    new = linear(look['to']) * shade
    out = rgba.copy()
    out[..., :3] = display(rgb * (1 - mask) + new * mask) + .5
    return out


def main():
    """All recoloured variants of the chosen presenters."""
    a = argparse.ArgumentParser()
    a.add_argument('--packs', required=True)
    a.add_argument('--who')
    args = a.parse_args()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'presenters.json')) as file:
        presenters = json.load(file)
    for who in args.who.split(',') if args.who else presenters:
        folder = os.path.join(args.packs, who)
        with open(os.path.join(folder, 'manifest.json')) as file:
            manifest = json.load(file)
        box = manifest['mouth']['box']
        top = int(manifest['head']['chinY'] - COLLAR_TOP * (box[2] - box[0]) / 2)
        plate = np.asarray(Image.open(os.path.join(folder, manifest['base'])).convert('RGBA'))
        for name, variant in presenters[who].get('variants', {}).items():
            if 'recolour' not in variant:
                continue
            out = os.path.join(folder, 'variants', name)
            os.makedirs(out, exist_ok=True)
            picture = Image.fromarray(recolour(plate, variant['recolour'], top))
            picture.save(os.path.join(out, 'base.webp'), quality=92, method=6, alpha_quality=95)
            with open(os.path.join(out, 'variant.json'), 'w') as file:
                json.dump({'version': 1, 'title': variant['title'], 'base': 'base.webp'}, file)
                file.write('\n')
            print(who, name)


if __name__ == '__main__':
    main()
