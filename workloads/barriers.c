/* barriers: what one barrier between work-groups costs, by kind and number of groups (device/lockstep_barrier.h), and
 * what ending the kernel and launching it anew costs instead, as far as the device's clock shows it: the time that the
 * driver takes is not in it.  More groups than are resident together hang.  Needs OpenCL C 2.0. */
#include "common.h"

#include "../device/lockstep_barrier.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUPS, THREADS, TIMES };

#define RELAUNCH 5 /* of the choice */

struct meeting {
	struct gpu gpu;
	uint32_t groups, threads;
	cl_uint times;
	cl_mem state;
};

static const char *const kinds[] = {"xf", "central", "grid", "tree", "dissemination", "relaunch", NULL};

static cl_mem new_state(const struct meeting *m)
{
	return gpu_filled(&m->gpu, P_STATE_WORDS((size_t)m->groups), 0);
}

static void check_that_they_meet(const struct meeting *m)
{
	uint32_t threads = m->groups * m->threads, wrong = 1;
	cl_mem state = new_state(m), at = gpu_filled(&m->gpu, 2 * (size_t)threads, 0);
	cl_mem counted = gpu_filled(&m->gpu, 1, 0);
	GPU_LAUNCH(&m->gpu, "check", threads, m->threads, ARGUMENT(state), ARGUMENT(m->times), ARGUMENT(at),
		ARGUMENT(counted));
	gpu_read(&m->gpu, counted, sizeof wrong, &wrong);
	if (wrong)
		fail("%u times a barrier let a thread through", wrong);
	gpu_free(state);
	gpu_free(at);
	gpu_free(counted);
}

/* Of a launch with so many barriers, in nanoseconds. */
static double time_of(const struct meeting *m, cl_uint times)
{
	cl_mem state = new_state(m);
	double before = gpu_time(&m->gpu), after;
	GPU_LAUNCH(&m->gpu, "meet", m->groups * m->threads, m->threads, ARGUMENT(state), ARGUMENT(times));
	after = gpu_time(&m->gpu);
	gpu_free(state);
	return after - before;
}

static double time_of_launches(const struct meeting *m, cl_uint times)
{
	double before = gpu_time(&m->gpu);
	for (cl_uint k = 0; k < times; k++)
		GPU_LAUNCH(&m->gpu, "nothing", m->groups * m->threads, m->threads, ARGUMENT(m->state));
	return gpu_time(&m->gpu) - before;
}

static double time_of_one(const struct meeting *m, bool relaunch)
{
	if (relaunch)
		return time_of_launches(m, m->times) / m->times;
	check_that_they_meet(m);
	/* The first is left out: its words are in no cache. */
	return (time_of(m, m->times + 1) - time_of(m, 1)) / m->times;
}

int main(int argc, char **argv)
{
	struct choice kind = {"barrier", "at which the groups meet", kinds, 0};
	struct number numbers[] = {
		[GROUPS] = {"groups", "that meet: no more than are resident together", 4, 16, 1, P_MOST_GROUPS - 1, 0},
		[THREADS] = {"threads", "of a group", 32, 64, 1, 1024, 0},
		[TIMES] = {"times", "barriers, over which the time is divided", 5, 20, 1, 100000, 0},
	};
	options_read_choice(argc, argv, "what a barrier between work-groups costs", numbers, COUNT(numbers), &kind);
	struct meeting m = {.groups = (uint32_t)numbers[GROUPS].value,
		.threads = (uint32_t)numbers[THREADS].value,
		.times = (cl_uint)numbers[TIMES].value};
	bool relaunch = kind.value == RELAUNCH;
	char options[80];
	snprintf(options, sizeof options, "%s -DBARRIER=p_barrier_%s", gpu_atomics_standard(),
		kinds[relaunch ? 0 : kind.value]);
	m.gpu = gpu_open("barriers.cl", options);
	m.state = new_state(&m);
	printf("one barrier: %.1f ns\n", time_of_one(&m, relaunch));
	gpu_free(m.state);
	gpu_close(&m.gpu);
	return pass();
}
