/* Words at the beginning of a queue's memory, host and kernels: see queue_device.h.  What groups change at different
 * times is in lines of its own.  Behind them are a turn for each slot, the tasks, and the frames. */
#ifndef LOCKSTEP_WORKLOADS_QUEUE_WORDS_H
#define LOCKSTEP_WORKLOADS_QUEUE_WORDS_H

enum queue_word {
	QUEUE_HEAD = 0,         /* position of the next task to be taken */
	QUEUE_TAIL = 32,        /* of the next one to be put in */
	QUEUE_OUTSTANDING = 64, /* tasks that are queued or in work */
	QUEUE_FULL,             /* 1: a task found no room for those that it spawns */
	QUEUE_FRAMES = 96,      /* taken */
	QUEUE_TAKEN = 128,      /* tasks, of all groups */
	QUEUE_BATCHES,          /* how many times a group took some */
	QUEUE_MOST,             /* tasks in the queue at a time */
	QUEUE_WORDS = 160
};

#endif
