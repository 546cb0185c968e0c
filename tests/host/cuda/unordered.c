/* Work of two streams that accesses the same bytes, and the host, with and without order between them: one case for
 * each call and kind of stream, which its argument names.  What `lockstep run --check races` must find of each is in
 * tests/host/test_run.py. */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

EMBED(unit, "conditional.fatbin");
LINKED(unit);

static const char set;

#define COUNT 64
#define BYTES (COUNT * sizeof(int))

static int *box, *pinned, *word;
static cudaStream_t one, two, free_one, free_two; /* the last two do not wait for the legacy stream */

static void put(cudaStream_t stream, int value)
{
	int n = COUNT;
	OK(LAUNCH(fill, 1, 32, stream, &box, &value, &n));
}

/* What the cases make, for the end. */
static cudaEvent_t events[4];
static int event_count;
static cudaGraph_t made;
static cudaGraphExec_t exec;

static cudaEvent_t record(cudaStream_t stream)
{
	cudaEvent_t *event = &events[event_count++];
	OK(cudaEventCreate(event));
	OK(cudaEventRecord(*event, stream));
	return *event;
}

/* ---- Two streams ---- */

static void streams(void)
{
	put(one, 1);
	put(two, 2);
}

static void streams_one(void)
{
	put(one, 1);
	put(one, 2);
}

static void streams_event(void)
{
	put(one, 1);
	OK(cudaStreamWaitEvent(two, record(one), 0));
	put(two, 2);
}

static void streams_event_early(void)
{
	cudaEvent_t event = record(one);
	put(one, 1);
	OK(cudaStreamWaitEvent(two, event, 0));
	put(two, 2);
}

static void streams_synchronize(void)
{
	put(one, 1);
	OK(cudaStreamSynchronize(one));
	put(two, 2);
}

static void streams_synchronize_other(void)
{
	put(one, 1);
	OK(cudaStreamSynchronize(two));
	put(two, 2);
}

static void streams_device(void)
{
	put(one, 1);
	OK(cudaDeviceSynchronize());
	put(two, 2);
}

static void streams_event_host(void)
{
	put(one, 1);
	OK(cudaEventSynchronize(record(one)));
	put(two, 2);
}

static void streams_query(void)
{
	put(one, 1);
	while (cudaStreamQuery(one) == cudaErrorNotReady)
		;
	put(two, 2);
}

/* Whose time the host asks for, both are over: each of the two alone is behind the work in the first stream. */
static void time_between(cudaEvent_t start, cudaEvent_t end)
{
	float milliseconds;
	while (cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorNotReady)
		;
	put(two, 2);
}

static void streams_time_start(void)
{
	put(one, 1);
	time_between(record(one), record(free_one));
}

static void streams_time_end(void)
{
	put(one, 1);
	cudaEvent_t end = record(one);
	time_between(record(free_one), end);
}

static void streams_event_query(void)
{
	put(one, 1);
	cudaEvent_t event = record(one);
	while (cudaEventQuery(event) == cudaErrorNotReady)
		;
	put(two, 2);
}

/* ---- Default streams ---- */

static void legacy_blocking(void)
{
	put(NULL, 1);
	put(one, 2);
	put(NULL, 3);
}

static void legacy_free(void)
{
	put(NULL, 1);
	put(free_one, 2);
}

static void free_legacy(void)
{
	put(free_one, 1);
	put(NULL, 2);
}

static void legacy_between(void)
{
	put(one, 1);
	OK(cudaMemsetAsync(word, 0, sizeof *word, NULL));
	put(two, 2);
}

static void legacy_between_free(void)
{
	put(free_one, 1);
	OK(cudaMemsetAsync(word, 0, sizeof *word, NULL));
	put(free_two, 2);
}

static void per_thread(void)
{
	put(cudaStreamPerThread, 1);
	put(one, 2);
}

static void per_thread_legacy(void)
{
	put(cudaStreamPerThread, 1);
	put(NULL, 2);
}

/* ---- Copies and fills ---- */

static void copy_of_blocking(void)
{
	int host[COUNT];
	put(one, 1);
	OK(cudaMemcpy(host, box, BYTES, cudaMemcpyDeviceToHost));
}

static void copy_of_free(void)
{
	int host[COUNT];
	put(free_one, 1);
	OK(cudaMemcpy(host, box, BYTES, cudaMemcpyDeviceToHost));
}

static void copy_asynchronous(void)
{
	put(one, 1);
	OK(cudaMemcpyAsync(pinned, box, BYTES, cudaMemcpyDeviceToHost, two));
}

static void copy_in_stream(void)
{
	put(one, 1);
	OK(cudaMemcpyAsync(pinned, box, BYTES, cudaMemcpyDeviceToHost, one));
	put(one, 2);
}

static void fill_free(void)
{
	OK(cudaMemset(box, 0, BYTES));
	put(free_one, 1);
}

static void fill_waited(void)
{
	OK(cudaMemset(box, 0, BYTES));
	OK(cudaDeviceSynchronize());
	put(free_one, 1);
}

static void pinned_changed(void)
{
	OK(cudaMemcpyAsync(box, pinned, BYTES, cudaMemcpyHostToDevice, one));
	pinned[9]++;
}

static void pinned_kept(void)
{
	OK(cudaMemcpyAsync(box, pinned, BYTES, cudaMemcpyHostToDevice, one));
	OK(cudaStreamSynchronize(one));
	pinned[9]++;
}

static void pageable_changed(void)
{
	int host[COUNT] = {0};
	OK(cudaMemcpyAsync(box, host, BYTES, cudaMemcpyHostToDevice, one));
	host[9]++;
}

static void write_pinned(void *data)
{
	(void)data;
	pinned[9]++;
}

/* A function of the host's, in order, may change it. */
static void pinned_in_order(void)
{
	OK(cudaLaunchHostFunc(one, write_pinned, NULL));
	OK(cudaMemcpyAsync(box, pinned, BYTES, cudaMemcpyHostToDevice, one));
}

/* ---- Variables ---- */

/* The kernel reads the second of four constants. */
static void read_constant(cudaStream_t stream)
{
	int n = COUNT;
	OK(LAUNCH(scales, 1, 32, stream, &box, &n));
}

static void set_constants(cudaStream_t stream, size_t first, size_t count)
{
	static const float values[4] = {1, 2, 3, 4};
	OK(cudaMemcpyToSymbolAsync(
		&scale, values, count * sizeof *values, first * sizeof *values, cudaMemcpyHostToDevice, stream));
}

/* What the host writes to memory that it shares while a kernel is enqueued. */
static void fill_pinned(int count)
{
	int value = 1;
	OK(LAUNCH(fill, 1, 32, one, &pinned, &value, &count));
}

static void host_writes(void)
{
	fill_pinned(COUNT);
	pinned[3] = 9;
}

static void host_writes_managed(void)
{
	int *managed, value = 1, n = COUNT;
	OK(cudaMallocManaged((void **)&managed, BYTES, cudaMemAttachGlobal));
	OK(LAUNCH(fill, 1, 32, one, &managed, &value, &n));
	managed[3] = 9;
	put(two, 2); /* now that is known */
	OK(cudaDeviceSynchronize());
	OK(cudaFree(managed));
}

static void host_writes_registered(void)
{
	static int own[1024] __attribute__((aligned(4096)));
	int *at, value = 1, n = COUNT;
	OK(cudaHostRegister(own, sizeof own, 0));
	OK(cudaHostGetDevicePointer((void **)&at, own, 0));
	OK(LAUNCH(fill, 1, 32, one, &at, &value, &n));
	own[COUNT - 1] = 9;
	OK(cudaHostUnregister(own));
}

static void host_writes_beside(void)
{
	fill_pinned(COUNT / 2);
	pinned[COUNT / 2] = 9;
}

static void host_writes_before(void)
{
	put(one, 1);
	pinned[3] = 9;
	fill_pinned(COUNT);
}

static void host_writes_waited(void)
{
	fill_pinned(COUNT);
	OK(cudaStreamSynchronize(one));
	pinned[3] = 9;
	fill_pinned(COUNT);
}

/* A word that the kernel polls, and what comes before it. */
static void host_raises(void)
{
	int *other = pinned + 1;
	OK(LAUNCH(meet, 1, 1, one, &pinned, &other));
	pinned[2] = 5;
	pinned[1] = 1;
}

static void constants_changed(void)
{
	read_constant(one);
	set_constants(two, 0, 4);
}

static void constants_before(void)
{
	set_constants(two, 0, 4);
	read_constant(one);
}

static void constants_in_stream(void)
{
	set_constants(one, 0, 4);
	read_constant(one);
	set_constants(one, 0, 4);
}

static void constants_others(void)
{
	read_constant(one);
	set_constants(two, 0, 1);
	set_constants(two, 2, 2);
}

static void constants_waited(void)
{
	read_constant(one);
	OK(cudaStreamSynchronize(one));
	set_constants(two, 0, 4);
}

/* cudaMemcpyToSymbol is in the legacy stream, which waits for the one and not for the other. */
static void constants_free(void)
{
	static const float values[4] = {1, 2, 3, 4};
	read_constant(free_one);
	OK(cudaMemcpyToSymbol(&scale, values, sizeof values, 0, cudaMemcpyHostToDevice));
}

static void constants_blocking(void)
{
	static const float values[4] = {1, 2, 3, 4};
	read_constant(one);
	OK(cudaMemcpyToSymbol(&scale, values, sizeof values, 0, cudaMemcpyHostToDevice));
}

static void variable_changed(void)
{
	static const int none = 0;
	int n = 1, value = 1, *variable;
	OK(cudaGetSymbolAddress((void **)&variable, &counter));
	OK(LAUNCH(fill, 1, 32, one, &variable, &value, &n));
	OK(cudaMemcpyToSymbolAsync(&counter, &none, sizeof none, 0, cudaMemcpyHostToDevice, two));
}

/* ---- What else orders ---- */

static volatile int called;

static void note(void *data)
{
	(void)data;
	called = 1;
}

static void callback(void)
{
	put(one, 1);
	OK(cudaLaunchHostFunc(one, note, NULL));
	while (!called && cudaStreamQuery(two) == cudaSuccess) /* which flushes */
		usleep(1000);
	put(two, 2);
}

/* The host learns from a running kernel that what was before it is over. */
static void talk(void)
{
	volatile int *flags = pinned;
	int *mine = pinned, *others = pinned + 1;
	put(one, 1);
	OK(LAUNCH(meet, 1, 1, one, &mine, &others));
	cudaStreamQuery(one); /* which flushes */
	while (!flags[0])
		usleep(1000);
	put(free_two, 2);
	flags[1] = 1;
}

/* The same by a managed variable. */
static void talk_variable(void)
{
	load_total();
	volatile int *flag = total;
	put(one, 1);
	OK(LAUNCH(meet, 1, 1, one, &total, &total));
	cudaStreamQuery(one); /* which flushes */
	while (!*flag)
		usleep(1000);
	put(free_two, 2);
}

static void words(void)
{
	CUdeviceptr at = (CUdeviceptr)(uintptr_t)word;
	put(one, 1);
	OK(cuStreamWriteValue32_v2((CUstream)one, at, 5, 0));
	OK(cuStreamWaitValue32_v2((CUstream)two, at, 5, 0));
	put(two, 2);
}

static void put_word(cudaStream_t stream)
{
	int n = 1, value = 5;
	OK(LAUNCH(fill, 1, 1, stream, &word, &value, &n));
}

static void word_beside(void)
{
	put_word(one);
	OK(cuStreamWriteValue32_v2((CUstream)two, (CUdeviceptr)(uintptr_t)word, 5, 0));
}

static void word_in_stream(void)
{
	put_word(one);
	OK(cuStreamWriteValue32_v2((CUstream)one, (CUdeviceptr)(uintptr_t)word, 5, 0));
}

static void word_after_wait(void)
{
	OK(cuStreamWaitValue32_v2((CUstream)two, (CUdeviceptr)(uintptr_t)word, 0, 1)); /* equal: it is */
	put(one, 1);
	OK(cudaStreamSynchronize(one));
	put_word(free_one);
}

static void free_in_stream(void)
{
	int *block, n = COUNT, value = 1;
	OK(cudaMallocAsync((void **)&block, BYTES, one));
	OK(LAUNCH(fill, 1, 32, one, &block, &value, &n));
	OK(cudaFreeAsync(block, one));
}

static void free_in_other(void)
{
	int *block, n = COUNT, value = 1;
	OK(cudaMallocAsync((void **)&block, BYTES, one));
	OK(LAUNCH(fill, 1, 32, one, &block, &value, &n));
	cudaStreamQuery(two); /* which flushes */
	sleep(1);
	OK(cudaFreeAsync(block, two));
}

static void free_waits(void)
{
	int *block, n = COUNT, value = 1;
	OK(cudaMalloc((void **)&block, BYTES));
	OK(LAUNCH(fill, 1, 32, one, &block, &value, &n));
	OK(cudaFree(block));
}

/* ---- Graphs ---- */

/* Two fills, one of which comes after the other or not. */
static void graph(bool ordered)
{
	OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	if (ordered)
		put(one, 1);
	OK(cudaStreamWaitEvent(two, record(one), 0));
	if (!ordered)
		put(one, 1);
	put(two, 2);
	OK(cudaStreamWaitEvent(one, record(two), 0));
	OK(cudaStreamEndCapture(one, &made));
	OK(cudaGraphInstantiate(&exec, made, 0));
	OK(cudaGraphLaunch(exec, one));
	OK(cudaGraphLaunch(exec, one));
}

static void graph_parallel(void)
{
	graph(false);
}

static void graph_in_order(void)
{
	graph(true);
}

static void graph_beside(void)
{
	graph(true);
	put(two, 3);
}

static void graph_before(void)
{
	graph(true);
	put(one, 3);
}

/* A launch of an instance comes after those before it, in whatever stream. */
static void graph_in_other(void)
{
	OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(box, 1, BYTES, one));
	OK(cudaStreamEndCapture(one, &made));
	OK(cudaGraphInstantiate(&exec, made, 0));
	OK(cudaGraphLaunch(exec, one));
	OK(cudaGraphLaunch(exec, two));
}

/* ---- Conditional nodes ---- */

/* A node that sets the condition; before it, or beside it, a WHILE that fills the box once. */
static void while_once(bool ordered)
{
	cudaGraphConditionalHandle condition;
	cudaGraphNode_t first, node;
	unsigned zero = 0;
	OK(cudaGraphCreate(&made, 0));
	OK(cudaGraphConditionalHandleCreate(&condition, made, 1, cudaGraphCondAssignDefault));
	struct cudaKernelNodeParams kernel = {.func = (void *)(uintptr_t)&set,
		.gridDim = {1, 1, 1},
		.blockDim = {1, 1, 1},
		.kernelParams = (void *[]){&condition, &zero}};
	struct cudaMemsetParams fill_box = {.dst = box, .elementSize = 4, .width = COUNT, .height = 1};
	struct cudaGraphNodeParams loop = {
		.type = cudaGraphNodeTypeConditional, .conditional = {condition, cudaGraphCondTypeWhile, 1, NULL}};
	OK(cudaGraphAddNode(&first, made, NULL, NULL, 0, &loop));
	OK(cudaGraphAddMemsetNode(&node, *loop.conditional.phGraph_out, NULL, 0, &fill_box));
	OK(cudaGraphAddKernelNode(&node, *loop.conditional.phGraph_out, &node, 1, &kernel));
	if (!ordered)
		OK(cudaGraphAddKernelNode(&node, made, NULL, 0, &kernel));
	OK(cudaGraphInstantiate(&exec, made, 0));
	OK(cudaGraphLaunch(exec, one));
}

static void body_before(void)
{
	put(one, 1);
	while_once(true);
	OK(cudaGraphLaunch(exec, two)); /* by what is before it, but for its stream */
	put(two, 1);
}

static void body_event(void)
{
	while_once(true);
	OK(cudaStreamWaitEvent(two, record(one), 0));
	put(two, 1);
}

static void body_waited(void)
{
	while_once(true);
	OK(cudaStreamSynchronize(one));
	put(two, 1);
}

static void body_beside(void)
{
	while_once(true);
	put(two, 1);
}

static void condition_beside(void)
{
	while_once(false);
}

#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	CASE(streams),
	CASE(streams_one),
	CASE(streams_event),
	CASE(streams_event_early),
	CASE(streams_synchronize),
	CASE(streams_synchronize_other),
	CASE(streams_device),
	CASE(streams_event_host),
	CASE(streams_query),
	CASE(streams_time_start),
	CASE(streams_time_end),
	CASE(streams_event_query),
	CASE(legacy_blocking),
	CASE(legacy_free),
	CASE(free_legacy),
	CASE(legacy_between),
	CASE(legacy_between_free),
	CASE(per_thread),
	CASE(per_thread_legacy),
	CASE(copy_of_blocking),
	CASE(copy_of_free),
	CASE(copy_asynchronous),
	CASE(copy_in_stream),
	CASE(fill_free),
	CASE(fill_waited),
	CASE(pinned_changed),
	CASE(pinned_kept),
	CASE(pageable_changed),
	CASE(pinned_in_order),
	CASE(host_writes),
	CASE(host_writes_managed),
	CASE(host_writes_registered),
	CASE(host_writes_beside),
	CASE(host_writes_before),
	CASE(host_writes_waited),
	CASE(host_raises),
	CASE(constants_changed),
	CASE(constants_before),
	CASE(constants_in_stream),
	CASE(constants_others),
	CASE(constants_waited),
	CASE(constants_free),
	CASE(constants_blocking),
	CASE(variable_changed),
	CASE(callback),
	CASE(talk),
	CASE(talk_variable),
	CASE(words),
	CASE(word_beside),
	CASE(word_in_stream),
	CASE(word_after_wait),
	CASE(free_in_stream),
	CASE(free_in_other),
	CASE(free_waits),
	CASE(graph_parallel),
	CASE(graph_in_order),
	CASE(graph_beside),
	CASE(graph_before),
	CASE(graph_in_other),
	CASE(body_before),
	CASE(body_event),
	CASE(body_waited),
	CASE(body_beside),
	CASE(condition_beside),
};

int main(int argument_count, char **arguments)
{
	void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&linked);
	__cudaRegisterFunction(module, &set, NULL, "set", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	OK(cudaMalloc((void **)&box, BYTES));
	OK(cudaMalloc((void **)&word, sizeof *word));
	OK(cudaMemset(word, 0, sizeof *word));
	OK(cudaMallocHost((void **)&pinned, BYTES));
	memset(pinned, 0, BYTES);
	OK(cudaStreamCreate(&one));
	OK(cudaStreamCreate(&two));
	OK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&free_two, cudaStreamNonBlocking));
	OK(cudaDeviceSynchronize());
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		if (argument_count < 2)
			puts(cases[k].name);
		else if (!strcmp(cases[k].name, arguments[1]))
			cases[k].run();
	}
	OK(cudaDeviceSynchronize());
	while (event_count)
		OK(cudaEventDestroy(events[--event_count]));
	if (made) {
		OK(cudaGraphExecDestroy(exec));
		OK(cudaGraphDestroy(made));
	}
	OK(cudaStreamDestroy(one));
	OK(cudaStreamDestroy(two));
	OK(cudaStreamDestroy(free_one));
	OK(cudaStreamDestroy(free_two));
	OK(cudaFree(box));
	OK(cudaFree(word));
	OK(cudaFreeHost(pinned));
	puts("passed");
	return 0;
}
