/* cuLaunchFirmwareLOCKSTEP (device/lockstep_control.h): firmware dispatches a kernel of another module three times.  On
 * a GPU without a control processor it is not supported. */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdint.h>

static const char firmware_ptx[] = ".version 7.0\n"
				   ".target sm_70\n"
				   ".address_size 64\n"
				   ".extern .func __lockstep_dispatch (.param .b32 a, .param .b32 b, .param .b64 c);\n"
				   ".extern .func (.param .b32 r) __lockstep_outstanding (.param .b32 a);\n"
				   ".visible .entry serve(.param .u64 words, .param .u32 turns)\n"
				   "{\n"
				   "	.reg .b32 %r<6>;\n"
				   "	.reg .b64 %d<4>;\n"
				   "	.reg .pred %p<3>;\n"
				   "	ld.param.u64 %d1, [words];\n"
				   "	ld.param.u32 %r1, [turns];\n"
				   "	mov.u32 %r2, 0;\n"
				   "	mov.u32 %r3, 2;\n"
				   "again:\n"
				   "	{\n"
				   "	.param .b32 a;\n"
				   "	.param .b32 b;\n"
				   "	.param .b64 c;\n"
				   "	st.param.b32 [a], %r2;\n"
				   "	st.param.b32 [b], %r3;\n"
				   "	st.param.b64 [c], %d1;\n"
				   "	call.uni __lockstep_dispatch, (a, b, c);\n"
				   "	}\n"
				   "waiting:\n"
				   "	{\n"
				   "	.param .b32 a;\n"
				   "	.param .b32 r;\n"
				   "	st.param.b32 [a], %r2;\n"
				   "	call.uni (r), __lockstep_outstanding, (a);\n"
				   "	ld.param.b32 %r4, [r];\n"
				   "	}\n"
				   "	setp.ne.u32 %p1, %r4, 0;\n"
				   "	@%p1 bra waiting;\n"
				   "	sub.u32 %r1, %r1, 1;\n"
				   "	setp.ne.u32 %p2, %r1, 0;\n"
				   "	@%p2 bra again;\n"
				   "	ret;\n"
				   "}\n";
static const char kernel_ptx[] = ".version 7.0\n"
				 ".target sm_70\n"
				 ".address_size 64\n"
				 ".visible .entry add(.param .u64 words)\n"
				 "{\n"
				 "	.reg .b32 %r<8>;\n"
				 "	.reg .b64 %d<4>;\n"
				 "	ld.param.u64 %d1, [words];\n"
				 "	mov.u32 %r1, %ctaid.x;\n"
				 "	mov.u32 %r2, %ntid.x;\n"
				 "	mov.u32 %r3, %tid.x;\n"
				 "	mad.lo.u32 %r4, %r1, %r2, %r3;\n"
				 "	mul.wide.u32 %d2, %r4, 4;\n"
				 "	add.u64 %d3, %d1, %d2;\n"
				 "	ld.global.u32 %r5, [%d3];\n"
				 "	add.u32 %r6, %r5, %r4;\n"
				 "	st.global.u32 [%d3], %r6;\n"
				 "	ret;\n"
				 "}\n";

enum { GROUP = 96, COUNT = 2 * GROUP, TURNS = 3, NOT_SUPPORTED = 801 };

int main(void)
{
	CUcontext context;
	static CUmodule modules[2]; /* behind the last launch's fault no module can be unloaded: still known, no leak */
	CUfunction firmware, kernel;
	CUdeviceptr words;
	uint32_t got[COUNT], turns = TURNS;
	void *arguments[] = {&words, &turns}, *call = NULL;
	OK(cuInit(0));
	OK(cuCtxCreate_v2(&context, 0, 0));
	OK(cuModuleLoadData(&modules[0], firmware_ptx));
	OK(cuModuleLoadData(&modules[1], kernel_ptx));
	OK(cuModuleGetFunction(&firmware, modules[0], "serve"));
	OK(cuModuleGetFunction(&kernel, modules[1], "add"));
	OK(cuMemAlloc_v2(&words, sizeof got));
	OK(cuMemsetD32_v2(words, 7, COUNT));
	OK(cuGetProcAddress("cuLaunchFirmwareLOCKSTEP", &call, 12000, 0));
	CHECK(call);
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchFirmwareLOCKSTEP(NULL, 1, &kernel, GROUP, NULL, arguments));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchFirmwareLOCKSTEP(firmware, 0, &kernel, GROUP, NULL, arguments));
	CUresult why = cuLaunchFirmwareLOCKSTEP(firmware, 1, &kernel, GROUP, NULL, arguments);
	if (why != (CUresult)NOT_SUPPORTED) {
		OK(why);
		OK(cuMemcpyDtoH_v2(got, words, sizeof got));
		for (uint32_t k = 0; k < COUNT; k++)
			CHECK(got[k] == 7 + TURNS * k);
		OK(cuLaunchFirmwareLOCKSTEP(firmware, 1, &firmware, 0, NULL, arguments)); /* none dispatches firmware */
		CHECK(cuCtxSynchronize() != CUDA_SUCCESS);
	}
	puts(why ? "passed: not supported" : "passed");
	return 0;
}
