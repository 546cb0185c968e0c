/* The driver's interface: arrays, copies of boxes, objects, and references, which are .texref and .surfref variables of
 * a module. Expectations are the manual's, of "Texture Reference Management", "Memory Management" and their
 * neighbours. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdbool.h>
#include <stdint.h>

/* Each of 16 threads reads the texel of its number, through the reference and through the object, and adds one on the
 * surface. */
static const char ptx[] = ".version 7.0\n"
			  ".target sm_70\n"
			  ".address_size 64\n"
			  ".global .texref image;\n"
			  ".global .surfref board;\n"
			  ".visible .entry look(.param .u64 to, .param .u64 object)\n"
			  "{\n"
			  "	.reg .b32 %r<8>;\n"
			  "	.reg .f32 %f<12>;\n"
			  "	.reg .b64 %d<6>;\n"
			  "	ld.param.u64 %d1, [to];\n"
			  "	ld.param.u64 %d2, [object];\n"
			  "	mov.u32 %r1, %tid.x;\n"
			  "	and.b32 %r2, %r1, 3;\n"
			  "	shr.u32 %r3, %r1, 2;\n"
			  "	cvt.rn.f32.u32 %f1, %r2;\n"
			  "	cvt.rn.f32.u32 %f2, %r3;\n"
			  "	tex.2d.v4.f32.f32 {%f3, _, _, _}, [image, {%f1, %f2}];\n"
			  "	tex.2d.v4.f32.f32 {%f4, _, _, _}, [%d2, {%f1, %f2}];\n"
			  "	shl.b32 %r4, %r2, 2;\n"
			  "	suld.b.2d.b32.trap {%r5}, [board, {%r4, %r3}];\n"
			  "	mov.b32 %f5, %r5;\n"
			  "	add.f32 %f6, %f5, 0f3F800000;\n"
			  "	mov.b32 %r6, %f6;\n"
			  "	sust.b.2d.b32.trap [board, {%r4, %r3}], {%r6};\n"
			  "	mul.wide.u32 %d3, %r1, 8;\n"
			  "	add.u64 %d4, %d1, %d3;\n"
			  "	st.global.v2.f32 [%d4], {%f3, %f4};\n"
			  "	ret;\n"
			  "}\n";

static CUmodule module;
static CUfunction look;
static CUdeviceptr out;

static void launch(CUtexObject object, float got[16][2])
{
	OK(cuLaunchKernel(look, 1, 1, 1, 16, 1, 1, 0, NULL, (void *[]){&out, &object}, NULL));
	OK(cuMemcpyDtoH_v2(got, out, 16 * 2 * sizeof(float)));
}

static CUarray filled_array(const float texel[4][4])
{
	CUarray array;
	CUDA_ARRAY_DESCRIPTOR d = {4, 4, CU_AD_FORMAT_FLOAT, 1}, back;
	CUDA_MEMCPY2D c = {.srcMemoryType = 1,
		.srcHost = texel,
		.srcPitch = 16,
		.dstMemoryType = 3,
		.WidthInBytes = 16,
		.Height = 4};
	OK(cuArrayCreate_v2(&array, &d));
	OK(cuArrayGetDescriptor_v2(&back, array));
	CHECK(back.Width == 4 && back.Height == 4 && back.Format == CU_AD_FORMAT_FLOAT && back.NumChannels == 1);
	c.dstArray = array;
	OK(cuMemcpy2D_v2(&c));
	return array;
}

static void references_and_objects(void)
{
	float texel[4][4], got[16][2], board[4][4];
	CUtexref image;
	CUsurfref surface;
	CUtexObject object;
	for (int k = 0; k < 16; k++)
		texel[k / 4][k % 4] = (float)(k * k);
	CUarray array = filled_array(texel), drawn = filled_array(texel);
	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&image, module, "elsewhere"));
	OK(cuModuleGetTexRef(&image, module, "image"));
	OK(cuModuleGetSurfRef(&surface, module, "board"));
	CUtexref same = NULL;
	OK(cuModuleGetTexRef(&same, module, "image")); /* there is one of each */
	CHECK(same == image && image != surface);
	OK(cuTexRefSetArray(image, array, 1));
	OK(cuTexRefSetAddressMode(image, 0, cudaAddressModeClamp));
	OK(cuTexRefSetFilterMode(image, cudaFilterModePoint));
	OK(cuSurfRefSetArray(surface, drawn, 0));
	CUDA_RESOURCE_DESC r = {.resType = cudaResourceTypeArray, .res.array.hArray = array};
	CUDA_TEXTURE_DESC t = {.addressMode = {1, 1, 1}, .filterMode = cudaFilterModeLinear};
	OK(cuTexObjectCreate(&object, &r, &t, NULL));
	launch(object, got);
	for (int k = 0; k < 16; k++) {
		int left = k % 4 ? k % 4 - 1 : 0, up = k / 4 ? k / 4 - 1 : 0;
		CHECK(got[k][0] == texel[k / 4][k % 4]);
		CHECK(got[k][1] == (texel[k / 4][k % 4] + texel[k / 4][left] + texel[up][k % 4] + texel[up][left]) / 4);
	}
	CUDA_MEMCPY2D c = {.srcMemoryType = 3,
		.srcArray = drawn,
		.dstMemoryType = 1,
		.dstHost = board,
		.dstPitch = 16,
		.WidthInBytes = 16,
		.Height = 4};
	OK(cuMemcpy2D_v2(&c));
	for (int k = 0; k < 16; k++)
		CHECK(board[k / 4][k % 4] == texel[k / 4][k % 4] + 1);
	/* The same reference, bound anew: to what the surface has made. */
	OK(cuTexRefSetArray(image, drawn, 1));
	launch(object, got);
	CHECK(got[5][0] == board[1][1]);
	OK(cuTexObjectDestroy(object));
	OK(cuArrayDestroy(array));
	OK(cuArrayDestroy(drawn));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
}

static void boxes(void)
{
	uint16_t from[3][4][8], to[3][4][8] = {0};
	CUarray array;
	CUDA_ARRAY3D_DESCRIPTOR d = {8, 4, 3, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0}, back;
	for (int k = 0; k < 96; k++)
		from[k / 32][k / 8 % 4][k % 8] = (uint16_t)(k * 7);
	OK(cuArray3DCreate_v2(&array, &d));
	OK(cuArray3DGetDescriptor_v2(&back, array));
	CHECK(back.Depth == 3 && back.Format == CU_AD_FORMAT_UNSIGNED_INT16);
	CUDA_MEMCPY3D c = {.srcMemoryType = 1,
		.srcHost = from,
		.srcPitch = 16,
		.srcHeight = 4,
		.dstMemoryType = 3,
		.dstArray = array,
		.WidthInBytes = 16,
		.Height = 4,
		.Depth = 3};
	OK(cuMemcpy3D_v2(&c));
	c = (CUDA_MEMCPY3D){.srcXInBytes = 2,
		.srcY = 1,
		.srcZ = 1,
		.srcMemoryType = 3,
		.srcArray = array,
		.dstMemoryType = 1,
		.dstHost = to,
		.dstPitch = 16,
		.dstHeight = 4,
		.WidthInBytes = 6,
		.Height = 2,
		.Depth = 2};
	OK(cuMemcpy3DAsync_v2(&c, NULL));
	OK(cuCtxSynchronize());
	CHECK(to[0][0][0] == from[1][1][1] && to[1][1][2] == from[2][2][3] && !to[0][0][3] && !to[0][2][0]);
	c.srcZ = 2;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&c));
	OK(cuArrayDestroy(array));
	d.NumChannels = 3;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(&array, &d));
}

/* Arrays of each format and number of channels say what they were made as. */
static void formats(void)
{
	static const int all[] = {1, 2, 3, 8, 9, 10, 0x10, 0x20}; /* CU_AD_FORMAT_UNSIGNED_INT8 ... FLOAT */
	CUarray array;
	CUmipmappedArray levels;
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		for (unsigned int channels = 1; channels <= 4; channels *= 2) {
			CUDA_ARRAY_DESCRIPTOR d = {5, 3, all[k], channels}, back;
			check_entry = (int)(k * 8 + channels);
			OK(cuArrayCreate_v2(&array, &d));
			OK(cuArrayGetDescriptor_v2(&back, array));
			CHECK(back.Width == 5 && back.Height == 3 && back.Format == all[k] &&
				back.NumChannels == channels);
			OK(cuArrayDestroy(array));
		}
	for (int format = 0; format < 0x24; format++) {
		CUDA_ARRAY_DESCRIPTOR d = {4, 4, format, 1};
		CUDA_ARRAY3D_DESCRIPTOR whole = {4, 4, 0, format, 1, 0};
		bool known = false;
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			known |= all[k] == format;
		check_entry = format;
		if (known)
			continue;
		GIVES(CUDA_ERROR_INVALID_VALUE, cuArrayCreate_v2(&array, &d));
		GIVES(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(&array, &whole));
		GIVES(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&levels, &whole, 2));
	}
	check_entry = 0;
	for (unsigned int channels = 0; channels < 10; channels++) {
		CUDA_ARRAY_DESCRIPTOR d = {4, 4, CU_AD_FORMAT_FLOAT, channels};
		if (channels != 1 && channels != 2 && channels != 4)
			GIVES(CUDA_ERROR_INVALID_VALUE, cuArrayCreate_v2(&array, &d));
	}
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArrayCreate_v2(&array, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(&array, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&levels, NULL, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArrayGetDescriptor_v2(NULL, array));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArray3DGetDescriptor_v2(NULL, array));
	CUDA_ARRAY_DESCRIPTOR back;
	CUDA_ARRAY3D_DESCRIPTOR whole;
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor_v2(&back, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor_v2(&whole, (CUarray)&whole));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(NULL));
	/* Layers, and the levels of a mipmapped array: each half the one before, at least 1. */
	CUDA_ARRAY3D_DESCRIPTOR layered = {8, 4, 3, CU_AD_FORMAT_HALF, 2, cudaArrayLayered};
	OK(cuArray3DCreate_v2(&array, &layered));
	OK(cuArray3DGetDescriptor_v2(&whole, array));
	CHECK(whole.Width == 8 && whole.Height == 4 && whole.Depth == 3 && whole.NumChannels == 2 &&
		whole.Flags == cudaArrayLayered);
	OK(cuArrayDestroy(array));
	CUDA_ARRAY3D_DESCRIPTOR d = {8, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
	OK(cuMipmappedArrayCreate(&levels, &d, 4));
	for (unsigned int k = 0; k < 4; k++) {
		OK(cuMipmappedArrayGetLevel(&array, levels, k));
		OK(cuArrayGetDescriptor_v2(&back, array));
		CHECK(back.Width == 8u >> k && back.Height == (k ? 1 : 2) && back.NumChannels == 4);
	}
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&array, levels, 4));
	OK(cuMipmappedArrayDestroy(levels));
	/* The depth of a volume is halved, the number of layers is not. */
	for (unsigned int flags = 0; flags <= cudaArrayLayered; flags += cudaArrayLayered) {
		OK(cuMipmappedArrayCreate(
			&levels, &(CUDA_ARRAY3D_DESCRIPTOR){8, 4, 6, CU_AD_FORMAT_UNSIGNED_INT8, 4, flags}, 4));
		for (unsigned int k = 0; k < 4; k++) {
			OK(cuMipmappedArrayGetLevel(&array, levels, k));
			OK(cuArray3DGetDescriptor_v2(&whole, array));
			CHECK(whole.Width == 8u >> k && whole.Height == (k < 2 ? 4u >> k : 1));
			CHECK(whole.Depth == (flags ? 6 : (unsigned int[]){6, 3, 1, 1}[k]));
		}
		OK(cuMipmappedArrayDestroy(levels));
	}
	OK(cuMipmappedArrayCreate(&levels, &d, 1));
	OK(cuMipmappedArrayDestroy(levels));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(levels));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(NULL));
}

/* 2D copies between every two kinds of memory: 3 bytes of 2 rows, from (2, 1) to (4, 0). */
static void kinds_of_copies(void)
{
	enum { HOST = 1, DEVICE, ARRAY, UNIFIED, PITCH = 8, HEIGHT = 3, BYTES = PITCH * HEIGHT };
	CUDA_ARRAY_DESCRIPTOR d = {PITCH, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 1};
	uint8_t from[BYTES], to[BYTES], zero[BYTES] = {0};
	CUarray from_array, to_array;
	CUdeviceptr from_device, to_device;
	CUstream stream;
	for (int k = 0; k < BYTES; k++)
		from[k] = (uint8_t)(k + 1);
	OK(cuStreamCreate(&stream, 0));
	OK(cuMemAlloc_v2(&from_device, BYTES));
	OK(cuMemAlloc_v2(&to_device, BYTES));
	OK(cuArrayCreate_v2(&from_array, &d));
	OK(cuArrayCreate_v2(&to_array, &d));
	const CUDA_MEMCPY2D whole = {.srcMemoryType = HOST,
		.srcHost = from,
		.srcPitch = PITCH,
		.dstMemoryType = ARRAY,
		.dstArray = from_array,
		.WidthInBytes = PITCH,
		.Height = HEIGHT};
	OK(cuMemcpy2D_v2(&whole));
	OK(cuMemcpyHtoD_v2(from_device, from, BYTES));
	for (int pair = 0; pair < 48; pair++) {
		int source = pair / 4 % 4 + 1, target = pair % 4 + 1, form = pair / 16;
		CUDA_MEMCPY2D c = {.srcXInBytes = 2,
			.srcY = 1,
			.srcMemoryType = source,
			.srcHost = source == HOST ? from : NULL,
			.srcDevice = source == ARRAY || source == HOST ? 0 : from_device,
			.srcArray = source == ARRAY ? from_array : NULL,
			.srcPitch = PITCH,
			.dstXInBytes = 4,
			.dstY = 0,
			.dstMemoryType = target,
			.dstHost = target == HOST ? to : NULL,
			.dstDevice = target == ARRAY || target == HOST ? 0 : to_device,
			.dstArray = target == ARRAY ? to_array : NULL,
			.dstPitch = PITCH,
			.WidthInBytes = 3,
			.Height = 2};
		CUDA_MEMCPY2D clear = whole, back = {.srcMemoryType = ARRAY,
						     .srcArray = to_array,
						     .dstMemoryType = HOST,
						     .dstHost = to,
						     .dstPitch = PITCH,
						     .WidthInBytes = PITCH,
						     .Height = HEIGHT};
		check_entry = pair;
		memset(to, 0, sizeof to);
		OK(cuMemcpyHtoD_v2(to_device, zero, BYTES));
		clear.srcHost = zero;
		clear.dstArray = to_array;
		OK(cuMemcpy2D_v2(&clear));
		if (form == 0)
			OK(cuMemcpy2D_v2(&c));
		else if (form == 1)
			OK(cuMemcpy2DUnaligned_v2(&c));
		else
			OK(cuMemcpy2DAsync_v2(&c, stream));
		OK(cuStreamSynchronize(stream));
		if (target == ARRAY)
			OK(cuMemcpy2D_v2(&back));
		else if (target != HOST)
			OK(cuMemcpyDtoH_v2(to, to_device, BYTES));
		for (int k = 0; k < BYTES; k++)
			CHECK(to[k] == (k / PITCH < 2 && k % PITCH >= 4 && k % PITCH < 7 ? from[k + PITCH - 2] : 0));
	}
	check_entry = 0;
	CUDA_MEMCPY2D bad = whole;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DUnaligned_v2(NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DAsync_v2(NULL, stream));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2DAsync_v2(&whole, (CUstream)&bad));
	bad.srcMemoryType = 0;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&bad));
	bad.srcMemoryType = 5;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&bad));
	bad = whole;
	bad.dstArray = NULL;
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2D_v2(&bad));
	bad = whole;
	bad.dstXInBytes = 1;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&bad));
	bad = whole;
	bad.dstY = 1;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&bad));
	CUDA_MEMCPY3D box = {.srcMemoryType = HOST,
			      .srcHost = from,
			      .srcPitch = PITCH,
			      .srcHeight = HEIGHT,
			      .dstMemoryType = ARRAY,
			      .dstArray = to_array,
			      .WidthInBytes = PITCH,
			      .Height = HEIGHT,
			      .Depth = 1},
		      odd = box;
	OK(cuMemcpy3D_v2(&box));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DAsync_v2(NULL, stream));
	odd.srcLOD = 1; /* "srcLOD and dstLOD members ... must be set to 0", as the reserved ones */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&odd));
	odd = box, odd.dstLOD = 1;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&odd));
	odd = box, odd.reserved0 = from;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&odd));
	odd = box, odd.reserved1 = from;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&odd));
	/* One row: bytes from an offset of an array, and to one. */
	CUDA_ARRAY_DESCRIPTOR line = {PITCH, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
	CUarray row;
	OK(cuArrayCreate_v2(&row, &line));
	OK(cuMemcpyHtoA_v2(row, 0, zero, PITCH));
	OK(cuMemcpyHtoA_v2(row, 2, from, 3));
	OK(cuMemcpyDtoA_v2(row, 5, from_device + 10, 2));
	OK(cuMemcpyAtoH_v2(to, row, 1, 7));
	CHECK(!memcmp(to, (uint8_t[]){0, 1, 2, 3, 11, 12, 0}, 7));
	OK(cuMemcpyAtoD_v2(to_device + 1, row, 3, 4));
	OK(cuMemcpyDtoH_v2(to, to_device + 1, 4));
	CHECK(!memcmp(to, (uint8_t[]){2, 3, 11, 12}, 4));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA_v2(row, 6, from, 3));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH_v2(to, row, 6, 3));
	CHECK(cuMemcpyDtoA_v2(NULL, 0, from_device, 1) && cuMemcpyAtoD_v2(to_device, NULL, 0, 1));
	OK(cuArrayDestroy(row));
	OK(cuArrayDestroy(from_array));
	OK(cuArrayDestroy(to_array));
	OK(cuMemFree_v2(from_device));
	OK(cuMemFree_v2(to_device));
	OK(cuStreamDestroy_v2(stream));
}

/* References bound to linear and pitched memory, and what their calls refuse. */
static void bound_memory(void)
{
	float texel[64], got[16][2], border[4] = {0};
	CUdeviceptr memory;
	CUtexref image;
	CUsurfref surface;
	CUtexObject object;
	CUsurfObject board;
	size_t offset = 9;
	CUDA_ARRAY_DESCRIPTOR d = {4, 4, CU_AD_FORMAT_FLOAT, 1};
	CUarray array;
	int alignment = 0;
	for (int k = 0; k < 64; k++)
		texel[k] = (float)(k + 100);
	OK(cuDeviceGetAttribute(&alignment, 51, 0)); /* of the pitch of a texture, in bytes */
	size_t pitch = (size_t)alignment > 16 ? (size_t)alignment : 16;
	OK(cuMemAlloc_v2(&memory, 4 * pitch + sizeof texel));
	for (size_t row = 0; row < 4; row++)
		OK(cuMemcpyHtoD_v2(memory + row * pitch, texel + 4 * row, 16));
	OK(cuArrayCreate_v2(&array, &d));
	OK(cuModuleGetTexRef(&image, module, "image"));
	OK(cuModuleGetSurfRef(&surface, module, "board"));
	OK(cuTexRefSetFilterMode(image, cudaFilterModePoint));
	OK(cuTexRefSetAddressMode(image, 1, cudaAddressModeClamp));
	OK(cuTexRefSetFlags(image, 0));
	OK(cuTexRefSetBorderColor(image, border));
	OK(cuTexRefSetFormat(image, CU_AD_FORMAT_FLOAT, 1));
	OK(cuTexRefSetAddress2D_v3(image, &d, memory, pitch));
	OK(cuSurfRefSetArray(surface, array, 0));
	CUDA_RESOURCE_DESC r = {
		.resType = cudaResourceTypePitch2D, .res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, 4, 4, pitch}};
	CUDA_TEXTURE_DESC t = {.addressMode = {1, 1, 1}, .filterMode = cudaFilterModePoint};
	OK(cuTexObjectCreate(&object, &r, &t, NULL));
	launch(object, got);
	for (int k = 0; k < 16; k++)
		CHECK(got[k][0] == texel[k] && got[k][1] == texel[k]);
	OK(cuTexObjectDestroy(object));
	r = (CUDA_RESOURCE_DESC){.resType = cudaResourceTypeLinear, .res.linear = {memory, CU_AD_FORMAT_FLOAT, 1, 64}};
	OK(cuTexObjectCreate(&object, &r, &t, NULL));
	OK(cuTexObjectDestroy(object));
	OK(cuTexRefSetAddress_v2(&offset, image, memory, 64));
	CHECK(offset == 0);
	OK(cuTexRefSetAddress_v2(NULL, image, memory, 64));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, NULL, &t, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(NULL, &r, &t, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&board, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&board, &r)); /* of arrays alone */
	r = (CUDA_RESOURCE_DESC){.resType = cudaResourceTypeArray, .res.array.hArray = array};
	OK(cuSurfObjectCreate(&board, &r));
	OK(cuSurfObjectDestroy(board));
	const CUresult handles[] = {cuTexRefSetFormat(NULL, CU_AD_FORMAT_FLOAT, 1), cuTexRefSetAddressMode(NULL, 0, 0),
		cuTexRefSetFilterMode(NULL, 0), cuTexRefSetFlags(NULL, 0), cuTexRefSetBorderColor(NULL, border),
		cuTexRefSetArray(NULL, array, 1), cuTexRefSetAddress_v2(&offset, NULL, memory, 64),
		cuTexRefSetAddress2D_v3(NULL, &d, memory, pitch), cuSurfRefSetArray(NULL, array, 0),
		cuTexRefSetFormat(surface, CU_AD_FORMAT_FLOAT, 1), cuTexRefSetArray(surface, array, 1),
		cuTexRefSetAddress_v2(&offset, surface, memory, 64),
		cuTexRefSetAddress2D_v3(surface, &d, memory, pitch), cuSurfRefSetArray(image, array, 0),
		cuModuleGetTexRef(&image, NULL, "image"), cuModuleGetSurfRef(&surface, NULL, "board")};
	for (check_entry = 0; check_entry < (int)(sizeof handles / sizeof *handles); check_entry++)
		GIVES(CUDA_ERROR_INVALID_HANDLE, handles[check_entry]);
	const CUresult values[] = {cuTexRefSetFormat(image, 4, 1), cuTexRefSetFormat(image, CU_AD_FORMAT_FLOAT, 5),
		cuTexRefSetFormat(image, CU_AD_FORMAT_FLOAT, 0), cuTexRefSetAddressMode(image, 3, 0),
		cuTexRefSetAddressMode(image, -1, 0), cuTexRefSetFilterMode(image, 2), cuTexRefSetFilterMode(image, -1),
		cuTexRefSetBorderColor(image, NULL), cuTexRefSetAddress2D_v3(image, NULL, memory, pitch),
		cuSurfRefSetArray(surface, array, 1), cuModuleGetTexRef(NULL, module, "image"),
		cuModuleGetSurfRef(&surface, module, NULL)};
	for (check_entry = 0; check_entry < (int)(sizeof values / sizeof *values); check_entry++)
		GIVES(CUDA_ERROR_INVALID_VALUE, values[check_entry]);
	check_entry = 0;
	OK(cuArrayDestroy(array));
	OK(cuMemFree_v2(memory));
}

/* What a driver's object was made of, as the runtime tells it: the flags CU_TRSF_READ_AS_INTEGER, 1,
 * NORMALIZED_COORDINATES, 2, SRGB, 0x10, DISABLE_TRILINEAR_OPTIMIZATION, 0x20, and the other fields. */
static void settings(void)
{
	CUDA_ARRAY_DESCRIPTOR d = {4, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4};
	CUarray array;
	OK(cuArrayCreate_v2(&array, &d));
	CUDA_RESOURCE_DESC r = {.resType = cudaResourceTypeArray, .res.array.hArray = array};
	for (unsigned int flags = 0; flags < 0x40; flags++) {
		CUDA_TEXTURE_DESC t = {.addressMode = {3, 2, 1},
			.flags = flags,
			.maxAnisotropy = 7,
			.mipmapFilterMode = 1,
			.mipmapLevelBias = 0.5f,
			.minMipmapLevelClamp = 1,
			.maxMipmapLevelClamp = 2,
			.borderColor = {1, 2, 3, 4}};
		struct cudaTextureDesc got;
		struct cudaResourceDesc resource;
		CUtexObject object;
		check_entry = (int)flags;
		OK(cuTexObjectCreate(&object, &r, &t, NULL));
		OK(cudaGetTextureObjectTextureDesc(&got, object));
		CHECK(got.readMode == (flags & 1 ? cudaReadModeElementType : cudaReadModeNormalizedFloat));
		CHECK(got.normalizedCoords == (flags & 2 ? 1 : 0) && got.sRGB == (flags & 0x10 ? 1 : 0) &&
			got.disableTrilinearOptimization == (flags & 0x20 ? 1 : 0) && got.seamlessCubemap == 0);
		CHECK(got.addressMode[0] == 3 && got.addressMode[1] == 2 && got.addressMode[2] == 1 &&
			got.filterMode == cudaFilterModePoint && got.mipmapFilterMode == cudaFilterModeLinear);
		CHECK(got.maxAnisotropy == 7 && got.mipmapLevelBias == 0.5f && got.minMipmapLevelClamp == 1 &&
			got.maxMipmapLevelClamp == 2);
		CHECK(got.borderColor[0] == 1 && got.borderColor[1] == 2 && got.borderColor[2] == 3 &&
			got.borderColor[3] == 4);
		OK(cudaGetTextureObjectResourceDesc(&resource, object));
		CHECK(resource.resType == cudaResourceTypeArray && resource.res.array.array == (cudaArray_t)array);
		OK(cuTexObjectDestroy(object));
	}
	check_entry = 0;
	OK(cuArrayDestroy(array));
}

int main(void)
{
	CUcontext context;
	void *none[3] = {0}; /* CUctxCreateParams, empty, as CUDA 13's samples give it */
	OK(cuInit(0));
	OK(cuCtxCreate_v4(&context, none, 0, 0));
	OK(cuCtxDestroy_v2(context));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&look, module, "look"));
	OK(cuMemAlloc_v2(&out, 16 * 2 * sizeof(float)));
	references_and_objects();
	boxes();
	formats();
	kinds_of_copies();
	bound_memory();
	settings();
	OK(cuMemFree_v2(out));
	OK(cuModuleUnload(module));
	return 0;
}
