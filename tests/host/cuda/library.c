/* Modules that the application loads, links and asks about by itself; attributes of streams and functions; the one
 * device.  Expectations: CUDA Runtime API 13.0 ("Library Management", "Device Management", "Peer Device Memory Access")
 * and CUDA Driver API 13.0 ("Module Management": cuLinkCreate and what follows). */
#include "kernels.h"

#include "host/cuda/driver.h"

EMBED(fatbin, "kernels.fatbin");

enum { N = 64 };

static int *numbers;

static void check_library(void)
{
	cudaLibrary_t library;
	cudaKernel_t kernel, all[16];
	const char *name;
	size_t bytes, offset;
	unsigned int count;
	int value = 17, n = N, host[N], *p;
	void *arguments[] = {&numbers, &value, &n};
	GIVES(cudaErrorInvalidValue, cudaLibraryLoadData(NULL, fatbin, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryLoadData(&library, fatbin, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernelCount(&count, library));
	CHECK(count == 8);
	OK(cudaLibraryEnumerateKernels(all, 16, library));
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "missing"));
	OK(cudaLibraryGetKernel(&kernel, library, "fill"));
	OK(cudaFuncGetName(&name, kernel));
	CHECK(!strcmp(name, "fill"));
	OK(cudaFuncGetParamInfo(kernel, 1, &offset, &bytes));
	CHECK(offset == 8 && bytes == 4);
	GIVES(cudaErrorInvalidValue, cudaFuncGetParamInfo(kernel, 3, &offset, &bytes));
	OK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, 0, NULL));
	OK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[0] == 17 && host[N - 1] == 17);
	OK(cudaLibraryGetGlobal((void **)&p, &bytes, library, "scale"));
	CHECK(bytes == 16);
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetGlobal((void **)&p, &bytes, library, "missing"));
	struct cudaPointerAttributes attributes;
	OK(cudaPointerGetAttributes(&attributes, p));
	CHECK(attributes.type == cudaMemoryTypeDevice);
	OK(cudaLibraryUnload(library));
	OK(cudaPointerGetAttributes(&attributes, p)); /* it is no memory any more */
	CHECK(attributes.type == cudaMemoryTypeUnregistered);
	GIVES(cudaErrorInvalidDeviceFunction,
		cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, 0, NULL));

	/* The program's own, by its handle. */
	OK(cudaGetKernel(&kernel, &fill));
	value = 18;
	OK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, 0, NULL));
	OK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[0] == 18);
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &fill, 2, 64));
	CHECK(bytes >= 16384);
}

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

/* A kernel that takes all the shared memory that a group may have leaves none, though one group fits; and a structure
 * of 12 bytes that lie at multiples of 4: PTX ISA 9.0, 5.2, "Array Declarations" of parameters. */
static void check_odd_kernel(void)
{
	char ptx[512];
	cudaLibrary_t library;
	cudaKernel_t kernel;
	size_t bytes, offset;
	int most; /* cudaDevAttrMaxSharedMemoryPerBlock is 8 */
	OK(cudaDeviceGetAttribute(&most, 8, 0));
	snprintf(ptx, sizeof ptx,
		HEAD ".visible .entry k(.param .u64 p, .param .align 4 .b8 s[12])\n{\n.reg .b32 %%r<2>;\n"
		     ".shared .b8 all[%d];\nmov.u32 %%r1, all;\nst.shared.u32 [%%r1], 1;\nret;\n}\n",
		most);
	OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&kernel, library, "k"));
	OK(cudaFuncGetParamInfo(kernel, 1, &offset, &bytes));
	CHECK(offset == 8 && bytes == 12);
	bytes = 99;
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 1, 32));
	CHECK(bytes == 0);
	OK(cudaLibraryUnload(library));
}

static const char callee[] =
	HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\n"
	     "add.u32 %r2, %r1, %r1;\nst.param.u32 [r], %r2;\nret;\n}\n";
static const char caller[] = HEAD
	".extern .func (.param .b32 r) twice(.param .b32 x);\n"
	".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, "
	"[p];\nld.global.u32 %r1, [%rd1];\n"
	"{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall (y), twice, (x);\nld.param.b32 %r2, [y];\n}\n"
	"st.global.u32 [%rd1], %r2;\nret;\n}\n";

static void check_link(void)
{
	char log[256] = "what was here", info[64] = "likewise";
	int options[] = {5, 6, 3, 4}; /* CU_JIT_ERROR_LOG_BUFFER and its size, CU_JIT_INFO_LOG_BUFFER and its size */
	void *values[] = {log, (void *)sizeof log, info, (void *)sizeof info}, *image;
	CUlinkState link;
	CUmodule module;
	CUfunction function;
	CUcontext context;
	size_t bytes;
	int number = 21;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuLinkCreate_v2(4, options, values, &link));
	CHECK(!*log && !*info); /* programs print them, errors or not */
	OK(cuLinkAddData_v2(link, 1, (void *)caller, sizeof caller, "caller", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_PTX, cuLinkComplete(link, &image, &bytes)); /* twice is missing */
	CHECK(strstr(log, "twice"));
	OK(cuLinkAddData_v2(link, 1, (void *)callee, sizeof callee, "callee", 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, &bytes));
	OK(cuModuleLoadData(&module, image));
	OK(cuLinkDestroy(link));
	OK(cuModuleGetFunction(&function, module, "k"));
	OK(cudaMemcpy(numbers, &number, sizeof number, cudaMemcpyHostToDevice));
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&numbers}, NULL));
	OK(cudaMemcpy(&number, numbers, sizeof number, cudaMemcpyDeviceToHost));
	CHECK(number == 42);
	OK(cuModuleUnload(module));
	OK(cuLinkCreate_v2(0, NULL, NULL, &link));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile_v2(link, 1, "/no/such/file.ptx", 0, NULL, NULL));
	GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLinkAddData_v2(link, 0, (void *)"\177ELF", 4, NULL, 0, NULL, NULL));
	OK(cuLinkDestroy(link));
}

static void check_entry_points(void)
{
	CUresult (*count_devices)(int *);
	CUresult (*allocate)(CUdeviceptr *, size_t);
	CUdeviceptr address;
	void *missing;
	int status, count;
	OK(cuGetProcAddress_v2("cuDeviceGetCount", (void **)&count_devices, 13000, 0, &status));
	CHECK(status == 0);
	OK(count_devices(&count));
	CHECK(count == 1);
	OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", (void **)&allocate, 13000, 0, &status)); /* cuMemAlloc_v2 */
	CHECK(status == 0);
	OK(allocate(&address, 64));
	OK(cuMemFree_v2(address));
	OK(cudaGetDriverEntryPointByVersion("cuNoSuchCall", &missing, 13000, 0, &status));
	CHECK(status == 1 && !missing);
	GIVES(cudaErrorSymbolNotFound, cudaGetDriverEntryPointByVersion("cuNoSuchCall", &missing, 13000, 0, NULL));
}

static void check_device(void)
{
	char id[32];
	int can = 1, device = 5;
	OK(cudaDeviceCanAccessPeer(&can, 0, 0));
	CHECK(can == 0);
	GIVES(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
	GIVES(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
	OK(cudaMemcpyPeer(numbers + 8, 0, numbers, 0, 16));
	GIVES(cudaErrorInvalidDevice, cudaMemcpyPeer(numbers + 8, 1, numbers, 0, 16));
	OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
	OK(cudaDeviceGetByPCIBusId(&device, id));
	CHECK(device == 0);
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:01:00.0"));
}

static void check_streams(void)
{
	struct cudaLaunchAttribute a = {0}, b = {0};
	unsigned long long first, second;
	cudaStream_t stream, other;
	int device = 5;
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamCreate(&other));
	OK(cudaStreamGetId(stream, &first));
	OK(cudaStreamGetId(other, &second));
	CHECK(first != second);
	OK(cudaStreamGetDevice(stream, &device));
	CHECK(device == 0);
	a.value.number = 2;
	OK(cudaStreamSetAttribute(stream, 3, &a.value)); /* how the host waits */
	OK(cudaStreamCopyAttributes(other, stream));
	OK(cudaStreamGetAttribute(other, 3, &b.value));
	CHECK(b.value.number == 2);
	GIVES(cudaErrorInvalidValue, cudaStreamSetAttribute(stream, 2, &a.value)); /* of launches alone */
	OK(cudaStreamDestroy(stream));
	OK(cudaStreamDestroy(other));
}

int main(void)
{
	OK(cudaMalloc((void **)&numbers, N * sizeof *numbers));
	check_library();
	check_odd_kernel();
	check_link();
	check_entry_points();
	check_device();
	check_streams();
	OK(cudaFree(numbers));
	return 0;
}
