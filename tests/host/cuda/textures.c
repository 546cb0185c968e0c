/* Arrays, textures and surfaces.  Expectations are the formulas of the CUDA C++ programming guide, "Texture Fetching",
 * and the errors of the runtime's manual. */
#include "kernels.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

EMBED(textures_fatbin, "textures.fatbin");

static const struct {
	uint32_t magic, version;
	const void *data, *modules;
} wrapper = {0x466243b1, 1, textures_fatbin, NULL};

static const char fetch_buffer, fetch_bytes, fetch_plane, fetch_pairs, fetch_space, fetch_layer, fetch_cube,
	fetch_level, increase;

struct place {
	float x, y, z, w;
};

#define PLACES 64
static struct place *places; /* managed, as is all that kernels write */
static float *out;

static const struct cudaChannelFormatDesc single = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static void register_kernels(void)
{
	void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);
#define KERNEL(name) __cudaRegisterFunction(module, &name, NULL, #name, -1, NULL, NULL, NULL, NULL, NULL)
	KERNEL(fetch_buffer), KERNEL(fetch_bytes), KERNEL(fetch_plane), KERNEL(fetch_pairs), KERNEL(fetch_space);
	KERNEL(fetch_layer), KERNEL(fetch_cube), KERNEL(fetch_level), KERNEL(increase);
#undef KERNEL
	__cudaRegisterFatBinaryEnd(module);
}

/* A number in [from, to) that depends on k. */
static float number(uint32_t k, float from, float to)
{
	k = (k + 1) * 2654435761u;
	return from + (to - from) * (float)(k >> 8) / 16777216.0f;
}

static void scatter_places(float from, float to)
{
	for (uint32_t k = 0; k < PLACES; k++)
		places[k] = (struct place){
			number(4 * k, from, to), number(4 * k + 1, from, to), number(4 * k + 2, from, to), 0};
}

/* ---- The guide's formulas ---- */

/* Texels i and i + 1 of n, clamped, and the second's weight in 8 bits. */
static double steps(double x, int n, int at[2])
{
	double i = floor(x - 0.5), a = floor((x - 0.5 - i) * 256 + 0.5) / 256;
	for (int k = 0; k < 2; k++)
		at[k] = i + k < 0 ? 0 : i + k > n - 1 ? n - 1 : (int)i + k;
	return a;
}

static float bilinear(const float *texel, int width, int height, double x, double y)
{
	int i[2], j[2];
	double a = steps(x, width, i), b = steps(y, height, j);
	return (float)((1 - a) * (1 - b) * texel[j[0] * width + i[0]] + a * (1 - b) * texel[j[0] * width + i[1]] +
		       (1 - a) * b * texel[j[1] * width + i[0]] + a * b * texel[j[1] * width + i[1]]);
}

static int nearest(double x, int n)
{
	double i = floor(x);
	return i < 0 ? 0 : i > n - 1 ? n - 1 : (int)i;
}

static bool close_to(float a, float b)
{
	return fabsf(a - b) <= 1e-6f * fabsf(b) + 1e-30f;
}

static struct cudaTextureDesc sampling(
	enum cudaTextureFilterMode filter, enum cudaTextureAddressMode mode, bool normalized)
{
	struct cudaTextureDesc d = {.addressMode = {mode, mode, mode},
		.filterMode = filter,
		.normalizedCoords = normalized,
		.maxMipmapLevelClamp = 99};
	return d;
}

static cudaTextureObject_t texture_of(cudaArray_t array, struct cudaTextureDesc d)
{
	cudaTextureObject_t texture = 0;
	struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = array};
	OK(cudaCreateTextureObject(&texture, &r, &d, NULL));
	CHECK(texture);
	return texture;
}

/* ---- Tests ---- */

enum { W = 13, H = 7 };

static void planes(void)
{
	float texel[H][W], back[H][W], moved[H][W];
	cudaArray_t array, other;
	for (int k = 0; k < W * H; k++)
		texel[k / W][k % W] = number((uint32_t)k, -5, 5);
	OK(cudaMallocArray(&array, &single, W, H, 0));
	OK(cudaMemcpy2DToArray(array, 0, 0, texel, sizeof texel[0], sizeof texel[0], H, cudaMemcpyHostToDevice));
	scatter_places(-3, 16);

	cudaTextureObject_t texture = texture_of(array, sampling(cudaFilterModeLinear, cudaAddressModeClamp, false));
	OK(LAUNCH(fetch_plane, 1, PLACES, NULL, &texture, &places, &out));
	OK(cudaDestroyTextureObject(texture)); /* what is enqueued has it still */
	for (int k = 0; k < PLACES; k++)
		CHECK(close_to(out[k], bilinear(texel[0], W, H, places[k].x, places[k].y)));
	GIVES(cudaErrorInvalidValue, cudaDestroyTextureObject(texture));

	texture = texture_of(array, sampling(cudaFilterModePoint, cudaAddressModeWrap, true));
	OK(LAUNCH(fetch_plane, 1, PLACES, NULL, &texture, &places, &out));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < PLACES; k++) {
		double x = places[k].x - floor(places[k].x), y = places[k].y - floor(places[k].y);
		CHECK(out[k] == texel[nearest(y * H, H)][nearest(x * W, W)]);
	}
	OK(cudaDestroyTextureObject(texture));

	/* Copies back, in pieces that go on in the next row, and between arrays. */
	memset(back, 0, sizeof back);
	OK(cudaMemcpyFromArray((char *)back + 20, array, 20, 0, 5 * sizeof back[0] + 8, cudaMemcpyDeviceToHost));
	CHECK(!memcmp((char *)back + 20, (char *)texel + 20, 5 * sizeof back[0] + 8) && back[0][4] == 0 &&
		back[6][0] == 0);
	OK(cudaMallocArray(&other, &single, W, H, 0));
	OK(cudaMemcpyToArray(other, 0, 0, texel, sizeof texel, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DArrayToArray(other, 8, 1, array, 0, 0, 12, 3, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy2DFromArray(moved, sizeof moved[0], other, 0, 0, sizeof moved[0], H, cudaMemcpyDeviceToHost));
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			CHECK(moved[y][x] == (x >= 2 && x < 5 && y >= 1 && y < 4 ? texel[y - 1][x - 2] : texel[y][x]));
	GIVES(cudaErrorInvalidValue,
		cudaMemcpy2DToArray(array, 4, 0, texel, sizeof texel[0], sizeof texel[0], H, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidMemcpyDirection,
		cudaMemcpy2DToArray(array, 0, 0, texel, sizeof texel[0], 4, 1, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidResourceHandle,
		cudaMemcpy2DToArray(NULL, 0, 0, texel, sizeof texel[0], 4, 1, cudaMemcpyHostToDevice));
	OK(cudaFreeArray(other));
	OK(cudaFreeArray(array));
	GIVES(cudaErrorInvalidValue, cudaFreeArray(array));
}

static void spaces_and_layers(void)
{
	enum { D = 6 };
	static float texel[D][4][4], back[D][4][4];
	const struct cudaExtent whole = {4, 4, D};
	cudaArray_t array;
	scatter_places(-1, 6);
	for (int k = 0; k < D * 16; k++)
		texel[k / 16][k / 4 % 4][k % 4] = (float)k;
	for (int kind = 0; kind < 3; kind++) {
		static const unsigned int flags[] = {0, cudaArrayLayered, cudaArrayCubemap};
		static const char *const kernels[] = {&fetch_space, &fetch_layer, &fetch_cube};
		struct cudaMemcpy3DParms p = {
			.srcPtr = {texel, sizeof texel[0][0], 4, 4}, .extent = whole, .kind = cudaMemcpyHostToDevice};
		OK(cudaMalloc3DArray(&array, &single, whole, flags[kind]));
		p.dstArray = array;
		OK(cudaMemcpy3D(&p));
		cudaTextureObject_t texture =
			texture_of(array, sampling(cudaFilterModePoint, cudaAddressModeClamp, false));
		OK(cudaLaunchKernel(kernels[kind], (dim3){1, 1, 1}, (dim3){PLACES, 1, 1},
			(void *[]){&texture, &places, &out}, 0, NULL));
		OK(cudaDeviceSynchronize());
		for (int k = 0; k < PLACES && kind < 2; k++)
			CHECK(out[k] ==
				texel[nearest(places[k].z, D)][nearest(places[k].y, 4)][nearest(places[k].x, 4)]);
		/* The guide's table of faces, for those of positive z. */
		for (int k = 0; k < PLACES && kind == 2; k++) {
			const struct place *v = &places[k];
			if (v->z > fabsf(v->x) && v->z > fabsf(v->y))
				CHECK(out[k] == texel[4][nearest((-v->y / v->z + 1) * 2, 4)]
						     [nearest((v->x / v->z + 1) * 2, 4)]);
		}
		memset(back, 0, sizeof back);
		p = (struct cudaMemcpy3DParms){.srcArray = array,
			.srcPos = {1, 2, 3},
			.dstPtr = {back, sizeof back[0][0], 4, 4},
			.extent = {2, 2, 3},
			.kind = cudaMemcpyDeviceToHost};
		OK(cudaMemcpy3DAsync(&p, NULL));
		OK(cudaDeviceSynchronize());
		CHECK(back[0][0][0] == texel[3][2][1] && back[2][1][1] == texel[5][3][2] && back[0][0][2] == 0 &&
			back[0][2][0] == 0);
		p.extent.depth = 4;
		GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
		OK(cudaDestroyTextureObject(texture));
		OK(cudaFreeArray(array));
	}
}

/* "borderColor ... when cudaAddressModeBorder": outside of 4 x 2 texels of 1, each direction by its own mode. */
static void border(void)
{
	const float texel[2][4] = {{1, 1, 1, 1}, {1, 1, 1, 1}};
	cudaArray_t array;
	cudaTextureObject_t texture;
	OK(cudaMallocArray(&array, &single, 4, 2, 0));
	OK(cudaMemcpy2DToArray(array, 0, 0, texel, 16, 16, 2, cudaMemcpyHostToDevice));
	struct cudaTextureDesc d = sampling(cudaFilterModePoint, cudaAddressModeBorder, false);
	struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = array};
	d.borderColor[0] = 7;
	for (int direction = 0; direction < 3; direction++) { /* both, x alone, y alone */
		d.addressMode[0] = direction == 2 ? cudaAddressModeClamp : cudaAddressModeBorder;
		d.addressMode[1] = direction == 1 ? cudaAddressModeClamp : cudaAddressModeBorder;
		OK(cudaCreateTextureObject(&texture, &r, &d, NULL));
		for (int k = 0; k < PLACES; k++)
			places[k] = (struct place){(float)(k % 8) - 1.5f, (float)(k / 8) - 1.5f, 0, 0};
		OK(LAUNCH(fetch_plane, 1, PLACES, NULL, &texture, &places, &out));
		OK(cudaDeviceSynchronize());
		for (int k = 0; k < PLACES; k++) {
			bool beside = places[k].x < 0 || places[k].x > 4, above = places[k].y < 0 || places[k].y > 2;
			CHECK(out[k] == ((direction != 2 && beside) || (direction != 1 && above) ? 7 : 1));
		}
		OK(cudaDestroyTextureObject(texture));
	}
	OK(cudaFreeArray(array));
}

static void levels(void)
{
	cudaMipmappedArray_t array;
	cudaArray_t level;
	cudaTextureObject_t texture;
	struct cudaExtent extent;
	OK(cudaMallocMipmappedArray(&array, &single, (struct cudaExtent){8, 4, 0}, 3, 0));
	for (unsigned int k = 0; k < 3; k++) {
		float texel[4][8];
		for (int t = 0; t < 32; t++)
			texel[t / 8][t % 8] = 10.0f * (float)k;
		OK(cudaGetMipmappedArrayLevel(&level, array, k));
		OK(cudaArrayGetInfo(NULL, &extent, NULL, level));
		CHECK(extent.width == 8u >> k && extent.height == 4u >> k && extent.depth == 0);
		OK(cudaMemcpy2DToArray(
			level, 0, 0, texel, sizeof texel[0], extent.width * 4, extent.height, cudaMemcpyHostToDevice));
	}
	GIVES(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, array, 3));
	GIVES(cudaErrorInvalidValue, cudaFreeArray(level)); /* a part of another */
	struct cudaTextureDesc d = sampling(cudaFilterModeLinear, cudaAddressModeClamp, true);
	d.mipmapFilterMode = cudaFilterModeLinear;
	struct cudaResourceDesc r = {.resType = cudaResourceTypeMipmappedArray, .res.mipmap.mipmap = array};
	OK(cudaCreateTextureObject(&texture, &r, &d, NULL));
	for (int k = 0; k < PLACES; k++)
		places[k] = (struct place){0.3f, 0.6f, (float)k / 16 - 1, 0};
	OK(LAUNCH(fetch_level, 1, PLACES, NULL, &texture, &places, &out));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < PLACES; k++)
		CHECK(out[k] == (places[k].z < 0 ? 0 : places[k].z > 2 ? 20 : 10 * places[k].z));
	OK(cudaDestroyTextureObject(texture));
	/* "mipmapLevelBias ... offset to be applied to the supplied mipmap level", "minMipmapLevelClamp" and "max...:
	 * end of the mipmap level range to clamp access to" */
	d.mipmapLevelBias = 0.5f;
	d.minMipmapLevelClamp = 0.25f;
	d.maxMipmapLevelClamp = 1.25f;
	OK(cudaCreateTextureObject(&texture, &r, &d, NULL));
	OK(LAUNCH(fetch_level, 1, PLACES, NULL, &texture, &places, &out));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < PLACES; k++) {
		float wanted = places[k].z + 0.5f;
		CHECK(out[k] == (wanted < 0.25f ? 2.5f : wanted > 1.25f ? 12.5f : 10 * wanted));
	}
	OK(cudaDestroyTextureObject(texture));
	OK(cudaFreeMipmappedArray(array));
	GIVES(cudaErrorInvalidValue, cudaFreeMipmappedArray(array));
}

static void memory(void)
{
	float *line;
	uint8_t *plane, *bytes;
	size_t pitch;
	cudaTextureObject_t texture;
	struct cudaTextureDesc d = sampling(cudaFilterModePoint, cudaAddressModeClamp, false);
	OK(cudaMallocManaged((void **)&line, 32 * 4, cudaMemAttachGlobal));
	for (int k = 0; k < 32; k++)
		line[k] = (float)k + 0.5f;
	struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear, .res.linear = {line, single, 16 * 4}};
	OK(cudaCreateTextureObject(&texture, &r, &d, NULL));
	OK(LAUNCH(fetch_buffer, 1, PLACES, NULL, &texture, &out));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < PLACES; k++) /* zero outside */
		CHECK(out[k] == (k < 2 || k >= 18 ? 0 : (float)(k - 2) + 0.5f));
	OK(cudaDestroyTextureObject(texture));
	r.res.linear.sizeInBytes = 33 * 4;
	GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &r, &d, NULL));
	r.res.linear.sizeInBytes = 16;
	r.res.linear.devPtr = line + 1;
	GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &r, &d, NULL));

	r.res.linear.devPtr = line;
	r.res.linear.sizeInBytes = 128;
	r.res.linear.desc = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
	OK(cudaCreateTextureObject(&texture, &r, &d, NULL));
	OK(cudaMallocManaged((void **)&bytes, 128, cudaMemAttachGlobal));
	OK(LAUNCH(fetch_bytes, 1, 32, NULL, &texture, &bytes));
	OK(cudaDeviceSynchronize());
	CHECK(!memcmp(bytes, line, 128));
	OK(cudaDestroyTextureObject(texture));

	/* Pairs of signed bytes, as numbers from -1 to 1. */
	int8_t texel[H][W][2];
	for (int k = 0; k < W * H * 2; k++)
		texel[k / 2 / W][k / 2 % W][k % 2] = (int8_t)(k * 37);
	OK(cudaMallocPitch((void **)&plane, &pitch, W * 2, H));
	OK(cudaMemcpy2D(plane, pitch, texel, W * 2, W * 2, H, cudaMemcpyHostToDevice));
	r = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D,
		.res.pitch2D = {plane, cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindSigned), W, H, pitch}};
	d.readMode = cudaReadModeNormalizedFloat;
	OK(cudaCreateTextureObject(&texture, &r, &d, NULL));
	scatter_places(-1, 14);
	OK(LAUNCH(fetch_pairs, 1, PLACES / 2, NULL, &texture, &places, &out));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < PLACES; k++) {
		int8_t value = texel[nearest(places[k / 2].y, H)][nearest(places[k / 2].x, W)][k % 2];
		CHECK(out[k] == (value < -127 ? -1 : (float)(value / 127.0)));
	}
	struct cudaResourceDesc same;
	struct cudaTextureDesc sampled;
	OK(cudaGetTextureObjectResourceDesc(&same, texture));
	OK(cudaGetTextureObjectTextureDesc(&sampled, texture));
	CHECK(same.resType == r.resType && same.res.pitch2D.pitchInBytes == pitch && !memcmp(&sampled, &d, sizeof d));
	OK(cudaDestroyTextureObject(texture));
	d.readMode = cudaReadModeElementType;
	d.filterMode = cudaFilterModeLinear;
	GIVES(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&texture, &r, &d, NULL));
	OK(cudaFree(plane));
	OK(cudaFree(bytes));
	OK(cudaFree(line));
}

static void surfaces(void)
{
	float texel[H][W], back[H][W];
	cudaArray_t array, plain;
	cudaSurfaceObject_t surface;
	int width = W;
	for (int k = 0; k < W * H; k++)
		texel[k / W][k % W] = (float)k;
	OK(cudaMallocArray(&array, &single, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArrayAsync(
		array, 0, 0, texel, sizeof texel[0], sizeof texel[0], H, cudaMemcpyHostToDevice, NULL));
	struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = array}, same;
	OK(cudaCreateSurfaceObject(&surface, &r));
	OK(LAUNCH(increase, 1, W * H, NULL, &surface, &surface, &width));
	OK(cudaMemcpy2DFromArrayAsync(
		back, sizeof back[0], array, 0, 0, sizeof back[0], H, cudaMemcpyDeviceToHost, NULL));
	OK(cudaDeviceSynchronize());
	for (int k = 0; k < W * H; k++)
		CHECK(back[k / W][k % W] == (float)k + 1);
	OK(cudaGetSurfaceObjectResourceDesc(&same, surface));
	CHECK(same.res.array.array == array);
	OK(cudaDestroySurfaceObject(surface));
	GIVES(cudaErrorInvalidValue, cudaDestroySurfaceObject(surface));
	OK(cudaMallocArray(&plain, &single, W, H, 0));
	r.res.array.array = plain;
	GIVES(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &r));
	OK(cudaFreeArray(plain));
	OK(cudaFreeArray(array));
}

static void descriptions(void)
{
	struct cudaChannelFormatDesc channel = cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat), got;
	struct cudaExtent extent;
	struct cudaDeviceProp p;
	unsigned int flags;
	cudaArray_t array;
	OK(cudaMalloc3DArray(&array, &channel, (struct cudaExtent){9, 0, 5}, cudaArrayLayered));
	OK(cudaArrayGetInfo(&got, &extent, &flags, array));
	CHECK(!memcmp(&got, &channel, sizeof got) && extent.width == 9 && !extent.height && extent.depth == 5 &&
		flags == cudaArrayLayered);
	OK(cudaGetChannelDesc(&got, array));
	CHECK(!memcmp(&got, &channel, sizeof got));
	OK(cudaFreeArray(array));
	GIVES(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&got, array));
	channel = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
	GIVES(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &channel, 4, 4, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocArray(&array, &single, 0, 4, 0));
	GIVES(cudaErrorInvalidValue,
		cudaMalloc3DArray(&array, &single, (struct cudaExtent){4, 5, 6}, cudaArrayCubemap));
	OK(cudaGetDeviceProperties(&p, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocArray(&array, &single, (size_t)p.maxTexture2D[0] + 1, 1, 0));

	struct cudaPitchedPtr box;
	uint8_t row[10];
	OK(cudaMalloc3D(&box, (struct cudaExtent){10, 3, 2}));
	CHECK(box.pitch >= 10 && box.xsize == 10 && box.ysize == 3);
	OK(cudaMemset3D(box, 7, (struct cudaExtent){10, 3, 2}));
	OK(cudaMemcpy(row, (char *)box.ptr + 5 * box.pitch, 10, cudaMemcpyDeviceToHost));
	CHECK(row[0] == 7 && row[9] == 7);
	OK(cudaFree(box.ptr));
}

int main(void)
{
	register_kernels();
	OK(cudaMallocManaged((void **)&places, PLACES * sizeof *places, cudaMemAttachGlobal));
	OK(cudaMallocManaged((void **)&out, PLACES * sizeof *out, cudaMemAttachGlobal));
	planes();
	spaces_and_layers();
	border();
	levels();
	memory();
	surfaces();
	descriptions();
	return 0;
}
