"""What textures mean, in exact fractions: the formulas of the CUDA C++ programming guide ("Texture Fetching", "Texture Object API",
"Cubemap Textures").  For the .py beside kernel tests; shares nothing with the simulator.

    Image("2d=8x4", "u8x4", source, "linear,normalized,float").fetch(x, y)      four 32-bit words, as tex gives them

Shape, format and options are written as in --arg tex: (src/cli/arguments.h)."""
import math
import struct
from fractions import Fraction

LENGTHS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 2, "acube": 2, "buffer": 1}


def single(value):
    """The bits of a number as .f32."""
    return struct.unpack("<I", struct.pack("<f", float(value)))[0]


def word(value):
    return value & 0xffffffff


def to_linear(c):
    return c / Fraction(1292, 100) if c <= Fraction(4045, 100000) else Fraction(((float(c) + 0.055) / 1.055) ** 2.4)


class Image:
    def __init__(self, shape, form, data, options=""):
        self.shape, _, sizes = shape.partition("=")
        sizes = [int(n) for n in sizes.split("x")]
        self.dimensions, self.layers = LENGTHS[self.shape], 1
        self.cube = self.shape in ("cube", "acube")
        if self.cube:
            self.layers, sizes = (sizes + [1])[1], [sizes[0], sizes[0]]
        elif self.shape[0] == "a":
            self.layers = sizes.pop()
        self.size = sizes
        self.kind, _, channels = form.partition("x")
        self.channels = int(channels or 1)
        self.data = data                        # of all channels, in order
        self.options = dict((o.partition("=")[0], o.partition("=")[2]) for o in options.split(",") if o)
        self.border = Fraction(float(self.options.get("border", 0)))
        self.is_float = self.kind[0] == "f" or "float" in self.options
        self.linear = "linear" in self.options and self.is_float

    def level_size(self, level):
        return [max(n >> level, 1) for n in self.size]

    def texel(self, at, slice_number, channel, level):
        """None in `at`: the border.  A Fraction where texels are read as floating point, else the integer."""
        if None in at:
            return 0 if self.shape == "buffer" else self.border if self.is_float else int(self.border)
        start = 0
        for k in range(level):
            start += math.prod(self.level_size(k)) * self.layers * (6 if self.cube else 1)
        size = self.level_size(level)
        index = slice_number
        for n, x in reversed(list(zip(size, at))):
            index = index * n + x
        value = self.data[(start + index) * self.channels + channel]
        if self.kind[0] == "f":
            return Fraction(value)
        if "float" not in self.options:
            return value
        bits = int(self.kind[1:])
        if self.kind[0] == "s":
            return max(Fraction(value, (1 << bits - 1) - 1), Fraction(-1))
        value = Fraction(value, (1 << bits) - 1)
        return to_linear(value) if "srgb" in self.options and channel < 3 else value

    def inside(self, index, n):
        if 0 <= index < n:
            return index
        if "border" in self.options or self.shape == "buffer":
            return None
        if "wrap" in self.options and "normalized" in self.options and not self.cube:
            return index % n
        return min(max(index, 0), n - 1)

    def steps(self, x, n, linear):
        """Texels of one direction and their weights."""
        x = Fraction(x)
        if "normalized" in self.options or self.cube:
            whole = math.floor(x)
            if "wrap" in self.options and not self.cube:
                x -= whole
            if "mirror" in self.options and not self.cube:
                x = x - whole if whole % 2 == 0 else 1 - (x - whole)
            x *= n
        if not linear:
            return [(self.inside(math.floor(x), n), Fraction(1))]
        first = math.floor(x - Fraction(1, 2))
        weight = Fraction(math.floor((x - Fraction(1, 2) - first) * 256 + Fraction(1, 2)), 256)
        return [(self.inside(first, n), 1 - weight), (self.inside(first + 1, n), weight)]

    def sample(self, x, slice_number, channel, level):
        total = [([], Fraction(1))]
        for coordinate, n in zip(x, self.level_size(level)):
            total = [(at + [k], w * v) for at, w in total for k, v in self.steps(coordinate, n, self.linear)]
        return sum(w * self.texel(at, slice_number, channel, level) for at, w in total if w)

    def place(self, x, layer):
        """Coordinates within a slice, and the slice."""
        layer = min(layer, self.layers - 1)
        if not self.cube:
            return x[:self.dimensions], layer
        magnitude = [abs(v) for v in x]
        axis = max(2, 1, 0, key=lambda k: (magnitude[k], k))
        positive, m = x[axis] >= 0, Fraction(magnitude[axis])
        s, t = {(0, True): (-x[2], -x[1]), (0, False): (x[2], -x[1]), (1, True): (x[0], x[2]),
                (1, False): (x[0], -x[2]), (2, True): (x[0], -x[1]), (2, False): (-x[0], -x[1])}[axis, positive]
        return [(Fraction(s) / m + 1) / 2, (Fraction(t) / m + 1) / 2], layer * 6 + axis * 2 + (not positive)

    def finish(self, values):
        """Four words; what the image lacks is 0, the fourth 1."""
        values = list(values) + [0, 0, 0, 1][self.channels:]
        return [single(v) if self.is_float else word(int(v)) for v in values]

    def fetch(self, *x, layer=0, lod=0):
        x, slice_number = self.place(x, layer)
        levels = int(self.options.get("levels", 1))
        lod = min(max(Fraction(lod), 0), levels - 1)
        first, share = math.floor(lod + Fraction(1, 2)), Fraction(0)
        if "trilinear" in self.options and self.is_float:
            first = math.floor(lod)
            share = Fraction(math.floor((lod - first) * 256 + Fraction(1, 2)), 256)

        def value(channel):
            below = self.sample(x, slice_number, channel, first)
            return below if not share else (1 - share) * below + share * self.sample(x, slice_number, channel, first + 1)
        return self.finish(value(c) for c in range(self.channels))

    def whole(self, *x, layer=0, lod=0):
        """Texels by number."""
        size = self.level_size(lod)
        at = [self.inside_whole(k, n) for k, n in zip(x, size)]
        return self.finish(self.texel(at, min(layer, self.layers - 1), c, lod) for c in range(self.channels))

    def inside_whole(self, index, n):
        if 0 <= index < n:
            return index
        if "border" in self.options or self.shape == "buffer":
            return None
        return index % n if "wrap" in self.options and "normalized" in self.options else min(max(index, 0), n - 1)

    def gather(self, x, y, channel):
        """The texels (x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y) around a place."""
        (left, _), (right, _) = self.steps(x, self.size[0], True)
        (upper, _), (lower, _) = self.steps(y, self.size[1], True)
        texels = [(left, lower), (right, lower), (right, upper), (left, upper)]
        values = [self.texel(list(at), 0, channel, 0) if channel < self.channels else [0, 0, 0, 1][channel] for at in texels]
        return [single(v) if self.is_float else word(int(v)) for v in values]


def results(images, coordinates):
    """The words of all threads, image by image.  An image: shape, form, options, data, and the words for four coordinates."""
    words = []
    for shape, form, options, data, fetch in images:
        image = Image(shape, form, data, options)
        for i in range(len(coordinates) // 4):
            words += fetch(image, coordinates[4 * i:4 * i + 4])
    return words
