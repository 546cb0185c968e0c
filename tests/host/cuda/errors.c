/* What wrong arguments get, and what sticks after a kernel's fault. */
#include "kernels.h"

static void check_arguments(void)
{
	int *p, n = 1, value;
	char host[16] = {0};
	cudaStream_t nowhere = (cudaStream_t)host;
	cudaEvent_t event, other;
	float milliseconds;
	struct cudaPointerAttributes attributes;
	OK(cudaMalloc((void **)&p, 64));
	GIVES(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
	GIVES(cudaErrorMemoryAllocation, cudaMalloc((void **)&p, (size_t)1 << 60));
	OK(cudaMalloc((void **)&p, 64));
	GIVES(cudaErrorInvalidValue, cudaFree(host));
	GIVES(cudaErrorInvalidValue, cudaFree(p + 1));
	GIVES(cudaErrorInvalidValue, cudaFreeHost(p));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(p, host, 65, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(host, p, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, host, 4, (enum cudaMemcpyKind)9));
	GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 4, host, 4, 8, 2, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host, host, 4, 0, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(&counter, host, 4, 1, cudaMemcpyHostToDevice));
	OK(cudaEventCreate(&event));
	OK(cudaEventCreate(&other));
	OK(cudaEventDestroy(event));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventDestroy(event));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(event, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(NULL, event, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventSynchronize(event));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventQuery(event));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, other, event));
	OK(cudaEventDestroy(other));
	GIVES(cudaErrorInvalidDevice, cudaSetDevice(1));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, 9999, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(nowhere));
	GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(host, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	GIVES(cudaErrorInvalidConfiguration, LAUNCH(fill, 0, 32, NULL, &p, &n, &n));
	GIVES(cudaErrorInvalidConfiguration, LAUNCH(fill, 1, 4096, NULL, &p, &n, &n));
	GIVES(cudaErrorInvalidValue,
		cudaLaunchKernel(&fill, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&p, &n, &n}, 1 << 20, NULL));
	OK(cudaPointerGetAttributes(&attributes, p));
	CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == p);
	OK(cudaPointerGetAttributes(&attributes, host));
	CHECK(attributes.type == cudaMemoryTypeUnregistered);
	OK(cudaFree(p));
	OK(cudaFree(NULL));
	CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
	CHECK(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
	CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
	CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
}

static void check_fault(void)
{
	int *p;
	OK(cudaMalloc((void **)&p, 64));
	OK(LAUNCH(stray, 1, 1, NULL, &p));
	GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	GIVES(cudaErrorIllegalAddress, cudaMemset(p, 0, 4));
	CHECK(cudaGetLastError() == cudaErrorIllegalAddress && cudaGetLastError() == cudaErrorIllegalAddress);
}

/* cudaErrorIllegalAddress: "This leaves the process in an inconsistent state and any further CUDA work will return the
 * same error." It comes before what is wrong with the arguments. */
static void check_sticks(cudaEvent_t event, cudaGraph_t graph, cudaGraphExec_t instance)
{
	const struct cudaMemLocation device = {1, 0};
	enum cudaStreamCaptureStatus status;
	struct cudaPitchedPtr pitched = {NULL, 4, 4, 1};
	cudaStream_t stream;
	size_t bytes;
	void *p;
	int value;
	const cudaError_t got[] = {
		cudaMalloc(&p, 4),
		cudaMalloc(NULL, 4),
		cudaMallocPitch(&p, &bytes, 4, 4),
		cudaMallocManaged(&p, 0, cudaMemAttachGlobal),
		cudaHostAlloc(&p, 4, 0),
		cudaMallocHost(NULL, 4),
		cudaMallocAsync(NULL, 4, NULL),
		cudaMallocAsync(&p, 4, (cudaStream_t)&p),
		cudaMallocFromPoolAsync(&p, 4, NULL, NULL),
		cudaFree(NULL),
		cudaFree(&value),
		cudaFreeHost(NULL),
		cudaFreeAsync(NULL, NULL),
		cudaFreeAsync(&value, (cudaStream_t)&p),
		cudaHostRegister(NULL, 4, 0),
		cudaHostUnregister(NULL),
		cudaMemGetInfo(&bytes, NULL),
		cudaPointerGetAttributes(NULL, NULL),
		cudaMemAdvise(NULL, 4, 1, device),
		cudaMemAdvise(NULL, 4, 3, (struct cudaMemLocation){2, 0}),
		cudaMemPrefetchAsync(NULL, 4, device, 0, NULL),
		cudaMemRangeGetAttribute(&value, 4, 1, NULL, 4),
		cudaMemcpy(NULL, NULL, 4, (enum cudaMemcpyKind)9),
		cudaMemcpyAsync(NULL, NULL, 4, cudaMemcpyDefault, (cudaStream_t)&p),
		cudaMemset(NULL, 0, 4),
		cudaMemsetAsync(NULL, 0, 4, (cudaStream_t)&p),
		cudaMemset3D(pitched, 0, (struct cudaExtent){4, 1, 1}),
		cudaStreamCreate(&stream),
		cudaStreamCreateWithFlags(NULL, 9),
		cudaStreamSynchronize((cudaStream_t)&p),
		cudaStreamSynchronize(NULL),
		cudaStreamQuery((cudaStream_t)&p),
		cudaStreamQuery(NULL),
		cudaDeviceSynchronize(),
		cudaDeviceReset(),
		cudaLaunchHostFunc(NULL, NULL, NULL),
		cudaStreamAttachMemAsync((cudaStream_t)&p, NULL, 0, 1),
		cudaEventCreate(NULL),
		cudaEventRecord(event, NULL),
		cudaEventRecord(NULL, NULL),
		cudaStreamWaitEvent(NULL, event, 0),
		cudaStreamWaitEvent(NULL, NULL, 0),
		cudaEventSynchronize(NULL),
		cudaEventSynchronize(event),
		cudaEventQuery(NULL),
		cudaGetDevice(&value),
		cudaSetDevice(1),
		cudaInitDevice(0, 0, 0),
		cudaSetValidDevices(NULL, 0),
		cudaDeviceGetByPCIBusId(&value, "0:0:0"),
		cudaCtxResetPersistingL2Cache(),
		cudaDeviceSetLimit(-1, 4),
		cudaDeviceGetLimit(NULL, 0),
		cudaDeviceSetCacheConfig(1),
		cudaDeviceGetCacheConfig(&value),
		cudaProfilerStart(),
		cudaProfilerStop(),
		cudaLaunchKernel(NULL, (dim3){0, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL),
		cudaLaunchCooperativeKernel(&fill, (dim3){0, 1, 1}, (dim3){1, 1, 1}, NULL, 0, (cudaStream_t)&p),
		cudaFuncGetAttributes(&(struct cudaFuncAttributes){.numRegs = 0}, NULL),
		cudaFuncSetAttribute(NULL, 0, 0),
		cudaFuncSetCacheConfig(NULL, 9),
		cudaFuncGetParamInfo(NULL, 0, &bytes, NULL),
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, NULL, 0, 0),
		cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, NULL, 1, 1),
		cudaMallocArray(NULL, NULL, 1, 1, 0),
		cudaMallocMipmappedArray(NULL, NULL, (struct cudaExtent){1, 1, 1}, 0, 0),
		cudaGetMipmappedArrayLevel(NULL, NULL, 0),
		cudaFreeArray(NULL),
		cudaFreeMipmappedArray(NULL),
		cudaArrayGetInfo(NULL, NULL, NULL, NULL),
		cudaGetChannelDesc(NULL, NULL),
		cudaCreateTextureObject(NULL, NULL, NULL, NULL),
		cudaDestroyTextureObject(0),
		cudaDestroyTextureObject(5),
		cudaGetTextureObjectTextureDesc(NULL, 0),
		cudaGetTextureObjectResourceDesc(NULL, 0),
		cudaCreateSurfaceObject(NULL, NULL),
		cudaDestroySurfaceObject(0),
		cudaGetSurfaceObjectResourceDesc(NULL, 0),
		cudaDeviceGetTexture1DLinearMaxWidth(NULL, NULL, 1),
		cudaMemPoolCreate(NULL, NULL),
		cudaDeviceGetDefaultMemPool(NULL, 1),
		cudaDeviceGetMemPool(NULL, 1),
		cudaDeviceSetMemPool(1, NULL),
		cudaGraphCreate(NULL, 1),
		cudaGraphAddEmptyNode(NULL, graph, NULL, 0),
		cudaGraphNodeSetParams(NULL, NULL),
		cudaGraphInstantiateWithFlags(NULL, graph, 0),
		cudaGraphInstantiateWithFlags(NULL, graph, cudaGraphInstantiateFlagDeviceLaunch),
		cudaGraphLaunch(NULL, NULL),
		cudaGraphLaunch(instance, (cudaStream_t)&p),
		cudaGraphUpload(NULL, NULL),
		cudaGraphUpload(instance, (cudaStream_t)&p),
		cudaGraphExecUpdate(NULL, NULL, NULL),
		cudaDeviceGetGraphMemAttribute(1, 0, NULL),
		cudaDeviceGraphMemTrim(1),
		cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
		cudaStreamEndCapture((cudaStream_t)&p, NULL),
		cudaStreamIsCapturing((cudaStream_t)&p, &status),
		cudaStreamUpdateCaptureDependencies((cudaStream_t)&p, NULL, NULL, 0, 9),
		cudaLibraryLoadData(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0),
		cudaLibraryLoadFromFile(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0),
		cudaPeekAtLastError(),
	};
	for (size_t k = 0; k < sizeof got / sizeof *got; k++) {
		check_entry = (int)k;
		GIVES(cudaErrorIllegalAddress, got[k]);
	}
	check_entry = 0;
}

int main(void)
{
	cudaEvent_t event;
	cudaGraph_t graph;
	cudaGraphExec_t instance;
	check_arguments();
	OK(cudaEventCreate(&event));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphInstantiate(&instance, graph, 0));
	check_fault();
	check_sticks(event, graph, instance);
	OK(cudaGraphExecDestroy(instance));
	OK(cudaGraphDestroy(graph));
	OK(cudaEventDestroy(event));
	return 0;
}
