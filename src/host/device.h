/* The one simulated GPU of a process, opened on first use, as configured by the environment: the variables of
 * options/run_options.def (a list has a value on each line), and LOCKSTEP_CHANNEL, by which `lockstep run` gathers
 * results.
 *
 * `lockstep run` sets them, but they also work without it. */
#ifndef LOCKSTEP_HOST_DEVICE_H
#define LOCKSTEP_HOST_DEVICE_H

#include "host/origin.h"
#include "lockstep.h"
#include "options/run_options.h"
#include "report/channel.h"

/* Work-items of an OpenCL sub-group, also where a warp has 64 lanes: see device/opencl/subgroup.cl. */
#define SUB_GROUP 32

/* The model of this front end's programs where neither --gpu nor the environment names one; null: that of all else. */
extern const char *const front_end_gpu;

struct device {
	struct lockstep *gpu;
	struct run_options options;
	bool shares_pointers;   /* addresses on the GPU are the host's: shared virtual memory works */
	struct channel channel; /* its file is -1 when there is none */
	/* From the model */
	char name[128];
	uint32_t capability; /* CUDA's, ten times: 75 for 7.5 */
	uint32_t cores, schedulers, warp, group_threads, clock_khz;
	uint32_t core_threads, core_groups, core_shared, shared_reserved;
	uint32_t concurrent_kernels;
	uint32_t cluster_groups, cluster_portable, cluster_cores;
	uint32_t group_shared, registers;
	uint64_t memory_bytes, constant_bytes, cache_bytes;
	uint32_t line_bytes;
	uint64_t copy_bandwidth, copy_latency; /* bytes a second, nanoseconds */
	uint64_t launch_latency;               /* cycles */
	bool has_control;                      /* there is a control processor, which runs firmware */
};

/* Null, and a line on stderr the first time, when the GPU cannot be opened. */
struct device *device_get(void);
/* The options from the environment, even if the GPU has not been opened; invalid numbers are reported when it is
 * opened. */
const struct run_options *device_options(void);
/* Records for the report how far the application got; does not open the GPU. */
void device_reach(enum channel_stage stage);
/* Held by code that uses device->gpu. */
void device_lock(void);
void device_unlock(void);
/* Memory of the GPU, and the same as the host sees it; 0 when it does not fit.  Takes the device's lock, so it waits
 * for a kernel that runs.  `call`: the function that the program has called for it, by which and whose callers it is
 * named, or by `name` where they are not known; null: the program did not.  Both may be null, and stay. */
uint64_t device_allocate(size_t bytes, const char *call, const char *name, uint8_t **contents);
/* Says once that so much did not fit: for calls of the program that fail for it. */
void device_complain_of_memory(const char *call, size_t bytes);
/* For --check init: new memory has no contents yet; and the host has written there (an address as the host sees it, as
 * device_allocate's contents), by anything but lockstep_fill. */
void device_undefine(uint64_t address, size_t bytes);
void device_wrote(const void *at, size_t bytes);
/* The host may write this memory without a call while kernels run. */
void device_expect_host_writes(uint64_t address);
/* Never waits: if a kernel runs, the memory is freed when it has ended.  `by`: for messages; null: not the program. */
void device_free(uint64_t address, const struct freed_by *by);
/* The call of the program that is under way, which will free memory; `call` as of origin_here. */
struct freed_by device_freeing(const char *call);
/* The same for an image, given by its handle. */
void device_destroy_image(uint64_t handle);
/* The same for a module, none of whose kernels is enqueued any more; null is allowed. */
void device_unload(struct lockstep_module *module);

/* A box of bytes as the host sees them, of rows and slices of rows. */
struct host_box {
	const void *at;
	size_t width, height, depth, row, slice;
};
/* Copies between boxes of one size, whose rows may overlap, and notes what was written as device_wrote does. */
void device_copy(const struct host_box *to, const struct host_box *from);

/* The time of these cycles of the GPU, and of a launch.  Functional mode has no clock: there it is the time of the
 * launch's instructions at the highest rate, a lower bound. */
uint64_t device_nanoseconds(uint64_t cycles);
uint64_t device_launch_time(const struct lockstep_result *result);
/* How long a copy takes between host and device, or within the device. */
uint64_t device_copy_time(size_t bytes);

/* Whether the program is ending, so that the destination of an asynchronous copy, on its stack or heap, may be gone:
 * then no such copy is made, and a line says so. */
bool device_lost_host_memory(void);

/* A line on stderr that begins with "lockstep: "; and in the report, which says what device_say does in its own way. */
__attribute__((format(printf, 1, 2))) void device_complain(const char *format, ...);
/* The same of a kernel, by its mangled name: "kernel NAME: ..." */
void device_complain_of_kernel(const char *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));
__attribute__((format(printf, 1, 2))) void device_say(const char *format, ...);
/* The same about a call that the program made and that is not supported. */
__attribute__((format(printf, 2, 3))) void device_unsupported(const char *call, const char *format, ...);
/* For the report: the text of a source that is in no file, by the name that findings have for it. */
void device_tell_source(const char *name, const char *text);
/* A source was compiled, and its pinned PTX not taken: for the report, and on stderr. */
void device_tell_unpinned(const char *name, const char *compiler, const char *why);
/* Such a line about a launch that did not complete, or has findings that are not suppressed: the latter the first time
 * only. */
void device_complain_of(const struct lockstep_result *result);

/* Launches are simulated in timing mode, or only those that LOCKSTEP_ONLY names: the mode for the next launch of a
 * kernel of this name.  It counts launches, so call it once for each.  The device's lock is held. */
enum lockstep_mode device_mode_of(const char *kernel);

/* Shows `lockstep run` that a launch is enqueued, and that it begins or will not.  driver_lock is held. */
uint32_t device_enqueued(const char *kernel);
void device_dequeued(uint32_t number);
/* Shows `lockstep run` what is about to be simulated, and its result: null when it did not start.  `stream`: the number
 * of its stream or queue in the process. */
void device_announce(const struct lockstep_launch *launch);
void device_report(const struct lockstep_result *result, uint64_t stream);
/* Reports a finding that does not belong to one launch alone: the id-th, with a kernel and a launch's number where it
 * has them (else null, 0).  It may be reported again with another count.  `complains`: also by device_say. */
/* A launch that a call of the API refuses. */
struct device_refusal {
	const char *kernel, *error; /* the error as the API calls it */
	uint32_t grid[3], block[3];
	size_t shared, shared_room; /* dynamic shared memory, and how much there may be */
	char why[160];              /* what is wrong in plain words, if none of these numbers is */
};
void device_refuse(const struct device_refusal *refusal);
/* The host's commands in which races are looked for. */
void device_count_command(void);
void device_report_finding(
	const struct lockstep_finding *finding, uint32_t id, const char *kernel, uint64_t launch, bool complains);

#endif
