/* A program one of whose launches is to be searched (lockstep run --schedules N --launch K):
 *
 *     schedules chain GROUPS [managed] [busy] [first]
 *
 * Launch 0 lets the first group of launch 1 go on; in launch 1 each group waits for the one before it, and counts;
 * launch 2 counts once more.  It prints the error that it gets and the count.  `managed`: the words are shared with the
 * host; `busy`: which does not wait but asks; `first`: launch 0 is not there. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdbool.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry begin(.param .u64 words)\n{\n"
			  "	.reg .b64 %rd;\n"
			  "	ld.param.u64 %rd, [words];\n"
			  "	st.global.u32 [%rd+4], 1;\n"
			  "	ret;\n}\n"
			  ".visible .entry chain(.param .u64 words)\n{\n"
			  "	.reg .pred %p;\n	.reg .b32 %r<3>;\n	.reg .b64 %rd<4>;\n"
			  "	ld.param.u64 %rd1, [words];\n"
			  "	mov.u32 %r1, %ctaid.x;\n"
			  "	mul.wide.u32 %rd2, %r1, 4;\n"
			  "	add.u64 %rd3, %rd1, %rd2;\n"
			  "again:\n"
			  "	ld.acquire.gpu.global.u32 %r2, [%rd3+4];\n"
			  "	setp.eq.u32 %p, %r2, 0;\n"
			  "	@%p bra again;\n"
			  "	red.global.add.u32 [%rd1], 1;\n"
			  "	st.release.gpu.global.u32 [%rd3+8], 1;\n"
			  "	ret;\n}\n"
			  ".visible .entry finish(.param .u64 words)\n{\n"
			  "	.reg .b64 %rd;\n"
			  "	ld.param.u64 %rd, [words];\n"
			  "	red.global.add.u32 [%rd], 1;\n"
			  "	ret;\n}\n";

enum { WORDS = 80 };

static CUmodule module;
static CUdeviceptr words;

static void launch(const char *kernel, unsigned int groups)
{
	CUfunction function;
	void *parameters[] = {&words};
	OK(cuModuleGetFunction(&function, module, kernel));
	OK(cuLaunchKernel(function, groups, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
}

static bool has(int count, char **given, const char *word)
{
	for (int k = 0; k < count; k++)
		if (!strcmp(given[k], word))
			return true;
	return false;
}

int main(int count, char **given)
{
	CUcontext context;
	uint32_t counted = 0;
	OK(cuInit(0));
	OK(cuCtxCreate_v2(&context, 0, 0));
	OK(cuModuleLoadData(&module, ptx));
	if (has(count, given, "managed"))
		OK(cuMemAllocManaged(&words, WORDS * sizeof(uint32_t), 1));
	else
		OK(cuMemAlloc_v2(&words, WORDS * sizeof(uint32_t)));
	OK(cuMemsetD32_v2(words, 0, WORDS));
	if (!has(count, given, "first"))
		launch("begin", 1);
	launch("chain", count > 2 ? (unsigned int)strtoul(given[2], NULL, 10) : 3);
	launch("finish", 1);
	while (has(count, given, "busy") && cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY)
		;
	int error = (int)cuCtxSynchronize();
	if (!error)
		OK(cuMemcpyDtoH_v2(&counted, words, sizeof counted));
	printf("error %d, counted %u\n", error, counted);
	return 0;
}
