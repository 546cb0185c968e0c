/* Why a kernel hangs.  From one warp that goes round, along "waits for the lock of", to where the waiting closes or ends. */
#include "check/hang.h"

#include "check/remedy.h"
#include "machine/access.h"
#include "machine/launch.h"
#include "machine/lock.h"
#include "machine/progress.h"
#include "machine/watch.h"
#include "util/text.h"

#include <string.h>

/* A thread: a lane of a warp on a core. */
struct place_of_thread {
	struct core *core;
	struct resident *r; /* null: its warp has ended */
	uint32_t lane;
	uint32_t group, thread; /* flat */
};

/* Who took a lock last, of those that have not released it. */
struct owner {
	bool found;
	struct place_of_thread at;
	uint32_t pc; /* of the atomic that took it */
	uint64_t since;
};

/* What a thread waits for. */
struct wanted {
	bool found, is_lock;
	uint32_t pc;
	uint8_t space;
	uint64_t address;
};

struct explanation {
	struct arena *arena;
	struct machine *machine;
	struct launch *launch;
	const struct kernel *kernel;
	struct finding *finding;
	struct finding_detail *detail;
	struct text message;
};

/* ---- Threads ---- */

static struct place_of_thread thread_at(struct core *core, struct resident *r, uint32_t lane)
{
	return (struct place_of_thread){ .core = core, .r = r, .lane = lane, .group = r->group->number, .thread = r->warp.first_thread + lane };
}

struct search {
	uint32_t lane, pc;
	const char *waiting;
	bool found, at_barrier;
};

static void compare_lane(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct search *s = context;

	if (!(lanes >> s->lane & 1))
		return;
	s->found = true;
	s->at_barrier = waiting && !strcmp(waiting, WAITS_FOR_BARRIER);
	s->pc = s->at_barrier ? pc - 1 : pc;
	s->waiting = waiting && !strcmp(waiting, WAITS_FOR_TURN) ? NULL : waiting;
}

/* Where a lane stands: for what it waits there, null: it runs. */
static struct search stand_of(const struct core *core, const struct resident *r, uint32_t lane)
{
	struct search s = { .lane = lane, .pc = r->warp.path->pc };

	if (core->machine->divergence->each_path)
		core->machine->divergence->each_path(r->warp.divergence, compare_lane, &s);
	return s;
}

static bool is_unfinished(const struct core *core, uint32_t slot)
{
	return !(core->free_warps >> slot & 1) && core->residents[slot].used && !core->residents[slot].finished;
}

/* The next unfinished warp of the launch behind *core and *slot, which begin as 0; false when there is none. */
static bool next_warp(const struct explanation *e, uint32_t *core, uint32_t *slot, struct place_of_thread *at)
{
	for (; *core < e->machine->core_count; ++*core, *slot = 0) {
		struct core *c = &e->machine->cores[*core];

		for (; c->machine && *slot < c->warp_slots; ++*slot)
			if (is_unfinished(c, *slot) && c->residents[*slot].residency->launch == e->launch) {
				struct resident *r = &c->residents[(*slot)++];

				*at = thread_at(c, r, (uint32_t)__builtin_ctzll(r->warp.path->active ? r->warp.path->active : r->warp.live));
				return true;
			}
	}
	return false;
}

#define EACH_WARP(e, at)                                                                                               \
	uint32_t at##_core = 0, at##_slot = 0;                                                                         \
	for (struct place_of_thread at; next_warp(e, &at##_core, &at##_slot, &at);)

/* ---- What is waited for ---- */

static const struct watched_warp *watched(const struct place_of_thread *at)
{
	return at->core->watch ? &at->core->watch->warps[core_slot(at->core, at->r)] : NULL;
}

/* How well an access tells what is waited for: attempts to take a lock do; but where memory changes with each round, the lock is had and
 * given back, and what is looked at meanwhile is not as it should be. */
static uint32_t rank_of(const struct place_of_thread *at, const struct watched_access *a)
{
	const struct insn *i = &at->r->warp.kernel->code[a->pc];
	bool is_lock = i->flags & INSN_LOCK_TRY;

	if (!at->core->watch->unsteady)
		return is_lock ? 2 : 1;
	return i->kind == INSN_LOAD ? 3 : is_lock ? 2 : 1;
}

/* What the lane looks at as its warp goes round, or has asked for by a lock instruction. */
static struct wanted wanted_by(const struct place_of_thread *at)
{
	const struct watched_warp *w = watched(at);
	const struct lock_wait *lock = lock_wait_of(at->core, at->r, at->lane);
	struct wanted wanted = { 0 };
	uint32_t best = 0;

	if (lock)
		return (struct wanted){ .found = true, .is_lock = true, .pc = lock->pc, .space = space_GLOBAL, .address = lock->address };
	for (uint32_t k = 0; w && k < w->access_count; k++) {
		const struct watched_access *a = &w->accesses[k];

		if (!(a->lanes >> at->lane & 1) || rank_of(at, a) <= best)
			continue;
		best = rank_of(at, a);
		wanted = (struct wanted){ .found = true, .is_lock = at->r->warp.kernel->code[a->pc].flags & INSN_LOCK_TRY, .pc = a->pc, .space = a->space,
					  .address = a->address[at->lane] };
	}
	return wanted;
}

/* A lane of the warp that goes round, whose wish is known; the preferred one if it does. */
static bool choose_lane(struct place_of_thread *at, struct wanted *wanted)
{
	const struct watched_warp *w = watched(at);

	lane_mask asking = at->r->lock_asked | at->r->lock_refused;

	*wanted = wanted_by(at);
	if (!wanted->found && asking) {
		*at = thread_at(at->core, at->r, (uint32_t)__builtin_ctzll(asking));
		*wanted = wanted_by(at);
	}
	for (uint32_t k = 0; w && !wanted->found && k < w->access_count; k++) {
		*at = thread_at(at->core, at->r, (uint32_t)__builtin_ctzll(w->accesses[k].lanes));
		*wanted = wanted_by(at);
	}
	return wanted->found;
}

static void take_later(struct owner *owner, const struct owner *candidate)
{
	if (!owner->found || candidate->since > owner->since)
		*owner = *candidate;
}

/* Who holds what `at` wants. */
static struct owner owner_of(const struct explanation *e, const struct place_of_thread *at, const struct wanted *wanted)
{
	struct owner owner = { 0 };
	bool shared = wanted->space == space_SHARED;

	EACH_WARP(e, holder)
		for (uint32_t k = 0; k < holder.r->held_lock_count; k++)
			if (holder.r->held_locks[k] == wanted->address && (!shared || holder.r->group == at->r->group))
				take_later(&owner, &(struct owner){ .found = true, .at = thread_at(holder.core, holder.r, holder.r->held_by[k].lane),
								    .pc = holder.r->held_by[k].pc, .since = holder.r->held_since[k] });
	for (uint32_t c = 0; c < e->machine->core_count; c++) {
		const struct core *core = &e->machine->cores[c];

		for (uint32_t k = 0; core->machine && k < core->left_count && k < LEFT_LOCKS; k++) {
			const struct left_lock *left = &core->left_locks[k];

			if (left->address == wanted->address && left->launch == e->launch && (!shared || left->group == at->group))
				take_later(&owner, &(struct owner){ .found = true, .at = { .group = left->group, .thread = left->thread }, .pc = left->pc,
								    .since = left->since });
		}
	}
	return owner;
}

/* Marks what can be reached within a function, from `pc` on. */
static void mark_reached(const struct kernel *kernel, uint32_t pc, bool *reached)
{
	while (pc < kernel->code_count && !reached[pc]) {
		const struct insn *i = &kernel->code[pc];
		const struct insn_extra *extra = &kernel->extras[i->extra];
		bool leaves = i->kind == INSN_EXIT || i->kind == INSN_RETURN || i->kind == INSN_BRANCH;

		reached[pc] = true;
		if (i->kind == INSN_BRANCH)
			mark_reached(kernel, i->target, reached);
		for (uint32_t k = 0; i->kind == INSN_INDEXED && k < extra->target_count; k++)
			mark_reached(kernel, extra->targets[k], reached);
		if (i->kind == INSN_INDEXED || (leaves && !(i->flags & INSN_GUARDED)))
			return;
		pc++;
	}
}

/* Whether the lane could write the word later: some store or atomic, with the registers as they are now, would. */
static bool would_write(const struct explanation *e, const struct place_of_thread *at, const struct wanted *wanted)
{
	const struct kernel *kernel = at->r->warp.kernel;
	bool *reached = arena_new_array(e->arena, bool, kernel->code_count);
	uint64_t address[CORE_WARPS];

	mark_reached(kernel, stand_of(at->core, at->r, at->lane).pc, reached);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];
		lane_mask lane = 1ull << at->lane;

		if ((i->kind != INSN_STORE && i->kind != INSN_ATOMIC) || i->flags & INSN_LOCK_TRY || !reached[pc])
			continue;
		if (i->access.space != space_NONE && i->access.space != wanted->space)
			continue;
		if (access_addresses_of(address, &at->r->warp, i, &lane) == wanted->space && lane && address[at->lane] == wanted->address)
			return true;
	}
	return false;
}

/* A lane of the warp that is parked and would write what the warp waits for; or that is on a side of a branch that has not run yet. */
static bool find_parked_writer(const struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted, struct place_of_thread *writer)
{
	bool found = false;

	for (lane_mask m = waiter->r->warp.live; m && !found; m &= m - 1) {
		struct place_of_thread at = thread_at(waiter->core, waiter->r, (uint32_t)__builtin_ctzll(m));
		struct search stand = stand_of(at.core, at.r, at.lane);

		if (!stand.found || !stand.waiting)
			continue;
		found = would_write(e, &at, wanted) || !strcmp(stand.waiting, WAITS_FOR_OTHER_SIDE);
		*writer = at;
	}
	return found;
}

/* ---- Words ---- */

static const char *name_thread(const struct explanation *e, uint32_t group, uint32_t thread)
{
	const uint32_t *g = e->launch->values.grid, *b = e->launch->values.block;

	return arena_printf(e->arena, "group (%u,%u,%u) thread (%u,%u,%u)", group % g[0], group / g[0] % g[1], group / g[0] / g[1], thread % b[0],
			    thread / b[0] % b[1], thread / b[0] / b[1]);
}

static const char *name_pc(const struct explanation *e, uint32_t pc)
{
	struct place place = kernel_place(e->kernel, pc);

	return arena_printf(e->arena, "%s:%u", place.file, place.line);
}

static const char *name_address(const struct explanation *e, const struct wanted *wanted)
{
	const struct allocation *a = wanted->space == space_SHARED ? NULL : space_nearest(e->machine->space, wanted->address);

	if (wanted->space == space_SHARED)
		return arena_printf(e->arena, "shared memory + 0x%llx", (unsigned long long)wanted->address);
	if (!a || wanted->address < a->address)
		return arena_printf(e->arena, "0x%llx", (unsigned long long)wanted->address);
	return arena_printf(e->arena, "0x%llx (%s%s%s + 0x%llx)", (unsigned long long)wanted->address, a->name ? "buf '" : "an allocation",
			    a->name ? a->name : "", a->name ? "'" : "", (unsigned long long)(wanted->address - a->address));
}

static void add_line(struct explanation *e, uint32_t pc, const char *role)
{
	struct finding_detail *d = e->detail;
	struct place place = kernel_place(e->kernel, pc);

	for (uint32_t k = 0; k < d->line_count; k++) {
		struct place known = kernel_place(e->kernel, d->lines[k]);

		if (known.line == place.line && !strcmp(known.file, place.file))
			return;
	}
	if (d->line_count == FINDING_LINES)
		return;
	d->roles[d->line_count] = role;
	d->lines[d->line_count++] = pc;
}

static void add_address(struct explanation *e, const struct wanted *wanted)
{
	const char *name = name_address(e, wanted);

	for (uint32_t k = 0; k < e->detail->address_count; k++)
		if (!strcmp(e->detail->addresses[k], name))
			return;
	if (e->detail->address_count < FINDING_ADDRESSES)
		e->detail->addresses[e->detail->address_count++] = name;
}

static void add_thread(struct explanation *e, const struct place_of_thread *at, const char *state)
{
	struct finding_detail *d = e->detail;

	for (uint32_t k = 0; k < d->thread_count; k++)
		if (d->threads[k].group == at->group && d->threads[k].thread == at->thread)
			return;
	if (d->thread_count < FINDING_THREADS)
		d->threads[d->thread_count++] = (struct finding_thread){ .group = at->group, .thread = at->thread, .state = state };
}

/* One that waits in a queue does nothing. */
static const char *doing(const struct place_of_thread *at)
{
	return at->r->lock_asked >> at->lane & 1 ? "waits" : "goes round";
}

static void add_waiter(struct explanation *e, const struct place_of_thread *at, const struct wanted *wanted)
{
	add_thread(e, at, arena_printf(e->arena, "%s at %s: %s; looks at %s", doing(at), name_pc(e, wanted->pc), kernel_text(e->arena, e->kernel, wanted->pc),
				       name_address(e, wanted)));
	add_line(e, wanted->pc, "waits here");
	add_address(e, wanted);
}

/* Where a thread stands that could end the wait. */
static void add_stander(struct explanation *e, const struct place_of_thread *at, const char *what)
{
	struct search stand = stand_of(at->core, at->r, at->lane);

	add_thread(e, at, stand.waiting ? arena_printf(e->arena, "%s; stands at %s and waits for %s", what, name_pc(e, stand.pc), stand.waiting)
				       : arena_printf(e->arena, "%s; goes round at %s", what, name_pc(e, stand.pc)));
	add_line(e, stand.pc, "stands here");
}

/* ---- Causes ---- */

static void conclude(struct explanation *e, const char *cause)
{
	e->finding->cause = cause;
	text_print(&e->message, ". %s", remedy_of(cause));
}

static uint32_t resident_groups(const struct launch *launch)
{
	return launch->next_group - (uint32_t)launch_groups_done(launch);
}

static void conclude_occupancy(struct explanation *e, const struct place_of_thread *at, const struct wanted *wanted)
{
	const struct launch *launch = e->launch;
	uint32_t waiting = launch->total_groups - launch->next_group;
	const char *fits = remedy_models(e->arena, launch);

	add_waiter(e, at, wanted);
	text_print(&e->message, "%s waits at %s for %s, while %u of %u work-groups have not started: %u are resident (%u a core, limited by %s) and none of "
		   "them ends", name_thread(e, at->group, at->thread), name_pc(e, wanted->pc), name_address(e, wanted), waiting, launch->total_groups,
		   resident_groups(launch), launch->groups_per_core, remedy_limiter(launch));
	text_print(&e->message, fits ? "; all would be resident on %s" : "; on none of our models all would be resident%s", fits ? fits : "");
	conclude(e, "occupancy");
}

/* The compiler's doing, where the loop takes the lock and has nothing else in it. */
static void add_compiler_hint(struct explanation *e, const struct place_of_thread *at, uint32_t taken_at)
{
	const struct watched_warp *w = watched(at);

	for (uint32_t pc = w->first_pc; pc <= w->last_pc; pc++)
		if (e->kernel->code[pc].kind == INSN_STORE || (e->kernel->code[pc].kind == INSN_ATOMIC && pc != taken_at))
			return;
	text_print(&e->message, "; the PTX at line %u spins before the critical section: if the source releases the lock within the loop, the compiler "
		   "has moved that out (clang -O2 does, -O1 does not)", kernel_ptx_place(e->kernel, w->last_pc).line);
}

static void conclude_parked(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted, const struct owner *owner)
{
	struct search stand = stand_of(owner->at.core, owner->at.r, owner->at.lane);
	const struct watched_warp *w = watched(waiter);

	text_print(&e->message, "%s %s at %s for %s, which %s of the same warp took at %s; that one stands at %s and waits for %s",
		   name_thread(e, waiter->group, waiter->thread), doing(waiter), name_pc(e, wanted->pc), name_address(e, wanted),
		   name_thread(e, owner->at.group, owner->at.thread), name_pc(e, owner->pc), name_pc(e, stand.pc),
		   stand.waiting ? stand.waiting : "the answers to other lanes of its warp");
	if (w && e->kernel->code[wanted->pc].kind != INSN_ACQUIRE) {
		text_print(&e->message, " (the branch at %s, lanes meet again at %s)", name_pc(e, w->last_pc), name_pc(e, stand.pc));
		add_compiler_hint(e, waiter, wanted->pc);
	}
	conclude(e, "simt");
}

/* Paper 1, 4.5: lanes that have gone past the place where their branch rejoins, within a critical section, can never come to it. */
static void conclude_passed(struct explanation *e, const struct place_of_thread *at)
{
	struct search stand = stand_of(at->core, at->r, at->lane);

	text_print(&e->message, "%s stands at %s and waits for lanes of its warp that were to rejoin there: they came by within a critical section, "
				"unlocked behind it and have ended, so that their stack entry is never popped (paper 1, 4.5)",
		   name_thread(e, at->group, at->thread), name_pc(e, stand.pc));
	add_line(e, stand.pc, "waits here");
	add_thread(e, at, arena_printf(e->arena, "stands at %s and waits for %s", name_pc(e, stand.pc), stand.waiting));
	conclude(e, "passed-rejoin");
}

static bool has_passed(const struct place_of_thread *at)
{
	struct search stand = stand_of(at->core, at->r, at->lane);

	return stand.waiting && !strcmp(stand.waiting, WAITS_FOR_PASSED);
}

static void conclude_left(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted, const struct owner *owner)
{
	text_print(&e->message, "%s %s at %s for %s, which %s took at %s; that thread has ended without a release",
		   name_thread(e, waiter->group, waiter->thread), doing(waiter), name_pc(e, wanted->pc), name_address(e, wanted),
		   name_thread(e, owner->at.group, owner->at.thread), name_pc(e, owner->pc));
	add_thread(e, &owner->at, "took the lock and has ended");
	conclude(e, "lost-release");
}

static void conclude_blocked_owner(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted, const struct owner *owner)
{
	struct search stand = stand_of(owner->at.core, owner->at.r, owner->at.lane);

	text_print(&e->message, "%s %s at %s for %s, which %s took at %s; that one waits at the barrier at %s",
		   name_thread(e, waiter->group, waiter->thread), doing(waiter), name_pc(e, wanted->pc), name_address(e, wanted),
		   name_thread(e, owner->at.group, owner->at.thread), name_pc(e, owner->pc), name_pc(e, stand.pc));
	conclude(e, "barrier");
}

/* How the way from a waiter to who holds what it waits for, and so on, has led. */
struct way {
	bool parked;  /* past one that does not run */
	bool crosses; /* from warp to warp */
	bool own;     /* back to the waiter itself, at once */
};

static void conclude_cycle(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted, struct way way)
{
	if (way.own)
		text_print(&e->message, "%s %s at %s for %s, which it holds itself", name_thread(e, waiter->group, waiter->thread), doing(waiter),
			   name_pc(e, wanted->pc), name_address(e, wanted));
	else if (way.parked && !way.crosses)
		text_print(&e->message, "%s %s at %s for %s; in the end lanes of its own warp hold what is waited for, and are parked until these go on",
			   name_thread(e, waiter->group, waiter->thread), doing(waiter), name_pc(e, wanted->pc), name_address(e, wanted));
	else if (way.parked)
		text_print(&e->message, "warps wait for each other: each goes round for a lock whose owner is parked in the next warp, which goes round itself; "
			   "one is that of %s, at %s, for %s", name_thread(e, waiter->group, waiter->thread), name_pc(e, wanted->pc),
			   name_address(e, wanted));
	else
		text_print(&e->message, "threads wait for each other's locks, in a ring: one is %s, at %s, for %s",
			   name_thread(e, waiter->group, waiter->thread), name_pc(e, wanted->pc), name_address(e, wanted));
	conclude(e, !way.parked ? "lock-order" : way.crosses ? "simt-cross" : "simt");
}

/* Some warp of the launch waits at a barrier of its group while others go round. */
static bool find_at_barrier(const struct explanation *e, const struct wanted *wanted, struct place_of_thread *found)
{
	EACH_WARP(e, at) {
		if (at.r->warp.path->active)
			continue;
		for (lane_mask m = at.r->warp.live; m; m &= m - 1) {
			*found = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));
			if (would_write(e, found, wanted))
				return true;
		}
	}
	return false;
}

/* Another launch of which not all has begun, for want of room, or since so many may run at once; null: there is none. */
static const struct launch *unbegun(const struct explanation *e)
{
	for (const struct launch *l = e->machine->launches; l; l = l->next)
		if (l != e->launch && l->next_group < l->total_groups)
			return l;
	return e->machine->gpu->waiting;
}

static void conclude_unbegun(struct explanation *e, const struct launch *other)
{
	text_print(&e->message, ", while the kernel %s has not %sbegun: ", other->kernel->entry->name, other->next_group ? "wholly " : "");
	if (other == e->machine->gpu->waiting)
		text_print(&e->message, "it waits until kernels that run have ended (dispatch.concurrent_kernels is %u)", e->machine->model->concurrent_kernels);
	else
		text_print(&e->message, "those that run leave it no room");
	conclude(e, "occupancy");
}

/* Nobody holds what is waited for: it is a signal, or a count. */
static void conclude_signal(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted)
{
	struct place_of_thread writer;
	struct search stand = { 0 };
	bool parked;

	if (wanted->space == space_GLOBAL && e->launch->next_group < e->launch->total_groups) {
		conclude_occupancy(e, waiter, wanted);
		return;
	}
	add_waiter(e, waiter, wanted);
	text_print(&e->message, "%s goes round at %s, waiting for %s", name_thread(e, waiter->group, waiter->thread), name_pc(e, wanted->pc),
		   name_address(e, wanted));
	parked = find_parked_writer(e, waiter, wanted, &writer);
	if (parked || find_at_barrier(e, wanted, &writer))
		stand = stand_of(writer.core, writer.r, writer.lane);
	if (watch_reads_stale(waiter->core, waiter->r)) {
		text_print(&e->message, ": memory has another value, but the loop reads the old one from the L1");
		conclude(e, "stale-cache");
	} else if (parked && !stand.at_barrier) {
		text_print(&e->message, ", which %s of the same warp would write; but that one stands at %s until these lanes go on",
			   name_thread(e, writer.group, writer.thread), name_pc(e, stand.pc));
		add_stander(e, &writer, "would write it");
		conclude(e, "simt");
	} else if (stand.found) {
		text_print(&e->message, ", which %s would write; but that one waits at the barrier at %s", name_thread(e, writer.group, writer.thread),
			   name_pc(e, stand.pc));
		add_stander(e, &writer, "would write it");
		conclude(e, "barrier");
	} else if (wanted->space == space_GLOBAL && unbegun(e)) {
		conclude_unbegun(e, unbegun(e));
	} else {
		text_print(&e->message, ", which no thread that can go on will write");
		conclude(e, "missing-signal");
	}
}

#define LONGEST_WAY 256

/* Whether the way has led past this owner: a lane that asks by an instruction waits by itself, else the whole warp goes round. */
static bool was_seen(const struct place_of_thread *seen, uint32_t count, const struct place_of_thread *owner)
{
	bool by_itself = lock_wait_of(owner->core, owner->r, owner->lane) != NULL;

	for (uint32_t k = 0; k < count; k++)
		if (seen[k].r == owner->r && (!by_itself || seen[k].lane == owner->lane))
			return true;
	return false;
}

/* Follows the locks from a warp that goes round. */
static void follow(struct explanation *e, struct place_of_thread at, struct wanted wanted)
{
	struct place_of_thread seen[LONGEST_WAY];
	uint32_t count = 0;
	struct way way = { 0 };

	for (;;) {
		struct owner owner = wanted.is_lock ? owner_of(e, &at, &wanted) : (struct owner){ 0 };
		struct wanted next = { 0 };
		struct search stand;

		if (!owner.found) {
			conclude_signal(e, &at, &wanted);
			return;
		}
		add_waiter(e, &at, &wanted);
		add_line(e, owner.pc, "the lock was taken here");
		if (!owner.at.r || !(owner.at.r->warp.live >> owner.at.lane & 1)) {
			conclude_left(e, &at, &wanted, &owner);
			return;
		}
		add_stander(e, &owner.at, arena_printf(e->arena, "took %s at %s", name_address(e, &wanted), name_pc(e, owner.pc)));
		stand = stand_of(owner.at.core, owner.at.r, owner.at.lane);
		if (has_passed(&owner.at)) {
			conclude_passed(e, &owner.at);
			return;
		}
		if (stand.at_barrier || (!owner.at.r->warp.path->active && !owner.at.r->lock_asked)) {
			conclude_blocked_owner(e, &at, &wanted, &owner);
			return;
		}
		if ((stand.waiting || at.r->locking) && owner.at.r == at.r && !lock_wait_of(at.core, at.r, owner.at.lane)) {
			conclude_parked(e, &at, &wanted, &owner);
			return;
		}
		if (owner.at.r == at.r && owner.at.lane == at.lane) {
			conclude_cycle(e, &at, &wanted, (struct way){ .own = true });
			return;
		}
		way.crosses |= owner.at.r != at.r;
		way.parked |= stand.waiting && !lock_wait_of(owner.at.core, owner.at.r, owner.at.lane);
		seen[count++] = at;
		/* The latter: it runs, and what it looks at is not known. */
		if (was_seen(seen, count, &owner.at) || count == LONGEST_WAY || !choose_lane(&owner.at, &next)) {
			conclude_cycle(e, &at, &wanted, way);
			return;
		}
		at = owner.at;
		wanted = next;
	}
}

/* ---- Progress models ---- */

static bool starves(const struct progress *p, uint32_t group)
{
	return !p->groups[group].finished && !p->groups[group].runs;
}

static uint32_t starving_groups(const struct progress *p)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < p->view.groups; k++)
		count += starves(p, k);
	return count;
}

/* A thread of a group. */
static struct place_of_thread first_thread_of(const struct progress_group *g)
{
	struct resident *r = &g->core->residents[__builtin_ctzll(g->group->slots)];

	return thread_at(g->core, r, r->finished ? 0 : (uint32_t)__builtin_ctzll(r->warp.live));
}

/* Of the groups that get no turn: who has the lock, else one that would write the word, else the lowest.  False: all get their turns. */
static bool find_starving(const struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted, struct place_of_thread *found)
{
	const struct progress *p = e->machine->progress;
	struct owner owner = wanted->is_lock ? owner_of(e, waiter, wanted) : (struct owner){ 0 };
	bool any = false;

	if (owner.found && owner.at.r && starves(p, owner.at.group)) {
		*found = owner.at;
		return true;
	}
	for (uint32_t k = 0; k < p->view.groups; k++) {
		struct place_of_thread at;

		if (!starves(p, k))
			continue;
		at = first_thread_of(&p->groups[k]);
		if (!any)
			*found = at;
		any = true;
		if (p->view.started[k] && would_write(e, &at, wanted)) {
			*found = at;
			break;
		}
	}
	return any;
}

static void conclude_starving(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted, const struct place_of_thread *starving)
{
	const struct progress *p = e->machine->progress;
	bool started = p->view.started[starving->group];

	add_waiter(e, waiter, wanted);
	text_print(&e->message, "%s goes round at %s for %s, while ", name_thread(e, waiter->group, waiter->thread), name_pc(e, wanted->pc),
		   name_address(e, wanted));
	if (starving_groups(p) > 1)
		text_print(&e->message, "%u work-groups get no turn, among them that of ", starving_groups(p));
	text_print(&e->message, starving_groups(p) > 1 ? "%s: " : "%s gets no turn: ", name_thread(e, starving->group, starving->thread));
	if (started) {
		text_print(&e->message, "it stands at %s", name_pc(e, stand_of(starving->core, starving->r, starving->lane).pc));
		add_stander(e, starving, "gets no turn");
	} else {
		text_print(&e->message, "it has not started");
		add_thread(e, starving, "has not started");
	}
	text_print(&e->message, ", and the progress model '%s' owes it none", e->launch->dispatcher->name);
	conclude(e, "progress");
}

/* Everyone gets his turns, memory changes, and all comes back to what it was. */
static void conclude_livelock(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted)
{
	text_print(&e->message, e->machine->progress ? "everyone who is owed progress gets turns and memory changes, but all comes back to what it was: "
						   : "locks are taken and given back, but all comes back to what it was: ");
	EACH_WARP(e, at) {
		struct wanted w;

		if (choose_lane(&at, &w))
			add_waiter(e, &at, &w);
	}
	text_print(&e->message, "one that goes round is %s, at %s, for %s", name_thread(e, waiter->group, waiter->thread), name_pc(e, wanted->pc),
		   name_address(e, wanted));
	conclude(e, "livelock");
}

/* The schedule's doing, and not the kernel's under every schedule: false, it is not. */
static bool explain_schedule(struct explanation *e, const struct place_of_thread *waiter, const struct wanted *wanted)
{
	struct place_of_thread starving;

	if (!e->machine->progress)
		return false;
	if (find_starving(e, waiter, wanted, &starving))
		conclude_starving(e, waiter, wanted, &starving);
	else if (watch_saw_change(e->machine))
		conclude_livelock(e, waiter, wanted);
	else
		return false;
	return true;
}

static void add_schedule(struct explanation *e)
{
	const char *schedule = e->machine->progress ? progress_schedule_text(e->machine->progress, e->arena) : NULL;

	if (schedule)
		text_print(&e->message, "; the schedule is %s", schedule);
}

/* ---- Barriers alone ---- */

static uint32_t number_of_barrier(const struct group *group)
{
	return group->barriers_used ? (uint32_t)__builtin_ctz(group->barriers_used) : 0;
}

/* Nothing runs: the first warp that waits, and what its barrier lacks. */
static void conclude_barrier(struct explanation *e, const struct place_of_thread *at)
{
	const struct group *group = at->r->group;
	uint32_t number = number_of_barrier(group), others = 0;
	struct search stand = stand_of(at->core, at->r, at->lane);
	const struct barrier *b;

	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		if (group->barriers[k].waiting >> core_slot(at->core, at->r) & 1)
			number = k;
	b = &group->barriers[number];
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		others += k == number ? 0 : group->barriers[k].arrived;
	text_print(&e->message, "%s waits at %s, at barrier %u: %u threads have come, it waits for %u, and nobody is left who comes", name_thread(e, at->group, at->thread),
		   name_pc(e, stand.pc), number, b->arrived, b->expected ? b->expected : group->live_threads);
	if (group->threads > group->live_threads)
		text_print(&e->message, "; %u threads of the group have ended", group->threads - group->live_threads);
	if (others)
		text_print(&e->message, "; %u threads wait at other barriers", others);
	add_line(e, stand.pc, "waits here");
	conclude(e, "barrier");
}

static void explain_blocked(struct explanation *e)
{
	bool any = false;

	EACH_WARP(e, at) {
		struct search stand = stand_of(at.core, at.r, at.lane);

		if (!any && has_passed(&at))
			conclude_passed(e, &at);
		else if (!any)
			conclude_barrier(e, &at);
		any = true;
		add_thread(e, &at, arena_printf(e->arena, "stands at %s and waits for %s", name_pc(e, stand.pc), stand.waiting ? stand.waiting : WAITS_FOR_TURN));
		add_line(e, stand.pc, "waits here");
	}
	if (any)
		return;
	text_print(&e->message, "no work-group of this kernel can start: others that never end occupy the cores");
	conclude(e, "occupancy");
}

/* ---- All ---- */

/* One that goes round and waits for a lock, else one that goes round. */
static bool choose_waiter(const struct explanation *e, struct place_of_thread *waiter, struct wanted *wanted)
{
	bool any = false;

	EACH_WARP(e, at) {
		struct wanted w;

		if ((!at.r->warp.path->active && !at.r->lock_asked) || !choose_lane(&at, &w) || (any && !(w.is_lock && owner_of(e, &at, &w).found)))
			continue;
		any = true;
		*waiter = at;
		*wanted = w;
		if (w.is_lock && owner_of(e, &at, &w).found)
			break;
	}
	return any;
}

/* Memory changes while all go round. */
static bool is_unsteady(const struct explanation *e)
{
	EACH_WARP(e, at)
		return at.core->watch && at.core->watch->unsteady;
	return false;
}

static void explain_suspicion(struct explanation *e)
{
	text_print(&e->message, is_unsteady(e) ? "for %llu cycles no thread has ended, and whenever looked at, every warp came back to where it was before, although "
						 "memory changes: "
					       : "for %llu cycles no byte of memory has changed and no thread has ended; the kernel looks at a clock, or counts, "
						 "so that nothing can be proved: ",
		   (unsigned long long)e->machine->gpu->hang_after);
}

void hang_explain(struct machine *machine, struct launch *launch, bool proved)
{
	struct arena *arena = machine->gpu->arena;
	struct explanation e = { .arena = arena, .machine = machine, .launch = launch, .kernel = launch->kernel, .finding = &launch->result.finding,
				 .detail = arena_new(arena, struct finding_detail), .message = { .arena = arena } };
	struct place_of_thread waiter, first;
	struct wanted wanted;
	uint32_t core = 0, slot = 0;

	e.detail->proved = proved;
	*e.finding = (struct finding){ .found = true, .launch = launch, .cycle = machine->cycle, .kind = "hang", .detail = e.detail };
	if (!proved)
		explain_suspicion(&e);
	if (choose_waiter(&e, &waiter, &wanted)) {
		if (!explain_schedule(&e, &waiter, &wanted)) {
			if (wanted.is_lock && is_unsteady(&e))
				conclude_livelock(&e, &waiter, &wanted);
			else
				follow(&e, waiter, wanted);
		}
		e.finding->pc = wanted.pc;
		e.finding->group = waiter.group;
		e.finding->thread = waiter.thread;
	} else if (next_warp(&e, &core, &slot, &first) && first.r->warp.path->active && !proved) {
		text_print(&e.message, "%s runs at %s", name_thread(&e, first.group, first.thread), name_pc(&e, first.r->warp.path->pc));
		add_line(&e, first.r->warp.path->pc, "runs here");
		conclude(&e, "missing-signal");
	} else {
		explain_blocked(&e);
	}
	add_schedule(&e);
	e.detail->message = e.message.at;
}
