/* What global memory held when a machine began: an undo log, by lines.
 *
 * Whoever writes a line first says so, and the log keeps what it was.  A snapshot can exchange that with what memory
 * holds now, and back, so that the same launches may run again from their start and then everything is as it was.
 *
 * Snapshots nest.  While one has exchanged (snapshot_swap), memory is as at its start, and another may be opened on the
 * same space, written under and put back (snapshot_close with `put_back`); after the second swap of the outer one,
 * memory and its history are as if the inner had never been.  Never are two open of which neither has exchanged.
 *
 * Not kept: what the host writes, and what lies elsewhere (the heap's lists: heap_save; caches; registers). */
#ifndef LOCKSTEP_MEMORY_SNAPSHOT_H
#define LOCKSTEP_MEMORY_SNAPSHOT_H

#include "memory/address_space.h"

#define SNAPSHOT_BYTES (1ull << 30) /* of host memory, that a machine's may take */

struct snapshot;

/* What one unit that writes on a thread of its own has saved. */
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
	bool lost;            /* there were more: it is over, and memory stays as it is */
	bool is_swapped;      /* memory is as at the start */
};

/* Begins: `writers` is how many units write, each on a thread of its own; `limit`: bytes that it may take.  Lies in
 * `arena`. */
struct snapshot *snapshot_open(
	struct arena *arena, const struct address_space *space, uint32_t writers, uint64_t limit);
/* Ends; what was saved is forgotten.  `put_back`: memory is as at the start first. */
void snapshot_close(struct snapshot *snapshot, bool put_back);

/* The line that holds `address`, whose mark has no LINE_SAVED, will be written.  False: the snapshot is lost, and need
 * not be told. */
bool snapshot_save(struct snapshot_log *log, uint64_t address);
/* The same of all lines of [address, address + bytes), if they are not saved. */
void snapshot_save_range(struct snapshot_log *log, uint64_t address, uint64_t bytes);

/* Makes memory what it was at the start or, the second time, what it was before the first.  Nothing runs, or will write
 * until the second, but under snapshots opened and closed in between.  False: the snapshot is lost. */
bool snapshot_swap(struct snapshot *snapshot);

#endif
