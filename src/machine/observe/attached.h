/* The observers that are attached to a core, and what each of them hears. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_ATTACHED_H
#define LOCKSTEP_MACHINE_OBSERVE_ATTACHED_H

#include "warp/warp.h"

struct core;
struct core_launch;
struct group;
struct message;
struct operation;
struct remote_access; /* machine/lsu/remote.h */
struct warp_slot;

enum observer_id {
#define OBSERVER(name) OBSERVER_##name,
#include "machine/observe/list.def"
#undef OBSERVER
	OBSERVER_COUNT
};

enum observer_event {
#define OBSERVER_EVENT(name, warps, parameters, arguments) OBSERVE_##name,
#include "machine/observe/events.def"
#undef OBSERVER_EVENT
	OBSERVER_EVENTS
};

/* What a warp does that no address and no old value tells. */
enum observed_effect {
	EFFECT_COPY,   /* asynchronous copies begin, or one ends */
	EFFECT_HEAP,   /* device malloc or free */
	EFFECT_IMAGE,  /* texels written, at once */
	EFFECT_MATRIX, /* a matrix stored, at once */
	EFFECT_TIME,   /* what it got depends on how fast others are */
	EFFECT_OBJECT, /* an mbarrier object gets another value */
};

/* A lane's asynchronous copy. */
struct observed_copy {
	uint64_t from, to;      /* addresses; shared memory: offsets */
	uint32_t read, written; /* bytes */
	uint32_t object;        /* offset of the mbarrier that is told of its end */
	uint32_t token;         /* of the operation that it is of, until then */
	uint8_t from_space, to_space;
	bool has_object;
};

#define STALL_REASONS 8 /* enum wait_reason */

/* What a scheduler has stood still for since it issued last: cycles by reason, and the warps that had the reason when
 * it was blamed last. */
struct stall_note {
	uint64_t cycles[STALL_REASONS], warps[STALL_REASONS];
};

#define OBSERVER_UNPACK(...) __VA_ARGS__

/* A hook for each event; null: it does not hear it. */
struct observer_hooks {
#define OBSERVER_EVENT(name, warps, parameters, arguments)                                                             \
	void (*name)(struct core * core, void *state, OBSERVER_UNPACK parameters);
#include "machine/observe/events.def"
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
