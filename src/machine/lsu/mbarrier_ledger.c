/* What has happened at mbarrier objects: see mbarrier_ledger.h.  Each place for a group on the core has a list of the
 * objects of the group that was there last, and where each offset is in it; their memory is used again by the next. */
#include "machine/lsu/mbarrier_ledger.h"

#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/remote.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include "util/text.h"
#include "util/vector.h"

#include <assert.h>
#include <string.h>

#define SEEN_NOTHING (-2)

/* Of a place for a group: the objects of the group, known by its launch's ordinal and its number, that was there when
 * the last was initialised. */
struct objects {
	uint64_t launch;
	uint32_t group;
	uint32_t used; /* of the list; the rest is memory for further ones */
	VECTOR(struct mbarrier_object *) list;
	uint16_t *at; /* by offset / OBJECT_BYTES: the place in the list, plus one; 0: there is none */
	uint32_t at_count;
};

#define OBJECT_BYTES 8 /* and so they are aligned */

struct mbarrier_ledger {
	const struct group *places;              /* the core's */
	struct objects *of;                      /* each place */
	struct mbarrier_look *looks[CORE_WARPS]; /* of each warp slot; null: no warp there has asked */
};

struct mbarrier_ledger *mbarrier_ledger_create(const struct core *core, struct arena *arena)
{
	struct mbarrier_ledger *ledger = arena_new(arena, struct mbarrier_ledger);

	assert(core->groups.count);
	ledger->places = core->groups.at;
	ledger->of = arena_new_array(arena, struct objects, core->groups.count);
	return ledger;
}

static struct objects *objects_of(const struct mbarrier_ledger *ledger, const struct group *group)
{
	assert(group->used && group >= ledger->places);
	return &ledger->of[group - ledger->places];
}

static bool are_of(const struct objects *objects, const struct group *group)
{
	assert(group->used);
	return objects->launch == group->launch && objects->group == group->number;
}

/* Null: the group has initialised none there. */
static struct mbarrier_object *object_of(
	const struct mbarrier_ledger *ledger, const struct group *group, uint64_t offset)
{
	const struct objects *objects = objects_of(ledger, group);
	uint64_t number = offset / OBJECT_BYTES;
	struct mbarrier_object *object;

	assert(offset < group->core_launch->launch->group.shared_bytes);
	if (number >= objects->at_count || !objects->at[number] || !are_of(objects, group))
		return NULL;
	object = objects->list.at[objects->at[number] - 1];
	assert(object->offset / OBJECT_BYTES == number);
	return object->offset == offset ? object : NULL;
}

static uint32_t warp_of(const struct warp_slot *r)
{
	assert(r->warp.first_thread / r->warp.lanes < CORE_WARPS);
	return r->warp.first_thread / r->warp.lanes;
}

/* The slot of an operation that another group of the cluster asked for is the group's first: its warp is that of the
 * access which is served. */
static struct mbarrier_record record_of(
	const struct core *core, const struct operation *op, uint32_t lane, struct mbarrier_record what)
{
	const struct remote_access *access = op->is_remote ? core->lsu.serving : NULL;

	assert(op->lanes >> lane & 1);
	assert(!op->is_remote == !access);
	what.is_remote = op->is_remote;
	what.group = access ? access->number : op->group->number;
	what.pc = launch_pc(op->group->core_launch->launch, op->insn);
	what.thread = access ? access->first_thread : op->slot->warp.first_thread;
	what.lanes = (lane_mask)1 << lane;
	what.when = observer_clock(core);
	return what;
}

/* ---- Writing ---- */

/* The list is of this group now, and empty. */
static void begin_objects(struct core *core, struct objects *objects, const struct group *group)
{
	uint64_t count = group->core_launch->launch->group.shared_bytes / OBJECT_BYTES;

	for (uint32_t k = 0; k < objects->used; k++)
		objects->at[objects->list.at[k]->offset / OBJECT_BYTES] = 0;
	objects->used = 0;
	objects->launch = group->launch;
	objects->group = group->number;
	assert(count < UINT16_MAX);
	if (count <= objects->at_count)
		return;
	objects->at = arena_new_array(&core->machine->cores.arenas[core->index], uint16_t, count);
	objects->at_count = (uint32_t)count;
}

static struct mbarrier_object *add_object(
	struct core *core, struct objects *objects, const struct group *group, uint64_t offset)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];

	if (!are_of(objects, group) || !objects->at)
		begin_objects(core, objects, group);
	assert(objects->used <= objects->list.count && offset % OBJECT_BYTES == 0);
	if (objects->used == objects->list.count)
		*vector_push(arena, &objects->list) = arena_new(arena, struct mbarrier_object);
	objects->at[offset / OBJECT_BYTES] = (uint16_t)(objects->used + 1);
	return objects->list.at[objects->used++];
}

static void forget_seen(struct mbarrier_object *object)
{
	assert(object->offset % 8 == 0);
	for (uint32_t k = 0; k < CORE_WARPS; k++)
		for (uint32_t l = 0; object->seen[k] && l < CORE_WARPS; l++)
			object->seen[k][l] = SEEN_NOTHING;
	memset(object->again, 0, sizeof object->again);
	object->looked = 0;
	object->was_passed = false;
}

void mbarrier_ledger_begins(
	struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane, uint32_t count)
{
	struct mbarrier_object *object = object_of(ledger, op->group, op->address[lane]);

	assert(op->space == space_SHARED);
	assert(count);
	if (object && !object->is_over && (object->recorded || object->phase)) {
		object->was_in_use = true;
		object->before = object->begun;
	} else if (!object) {
		object = add_object(core, objects_of(ledger, op->group), op->group, op->address[lane]);
		object->was_in_use = false;
	}
	object->offset = op->address[lane];
	object->count = count;
	object->is_over = false;
	object->phase = 0;
	object->recorded = 0;
	object->copying = 0;
	object->begun =
		record_of(core, op, lane, (struct mbarrier_record){.act = MBARRIER_INITIALISED, .count = count});
	forget_seen(object);
}

void mbarrier_ledger_ends(
	const struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane)
{
	struct mbarrier_object *object = object_of(ledger, op->group, op->address[lane]);

	assert(op->space == space_SHARED);
	if (!object)
		return;
	object->is_over = true;
	object->over = record_of(core, op, lane, (struct mbarrier_record){.act = MBARRIER_INVALIDATED});
}

static bool goes_on(const struct mbarrier_record *before, const struct mbarrier_record *now)
{
	assert(now->lanes);
	return before->act == now->act && before->pc == now->pc && before->phase == now->phase &&
	       mbarrier_same_warp(before, now) && !(before->lanes & now->lanes) && before->act != MBARRIER_COPIES;
}

/* Room for what a warp's lanes have seen. */
static int32_t *seen_by(struct core *core, struct mbarrier_object *object, const struct warp_slot *r)
{
	int32_t **seen = &object->seen[warp_of(r)];

	assert(r->used);
	if (!*seen) {
		*seen = arena_new_array(&core->machine->cores.arenas[core->index], int32_t, CORE_WARPS);
		for (uint32_t l = 0; l < CORE_WARPS; l++)
			(*seen)[l] = SEEN_NOTHING;
	}
	return *seen;
}

static bool is_of(const struct mbarrier_look *look, const struct warp_slot *r)
{
	assert(r->used);
	return look->launch == r->group->launch && look->group == r->group->number &&
	       look->thread == r->warp.first_thread;
}

static struct mbarrier_look *look_at(struct core *core, struct mbarrier_ledger *ledger, const struct warp_slot *r)
{
	struct mbarrier_look **look = &ledger->looks[core_slot(core, r)];

	assert(r->used);
	bool is_new = !*look;

	if (is_new)
		*look = arena_new(&core->machine->cores.arenas[core->index], struct mbarrier_look);
	if (is_new || !is_of(*look, r))
		**look = (struct mbarrier_look){.launch = r->group->launch,
			.group = r->group->number,
			.thread = r->warp.first_thread,
			.expected = UINT64_MAX};
	return *look;
}

void mbarrier_ledger_note(struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane,
	uint64_t offset, struct mbarrier_record what)
{
	struct mbarrier_object *object = object_of(ledger, op->group, offset);
	struct mbarrier_record now = record_of(core, op, lane, what), *last;

	assert(what.act > MBARRIER_INVALIDATED);
	if (!object)
		return;
	now.phase = object->phase;
	if (what.bytes && !now.is_remote && (what.act == MBARRIER_ARRIVED || what.act == MBARRIER_EXPECTED))
		look_at(core, ledger, op->slot)->expected = offset;
	if (what.act == MBARRIER_COPIES)
		now.is_elsewhere = look_at(core, ledger, op->slot)->expected != UINT64_MAX &&
				   look_at(core, ledger, op->slot)->expected != offset;
	object->copying += what.act == MBARRIER_COPIES ? what.bytes : 0;
	if (what.act == MBARRIER_BYTES && op->insn->kind == INSN_COPY && !now.is_remote)
		object->copying -= what.bytes < object->copying ? what.bytes : object->copying;
	if (what.act == MBARRIER_ARRIVED && !now.is_remote && op->insn->kind == INSN_MBARRIER &&
		seen_by(core, object, op->slot)[lane] < object->phase - 1)
		seen_by(core, object, op->slot)[lane] = (int32_t)(object->phase - 1);
	last = object->recorded ? &object->records[(object->recorded - 1) % MBARRIER_RECORDS] : NULL;
	if (!last || !goes_on(last, &now)) {
		object->records[object->recorded++ % MBARRIER_RECORDS] = now;
		return;
	}
	last->lanes |= now.lanes;
	last->count += now.count;
	last->bytes += now.bytes;
	last->when = now.when;
}

void mbarrier_ledger_credit(
	const struct mbarrier_ledger *ledger, const struct group *group, uint64_t offset, struct mbarrier_record what)
{
	struct mbarrier_object *object = object_of(ledger, group, offset);

	assert(what.count || what.bytes);
	if (!object)
		return;
	what.phase = object->phase;
	what.is_remote = what.group != group->number;
	object->records[object->recorded++ % MBARRIER_RECORDS] = what;
}

void mbarrier_ledger_next(const struct mbarrier_ledger *ledger, const struct group *group, uint64_t offset)
{
	struct mbarrier_object *object = object_of(ledger, group, offset);

	assert(offset % 8 == 0);
	if (object)
		object->phase++;
}

/* What lanes that found their phase of the object complete know now. */
static void note_seen(struct core *core, struct mbarrier_object *object, const struct operation *op,
	const struct mbarrier_look *look, lane_mask lanes)
{
	int32_t *all = seen_by(core, object, op->slot), last = (int32_t)(object->phase - 1);
	lane_mask again = 0;

	assert(!(lanes & ~look->complete));
	EACH_LANE(l, lanes) {
		int32_t seen = all[l];
		int64_t means = seen + 1 + ((seen & 1) == (look->odd >> l & 1));

		all[l] = last;
		if (seen == last)
			again |= (lane_mask)1 << l;
		if (look->by_parity >> l & 1 && means + 2 <= last && !object->was_passed) {
			object->was_passed = true;
			object->passed = op->slot->warp.first_thread + (uint32_t)l;
			object->passed_phase = means;
		}
	}
	again &= look->by_parity;
	if (!again || !object->phase)
		return;
	object->again[warp_of(op->slot)] |= again;
	object->again_pc = look->pc[__builtin_ctzll(again)];
}

/* Of the lanes those that ask for the same object as the first. */
static lane_mask same_object(const uint64_t *offset, lane_mask lanes)
{
	uint64_t first = offset[__builtin_ctzll(lanes)];
	lane_mask same = 0;

	assert(lanes);
	EACH_LANE(l, lanes)
		same |= (lane_mask)(offset[l] == first) << l;
	return same;
}

void mbarrier_ledger_looks(struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, lane_mask odd,
	lane_mask complete, bool by_parity)
{
	struct mbarrier_look *look = look_at(core, ledger, op->slot);
	uint32_t pc = launch_pc(op->group->core_launch->launch, op->insn);

	assert(!op->is_remote && !((odd | complete) & ~op->lanes));
	look->lanes |= op->lanes;
	look->by_parity = (look->by_parity & ~op->lanes) | (by_parity ? op->lanes : 0);
	look->odd = (look->odd & ~op->lanes) | odd;
	look->complete = (look->complete & ~op->lanes) | complete;
	EACH_LANE(l, op->lanes) {
		look->pc[l] = pc;
		look->offset[l] = op->address[l];
	}
	for (lane_mask left = op->lanes, same; left; left &= ~same) {
		struct mbarrier_object *object = object_of(ledger, op->group, op->address[__builtin_ctzll(left)]);

		same = same_object(look->offset, left);
		if (!object)
			continue;
		object->looked |= 1ull << warp_of(op->slot);
		object->looked_pc = pc;
		if (same & complete)
			note_seen(core, object, op, look, same & complete);
	}
}

/* ---- Steps of warps ---- */

static lane_mask at_same(const uint64_t *address, lane_mask lanes, uint64_t where)
{
	lane_mask same = 0;

	assert(lanes);
	EACH_LANE(l, lanes)
		same |= (lane_mask)(address[l] == where) << l;
	return same;
}

/* The present phase of an object of the core's own group. */
static int64_t phase_of(const struct core *core, const struct group *group, uint64_t offset)
{
	const struct mbarrier_object *object = mbarrier_object_of(core, group, offset);

	assert(offset % 8 == 0);
	return object ? object->phase : 0;
}

void mbarrier_ledger_step(struct core *core, const struct warp_slot *r, const struct insn *i, enum mbarrier_step step,
	lane_mask lanes, const uint64_t *address, uint32_t count)
{
	uint32_t own = launch_cluster_rank(r->warp.launch, r->warp.group);

	assert(r->used);
	for (lane_mask left = lanes, same; left; left &= ~same) {
		uint64_t where = address[__builtin_ctzll(left)];
		bool is_remote = where >= SHARED_PART_BYTES;

		same = at_same(address, left, where);
		assert(same && !(same & ~left));
		mbarrier_trace_add(core, r,
			(struct mbarrier_event){.step = (uint8_t)step,
				.rank = (uint8_t)(is_remote ? remote_rank(where) : own),
				.ranks = (uint16_t)(1u << (is_remote ? remote_rank(where) : own)),
				.pc = launch_pc(r->core_launch->launch, i),
				.offset = is_remote ? remote_offset(where) : where,
				.phase = is_remote ? 0 : phase_of(core, r->group, where) - (step == STEP_PASSED),
				.count = count * (uint32_t)__builtin_popcountll(same),
				.lanes = same});
	}
}

void mbarrier_ledger_copies(
	struct core *core, const struct operation *op, uint32_t lane, uint64_t offset, uint16_t ranks, uint32_t bytes)
{
	assert(ranks && op->insn->kind == INSN_COPY);
	mbarrier_trace_add(core, op->slot,
		(struct mbarrier_event){.step = STEP_COPIED,
			.rank = (uint8_t)__builtin_ctz(ranks),
			.ranks = ranks,
			.pc = launch_pc(op->group->core_launch->launch, op->insn),
			.offset = offset,
			.count = bytes,
			.lanes = (lane_mask)1 << lane});
}

/* ---- Reading ---- */

const struct mbarrier_object *mbarrier_object_of(const struct core *core, const struct group *group, uint64_t offset)
{
	assert(group->used);
	return offset < group->core_launch->launch->group.shared_bytes
		       ? object_of(mbarrier_ledger_of(core), group, offset)
		       : NULL;
}

uint32_t mbarrier_objects_of(
	const struct core *core, const struct group *group, const struct mbarrier_object *const **objects)
{
	const struct objects *of = objects_of(mbarrier_ledger_of(core), group);

	assert(group->used);
	*objects = (const struct mbarrier_object *const *)of->list.at;
	return are_of(of, group) ? of->used : 0;
}

const struct mbarrier_look *mbarrier_look_of(const struct core *core, const struct warp_slot *r)
{
	const struct mbarrier_look *look = mbarrier_ledger_of(core)->looks[core_slot(core, r)];

	assert(r->used);
	return look && is_of(look, r) ? look : NULL;
}

bool mbarrier_is_waited(const struct core *core, const struct group *group, const struct mbarrier_object *object)
{
	assert(group->used);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];
		const struct mbarrier_look *look = r->used && !r->finished ? mbarrier_look_of(core, r) : NULL;

		EACH_LANE(l, look ? look->lanes & ~look->complete & r->warp.live : 0)
			if (look->offset[l] == object->offset && (look->odd >> l & 1) == (object->phase & 1))
				return true;
	}
	return false;
}

bool mbarrier_arrived_in(const struct mbarrier_object *object, int64_t phase, const struct mbarrier_record *r)
{
	assert(r->lanes);
	EACH_RECORD(other, object, phase, MBARRIER_ARRIVED)
		if (mbarrier_same_warp(other, r) && other->lanes & r->lanes)
			return true;
	return false;
}

lane_mask mbarrier_absent_lanes(const struct mbarrier_object *object, const struct mbarrier_record *r)
{
	lane_mask lanes = r->lanes;

	assert(r->act == MBARRIER_ARRIVED);
	EACH_RECORD(other, object, object->phase, MBARRIER_ARRIVED)
		if (mbarrier_same_warp(other, r))
			lanes &= ~other->lanes;
	return lanes;
}

uint64_t mbarrier_absent_bytes(const struct mbarrier_object *object, const struct mbarrier_record *of)
{
	uint64_t before = 0, now = 0;

	assert(of->act == MBARRIER_BYTES);
	EACH_KNOWN_RECORD(r, object) {
		if (r->act != MBARRIER_BYTES || !mbarrier_same_warp(r, of))
			continue;
		before += r->phase == of->phase ? r->bytes : 0;
		now += r->phase == object->phase ? r->bytes : 0;
	}
	return before > now ? before - now : 0;
}

uint64_t mbarrier_expected_by(const struct core *core, const struct warp_slot *r)
{
	const struct mbarrier_look *look = mbarrier_look_of(core, r);

	assert(r->used);
	return look ? look->expected : UINT64_MAX;
}

int64_t mbarrier_seen(const struct mbarrier_object *object, const struct warp_slot *r, uint32_t lane)
{
	const int32_t *seen = object->seen[warp_of(r)];

	assert(lane < r->warp.lanes);
	return seen ? seen[lane] : SEEN_NOTHING;
}

/* ---- Messages ---- */

/* "thread (0,0,0)", the first of the record's lanes; of another group "group (1,0,0) thread (0,0,0)". */
static const char *who_did(struct core *core, const struct operation *op, const struct mbarrier_record *record)
{
	const struct launch *launch = op->group->core_launch->launch;
	const uint32_t *block = launch->values.block;
	uint32_t thread = record->thread + (uint32_t)__builtin_ctzll(record->lanes), group[3];
	struct arena *arena = &core->machine->cores.arenas[core->index];
	const char *whose = "";

	assert(record->lanes);
	launch_place_group(&launch->values, record->group, group);
	if (record->is_remote)
		whose = arena_printf(arena, "group (%u,%u,%u) ", group[0], group[1], group[2]);
	return arena_printf(arena, "%sthread (%u,%u,%u)", whose, thread % block[0], thread / block[0] % block[1],
		thread / block[0] / block[1]);
}

/* `format` gets the thread and the place. */
static const char *tell(
	struct core *core, const struct operation *op, const char *format, const struct mbarrier_record *record)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	const struct launch *launch = op->group->core_launch->launch;

	assert(record->pc < launch->kernel->code_count);
	return arena_printf(
		arena, format, who_did(core, op, record), kernel_place_text(arena, launch->kernel, record->pc));
}

const char *mbarrier_ledger_why_invalid(
	struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint64_t offset)
{
	const struct mbarrier_object *object = object_of(ledger, op->group, offset);

	assert(op->group->used);
	if (!object)
		return ": no thread of the work-group has initialised an object there";
	if (object->is_over)
		return tell(core, op, ": %s invalidated it at %s", &object->over);
	return tell(core, op, ": %s initialised it at %s, and its bytes have been overwritten since", &object->begun);
}

/* The threads that have arrived in its present phase, at most three of them. */
static const char *who_arrived(struct core *core, const struct operation *op, const struct mbarrier_object *object)
{
	struct text text = {.arena = &core->machine->cores.arenas[core->index]};
	uint32_t said = 0;

	assert(object->count);
	EACH_RECORD(r, object, object->phase, MBARRIER_ARRIVED) {
		if (said == 3)
			text_print(&text, ", and others");
		if (said++ >= 3)
			continue;
		text_print(&text, "%s%s", said == 1 ? ". In this phase " : ", ",
			tell(core, op, "%s has arrived at %s", r));
	}
	return text.length ? text.at : "";
}

/* The threads of the operation's warp that arrive at the object by it, one by one. */
static uint32_t lanes_at(const struct operation *op, uint64_t offset)
{
	uint32_t count = 0;

	assert(op->lanes);
	EACH_LANE(l, op->lanes)
		count += op->insn->kind != INSN_MBARRIER || op->address[l] == offset;
	return count;
}

/* The wait that the lane has passed since its last step at the object, or null: nothing held it back. */
static const struct mbarrier_event *passed_since(
	const struct core *core, const struct operation *op, uint32_t lane, uint64_t offset)
{
	const struct mbarrier_trace *trace =
		mbarrier_trace_of(core, op->group, op->slot->warp.first_thread / op->slot->warp.lanes);
	const struct mbarrier_event *passed = NULL;
	uint32_t own = 0; /* the arrival that is too many is the last one */

	assert(!op->is_remote);
	for (uint32_t k = trace ? mbarrier_events(trace) : 0; k > 0 && own < 2; k--) {
		const struct mbarrier_event *e = mbarrier_event(trace, k - 1);

		if (!(e->lanes >> lane & 1))
			continue;
		own += e->step == STEP_ARRIVED && e->count && e->offset == offset;
		passed = e->step == STEP_PASSED && !passed ? e : passed;
	}
	return own == 2 ? passed : NULL;
}

/* "; the wait at k.cu:20 has let it pass, for phase 0 of the object at shared offset 0x18" */
static const char *what_let_pass(
	struct core *core, const struct operation *op, uint32_t lane, const struct mbarrier_object *object)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	const struct mbarrier_event *e = op->is_remote ? NULL : passed_since(core, op, lane, object->offset);

	assert(object->phase >= 0);
	if (op->is_remote)
		return "";
	if (!e)
		return ", and has passed no wait between";
	return arena_printf(arena,
		"; between, the wait at %s has let it pass, as phase %lld of the object at 0x%llx was over",
		kernel_place_text(arena, op->group->core_launch->launch->kernel, e->pc), (long long)e->phase,
		(unsigned long long)e->offset);
}

/* The lane that is one too many has arrived before. */
static const char *why_again(struct core *core, const struct operation *op, uint32_t lane,
	const struct mbarrier_object *object, struct mbarrier_record before)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	const struct launch *launch = op->group->core_launch->launch;
	bool is_same = kernel_same_line(launch->kernel, before.pc, launch_pc(launch, op->insn));

	before.lanes = (lane_mask)1 << lane;
	return arena_printf(arena, "%s%s",
		tell(core, op,
			is_same ? "; %s arrives twice in one phase at %s"
				: "; %s arrives twice in one phase, before at %s",
			&before),
		what_let_pass(core, op, lane, object));
}

/* What the arrival that is too many has in common with those before it in the phase. */
static const char *why_more(
	struct core *core, const struct operation *op, uint32_t lane, const struct mbarrier_object *object)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	const struct mbarrier_record own = record_of(core, op, lane, (struct mbarrier_record){.count = 1});
	uint32_t lanes = lanes_at(op, object->offset), others = 0;
	bool is_beside = false; /* lower lanes have arrived by the operation */

	assert(op->lanes >> lane & 1);
	EACH_RECORD(r, object, object->phase, MBARRIER_ARRIVED) {
		if (mbarrier_same_warp(r, &own) && r->lanes & own.lanes)
			return why_again(core, op, lane, object, *r);
		is_beside |= mbarrier_same_warp(r, &own) && r->pc == own.pc;
	}
	if (is_beside && lanes > object->count)
		return arena_printf(arena,
			"; %u threads of the warp arrive here, one by one, where a count of %u means %s", lanes,
			object->count, object->count > 1 ? "so many in all" : "one alone");
	EACH_RECORD(r, object, object->phase, MBARRIER_ARRIVED)
		others += r->pc == own.pc && !mbarrier_same_warp(r, &own);
	return others ? arena_printf(arena, "; %u warps arrive here in one phase", others + 1) : "";
}

const char *mbarrier_ledger_why_too_many(struct core *core, const struct mbarrier_ledger *ledger,
	const struct operation *op, uint32_t lane, uint64_t offset)
{
	const struct mbarrier_object *object = object_of(ledger, op->group, offset);
	const char *whose;

	assert(op->group->used);
	if (!object || object->is_over)
		return "";
	whose = tell(core, op, "%s initialised it at %s", &object->begun);
	return arena_printf(&core->machine->cores.arenas[core->index], ": %s, with a count of %u%s%s", whose,
		object->count, who_arrived(core, op, object), why_more(core, op, lane, object));
}
