// Seven-point stencil in single precision on a 3-D grid of 3-D groups with halo in a 3-D shared array, two steps with fused multiply-add.
extern "C" __global__ void stencil3d(const float *in, float *out)
{
	__shared__ float box[4][6][10];
	int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y, d = gridDim.z * blockDim.z;
	int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, x = blockIdx.x * blockDim.x + tx, y = blockIdx.y * blockDim.y + ty,
	    z = blockIdx.z * blockDim.z + tz;
	for (int dz = -1; dz <= 1; dz++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				if ((dx < 0 && tx) || (dx > 0 && tx != 7) || (dy < 0 && ty) || (dy > 0 && ty != 3) || (dz < 0 && tz) || (dz > 0 && tz != 1))
					continue;
				int X = x + dx, Y = y + dy, Z = z + dz;
				bool inside = X >= 0 && X < w && Y >= 0 && Y < h && Z >= 0 && Z < d;
				box[tz + 1 + dz][ty + 1 + dy][tx + 1 + dx] = inside ? in[(Z * h + Y) * w + X] : -1.5f;
			}
	__syncthreads();
	float v = box[tz + 1][ty + 1][tx + 1] * -6.0f;
	v = __fmaf_rn(0.7f, box[tz][ty + 1][tx + 1], v);
	v = __fmaf_rn(1.3f, box[tz + 2][ty + 1][tx + 1], v);
	v = __fmaf_rn(0.9f, box[tz + 1][ty][tx + 1], v);
	v = __fmaf_rn(1.1f, box[tz + 1][ty + 2][tx + 1], v);
	v = __fmaf_rn(0.3f, box[tz + 1][ty + 1][tx], v);
	v = __fmaf_rn(1.7f, box[tz + 1][ty + 1][tx + 2], v);
	out[(z * h + y) * w + x] = v;
}
