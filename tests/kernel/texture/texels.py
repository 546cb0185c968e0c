import math

import textures

IMAGES = [  # as in the launch line, and the words that a thread with coordinates x must get
    ("buffer=8", "f32x4", "", f32s, lambda image, x: image.whole(math.floor(x[0]))),
    ("buffer=9", "u8", "float", u8s, lambda image, x: image.whole(math.floor(x[0]))),
    ("1d=8", "f32", "linear", f32s, lambda image, x: image.whole(math.floor(x[0]))),
    ("buffer=8", "u32x4", "", u32s, lambda image, x: image.whole(math.floor(x[0]))),
    ("buffer=9", "s8x2", "", s8s, lambda image, x: image.whole(math.floor(x[0]))),
    ("2d=8x4", "s16", "", s16s, lambda image, x: image.whole(math.floor(x[0]), math.floor(x[1]))),
    ("2d=8x4", "s16x4", "border=-7", s16s, lambda image, x: image.whole(math.floor(x[0]), math.floor(x[1]))),
    ("2d=8x4", "u8x4", "linear", u8s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=7x5", "u16x2", "normalized,wrap", u16s, lambda image, x: image.fetch(x[0], x[1])),
    ("2d=8x4", "f32x4", "", f32s, lambda image, x: image.gather(x[0], x[1], 0)),
    ("2d=8x4", "f32x4", "", f32s, lambda image, x: image.gather(x[0], x[1], 1)),
    ("2d=8x4", "f32x4", "", f32s, lambda image, x: image.gather(x[0], x[1], 2)),
    ("2d=8x4", "f32x4", "", f32s, lambda image, x: image.gather(x[0], x[1], 3)),
    ("2d=8x4", "u8x4", "float,normalized,wrap", u8s, lambda image, x: image.gather(x[0], x[1], 1)),
    ("2d=8x4", "f32x4", "", f32s, lambda image, x: [0x3f800000] + (image.fetch(x[1], x[0]) if x[0] < 0 else image.fetch(x[0], x[1]))[:1] + image.fetch(x[0], x[1])[1:3]),
]


def results():
    return textures.results(IMAGES, coordinates)
