/* discover: the microbenchmarks of paper 4, Table 3: a kernel of one or most threads a group and a byte or all of local
 * memory finds out how many of its groups run together, and these meet at barriers (device/lockstep_barrier.h).  Prints
 * the number found; with --search, the occupancy bound instead: so many groups that trust in being resident meet, one
 * more hangs.  --published takes discovery as the paper's published code has it.  Needs OpenCL C 2.0. */
#include "common.h"

#include "../device/lockstep_barrier.h"

#include <stdio.h>
#include <stdlib.h>

enum { ALL_LOCAL, MOST_THREADS, THREADS, GROUPS, SPIN, DELAY, TIMES, SEARCH, PUBLISHED };

struct benchmark {
	struct gpu gpu;
	uint32_t threads, times;
	size_t local;
};

static const char *const barriers[] = {"xf", "central", "grid", "tree", "dissemination", NULL};

static size_t most_threads(const struct gpu *gpu)
{
	size_t most;
	if (clGetDeviceInfo(gpu->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL))
		fail("clGetDeviceInfo: CL_DEVICE_MAX_WORK_GROUP_SIZE");
	return most;
}

/* Section 3.2 and P4-22: at least one takes part, and their numbers are 0, 1, 2 ..., each once. */
static void check_numbers(const uint32_t *found, uint32_t groups)
{
	if (found[0] < 1 || found[0] > groups)
		fail("%u of %u groups take part", found[0], groups);
	for (uint32_t k = 0; k < groups; k++)
		if (found[1 + k] != (k < found[0]))
			fail("number %u of %u was given %u times", k, found[0], found[1 + k]);
}

static void check_sums(const uint32_t *sums, uint32_t count, uint32_t times)
{
	for (uint32_t turn = times > 1 ? times - 1 : 1; turn <= times; turn++)
		for (uint32_t k = 0; k < count; k++)
			if (sums[(turn - 1) % 2 * count + k] != turn)
				fail("thread %u is at %u, not %u: a barrier let it through", k,
					sums[(turn - 1) % 2 * count + k], turn);
}

/* How many groups took part; 0, the launch did not end. */
static uint32_t run(const struct benchmark *b, uint32_t groups, cl_uint trust)
{
	uint32_t threads = groups * b->threads, taking = 0;
	cl_uint times = b->times;
	cl_mem state = gpu_filled(&b->gpu, P_STATE_WORDS((size_t)groups), 0);
	cl_mem found = gpu_filled(&b->gpu, 1 + (size_t)groups, 0), sums = gpu_filled(&b->gpu, 2 * (size_t)threads, 0);
	GPU_LAUNCH(&b->gpu, "discover", threads, b->threads, ARGUMENT(state), ARGUMENT(found), ARGUMENT(sums),
		ARGUMENT(trust), ARGUMENT(times), {b->local, NULL});
	if (!clFinish(b->gpu.queue)) {
		uint32_t *numbers = allocate(1 + (size_t)groups, sizeof *numbers);
		uint32_t *at = allocate(2 * (size_t)threads, sizeof *at);
		gpu_read(&b->gpu, found, (1 + (size_t)groups) * sizeof *numbers, numbers);
		gpu_read(&b->gpu, sums, 2 * (size_t)threads * sizeof *at, at);
		check_numbers(numbers, groups);
		check_sums(at, numbers[0] * b->threads, times);
		taking = numbers[0];
		free(numbers);
		free(at);
	}
	gpu_free(state);
	gpu_free(found);
	gpu_free(sums);
	return taking;
}

/* A queue in which a launch failed takes no more. */
static void renew_queue(struct gpu *gpu)
{
	cl_int why;
	clReleaseCommandQueue(gpu->queue);
	gpu->queue = clCreateCommandQueue(gpu->context, gpu->device, 0, &why);
	if (why)
		fail("clCreateCommandQueue gives %d", why);
}

/* The bound is between `ends`, which does, and `hangs`, or there is none below `most`. */
static uint32_t search(struct benchmark *b, uint32_t most)
{
	uint32_t ends = 0, hangs = most + 1;
	while (hangs - ends > 1) {
		uint32_t middle = ends + (hangs - ends) / 2;
		if (run(b, middle, 1)) {
			ends = middle;
		} else {
			hangs = middle;
			renew_queue(&b->gpu);
		}
	}
	if (ends == 0 || ends == most)
		fail("%s of %u groups", ends ? "no bound: all" : "not one", most);
	return ends;
}

int main(int argc, char **argv)
{
	struct choice barrier = {"barrier", "at which the groups meet", barriers, 0};
	struct number numbers[] = {
		[ALL_LOCAL] = {"all-local", "1: a group has all local memory; 0: a byte of it", 0, 0, 0, 1, 0},
		[MOST_THREADS] = {"most-threads", "1: a group has as many threads as it may; 0: one", 0, 0, 0, 1, 0},
		[THREADS] = {"threads", "of a group, without --most-threads", 1, 1, 1, 65536, 0},
		[GROUPS] = {"groups", "of the launch; of --search: the most tried", 128, 1024, 1, P_MOST_GROUPS - 1, 0},
		[SPIN] = {"spin", "1: discovery with a spin lock; 0: with a ticket lock", 0, 0, 0, 1, 0},
		[DELAY] = {"delay", "turns of the lock between the phases", 0, 0, 0, 1000000, 0},
		[TIMES] = {"times", "barriers", 1, 1, 0, 100000, 0},
		[SEARCH] = {"search", "1: search for the occupancy bound", 0, 0, 0, 1, 0},
		[PUBLISHED] = {"published", "1: discovery as in the paper's published code, not as in its Figure 3", 0,
			0, 0, 1, 0},
	};
	options_read_choice(argc, argv, "how many work-groups run together", numbers, COUNT(numbers), &barrier);
	uint32_t groups = (uint32_t)numbers[GROUPS].value;
	char options[160];
	const char *published = numbers[PUBLISHED].value ? " -DPUBLISHED" : ""; /* a name for its pinned PTX */
	snprintf(options, sizeof options, "%s -DBARRIER=p_barrier_%s -DLOCK=%s -DDELAY=%u%s", gpu_atomics_standard(),
		barriers[barrier.value], numbers[SPIN].value ? "P_SPIN_LOCK" : "P_TICKET_LOCK",
		(unsigned)numbers[DELAY].value, published);

	if (numbers[SEARCH].value && numbers[PUBLISHED].value)
		options_refuse("--search: all groups take part, which --published does not know");
	struct benchmark b = {.gpu = gpu_open(*published ? "discover_published.cl" : "discover.cl", options),
		.times = (uint32_t)numbers[TIMES].value};
	b.threads = numbers[MOST_THREADS].value ? (uint32_t)most_threads(&b.gpu) : (uint32_t)numbers[THREADS].value;
	if (b.threads > most_threads(&b.gpu))
		options_refuse("--threads: a group of this device has at most %zu threads", most_threads(&b.gpu));
	b.local = numbers[ALL_LOCAL].value ? gpu_local_bytes() : 1;
	if (numbers[SEARCH].value) {
		printf("occupancy bound: %u work-groups\n", search(&b, groups));
	} else {
		uint32_t taking = run(&b, groups, 0);
		if (!taking)
			fail("the launch did not end");
		printf("discovered: %u work-groups\n", taking);
	}
	gpu_close(&b.gpu);
	return pass();
}
