import math

import textures

IMAGES = [  # as in the launch line, and the words that a thread with coordinates x must get
    ("1d=8", "f32", "linear,normalized,levels=4,trilinear", f32s, lambda image, x: image.fetch(x[0], lod=x[3])),
    ("2d=16x8", "f32", "normalized,levels=4", f32s, lambda image, x: image.fetch(x[0], x[1], lod=x[3])),
    ("2d=16x8", "f32x2", "linear,normalized,wrap,levels=4,trilinear", f32s, lambda image, x: image.fetch(x[0], x[1], lod=x[3])),
    ("2d=16x8", "f32", "linear,trilinear", f32s, lambda image, x: image.fetch(x[0], x[1], lod=x[3])),
    ("3d=4x4x4", "f32", "linear,normalized,levels=3,trilinear", f32s, lambda image, x: image.fetch(*x[:3], lod=x[3])),
    ("a2d=4x4x3", "f32", "linear,normalized,levels=2,trilinear", f32s, lambda image, x: image.fetch(x[1], x[2], layer=max(int(x[0]), 0), lod=x[3])),
    ("2d=16x8", "f32", "normalized,levels=4", f32s, lambda image, x: image.fetch(x[0], x[1], lod=lod_of(x[2] * 16, x[3] * 8))),
    ("1d=8", "f32", "levels=4", f32s, lambda image, x: image.fetch(x[0], lod=lod_of(x[2], x[3]))),
    ("3d=4x4x4", "f32", "levels=3", f32s, lambda image, x: image.fetch(*x[:3], lod=lod_of(x[3], 0))),
]


def results():
    return textures.results(IMAGES, coordinates)


def lod_of(a, b):
    """Of the gradients (a, 0) and (0, b), in texels."""
    return math.log2(max(abs(a), abs(b), 1e-9))
