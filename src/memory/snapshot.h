/* What global memory held when a machine began: an undo log, by lines.
 *
 * Before a line is written for the first time, the writer calls snapshot_save, and the log keeps its bytes.  A snapshot
 * can exchange these with what memory holds now, and back, so that launches can run again from their start and then
 * everything is as it was.
 *
 * Snapshots nest.  While one is swapped (snapshot_swap), memory is as at its start, and another may be opened on the
 * same space, and put memory back at its end (snapshot_close with `put_back`); after the second swap of the outer one,
 * memory and its history are as if the inner one had never existed.  Two snapshots are never open if neither is
 * swapped.
 *
 * Not saved: what the host overwrites, and state outside of global memory (the heap's lists: heap_save; caches;
 * registers). */
#ifndef LOCKSTEP_MEMORY_SNAPSHOT_H
#define LOCKSTEP_MEMORY_SNAPSHOT_H

#include "memory/address_space.h"

#define SNAPSHOT_BYTES (1ull << 30) /* of host memory, that a machine's may take */

struct snapshot;

/* The lines saved by one unit that writes.  Units may run on different threads, so each has its own log. */
struct snapshot_log {
	struct snapshot *snapshot;
	struct saved_lines *first, *last; /* in order of saving */
	struct arena arena;
};

struct snapshot {
	const struct address_space *space;
	struct snapshot_log *logs;
	uint32_t log_count;
	uint64_t limit, used; /* bytes of the logs */
	bool lost;            /* the limit was exceeded: the snapshot is useless, and memory stays as it is */
	bool is_swapped;      /* memory is as at the start */
};

/* Begins: `writers` is how many units write, each on a thread of its own; `limit`: bytes that it may take.  Lies in
 * `arena`. */
struct snapshot *snapshot_open(
	struct arena *arena, const struct address_space *space, uint32_t writers, uint64_t limit);
/* Ends; what was saved is forgotten.  `put_back`: memory is as at the start first. */
void snapshot_close(struct snapshot *snapshot, bool put_back);

/* Called before the line of `address` is written, if its mark has no LINE_SAVED. False: the snapshot is lost, and need
 * not be called again. */
bool snapshot_save(struct snapshot_log *log, uint64_t address);
/* The same of all lines of [address, address + bytes), if they are not saved. */
void snapshot_save_range(struct snapshot_log *log, uint64_t address, uint64_t bytes);

/* Makes memory what it was at the start or, the second time, what it was before the first swap.  Nothing may run
 * meanwhile; between the two swaps only what runs under an inner snapshot may write.  False: the snapshot is lost. */
bool snapshot_swap(struct snapshot *snapshot);

/* Adds to *print a hash of what memory holds now where that is not what it held at the start: the same for the same
 * contents, whatever was written in between. */
void snapshot_print(const struct snapshot *snapshot, uint64_t print[2]);

#endif
