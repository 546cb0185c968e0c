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

/* A box with a swizzle of 128 bytes, of which one thread asks for the copy. */
static const char copies[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry copy(.param .align 128 .b8 map[128], .param .s32 x, .param .s32 y, .param .u64 out)\n{\n"
	".shared .align 1024 .b8 box[1024];\n.shared .align 8 .b64 full;\n"
	".reg .b64 %m, %o, %offset;\n.reg .b32 %t, %x, %y, %b, %f, %v;\n.reg .pred %p;\n"
	"mov.b64 %m, map;\ncvta.param.u64 %m, %m;\nld.param.s32 %x, [x];\nld.param.s32 %y, [y];\n"
	"ld.param.u64 %o, [out];\nmov.u32 %b, box;\nmov.u32 %f, full;\nmov.u32 %t, %tid.x;\n"
	"setp.ne.u32 %p, %t, 0;\n@%p bra wait;\nmbarrier.init.shared::cta.b64 [%f], 1;\n"
	"fence.mbarrier_init.release.cluster;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%f], 1024;\n"
	"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%b], [%m, {%x, %y}], [%f];\n"
	"wait:\nbar.sync 0;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [%f], 0;\n@!%p bra again;\n"
	"mad.lo.u32 %b, %t, 4, %b;\nmul.wide.u32 %offset, %t, 4;\nadd.u64 %o, %o, %offset;\n"
	"ld.shared.u32 %v, [%b];\nst.global.u32 [%o], %v;\nret;\n}\n";

/* Where the swizzle puts a word of the box: the numbers of chunks of 16 bytes are those of the tensor, each with its
 * row's number beside it (PTX ISA, "Swizzling modes"). */
static uint32_t place_of(uint32_t row, uint32_t column)
{
	return row * 32 + ((column / 4 ^ row % 8) * 4 | column % 4);
}

static void check_copies(void)
{
	enum { X = 40, Y = 27 };
	static float tensor[ROWS * COLUMNS], box_there[256];
	CUmodule module;
	CUfunction kernel;
	CUtensorMap map;
	int x = X, y = Y;
	float *there;
	for (int k = 0; k < ROWS * COLUMNS; k++)
		tensor[k] = (float)k;
	OK(cudaMalloc((void **)&there, sizeof box_there));
	OK(cudaMemcpy(data, tensor, sizeof tensor, cudaMemcpyHostToDevice));
	OK(tile(&map, 2, data));
	OK(cuModuleLoadData(&module, copies));
	OK(cuModuleGetFunction(&kernel, module, "copy"));
	OK(cuLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&map, &x, &y, &there}, NULL));
	OK(cudaMemcpy(box_there, there, sizeof box_there, cudaMemcpyDeviceToHost));
	for (uint32_t row = 0; row < 8; row++)
		for (uint32_t column = 0; column < 32; column++) {
			float got = box_there[place_of(row, column)];
			bool inside = X + column < COLUMNS && Y + row < ROWS;
			CHECK(inside ? got == tensor[(Y + row) * COLUMNS + X + column] : got != got); /* NaN */
		}
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
	check_copies();
	return 0;
}
