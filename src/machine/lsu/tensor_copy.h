/* Copies of the boxes of tensors: what copy.c needs of them. */
#ifndef LOCKSTEP_MACHINE_LSU_TENSOR_COPY_H
#define LOCKSTEP_MACHINE_LSU_TENSOR_COPY_H

#include "machine/lsu/copy.h"
#include "machine/lsu/tensor.h"

struct tensor_copies; /* of a core */
struct tensor_copies *tensor_copies_create(struct arena *arena);

/* The lanes whose copy to global memory is made: of those with the operands of the lowest lane, that one alone.  The
 * instruction of the hardware (UTMASTG, UTMAREDG) is one of the warp, and CUTLASS lets a whole warp execute it. */
lane_mask tensor_copy_once(const struct operation *op);
/* Reads a lane's tensor map and coordinates: sets copy->bytes and copy->box.  False: a finding. */
bool tensor_copy_check(struct core *core, struct tensor_copies *t, const struct operation *op, uint32_t lane);
const struct tensor_box *tensor_copy_box(const struct tensor_copies *t, const struct operation *op, uint32_t lane);
/* Whether a lane's tensor map is where kernels may change it. */
bool tensor_copy_map_may_change(const struct core *core, const struct operation *op, uint32_t lane);
/* The operation is over: its lanes' boxes are free. */
void tensor_copy_end(struct tensor_copies *t, const struct operation *op);

/* The type of the tensor's elements for reductions; TYPE_NONE: there is none. */
enum ptx_type tensor_copy_type(const struct tensor_box *box);

/* Asks for the next line, or sends it.  False: try again after a reply. */
bool tensor_copy_step(struct core *core, struct tensor_copies *t, struct operation *op, uint32_t lane);
/* A line has come. */
void tensor_copy_deliver(struct tensor_copies *t, struct core *core, const struct operation *op, uint32_t lane,
	const uint8_t *data, uint64_t line);
/* Functional mode: the whole box. */
void tensor_copy_at_once(struct core *core, const struct tensor_copies *t, const struct operation *op, uint32_t lane);
/* Makes of *told, which has the mbarrier and the spaces, what an observer is told of the next bytes of the box, from
 * *offset on, that are neighbours in global and in shared memory.  False: there are none. */
bool tensor_copy_observed(const struct tensor_copies *t, const struct operation *op, uint32_t lane, uint32_t *offset,
	struct observed_copy *told);

#endif
