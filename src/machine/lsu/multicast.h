/* Bulk copies from global memory whose lines go to other groups of the cluster: one other, or with .multicast::cluster
 * several.  The request for a line names the cores that get it, and the L2 sends it to all of them
 * (memory/slice_bulk.c). */
#ifndef LOCKSTEP_MACHINE_LSU_MULTICAST_H
#define LOCKSTEP_MACHINE_LSU_MULTICAST_H

#include "machine/lsu/copy.h"

#define MULTICAST_PIECES 16 /* of a line: a row of a box is a multiple of 16 bytes, and so is what a swizzle moves */

struct multicast_copy;

/* What a request for a line says, with room for all. */
struct multicast_line {
	struct multicast more;
	uint64_t rest[(80 + 8 * CLUSTER_GROUPS + 8 * MULTICAST_PIECES) / 8];
};

/* A line of the lane's copy, none of whose bytes are said to go anywhere yet. */
void multicast_begin(struct multicast_line *l, struct core *core, const struct operation *op, uint32_t lane);
/* `bytes` bytes from `from` on in the line go to the offset `to` of the shared memory of each group. */
void multicast_add(struct multicast_line *l, uint32_t from, uint32_t to, uint32_t bytes);

/* The copies of the lanes begin: each of the other groups will answer once it has all bytes. */
void multicast_expect(const struct operation *op);
/* Bytes of the lane's copy that are not in memory: this core sends them to the others. */
void multicast_send(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, const uint8_t *data,
	uint32_t bytes);
/* MESSAGE_MULTICAST has come. */
void multicast_receive(struct core *core, const struct message *m);

#endif
