// Tensor maps as parameters of a kernel that clang compiles: their addresses are those of the parameters, also when functions get them,
// so all threads see the same bytes, and nothing is copied into local memory.
// launch: --block 2 --arg s32:3 --arg tensor:a:f16:64x32:128:64x8:new=zero --arg tensor:b:f32:8x16:dense:8x4:new=zero --arg s32:7 --arg buf:out:u64:18 --dump out
#include <cuda.h>
#include <cudaTypedefs.h>

__device__ unsigned long long word(const CUtensorMap *map, int k)
{
	return map->opaque[k];
}

__device__ unsigned long long in_parameters(const void *p)
{
	unsigned yes;
	asm("{.reg .pred p; .reg .b64 q; cvta.to.param.u64 q, %1; setp.lt.u64 p, q, 4096; selp.u32 %0, 1, 0, p;}" : "=r"(yes) : "l"(p));
	return yes;
}

extern "C" __global__ void grid_constant(int before, const __grid_constant__ CUtensorMap first, const __grid_constant__ CUtensorMap second,
	const __grid_constant__ int after, unsigned long long *out)
{
	out += 9 * threadIdx.x;
	asm volatile("ld.u64 %0, [%1 + 48];" : "=l"(out[0]) : "l"(&first) : "memory");
	out[1] = before + after;
	out[2] = word(&second, 5);
	out[3] = second.opaque[6];
	out[4] = word(threadIdx.x ? &first : &second, 6);
	out[5] = (unsigned long long)&first % 128;
	out[6] = (unsigned long long)&second - (unsigned long long)&first;
	out[7] = in_parameters(&first);
	out[8] = after;
}

/* Host code of a program's file is understood, and not compiled. */
CUresult encode(CUtensorMap *map, void *data)
{
	cuuint64_t sizes[] = {64, 32}, strides[] = {128};
	cuuint32_t box[] = {64, 8}, steps[] = {1, 1};
	void *entry;
	cudaDriverEntryPointQueryResult found;
	cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
	auto call = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);
	return call(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
		CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
