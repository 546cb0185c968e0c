/* The running of kernels: quanta, exchange, dispatch, the end.
 *
 * A quantum is as long as the shortest way a message can take, so all units (cores and partitions) advance through it
 * independently; see memory/message.h.  Between quanta one thread dispatches work-groups and looks what is over. */
#include "machine/gpu/launch.h"

#include "machine/gpu/audit.h"
#include "machine/gpu/energy.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/stale.h"
#include "machine/gpu/thread_pool.h"
#include "machine/runtime/print.h"
#include "machine/progress/progress.h"
#include "machine/observe/observer.h"
#include "machine/observe/watch.h"
#include "memory/snapshot.h"
#include "warp/memory.h"

#include <string.h>

static void run_node(void *machine, uint32_t index);

static uint32_t shorter(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Functional mode has one log, in timing mode each partition has its own. */
static void keep_start(struct machine *machine)
{
	struct gpu *gpu = machine->gpu;
	uint32_t writers = machine->functional ? 1 : machine->partition_count;

	if (gpu->keeps_start) {
		machine->snapshot = snapshot_open(&machine->arena, &gpu->space, writers, gpu->puts_back ? UINT64_MAX : SNAPSHOT_BYTES);
		machine->heap_start = heap_save(&gpu->heap, &machine->arena);
	}
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_save(machine->partitions[p], machine->snapshot && !machine->functional ? &machine->snapshot->logs[p] : NULL);
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
	struct arena arena = { 0 };
	struct machine *machine = arena_new(&arena, struct machine);
	const struct gpu_model *model = gpu->model;

	*machine = (struct machine){
		.model = model, .scheduler = gpu->scheduler, .divergence = gpu->divergence, .coherence = gpu->coherence, .lock = gpu->lock,
		.retry = gpu->retry, .retry_values = { .unit = model->retry_unit, .limit = model->retry_limit }, .space = &gpu->space, .images = &gpu->images,
		.lane_memory = warp_memory(model->warp_size),
		.map = address_map_of(model), .independent = gpu->divergence->yield != NULL, .functional = first->functional,
		.quantum = shorter(model->crossbar_request_latency, model->crossbar_reply_latency), .core_count = model->core_count,
		.cycle = gpu->cycle, .start = gpu->cycle, .parity = 1, .seed = gpu->options.seed + first->ordinal * 0x9e3779b97f4a7c15ull, .arena = arena, .gpu = gpu,
		.partitions = gpu->partitions,
		.partition_count = model->channels,
	};
	machine->turn_seed = machine->seed;
	machine->stamp_of_cycle_0 = ++gpu->space.now - machine->cycle;
	machine->is_first = !first->ordinal;
	keep_start(machine);
	machine->watcher = watcher_create(&machine->arena);
	machine->cores = arena_new_array(&machine->arena, struct core, machine->core_count);
	machine->core_arenas = arena_new_array(&machine->arena, struct arena, machine->core_count);
	for (uint32_t c = 0; c < machine->core_count; c++)
		machine->cores[c].index = c;
	nodes_create(machine);
	machine->crew = crew_create(&machine->arena, machine->functional ? 1 : gpu->options.threads, run_node, machine);
	return machine;
}

static bool is_used(const struct core *core)
{
	return core->machine;
}

void machine_destroy(struct machine *machine)
{
	struct arena arena;

	crew_dismiss(machine->crew);
	nodes_destroy(machine);
	forget_start(machine);
	arena = machine->arena; /* the machine lies in it */
	for (uint32_t c = 0; c < machine->core_count; c++) {
		if (is_used(&machine->cores[c]))
			core_clear(&machine->cores[c], &machine->core_arenas[c]);
		arena_free(&machine->core_arenas[c]);
	}
	arena_free(&arena);
}

/* --- Cores --- */

/* The core has had nothing to do since the machine was made. */
static uint64_t empty_cycles(const struct machine *machine)
{
	return (machine->cycle - machine->start) * machine->model->schedulers;
}

struct core *machine_core(struct machine *machine, uint32_t index)
{
	struct core *core = &machine->cores[index];

	if (!is_used(core)) {
		core_create(core, &machine->core_arenas[index], machine, index);
		machine->nodes[index].outbox = core->outbox; /* cores are the first nodes */
		machine->observers |= core->attached.observers;
		core->counters.stall_empty = empty_cycles(machine);
	}
	return core;
}

/* --- Counters --- */

static void add(uint64_t *sum, const uint64_t *from, size_t bytes)
{
	for (size_t k = 0; k < bytes / sizeof *sum; k++)
		sum[k] += from[k];
}

static void subtract(uint64_t *sum, const uint64_t *from, size_t bytes)
{
	for (size_t k = 0; k < bytes / sizeof *sum; k++)
		sum[k] -= from[k];
}

/* What the cores have counted since they were made; the launches' instructions are not among it. */
static struct counters core_totals(const struct machine *machine)
{
	struct counters total = { 0 };

	for (uint32_t c = 0; c < machine->core_count; c++)
		if (is_used(&machine->cores[c]))
			add((uint64_t *)&total, (const uint64_t *)&machine->cores[c].counters, sizeof total);
		else
			total.stall_empty += empty_cycles(machine);
	return total;
}

/* What the partitions have counted in all launches so far. */
static struct partition_counters partition_totals(const struct machine *machine)
{
	struct partition_counters total = { 0 };

	for (uint32_t p = 0; p < machine->partition_count; p++)
		add((uint64_t *)&total, (const uint64_t *)partition_counters(machine->partitions[p]), sizeof total);
	return total;
}

/* What was issued, in all and by class. */
static void count_instructions(struct counters *counters, const struct launch *launch)
{
	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
		struct issue_count issued = launch_issued(launch, pc);

		counters->warp_instructions += issued.warps;
		counters->thread_instructions += issued.lanes;
		((uint64_t *)counters)[launch->costs[pc].counter] += issued.warps;
	}
}

static void count(struct gpu_result *result, const struct launch *launch)
{
	const struct machine *machine = launch->machine;

	result->counters = core_totals(machine);
	subtract((uint64_t *)&result->counters, (const uint64_t *)&launch->before, sizeof result->counters);
	for (uint32_t c = 0; c < machine->core_count; c++)
		if (launch->on[c])
			add((uint64_t *)&result->counters, (const uint64_t *)&launch->on[c]->counters, sizeof result->counters);
	count_instructions(&result->counters, launch);
	result->counters.lane_slots = result->counters.warp_instructions * machine->model->warp_size;
	result->partition_counters = partition_totals(machine);
	subtract((uint64_t *)&result->partition_counters, (const uint64_t *)&launch->partitions_before, sizeof result->partition_counters);
	if (!launch->functional)
		result->energy = energy_of(launch, result);
}

/* --- Coming and going --- */

void machine_join(struct machine *machine, struct launch *launch)
{
	launch->machine = machine;
	launch->start = machine->cycle;
	launch->before = core_totals(machine);
	launch->partitions_before = partition_totals(machine);
	launch->ready_at = machine->cycle + (machine->functional ? 0 : machine->model->launch_latency);
	for (struct launch *other = machine->launches; other; other = other->next)
		launch->result.overlapped = other->result.overlapped = true;
	launch_append(&machine->launches, launch);
}

/* Cycles until the last instruction was issued or the last reply came; the quantum's end would be arbitrary. */
static uint64_t last_activity(const struct machine *machine, uint64_t start)
{
	uint64_t last = start;

	for (uint32_t c = 0; c < machine->core_count; c++)
		if (machine->cores[c].last_activity + 1 > last)
			last = machine->cores[c].last_activity + 1;
	return last;
}

void machine_finish(struct machine *machine, struct launch *launch, enum gpu_outcome outcome)
{
	struct launch **link = &machine->launches;

	while (*link != launch)
		link = &(*link)->next;
	*link = launch->next;
	machine->ended++;
	if (outcome == GPU_COMPLETED)
		audit_launch(launch);
	launch->result.outcome = outcome;
	launch->result.start = launch->start;
	if (!machine->functional)
		launch->result.cycles = last_activity(machine, launch->start) - launch->start;
	count(&launch->result, launch);
	launch_append(&machine->gpu->finished, launch);
}

struct launch *machine_fault(struct machine *machine, const struct finding *fault)
{
	struct launch *guilty = fault->launch;

	guilty->result.finding = *fault;
	machine_finish(machine, guilty, GPU_FAULT);
	while (machine->launches) {
		struct launch *other = machine->launches;

		other->result.finding = (struct finding){ .found = true, .cycle = machine->cycle, .kind = "fault", .cause = "other",
							  .message = "ended by the fault of another kernel that ran at the same time" };
		machine_finish(machine, other, GPU_FAULT);
	}
	return guilty;
}

/* --- Quanta --- */

static void run_node(void *machine, uint32_t index)
{
	node_run(machine, index);
}

/* The earliest cycle at which something has to be done; the next quantum begins there. */
static uint64_t next_event(const struct machine *machine)
{
	uint64_t next = nodes_next_event(machine);

	for (const struct launch *launch = machine->launches; launch; launch = launch->next)
		if (launch->ready_at > machine->cycle && launch->next_group < launch->total_groups)
			next = launch->ready_at < next ? launch->ready_at : next;
	return next;
}

/* A group's place is free again only when all its requests are answered, so nothing is on its way for a launch that is done. */
static bool is_done(const struct launch *launch)
{
	return launch->next_group == launch->total_groups && launch_groups_done(launch) == launch->total_groups;
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

	for (struct launch *launch = machine->launches; launch; launch = launch->next)
		if (launch->ready_at <= machine->cycle)
			any |= launch_dispatch(launch, machine->cycle + machine->model->dispatch_latency);
	return any;
}

struct launch *machine_hang(struct machine *machine, bool proved)
{
	struct launch *first = machine->launches;

	for (struct launch *launch = first; launch; launch = launch->next)
		machine->gpu->explain(machine, launch, proved);
	while (machine->launches)
		machine_finish(machine, machine->launches, GPU_HANG);
	return first;
}

struct launch *machine_dead(struct machine *machine)
{
	struct gpu *gpu = machine->gpu;

	gpu->stuck = gpu->pause_when_dead;
	gpu->at_pause = false;
	machine->stuck_for_ever = true;
	return gpu->stuck ? NULL : machine_hang(machine, true);
}

bool machine_pauses(struct machine *machine, uint64_t done)
{
	struct gpu *gpu = machine->gpu;

	gpu->stuck = gpu->at_pause = gpu->pause_at && done >= gpu->pause_at;
	return gpu->stuck;
}

bool machine_watch(struct machine *machine, struct launch **over)
{
	enum watch_verdict verdict = watcher_step(machine);

	if (verdict == WATCH_GOES_ON)
		return false;
	machine->gpu->stuck = machine->gpu->options.pause_when_stuck;
	machine->gpu->at_pause = false;
	machine->stuck_for_ever = verdict == WATCH_PROVED;
	*over = machine->gpu->stuck ? NULL : machine_hang(machine, machine->stuck_for_ever);
	return true;
}

#define PROGRESS_QUANTA 256

static void show_progress(const struct machine *machine)
{
	const struct gpu *gpu = machine->gpu;
	const struct launch *launch = machine->launches;

	if (gpu->options.progress && machine->rounds % PROGRESS_QUANTA == 0)
		gpu->options.progress(gpu->options.progress_context, machine->cycle - launch->start, launch_instructions(launch), launch_groups_done(launch),
			      launch->total_groups);
}

static struct launch *run_quanta(struct machine *machine)
{
	for (;;) {
		struct launch *over;

		if (!dispatch_all(machine)) {
			uint64_t next = next_event(machine);

			if (next == NEVER && machine->gpu->between_holds)
				next = machine->cycle;
			if (next == NEVER) {
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
		crew_round(machine->crew, machine->node_count);
		audit_round(machine);
		stale_judge(machine);
		if (machine->gpu->between)
			machine->gpu->between(machine->gpu->between_context);
		machine->rounds++;
		show_progress(machine);
		machine->cycle += machine->quantum;
		print_flush(machine);
		heap_serve(machine);
		observers_flush(machine, false);
		over = end_some(machine);
		if (over || machine_watch(machine, &over))
			return over;
		if (machine_pauses(machine, machine->cycle - machine->launches->start))
			return NULL;
	}
}

struct launch *machine_run(struct machine *machine)
{
	if (machine->progress || (machine->functional && machine->launches->dispatcher->owes))
		return progress_run(machine);
	return machine->functional ? functional_run(machine) : run_quanta(machine);
}
