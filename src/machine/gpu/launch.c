/* A kernel's launch: what its instructions cost on this model, how large its warps are, where its groups go. */
#include "machine/gpu/launch.h"

#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/gpu/latency.h"
#include "machine/nodes/start.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* --- What instructions cost on this model --- */

static uint8_t unit_of(const struct gpu_model *m, const struct insn *i)
{
	bool is_integer = i->latency <= LATENCY_INT_DIV;

	if (i->unit == UNIT_ALU && is_integer && m->unit_int)
		return UNIT_INT;
	if (m->unit_half && m->unit_dp && latency_is_half(i))
		return UNIT_DP;
	if (m->unit_matrix && m->unit_dp && i->latency == LATENCY_MATRIX)
		return UNIT_DP;
	if (i->unit == UNIT_DP && !m->unit_dp)
		return UNIT_SFU;
	if (fence_is_of_group(i) && m->fence_group_latency)
		return UNIT_MEMORY;
	return i->unit;
}

/* Which counter the instruction's class has. */
static uint8_t counter_of(const struct insn *i)
{
	switch (insn_kinds[i->kind].class) {
	case CLASS_LOAD: return COUNTER_INDEX(class_load);
	case CLASS_STORE: return COUNTER_INDEX(class_store);
	case CLASS_ATOMIC: return COUNTER_INDEX(class_atomic);
	case CLASS_MOVED:
		return ptx_ops[i->op].effects & EFFECT_WRITES ? COUNTER_INDEX(class_store) : COUNTER_INDEX(class_load);
	case CLASS_FENCE: return COUNTER_INDEX(class_fence);
	case CLASS_BARRIER: return COUNTER_INDEX(class_barrier);
	case CLASS_MATRIX: return COUNTER_INDEX(class_matrix);
	case CLASS_CONTROL: return COUNTER_INDEX(class_control);
	}
	if (i->latency == LATENCY_MATRIX)
		return COUNTER_INDEX(class_matrix);
	if (i->latency == LATENCY_SHUFFLE)
		return COUNTER_INDEX(class_shuffle);
	if (i->unit == UNIT_SFU)
		return COUNTER_INDEX(class_sfu);
	if (i->unit == UNIT_DP)
		return COUNTER_INDEX(class_dp);
	return i->latency >= LATENCY_FP_ADD && i->latency <= LATENCY_FP_DIV ? COUNTER_INDEX(class_fp)
									    : COUNTER_INDEX(class_alu);
}

/* 32-bit registers of what a memory instruction reads: its address and what it stores.  Immediates count, since a
 * machine instruction has them in registers. */
static uint32_t operand_words(const struct kernel *kernel, const struct insn *i)
{
	const struct insn_extra *extra = i->extra ? &kernel->extras[i->extra] : NULL;
	uint32_t words = 0, parts = 0;

	for (uint32_t k = 0; k < INSN_SOURCES; k++)
		words += i->s[k] == SLOT_NONE ? 0 : i->s_bytes[k] / 4u;
	if (extra)
		parts = extra->value_count + (i->kind == INSN_STORE ? extra->vector_count : 0);
	return words + parts * (i->access.register_bytes / 4u);
}

static bool is_shift(const struct insn *i)
{
	return i->op == OP_shfl_up || i->op == OP_shfl_down || i->op == OP_shfl_sync_up || i->op == OP_shfl_sync_down;
}

static struct issue_row shuffle_cost(const struct gpu_model *m, const struct insn *i, struct issue_row cost)
{
	assert(i->latency == LATENCY_SHUFFLE);
	if (m->latency_shift && is_shift(i))
		cost.latency = (uint16_t)(cost.latency - m->latency_SHUFFLE + m->latency_shift);
	if (m->latency_warp_barrier && i->op == OP_bar_warp_sync) {
		cost.latency = (uint16_t)m->latency_warp_barrier;
		cost.interval = 1;
		cost.unit = UNIT_CONTROL;
	}
	return cost;
}

static bool adds_words(const struct insn *i)
{
	assert(i->type < TYPE_COUNT);
	return (i->op == OP_add_int || i->op == OP_sub_int) && ptx_types[i->type].bits == 32 &&
	       ptx_types[i->type].kind != KIND_PACKED;
}

/* What has a rate or a unit of its own within its class. */
static struct issue_row rate_of(const struct gpu_model *m, const struct insn *i, struct issue_row cost)
{
	uint32_t passes = m->warp_size / m->simd_width, own = 0;
	bool is_short = i->latency == LATENCY_FP_ADD || i->latency == LATENCY_INT_MUL;

	assert(passes && cost.interval);
	if (is_short && latency_counts_bits(i))
		own = m->interval_count;
	else if (is_short && latency_converts_floats(i))
		own = m->interval_convert;
	if (own)
		cost.unit = UNIT_SFU;
	else if (cost.unit == UNIT_INT && m->unit_adds && adds_words(i))
		cost.unit = UNIT_ALU;
	if (own)
		cost.interval = (uint16_t)(own > passes ? own : passes);
	return cost;
}

static bool sums_floats(const struct matrix *x)
{
	assert(x->kind == MATRIX_MULTIPLY);
	return x->type[MATRIX_D] == MATRIX_F32;
}

/* A product of matrices: as many halves of a pass as the shape and the types ask for, where the model says nothing
 * else of them. */
static struct issue_row matrix_cost(
	const struct gpu_model *m, const struct kernel *kernel, const struct insn *i, struct issue_row cost)
{
	const struct matrix *x = &kernel->extras[i->extra].matrix->shape;
	uint32_t work = matrix_work(x), latency = m->latency_MATRIX, most = m->interval_MATRIX;
	uint32_t interval = (cost.interval * i->component + 1u) / 2, more = i->component * m->interval_MATRIX / 2;
	bool is_integer = matrix_is_integer((enum matrix_type)x->type[MATRIX_A]);

	assert(i->extra && i->latency == LATENCY_MATRIX);
	if (m->latency_matrix_double && x->type[MATRIX_A] == MATRIX_F64) {
		latency = m->latency_matrix_double;
		most = m->interval_matrix_double;
		more = interval = work > 1024 ? most * (work / 1024) : most;
	} else if (m->latency_matrix_half && !x->quad_pairs && work <= 1024) {
		latency = is_integer && m->latency_matrix_int ? m->latency_matrix_int : m->latency_matrix_half;
		most = more = interval = (m->interval_MATRIX * work + 2047) / 2048;
	}
	assert(latency + more >= most && cost.latency >= m->latency_MATRIX);
	cost.latency = (uint16_t)(cost.latency - m->latency_MATRIX + latency + more - most);
	cost.interval = (uint16_t)(m->interval_matrix_sums && sums_floats(x) ? 2 * interval : interval);
	return cost;
}

static struct issue_row cost_of(const struct gpu_model *m, const struct kernel *kernel, const struct insn *i)
{
	/* the fields are in the order of enum latency_class, up to MATRIX */
	const uint32_t *latency = &m->latency_INT_ADD, *interval = &m->interval_INT_ADD;
	uint32_t passes = m->warp_size / m->simd_width, each;
	struct issue_row cost = {.latency = (uint16_t)(m->latency_pipeline + m->latency_INT_ADD),
		.interval = 1,
		.unit = unit_of(m, i),
		.counter = counter_of(i)};

	assert(passes);
	if (i->latency <= LATENCY_MATRIX) {
		assert(latency[i->latency] <= UINT16_MAX);
		assert(interval[i->latency] <= UINT16_MAX);
		cost.latency = (uint16_t)(m->latency_pipeline + latency[i->latency] + passes - 1);
		each = m->interval_half && latency_is_half(i) ? m->interval_half : interval[i->latency];
		cost.interval = (uint16_t)(each > passes ? each : passes);
	}
	cost = rate_of(m, i, cost);
	if (i->latency == LATENCY_MATRIX)
		return matrix_cost(m, kernel, i, cost);
	if (i->kind == INSN_BRANCH)
		cost.latency = (uint16_t)m->latency_branch;
	if (i->latency == LATENCY_SHUFFLE)
		return shuffle_cost(m, i, cost);
	if (cost.unit == UNIT_MEMORY && latency_takes_operands(i)) {
		uint32_t cycles = m->lsu_operand * operand_words(kernel, i);

		assert(cycles <= UINT16_MAX);
		cost.interval = cycles > cost.interval ? (uint16_t)cycles : cost.interval;
	}
	return cost;
}

static void note_slots(bool *late, size_t slots, const uint16_t *scoreboard, uint32_t count)
{
	assert(late);
	for (uint32_t k = 0; k < count; k++)
		if (scoreboard[k] < slots)
			late[scoreboard[k]] = true;
}

/* The slots that an instruction reads late: the others may be updated at any time.  Null: the model has no such times.
 */
static const bool *slots_read_late(struct launch *launch, size_t slots, const struct issue_row *rows)
{
	const struct kernel *kernel = launch->kernel;
	bool *late = launch->times ? arena_new_array(&launch->arena, bool, slots) : NULL;

	assert(slots);
	for (uint32_t pc = 0; late && pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];
		const struct insn_extra *extra = &kernel->extras[i->extra];
		const struct insn_scoreboard *own = &i->scoreboard;

		if (!launch->times[rows[pc].times].reads_for)
			continue;
		note_slots(late, slots, own->slot + own->writes, own->count - own->writes);
		if (i->extra)
			note_slots(late, slots, extra->more_scoreboard, extra->more_scoreboard_count);
	}
	return late;
}

/* Adds when the registers that it updates may be written, if there is room; the number of values that it waits for. */
static uint8_t add_updates(struct issue_row *row, const struct insn *i, size_t stride, const bool *late)
{
	const struct insn_scoreboard *own = &i->scoreboard;
	uint8_t values = own->count;

	assert(values <= INSN_SCOREBOARD);
	for (uint32_t k = 0; row->times && k < own->writes && values < INSN_SCOREBOARD; k++) {
		size_t at = own->slot[k] + stride * READER_UPDATE;

		if (own->updated >> k & 1 && !(own->slot[k] & SCOREBOARD_PREDICATE) && late[own->slot[k]] &&
			at <= UINT16_MAX)
			row->scoreboard[values++] = (uint16_t)at;
	}
	return values;
}

/* The entry function runs in the lowest frame, so where its ready times are is known: those of predicates follow those
 * of slots, from `predicates` on (core_predicates_ready). */
static void fill_scoreboard(const struct launch *launch, struct issue_row *row, const struct insn *i, size_t predicates,
	size_t stride, const bool *late)
{
	const struct kernel *kernel = launch->kernel;
	const struct insn_extra *extra = i->extra ? &kernel->extras[i->extra] : NULL;
	bool fits = !i->function && !(extra && extra->more_scoreboard_count) && !(i->flags & INSN_VANISHES);
	uint16_t filler = i->scoreboard.count ? i->scoreboard.slot[0] : SCOREBOARD_PREDICATE;

	assert(i->scoreboard.count <= INSN_SCOREBOARD);
	assert(i->scoreboard.writes <= i->scoreboard.count);
	for (uint32_t k = 0; k < INSN_SCOREBOARD; k++) {
		uint16_t entry = k < i->scoreboard.count ? i->scoreboard.slot[k] : filler;
		size_t at = entry & SCOREBOARD_PREDICATE ? predicates + (entry & ~SCOREBOARD_PREDICATE) : entry;

		if (row->times)
			at += stride * (entry == (SCOREBOARD_PREDICATE | i->guard)
						       ? (size_t)READER_MEMORY
						       : launch->times[row->times].reads_as);
		fits &= at <= UINT16_MAX;
		row->scoreboard[k] = (uint16_t)at;
	}
	row->values = fits ? add_updates(row, i, stride, late) : ROW_BY_INSN;
	row->writes = fits && !row->times ? i->scoreboard.writes : 0;
}

/* How many instructions a fetch brings: it does not go over the end of a line.  Those that vanish are not counted. */
static uint32_t fetched_at(const struct gpu_model *model, const struct kernel *kernel, uint32_t pc)
{
	uint32_t line = model->fetch_line / FETCH_BYTES, end = pc - pc % line + line, brought = 0;

	assert(pc < kernel->code_count);
	for (; pc < end && brought < model->fetch_width; pc++)
		brought += pc >= kernel->code_count || !(kernel->code[pc].flags & INSN_VANISHES);
	return brought ? brought : 1;
}

#define MOST_TIMES (UINT8_MAX + 1) /* far more than pipelines and latencies meet */

/* Which of the launch's times these are, from 1 on; the first that is not taken has no latencies. */
static uint8_t number_of(struct issue_times *times, const struct issue_times *own)
{
	uint32_t k = 1;

	assert(own->reads_as < READERS);
	while (times[k].latency[0] && memcmp(&times[k], own, sizeof *own))
		k++;
	assert(k < MOST_TIMES);
	times[k] = *own;
	return (uint8_t)k;
}

/* Before what of their scoreboards is in which ready time. */
static void fill_times(struct launch *launch, const struct gpu_model *model, struct issue_row *rows)
{
	const struct kernel *kernel = launch->kernel;
	struct issue_times *times;

	assert(!launch->times);
	if (!latency_by_reader(model))
		return;
	launch->times = times = arena_new_array(&launch->arena, struct issue_times, MOST_TIMES);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		struct issue_times own = latency_times(model, kernel, pc, &rows[pc]);

		rows[pc].times = number_of(times, &own);
	}
}

static const struct issue_row *rows_of(struct launch *launch, const struct gpu_model *model)
{
	const struct kernel *kernel = launch->kernel;
	const size_t predicates = core_predicates_ready(launch, model->warp_size),
		     stride = core_reader_stride(launch, model->warp_size);
	struct issue_row *rows = arena_new_array(&launch->arena, struct issue_row, kernel->code_count + 1);

	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		rows[pc] = cost_of(model, kernel, &kernel->code[pc]);
	fill_times(launch, model, rows);
	const bool *late = slots_read_late(launch, predicates, rows);

	for (uint32_t pc = kernel->code_count; pc--;) {
		const struct insn *i = &kernel->code[pc];

		assert(rows[pc].unit < UNIT_COUNT);
		rows[pc].guard = i->guard;
		rows[pc].guard_invert = (uint8_t)i->guard_invert;
		rows[pc].fetched = (uint8_t)fetched_at(model, kernel, pc);
		fill_scoreboard(launch, &rows[pc], i, predicates, stride, late);
		rows[pc].is_short = insn_is_short(i) && !(i->flags & INSN_GUARDED);
		if (i->kind == INSN_PLAIN && !(i->flags & INSN_GUARDED))
			rows[pc].plain = (uint16_t)(rows[pc + 1].plain + (rows[pc + 1].plain < UINT16_MAX));
		assert(rows[pc].plain <= kernel->code_count - pc);
	}
	return rows;
}

/* --- Making --- */

static void size_warps(struct launch *launch, const struct gpu *gpu)
{
	const struct kernel *k = launch->kernel;
	const struct gpu_model *model = gpu->model;
	uint32_t lanes = model->warp_size;
	uint32_t depth = k->recursive ? model->call_depth + 1 : 0;
	uint32_t slots = k->slot_count + depth * k->frame_slots_max;

	launch->warp.register_words = (slots + 1) * lanes;
	launch->warp.predicate_count = k->predicate_count + depth * k->frame_predicates_max + 1;
	launch->warp.stack_bytes = k->stack_bytes > model->stack_bytes ? k->stack_bytes : model->stack_bytes;
	launch->warp.stack_bytes = (launch->warp.stack_bytes + 15) & ~15u;
	launch->warp.call_depth = k->function_count > 1 ? model->call_depth : 0;
	assert(launch->warp.stack_bytes % 16 == 0);
	launch->warp.divergence_bytes = gpu->divergence->state_size(lanes, launch->warp.call_depth);
	if (launch->warp.divergence_bytes < sizeof(struct path) || launch->warp.divergence_bytes > POLICY_STATE_MAX)
		contract_broken(POLICY_divergence, gpu->divergence,
			"state_size returned %zu bytes, expected %zu (a struct path) to %d",
			launch->warp.divergence_bytes, sizeof(struct path), POLICY_STATE_MAX);
}

void launches_set_mode(struct gpu *gpu, bool functional)
{
	gpu->functional = functional;
}

bool launches_take_mode_of(struct gpu *gpu, const struct machine *machine)
{
	bool before = gpu->functional;

	launches_set_mode(gpu, machine->functional);
	return before;
}

void launch_set_policy(struct launch *launch, const struct group_dispatcher *policy)
{
	assert(!launch->machine);
	launch->dispatch.policy = policy;
	launch->dispatch.state = arena_alloc(&launch->arena, policy->state_size + 1);
}

struct launch *launch_create(struct gpu *gpu, const struct gpu_launch *what)
{
	struct arena arena = {0};
	struct launch *launch = arena_new(&arena, struct launch);
	const struct gpu_model *model = gpu->model;
	uint32_t *constants = arena_new_array(&arena, uint32_t, what->kernel->constant_words + 1);

	if (what->kernel->constant_words)
		memcpy(constants, what->constants, what->kernel->constant_words * sizeof(uint32_t));
	*launch = (struct launch){
		.kernel = what->kernel,
		.values = what->values,
		.constants = constants,
		.code = what->kernel->code,
		.group = what->group,
		.total_groups = what->values.grid[0] * what->values.grid[1] * what->values.grid[2],
		.core_count = model->core_count,
		.functional = gpu->functional,
		.result.owner = what->owner,
		.early.after = what->after,
		.arena = arena,
	};
	launch->group.warps = (launch->group.threads + model->warp_size - 1) / model->warp_size;
	launch->group.pool_registers = kernel_pool_registers(model, launch->kernel);
	assert(launch->group.warps <= CORE_WARPS);
	if (what->kernel->uses.participants)
		launch->values.participants = arena_new_array(&launch->arena, struct participant, launch->total_groups);
	if (gpu->functional)
		launch->runs = arena_new_array(&launch->arena, uint64_t, what->kernel->code_count + 1);
	size_warps(launch, gpu);
	launch->rows = rows_of(launch, model);
	warp_fill_launch_constants(what->kernel, &launch->values, constants);
	launch_set_policy(launch, gpu->dispatch);
	launch->on = arena_new_array(&launch->arena, struct core_launch *, model->core_count);
	launch->code = observers_code(launch, gpu, observers_of_code(launch, gpu));
	launch->kind = what->kind ? what->kind : &launch_grid;
	if (launch->kind->create)
		launch->kind->create(gpu, launch, what);
	return launch;
}

void launch_append(struct launch **list, struct launch *launch)
{
	while (*list)
		list = &(*list)->next;
	launch->next = NULL;
	*list = launch;
}

void launch_activate(struct machine *machine, struct launch *launch)
{
	struct launch **link = &machine->launches.active;

	assert(launch->machine == machine);
	assert(!launch->course.groups_over);
	while (*link)
		link = &(*link)->course.next_active;
	*link = launch;
	launch->course.next_active = NULL;
}

void launch_deactivate(struct machine *machine, struct launch *launch)
{
	struct launch **link = &machine->launches.active;

	assert(launch->machine == machine);
	while (*link && *link != launch)
		link = &(*link)->course.next_active;
	if (*link)
		*link = launch->course.next_active;
}

/* Whether an instruction may write to local memory, by its own space, through a generic address or by a call.  */
static bool may_write_local(const struct kernel *kernel)
{
	if (kernel->stack_bytes || kernel->function_count > 1 || kernel->uses.stack_top)
		return true;
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];

		if (insn_kinds[i->kind].flags & KIND_LOCAL && i->access.space != space_GLOBAL &&
			i->access.space != space_SHARED)
			return true;
	}
	return false;
}

void launch_destroy(struct launch *launch)
{
	struct arena arena;
	bool has_local = may_write_local(launch->kernel); /* else the next launch has the memory */

	for (uint32_t k = 0; k < launch->part_count; k++)
		launch_destroy(launch->parts[k]);
	for (struct core_launch *on = launch->used; on && !has_local; on = on->next)
		arena_keep(&launch->arena, on->locals, 0);
	arena = launch->arena; /* the launch lies in it */
	arena_free(&arena);
}
