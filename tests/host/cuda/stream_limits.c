/* Streams, events, captures, pools, memory and contexts at their limits: what they refuse, and what they answer then.
 * CUDA Runtime and Driver API 13.0, the page of each call. */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdint.h>

EMBED(fatbin, "kernels.fatbin");

static char unknown[64];
#define UNKNOWN ((void *)unknown)
static int *numbers; /* 1,024 bytes of the device */
static cudaStream_t stream;

static void count_up(void *data)
{
	++*(int *)data;
}

static void count_of_stream(cudaStream_t of, cudaError_t status, void *data)
{
	CHECK(of == stream && !status);
	++*(int *)data;
}

/* ---- Streams and events ---- */

static void check_streams(void)
{
	cudaStream_t other;
	unsigned int flags = 9;
	int priority = 9, greatest = 9, device = 9, calls = 0;
	unsigned long long id;
	char value[64];
	GIVES(cudaErrorInvalidValue, cudaStreamCreate(NULL));
	GIVES(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&other, 2));
	GIVES(cudaErrorInvalidValue, cudaStreamCreateWithPriority(NULL, 0, 0));
	OK(cudaStreamGetFlags(stream, &flags));
	CHECK(flags == 0);
	OK(cudaStreamGetPriority(stream, &priority));
	OK(cudaDeviceGetStreamPriorityRange(&device, &greatest));
	CHECK(priority == 0 && device == 0 && greatest == 0); /* "0 for both if not supported" */
	OK(cudaDeviceGetStreamPriorityRange(NULL, NULL));
	GIVES(cudaErrorInvalidValue, cudaStreamGetFlags(stream, NULL));
	GIVES(cudaErrorInvalidValue, cudaStreamGetPriority(stream, NULL));
	GIVES(cudaErrorInvalidValue, cudaStreamGetId(stream, NULL));
	GIVES(cudaErrorInvalidValue, cudaStreamGetDevice(stream, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamGetFlags(UNKNOWN, &flags));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamGetPriority(UNKNOWN, &priority));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamGetId(UNKNOWN, &id));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamGetDevice(UNKNOWN, &device));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamQuery(UNKNOWN));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(UNKNOWN));
	GIVES(cudaErrorInvalidResourceHandle, cudaLaunchHostFunc(UNKNOWN, count_up, &calls));
	GIVES(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, NULL, &calls));
	GIVES(cudaErrorInvalidValue, cudaStreamAddCallback(stream, NULL, &calls, 0));
	GIVES(cudaErrorInvalidValue, cudaStreamAddCallback(stream, count_of_stream, &calls, 1));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamAddCallback(UNKNOWN, count_of_stream, &calls, 0));
	OK(cudaStreamAddCallback(stream, count_of_stream, &calls, 0));
	OK(cudaStreamSynchronize(stream));
	CHECK(calls == 1);
	/* Attributes: the L2 window, 1, how the host waits, 3, and the priority, 8. */
	OK(cudaStreamCreate(&other));
	for (int k = 0; k < 10; k++) {
		cudaError_t code = k == 1 || k == 3 || k == 8 ? cudaSuccess : cudaErrorInvalidValue;
		check_entry = k;
		memset(value, k, sizeof value);
		GIVES(code, cudaStreamSetAttribute(stream, k, value));
		memset(value, 0xff, sizeof value);
		GIVES(code, cudaStreamGetAttribute(stream, k, value));
		if (!code)
			for (size_t b = 0; b < sizeof value; b++) /* a window has 32 bytes, the others are int */
				CHECK(value[b] == (b < (k == 1 ? 32 : 4) ? k : 0));
		GIVES(cudaErrorInvalidValue, cudaStreamSetAttribute(stream, k, NULL));
		GIVES(cudaErrorInvalidValue, cudaStreamGetAttribute(stream, k, NULL));
		GIVES(cudaErrorInvalidResourceHandle, cudaStreamSetAttribute(UNKNOWN, k, value));
		GIVES(cudaErrorInvalidResourceHandle, cudaStreamGetAttribute(UNKNOWN, k, value));
	}
	check_entry = 0;
	OK(cudaStreamCopyAttributes(other, stream));
	OK(cudaStreamGetAttribute(other, 1, value));
	CHECK(value[0] == 1 && value[31] == 1);
	OK(cudaStreamGetAttribute(other, 3, value));
	CHECK(value[0] == 3);
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamCopyAttributes(UNKNOWN, stream));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamCopyAttributes(stream, UNKNOWN));
	OK(cudaStreamDestroy(other));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamGetFlags(other, &flags));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamAttachMemAsync(UNKNOWN, numbers, 0, 1));
	GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, numbers, 0, 1)); /* not managed */
}

/* Streams that are destroyed from the middle of all of them: the others stay. */
static void check_many_streams(void)
{
	cudaStream_t many[5];
	unsigned int flags;
	for (int k = 0; k < 5; k++)
		OK(cudaStreamCreate(&many[k]));
	for (int k = 0; k < 5; k += 2) {
		OK(cudaStreamDestroy(many[k]));
		for (int other = 0; other < 5; other++)
			GIVES(other <= k && other % 2 == 0 ? cudaErrorInvalidResourceHandle : cudaSuccess,
				cudaStreamGetFlags(many[other], &flags));
	}
	OK(cudaStreamDestroy(many[3]));
	OK(cudaStreamDestroy(many[1]));
	OK(cudaStreamGetFlags(stream, &flags));
}

static void check_events(void)
{
	cudaEvent_t a, b, c;
	float time = 0, first, second, back;
	int value = 1, n = 256;
	GIVES(cudaErrorInvalidValue, cudaEventCreate(NULL));
	GIVES(cudaErrorInvalidValue, cudaEventCreateWithFlags(&a, 8));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventDestroy(NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(NULL, stream));
	OK(cudaEventCreate(&a));
	OK(cudaEventCreate(&b));
	OK(cudaEventCreate(&c));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(a, UNKNOWN));
	GIVES(cudaErrorInvalidValue, cudaEventRecordWithFlags(a, stream, 2));
	GIVES(cudaErrorInvalidValue, cudaStreamWaitEvent(stream, a, 2));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(UNKNOWN, a, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(stream, NULL, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventQuery(NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventSynchronize(NULL));
	OK(cudaEventRecord(a, stream));
	OK(LAUNCH(fill, 1, 32, stream, &numbers, &value, &n));
	OK(cudaEventRecord(b, stream));
	OK(LAUNCH(fill, 1, 32, stream, &numbers, &value, &n));
	OK(LAUNCH(fill, 1, 32, stream, &numbers, &value, &n));
	OK(cudaEventRecord(c, stream));
	OK(cudaStreamSynchronize(stream));
	OK(cudaEventElapsedTime(&first, a, b));
	OK(cudaEventElapsedTime(&second, b, c));
	OK(cudaEventElapsedTime(&time, a, c));
	OK(cudaEventElapsedTime(&back, c, a)); /* "ms ... end - start" */
	CHECK(first > 0 && second > 0 && time > second && back == -time);
	CHECK(time - first - second < 1e-6 && time - first - second > -1e-6);
	OK((cudaError_t)cuEventElapsedTime(&back, a, c));
	CHECK(back == time);
	GIVES(cudaErrorInvalidValue, cudaEventElapsedTime(NULL, a, b));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, NULL, b));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, a, NULL));
	OK(cudaEventDestroy(a));
	OK(cudaEventDestroy(b));
	OK(cudaEventDestroy(c));
}

/* "copies take copy.latency plus their bytes divided by copy.bandwidth" (docs/opencl.md), 10 us and 8,000 MB/s of the
 * GTX 480; a fill moves nothing from the host. */
static void check_times(void)
{
	static const struct {
		int kind; /* straight, rectangle, between devices, fill, fill of a rectangle */
		float milliseconds;
	} copies[] = {{0, 0.01005f}, {1, 0.010032f}, {2, 0.01001f}, {3, 0.01f}, {4, 0.01f}};
	cudaEvent_t a, b;
	float time;
	OK(cudaEventCreate(&a));
	OK(cudaEventCreate(&b));
	for (int k = 0; k < 5; k++) {
		check_entry = k;
		OK(cudaEventRecord(a, stream));
		if (k == 0)
			OK(cudaMemcpyAsync(numbers + 128, numbers, 400, cudaMemcpyDeviceToDevice, stream));
		else if (k == 1)
			OK(cudaMemcpy2DAsync(numbers + 128, 32, numbers, 16, 16, 16, cudaMemcpyDeviceToDevice, stream));
		else if (k == 2)
			OK(cudaMemcpyPeerAsync(numbers + 128, 0, numbers, 0, 80, stream));
		else if (k == 3)
			OK(cudaMemsetAsync(numbers, 0, 800, stream));
		else
			OK(cudaMemset2DAsync(numbers, 64, 0, 16, 16, stream));
		OK(cudaEventRecord(b, stream));
		OK(cudaEventSynchronize(b));
		OK(cudaEventElapsedTime(&time, a, b));
		CHECK(time > copies[k].milliseconds - 1e-6f && time < copies[k].milliseconds + 1e-6f);
	}
	check_entry = 0;
	OK(cudaEventDestroy(a));
	OK(cudaEventDestroy(b));
}

/* ---- Launches ---- */

static cudaError_t shape(dim3 grid, dim3 block)
{
	int value = 0, n = 0;
	return cudaLaunchKernel(&fill, grid, block, (void *[]){&numbers, &value, &n}, 0, stream);
}

/* The guide's "Technical Specifications": grids of 2^31-1 by 65535 by 65535, blocks of 1024 by 1024 by 64 and of 1024
 * threads. */
static void check_shapes(void)
{
	static const struct {
		dim3 grid, block;
		cudaError_t code;
	} shapes[] = {{{1, 1, 1}, {1024, 1, 1}, 0}, {{1, 1, 1}, {1025, 1, 1}, 9}, {{1, 1, 1}, {1, 1024, 1}, 0},
		{{1, 1, 1}, {1, 1025, 1}, 9}, {{1, 1, 1}, {1, 1, 64}, 0}, {{1, 1, 1}, {1, 1, 65}, 9},
		{{1, 1, 1}, {32, 32, 1}, 0}, {{1, 1, 1}, {33, 32, 1}, 9}, {{1, 1, 1}, {16, 1, 64}, 0},
		{{1, 1, 1}, {17, 1, 64}, 9}, {{0, 1, 1}, {1, 1, 1}, 9}, {{1, 0, 1}, {1, 1, 1}, 9},
		{{1, 1, 0}, {1, 1, 1}, 9}, {{1, 1, 1}, {0, 1, 1}, 9}, {{1, 1, 1}, {1, 0, 1}, 9},
		{{1, 1, 1}, {1, 1, 0}, 9}, {{1u << 31, 1, 1}, {1, 1, 1}, 9}, {{1, 65536, 1}, {1, 1, 1}, 9},
		{{1, 1, 65536}, {1, 1, 1}, 9}, {{1, 3, 2}, {2, 3, 4}, 0}};
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		check_entry = (int)k;
		GIVES(shapes[k].code, shape(shapes[k].grid, shapes[k].block));
	}
	check_entry = 0;
	OK(cudaDeviceSynchronize());
}

/* ---- Copies and fills ---- */

static void check_transfers(void)
{
	const enum cudaMemcpyKind H2H = cudaMemcpyHostToHost, H2D = cudaMemcpyHostToDevice,
				  D2H = cudaMemcpyDeviceToHost;
	int host[4] = {1, 2, 3, 4};
	size_t bytes;
	void *p;
	/* Nothing to copy or fill. */
	OK(cudaMemcpy(NULL, NULL, 0, H2D));
	OK(cudaMemcpy2D(NULL, 0, NULL, 0, 0, 4, H2D));
	OK(cudaMemcpy2D(NULL, 0, NULL, 0, 4, 0, H2D));
	OK(cudaMemset(NULL, 1, 0));
	OK(cudaMemset2D(NULL, 4, 1, 4, 0));
	OK(cudaMemset2D(NULL, 4, 1, 0, 4));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind) - 1));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind)5));
	/* Pitches and sizes whose product is more than there is. */
	GIVES(cudaErrorInvalidValue, cudaMemcpy2D(numbers, SIZE_MAX / 2, host, 4, 4, 4, H2D));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2D(numbers, 4, host, SIZE_MAX / 2, 4, 4, H2D));
	GIVES(cudaErrorInvalidValue, cudaMemset2D(numbers, SIZE_MAX / 2, 0, 4, 4));
	GIVES(cudaErrorInvalidPitchValue, cudaMemset2D(numbers, 3, 0, 4, 2));
	OK(cudaMemset2D(numbers, 3, 0, 4, 1)); /* of one row the pitch means nothing */
	OK(cudaMemset2D(numbers, 4, 0, 4, 256));
	GIVES(cudaErrorInvalidValue, cudaMemset2D(numbers, 4, 0, 4, 257));
	GIVES(cudaErrorInvalidValue, cudaMemset(host, 0, 4));
	GIVES(cudaErrorInvalidResourceHandle, cudaMemsetAsync(numbers, 0, 4, UNKNOWN));
	GIVES(cudaErrorInvalidResourceHandle, cudaMemset2DAsync(numbers, 4, 0, 4, 4, UNKNOWN));
	GIVES(cudaErrorInvalidResourceHandle, cudaMemcpyAsync(numbers, host, 4, H2D, UNKNOWN));
	GIVES(cudaErrorInvalidDevice, cudaMemcpyPeerAsync(numbers, 1, numbers + 8, 0, 4, stream));
	GIVES(cudaErrorInvalidDevice, cudaMemcpyPeer(numbers, 0, numbers + 8, 1, 4));
	/* A variable is the device's. */
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(&counter, host, 4, 0, D2H));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbolAsync(&counter, host, 4, 0, H2H, stream));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(host, &counter, 4, 0, H2D));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbolAsync(host, &counter, 4, 0, H2H, stream));
	OK(cudaMemcpyToSymbol(&scale, host, 8, 4, H2D));
	OK(cudaMemcpyFromSymbol(host + 2, &scale, 8, 4, D2H));
	CHECK(host[0] == 1 && host[2] == 1 && host[3] == 2);
	GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(&scale, host, 13, 4, H2D));
	GIVES(cudaErrorInvalidValue, cudaMemcpyFromSymbol(host, &scale, 0, 17, D2H));
	GIVES(cudaErrorInvalidValue, cudaGetSymbolAddress(NULL, &scale));
	GIVES(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&p, unknown));
	GIVES(cudaErrorInvalidValue, cudaGetSymbolSize(NULL, &scale));
	GIVES(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, unknown));
	OK(cudaGetSymbolSize(&bytes, &scale));
	CHECK(bytes == 16);
}

/* ---- Memory ---- */

static void check_memory(void)
{
	enum { MANY = 200 };
	struct cudaPointerAttributes a;
	char *many[MANY], *pinned;
	size_t left, all, before;
	unsigned int flags = 77;
	void *p;
	GIVES(cudaErrorInvalidValue, cudaMemGetInfo(NULL, &all));
	GIVES(cudaErrorInvalidValue, cudaMemGetInfo(&left, NULL));
	GIVES(cudaErrorInvalidValue, cudaPointerGetAttributes(NULL, numbers));
	OK(cudaMemGetInfo(&before, &all));
	for (int k = 0; k < MANY; k++)
		OK(cudaMalloc((void **)&many[k], 256));
	for (int k = 0; k < MANY; k += 2)
		OK(cudaFree(many[k]));
	for (int k = 0; k < MANY; k++) { /* the first byte, the last, and no other */
		check_entry = k;
		for (int offset = 0; offset < 256; offset += 255) {
			OK(cudaPointerGetAttributes(&a, many[k] + offset));
			CHECK(a.type == (k % 2 ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered));
			CHECK(a.device == (k % 2 ? 0 : -2)); /* cudaInvalidDeviceId */
			CHECK(a.devicePointer == (k % 2 ? many[k] + offset : NULL));
			CHECK(a.hostPointer == (k % 2 ? NULL : many[k] + offset));
		}
		GIVES(k % 2 ? cudaSuccess : cudaErrorInvalidValue, cudaMemset(many[k], 1, 256));
		GIVES(cudaErrorInvalidValue, cudaMemset(many[k], 1, 257));
	}
	check_entry = 0;
	for (int k = 1; k < MANY; k += 2)
		OK(cudaFree(many[k]));
	OK(cudaMemGetInfo(&left, &all));
	CHECK(left == before);
	/* Pinned memory, with the flags that were asked for. */
	for (unsigned int k = 0; k < 9; k++) {
		check_entry = (int)k;
		GIVES(k == 8 ? cudaErrorInvalidValue : cudaSuccess, cudaHostAlloc(&p, 64, k));
		if (k == 8)
			break;
		OK(cudaHostGetFlags(&flags, p));
		CHECK(flags == k);
		OK(cudaFreeHost(p));
	}
	check_entry = 0;
	OK(cudaMallocHost((void **)&pinned, 64));
	OK(cudaHostGetFlags(&flags, pinned + 63));
	CHECK(flags == 0);
	GIVES(cudaErrorInvalidValue, cudaHostGetFlags(NULL, pinned));
	GIVES(cudaErrorInvalidValue, cudaHostGetFlags(&flags, pinned + 64));
	GIVES(cudaErrorInvalidValue, cudaHostGetFlags(&flags, numbers));
	GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, numbers, 0));
	GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, pinned, 1));
	GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer(NULL, pinned, 0));
	GIVES(cudaErrorInvalidValue, cudaFree(pinned));
	OK(cudaPointerGetAttributes(&a, pinned + 8));
	CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == pinned + 8 && a.devicePointer == pinned + 8);
	OK(cudaFreeHost(pinned));
	OK(cudaFreeHost(NULL));
	/* Nothing is no memory; of managed memory it is an error. */
	p = UNKNOWN;
	OK(cudaMalloc(&p, 0));
	CHECK(!p);
	GIVES(cudaErrorInvalidValue, cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
	GIVES(cudaErrorInvalidValue, cudaMallocManaged(&p, 4, 4));
	GIVES(cudaErrorInvalidValue, cudaMallocManaged(NULL, 4, cudaMemAttachGlobal));
	GIVES(cudaErrorInvalidValue, cudaMallocPitch(&p, NULL, 4, 4));
	GIVES(cudaErrorInvalidValue, cudaMallocPitch(&p, &left, SIZE_MAX / 4, 8));
	OK(cudaFreeAsync(NULL, stream));
	GIVES(cudaErrorInvalidResourceHandle, cudaFreeAsync(NULL, UNKNOWN));
	GIVES(cudaErrorInvalidResourceHandle, cudaFreeAsync(numbers, UNKNOWN));
	GIVES(cudaErrorInvalidValue, cudaFreeAsync(numbers + 1, stream));
	GIVES(cudaErrorInvalidValue, cudaHostUnregister(NULL));
	GIVES(cudaErrorInvalidValue, cudaHostRegister(NULL, 4, 0));
	GIVES(cudaErrorInvalidValue, cudaHostRegister(unknown, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaHostRegister(unknown, 4, 16));
	GIVES(cudaErrorInvalidValue, cudaHostRegister(unknown, SIZE_MAX, 0));
}

/* The places of managed memory, "cudaInvalidDeviceId" where none was given. */
static void check_ranges(void)
{
	struct cudaMemLocation device = {1, 0}, second = {1, 1}, host = {2, 0}, none = {0, 0};
	int values[4];
	char *managed;
	OK(cudaMallocManaged((void **)&managed, 8192, cudaMemAttachGlobal));
	for (int bytes = 4; bytes <= 16; bytes += 4) { /* ACCESSED_BY, 3: a device in each int, then none */
		check_entry = bytes;
		OK(cudaMemAdvise(managed, 8192, bytes % 8 ? 6 : 5, device));
		memset(values, 0x55, sizeof values);
		OK(cudaMemRangeGetAttribute(values, (size_t)bytes, 3, managed, 8192));
		for (int k = 0; k < 4; k++)
			CHECK(values[k] == (k * 4 >= bytes ? 0x55555555 : k == 0 && bytes % 8 == 0 ? 0 : -2));
	}
	check_entry = 0;
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 6, 3, managed, 8192));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 8, 1, managed, 8192));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 4, 9, managed, 8192));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 4, 0, managed, 8192));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 4, 1, managed, 8193));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 4, 1, managed, 0));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(NULL, 4, 1, managed, 4));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(values, 4, 1, numbers, 4));
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttributes(NULL, NULL, NULL, 1, managed, 4));
	GIVES(cudaErrorInvalidDevice, cudaMemAdvise(managed, 8192, 3, second));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(managed, 8192, 3, none));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(managed, 8192, 0, device));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(managed, 8192, 7, device));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(managed, 8193, 1, device));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(managed, 0, 1, device));
	GIVES(cudaErrorInvalidValue, cudaMemAdvise(numbers, 4, 1, device));
	OK(cudaMemAdvise(managed, 8192, 1, none)); /* which looks at no place */
	OK(cudaMemAdvise(managed, 8192, 3, host));
	OK(cudaMemPrefetchAsync(managed, 8192, device, 0, stream));
	const int wanted[] = {1, -1, 0, 2, 0, 1, 0}; /* read mostly, preferred, prefetched, and the types and numbers */
	static int attributes[] = {1, 2, 4, 5, 6, 7, 8};
	for (int k = 0; k < 7; k++) {
		check_entry = k;
		OK(cudaMemRangeGetAttributes((void *[]){values}, (size_t[]){4}, &attributes[k], 1, managed, 8192));
		CHECK(values[0] == wanted[k]);
	}
	check_entry = 0;
	OK(cudaMemAdvise(managed, 8192, 4, none));
	OK(cudaMemRangeGetAttribute(values, 4, 2, managed, 8192));
	CHECK(values[0] == -2);
	OK(cudaMemRangeGetAttribute(values, 4, 5, managed, 8192));
	CHECK(values[0] == 0); /* cudaMemLocationTypeInvalid */
	GIVES(cudaErrorInvalidResourceHandle, cudaMemPrefetchAsync(managed, 8192, device, 0, UNKNOWN));
	GIVES(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 8192, second, 0, stream));
	GIVES(cudaErrorInvalidValue, cudaMemPrefetchAsync(numbers, 4, device, 0, stream));
	OK(cudaFree(managed));
}

/* ---- Pools ---- */

static uint64_t get(cudaMemPool_t pool, int attribute)
{
	uint64_t value;
	OK(cudaMemPoolGetAttribute(pool, attribute, &value));
	return value;
}

static void check_pools(void)
{
	enum { REUSE = 1, THRESHOLD = 4, RESERVED, RESERVED_HIGH, USED, USED_HIGH };
	struct cudaMemPoolProps properties = {.allocType = 1, .location = {1, 0}};
	struct cudaMemLocation device = {1, 0}, host = {2, 0}, second = {1, 1};
	cudaMemPool_t pool, other, standard, got;
	size_t before, after, all;
	uint64_t keep = UINT64_MAX, zero = 0;
	int value = 0;
	void *a, *b;
	GIVES(cudaErrorInvalidValue, cudaMemPoolCreate(NULL, &properties));
	GIVES(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, NULL));
	properties.allocType = 2;
	GIVES(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &properties));
	properties.allocType = 1, properties.location.type = 2;
	GIVES(cudaErrorNotSupported, cudaMemPoolCreate(&pool, &properties));
	properties.location.type = 1;
	OK(cudaMemPoolCreate(&pool, &properties));
	OK(cudaMemPoolCreate(&other, &properties));
	/* Reuse is enabled by default, each kind by itself. */
	for (int k = REUSE; k < THRESHOLD; k++) {
		check_entry = k;
		OK(cudaMemPoolGetAttribute(pool, k, &value));
		CHECK(value == 1);
		value = 0;
		OK(cudaMemPoolSetAttribute(pool, k, &value));
		for (int l = REUSE; l < THRESHOLD; l++) {
			OK(cudaMemPoolGetAttribute(pool, l, &value));
			CHECK(value == (l > k));
		}
	}
	check_entry = 0;
	GIVES(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, 0, &zero));
	GIVES(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, 9, &zero));
	GIVES(cudaErrorInvalidValue, cudaMemPoolGetAttribute(NULL, 1, &zero));
	GIVES(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, 1, NULL));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, 0, &zero));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, 9, &zero));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, RESERVED, &zero));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(NULL, THRESHOLD, &zero));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, THRESHOLD, NULL));
	GIVES(cudaErrorInvalidValue, cudaMemPoolTrimTo(NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaMemPoolDestroy(NULL));
	CHECK(get(pool, THRESHOLD) == 0);
	OK(cudaMemPoolSetAttribute(pool, THRESHOLD, &keep));
	CHECK(get(pool, THRESHOLD) == UINT64_MAX);
	/* What a pool keeps is not there for others, until the pool goes. */
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaMallocFromPoolAsync(&a, 4096, pool, stream));
	OK(cudaMallocFromPoolAsync(&b, 1024, other, stream));
	OK(cudaFreeAsync(a, stream));
	OK(cudaFreeAsync(b, stream));
	CHECK(get(pool, RESERVED) == 4096 && get(pool, USED) == 0 && get(other, RESERVED) == 1024);
	OK(cudaStreamSynchronize(stream)); /* the other keeps nothing: its threshold is 0 */
	CHECK(get(pool, RESERVED) == 4096 && get(other, RESERVED) == 0 && get(other, RESERVED_HIGH) == 1024);
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before - after == 4096);
	OK(cudaMemPoolDestroy(pool)); /* not the newest */
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before == after);
	OK(cudaMallocFromPoolAsync(&b, 1024, other, stream));
	CHECK(get(other, USED) == 1024 && get(other, USED_HIGH) == 1024);
	OK(cudaMemPoolDestroy(other)); /* goes with its last allocation */
	OK(cudaMemset(b, 1, 1024));
	OK(cudaFree(b));
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before == after);
	GIVES(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&a, 4, NULL, stream));
	GIVES(cudaErrorInvalidValue, cudaMallocAsync(NULL, 4, stream));
	GIVES(cudaErrorInvalidResourceHandle, cudaMallocAsync(&a, 4, UNKNOWN));
	a = UNKNOWN;
	OK(cudaMallocAsync(&a, 0, stream));
	CHECK(!a);
	/* The device's, by its number, and by place and kind. */
	OK(cudaDeviceGetDefaultMemPool(&standard, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetDefaultMemPool(NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetMemPool(NULL, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetMemPool(&got, 1));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, NULL));
	GIVES(cudaErrorInvalidDevice, cudaDeviceSetMemPool(1, standard));
	OK(cudaMemPoolCreate(&pool, &properties));
	OK(cudaMemSetMemPool(&device, 1, pool));
	OK(cudaMemGetMemPool(&got, &device, 1));
	CHECK(got == pool);
	OK(cudaMemGetDefaultMemPool(&got, &device, 1));
	CHECK(got == standard);
	for (int k = 0; k < 4; k++) {
		struct cudaMemLocation *where = k == 0 ? NULL : k == 1 ? &host : k == 2 ? &second : &device;
		cudaError_t code = k == 0   ? cudaErrorInvalidValue
				   : k == 2 ? cudaErrorInvalidDevice
					    : cudaErrorNotSupported; /* only the device's pinned memory, 1 */
		check_entry = k;
		GIVES(code, cudaMemGetMemPool(&got, where, k == 3 ? 2 : 1));
		GIVES(code, cudaMemGetDefaultMemPool(&got, where, k == 3 ? 2 : 1));
		GIVES(code, cudaMemSetMemPool(where, k == 3 ? 2 : 1, standard));
	}
	check_entry = 0;
	OK(cudaMemPoolDestroy(pool)); /* the standard one is the device's again */
	OK(cudaDeviceGetMemPool(&got, 0));
	CHECK(got == standard);
	struct cudaMemAccessDesc access = {{1, 0}, 3};
	OK(cudaMemPoolSetAccess(standard, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAccess(standard, NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaMemPoolSetAccess(NULL, &access, 1));
	GIVES(cudaErrorInvalidValue, cudaMemPoolGetAccess(NULL, standard, &device));
	GIVES(cudaErrorInvalidValue, cudaMemPoolGetAccess(&value, NULL, &device));
	GIVES(cudaErrorInvalidValue, cudaMemPoolGetAccess(&value, standard, NULL));
	GIVES(cudaErrorNotSupported, cudaMemPoolGetAccess(&value, standard, &host));
}

/* ---- Captures ---- */

static void check_captures(void)
{
	enum cudaStreamCaptureStatus status;
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	cudaGraph_t graph, captured;
	cudaGraphNode_t node, type_node;
	const cudaGraphNode_t *ends;
	const cudaGraphEdgeData *edges;
	enum cudaGraphNodeType type;
	cudaEvent_t event, got;
	unsigned long long id, next;
	size_t count, before, after, all;
	void *p;
	OK(cudaEventCreate(&event));
	OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &ends, NULL, &count));
	CHECK(status == cudaStreamCaptureStatusNone && id == 0 && !graph && count == 0);
	GIVES(cudaErrorInvalidValue, cudaStreamGetCaptureInfo(stream, NULL, &id, NULL, NULL, NULL, NULL));
	GIVES(cudaErrorInvalidValue, cudaStreamGetCaptureInfo(stream, &status, &id, NULL, NULL, &edges, NULL));
	GIVES(cudaErrorIllegalState, cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 0));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(numbers, 1, 4, stream));
	OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &ends, &edges, &count));
	CHECK(status == cudaStreamCaptureStatusActive && id && graph && count == 1 && !edges);
	node = ends[0];
	/* What the next node comes after: one more, or others. */
	OK(cudaGraphAddEmptyNode(&type_node, graph, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaStreamUpdateCaptureDependencies(stream, &type_node, NULL, 1, 2));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamUpdateCaptureDependencies(UNKNOWN, &type_node, NULL, 1, 0));
	OK(cudaStreamUpdateCaptureDependencies(stream, &type_node, NULL, 1, cudaStreamAddCaptureDependencies));
	OK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &ends, NULL, &count));
	CHECK(count == 2 && ends[0] == node && ends[1] == type_node);
	OK(cudaStreamUpdateCaptureDependencies(stream, &type_node, NULL, 1, cudaStreamSetCaptureDependencies));
	OK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &ends, NULL, &count));
	CHECK(count == 1 && ends[0] == type_node);
	/* An event that the graph records, by its own node. */
	OK(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
	OK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &ends, NULL, &count));
	OK(cudaGraphNodeGetType(ends[0], &type));
	OK(cudaGraphEventRecordNodeGetEvent(ends[0], &got));
	CHECK(type == cudaGraphNodeTypeEventRecord && got == event);
	OK(cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
	OK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &ends, NULL, &count));
	OK(cudaGraphEventWaitNodeGetEvent(ends[0], &got));
	CHECK(got == event);
	OK(cudaStreamEndCapture(stream, &captured));
	OK(cudaGraphDestroy(captured));
	/* Each capture has a number of its own, and a spoilt one allocates nothing. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	OK(cudaStreamGetCaptureInfo(stream, &status, &next, NULL, NULL, NULL, NULL));
	CHECK(next > id);
	OK(cudaMemGetInfo(&before, &all));
	GIVES(cudaErrorInvalidValue, cudaMallocAsync(&p, 0, stream));
	GIVES(cudaErrorInvalidValue, cudaFreeAsync(numbers, stream)); /* not a graph's */
	GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaMallocAsync(&p, 64, stream));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaEventRecord(event, stream));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamWaitEvent(stream, event, 0));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamAddCallback(stream, count_of_stream, NULL, 0));
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before == after);
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
	/* Callbacks of the old kind, and words, are no nodes. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(stream, count_of_stream, NULL, 0));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	GIVES(cudaErrorStreamCaptureUnsupported,
		(cudaError_t)cuStreamWriteValue32_v2(stream, (CUdeviceptr)(uintptr_t)numbers, 1, 0));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
	/* The legacy stream joins no capture. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	OK(cudaEventRecord(event, stream));
	GIVES(cudaErrorStreamCaptureImplicit, cudaStreamWaitEvent(cudaStreamLegacy, event, 0));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
	/* A thread's mode, which it gets back: relaxed, it may do what the capture forbids. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeGlobal);
	OK(cudaMalloc(&p, 64));
	OK(cudaFree(p));
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeRelaxed);
	OK(cudaStreamEndCapture(stream, &captured));
	OK(cudaGraphDestroy(captured));
	/* A capture of its own thread's forbids that thread what it forbids all. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	GIVES(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 64));
	GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
	OK(cudaEventDestroy(event));
}

/* Two streams join, one comes back: in either order the other's work is missed. And forks that follow each other are
 * looked through once, not along each of their paths. */
static void check_joining(void)
{
	enum { FORKS = 40 };
	cudaStream_t sides[2];
	cudaEvent_t event;
	cudaGraph_t captured;
	size_t count;
	OK(cudaEventCreate(&event));
	for (int k = 0; k < 2; k++)
		OK(cudaStreamCreate(&sides[k]));
	for (int joined = 0; joined < 3; joined++) { /* the first, the second, both */
		check_entry = joined;
		OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
		OK(cudaEventRecord(event, stream));
		for (int k = 0; k < 2; k++) {
			OK(cudaStreamWaitEvent(sides[k], event, 0));
			OK(cudaMemsetAsync(numbers + k, 0, 4, sides[k]));
		}
		for (int k = 0; k < 2; k++)
			if (joined == k || joined == 2) {
				OK(cudaEventRecord(event, sides[k]));
				OK(cudaStreamWaitEvent(stream, event, 0));
			}
		GIVES(joined == 2 ? cudaSuccess : cudaErrorStreamCaptureUnjoined,
			cudaStreamEndCapture(stream, &captured));
	}
	check_entry = 0;
	OK(cudaGraphDestroy(captured));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int k = 0; k < FORKS; k++) {
		OK(cudaMemsetAsync(numbers, 0, 4, stream));
		OK(cudaEventRecord(event, stream));
		OK(cudaStreamWaitEvent(sides[0], event, 0));
		OK(cudaMemsetAsync(numbers + 1, 0, 4, stream));
		OK(cudaMemsetAsync(numbers + 2, 0, 4, sides[0]));
		OK(cudaEventRecord(event, sides[0]));
		OK(cudaStreamWaitEvent(stream, event, 0));
	}
	OK(cudaStreamEndCapture(stream, &captured));
	OK(cudaGraphGetNodes(captured, NULL, &count));
	CHECK(count == 3 * FORKS);
	OK(cudaGraphDestroy(captured));
	for (int k = 0; k < 2; k++)
		OK(cudaStreamDestroy(sides[k]));
	OK(cudaEventDestroy(event));
}

/* ---- The driver's interface ---- */

static void check_words(void)
{
	enum { WAIT_32 = 1, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER, EQUAL = 1 };
	CUdeviceptr at;
	uint64_t *host;
	CUstreamBatchMemOpParams p[257] = {{.word = {WRITE_64, 0, 0x123456789abcdefull, 0, 0}},
		{.word = {BARRIER, 0, 0, 0, 0}}, {.word = {WAIT_64, 0, 0x123456789abcdefull, EQUAL, 0}},
		{.word = {WRITE_32, 0, 7, 1, 0}}, {.word = {WAIT_32, 0, 7, EQUAL, 0}}};
	OK(cudaMallocHost((void **)&host, 16));
	host[0] = host[1] = 0;
	at = (CUdeviceptr)(uintptr_t)host;
	for (int k = 0; k < 5; k++)
		p[k].word.address = at + (k < 3 ? 0 : 8);
	OK((int)cuStreamBatchMemOp_v2(stream, 5, p, 0));
	OK(cudaStreamSynchronize(stream));
	CHECK(host[0] == 0x123456789abcdefull && host[1] == 7);
	for (int k = 5; k < 257; k++)
		p[k] = p[1];
	OK((int)cuStreamBatchMemOp_v2(stream, 256, p, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 257, p, 0)); /* "Must not exceed 256" */
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 5, p, 1));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 1, NULL, 0));
	OK((int)cuStreamBatchMemOp_v2(stream, 0, NULL, 0));
	p[0].word.operation = FLUSH;
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamBatchMemOp_v2(stream, 1, p, 0));
	p[0].word.operation = 9;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(stream, 1, p, 0));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(stream, at, 0, 4));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32_v2(stream, at, 0, 2));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue64_v2(stream, at + 4, 0, EQUAL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64_v2(stream, at + 16, 0, 0));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamWriteValue64_v2(UNKNOWN, at, 0, 0));
	OK((int)cuStreamWriteValue64_v2(stream, at + 8, ~0ull, 0));
	OK((int)cuStreamWriteValue32_v2(stream, at, 5, 1));
	OK(cudaStreamSynchronize(stream));
	CHECK((uint32_t)host[0] == 5 && host[0] >> 32 == 0x1234567 && host[1] == ~0ull);
	OK(cudaFreeHost(host));
}

/* A stream that waited for a word goes on, by the clock, when that was written. */
static void check_word_times(void)
{
	int value = 1, n = 8, *behind = numbers + 8;
	float between = -1;
	cudaStream_t writer;
	cudaEvent_t written, seen;
	CUdeviceptr word = (CUdeviceptr)(uintptr_t)numbers;
	OK(cudaStreamCreateWithFlags(&writer, cudaStreamNonBlocking));
	OK(cudaEventCreate(&written));
	OK(cudaEventCreate(&seen));
	OK(cudaMemset(numbers, 0, 1024));
	OK(cudaDeviceSynchronize());
	OK((int)cuStreamWaitValue32_v2(stream, word, 5, 1));
	OK(cudaEventRecord(seen, stream));
	OK(LAUNCH(fill, 1, 32, writer, &behind, &value, &n));
	OK((int)cuStreamWriteValue32_v2(writer, word, 5, 0));
	OK(cudaEventRecord(written, writer));
	OK(cudaStreamSynchronize(stream));
	OK(cudaStreamSynchronize(writer));
	OK(cudaEventElapsedTime(&between, written, seen));
	CHECK(between >= 0);
	OK(cudaEventDestroy(written));
	OK(cudaEventDestroy(seen));
	OK(cudaStreamDestroy(writer));
}

/* Nothing begins before its word is right, by each way of comparing; of 64 bits, all of them count. */
static void check_comparing(void)
{
	enum { GEQ, EQ, AND, NOR };
	static const struct {
		unsigned int compare;
		uint64_t wanted, wrong, right;
	} cases[] = {{GEQ, 1ull << 40, 7, 1ull << 41}, {GEQ, 5, 1ull << 63, 5},
		{EQ, 1ull << 40, 1ull << 41, 1ull << 40}, {AND, 1ull << 40, 1ull << 41, 3ull << 40}, {AND, 6, 0, 4},
		{NOR, ~(1ull << 40), 1ull << 40, 0}, {NOR, 0, ~0ull, 1}};
	uint64_t *word;
	int calls = 0;
	OK(cudaMallocHost((void **)&word, 8));
	for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
		check_entry = k;
		__atomic_store_n(word, cases[k].wrong, __ATOMIC_RELEASE);
		OK((int)cuStreamWaitValue64_v2(
			stream, (CUdeviceptr)(uintptr_t)word, cases[k].wanted, cases[k].compare));
		OK(cudaLaunchHostFunc(stream, count_up, &calls));
		(void)cudaGetLastError();
		GIVES(cudaErrorNotReady, cudaStreamQuery(stream));
		CHECK(cudaGetLastError() == cudaSuccess); /* "This result is not actually an error" */
		__atomic_store_n(word, cases[k].right, __ATOMIC_RELEASE);
		OK(cudaStreamSynchronize(stream));
		CHECK(calls == k + 1);
	}
	check_entry = 0;
	OK(cudaFreeHost(word));
}

static void check_contexts(void)
{
	CUcontext primary, own, got;
	CUmodule module;
	CUfunction function;
	CUdeviceptr at;
	size_t bytes;
	char name[4] = "xyz";
	int value, depth = 0;
	OK((int)cuInit(0));
	OK((int)cuDevicePrimaryCtxRetain(&primary, 0));
	OK((int)cuDeviceGetName(name, 1, 0));
	CHECK(name[0] == 0 && name[1] == 'y');
	OK((int)cuCtxCreate_v2(&own, 0, 0));
	OK(cudaFree(NULL)); /* which leaves a context that is current */
	OK((int)cuCtxGetCurrent(&got));
	CHECK(got == own);
	OK((int)cuCtxPopCurrent_v2(&got));
	CHECK(got == own);
	/* As deep as it goes: what does not fit is refused, and the order is kept. */
	while (depth < 100 && !cuCtxPushCurrent_v2(depth % 2 ? primary : own))
		depth++;
	CHECK(depth >= 8);
	while (depth--) {
		OK((int)cuCtxPopCurrent_v2(&got));
		CHECK(got == (depth % 2 ? primary : own));
	}
	/* "If hCtx is the calling thread's current context then hCtx will also be popped": another is not. */
	CUcontext second;
	OK((int)cuCtxCreate_v2(&second, 0, 0));
	OK((int)cuCtxDestroy_v2(own));
	OK((int)cuCtxGetCurrent(&got));
	CHECK(got == second);
	OK((int)cuCtxDestroy_v2(second));
	OK((int)cuCtxGetCurrent(&got));
	CHECK(got != second);
	/* "the primary context": the runtime's calls make it current where none is. */
	OK((int)cuCtxSetCurrent(NULL));
	OK((int)cuCtxGetCurrent(&got));
	CHECK(!got);
	OK(cudaFree(NULL));
	OK((int)cuCtxGetCurrent(&got));
	CHECK(got == primary);
	OK((int)cuCtxPopCurrent_v2(&got));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(&got));
	OK((int)cuCtxSetCurrent(primary));
	OK((int)cuModuleLoadData(&module, fatbin));
	OK((int)cuModuleGetGlobal_v2(&at, &bytes, module, "scale"));
	CHECK(at && bytes == 16);
	OK((int)cuModuleGetGlobal_v2(&at, NULL, module, "scale"));
	OK((int)cuModuleGetGlobal_v2(NULL, &bytes, module, "counter"));
	CHECK(bytes == 4);
	bytes = 77;
	GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&at, &bytes, module, "missing"));
	CHECK(bytes == 77);
	OK((int)cuModuleGetFunction(&function, module, "fill"));
	for (int k = -1; k <= 16; k++) { /* CU_FUNC_ATTRIBUTE_...: 0 to 15 */
		check_entry = k;
		GIVES(k < 0 || k > 15 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS,
			cuFuncGetAttribute(&value, k, function));
	}
	check_entry = 0;
	OK((int)cuFuncGetAttribute(&value, 0, function));
	CHECK(value == 1024);
	OK((int)cuFuncGetAttribute(&value, 5, function));
	CHECK(value == 75);
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, 0, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(NULL, 0, function));
	/* An unknown kernel of the runtime's is an invalid handle of the driver's. */
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, stream, (void *[]){0}, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(0, unknown, 4));
	OK((int)cuModuleUnload(module));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(NULL));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

static void check_libraries(void)
{
	cudaLibrary_t library;
	cudaKernel_t kernel, all[8] = {0};
	unsigned int count;
	size_t bytes = 0;
	void *p = NULL;
	GIVES(cudaErrorInvalidValue, cudaLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaLibraryLoadFromFile(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaLibraryLoadFromFile(NULL, "/no", NULL, NULL, 0, NULL, NULL, 0));
	GIVES(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&library, "/no", NULL, NULL, 0, NULL, NULL, 0));
	GIVES(cudaErrorInvalidKernelImage,
		cudaLibraryLoadFromFile(&library, "/dev/null", NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryLoadFromFile(&library, KERNELS_FOLDER "/kernels.fatbin", NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetManaged(&p, &bytes, library, "total"));
	CHECK(p && bytes == 4);
	OK(cudaLibraryGetGlobal(NULL, &bytes, library, "scale"));
	CHECK(bytes == 16);
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&p, &bytes, library, "missing"));
	GIVES(cudaErrorInvalidValue, cudaLibraryGetGlobal(&p, &bytes, library, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaLibraryGetGlobal(&p, &bytes, NULL, "scale"));
	GIVES(cudaErrorInvalidValue, cudaLibraryGetKernel(NULL, library, "fill"));
	GIVES(cudaErrorInvalidValue, cudaLibraryGetKernel(&kernel, library, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaLibraryGetKernel(&kernel, NULL, "fill"));
	GIVES(cudaErrorInvalidValue, cudaLibraryGetKernelCount(NULL, library));
	GIVES(cudaErrorInvalidResourceHandle, cudaLibraryGetKernelCount(&count, NULL));
	GIVES(cudaErrorInvalidValue, cudaLibraryEnumerateKernels(NULL, 8, library));
	GIVES(cudaErrorInvalidValue, cudaLibraryEnumerateKernels(all, 8, NULL));
	OK(cudaLibraryEnumerateKernels(all, 3, library));
	CHECK(all[0] && all[1] && all[2] && !all[3]);
	/* By the whole name, also where a longer one was asked for before. */
	OK(cudaLibraryGetKernel(&kernel, library, "scales"));
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "scale"));
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "scalesx"));
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, ""));
	OK(cudaLibraryGetKernel(&kernel, library, "fill"));
	OK(cudaKernelSetAttributeForDevice(kernel, 8, 1024, 0));
	GIVES(cudaErrorInvalidValue, cudaKernelSetAttributeForDevice(kernel, 7, 1024, 0));
	GIVES(cudaErrorInvalidValue, cudaKernelSetAttributeForDevice(kernel, 8, 1 << 20, 0));
	GIVES(cudaErrorInvalidDevice, cudaKernelSetAttributeForDevice(kernel, 8, 1024, 1));
	GIVES(cudaErrorInvalidResourceHandle, cudaKernelSetAttributeForDevice(NULL, 8, 1024, 0));
	OK(cudaLibraryUnload(library));
	GIVES(cudaErrorInvalidResourceHandle, cudaLibraryUnload(NULL));
}

int main(void)
{
	OK(cudaMalloc((void **)&numbers, 1024));
	OK(cudaStreamCreate(&stream));
	check_streams();
	check_many_streams();
	check_events();
	check_times();
	check_shapes();
	check_transfers();
	check_memory();
	check_ranges();
	check_pools();
	check_captures();
	check_joining();
	check_contexts();
	check_words();
	check_word_times();
	check_comparing();
	check_libraries();
	OK(cudaStreamDestroy(stream));
	OK(cudaFree(numbers));
	return 0;
}
