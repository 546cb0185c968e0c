/* The running of kernels: quanta, exchange, dispatch, the end.
 *
 * A quantum is as long as the shortest way a message can take, so all units (cores and partitions) advance through it
 * independently; see memory/message.h.  Between quanta one thread dispatches work-groups and ends what is over. */
#include "machine/gpu/machine.h"

#include "machine/control/processor.h"
#include "machine/core/code_cache.h"
#include "machine/core/deferred.h"
#include "machine/core/observer.h"
#include "machine/gpu/audit.h"
#include "machine/gpu/children.h"
#include "machine/gpu/drawn.h"
#include "machine/gpu/early.h"
#include "machine/nodes/nodes.h"
#include "machine/nodes/start.h"
#include "machine/nodes/turns.h"
#include "machine/observe/watch.h"
#include "util/thread_pool.h"

#include "memory/snapshot.h"
#include "warp/memory.h"

#include <assert.h>
#include <string.h>

#define MODE(name) extern const struct machine_mode mode_##name;
#include "machine/state/modes.def"
#undef MODE

static const struct machine_mode *const modes[] = {
#define MODE(name) &mode_##name,
#include "machine/state/modes.def"
#undef MODE
};

static const struct machine_mode *mode_for(const struct launch *first)
{
	uint32_t k = 0;

	while (modes[k]->is_for && !modes[k]->is_for(first)) {
		k++;
		assert(k < sizeof modes / sizeof *modes);
	}
	return modes[k];
}

static uint32_t shorter(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Functional mode has one log, in timing mode each partition has its own, and each core that writes. */
static void keep_start(struct machine *machine)
{
	struct gpu *gpu = machine->gpu;
	uint32_t cores = machine->coherence->directory ? machine->cores.count : 0;
	uint32_t writers = machine->functional ? 1 : machine->partition_count + cores;

	assert(!machine->at_start.snapshot);
	assert(!machine->launches.first);
	if (gpu->experiment.keeps_start) {
		machine->at_start.snapshot = snapshot_open(
			&machine->arena, &gpu->space, writers, gpu->experiment.puts_back ? UINT64_MAX : SNAPSHOT_BYTES);
		machine->at_start.heap = heap_save(&gpu->heap, &machine->arena);
	}
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_save(machine->partitions[p], machine->at_start.snapshot && !machine->functional
							       ? &machine->at_start.snapshot->logs[p]
							       : NULL);
}

bool machine_swap(struct machine *machine)
{
	if (!machine->at_start.snapshot || !snapshot_swap(machine->at_start.snapshot))
		return false;
	if (machine->at_start.snapshot->is_swapped)
		machine->at_start.heap_now = heap_save(&machine->gpu->heap, &machine->arena);
	assert(machine->at_start.heap);
	assert(machine->at_start.heap_now);
	heap_restore(&machine->gpu->heap,
		machine->at_start.snapshot->is_swapped ? machine->at_start.heap : machine->at_start.heap_now);
	return true;
}

static void forget_start(struct machine *machine)
{
	struct snapshot *snapshot = machine->at_start.snapshot;

	if (!snapshot)
		return;
	assert(machine->at_start.heap);
	if (machine->gpu->experiment.puts_back && !snapshot->lost)
		heap_restore(&machine->gpu->heap, machine->at_start.heap);
	snapshot_close(snapshot, machine->gpu->experiment.puts_back);
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_save(machine->gpu->partitions[p], NULL);
}

void machine_begin_threads(struct machine *machine)
{
	uint32_t threads = machine->functional ? 1 : machine->gpu->options.threads;

	machine->thread_pool = thread_pool_create(&machine->arena, threads, turns_take_one, machine);
}

struct machine *machine_create(struct gpu *gpu, const struct launch *first)
{
	struct arena arena = {0};
	struct machine *machine = arena_new(&arena, struct machine);
	const struct gpu_model *model = gpu->model;

	assert(!gpu->machine);
	*machine = (struct machine){
		.mode = mode_for(first),
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
		.time.quantum = shorter(model->crossbar_request_latency, model->crossbar_reply_latency),
		.cores.count = model->core_count,
		.cores.start_apart = !first->functional && observers_begin_apart(gpu, false),
		.cores.observers = observers_asked(gpu, first->functional),
		.time.cycle = gpu->cycle,
		.time.start = gpu->cycle,
		.time.parity = 1,
		.seed = gpu->options.seed + first->ordinal * 0x9e3779b97f4a7c15ull,
		.arena = arena,
		.gpu = gpu,
		.partitions = gpu->partitions,
		.partition_count = model->channels,
	};
	if (!first->functional)
		machine->time.delays = (struct machine_delays){.cluster_barrier = model->cluster_barrier,
			.dispatch_interval = model->dispatch_interval,
			.dispatch_jitter = model->dispatch_jitter,
			.dispatch_warp_jitter = model->dispatch_warp_jitter,
			.fence_system_interval = model->fence_system_interval,
			.launch_latency = model->launch_latency,
			.shared_latency = model->shared_latency};
	else
		machine->retry = &retry_none;
	divisions_read(model, &machine->divisions);
	drawn_begin(&machine->drawn, machine->seed,
		first->functional && gpu->options.seed && model->functional_drawn && !gpu->placement);
	machine->time.stamp_of_cycle_0 = ++gpu->space.now - machine->time.cycle;
	machine->is_first = !first->ordinal;
	assert(machine->time.quantum);
	keep_start(machine);
	machine->watcher = watcher_create(&machine->arena, children_begin_later);
	machine->cores.at = arena_reserve(&machine->arena, machine->cores.count * sizeof *machine->cores.at);
	machine->cores.arenas = arena_new_array(&machine->arena, struct arena, machine->cores.count);
	machine->cores.starts_on = arena_new_array(&machine->arena, struct core_starts, machine->cores.count);
	if (model->crossbar_cores > 1)
		machine->cores.links = arena_new_array(&machine->arena, struct port_link, machine->cores.count);
	nodes_create(machine);
	machine_begin_threads(machine);
	return machine;
}

/* bytes: memory of more cores goes back to the system sooner than it is cleared */
#define CLEARED_CORES (1u << 18)

void machine_destroy(struct machine *machine)
{
	struct arena arena;
	size_t taken = 0;

	assert(machine->gpu->machine == machine);
	thread_pool_dismiss(machine->thread_pool);
	forget_start(machine);
	arena_free(&machine->processor_arena);
	arena = machine->arena; /* the machine lies in it */
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		if (machine_uses_core(machine, c)) {
			core_clear(&machine->cores.at[c], &machine->cores.arenas[c]);
			taken = (c + 1) * sizeof *machine->cores.at;
		}
		arena_free(&machine->cores.arenas[c]);
	}
	if (taken <= CLEARED_CORES)
		arena_keep(&arena, machine->cores.at, taken);
	arena_free(&arena);
}

/* --- Quanta --- */

#define PROGRESS_QUANTA 256

/* The earliest cycle at which something has to be done; the next quantum begins there. */
static uint64_t next_event(struct machine *machine)
{
	uint64_t next = nodes_next_event(machine), child = children_next(machine);

	next = child < next ? child : next;
	for (const struct launch *launch = machine->launches.active; launch; launch = launch->course.next_active)
		if (launch->ready_at > machine->time.cycle && launch->dispatch.next_group < launch->total_groups)
			next = launch->ready_at < next ? launch->ready_at : next;
	return next;
}

/* The earliest fault; of one cycle, the lowest core's. */
static const struct finding *earliest_finding(const struct machine *machine)
{
	const struct finding *first = NULL;

	EACH_USED_CORE(machine, c) {
		const struct finding *f = &machine->cores.at[c].finding;

		assert(!f->found || f->cycle <= machine->time.cycle);
		if (f->found && (!first || f->cycle < first->cycle))
			first = f;
	}
	if (machine->processor && machine->processor->finding.found &&
		(!first || machine->processor->finding.cycle < first->cycle))
		first = &machine->processor->finding;
	return first;
}

/* Ends what is over; the first of it, or null. */
static struct launch *end_some(struct machine *machine, uint32_t news)
{
	const struct finding *fault = news & NEWS_FINDING || machine->processor ? earliest_finding(machine) : NULL;
	uint64_t limit = machine->gpu->options.max_cycles;
	bool interrupted = gpu_is_interrupted(machine->gpu);
	enum gpu_outcome early = interrupted ? GPU_INTERRUPTED : GPU_LIMIT;
	struct launch *first = machine->launches.first, *at_limit = first;

	if (fault)
		return machine_fault(machine, fault);
	if (news & NEWS_ROOM || machine->processor)
		machine_drop_ended(machine);
	while (at_limit && at_limit->course.is_done)
		at_limit = at_limit->next; /* the first has begun first */
	if (!at_limit || (!interrupted && (!limit || machine->time.cycle - at_limit->start < limit)))
		return machine_finish_done(machine);
	while (machine->launches.first != at_limit)
		machine_finish(machine, machine->launches.first, GPU_COMPLETED);
	while (machine->launches.first) /* its warps cannot be taken off the cores: all ends */
		machine_finish(machine, machine->launches.first, early);
	return first;
}

/* Earlier launches first: what they leave free is for the later ones. */
static bool dispatch_all(struct machine *machine)
{
	bool any = false;

	children_begin(machine);
	assert(machine->launches.first);
	for (struct launch *launch = machine->launches.active; launch; launch = launch->course.next_active)
		if (launch->ready_at <= machine->time.cycle)
			any |= launch->kind->dispatch(launch);
	return any;
}

/* What is done for all cores when a quantum is over; what is then to be looked for. */
static uint32_t carry_out_news(struct machine *machine)
{
	uint32_t news = atomic_exchange_explicit(&machine->nodes.news, 0, memory_order_relaxed);

	if (machine->gpu->experiment.between) {
		machine->gpu->experiment.between(machine->gpu->experiment.between_context);
		news = NEWS_ALL;
	}
	machine->rounds++;
	if (machine->rounds % PROGRESS_QUANTA == 0)
		machine_show_progress(machine, machine->time.cycle - machine->launches.first->start);
	machine->time.cycle += machine->time.quantum;
	if (news & NEWS_DEFERRED) {
		deferred_carry_out(machine);
		news = NEWS_ALL;
	}
	machine->cores.rooms += (news & NEWS_ROOM) != 0;
	observers_flush(machine, false);
	early_begin(machine);
	return news;
}

static struct launch *run_quanta(struct machine *machine)
{
	machine_drop_ended(machine); /* by a change that was made at a pause */
	machine->cores.rooms++;
	for (;;) {
		uint32_t news;
		struct launch *over;

		if (!dispatch_all(machine)) {
			const struct launch_kind *kind = machine->launches.first->kind;
			uint64_t next = next_event(machine);

			if (next == NEVER && machine->gpu->experiment.between_holds)
				next = machine->time.cycle;
			if (next == NEVER && (!kind->looks_again || !kind->looks_again(machine, &next))) {
				/* A change made at a pause may have ended the last lanes. */
				over = end_some(machine, NEWS_ALL);
				return over ? over : machine_dead(machine);
			}
			assert(next != NEVER);
			if (next > machine->time.cycle)
				machine->time.cycle = next;
			dispatch_all(machine);
		}
		machine->time.parity = 1 - machine->time.parity;
		machine->gpu->space.now = machine->time.cycle + machine->time.stamp_of_cycle_0;
		turns_take(machine);
		if (machine->gpu->code_cache)
			code_cache_end_quantum(machine);
		audit_round(machine);
		news = carry_out_news(machine);
		over = end_some(machine, news);
		if (over || machine->launches.first->kind->watch(machine, &over))
			return over;
		if (machine_pauses(machine))
			return NULL;
	}
}

static uint64_t clock_of(const struct machine *machine)
{
	return machine->time.cycle - machine->time.start;
}

static uint64_t elapsed(const struct machine *machine, const struct launch *launch)
{
	assert(machine->time.cycle >= (launch ? launch->start : machine->time.start));
	return machine->time.cycle - (launch ? launch->start : machine->time.start);
}

/* Cores send to each other from now on, and no message may arrive in the quantum in which it is sent. */
static void begin_clusters(struct machine *machine, const struct launch *launch)
{
	const struct gpu_model *model = machine->model;
	uint32_t way = shorter(model->cluster_latency, model->cluster_barrier);

	assert(!launch->machine);
	if (machine->cores.peers || launch_cluster_size(&launch->values) == 1)
		return;
	assert(way);
	assert(model->cluster_groups > 1);
	machine->cores.peers = arena_new_array(&machine->arena, uint32_t, machine->cores.count);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		machine->cores.peers[c] = c; /* they are the first nodes */
	machine->time.quantum = shorter(machine->time.quantum, way);
}

/* Cycles until the last instruction was issued, the last reply came or the last group ended; the quantum's end would be
 * arbitrary. */
static uint64_t last_activity(const struct machine *machine, uint64_t start)
{
	uint64_t last = start;

	EACH_USED_CORE(machine, c)
		if (machine->cores.at[c].last_activity + 1 > last)
			last = machine->cores.at[c].last_activity + 1;
	if (machine->processor && machine->processor->ended_at + 1 > last)
		last = machine->processor->ended_at + 1;
	return last;
}

static void count(struct launch *launch)
{
	struct gpu_result *result = &launch->result;

	assert(!launch->runs);
	assert(!result->cycles);
	result->cycles = last_activity(launch->machine, launch->start) - launch->start;
	machine_count(launch);
	count_operations(&result->counters, launch);
	result->energy = energy_of(launch, result);
}

const struct machine_mode mode_timing = {.clock_unit = "cycle",
	.clock = clock_of,
	.clock_cycles = 1,
	.elapsed = elapsed,
	.join = begin_clusters,
	.count = count,
	.run = run_quanta};
