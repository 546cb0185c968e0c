/* What the driver tells on stderr, where an error's number alone would leave a user in the dark (docs/cuda.md): each
 * line as often as it should be, with the kernel's name and the numbers that matter. */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdint.h>
#include <unistd.h>

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

static FILE *told; /* in place of stderr */
static int standard_error;

static void begin(void)
{
	fflush(stderr);
	told = tmpfile();
	CHECK(told);
	standard_error = dup(2);
	CHECK(standard_error >= 0 && dup2(fileno(told), 2) == 2);
}

/* All that was told since; until the next call. */
static const char *end(void)
{
	static char text[4096];
	fflush(stderr);
	CHECK(dup2(standard_error, 2) == 2);
	close(standard_error);
	rewind(told);
	text[fread(text, 1, sizeof text - 1, told)] = '\0';
	fclose(told);
	return text;
}

/* `call` gives this code, and this is told. */
#define TOLD(expected, code, call)                                                                                     \
	do {                                                                                                           \
		begin();                                                                                               \
		int error_ = (int)(call);                                                                              \
		const char *told_ = end();                                                                             \
		GIVES(code, error_);                                                                                   \
		if (strcmp(told_, expected)) {                                                                         \
			fprintf(stderr, "%s:%d: told: %s", __FILE__, __LINE__, told_);                                 \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

static cudaError_t open(cudaLibrary_t *library, const char *ptx)
{
	return cudaLibraryLoadData(library, ptx, NULL, NULL, 0, NULL, NULL, 0);
}

static void check_refused(void)
{
	cudaError_t cudaIpcGetMemHandle(void), cuMemCreate(void);
	const struct cudaChannelFormatDesc single = {32, 0, 0, 0, cudaChannelFormatKindFloat};
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
	const struct cudaTextureDesc sampling = {.addressMode = {1, 1, 1}};
	cudaTextureObject_t texture;
	cudaLibrary_t library;
	size_t left, all;
	void *pointer;
	char room[256];
	TOLD("lockstep: the program called cudaIpcGetMemHandle, which Lockstep does not support: it returned "
	     "cudaErrorNotSupported\n",
		cudaErrorNotSupported, cudaIpcGetMemHandle());
	TOLD("", cudaErrorNotSupported, cudaIpcGetMemHandle()); /* once */
	OK((cudaGetLastError(), cudaGetLastError()));
	TOLD("lockstep: the program called cuMemCreate, which Lockstep does not support: it returned "
	     "CUDA_ERROR_NOT_SUPPORTED\n",
		cudaErrorNotSupported, cuMemCreate());
	OK(cudaGetLastError()); /* the driver's errors are not the runtime's */
	OK(cudaMallocArray(&resource.res.array.array, &single, 4, 4, 0));
	TOLD("lockstep: cudaCreateTextureObject: resource views are not offered\n", cudaErrorNotSupported,
		cudaCreateTextureObject(&texture, &resource, &sampling, "view"));
	OK(cudaFreeArray(resource.res.array.array));
	/* Both say what to change, but once. */
	OK((int)cudaMemGetInfo(&left, &all));
	snprintf(room, sizeof room,
		"lockstep: cudaMallocAsync of 1,099,511,627,776 bytes failed: there is no room for them in the "
		"simulated GPU's memory of %zu,%03zu MiB; --set memory.size=MIB changes its size\n",
		(all >> 20) / 1000, (all >> 20) % 1000);
	TOLD(room, cudaErrorMemoryAllocation, cudaMallocAsync(&pointer, (size_t)1 << 40, NULL));
	TOLD("", cudaErrorMemoryAllocation, cudaMalloc(&pointer, (size_t)1 << 40));
	TOLD("lockstep: a cubin holds machine code only: load PTX, or a fat binary with PTX\n",
		cudaErrorNoKernelImageForDevice, open(&library, "\177ELF and so on, for long enough"));
}

/* The driver's error is one for all that is wrong with a tensor map, so the reason is told. */
static void check_tensor_maps(void)
{
	static const uint64_t sizes[] = {64, 64}, strides[] = {20};
	static const uint32_t box[] = {32, 8}, steps[] = {1, 1};
	static char room[TENSOR_MAP_BYTES + 1] __attribute__((aligned(TENSOR_MAP_ALIGNMENT)));
	CUtensorMap map = {.magic = 0};
	char line[160];
	GIVES(cudaErrorNoKernelImageForDevice, cudaGetLastError());
#define TILED "lockstep: cuTensorMapEncodeTiled: "
#define WRONG ": CUDA_ERROR_INVALID_VALUE\n"
	TOLD(TILED "the stride of dimension 1 is 20 bytes: a multiple of 16 is needed" WRONG, cudaErrorInvalidValue,
		cuTensorMapEncodeTiled(&map, TENSOR_F32, 2, NULL, sizes, strides, box, steps, 0, 0, 0, 0));
	TOLD(TILED "the rank is 4294967295: 1 to 5 are allowed" WRONG, cudaErrorInvalidValue,
		cuTensorMapEncodeTiled(&map, TENSOR_F32, UINT32_MAX, NULL, (uint64_t[5]){0}, (uint64_t[4]){0},
			(uint32_t[5]){0}, (uint32_t[5]){0}, 0, 0, 0, 0));
	TOLD(TILED "boxDim is null" WRONG, cudaErrorInvalidValue,
		cuTensorMapEncodeTiled(&map, TENSOR_F32, 2, NULL, sizes, strides, NULL, steps, 0, 0, 0, 0));
	TOLD(TILED "globalStrides is null" WRONG, cudaErrorInvalidValue,
		cuTensorMapEncodeTiled(&map, TENSOR_F32, 2, NULL, sizes, NULL, box, steps, 0, 0, 0, 0));
	TOLD(TILED "tensorMap is null" WRONG, cudaErrorInvalidValue,
		cuTensorMapEncodeTiled(NULL, TENSOR_F32, 2, NULL, sizes, strides, box, steps, 0, 0, 0, 0));
	snprintf(line, sizeof line, TILED "tensorMap is at %p: a multiple of 64 is needed" WRONG, (void *)(room + 1));
	TOLD(line, cudaErrorInvalidValue,
		cuTensorMapEncodeTiled((CUtensorMap *)(void *)(room + 1), TENSOR_F32, 2, NULL, sizes, strides, box,
			steps, 0, 0, 0, 0));
	TOLD("lockstep: cuTensorMapEncodeIm2col: the rank is 2: 3 to 5 are allowed for im2col" WRONG,
		cudaErrorInvalidValue,
		cuTensorMapEncodeIm2col(
			&map, TENSOR_F32, 2, NULL, sizes, strides, NULL, NULL, 32, 8, steps, 0, 0, 0, 0));
	TOLD("lockstep: cuTensorMapEncodeIm2colWide: the wide mode is 2: 0 to 1 are defined" WRONG,
		cudaErrorInvalidValue,
		cuTensorMapEncodeIm2colWide(
			&map, TENSOR_F32, 2, NULL, sizes, strides, 0, 0, 32, 8, steps, 0, 2, 3, 0, 0));
	TOLD("lockstep: cuTensorMapReplaceAddress: tensorMap is none that a cuTensorMapEncode call has made" WRONG,
		cudaErrorInvalidValue, cuTensorMapReplaceAddress(&map, NULL));
	OK(cudaGetLastError()); /* the driver's errors are not the runtime's */
}

/* PTX that is none, a kernel that no core has room for, and a block that is too large for one. */
static void check_kernels(void)
{
	cudaLibrary_t library;
	cudaKernel_t kernel;
	TOLD("lockstep: the GPU cannot run the program: program.ptx:5:1: unknown instruction 'nonsense'\n",
		cudaErrorInvalidPtx, open(&library, HEAD ".visible .entry k() {\nnonsense;\n}\n"));
	OK(open(&library, HEAD ".visible .entry k()\n{\n.shared .b8 all[100000];\n.reg .b32 %r<2>;\nmov.u32 %r1, all;\n"
			       "st.shared.u32 [%r1], 1;\nret;\n}\n"
			       ".visible .entry few()\n.maxntid 64, 1, 1\n{\nret;\n}\n"));
	OK(cudaLibraryGetKernel(&kernel, library, "k"));
	TOLD("lockstep: kernel k: a block of 1 threads is more than the 0 that fit a core with the 4 registers a "
	     "thread and 100000 bytes of shared memory that it needs, or that its launch bounds allow: "
	     "cudaErrorLaunchOutOfResources\n",
		cudaErrorLaunchOutOfResources,
		cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	OK(cudaLibraryGetKernel(&kernel, library, "few"));
	OK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){64, 1, 1}, NULL, 0, NULL));
	TOLD("lockstep: kernel few: a block of 65 threads is more than the 64 that fit a core with the 4 registers a "
	     "thread and 0 bytes of shared memory that it needs, or that its launch bounds allow: "
	     "cudaErrorLaunchOutOfResources\n",
		cudaErrorLaunchOutOfResources,
		cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){13, 5, 1}, NULL, 0, NULL));
	TOLD("", cudaErrorLaunchOutOfResources,
		cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){65, 1, 1}, NULL, 0, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaLibraryUnload(library));
}

/* A kernel that is not supported hinders no other one of its module, and is told where it is launched: once, with all
 * that it reaches, and with what helps. */
static void check_unsupported(void)
{
	cudaLibrary_t library;
	cudaKernel_t good, bad;
	OK(open(&library,
		".version 8.6\n.target sm_100a\n.address_size 64\n.file 1 \"/src/app.cu\"\n"
		".func f()\n{\n.reg .b32 %r<2>;\n.loc 1 3 1\nclusterlaunchcontrol.try_cancel.async.mbarrier::"
		"complete_tx::bytes.b128 [%r0], [%r1];\nret;\n}\n"
		".visible .entry good()\n{\nret;\n}\n"
		".visible .entry _Z3badPi(.param .u64 p)\n{\n.reg .b64 %d;\n.loc 1 7 1\n"
		"multimem.red.relaxed.sys.global.add.u32 [%d], 1;\n.loc 1 8 1\n"
		"multimem.st.weak.u32 [%d], 1;\n.loc 1 9 1\nmultimem.st.weak.u32 [%d], 1;\ncall f;\nret;\n}\n"));
	OK(cudaLibraryGetKernel(&good, library, "good"));
	OK(cudaLibraryGetKernel(&bad, library, "_Z3badPi"));
	OK(cudaLaunchKernel(good, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	TOLD("lockstep: kernel refused: program.ptx:20:1: kernel bad at /src/app.cu:7: "
	     "multimem.red.relaxed.sys.global.add.u32, multimem.st.weak.u32 (2 times, /src/app.cu:8): memory on "
	     "several "
	     "devices is not supported; clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 "
	     "(/src/app.cu:3): a cluster cannot take the place of one that has not started; expected code for a target "
	     "before sm_90 (nvcc -arch=sm_80); `cuobjdump -ptx` prints a program's PTX\n",
		cudaErrorNoKernelImageForDevice,
		cudaLaunchKernel(bad, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	TOLD("", cudaErrorNoKernelImageForDevice,
		cudaLaunchKernel(bad, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	OK(cudaLaunchKernel(good, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaLibraryUnload(library));
}

/* setmaxnreg of a kernel that does not fix how many registers its threads start with: once. */
static void check_ignored(void)
{
	cudaLibrary_t library;
	cudaKernel_t fixed, ignored;
	OK(open(&library, ".version 8.0\n.target sm_90a\n.address_size 64\n"
			  ".visible .entry fixed()\n.maxnreg 40\n{\nsetmaxnreg.dec.sync.aligned.u32 24;\nret;\n}\n"
			  ".visible .entry _Z7ignoredv()\n{\nsetmaxnreg.inc.sync.aligned.u32 232;\nret;\n}\n"));
	TOLD("", cudaSuccess, cudaLibraryGetKernel(&fixed, library, "fixed"));
	TOLD("lockstep: kernel ignored: setmaxnreg does nothing, as in ptxas (C7508): it needs __launch_bounds__ with "
	     "two numbers, or __maxnreg__\n",
		cudaSuccess, cudaLibraryGetKernel(&ignored, library, "_Z7ignoredv"));
	TOLD("", cudaSuccess, cudaLaunchKernel(fixed, (dim3){1, 1, 1}, (dim3){128, 1, 1}, NULL, 0, NULL));
	TOLD("", cudaSuccess, cudaLaunchKernel(ignored, (dim3){1, 1, 1}, (dim3){128, 1, 1}, NULL, 0, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaLibraryUnload(library));
}

EMBED(again, "kernels.fatbin");

/* A program whose host side knows of a kernel that its module has not. */
static void check_missing(void)
{
	static const struct {
		uint32_t magic, version;
		const void *data, *modules;
	} wrapper = {0x466243b1, 1, again, NULL};
	static const char missing;
	struct cudaFuncAttributes attributes;
	void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);
	__cudaRegisterFunction(module, &missing, NULL, "missing", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	TOLD("lockstep: kernel missing: the GPU cannot run it: program.ptx: no kernel 'missing'\n",
		cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, &missing));
	TOLD("", cudaErrorInvalidDeviceFunction,
		cudaLaunchKernel(&missing, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	__cudaUnregisterFatBinary(module);
}

int main(void)
{
	check_ignored();
	check_missing();
	check_refused();
	check_tensor_maps();
	check_kernels();
	check_unsupported();
	return 0;
}
