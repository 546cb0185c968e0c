/* The values of memory accesses: addresses, checks, and moving bytes between registers and memory.  Knows no time. */
#ifndef LOCKSTEP_MACHINE_ACCESS_H
#define LOCKSTEP_MACHINE_ACCESS_H

#include "machine/core.h"
#include "memory/message.h"

#define ACCESS_DATA_BYTES 32 /* per lane: the widest vector, or two 16-byte operands of an atomic */

/* Sorts lanes of a generic access by space (index space_...). */
void access_resolve(lane_mask of[space_SHARED + 1], const struct warp *w, const struct insn *i, lane_mask lanes);
/* Address of every lane in `lanes`: absolute for global and const, an offset for the others. */
void access_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes, uint8_t space);
/* The addresses of a load, store or atomic, and in which space: of a generic one that goes to several, in global memory or else in shared
 * memory; *lanes become those that go there. */
uint8_t access_addresses_of(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask *lanes);
/* The lanes whose access is carried out: all; or, when some lane's address is misaligned or outside, none, and a finding, after which
 * core->stopped is set.  Where faults are dropped (drop.h): those lanes whose address is good; the others have loaded zeros. */
lane_mask access_allowed(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space, const uint64_t *address);
/* The lines that the lanes touch, in order of each line's first lane, and the lanes of each; returns how many. */
uint32_t access_lines(const uint64_t *address, lane_mask lanes, uint64_t *line, lane_mask *of_line);

/* Copies what will be written out of the registers: stores elements side by side, lane after lane; atomics both operands. */
void access_capture(uint8_t *data, const struct warp *w, const struct kernel *kernel, const struct insn *i, lane_mask lanes);
/* Puts a line's bytes into the destination registers. `data` is the whole line. */
void access_scatter(const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line, const struct kernel *kernel);
/* Zeros instead of what a load would read. */
void access_zero(const struct resident *r, const struct insn *i, lane_mask lanes);
/* Fills a store's payload for one line; returns how many bytes travel (whole 32-byte sectors). */
uint32_t access_gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload);
/* The operations of an atomic on one line, on one element of its vectors; with `combine`, integer adds to one word become one. Returns how many. */
uint32_t access_atomic_entries(const struct operation *op, lane_mask lanes, uint32_t element, bool combine, struct atomic_entry *entries, uint64_t *high);
/* Old values of an atomic's element into the destination, `old` in the order of the lanes. */
void access_old_values(const struct operation *op, lane_mask lanes, uint32_t element, const uint64_t *old, const struct kernel *kernel);

/* Shared memory: what a queued operation does when its turn comes, and how long the banks need. */
void access_shared(struct core *core, struct operation *op);
uint32_t access_shared_cycles(const struct gpu_model *model, const struct insn *i, const uint64_t *address, lane_mask lanes);

/* Parameter, constant and local memory, at once.  False: a finding. */
bool access_in_core(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space);
/* Shared and global memory at once, or a finding: the functional mode. */
void access_direct_at(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address);
/* The same at addresses that the instruction gives. */
void access_direct(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes, uint8_t space);

/* Functional mode: global memory will be written.  Whoever writes it but by access_direct says so first. */
void access_will_write(struct core *core, uint64_t address, uint64_t bytes);

/* Copies between one lane's local memory (interleaved by word) and plain bytes. */
void access_local_read(const struct warp *w, uint32_t lane, uint32_t offset, void *to, uint32_t bytes);
void access_local_write(const struct warp *w, uint32_t lane, uint32_t offset, const void *from, uint32_t bytes);

#endif
