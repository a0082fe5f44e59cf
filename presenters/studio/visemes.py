"""Mouth shapes as weights of expression units and pose units (see human.Human.pose)."""


def clamp01(x):
    """x limited to 0 .. 1."""
    return max(0., min(1., x))


def add(*shapes):
    """The sum of several sets of weights."""
    out = {}
    for shape in shapes:
        for k, v in shape.items():
            out[k] = out.get(k, 0) + v
    return out


def mouth_grid(opening, width, smile=.42):
    """opening 0 closed .. 1 wide open; width -1 rounded and protruded .. +1 spread."""
    rounded, spread = clamp01(-width), clamp01(width)
    c = {
        'JawDrop': .52 * opening * (1 - .12 * rounded),
        'mouth-open': .27 * opening * (1 - .3 * rounded),
        'UpperLipUp': .30 * min(1, opening * 2.5) * (1 - .6 * rounded),
        'mouth-corner-puller': smile * (1 - .9 * rounded) * (1 - .35 * opening),
        'mouth-elevation': .14 * min(1, opening * 2.2) * (1 - rounded),
        'bone:tongue01:x': 5 * opening,
    }
    if rounded:
        c['mouth-pursing'] = .80 * rounded * (1 - .35 * opening)
        c['LipsKiss'] = .5 * rounded
        c['bone:oris02:x'] = -7 * rounded            # protruded, the lower lip would sink and bare its teeth
        c['mouth-protusion'] = .16 * rounded * (.35 + .65 * min(1, opening * 2))
    if spread:
        c['mouth-retraction'] = .45 * spread
        c['MouthLeftPullSide'] = c['MouthRightPullSide'] = .25 * spread
        c['mouth-elevation'] += .24 * spread * min(1, .3 + opening * 3)
        c['mouth-depression-retraction'] = .12 * spread * min(1, opening * 3)
    return c


# additional patches for consonants that the grid cannot represent
CONSONANTS = {
    'PP': add(mouth_grid(0, -.12), {'mouth-compression': .30, 'lowerLipUp': .25}),
    # the lower lip rolls in under the edges of the upper incisors
    'FF': {'mouth-corner-puller': .2, 'UpperLipUp': .55, 'mouth-elevation': .3, 'lowerLipUp': .6,
           'lowerLipBackward': 1.0, 'JawDrop': .12},
    # the tip of the tongue between both rows; for l and n, behind the upper one
    'TH': add(mouth_grid(.36, .15), {'TongueOut': .48, 'mouth-elevation': .10}),
    'DD': add(mouth_grid(.22, .25), {'TongueUp': .06, 'TongueOut': .14, 'mouth-elevation': .22}),
    'nn': add(mouth_grid(.25, .15), {'TongueOut': .18, 'bone:tongue01:x': 2, 'mouth-elevation': .20}),
    'SS': add(mouth_grid(.10, .45), {'mouth-part-later': .12, 'mouth-elevation': .15}),
    'CH': add(mouth_grid(.18, -.45), {'mouth-protusion': .16, 'mouth-elevation': .28}),
    'RR': add(mouth_grid(.22, -.5), {'mouth-elevation': .12}),
}

OPENINGS = [0, .3, .62, 1.0]
WIDTHS = [-1, -.5, 0, 1]


def smile(opening):
    """A smile with lips closed (0) or slightly open."""
    return add(mouth_grid(opening, .5, .42), {'mouth-corner-puller': .5, 'mouth-upward-retraction': .22 if opening else .0,
                                              'LeftCheekUp': .3, 'RightCheekUp': .3})


def all_patches(config):
    """[(id, manifest keys, controls)] in pack order: the 4 x 4 grid, consonants, smiles. g02 is the resting mouth.

    config['grid_overrides'] = {'g33': [opening, width]} reduces a shape that is too wide for this face (visible cheek lining).
    """
    out, overrides = [], config.get('grid_overrides', {})
    for i, o in enumerate(OPENINGS):
        for j, w in enumerate(WIDTHS):
            out.append((f'g{i}{j}', dict(open=o, width=w),
                        mouth_grid(*overrides.get(f'g{i}{j}', (o, w))) if (o, w) != (0, 0) else {}))
    for k in ('PP', 'FF', 'TH', 'DD', 'nn', 'SS', 'CH', 'RR'):
        out.append((k, dict(viseme=k), CONSONANTS[k]))
    for o in (0, .35):
        out.append((f'smile{int(o * 100)}', dict(smile=o), smile(o)))
    return out


def eyelids(config, closed):
    """Controls for lids `closed` 0..1; the last stage overshoots so that the eye is completely covered."""
    rest = config.get('rest', {})
    upper = closed * (1.12 if closed == 1 else 1)
    lower = rest.get('LeftLowerLidUp', 0) + .25 * closed
    return {'LeftUpperLidClosed': upper, 'RightUpperLidClosed': upper, 'LeftLowerLidUp': lower, 'RightLowerLidUp': lower,
            'eyebrows-left-down': .12 * closed, 'eyebrows-right-down': .12 * closed}
