/* Attaching observers to cores, hooks in copies of code, and telling events. */
#include "machine/core/observer.h"

#include "machine/core/executors.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

#define OBSERVER(name) extern const struct observer observer_##name;
#include "machine/state/observers.def"
#undef OBSERVER

const struct observer *const observers[OBSERVER_COUNT] = {
#define OBSERVER(name) [OBSERVER_##name] = &observer_##name,
#include "machine/state/observers.def"
#undef OBSERVER
};

_Static_assert(OBSERVER_COUNT <= 32, "a set of observers is a word");

static uint32_t bit(uint32_t id)
{
	assert(id < OBSERVER_COUNT);
	return 1u << id;
}

/* ---- Events ---- */

/* Tells several observers of an event. */
#define OBSERVER_EVENT(name, of_warps, parameters, arguments)                                                          \
	static void tell_##name(struct core *core, void *state, OBSERVER_UNPACK parameters)                            \
	{                                                                                                              \
		const struct attached *a = &core->attached;                                                            \
                                                                                                                       \
		(void)state;                                                                                           \
		EACH_OBSERVER(id, a->listeners[OBSERVE_##name])                                                        \
			if (a->warps[id][OBSERVE_##name] & (of_warps))                                                 \
				observers[id]->on.name(core, a->state[id], OBSERVER_UNPACK arguments);                 \
	}
#include "machine/state/events.def"
#undef OBSERVER_EVENT

static bool has_hook(const struct observer *o, enum observer_event event)
{
	switch (event) {
#define OBSERVER_EVENT(name, warps, parameters, arguments)                                                             \
	case OBSERVE_##name:                                                                                           \
		return o->on.name != NULL;
#include "machine/state/events.def"
#undef OBSERVER_EVENT
	case OBSERVER_EVENTS: break;
	}
	return false;
}

/* The listeners of an event are others now. */
static void choose_teller(struct attached *a, enum observer_event event)
{
	uint32_t set = a->listeners[event], first = set ? (uint32_t)__builtin_ctz(set) : 0;
	bool several = set & (set - 1);

	assert(event < OBSERVER_EVENTS);
	assert(first < OBSERVER_COUNT);
	a->teller[event] = a->state[first];
	switch (event) {
#define OBSERVER_EVENT(name, warps, parameters, arguments)                                                             \
	case OBSERVE_##name:                                                                                           \
		a->tell.name = several ? tell_##name : observers[first]->on.name;                                      \
		break;
#include "machine/state/events.def"
#undef OBSERVER_EVENT
	case OBSERVER_EVENTS: break;
	}
}

void observer_hear(struct core *core, enum observer_id id, enum observer_event event, uint64_t warps)
{
	struct attached *a = &core->attached;
	uint64_t heard = warps;

	assert(event < OBSERVER_EVENTS);
	assert(core->attached.listeners[event] >> id & 1);
	a->warps[id][event] = warps;
	EACH_OBSERVER(k, a->listeners[event] & ~bit(id))
		heard |= a->warps[k][event];
	a->heard[event] = heard;
}

/* ---- Attaching ---- */

static void *attach(struct core *core, struct arena *arena, enum observer_id id)
{
	const struct observer *o = observers[id];
	struct attached *a = &core->attached;
	bool is_new = !a->state[id];

	assert(id < OBSERVER_COUNT);
	if (is_new)
		a->state[id] = arena_alloc(arena, o->state_size + 1);
	a->observers |= bit(id);
	for (uint32_t event = 0; event < OBSERVER_EVENTS; event++)
		if (has_hook(o, event)) {
			a->listeners[event] |= bit(id);
			choose_teller(a, event);
			observer_hear(core, id, event, ~0ull);
		}
	if (is_new && o->has_arena)
		*(struct arena **)a->state[id] = arena;
	if (is_new && o->create)
		o->create(core, a->state[id], arena);
	return a->state[id];
}

static bool may_begin_apart(const struct observer *o)
{
	return o->begins_apart || !(o->on.launch_begins || o->on.group_begins || o->on.warp_begins);
}

void *observer_attach(struct machine *machine, struct core *core, enum observer_id id)
{
	machine->observers |= bit(id);
	machine->cores.start_apart &= may_begin_apart(observers[id]);
	/* a core that is not made yet does not know its index */
	return attach(core, &machine->cores.arenas[core - machine->cores.at], id);
}

void observer_detach(struct core *core, enum observer_id id)
{
	struct attached *a = &core->attached;

	a->observers &= ~bit(id);
	for (uint32_t event = 0; event < OBSERVER_EVENTS; event++)
		if (a->listeners[event] & bit(id)) {
			observer_hear(core, id, event, 0);
			a->listeners[event] &= ~bit(id);
			choose_teller(a, event);
		}
}

bool observer_at_once(const struct core *core)
{
	return core->machine->functional;
}

uint64_t observer_clock(const struct core *core)
{
	return observer_at_once(core) ? core->machine->rounds : core->now - core->machine->time.start;
}

uint32_t observers_asked(const struct gpu *gpu, bool functional)
{
	uint32_t set = 0;

	for (uint32_t id = 0; id < OBSERVER_COUNT; id++)
		if (observers[id]->is_asked ? observers[id]->is_asked(gpu, functional)
					    : gpu->observe[observers[id]->profiles ? OBSERVER_profile : id] != NULL)
			set |= bit(id);
	return set;
}

bool observers_begin_apart(const struct gpu *gpu, bool functional)
{
	EACH_OBSERVER(id, observers_asked(gpu, functional))
		if (!may_begin_apart(observers[id]))
			return false;
	return true;
}

bool observers_note_issues(const struct gpu *gpu, bool functional)
{
	EACH_OBSERVER(id, functional ? 0 : observers_asked(gpu, functional))
		if (observers[id]->on.issued)
			return true;
	return false;
}

void observers_create(struct core *core, struct arena *arena)
{
	EACH_OBSERVER(id, observers_asked(core->machine->gpu, core->machine->functional))
		attach(core, arena, id);
}

void observers_clear(struct core *core, struct arena *arena)
{
	for (uint32_t id = 0; id < OBSERVER_COUNT; id++)
		if (core->attached.state[id] && observers[id]->clear)
			observers[id]->clear(core, core->attached.state[id], arena);
}

void observers_launch_ends(struct launch *launch)
{
	EACH_OBSERVER(id, observers_asked(launch->machine->gpu, launch->functional))
		if (observers[id]->launch_ends)
			observers[id]->launch_ends(launch);
}

void observers_flush(struct machine *machine, bool at_end)
{
	EACH_OBSERVER(id, machine->observers)
		if (observers[id]->flush)
			observers[id]->flush(machine, at_end);
}

/* ---- Hooks in the code ---- */

static uint32_t wanting(const struct launch *launch, const struct gpu *gpu, uint32_t set, const struct insn *i)
{
	uint32_t wanted = 0;

	EACH_OBSERVER(id, set)
		if (!observers[id]->wants || observers[id]->wants(gpu, launch->functional, i))
			wanted |= bit(id);
	return wanted;
}

uint32_t observers_of_code(const struct launch *launch, const struct gpu *gpu)
{
	uint32_t set = 0, wanted = 0;

	EACH_OBSERVER(id, observers_asked(gpu, launch->functional))
		if (observers[id]->before || observers[id]->after)
			set |= bit(id);
	for (uint32_t pc = 0; set != wanted && pc < launch->kernel->code_count; pc++)
		wanted |= wanting(launch, gpu, set & ~wanted, &launch->kernel->code[pc]);
	return wanted;
}

const struct insn *observers_code(struct launch *launch, const struct gpu *gpu, uint32_t set)
{
	uint32_t count = launch->kernel->code_count;
	struct observed_code *copy = launch->copies;

	assert(set >> OBSERVER_COUNT == 0);
	if (!set)
		return launch->kernel->code;
	for (; copy; copy = copy->next)
		if (copy->set == set)
			return copy->code;
	copy = arena_alloc(&launch->arena, sizeof *copy + count * sizeof *copy->code);
	*copy = (struct observed_code){.next = launch->copies, .set = set};
	memcpy(copy->code, launch->kernel->code, count * sizeof *copy->code);
	for (uint32_t pc = 0; pc < count; pc++) {
		uint32_t wanted = wanting(launch, gpu, set, &launch->kernel->code[pc]);

		if (!wanted)
			continue;
		copy->code[pc].kind = INSN_OBSERVED;
		copy->code[pc].target = wanted;
	}
	launch->copies = copy;
	return copy->code;
}

/* Which observers hear the warp's instructions. */
static uint32_t followers(const struct warp_slot *r)
{
	for (const struct observed_code *copy = r->core_launch->launch->copies; copy; copy = copy->next)
		if (copy->code == r->code)
			return copy->set;
	return 0;
}

void observer_follow(struct core *core, struct warp_slot *r, enum observer_id id)
{
	assert(core->attached.observers >> id & 1);
	r->code = observers_code(r->core_launch->launch, core->machine->gpu, followers(r) | bit(id));
}

void observer_leave(struct core *core, struct warp_slot *r, enum observer_id id)
{
	uint32_t set = followers(r);

	if (set & bit(id))
		r->code = observers_code(r->core_launch->launch, core->machine->gpu, set & ~bit(id));
}
