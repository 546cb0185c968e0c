/* A control processor at work: what enters its window, begins and leaves it; and its time.  See processor.h. */
#include "machine/control/processor.h"

#include "machine/nodes/nodes.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CODE_LINE 8 /* instructions of 8 bytes in a line of 64 */

/* ---- Clocks ---- */

uint64_t control_core_cycle(const struct control_processor *c, uint64_t own)
{
	const struct gpu_model *model = c->machine->model;

	return (uint64_t)((unsigned __int128)own * model->clock_core / model->control_clock);
}

uint64_t control_own_cycle(const struct control_processor *c, uint64_t core_cycle)
{
	const struct gpu_model *model = c->machine->model;

	return (uint64_t)(((unsigned __int128)core_cycle * model->control_clock + model->clock_core - 1) /
			  model->clock_core);
}

/* ---- Faults ---- */

void control_fault(struct control_processor *c, const struct insn *i, enum fault_cause cause, const char *format, ...)
{
	const struct kernel *kernel = c->registers.kept.kernel;
	struct finding *f = &c->finding;
	va_list list;

	assert(!f->found);
	assert((size_t)(i - kernel->code) < kernel->code_count);
	c->stopped = true;
	c->ended_at = control_core_cycle(c, c->cycle);
	f->found = true;
	f->launch = c->launch;
	f->kernel = kernel;
	f->cycle = c->ended_at;
	f->kind = fault_kind(cause);
	f->cause = fault_name(cause);
	f->pc = (uint32_t)(i - kernel->code);
	va_start(list, format);
	vsnprintf(f->message, sizeof f->message, format, list);
	va_end(list);
}

static void fault_of_access(struct control_processor *c, const struct control_flight *flight)
{
	static const char *const nouns[] = {[INSN_LOAD] = "load", [INSN_STORE] = "store", [INSN_ATOMIC] = "atomic"};
	const struct insn *i = flight->insn;

	assert(flight->fault);
	c->finding.has_address = true;
	c->finding.address = flight->address;
	control_fault(c, i, flight->fault, "%s of %u bytes at 0x%llx by firmware%s", nouns[i->kind], flight->bytes,
		(unsigned long long)flight->address,
		flight->fault == FAULT_misaligned ? ": it is not aligned to its size"
		: flight->fault == FAULT_constant ? ": it is constant memory"
		: flight->fault == FAULT_space    ? ": parameters are read-only"
						  : ": it is outside of every allocation, or of its space");
}

/* ---- The instruction cache ---- */

/* Whether the line of the instruction is there; if not, it will be at fetch_ready. */
static bool code_is_there(struct control_processor *c, uint32_t pc)
{
	const struct gpu_model *model = c->machine->model;
	uint32_t ways = model->control_code_ways;
	uint64_t line = pc / CODE_LINE + 1; /* 0: an empty way */
	uint32_t first = (uint32_t)(line & (model->control_code_sets - 1)) * ways, victim = first;

	assert((model->control_code_sets & (model->control_code_sets - 1)) == 0);
	assert(ways);
	for (uint32_t k = first; k < first + ways; k++) {
		if (c->cache.tags[k] == line) {
			c->cache.used[k] = ++c->cache.stamp;
			return true;
		}
		if (c->cache.used[k] < c->cache.used[victim])
			victim = k;
	}
	c->cache.tags[victim] = line;
	c->cache.used[victim] = ++c->cache.stamp;
	c->counters.code_misses++;
	c->fetch_ready = control_own_cycle(c, control_core_cycle(c, c->cycle) + model->control_code_miss);
	return model->control_code_miss == 0;
}

/* ---- The window's hooks ---- */

/* The pc of what enters after it. */
static uint32_t foresee(const struct control_processor *c, uint32_t pc, const struct insn *i)
{
	bool taken = !(i->flags & INSN_GUARDED) || c->predictors[pc % CONTROL_PREDICTORS] >= 2;

	assert(pc < c->registers.kept.kernel->code_count);
	return i->kind == INSN_BRANCH && taken ? i->target : pc + 1;
}

static bool enter(void *context)
{
	struct control_processor *c = context;
	uint32_t pc = c->fetch_pc;
	const struct control_code *code = &c->code[pc];
	struct control_flight *flight;
	uint64_t number;

	if (c->returned || c->stopped || c->lone.is_there || c->fetch_ready > c->cycle)
		return false;
	assert(pc < c->registers.kept.kernel->code_count);
	if ((code->lone && !window_is_empty(&c->window)) || !window_has_room(&c->window, &code->like))
		return false;
	if (!code_is_there(c, pc))
		return false;
	number = window_enter(&c->window, &code->like);
	flight = control_flight(c, number);
	*flight = (struct control_flight){.insn = &c->registers.kept.kernel->code[pc],
		.serial = ++c->serials,
		.pc = pc,
		.foreseen = foresee(c, pc, &c->registers.kept.kernel->code[pc]),
		.lone = code->lone};
	c->lone.is_there = code->lone;
	if (code->lone) {
		c->lone.flight = flight;
		c->lone.number = number;
	}
	if (flight->foreseen != pc + 1) /* the next line of code, in the next cycle */
		c->fetch_ready = c->cycle + 1;
	c->fetch_pc = flight->foreseen;
	return true;
}

static void learn(struct control_processor *c, uint32_t pc, bool taken)
{
	uint8_t *state = &c->predictors[pc % CONTROL_PREDICTORS];

	assert(c->predictors[pc % CONTROL_PREDICTORS] <= 3);
	*state = (uint8_t)(taken ? *state + (*state < 3) : *state - (*state > 0));
}

static void branch(struct control_processor *c, const struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);
	bool taken = control_guard(&c->registers.trial, flight->insn);
	uint32_t next = taken ? flight->insn->target : flight->pc + 1;

	assert(flight->insn->kind == INSN_BRANCH);
	assert(!flight->lone);
	if (flight->insn->flags & INSN_GUARDED)
		learn(c, flight->pc, taken);
	if (next == flight->foreseen)
		return;
	window_cut(&c->window, entry->number);
	c->lone.is_there = false;
	c->fetch_pc = next;
	c->fetch_ready = c->cycle + 1 + c->machine->model->control_refill; /* of a window: see leave */
	c->counters.mispredicted += c->window.size.overlaps;
}

static uint64_t begin(void *context, struct window_entry *entry)
{
	struct control_processor *c = context;
	struct control_flight *flight = control_flight(c, entry->number);
	const struct insn *i = flight->insn;

	assert(!entry->begun);
	assert(!c->stopped);
	if (flight->lone)
		return control_begin_lone(c, entry);
	if (i->kind == INSN_LOAD)
		return control_begin_load(c, entry);
	if (i->kind == INSN_STORE)
		return control_begin_store(c, entry);
	control_put_operands(c, entry);
	if (i->kind == INSN_BRANCH) {
		branch(c, entry);
		return c->cycle + 1;
	}
	if (control_guard(&c->registers.trial, i))
		i->exec(&c->registers.trial, i, 1);
	control_take_results(c, entry);
	return c->cycle + c->code[flight->pc].latency;
}

static __attribute__((noinline)) void mark(struct control_processor *c, const struct insn *i)
{
	uint32_t event = (uint32_t)slot_value(&c->registers.kept, i->s[0], 4, 0);

	assert(i->op == OP_pmevent);
	assert(!c->stopped);
	control_parts_begin(&c->parts, c->arena, &c->counters, event, c->cycle, control_core_cycle(c, c->cycle));
}

static bool leave(void *context, struct window_entry *entry)
{
	struct control_processor *c = context;
	struct control_flight *flight = control_flight(c, entry->number);

	assert(entry->begun);
	assert(entry->done_at <= c->cycle);
	if (c->stopped)
		return false;
	if (flight->fault) {
		fault_of_access(c, flight);
		return false;
	}
	if (flight->lone ? !control_leave_lone(c, entry)
			 : entry->kind == WINDOW_STORE && !control_leave_store(c, entry))
		return false;
	control_keep_results(c, entry);
	c->counters.instructions++;
	if (flight->insn->op == OP_pmevent && control_guard(&c->registers.kept, flight->insn))
		mark(c, flight->insn);
	if (flight->lone)
		c->lone.is_there = false;
	if (!c->window.size.overlaps)
		c->fetch_ready = c->cycle + c->machine->model->control_code_latency;
	return true;
}

static const struct window_hooks hooks = {.leave = leave, .begin = begin, .enter = enter};

/* ---- Time ---- */

static bool is_running(const struct control_processor *c)
{
	return c->launch && !c->returned && !c->stopped;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Its own cycle, from `first` on, in which something may happen by itself. */
static uint64_t next_own_event(const struct control_processor *c, uint64_t first)
{
	uint64_t next = window_next(&c->window, first);

	assert(first >= c->cycle);
	if (c->fetch_ready >= first)
		next = earlier(next, c->fetch_ready);
	if (c->lone.wake_at)
		next = earlier(next, c->lone.wake_at > first ? c->lone.wake_at : first);
	return next;
}

/* Likewise, with what has arrived. */
static uint64_t next_cycle(const struct control_processor *c)
{
	uint64_t next = next_own_event(c, c->cycle + 1), arrival = inbox_time(c->node->inboxes[0]);

	if (arrival != UINT64_MAX) {
		uint64_t at = arrival > c->reply_port_free ? arrival : c->reply_port_free;

		next = earlier(next, control_own_cycle(c, at));
	}
	return next > c->cycle ? next : c->cycle + 1;
}

void control_run(struct control_processor *c, uint64_t until)
{
	uint64_t end = control_own_cycle(c, until), now = control_own_cycle(c, c->machine->time.cycle);

	assert(until >= c->machine->time.cycle);
	if (c->cycle < now) /* nothing was to be done meanwhile */
		c->cycle = now;
	if (c->launch && c->cycle < control_own_cycle(c, c->begins))
		c->cycle = earlier(control_own_cycle(c, c->begins), end);
	while (is_running(c) && c->cycle < end) {
		bool any;

		control_receive(c);
		any = window_cycle(&c->window, &hooks, c, c->cycle);
		c->busy = any;
		if (is_running(c))
			c->cycle = earlier(any ? c->cycle + 1 : next_cycle(c), end);
	}
	if (!is_running(c))
		while (inbox_first(c->node->inboxes[0]) && inbox_time(c->node->inboxes[0]) < until) {
			c->cycle = control_own_cycle(c, inbox_time(c->node->inboxes[0]));
			control_receive(c);
		}
	c->cycle = c->cycle > end ? c->cycle : end;
}

uint64_t control_next_event(const struct control_processor *c)
{
	uint64_t arrival = inbox_time(c->node->inboxes[0]), own;

	assert(!c->lone.is_there || c->lone.flight);
	if (!is_running(c))
		return arrival;
	if (c->busy)
		return control_core_cycle(c, c->cycle);
	if (c->cycle <= control_own_cycle(c, c->begins) && window_is_empty(&c->window))
		return earlier(arrival, c->begins);
	if (c->is_polling) /* what it looks at is as it was, so only others make it go on */
		return arrival;
	own = next_own_event(c, c->cycle);
	return own == WINDOW_NEVER ? arrival : earlier(arrival, control_core_cycle(c, own));
}

/* ---- Starting ---- */

static void make_caches(struct control_processor *c)
{
	const struct gpu_model *model = c->machine->model;
	struct gpu_model like = *model;
	size_t lines = (size_t)model->control_code_sets * model->control_code_ways;

	like.l1_sets = model->control_sets;
	like.l1_ways = model->control_ways;
	like.l1_mshrs = model->control_mshrs;
	like.l1_merges = model->control_mshrs;
	like.l1_hash = 0;
	l1_create(&c->l1, c->arena, &like);
	c->coherence_state = arena_alloc(c->arena, c->machine->coherence->state_size + 1);
	c->cache.tags = arena_new_array(c->arena, uint64_t, lines);
	c->cache.used = arena_new_array(c->arena, uint64_t, lines);
}

/* Both files; local memory is one. */
static void make_registers(struct control_processor *c, struct warp *w, uint8_t *local)
{
	const struct launch *launch = c->launch;
	size_t bytes = (size_t)launch->warp.register_words * sizeof(uint32_t);

	*w = (struct warp){.path = &c->registers.path,
		.kernel = launch->kernel,
		.registers = arena_alloc(c->arena, bytes),
		.wide_registers = arena_alloc(c->arena, bytes),
		.predicate_file = arena_new_array(c->arena, lane_mask, launch->warp.predicate_count),
		.live = 1,
		.full = 1,
		.lanes = c->machine->model->warp_size,
		.memory = c->machine->lane_memory,
		.local = local,
		.local_bytes = launch->warp.stack_bytes,
		.core = c->machine->cores.count,
		.launch = &launch->values};
	w->carry = &w->carry_bits;
	w->bank[2] = (uint32_t *)(uintptr_t)launch->constants; /* never a destination */
}

static void make_code(struct control_processor *c)
{
	const struct kernel *kernel = c->launch->kernel;

	c->code = arena_new_array(c->arena, struct control_code, kernel->code_count);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		c->code[pc] = control_code_of(c->machine->model, kernel, &kernel->code[pc]);
}

/* What a plug-in says of the window may be anything. */
static void check_size(const struct control_processor *c, const struct control_window *size)
{
	static const uint32_t most = 1 << 16;
	const uint32_t parts[] = {size->width, size->registers, size->queue, size->window, size->loads, size->stores};

	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (!parts[k] || parts[k] > most)
			contract_broken(POLICY_control, c->machine->control,
				"size gave a width of %u, %u registers, a queue of %u, a window of %u, %u loads and "
				"%u stores, expected 1 to %u of each",
				parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], most);
}

void control_start(struct control_processor *c, struct launch *launch, uint64_t at)
{
	const struct kernel *kernel = launch->kernel;
	struct control_window size;
	uint8_t *local;

	assert(!c->launch);
	c->launch = launch;
	c->begins = at;
	local = arena_alloc(c->arena, launch_local_bytes(launch) + 1);
	make_caches(c);
	make_registers(c, &c->registers.kept, local);
	make_registers(c, &c->registers.trial, local);
	make_code(c);
	c->registers.frames = arena_new_array(c->arena, struct control_frame, c->machine->model->call_depth + 1);
	c->registers.path =
		(struct path){.pc = kernel->functions[0].first_pc, .reconvergence_pc = NO_RECONVERGENCE, .active = 1};
	c->fetch_pc = c->registers.path.pc;
	control_frame_moved(c);
	warp_fill_start(&c->registers.kept);
	warp_fill_start(&c->registers.trial);
	c->machine->control->size(c->machine->model, &size);
	check_size(c, &size);
	window_create(&c->window, c->arena, &size,
		kernel->slot_count + kernel->frame_slots_max + kernel->predicate_count + kernel->frame_predicates_max);
	c->flights = arena_new_array(c->arena, struct control_flight, c->window.mask + 1);
}
