/* Memory: device, managed and pinned, all of it the simulated GPU's; what an address belongs to. */
#include "host/cuda/graph.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PITCH 512 /* bytes; texturePitchAlignment is not above it */

/* By address, ascending; guarded by driver_lock. */
static struct {
	struct memory *at;
	size_t count, capacity;
} all;
static uint64_t allocated; /* bytes */

/* ---- What there is ---- */

/* The number of those that begin at or below the address. */
static size_t up_to(uint64_t address)
{
	size_t low = 0, high = all.count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (all.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool memory_add(const struct memory *memory)
{
	mutex_lock(&driver_lock);
	if (all.count == all.capacity) {
		size_t capacity = all.capacity ? all.capacity * 2 : 64;
		struct memory *more = realloc(all.at, capacity * sizeof *more);
		if (more)
			all.at = more, all.capacity = capacity;
	}
	bool room = all.count < all.capacity;
	if (room) {
		size_t place = up_to(memory->address);
		memmove(&all.at[place + 1], &all.at[place], (all.count - place) * sizeof *all.at);
		all.at[place] = *memory;
		all.count++;
		allocated += memory->pair ? 0 : memory->bytes;
	}
	mutex_unlock(&driver_lock);
	return room;
}

bool memory_find_pair(uint64_t host, struct memory *memory)
{
	return memory_find(host, memory) && memory->address == host && memory->pair && memory->is_registered;
}

bool memory_overlaps(uint64_t address, size_t bytes)
{
	mutex_lock(&driver_lock);
	size_t place = up_to(address);
	bool overlaps = (place && address - all.at[place - 1].address < all.at[place - 1].bytes) ||
			(place < all.count && all.at[place].address - address < bytes);
	mutex_unlock(&driver_lock);
	return overlaps;
}

void memory_forget_registered(uint64_t address)
{
	mutex_lock(&driver_lock);
	size_t place = up_to(address);
	assert(place && all.at[place - 1].address == address && all.at[place - 1].pair);
	all.count--;
	memmove(&all.at[place - 1], &all.at[place], (all.count - place + 1) * sizeof *all.at);
	mutex_unlock(&driver_lock);
}

bool memory_change(uint64_t address, size_t bytes, void (*change)(struct residence *residence, void *how), void *how)
{
	mutex_lock(&driver_lock);
	size_t place = up_to(address);
	struct memory *m = place ? &all.at[place - 1] : NULL;
	bool is_within = m && m->type == cudaMemoryTypeManaged && bytes && address - m->address < m->bytes &&
			 bytes <= m->bytes - (address - m->address);
	if (is_within && bytes == m->bytes)
		change(&m->residence, how);
	mutex_unlock(&driver_lock);
	return is_within;
}

bool memory_find(uint64_t address, struct memory *memory)
{
	mutex_lock(&driver_lock);
	size_t place = up_to(address);
	bool found = place && address - all.at[place - 1].address < all.at[place - 1].bytes;
	if (found)
		*memory = all.at[place - 1];
	mutex_unlock(&driver_lock);
	return found;
}

/* Forgets the allocation that begins there; false: there is none of these types. */
static bool take_out(uint64_t address, bool of_host, bool is_graphs, struct memory *taken)
{
	mutex_lock(&driver_lock);
	size_t place = up_to(address);
	const struct memory *m = place ? &all.at[place - 1] : NULL;
	bool found = m && m->address == address && !m->module && !m->pair &&
		     (m->type == cudaMemoryTypeHost) == of_host && m->is_graphs == is_graphs;
	if (found) {
		assert(allocated >= m->bytes);
		*taken = *m;
		allocated -= m->bytes;
		all.count--;
		memmove(&all.at[place - 1], &all.at[place], (all.count - place + 1) * sizeof *all.at);
	}
	mutex_unlock(&driver_lock);
	return found;
}

void memory_forget(uint64_t address)
{
	struct memory taken;
	take_out(address, false, true, &taken);
}

void memory_forget_variables(const struct module *module)
{
	size_t kept = 0;
	mutex_lock(&driver_lock);
	for (size_t k = 0; k < all.count; k++)
		if (all.at[k].module == module)
			allocated -= all.at[k].bytes;
		else
			all.at[kept++] = all.at[k];
	all.count = kept;
	mutex_unlock(&driver_lock);
}

/* ---- Allocating ---- */

static const char *const type_names[] = {
	[cudaMemoryTypeHost] = "pinned host memory",
	[cudaMemoryTypeDevice] = NULL,
	[cudaMemoryTypeManaged] = "managed memory",
};

static cudaError_t refuse_sharing(void)
{
	static atomic_bool said;
	if (!atomic_exchange(&said, true))
		device_complain(
			"managed and pinned memory are not offered: the program has memory of its own at the "
			"addresses that the GPU's has; a smaller memory may be below them: --set memory.size=1536");
	return cudaErrorNotSupported;
}

static cudaError_t allocate(void **pointer, size_t bytes, enum cudaMemoryType type, unsigned int flags)
{
	cudaError_t error = unsafe_before();
	struct memory m = {.bytes = bytes, .type = type, .flags = flags};
	if (error)
		return error;
	if (!pointer)
		return cudaErrorInvalidValue;
	*pointer = NULL;
	if (!bytes)
		return type == cudaMemoryTypeManaged ? cudaErrorInvalidValue : cudaSuccess;
	if (type != cudaMemoryTypeDevice && !device_get()->shares_pointers)
		return refuse_sharing();
	m.address = device_allocate(bytes, "cudaMalloc", type_names[type], &m.contents);
	if (!m.address) {
		device_complain_of_memory("cudaMalloc", bytes);
		return cudaErrorMemoryAllocation;
	}
	if (!memory_add(&m)) {
		device_free(m.address, NULL);
		return cudaErrorMemoryAllocation;
	}
	if (type != cudaMemoryTypeDevice)
		device_expect_host_writes(m.address);
	else
		device_undefine(m.address, bytes);
	*pointer = (void *)(uintptr_t)m.address;
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	return error_note(allocate(pointer, bytes, cudaMemoryTypeDevice, 0));
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return error_note(cudaErrorInvalidValue);
	return error_note(allocate(pointer, bytes, cudaMemoryTypeManaged, flags));
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
		return error_note(cudaErrorInvalidValue);
	return error_note(allocate(pointer, bytes, cudaMemoryTypeHost, flags));
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
	return error_note(allocate(pointer, bytes, cudaMemoryTypeHost, 0)); /* its own call: it names the memory */
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	size_t row = (width + PITCH - 1) / PITCH * PITCH, bytes;
	if (!pitch || row < width || __builtin_mul_overflow(row, height, &bytes))
		return error_note(cudaErrorInvalidValue);
	*pitch = row;
	return error_note(allocate(pointer, bytes, cudaMemoryTypeDevice, 0));
}

/* ---- Freeing ---- */

/* Forgets the allocation that begins there.  *goes: its memory is to be freed, too.  *taken: what was known about it;
 * without bytes when it was a graph's. */
static cudaError_t forget(void *pointer, bool of_host, bool *goes, struct memory *taken)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	bool is_graphs = false;
	cudaError_t error = of_host ? cudaSuccess : graph_memory_release(address, &is_graphs, goes);
	*taken = (struct memory){.bytes = 0};
	if (is_graphs)
		return error;
	*goes = true;
	return take_out(address, of_host, false, taken) ? cudaSuccess : cudaErrorInvalidValue;
}

static void give_back(const struct memory *taken)
{
	if (taken->pool)
		pool_give_back(taken->pool, taken->bytes);
}

/* Whatever may still use the memory is over first, as CUDA has it. */
static cudaError_t release(void *pointer, bool of_host)
{
	struct memory taken;
	bool goes;
	cudaError_t error = unsafe_before();
	if (!error && pointer)
		error = tasks_finish();
	if (error || !pointer)
		return error;
	error = forget(pointer, of_host, &goes, &taken);
	if (error)
		return error;
	struct freed_by by = device_freeing(of_host ? "cudaFreeHost" : "cudaFree");
	if (goes)
		device_free((uint64_t)(uintptr_t)pointer, &by);
	give_back(&taken);
	return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
	return error_note(release(pointer, false));
}

cudaError_t cudaFreeHost(void *pointer)
{
	return error_note(release(pointer, true));
}

struct freeing {
	uint64_t address;
	const uint8_t *contents;
	size_t bytes;
	struct freed_by by;
};

static int32_t run_free(struct command *command, uint64_t *nanoseconds)
{
	const struct freeing *f = (const struct freeing *)task_of(command)->work;
	(void)nanoseconds;
	host_race_free(command, "cudaFreeAsync", f->contents, f->bytes, &f->by);
	device_free(f->address, &f->by);
	return 0;
}

static const struct work_kind free_kind = {.bytes = sizeof(struct freeing), .engine = ENGINE_NONE, .run = run_free};

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t handle)
{
	struct cuda_stream *stream;
	cudaError_t error = stream_find(handle, &stream);
	if (error || !pointer)
		return error_note(error);
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	struct memory taken;
	bool goes;
	if (stream->capture)
		return error_note(capture_free(stream, address));
	error = forget(pointer, false, &goes, &taken);
	if (!error && goes) {
		struct freeing f = {
			.address = address, .contents = taken.contents, .bytes = taken.contents ? taken.bytes : 0};
		f.by = device_freeing("cudaFreeAsync");
		f.by.place = stream_place(stream);
		error = work_submit(stream, &free_kind, &f, false);
	}
	if (!error)
		give_back(&taken);
	else if (taken.bytes)
		memory_add(&taken); /* it is allocated still */
	return error_note(error);
}

/* ---- Questions ---- */

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
	cudaError_t error = error_unless(left && total);
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	*total = device_get()->memory_bytes;
	uint64_t taken = allocated + pools_idle();
	*left = taken < *total ? *total - taken : 0;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	struct memory m = {.address = 0};
	cudaError_t error = error_unless(attributes);
	if (error)
		return error_note(error);
	*attributes = (struct cudaPointerAttributes){
		.type = cudaMemoryTypeUnregistered, .hostPointer = (void *)(uintptr_t)pointer};
	if (!memory_find((uint64_t)(uintptr_t)pointer, &m)) {
		attributes->device = -2; /* as CUDA 11 and later answer for memory they do not know */
		return cudaSuccess;
	}
	uint64_t offset = (uint64_t)(uintptr_t)pointer - m.address;
	attributes->type = m.type;
	attributes->devicePointer = (void *)(uintptr_t)pointer;
	if (m.pair)
		*(m.is_registered ? &attributes->devicePointer : &attributes->hostPointer) =
			(void *)(uintptr_t)(m.pair + offset);
	if (m.type == cudaMemoryTypeDevice)
		attributes->hostPointer = NULL;
	return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	struct memory m;
	if (!device || flags || !memory_find((uint64_t)(uintptr_t)host, &m) || m.type != cudaMemoryTypeHost)
		return error_note(cudaErrorInvalidValue);
	*device = m.is_registered ? (void *)(uintptr_t)(m.pair + ((uint64_t)(uintptr_t)host - m.address)) : host;
	return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
	struct memory m;
	if (!flags || !memory_find((uint64_t)(uintptr_t)host, &m) || m.type != cudaMemoryTypeHost)
		return error_note(cudaErrorInvalidValue);
	*flags = m.flags;
	return cudaSuccess;
}
