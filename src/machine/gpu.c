/* The running of a kernel: quanta, exchange, dispatch, the end.
 *
 * A quantum is as long as the shortest way a message can take, so all units (cores and partitions) advance through it
 * independently; see memory/message.h.  Between quanta one thread dispatches work-groups and looks whether it is over. */
#include "machine/gpu.h"

#include "machine/load_store.h"
#include "machine/parallel.h"
#include "machine/print.h"
#include "machine/timeline.h"

#include <stddef.h>
#include <string.h>

void gpu_create(struct gpu *gpu)
{
	const struct gpu_model *model = gpu->model;
	uint32_t channels = model->channels;

	gpu->partitions = arena_new_array(gpu->arena, struct partition *, channels);
	gpu->slice_inboxes = arena_new_array(gpu->arena, struct inbox *, model->slices);
	gpu->partition_arenas = arena_new_array(gpu->arena, struct arena, channels);
	gpu->partition_outboxes = arena_new_array(gpu->arena, struct outbox *, channels);
	for (uint32_t k = 0; k < channels; k++) {
		struct arena *own = &gpu->partition_arenas[k];

		gpu->partitions[k] = partition_create(own, model, &gpu->space, k);
		for (uint32_t s = 0; s < model->slices / channels; s++)
			gpu->slice_inboxes[k * (model->slices / channels) + s] = inbox_create(own);
		gpu->partition_outboxes[k] = outbox_create(own, model->core_count);
	}
}

void gpu_destroy(struct gpu *gpu)
{
	for (uint32_t k = 0; k < gpu->model->channels; k++)
		arena_free(&gpu->partition_arenas[k]);
}

/* --- What instructions cost on this model --- */

static const uint32_t *latency_fields(const struct gpu_model *m)
{
	return &m->latency_INT_ADD; /* the class fields stand in the order of enum latency_class, up to SHUFFLE */
}

static uint8_t unit_of(const struct gpu_model *m, const struct insn *i)
{
	bool is_integer = i->latency <= LATENCY_INT_DIV;

	if (i->unit == UNIT_ALU && is_integer && m->unit_int)
		return UNIT_INT;
	if (i->unit == UNIT_DP && !m->unit_dp)
		return UNIT_SFU;
	return i->unit;
}

#define COUNTER_INDEX(field) (uint8_t)(offsetof(struct counters, field) / sizeof(uint64_t))

/* Which counter the instruction's class has. */
static uint8_t counter_of(const struct insn *i)
{
	switch (i->kind) {
	case INSN_LOAD: return COUNTER_INDEX(class_load);
	case INSN_STORE: return COUNTER_INDEX(class_store);
	case INSN_ATOMIC: return COUNTER_INDEX(class_atomic);
	case INSN_FENCE: return COUNTER_INDEX(class_fence);
	case INSN_BARRIER: return COUNTER_INDEX(class_barrier);
	case INSN_PLAIN: case INSN_SYNC: case INSN_CLOCK: break;
	default: return COUNTER_INDEX(class_control);
	}
	if (i->latency == LATENCY_SHUFFLE)
		return COUNTER_INDEX(class_shuffle);
	if (i->unit == UNIT_SFU)
		return COUNTER_INDEX(class_sfu);
	if (i->unit == UNIT_DP)
		return COUNTER_INDEX(class_dp);
	return i->latency >= LATENCY_FP_ADD && i->latency <= LATENCY_FP_DIV ? COUNTER_INDEX(class_fp) : COUNTER_INDEX(class_alu);
}

static struct issue_cost cost_of(const struct gpu_model *m, const struct insn *i)
{
	const uint32_t *latency = latency_fields(m), *interval = &m->interval_INT_ADD;
	uint32_t passes = m->warp_size / m->simd_width;
	struct issue_cost cost = { .latency = (uint16_t)(m->latency_pipeline + m->latency_INT_ADD), .interval = 1, .unit = unit_of(m, i),
				   .counter = counter_of(i) };

	if (i->latency <= LATENCY_SHUFFLE) {
		cost.latency = (uint16_t)(m->latency_pipeline + latency[i->latency] + passes - 1);
		cost.interval = (uint16_t)(interval[i->latency] > passes ? interval[i->latency] : passes);
	}
	return cost;
}

static const struct issue_cost *costs_of(struct arena *arena, const struct gpu_model *model, const struct kernel *kernel)
{
	struct issue_cost *costs = arena_new_array(arena, struct issue_cost, kernel->code_count + 1);

	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		costs[pc] = cost_of(model, &kernel->code[pc]);
	return costs;
}

/* --- Setting up a launch --- */

/* Runs a copy of the code in which every instruction first tells the timeline. */
static void observe_code(struct launch *launch)
{
	struct insn *copy = arena_new_array(launch->arena, struct insn, launch->kernel->code_count);

	memcpy(copy, launch->kernel->code, launch->kernel->code_count * sizeof *copy);
	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++)
		copy[pc].kind = INSN_OBSERVED;
	launch->code = copy;
}

static void size_warps(struct launch *launch)
{
	const struct kernel *k = launch->kernel;
	uint32_t lanes = launch->model->warp_size;
	uint32_t depth = k->recursive ? launch->model->call_depth + 1 : 0;
	uint32_t slots = k->slot_count + depth * k->frame_slots_max;

	launch->register_words = (slots + 1) * lanes;
	launch->predicate_count = k->predicate_count + depth * k->frame_predicates_max + 1;
	launch->stack_bytes = k->stack_bytes > launch->model->stack_bytes ? k->stack_bytes : launch->model->stack_bytes;
	launch->stack_bytes = (launch->stack_bytes + 15) & ~15u;
	launch->call_depth = k->function_count > 1 ? launch->model->call_depth : 0;
	launch->divergence_bytes = launch->divergence->state_size(lanes, launch->call_depth);
}

static uint32_t shorter(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static struct launch *set_up(struct gpu *gpu, const struct gpu_launch *what, struct arena *arena)
{
	struct launch *launch = arena_new(arena, struct launch);
	const struct gpu_model *model = gpu->model;
	uint32_t *constants = arena_new_array(arena, uint32_t, what->kernel->constant_words + 1);

	memcpy(constants, what->constants, what->kernel->constant_words * sizeof(uint32_t));
	*launch = (struct launch){
		.model = model, .kernel = what->kernel, .values = what->values, .constants = constants, .code = what->kernel->code,
		.scheduler = gpu->scheduler, .divergence = gpu->divergence, .coherence = gpu->coherence, .dispatcher = gpu->dispatcher,
		.space = &gpu->space, .map = address_map_of(model), .independent = gpu->divergence->yield != NULL, .functional = gpu->functional,
		.group_threads = what->group_threads, .group_warps = (what->group_threads + model->warp_size - 1) / model->warp_size,
		.shared_bytes = what->shared_bytes, .groups_per_core = what->groups_per_core,
		.total_groups = what->values.grid[0] * what->values.grid[1] * what->values.grid[2],
		.quantum = shorter(model->crossbar_request_latency, model->crossbar_reply_latency),
		.seed = gpu->seed + gpu->launches * 0x9e3779b97f4a7c15ull, .arena = arena, .core_count = model->core_count,
		.partitions = gpu->partitions, .slice_inboxes = gpu->slice_inboxes, .partition_count = model->channels,
		.slices_per_partition = model->slices / model->channels, .cycle = gpu->cycle, .max_cycles = gpu->max_cycles, .gpu = gpu,
	};
	launch->costs = costs_of(arena, model, what->kernel);
	size_warps(launch);
	warp_fill_launch_constants(what->kernel, &launch->values, constants);
	launch->partition_outboxes = gpu->partition_outboxes;
	launch->dispatcher_state = arena_alloc(arena, launch->dispatcher->state_size + 1);
	launch->cores = arena_new_array(arena, struct core, launch->core_count);
	launch->core_arenas = arena_new_array(arena, struct arena, launch->core_count);
	if (gpu->timeline)
		observe_code(launch);
	for (uint32_t c = 0; c < launch->core_count; c++)
		core_create(&launch->cores[c], &launch->core_arenas[c], launch, c);
	return launch;
}

/* --- Quanta --- */

bool launch_dispatch(struct launch *launch, uint64_t at)
{
	uint32_t room[256];
	bool any = false;

	while (launch->next_group < launch->total_groups) {
		struct dispatch_view view = { .room = room, .core_count = launch->core_count, .next = launch->next_group,
					      .total = launch->total_groups, .now = launch->cycle };
		int core;

		for (uint32_t c = 0; c < launch->core_count; c++)
			room[c] = core_free_groups(&launch->cores[c]);
		core = launch->dispatcher->next(launch->dispatcher_state, &view);
		if (core < 0)
			break;
		core_start_group(&launch->cores[core], launch->next_group++, at);
		any = true;
	}
	return any;
}

static void run_core(struct launch *launch, struct core *core)
{
	for (uint32_t p = 0; p < launch->partition_count; p++)
		inbox_collect(core->inbox, launch->partition_outboxes[p], 1 - launch->parity, core->index);
	core->next_reply = load_store_next_reply(core);
	core_run(core, launch->cycle + launch->quantum);
}

static void run_partition(struct launch *launch, uint32_t index)
{
	struct inbox *const *inboxes = &launch->slice_inboxes[index * launch->slices_per_partition];
	struct outbox *out = launch->partition_outboxes[index];

	outbox_begin(out, launch->parity);
	for (uint32_t s = 0; s < launch->slices_per_partition; s++)
		for (uint32_t c = 0; c < launch->core_count; c++)
			inbox_collect(inboxes[s], launch->cores[c].outbox, 1 - launch->parity, index * launch->slices_per_partition + s);
	partition_run(launch->partitions[index], inboxes, out, launch->cycle + launch->quantum);
}

static void run_unit(void *context, uint32_t item)
{
	struct launch *launch = context;

	if (item < launch->core_count)
		run_core(launch, &launch->cores[item]);
	else
		run_partition(launch, item - launch->core_count);
}

/* The earliest cycle at which a unit has something to do; the next quantum begins there.  What was sent in the last quantum is
 * not in the inboxes yet, so then nothing is skipped. */
static uint64_t next_event(const struct launch *launch)
{
	uint64_t next = NEVER, event;

	for (uint32_t c = 0; c < launch->core_count; c++) {
		if (outbox_count(launch->cores[c].outbox, launch->parity))
			return launch->cycle;
		event = core_next_event(&launch->cores[c]);
		next = event < next ? event : next;
	}
	for (uint32_t p = 0; p < launch->partition_count; p++) {
		if (outbox_count(launch->partition_outboxes[p], launch->parity))
			return launch->cycle;
		event = partition_next_event(launch->partitions[p], &launch->slice_inboxes[p * launch->slices_per_partition]);
		next = event < next ? event : next;
	}
	return next;
}

static bool all_done(const struct launch *launch)
{
	if (launch->next_group < launch->total_groups)
		return false;
	for (uint32_t c = 0; c < launch->core_count; c++)
		if (launch->cores[c].used_groups || launch->cores[c].in_flight)
			return false;
	return true;
}

static uint64_t groups_done(const struct launch *launch)
{
	uint64_t done = 0;

	for (uint32_t c = 0; c < launch->core_count; c++)
		done += launch->cores[c].groups_done;
	return done;
}

static uint64_t warp_instructions(const struct launch *launch)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < launch->core_count; c++)
		sum += launch->cores[c].counters.warp_instructions;
	return sum;
}

/* The earliest fault; of one cycle, the lowest core's. */
static const struct finding *earliest_finding(const struct launch *launch)
{
	const struct finding *first = NULL;

	for (uint32_t c = 0; c < launch->core_count; c++) {
		const struct finding *f = &launch->cores[c].finding;

		if (f->found && (!first || f->cycle < first->cycle))
			first = f;
	}
	return first;
}

/* Nothing is runnable, no message is in flight, something is unfinished: that is a proof.  Names the first waiting warp. */
void launch_explain_blocked(const struct launch *launch, struct finding *f)
{
	for (uint32_t c = 0; c < launch->core_count; c++)
		for (uint32_t w = 0; w < launch->cores[c].warp_slots; w++) {
			struct resident *r = &launch->cores[c].residents[w];

			if (!r->used || r->finished)
				continue;
			*f = (struct finding){ .found = true, .cycle = launch->cycle, .kind = "hang", .cause = "barrier",
					       .message = "every unfinished warp waits at a barrier that cannot be completed",
					       .pc = r->barrier_insn ? (uint32_t)(r->barrier_insn - launch->kernel->code) : r->warp.path->pc,
					       .group = r->group->number, .thread = r->warp.first_thread };
			return;
		}
}

/* Between quanta.  False: it is over. */
static bool go_on(struct launch *launch, struct gpu *gpu, struct gpu_result *result)
{
	const struct finding *fault = earliest_finding(launch);
	uint64_t next;

	launch->cycle += launch->quantum;
	print_flush(launch);
	timeline_flush(launch, 0);
	if (fault) {
		result->outcome = GPU_FAULT;
		result->finding = *fault;
		return false;
	}
	if (all_done(launch))
		return false;
	if (gpu->max_cycles && launch->cycle - gpu->cycle >= gpu->max_cycles) {
		result->outcome = GPU_LIMIT;
		return false;
	}
	if (!launch_dispatch(launch, launch->cycle + launch->model->dispatch_latency)) {
		next = next_event(launch);
		if (next == NEVER) {
			result->outcome = GPU_HANG;
			launch_explain_blocked(launch, &result->finding);
			return false;
		}
		if (next > launch->cycle)
			launch->cycle = next;
	}
	launch->parity = 1 - launch->parity;
	return true;
}

#define PROGRESS_QUANTA 4096

static void run_quanta(struct launch *launch, struct gpu *gpu, struct gpu_result *result)
{
	uint32_t units = launch->core_count + launch->partition_count;
	struct crew *crew = crew_create(launch->arena, gpu->threads, run_unit, launch);
	uint64_t quanta = 0;

	launch->cycle += launch->model->launch_latency;
	launch_dispatch(launch, launch->cycle + launch->model->dispatch_latency);
	do {
		crew_round(crew, units);
		if (gpu->progress && ++quanta % PROGRESS_QUANTA == 0)
			gpu->progress(gpu->progress_context, launch->cycle - gpu->cycle, warp_instructions(launch), groups_done(launch),
				      launch->total_groups);
	} while (go_on(launch, gpu, result));
	crew_dismiss(crew);
}

/* --- The end --- */

static void add_counters(struct gpu_result *result, const struct launch *launch)
{
	uint64_t *sum = (uint64_t *)&result->counters;

	for (uint32_t c = 0; c < launch->core_count; c++) {
		const uint64_t *from = (const uint64_t *)&launch->cores[c].counters;

		for (size_t k = 0; k < sizeof result->counters / sizeof *sum; k++)
			sum[k] += from[k];
	}
	result->counters.lane_slots = result->counters.warp_instructions * launch->model->warp_size;
}

/* What the partitions have counted in all launches so far. */
static struct partition_counters partition_totals(const struct gpu *gpu)
{
	struct partition_counters total = { 0 };
	uint64_t *sum = (uint64_t *)&total;

	for (uint32_t p = 0; p < gpu->model->channels; p++) {
		const uint64_t *from = (const uint64_t *)partition_counters(gpu->partitions[p]);

		for (size_t k = 0; k < sizeof total / sizeof *sum; k++)
			sum[k] += from[k];
	}
	return total;
}

static void subtract(struct partition_counters *from, const struct partition_counters *what)
{
	uint64_t *a = (uint64_t *)from;
	const uint64_t *b = (const uint64_t *)what;

	for (size_t k = 0; k < sizeof *from / sizeof *a; k++)
		a[k] -= b[k];
}

/* Cycles until the last instruction was issued or the last reply came; the quantum's end would be arbitrary. */
static uint64_t last_activity(const struct launch *launch, uint64_t start)
{
	uint64_t last = start;

	for (uint32_t c = 0; c < launch->core_count; c++)
		if (launch->cores[c].last_activity + 1 > last)
			last = launch->cores[c].last_activity + 1;
	return last;
}

/* Makes the memory system ready for the next launch.  After a fault or a limit requests are still under way whose replies the
 * next launch must not get, so it is made anew; its memory contents live elsewhere. */
static void settle(struct gpu *gpu, const struct launch *launch, enum gpu_outcome outcome)
{
	gpu->cycle = launch->cycle + launch->quantum;
	if (outcome != GPU_COMPLETED) {
		gpu_destroy(gpu);
		gpu_create(gpu);
	}
	for (uint32_t p = 0; p < launch->partition_count; p++)
		for (uint32_t k = 0; k < 2; k++)
			outbox_begin(gpu->partition_outboxes[p], k);
}

struct gpu_result gpu_run(struct gpu *gpu, const struct gpu_launch *what)
{
	struct arena arena = { 0 };
	struct gpu_result result = { .outcome = GPU_COMPLETED };
	struct partition_counters before = partition_totals(gpu);
	struct launch *launch = set_up(gpu, what, &arena);

	if (gpu->functional)
		functional_run(launch, gpu, &result);
	else
		run_quanta(launch, gpu, &result);
	add_counters(&result, launch);
	result.partition_counters = partition_totals(gpu);
	subtract(&result.partition_counters, &before);
	if (!gpu->functional) {
		uint64_t end = last_activity(launch, gpu->cycle);

		result.cycles = end - gpu->cycle;
		timeline_flush(launch, 1);
		settle(gpu, launch, result.outcome);
	}
	gpu->launches++;
	for (uint32_t c = 0; c < launch->core_count; c++)
		arena_free(&launch->core_arenas[c]);
	arena_free(&arena);
	return result;
}
