/* The driver's interface: what can be asked about an address. */
#include "host/cuda/driver_parts.h"

#include <string.h>

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
	struct memory m;
	CUresult why = driver_ready();
	if (!why && !memory_find(address, &m))
		why = CUDA_ERROR_NOT_FOUND;
	if (!why && base)
		*base = m.address;
	if (!why && bytes)
		*bytes = m.bytes;
	return why;
}

/* CU_POINTER_ATTRIBUTE_... */
enum {
	CONTEXT = 1,
	MEMORY_TYPE,
	DEVICE_POINTER,
	HOST_POINTER,
	SYNC_MEMOPS = 6,
	BUFFER_ID,
	IS_MANAGED,
	DEVICE_ORDINAL,
	IS_LEGACY_IPC_CAPABLE,
	RANGE_START,
	RANGE_SIZE,
	IS_MAPPED,
	ALLOWED_HANDLES,
	IS_RDMA_CAPABLE,
	ACCESS_FLAGS,
	POOL
};

union answer {
	int number; /* also of what is a bool */
	unsigned long long wide;
	void *pointer;
	bool is_so;
};

/* Where the other side sees the byte: only registered memory has another address there. */
static void *seen(const struct memory *m, CUdeviceptr address, bool by_host)
{
	if (m->pair && m->is_registered != by_host)
		address = m->pair + (address - m->address);
	return (void *)(uintptr_t)address;
}

/* Bytes of the answer; 0: there is no such attribute. */
static size_t attribute_of(const struct memory *m, CUdeviceptr address, int attribute, union answer *a)
{
	bool is_host = m->type == cudaMemoryTypeHost;
	switch (attribute) {
	case CONTEXT: return cuCtxGetCurrent((CUcontext *)&a->pointer) ? 0 : sizeof a->pointer;
	case MEMORY_TYPE: a->number = is_host ? ON_HOST : ON_DEVICE; return sizeof a->number;
	case DEVICE_POINTER: a->pointer = seen(m, address, false); return sizeof a->pointer;
	case HOST_POINTER:
		a->pointer = m->type == cudaMemoryTypeDevice ? NULL : seen(m, address, true);
		return sizeof a->pointer;
	case BUFFER_ID:
	case RANGE_START: a->wide = m->address; return sizeof a->wide;
	case RANGE_SIZE: a->wide = m->bytes; return sizeof a->wide;
	case IS_MANAGED: a->is_so = m->type == cudaMemoryTypeManaged; return sizeof a->is_so;
	case IS_MAPPED: a->is_so = true; return sizeof a->is_so;
	case SYNC_MEMOPS:
	case IS_LEGACY_IPC_CAPABLE:
	case IS_RDMA_CAPABLE: a->is_so = false; return sizeof a->is_so;
	case DEVICE_ORDINAL: a->number = 0; return sizeof a->number;
	case ALLOWED_HANDLES: a->wide = 0; return sizeof a->wide;
	case ACCESS_FLAGS: a->number = 3; return sizeof a->number; /* reads and writes */
	case POOL: a->pointer = m->pool; return sizeof a->pointer;
	default: return 0;
	}
}

CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address)
{
	struct memory m;
	union answer a = {0};
	CUresult why = driver_ready();
	size_t bytes = !why && value && memory_find(address, &m) ? attribute_of(&m, address, attribute, &a) : 0;
	if (!why && (!bytes || (attribute == HOST_POINTER && !a.pointer)))
		why = CUDA_ERROR_INVALID_VALUE;
	if (!why)
		memcpy(value, &a, bytes);
	return why;
}

/* Of an address that is not known every answer is 0, and the device -2: no error. */
CUresult cuPointerGetAttributes(unsigned int count, int *attributes, void **values, CUdeviceptr address)
{
	struct memory m = {.address = 0};
	CUresult why = driver_check(&m, attributes && values);
	bool is_known = !why && memory_find(address, &m);
	for (unsigned int k = 0; !why && k < count; k++) {
		union answer a = {0};
		size_t bytes = attribute_of(&m, address, attributes[k], &a);
		if (!is_known)
			a.wide = attributes[k] == DEVICE_ORDINAL ? (unsigned int)-2 : 0; /* all bytes of the union */
		if (bytes)
			memcpy(values[k], &a, bytes);
		else
			why = CUDA_ERROR_INVALID_VALUE;
	}
	return why;
}

/* Copies and fills are synchronous to the host's other calls in any case. */
CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address)
{
	struct memory m;
	return driver_check(&m, value && attribute == SYNC_MEMOPS && memory_find(address, &m));
}
