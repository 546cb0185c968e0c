import textures

# Handles of samplers, as the kernel has them (enum lockstep_sampler), and the options that a texture with the same state has.
SAMPLERS = [(0x12, ""), (0x22, "linear"), (0x24, "linear,border=0"), (0x27, "linear,normalized,wrap"), (0x29, "linear,normalized,mirror"), (0x15, "normalized,border=0")]
IMAGES = [("2d=7x5", "f32", options, f32s, lambda image, x: image.fetch(x[0], x[1])) for _, options in SAMPLERS]


def results():
    return textures.results(IMAGES, coordinates)


def layers():
    """What whole coordinates outside read by a sampler with a border, and by one that clamps; the image has neither."""
    rows = []
    for t in range(32):
        x, layer = t - 8, t % 3
        texel = f32s[layer * 7 + min(max(x, 0), 6)]
        rows += [textures.single(texel if 0 <= x < 7 else 0), textures.single(texel)]
    return rows
