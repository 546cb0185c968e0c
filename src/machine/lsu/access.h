/* The values of memory accesses: addresses, checks, and moving bytes between registers and memory.  Knows no time. */
#ifndef LOCKSTEP_MACHINE_LSU_ACCESS_H
#define LOCKSTEP_MACHINE_LSU_ACCESS_H

#include "machine/lsu/memory_kind.h"
#include "machine/state/core.h"
#include "memory/message.h"
#include "warp/memory.h"

#include <assert.h>

#define ACCESS_DATA_BYTES 32 /* per lane: the widest vector, or two 16-byte operands of an atomic */

/* A remote address, in space_CLUSTER, is SHARED_PART_BYTES times one more than the group's rank, and the offset. */
static inline uint32_t remote_rank(uint64_t address)
{
	return (uint32_t)(address / SHARED_PART_BYTES) - 1;
}

static inline uint64_t remote_offset(uint64_t address)
{
	return address % SHARED_PART_BYTES;
}

/* Of lanes with remote addresses those that go to the same group as the first. */
static inline lane_mask remote_same_rank(const uint64_t *address, lane_mask lanes)
{
	uint32_t rank = remote_rank(address[__builtin_ctzll(lanes)]);
	lane_mask same = 0;

	assert(lanes);
	EACH_LANE(l, lanes)
		same |= (lane_mask)(remote_rank(address[l]) == rank) << l;
	return same;
}

/* Sorts lanes of a generic access, or one of .shared::cluster, by space (index space_...). */
void access_resolve(lane_mask of[SPACES], const struct warp *w, const struct insn *i, lane_mask lanes);
/* Address of every lane in `lanes`: absolute for global and const, an offset for the others. */
void access_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes, uint8_t space);
/* An offset in the window of shared memory: in the group's own, if it is how its cluster knows that. */
uint64_t access_own_part(const struct warp *w, uint64_t offset);
/* The addresses of a load, store or atomic, and in which space: of a generic one that goes to several, in global memory
 * or else in shared memory; *lanes become those that go there. */
uint8_t access_addresses_of(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask *lanes);
/* The lanes whose access is carried out: all; or, when some lane's address is misaligned or outside, none, and a
 * finding, after which core->stopped is set.  Where faults are dropped (drop.h): those lanes whose address is good; the
 * others have loaded zeros. */
lane_mask access_allowed(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
	const uint64_t *address);
/* The rows, in shared memory, of a load or store of a word by all lanes of a full warp, which may all be carried out
 * and which no observer hears: most accesses of shared memory.  False: it is another access. */
bool access_shared_rows(
	struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes, struct memory_rows *rows);
/* Whether an observer hears what becomes of an access of shared memory. */
bool access_is_watched(const struct core *core, const struct warp_slot *r);
/* From now on the operation has an address for each lane. */
void access_leave_rows(struct operation *op);
/* The lines of `bytes` that the lanes touch, in order of each line's first lane, and the lanes of each; returns how
 * many. */
uint32_t access_lines(const uint64_t *address, uint64_t bytes, const struct lane_memory *memory, lane_mask lanes,
	uint64_t *line, lane_mask *of_line);
/* Of a line of global memory. */
uint32_t access_line_bytes(const struct operation *op);

/* What space it is, for messages. */
const char *access_space_name(uint8_t space);
/* Zeros instead of what a load would read. */
void access_zero(const struct warp_slot *r, const struct insn *i, lane_mask lanes);
/* memory_kind.sectors of an address per lane. */
uint8_t access_sectors(const struct core *core, const struct operation *op, const struct transaction *t);

/* Shared and global memory at once, or a finding: the functional mode. */
void access_direct_at(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
	uint64_t *address);
/* The same at addresses that the instruction gives. */
void access_direct(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space);

/* An operation's instruction, registers and addresses; all that one needs which is carried out at once
 * (memory_kind.at_once). */
static inline void access_begin(
	struct operation *op, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint64_t *address)
{
	assert(lanes && !(lanes & ~r->warp.live));
	assert(r->group);
	op->kind = memory_kinds[i->kind];
	op->insn = i;
	op->slot = r;
	op->group = r->group;
	op->bank[0] = r->warp.bank[0];
	op->bank[1] = r->warp.bank[1];
	op->lanes = lanes;
	op->address = address;
}

/* memory_kind.capture of stores: the value, of s[1]; and their memory_kind.count. */
void store_capture(struct operation *op);
void store_count(struct counters *c, const struct operation *op);

/* For memory_kind.at_once: the memory of a space; and before lanes write. */
memory_base access_memory(const struct core *core, const struct warp_slot *r, uint8_t space);
void access_save_lanes(struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address);
/* Functional mode: global memory will be written.  What writes it but by access_direct says so first. */
void access_will_write(struct core *core, uint64_t address, uint64_t bytes);

/* Copies between one lane's local memory (interleaved by word) and plain bytes. */
void access_local_read(const struct warp *w, uint32_t lane, uint32_t offset, void *to, uint32_t bytes);
void access_local_write(const struct warp *w, uint32_t lane, uint32_t offset, const void *from, uint32_t bytes);

#endif
