/* Carries out scripts of calls, of which tests/host/orders.py knows which accesses nothing orders.  A line is a call:
 *
 *     kernels COUNT                            makes k0, k1, ...: the first line
 *     k STREAM NUMBER READ COUNT STEP WRITE COUNT STEP      launches one: bytes from which it loads, and stores, words
 *     c CALL STREAM KIND TO PITCH SLICE FROM PITCH SLICE WIDTH HEIGHT DEPTH     copies
 *     f CALL STREAM TO PITCH SLICE WIDTH HEIGHT DEPTH                           fills
 *     r EVENT STREAM | w STREAM EVENT          records; lets a stream wait
 *     s STREAM | e EVENT | t EVENT EVENT | d   the host waits: for a stream, an event, the time between two, the device
 *     q STREAM | p EVENT                       the host asks until all is over
 *     h STREAM                                 a function of the host
 *     x STREAM                                 destroys the stream, and makes another
 *     z                                        lets time go by in which most is carried out, which the host does not
 * know b STREAM | n STREAM | g STREAM           begins to capture, and ends; launches what was captured . the end of a
 * script; # ...: nothing
 *
 * Streams: 0 legacy, 1 and 2 blocking, 3 and 4 not, 5 the thread's own.  Offsets are in bytes of the one allocation
 * that all share, or with the kinds that have a host's side in pinned memory. */
#include "kernels.h"

#include "host/cuda/driver.h"

#define BYTES 4096
#define STREAMS 6
#define EVENTS 4

static char *device, *pinned;
static cudaStream_t streams[STREAMS], idle;
static cudaEvent_t events[EVENTS];
static CUmodule module;
static CUfunction *kernels;
static cudaGraph_t graph;
static cudaGraphExec_t exec;

/* ---- Kernels ---- */

/* Each thread loads a word and stores one, as far as there are so many; no two store the same. */
#define KERNEL_BYTES 1024 /* of text, or fewer */

/* In one module: findings tell kernels without debug information apart by their lines. */
static void make_kernels(int count)
{
	size_t bytes = (size_t)(count + 1) * KERNEL_BYTES, at;
	char *ptx = malloc(bytes);
	kernels = malloc((size_t)count * sizeof *kernels);
	CHECK(ptx && kernels);
	at = (size_t)snprintf(ptx, bytes, ".version 6.0\n.target sm_35\n.address_size 64\n");
	for (int k = 0; k < count; k++)
		at += (size_t)snprintf(ptx + at, bytes - at,
			".visible .entry k%d(.param .u64 from, .param .u32 reads, .param .u32 read_step,\n"
			"\t.param .u64 to, .param .u32 writes, .param .u32 write_step)\n{\n\t.reg .pred %%p;\n"
			"\t.reg .b32 %%r<4>;\n\t.reg .b64 %%d<3>;\n\tmov.u32 %%r0, %%tid.x;\n"
			"\tld.param.u32 %%r1, [reads];\n\tsetp.lt.u32 %%p, %%r0, %%r1;\n"
			"\tld.param.u32 %%r2, [read_step];\n\tmul.wide.u32 %%d0, %%r0, %%r2;\n"
			"\tld.param.u64 %%d1, [from];\n\tadd.u64 %%d1, %%d1, %%d0;\n"
			"\t@%%p ld.global.u32 %%r3, [%%d1];\n"
			"\tld.param.u32 %%r1, [writes];\n\tsetp.lt.u32 %%p, %%r0, %%r1;\n"
			"\tld.param.u32 %%r2, [write_step];\n\tmul.wide.u32 %%d0, %%r0, %%r2;\n"
			"\tld.param.u64 %%d1, [to];\n\tadd.u64 %%d1, %%d1, %%d0;\n"
			"\tadd.u32 %%r3, %%r0, %d;\n\t@%%p st.global.u32 [%%d1], %%r3;\n\tret;\n}\n",
			k, 100 * k);
	OK(cuModuleLoadData(&module, ptx));
	for (int k = 0; k < count; k++) {
		char name[32];
		snprintf(name, sizeof name, "k%d", k);
		OK(cuModuleGetFunction(&kernels[k], module, name));
	}
	free(ptx);
}

static void launch(cudaStream_t stream, const int *a)
{
	char *from = device + a[2], *to = device + a[5];
	int reads = a[3], read_step = a[4], writes = a[6], write_step = a[7];
	void *arguments[] = {&from, &reads, &read_step, &to, &writes, &write_step};
	OK(cuLaunchKernel(kernels[a[1]], 1, 1, 1, 8, 1, 1, 0, (CUstream)stream, arguments, NULL));
}

/* ---- Copies and fills ---- */

struct part {
	char *at;
	size_t pitch, slice;
};

static struct part part_of(char *base, const int *a)
{
	return (struct part){base + a[0], (size_t)a[1], (size_t)a[2]};
}

static struct cudaPitchedPtr pitched(const struct part *p)
{
	return (struct cudaPitchedPtr){p->at, p->pitch, p->pitch, p->slice / p->pitch};
}

static void copy_box(const char *call, const int *a)
{
	enum cudaMemcpyKind kind = (enum cudaMemcpyKind)a[1];
	cudaStream_t stream = streams[a[0]];
	struct part to = part_of(kind == cudaMemcpyDeviceToHost ? pinned : device, a + 2),
		    from = part_of(kind == cudaMemcpyHostToDevice ? pinned : device, a + 5);
	size_t width = (size_t)a[8], height = (size_t)a[9];
	struct cudaMemcpy3DParms box = {.srcPtr = pitched(&from),
		.dstPtr = pitched(&to),
		.extent = {width, height, (size_t)a[10]},
		.kind = kind};
	if (!strcmp(call, "cudaMemcpy"))
		OK(cudaMemcpy(to.at, from.at, width, kind));
	else if (!strcmp(call, "cudaMemcpyAsync"))
		OK(cudaMemcpyAsync(to.at, from.at, width, kind, stream));
	else if (!strcmp(call, "cudaMemcpy2D"))
		OK(cudaMemcpy2D(to.at, to.pitch, from.at, from.pitch, width, height, kind));
	else if (!strcmp(call, "cudaMemcpy2DAsync"))
		OK(cudaMemcpy2DAsync(to.at, to.pitch, from.at, from.pitch, width, height, kind, stream));
	else if (!strcmp(call, "cudaMemcpyPeerAsync"))
		OK(cudaMemcpyPeerAsync(to.at, 0, from.at, 0, width, stream));
	else if (!strcmp(call, "cudaMemcpy3D"))
		OK(cudaMemcpy3D(&box));
	else
		OK(cudaMemcpy3DAsync(&box, stream));
}

static void fill_box(const char *call, const int *a)
{
	cudaStream_t stream = streams[a[0]];
	struct part to = part_of(device, a + 1);
	size_t width = (size_t)a[4], height = (size_t)a[5];
	if (!strcmp(call, "cudaMemset"))
		OK(cudaMemset(to.at, 1, width));
	else if (!strcmp(call, "cudaMemsetAsync"))
		OK(cudaMemsetAsync(to.at, 2, width, stream));
	else if (!strcmp(call, "cudaMemset2D"))
		OK(cudaMemset2D(to.at, to.pitch, 3, width, height));
	else if (!strcmp(call, "cudaMemset2DAsync"))
		OK(cudaMemset2DAsync(to.at, to.pitch, 4, width, height, stream));
	else
		OK(cudaMemset3DAsync(pitched(&to), 5, (struct cudaExtent){width, height, (size_t)a[6]}, stream));
}

/* ---- What orders ---- */

static void nothing(void *data)
{
	(void)data;
}

static void make_stream(int k)
{
	OK(cudaStreamCreateWithFlags(&streams[k], k < 3 ? 0 : cudaStreamNonBlocking));
}

static void make_events(void)
{
	for (int k = 0; k < EVENTS; k++)
		OK(cudaEventCreate(&events[k]));
}

static void drop_events(void)
{
	for (int k = 0; k < EVENTS; k++)
		OK(cudaEventDestroy(events[k]));
}

static void drop_graph(void)
{
	if (!graph)
		return;
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	graph = NULL;
}

static void end(void)
{
	OK(cudaDeviceSynchronize());
	drop_graph();
	drop_events();
	make_events();
}

static void order(char what, const int *a)
{
	float milliseconds;
	switch (what) {
	case 'r': OK(cudaEventRecord(events[a[0]], streams[a[1]])); break;
	case 'w': OK(cudaStreamWaitEvent(streams[a[0]], events[a[1]], 0)); break;
	case 's': OK(cudaStreamSynchronize(streams[a[0]])); break;
	case 'e': OK(cudaEventSynchronize(events[a[0]])); break;
	case 't':
		while (cudaEventElapsedTime(&milliseconds, events[a[0]], events[a[1]]) == cudaErrorNotReady)
			cudaStreamQuery(idle); /* which flushes */
		break;
	case 'd': OK(cudaDeviceSynchronize()); break;
	case 'q':
		while (cudaStreamQuery(streams[a[0]]) == cudaErrorNotReady)
			;
		break;
	case 'p':
		while (cudaEventQuery(events[a[0]]) == cudaErrorNotReady)
			;
		break;
	case 'h': OK(cudaLaunchHostFunc(streams[a[0]], nothing, NULL)); break;
	case 'z':
		launch(idle, (int[8]){0});
		OK(cudaStreamSynchronize(idle));
		break;
	case 'x':
		OK(cudaStreamDestroy(streams[a[0]]));
		make_stream(a[0]);
		break;
	case 'b': OK(cudaStreamBeginCapture(streams[a[0]], cudaStreamCaptureModeGlobal)); break;
	case 'n':
		OK(cudaStreamEndCapture(streams[a[0]], &graph));
		OK(cudaGraphInstantiate(&exec, graph, 0));
		break;
	case 'g': OK(cudaGraphLaunch(exec, streams[a[0]])); break;
	default: end();
	}
}

/* ---- Scripts ---- */

#define MOST_NUMBERS 11

static void carry_out(char *line)
{
	char *words[2 + MOST_NUMBERS], *rest = line, *word;
	int count = 0, numbers[MOST_NUMBERS] = {0};
	while (count < 2 + MOST_NUMBERS && (word = strtok_r(rest, " \n", &rest)))
		words[count++] = word;
	if (!count || *words[0] == '#')
		return;
	int first = !strcmp(words[0], "c") || !strcmp(words[0], "f") ? 2 : 1; /* the call comes before */
	for (int k = first; k < count; k++)
		numbers[k - first] = (int)strtol(words[k], NULL, 10);
	if (!strcmp(words[0], "kernels"))
		make_kernels(numbers[0]);
	else if (*words[0] == 'k')
		launch(streams[numbers[0]], numbers);
	else if (*words[0] == 'c')
		copy_box(words[1], numbers);
	else if (*words[0] == 'f')
		fill_box(words[1], numbers);
	else
		order(*words[0], numbers);
}

int main(int argument_count, char **arguments)
{
	char line[256];
	FILE *script = argument_count > 1 ? fopen(arguments[1], "r") : NULL;
	OK(cudaMalloc((void **)&device, BYTES));
	OK(cudaMallocHost((void **)&pinned, BYTES));
	for (int k = 1; k < STREAMS - 1; k++)
		make_stream(k);
	streams[STREAMS - 1] = cudaStreamPerThread;
	OK(cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking));
	make_events();
	while (script && fgets(line, sizeof line, script)) {
		check_entry++; /* the line, for messages */
		carry_out(line);
	}
	if (script)
		fclose(script);
	drop_events();
	for (int k = 1; k < STREAMS - 1; k++)
		OK(cudaStreamDestroy(streams[k]));
	OK(cudaStreamDestroy(idle));
	OK(cudaFree(device));
	OK(cudaFreeHost(pinned));
	if (kernels)
		OK(cuModuleUnload(module));
	free(kernels);
	puts("passed");
	return 0;
}
