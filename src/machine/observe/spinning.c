/* Warps that spin: events for the spin detector, back-off before the scheduler's pick, and what both count.  See
 * spinning.h. */
#include "machine/observe/spinning.h"

#include "machine/core/observer.h"
#include "machine/state/machine.h"

#include "policy/contract.h"
#include "util/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* What the scheduler's pick gets when back-off is in front of it. */
struct backed_scheduler {
	struct core *core;
	struct spinning *spinning;
	uint32_t scheduler;
};

struct spinning {
	const struct spin_detector *detector;
	const struct backoff_policy *backoff;
	void *detector_state, *backoff_state;
	struct backed_scheduler schedulers[CORE_SCHEDULERS];
	uint64_t since[CORE_WARPS]; /* of a backed-off warp */
	uint64_t limit_counted;     /* of the delay limit */
	bool spun;                  /* a spin-inducing branch was executed */
};

/* ---- Places that the user names: FILE:LINE,... ---- */

#define NO_PLACES "none"

/* Reads the place at *text and moves past its comma; false: there is none. */
static bool next_place(const char **text, struct place *place, char *file, size_t size)
{
	size_t length = strcspn(*text, ",");
	uint64_t line;
	char *colon;

	assert(size);
	assert(**text);
	if (length >= size)
		return false;
	memcpy(file, *text, length);
	file[length] = 0;
	colon = strrchr(file, ':');
	if (!colon || colon == file || colon[1 + strspn(colon + 1, "0123456789")] || !text_to_u64(colon + 1, &line) ||
		line > UINT32_MAX)
		return false;
	*colon = 0;
	*place = (struct place){.file = file, .line = (uint32_t)line};
	*text += length + ((*text)[length] == ',');
	return line;
}

/* The named file may lack folders that the kernel's has. */
static bool is_place(const struct place *named, struct place of)
{
	size_t named_length = strlen(named->file), length = of.file ? strlen(of.file) : 0;

	assert(named_length);
	assert(named->line);
	if (named->line != of.line || length < named_length || strcmp(of.file + length - named_length, named->file))
		return false;
	return length == named_length || of.file[length - named_length - 1] == '/';
}

static bool is_at(const struct kernel *kernel, uint32_t pc, const struct place *named)
{
	return is_place(named, kernel_place(kernel, pc)) || is_place(named, kernel_ptx_place(kernel, pc));
}

static bool is_loop_branch(const struct insn *i)
{
	return i->flags & INSN_LOOP_BRANCH;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a < b ? b - a : a - b;
}

/* The branch of the shorter loop, of those that are there. */
static uint32_t shorter(const struct kernel *kernel, uint32_t a, uint32_t b)
{
	assert(a == NO_PC || a < kernel->code_count);
	assert(b == NO_PC || b < kernel->code_count);
	if (a == NO_PC || b == NO_PC)
		return a == NO_PC ? b : a;
	return distance(b, kernel->code[b].target) < distance(a, kernel->code[a].target) ? b : a;
}

/* The branch of the shortest loop with `at` between it and its target; NO_PC: there is none. */
static uint32_t loop_around(const struct kernel *kernel, uint32_t at)
{
	uint32_t shortest = NO_PC;

	assert(at < kernel->code_count);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];

		if (is_loop_branch(i) && (at <= pc || at <= i->target) && (at >= pc || at >= i->target))
			shortest = shorter(kernel, shortest, pc);
	}
	return shortest;
}

/* The loops' branches at the place; where none is, the shortest with an instruction there between it and its target. */
static void mark_place(const struct kernel *kernel, const struct place *named, bool *marked)
{
	uint32_t shortest = NO_PC;
	bool found = false;

	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		if (!is_at(kernel, pc, named))
			continue;
		if (is_loop_branch(&kernel->code[pc]))
			found = marked[pc] = true;
		shortest = shorter(kernel, shortest, loop_around(kernel, pc));
	}
	assert(shortest == NO_PC || is_loop_branch(&kernel->code[shortest]));
	if (!found && shortest != NO_PC)
		marked[shortest] = true;
}

/* Per pc: the user says that this branch induces spinning. */
static const bool *marks(struct arena *arena, const struct gpu *gpu, const struct kernel *kernel)
{
	const char *text = gpu->model->spin_branches;
	char file[4096];
	struct place named;
	bool *marked = arena_new_array(arena, bool, kernel->code_count);

	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		marked[pc] = kernel->code[pc].flags & INSN_HINTED_BRANCH;
	if (!strcmp(text, NO_PLACES))
		return marked;
	while (*text && next_place(&text, &named, file, sizeof file))
		mark_place(kernel, &named, marked);
	return marked;
}

bool spinning_check(const struct gpu *gpu, struct diagnostic *diagnostic)
{
	const char *text = gpu->model->spin_branches;
	char file[4096];
	struct place named;

	if (gpu->backoff->spin && !gpu->spin->branch) {
		diagnose(diagnostic, (struct place){0},
			"back-off policy '%s' needs a spin detector, expected --spin beside it; `lockstep policies "
			"spin` lists them",
			gpu->backoff->name);
		return false;
	}
	while (strcmp(text, NO_PLACES) && *text)
		if (!next_place(&text, &named, file, sizeof file)) {
			diagnose(diagnostic, (struct place){0}, "'spin.branches' is '%s', expected FILE:LINE,... or %s",
				gpu->model->spin_branches, NO_PLACES);
			return false;
		}
	return true;
}

/* ---- Back-off ---- */

static void count_limit(struct core *core, struct spinning *s)
{
	uint64_t limit = s->backoff->limit(s->backoff_state);

	assert(s->spun);
	assert(s->backoff->spin);
	core->counters.backoff_limit += limit - s->limit_counted;
	s->limit_counted = limit;
}

static void tell_issue(struct core *core, struct spinning *s, int warp)
{
	assert(warp >= 0);
	assert((uint32_t)warp < core->warps.count);
	if (!s->backoff->issue(s->backoff_state, warp, core->now))
		return;
	assert(s->since[warp] <= core->now);
	core->counters.backoff_issues++;
	core->counters.backed_off_cycles += core->now - s->since[warp];
}

/* The scheduler picks among those warps that the back-off policy lets. */
static int pick_with_backoff(void *state, const struct issue_view *view)
{
	const struct backed_scheduler *b = state;
	struct core *core = b->core;
	struct spinning *s = b->spinning;
	struct issue_view among = *view;
	int warp;

	assert(b->scheduler < core->issue.schedulers);
	assert(b == &s->schedulers[b->scheduler]);
	among.ready = s->backoff->choose(s->backoff_state, view->ready);
	if (!among.ready || among.ready & ~view->ready)
		contract_broken(POLICY_backoff, s->backoff,
			"choose returned warps 0x%" PRIx64 ", expected some of 0x%" PRIx64, among.ready, view->ready);
	warp = core->machine->scheduler->pick(core->issue.scheduler[b->scheduler].state, &among);
	contract_check_pick(core->machine->scheduler, warp, among.ready);
	if (warp >= 0)
		tell_issue(core, s, warp);
	return warp;
}

/* The scheduler's pick was for the first instruction in the cycle. */
static void issues_again(struct core *core, void *state, const struct warp_slot *r)
{
	struct spinning *s = state;

	assert(r->bit == 1ull << core_slot(core, r));
	if (s->backoff->spin)
		tell_issue(core, s, (int)core_slot(core, r));
}

static void back_off(struct core *core, struct spinning *s, struct warp_slot *r, bool again)
{
	uint32_t slot = core_slot(core, r);
	uint64_t until = s->backoff->spin(s->backoff_state, (int)slot, again, core->now);

	assert(r->bit == 1ull << slot);
	if (until > core->now && until - core->now > POLICY_DELAY_MAX)
		contract_broken(POLICY_backoff, s->backoff,
			"spin delays a warp by %" PRIu64 " cycles, expected at most 2^40", until - core->now);

	core->counters.backoff_cores += !s->spun;
	s->spun = true;
	count_limit(core, s);
	if (!again)
		return;
	core->counters.backoffs++;
	s->since[slot] = core->now;
	if (until > r->hold_until)
		r->hold_until = until;
}

/* ---- Detection ---- */

/* One of a kernel's loops, as seen on one core. */
struct seen_loop {
	uint64_t first, last; /* cycle of a turn; first plus one, 0: none */
	bool found;
};

/* What a core has of a launch. */
struct launch_loops {
	const bool *marked; /* per pc; one of the launch */
	struct seen_loop seen[];
};

static struct launch_loops *loops_of(const struct core_launch *on)
{
	return on->observed[OBSERVER_spinning];
}

/* Those that another core has, or new ones. */
static const bool *marks_of(struct launch *launch)
{
	assert(launch->core_count == launch->machine->cores.count);
	for (uint32_t c = 0; c < launch->core_count; c++)
		if (launch->on[c] && loops_of(launch->on[c]))
			return loops_of(launch->on[c])->marked;
	return marks(&launch->arena, launch->machine->gpu, launch->kernel);
}

static void launch_begins(struct core *core, void *state, struct core_launch *on)
{
	const struct spinning *s = state;
	struct launch *launch = on->launch;
	struct launch_loops *loops;

	assert(!loops_of(on));
	(void)core;
	if (!s->detector->branch)
		return;
	loops = arena_alloc(&launch->arena, sizeof *loops + launch->kernel->code_count * sizeof *loops->seen);
	loops->marked = marks_of(launch);
	on->observed[OBSERVER_spinning] = loops;
}

static void count_loop(struct core *core, struct seen_loop *loop, const struct insn *i, bool found)
{
	struct counters *c = &core->counters;
	bool spins = i->flags & INSN_SPIN_BRANCH;
	uint64_t *detection_cycles = spins ? &c->spin_detection_cycles : &c->other_detection_cycles;
	uint64_t *found_cycles = spins ? &c->spin_found_cycles : &c->other_found_cycles;

	assert(!loop->found || loop->last <= core->now);
	assert(loop->first ? loop->first - 1 <= core->now : !loop->found);
	if (!loop->first) {
		loop->first = core->now + 1;
		(*(spins ? &c->spin_loops : &c->other_loops))++;
	}
	if (found && !loop->found) {
		(*(spins ? &c->spin_loops_found : &c->other_loops_found))++;
		*detection_cycles += core->now - (loop->first - 1);
		loop->last = loop->first - 1;
		loop->found = true;
	}
	if (loop->found)
		*found_cycles += core->now - loop->last;
	loop->last = core->now;
	assert(loop->first);
	assert(!found || loop->found);
	c->spin_branches += found;
}

static void loop_branch(
	struct core *core, struct spinning *s, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct launch_loops *loops = loops_of(r->core_launch);
	uint32_t pc = r->warp.path->pc;
	struct spin_branch event = {.now = core->now,
		.warp = (int)core_slot(core, r),
		.kernel = (uint32_t)r->core_launch->launch->ordinal,
		.pc = pc,
		.taken = lanes,
		.marked = loops->marked[pc]};
	bool found = s->detector->branch(s->detector_state, &event);

	assert(i->flags & INSN_LOOP_BRANCH);
	assert(pc < r->core_launch->launch->kernel->code_count);
	assert(!(lanes & ~r->warp.path->active));
	count_loop(core, &loops->seen[pc], i, found);
	if (found && s->backoff->spin)
		back_off(core, s, r, event.taken);
}

static bool is_compare(const struct insn *i)
{
	return i->op == OP_setp || i->op == OP_setp_float;
}

static uint64_t value_of(const struct warp_slot *r, const struct insn *i, uint32_t source, uint32_t lane)
{
	const void *slot = slot_at(&r->warp, i->s[source]);

	assert(r->warp.path->active >> lane & 1);
	return i->s_bytes[source] == 8 ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
}

static void compare(struct core *core, struct spinning *s, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
	struct spin_compare event = {.now = core->now,
		.warp = (int)core_slot(core, r),
		.kernel = (uint32_t)r->core_launch->launch->ordinal,
		.pc = r->warp.path->pc,
		.value = {value_of(r, i, 0, lane), value_of(r, i, 1, lane)}};

	assert(i->kind == INSN_PLAIN);
	assert(!(lanes & ~r->warp.path->active));
	s->detector->compare(s->detector_state, &event);
}

/* ---- Observing ---- */

static bool is_asked(const struct gpu *gpu, bool functional)
{
	return !functional && (gpu->spin->branch || gpu->scheduler->branch);
}

/* Backward branches and setp for the spin detector, branches for a scheduler that estimates what is left to do. */
static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)functional; /* it is not: see is_asked */
	if (gpu->spin->branch && (is_loop_branch(i) || (gpu->spin->compare && is_compare(i))))
		return true;
	return gpu->scheduler->branch && i->kind == INSN_BRANCH;
}

static void tell_scheduler(struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct path *path = r->warp.path;
	struct branch_outcome outcome = {
		.pc = path->pc, .target = i->target, .taken = lanes, .passed = path->active & ~lanes};
	uint32_t slot = core_slot(core, r);

	assert(slot < core->warps.count);
	assert(!(lanes & ~path->active));
	core->machine->scheduler->branch(core_scheduler(core, slot)->state, (int)slot, &outcome);
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct spinning *s = state;

	assert(!core->machine->mode->takes_turns);
	assert(!(lanes & ~r->warp.path->active));
	if (i->kind == INSN_BRANCH && core->machine->scheduler->branch)
		tell_scheduler(core, r, i, lanes);
	if (!s->detector->branch)
		return;
	if (is_loop_branch(i))
		loop_branch(core, s, r, i, lanes);
	else if (lanes && s->detector->compare && is_compare(i))
		compare(core, s, r, i, lanes);
}

/* ---- Making ---- */

/* The cores' schedulers are made. */
static void create(struct core *core, void *state, struct arena *arena)
{
	const struct gpu *gpu = core->machine->gpu;
	const struct gpu_model *m = gpu->model;
	const struct spin_fields watched = {.modulo = m->spin_modulo,
		.path_bits = m->spin_path_bits,
		.value_bits = m->spin_value_bits,
		.history = m->spin_history,
		.threshold = m->spin_threshold,
		.stays = m->spin_stays,
		.table = m->spin_table,
		.replace_oldest = m->spin_replace_oldest,
		.sharing = m->spin_sharing,
		.epoch = m->spin_epoch};
	const struct backoff_fields fields = {.queue = m->backoff_queue,
		.limit = m->backoff_limit,
		.window = m->backoff_window,
		.step = m->backoff_step,
		.frac1 = m->backoff_frac1,
		.frac2 = m->backoff_frac2,
		.minimum = m->backoff_minimum,
		.maximum = m->backoff_maximum};
	struct spinning *s = state;

	assert(core->issue.schedulers <= CORE_SCHEDULERS);
	s->detector = gpu->spin;
	s->backoff = gpu->backoff;
	s->detector_state = arena_alloc(arena, s->detector->state_size + 1);
	if (s->detector->start)
		s->detector->start(s->detector_state, &watched);
	if (!s->backoff->spin)
		return;
	s->backoff_state = arena_alloc(arena, s->backoff->state_size + 1);
	s->backoff->start(s->backoff_state, &fields);
	core->issue.pick = pick_with_backoff;
	for (uint32_t k = 0; k < core->issue.schedulers; k++) {
		s->schedulers[k] = (struct backed_scheduler){.core = core, .spinning = s, .scheduler = k};
		core->issue.scheduler[k].pick_state = &s->schedulers[k];
	}
}

static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	struct spinning *s = state;
	uint32_t slot = core_slot(core, r);

	assert(slot < core->warps.count);
	if (s->detector->retire)
		s->detector->retire(s->detector_state, (int)slot);
	if (s->backoff->spin)
		s->backoff->retire(s->backoff_state, (int)slot);
}

const struct observer observer_spinning = {
	.state_size = sizeof(struct spinning),
	.is_asked = is_asked,
	.wants = wants,
	.create = create,
	.before = before,
	.on.launch_begins = launch_begins,
	.on.issues_again = issues_again,
	.on.warp_ends = warp_ends,
};
