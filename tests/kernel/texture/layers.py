import math

import textures

IMAGES = [  # as in the launch line, and the words that a thread with coordinates x must get
    ("a1d=8x3", "f32", "linear", f32s, lambda image, x: image.fetch(x[1], layer=max(int(x[0]), 0))),
    ("a2d=5x4x3", "f32x4", "", f32s, lambda image, x: image.fetch(x[1], x[2], layer=max(int(x[0]), 0))),
    ("a2d=5x4x3", "f32x2", "linear,normalized,wrap", f32s, lambda image, x: image.fetch(x[1], x[2], layer=max(int(x[0]), 0))),
    ("cube=4", "f32", "", f32s, lambda image, x: image.fetch(*x[:3])),
    ("cube=4", "f32", "linear,normalized,wrap", f32s, lambda image, x: image.fetch(*x[:3])),
    ("acube=4x2", "f32x2", "linear", f32s, lambda image, x: image.fetch(*x[1:], layer=max(int(x[0]), 0))),
]


def results():
    return textures.results(IMAGES, coordinates)
