/* What is not supported: see refused.def.  Each returns cudaErrorNotSupported, which is CUDA_ERROR_NOT_SUPPORTED, and
 * says so once; the arguments are not looked at, so none are declared. */
#include "host/cuda/driver_parts.h"

#include <stdatomic.h>
#include <string.h>

static int refuse(const char *name, atomic_bool *said)
{
	bool is_runtime = strstr(name, "cuda");
	if (!atomic_exchange(said, true))
		device_unsupported(name, "the program called %s, which Lockstep does not support: it returned %s", name,
			is_runtime ? "cudaErrorNotSupported" : "CUDA_ERROR_NOT_SUPPORTED");
	return is_runtime ? (int)error_note(cudaErrorNotSupported) : CUDA_ERROR_NOT_SUPPORTED;
}

#define REFUSED(name)                                                                                                  \
	int name(void)                                                                                                 \
	{                                                                                                              \
		static atomic_bool said;                                                                               \
		return refuse(#name, &said);                                                                           \
	}
#define REFUSED_IN_STREAM(name) REFUSED(name) REFUSED(name##_ptsz)
#include "host/cuda/refused.def"

/* ---- NVIDIA's private interface of the driver, which a CUDA runtime needs that is not replaced ---- */

/* NVRTC asks for this one, and compiles without it. */
static const uint8_t of_compiler[16] = {
	0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41, 0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};

/* Names the library that the caller is in.  Of the program itself `lockstep run` says why its runtime was not
 * replaced. */
static int refuse_table(const void **answer, const void *id, const void *caller)
{
	static atomic_bool said;
	const char *library = library_of(caller);
	if (!answer || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*answer = NULL;
	if (library && memcmp(id, of_compiler, sizeof of_compiler) && !atomic_exchange(&said, true))
		device_unsupported("cuGetExportTable",
			"%s cannot use the simulated GPU: it contains a CUDA runtime of its own, which needs the "
			"private tables of NVIDIA's driver (cuGetExportTable). Lockstep does not have them, and cannot "
			"replace a runtime within a library. Use kernels whose PTX is in the program: your own, "
			"CUTLASS, CUB, thrust",
			library);
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGetExportTable(const void **table, const void *id)
{
	return (CUresult)refuse_table(table, id, __builtin_return_address(0));
}

cudaError_t cudaGetExportTable(const void **table, const void *id)
{
	return error_note((cudaError_t)refuse_table(table, id, __builtin_return_address(0)));
}

/* Of a static runtime, whose functions come here with their name when there is none of that name here
 * (preload/static_runtime.c). */
cudaError_t __cudaLockstepRefuse(const char *name)
{
	atomic_bool said = false;
	return (cudaError_t)refuse(name, &said);
}
