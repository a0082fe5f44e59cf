"""Fine structure of skin and cloth, painted into the picture by the place of each pixel on the person at rest (the passes `rest`
and `mask`). It is free of noise, costs no samples, and sticks to the skin in all mouths. Lengths in dm, colours linear."""
import numpy as np
from scipy import ndimage as ndi

SIZE = 64                              # edge of the periodic volumes of noise, voxels
PORE = 6                               # voxels between two pores
LIGHT = np.array([-.62, .62, .48])     # towards the key light
RELIEF = .005                          # dm between the two places whose heights are compared


def volumes(seed=5):
    """(smooth noise of deviation 1, hollows of pores 0 .. 1), both (SIZE, SIZE, SIZE) and periodic."""
    rng = np.random.RandomState(seed)
    noise = ndi.gaussian_filter(rng.normal(size=(SIZE,) * 3), .7, mode='wrap')
    cells = np.stack(np.meshgrid(*[np.arange(0, SIZE - 1, PORE)] * 3), -1).reshape(-1, 3)
    away = np.ones((SIZE,) * 3, bool)
    away[tuple(((cells + rng.uniform(0, PORE, cells.shape)).astype(int) % SIZE).T)] = False
    distance = ndi.distance_transform_edt(np.pad(away, PORE, mode='wrap'))[(slice(PORE, -PORE),) * 3]
    return (noise / noise.std()).astype(np.float32), np.clip(1 - distance / (.5 * PORE), 0, 1).astype(np.float32)


NOISE, PORES = volumes()


def look_up(volume, places):
    """A periodic volume at places (n, 3) in voxels."""
    return ndi.map_coordinates(volume, places.T, order=1, mode='grid-wrap')


def noise(places, per_dm):
    """Noise of deviation 1 with about this many grains per dm, per axis or for all."""
    return look_up(NOISE, places * np.asarray(per_dm) * 2.)


def skin_height(places, region, lips, wrinkles):
    """Relief of the skin: pores where the region is oily, a net of fine lines, wrinkles across the forehead of older people."""
    fine = .30 * noise(places, 24) + .24 * noise(places, 52) + .16 * noise(places, 110)
    lines = noise(places, (48, 9, 9)) * lips
    creases = -np.abs(noise(places, (1.6, 13, 5))) * wrinkles
    return (fine - .9 * look_up(PORES, places * 40 * PORE) * region) * (1 - lips) + .6 * lines + creases


def paint_skin(albedo, light, gloss, rest, mask, look, beard):
    """Skin pixels (n, 3) with mottling, freckles, stubble and relief: albedo, light, gloss. mask: lips, oily regions, beard."""
    lips, oily, bearded = mask.T
    region = .45 + .55 * np.clip(oily, 0, 1)
    blood = .6 * noise(rest, 5) + .4 * noise(rest + 9, 13)
    pigment = .6 * noise(rest + 3, 21) + .4 * noise(rest + 5, 44)
    amount = look.get('mottling', 1.)
    albedo = albedo * (1 + amount * (blood[:, None] * np.array([.008, .045, .040]) + .022 * pigment[:, None]))
    spots = np.clip(noise(rest + 7, 46) - 1.35, 0, 1) * look.get('freckles', .3) * .5 * (1 - lips)
    albedo = albedo * (1 - np.clip(spots, 0, .6)[:, None] * np.array([.30, .48, .55]))
    if beard:
        amount = beard['amount']                       # stubble of single dots up to a beard through which no skin is visible
        hairs = noise(rest + 1, (105, 105, 105) if amount < .5 else (85, 34, 85))
        cover = bearded * amount * np.clip(.42 + .45 * amount + (.34 - .14 * amount) * hairs, 0, 1.1)
        cover = np.clip(cover, 0, 1)[:, None]
        shade = np.array(beard['colour']) * (1 + .45 * np.clip(hairs, -1, 2))[:, None]
        albedo = albedo * (1 - cover) + np.clip(shade, 0, 1) * cover
    wrinkles = look.get('wrinkles', 0.) * np.clip(oily, 0, 1)
    toward = rest + RELIEF * LIGHT
    slope = (skin_height(rest, region, lips, wrinkles) - skin_height(toward, region, lips, wrinkles))[:, None]
    strength = look.get('bump', 1.)
    slope = strength * slope
    return albedo, light * np.clip(1 + .17 * slope, .6, 1.5), gloss * np.clip(1 + .45 * slope, .3, 2.)


def weave(places, fabric):
    """Brightness of a fabric about 1: plain threads, the ribs of twill, or the stitches of a knit."""
    x, y = places[:, 0], places[:, 2]
    uneven = .35 * noise(places, (8, 8, 60)) + .35 * noise(places + 4, (60, 8, 8)) + .5 * noise(places + 2, 60)
    if fabric == 'knit':
        column = x * 15 + .06 * noise(places, 3)
        stitch = np.abs(column % 1 - .5)
        legs = .09 * np.cos(2 * np.pi * (y * 19 + stitch * 1.1)) - .22 * (.5 - np.abs(stitch - .25) * 2) ** 2
        return 1 + legs - .1 * (stitch > .46) + .03 * uneven
    if fabric == 'twill':
        return 1 + .05 * np.cos(2 * np.pi * (x + y) * 46) + .045 * uneven
    return 1 + .025 * np.cos(2 * np.pi * x * 74) + .025 * np.cos(2 * np.pi * y * 74) + .04 * uneven


def seams(places, shoulders):
    """Brightness of cloth about 1 at the seams of sleeves: `shoulders`: (joint, direction along the arm), in Blender's axes."""
    out = np.ones(len(places))
    for joint, way in shoulders:
        way = way / np.linalg.norm(way)
        d = (places - joint) @ way + .10 + .02 * noise(places, 1.5)
        near = np.exp(-(((places - joint) ** 2).sum(1) / 1.3 ** 2) ** 2)
        groove, ridge, pucker = (np.exp(-((d - at) / width) ** 2) for at, width in ((0, .010), (-.03, .018), (.05, .05)))
        out += near * (.07 * ridge - .34 * groove - .06 * pucker)
    return out
