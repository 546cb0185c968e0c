/* The GPU between launches: partitions and crossbar, and the order in which launches come onto the machine. */
#include "machine/gpu/launches.h"

#include "machine/core/code_cache.h"
#include "machine/core/drop.h"
#include "machine/core/observer.h"
#include "machine/gpu/audit.h"
#include "machine/gpu/children.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/lock_bits.h"
#include "machine/nodes/nodes.h"
#include "machine/observe/watch.h"
#include "machine/state/gpu.h"
#include "util/demangle.h"
#include "util/text.h"

#include <assert.h>
#include <string.h>

void gpu_create(struct gpu *gpu)
{
	const struct gpu_model *model = gpu->model;
	uint32_t channels = model->channels;

	assert(channels);
	assert(model->slices % channels == 0);
	if (!gpu->code_cache)
		gpu->code_cache = code_cache_create(gpu->arena, model);
	gpu->partitions = arena_new_array(gpu->arena, struct partition *, channels);
	gpu->slice_inboxes = arena_new_array(gpu->arena, struct inbox *, model->slices);
	gpu->partition_arenas = arena_new_array(gpu->arena, struct arena, channels);
	gpu->partition_outboxes = arena_new_array(gpu->arena, struct outbox *, channels);
	for (uint32_t k = 0; k < channels; k++) {
		struct arena *own = &gpu->partition_arenas[k];

		gpu->partitions[k] = partition_create(own, model, gpu->lock, &gpu->space, k);
		if (gpu->coherence->directory)
			partition_make_coherent(gpu->partitions[k]);
		for (uint32_t s = 0; s < model->slices / channels; s++)
			gpu->slice_inboxes[k * (model->slices / channels) + s] = inbox_create(own);
		gpu->partition_outboxes[k] = node_outbox(own, model, NODE_partition);
	}
}

static void destroy_partitions(struct gpu *gpu)
{
	for (uint32_t k = 0; k < gpu->model->channels; k++)
		arena_free(&gpu->partition_arenas[k]);
}

void gpu_prefill(struct gpu *gpu)
{
	if (gpu->functional || gpu->launches)
		return;
	assert(!gpu->machine);
	assert(!gpu->waiting);
	for (uint32_t k = 0; k < gpu->space.count; k++)
		if (gpu->space.allocations[k].live)
			partitions_prefill(
				gpu->partitions, gpu->space.allocations[k].address, gpu->space.allocations[k].bytes);
}

static void print_nothing(void *context, const char *text, size_t length)
{
	(void)context;
	(void)text;
	(void)length;
}

void gpu_hide(struct gpu *gpu)
{
	gpu->options.print = print_nothing;
	gpu->explain = NULL;
	gpu->options.progress = NULL;
	memset(gpu->observe, 0, sizeof gpu->observe);
}

struct gpu_aside gpu_put_aside(struct gpu *gpu, const struct launch *launch)
{
	struct gpu_aside aside = {.waiting = gpu->waiting,
		.dispatch = gpu->dispatch,
		.launches = gpu->launches,
		.functional = gpu->functional};

	assert(!gpu->machine);
	assert(!gpu->finished);
	gpu->waiting = NULL;
	gpu->dispatch = launch->dispatch.policy;
	gpu->launches = launch->ordinal;
	gpu->functional = launch->functional;
	return aside;
}

void gpu_put_back(struct gpu *gpu, const struct gpu_aside *aside)
{
	assert(!gpu->machine);
	assert(!gpu->waiting);
	assert(!gpu->finished);
	gpu->waiting = aside->waiting;
	gpu->dispatch = aside->dispatch;
	gpu->launches = aside->launches;
	gpu->functional = aside->functional;
}

static void destroy_all(struct launch *list)
{
	while (list) {
		struct launch *next = list->next;

		launch_destroy(list);
		list = next;
	}
}

void gpu_destroy(struct gpu *gpu)
{
	if (gpu->machine) {
		destroy_all(gpu->machine->launches.first);
		machine_destroy(gpu->machine);
	}
	destroy_all(gpu->waiting);
	destroy_all(gpu->finished);
	arena_free(&gpu->drops);
	destroy_partitions(gpu);
}

void gpu_start(struct gpu *gpu, const struct gpu_launch *what)
{
	struct launch *launch = launch_create(gpu, what);

	bool uses_heap = what->kernel->uses.heap;

	assert(!launch->machine);
	assert(what->dispatchables || !what->dispatchable_count);
	for (uint32_t k = 0; k < what->dispatchable_count; k++)
		uses_heap |= what->dispatchables[k].kernel->uses.heap;
	if (uses_heap)
		heap_open(&gpu->heap, &gpu->space);
	launch->ordinal = gpu->launches++;
	if (what->kernel->uses.device)
		children_create(gpu, launch, 0);
	launch_append(&gpu->waiting, launch);
}

static bool is_alone(const struct launch *launch)
{
	return launch->dispatch.policy->guarantees != NULL || launch->kind->is_alone; /* also under a progress model */
}

/* Launches that wait come onto the machine as the model allows; another mode waits until nothing runs. */
static void admit(struct gpu *gpu)
{
	while (gpu->waiting) {
		struct launch *launch = gpu->waiting;
		struct machine *machine = gpu->machine;

		assert(!machine || machine->launches.first);
		if (machine && gpu->placement && launch->early.after) /* placements have launches that begin together */
			return;
		if (machine && (machine->functional != launch->functional || is_alone(launch) ||
				       is_alone(machine->launches.first) ||
				       children_running(machine) + launch->kept >= gpu->model->concurrent_kernels))
			return;
		if (!machine)
			gpu->machine = machine_create(gpu, launch);
		gpu->waiting = launch->next;
		machine_join(gpu->machine, launch);
	}
}

/* Nothing runs any more.  After a fault or a limit requests are still under way whose replies the next launch must not
 * get, so the memory system is made anew; its contents live elsewhere. */
static void settle(struct gpu *gpu, enum gpu_outcome outcome)
{
	struct machine *machine = gpu->machine;

	assert(!machine->launches.first);
	assert(!gpu->stuck);
	observers_flush(machine, true);
	if (outcome == GPU_COMPLETED)
		audit_end(machine);
	if (!machine->functional) {
		gpu->cycle = machine->time.cycle + machine->time.quantum;
		/* a window that is still open goes with the machine */
		for (uint32_t p = 0; p < machine->partition_count; p++)
			partition_watch(machine->partitions[p], NULL);
		if (outcome != GPU_COMPLETED) {
			destroy_partitions(gpu);
			gpu_create(gpu);
		}
		for (uint32_t p = 0; p < machine->partition_count; p++) {
			if (outcome == GPU_COMPLETED)
				partition_forget_lines(
					gpu->partitions[p], machine->nodes.at[machine->cores.count + p].inboxes);
			for (uint32_t k = 0; k < 2; k++)
				outbox_begin(gpu->partition_outboxes[p], k);
		}
	}
	machine_destroy(machine);
	gpu->machine = NULL;
}

bool gpu_finish(struct gpu *gpu, struct gpu_result *result)
{
	struct launch *over;

	if (!gpu->finished) {
		admit(gpu);
		if (!gpu->machine)
			return false;
		gpu->machine->was_interrupted |= gpu->stuck && !gpu->host.waits;
		gpu->stuck = false;
		assert(gpu->machine->gpu == gpu);
		assert(gpu->machine->launches.first);
		over = gpu->machine->mode->run(gpu->machine);
		assert(!over == gpu->stuck);
		if (!over)
			return false;
		if (!gpu->machine->launches.first)
			settle(gpu, over->result.outcome);
	}
	assert(gpu->finished);
	over = gpu->finished;
	gpu->finished = over->next;
	*result = over->result;
	arena_free(&gpu->drops);
	if (gpu->options.on_fault == LOCKSTEP_CONTINUE)
		result->drops = drop_gather(&gpu->drops, over, gpu->model->core_count);
	result->left_bits = lock_bits_left(over);
	launch_destroy(over);
	return true;
}

bool gpu_asks_host(const struct gpu *gpu)
{
	assert(!gpu->stuck || gpu->machine);
	return gpu->stuck && !gpu->machine->stuck_for_ever && watch_asked_host(gpu->machine);
}

bool gpu_was_helped(const struct gpu *gpu)
{
	assert(gpu->machine);
	return gpu->machine->was_interrupted;
}

bool gpu_is_stuck_for_ever(const struct gpu *gpu)
{
	assert(!gpu->stuck || gpu->machine);
	return gpu->stuck && gpu->machine->stuck_for_ever;
}

const char *gpu_why_stuck(struct gpu *gpu, struct arena *arena)
{
	struct machine *machine = gpu->machine;
	double seconds = gpu->explain_seconds;
	struct text text = {.arena = arena};

	if (!gpu->stuck)
		return NULL;
	assert(machine->launches.first);
	gpu->explain_seconds = 0;
	for (struct launch *launch = machine->launches.first; launch; launch = launch->next) {
		const struct finding_detail *detail;

		gpu->explain(machine, launch, machine->stuck_for_ever);
		detail = launch->result.finding.detail;
		if (detail)
			text_print(&text, "%skernel %s: %s%s%s", text.length ? "; " : "",
				demangle_brief(arena, launch->kernel->entry->name), detail->what,
				detail->who ? " " : "", detail->who ? detail->who : "");
		launch->result.finding = (struct finding){0};
	}
	gpu->explain_seconds = seconds;
	return text.length ? text.at : NULL;
}

void gpu_give_up(struct gpu *gpu)
{
	if (!gpu->stuck)
		return;
	assert(gpu->machine);
	assert(gpu->machine->launches.first);
	gpu->stuck = false;
	machine_hang(gpu->machine, gpu->machine->stuck_for_ever && !gpu->host.doubt);
	settle(gpu, GPU_HANG);
}
