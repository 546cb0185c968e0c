/* The driver's interface: words of memory that streams write and wait for, and so synchronise with kernels, the host
 * and each other.
 *
 * A stream that waits is asked again whenever something is over, and every millisecond when nothing runs; kernels that
 * run are not interrupted for it, so what a kernel writes is seen when a kernel has ended. */
#include "host/cuda/driver_parts.h"

#include "host/cuda/graph.h"

#include <string.h>

struct word {
	uint64_t address;
	uint8_t *at;
	uint64_t value;
	uint32_t bytes; /* 4, 8 */
	uint32_t compare;
};

enum { COMPARE_GEQ, COMPARE_EQ, COMPARE_AND, COMPARE_NOR, WAIT_FLUSH = 1 << 30 }; /* CU_STREAM_WAIT_VALUE_... */
enum { WRITE_WITHOUT_BARRIER = 1 };

static uint64_t load(const struct word *w)
{
	return w->bytes == 4 ? __atomic_load_n((uint32_t *)(void *)w->at, __ATOMIC_ACQUIRE)
			     : __atomic_load_n((uint64_t *)(void *)w->at, __ATOMIC_ACQUIRE);
}

/* "Greater or equal" goes around: the difference, as a signed number, is not negative. */
static bool is_reached(const struct command *command)
{
	const struct word *w = (const struct word *)task_of(command)->work;
	uint64_t mask = w->bytes == 4 ? UINT32_MAX : UINT64_MAX, now = load(w), difference = (now - w->value) & mask;
	switch (w->compare) {
	case COMPARE_GEQ: return !(difference >> (8 * w->bytes - 1));
	case COMPARE_EQ: return now == w->value;
	case COMPARE_AND: return now & w->value;
	default: return ~(now | w->value) & mask;
	}
}

static int32_t run_wait(struct command *command, uint64_t *nanoseconds)
{
	const struct word *w = (const struct word *)task_of(command)->work;
	(void)nanoseconds;
	host_race_word(command, w->bytes == 4 ? "cuStreamWaitValue32" : "cuStreamWaitValue64", w->at, w->bytes, false);
	return COMMAND_COMPLETE;
}

static int32_t run_write(struct command *command, uint64_t *nanoseconds)
{
	const struct word *w = (const struct word *)task_of(command)->work;
	host_race_word(command, w->bytes == 4 ? "cuStreamWriteValue32" : "cuStreamWriteValue64", w->at, w->bytes, true);
	*nanoseconds = device_copy_time(0);
	if (w->bytes == 4)
		__atomic_store_n((uint32_t *)(void *)w->at, (uint32_t)w->value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)(void *)w->at, w->value, __ATOMIC_RELEASE);
	device_wrote(w->at, w->bytes);
	return 0;
}

static const struct work_kind wait_kind = {
	.bytes = sizeof(struct word), .engine = ENGINE_NONE, .run = run_wait, .may_begin = is_reached};

static void write_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct word *w = work;
	(void)arena;
	queued->what = "cuStreamWriteValue";
	queued->address = w->address;
	queued->bytes = w->bytes;
	queued->contents = &w->value;
}

static const struct work_kind write_kind = {
	.bytes = sizeof(struct word), .engine = ENGINE_COPY, .run = run_write, .queued = write_queued};

static cudaError_t submit(CUstream handle, const struct work_kind *kind, CUdeviceptr address, uint64_t value,
	uint32_t bytes, uint32_t compare)
{
	struct cuda_stream *stream;
	struct memory m;
	cudaError_t error = stream_find(handle, &stream);
	if (!error && (address % bytes || !memory_find(address, &m) || m.bytes - (address - m.address) < bytes))
		error = cudaErrorInvalidValue;
	if (!error && stream->capture)
		error = capture_refuse(stream);
	if (error)
		return error;
	struct word word = {address, m.contents + (address - m.address), value, bytes, compare};
	return work_submit(stream, kind, &word, false);
}

cudaError_t word_wait(CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes, unsigned int flags)
{
	if (flags > COMPARE_NOR)
		return flags & WAIT_FLUSH ? cudaErrorNotSupported : cudaErrorInvalidValue;
	return submit(stream, &wait_kind, address, value, bytes, flags);
}

cudaError_t word_write(CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes, unsigned int flags)
{
	if (flags & ~(unsigned int)WRITE_WITHOUT_BARRIER)
		return cudaErrorInvalidValue;
	return submit(stream, &write_kind, address, value, bytes, 0);
}

/* CU_STREAM_MEM_OP_... */
enum { OP_WAIT_32 = 1, OP_WRITE_32 = 2, OP_FLUSH = 3, OP_WAIT_64 = 4, OP_WRITE_64 = 5, OP_BARRIER = 6 };

static CUresult batch_one(CUstream stream, const CUstreamBatchMemOpParams *p)
{
	const struct CUstreamMemOpWord *w = &p->word;
	switch (p->operation) {
	case OP_WAIT_32: return cuStreamWaitValue32_v2(stream, w->address, (uint32_t)w->value, w->flags);
	case OP_WAIT_64: return cuStreamWaitValue64_v2(stream, w->address, w->value, w->flags);
	case OP_WRITE_32: return cuStreamWriteValue32_v2(stream, w->address, (uint32_t)w->value, w->flags);
	case OP_WRITE_64: return cuStreamWriteValue64_v2(stream, w->address, w->value, w->flags);
	case OP_BARRIER: return CUDA_SUCCESS; /* a stream's writes are seen in order anyway */
	default: return p->operation == OP_FLUSH ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuStreamBatchMemOp_v2(
	CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags)
{
	CUresult why = flags || count > 256 || (count && !operations) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	for (unsigned int k = 0; !why && k < count; k++)
		why = batch_one(stream, &operations[k]);
	return why;
}

/* The same under other names: the first one's, and those for a default stream of the thread. */
#define SAME(name, in)                                                                                                 \
	CUresult name(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags)   \
	{                                                                                                              \
		return cuStreamBatchMemOp_v2(in, count, operations, flags);                                            \
	}
SAME(cuStreamBatchMemOp, stream)
SAME(cuStreamBatchMemOp_ptsz, own_or(stream))
SAME(cuStreamBatchMemOp_v2_ptsz, own_or(stream))
