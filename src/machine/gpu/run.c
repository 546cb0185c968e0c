/* The running of kernels: quanta, exchange, dispatch, the end.
 *
 * A quantum is as long as the shortest way a message can take, so all units (cores and partitions) advance through it
 * independently; see memory/message.h.  Between quanta one thread dispatches work-groups and ends what is over. */
#include "machine/gpu/run.h"

#include "machine/control/processor.h"
#include "machine/core/start.h"
#include "machine/gpu/audit.h"
#include "machine/gpu/children.h"
#include "machine/gpu/dispatch.h"
#include "machine/gpu/firmware.h"
#include "machine/gpu/functional.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/launch_state.h"
#include "machine/gpu/machine.h"
#include "machine/gpu/thread_pool.h"
#include "machine/nodes/nodes.h"
#include "machine/observe/observer.h"
#include "machine/observe/watch.h"
#include "machine/progress/progress.h"
#include "machine/state.h"

#include "memory/snapshot.h"
#include "warp/memory.h"

#include <string.h>

static uint32_t shorter(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Functional mode has one log, in timing mode each partition has its own, and each core that writes. */
static void keep_start(struct machine *machine)
{
	struct gpu *gpu = machine->gpu;
	uint32_t cores = machine->coherence->directory ? machine->core_count : 0;
	uint32_t writers = machine->functional ? 1 : machine->partition_count + cores;

	if (gpu->keeps_start) {
		machine->snapshot = snapshot_open(
			&machine->arena, &gpu->space, writers, gpu->puts_back ? UINT64_MAX : SNAPSHOT_BYTES);
		machine->heap_start = heap_save(&gpu->heap, &machine->arena);
	}
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_save(machine->partitions[p],
			machine->snapshot && !machine->functional ? &machine->snapshot->logs[p] : NULL);
}

bool machine_swap(struct machine *machine)
{
	if (!machine->snapshot || !snapshot_swap(machine->snapshot))
		return false;
	if (machine->snapshot->is_swapped)
		machine->heap_now = heap_save(&machine->gpu->heap, &machine->arena);
	heap_restore(&machine->gpu->heap, machine->snapshot->is_swapped ? machine->heap_start : machine->heap_now);
	return true;
}

static void forget_start(struct machine *machine)
{
	struct snapshot *snapshot = machine->snapshot;

	if (!snapshot)
		return;
	machine->gpu->start_lost |= snapshot->lost;
	if (machine->gpu->puts_back && !snapshot->lost)
		heap_restore(&machine->gpu->heap, machine->heap_start);
	snapshot_close(snapshot, machine->gpu->puts_back);
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_save(machine->gpu->partitions[p], NULL);
}

struct machine *machine_create(struct gpu *gpu, const struct launch *first)
{
	struct arena arena = {0};
	struct machine *machine = arena_new(&arena, struct machine);
	const struct gpu_model *model = gpu->model;

	*machine = (struct machine){
		.model = model,
#define POLICY_KIND(kind, vtable, table, decides) .kind = gpu->kind,
#include "policy/kinds.def"
#undef POLICY_KIND
		.retry_values = {.unit = model->retry_unit, .limit = model->retry_limit},
		.space = &gpu->space,
		.images = &gpu->images,
		.lane_memory = warp_memory(model->warp_size),
		.map = address_map_of(model),
		.independent = gpu->divergence->yield != NULL,
		.functional = first->functional,
		.notes_issues = observers_note_issues(gpu, first->functional),
		.quantum = shorter(model->crossbar_request_latency, model->crossbar_reply_latency),
		.core_count = model->core_count,
		.cycle = gpu->cycle,
		.start = gpu->cycle,
		.parity = 1,
		.seed = gpu->options.seed + first->ordinal * 0x9e3779b97f4a7c15ull,
		.arena = arena,
		.gpu = gpu,
		.partitions = gpu->partitions,
		.partition_count = model->channels,
	};
	divisions_read(model, &machine->divisions);
	machine->turn_seed = machine->seed;
	machine->stamp_of_cycle_0 = ++gpu->space.now - machine->cycle;
	machine->is_first = !first->ordinal;
	keep_start(machine);
	machine->watcher = watcher_create(&machine->arena);
	machine->cores = arena_new_array(&machine->arena, struct core, machine->core_count);
	arena_expect(machine->cores, machine->core_count * sizeof *machine->cores);
	machine->core_arenas = arena_new_array(&machine->arena, struct arena, machine->core_count);
	for (uint32_t c = 0; c < machine->core_count; c++)
		machine->cores[c].index = c;
	if (model->crossbar_cores > 1)
		machine->links = arena_new_array(&machine->arena, struct port_link, machine->core_count);
	nodes_create(machine);
	machine->thread_pool = thread_pool_create(
		&machine->arena, machine->functional ? 1 : gpu->options.threads, turns_take_one, machine);
	return machine;
}

void machine_destroy(struct machine *machine)
{
	struct arena arena;

	thread_pool_dismiss(machine->thread_pool);
	forget_start(machine);
	arena_free(&machine->processor_arena);
	arena = machine->arena; /* the machine lies in it */
	for (uint32_t c = 0; c < machine->core_count; c++) {
		if (core_is_used(&machine->cores[c]))
			core_clear(&machine->cores[c], &machine->core_arenas[c]);
		arena_free(&machine->core_arenas[c]);
	}
	arena_free(&arena);
}

/* --- Quanta --- */

/* The earliest cycle at which something has to be done; the next quantum begins there. */
static uint64_t next_event(struct machine *machine)
{
	uint64_t next = nodes_next_event(machine), child = children_next(machine);

	next = child < next ? child : next;
	for (const struct launch *launch = machine->active; launch; launch = launch->next_active)
		if (launch->ready_at > machine->cycle && launch->next_group < launch->total_groups)
			next = launch->ready_at < next ? launch->ready_at : next;
	return next;
}

/* A group's place is free again only when all its requests are answered, so nothing is on its way for a launch that is
 * done. */
static bool is_done(const struct launch *launch)
{
	if (launch->firmware)
		return firmware_is_done(launch);
	return launch->groups_over && children_ended(launch);
}

/* Takes off the list of active launches those whose work-groups have all ended: of a thousand that wait for what they
 * have launched none is looked at in each quantum.  Whether one of them, or what was launched, may be over. */
static bool drop_ended(struct machine *machine)
{
	struct launch *next;
	bool any = machine->child_ended;

	machine->child_ended = false;
	for (struct launch *launch = machine->active; launch; launch = next) {
		next = launch->next_active;
		if (launch->firmware) {
			any |= firmware_is_done(launch);
		} else if (launch->next_group == launch->total_groups &&
			   launch_groups_done(launch) == launch->total_groups) {
			launch->over_instructions = launch_instructions(launch);
			launch->groups_over = true;
			launch_deactivate(machine, launch);
			machine->tails_due = any = true;
		}
	}
	return any;
}

/* The earliest fault; of one cycle, the lowest core's. */
static const struct finding *earliest_finding(const struct machine *machine)
{
	const struct finding *first = NULL;

	for (uint32_t c = 0; c < machine->core_count; c++) {
		const struct finding *f = &machine->cores[c].finding;

		if (f->found && (!first || f->cycle < first->cycle))
			first = f;
	}
	if (machine->processor && machine->processor->finding.found &&
		(!first || machine->processor->finding.cycle < first->cycle))
		first = &machine->processor->finding;
	return first;
}

/* Ends what is over; the first of it, or null. */
static struct launch *end_some(struct machine *machine)
{
	const struct finding *fault = earliest_finding(machine);
	uint64_t limit = machine->gpu->options.max_cycles;
	bool interrupted = gpu_is_interrupted(machine->gpu);
	enum gpu_outcome early = interrupted ? GPU_INTERRUPTED : GPU_LIMIT;
	struct launch *first = NULL, *next;

	if (fault)
		return machine_fault(machine, fault);
	if (!drop_ended(machine) && !interrupted &&
		(!limit || machine->cycle - machine->launches->start < limit)) /* the first has begun first */
		return NULL;
	for (struct launch *launch = machine->launches; launch; launch = next) {
		bool done = is_done(launch);

		next = launch->next;
		if (!done && !interrupted && (!limit || machine->cycle - launch->start < limit))
			continue;
		machine_finish(machine, launch, done ? GPU_COMPLETED : early);
		first = first ? first : launch;
		if (!done) /* its warps cannot be taken off the cores: all ends */
			while (machine->launches)
				machine_finish(machine, machine->launches, early);
		if (!machine->launches)
			break;
	}
	return first;
}

/* Earlier launches first: what they leave free is for the later ones. */
static bool dispatch_all(struct machine *machine)
{
	bool any = false;

	children_begin(machine);
	for (struct launch *launch = machine->active; launch; launch = launch->next_active)
		if (launch->ready_at <= machine->cycle)
			any |= launch->firmware
				       ? firmware_dispatch(launch)
				       : launch_dispatch(launch, machine->cycle + machine->model->dispatch_latency);
	return any;
}

#define PROGRESS_QUANTA 256

static void show_progress(const struct machine *machine)
{
	const struct gpu *gpu = machine->gpu;
	const struct launch *launch = machine->launches;

	if (gpu->options.progress && machine->rounds % PROGRESS_QUANTA == 0)
		gpu->options.progress(gpu->options.progress_context, machine->cycle - launch->start,
			launch_instructions(launch), launch_groups_done(launch), launch->total_groups);
}

static struct launch *run_quanta(struct machine *machine)
{
	machine->child_ended |= drop_ended(machine); /* by a change that was made at a pause */
	for (;;) {
		struct launch *over;

		if (!dispatch_all(machine)) {
			uint64_t next = next_event(machine);

			if (next == NEVER && machine->gpu->between_holds)
				next = machine->cycle;
			if (next == NEVER && !(machine->processor && firmware_looks_again(machine, &next))) {
				/* A change made at a pause may have ended the last lanes. */
				over = end_some(machine);
				return over ? over : machine_dead(machine);
			}
			if (next > machine->cycle)
				machine->cycle = next;
			dispatch_all(machine);
		}
		machine->parity = 1 - machine->parity;
		machine->gpu->space.now = machine_stamp(machine, machine->cycle);
		turns_take(machine);
		audit_round(machine);
		if (machine->gpu->between)
			machine->gpu->between(machine->gpu->between_context);
		machine->rounds++;
		show_progress(machine);
		machine->cycle += machine->quantum;
		deferred_carry_out(machine);
		observers_flush(machine, false);
		over = end_some(machine);
		if (!over && machine->processor && firmware_is_stuck(machine))
			return machine_hang(machine, false);
		if (over || (!machine->processor && machine_watch(machine, &over)))
			return over;
		if (machine_pauses(machine, machine->cycle - machine->launches->start))
			return NULL;
	}
}

struct launch *machine_run(struct machine *machine)
{
	if (machine->progress || (machine->functional && machine->launches->dispatcher->guarantees))
		return progress_run(machine);
	return machine->functional ? functional_run(machine) : run_quanta(machine);
}
