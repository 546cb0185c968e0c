/* Lockstep as a library: a kernel launched on two GPUs, one with another scheduler, and a report of each.
 *
 *     cc $(pkg-config --cflags lockstep) -o embed embed.c $(pkg-config --libs lockstep)
 *
 * docs/install.md has the CMake form, and include/lockstep.h every function. */
#include <lockstep.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT 4096u

/* out[i] = i * i, counted by one atomic word. */
static const char ptx[] = ".version 6.0\n"
			  ".target sm_35\n"
			  ".address_size 64\n"
			  ".visible .entry squares(.param .u64 out, .param .u64 done)\n"
			  "{\n"
			  "\t.reg .b32 %r<7>;\n"
			  "\t.reg .b64 %rd<4>;\n"
			  "\tmov.u32 %r1, %ctaid.x;\n"
			  "\tmov.u32 %r2, %ntid.x;\n"
			  "\tmov.u32 %r3, %tid.x;\n"
			  "\tmad.lo.u32 %r4, %r1, %r2, %r3;\n"
			  "\tmul.lo.u32 %r5, %r4, %r4;\n"
			  "\tld.param.u64 %rd1, [out];\n"
			  "\tmad.wide.u32 %rd2, %r4, 4, %rd1;\n"
			  "\tst.global.u32 [%rd2], %r5;\n"
			  "\tld.param.u64 %rd3, [done];\n"
			  "\tatom.global.add.u32 %r6, [%rd3], 1;\n"
			  "\tret;\n"
			  "}\n";

static int fail(const char *what, const struct lockstep_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->message);
	return 1;
}

/* The outcome, the counters that are not 0, and what the kernel did wrong. */
static void print_report(const char *gpu, const struct lockstep_result *r)
{
	static const char *const outcomes[] = {"completed", "hang", "fault", "limit", "interrupted"};
	printf("%s, kernel %s: %s\n", gpu, r->kernel, outcomes[r->outcome]);
	printf("  %-40s %12" PRIu64 "\n", "cycles", r->cycles);
	printf("  %-40s %12" PRIu64 "\n", "warp instructions", r->warp_instructions);
	for (size_t k = 0; k < r->counter_count; k++)
		if (r->counters[k].value)
			printf("  %-40s %12" PRIu64 " %s\n", r->counters[k].name, r->counters[k].value,
				r->counters[k].unit);
	for (size_t k = 0; k < r->finding_count; k++)
		printf("  %s, %s: %s\n", r->findings[k].kind, r->findings[k].certainty, r->findings[k].message);
}

/* Whether the kernel has left what it was to leave. */
static bool check(struct lockstep *gpu, uint64_t out, uint64_t done, struct lockstep_error *error)
{
	static uint32_t squares[COUNT];
	uint32_t finished = 0;
	if (!lockstep_read(gpu, squares, out, sizeof squares, error) ||
		!lockstep_read(gpu, &finished, done, sizeof finished, error))
		return false;
	for (uint32_t k = 0; k < COUNT; k++) {
		if (squares[k] != k * k || finished != COUNT) {
			snprintf(error->message, sizeof error->message, "out[%" PRIu32 "] is %" PRIu32, k, squares[k]);
			return false;
		}
	}
	return true;
}

static int launch_on(const char *model, const char *const *settings)
{
	struct lockstep_error error;
	struct lockstep_options options = {.size = sizeof options, .gpu = model, .settings = settings};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = gpu ? lockstep_load(gpu, "squares.ptx", ptx, &error) : NULL;
	if (!module)
		return fail(model, &error);
	/* The parameter block: two addresses.  lockstep_kernel_parameter tells the layout of a kernel that is not
	 * known. */
	uint64_t parameters[2] = {lockstep_allocate(gpu, COUNT * sizeof(uint32_t), "out"),
		lockstep_allocate(gpu, sizeof(uint32_t), "done")};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "squares",
		.grid = {COUNT / 128, 1, 1},
		.block = {128, 1, 1},
		.parameters = parameters,
		.parameter_bytes = sizeof parameters};
	const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
	if (!result)
		return fail(model, &error);
	print_report(model, result);
	if (!check(gpu, parameters[0], parameters[1], &error))
		return fail(model, &error);
	lockstep_close(gpu);
	return 0;
}

int main(void)
{
	const char *const policies[] = {"policy.scheduler=lrr", NULL};
	return launch_on("gtx480", NULL) || launch_on("v100", policies);
}
