/* What the parts of the CUDA runtime share: streams and their tasks, events, memory, modules.
 *
 * host/command.h says which locks guard what, how tasks are carried out, and how time is simulated. */
#ifndef LOCKSTEP_HOST_CUDA_OBJECTS_H
#define LOCKSTEP_HOST_CUDA_OBJECTS_H

#include "host/command.h"
#include "host/cuda/runtime.h"
#include "host/device.h"
#include "host/host_race.h"

/* ---- Errors ---- */

/* Of a kernel that went wrong: what nearly every call returns from then on.  Guarded by driver_lock. */
extern cudaError_t sticky_error;

/* Makes it the thread's last error, unless it is none; returns it.  Every entry point ends so. */
#define error_note(error) error_note_in(error, __func__)
cudaError_t error_note_in(cudaError_t error, const char *function);

/* The report has this error of the call that is under way: that the program did not ask for it is not said again. */
void error_is_told(cudaError_t error);

/* While the driver's interface uses the runtime's, error_note leaves this thread's last error alone, and error_before
 * gives the thread no context. */
void error_mute(bool mute);
bool error_is_muted(void);

/* What a call returns before it checks its arguments: the sticky error, or that there is no device. */
cudaError_t error_before(void);
/* The same, then cudaErrorInvalidValue unless the arguments are good. */
cudaError_t error_unless(bool good);
/* A call of the runtime gives a thread without a context of the driver the runtime's.  driver_lock is held. */
void driver_follow_runtime(void);
/* The same for a call that must not be made while streams are captured: it invalidates the capture. */
cudaError_t unsafe_before(void);

/* ---- Streams: in-order queues of tasks ---- */

/* Nodes of a graph; from malloc. */
struct node_set {
	struct cuda_node **at;
	size_t count, capacity;
};

struct cuda_stream {
	struct cuda_stream *previous, *next; /* all but the legacy stream; destroyed ones are in a list of their own */
	struct task *last;                   /* held; the newest task, if it is not over */
	uint32_t holds;                      /* the application's, and each task's */
	unsigned int flags;
	uint64_t workspace;      /* on the GPU, of cooperative launches; 0: none yet */
	struct capture *capture; /* held; null: what is enqueued is carried out */
	struct node_set ends;    /* of what was captured: what the next node comes after */
	unsigned long long id;
	int priority, synchronization; /* as the application set them: hints */
	char window[32];
	/* the default stream that waits for the others and that the others wait for */
	bool is_legacy;
	struct order order;        /* what is before the next task, whether or not it is over */
	struct order_point kernel; /* the newest task, if that is a kernel; number 0: it is not */
};

/* A kind of work, which a task of a stream or a node of a graph does. */
struct work_kind {
	size_t bytes;                /* of the description */
	enum cudaGraphNodeType node; /* its type in a graph */
	enum engine engine;
	run_function *run; /* this and the next three are struct command's; the task's `work` is the description */
	start_function *start;
	ended_function *ended_launch;
	bool (*may_begin)(const struct command *command);
	/* As command_owner's for a description, without `where`; null: nothing that a kernel may wait for. */
	void (*queued)(const void *work, struct arena *arena, struct lockstep_queued *queued);
	/* `work` is a copy, byte for byte: copies what the description owns; null: it owns nothing */
	bool (*copy)(void *work);
	void (*discard)(void *work); /* frees what it owns; null: nothing */
};

/* A command of a stream.  Guarded by driver_lock: holds. */
struct task {
	struct command command;
	struct cuda_stream *stream;
	const struct work_kind *kind; /* null: a marker, which does nothing but come after others */
	uint32_t holds;
	struct task *next_of_batch; /* while the launch of a graph is made */
	uint64_t work[];            /* kind->bytes of description */
};

struct cuda_event {
	struct task *recorded;   /* held; null: never */
	struct capture *capture; /* held; the one in which it was recorded last; null: none */
	struct node_set nodes;   /* the nodes that it then stands for */
	unsigned int flags;
	bool is_destroyed; /* and in the list of those */
	struct cuda_event *next_destroyed;
};

/* For calls of programs with a default stream per thread. */
static inline cudaStream_t own_or(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

/* The stream that a handle means, which may be the name of a default stream; null: there is no such stream. */
struct cuda_stream *stream_of(cudaStream_t handle);
/* The same, with a call's error: error_before, then cudaErrorInvalidResourceHandle. */
cudaError_t stream_find(cudaStream_t handle, struct cuda_stream **stream);

/* "stream 2", words that stay. */
const char *stream_place(const struct cuda_stream *stream);

/* Enqueues work.  Takes over what the description owns, also when it fails.  `waits`: until the work is over; the
 * result is then its error.  In a stream that captures, the work becomes a node of the graph. */
cudaError_t work_submit(struct cuda_stream *stream, const struct work_kind *kind, const void *work, bool waits);
/* Waits for every task of every stream. */
cudaError_t tasks_finish(void);

/* The functions up to the next line of dashes are called with driver_lock held. */

/* The list of all streams but the legacy one; the legacy stream. */
struct cuda_stream *streams_first(void);
struct cuda_stream *streams_legacy(void);
/* A task of the legacy stream comes after the blocking streams that were destroyed since the stream's newest task;
 * false: no memory.  Once the task is appended, these streams are forgotten. */
bool streams_come_after_destroyed(struct task *task);
void streams_forget_destroyed(void);
void stream_drop(struct cuda_stream *stream);

/* Copies the description and takes over what it owns.  Null: no memory; then it takes over nothing. */
struct task *task_new(struct cuda_stream *stream, const struct work_kind *kind, const void *work);
void task_drop(struct task *task); /* null is allowed */
/* To be called before it is appended; false: no memory.  `earlier` may be null. */
bool task_come_after(struct task *task, struct task *earlier);
/* The same for a kernel that may begin before another one is over, if that is one and the GPU has it. */
bool task_come_early(struct task *task, struct task *earlier);
/* After what is in its stream, and in those that its stream waits for. */
bool task_come_after_stream(struct task *task);
/* Enqueues the task, which is the stream's newest from then on. */
void task_append(struct task *task);
/* All three; `event`, which may be null, is one more to come after.  Waits until it is over, if asked to. */
cudaError_t task_enqueue(struct task *task, struct task *event, bool waits);
/* Waits for a task that another object holds now; null: there is nothing to wait for. */
cudaError_t task_wait(struct task *task);
/* The event now marks the end of the task; null: it was never recorded. */
void event_set_task(struct cuda_event *event, struct task *task);

/* ---- Tasks without the lock ---- */

/* cudaErrorNotReady if the task is not over; flushes, so that it will be. */
cudaError_t task_query(struct task *const *at);

static inline struct task *task_of(const struct command *command)
{
	return (struct task *)(uintptr_t)command; /* its first member */
}

/* A function of the host that a stream calls: `function` or `callback`. */
struct host_call {
	cudaHostFn_t function;
	cudaStreamCallback_t callback;
	void *data;
	cudaStream_t stream;
};
extern const struct work_kind host_call_kind;

/* ---- Memory ---- */

/* What the application advised about a whole allocation, which it can query; the advice has no other effect. */
struct residence {
	bool is_read_mostly, is_accessed_by_device, has_preferred, has_prefetched;
	struct cudaMemLocation preferred, prefetched;
};

struct memory {
	uint64_t address; /* on the GPU, and where the host sees it, too, if the device shares pointers */
	uint8_t *contents;
	size_t bytes;
	enum cudaMemoryType type;
	unsigned int flags;          /* that a host allocation was asked for with */
	const struct module *module; /* of a variable, which is not to be freed; else null */
	struct cuda_pool *pool;      /* that it came from; null: none */
	struct residence residence;  /* of managed memory */
	/* of memory that the application registered: the other address of the same bytes; 0: it has one */
	uint64_t pair;
	bool is_registered; /* this one is the host's */
	bool is_graphs;     /* graph_memory.c knows whether it is to be freed */
};

/* Remembers memory that is not allocated here; false when there is no memory for that. */
bool memory_add(const struct memory *memory);
/* Whether these bytes are within one managed allocation; if they are all of it, changes its residence. */
bool memory_change(uint64_t address, size_t bytes, void (*change)(struct residence *residence, void *how), void *how);
/* Finds what was registered at the host's address; says whether any known memory overlaps; forgets one of a pair. */
bool memory_find_pair(uint64_t host, struct memory *memory);
bool memory_overlaps(uint64_t address, size_t bytes);
void memory_forget_registered(uint64_t address);
/* Forgets memory that a graph has allocated; and the variables of a module. */
void memory_forget(uint64_t address);
void memory_forget_variables(const struct module *module);
/* Finds the memory in which an address lies; false: it is not known.  Takes driver_lock. */
bool memory_find(uint64_t address, struct memory *memory);

/* As CUDA 13's cudaMemAdvise and cudaMemPrefetchAsync. */
cudaError_t memory_advise(const void *pointer, size_t bytes, int advice, struct cudaMemLocation location);
cudaError_t memory_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location, cudaStream_t stream);

/* ---- The device ---- */

/* The version of the runtime that the library replaces: see versions/. */
extern const int runtime_version;
/* As CUDA 13's cudaGetDeviceProperties. */
cudaError_t device_properties(struct cudaDeviceProp *properties, int device);

/* ---- Pools ---- */

static inline void raise_to(uint64_t *high, uint64_t value)
{
	if (value > *high)
		*high = value;
}
/* An allocation of the pool is freed.  driver_lock is not held. */
void pool_give_back(struct cuda_pool *pool, size_t bytes);
/* pools_waited: the host has waited for a stream.  pools_idle: bytes that pools keep without an allocation. driver_lock
 * is held. */
void pools_waited(void);
uint64_t pools_idle(void);

/* ---- Copies and fills ---- */

/* Slices of rows; a straight piece is one row. */
struct side {
	void *pointer; /* as the application gave it */
	uint8_t *at;   /* where the host sees it: copy_resolve, fill_resolve */
	enum cudaMemoryType type;
	size_t pitch, slice;
};

/* A side that begins at this place of pitched memory. */
static inline struct side side_of_memory(const struct cudaPitchedPtr *memory, const struct cudaPos *pos)
{
	size_t slice = memory->pitch * memory->ysize;
	uint8_t *pointer = (uint8_t *)memory->ptr + pos->z * slice + pos->y * memory->pitch + pos->x;
	return (struct side){.pointer = pointer, .pitch = memory->pitch, .slice = slice};
}

struct copy {
	struct side to, from;
	enum cudaMemcpyKind kind;    /* as the application gave it */
	size_t width, height, depth; /* width: bytes */
	/* the application's bytes, taken when it called; null: they are read when the copy is made */
	uint8_t *staged;
	const char *call; /* for findings */
};

struct fill {
	struct side to;
	size_t width, height;
	uint32_t value, element; /* element: its bytes, which the width, in bytes too, is a multiple of */
	const char *call;        /* for findings */
};

extern const struct work_kind copy_kind, fill_kind;

/* Check a copy or fill and find out where its pointers point.  Nothing to copy or fill: cudaSuccess. */
cudaError_t copy_resolve(struct copy *copy);
cudaError_t fill_resolve(struct fill *fill);
/* The task copies from memory that the host may change before it is carried out. */
void copy_watch(struct task *task);
/* How a copy or fill was called: for rows of copy_calls.def. */
struct way {
	const char *call; /* for findings */
	cudaStream_t stream;
	bool waits;
};
cudaError_t copy_rectangle(const struct way *way, void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t copy_between_devices(
	const struct way *way, void *to, int to_device, const void *from, int from_device, size_t bytes);
cudaError_t copy_symbol(const struct way *way, const void *symbol, const void *memory, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind, bool to_symbol);
cudaError_t fill_rectangle(
	const struct way *way, void *to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height);
/* Several copies, prefetches or discards of contents, one after the other: as CUDA 13's cudaMemcpyBatchAsync and its
 * like, without what they advise. */
cudaError_t copy_batch(void *const *to, void *const *from, const size_t *bytes, size_t count, cudaStream_t stream);
cudaError_t prefetch_batch(void *const *pointers, const size_t *bytes, size_t count,
	const struct cudaMemLocation *locations, const size_t *firsts, size_t location_count, cudaStream_t stream);
cudaError_t discard_batch(void *const *pointers, const size_t *bytes, size_t count, cudaStream_t stream);
/* As cudaMemcpyAsync; `waits`: as cudaMemcpy. */
cudaError_t copy_submit(struct copy *copy, cudaStream_t stream, bool waits);
/* As cudaMemsetAsync, with elements of 1, 2 or 4 bytes. */
cudaError_t fill_elements(void *to, uint32_t value, uint32_t element, size_t count, cudaStream_t stream);
/* The address of a part of a variable, which the program names by its own address. */
cudaError_t variable_part(const void *symbol, size_t bytes, size_t offset, void **pointer);

/* ---- Modules ---- */

/* Made from a wrapper (see fat_binary.h), a fat binary or PTX, which must stay until the module is loaded. */
enum module_image { IMAGE_WRAPPER, IMAGE_FAT_BINARY, IMAGE_PTX };
struct module *module_new(enum module_image kind, const void *image);
/* Loads it onto the GPU, if it is not there; says on stderr why it cannot. */
cudaError_t module_load(struct module *module);
/* Frees a module with which nothing was registered, once nothing uses it any more. */
void module_drop(struct module *module);
/* PTX with cudaGraphSetConditional in it; both are from malloc. */
char *set_conditional_expand(char *ptx);
/* For a module that is loaded.  The target is the architecture that its PTX was made for: 75 for sm_75. */
/* target.c.  A fat binary of the program is there; the target of a module that was loaded, or those of all fat binaries
 * that are there, are for another GPU alone: says so, once, and names a model.  The latter where a program asks what
 * the GPU is, as many end when they see another compute capability. */
void target_register(const void *wrapper);
void target_tell(const char *target);
void target_tell_registered(void);
int module_target(const struct module *module);
bool module_has_kernel(const struct module *module, const char *name);
bool module_refuses(const struct module *module, const char *name); /* to launch the kernel */
const char *module_kernel(const struct module *module, size_t k);   /* the k-th one's name; null past the last */
/* Binds the module's reference of this name to an image; null: to none.  cudaErrorSymbolNotFound: there is no such
 * reference. */
cudaError_t module_bind(struct module *module, const char *name, const struct lockstep_image *image);
bool module_find_variable(struct module *module, const char *name, uint64_t *address, size_t *bytes);

/* The shared library that an address is in: its file's name, without folders; null: the program's, or in none. */
const char *library_of(const void *address);

struct cuda_function {
	struct cuda_function *next; /* registered before it with the same address */
	struct cuda_function *next_of_library;
	struct cuda_library *library; /* null: the program registered it */
	const void *host;             /* the address that the program knows it by: of a library's, its own */
	char *name;
	struct module *module;
	struct lockstep_module *loaded; /* this and the needs are set by function_load */
	bool has_needs, has_complained; /* has_complained: of a block too large for it, or of what is not supported */
	bool allows_large;              /* clusters of more than the portable size */
	struct lockstep_needs needs;
};

/* The arguments between <<< and >>>. */
struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	dim3 cluster;  /* 0, 0, 0: as the kernel says */
	bool is_early; /* it may begin before the kernel before it in its stream is over */
};

/* A kernel's arguments: a pointer to each, or all in one block as its parameters lie. */
struct arguments {
	void *const *each; /* null: `block` */
	const void *block;
	size_t block_bytes;
};

/* Reads them from pairs of a mark and a pointer, which CUDA calls CU_LAUNCH_PARAM_... and ends with 0; false: another
 * mark. */
bool arguments_of_extra(void *const *extra, struct arguments *arguments);

/* Whether the GPU has programmatic dependent launch. */
bool launches_may_be_early(void);
/* What a launch with attributes says. */
cudaError_t launch_configuration(const cudaLaunchConfig_t *config, struct configuration *c, bool *cooperative);

/* Finds a kernel by the program's address of it, or by its handle. */
struct cuda_function *function_find(const void *host);
/* Makes a kernel of a library known by its handle. */
void function_remember(struct cuda_function *function);
void function_forget(struct cuda_function *function);
/* Loads its module onto the GPU, if need be, and finds out what it needs: an error where it cannot be launched. */
cudaError_t function_load(struct cuda_function *function);
/* Whether function_load was called for it: by a launch, or a call for its attributes. */
bool function_is_loaded(const struct cuda_function *function);
/* The memory of a variable by the program's address of it; loads its module, if need be. */
cudaError_t variable_find(const void *host, struct memory *memory);

/* ---- Launches ---- */

struct launch {
	struct cuda_function *function;
	struct configuration given;
	struct lockstep_launch what; /* parameters, dispatchables: from malloc */
	bool is_cooperative, is_started;
	bool is_first; /* of its function, which nothing has loaded before */
};

extern const struct work_kind launch_kind;

/* Checks a launch and describes it; `function` may be null: cudaErrorInvalidDeviceFunction.  A cooperative launch needs
 * a workspace before it starts. */
cudaError_t launch_describe(struct launch *launch, struct cuda_function *function, const struct configuration *c,
	const struct arguments *arguments, bool cooperative);
/* Launches that follow each other may share the workspace, which is made when *workspace is 0. */
cudaError_t launch_give_workspace(struct launch *launch, uint64_t *workspace);
cudaError_t function_launch(struct cuda_function *function, const struct configuration *c,
	const struct arguments *arguments, bool cooperative);
/* Launches firmware, which may dispatch the kernels in work-groups of `threads` threads; 0: of a warp. */
cudaError_t function_launch_firmware(struct cuda_function *function, struct cuda_function *const *kernels,
	unsigned int count, unsigned int threads, cudaStream_t given, void *const *arguments);
/* For a function that is loaded; attributes by CUDA's numbers. */
struct cudaFuncAttributes function_attributes(const struct cuda_function *function);
cudaError_t function_set_attribute(struct cuda_function *function, int attribute, int value);
cudaError_t function_occupancy(int *groups, struct cuda_function *function, int threads, size_t shared);

#endif
