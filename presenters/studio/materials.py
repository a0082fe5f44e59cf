"""Materials and small Blender helpers. Colours are linear RGB unless said otherwise."""
import math

import bpy
import numpy as np
from scipy import ndimage as ndi

from human import to_blender

# Inside of lips and cheeks. The mouth is lit from within a little, as wet surfaces close to each other light each other.
MUCOSA, INNER_LIGHT = (.40, .125, .11), .12
SCATTERING = (.037, .014, .007)       # mean free path of red, green and blue light in skin, dm
mesh_vertices = {}          # object name -> ids of the source vertices its mesh uses, in mesh order


class Nodes:
    """Shorthand for building a node tree."""

    def __init__(self, material):
        self.nodes, self.links = material.node_tree.nodes, material.node_tree.links

    def add(self, kind, **attributes):
        """A new node with these attributes."""
        node = self.nodes.new(kind)
        for k, v in attributes.items():
            setattr(node, k, v)
        return node

    def link(self, a, b):
        """Connects two sockets."""
        self.links.new(a, b)

    def math(self, op, a, b=None, clamp=False):
        """A math node over sockets or numbers."""
        node = self.nodes.new('ShaderNodeMath')
        node.operation, node.use_clamp = op, clamp
        for i, x in enumerate((a, b)):
            if x is None:
                continue
            if hasattr(x, 'is_output'):
                self.links.new(x, node.inputs[i])
            else:
                node.inputs[i].default_value = x
        return node.outputs[0]

    def mix(self, factor, a, b, mode='MIX'):
        """A colour mix node."""
        node = self.nodes.new('ShaderNodeMixRGB')
        node.blend_type = mode
        for i, x in enumerate((factor, a, b)):
            if hasattr(x, 'is_output'):
                self.links.new(x, node.inputs[i])
            elif i == 0:
                node.inputs[0].default_value = x
            else:
                node.inputs[i].default_value = (*x, 1)
        return node.outputs[0]

    def noise(self, vector, scale, detail=2., **inputs):
        """A noise texture over a vector."""
        node = self.nodes.new('ShaderNodeTexNoise')
        node.inputs['Scale'].default_value, node.inputs['Detail'].default_value = scale, detail
        for k, v in inputs.items():
            node.inputs[k].default_value = v
        self.links.new(vector, node.inputs['Vector'])
        return node.outputs[0]

    def output(self, name, socket):
        """Writes a socket into a pass of its own."""
        self.link(socket, self.add('ShaderNodeOutputAOV', name=name).inputs['Color'])

    def bump(self, height, strength, distance, normal=None):
        """Normals from a height."""
        node = self.nodes.new('ShaderNodeBump')
        node.inputs['Distance'].default_value = distance
        if hasattr(strength, 'is_output'):
            self.links.new(strength, node.inputs['Strength'])
        else:
            node.inputs['Strength'].default_value = strength
        self.links.new(height, node.inputs['Height'])
        if normal is not None:
            self.links.new(normal, node.inputs['Normal'])
        return node

    def combine(self, r, g, b):
        """A colour of three values."""
        node = self.nodes.new('ShaderNodeCombineRGB')
        for i, x in enumerate((r, g, b)):
            self.links.new(x, node.inputs[i])
        return node.outputs[0]

    def vertex_colour(self, layer):
        """A layer of vertex colours."""
        node = self.add('ShaderNodeVertexColor', layer_name=layer)
        split = self.add('ShaderNodeSeparateRGB')
        self.link(node.outputs[0], split.inputs[0])
        return split.outputs

    def image(self, image):
        """An image texture."""
        return self.add('ShaderNodeTexImage', image=image, interpolation='Cubic')


def new_material(name):
    """An empty node material: material, its nodes, its principled shader."""
    m = bpy.data.materials.new(name)
    m.use_nodes = True
    nodes = Nodes(m)
    return m, nodes, nodes.nodes.get('Principled BSDF')


def set_inputs(node, **values):
    """Sets shader inputs by name, `_` for a space."""
    for k, v in values.items():
        node.inputs[k.replace('_', ' ')].default_value = v


def load_image(path, data=False):
    """A Blender image; `data`: not colour."""
    im = bpy.data.images.load(path, check_existing=True)
    if data:
        im.colorspace_settings.name = 'Non-Color'
    return im


def load_pixels(path):
    """Pixels as a float array (h, w, channels), display-referred for PNG/JPEG, row 0 = bottom."""
    im = bpy.data.images.load(path, check_existing=False)
    a = np.empty(len(im.pixels), np.float32)
    im.pixels.foreach_get(a)
    a = a.reshape(im.size[1], im.size[0], im.channels).copy()
    bpy.data.images.remove(im)
    return a


def add_mesh(name, vertices, uvs, faces, material, subdivisions=1):
    """A smooth mesh object from MakeHuman points, with only the vertices of its faces."""
    used = sorted({i for _, f, _ in faces for i in f})
    index = {old: new for new, old in enumerate(used)}
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(to_blender(np.asarray(vertices)[used]).tolist(), [], [[index[i] for i in f] for _, f, _ in faces])
    if len(uvs):
        layer = mesh.uv_layers.new()
        layer.data.foreach_set('uv', np.array([uvs[j] for _, _, t in faces for j in t]).ravel())
    mesh.polygons.foreach_set('use_smooth', [True] * len(mesh.polygons))
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(obj)
    if material:
        mesh.materials.append(material)
    if subdivisions:
        add_subdivision(obj, subdivisions)
    mesh_vertices[name] = np.array(used)
    return obj


def add_subdivision(obj, levels):
    """Subdivides an object at render time."""
    modifier = obj.modifiers.new('s', 'SUBSURF')
    modifier.levels = modifier.render_levels = levels


def set_vertices(obj, vertices):
    """Moves a mesh of `add_mesh` to other MakeHuman points."""
    co = to_blender(np.asarray(vertices)[mesh_vertices[obj.name]]).astype(np.float32).ravel()
    obj.data.vertices.foreach_set('co', co)
    obj.data.update()


def set_vertex_colour(obj, layer, values):
    """values: (all source vertices, 3)"""
    used = mesh_vertices[obj.name]
    attribute = obj.data.color_attributes.new(layer, 'FLOAT_COLOR', 'POINT')
    rgba = np.ones((len(used), 4), np.float32)
    rgba[:, :3] = values[used]
    attribute.data.foreach_set('color', rgba.ravel())


# ------------------------------------------------------------------------------------------------------- skin
def smoothed_skin(path):
    """The 512 px painted map, de-speckled, blurred and enlarged 4x: only its low frequencies are used."""
    a = load_pixels(path)[..., :3]
    a = np.stack([ndi.median_filter(a[..., k], 3) for k in range(3)], -1)
    a = np.stack([ndi.gaussian_filter(a[..., k], 1.1) for k in range(3)], -1)
    return np.stack([ndi.zoom(a[..., k], 4, order=3) for k in range(3)], -1).clip(0, 1)


# Palms of dark skin are painted 4 to 6 times as bright as the cheeks; people's are about twice as bright, and not grey.
PALE_FROM, PALE_RANGE, PALE_TINT = 1.2, .9, .45


def tame_pale(pixels, cheek_tone):
    """A painted map whose parts much brighter than the cheeks (linear colour) are darker, and nearer to their colour."""
    weights = np.array([.2126, .7152, .0722])
    linear = pixels ** 2.2
    ratio = np.maximum((linear @ weights) / (cheek_tone @ weights), 1e-4)[..., None]
    over = np.maximum(ratio - PALE_FROM, 0)
    tamed = np.where(over > 0, PALE_FROM + PALE_RANGE * (1 - np.exp(-over / PALE_RANGE)), ratio)
    tint = PALE_TINT * np.clip(over / PALE_RANGE, 0, 1)
    return ((linear / ratio * (1 - tint) + cheek_tone * tint) * tamed) ** (1 / 2.2)


def skin_material(config, pixels, cheek_tone):
    """cheek_tone: average linear colour of the cheeks. Vertex colours expected on the mesh: 'mask' = (lips, blush, T-zone),
    'mask2' = (scalp, eye socket, beard), 'mask3' = (lining, its light, -), 'rest' = places at rest. Fine structure is added by
    detail.py, from the passes `rest` and `mask` = (lips, oily regions, beard)."""
    s = config.get('skin_look', {})
    m, t, b = new_material('skin')
    im = bpy.data.images.new('skin', pixels.shape[1], pixels.shape[0])
    rgba = np.ones((*pixels.shape[:2], 4), np.float32)
    rgba[..., :3] = pixels
    im.pixels.foreach_set(rgba.ravel())
    im.pack()
    hsv = t.add('ShaderNodeHueSaturation')
    value = s.get('value', 1.)
    hsv.inputs[0].default_value, hsv.inputs[1].default_value, hsv.inputs[2].default_value = .5, s.get('saturation', 1.), value
    painted = t.image(im)
    painted.interpolation = 'Linear'
    t.link(painted.outputs[0], hsv.inputs[4])
    gamma = t.add('ShaderNodeGamma')
    gamma.inputs[1].default_value = s.get('gamma', 1.)
    t.link(hsv.outputs[0], gamma.inputs[0])
    colour = gamma.outputs[0]
    scalp, socket, beard = t.vertex_colour('mask2')
    lips, blush, tzone = t.vertex_colour('mask')
    # even out painted eye shadows, and painted blotches everywhere a little
    colour = t.mix(s.get('even', .3), colour, tuple(cheek_tone * value))
    around_eye = cheek_tone * np.array(s.get('socket_tint', (.92, .86, .86))) * value
    colour = t.mix(t.math('MULTIPLY', socket, s.get('socket', .5)), colour, tuple(around_eye))
    colour = t.mix(t.math('MULTIPLY', blush, s.get('blush', .35)), colour, t.mix(1, colour, (1.0, .70, .64), 'MULTIPLY'))
    colour = t.mix(t.math('MULTIPLY', lips, s.get('lip_mix', .5)), colour, s.get('lip', (.42, .14, .13)))
    if config.get('scalp'):
        colour = t.mix(scalp, colour, config['scalp']['colour'])
    lining, lit, _ = t.vertex_colour('mask3')
    mucosa = tuple((np.array(MUCOSA) + np.array(s.get('lip', MUCOSA))) / 2)
    colour = t.mix(lining, colour, mucosa)
    t.link(t.mix(lit, (0, 0, 0), mucosa), b.inputs['Emission'])
    t.link(colour, b.inputs['Base Color'])
    set_inputs(b, Specular=s.get('specular', .3), Sheen=0, Emission_Strength=INNER_LIGHT / config.get('exposure', 1.))
    if s.get('random_walk'):
        b.subsurface_method = 'RANDOM_WALK'
        t.link(colour, b.inputs['Subsurface Color'])
        set_inputs(b, Subsurface=s['random_walk'], Subsurface_Radius=SCATTERING)
    # cheeks are matt, forehead and nose less so, lips moist
    rough = t.math('SUBTRACT', s.get('roughness', .52), t.math('MULTIPLY', tzone, .08))
    t.link(t.math('SUBTRACT', rough, t.math('MULTIPLY', lips, .16)), b.inputs['Roughness'])
    t.output('rest', t.add('ShaderNodeVertexColor', layer_name='rest').outputs[0])
    dry = t.math('SUBTRACT', 1, lining)
    t.output('mask', t.combine(lips, t.math('MULTIPLY', t.math('ADD', tzone, t.math('MULTIPLY', blush, .7)), dry),
                               t.math('MULTIPLY', beard, dry)))
    return m


# ------------------------------------------------------------------------------------------------------- eyes
def eye_texture(config, exposure, n=768):
    """Planar iris map: radius 1 = the eyeball's outline seen from the front. The white does not get brighter with the
    exposure for dark skin."""
    rng = np.random.RandomState(4)
    y, x = np.mgrid[0:n, 0:n]
    x, y = (x + .5) / n * 2 - 1, (y + .5) / n * 2 - 1
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    iris_r = config['radius']
    pupil_r = iris_r * .36
    white = np.array([.49, .452, .43]) / exposure * np.ones((n, n, 3))
    white = white * (1 - .45 * np.clip((y + .05) / .5, 0, 1) ** 1.5)[..., None]      # the shade of lid and lashes
    white = white * (1 - .25 * np.clip((np.abs(x) - .4) / .6, 0, 1) ** 1.5)[..., None]  # the ball turns from the light
    corner = np.clip((np.abs(x) - .45) / .5, 0, 1)[..., None]
    white = white * (1 - corner * np.array([.04, .26, .26]))
    cloud = ndi.gaussian_filter(rng.normal(size=(n, n)), 6)
    cloud /= np.abs(cloud).max()
    white *= 1 + .05 * cloud[..., None]
    # veins from the corners: thin where slow noise passes zero
    slow = ndi.gaussian_filter(rng.normal(size=(n, n)), (9, 34))
    vein = np.exp(-(slow / slow.std() / .07) ** 2) * np.clip((np.abs(x) - .42) / .35, 0, 1)
    white *= 1 - ndi.gaussian_filter(vein, 1.5)[..., None] * np.array([.06, .34, .34])
    outer = np.array(config['outer'])
    inner = np.array(config.get('inner', outer * 2.0))
    bins = ((angle + np.pi) / (2 * np.pi) * 1400).astype(int) % 1400
    fine = ndi.gaussian_filter1d(rng.normal(size=1400), 2, mode='wrap')
    broad = ndi.gaussian_filter1d(rng.normal(size=1400), 7, mode='wrap')
    fine, broad = fine / fine.std(), broad / broad.std()
    q = np.clip((r - pupil_r) / (iris_r - pupil_r), 0, 1)
    fibre = (fine[bins] * .22 + broad[bins] * .2) * (.4 + .6 * np.sin(q * math.pi))
    fall = np.exp(-((q - .12) / .30)[..., None] ** 2)                                # the collarette
    iris = (inner * fall + outer * (1 - fall)) * (1 + fibre[..., None] * .9) * (1 - .25 * cloud[..., None])
    iris = iris * (1 - .8 * np.clip((q - .70) / .30, 0, 1)[..., None] ** 1.6)       # limbal ring
    # the cornea gathers light on the side away from the key light, the lid shades the top
    iris = iris * (1.05 + .45 * np.clip((x * .5 - y * .85) / iris_r, -1, 1))[..., None]
    in_iris = 1 / (1 + np.exp((r - iris_r) / .022))[..., None]
    in_pupil = 1 / (1 + np.exp((r - pupil_r) / .010))[..., None]
    out = white * (1 - in_iris) + iris * in_iris
    return np.clip(out * (1 - in_pupil) + .004 * in_pupil, 0, 1).astype(np.float32)


def eye_material(config, exposure):
    """White, iris and pupil painted by the distance from the pole."""
    m, t, b = new_material('eye')
    a = eye_texture(config, exposure)
    im = bpy.data.images.new('eyetex', a.shape[1], a.shape[0], alpha=True, float_buffer=True)
    rgba = np.ones((*a.shape[:2], 4), np.float32)
    rgba[..., :3] = a
    im.colorspace_settings.name = 'Non-Color'
    im.pixels.foreach_set(rgba.ravel())
    im.pack()
    im.colorspace_settings.name = 'Linear'
    colour = t.image(im).outputs[0]
    t.link(colour, b.inputs['Base Color'])
    t.link(colour, b.inputs['Subsurface Color'])
    set_inputs(b, Roughness=.5, Specular=.1)
    return m


def cornea_material(roughness=.04, shine=.05):
    """A clear coat over the eye, without the glare of grazing light: `shine` is its greatest reflectance."""
    m, t, _ = new_material('cornea')
    t.nodes.clear()
    out, clear, gloss = (t.add(k) for k in ('ShaderNodeOutputMaterial', 'ShaderNodeBsdfTransparent', 'ShaderNodeBsdfGlossy'))
    gloss.inputs['Roughness'].default_value = roughness
    gloss.inputs['Color'].default_value = (1, 1, 1, 1)
    fresnel, mix = t.add('ShaderNodeFresnel'), t.add('ShaderNodeMixShader')
    fresnel.inputs[0].default_value = 1.42
    t.link(t.math('MINIMUM', fresnel.outputs[0], shine), mix.inputs[0])
    t.link(clear.outputs[0], mix.inputs[1])
    t.link(gloss.outputs[0], mix.inputs[2])
    t.link(mix.outputs[0], out.inputs[0])
    return m


# ------------------------------------------------------------------------------------------------- mouth, lashes
def teeth_material(texture_path, config):
    """Uses the painted map only to separate gum from tooth and for a little relief, so that its black padding is never visible as
    gaps. Teeth darken with |x| (dm) because the cheeks shade the back ones, of the lower row (vertex
    colour 'row') most."""
    m, t, b = new_material('teeth')
    painted = t.image(load_image(texture_path)).outputs[0]
    split = t.add('ShaderNodeSeparateRGB')
    t.link(painted, split.inputs[0])
    red, green = split.outputs[0], split.outputs[1]
    gum = t.math('SUBTRACT', t.math('MULTIPLY', t.math('SUBTRACT', red, green), 9.), .5, True)
    relief = t.math('ADD', t.math('MULTIPLY', t.math('POWER', green, .5), .32), .68)
    enamel = t.combine(*[t.math('MULTIPLY', relief, k) for k in config.get('enamel', (.83, .765, .665))])
    colour = t.mix(gum, enamel, t.mix(.5, painted, (.45, .13, .13)))
    axis = t.add('ShaderNodeSeparateXYZ')
    t.link(t.add('ShaderNodeTexCoord').outputs['Object'], axis.inputs[0])
    lower = t.vertex_colour('row')[0]
    lit = t.math('SUBTRACT', .12, t.math('MULTIPLY', lower, .04))
    shade = t.math('MULTIPLY', t.math('SUBTRACT', t.math('ABSOLUTE', axis.outputs[0]), lit, True),
                   t.math('ADD', 7., t.math('MULTIPLY', lower, 10.)), True)
    colour = t.mix(shade, colour, t.mix(1, colour, (.16, .06, .05), 'MULTIPLY'))
    for name in ('Base Color', 'Subsurface Color'):
        t.link(colour, b.inputs[name])
    # light reflected by the inside of the mouth, so that teeth in the shade of the lips do not look grey
    t.link(t.mix(1, colour, (1., .86, .72), 'MULTIPLY'), b.inputs['Emission'])
    set_inputs(b, Emission_Strength=.24 / config.get('exposure', 1.))
    set_inputs(b, Subsurface=.12, Subsurface_Radius=(.03, .02, .015), Roughness=.24, Specular=.35)
    return m


def tongue_material(config):
    """A wet, rosy material."""
    m, t, b = new_material('tongue')
    set_inputs(b, Base_Color=(.42, .13, .12, 1), Subsurface=.2, Subsurface_Color=(.5, .12, .1, 1),
               Subsurface_Radius=(.08, .03, .02), Roughness=.35)
    noise = t.add('ShaderNodeTexNoise')
    noise.inputs['Scale'].default_value = 60
    t.link(t.bump(noise.outputs[0], .12, .01).outputs[0], b.inputs['Normal'])
    t.link(t.mix(t.vertex_colour('front')[0], (.08, .02, .02), (.42, .13, .12)), b.inputs['Emission'])
    set_inputs(b, Emission_Strength=.5 * INNER_LIGHT / config.get('exposure', 1.))
    return m


def alpha_material(name, path, colour, gain=1., roughness=.6):
    """A plain colour cut out by a texture's alpha (lashes, hair caps)."""
    m, t, b = new_material(name)
    set_inputs(b, Base_Color=(*colour, 1), Roughness=roughness, Specular=.2)
    t.link(t.math('MULTIPLY', t.image(load_image(path)).outputs[1], gain, True), b.inputs['Alpha'])
    return m


def hair_material(name, melanin=.8, red=.3, roughness=.3, radial_roughness=.3, variation=.12, dye=None):
    """Principled hair by melanin or dye."""
    m, t, _ = new_material(name)
    t.nodes.clear()
    out, hair = t.add('ShaderNodeOutputMaterial'), t.add('ShaderNodeBsdfHairPrincipled')
    if dye:
        hair.parametrization = 'COLOR'
        hair.inputs['Color'].default_value = (*dye, 1)
    else:
        hair.parametrization = 'MELANIN'
        set_inputs(hair, Melanin=melanin, Melanin_Redness=red)
    set_inputs(hair, Roughness=roughness, Radial_Roughness=radial_roughness, Random_Color=variation, Random_Roughness=.2,
               Coat=0)
    t.link(hair.outputs[0], out.inputs[0])
    return m


# ------------------------------------------------------------------------------------------------------ clothes
def mark_cloth_parts(obj, cloth, vertices, proxy):
    """Colour the connected pieces of a garment (jacket, shirt...) separately: vertex colour 'part'."""
    used = np.unique([i for _, f, _ in proxy['faces'] for i in f])
    parent = {int(i): int(i) for i in used}

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i
    for _, f, _ in proxy['faces']:
        for k in f[1:]:
            parent[find(f[0])] = find(k)
    label = np.array([find(int(i)) for i in used])
    ids, sizes = np.unique(label, return_counts=True)
    colours = np.ones((len(vertices), 3))
    for rank, k in enumerate(np.argsort(-sizes)):               # rank 0 = the largest piece
        colours[used[label == ids[k]]] = cloth.get('part_colours', {}).get(str(rank), cloth.get('colour', (1, 1, 1)))
    set_vertex_colour(obj, 'part', colours)


def cloth_material(cloth, assets):
    """Cloth by texture or by colour, stripes and weave."""
    m, t, b = new_material('cl_' + cloth['id'])
    position = t.add('ShaderNodeTexCoord').outputs['Object']
    folder = f"{assets.textures}/proxies/clothes/{cloth['id']}/textures/{cloth['id']}"
    if cloth.get('texture'):
        colour = t.image(load_image(folder + '_diffuse.png')).outputs[0]
        if cloth.get('texture_hsv'):
            h = t.add('ShaderNodeHueSaturation')
            for i in range(3):
                h.inputs[i].default_value = cloth['texture_hsv'][i]
            t.link(colour, h.inputs[4])
            colour = h.outputs[0]
    else:
        colour = t.add('ShaderNodeVertexColor', layer_name='part').outputs[0]
        if cloth.get('stripe'):                                  # stripes per dm along x, their colour and share
            axis = t.add('ShaderNodeSeparateXYZ')
            t.link(position, axis.inputs[0])
            phase = t.math('FRACT', t.math('MULTIPLY', axis.outputs[0], cloth['stripe']['per_dm']))
            colour = t.mix(t.math('LESS_THAN', phase, cloth['stripe'].get('share', .16)), colour, cloth['stripe']['colour'])
    set_inputs(b, Roughness=cloth.get('roughness', .85), Specular=.2, Sheen=cloth.get('sheen', .5), Sheen_Tint=.5)
    t.link(colour, b.inputs['Base Color'])
    t.output('rest', position)
    white = t.add('ShaderNodeRGB')
    white.outputs[0].default_value = (1, 1, 1, 1)
    t.output('cloth', white.outputs[0])
    # folds: creases that run down from the shoulders, and wider dents
    stretched = t.add('ShaderNodeMapping')
    stretched.inputs['Scale'].default_value = (1.5, 1., .55)
    stretched.inputs['Rotation'].default_value = (0, .5, 0)
    t.link(position, stretched.inputs[0])
    crease = t.math('ABSOLUTE', t.math('SUBTRACT', t.noise(stretched.outputs[0], 1.2, 1, Distortion=.3), .5))
    height = t.math('ADD', t.math('MINIMUM', t.math('MULTIPLY', crease, 2.2), .5), t.noise(position, .9, 1, Distortion=.3))
    folds = t.bump(height, cloth.get('folds', .32), .5)
    if cloth.get('normal_map'):
        painted = t.image(load_image(folder + '_normal.png', True))
        painted.interpolation = 'Linear'
        n = t.add('ShaderNodeNormalMap')
        n.inputs[0].default_value = .8
        t.link(painted.outputs[0], n.inputs[1])
        t.link(n.outputs[0], folds.inputs['Normal'])
    t.link(folds.outputs[0], b.inputs['Normal'])
    return m


def lining_material(cloth):
    """The inside of a garment: plain, and a little brighter than in the real light of a neck."""
    m, _, b = new_material('lining_' + cloth['id'])
    colour = cloth.get('lining', tuple(.7 * np.array(cloth.get('colour', (.6, .6, .6)))))
    set_inputs(b, Base_Color=(*colour, 1), Roughness=.9, Specular=.1, Emission=(*colour, 1), Emission_Strength=.12)
    return m
