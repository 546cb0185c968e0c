/* The driver's interface: memory, fills, copies, streams and events, each call once right, with every byte looked at,
 * and with what is wrong.  Expectations: CUDA Driver API 13.0, "Initialization", "Memory Management", "Stream
 * Management", "Event Management". */
#include "host/cuda/driver.h"
#include "kernels.h"

#include <stdbool.h>
#include <stdint.h>

enum { N = 16 };

static CUstream stream;

static CUdeviceptr at(const void *pointer)
{
	return (CUdeviceptr)(uintptr_t)pointer;
}

static void *pointer_of(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* Every call that takes a context says that there is none: before cuInit, and then before a context is made. */
static void check_not_ready(CUresult why)
{
	CUdeviceptr d = 0;
	void *p;
	size_t bytes;
	float time;
	CUstream made;
	CUevent event;
	const CUresult got[] = {
		cuMemAlloc_v2(&d, 4),
		cuMemAllocManaged(&d, 4, 1),
		cuMemAllocPitch_v2(&d, &bytes, 4, 4, 4),
		cuMemFree_v2(0),
		cuMemAllocHost_v2(&p, 4),
		cuMemHostAlloc(&p, 4, 0),
		cuMemHostGetDevicePointer_v2(&d, &d, 0),
		cuMemFreeHost(NULL),
		cuMemGetInfo_v2(&bytes, &bytes),
		cuMemcpy(0, 0, 0),
		cuMemcpyAsync(0, 0, 0, NULL),
		cuMemcpyHtoD_v2(0, &d, 0),
		cuMemcpyDtoH_v2(&d, 0, 0),
		cuMemcpyDtoD_v2(0, 0, 0),
		cuMemcpyHtoDAsync_v2(0, &d, 0, NULL),
		cuMemcpyDtoHAsync_v2(&d, 0, 0, NULL),
		cuMemcpyDtoDAsync_v2(0, 0, 0, NULL),
		cuMemsetD8_v2(0, 0, 0),
		cuMemsetD16_v2(0, 0, 0),
		cuMemsetD32_v2(0, 0, 0),
		cuMemsetD8Async(0, 0, 0, NULL),
		cuMemsetD16Async(0, 0, 0, NULL),
		cuMemsetD32Async(0, 0, 0, NULL),
		cuStreamCreate(&made, 0),
		cuStreamCreateWithPriority(&made, 0, 0),
		cuStreamSynchronize(NULL),
		cuStreamQuery(NULL),
		cuEventCreate(&event, 0),
		cuEventElapsedTime(&time, NULL, NULL),
		cuCtxSynchronize(),
		cuCtxGetDevice(&(int){0}),
		cuModuleUnload(NULL),
		cuModuleGetFunction(NULL, NULL, NULL),
		cuModuleGetGlobal_v2(NULL, NULL, NULL, NULL),
		cuModuleGetTexRef(NULL, NULL, NULL),
		cuModuleGetSurfRef(NULL, NULL, NULL),
		cuFuncGetAttribute(NULL, 0, NULL),
		cuFuncSetAttribute(NULL, 0, 0),
		cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, NULL, 0, 0),
		cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
		cuLaunchCooperativeKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL),
		cuArray3DGetDescriptor_v2(NULL, NULL),
		cuMipmappedArrayGetLevel(NULL, NULL, 0),
		cuStreamWaitValue32_v2(NULL, 0, 0, 9),
		cuStreamWriteValue32_v2(NULL, 0, 0, 9),
		cuLinkCreate_v2(0, NULL, NULL, NULL),
		cuLinkAddData_v2(NULL, 0, NULL, 0, NULL, 0, NULL, NULL),
		cuLinkComplete(NULL, NULL, NULL),
	};
	for (check_entry = 0; check_entry < (int)(sizeof got / sizeof *got); check_entry++)
		GIVES(why, got[check_entry]);
	check_entry = 0;
}

/* Before cuInit, and before there is a context. */
static void check_beginning(void)
{
	CUcontext got;
	CUdevice device;
	int count, version;

	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxSetCurrent(NULL));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&got));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxPushCurrent_v2(NULL));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxPopCurrent_v2(&got));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxCreate_v2(&got, 0, 0));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxDestroy_v2(NULL));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDevicePrimaryCtxRetain(&got, 0));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
	check_not_ready(CUDA_ERROR_NOT_INITIALIZED);
	OK(cuDriverGetVersion(&version)); /* which needs no cuInit */
	CHECK(version == 13000);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDriverGetVersion(NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuInit(1));
	GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
	OK(cuInit(0));
	check_not_ready(CUDA_ERROR_INVALID_CONTEXT);
	OK(cuCtxGetCurrent(&got));
	CHECK(!got);
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(&got));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
}

static void check_device(void)
{
	CUdevice device = 7;
	int count, value, version;
	char name[8];
	size_t bytes;

	OK(cuDeviceGet(&device, 0));
	CHECK(device == 0);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(NULL, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetCount(NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(NULL, 8, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(name, 0, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(name, -1, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName(name, 8, 1));
	memset(name, 'x', sizeof name);
	OK(cuDeviceGetName(name, 5, 0)); /* "len: Maximum length of string to store in name", with its end */
	CHECK(strlen(name) == 4 && name[5] == 'x');
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceTotalMem_v2(NULL, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem_v2(&bytes, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(NULL, 1, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, 0, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, 1, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(&value, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(NULL, &value, 0));
	OK(cuDeviceComputeCapability(&value, &count, 0));
	CHECK(value == 2 && count == 0); /* of gtx480, with which tests.cmake runs it: 2.0 */
	OK(cuDeviceGetAttribute(&version, 75, 0));
	CHECK(value == version);
	OK(cuDeviceGetAttribute(&version, 76, 0));
	CHECK(count == version);
}

static void check_stack_of_contexts(void)
{
	CUcontext first, second, got;
	CUdevice device = 7;

	/* A stack: "the new context is pushed"; a destroyed one that is current is popped. */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v2(NULL, 0, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate_v2(&first, 0, 1));
	OK(cuCtxCreate_v2(&first, 0, 0));
	OK(cuCtxCreate_v2(&second, 0, 0));
	OK(cuCtxGetCurrent(&got));
	CHECK(got == second && first != second);
	OK(cuCtxPushCurrent_v2(first));
	OK(cuCtxGetCurrent(&got));
	CHECK(got == first);
	OK(cuCtxPopCurrent_v2(&got));
	CHECK(got == first);
	OK(cuCtxGetCurrent(&got));
	CHECK(got == second);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxGetCurrent(NULL));
	OK(cuCtxDestroy_v2(second));
	OK(cuCtxGetCurrent(&got));
	CHECK(got == first);
	OK(cuCtxGetDevice(&device));
	CHECK(device == 0);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxGetDevice(NULL));
	OK(cuCtxSetCurrent(NULL)); /* takes the top's place */
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	OK(cuCtxSetCurrent(first));
	OK(cuCtxPopCurrent_v2(NULL));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent_v2(NULL));
	OK(cuCtxDestroy_v2(first));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(NULL));
}

/* It is current at the end. */
static void check_primary_context(void)
{
	CUcontext primary, got;
	int value;

	GIVES(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxRetain(NULL, 0));
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&primary, 1));
	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	OK(cuDevicePrimaryCtxRetain(&got, 0));
	CHECK(got == primary);
	GIVES(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRelease_v2(1));
	OK(cuDevicePrimaryCtxRelease_v2(0));
	OK(cuDevicePrimaryCtxRelease_v2(0));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(primary)); /* "unless it is a primary context" */
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuCtxCreate_v4(&got, (void *[]){&value, NULL, NULL}, 0, 0));
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuCtxCreate_v4(&got, (void *[]){NULL, (void *)1, NULL}, 0, 0));
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuCtxCreate_v4(&got, (void *[]){NULL, NULL, &value}, 0, 0));
	OK(cuCtxCreate_v4(&got, NULL, 0, 0));
	OK(cuCtxDestroy_v2(got));
	OK(cuCtxSetCurrent(primary));
}

static void check_allocating(void)
{
	CUdeviceptr d = 0, same = 0, managed, rows;
	void *pinned, *mapped;
	size_t left, all, before, pitch = 0;
	struct cudaPointerAttributes attributes;
	OK(cuMemGetInfo_v2(&before, &all));
	OK(cuDeviceTotalMem_v2(&left, 0));
	CHECK(all == left && before <= all);
	GIVES(CUDA_ERROR_INVALID_VALUE,
		cuMemAlloc_v2(&d, 0)); /* "If bytesize is 0, cuMemAlloc() returns CUDA_ERROR_INVALID_VALUE" */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(NULL, 4));
	GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&d, (size_t)1 << 60));
	OK(cuMemAlloc_v2(&d, 4096));
	OK(cuMemGetInfo_v2(&left, &all));
	CHECK(before - left == 4096);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(d + 4));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(pointer_of(d)));
	OK(cudaPointerGetAttributes(&attributes, pointer_of(d + 8)));
	CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == pointer_of(d + 8) &&
		!attributes.hostPointer);
	OK(cuMemFree_v2(d));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(d));
	OK(cuMemGetInfo_v2(&left, &all));
	CHECK(before == left);
	OK(cuMemFree_v2(0)); /* as with cudaFree */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&managed, 64, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&managed, 64, 3));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&managed, 0, 1)); /* "If bytesize is 0" */
	OK(cuMemAllocManaged(&managed, 64, 1));
	OK(cudaPointerGetAttributes(&attributes, pointer_of(managed)));
	CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == pointer_of(managed));
	OK(cuMemFree_v2(managed));
	/* "ElementSizeBytes may be 4, 8, or 16"; the pitch holds a row. */
	for (unsigned int element = 0; element < 33; element++) {
		check_entry = (int)element;
		if (element == 4 || element == 8 || element == 16)
			continue;
		GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&rows, &pitch, 100, 3, element));
	}
	for (unsigned int element = 4; element <= 16; element *= 2) {
		OK(cuMemAllocPitch_v2(&rows, &pitch, 513, 3, element));
		CHECK(pitch >= 513 && pitch % 16 == 0);
		OK(cuMemsetD8_v2(rows + 3 * pitch - 1, 1, 1)); /* the last byte is there, the next is not */
		GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(rows + 3 * pitch - 1, 1, 2));
		OK(cuMemFree_v2(rows));
	}
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAllocHost_v2(NULL, 4));
	OK(cuMemAllocHost_v2(&pinned, 64));
	GIVES(CUDA_ERROR_INVALID_VALUE,
		cuMemHostAlloc(&mapped, 64, 8)); /* portable, mapped and write-combined are 1, 2, 4 */
	OK(cuMemHostAlloc(&mapped, 64, 7));
	OK(cudaHostGetFlags(&(unsigned int){0}, mapped));
	OK(cuMemHostGetDevicePointer_v2(&same, (char *)mapped + 4, 0));
	CHECK(same == at(mapped) + 4);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&same, mapped, 1)); /* "Flags ... must be 0" */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(NULL, mapped, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&same, &same, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(at(pinned)));
	OK(cuMemFreeHost(pinned));
	OK(cuMemFreeHost(mapped));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(mapped));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemGetInfo_v2(NULL, &all));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemGetInfo_v2(&left, NULL));
}

/* Elements of a width, some of them in the middle; the others stay as they are. */
static void check_fills(void)
{
	static const struct {
		size_t width;
		unsigned int value;
		uint8_t bytes[4];
	} fills[] = {{1, 0xa5, {0xa5}}, {2, 0xb6c7, {0xc7, 0xb6}}, {4, 0xd8e9fa0b, {0x0b, 0xfa, 0xe9, 0xd8}}};
	uint8_t got[64];
	CUdeviceptr d;
	OK(cuMemAlloc_v2(&d, sizeof got));
	for (int asynchronous = 0; asynchronous < 2; asynchronous++)
		for (size_t k = 0; k < 3; k++) {
			size_t width = fills[k].width, first = 3, count = 5;
			CUdeviceptr to = d + first * width;
			check_entry = (int)k + 10 * asynchronous;
			OK(cuMemsetD8_v2(d, 0x11, sizeof got));
			OK(cuCtxSynchronize());
			if (k == 0)
				OK(asynchronous ? cuMemsetD8Async(to, (unsigned char)fills[k].value, count, stream)
						: cuMemsetD8_v2(to, (unsigned char)fills[k].value, count));
			else if (k == 1)
				OK(asynchronous ? cuMemsetD16Async(to, (unsigned short)fills[k].value, count, stream)
						: cuMemsetD16_v2(to, (unsigned short)fills[k].value, count));
			else
				OK(asynchronous ? cuMemsetD32Async(to, fills[k].value, count, stream)
						: cuMemsetD32_v2(to, fills[k].value, count));
			OK(cuCtxSynchronize());
			OK(cuMemcpyDtoH_v2(got, d, sizeof got));
			for (size_t i = 0; i < sizeof got; i++)
				CHECK(got[i] == (i / width >= first && i / width < first + count
								? fills[k].bytes[i % width]
								: 0x11));
		}
	check_entry = 0;
	/* "dstDevice ... must be two [four] byte aligned"; what is not all there. */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD16_v2(d + 1, 0, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(d + 2, 0, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(d, 0, 65));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD16_v2(d, 0, 33));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(d + 4, 0, 16));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemsetD8Async(d, 0, 1, (CUstream)got));
	OK(cuMemsetD8_v2(d + 63, 0, 1));
	OK(cuMemFree_v2(d));
}

/* Each copy takes 5 bytes from 2 to 7; without a stream it is over when it returns. */
static void check_copies(void)
{
	uint8_t host[N], got[N], zero[N] = {0};
	CUdeviceptr a, b, managed;
	OK(cuMemAlloc_v2(&a, N));
	OK(cuMemAlloc_v2(&b, N));
	OK(cuMemAllocManaged(&managed, N, 1));
	for (int i = 0; i < N; i++)
		host[i] = (uint8_t)(i * 3 + 1);
	OK(cuMemcpyHtoD_v2(a, host, N));
	OK(cuMemcpyDtoH_v2(got, a, N));
	CHECK(!memcmp(got, host, N));
	for (check_entry = 0; check_entry < 8; check_entry++) {
		OK(cuMemcpyHtoD_v2(b, zero, N));
		memset(got, 0, sizeof got);
		memset(pointer_of(managed), 0, N);
		switch (check_entry) {
		case 0: OK(cuMemcpy(b + 7, a + 2, 5)); break;
		case 1: OK(cuMemcpyAsync(b + 7, a + 2, 5, stream)); break;
		case 2: OK(cuMemcpyHtoD_v2(b + 7, host + 2, 5)); break;
		case 3: OK(cuMemcpyHtoDAsync_v2(b + 7, host + 2, 5, stream)); break;
		case 4: OK(cuMemcpyDtoD_v2(b + 7, a + 2, 5)); break;
		case 5: OK(cuMemcpyDtoDAsync_v2(b + 7, a + 2, 5, stream)); break;
		case 6: OK(cuMemcpyDtoH_v2(got + 7, a + 2, 5)); break;
		case 7: OK(cuMemcpyDtoHAsync_v2(got + 7, a + 2, 5, stream)); break;
		default: CHECK(false);
		}
		OK(cuStreamSynchronize(stream));
		if (check_entry < 6)
			OK(cuMemcpyDtoH_v2(got, b, N));
		for (int i = 0; i < N; i++)
			CHECK(got[i] == (i >= 7 && i < 12 ? host[i - 5] : 0));
	}
	check_entry = 0;
	OK(cuMemcpy(managed, a, N)); /* unified: the host's memory, too */
	CHECK(!memcmp(pointer_of(managed), host, N));
	OK(cuMemcpy(at(got), a + 1, 3));
	CHECK(got[0] == host[1] && got[2] == host[3] && got[3] == 0);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy(b, a + 1, N));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(b + 1, host, N));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(got, b + 1, N));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(b, at(host), N));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(at(got), host, N));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(got, at(host), N));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAsync(b, a, N, (CUstream)got));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoDAsync_v2(b, host, N, (CUstream)got));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpyDtoHAsync_v2(got, a, N, (CUstream)got));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpyDtoDAsync_v2(b, a, N, (CUstream)got));
	OK(cuMemFree_v2(a));
	OK(cuMemFree_v2(b));
	OK(cuMemFree_v2(managed));
}

static void count_up(void *data)
{
	++*(int *)data;
}

static void check_streams(void)
{
	CUstream other;
	CUevent start, end, untimed, never;
	unsigned int flags;
	CUdeviceptr flag;
	int calls = 0;
	float time = -1, same = -2;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&other, 2));
	OK(cuStreamCreate(&other, 1));
	OK(cudaStreamGetFlags(other, &flags));
	CHECK(flags == 1);
	OK(cuStreamDestroy_v2(other));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2((CUstream)&flags));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize((CUstream)&flags));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery((CUstream)&flags));
	OK(cuStreamCreateWithPriority(&other, 0, -1));
	OK(cudaStreamGetFlags(other, &flags));
	CHECK(flags == 0);
	OK(cuMemAllocManaged(&flag, 64, 1));
	memset(pointer_of(flag), 0, 64);
	GIVES(CUDA_ERROR_INVALID_VALUE, cuEventCreate(NULL, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE,
		cuEventCreate(&start, 8)); /* blocking, without times, between processes: 1, 2, 4 */
	OK(cuEventCreate(&start, 0));
	OK(cuEventCreate(&end, 1));
	OK(cuEventCreate(&untimed, 2));
	OK(cuEventCreate(&never, 0));
	/* A stream that waits for a word: what comes after it is not done, its event neither. */
	OK(cuEventRecord(start, stream));
	OK(cuStreamWaitValue32_v2(stream, flag, 1, 1));
	OK(cuEventRecord(end, stream));
	OK(cuStreamWaitEvent(other, end, 0));
	OK(cuLaunchHostFunc(other, count_up, &calls));
	OK(cuEventSynchronize(start));
	GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
	GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
	GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(end));
	GIVES(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&time, start, end));
	OK(cuEventQuery(start));
	CHECK(calls == 0);
	__atomic_store_n((uint32_t *)pointer_of(flag), 1, __ATOMIC_RELEASE); /* the driver looks at it meanwhile */
	OK(cuStreamSynchronize(other));
	CHECK(calls == 1);
	OK(cuEventQuery(end));
	OK(cuStreamQuery(other));
	OK(cuStreamQuery(stream));
	OK(cuEventElapsedTime(&time, start, end));
	OK(cuEventElapsedTime_v2(&same, start, end));
	CHECK(time >= 0 && time == same);
	OK(cuEventQuery(never)); /* "If hEvent has not been recorded, success" */
	OK(cuEventSynchronize(never));
	OK(cuStreamWaitEvent(stream, never, 0));
	OK(cuEventRecord(untimed, stream));
	OK(cuEventSynchronize(untimed));
	GIVES(CUDA_ERROR_INVALID_HANDLE,
		cuEventElapsedTime(&time, start, untimed)); /* "created with CU_EVENT_DISABLE_TIMING" */
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&time, untimed, end));
	GIVES(CUDA_ERROR_INVALID_HANDLE,
		cuEventElapsedTime(&time, start, never)); /* "cuEventRecord() has not been called" */
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&time, never, end));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuEventElapsedTime(NULL, start, end));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&time, NULL, end));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(end, (CUstream)&flags));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(NULL, stream));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize(NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy_v2(NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(stream, NULL, 0));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent((CUstream)&flags, end, 0));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchHostFunc((CUstream)&flags, count_up, &calls));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(stream, NULL, &calls));
	OK(cuEventDestroy_v2(start));
	OK(cuEventDestroy_v2(end));
	OK(cuEventDestroy_v2(untimed));
	OK(cuEventDestroy_v2(never));
	OK(cuStreamDestroy_v2(other));
	OK(cuMemFree_v2(flag));
	CHECK(cudaPeekAtLastError() == cudaSuccess); /* the runtime's last error is its own */
}

static void check_names(void)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {{0, "CUDA_SUCCESS"}, {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"},
		{3, "CUDA_ERROR_NOT_INITIALIZED"}, {100, "CUDA_ERROR_NO_DEVICE"}, {101, "CUDA_ERROR_INVALID_DEVICE"},
		{200, "CUDA_ERROR_INVALID_IMAGE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"},
		{209, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, {218, "CUDA_ERROR_INVALID_PTX"},
		{301, "CUDA_ERROR_FILE_NOT_FOUND"}, {400, "CUDA_ERROR_INVALID_HANDLE"}, {500, "CUDA_ERROR_NOT_FOUND"},
		{600, "CUDA_ERROR_NOT_READY"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
		{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}, {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
		{710, "CUDA_ERROR_ASSERT"}, {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
		{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"}, {719, "CUDA_ERROR_LAUNCH_FAILED"},
		{720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"}, {800, "CUDA_ERROR_NOT_PERMITTED"},
		{801, "CUDA_ERROR_NOT_SUPPORTED"}, {999, "CUDA_ERROR_UNKNOWN"}};
	const char *text;
	for (check_entry = 0; check_entry < (int)(sizeof names / sizeof *names); check_entry++) {
		OK(cuGetErrorName((CUresult)names[check_entry].error, &text));
		CHECK(!strcmp(text, names[check_entry].name));
		OK(cuGetErrorString((CUresult)names[check_entry].error, &text));
		CHECK(*text && strcmp(text, "unrecognized error code"));
	}
	check_entry = 0;
	OK(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
	CHECK(!strcmp(text, "invalid device context"));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(CUDA_SUCCESS, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorString(CUDA_SUCCESS, NULL));
	/* "If the error code is not recognized, CUDA_ERROR_INVALID_VALUE will be returned and *pStr will be set to the
	 * NULL address." */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
	CHECK(!text);
	text = "";
	GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorString((CUresult)12345, &text));
	CHECK(!text);
}

int main(void)
{
	check_beginning();
	check_device();
	check_stack_of_contexts();
	check_primary_context();
	OK(cuStreamCreate(&stream, 0));
	check_allocating();
	check_fills();
	check_copies();
	check_streams();
	check_names();
	OK(cuStreamDestroy_v2(stream));
	return 0;
}
