"""MakeHuman base mesh without MakeHuman: morph targets, skeleton pose units and clothing fit.

Coordinates: MakeHuman space, right-handed, 1 unit = 1 decimetre, x = the person's left, y = up, z = towards the viewer.
`to_blender` turns them into Blender space (x, -z, y).
"""
import json
import math
import os

import numpy as np
from mathutils import Matrix, Quaternion, Vector


class Assets:
    """Paths of the CC0 asset tree (see README.md for the exact list of files)."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.core = os.path.join(self.root, 'core/makehuman/data')
        self.targets = os.path.join(self.core, 'targets')
        self.base = os.path.join(self.root, 'base')                       # geometry of proxies (.mhclo + .obj)
        self.textures = os.path.join(self.root, 'jsdata/public/data')     # their texture files

    def proxy(self, kind, name):
        """File that binds a garment, hair or eye part to the body."""
        return os.path.join(self.base, kind, name, name + '.mhclo')

    def proxy_texture(self, kind, name, suffix=''):
        """Its texture."""
        return os.path.join(self.textures, 'proxies', kind, name, 'textures', f'{name}{suffix}.png')

    def hair_texture(self, name):
        """Texture of a hair mesh, whose file name varies."""
        folder = os.path.join(self.textures, 'proxies/hair', name, 'textures')
        path = os.path.join(folder, f'{name}_diffuse.png')
        return path if os.path.exists(path) else os.path.join(folder, sorted(os.listdir(folder))[0])

    def teeth_texture(self):
        """Texture of teeth and gums."""
        return os.path.join(self.textures, 'proxies/teeth/Teeth_Base/textures/teeth.png')

    def skin(self, relative):
        """A skin by its path below `skins`."""
        return os.path.join(self.textures, 'skins', relative)


def to_blender(points):
    """MakeHuman points -> Blender points."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], 1)


def read_obj(path):
    """-> vertices (n,3), texture coordinates (m,2), faces [(group, vertex ids, uv ids)]"""
    vertices, uvs, faces, group = [], [], [], None
    for line in open(path, errors='ignore'):
        s = line.split()
        if not s:
            continue
        if s[0] == 'v':
            vertices.append([float(x) for x in s[1:4]])
        elif s[0] == 'vt':
            uvs.append([float(x) for x in s[1:3]])
        elif s[0] == 'g':
            group = s[1] if len(s) > 1 else None
        elif s[0] == 'f':
            ids, uv_ids = [], []
            for corner in s[1:]:
                q = corner.split('/')
                ids.append(int(q[0]) - 1)
                uv_ids.append(int(q[1]) - 1 if len(q) > 1 and q[1] else 0)
            faces.append((group, ids, uv_ids))
    return np.array(vertices), np.array(uvs), faces


def read_target(path, count):
    """A morph target: sparse 'index dx dy dz' lines -> dense (count,3) offsets in decimetres."""
    offsets = np.zeros((count, 3))
    for line in open(path, errors='ignore'):
        if line.startswith('#'):
            continue
        s = line.split()
        if len(s) == 4:
            offsets[int(s[0])] += [float(x) for x in s[1:]]
    return offsets


class Human:
    """The morphed body. `rest_vertices` is the person; `pose()` gives the vertices of an expression."""

    def __init__(self, config, assets):
        self.config, self.assets = config, assets
        self.base_vertices, self.uvs, self.faces = read_obj(os.path.join(assets.core, '3dobjs/base.obj'))
        self.count = len(self.base_vertices)
        v = self.base_vertices.copy()
        gender, muscle = config['gender'], config.get('muscle', 'average')
        races = config.get('race', {'caucasian': 1})
        ages = config.get('ages') or {config.get('age', 'young'): 1.}
        weights = config.get('weights') or {config.get('weight', 'average'): 1.}
        ideal = config.get('ideal', 0)
        for age, age_share in ages.items():
            for race, share in races.items():
                v += share * age_share * self.target(f'macrodetails/{race}-{gender}-{age}')
            for weight, share in weights.items():
                body = f'{gender}-{age}-{muscle}muscle-{weight}weight'
                v += age_share * share * self.target(f'macrodetails/universal-{body}')
                if ideal:
                    v += ideal * age_share * share * self.target(f'macrodetails/proportions/{body}-idealproportions')
        for key, amount in config.get('targets', {}).items():
            if key.startswith('*'):                       # '*eyes/eye-scale-incr' = both l- and r- targets
                folder, name = key[1:].split('/')
                for side in 'lr':
                    v += amount * self.target(f'{folder}/{side}-{name}')
            else:
                v += amount * self.target(key)
        self.rest_vertices = v
        self.expression_race = max(races.items(), key=lambda x: x[1])[0]
        self._units = {}
        self.limbs, self.turns = {}, None
        self._load_rig()
        self.vertices = v.copy()

    def target(self, key):
        """Dense offsets of a morph target."""
        return read_target(f'{self.assets.targets}/{key}.target', self.count)

    def expression_unit(self, key):
        """Offsets of an expression morph of this person's race, read once."""
        if key not in self._units:
            self._units[key] = self.target(f'expression/units/{self.expression_race}/{key}')
        return self._units[key]

    def _load_rig(self):
        """Bones, skin weights and the bone rotations of the face pose units."""
        core = self.assets.core
        rig = json.load(open(core + '/rigs/default.mhskel'))
        self.bones, self.joints = rig['bones'], rig['joints']
        self.bone_head = {b: self.rest_vertices[rig['joints'][i['head']]].mean(0) for b, i in self.bones.items()}
        raw = json.load(open(core + '/rigs/default_weights.mhw'))['weights']
        self.skin_weights, total = {}, np.zeros(self.count)
        for bone, pairs in raw.items():
            a = np.array(pairs)
            ids = a[:, 0].astype(int)
            self.skin_weights[bone] = (ids, a[:, 1])
            np.add.at(total, ids, a[:, 1])
        total[total == 0] = 1
        for bone, (ids, w) in self.skin_weights.items():
            self.skin_weights[bone] = (ids, w / total[ids])
        self.bone_order = []

        def visit(bone):                                   # parents first
            if bone in self.bone_order:
                return
            if self.bones[bone]['parent']:
                visit(self.bones[bone]['parent'])
            self.bone_order.append(bone)
        for bone in self.bones:
            visit(bone)
        # face pose units: one BVH frame per named unit, rotations only
        lines = open(core + '/poseunits/face-poseunits.bvh').read().split('\n')
        channels, joint = [], None
        for line in lines:
            q = line.split()
            if not q:
                continue
            if q[0] in ('ROOT', 'JOINT'):
                joint = q[1]
            if q[0] == 'CHANNELS':
                channels.append((joint, q[2:]))
            if q[0] == 'MOTION':
                break
        first = [k for k, line in enumerate(lines) if line.startswith('Frame Time')][0] + 1
        names = json.load(open(core + '/poseunits/face-poseunits.json'))['framemapping']
        axes = {'X': (1, 0, 0), 'Y': (0, 1, 0), 'Z': (0, 0, 1)}
        self.pose_units = {}
        for frame, name in enumerate(names):
            values, k = [float(x) for x in lines[first + frame].split()], 0
            self.pose_units[name] = {}
            for bone, chans in channels:
                part = values[k:k + len(chans)]
                k += len(chans)
                q = Quaternion()
                for chan, angle in zip(chans, part):
                    if chan.endswith('rotation') and abs(angle) > 1e-3:
                        q = q @ Quaternion(axes[chan[0]], math.radians(angle))
                if abs(q.angle) > 1e-3:
                    self.pose_units[name][bone] = q

    def pose(self, controls):
        """controls: {name: weight} added to config['rest'].

        A name is a bone-driven pose unit ('JawDrop'), an expression morph ('mouth-open'), or 'bone:NAME:axis' with an
        angle in degrees. `self.limbs` {bone: rotation} replaces what is asked of these bones; then clothes turn with them.
        """
        v = self.rest_vertices.copy()
        rotations = {}
        for name, w in {**self.config.get('rest', {}), **controls}.items():
            if not w:
                continue
            if name.startswith('bone:'):
                _, bone, axis = name.split(':')
                q = Quaternion({'x': (1, 0, 0), 'y': (0, 1, 0), 'z': (0, 0, 1)}[axis], math.radians(w))
                rotations[bone] = rotations.get(bone, Quaternion()) @ q
            elif name in self.pose_units:
                for bone, q in self.pose_units[name].items():
                    axis, angle = q.to_axis_angle()
                    if angle > math.pi:
                        angle -= 2 * math.pi
                    rotations[bone] = rotations.get(bone, Quaternion()) @ Quaternion(axis, angle * w)
            else:
                v += w * self.expression_unit(name)
        rotations.update(self.limbs)
        matrices, moved = {}, np.zeros_like(v)
        for bone in self.bone_order:
            parent = self.bones[bone]['parent']
            m = matrices[parent] if parent else Matrix.Identity(4)
            if bone in rotations:
                h = Vector(self.bone_head[bone])
                m = m @ Matrix.Translation(h) @ rotations[bone].to_matrix().to_4x4() @ Matrix.Translation(-h)
            matrices[bone] = m
        identity = np.eye(4)
        self.turns = np.zeros((self.count, 3, 3)) if self.limbs else None
        for bone, (ids, w) in self.skin_weights.items():
            m = np.array(matrices[bone])
            if self.limbs:
                np.add.at(self.turns, ids, w[:, None, None] * m[:3, :3])
            if np.abs(m - identity).max() < 1e-7:
                continue
            np.add.at(moved, ids, (v[ids] @ m[:3, :3].T + m[:3, 3] - v[ids]) * w[:, None])
        self.vertices = v + moved
        return self.vertices

    def bone_posed(self, bone):
        """Where a bone begins in the current pose."""
        return self.vertices[self.joints[self.bones[bone]['head']]].mean(0)

    def load_proxy(self, path):
        """Read a .mhclo (+ its .obj): every proxy vertex is bound to three body vertices plus a scaled offset."""
        obj_name, scales, rows, hidden = None, {}, [], set()
        in_verts = in_delete = False
        for line in open(path, errors='ignore'):
            q = line.split()
            if not q or q[0].startswith('#'):
                continue
            if q[0] == 'obj_file':
                obj_name = q[1]
            elif q[0] in ('x_scale', 'y_scale', 'z_scale'):
                scales[q[0][0]] = (int(q[1]), int(q[2]), float(q[3]))
            elif q[0] == 'verts':
                in_verts, in_delete = True, False
            elif q[0] == 'delete_verts':
                in_verts, in_delete = False, True
            elif in_delete and q[0].isdigit():
                k = 0
                while k < len(q):
                    if k + 2 < len(q) and q[k + 1] == '-':
                        hidden.update(range(int(q[k]), int(q[k + 2]) + 1))
                        k += 3
                    else:
                        if q[k].isdigit():
                            hidden.add(int(q[k]))
                        k += 1
            elif in_verts and q[0].lstrip('-').isdigit():
                if len(q) == 1:
                    rows.append((int(q[0]),) * 3 + (1, 0, 0, 0, 0, 0))
                elif len(q) >= 9:
                    rows.append(tuple(int(x) for x in q[:3]) + tuple(float(x) for x in q[3:9]))
            elif q[0] == 'weights':
                in_verts = False
        verts, uvs, faces = read_obj(os.path.join(os.path.dirname(path), obj_name))
        scale = np.ones(3)
        for axis, (a, b, denominator) in scales.items():
            k = 'xyz'.index(axis)
            scale[k] = abs(self.rest_vertices[a][k] - self.rest_vertices[b][k]) / denominator
        return dict(rows=np.array(rows[:len(verts)]), scale=scale, uvs=uvs, faces=faces, hidden=hidden)

    def fit(self, proxy, vertices=None):
        """Vertices of a proxy on the body in its current (or the given) pose."""
        v = self.vertices if vertices is None else vertices
        r = proxy['rows']
        i = r[:, :3].astype(int)
        offset = r[:, 6:9] * proxy['scale']
        if self.turns is not None:
            offset = np.einsum('nij,nj->ni', self.turns[i].mean(1), offset)
        return v[i[:, 0]] * r[:, 3:4] + v[i[:, 1]] * r[:, 4:5] + v[i[:, 2]] * r[:, 5:6] + offset
