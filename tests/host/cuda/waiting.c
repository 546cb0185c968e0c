/* What waits for what: each call that waits, and each that must not.  CUDA Runtime API 13.0: "Stream Management",
 * "Event Management", "API synchronization behavior"; programming guide, default stream.  A stream stays behind a gate,
 * a word of memory, until that is opened, so no check depends on how fast anything is. */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdatomic.h>
#include <unistd.h>

static CUdeviceptr gate;
static cudaStream_t opener;
static atomic_int reached;

static void set_gate(uint32_t value)
{
	OK(cuStreamWriteValue32_v2((CUstream)opener, gate, value, 0));
	OK(cudaStreamSynchronize(opener));
}

static void close_gate(void)
{
	set_gate(0);
	atomic_store(&reached, 0);
}

static void count(void *data)
{
	(void)data;
	atomic_fetch_add(&reached, 1);
}

static void wait_at_gate(cudaStream_t stream)
{
	OK(cuStreamWaitValue32_v2((CUstream)stream, gate, 1, 1)); /* is equal */
	OK(cudaLaunchHostFunc(stream, count, NULL));
}

/* Takes a while: a call that does not wait for it sees reached too early. */
static void be_slow(void *data)
{
	(void)data;
	usleep(50000);
	atomic_fetch_add(&reached, 1);
}

static cudaStream_t stream_with(unsigned int flags)
{
	cudaStream_t stream;

	OK(cudaStreamCreateWithFlags(&stream, flags));
	return stream;
}

/* The legacy stream's end comes after what is in blocking streams, and not after what is in others. */
static void check_legacy_stream(void)
{
	cudaStream_t blocking = stream_with(0), other = stream_with(cudaStreamNonBlocking);

	for (int k = 0; k < 2; k++) {
		close_gate();
		OK(cudaLaunchHostFunc(blocking, be_slow, NULL));
		OK(cudaStreamSynchronize(k ? cudaStreamLegacy : NULL));
		CHECK(atomic_load(&reached) == 1);
	}
	close_gate();
	OK(cudaLaunchHostFunc(blocking, be_slow, NULL));
	int word, *device;
	OK(cudaMalloc((void **)&device, sizeof word));
	OK(cudaMemcpy(&word, device, sizeof word, cudaMemcpyDeviceToHost)); /* in the legacy stream */
	CHECK(atomic_load(&reached) == 1);
	OK(cudaFree(device));

	close_gate();
	wait_at_gate(other);
	OK(cudaStreamSynchronize(NULL)); /* else for ever */
	OK(cudaStreamSynchronize(blocking));
	CHECK(atomic_load(&reached) == 0);
	GIVES(cudaErrorNotReady, cudaStreamQuery(other));
	OK(cudaStreamQuery(blocking));
	set_gate(1);
	OK(cudaStreamSynchronize(other));
	CHECK(atomic_load(&reached) == 1);
	OK(cudaStreamQuery(other));

	close_gate();
	OK(cudaLaunchHostFunc(other, be_slow, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(atomic_load(&reached) == 1);
	OK(cudaStreamDestroy(blocking));
	OK(cudaStreamDestroy(other));
}

/* A blocking stream's work comes after the legacy stream's; another's does not. */
static void check_behind_legacy(void)
{
	cudaStream_t blocking = stream_with(0), other = stream_with(cudaStreamNonBlocking);
	cudaEvent_t event, aside;

	OK(cudaEventCreate(&event));
	OK(cudaEventCreate(&aside));
	close_gate();
	wait_at_gate(NULL);
	OK(cudaEventRecord(event, blocking));
	OK(cudaEventRecord(aside, other));
	GIVES(cudaErrorNotReady, cudaEventQuery(event));
	set_gate(1);
	OK(cudaEventSynchronize(event));
	CHECK(atomic_load(&reached) == 1);
	OK(cudaEventSynchronize(aside));
	OK(cudaEventDestroy(event));
	OK(cudaEventDestroy(aside));
	OK(cudaStreamDestroy(blocking));
	OK(cudaStreamDestroy(other));
}

static void check_events(void)
{
	cudaStream_t stream = stream_with(cudaStreamNonBlocking), second = stream_with(cudaStreamNonBlocking);
	cudaEvent_t before, after, never, untimed;
	float milliseconds = -1;

	OK(cudaEventCreate(&before));
	OK(cudaEventCreate(&after));
	OK(cudaEventCreate(&never));
	OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming | cudaEventBlockingSync));
	GIVES(cudaErrorInvalidValue, cudaEventCreateWithFlags(&never, 16));
	GIVES(cudaErrorInvalidValue, cudaEventCreate(NULL));
	close_gate();
	OK(cudaEventRecord(before, stream));
	wait_at_gate(stream);
	OK(cudaEventRecord(after, stream));
	OK(cudaStreamWaitEvent(second, after, 0));
	OK(cudaLaunchHostFunc(second, be_slow, NULL));
	OK(cudaEventSynchronize(before));
	GIVES(cudaErrorNotReady, cudaEventQuery(after));
	GIVES(cudaErrorNotReady, cudaEventElapsedTime(&milliseconds, before, after));
	GIVES(cudaErrorNotReady, cudaEventElapsedTime(&milliseconds, after, before));
	GIVES(cudaErrorNotReady, cudaStreamQuery(second));
	CHECK(milliseconds == -1 && atomic_load(&reached) == 0);
	set_gate(1);
	OK(cudaEventSynchronize(after));
	CHECK(atomic_load(&reached) >= 1);
	OK(cudaStreamSynchronize(second));
	CHECK(atomic_load(&reached) == 2);
	OK(cudaEventQuery(after));
	OK(cudaEventElapsedTime(&milliseconds, before, after));
	CHECK(milliseconds >= 0);
	OK(cudaEventQuery(never)); /* never recorded: it is over */
	OK(cudaEventSynchronize(never));
	OK(cudaStreamWaitEvent(stream, never, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, before, never));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, never, after));
	OK(cudaEventRecord(untimed, stream));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, untimed, after));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, before, untimed));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, NULL, after));
	GIVES(cudaErrorInvalidValue, cudaEventElapsedTime(NULL, before, after));
	GIVES(cudaErrorInvalidValue, cudaEventRecordWithFlags(before, stream, 8));
	GIVES(cudaErrorInvalidValue, cudaStreamWaitEvent(stream, before, 8));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(NULL, stream));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventQuery(NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventSynchronize(NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(stream, NULL, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventDestroy(NULL));
	cudaEvent_t all[] = {before, after, never, untimed};
	for (int k = 0; k < 4; k++)
		OK(cudaEventDestroy(all[k]));
	OK(cudaStreamDestroy(stream));
	OK(cudaStreamDestroy(second));
}

/* An event is what it was when the wait was enqueued; the stream of a wait may go before it is over. */
static void check_event_again(void)
{
	cudaStream_t stream = stream_with(cudaStreamNonBlocking), second = stream_with(cudaStreamNonBlocking);
	cudaEvent_t event;

	OK(cudaEventCreate(&event));
	close_gate();
	OK(cudaEventRecord(event, stream));
	OK(cudaStreamWaitEvent(second, event, 0));
	wait_at_gate(stream);
	OK(cudaEventRecord(event, stream)); /* later: none of the second stream's business */
	OK(cudaStreamSynchronize(second));
	CHECK(atomic_load(&reached) == 0);
	OK(cudaStreamWaitEvent(second, event, 0));
	OK(cudaLaunchHostFunc(second, be_slow, NULL));
	OK(cudaEventDestroy(event));
	OK(cudaStreamDestroy(second)); /* what is in it will be done */
	set_gate(1);
	OK(cudaDeviceSynchronize());
	CHECK(atomic_load(&reached) == 2);
	OK(cudaStreamDestroy(stream));
}

/* ---- Functions of the host ---- */

static cudaStream_t called_of;

static void note(cudaStream_t stream, cudaError_t status, void *data)
{
	CHECK(status == cudaSuccess && data == &called_of);
	called_of = stream;
	/* No call of the interface that waits, or touches the GPU, is allowed here (cudaStreamAddCallback). */
	GIVES(cudaErrorNotPermitted, cudaStreamSynchronize(NULL));
	atomic_fetch_add(&reached, 1);
}

static void check_callbacks(void)
{
	cudaStream_t stream = stream_with(0);

	close_gate();
	OK(cudaStreamAddCallback(stream, note, &called_of, 0));
	OK(cudaStreamSynchronize(stream));
	CHECK(atomic_load(&reached) == 1 && called_of == stream);
	GIVES(cudaErrorInvalidValue, cudaStreamAddCallback(stream, note, &called_of, 1));
	GIVES(cudaErrorInvalidValue, cudaStreamAddCallback(stream, NULL, NULL, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, NULL, NULL));
	GIVES(cudaErrorInvalidResourceHandle, cudaLaunchHostFunc((cudaStream_t)&stream, be_slow, NULL));
	OK(cudaStreamDestroy(stream));
	GIVES(cudaErrorInvalidResourceHandle, cudaLaunchHostFunc(stream, be_slow, NULL));
}

/* ---- What streams say of themselves ---- */

enum { WINDOW = 1, SYNCHRONIZATION = 3, PRIORITY = 8 }; /* cudaStreamAttrID */

static void check_properties(cudaStream_t a, cudaStream_t b)
{
	unsigned int flags = 9;
	unsigned long long ids[4];
	int value = 9, least = 9, greatest = 9;

	OK(cudaStreamGetFlags(a, &flags));
	CHECK(flags == 0);
	OK(cudaStreamGetFlags(b, &flags));
	CHECK(flags == cudaStreamNonBlocking);
	OK(cudaStreamGetFlags(NULL, &flags));
	CHECK(flags == 0);
	OK(cudaStreamGetPriority(a, &value));
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(value == 0 && least == 0 && greatest == 0);
	OK(cudaDeviceGetStreamPriorityRange(NULL, NULL));
	OK(cudaStreamGetDevice(b, &value));
	CHECK(value == 0);
	OK(cudaStreamGetId(a, &ids[0]));
	OK(cudaStreamGetId(b, &ids[1]));
	OK(cudaStreamGetId(NULL, &ids[2]));
	OK(cudaStreamGetId(cudaStreamLegacy, &ids[3]));
	CHECK(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2] && ids[2] == ids[3]);
}

static void check_attributes(cudaStream_t a, cudaStream_t b)
{
	char attribute[64], other[64];

	memset(attribute, 0, sizeof attribute);
	*(int *)(void *)attribute = 2;
	OK(cudaStreamSetAttribute(a, SYNCHRONIZATION, attribute));
	memset(other, 7, sizeof other);
	OK(cudaStreamGetAttribute(a, SYNCHRONIZATION, other));
	CHECK(!memcmp(attribute, other, sizeof other));
	OK(cudaStreamGetAttribute(b, SYNCHRONIZATION, other));
	CHECK(other[0] == 0);
	memset(attribute, 5, sizeof attribute);
	OK(cudaStreamSetAttribute(a, WINDOW, attribute));
	*(int *)(void *)attribute = -3;
	OK(cudaStreamSetAttribute(a, PRIORITY, attribute));
	OK(cudaStreamCopyAttributes(b, a));
	OK(cudaStreamGetAttribute(b, SYNCHRONIZATION, other));
	CHECK(other[0] == 2);
	OK(cudaStreamGetAttribute(b, WINDOW, other));
	CHECK(other[0] == 5 && other[20] == 5);
	OK(cudaStreamGetAttribute(a, PRIORITY, other));
	CHECK(*(int *)(void *)other == -3);
	GIVES(cudaErrorInvalidValue, cudaStreamSetAttribute(a, 77, attribute));
	GIVES(cudaErrorInvalidValue, cudaStreamSetAttribute(a, WINDOW, NULL));
	GIVES(cudaErrorInvalidValue, cudaStreamGetAttribute(a, 77, attribute));
	GIVES(cudaErrorInvalidValue, cudaStreamGetAttribute(a, WINDOW, NULL));
}

static void check_mistakes(cudaStream_t a)
{
	cudaStream_t none = (cudaStream_t)&a;
	unsigned int flags;
	unsigned long long id;
	int value;
	char attribute[64] = {0};
	const struct {
		cudaError_t code, got;
	} calls[] = {
		{cudaErrorInvalidValue, cudaStreamCreate(NULL)},
		{cudaErrorInvalidValue, cudaStreamCreateWithFlags(&none, 4)},
		{cudaErrorInvalidValue, cudaStreamGetFlags(a, NULL)},
		{cudaErrorInvalidValue, cudaStreamGetPriority(a, NULL)},
		{cudaErrorInvalidValue, cudaStreamGetDevice(a, NULL)},
		{cudaErrorInvalidValue, cudaStreamGetId(a, NULL)},
		{cudaErrorInvalidResourceHandle, cudaStreamGetFlags(none, &flags)},
		{cudaErrorInvalidResourceHandle, cudaStreamGetPriority(none, &value)},
		{cudaErrorInvalidResourceHandle, cudaStreamGetDevice(none, &value)},
		{cudaErrorInvalidResourceHandle, cudaStreamGetId(none, &id)},
		{cudaErrorInvalidResourceHandle, cudaStreamQuery(none)},
		{cudaErrorInvalidResourceHandle, cudaStreamSynchronize(none)},
		{cudaErrorInvalidResourceHandle, cudaStreamDestroy(none)},
		{cudaErrorInvalidResourceHandle, cudaStreamDestroy(NULL)},
		{cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamLegacy)},
		{cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamPerThread)},
		{cudaErrorInvalidResourceHandle, cudaStreamSetAttribute(none, WINDOW, attribute)},
		{cudaErrorInvalidResourceHandle, cudaStreamGetAttribute(none, WINDOW, attribute)},
		{cudaErrorInvalidResourceHandle, cudaStreamCopyAttributes(none, a)},
		{cudaErrorInvalidResourceHandle, cudaStreamCopyAttributes(a, none)},
	};
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
		check_entry = (int)k;
		GIVES(calls[k].code, calls[k].got);
	}
	GIVES(cudaErrorInvalidResourceHandle, cudaGetLastError());
	OK(cudaGetLastError());
}

static void check_streams(void)
{
	cudaStream_t a = stream_with(0), b = stream_with(cudaStreamNonBlocking);

	check_properties(a, b);
	check_attributes(a, b);
	check_mistakes(a);
	/* In any order: each leaves the list of streams as it is for the others. */
	cudaStream_t c = stream_with(0);
	OK(cudaStreamDestroy(b));
	OK(cudaStreamSynchronize(a));
	OK(cudaStreamSynchronize(c));
	OK(cudaStreamDestroy(c));
	OK(cudaStreamSynchronize(a));
	OK(cudaStreamDestroy(a));
}

int main(void)
{
	int *word;

	OK(cudaMalloc((void **)&word, sizeof *word));
	gate = (CUdeviceptr)(uintptr_t)word;
	opener = stream_with(cudaStreamNonBlocking);
	check_legacy_stream();
	check_behind_legacy();
	check_events();
	check_event_again();
	check_callbacks();
	check_streams();
	OK(cudaStreamDestroy(opener));
	OK(cudaFree(word));
	return 0;
}
