/* Programmatic dependent launch: a kernel that may begin before the one before it in its stream is over, one case for
 * each way to wait or not, which its argument names.  What `lockstep run --check races` must find of each is in
 * tests/host/test_run.py. */
#include "kernels.h"

#include "host/cuda/driver.h"

#include <stdbool.h>
#include <stdint.h>

#define COUNT 64
#define BYTES (COUNT * sizeof(int))

/* Kernels of 64 threads.  write(box, out): box[i] = i + 7, after the trigger.  copy...(box, out): out[i] = box[63 - i].
 * copy: without a wait.  copy_after: each thread waits.  copy_met: the first warp waits, then a barrier.  copy_apart:
 * the first warp waits, and nothing follows.  copy_late: the wait comes after the access.  prepare: out[i] = i, and
 * then as copy_after.  change: box[i] = 0.  lead and follow: the first, after the trigger, waits for the second, box[0]
 * = 1, and writes box[64 + i] = i; the second reads that after its wait: out[i] = 63 - i.  lead_for_ever only waits.
 * raise: box[0] = 1, without a wait. */
#define HEAD(name)                                                                                                     \
	".visible .entry " name "(.param .u64 box, .param .u64 out)\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 "  \
	"%d<6>;\n"                                                                                                     \
	"ld.param.u64 %d1, [box];\nld.param.u64 %d2, [out];\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p, %r1, 32;\n"         \
	"mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d2, %d2, %d3;\nadd.u64 %d4, %d1, %d3;\nsub.u64 %d5, %d1, %d3;\n"
#define LOAD "ld.global.u32 %r2, [%d5+252];\n"
#define STORE "st.global.u32 [%d2], %r2;\n"
#define WAIT "griddepcontrol.wait;\n"
#define FIRST "@!%p bra away;\n" WAIT "away:\n"
#define END "ret;\n}\n"
static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n" HEAD(
	"write") "griddepcontrol.launch_dependents;\nadd.u32 %r2, %r1, 7;\nst.global.u32 [%d4], %r2;\n" END HEAD("copy")
	LOAD STORE END HEAD("copy_after") WAIT LOAD STORE END HEAD("copy_met") FIRST
	"bar.sync 0;\n" LOAD STORE END HEAD("copy_apart") FIRST LOAD STORE END HEAD(
		"copy_late") LOAD STORE WAIT END HEAD("prepare") "st.global.u32 [%d2], %r1;\n" WAIT LOAD STORE END
		HEAD("change") "st.global.u32 [%d4], 0;\n" END HEAD(
			"lead") "griddepcontrol.launch_dependents;\nagain:\n"
				"ld.volatile.global.u32 %r2, [%d1];\n"
				"setp.ne.u32 %p, %r2, 1;\n@%p bra again;\n"
				"st.global.u32 [%d4+256], %r1;\n" END HEAD(
					"follow") "st.volatile.global.u32 [%d1], 1;\n" WAIT
						  "ld.global.u32 %r2, [%d5+508];\n" STORE END HEAD(
							  "raise") "st.volatile.global.u32 [%d1], 1;\n" END
							  HEAD("lead_for_ever") "griddepcontrol.launch_dependents;"
										"\nagain:\n"
										"ld.volatile.global.u32 %r2, [%d1];\n"
										"setp.ne.u32 %p, %r2, 1;\n@%p bra "
										"again;\n" END;

static CUmodule module;
static cudaStream_t one, two;
static int *box, *out, *other;

/* As `name<<<1, 64, 0, one>>>(box, to)`. */
static void run(const char *name, int *to, bool early)
{
	CUfunction function;
	struct cudaLaunchAttribute attribute = {.id = 6, .value = {.number = 1}};
	CUlaunchConfig config = {.grid = {1, 1, 1},
		.block = {COUNT, 1, 1},
		.stream = (CUstream)one,
		.attributes = &attribute,
		.count = early};
	void *arguments[] = {&box, &to};
	OK(cuModuleGetFunction(&function, module, name));
	OK(cuLaunchKernelEx(&config, function, arguments, NULL));
}

static void with(const char *name)
{
	run("write", out, false);
	run(name, out, true);
}

static void none(void)
{
	with("copy");
}

static void no_attribute(void)
{
	run("write", out, false);
	run("copy", out, false);
}

static void each_waits(void)
{
	with("copy_after");
}

static void one_waits(void)
{
	with("copy_met");
}

static void one_waits_alone(void)
{
	with("copy_apart");
}

static void waits_late(void)
{
	with("copy_late");
}

static void prepares(void)
{
	with("prepare");
}

static void overwrites(void)
{
	run("copy", out, false);
	run("change", out, true);
}

static void host_waits(void)
{
	run("write", out, false);
	OK(cudaStreamSynchronize(one));
	run("copy", out, true);
}

/* The first has been carried out, of which the program does not know. */
static void other_stream_waits(void)
{
	run("write", out, false);
	OK(cudaStreamSynchronize(two));
	OK(cudaMemcpyAsync(other, other + 1, 4, cudaMemcpyDeviceToDevice, two));
	OK(cudaStreamSynchronize(two));
	run("copy", out, true);
}

static void copy_between(void)
{
	run("write", out, false);
	OK(cudaMemcpyAsync(other, other + 1, 4, cudaMemcpyDeviceToDevice, one));
	run("copy", out, true);
}

static void event_between(void)
{
	cudaEvent_t event;
	run("write", out, false);
	OK(cudaEventCreate(&event));
	OK(cudaEventRecord(event, one));
	OK(cudaStreamWaitEvent(one, event, 0));
	run("copy", out, true);
	OK(cudaEventDestroy(event));
}

/* What follows without the attribute comes after both; and a kernel that may be early overlaps the one before it alone.
 */
static void third(void)
{
	run("write", out, false);
	run("copy_after", out, true);
	run("copy", other, false);
	run("change", other, false);
}

static void third_early(void)
{
	run("write", out, false);
	run("copy_after", out, true);
	run("copy", out, true);
}

/* They are there together, and the wait is for all that the first does. */
static void overlap(void)
{
	int got[COUNT];
	run("lead", out, false);
	run("follow", out, true);
	run("change", out, false);
	OK(cudaStreamSynchronize(one));
	OK(cudaMemcpy(got, out, BYTES, cudaMemcpyDeviceToHost));
	for (int k = 0; k < COUNT; k++)
		CHECK(got[k] == COUNT - 1 - k);
}

/* The second never waits, and the third comes after the first all the same. */
static void third_after_both(void)
{
	int got[COUNT];
	run("lead", out, false);
	run("raise", out, true);
	run("follow", out, false);
	OK(cudaStreamSynchronize(one));
	OK(cudaMemcpy(got, out, BYTES, cudaMemcpyDeviceToHost));
	for (int k = 0; k < COUNT; k++)
		CHECK(got[k] == COUNT - 1 - k);
}

/* A third that may overlap the second, which waits in all threads. */
static void overlap_three(void)
{
	int got[COUNT];
	run("write", out, false);
	run("copy_after", out, true);
	run("copy_after", other, true);
	OK(cudaStreamSynchronize(one));
	OK(cudaMemcpy(got, other, BYTES, cudaMemcpyDeviceToHost));
	for (int k = 0; k < COUNT; k++)
		CHECK(got[k] == COUNT + 6 - k);
}

/* A graph, captured or with an edge of its own, that is launched twice. */
static void launch_twice(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphLaunch(exec, one));
	OK(cudaGraphLaunch(exec, one));
	OK(cudaStreamSynchronize(one));
	OK(cudaGraphExecDestroy(exec));
}

static void captured(const char *first, const char *second)
{
	cudaGraph_t graph;
	OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	run(first, out, false);
	run(second, out, true);
	OK(cudaStreamEndCapture(one, &graph));
	launch_twice(graph);
}

static void captured_none(void)
{
	captured("write", "copy");
}

static void captured_waits(void)
{
	captured("write", "copy_after");
}

static void captured_overlap(void)
{
	captured("lead", "follow");
}

/* Not in the list: the first hangs, the second waits for it, and the third for both. */
static void hang(void)
{
	run("lead_for_ever", out, false);
	run("copy_after", out, true);
	run("copy", other, false);
	GIVES(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
	exit(0);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {{"none", none}, {"no_attribute", no_attribute}, {"each_waits", each_waits}, {"one_waits", one_waits},
	{"one_waits_alone", one_waits_alone}, {"waits_late", waits_late}, {"prepares", prepares},
	{"overwrites", overwrites}, {"host_waits", host_waits}, {"other_stream_waits", other_stream_waits},
	{"copy_between", copy_between}, {"event_between", event_between}, {"third", third},
	{"third_early", third_early}, {"overlap", overlap}, {"overlap_three", overlap_three},
	{"third_after_both", third_after_both}, {"captured_none", captured_none}, {"captured_waits", captured_waits},
	{"captured_overlap", captured_overlap}};

int main(int argument_count, char **arguments)
{
	OK(cudaMalloc((void **)&box, 2 * BYTES));
	OK(cudaMalloc((void **)&out, BYTES));
	OK(cudaMalloc((void **)&other, BYTES));
	OK(cudaMemset(box, 0, 2 * BYTES));
	OK(cudaMemset(other, 0, BYTES));
	OK(cuModuleLoadData(&module, ptx));
	OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	OK(cudaDeviceSynchronize());
	if (argument_count == 2 && !strcmp(arguments[1], "hang"))
		hang();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		if (argument_count < 2)
			puts(cases[k].name);
		else if (!strcmp(cases[k].name, arguments[1]))
			cases[k].run();
	}
	OK(cudaDeviceSynchronize());
	OK(cudaStreamDestroy(one));
	OK(cudaStreamDestroy(two));
	puts("passed");
	return 0;
}
