/* What the launching side puts into %envreg0..27 for OpenCL's index functions; device/opencl/ids.cl reads it.
 *
 * All sizes are in work-items, and all are of the whole kernel.  A kernel whose last groups are smaller (non-uniform
 * work-groups) is several launches, each with blocks of one size: FIRST_GROUP, START and the rest tell a launch what
 * part it is.  A single launch has FIRST_GROUP 0 and START equal to OFFSET. */
#ifndef LOCKSTEP_COMPILE_ENVREG_H
#define LOCKSTEP_COMPILE_ENVREG_H

enum opencl_envreg {
	ENVREG_WORK_DIM = 0,     /* get_work_dim: 1 to 3 */
	ENVREG_OFFSET = 1,       /* 1..3: get_global_offset(0..2), low words */
	ENVREG_OFFSET_HIGH = 4,  /* 4..6: their high words */
	ENVREG_LOCAL = 7,        /* 7..9: get_enqueued_local_size(0..2) */
	ENVREG_SIZE = 10,        /* 10..12: get_global_size(0..2), low words */
	ENVREG_SIZE_HIGH = 13,   /* 13..15: their high words */
	ENVREG_FIRST_GROUP = 16, /* 16..18: get_group_id(0..2) of this launch's block (0,0,0) */
	ENVREG_START =
		19, /* 19..21: get_global_id(0..2) of this launch's first work-item, offset included; low words */
	ENVREG_START_HIGH = 22, /* 22..24: their high words */
	ENVREG_GROUPS = 25,     /* 25..27: get_num_groups(0..2) */
	ENVREG_COUNT = 28,
};

/* `lockstep kernel` fills nothing.  So LOCAL, SIZE and GROUPS of 0 mean what the launch has: the block, grid times
 * block, the grid; WORK_DIM of 0 means 3 without the trailing dimensions of size 1. */

#endif
