/* What the device says of itself, as attributes and as properties; its limits; what is refused.  Numbers: CUDA 13.0,
 * enum cudaDeviceAttr, enum cudaLimit. */
#include "kernels.h"

#include <stdint.h>

#ifndef LOCKSTEP_HOSTILE
#define LOCKSTEP_HOSTILE 0
#endif

#define OF(field) offsetof(struct cudaDeviceProp, field), sizeof((struct cudaDeviceProp *)0)->field

/* Where attribute and property are the same thing. */
static const struct {
	int attribute;
	size_t offset, bytes;
} same[] = {{1, OF(maxThreadsPerBlock)}, {2, OF(maxThreadsDim[0])}, {3, OF(maxThreadsDim[1])},
	{4, OF(maxThreadsDim[2])}, {5, OF(maxGridSize[0])}, {6, OF(maxGridSize[1])}, {7, OF(maxGridSize[2])},
	{8, OF(sharedMemPerBlock)}, {9, OF(totalConstMem)}, {10, OF(warpSize)}, {11, OF(memPitch)},
	{12, OF(regsPerBlock)}, {14, OF(textureAlignment)}, {16, OF(multiProcessorCount)}, {18, OF(integrated)},
	{19, OF(canMapHostMemory)}, {21, OF(maxTexture1D)}, {22, OF(maxTexture2D[0])}, {23, OF(maxTexture2D[1])},
	{24, OF(maxTexture3D[0])}, {25, OF(maxTexture3D[1])}, {26, OF(maxTexture3D[2])},
	{27, OF(maxTexture2DLayered[0])}, {28, OF(maxTexture2DLayered[1])}, {29, OF(maxTexture2DLayered[2])},
	{30, OF(surfaceAlignment)}, {31, OF(concurrentKernels)}, {32, OF(ECCEnabled)}, {33, OF(pciBusID)},
	{34, OF(pciDeviceID)}, {35, OF(tccDriver)}, {38, OF(l2CacheSize)}, {39, OF(maxThreadsPerMultiProcessor)},
	{40, OF(asyncEngineCount)}, {41, OF(unifiedAddressing)}, {42, OF(maxTexture1DLayered[0])},
	{43, OF(maxTexture1DLayered[1])}, {45, OF(maxTexture2DGather[0])}, {46, OF(maxTexture2DGather[1])},
	{47, OF(maxTexture3DAlt[0])}, {48, OF(maxTexture3DAlt[1])}, {49, OF(maxTexture3DAlt[2])},
	{51, OF(texturePitchAlignment)}, {52, OF(maxTextureCubemap)}, {53, OF(maxTextureCubemapLayered[0])},
	{54, OF(maxTextureCubemapLayered[1])}, {55, OF(maxSurface1D)}, {56, OF(maxSurface2D[0])},
	{57, OF(maxSurface2D[1])}, {58, OF(maxSurface3D[0])}, {59, OF(maxSurface3D[1])}, {60, OF(maxSurface3D[2])},
	{61, OF(maxSurface1DLayered[0])}, {62, OF(maxSurface1DLayered[1])}, {63, OF(maxSurface2DLayered[0])},
	{64, OF(maxSurface2DLayered[1])}, {65, OF(maxSurface2DLayered[2])}, {66, OF(maxSurfaceCubemap)},
	{67, OF(maxSurfaceCubemapLayered[0])}, {68, OF(maxSurfaceCubemapLayered[1])}, {70, OF(maxTexture2DLinear[0])},
	{71, OF(maxTexture2DLinear[1])}, {72, OF(maxTexture2DLinear[2])}, {73, OF(maxTexture2DMipmap[0])},
	{74, OF(maxTexture2DMipmap[1])}, {75, OF(major)}, {76, OF(minor)}, {77, OF(maxTexture1DMipmap)},
	{81, OF(sharedMemPerMultiprocessor)}, {82, OF(regsPerMultiprocessor)}, {83, OF(managedMemory)},
	{95, OF(cooperativeLaunch)}, {97, OF(sharedMemPerBlockOptin)}, {99, OF(hostRegisterSupported)},
	{106, OF(maxBlocksPerMultiProcessor)}, {111, OF(reservedSharedMemPerBlock)}, {115, OF(memoryPoolsSupported)}};

static void check_attributes(void)
{
	struct cudaDeviceProp p;
	int value, devices[] = {0, 1}, version;

	OK(cudaGetDeviceProperties(&p, 0));
	for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
		size_t wide = 0;
		check_entry = same[k].attribute;
		memcpy(&wide, (char *)&p + same[k].offset, same[k].bytes);
		OK(cudaDeviceGetAttribute(&value, same[k].attribute, 0));
		CHECK((size_t)value == wide);
	}
	/* The GTX 480, after gpus/gtx480.cfg and its data sheet: 15 cores, 1,024 threads a block, 1,536 a core, 32
	 * lanes, 2.0. */
	CHECK(p.multiProcessorCount == 15 && p.maxThreadsPerBlock == 1024 && p.maxThreadsPerMultiProcessor == 1536 &&
		p.warpSize == 32);
	CHECK(p.regsPerBlock == 32768 && p.totalConstMem == 65536 && p.maxBlocksPerMultiProcessor == 8);
	CHECK(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
	CHECK(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
	GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, -1, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(NULL, 1, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, 1, 1));
	GIVES(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
	GIVES(cudaErrorInvalidValue, cudaGetDeviceProperties(NULL, 0));
	GIVES(cudaErrorInvalidDevice, cudaInitDevice(1, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaInitDevice(0, 0, 2));
	OK(cudaInitDevice(0, 0, 1));
	OK(cudaSetValidDevices(devices, 1));
	GIVES(cudaErrorInvalidDevice, cudaSetValidDevices(devices, 2));
	GIVES(cudaErrorInvalidValue, cudaSetValidDevices(NULL, 1));
	GIVES(cudaErrorInvalidValue, cudaSetValidDevices(devices, -1));
	OK(cudaSetValidDevices(NULL, 0));
	OK(cudaDriverGetVersion(&version));
	CHECK(version == 13000);
	OK(cudaRuntimeGetVersion(&version));
	CHECK(version == 13000);
	GIVES(cudaErrorInvalidValue, cudaDriverGetVersion(NULL));
	GIVES(cudaErrorInvalidValue, cudaRuntimeGetVersion(NULL));
}

/* CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", textures and surfaces: from 6.0
 * on, which all models tell; and of the GTX 480 the rest (gpus/gtx480.cfg). */
static void check_values(void)
{
	enum { MEBI = 1 << 20 };
	static const struct {
		int attribute, value;
	} values[] = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {8, 49152}, {11, INT32_MAX}, {13, 700000}, {14, 256},
		{15, 1}, {19, 1}, {21, 131072}, {22, 131072}, {23, 65536}, {24, 16384}, {25, 16384}, {26, 16384},
		{27, 32768}, {28, 32768}, {29, 2048}, {30, 256}, {31, 1}, {38, 768 << 10}, {39, 1536}, {40, 1}, {41, 1},
		{42, 32768}, {43, 2048}, {45, 32768}, {46, 32768}, {47, 8192}, {48, 8192}, {49, 32768}, {51, 32},
		{52, 32768}, {53, 32768}, {54, 2046}, {55, 32768}, {56, 131072}, {57, 65536}, {58, 16384}, {59, 16384},
		{60, 16384}, {61, 32768}, {62, 2048}, {63, 32768}, {64, 32768}, {65, 2048}, {66, 32768}, {67, 32768},
		{68, 2046}, {69, 1 << 28}, {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768}, {75, 2},
		{76, 0}, {77, 32768}, {81, 49152}, {82, 32768}, {83, 1}, {92, 1}, {93, 1}, {94, 1}, {95, 1},
		{97, 49152}, {99, 1}, {106, 8}, {115, 1}, {122, 1}, {130, -1}, {131, -1}, {134, -1},
		/* what there is not: a watchdog, cooperative launches on several devices, clusters */
		{17, 0}, {96, 0}, {120, 0}, {147, 0}};
	struct cudaDeviceProp p;
	size_t bytes;
	int value;

	for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
		check_entry = values[k].attribute;
		if (LOCKSTEP_HOSTILE && check_entry == 38)
			continue; /* caches are tiny there */
		OK(cudaDeviceGetAttribute(&value, values[k].attribute, 0));
		CHECK(value == values[k].value);
	}
	check_entry = 0;
	GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, 148, 0));
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(p.deviceNumaId == -1 && p.hostNumaId == -1 && p.totalGlobalMem % MEBI == 0 && p.totalGlobalMem);
	CHECK(!memcmp(p.uuid, "Lockstep\0\0\0\0\0\0\0\1", sizeof p.uuid));
	CHECK(!strcmp(p.name, "NVIDIA GeForce GTX 480 (Lockstep)"));
	/* "cudaLimitStackSize", "cudaLimitPrintfFifoSize", "cudaLimitMallocHeapSize": the guide's 8 MB heap by default
	 */
	OK(cudaDeviceGetLimit(&bytes, 0));
	CHECK(bytes == 1024);
	OK(cudaDeviceGetLimit(&bytes, 1));
	CHECK(bytes == MEBI);
	OK(cudaDeviceGetLimit(&bytes, 2));
	CHECK(bytes == 8 * MEBI);
}

/* There is one device, 0, and it is no peer of its own. */
static void check_peers(void)
{
	int value = 7;
	GIVES(cudaErrorInvalidValue, cudaGetDeviceCount(NULL));
	OK(cudaGetDeviceCount(&value));
	CHECK(value == 1);
	GIVES(cudaErrorInvalidValue, cudaGetDevice(NULL));
	OK(cudaGetDevice(&value));
	CHECK(value == 0);
	OK(cudaSetDevice(0));
	GIVES(cudaErrorInvalidDevice, cudaSetDevice(1));
	GIVES(cudaErrorInvalidDevice, cudaSetDevice(-1));
	GIVES(cudaErrorInvalidValue, cudaDeviceCanAccessPeer(NULL, 0, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&value, 1, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&value, 0, 1));
	value = 7;
	OK(cudaDeviceCanAccessPeer(&value, 0, 0));
	CHECK(value == 0);
	GIVES(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(0, 1)); /* "flags is reserved": 0 */
	GIVES(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
	GIVES(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));
	for (int which = 0; which < 6; which++) { /* cudaDevP2PAttr...: 1 to 4 */
		check_entry = which;
		GIVES(which < 1 || which > 4 ? cudaErrorInvalidValue : cudaErrorInvalidDevice,
			cudaDeviceGetP2PAttribute(&value, which, 0, 1));
		GIVES(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(NULL, which, 0, 1));
	}
	check_entry = 0;
	OK(cudaProfilerStart());
	OK(cudaProfilerStop());
	OK(cudaCtxResetPersistingL2Cache());
	OK(cudaDeviceReset());
}

static void check_bus(void)
{
	static const struct {
		const char *id;
		cudaError_t code;
	} ids[] = {{"0000:00:00.0", cudaSuccess}, {"00:00", cudaSuccess}, {"0:0:0", cudaSuccess},
		{"0000:01:00.0", cudaErrorInvalidDevice}, {"1:0:0", cudaErrorInvalidDevice},
		{"00:02", cudaErrorInvalidDevice}, {"words", cudaErrorInvalidValue}, {NULL, cudaErrorInvalidValue}};
	char id[16] = "";
	int device = 9;

	for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
		check_entry = (int)k;
		GIVES(ids[k].code, cudaDeviceGetByPCIBusId(&device, ids[k].id));
	}
	CHECK(device == 0);
	OK(cudaDeviceGetPCIBusId(id, 13, 0)); /* with the zero at its end */
	CHECK(!strcmp(id, "0000:00:00.0"));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(id, 12, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(NULL, 13, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(id, 13, 1));
}

static void check_settings(void)
{
	size_t limit;
	unsigned int flags;
	int config;

	for (int k = 0; k < 3; k++) {
		check_entry = k;
		OK(cudaDeviceSetLimit(k, (size_t)4096 << k));
		OK(cudaDeviceGetLimit(&limit, k));
		CHECK(limit == (size_t)4096 << k);
	}
	/* cudaLimitDevRuntimePendingLaunchCount: the guide's 2,048 by default */
	OK(cudaDeviceGetLimit(&limit, 4));
	CHECK(limit == 2048);
	OK(cudaDeviceSetLimit(4, 4096));
	OK(cudaDeviceGetLimit(&limit, 4));
	CHECK(limit == 4096);
	GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(4, 0));
	GIVES(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(5, 1));
	/* cudaLimitDevRuntimeSyncDepth: the guide's two levels by default */
	OK(cudaDeviceGetLimit(&limit, 3));
	CHECK(limit == 2);
	OK(cudaDeviceSetLimit(3, 5));
	OK(cudaDeviceGetLimit(&limit, 3));
	CHECK(limit == 5);
	GIVES(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(-1, 1));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetLimit(NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(2, (size_t)1 << 60));
	OK(cudaDeviceGetLimit(&limit, 2));
	CHECK(limit == 16384);
	OK(cudaSetDeviceFlags(4 | 8));
	OK(cudaGetDeviceFlags(&flags));
	CHECK(flags == (4 | 8));
	GIVES(cudaErrorInvalidValue, cudaSetDeviceFlags(3 | 4)); /* two ways to wait */
	GIVES(cudaErrorInvalidValue, cudaSetDeviceFlags(32));
	GIVES(cudaErrorInvalidValue, cudaGetDeviceFlags(NULL));
	for (int k = 0; k < 4; k++) {
		OK(cudaDeviceSetCacheConfig(k));
		OK(cudaDeviceGetCacheConfig(&config));
		CHECK(config == k);
	}
	GIVES(cudaErrorInvalidValue, cudaDeviceSetCacheConfig(4));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetCacheConfig(-1));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetCacheConfig(NULL));
}

/* There is no other device, and no other process: cudaDeviceCanAccessPeer and the rest say so. */
static void check_refused(void)
{
	cudaError_t cudaIpcGetMemHandle(void), cudaIpcOpenMemHandle(void), cudaIpcCloseMemHandle(void),
		cudaIpcGetEventHandle(void), cudaIpcOpenEventHandle(void), cudaArrayGetPlane(void),
		cudaArrayGetSparseProperties(void), cudaMemPoolExportPointer(void), cudaMemPoolImportPointer(void);
	cudaError_t (*const calls[])(void) = {cudaIpcGetMemHandle, cudaIpcOpenMemHandle, cudaIpcCloseMemHandle,
		cudaIpcGetEventHandle, cudaIpcOpenEventHandle, cudaArrayGetPlane, cudaArrayGetSparseProperties,
		cudaMemPoolExportPointer, cudaMemPoolImportPointer};

	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
		check_entry = (int)k;
		GIVES(cudaErrorNotSupported, calls[k]());
		GIVES(cudaErrorNotSupported, cudaPeekAtLastError());
		GIVES(cudaErrorNotSupported, cudaGetLastError());
		OK(cudaPeekAtLastError());
	}
}

static void check_names(void)
{
	static const struct {
		cudaError_t error;
		const char *name;
	} names[] = {
#define CUDA_ERROR(symbol, number, text) {(cudaError_t)(number), #symbol},
#include "host/cuda/errors.def"
#undef CUDA_ERROR
	};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		check_entry = (int)names[k].error;
		CHECK(!strcmp(cudaGetErrorName(names[k].error), names[k].name));
		CHECK(*cudaGetErrorString(names[k].error) &&
			strcmp(cudaGetErrorString(names[k].error), "unrecognized error code"));
	}
	/* Numbers of CUDA 13.0's driver_types.h. */
	CHECK(cudaErrorInvalidValue == 1 && cudaErrorMemoryAllocation == 2 && cudaErrorInvalidConfiguration == 9 &&
		cudaErrorNotReady == 600 && cudaErrorIllegalAddress == 700 && cudaErrorNotSupported == 801 &&
		cudaErrorInvalidResourceHandle == 400);
}

int main(void)
{
	check_attributes();
	check_values();
	check_peers();
	check_bus();
	check_settings();
	check_refused();
	check_names();
	return 0;
}
