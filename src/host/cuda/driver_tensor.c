/* The driver's interface: tensor maps.  They are of any model, as are the copies that use them: a value never depends
 * on the model.  What is wrong with one is told in words, since the driver's error is the same for all of it. */
#include "host/cuda/driver_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static CUresult refuse(const char *call, const char *format, ...)
{
	char why[256];
	va_list list;
	va_start(list, format);
	vsnprintf(why, sizeof why, format, list);
	va_end(list);
	device_complain("%s: %s: CUDA_ERROR_INVALID_VALUE", call, why);
	return CUDA_ERROR_INVALID_VALUE;
}

/* Whether a map can lie there. */
static CUresult check_place(const char *call, const CUtensorMap *map)
{
	CUresult why = driver_ready();
	if (why)
		return why;
	if (!map)
		return refuse(call, "tensorMap is null");
	if ((uintptr_t)map % TENSOR_MAP_ALIGNMENT)
		return refuse(call, "tensorMap is at %p: a multiple of %d is needed", (const void *)map,
			TENSOR_MAP_ALIGNMENT);
	return CUDA_SUCCESS;
}

static CUresult make(const char *call, CUtensorMap *map, const struct tensor_request *r)
{
	char problem[200];
	struct tensor_map made;
	if (!tensor_map_make(r, &made, problem, sizeof problem))
		return refuse(call, "%s", problem);
	*map = made;
	return CUDA_SUCCESS;
}

/* An array of an encode call: with `before` elements fewer than the tensor has dimensions. */
struct given {
	const char *name;
	const void *from;
	void *to;
	size_t bytes; /* of an element */
	uint32_t before;
};

/* Reads the arrays: of a wrong rank no more than a request has room for. */
static CUresult read_arrays(const char *call, uint32_t rank, const struct given *arrays, size_t count)
{
	uint32_t dimensions = rank < TENSOR_RANK ? rank : TENSOR_RANK;
	assert(count);
	for (const struct given *a = arrays; a < arrays + count; a++) {
		uint32_t elements = dimensions > a->before ? dimensions - a->before : 0;
		if (!elements)
			continue;
		if (!a->from)
			return refuse(call, "%s is null", a->name);
		memcpy(a->to, a->from, elements * a->bytes);
	}
	return CUDA_SUCCESS;
}

#define READ(call, rank, ...)                                                                                          \
	read_arrays(call, rank, (const struct given[]){__VA_ARGS__},                                                   \
		sizeof(const struct given[]){__VA_ARGS__} / sizeof(struct given))
#define GIVEN(name, member, fewer)                                                                                     \
	{                                                                                                              \
#name, name, r.member, sizeof *r.member, fewer                                                         \
	}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, unsigned int type, uint32_t rank, void *address,
	const uint64_t *globalDim, const uint64_t *globalStrides, const uint32_t *boxDim,
	const uint32_t *elementStrides, unsigned int interleave, unsigned int swizzle, unsigned int promotion,
	unsigned int fill)
{
	struct tensor_request r = {.address = (uintptr_t)address,
		.mode = TENSOR_TILED,
		.type = type,
		.rank = rank,
		.interleave = interleave,
		.swizzle = swizzle,
		.promotion = promotion,
		.fill = fill};
	CUresult why = check_place(__func__, map);
	if (!why)
		why = READ(__func__, rank, GIVEN(globalDim, size, 0), GIVEN(globalStrides, stride, 1),
			GIVEN(boxDim, box, 0), GIVEN(elementStrides, step, 0));
	return why ? why : make(__func__, map, &r);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, unsigned int type, uint32_t rank, void *address,
	const uint64_t *globalDim, const uint64_t *globalStrides, const int *pixelBoxLowerCorner,
	const int *pixelBoxUpperCorner, uint32_t channels, uint32_t pixels, const uint32_t *elementStrides,
	unsigned int interleave, unsigned int swizzle, unsigned int promotion, unsigned int fill)
{
	struct tensor_request r = {.address = (uintptr_t)address,
		.mode = TENSOR_IM2COL,
		.type = type,
		.rank = rank,
		.box = {channels, pixels},
		.interleave = interleave,
		.swizzle = swizzle,
		.promotion = promotion,
		.fill = fill};
	CUresult why = check_place(__func__, map);
	if (!why)
		why = READ(__func__, rank, GIVEN(globalDim, size, 0), GIVEN(globalStrides, stride, 1),
			GIVEN(pixelBoxLowerCorner, lower, 2), GIVEN(pixelBoxUpperCorner, upper, 2),
			GIVEN(elementStrides, step, 0));
	return why ? why : make(__func__, map, &r);
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, unsigned int type, uint32_t rank, void *address,
	const uint64_t *globalDim, const uint64_t *globalStrides, int lower, int upper, uint32_t channels,
	uint32_t pixels, const uint32_t *elementStrides, unsigned int interleave, unsigned int mode,
	unsigned int swizzle, unsigned int promotion, unsigned int fill)
{
	struct tensor_request r = {.address = (uintptr_t)address,
		.mode = TENSOR_IM2COL_WIDE,
		.type = type,
		.rank = rank,
		.box = {channels, pixels},
		.lower = {lower},
		.upper = {upper},
		.interleave = interleave,
		.swizzle = swizzle,
		.promotion = promotion,
		.fill = fill,
		.wide_128 = mode};
	CUresult why = check_place(__func__, map);
	if (!why)
		why = READ(__func__, rank, GIVEN(globalDim, size, 0), GIVEN(globalStrides, stride, 1),
			GIVEN(elementStrides, step, 0));
	return why ? why : make(__func__, map, &r);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
	char problem[200];
	CUresult why = check_place(__func__, map);
	if (why)
		return why;
	if (map->magic != TENSOR_MAP_MAGIC)
		return refuse(__func__, "tensorMap is none that a cuTensorMapEncode call has made");
	struct tensor_map moved = *map;
	moved.address = (uintptr_t)address;
	if (!tensor_map_check(&moved, problem, sizeof problem))
		return refuse(__func__, "%s", problem);
	*map = moved;
	return CUDA_SUCCESS;
}
