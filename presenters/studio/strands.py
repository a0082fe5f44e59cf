"""Position and direction of hair strands in the picture, so that noise is smoothed along them and never across.

A strand is about two pixels wide, and with few samples it has salt-and-pepper noise, most visible in grey hair. A mean along
the strand (a line integral convolution) removes it.
"""
import numpy as np
from scipy import ndimage as ndi

STEP = 2.                  # px between the drawn points of a strand
BEHIND = .12               # dm; strands further behind the visible surface are hidden
FULL = .22                 # minimum drawn points per px, blurred, of a pixel that counts as hair


class StrandFlow:
    """cover: share of hair in a pixel, 0..1; angle: of its strands, rad; reach: px to smooth along."""

    def __init__(self, stage, depth, box=None):
        """depth: the render's z pass (h, w) in dm from the camera; box: its position in the plate, px."""
        h, w = depth.shape
        left, top = box[:2] if box else (0, 0)
        sums = np.zeros((4, h * w))                              # cos, sin, count, reach
        for strands, reach in stage.strands():
            for points, along in self.drawn(stage, strands):
                x = np.round(points[0] - left).astype(int)
                y = np.round(points[1] - top).astype(int)
                inside = (x >= 0) & (x < w) & (y >= 0) & (y < h)
                x, y, distance = x[inside], y[inside], points[2][inside]
                seen = distance < depth[y, x] + BEHIND
                at, angle = (y * w + x)[seen], 2 * along[inside][seen]
                for row, value in enumerate((np.cos(angle), np.sin(angle), np.ones(len(at)), np.full(len(at), reach))):
                    sums[row] += np.bincount(at, value, h * w)
        cos, sin, count, reach = (ndi.gaussian_filter(s.reshape(h, w), 1.3) for s in sums)
        self.cover = np.clip(count / FULL, 0, 1).astype(np.float32)
        length = np.hypot(cos, sin)
        # strands that cross in all directions, as in curls, are followed only a short way
        coherence = length / np.maximum(count, 1e-6)
        self.reach = reach / np.maximum(count, 1e-6) * np.clip(coherence * 1.4, 0, 1)
        self.angle = .5 * np.arctan2(sin, cos)

    @staticmethod
    def drawn(stage, strands):
        """Points along the strands in batches: (x, y, distance from the camera) and the angle in the picture."""
        for part in np.array_split(strands, max(1, len(strands) // 4000)):
            x, y = stage.project(part.reshape(-1, 3).T)
            z = stage.eye_centre[2] + stage.camera_distance - part[..., 2]
            p = np.stack([x.reshape(z.shape), y.reshape(z.shape), z])
            a, b = p[:, :, :-1], p[:, :, 1:]
            along = np.arctan2(b[1] - a[1], b[0] - a[0])
            longest = np.percentile(np.hypot(b[0] - a[0], b[1] - a[1]), 99)
            for t in np.arange(0, 1, STEP / max(longest, STEP)):
                yield (a + (b - a) * t).reshape(3, -1), along.ravel()

    def smooth(self, picture):
        """The picture, smoothed along strands; (h, w, channels)."""
        h, w = self.cover.shape
        ys, xs = np.nonzero(self.cover > .02)
        if not len(ys):
            return picture
        reach = np.maximum(self.reach[ys, xs], .5)
        total = picture[ys, xs].astype(np.float64)
        weight = np.ones(len(ys))
        for way in (1, -1):
            x, y = xs.astype(float), ys.astype(float)
            dx, dy = way * np.cos(self.angle[ys, xs]), way * np.sin(self.angle[ys, xs])
            for k in range(1, int(np.ceil(reach.max())) + 1):
                x, y = np.clip(x + dx, 0, w - 1.001), np.clip(y + dy, 0, h - 1.001)
                xi, yi = x.astype(int), y.astype(int)
                fx, fy = (x - xi)[:, None], (y - yi)[:, None]
                colour = ((picture[yi, xi] * (1 - fx) + picture[yi, xi + 1] * fx) * (1 - fy)
                          + (picture[yi + 1, xi] * (1 - fx) + picture[yi + 1, xi + 1] * fx) * fy)
                share = np.exp(-2 * (k / reach) ** 2) * self.cover[yi, xi]
                total += colour * share[:, None]
                weight += share
                angle = self.angle[yi, xi]
                ahead = np.where(np.cos(angle) * dx + np.sin(angle) * dy < 0, -1, 1)
                dx, dy = np.cos(angle) * ahead, np.sin(angle) * ahead
        out = picture.copy()
        out[ys, xs] = total / weight[:, None]
        return out
