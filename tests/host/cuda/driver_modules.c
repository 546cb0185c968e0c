/* The driver's interface: modules, functions, launches, linking, libraries, addresses of calls; each call once right,
 * with what it gives, and with what is wrong.  Expectations: CUDA Driver API 13.0, "Module Management", "Library
 * Management", "Execution Control", "Occupancy", "Driver Entry Point Access". */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdint.h>

EMBED(fatbin, "kernels.fatbin");

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

/* store(p, a, b): p[0] = a, p[1] = b, p[2] = the threads of a block, p[3] = the blocks, by x y z in bytes. */
static const char ptx[] =
	HEAD ".visible .global .align 4 .u32 word = 42;\n.visible .global .align 4 .b8 many[24];\n"
	     ".visible .entry store(.param .u64 p, .param .u32 a, .param .u64 b)\n.maxntid 64, 1, 1\n{\n"
	     ".reg .b32 %r<9>;\n.reg .b64 %d<3>;\n.shared .align 4 .b8 tile[128];\n"
	     "ld.param.u64 %d1, [p];\nld.param.u32 %r1, [a];\nld.param.u64 %d2, [b];\nst.shared.u32 [tile+4], "
	     "%r1;\nbar.sync 0;\nld.shared.u32 %r1, [tile+4];\n"
	     "cvt.u32.u64 %r8, %d2;\nst.global.u32 [%d1], %r1;\nst.global.u32 [%d1+4], %r8;\n"
	     "mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %ntid.y;\nmov.u32 %r4, %ntid.z;\nshl.b32 %r3, %r3, 8;\nshl.b32 %r4, "
	     "%r4, 16;\n"
	     "or.b32 %r2, %r2, %r3;\nor.b32 %r2, %r2, %r4;\nst.global.u32 [%d1+8], %r2;\n"
	     "mov.u32 %r5, %nctaid.x;\nmov.u32 %r6, %nctaid.y;\nmov.u32 %r7, %nctaid.z;\nshl.b32 %r6, %r6, 8;\nshl.b32 "
	     "%r7, %r7, 16;\n"
	     "or.b32 %r5, %r5, %r6;\nor.b32 %r5, %r5, %r7;\nst.global.u32 [%d1+12], %r5;\nmov.u32 %r8, "
	     "%dynamic_smem_size;\nst.global.u32 [%d1+16], %r8;\n"
	     "ret;\n}\n"
	     ".visible .entry other()\n{\nret;\n}\n";

static uint32_t *words; /* managed, 8 of them */
static CUstream wrong = (CUstream)&words;

static void expect(uint32_t a, uint32_t b, uint32_t threads, uint32_t blocks, uint32_t shared)
{
	OK(cuCtxSynchronize());
	CHECK(words[0] == a && words[1] == b && words[2] == threads && words[3] == blocks && words[4] == shared);
	memset(words, 0xff, 8 * sizeof *words);
}

static void check_not_ready(void)
{
	CUmodule module;
	CUfunction function;
	CUdeviceptr address;
	CUlinkState link;
	size_t bytes;
	int value;
	void *image;
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuModuleLoadData(&module, ptx));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuModuleLoad(&module, "x"));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuLinkCreate_v2(0, NULL, NULL, &link));
	OK(cuInit(0));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoadData(&module, ptx));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoadFatBinary(&module, fatbin));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoad(&module, KERNELS_FOLDER "/kernels.fatbin"));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuModuleUnload(NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuModuleGetFunction(&function, NULL, "x"));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuModuleGetGlobal_v2(&address, &bytes, NULL, "x"));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuFuncGetAttribute(&value, 0, NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuFuncSetAttribute(NULL, 8, 0));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, NULL, 1, 0));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuLaunchCooperativeKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuLinkCreate_v2(0, NULL, NULL, &link));
	GIVES(CUDA_ERROR_INVALID_CONTEXT,
		cuLinkAddData_v2(NULL, 1, (void *)(uintptr_t)ptx, sizeof ptx, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuLinkComplete(NULL, &image, NULL));
}

static void check_modules(void)
{
	static const uint8_t elf[64] = "\177ELF";
	CUmodule module, same;
	CUfunction function, again;
	CUdeviceptr address = 0, second = 0;
	size_t bytes = 0;
	uint32_t value = 0;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(NULL, ptx));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(NULL, "x"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(&module, NULL));
	GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, elf));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, KERNELS_FOLDER));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(NULL));
	OK(cuModuleLoadDataEx(&module, ptx, 1, (int[]){0}, (void *[]){NULL}));
	OK(cuModuleLoadData(&same, ptx)); /* its variables are others */
	OK(cuModuleGetFunction(&function, module, "store"));
	OK(cuModuleGetFunction(&again, module, "store"));
	CHECK(function == again);
	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&again, module, "stor"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(NULL, module, "store"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&again, module, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&again, NULL, "store"));
	OK(cuModuleGetGlobal_v2(&address, &bytes, module, "word"));
	OK(cuModuleGetGlobal_v2(&second, NULL, same, "word"));
	CHECK(bytes == 4 && address != second);
	OK(cuMemcpyDtoH_v2(&value, address, 4));
	CHECK(value == 42);
	value = 43;
	OK(cuMemcpyHtoD_v2(second, &value, 4));
	OK(cuMemcpyDtoH_v2(&value, address, 4));
	CHECK(value == 42);
	OK(cuModuleGetGlobal_v2(NULL, &bytes, module, "many"));
	CHECK(bytes == 24);
	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&address, &bytes, module, "wor"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal_v2(&address, &bytes, module, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleGetGlobal_v2(&address, &bytes, NULL, "word"));
	OK(cuModuleUnload(same));
	OK(cuModuleUnload(module));
	OK(cuModuleLoadFatBinary(&module, fatbin));
	OK(cuModuleGetFunction(&function, module, "fill"));
	OK(cuModuleUnload(module));
}

/* CU_FUNC_ATTRIBUTE_...: 0 threads, 1 shared, 2 constant, 3 local, 4 registers, 5 PTX, 6 binary, 7 cache, 8 dynamic
 * shared, 9 carveout. */
static void check_functions(CUfunction store, CUfunction other)
{
	int value = -1, shared, most, capability[2], blocks = -1, more, threads;
	OK(cuFuncGetAttribute(&threads, 0, store));
	CHECK(threads == 64); /* .maxntid */
	OK(cuFuncGetAttribute(&shared, 1, store));
	CHECK(shared == 128);
	OK(cuFuncGetAttribute(&value, 2, store));
	CHECK(value == 0);
	OK(cuFuncGetAttribute(&value, 3, store));
	CHECK(value == 0);
	OK(cuFuncGetAttribute(&value, 4, store));
	CHECK(value >= 2 && value <= 255);
	OK(cuFuncGetAttribute(&value, 5, store));
	CHECK(value == 75);
	OK(cuDeviceComputeCapability(&capability[0], &capability[1], 0));
	OK(cuFuncGetAttribute(&value, 6, store));
	CHECK(value == capability[0] * 10 + capability[1]);
	OK(cuFuncGetAttribute(&value, 7, store));
	CHECK(value == 0);
	OK(cuDeviceGetAttribute(&most, 97, 0)); /* shared memory of a block, opted in */
	OK(cuFuncGetAttribute(&value, 8, store));
	CHECK(value == most - 128);
	OK(cuFuncGetAttribute(&value, 8, other));
	CHECK(value == most);
	OK(cuFuncGetAttribute(&value, 9, store));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, -1, store));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, 99, store));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(NULL, 0, store));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, 0, NULL));
	OK(cuFuncSetAttribute(store, 8, most - 128));
	OK(cuFuncSetAttribute(store, 8, 0));
	OK(cuFuncSetAttribute(store, 9, 50));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(store, 8, most - 127));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(store, 8, -1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(store, 0, 64)); /* the others are read only */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(store, 7, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(store, 10, 1));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuFuncSetAttribute(NULL, 8, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store, 64, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&more, store, 64, (size_t)most - 128));
	CHECK(blocks > more && more >= 1);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&more, store, 32, 0));
	CHECK(more >= blocks);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store, 0, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, store, 32, 0));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 32, 0));
}

static void check_launches(CUfunction store)
{
	uint32_t a = 11;
	uint64_t b = 22;
	void *parameters[] = {&words, &a, &b};
	struct {
		uint32_t *to;
		uint32_t a, padding;
		uint64_t b;
	} block = {words, 33, 0, 44};
	size_t bytes = sizeof block, shorter = 16, most;
	int value;
	void *extra[] = {(void *)1, &block, (void *)2, &bytes, NULL},
	     *turned[] = {(void *)2, &shorter, (void *)1, &block, NULL};
	void *unknown[] = {(void *)1, &block, (void *)3, &bytes, NULL};
	OK(cuFuncGetAttribute(&value, 8, store));
	most = (size_t)value;
	OK(cuLaunchKernel(store, 1, 2, 3, 4, 2, 1, 256, NULL, parameters, NULL));
	expect(11, 22, 4 | 2 << 8 | 1 << 16, 1 | 2 << 8 | 3 << 16, 256);
	OK(cuLaunchKernel(store, 3, 2, 1, 2, 2, 2, 0, cudaStreamPerThread, NULL, extra));
	expect(33, 44, 2 | 2 << 8 | 2 << 16, 3 | 2 << 8 | 1 << 16, 0);
	OK(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, turned)); /* what is not there is not read */
	expect(33, 0, 1 | 1 << 8 | 1 << 16, 1 | 1 << 8 | 1 << 16, 0);
	OK(cuLaunchCooperativeKernel(store, 2, 1, 2, 8, 1, 4, 64, NULL, parameters));
	expect(11, 22, 8 | 1 << 8 | 4 << 16, 2 | 1 << 8 | 2 << 16, 64);
	OK(cuLaunchKernel(store, 1, 1, 1, 64, 1, 1, (unsigned int)most, NULL, parameters, NULL));
	expect(11, 22, 64 | 1 << 8 | 1 << 16, 1 | 1 << 8 | 1 << 16, (uint32_t)most);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, unknown));
	const struct {
		CUresult code;
		unsigned int grid[3], block[3], shared;
		CUstream stream;
	} cases[] = {
		{CUDA_ERROR_INVALID_VALUE, {0, 1, 1}, {1, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 0, 1}, {1, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 0}, {1, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {0, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {1, 0, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {1, 1, 0}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {0x80000000u, 1, 1}, {1, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 65536, 1}, {1, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 65536}, {1, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {1025, 1, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {1, 1025, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {1, 1, 65}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {32, 33, 1}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {32, 8, 5}, 0, NULL},
		{CUDA_ERROR_INVALID_VALUE, {1, 1, 1}, {1, 1, 1}, (unsigned int)most + 1, NULL},
		{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, {1, 1, 1}, {65, 1, 1}, 0, NULL}, /* above .maxntid */
		{CUDA_ERROR_INVALID_HANDLE, {1, 1, 1}, {1, 1, 1}, 0, wrong},
	};
	for (check_entry = 0; check_entry < (int)(sizeof cases / sizeof *cases); check_entry++) {
		const unsigned int *g = cases[check_entry].grid, *t = cases[check_entry].block;
		GIVES(cases[check_entry].code,
			cuLaunchKernel(store, g[0], g[1], g[2], t[0], t[1], t[2], cases[check_entry].shared,
				cases[check_entry].stream, parameters, NULL));
		GIVES(cases[check_entry].code,
			cuLaunchCooperativeKernel(store, g[0], g[1], g[2], t[0], t[1], t[2], cases[check_entry].shared,
				cases[check_entry].stream, parameters));
	}
	check_entry = 0;
	GIVES(720, cuLaunchCooperativeKernel(store, 65535, 64, 1, 64, 1, 1, 0, NULL, parameters)); /* too large */
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchCooperativeKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, parameters));
	OK(cuCtxSynchronize());
	CHECK(words[0] == 0xffffffff); /* none of them ran */
}

/* ---- Linking ---- */

static const char twice[] =
	HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\n"
	     "add.u32 %r2, %r1, %r1;\nst.param.u32 [r], %r2;\nret;\n}\n";
static const char caller[] = HEAD
	".extern .func (.param .b32 r) twice(.param .b32 x);\n"
	".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, "
	"[p];\nld.global.u32 %r1, [%rd1];\n"
	"{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall (y), twice, (x);\nld.param.b32 %r2, [y];\n}\n"
	"st.global.u32 [%rd1], %r2;\nret;\n}\n";

static void *text_of(const char *text)
{
	return (void *)(uintptr_t)text;
}

/* A file in the test's folder, which goes at once. */
static CUresult add_file(CUlinkState link, int type, const char *text, size_t bytes)
{
	char name[] = "linked-XXXXXX";
	FILE *file = fdopen(mkstemp(name), "w");
	CHECK(file && fwrite(text, 1, bytes, file) == bytes && !fclose(file));
	CUresult why = cuLinkAddFile_v2(link, type, name, 0, NULL, NULL);
	CHECK(!remove(name));
	return why;
}

static void check_link(void)
{
	enum { CUBIN, PTX, FAT_BINARY, OBJECT, LIBRARY };
	char errors[16], info[4] = "abc";
	CUlinkState link;
	CUmodule module;
	CUfunction k;
	void *image = NULL, *again = NULL;
	size_t bytes = 0;
	/* The log is cut to its buffer, of 5 bytes with the end; the rest stays. */
	memset(errors, 'x', sizeof errors);
	OK(cuLinkCreate_v2(4, (int[]){3, 4, 5, 6}, (void *[]){info, (void *)1, errors, (void *)5}, &link));
	CHECK(!info[0] && info[1] == 'b' && !errors[0] && errors[1] == 'x');
	GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLinkAddData_v2(link, CUBIN, text_of(ptx), 4, NULL, 0, NULL, NULL));
	CHECK(strlen(errors) == 4 && errors[5] == 'x');
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData_v2(link, OBJECT, text_of(ptx), 4, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData_v2(link, LIBRARY, text_of(ptx), 4, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_IMAGE,
		cuLinkAddData_v2(link, FAT_BINARY, text_of(ptx), sizeof ptx, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLinkAddData_v2(link, FAT_BINARY, text_of(fatbin), 64, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddData_v2(link, PTX, NULL, 4, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddData_v2(link, PTX, text_of(twice), 0, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE,
		cuLinkAddData_v2(NULL, PTX, text_of(twice), sizeof twice, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddFile_v2(link, PTX, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile_v2(link, PTX, "linked-never", 0, NULL, NULL));
	OK(add_file(link, PTX, caller, sizeof caller - 1));
	OK(cuLinkAddData_v2(
		link, PTX, text_of(twice), sizeof twice - 1, NULL, 0, NULL, NULL)); /* its end is what `bytes` says */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkComplete(link, NULL, &bytes));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLinkComplete(NULL, &image, &bytes));
	OK(cuLinkComplete(link, &image, &bytes));
	CHECK(bytes == strlen(image) + 1);
	OK(cuLinkComplete(link, &again, NULL));
	CHECK(again == image);
	GIVES(CUDA_ERROR_INVALID_VALUE,
		cuLinkAddData_v2(link, PTX, text_of(ptx), sizeof ptx, NULL, 0, NULL, NULL)); /* it is complete */
	OK(cuModuleLoadData(&module, image));
	OK(cuLinkDestroy(link));
	OK(cuModuleGetFunction(&k, module, "k"));
	words[0] = 300;
	OK(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&words}, NULL));
	OK(cuCtxSynchronize());
	CHECK(words[0] == 600);
	OK(cuModuleUnload(module));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkCreate_v2(0, NULL, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkCreate_v2(1, NULL, (void *[]){NULL}, &link));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkCreate_v2(1, (int[]){0}, NULL, &link));
	/* A fat binary's PTX; without a log. */
	OK(cuLinkCreate_v2(1, (int[]){0}, (void *[]){NULL}, &link));
	OK(cuLinkAddFile_v2(link, FAT_BINARY, KERNELS_FOLDER "/kernels.fatbin", 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, NULL));
	CHECK(strstr(image, "fill"));
	OK(cuLinkDestroy(link));
	OK(cuLinkCreate_v2(0, NULL, NULL, &link));
	OK(cuLinkAddData_v2(link, PTX, text_of(caller), sizeof caller, NULL, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_PTX, cuLinkComplete(link, &image, NULL)); /* twice is missing */
	OK(cuLinkDestroy(link));
}

/* ---- Libraries, which need no context; addresses ---- */

static void check_libraries(void)
{
	CUlibrary library;
	CUkernel kernel, all[4] = {NULL};
	CUmodule module;
	CUfunction function;
	CUdeviceptr address;
	CUcontext context;
	unsigned int count = 0;
	size_t bytes = 0;
	uint32_t value = 0;
	OK(cuCtxGetCurrent(&context));
	OK(cuCtxSetCurrent(NULL));
	OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuLibraryGetKernelCount(&count, library));
	CHECK(count == 2);
	OK(cuLibraryEnumerateKernels(all, 1, library));
	CHECK(all[0] && !all[1]);
	OK(cuLibraryEnumerateKernels(all, 4, library));
	CHECK(all[1] && all[1] != all[0] && !all[2]);
	OK(cuLibraryGetKernel(&kernel, library, "other"));
	CHECK(kernel == all[0] || kernel == all[1]);
	OK(cuKernelGetFunction(&function, kernel));
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	OK(cuLibraryGetModule(&module, library));
	OK(cuModuleGetFunction(&function, module, "store"));
	OK(cuLibraryGetGlobal(&address, &bytes, library, "word"));
	OK(cuMemcpyDtoH_v2(&value, address, 4));
	CHECK(bytes == 4 && value == 42);
	GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "nothing"));
	GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetGlobal(&address, &bytes, library, "nothing"));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&kernel, NULL, "other"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(&kernel, library, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(NULL, library, "other"));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetGlobal(&address, &bytes, NULL, "word"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetGlobal(&address, &bytes, library, NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernelCount(&count, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernelCount(NULL, library));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryEnumerateKernels(NULL, 1, library));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetModule(NULL, library));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryGetModule(&module, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuKernelGetFunction(NULL, kernel));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuKernelGetFunction(&function, NULL));
	OK(cuLibraryUnload(library));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(NULL, ptx, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_PTX,
		cuLibraryLoadData(&library, ".version 7.0\nno PTX here\n", NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&library, "linked-never", NULL, NULL, 0, NULL, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadFromFile(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryLoadFromFile(&library, KERNELS_FOLDER "/kernels.fatbin", NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "fill"));
	OK(cuLibraryUnload(library));
	CHECK(cudaPeekAtLastError() == cudaSuccess);
}

static void check_addresses(void)
{
	void *call = NULL, *older = NULL;
	int status = 9;
	OK(cuGetProcAddress_v2("cuCtxCreate", &call, 13000, 0, &status));
	CHECK(call == (void *)(uintptr_t)&cuCtxCreate_v4 && status == 0);
	/* The form that this version's name means: cudaTypedefs.h, PFN_cuCtxCreate_v... */
	OK(cuGetProcAddress_v2("cuCtxCreate", &older, 12040, 0, NULL));
	CHECK(older == (void *)(uintptr_t)&cuCtxCreate_v3);
	OK(cuGetProcAddress_v2("cuCtxCreate", &older, 11030, 0, NULL));
	CHECK(older == (void *)(uintptr_t)&cuCtxCreate_v2);
	OK(cuGetProcAddress_v2("cuStreamGetCaptureInfo", &older, 12030, 0, NULL));
	CHECK(older == (void *)(uintptr_t)&cuStreamGetCaptureInfo_v3);
	OK(cuGetProcAddress_v2("cuStreamGetCaptureInfo", &older, 12020, 2, NULL));
	CHECK(older == (void *)(uintptr_t)&cuStreamGetCaptureInfo_v2_ptsz);
	OK(cuGetProcAddress_v2("cuMemcpyHtoD", &older, 7000, 2, NULL));
	CHECK(older == (void *)(uintptr_t)&cuMemcpyHtoD_v2_ptds);
	OK(cuGetProcAddress("cuInit", &call, 12000, 2));
	CHECK(call == (void *)(uintptr_t)&cuInit);
	OK(cuGetProcAddress("cuMemAlloc", &call, 3020, 1));
	CHECK(call == (void *)(uintptr_t)&cuMemAlloc_v2);
	GIVES(CUDA_ERROR_NOT_FOUND, cuGetProcAddress_v2("cuNothing", &call, 13000, 0, &status));
	CHECK(!call && status == 1);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(NULL, &call, 13000, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", NULL, 13000, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", &call, 13000, 3));
	OK(cudaGetDriverEntryPoint("cuInit", &call, 0, &status));
	CHECK(call == (void *)(uintptr_t)&cuInit && status == 0);
	GIVES(cudaErrorInvalidValue, cudaGetDriverEntryPoint(NULL, &call, 0, &status));
	GIVES(cudaErrorInvalidValue, cudaGetDriverEntryPoint("cuInit", NULL, 0, &status));
	GIVES(cudaErrorInvalidValue, cudaGetDriverEntryPoint("cuInit", &call, 3, &status));
	cudaGetLastError();
}

int main(void)
{
	CUcontext context;
	CUmodule module;
	CUfunction store, other;
	CUdeviceptr memory;
	check_not_ready();
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemAllocManaged(&memory, 8 * sizeof *words, 1));
	words = (uint32_t *)(uintptr_t)memory;
	check_modules();
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&store, module, "store"));
	OK(cuModuleGetFunction(&other, module, "other"));
	check_functions(store, other);
	check_launches(store);
	OK(cuModuleUnload(module));
	check_link();
	check_addresses();
	check_libraries();
	OK(cuMemFree_v2(memory));
	return 0;
}
