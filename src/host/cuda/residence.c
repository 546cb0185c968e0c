/* Managed memory's place, which programs advise about: it lies where the host and the GPU both see it, and nothing
 * moves. */
#include "host/cuda/objects.h"

enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2, LOCATION_INVALID = 0 };
enum { SET_READ_MOSTLY = 1, UNSET_READ_MOSTLY, SET_PREFERRED, UNSET_PREFERRED, SET_ACCESSED_BY, UNSET_ACCESSED_BY };

static cudaError_t check_location(struct cudaMemLocation location)
{
	cudaError_t error = error_before();
	if (error || location.type == LOCATION_HOST)
		return error;
	if (location.type != LOCATION_DEVICE)
		return cudaErrorInvalidValue;
	return location.id ? cudaErrorInvalidDevice : cudaSuccess;
}

struct advice {
	int what;
	struct cudaMemLocation location;
};

static void take_advice(struct residence *r, void *how)
{
	const struct advice *a = how;
	if (a->what <= UNSET_READ_MOSTLY) {
		r->is_read_mostly = a->what == SET_READ_MOSTLY;
	} else if (a->what <= UNSET_PREFERRED) {
		r->has_preferred = a->what == SET_PREFERRED;
		r->preferred = a->location;
	} else if (a->location.type == LOCATION_DEVICE) {
		r->is_accessed_by_device = a->what == SET_ACCESSED_BY;
	}
}

static void note_prefetch(struct residence *r, void *where)
{
	r->has_prefetched = true;
	r->prefetched = *(struct cudaMemLocation *)where;
}

cudaError_t memory_advise(const void *pointer, size_t bytes, int what, struct cudaMemLocation location)
{
	struct advice advice = {what, location};
	bool uses_location = what >= SET_PREFERRED && what != UNSET_PREFERRED;
	cudaError_t error = uses_location ? check_location(location) : error_before();
	if (!error && (what < SET_READ_MOSTLY || what > UNSET_ACCESSED_BY ||
			      !memory_change((uint64_t)(uintptr_t)pointer, bytes, take_advice, &advice)))
		error = cudaErrorInvalidValue;
	return error_note(error);
}

cudaError_t memory_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location, cudaStream_t stream)
{
	cudaError_t error = check_location(location);
	if (!error && !stream_of(stream))
		error = cudaErrorInvalidResourceHandle;
	if (!error && !memory_change((uint64_t)(uintptr_t)pointer, bytes, note_prefetch, &location))
		error = cudaErrorInvalidValue;
	return error_note(error);
}

/* ---- Questions ---- */

/* cudaMemRangeAttribute... */
enum {
	READ_MOSTLY = 1,
	PREFERRED,
	ACCESSED_BY,
	PREFETCHED,
	PREFERRED_TYPE,
	PREFERRED_ID,
	PREFETCHED_TYPE,
	PREFETCHED_ID
};
enum { DEVICE_OF_HOST = -1, DEVICE_NONE = -2 }; /* cudaCpuDeviceId, cudaInvalidDeviceId */

static int device_of(bool is_set, struct cudaMemLocation location)
{
	if (!is_set)
		return DEVICE_NONE;
	return location.type == LOCATION_DEVICE ? location.id : DEVICE_OF_HOST;
}

static cudaError_t answer(const struct residence *r, int attribute, int *value, size_t bytes)
{
	switch (attribute) {
	case READ_MOSTLY: *value = r->is_read_mostly; break;
	case PREFERRED: *value = device_of(r->has_preferred, r->preferred); break;
	case PREFETCHED: *value = device_of(r->has_prefetched, r->prefetched); break;
	case PREFERRED_TYPE: *value = r->has_preferred ? r->preferred.type : LOCATION_INVALID; break;
	case PREFERRED_ID: *value = r->has_preferred ? r->preferred.id : 0; break;
	case PREFETCHED_TYPE: *value = r->has_prefetched ? r->prefetched.type : LOCATION_INVALID; break;
	case PREFETCHED_ID: *value = r->has_prefetched ? r->prefetched.id : 0; break;
	case ACCESSED_BY: /* as many devices as there is room for */
		for (size_t k = 0; k < bytes / sizeof *value; k++)
			value[k] = !k && r->is_accessed_by_device ? 0 : DEVICE_NONE;
		return bytes && bytes % sizeof *value == 0 ? cudaSuccess : cudaErrorInvalidValue;
	default: return cudaErrorInvalidValue;
	}
	return bytes == sizeof *value ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemRangeGetAttribute(void *value, size_t bytes, int attribute, const void *pointer, size_t count)
{
	struct memory m;
	cudaError_t error = error_before();
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	if (!error && (!value || bytes < sizeof(int) || !count || !memory_find(address, &m) ||
			      m.type != cudaMemoryTypeManaged || count > m.bytes - (address - m.address)))
		error = cudaErrorInvalidValue;
	return error_note(error ? error : answer(&m.residence, attribute, value, bytes));
}

cudaError_t cudaMemRangeGetAttributes(
	void **values, size_t *bytes, int *attributes, size_t number, const void *pointer, size_t count)
{
	cudaError_t error = values && bytes && attributes && number ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t k = 0; !error && k < number; k++)
		error = cudaMemRangeGetAttribute(values[k], bytes[k], attributes[k], pointer, count);
	return error_note(error);
}
