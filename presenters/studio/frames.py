"""Writes the additional framings of packs as variants (FORMAT.md 4). Needs only the Python standard library:

  python3 frames.py PACK [PACK...]
"""
import json
import os
import sys

ASPECT = 4 / 3             # of the plate; a framing replaces the whole plate and keeps its shape


def framings(manifest):
    """{name: (title, [x0, y0, x1, y1])} in plate px. Heights in heights of the head."""
    head = manifest['head']
    height = head['chinY'] - head['topY']
    middle = head['pivot'][0]

    def around(top, bottom):
        half = (bottom - top) * ASPECT / 2
        return [round(middle - half), round(top), round(middle + half), round(bottom)]
    return {
        'closeup': ('Close-up', around(head['topY'] - .12 * height, head['chinY'] + .2 * height)),
        'wide': ('From afar', around(manifest['height'] - 1.34 * manifest['height'], manifest['height'])),
    }


def write(folder):
    """Writes the framings of the pack in `folder`."""
    with open(os.path.join(folder, 'manifest.json')) as file:
        manifest = json.load(file)
    for name, (title, frame) in framings(manifest).items():
        out = os.path.join(folder, 'variants', name)
        os.makedirs(out, exist_ok=True)
        with open(os.path.join(out, 'variant.json'), 'w') as file:
            json.dump({'version': 1, 'title': title, 'frame': frame}, file)
            file.write('\n')


if __name__ == '__main__':
    for pack in sys.argv[1:]:
        write(pack)
