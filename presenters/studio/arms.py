"""Arms and hands posed by directions: where upper arm, forearm and hand point, instead of angles of bones.

Directions are of the person's left arm in MakeHuman axes (x = the person's left, y up, z to the viewer); the right arm mirrors them.
"""
import math

import numpy as np
from mathutils import Matrix, Quaternion, Vector

FINGERS = range(1, 6)                                # 1 = thumb, 2 = index ... 5 = little
TWIST = {'upperarm01': .35, 'lowerarm02': .6}        # share of the turn about their own axis that these bones take


def unit(v):
    """A vector of length 1."""
    return Vector(v).normalized()


def frame(along, side):
    """Rotation matrix with the axes along, the part of side across it, and their normal."""
    a = unit(along)
    b = (Vector(side) - a * a.dot(Vector(side))).normalized()
    return Matrix((a, b, a.cross(b))).transposed()


def twist_about(axis, rotation):
    """The part of a rotation that turns about an axis, in radians -pi .. pi."""
    q = rotation.to_quaternion()
    angle = 2 * math.atan2(Vector((q.x, q.y, q.z)).dot(axis), q.w)
    return (angle + math.pi) % (2 * math.pi) - math.pi


def about(axis, angle):
    """Rotation matrix about an axis."""
    return Quaternion(axis, angle).to_matrix()


class Arm:
    """The bones of one arm at rest. `rotations(pose)` gives their local rotations for `Human.pose`."""

    def __init__(self, human, side):
        def at(bone):
            return Vector(human.bone_head[f'{bone}.{side}'])
        self.side = side
        self.upper = unit(at('lowerarm01') - at('upperarm01'))
        self.fore = unit(at('wrist') - at('lowerarm01'))
        self.hinge = unit(self.upper.cross(self.fore))
        index, little, wrist = at('finger2-1'), at('finger5-1'), at('wrist')
        self.hand = unit(at('finger3-1') - wrist)
        across = unit(index - little)                # from the little finger to the thumb
        self.palm = unit(self.hand.cross(across) if side == 'L' else across.cross(self.hand))
        self.fingers = {k: [unit(at(f'finger{k}-2') - at(f'finger{k}-1')), unit(at(f'finger{k}-3') - at(f'finger{k}-2'))]
                        for k in FINGERS}

    def mirrored(self, v):
        """A direction of the left arm for this arm."""
        return Vector((v[0] if self.side == 'L' else -v[0], v[1], v[2]))

    def rotations(self, pose):
        """pose: upper, fore, hand, palm (directions; palm: out of the palm), curl (degrees per joint, or five of them, thumb
        first), spread (degrees between fingers), bend (the direction of the forearm that decides how the upper arm is turned about
        itself). -> {bone: Quaternion}"""
        upper, fore, hand, palm = (unit(self.mirrored(pose[k])) for k in ('upper', 'fore', 'hand', 'palm'))
        hinge = unit(upper.cross(unit(self.mirrored(pose['bend']))))
        swing = self.upper.rotation_difference(upper).to_matrix()
        turned = frame(upper, hinge) @ frame(self.upper, self.hinge).transposed()
        twist = twist_about(upper, turned @ swing.transposed())
        world = {'upperarm01': about(upper, twist * TWIST['upperarm01']) @ swing, 'upperarm02': turned}
        bent = (turned @ self.fore).rotation_difference(fore).to_matrix() @ turned
        gripped = frame(hand, palm) @ frame(self.hand, self.palm).transposed()
        straight = (bent @ self.hand).rotation_difference(hand).to_matrix() @ bent
        roll = twist_about(fore, gripped @ straight.transposed())
        world.update(lowerarm01=bent, lowerarm02=about(fore, roll * TWIST['lowerarm02']) @ bent, wrist=gripped)
        local, parent = {}, Matrix.Identity(3)
        for bone in ('upperarm01', 'upperarm02', 'lowerarm01', 'lowerarm02', 'wrist'):
            local[f'{bone}.{self.side}'] = (parent.transposed() @ world[bone]).to_quaternion()
            parent = world[bone]
        local.update(self.curls(pose))
        return local

    def curls(self, pose):
        """Local rotations of the fingers: towards the palm, and apart."""
        out, sign = {}, 1 if self.side == 'L' else -1
        curl = pose.get('curl', 20)
        curl = curl if isinstance(curl, (list, tuple)) else [curl * .5] + [curl] * 4
        for k in FINGERS:
            first = self.fingers[k][0]
            towards = self.palm if k > 1 else unit(self.palm * .5 + unit(self.hand) * .2 + self.hand.cross(self.palm) * .6 * sign)
            axis = unit(first.cross(towards))
            spread = about(self.palm, sign * math.radians(pose.get('spread', 0) * (3.5 - k))) if k > 1 else Matrix.Identity(3)
            for joint in (1, 2, 3):
                q = Quaternion(axis, math.radians(curl[k - 1]))
                out[f'finger{k}-{joint}.{self.side}'] = (spread.to_quaternion() @ q) if joint == 1 else q
        return out


def mixed(a, b, share):
    """A pose between two: directions on the sphere's great circle, angles linear."""
    out = {}
    for key in a:
        x, y = a[key], b.get(key, a[key])
        if key in ('upper', 'fore', 'hand', 'palm', 'bend'):
            out[key] = tuple(unit(x).slerp(unit(y), share))
        elif isinstance(x, (list, tuple)):
            out[key] = [p + (q - p) * share for p, q in zip(x, y)]
        else:
            out[key] = x + (y - x) * share
    return out
