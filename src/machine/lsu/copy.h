/* Asynchronous copies: cp.async and cp.async.bulk, and waiting for them. */
#ifndef LOCKSTEP_MACHINE_LSU_COPY_H
#define LOCKSTEP_MACHINE_LSU_COPY_H

#include "machine/core.h"

void copy_create(struct core *core);
/* A new warp has started no copies. */
void copy_start_warp(struct resident *r);

/* cp.async, cp.async.bulk or cp.async.mbarrier.arrive issues.  False: a finding, or all lanes are dropped (drop.h), and the operation is the caller's again. */
bool copy_issue(struct core *core, struct resident *r, struct operation *op);
/* commit_group, wait_group, wait_all. */
void copy_wait(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);

/* For the load-store unit.  It has come to the instruction: zeroes what `lanes` do not copy, starts a bulk copy, makes an mbarrier
 * track the copies before. */
void copy_begin(struct core *core, struct operation *op, lane_mask lanes);
/* Which bytes of a line the lanes read: see fragment_readers. */
void copy_readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES]);
/* Bytes of global memory have come. */
void copy_deliver(const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line);
/* All transactions of a copy are over. */
void copy_finished(struct core *core, struct operation *op);
/* The next step of the bulk copies, at cycle core->bulk_at. */
void copy_run(struct core *core);

#endif
