/* Observers: what records how kernels run, and changes nothing of it (but for spinning.c and grids.c, which say so).
 *
 * An observer is a file and a row of list.def.  It hears two things.  Instructions: `before` and `after` are called
 * around those that it `wants`, from hooks in a copy of the code, so that without observers no instruction costs more.
 * Events: what parts of the core tell by observe_NAME (events.def); each is a test of one word when no observer hears
 * it.
 *
 * It is attached to every core from the start when it is asked for, or by observer_attach, between quanta, for as long
 * as it likes.  Several may be attached at once; each has a state of its own on every core, found by its row.  Hooks
 * are called on the core's own thread: they touch nothing but that core and their state.  What they gather is handed on
 * between quanta, by `flush`. */
#ifndef LOCKSTEP_MACHINE_CORE_OBSERVER_H
#define LOCKSTEP_MACHINE_CORE_OBSERVER_H

#include "machine/state/core.h"

struct gpu;

/* What an observer hands out as a table, a row for each instruction (observe/table.h). */
struct observer_table {
	const char *name;           /* of --observe and in reports: "bank-conflicts" */
	const char *title;          /* for people */
	const char *const *columns; /* counts, by their names in reports; most of the first is shown first */
	uint32_t column_count;
};

struct observer {
	const struct observer_table *table; /* null: it hands out none */
	size_t state_size;                  /* of its state on a core, which is zero at first */
	bool has_arena;                     /* that begins with a pointer to the core's arena (as in core_clear) */
	/* Whether cores have it from the start; null: when gpu->observe says so, of it or, if it `profiles`, of the
	 * profile. */
	bool (*is_asked)(const struct gpu *gpu, bool functional);
	bool profiles;
	/* It hears of launches, work-groups and warps that begin on the core's own thread, as of all else; false: while
	 * no core runs, as what it then does concerns others, too. */
	bool begins_apart;
	/* Whether `before` and `after` are for this instruction; null: they are for all. */
	bool (*wants)(const struct gpu *gpu, bool functional, const struct insn *i);
	/* The first time that it is attached to a core; and before `arena` goes, which is the core's (as in
	 * core_clear).  May be null. */
	void (*create)(struct core *core, void *state, struct arena *arena);
	void (*clear)(struct core *core, void *state, struct arena *arena);

	/* An instruction of the kernel's code is about to be carried out for the lanes whose guard is true (may be
	 * none), or has been: the warp's path is elsewhere then, and the warp may have ended.  It may be issued again,
	 * when it could not be carried out in full. */
	void (*before)(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes);
	void (*after)(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes);
	/* The events that it hears. */
	struct observer_hooks on;

	/* Where it is asked for: the launch has ended, in any way, and is not counted yet.  No core runs.  May be null.
	 */
	void (*launch_ends)(struct launch *launch);
	/* Between quanta, or rounds of turns, while it is attached to any core: hands on what was gathered; at the end,
	 * all of it. */
	void (*flush)(struct machine *machine, bool at_end);
};

extern const struct observer *const observers[OBSERVER_COUNT];

/* ---- For the machine ---- */

/* Those that are asked for; whether all of these that hear what begins may do so apart (begins_apart). */
uint32_t observers_asked(const struct gpu *gpu, bool functional);
bool observers_begin_apart(const struct gpu *gpu, bool functional);
/* Attaches those that are asked for to a new core, whose schedulers and units are made; and clears all that were. */
void observers_create(struct core *core, struct arena *arena);
void observers_clear(struct core *core, struct arena *arena);
/* Those that are asked for and want to hear any instruction of the launch. */
uint32_t observers_of_code(const struct launch *launch, const struct gpu *gpu);
/* The launch's code with hooks for a set of observers; made when it is first asked for.  Not while a core runs. */
const struct insn *observers_code(struct launch *launch, const struct gpu *gpu, uint32_t set);
/* Whether one that is asked for hears of issues. */
bool observers_note_issues(const struct gpu *gpu, bool functional);
void observers_launch_ends(struct launch *launch);
void observers_flush(struct machine *machine, bool at_end);

/* ---- For observers that come and go.  Not while a core runs ---- */

/* Attaches the observer to a core: it hears all events that it has hooks for, of all warps, but no instructions yet:
 * see observer_follow. Returns its state, which is as it left it. */
void *observer_attach(struct machine *machine, struct core *core, enum observer_id id);
/* It hears nothing any more. */
void observer_detach(struct core *core, enum observer_id id);
/* From now on the observer hears the warp's instructions, or no longer.  A new warp's are heard by those that were
 * asked for alone; others follow it from their hook warp_begins, if they like: without `begins_apart` that is
 * while no core runs. */
void observer_follow(struct core *core, struct warp_slot *r, enum observer_id id);
void observer_leave(struct core *core, struct warp_slot *r, enum observer_id id);

/* ---- For observers ---- */

/* Its state on the core; null: it is not attached. */
static inline void *observer_state(const struct core *core, enum observer_id id)
{
	return core->attached.observers >> id & 1 ? core->attached.state[id] : NULL;
}

/* Whether an access takes effect where it is told, on memory that all cores share, and cores run one after another:
 * functional mode.  Else it does when it is served. */
bool observer_at_once(const struct core *core);
/* When what a core does happens: machine_clock, within a quantum too. */
uint64_t observer_clock(const struct core *core);

/* From now on the observer hears the event only of these warp slots, also of warps that begin there later. */
void observer_hear(struct core *core, enum observer_id id, enum observer_event event, uint64_t warps);

/* Calls the body with `id` for each observer of a set, in the order of the list. */
#define EACH_OBSERVER(id, set)                                                                                         \
	for (uint32_t id, rest_of_##id = (set); rest_of_##id && (id = (uint32_t)__builtin_ctz(rest_of_##id), true);    \
		rest_of_##id &= rest_of_##id - 1)

/* ---- For the parts of a core that tell ---- */

static inline bool observer_hears(const struct core *core, enum observer_event event, uint64_t warps)
{
	return core->attached.heard[event] & warps;
}

#define OBSERVER_EVENT(name, of_warps, parameters, arguments)                                                          \
	static inline void observe_##name(struct core *core, OBSERVER_UNPACK parameters)                               \
	{                                                                                                              \
		const struct attached *a = &core->attached;                                                            \
                                                                                                                       \
		if (a->heard[OBSERVE_##name] & (of_warps))                                                             \
			a->tell.name(core, a->teller[OBSERVE_##name], OBSERVER_UNPACK arguments);                      \
	}
#include "machine/state/events.def"
#undef OBSERVER_EVENT

#endif
