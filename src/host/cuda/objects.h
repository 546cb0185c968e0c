/* What the parts of the CUDA runtime share: streams and their tasks, events, memory, modules.
 *
 * host/command.h says who holds which lock, how tasks are carried out and what time is. */
#ifndef LOCKSTEP_HOST_CUDA_OBJECTS_H
#define LOCKSTEP_HOST_CUDA_OBJECTS_H

#include "host/command.h"
#include "host/cuda/runtime.h"
#include "host/device.h"

/* ---- Errors ---- */

/* Of a kernel that went wrong: what nearly every call returns from then on.  Guarded by driver_lock. */
extern cudaError_t sticky_error;

/* Makes it the thread's last error, unless it is none; returns it.  Every entry point ends so. */
cudaError_t error_note(cudaError_t error);

/* What a call returns before it looks at its arguments: the sticky error, or that there is no device. */
cudaError_t error_before(void);

/* ---- Streams: in-order queues of tasks ---- */

struct cuda_stream {
	struct cuda_stream *previous, *next; /* all that are not destroyed; the legacy stream is not among them */
	struct task *last;                   /* held; the newest task, if it is not over */
	uint32_t holds;                      /* the application's, and each task's */
	unsigned int flags;
	uint64_t workspace;                  /* on the GPU, of cooperative launches; 0: none yet */
	bool is_legacy;                      /* the default stream that waits for the others and that the others wait for */
};

/* A command of a stream.  Guarded by driver_lock: holds. */
struct task {
	struct command command;
	struct cuda_stream *stream;
	uint32_t holds;
	void (*discard)(struct task *task); /* frees what work points to; null: nothing */
	uint64_t work[];                    /* what the kind of task needs */
};

struct cuda_event {
	struct task *recorded; /* held; null: never */
	unsigned int flags;
};

/* The stream a handle means, which may be one of the default streams' names; null: there is none such. */
struct cuda_stream *stream_of(cudaStream_t handle);

/* Null when there is no memory.  `work` has `bytes` zero bytes. */
struct task *task_new(struct cuda_stream *stream, enum engine engine, run_function *run, size_t bytes);
/* Throws away a task that was not enqueued. */
void task_discard(struct task *task);
/* Enqueues the task, which is the stream's from then on; `waits`: until it is over, and returns its error. */
cudaError_t task_enqueue(struct task *task, bool waits);
/* Waits for every task of every stream. */
cudaError_t tasks_finish(void);

static inline struct task *task_of(const struct command *command)
{
	return (struct task *)(uintptr_t)command; /* its first member */
}

/* ---- Memory ---- */

struct memory {
	uint64_t address; /* on the GPU, and where the host sees it, too, if the device shares pointers */
	uint8_t *contents;
	size_t bytes;
	enum cudaMemoryType type;
	unsigned int flags; /* that a host allocation was asked for with */
	bool is_variable;   /* a module's: not to be freed */
};

/* Remembers memory that is not allocated here; false when there is no memory for that. */
bool memory_add(const struct memory *memory);
/* The memory that an address lies in; false: none of ours.  Takes driver_lock. */
bool memory_find(uint64_t address, struct memory *memory);

/* ---- Modules ---- */

struct cuda_function {
	struct cuda_function *next; /* with the same hash */
	const void *host;           /* the address that the program knows it by */
	char *name;
	struct module *module;
	bool has_needs;
	struct lockstep_needs needs;
	uint32_t shared_limit;      /* of dynamic shared memory, as the program raised it; 0: the default */
};

/* A kernel by the program's address of it. */
struct cuda_function *function_find(const void *host);
/* Loads its module onto the GPU, if need be. */
cudaError_t function_load(struct cuda_function *function, struct lockstep_module **module);
/* The memory of a variable by the program's address of it; loads its module, if need be. */
cudaError_t variable_find(const void *host, struct memory *memory);

#endif
