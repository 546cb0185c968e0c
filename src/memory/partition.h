/* A memory partition: one DRAM channel and the L2 slices in front of it.
 *
 * A request takes effect (loads read, stores write, atomics operate on the backing memory) when its slice serves it;
 * the L2 and DRAM decide when that is and when the reply leaves, not what the value is.  Slices are fair: requests are
 * served in order of arrival. */
#ifndef LOCKSTEP_MEMORY_PARTITION_H
#define LOCKSTEP_MEMORY_PARTITION_H

#include "memory/address_space.h"
#include "memory/journal.h"
#include "memory/message.h"
#include "memory/partition_counters.h"
#include "memory/write_log.h"
#include "model/model.h"
#include "policy/lock/lock.h"

struct directory;
struct partition;
/* `index` is the channel; its slices are index * k .. index * k + k - 1, k = slices / channels.  `lock_unit`: what
 * answers lock messages, if it is one that queues. */
struct partition *partition_create(struct arena *arena, const struct gpu_model *model,
	const struct lock_unit *lock_unit, struct address_space *space, uint32_t index);

/* From now on the L1s of cores are coherent, by directories at the slices. */
void partition_make_coherent(struct partition *partition);
/* The L1s are gone, and what they said of it: no line is anywhere else. */
void partition_forget_lines(struct partition *partition, struct inbox *const *slice_inboxes);
/* For audits: the directory of a line, which lies in the partition; null: there is none. */
const struct directory *partition_directory(const struct partition *partition, uint64_t line);

/* `slice_inboxes`: one for each of the partition's own slices, in order.
 * Serves every request whose time has come and advances DRAM, up to but not including cycle `until`; replies go to
 * `out` with time = leaving time + reply latency, at least the quantum later. */
void partition_run(struct partition *partition, struct inbox *const *slice_inboxes, struct outbox *out, uint64_t until);

/* Between quanta, before cycle `now`: a line of code is read in the L2, which always has it, by a request that arrives
 * at cycle `from`.  Returns when it has left. */
uint64_t partition_read_code(struct partition *partition, uint64_t line, uint64_t from, uint64_t now);

/* The cycle of the partition's next event (DRAM, queues, inbox), UINT64_MAX when idle. */
uint64_t partition_next_event(const struct partition *partition, struct inbox *const *slice_inboxes);

/* The host has copied to [address, address + bytes): with l2.prefill its lines will be in the L2, clean, when each
 * partition has been filled, which must be before it runs.  `partitions`: all of the GPU's.  Between launches only. */
void partitions_prefill(struct partition *const *partitions, uint64_t address, uint64_t bytes);
bool partition_is_to_be_filled(const struct partition *partition);
/* It touches this partition alone, so threads may fill several at a time. */
void partition_fill(struct partition *partition);

/* No answer is outstanding, except those to lock requests that wait for a release; writes to DRAM may be pending. */
bool partition_is_idle(const struct partition *partition);

/* Lock requests that wait in the partition's queues for a release or signal by another thread: no access for them is
 * outstanding. */
uint32_t partition_locks_waiting(const struct partition *partition);

/* From now on the journal records all writes to memory; null: no longer. */
void partition_watch(struct partition *partition, struct journal *journal);

/* The atomics that have taken effect since the last call, in the order in which they took effect, *count of them:
 * good until requests are served again.  Those before the first call since the launch began are not told. */
const struct atomic_effect *partition_take_effects(struct partition *partition, uint32_t *count);

/* Likewise, the writes to `word_count` words. */
const struct logged_write *partition_take_writes(
	struct partition *partition, const struct logged_word *words, uint32_t word_count, uint32_t *count);

/* From now on lines are saved in the log before they are first written; null: no longer. */
struct snapshot_log;
void partition_save(struct partition *partition, struct snapshot_log *log);

struct partition_counters partition_counters(const struct partition *partition);

#endif
