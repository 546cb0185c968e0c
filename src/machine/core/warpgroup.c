/* wgmma.mma_async, and wgmma.fence, commit_group and wait_group (PTX ISA, "Asynchronous Warpgroup Level Matrix
 * Instructions").
 *
 * A warp computes its 16 rows when it issues the instruction, so what it does with registers before wait_group does not
 * change the values: --check barriers tells of it.  The tensor core of its sub-core is busy for the time that this
 * takes there, and the warp goes on.
 *
 * The four warps of a warpgroup multiply together: the group of one is over when all have come.  So a single thread may
 * tell the producer after wait_group that a tile is not needed any more, as CUTLASS does.  A warp that has ended is not
 * waited for.
 *
 * Functional mode has no times: there wait_group waits for the other warps alone. */

#include "warp/warpgroup.h"
#include "machine/core/control.h"
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/matrix_groups.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* ---- Values ---- */

static bool fault(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t address, const char *which)
{
	assert(r->warp.path->active);
	core->finding.has_address = true;
	core->finding.address = address;
	core_fault(core, r, i, (uint32_t)__builtin_ctzll(r->warp.path->active), FAULT_address,
		"%s by the descriptor of %s: 0x%x is outside of shared memory, which has %u bytes",
		ptx_ops[i->op].spelling, which, address, r->warp.shared_bytes);
	return false;
}

/* A part of a matrix in shared memory: `lines` lines from `line` on, of `chunks` chunks from `chunk` on. */
struct part {
	struct matrix_descriptor descriptor;
	uint32_t line, lines, chunk, chunks;
};

/* K-major lines of 32 bytes; else k lines, with the rows or columns side by side. */
static struct part part_of(
	const struct warp *w, const struct insn *i, const struct matrix *x, enum matrix_part part, uint32_t row)
{
	bool is_a = part == MATRIX_A, by_columns = x->columns[!is_a];
	uint32_t rows = is_a ? WARPGROUP_ROWS : x->n,
		 each = MATRIX_CHUNK * 8 / matrix_bits((enum matrix_type)x->type[part]);
	uint64_t bits = ((const uint64_t *)slot_at(w, i->s[!is_a]))[__builtin_ctzll(w->path->active)];
	struct matrix_descriptor descriptor = matrix_descriptor_read(bits, by_columns);

	assert(part == MATRIX_A || part == MATRIX_B);
	if (by_columns)
		return (struct part){descriptor, 0, x->k, row / each, rows / each};
	return (struct part){descriptor, row, rows, 0, WARPGROUP_BYTES / MATRIX_CHUNK};
}

/* Chunks that follow each other are one read. */
static void tell_reads(struct core *core, const struct warp_slot *r, const struct insn *i, const struct part *p)
{
	uint64_t first = 0, bytes = 0;

	assert(p->lines && p->chunks);
	for (uint32_t line = p->line; line < p->line + p->lines; line++)
		for (uint32_t chunk = p->chunk; chunk < p->chunk + p->chunks; chunk++) {
			uint32_t address = matrix_descriptor_chunk(&p->descriptor, line, chunk);

			if (bytes && address == first + bytes) {
				bytes += MATRIX_CHUNK;
			} else if (bytes && address + MATRIX_CHUNK == first) {
				first = address;
				bytes += MATRIX_CHUNK;
			} else {
				if (bytes)
					observe_matrix_reads(core, r, i, first, bytes);
				first = address;
				bytes = MATRIX_CHUNK;
			}
		}
	observe_matrix_reads(core, r, i, first, bytes);
}

/* False: a finding. */
static bool read_part(struct core *core, struct warp_slot *r, const struct insn *i, const struct part *p,
	const char *which, uint8_t *to)
{
	const struct warp *w = &r->warp;

	assert(p->lines && p->chunks);
	for (uint32_t line = p->line; line < p->line + p->lines; line++)
		for (uint32_t chunk = p->chunk; chunk < p->chunk + p->chunks; chunk++, to += MATRIX_CHUNK) {
			uint32_t address = matrix_descriptor_chunk(&p->descriptor, line, chunk);

			if (address + MATRIX_CHUNK > w->shared_bytes)
				return fault(core, r, i, address, which);
			memcpy(to, w->shared + address, MATRIX_CHUNK);
		}
	if (observer_hears(core, OBSERVE_matrix_reads, r->bit))
		tell_reads(core, r, i, p);
	return true;
}

static struct warpgroup_room *room_of(struct core *core)
{
	assert(core->machine);
	if (!core->matrix_room) {
		core->matrix_room =
			arena_alloc(&core->machine->cores.arenas[core->index], sizeof *core->matrix_room + 64);
		core->matrix_room =
			(struct warpgroup_room *)(void *)(((uintptr_t)core->matrix_room + 63) & ~(uintptr_t)63);
		core->matrix_room->from_columns = 0;
	}
	return core->matrix_room;
}

/* A warp of 64 lanes has two of the four quarters of a warpgroup. */
static bool compute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct warp *w = &r->warp;
	const struct insn_matrix *matrix = w->kernel->extras[i->extra].matrix;
	struct warpgroup_room *room = room_of(core);
	struct part part = part_of(w, i, &matrix->shape, MATRIX_B, 0);
	bool adds = predicate_source(w, i) & lanes;

	assert(lanes);
	if (!read_part(core, r, i, &part, "b", room->raw_b))
		return false;
	for (uint32_t first = 0; first < w->lanes; first += 32) {
		uint32_t row = (w->first_thread + first) % WARPGROUP_THREADS / 32 * WARPGROUP_ROWS;

		if (i->s[0] != SLOT_NONE) {
			part = part_of(w, i, &matrix->shape, MATRIX_A, row);
			if (!read_part(core, r, i, &part, "a", room->raw_a))
				return false;
		}
		w->memory->warpgroup->multiply(w, matrix, first, (uint32_t)(lanes >> first), adds, room);
	}
	return true;
}

/* ---- Time ---- */

/* For how long the tensor core of the warp's sub-core has to do with it: for the products, or for what the core reads
 * of shared memory meanwhile. */
static uint64_t cycles_of(const struct gpu_model *model, const struct insn *i, const struct matrix *x)
{
	assert(i->component);
	assert(model->wgmma_shared && model->wgmma_least);
	uint64_t cycles = (i->component * (uint64_t)model->interval_MATRIX + 1) / 2;
	uint64_t bytes = (x->n + (i->s[0] != SLOT_NONE ? x->m : 0u)) * (uint64_t)WARPGROUP_BYTES;
	uint64_t reads = (bytes + model->wgmma_shared - 1) / model->wgmma_shared;

	cycles = cycles > reads ? cycles : reads;
	return cycles > model->wgmma_least ? cycles : model->wgmma_least;
}

/* The tensor core takes it when it is free: the cycle at which it is over. */
static uint64_t ends(struct core *core, const struct warp_slot *r, const struct insn *i)
{
	const struct gpu_model *model = core->machine->model;
	const struct matrix *x = &r->warp.kernel->extras[i->extra].matrix->shape;
	uint64_t *free = &core->issue.matrix_free[core_scheduler(core, core_slot(core, r))->index];
	uint64_t starts = *free > core->now ? *free : core->now;
	uint32_t behind =
		model->latency_MATRIX > model->interval_MATRIX ? model->latency_MATRIX - model->interval_MATRIX : 0;

	*free = starts + cycles_of(model, i, x);
	return *free + behind;
}

void warpgroup_multiply(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(lanes);
	if (!control_gather_warp(core, r, i, &lanes))
		return;
	observe_meets(core, r, lanes, r->warp.live);
	observe_matrices(core, r, i, lanes);
	if (!compute(core, r, i, lanes))
		return;
	if (!core->machine->mode->at_once)
		matrix_groups_begin(core, r, ends(core, r, i));
	control_advance(core, r);
}

/* ---- Groups ---- */

void warpgroup_synchronise(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(lanes);
	if (!control_gather_warp(core, r, i, &lanes))
		return;
	observe_meets(core, r, lanes, r->warp.live);
	observe_matrices(core, r, i, lanes);
	if (i->op == OP_wgmma_commit)
		matrix_groups_commit(core, r);
	else if (i->op == OP_wgmma_wait)
		matrix_groups_wait(core, r, *(const uint32_t *)slot_at(&r->warp, i->s[0]));
	control_advance(core, r);
}
