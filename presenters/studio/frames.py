"""Writes the additional framings of packs as variants (FORMAT.md 4). Needs only the Python standard library:

  python3 frames.py PACK [PACK...]
"""
import json
import os
import sys


def framings(manifest):
    """{name: what the variant shows}. `wide` shows the body, and a pack without one from afar."""
    width, height, middle = manifest['width'], manifest['height'], manifest['head']['pivot'][0]
    tall = 1.34 * height
    half = tall * width / height / 2
    afar = [round(middle - half), round(height - tall), round(middle + half), height]
    return {
        'closeup': dict(title='Close-up', framing='head'),
        'wide': dict(title='From afar', framing='waist', frame=afar),
    }


def write(folder):
    """Writes the framings of the pack in `folder`."""
    with open(os.path.join(folder, 'manifest.json')) as file:
        manifest = json.load(file)
    for name, shown in framings(manifest).items():
        out = os.path.join(folder, 'variants', name)
        os.makedirs(out, exist_ok=True)
        with open(os.path.join(out, 'variant.json'), 'w') as file:
            json.dump({'version': 1, **shown}, file)
            file.write('\n')


if __name__ == '__main__':
    for pack in sys.argv[1:]:
        write(pack)
