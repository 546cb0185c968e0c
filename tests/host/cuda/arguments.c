/* What is missing, unknown or just too much, call by call, and that nothing happened then. CUDA Runtime API 13.0: a
 * pointer or a number that cannot be is cudaErrorInvalidValue, a handle that is none cudaErrorInvalidResourceHandle, as
 * the page of each call has it. */
#include "kernels.h"

#include <stdint.h>

static const struct cudaChannelFormatDesc single = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static char unknown[512]; /* no handle is its address */
#define UNKNOWN ((void *)unknown)

/* ---- Arrays ---- */

static cudaError_t make(int x, int y, int z, int w, int kind)
{
	const struct cudaChannelFormatDesc channel = {x, y, z, w, kind};
	cudaArray_t array;
	cudaError_t error = cudaMallocArray(&array, &channel, 4, 0, 0);
	if (!error)
		OK(cudaFreeArray(array));
	return error;
}

static void check_channels(void)
{
	enum { S = cudaChannelFormatKindSigned, U = cudaChannelFormatKindUnsigned, F = cudaChannelFormatKindFloat };
	for (int kind = S; kind <= F; kind++) {
		check_entry = kind;
		OK(make(32, 0, 0, 0, kind));
		OK(make(16, 16, 0, 0, kind));
		OK(make(32, 32, 32, 32, kind));
		GIVES(kind == F ? cudaErrorInvalidChannelDescriptor : cudaSuccess, make(8, 8, 8, 8, kind));
		GIVES(cudaErrorInvalidChannelDescriptor, make(32, 32, 32, 0, kind)); /* "1, 2, or 4 components" */
		GIVES(cudaErrorInvalidChannelDescriptor, make(0, 0, 0, 0, kind));
		GIVES(cudaErrorInvalidChannelDescriptor, make(32, 16, 0, 0, kind));
		GIVES(cudaErrorInvalidChannelDescriptor, make(32, 0, 32, 0, kind));
		GIVES(cudaErrorInvalidChannelDescriptor, make(32, 32, 0, 32, kind));
		GIVES(cudaErrorInvalidChannelDescriptor, make(64, 0, 0, 0, kind));
		GIVES(cudaErrorInvalidChannelDescriptor, make(12, 0, 0, 0, kind));
	}
	GIVES(cudaErrorInvalidChannelDescriptor, make(32, 0, 0, 0, -1));
	GIVES(cudaErrorInvalidChannelDescriptor, make(32, 0, 0, 0, 3)); /* cudaChannelFormatKindNone */
	/* Normalised: 8 and 16 bits of 1, 2, 4 channels, first unsigned, then signed: kinds 5 to 16. */
	for (int kind = 5; kind < 17; kind++) {
		const struct cudaChannelFormatDesc channel = {
			.x = (kind - 5) % 6 < 3 ? 8 : 16, .f = kind}; /* the kind says how many there are */
		const size_t channels = kind % 3 == 2   ? 1
					: kind % 3 == 0 ? 2
							: 4,
			     bytes = (size_t)channel.x / 8 * channels;
		cudaArray_t array;
		check_entry = kind;
		OK(cudaMallocArray(&array, &channel, 1, 1, 0));
		OK(cudaMemcpy2DToArray(array, 0, 0, unknown, bytes, bytes, 1, cudaMemcpyHostToDevice));
		GIVES(cudaErrorInvalidValue,
			cudaMemcpy2DToArray(array, 0, 0, unknown, bytes + 1, bytes + 1, 1, cudaMemcpyHostToDevice));
		OK(cudaFreeArray(array));
	}
	GIVES(cudaErrorInvalidChannelDescriptor, make(8, 0, 0, 0, 17));
	check_entry = 0;
}

static cudaError_t make_shape(size_t w, size_t h, size_t d, unsigned int flags)
{
	cudaArray_t array;
	cudaError_t error = cudaMalloc3DArray(&array, &single, (struct cudaExtent){w, h, d}, flags);
	if (!error)
		OK(cudaFreeArray(array));
	return error;
}

/* The table of cudaMalloc3DArray: {width, height, depth} of each kind, "0" where the direction is not there; the most
 * are those of cudaDeviceProp. */
static void check_shapes(void)
{
	enum { LAYERED = cudaArrayLayered, CUBE = cudaArrayCubemap, BOTH = LAYERED | CUBE };
	static const struct {
		size_t w, h, d;
		unsigned int flags;
		cudaError_t code;
	} shapes[] = {{1, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 4, 0, 0, 1}, {4, 0, 4, 0, 1}, {131073, 0, 0, 0, 1},
		{1, 65536, 0, 0, 0}, {1, 65537, 0, 0, 1}, {131072, 1, 0, 0, 0}, {131073, 1, 0, 0, 1},
		{16384, 1, 1, 0, 0}, {16385, 1, 1, 0, 1}, {1, 16384, 1, 0, 0}, {1, 16385, 1, 0, 1}, {1, 1, 16384, 0, 0},
		{1, 1, 16385, 0, 1}, {4, 0, 2, LAYERED, 0}, {4, 0, 0, LAYERED, 1}, {32768, 0, 1, LAYERED, 0},
		{32769, 0, 1, LAYERED, 1}, {1, 0, 2048, LAYERED, 0}, {1, 0, 2049, LAYERED, 1}, {4, 4, 2, LAYERED, 0},
		{4, 4, 0, LAYERED, 1}, {32768, 1, 1, LAYERED, 0}, {32769, 1, 1, LAYERED, 1}, {1, 32768, 1, LAYERED, 0},
		{1, 32769, 1, LAYERED, 1}, {1, 1, 2048, LAYERED, 0}, {1, 1, 2049, LAYERED, 1}, {4, 4, 6, CUBE, 0},
		{4, 8, 6, CUBE, 1}, {4, 4, 7, CUBE, 1}, {4, 4, 0, CUBE, 1}, {4, 4, 12, BOTH, 0}, {4, 4, 13, BOTH, 1},
		{4, 4, 0, BOTH, 1}, {1, 1, 2046, BOTH, 0}, {1, 1, 2052, BOTH, 1}, {4, 4, 0, 16, 1},
		{4, 4, 0, cudaArraySurfaceLoadStore | cudaArrayTextureGather, 0}, {4, 4, 0, cudaArraySparse, 801},
		{4, 4, 0, cudaArrayDeferredMapping, 801}};
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		check_entry = (int)k;
		GIVES(shapes[k].code, make_shape(shapes[k].w, shapes[k].h, shapes[k].d, shapes[k].flags));
	}
	check_entry = 0;
}

static void check_arrays(void)
{
	struct cudaExtent extent;
	struct cudaChannelFormatDesc channel = {0};
	cudaArray_t array, other, level;
	cudaMipmappedArray_t levels;
	unsigned int flags = 0;
	GIVES(cudaErrorInvalidValue, cudaMallocArray(NULL, &single, 4, 4, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocArray(&array, NULL, 4, 4, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocMipmappedArray(NULL, &single, (struct cudaExtent){4, 4, 0}, 1, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocMipmappedArray(&levels, NULL, (struct cudaExtent){4, 4, 0}, 1, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocMipmappedArray(&levels, &single, (struct cudaExtent){4, 4, 0}, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocMipmappedArray(&levels, &single, (struct cudaExtent){0, 0, 0}, 1, 0));
	OK(cudaMallocArray(&array, &single, 8, 4, cudaArraySurfaceLoadStore));
	OK(cudaMallocArray(&other, &single, 2, 2, 0));
	OK(cudaMallocMipmappedArray(&levels, &single, (struct cudaExtent){8, 8, 8}, 3, 0));
	for (unsigned int k = 0; k < 3; k++) {
		OK(cudaGetMipmappedArrayLevel(&level, levels, k));
		OK(cudaArrayGetInfo(NULL, &extent, NULL, level));
		CHECK(extent.width == 8u >> k && extent.height == 8u >> k && extent.depth == 8u >> k);
		GIVES(cudaErrorInvalidValue, cudaFreeArray(level)); /* it is of the whole */
		GIVES(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(NULL, NULL, NULL, (cudaArray_t)levels));
	}
	GIVES(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(NULL, levels, 0));
	GIVES(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, UNKNOWN, 0));
	GIVES(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, NULL, 0));
	OK(cudaArrayGetInfo(&channel, &extent, &flags, array));
	CHECK(channel.x == 32 && channel.y == 0 && channel.f == cudaChannelFormatKindFloat && extent.width == 8 &&
		extent.height == 4 && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
	memset(&channel, 0, sizeof channel);
	OK(cudaGetChannelDesc(&channel, array));
	CHECK(channel.x == 32 && channel.f == cudaChannelFormatKindFloat);
	GIVES(cudaErrorInvalidValue, cudaGetChannelDesc(NULL, array));
	GIVES(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&channel, UNKNOWN));
	GIVES(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&channel, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(&channel, NULL, NULL, NULL));
	GIVES(cudaErrorInvalidValue, cudaFreeArray(NULL));
	GIVES(cudaErrorInvalidValue, cudaFreeArray(UNKNOWN));
	GIVES(cudaErrorInvalidValue, cudaFreeMipmappedArray(NULL));
	GIVES(cudaErrorInvalidValue, cudaFreeMipmappedArray(UNKNOWN));
	OK(cudaFreeArray(array)); /* not the newest: the others are known still */
	GIVES(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(&channel, NULL, NULL, array));
	OK(cudaArrayGetInfo(&channel, NULL, NULL, other));
	OK(cudaFreeMipmappedArray(levels));
	GIVES(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(&channel, NULL, NULL, level));
	OK(cudaFreeArray(other));
}

/* ---- Copies with arrays ---- */

static void check_array_copies(void)
{
	const enum cudaMemcpyKind H2H = cudaMemcpyHostToHost, H2D = cudaMemcpyHostToDevice,
				  D2H = cudaMemcpyDeviceToHost;
	static uint8_t host[6][20], back[6][20], straight[120];
	const struct cudaChannelFormatDesc byte = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
	cudaArray_t a, b;
	struct cudaMemcpy3DParms p;
	OK(cudaMallocArray(&a, &byte, 20, 6, 0));
	OK(cudaMallocArray(&b, &byte, 20, 6, 0));
	for (int k = 0; k < 120; k++)
		host[k / 20][k % 20] = straight[k] = (uint8_t)(k + 1);
	/* A straight piece from the middle of a row goes on in the next ones: the rest, whole rows, the beginning. */
	OK(cudaMemcpy2DToArray(a, 0, 0, back, 20, 20, 6, H2D));
	OK(cudaMemcpyToArray(a, 15, 1, straight, 5 + 40 + 7, H2D));
	OK(cudaMemcpy2DFromArray(back, 20, a, 0, 0, 20, 6, D2H));
	for (int k = 0; k < 120; k++) {
		check_entry = k;
		CHECK(back[k / 20][k % 20] == (k >= 35 && k < 35 + 52 ? k - 34 : 0));
	}
	OK(cudaMemcpy2DToArray(a, 0, 0, host, 20, 20, 6, H2D));
	memset(straight, 0, sizeof straight);
	OK(cudaMemcpyFromArray(straight + 1, a, 15, 1, 52, D2H));
	for (int k = 0; k < 120; k++) {
		check_entry = k;
		CHECK(straight[k] == (k >= 1 && k < 53 ? 35 + k : 0));
	}
	/* Within a row, and to its end. */
	memset(straight, 0, sizeof straight);
	OK(cudaMemcpyFromArrayAsync(straight, a, 3, 2, 4, D2H, NULL));
	OK(cudaMemcpyFromArrayAsync(straight + 10, a, 18, 5, 2, D2H, NULL));
	CHECK(straight[0] == 44 && straight[3] == 47 && straight[4] == 0 && straight[10] == 119 &&
		straight[11] == 120 && straight[12] == 0);
	check_entry = 0;
	GIVES(cudaErrorInvalidValue, cudaMemcpyFromArray(straight, a, 18, 5, 3, D2H)); /* behind the last row */
	GIVES(cudaErrorInvalidValue, cudaMemcpyFromArray(straight, a, 20, 0, 1, D2H));
	GIVES(cudaErrorInvalidValue, cudaMemcpyToArrayAsync(a, 20, 0, straight, 1, H2D, NULL));
	/* A rectangle between arrays. */
	OK(cudaMemcpy2DToArray(b, 0, 0, unknown, 20, 20, 6, H2D));
	OK(cudaMemcpy2DArrayToArray(b, 1, 2, a, 3, 4, 5, 2, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy2DFromArray(back, 20, b, 0, 0, 20, 6, D2H));
	for (int y = 0; y < 6; y++)
		for (int x = 0; x < 20; x++)
			CHECK(back[y][x] == (y >= 2 && y < 4 && x >= 1 && x < 6 ? host[y + 2][x + 2] : 0));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(b, 16, 0, a, 0, 0, 5, 1, cudaMemcpyDefault));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 5, 5, 2, cudaMemcpyDefault));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(b, 0, 7, a, 0, 0, 5, 1, cudaMemcpyDefault));
	for (int k = 0; k < 6; k++) { /* each handle, unknown and null */
		void *handle = k % 2 ? UNKNOWN : NULL;
		check_entry = k;
		GIVES(cudaErrorInvalidResourceHandle, cudaMemcpy2DArrayToArray(k < 3 ? handle : a, 0, 0,
							      k < 3 ? a : handle, 0, 0, 1, 1, cudaMemcpyDefault));
		GIVES(cudaErrorInvalidResourceHandle, cudaMemcpy2DToArray(handle, 0, 0, host, 1, 1, 1, H2D));
		GIVES(cudaErrorInvalidResourceHandle, cudaMemcpy2DFromArray(back, 1, handle, 0, 0, 1, 1, D2H));
		GIVES(cudaErrorInvalidResourceHandle, cudaMemcpyToArray(handle, 0, 0, host, 1, H2D));
		GIVES(cudaErrorInvalidResourceHandle, cudaMemcpyFromArray(back, handle, 0, 0, 1, D2H));
	}
	/* Directions that cannot be: an array is the device's. */
	for (int k = 0; k < 2; k++) {
		enum cudaMemcpyKind to = k ? D2H : H2H, from = k ? H2D : H2H;
		check_entry = k;
		GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DToArray(a, 0, 0, host, 1, 1, 1, to));
		GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DToArrayAsync(a, 0, 0, host, 1, 1, 1, to, NULL));
		GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DFromArray(back, 1, a, 0, 0, 1, 1, from));
		GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DFromArrayAsync(back, 1, a, 0, 0, 1, 1, from, NULL));
		p = (struct cudaMemcpy3DParms){
			.srcPtr = {host, 20, 20, 6}, .dstArray = a, .extent = {1, 1, 1}, .kind = to};
		GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy3D(&p));
		p = (struct cudaMemcpy3DParms){
			.dstPtr = {back, 20, 20, 6}, .srcArray = a, .extent = {1, 1, 1}, .kind = from};
		GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy3DAsync(&p, NULL));
	}
	check_entry = 0;
	/* "Struct must specify one of srcArray or srcPtr and one of dstArray or dstPtr" */
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
	p = (struct cudaMemcpy3DParms){.srcPtr = {host, 20, 20, 6}, .extent = {1, 1, 1}, .kind = H2D};
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	p.dstArray = a;
	OK(cudaMemcpy3D(&p));
	p.dstPtr.ptr = host;
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	p.dstPtr.ptr = NULL, p.srcArray = b;
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	p.srcArray = NULL, p.dstArray = UNKNOWN;
	GIVES(cudaErrorInvalidResourceHandle, cudaMemcpy3D(&p));
	p = (struct cudaMemcpy3DParms){
		.srcArray = UNKNOWN, .dstPtr = {back, 20, 20, 6}, .extent = {1, 1, 1}, .kind = D2H};
	GIVES(cudaErrorInvalidResourceHandle, cudaMemcpy3D(&p));
	p.srcArray = a, p.srcPos.x = 20;
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	OK(cudaFreeArray(a));
	OK(cudaFreeArray(b));
}

/* Memory of three dimensions: slices lie `ysize` rows apart, and only the box is written. */
static void check_boxes(void)
{
	enum { W = 5, H = 3, D = 4 };
	const struct cudaExtent box = {W - 1, H - 1, D - 1};
	struct cudaPitchedPtr to;
	static uint8_t back[D][H][W];
	OK(cudaMalloc3D(&to, (struct cudaExtent){W, H, D}));
	CHECK(to.pitch >= W && to.pitch % 512 == 0 && to.xsize == W && to.ysize == H);
	OK(cudaMemset3D(to, 1, (struct cudaExtent){W, H, D}));
	OK(cudaMemset3DAsync(to, 2, box, NULL));
	struct cudaMemcpy3DParms p = {
		.srcPtr = to, .dstPtr = {back, W, W, H}, .extent = {W, H, D}, .kind = cudaMemcpyDeviceToHost};
	OK(cudaMemcpy3D(&p));
	for (int k = 0; k < W * H * D; k++) {
		int x = k % W, y = k / W % H, z = k / W / H;
		check_entry = k;
		CHECK(back[z][y][x] == (x < W - 1 && y < H - 1 && z < D - 1 ? 2 : 1));
	}
	check_entry = 0;
	GIVES(cudaErrorInvalidValue,
		cudaMemset3D(to, 1, (struct cudaExtent){W, H, D + 1})); /* slices that are not there */
	GIVES(cudaErrorInvalidValue, cudaMalloc3D(NULL, box));
	GIVES(cudaErrorInvalidValue, cudaMalloc3D(&to, (struct cudaExtent){1, SIZE_MAX / 2, 3}));
	OK(cudaFree(to.ptr));
}

/* ---- Textures and surfaces ---- */

static cudaError_t texture(const struct cudaResourceDesc *resource, const struct cudaTextureDesc *sampling)
{
	cudaTextureObject_t made;
	cudaError_t error = cudaCreateTextureObject(&made, resource, sampling, NULL);
	if (!error)
		OK(cudaDestroyTextureObject(made));
	return error;
}

static void check_sampling(void)
{
	const struct cudaTextureDesc plain = {.addressMode = {1, 1, 1}};
	struct cudaTextureDesc s;
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
	cudaArray_t array;
	OK(cudaMallocArray(&array, &single, 4, 4, 0));
	resource.res.array.array = array;
	for (int k = -1; k <= 4; k++) {
		check_entry = k;
		for (int d = 0; d < 3; d++) {
			s = plain;
			s.addressMode[d] = (enum cudaTextureAddressMode)k;
			s.normalizedCoords = 1;
			GIVES(k >= 0 && k <= 3 ? cudaSuccess : cudaErrorInvalidValue, texture(&resource, &s));
		}
		s = plain;
		s.filterMode = (enum cudaTextureFilterMode)k;
		GIVES(k == 0 || k == 1 ? cudaSuccess : cudaErrorInvalidValue, texture(&resource, &s));
		s = plain;
		s.mipmapFilterMode = (enum cudaTextureFilterMode)k;
		GIVES(k == 0 || k == 1 ? cudaSuccess : cudaErrorInvalidValue, texture(&resource, &s));
		s = plain;
		s.readMode = (enum cudaTextureReadMode)k;
		GIVES(k == 0 || k == 1 ? cudaSuccess : cudaErrorInvalidValue, texture(&resource, &s));
	}
	check_entry = 0;
	/* "cudaReadModeNormalizedFloat ... only for 8-bit and 16-bit integer formats": and only what is read as
	 * floating point can be filtered. */
	for (int bits = 8; bits <= 32; bits *= 2)
		for (int normalized = 0; normalized < 2; normalized++) {
			const struct cudaChannelFormatDesc integer = {bits, 0, 0, 0, cudaChannelFormatKindUnsigned};
			struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
			check_entry = bits + normalized;
			OK(cudaMallocArray(&r.res.array.array, &integer, 4, 4, 0));
			s = plain;
			s.filterMode = cudaFilterModeLinear;
			s.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
			GIVES(normalized && bits < 32 ? cudaSuccess : cudaErrorInvalidFilterSetting, texture(&r, &s));
			OK(cudaFreeArray(r.res.array.array));
		}
	check_entry = 0;
	resource.resType = (enum cudaResourceType)4;
	GIVES(cudaErrorInvalidValue, texture(&resource, &plain));
	resource.resType = (enum cudaResourceType) - 1;
	GIVES(cudaErrorInvalidValue, texture(&resource, &plain));
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = UNKNOWN;
	GIVES(cudaErrorInvalidResourceHandle, texture(&resource, &plain));
	resource.resType = cudaResourceTypeMipmappedArray;
	resource.res.mipmap.mipmap = UNKNOWN;
	GIVES(cudaErrorInvalidResourceHandle, texture(&resource, &plain));
	OK(cudaFreeArray(array));
}

/* "devPtr ... must be aligned to textureAlignment", 256; "sizeInBytes"; of pitched memory "width ...
 * maxTexture2DLinear[0]", "height ... maxTexture2DLinear[1]", "pitchInBytes ... maxTexture2DLinear[2]". */
static void check_linear(void)
{
	const struct cudaTextureDesc plain = {.addressMode = {1, 1, 1}};
	struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear, .res.linear = {.desc = single}};
	static const struct {
		size_t width, height, pitch;
		cudaError_t code;
	} planes[] = {{4, 2, 32, 0}, {0, 2, 32, 1}, {4, 0, 32, 1}, {8, 2, 32, 0}, {9, 2, 32, 1}, {4, 2, 48, 1},
		{4, 2, 0, 1}, {1, 65000, 32, 0}, {1, 65001, 32, 1}, {131072, 1, 524288, 0}, {131073, 1, 524320, 1},
		{4, 1, 2097120, 0}, {4, 1, 2097152, 1}};
	char *memory;
	size_t texels = 0;
	OK(cudaMalloc((void **)&memory, 4 << 20));
	for (size_t bytes = 0; bytes <= 8; bytes += 2) { /* whole texels of 4 bytes, at least one */
		check_entry = (int)bytes;
		r.res.linear.devPtr = memory + 256;
		r.res.linear.sizeInBytes = bytes;
		GIVES(bytes < 4 ? cudaErrorInvalidValue : cudaSuccess, texture(&r, &plain));
		r.res.linear.devPtr = memory + 128;
		GIVES(cudaErrorInvalidValue, texture(&r, &plain));
	}
	r.res.linear.devPtr = memory;
	r.res.linear.sizeInBytes = 4 << 20;
	OK(texture(&r, &plain));
	r.res.linear.sizeInBytes++;
	GIVES(cudaErrorInvalidValue, texture(&r, &plain));
	r.res.linear.sizeInBytes = ((size_t)4 << 28) + 4; /* "maxTexture1DLinear": 2 to the 28th */
	GIVES(cudaErrorInvalidValue, texture(&r, &plain));
	r.res.linear.desc.x = 5;
	GIVES(cudaErrorInvalidChannelDescriptor, texture(&r, &plain));
	for (size_t k = 0; k < sizeof planes / sizeof *planes; k++) {
		check_entry = (int)k;
		r = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D,
			.res.pitch2D = {memory, single, planes[k].width, planes[k].height, planes[k].pitch}};
		GIVES(planes[k].code, texture(&r, &plain));
		r.res.pitch2D.devPtr = memory + 64;
		GIVES(cudaErrorInvalidValue, texture(&r, &plain));
	}
	check_entry = 0;
	r.res.pitch2D.desc.x = 5;
	GIVES(cudaErrorInvalidChannelDescriptor, texture(&r, &plain));
	OK(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &single, 0));
	CHECK(texels == 1 << 28);
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetTexture1DLinearMaxWidth(&texels, &single, 1));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(NULL, &single, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(&texels, NULL, 0));
	GIVES(cudaErrorInvalidValue,
		cudaDeviceGetTexture1DLinearMaxWidth(&texels, &(struct cudaChannelFormatDesc){5, 0, 0, 0, 0}, 0));
	OK(cudaFree(memory));
}

static void check_objects(void)
{
	struct cudaTextureDesc sampling = {.addressMode = {1, 2, 3},
				       .normalizedCoords = 1,
				       .borderColor = {1, 2, 3, 4}},
			       got = {.sRGB = 1};
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray},
				linear = {.resType = cudaResourceTypeLinear}, same = linear;
	cudaTextureObject_t first, second;
	cudaSurfaceObject_t surface, other;
	cudaArray_t array, plain;
	OK(cudaMallocArray(&array, &single, 4, 4, cudaArraySurfaceLoadStore));
	OK(cudaMallocArray(&plain, &single, 4, 4, 0));
	resource.res.array.array = array;
	OK(cudaCreateTextureObject(&first, &resource, &sampling, NULL));
	OK(cudaCreateTextureObject(&second, &resource, &sampling, NULL));
	OK(cudaCreateSurfaceObject(&surface, &resource));
	OK(cudaCreateSurfaceObject(&other, &resource));
	GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(NULL, &resource, &sampling, NULL));
	GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&first, NULL, &sampling, NULL));
	GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&first, &resource, NULL, NULL));
	GIVES(cudaErrorNotSupported, cudaCreateTextureObject(&first, &resource, &sampling, unknown));
	GIVES(cudaErrorInvalidValue, cudaCreateSurfaceObject(NULL, &resource));
	GIVES(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, NULL));
	GIVES(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &linear));
	same = resource;
	same.res.array.array = plain; /* without cudaArraySurfaceLoadStore */
	GIVES(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &same));
	same.res.array.array = UNKNOWN;
	GIVES(cudaErrorInvalidResourceHandle, cudaCreateSurfaceObject(&surface, &same));
	OK(cudaGetTextureObjectTextureDesc(&got, first));
	CHECK(got.addressMode[0] == 1 && got.addressMode[1] == 2 && got.addressMode[2] == 3 &&
		got.normalizedCoords == 1 && got.borderColor[3] == 4 && got.sRGB == 0);
	OK(cudaGetTextureObjectResourceDesc(&same, first));
	CHECK(same.resType == cudaResourceTypeArray && same.res.array.array == array);
	GIVES(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(NULL, first));
	GIVES(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(NULL, first));
	GIVES(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&same, 12345));
	GIVES(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc(unknown, first)); /* it has no view */
	GIVES(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(&same, first));       /* a texture */
	OK(cudaGetSurfaceObjectResourceDesc(&same, surface));
	GIVES(cudaErrorInvalidValue, cudaDestroySurfaceObject(first));
	GIVES(cudaErrorInvalidValue, cudaDestroyTextureObject(12345));
	OK(cudaDestroyTextureObject(0));
	OK(cudaDestroySurfaceObject(0));
	OK(cudaDestroyTextureObject(first)); /* not the newest */
	GIVES(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(&got, first));
	OK(cudaGetTextureObjectTextureDesc(&got, second));
	OK(cudaDestroyTextureObject(second));
	GIVES(cudaErrorInvalidValue, cudaDestroyTextureObject(second));
	OK(cudaDestroySurfaceObject(surface));
	OK(cudaDestroySurfaceObject(other));
	OK(cudaFreeArray(array));
	OK(cudaFreeArray(plain));
}

int main(void)
{
	check_channels();
	check_shapes();
	check_arrays();
	check_array_copies();
	check_boxes();
	check_sampling();
	check_linear();
	check_objects();
	return 0;
}
