/* What host and kernels know of a run. */
#ifndef LOCKSTEP_WORKLOADS_DYNAMIC_RUN_H
#define LOCKSTEP_WORKLOADS_DYNAMIC_RUN_H

/* At the beginning of the memory whose rest are frames' words. */
struct run {
	unsigned together;    /* 1: what a task spawns at once is one launch */
	unsigned room, taken; /* words of frames; those that were asked for */
	unsigned no_room;     /* 1: a task got no frame */
	unsigned error;       /* cudaError of a launch that was refused; 0: none was */
	unsigned result;      /* of the first task */
};

#endif
