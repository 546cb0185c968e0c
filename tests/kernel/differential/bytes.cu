// Vectors of bytes and shorts: a blur of four channels with clamped edges on a 2-D grid, signed and unsigned, packed averages.
extern "C" __global__ void bytes(const uchar4 *image, uchar4 *out, short4 *wide)
{
	int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y, x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int r = 0, g = 0, b = 0, a = 0;
	short4 m = make_short4(127, 127, -128, 0);
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			int px = x + dx < 0 ? 0 : x + dx >= w ? w - 1 : x + dx, py = y + dy < 0 ? 0 : y + dy >= h ? h - 1 : y + dy;
			uchar4 p = image[py * w + px];
			int k = dx && dy ? 1 : dx || dy ? 2 : 4;
			r += k * p.x, g += k * p.y, b += k * p.z, a += (signed char)p.w;
			m.x = (short)(m.x < (signed char)p.x ? m.x : (signed char)p.x);
			m.y = (short)(m.y * (signed char)p.y >> 3);
			m.z = (short)(m.z > p.z ? m.z : p.z);
			m.w = (short)(m.w + ((p.w << 8 | p.x) ^ 0x8000));
		}
	out[y * w + x] = make_uchar4((unsigned char)(r >> 4), (unsigned char)(g / 17), (unsigned char)(b % 251), (unsigned char)(a / 9));
	wide[y * w + x] = m;
}
