"""Contact sheets of finished packs: resting face, blink stages, all mouth patches pasted into the plate; and a gallery.

  python3 contact_sheet.py --packs DIR --out DIR [--who ava,mei]          (needs Pillow and numpy, no Blender)
"""
import argparse
import json
import os

import numpy as np
from PIL import Image, ImageDraw

BACKDROP = (78, 92, 110)
CELL, COLUMNS, FACE = 240, 7, 540         # px of a mouth cell; cells in a row; px of the resting face
GALLERY_CELL, GALLERY_COLUMNS = 480, 4


def ramp(n, share):
    """Weights 0 at the edges .. 1 inside, smoothstep over `share` of the length."""
    i = np.arange(n)
    x = np.clip(np.minimum(i, n - 1 - i) / n / share, 0, 1)
    return x * x * (3 - 2 * x)


def paste(plate, patch, box, feather, alpha):
    """The plate with one patch pasted over it where the person is opaque; `feather`: shares of width and height."""
    x0, y0, x1, y1 = box
    inside = ramp(y1 - y0, feather[1])[:, None] * ramp(x1 - x0, feather[0])[None, :]
    m = (inside * (alpha[y0:y1, x0:x1] >= 250))[..., None]
    out = plate.copy()
    out[y0:y1, x0:x1] = out[y0:y1, x0:x1] * (1 - m) + patch * m
    return out


def load(path):
    """A picture as floating point RGB."""
    return np.asarray(Image.open(path).convert('RGB')).astype(float)


def read_pack(folder):
    """Manifest, plate over the backdrop as floating point RGB, and the plate's alpha."""
    with open(os.path.join(folder, 'manifest.json')) as file:
        manifest = json.load(file)
    base = Image.open(os.path.join(folder, manifest['base'])).convert('RGBA')
    back = Image.new('RGBA', base.size, BACKDROP + (255,))
    plate = np.asarray(Image.alpha_composite(back, base).convert('RGB')).astype(float)
    return manifest, plate, np.asarray(base)[..., 3]


def portrait(manifest, plate):
    """The square in the middle of the plate."""
    w, h = manifest['width'], manifest['height']
    return Image.fromarray(plate.astype(np.uint8)).crop(((w - h) // 2, 0, (w + h) // 2, h))


def sheet(folder, manifest, plate, alpha):
    """Resting face, lids and every mouth of one pack."""
    mouth, eye = manifest['mouth']['box'], manifest['eye']['box']
    lids, mouths = [], []
    for s in manifest['eye']['stages']:
        full = paste(plate, load(os.path.join(folder, s['file'])), eye, (.06, .14), alpha)
        lids.append((f"lids {s['closed']}", full[eye[1] - 20:eye[3] + 20, eye[0] - 20:eye[2] + 20]))
    for p in manifest['mouth']['patches']:
        full = paste(plate, load(os.path.join(folder, p['file'])), mouth, (.17, .12), alpha)
        mouths.append((p['id'], full[mouth[1]:mouth[3], mouth[0]:mouth[2]]))
    rows = (len(mouths) + COLUMNS - 1) // COLUMNS
    out = Image.new('RGB', (CELL * COLUMNS, FACE + rows * CELL), (30, 30, 34))
    out.paste(portrait(manifest, plate).resize((FACE, FACE), Image.LANCZOS), (0, 0))
    draw = ImageDraw.Draw(out)

    def place(label, pixels, x, y, width, height=None):
        im = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
        out.paste(im.resize((width, height or int(im.height * width / im.width)), Image.LANCZOS), (x, y))
        draw.text((x + 4, y + 3), label, fill=(255, 255, 0))
    for i, (label, pixels) in enumerate(lids):
        place(label, pixels, FACE + 10 + (i % 2) * 564, (i // 2) * 268, 560)
    for i, (label, pixels) in enumerate(mouths):
        place(label, pixels, (i % COLUMNS) * CELL, FACE + (i // COLUMNS) * CELL, CELL, CELL)
    return out


def main():
    """Writes sheet_NAME.jpg for each pack and gallery.jpg."""
    a = argparse.ArgumentParser(prog='contact_sheet.py')
    a.add_argument('--packs', required=True)
    a.add_argument('--out', required=True)
    a.add_argument('--who', help='only these, with commas')
    a = a.parse_args()
    os.makedirs(a.out, exist_ok=True)
    names = a.who.split(',') if a.who else sorted(os.listdir(a.packs))
    rows = (len(names) + GALLERY_COLUMNS - 1) // GALLERY_COLUMNS
    gallery = Image.new('RGB', (GALLERY_CELL * GALLERY_COLUMNS, GALLERY_CELL * rows))
    for i, name in enumerate(names):
        folder = os.path.join(a.packs, name)
        manifest, plate, alpha = read_pack(folder)
        sheet(folder, manifest, plate, alpha).save(os.path.join(a.out, f'sheet_{name}.jpg'), quality=90)
        corner = (i % GALLERY_COLUMNS * GALLERY_CELL, i // GALLERY_COLUMNS * GALLERY_CELL)
        gallery.paste(portrait(manifest, plate).resize((GALLERY_CELL, GALLERY_CELL), Image.LANCZOS), corner)
        ImageDraw.Draw(gallery).text((corner[0] + 6, corner[1] + 4), name, fill=(255, 255, 255))
    gallery.save(os.path.join(a.out, 'gallery.jpg'), quality=92)


if __name__ == '__main__':
    main()
