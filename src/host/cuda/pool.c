/* Memory pools: where stream-ordered allocations come from.
 *
 * A pool keeps what was freed for allocations to come, until the host waits for a stream or the device: then what is
 * above its threshold goes back.  That is an account of bytes, and no memory: what is freed in a stream is gone when
 * the stream gets there, and every allocation is one of its own on the simulated GPU, so that accesses outside of one,
 * or after its end, are still noticed. */
#include "host/cuda/graph.h"

#include <assert.h>
#include <stdlib.h>

/* Guarded by driver_lock. */
struct cuda_pool {
	/* cudaMemPoolReuse...; kept: what is freed is never another stream's before it is gone */
	int reuse[3];
	uint64_t threshold; /* bytes that it keeps when the host waits */
	uint64_t maximum;   /* 0: the device's memory */
	uint64_t used, used_high, reserved, reserved_high;
	bool is_destroyed; /* freed with its last allocation */
	struct cuda_pool *next;
};

static struct cuda_pool standard = {.reuse = {1, 1, 1}};
static struct cuda_pool *pools = &standard; /* the standard one last */
static struct cuda_pool *current = &standard;

/* Gives back what is free and above `keep` bytes. */
static void trim(struct cuda_pool *pool, uint64_t keep)
{
	if (keep < pool->used)
		keep = pool->used;
	if (pool->reserved > keep)
		pool->reserved = keep;
}

void pools_waited(void)
{
	mutex_must_be_held(&driver_lock);
	for (struct cuda_pool *p = pools; p; p = p->next)
		trim(p, p->threshold);
}

uint64_t pools_idle(void)
{
	uint64_t idle = 0;
	mutex_must_be_held(&driver_lock);
	for (const struct cuda_pool *p = pools; p; p = p->next)
		idle += p->reserved - p->used;
	return idle;
}

/* ---- Allocating ---- */

static bool take(struct cuda_pool *pool, size_t bytes)
{
	mutex_lock(&driver_lock);
	bool good = !pool->maximum || (pool->used <= pool->maximum && bytes <= pool->maximum - pool->used);
	if (good) {
		pool->used += bytes;
		raise_to(&pool->reserved, pool->used);
		raise_to(&pool->used_high, pool->used);
		raise_to(&pool->reserved_high, pool->reserved);
	}
	mutex_unlock(&driver_lock);
	return good;
}

void pool_give_back(struct cuda_pool *pool, size_t bytes)
{
	mutex_lock(&driver_lock);
	assert(pool->used >= bytes && pool->reserved >= pool->used);
	pool->used -= bytes;
	bool goes = pool->is_destroyed && !pool->used;
	if (goes) {
		struct cuda_pool **at = &pools;
		while (*at != pool)
			at = &(*at)->next;
		*at = pool->next;
	}
	mutex_unlock(&driver_lock);
	if (goes)
		free(pool);
}

/* What was freed and is not gone yet makes room when the streams have got there. */
static cudaError_t allocate(void **pointer, size_t bytes, struct cuda_pool *pool)
{
	struct memory m = {.bytes = bytes, .type = cudaMemoryTypeDevice, .pool = pool};
	if (!take(pool, bytes))
		return cudaErrorMemoryAllocation;
	m.address = device_allocate(bytes, "cudaMallocAsync", NULL, &m.contents);
	if (!m.address && !commands_in_worker() && !tasks_finish())
		m.address = device_allocate(bytes, "cudaMallocAsync", NULL, &m.contents);
	if (m.address && memory_add(&m)) {
		device_undefine(m.address, bytes);
		*pointer = (void *)(uintptr_t)m.address;
		return cudaSuccess;
	}
	if (m.address)
		device_free(m.address, NULL);
	else
		device_complain_of_memory("cudaMallocAsync", bytes);
	pool_give_back(pool, bytes);
	return cudaErrorMemoryAllocation;
}

static cudaError_t allocate_in_stream(void **pointer, size_t bytes, struct cuda_pool *pool, cudaStream_t handle)
{
	struct cuda_stream *stream;
	cudaError_t error = stream_find(handle, &stream);
	if (!error && (!pointer || !pool))
		error = cudaErrorInvalidValue;
	if (error)
		return error;
	*pointer = NULL;
	if (stream->capture)
		return capture_allocate(stream, bytes, pointer);
	return bytes ? allocate(pointer, bytes, pool) : cudaSuccess; /* earlier than it must be there */
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	return error_note(allocate_in_stream(pointer, bytes, pool, stream));
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
	mutex_lock(&driver_lock);
	struct cuda_pool *pool = current;
	mutex_unlock(&driver_lock);
	return error_note(allocate_in_stream(pointer, bytes, pool, stream));
}

/* ---- Pools ---- */

enum { LOCATION_DEVICE = 1, ALLOCATION_PINNED = 1, ACCESS_READ_WRITE = 3 };

static cudaError_t check_location(const struct cudaMemLocation *location)
{
	if (!location)
		return cudaErrorInvalidValue;
	if (location->type != LOCATION_DEVICE)
		return cudaErrorNotSupported;
	return location->id ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *p)
{
	cudaError_t error = error_unless(pool && p && p->allocType == ALLOCATION_PINNED);
	if (!error)
		error = p->handleTypes ? cudaErrorNotSupported : check_location(&p->location);
	struct cuda_pool *made = error ? NULL : calloc(1, sizeof *made);
	if (!error && !made)
		error = cudaErrorMemoryAllocation;
	if (error)
		return error_note(error);
	*made = (struct cuda_pool){.reuse = {1, 1, 1}, .maximum = p->maxSize};
	mutex_lock(&driver_lock);
	made->next = pools;
	pools = made;
	mutex_unlock(&driver_lock);
	*pool = made;
	return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	if (!pool || pool == &standard)
		return error_note(cudaErrorInvalidValue);
	mutex_lock(&driver_lock);
	if (current == pool)
		current = &standard;
	pool->is_destroyed = true;
	mutex_unlock(&driver_lock);
	pool_give_back(pool, 0);
	return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	if (!pool)
		return error_note(cudaErrorInvalidValue);
	mutex_lock(&driver_lock);
	trim(pool, keep);
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* cudaMemPoolAttr... */
enum { REUSE_FIRST = 1, REUSE_LAST = 3, THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH };

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value)
{
	if (!pool || !value || attribute < REUSE_FIRST || attribute > USED_HIGH)
		return error_note(cudaErrorInvalidValue);
	mutex_lock(&driver_lock);
	const uint64_t values[] = {[THRESHOLD] = pool->threshold,
		[RESERVED] = pool->reserved,
		[RESERVED_HIGH] = pool->reserved_high,
		[USED] = pool->used,
		[USED_HIGH] = pool->used_high};
	if (attribute <= REUSE_LAST)
		*(int *)value = pool->reuse[attribute - REUSE_FIRST];
	else
		*(uint64_t *)value = values[attribute];
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* The high marks can be set to zero, from where they rise to what is in use. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value)
{
	bool is_high = attribute == RESERVED_HIGH || attribute == USED_HIGH;
	if (!pool || !value || attribute < REUSE_FIRST || (attribute > THRESHOLD && !is_high) ||
		(is_high && *(uint64_t *)value))
		return error_note(cudaErrorInvalidValue);
	mutex_lock(&driver_lock);
	if (attribute <= REUSE_LAST)
		pool->reuse[attribute - REUSE_FIRST] = !!*(int *)value;
	else if (attribute == THRESHOLD)
		pool->threshold = *(uint64_t *)value;
	else if (attribute == RESERVED_HIGH)
		pool->reserved_high = pool->reserved;
	else
		pool->used_high = pool->used;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* There is one device, whose access to its own memory cannot be taken away. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count)
{
	cudaError_t error = pool && (accesses || !count) ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t k = 0; !error && k < count; k++) {
		error = check_location(&accesses[k].location);
		if (!error && accesses[k].flags != ACCESS_READ_WRITE)
			error = cudaErrorInvalidDevice;
	}
	return error_note(error);
}

cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
	cudaError_t error = flags && pool ? check_location(location) : cudaErrorInvalidValue;
	if (!error)
		*flags = ACCESS_READ_WRITE;
	return error_note(error);
}

/* ---- The device's ---- */

static cudaError_t check_device(const void *answer, int device)
{
	cudaError_t error = error_before();
	if (!error && device)
		error = cudaErrorInvalidDevice;
	return !error && !answer ? cudaErrorInvalidValue : error;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	cudaError_t error = check_device(pool, device);
	if (!error)
		*pool = &standard;
	return error_note(error);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	cudaError_t error = check_device(pool, device);
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	*pool = current;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	cudaError_t error = check_device(pool, device);
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	current = pool;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* The same by place and type of memory, as CUDA 13 has it. */
static cudaError_t check_kind(const struct cudaMemLocation *location, int type)
{
	return type == ALLOCATION_PINNED ? check_location(location) : cudaErrorNotSupported;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type)
{
	cudaError_t error = check_kind(location, type);
	return error ? error_note(error) : cudaDeviceGetDefaultMemPool(pool, 0);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type)
{
	cudaError_t error = check_kind(location, type);
	return error ? error_note(error) : cudaDeviceGetMemPool(pool, 0);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, int type, cudaMemPool_t pool)
{
	cudaError_t error = check_kind(location, type);
	return error ? error_note(error) : cudaDeviceSetMemPool(0, pool);
}
