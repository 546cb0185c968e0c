/* The driver's interface: arrays, copies of boxes, objects, and references, which are .texref and .surfref variables of a module.
 * Expectations are the manual's, of "Texture Reference Management", "Memory Management" and their neighbours. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdbool.h>
#include <stdint.h>

/* Each of 16 threads reads the texel of its number, through the reference and through the object, and adds one on the surface. */
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
	CUDA_MEMCPY2D c = {.srcMemoryType = 1, .srcHost = texel, .srcPitch = 16, .dstMemoryType = 3, .WidthInBytes = 16, .Height = 4};
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
	CUDA_MEMCPY2D c = {.srcMemoryType = 3, .srcArray = drawn, .dstMemoryType = 1, .dstHost = board, .dstPitch = 16,
		.WidthInBytes = 16, .Height = 4};
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
	CUDA_MEMCPY3D c = {.srcMemoryType = 1, .srcHost = from, .srcPitch = 16, .srcHeight = 4, .dstMemoryType = 3, .dstArray = array,
		.WidthInBytes = 16, .Height = 4, .Depth = 3};
	OK(cuMemcpy3D_v2(&c));
	c = (CUDA_MEMCPY3D){.srcXInBytes = 2, .srcY = 1, .srcZ = 1, .srcMemoryType = 3, .srcArray = array, .dstMemoryType = 1,
		.dstHost = to, .dstPitch = 16, .dstHeight = 4, .WidthInBytes = 6, .Height = 2, .Depth = 2};
	OK(cuMemcpy3DAsync_v2(&c, NULL));
	OK(cuCtxSynchronize());
	CHECK(to[0][0][0] == from[1][1][1] && to[1][1][2] == from[2][2][3] && !to[0][0][3] && !to[0][2][0]);
	c.srcZ = 2;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&c));
	OK(cuArrayDestroy(array));
	d.NumChannels = 3;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(&array, &d));
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
	OK(cuMemFree_v2(out));
	OK(cuModuleUnload(module));
	return 0;
}
