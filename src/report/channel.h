/* From the programs under `lockstep run` to the command: one memory file that both have open, so that the results
 * survive however the program ends.
 *
 * It begins with a slot for each process, which says how far that process got and what runs on its GPU just now.  After
 * the slots come records, each appended by one write.  The file has no name in any folder: it goes with its last
 * user. */
#ifndef LOCKSTEP_REPORT_CHANNEL_H
#define LOCKSTEP_REPORT_CHANNEL_H

#include "util/arena.h"

#include <stdatomic.h>

#define CHANNEL_VARIABLE "LOCKSTEP_CHANNEL" /* in the environment of the programs: the file's path */
#define CHANNEL_SLOTS 64                    /* processes that can show what runs; more can send records all the same */

/* How far a process got; later ones are higher. */
enum channel_stage { CHANNEL_LOADED = 1, CHANNEL_ASKED, CHANNEL_CONTEXT, CHANNEL_LAUNCHED };

/* How a process ended, as far as it could tell; what it had enqueued and not begun by then never runs. */
enum channel_end {
	CHANNEL_END_UNTOLD,  /* it did not reach its exit handlers, or still runs */
	CHANNEL_END_DONE,    /* everything enqueued was carried out at its exit */
	CHANNEL_END_BLOCKED, /* except what waits for something that never happens */
	CHANNEL_END_INSIDE,  /* nothing was: exit was called while our thread was blocked or one of our locks held */
};

/* Launches of one kernel that are enqueued and have not begun. */
struct channel_waiting {
	_Atomic uint32_t count;
	char kernel[124];
};
#define CHANNEL_KERNELS 8 /* the last one counts all kernels without an entry of their own */

struct channel_slot {
	_Atomic uint32_t process; /* its id; 0: the slot is free */
	_Atomic uint32_t stage;
	_Atomic uint32_t running; /* the members below describe a launch that has begun and not ended */
	uint32_t functional;
	uint32_t grid[3], block[3];
	_Atomic uint64_t begun; /* nanoseconds of CLOCK_MONOTONIC */
	_Atomic uint64_t cycles, warp_instructions, groups_done;
	/* It hangs, and the cause is confirmed: lockstep_options.confirming; 0: not. */
	_Atomic uint32_t test, tests;
	char kernel[128];
	char shown[96];            /* the kernel as people write it */
	_Atomic uint64_t commands; /* of the host, in which races were looked for */
	_Atomic uint32_t end;      /* enum channel_end */
	_Atomic uint32_t lost;     /* records that could not be written */
	_Atomic int lost_why;      /* the errno of the last of them; EFBIG: there is a limit on the size of files */
	struct channel_waiting waiting[CHANNEL_KERNELS];
};

enum channel_kind {
	CHANNEL_SESSION = 1, /* once a process: the GPU, its configuration, the counters' meanings; JSON */
	CHANNEL_LAUNCH,      /* a launch has ended: see launch_record.h */
	CHANNEL_FINDING,  /* one of no launch alone: JSON, as in a report, with process, id and launch (its number; 0:
			     none); a later one with the same process and id replaces it */
	CHANNEL_NOTE,     /* a line for the report: something went wrong outside of a launch */
	CHANNEL_UNPINNED, /* a source was compiled, and its pinned PTX not taken: JSON, as in a report */
	CHANNEL_UNSUPPORTED, /* the program made a call that is not supported: its name, NUL, a line as CHANNEL_NOTE's
			      */
	CHANNEL_REFUSED,     /* a launch that an API call refused: JSON, an element of `refused` in a report */
	CHANNEL_SOURCE,      /* a source that is in no file: its name, NUL, its text */
};

struct channel_record {
	enum channel_kind kind;
	uint32_t process; /* its slot's number, or CHANNEL_SLOTS */
	const char *text; /* ends in NUL; good until the next record is read */
	size_t length;
};

/* Reads the records one by one. */
struct channel_reader {
	const struct channel *channel;
	uint64_t at;
	int why;            /* errno where something could not be read, which is left out then */
	uint64_t hole;      /* bytes that were never written: something else has made the file longer */
	struct arena arena; /* holds `text`; the caller frees it */
	char *text;
	size_t capacity;
};

struct channel {
	int file;
	uint32_t process;           /* the slot's number */
	struct channel_slot *slots; /* CHANNEL_SLOTS of them, shared */
	struct channel_slot spare;  /* of a process that found no free slot */
	struct channel_slot *own;   /* of this process */
};

/* The command's side.  create: false when the system has no such file; errno says why. */
bool channel_create(struct channel *channel);
/* The next record, from the first on; false when there is no more. */
bool channel_next(struct channel_reader *reader, struct channel_record *record);
void channel_close(struct channel *channel);

/* Seconds since the launch that a slot shows began. */
double channel_seconds(const struct channel_slot *slot);

/* False: something other than these functions has written to it. */
bool channel_slot_is_whole(const struct channel_slot *slot);

/* The program's side.  False when there is none at `path`, with errno ENOENT, or it cannot be opened. */
bool channel_open(struct channel *channel, const char *path);
void channel_reach(struct channel *channel, enum channel_stage stage);
/* Shows a launch that begins: name and shape are in the own slot already. */
void channel_begin(struct channel *channel);
/* Shows that a launch is enqueued, and that it begins, or will not: by the number that the first returned.  One thread
 * at a time. */
uint32_t channel_enqueue(struct channel *channel, const char *kernel);
void channel_dequeue(struct channel *channel, uint32_t number);
void channel_end(struct channel *channel, enum channel_end end);
void channel_send(struct channel *channel, enum channel_kind kind, const char *text, size_t length);

#endif
