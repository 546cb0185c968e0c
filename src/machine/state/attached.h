/* The observers that are attached to a core, and what each of them hears. */
#ifndef LOCKSTEP_MACHINE_STATE_ATTACHED_H
#define LOCKSTEP_MACHINE_STATE_ATTACHED_H

#include "warp/warp.h"

#include <assert.h>

struct child;
struct core;
struct core_launch;
struct group;
struct mbarrier;        /* warp/mbarrier.h */
struct mbarrier_record; /* machine/lsu/mbarrier_ledger.h */
struct message;
struct operation;
struct remote_access; /* machine/lsu/remote.h */
struct warp_slot;

enum observer_id {
#define OBSERVER(name) OBSERVER_##name,
#include "machine/state/observers.def"
#undef OBSERVER
	OBSERVER_COUNT
};

enum observer_event {
#define OBSERVER_EVENT(name, warps, parameters, arguments) OBSERVE_##name,
#include "machine/state/events.def"
#undef OBSERVER_EVENT
	OBSERVER_EVENTS
};

/* What a warp does that no address and no old value tells. */
enum observed_effect {
	EFFECT_COPY,   /* asynchronous copies begin, or one ends */
	EFFECT_HEAP,   /* device malloc or free */
	EFFECT_IMAGE,  /* texels written, at once */
	EFFECT_MATRIX, /* a matrix or a tensor map stored, at once */
	EFFECT_TIME,   /* what it got depends on how fast others are */
	EFFECT_OBJECT, /* an mbarrier object gets another value */
};

/* A lane's asynchronous copy. */
struct observed_copy {
	uint64_t from, to;      /* addresses; shared memory: offsets */
	uint32_t read, written; /* bytes */
	uint64_t object;        /* the mbarrier that its end is reported to, in `to_space` */
	uint32_t token;         /* of the operation that it is of, until then */
	uint8_t from_space, to_space;
	uint8_t element; /* bytes of each element that it reduces; 0: it copies */
	bool has_object;
};

#define STALL_REASONS 9 /* enum wait_reason */

#define NO_STALL (STALL_REASONS + 1)
#define STALL_SCHEDULERS 8 /* CORE_SCHEDULERS */

/* Why each scheduler of a core has not issued since it issued last.  Mostly there is one reason, which is noted by the
 * cycle in which it began; those before it are noted by their cycles. */
struct stall_notes {
	uint32_t reason[STALL_SCHEDULERS]; /* now; STALL_REASONS: it has no warp; NO_STALL: it does not sleep */
	uint32_t before[STALL_SCHEDULERS]; /* reasons before this one: bits */
	/* Of `reason`: first cycle; the warps that had it when it was blamed last. */
	uint64_t since[STALL_SCHEDULERS], warps[STALL_SCHEDULERS];
	/* Likewise, of each before: cycles. */
	uint64_t cycles_before[STALL_SCHEDULERS][STALL_REASONS], warps_before[STALL_SCHEDULERS][STALL_REASONS];
};

/* From cycle `now` on the scheduler no longer sleeps for that reason. */
static inline void stall_notes_end(struct stall_notes *notes, uint32_t scheduler, uint64_t now)
{
	uint32_t reason = notes->reason[scheduler];

	assert(scheduler < STALL_SCHEDULERS);
	assert(reason <= NO_STALL);
	assert(reason >= STALL_REASONS || notes->since[scheduler] <= now);
	if (reason < STALL_REASONS) {
		notes->before[scheduler] |= 1u << reason;
		notes->cycles_before[scheduler][reason] += now - notes->since[scheduler];
		notes->warps_before[scheduler][reason] = notes->warps[scheduler];
	}
	notes->reason[scheduler] = NO_STALL;
}

#define OBSERVER_UNPACK(...) __VA_ARGS__

/* A hook for each event; null: it does not hear it. */
struct observer_hooks {
#define OBSERVER_EVENT(name, warps, parameters, arguments)                                                             \
	void (*name)(struct core * core, void *state, OBSERVER_UNPACK parameters);
#include "machine/state/events.def"
#undef OBSERVER_EVENT
};

/* Sets of observers have a bit per row of list.def. */
struct attached {
	/* What the core tests and calls: the warp slots of which anyone hears the event, and the hook and the state of
	 * the one observer that does; of several, what tells them one after another. */
	uint64_t heard[OBSERVER_EVENTS];
	void *teller[OBSERVER_EVENTS];
	struct observer_hooks tell;

	uint32_t observers;                              /* that are attached */
	uint32_t listeners[OBSERVER_EVENTS];             /* those of them with a hook for the event */
	uint64_t warps[OBSERVER_COUNT][OBSERVER_EVENTS]; /* of which each hears it */
	void *state[OBSERVER_COUNT];                     /* null: it was never attached */
};

#endif
