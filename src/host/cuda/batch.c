/* Calls for several pieces of memory at once: copies, prefetches, contents that are not needed any more. */
#include "host/cuda/objects.h"

cudaError_t copy_batch(void *const *to, void *const *from, const size_t *bytes, size_t count, cudaStream_t stream)
{
	cudaError_t error = error_unless(to && from && bytes && count && stream);
	for (size_t k = 0; !error && k < count; k++)
		error = cudaMemcpyAsync(to[k], from[k], bytes[k], cudaMemcpyDefault, stream);
	return error_note(error);
}

/* Location k is that of the pieces from firsts[k] on. */
cudaError_t prefetch_batch(void *const *pointers, const size_t *bytes, size_t count,
	const struct cudaMemLocation *locations, const size_t *firsts, size_t location_count, cudaStream_t stream)
{
	cudaError_t error = error_unless(pointers && bytes && count && locations && firsts && location_count &&
					 location_count <= count && !firsts[0]);
	for (size_t k = 0, at = 0; !error && k < count; k++) {
		if (at + 1 < location_count && firsts[at + 1] == k)
			at++;
		error = memory_prefetch(pointers[k], bytes[k], locations[at], stream);
	}
	return error_note(error);
}

/* What is discarded may keep its contents. */
cudaError_t discard_batch(void *const *pointers, const size_t *bytes, size_t count, cudaStream_t stream)
{
	struct cuda_stream *known;
	struct memory m;
	cudaError_t error = stream_find(stream, &known);
	if (!error && (!pointers || !bytes || !count))
		error = cudaErrorInvalidValue;
	for (size_t k = 0; !error && k < count; k++)
		if (!memory_find((uint64_t)(uintptr_t)pointers[k], &m) || m.type != cudaMemoryTypeManaged)
			error = cudaErrorInvalidValue;
	return error_note(error);
}
