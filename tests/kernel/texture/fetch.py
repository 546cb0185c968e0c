import math

import textures

IMAGES = [  # as in the launch line, and the words that a thread with coordinates x must get
    ("1d=8", "f32", "", f32s, lambda image, x: image.fetch(x[0])),
    ("1d=8", "f32", "linear", f32s, lambda image, x: image.fetch(x[0])),
    ("1d=8", "f32x2", "linear,normalized,wrap", f32s, lambda image, x: image.fetch(x[0])),
    ("2d=8x4", "f32x4", "", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "f32", "wrap", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "f32x4", "linear", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "f32", "linear,border=2.5", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=7x5", "f32", "linear,normalized", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=7x5", "f32", "normalized,wrap", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=7x5", "f32x2", "linear,normalized,wrap", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=7x5", "f32", "normalized,mirror", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=7x5", "f32", "linear,normalized,mirror", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=7x5", "f32", "linear,normalized,border=-1", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "u8x4", "linear,float", u8s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "s8x2", "linear,float", s8s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "u16", "float", u16s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "s16x4", "linear,float", s16s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "u8x4", "float,srgb", u8s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "f16x4", "linear", f16s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=1x1", "f32", "linear,normalized,wrap", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=64x64", "f32", "linear", f32s, lambda image, x: image.fetch(x[0], x[1])),
    ("3d=5x4x3", "f32", "", f32s, lambda image, x: image.fetch(*x[:3])),
    ("3d=5x4x3", "f32x2", "linear", f32s, lambda image, x: image.fetch(*x[:3])),
    ("3d=5x4x3", "u8", "linear,float,normalized,wrap", u8s, lambda image, x: image.fetch(*x[:3])),
    ("2d=8x4", "f32", "levels=2", f32s, lambda image, x: image.fetch(x[0], x[1])),
]


def results():
    return textures.results(IMAGES, coordinates)
