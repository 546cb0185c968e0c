/* Tensor maps: made by each call, however a program finds it, and read by kernels where programs put them: in a
 * parameter, in constant memory, in global memory.  Expectations: CUDA Driver API 13.0 ("Tensor Map Object
 * Management"), and CUDA's programming guide for where a map may be. */
#include "kernels.h"

#include "host/cuda/driver.h"

enum { ROWS = 32, COLUMNS = 64 };

static const uint64_t sizes[] = {COLUMNS, ROWS, 4, 4, 4}, strides[] = {256, 8192, 32768, 131072};
static const uint32_t box[] = {32, 8, 1, 1, 1}, steps[] = {1, 1, 1, 1, 1};
static const int lower[] = {-1, -2, -3}, upper[] = {-4, -2, -1};
static char *data;

static CUresult tile(CUtensorMap *map, uint32_t rank, void *address)
{
	return cuTensorMapEncodeTiled(
		map, TENSOR_F32, rank, address, sizes, strides, box, steps, 0, TENSOR_SWIZZLE_128, 3, TENSOR_FILL_NAN);
}

static void check_contents(void)
{
	CUtensorMap map, wide;
	OK(tile(&map, 2, data));
	CHECK(map.magic == TENSOR_MAP_MAGIC && map.address == (uintptr_t)data && map.rank == 2);
	CHECK(map.type == TENSOR_F32 && map.mode == TENSOR_TILED && map.size[1] == ROWS && map.stride[0] == 256);
	CHECK(map.box[0] == 32 && map.box[1] == 8 && map.step[1] == 1 && map.swizzle == TENSOR_SWIZZLE_128);
	CHECK(map.promotion == 3 && map.fill == TENSOR_FILL_NAN && !map.interleave && !map.size[2]);
	OK(cuTensorMapEncodeIm2col(
		&map, TENSOR_BF16, 5, data, sizes, strides, lower, upper, 16, 1024, steps, 2, TENSOR_SWIZZLE_32, 0, 0));
	CHECK(map.mode == TENSOR_IM2COL && map.box[0] == 16 && map.box[1] == 1024 && map.interleave == 2);
	CHECK(map.lower[0] == -1 && map.lower[2] == -3 && map.upper[0] == -4 && map.upper[1] == -2);
	OK(cuTensorMapEncodeIm2colWide(
		&wide, TENSOR_F16, 4, data, sizes, strides, -7, 6, 64, 2000, steps, 0, 1, TENSOR_SWIZZLE_128, 0, 0));
	CHECK(wide.mode == TENSOR_IM2COL_WIDE && wide.wide_128 && wide.lower[0] == -7 && wide.upper[0] == 6);
	/* One dimension has no strides; of no address there is a map, too. */
	OK(cuTensorMapEncodeTiled(&map, TENSOR_F32, 1, NULL, sizes, NULL, box, steps, 0, 0, 0, 0));
	OK(cuTensorMapReplaceAddress(&map, data + 16));
	CHECK(map.address == (uintptr_t)data + 16 && map.rank == 1);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(&map, data + 8));
	CHECK(map.address == (uintptr_t)data + 16);
	/* A map that is refused is left as it was. */
	GIVES(CUDA_ERROR_INVALID_VALUE, tile(&map, 6, data));
	CHECK(map.rank == 1);
	OK(cudaGetLastError());
}

/* As CUTLASS and DeepGEMM find it. */
static void check_entry_points(void)
{
	static const char *const names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
		"cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress"};
	void *const calls[] = {(void *)(uintptr_t)&cuTensorMapEncodeTiled, (void *)(uintptr_t)&cuTensorMapEncodeIm2col,
		(void *)(uintptr_t)&cuTensorMapEncodeIm2colWide, (void *)(uintptr_t)&cuTensorMapReplaceAddress};
	for (int k = 0; k < 4; k++) {
		void *entry[3];
		int status[3] = {-1, -1, -1};
		OK(cudaGetDriverEntryPoint(names[k], &entry[0], 0, &status[0]));
		OK(cudaGetDriverEntryPointByVersion(names[k], &entry[1], 12000, 0, &status[1]));
		OK(cuGetProcAddress_v2(names[k], &entry[2], 12080, 0, &status[2]));
		for (int j = 0; j < 3; j++)
			CHECK(entry[j] == calls[k] && status[j] == 0);
	}
}

/* Each kernel copies a map's 16 words; the first one has it between parameters of other sizes. */
static const char kernels[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".const .align 64 .b8 held[128];\n"
	".visible .func copy(.param .b64 from, .param .b64 to)\n{\n.reg .b64 %f, %t, %x;\n.reg .b32 %k;\n.reg .pred "
	"%p;\n"
	"ld.param.u64 %f, [from];\nld.param.u64 %t, [to];\nmov.u32 %k, 0;\n"
	"again:\nld.u64 %x, [%f];\nst.u64 [%t], %x;\nadd.u64 %f, %f, 8;\nadd.u64 %t, %t, 8;\nadd.u32 %k, %k, 1;\n"
	"setp.lt.u32 %p, %k, 16;\n@%p bra again;\nret;\n}\n"
/* The parameters before the last, and how the map is found. */
#define KERNEL(name, parameters, address)                                                                              \
	".visible .entry " name "(" parameters ".param .u64 out)\n{\n.reg .b64 %m, %o;\n" address                      \
	"ld.param.u64 %o, [out];\n{\n.param .b64 a;\n.param .b64 b;\nst.param.b64 [a], %m;\nst.param.b64 [b], %o;\n"   \
	"call copy, (a, b);\n}\nret;\n}\n"
	KERNEL("parameter", ".param .u16 before, .param .align 128 .b8 map[128], .param .u32 after, ",
		"mov.b64 %m, map;\ncvta.param.u64 %m, %m;\n")
		KERNEL("constant", "", "mov.b64 %m, held;\ncvta.const.u64 %m, %m;\n")
			KERNEL("global", ".param .u64 map, ", "ld.param.u64 %m, [map];\n");

static uint64_t *out;

/* The kernel finds this map. */
static void launch(CUmodule module, const char *name, const CUtensorMap *map, void **arguments)
{
	CUfunction kernel;
	uint64_t words[16];
	OK(cudaMemset(out, 0, sizeof words));
	OK(cuModuleGetFunction(&kernel, module, name));
	OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	OK(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(words, map, sizeof words));
}

static void check_places(void)
{
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr held;
	CUtensorMap map;
	size_t offset, bytes;
	void *lying;
	uint16_t before = 7;
	uint32_t after = 9;
	OK(cuModuleLoadData(&module, kernels));
	OK(cudaMalloc((void **)&out, sizeof map));
	OK(tile(&map, 5, data));
	launch(module, "parameter", &map, (void *[]){&before, &map, &after, &out});
	OK(cuModuleGetFunction(&kernel, module, "parameter"));
	OK(cuFuncGetParamInfo(kernel, 1, &offset, &bytes));
	CHECK(offset == 128 && bytes == TENSOR_MAP_BYTES);
	OK(cuFuncGetParamInfo(kernel, 2, &offset, &bytes));
	CHECK(offset == 256 && bytes == 4);
	OK(tile(&map, 4, data));
	OK(cuModuleGetGlobal_v2(&held, &bytes, module, "held"));
	CHECK(bytes == sizeof map && !(held % TENSOR_MAP_ALIGNMENT));
	OK(cuMemcpyHtoD_v2(held, &map, sizeof map));
	launch(module, "constant", &map, (void *[]){&out});
	OK(tile(&map, 3, data));
	OK(cudaMalloc(&lying, sizeof map));
	OK(cudaMemcpy(lying, &map, sizeof map, cudaMemcpyHostToDevice));
	launch(module, "global", &map, (void *[]){&lying, &out});
	OK(cuModuleUnload(module));
}

int main(void)
{
	CUtensorMap map;
	CHECK(tile(&map, 2, NULL) == CUDA_ERROR_NOT_INITIALIZED);
	OK(cudaMalloc((void **)&data, 8192));
	check_contents();
	check_entry_points();
	check_places();
	return 0;
}
