/* What the launching side puts into %envreg0..15 for OpenCL's index functions: device/opencl/ids.cl reads it.
 *
 * All are in work-items.  Without non-uniform work-groups LOCAL equals the block and SIZE equals grid times block; they
 * must be set all the same. */
#ifndef LOCKSTEP_COMPILE_ENVREG_H
#define LOCKSTEP_COMPILE_ENVREG_H

enum opencl_envreg {
	ENVREG_WORK_DIM = 0,     /* get_work_dim: 1 to 3; 0: not launched by OpenCL, see below */
	ENVREG_OFFSET = 1,       /* 1..3: get_global_offset(0..2), low words */
	ENVREG_OFFSET_HIGH = 4,  /* 4..6: their high words */
	ENVREG_LOCAL = 7,        /* 7..9: get_enqueued_local_size(0..2) */
	ENVREG_SIZE = 10,        /* 10..12: get_global_size(0..2), low words */
	ENVREG_SIZE_HIGH = 13,   /* 13..15: their high words */
	ENVREG_COUNT = 16,
};

/* When ENVREG_WORK_DIM is 0, as for `lockstep kernel`, which fills nothing, the device functions take grid and block for
 * what is missing: the enqueued local size is the block, the global size grid times block, the work dimension 3 without
 * the trailing dimensions of size 1. */

#endif
