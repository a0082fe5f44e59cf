"""Print (and with --copy-to DIR copy) the asset files the presenters need.

  blender -b -noaudio -P list_assets.py -- --assets DIR [--copy-to DIR]
"""
import argparse
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import visemes                          # noqa: E402
from human import Assets, Human         # noqa: E402


class Ledger:
    """Records every file below the assets' folder that Python opens."""

    def __init__(self, assets):
        self.root, self.needed = assets.root, set()
        sys.addaudithook(lambda event, args: self.note(args[0]) if event == 'open' and isinstance(args[0], str) else None)

    def note(self, path):
        """Records a used file, also one that only Blender opens."""
        path = os.path.abspath(path)
        if path.startswith(self.root + os.sep):
            self.needed.add(os.path.relpath(path, self.root))


def use(config, assets, ledger):
    """Reads or records all assets of one presenter."""
    h = Human(config, assets)
    h.pose({})
    for _, _, controls in visemes.all_patches(config):
        h.pose(controls)
    for closed in (.35, 1.):
        h.pose(visemes.eyelids(config, closed))
    for key in ('mouth/mouth-upperlip-volume-incr', 'mouth/mouth-lowerlip-volume-incr', 'ears/l-ear-scale-incr',
                'ears/r-ear-scale-incr'):
        h.target(key)
    proxies = [('teeth', 'teeth_base'), ('tongue', 'tongue01'), ('eyelashes', config['lashes']['id']),
               ('eyebrows', config['brow']['id'])] + [('clothes', c['id']) for c in config['clothes']]
    if config.get('hair_mesh'):
        proxies.append(('hair', config['hair_mesh']['id']))
        ledger.note(assets.hair_texture(config['hair_mesh']['id']))
    for kind, name in proxies:
        h.load_proxy(assets.proxy(kind, name))
    ledger.note(assets.skin(config['skin']))
    ledger.note(assets.teeth_texture())
    ledger.note(assets.proxy_texture('eyelashes', config['lashes']['id']))
    ledger.note(assets.proxy_texture('eyebrows', config['brow']['id']))
    for cloth in config['clothes']:
        if cloth.get('texture'):
            ledger.note(assets.proxy_texture('clothes', cloth['id'], '_diffuse'))
        if cloth.get('normal_map'):
            ledger.note(assets.proxy_texture('clothes', cloth['id'], '_normal'))


def main():
    """Prints the list; copies the files with --copy-to."""
    a = argparse.ArgumentParser(prog='list_assets.py')
    a.add_argument('--assets', required=True)
    a.add_argument('--copy-to')
    a = a.parse_args(sys.argv[sys.argv.index('--') + 1:])
    assets = Assets(a.assets)
    ledger = Ledger(assets)
    with open(os.path.join(HERE, 'presenters.json')) as file:
        presenters = json.load(file)
    for config in presenters.values():
        use(config, assets, ledger)
    total = 0
    for path in sorted(ledger.needed):
        source = os.path.join(assets.root, path)
        total += os.path.getsize(source)
        print('ASSET', path)
        if a.copy_to:
            target = os.path.join(a.copy_to, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
    print('ASSETS', len(ledger.needed), 'files', total, 'bytes')


if __name__ == '__main__':
    main()
