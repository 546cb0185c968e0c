/* Grids that run together, of which one needs the other: `placement WORKERS [ORDER]`, as a persistent kernel beside its
 * scheduler (Mirage issue 761).
 *
 * Each work-group of `work` waits for the scheduler, and counts.  Where the workers take all places of the GPU first,
 * the scheduler never begins.  ORDER has a letter for each launch, each in a stream of its own: s the scheduler, w the
 * workers, i one group that has nothing to do with either, r workers who ask the scheduler for nothing, f one group
 * that faults if the scheduler has not begun; without it "sw".  It prints the error that it gets and the count. */
#include "host/cuda/driver.h"
#include "kernels.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry schedule(.param .u64 words)\n{\n"
			  "	.reg .b64 %rd;\n"
			  "	ld.param.u64 %rd, [words];\n"
			  "	st.release.gpu.global.u32 [%rd+4], 1;\n"
			  "	ret;\n}\n"
			  ".visible .entry work(.param .u64 words)\n{\n"
			  "	.reg .pred %p;\n	.reg .b32 %r;\n	.reg .b64 %rd;\n"
			  "	ld.param.u64 %rd, [words];\n"
			  "again:\n"
			  "	ld.acquire.gpu.global.u32 %r, [%rd+4];\n"
			  "	setp.eq.u32 %p, %r, 0;\n"
			  "	@%p bra again;\n"
			  "	red.global.add.u32 [%rd], 1;\n"
			  "	ret;\n}\n"
			  ".visible .entry idle(.param .u64 words)\n{\n"
			  "	.reg .b64 %rd;\n"
			  "	ld.param.u64 %rd, [words];\n"
			  "	red.global.add.u32 [%rd], 1;\n"
			  "	ret;\n}\n"
			  ".visible .entry fault(.param .u64 words)\n{\n"
			  "	.reg .pred %p;\n	.reg .b32 %r;\n	.reg .b64 %rd;\n"
			  "	ld.param.u64 %rd, [words];\n"
			  "	ld.acquire.gpu.global.u32 %r, [%rd+4];\n"
			  "	setp.eq.u32 %p, %r, 0;\n"
			  "	@%p trap;\n"
			  "	ret;\n}\n";

int main(int count, char **given)
{
	CUcontext context;
	CUmodule module;
	CUdeviceptr words;
	uint32_t counted = 0;
	unsigned int workers = count > 1 ? (unsigned int)strtoul(given[1], NULL, 10) : 4;
	OK(cuInit(0));
	OK(cuCtxCreate_v2(&context, 0, 0));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuMemAlloc_v2(&words, 2 * sizeof(uint32_t)));
	OK(cuMemsetD32_v2(words, 0, 2));
	OK(cuCtxSynchronize());
	for (const char *at = count > 2 ? given[2] : "sw"; *at; at++) {
		const char *name = *at == 's' ? "schedule" : *at == 'w' ? "work" : *at == 'f' ? "fault" : "idle";
		unsigned int groups = *at == 'w' || *at == 'r' ? workers : 1;
		CUstream stream;
		CUfunction function;
		void *parameters[] = {&words};
		OK(cuStreamCreate(&stream, 1));
		OK(cuModuleGetFunction(&function, module, name));
		OK(cuLaunchKernel(function, groups, 1, 1, 32, 1, 1, 0, stream, parameters, NULL));
	}
	int error = (int)cuCtxSynchronize();
	if (!error)
		OK(cuMemcpyDtoH_v2(&counted, words, sizeof counted));
	printf("error %d, counted %u\n", error, counted);
	return 0;
}
