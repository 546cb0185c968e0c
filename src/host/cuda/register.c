/* Memory of the application's own that it registers: kernels reach the same bytes by another address.
 *
 * The pages become shared ones, at their place in the program and within the GPU's memory.  Those of files and of other
 * processes, and stacks, stay what they are: registering them is refused. */
#include "host/cuda/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096ull

/* All of it must be the process's own writable memory, and no stack: by /proc/self/maps. */
static cudaError_t check_pages(uint64_t begin, uint64_t end)
{
	char line[512], access[5];
	uint64_t first, last;
	FILE *maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return cudaErrorMemoryAllocation;
	while (begin < end && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &first, &last, access) != 3 || last <= begin)
			continue;
		if (first > begin || strcmp(access, "rw-p") || strstr(line, "[stack"))
			break;
		begin = last;
	}
	fclose(maps);
	return begin >= end ? cudaSuccess : cudaErrorNotSupported;
}

/* Both addresses are known from now on. */
static bool remember(uint64_t host, uint64_t device, size_t bytes, unsigned int flags)
{
	struct memory ours = {
		.address = device, .bytes = bytes, .type = cudaMemoryTypeHost, .flags = flags, .pair = host};
	struct memory theirs = ours;
	ours.contents = (uint8_t *)(uintptr_t)host;
	theirs.address = host;
	theirs.pair = device;
	theirs.contents = ours.contents;
	theirs.is_registered = true;
	if (!memory_add(&ours))
		return false;
	if (memory_add(&theirs))
		return true;
	memory_forget_registered(device);
	return false;
}

/* The worker is stopped meanwhile, as it may write to the same pages. */
static uint64_t share_pages(void *host, size_t bytes)
{
	struct origin *origin = origin_here("cudaHostRegister", NULL);
	device_lock();
	mutex_lock(&driver_lock);
	uint64_t address = lockstep_register(device_get()->gpu, host, bytes, "registered host memory");
	mutex_unlock(&driver_lock);
	void *contents = address ? lockstep_map(device_get()->gpu, address, bytes) : NULL;
	device_unlock();
	if (!address)
		return 0;
	host_race_placed(contents, bytes, address, NULL, origin, true);
	device_expect_host_writes(address);
	return address;
}

static bool unshare_pages(uint64_t address)
{
	device_lock();
	mutex_lock(&driver_lock);
	bool good = lockstep_unregister(device_get()->gpu, address);
	mutex_unlock(&driver_lock);
	device_unlock();
	return good;
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
	uint64_t at = (uint64_t)(uintptr_t)pointer, end;
	cudaError_t error = unsafe_before();
	if (error)
		return error_note(error);
	if (!pointer || !bytes || bytes > UINT64_MAX - PAGE || flags & ~15u ||
		__builtin_add_overflow(at, bytes + PAGE, &end))
		return error_note(cudaErrorInvalidValue);
	if (memory_overlaps(at, bytes))
		return error_note(cudaErrorHostMemoryAlreadyRegistered);
	if (flags & ~(cudaHostRegisterPortable | cudaHostRegisterMapped))
		return error_note(cudaErrorNotSupported);
	error = check_pages(at & ~(PAGE - 1), (at + bytes + PAGE - 1) & ~(PAGE - 1));
	if (error)
		return error_note(error);
	uint64_t address = share_pages(pointer, bytes);
	if (!address)
		return error_note(cudaErrorMemoryAllocation);
	if (remember(at, address, bytes, flags))
		return cudaSuccess;
	unshare_pages(address);
	return error_note(cudaErrorMemoryAllocation);
}

/* What is enqueued may still use it. */
cudaError_t cudaHostUnregister(void *pointer)
{
	struct memory m;
	cudaError_t error = unsafe_before();
	if (!error && !pointer)
		error = cudaErrorInvalidValue;
	if (!error && !memory_find_pair((uint64_t)(uintptr_t)pointer, &m))
		error = cudaErrorHostMemoryNotRegistered;
	if (!error)
		error = tasks_finish();
	if (!error && !unshare_pages(m.pair))
		error = cudaErrorMemoryAllocation;
	if (error)
		return error_note(error);
	memory_forget_registered(m.address);
	memory_forget_registered(m.pair);
	return cudaSuccess;
}
