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

/* Whether error_note leaves this thread's last error alone: while the driver's interface uses the runtime's. */
void error_mute(bool mute);

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
/* As cudaMemsetAsync, with elements of 1, 2 or 4 bytes. */
cudaError_t fill_elements(void *to, uint32_t value, uint32_t element, size_t count, cudaStream_t stream);

/* ---- Modules ---- */

/* Made from a wrapper (see fat_binary.h), a fat binary or PTX, which must stay until the module is loaded; null without memory. */
struct module *module_of_wrapper(const void *wrapper);
struct module *module_of_fat_binary(const void *binary);
struct module *module_of_ptx(const void *ptx);
/* Brings it onto the GPU, if it is not there; says on stderr why it cannot. */
cudaError_t module_load(struct module *module);
/* Gives back what the host keeps of one that nothing was registered with; what is on the GPU stays.  Null is allowed. */
void module_drop(struct module *module);
/* Of a module that is loaded. */
bool module_has_kernel(const struct module *module, const char *name);
bool module_find_variable(struct module *module, const char *name, uint64_t *address, size_t *bytes);

struct cuda_function {
	struct cuda_function *next; /* with the same hash; of the driver's interface: of the same module */
	const void *host;           /* the address that the program knows it by; null: the driver's interface made it */
	char *name;
	struct module *module;
	bool has_needs;
	struct lockstep_needs needs;
};

/* What stands between <<< and >>>. */
struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};

/* A kernel's arguments: a pointer to each, or all in one block as its parameters lie. */
struct arguments {
	void *const *each; /* null: `block` */
	const void *block;
	size_t block_bytes;
};

/* A kernel by the program's address of it. */
struct cuda_function *function_find(const void *host);
/* Loads its module onto the GPU, if need be. */
cudaError_t function_load(struct cuda_function *function, struct lockstep_module **module);
/* The memory of a variable by the program's address of it; loads its module, if need be. */
cudaError_t variable_find(const void *host, struct memory *memory);

/* ---- Launches ---- */

/* `function` may be null: cudaErrorInvalidDeviceFunction. */
cudaError_t function_launch(struct cuda_function *function, const struct configuration *c, const struct arguments *arguments,
	bool cooperative);
/* Of one that is loaded; attributes by CUDA's numbers. */
struct cudaFuncAttributes function_attributes(const struct cuda_function *function);
cudaError_t function_set_attribute(struct cuda_function *function, int attribute, int value);
cudaError_t function_occupancy(int *groups, struct cuda_function *function, int threads, size_t shared);

#endif
