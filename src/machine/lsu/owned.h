/* The L1 of a core under a directory (memory/directory.h): loads, stores and atomics take effect in it, on lines that
 * it has or has asked for.
 *
 * If the line is there, in a state that allows the access, it is done at once.  Else the L1 asks the line's slice for
 * the line, and the access waits with all others of the core for that line, in the order in which the load-store unit
 * came to them.  When the line comes, the accesses that its state allows are done, all in one cycle, so that each grant
 * serves at least one; if a store or an atomic is left, the L1 asks once more, for writing.  So accesses of a core to
 * one line take effect in program order, and a fence only waits until all of its group have.
 *
 * The bytes are those of memory (slice.h says why that is right); the L1 has tags and states, and no data. */
#ifndef LOCKSTEP_MACHINE_LSU_OWNED_H
#define LOCKSTEP_MACHINE_LSU_OWNED_H

#include "machine/lsu/memory_kind.h"
#include "memory/directory.h"
#include "memory/journal.h"
#include "memory/write_log.h"

/* Of a core; null where L1s are not coherent. */
struct owned;
struct owned *owned_create(struct core *core, struct arena *arena);

enum owned_access { OWNED_LOAD, OWNED_STORE, OWNED_ATOMIC };
/* What memory kinds `send`, with a directory.  False: no room for the request. */
bool owned_send(struct core *core, struct operation *op, const struct transaction *t, enum owned_access access);

/* From now on the journal records what the core writes; null: no longer. */
void owned_watch(struct core *core, struct journal *journal);

/* From now on the log records what it writes to some words; null: no longer. */
void owned_log_writes(struct core *core, struct write_log *log);

/* Of a grant that is coming, by its token: the first operation that waits for it. */
const struct operation *owned_waiting(const struct core *core, uint32_t token);

/* ---- For audits ---- */

/* Nothing waits for a line. */
bool owned_is_idle(const struct core *core);
/* The lines of the L1, at places 0 to owned_places - 1, and the state of each; LINE_INVALID: the place is empty. */
uint32_t owned_places(const struct core *core);
enum line_state owned_at(const struct core *core, uint32_t place, uint64_t *line);
/* The state in which the L1 has the line. */
enum line_state owned_state(const struct core *core, uint64_t line);

#endif
