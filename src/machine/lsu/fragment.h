/* Loads and stores of matrices by a whole warp: wmma.load, wmma.store, ldmatrix, stmatrix. */
#ifndef LOCKSTEP_MACHINE_LSU_FRAGMENT_H
#define LOCKSTEP_MACHINE_LSU_FRAGMENT_H

#include "machine/core.h"
#include "memory/message.h"

/* Reads addresses and, of stores, registers.  False: a finding. */
bool fragment_capture(struct core *core, struct resident *r, struct operation *op);
bool fragment_is_store(const struct insn *i, const struct kernel *kernel);
/* The lines of global memory that it touches; returns how many, FRAGMENT_LINES at most. */
#define FRAGMENT_LINES 64
uint32_t fragment_lines(const struct operation *op, uint64_t line[FRAGMENT_LINES]);
/* Which bytes of a line it touches: a bit each. */
void fragment_mask(const struct operation *op, uint64_t line, uint64_t mask[2]);
/* The lanes that load a line's bytes: of each byte the lowest; bytes that none loads are left alone. */
void fragment_readers(const struct operation *op, uint64_t line, uint8_t reader[LINE_BYTES]);
/* Bytes of a line have come: into the registers. */
void fragment_deliver(const struct operation *op, const uint8_t *data, uint64_t line);
/* What is stored to a line; returns how many bytes travel (whole 32-byte sectors). */
uint32_t fragment_gather(const struct operation *op, uint64_t line, struct store_payload *payload);
/* All of it, on memory that may be touched at once. */
void fragment_at_once(struct core *core, const struct operation *op, uint8_t *memory);
/* Registers of a load that get nothing from memory are zero. */
void fragment_clear(const struct operation *op);
/* Cycles of the shared memory's banks. */
uint32_t fragment_shared_cycles(const struct gpu_model *model, const struct operation *op);

#endif
