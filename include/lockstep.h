/* Lockstep: run GPU programs on a simulated GPU.
 *
 * This is the whole public interface; the command line and the front ends use nothing else.
 *
 *     struct lockstep_error error;
 *     struct lockstep_options options = {.size = sizeof options, .gpu = "gtx480"};
 *     struct lockstep *gpu = lockstep_open(&options, &error);
 *     struct lockstep_module *module = lockstep_load(gpu, "kernel.ptx", text, &error);
 *     uint64_t buffer = lockstep_allocate(gpu, 4096, "out");
 *     struct lockstep_launch launch = {
 *             .size = sizeof launch,
 *             .module = module,
 *             .kernel = "k",
 *             .grid = {16, 1, 1},
 *             .block = {64, 1, 1},
 *             .parameters = &buffer,
 *             .parameter_bytes = sizeof buffer,
 *     };
 *     const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
 *     lockstep_read(gpu, host, buffer, 4096, &error);
 *     lockstep_close(gpu);
 *
 * One struct lockstep may be used by one host thread at a time; several may live side by side.  Functions that can fail
 * for a reason of the caller's return null or false and fill `error` (which must not be null) with one line.
 *
 * Structs that a caller makes and that may grow have `size` as their first member: their sizeof, as the caller's header
 * has them, always written `.size = sizeof options`.  A shorter one than the library's is of an older header, and what
 * it lacks is 0, which means that it is not given.  A longer one is of a newer header, and is refused unless what this
 * library does not know is 0.  In those that the library fills, what it does not know becomes 0.  A size of 0 is
 * refused.  A new member goes behind the last.
 * struct lockstep_result is the library's, and grows only at its end.  All other structs stay as they are as long as
 * the library's name does, liblockstep.so.0.2: they come in arrays, lie in other structs, or say all there is to say.
 */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include "lockstep/image.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lockstep;        /* a simulated GPU with its memory */
struct lockstep_module; /* a loaded PTX module */

struct lockstep_error {
	char message[1024]; /* "FILE:LINE:COL: what, and what was expected", or one clause; no newline */
};

#define LOCKSTEP_HANG_AFTER 50000000
#define LOCKSTEP_EXPLAIN_LIMIT 60
#define LOCKSTEP_EXPLAIN_NEVER UINT64_MAX

enum lockstep_mode { LOCKSTEP_TIMING, LOCKSTEP_FUNCTIONAL };

/* What comes of a bad access of a kernel: outside of all allocations or of its space, misaligned, or a write of
 * constant memory.  STOP: the launch ends with it.  CONTINUE: it is dropped, so that a load gives 0 and a store does
 * nothing, and the launch goes on; its result has a finding for each instruction and cause, with how often
 * (compute-sanitizer's memcheck goes on likewise).  Loads, stores, atomics, surface accesses and cp.async are dropped;
 * anything else that a kernel does wrong ends the launch all the same. */
enum lockstep_on_fault { LOCKSTEP_STOP, LOCKSTEP_CONTINUE };

enum lockstep_weak { LOCKSTEP_IN_ORDER, LOCKSTEP_WEAK };

enum lockstep_profile { LOCKSTEP_NO_PROFILE, LOCKSTEP_PROFILE };

/* What is looked for while kernels run: bits, and the words of --check for them.  docs/races.md, docs/checks.md */
enum lockstep_check {
	LOCKSTEP_CHECK_RACES = 1,                                                                  /* races */
	LOCKSTEP_CHECK_RACES_STRICT = LOCKSTEP_CHECK_RACES | 2,                                    /* races=strict */
	LOCKSTEP_CHECK_RACES_VOLATILE = LOCKSTEP_CHECK_RACES | 4,                                  /* races=volatile */
	LOCKSTEP_CHECK_RACES_ALL = LOCKSTEP_CHECK_RACES | 8,                                       /* races=all */
	LOCKSTEP_CHECK_INIT = 16,                                                                  /* init */
	LOCKSTEP_CHECK_BARRIERS = 32,                                                              /* barriers */
	LOCKSTEP_CHECK_BARRIERS_ALL = LOCKSTEP_CHECK_BARRIERS | 64,                                /* barriers=all */
	LOCKSTEP_CHECK_ALL = LOCKSTEP_CHECK_RACES | LOCKSTEP_CHECK_INIT | LOCKSTEP_CHECK_BARRIERS, /* all */
};
/* The k-th word of --check, and its bits; null past the last. */
const char *lockstep_check_word(size_t k, uint32_t *check);

/* Cycles of the GPU's clock. */
struct lockstep_window {
	uint64_t from, to; /* to: behind the last; 0: without an end */
};

struct lockstep_cores {
	uint32_t first, last;
};

/* A warp of a launch: the flat number of its work-group, and which of the work-group's warps it is; both from 0. */
struct lockstep_warp {
	uint32_t group, warp;
};

/* Written out, not made from the rows of src/options/run_options.def that name its fields, since this header is
 * installed without our sources; a row whose field is missing here does not compile.  0 or null is always what not
 * giving an option means. */
/* A debugger: who asks for commands, and is answered.  All functions are called on the launching thread, within
 * lockstep_run or lockstep_finish, and call no function of this library. */
struct lockstep_debug {
	/* A launch has stopped: the next command, as docs/debug.md lists them, without a newline; it must stay until
	 * the next call.  Null: no more commands, launches run to their ends. */
	const char *(*command)(void *context);
	/* The answer to it, or where a launch has stopped: text for people, whole lines.  Each command that makes a
	 * launch go on is answered when that has stopped again. */
	void (*reply)(void *context, const char *text, size_t length);
	/* Asked now and then while a launch runs: true, it stops as soon as it can.  Null: it does not. */
	bool (*interrupted)(void *context);
	void *context;
	/* Bytes of the host's memory that snapshots may take, by which a launch goes back.  Fewer snapshots make steps
	 * back slower, and nothing else; two are always kept. */
	uint64_t snapshot_bytes;
	/* Of a program that goes on while its kernels run: how often it has used the GPU so far, by anything but
	 * waiting for it.  *why: null, or which of its threads may still write to memory that launches use, until the
	 * next call.  A launch goes back to no moment at which that was so, and to none before the program used the
	 * GPU.  Such a program goes on to its next launch after one that completes.  Null: nobody else uses the GPU. */
	uint64_t (*look_at_host)(void *context, const char **why);
};
/* Checkpoints: all of the simulator that a launch needs, in a file, so that another process of the same executable goes
 * on with it, on any number of threads, to the same result. */
struct lockstep_checkpoint {
	/* Where the first launch is kept: when its clock is at `at` (functional mode: warp instructions; 0: at no such
	 * time), or when `interrupt` has been set, and then it ends.  Null: it is not. */
	const char *file;
	uint64_t at;
	/* The first launch goes on from here: it must be the same launch on the same GPU, with the same options; only
	 * `threads`, `max_cycles` and this struct may be different.  Null: it begins. */
	const char *restored;
};
/* Whether what was to be kept was: false and an error, the file could not be written, or the launch ended before. */
bool lockstep_end_checkpoint(struct lockstep *gpu, struct lockstep_error *error);

/* The k-th command's name, for completion; null past the last. */
const char *lockstep_debug_command(size_t k);

struct lockstep_options {
	size_t size;                 /* sizeof this struct */
	const char *gpu;             /* model name or file; null: gtx480 */
	const char *const *settings; /* "key=value", applied in order; null-terminated; may be null */
	const char *const *plugins;  /* shared objects with policies; null-terminated; may be null */
	enum lockstep_mode mode;
	uint32_t threads;      /* host threads; 0: 1.  The result does not depend on it */
	uint64_t seed;         /* of every random choice */
	uint64_t max_cycles;   /* 0: no limit.  Functional mode: warp instructions */
	bool pause_when_stuck; /* see lockstep_is_stuck */
	/* A hang is suspected after so many cycles without more than looking; 0: LOCKSTEP_HANG_AFTER. */
	uint64_t hang_after;
	/* A launch that hangs is run again with one thing changed, to confirm the cause: for so many seconds of the
	 * process's own time at most, and about as long as it took to hang.  0: LOCKSTEP_EXPLAIN_LIMIT;
	 * LOCKSTEP_EXPLAIN_NEVER: not at all, which also saves keeping what launches overwrite. */
	uint64_t explain_limit;
	enum lockstep_on_fault on_fault;
	/* LOCKSTEP_WEAK: memory reorders what PTX does not order, as chips do: crossbar.jitter and crossbar.loads_pass
	 * are at least weak.jitter and weak.loads_pass of the model.  `seed` decides what passes what.  Timing mode. */
	enum lockstep_weak weak;
	uint32_t check; /* of enum lockstep_check, several with |; 0: nothing more */
	/* With LOCKSTEP_CHECK_RACES: results say which bytes a launch accessed, for those who know what orders
	 * launches. */
	bool footprints;
	const char *trace; /* timeline file for Perfetto; null: none */
	/* The part of schedulers and waits that it shows: these cycles, {0, 0}: all; and these cores, null: all. */
	struct lockstep_window trace_window;
	const struct lockstep_cores *trace_cores;
	size_t trace_core_count; /* elements of trace_cores */
	/* LOCKSTEP_PROFILE: results say what each instruction did and cost. */
	enum lockstep_profile profile;
	/* Results say how counters grew over time, in timing mode: about once in so many cycles, or more rarely in long
	 * launches; 0: not. */
	uint64_t samples;
	/* Its divergence state is drawn, to `print`, whenever it changes; null: none.  docs/divergence.md */
	const struct lockstep_warp *show;
	/* The lock bits of this core (from 0) are drawn, to `print`, whenever a program takes or frees some; null:
	 * none. docs/lock-bits.md */
	const uint32_t *show_lock_bits;
	/* Under a progress model: which work-group runs next, "1,0*3,(2,1)"; null: as the seed says.
	 * docs/progress.md.  It is a text, as its steps, repetitions and period are a notation, in which
	 * lockstep_search answers, too: its `schedule` can be given here. */
	const char *schedule;
	/* When it is no longer 0, as a signal's handler may make it, what runs ends soon, as LOCKSTEP_INTERRUPTED;
	 * null: it never is. */
	const volatile sig_atomic_t *interrupt;
	/* Called now and then from the launching thread; null: never. */
	void (*progress)(
		void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t groups_done, uint64_t groups);
	void *progress_context;
	/* Receives device printf output; null: stdout. */
	void (*print)(void *context, const char *text, size_t length);
	void *print_context;
	/* The tables that results have, by the names that lockstep_table_name lists, null-terminated; null: none. */
	const char *const *observe;
	/* Called now and then, from the launching thread, with progress_context, while a launch that hangs is run again
	 * to confirm the cause: run `test`, from 1, of `tests` has simulated `cycles` (functional mode: 0).  More tests
	 * may come when those showed nothing.  Null: never. */
	void (*confirming)(void *context, uint32_t test, uint32_t tests, uint64_t cycles);
	/* What happens at the mbarriers of this work-group (its flat number) is told, to `print`, line by line; null:
	 * of none.  docs/timeline.md */
	const uint32_t *show_mbarriers;
	/* The launch of this number, from 0 in the order of lockstep_start, is under the progress model that
	 * policy.dispatch names, with `schedule` and `schedules`; all others run as if the model were not there.  Null:
	 * all are.  What keeps it from that is no error: it runs as the others, and its result says why not_searched.
	 *
	 * Where others begin together with it, it is not under the model, but the placements of all of them are tried,
	 * or what `schedule` says of them is done: "L2*8,L1" lets eight work-groups of launch 2 take places first. */
	const uint64_t *launch;
	/* Under a progress model: lockstep_start is as lockstep_search with so many schedules, which are tried within
	 * lockstep_finish; 0: none are. */
	uint64_t schedules;
	/* Likewise of its barriers: named ones and that of its cluster. */
	const uint32_t *show_barriers;
	/* Launches stop for this debugger, which must stay as long as the GPU; null: none.  `threads` is 1 then,
	 * `interrupt` does not count, and `trace` is refused.  The first GPU of a process that is opened alone may have
	 * one.  docs/debug.md */
	const struct lockstep_debug *debug;
	/* A launch is kept in a file, or goes on from one; null: neither.  Likewise for the first GPU alone, without
	 * `debug`, `trace` and `plugins`.  docs/checkpoints.md */
	const struct lockstep_checkpoint *checkpoint;
};

struct lockstep *lockstep_open(const struct lockstep_options *options, struct lockstep_error *error);
void lockstep_close(struct lockstep *gpu); /* null is allowed */

/* Parses and checks PTX; `name` is the file name for messages.  The module lives until it is unloaded, or
 * lockstep_close. */
struct lockstep_module *lockstep_load(
	struct lockstep *gpu, const char *name, const char *ptx, struct lockstep_error *error);
/* PTX of a file, for lockstep_load: OpenCL C where its name ends in .cl, CUDA C in .cu, both by the clang that
 * docs/dependencies.md names; anything else is PTX already, and only read.  `text`: what the file holds; null: it is
 * read.  `options` are for the compiler, "-DN=4 -Iinclude", words may be quoted; null: none.  Files in its folder may
 * be included.  PTX that is pinned for the file is taken, and no compiler (docs/experiments.md).  *log becomes what the
 * compiler said, warnings too; null where it said nothing.  The result and *log are from malloc, and the caller's. Null
 * and an error; then, too, the log is there. */
char *lockstep_compile(
	const char *file, const char *text, const char *options, char **log, struct lockstep_error *error);
/* Frees the module and its variables; none of its launches is started and not returned by lockstep_finish.  Null is
 * allowed. */
void lockstep_unload(struct lockstep_module *module);
/* The first of its .target: "sm_75". */
const char *lockstep_target(const struct lockstep_module *module);
/* What a module is, and what made it, as far as its text says so: its results depend on it. */
struct lockstep_origin {
	const char *ptx;    /* 32 hexadecimal digits: of the text but for comments, names of files and debugging data */
	const char *target; /* "sm_75" */
	const char *producer; /* that the head of the text names; null: none */
	const char
		*compiler; /* of what lockstep_compile or an OpenCL program's build compiled: "clang version 14.0.6" */
	const char *options; /* likewise: its command lines; else both are null */
	bool is_pinned;      /* likewise: compiled before, and kept beside its source (docs/experiments.md) */
};
/* It lives until lockstep_close. */
const struct lockstep_origin *lockstep_origin(const struct lockstep_module *module);
/* Number of entries, and the name of the k-th. */
size_t lockstep_kernel_count(const struct lockstep_module *module);
const char *lockstep_kernel_name(const struct lockstep_module *module, size_t k);
/* A kernel's name as C++ writes it, with the types of its parameters: "saxpy(float*, float const*, float, int)", "void
 * fill<int>(int*)"; null: it is no name of C++.  It lives as long as the module. */
const char *lockstep_kernel_demangled(struct lockstep_module *module, const char *kernel);
/* A parameter of a kernel; the texts live as long as the module. */
struct lockstep_parameter {
	const char *name;           /* "out"; of what clang compiled KERNEL_param_K */
	const char *type;           /* of an element: "u64", "f32"; structures are arrays of "b8" */
	size_t size, align, offset; /* bytes; offset: in the parameter block */
};
/* The k-th in order; false past the last. */
bool lockstep_kernel_parameter(
	const struct lockstep_module *module, const char *kernel, size_t k, struct lockstep_parameter *parameter);

/* What a work-group of a kernel needs of a core of this GPU. */
struct lockstep_needs {
	size_t size; /* sizeof this struct, set before */
	uint32_t registers_per_thread;
	uint32_t shared_bytes;   /* static */
	uint32_t shared_first;   /* address of its first byte: 0, or above where 0 is NULL (OpenCL C) */
	uint32_t dynamic_offset; /* where dynamic shared memory begins, as an address in shared memory */
	uint32_t local_bytes;    /* private memory of a thread, beside registers */
	/* The largest work-group, in threads, that fits without dynamic shared memory and that .maxntid allows; 0: none
	 * does. */
	uint32_t group_threads;
	uint32_t required[3]; /* .reqntid; 0: not given */
	uint32_t cluster[3];  /* .reqnctapercluster; 0: not given */
	bool reads_threads;   /* its threads' numbers or the work-group's size: %tid, %ntid */
	/* it has setmaxnreg, which does nothing: neither .maxnreg, nor .minnctapersm with .maxntid or .reqntid, fixes
	 * how many registers its threads start with */
	bool ignores_setmaxnreg;
};
/* Why the kernel cannot be launched on this GPU: all that it can reach and that is not supported, in one line as of
 * struct lockstep_error, of any length.  Null: nothing is.  Stays as long as the module. */
const char *lockstep_kernel_refusal(struct lockstep_module *module, const char *kernel);

/* False and an error for no such kernel, one that is refused, or that uses what cannot be executed. */
bool lockstep_kernel_needs(
	struct lockstep_module *module, const char *kernel, struct lockstep_needs *needs, struct lockstep_error *error);

/* Work-groups of so many threads and bytes of dynamic shared memory that are resident at a time; 0: they are too
 * large. */
struct lockstep_occupancy {
	size_t size; /* sizeof this struct, set before */
	uint32_t groups_per_core;
	uint64_t groups; /* on the whole GPU, some of whose cores may have less than the others */
};
/* False and an error as lockstep_kernel_needs. */
bool lockstep_kernel_occupancy(struct lockstep_module *module, const char *kernel, uint32_t threads,
	size_t shared_bytes, struct lockstep_occupancy *occupancy, struct lockstep_error *error);

/* Address and size of a module-scope variable; false when there is none of that name. */
bool lockstep_symbol(
	struct lockstep *gpu, struct lockstep_module *module, const char *name, uint64_t *address, size_t *bytes);

/* Bytes of all its .global variables. */
size_t lockstep_global_bytes(const struct lockstep_module *module);

/* Global memory.  allocate returns 0 when it does not fit, else memory whose bytes are 0; `name` (may be null, copied)
 * appears in messages. */
uint64_t lockstep_allocate(struct lockstep *gpu, size_t bytes, const char *name);
bool lockstep_free(struct lockstep *gpu, uint64_t address);
bool lockstep_write(
	struct lockstep *gpu, uint64_t address, const void *host, size_t bytes, struct lockstep_error *error);
bool lockstep_read(struct lockstep *gpu, void *host, uint64_t address, size_t bytes, struct lockstep_error *error);
/* The host memory behind [address, address + bytes), for filling and reading large buffers without a copy; null when it
 * is not within one allocation.  Good until the allocation is freed; not to be touched while a kernel runs.  For the
 * first GPU of a process it usually equals `address` (it does unless that place was taken): then host and kernels can
 * share pointers. */
void *lockstep_map(struct lockstep *gpu, uint64_t address, size_t bytes);
/* Fills `bytes` from `to` on, a place of the host's that may lie in what lockstep_map gives, with copies of the
 * pattern; the last may be cut off.  Zeros cost neither time nor memory where the simulated memory was never
 * written. */
void lockstep_fill(const struct lockstep *gpu, void *to, size_t bytes, const void *pattern, size_t pattern_bytes);

/* For LOCKSTEP_CHECK_INIT; without it they do nothing.  undefine: these bytes, within one allocation, have no contents,
 * whatever they read as, until something writes them; new memory counts as written before, and so does what a module's
 * variables hold.  lockstep_write, lockstep_fill and kernels write; of what the host writes where lockstep_map pointed,
 * lockstep_wrote tells. */
void lockstep_undefine(struct lockstep *gpu, uint64_t address, size_t bytes);
void lockstep_wrote(const struct lockstep *gpu, const void *at, size_t bytes);
/* A hash of all that is allocated and its contents, which tells whether anything has changed. */
uint64_t lockstep_memory_hash(const struct lockstep *gpu);

/* Makes [host, host + bytes) of the process's own memory an allocation, which kernels and the host then share: its
 * address, which is not the host's; 0 when it does not fit or the system does not allow it.  The memory must be private
 * and writable; the pages that hold it are exchanged, so no other thread may write to them during the call.
 * lockstep_unregister makes them the host's alone again. */
uint64_t lockstep_register(struct lockstep *gpu, void *host, size_t bytes, const char *name);
bool lockstep_unregister(struct lockstep *gpu, uint64_t address);

/* Images.  create returns the handle by which kernels name a texture or surface object: a .u64 that no object had
 * before; 0 and an error for a description that makes no sense, or memory that is not allocated.  bind makes a .texref
 * or .surfref variable of the module stand for an image, or for none when `image` is null; false when there is no such
 * variable of the image's use.  The description is copied; the memory must stay until no kernel uses the image. */
uint64_t lockstep_image_create(struct lockstep *gpu, const struct lockstep_image *image, struct lockstep_error *error);
bool lockstep_image_destroy(struct lockstep *gpu, uint64_t handle); /* false: there is no such object */
bool lockstep_image_bind(struct lockstep *gpu, struct lockstep_module *module, const char *name,
	const struct lockstep_image *image, struct lockstep_error *error);
/* The bytes of a texel of the image, `channels * channel_bits / 8` of them, from red, green, blue and alpha: the bits
 * of floats where the image is read as floating point, else integers. */
void lockstep_image_texel(const struct lockstep_image *image, const uint32_t component[4], void *texel);
/* What an object's handle stands for, or null; good until it is destroyed. */
const struct lockstep_image *lockstep_image(const struct lockstep *gpu, uint64_t handle);

/* A kernel that firmware may dispatch.  It takes one parameter of 64 bits, or none. */
struct lockstep_dispatchable {
	struct lockstep_module *module; /* null: the launch's */
	const char *kernel;
};

struct lockstep_launch {
	size_t size; /* sizeof this struct */
	struct lockstep_module *module;
	const char *kernel;         /* null: the module's only entry */
	uint32_t grid[3], block[3]; /* at least 1 each */
	/* Work-groups of a cluster; they divide the grid's.  0, 0, 0: as the kernel says (.reqnctapercluster), or 1. */
	uint32_t cluster[3];
	uint32_t shared_bytes;  /* dynamic shared memory */
	const void *parameters; /* the parameter block as the kernel's layout says */
	size_t parameter_bytes;
	uint32_t envreg[32]; /* %envreg0 .. 31 */
	uint64_t stream;     /* of the caller's streams: the timeline has a row for each */
	/* The kernel is firmware: one thread of it runs on the control processor (policy.control), with `parameters`,
	 * and dispatches work-groups of `block` threads of the kernels listed, which it calls by their place in the
	 * list (device/lockstep_control.h, docs/control.md).  `grid` is 1 in every dimension, and `shared_bytes` is
	 * that of each work-group.  The launch has the GPU for itself, in timing mode, and ends when firmware has
	 * returned; what it counts is of all its work-groups.  The list is copied. */
	bool firmware;
	const struct lockstep_dispatchable *dispatchables;
	size_t dispatchable_count;
	/* The number of a launch that has not ended, and that this one follows though it may overlap it: its groups
	 * begin when each of that one's has executed griddepcontrol.launch_dependents or ended, its griddepcontrol.wait
	 * waits until that one is over, and it ends after it.  0: none. */
	uint64_t early_after;
};

enum lockstep_outcome { LOCKSTEP_COMPLETED, LOCKSTEP_HANG, LOCKSTEP_FAULT, LOCKSTEP_LIMIT, LOCKSTEP_INTERRUPTED };

/* A line within a function that the compiler has inlined. */
struct lockstep_frame {
	const char *file;
	uint32_t line;
	const char *function; /* as C++ writes it, without parameters; null: not known */
};
/* A line of the source.  For an instruction of an inlined function it is the line of the outermost call, and `inlined`
 * has the line within each function: the function that is called there first, the instruction's own line last. */
struct lockstep_line {
	const char *file;
	uint32_t line;
	const char *role; /* what happens there, or null */
	const struct lockstep_frame *inlined;
	size_t inlined_count;
};
struct lockstep_thread {
	uint32_t group[3], thread[3];
	const char *state;
};

/* A cause of a hang that was tried beside the one that is named. */
struct lockstep_rival {
	const char *cause;
	bool went_on; /* without it the launch made progress */
};

/* The barrier of a work-group, or the mbarrier, at which threads wait that hang. */
struct lockstep_stuck_barrier {
	const char *address; /* of an mbarrier: its offset in shared memory, "0x18"; else null */
	uint32_t number;     /* of another barrier */
	uint64_t phase;      /* how many have ended: of an mbarrier since it was initialised, of another since the group
				began */
	uint32_t expected, arrived;                 /* in this phase: of an mbarrier arrivals, of another threads */
	uint64_t bytes_expected, bytes_arrived;     /* of an mbarrier, likewise */
	const struct lockstep_line *initialised_at; /* of an mbarrier; else null */
};

/* Something the kernel did wrong; or, by lockstep_lint, may do. */
struct lockstep_finding {
	/* "hang", "fault", "assert", "trap", "leak", "race", "uninitialised", "barrier-misuse"; "spin" */
	const char *kind;
	const char *certainty; /* "proved", "suspected"; "noted": nothing wrong in itself */
	/* "address", "misaligned", ...: docs/faults.md; of hangs: docs/hangs.md; of races:
	 * docs/races.md; of uninitialised reads and barrier misuse: docs/checks.md */
	const char *cause;
	/* Of a hang: a run without the cause made progress, and none without a rival cause got as far (docs/hangs.md).
	 */
	bool confirmed;
	/* Of a hang that is not confirmed: it made progress when the waiting thread was given what it waits for.  That
	 * shows what is missing, not why. */
	bool would_go_on;
	const struct lockstep_rival *rivals; /* of a hang: the other causes that were tried */
	size_t rival_count;
	const struct lockstep_stuck_barrier *barrier; /* of a hang at one; else null */
	const char *message;                          /* one line */
	/* Of a hang, the parts of the message; null: nothing is known.  What hangs and waits for what; who should act,
	 * and why it cannot; what the runs with one thing changed showed; what to change in the kernel. */
	const char *what, *who, *checked, *fix;
	const struct lockstep_line *lines;
	size_t line_count;
	const struct lockstep_thread *threads;
	size_t thread_count;
	uint64_t count; /* how often it was seen: of accesses that were dropped, of how many lanes; of lock bits left,
			   how many; of races and uninitialised reads, of how many accesses of a lane; of barrier
			   misuse, how often a warp did it; else 1 */
	const char *const *addresses; /* "0x10000400 (buf 'locks' + 0x0)" */
	size_t address_count;
};

/* The module's spin loops, found without running it: locks and waits that go on for as long as others leave memory as
 * it is.  Of kind "spin"; cause "simt", suspected: lanes of one warp can block each other on a reconvergence stack;
 * cause "occupancy", noted: it waits for other work-groups; cause "none", noted: neither.  Returns how many; they live
 * until the module is unloaded. */
size_t lockstep_lint(struct lockstep_module *module, const struct lockstep_finding **findings);

struct lockstep_counter {
	const char *name, *unit, *meaning;
	uint64_t value;
};
/* The k-th counter of every result, with value 0; false past the last. */
bool lockstep_counter(size_t k, struct lockstep_counter *counter);
/* value == UINT64_MAX never occurs; ratios are given as numerator and denominator counters and computed by the
 * report. */

/* What comes of a kernel under all schedules that a progress model allows. */
enum lockstep_verdict { LOCKSTEP_FINISHES, LOCKSTEP_MAY_HANG, LOCKSTEP_HANGS, LOCKSTEP_FAULTS, LOCKSTEP_UNDECIDED };
struct lockstep_search {
	enum lockstep_verdict verdict; /* undecided: no hang was found, and not everything was seen */
	uint64_t schedules, states;    /* tried, seen */
	const char *schedule;          /* under which it hangs or faults; null: none is known */
};

/* Of a launch that was searched together with others that run beside it: in which order their work-groups take the free
 * places of the GPU.  lockstep_search counts placements as schedules, and no states. */
struct lockstep_placements {
	const uint64_t *launches; /* their numbers, from 0 */
	size_t launch_count;
	uint64_t finished; /* of the placements that were tried, those with which all launches completed */
	bool all;          /* no placement is left that was not tried */
};

/* What an instruction of a launch accessed in global memory: bytes by address, none of which touch. */
struct lockstep_span {
	uint64_t first, end; /* end: behind the last byte */
};
struct lockstep_access {
	const char *file; /* of the source where the PTX has it */
	uint32_t line;
	const char *what; /* "a store" */
	bool writes;      /* else it only reads */
	bool strong;      /* atomic or volatile, in a scope that has other launches */
	const struct lockstep_span *spans;
	size_t span_count;
	/* Its threads may know that the grids are over on which theirs depends (griddepcontrol.wait).  An instruction
	 * with such accesses and others is listed twice. */
	bool awaited;
};

/* What an instruction of a launch did and cost; exact.  docs/profile.md says what is attributed to which. */
struct lockstep_cost {
	uint32_t pc;
	const char *file; /* of the source where the PTX has it; null: unknown */
	uint32_t line;
	const char *text;       /* the instruction, as PTX */
	uint64_t issued, lanes; /* times; active lanes with a true guard, summed */
	const uint64_t *values; /* its part of the counters that lockstep_profiled lists */
};
/* The name of the k-th counter of which instructions have parts; null past the last.  The first
 * lockstep_profiled_stalls() of them are the scheduler cycles in which nothing was issued. */
const char *lockstep_profiled(size_t k);
size_t lockstep_profiled_stalls(void);

/* A lock word of global memory that lanes of a launch tried for: by an atomic in a loop that is left by its result, or
 * by a lock instruction. */
struct lockstep_lock_site {
	const char *file;
	uint32_t line;
	uint64_t acquires, failed; /* lanes */
};
struct lockstep_lock {
	const char *address;       /* "0x10000400 (buf 'locks' + 0x0)"; "shared memory + 0x0 (variable 'lock')" */
	uint64_t groups;           /* in shared memory: work-groups that had it, told as one; else 0 */
	uint64_t acquires, failed; /* lanes */
	uint64_t longest_queue;    /* lanes that waited at a time, at most */
	uint64_t waited; /* lane cycles, from a lane's first failed attempt to its success; those that never got it not
			  */
	uint64_t held;   /* cycles, from taking to giving back, of those that were seen to be given back */
	uint64_t from_same_warp, from_same_core,
		from_other_core;             /* acquires but the first, by where it had been taken last */
	uint64_t worst;                      /* cycles that one lane waited, at most; and which: */
	struct lockstep_thread worst_thread; /* without a state */
	const struct lockstep_lock_site *sites;
	size_t site_count;
};

/* A barrier of work-groups, by instruction; or an instruction that polls words of global memory, as at barriers that a
 * kernel makes of such words: `words` is not 0 then, and phases are times that waiters of a word went on. */
struct lockstep_barrier {
	const char *file; /* null: none is known */
	uint32_t line;
	const char *text;                    /* the instruction as in PTX */
	uint64_t phases;                     /* how often it opened, the last warp having come here */
	uint64_t waited;                     /* warp cycles */
	uint64_t worst;                      /* cycles that one warp waited, at most; and which, by its first thread: */
	struct lockstep_thread worst_thread; /* without a state */
	uint64_t last_times;                 /* how often the warp came last that did most often, */
	uint32_t last_warp;                  /* which one of the group it is, from 0 */
	uint64_t words;                      /* that were waited for; and of which group the last warp was: */
	uint32_t last_group[3];
	uint64_t waits; /* of a barrier of work-groups: how often a warp waited here until it opened; */
	/* and of its phases, cycles from the end of the phase before, or the beginning of the group, until the first
	 * thread came, and from there to the end */
	uint64_t idle, filling;
};

/* An instruction that waits at mbarriers; and one that initialises some, with those that wait there.  docs/profile.md
 * says what each figure is. */
struct lockstep_mbarrier_wait {
	const char *file; /* null: none is known */
	uint32_t line;
	const char *text;                    /* the instruction as in PTX */
	uint64_t passed;                     /* how often a warp found its phase complete; */
	uint64_t waits;                      /* and of that, when it had found it open before */
	uint64_t failed;                     /* answers that it is open */
	uint64_t waited;                     /* warp cycles, from the first of these looks on */
	uint64_t suspended;                  /* warp cycles within try_wait */
	uint64_t worst;                      /* cycles that one warp waited, at most; and which, by its first thread: */
	struct lockstep_thread worst_thread; /* without a state */
};
struct lockstep_mbarrier {
	const char *file;
	uint32_t line;
	const char *text;
	const char *address; /* of the objects: "shared memory + 0x0 ('full' + 0x0) to 0x18" */
	uint64_t objects;    /* initialisations */
	uint64_t phases;     /* that are over */
	uint64_t arrivals, bytes;
	uint64_t idle;    /* of these, cycles from the initialisation, or the end of the phase before, to the first
			   * arrival or byte, or that one is expected */
	uint64_t filling; /* and from there to the end */
	uint64_t ready;   /* cycles from the end of a phase until a wait found it complete, */
	uint64_t seen;    /* of so many phases */
	uint64_t unseen;  /* phases that no wait had found complete when the next one ended */
	const struct lockstep_mbarrier_wait *waits; /* in the order of pcs */
	size_t wait_count;
};

/* A fence, or an access that releases. */
struct lockstep_fence {
	const char *file;
	uint32_t line;
	const char *text;
	uint64_t count;
	uint64_t waited;                         /* warp cycles */
	uint64_t stores, atomics, loads, others; /* of them, by what was answered last */
	uint64_t worst;                          /* as of barriers */
	struct lockstep_thread worst_thread;
	const char *scope; /* how far it reaches, as PTX says: cta, cluster, gpu, sys */
	uint64_t missed;   /* of `waited`, where the L2 did not have what was answered last: loads and stores */
	uint64_t fixed;    /* warp cycles behind the last answer: what a fence itself takes */
	uint64_t emptied;  /* how many emptied the L1 */
};

/* How counters grew while a launch ran: in each of `count` samples, one behind another, by how much, and how long it
 * was. Each sums up to the launch's own counter. */
struct lockstep_samples {
	uint64_t interval; /* cycles: a sample ends with the first quantum behind a multiple of it */
	size_t count;
	const uint64_t *cycles;                    /* count of them */
	const uint64_t *const *values;             /* of each counter that lockstep_sampled lists, count of them */
	const struct lockstep_sampled_warp *warps; /* the first warp slots that the launch had */
	size_t warp_count;
};
/* What a warp slot did at the end of each sample: `count` letters: r could issue; waited for w an arithmetic result, n
 * instructions, m memory, h shared memory, f a fence, b a barrier, l a lock instruction, s a sleep or a fixed cost; .
 * had no warp of the launch. */
struct lockstep_sampled_warp {
	uint32_t core, warp;
	const char *states;
};
/* The name of the k-th counter that is sampled; null past the last. */
const char *lockstep_sampled(size_t k);

/* What an observer counted of each instruction of a launch, in the order of pcs; of others it counted nothing. */
struct lockstep_row {
	uint32_t pc;
	const char *file; /* of the source where the PTX has it; null: unknown */
	uint32_t line;
	const char *text;       /* the instruction, as PTX */
	const uint64_t *values; /* one for each column */
};
struct lockstep_table {
	const char *name, *title;
	const char *const *columns; /* their names; docs/report.md says what each counts */
	size_t column_count;
	const struct lockstep_row *rows;
	size_t row_count;
};
/* The name of the k-th table that there is, "bank-conflicts"; null past the last. */
const char *lockstep_table_name(size_t k);

/* That a finding of an earlier launch was seen in a later one, too. */
struct lockstep_again {
	uint64_t launch;  /* its number */
	uint64_t finding; /* which of its findings, from 0 */
	uint64_t count;   /* how often in the later one */
};

/* What a check looks at: accesses by lanes, of shared and global memory; the same and of local memory; uses of
 * barriers, member masks and shuffles by warps. */
enum lockstep_checked {
	LOCKSTEP_CHECKED_RACES,
	LOCKSTEP_CHECKED_INIT,
	LOCKSTEP_CHECKED_BARRIERS,
	LOCKSTEP_CHECKED_KINDS
};

/* What LOCKSTEP_CHECK_ALL leaves out, as it is seldom wrong: races which LOCKSTEP_CHECK_RACES_VOLATILE would report;
 * which LOCKSTEP_CHECK_RACES_ALL would; and barriers that not all threads reach, as LOCKSTEP_CHECK_BARRIERS_ALL would.
 */
enum lockstep_apart {
	LOCKSTEP_APART_VOLATILE,
	LOCKSTEP_APART_SAME_VALUE,
	LOCKSTEP_APART_BARRIERS,
	LOCKSTEP_APART_KINDS
};

struct lockstep_result {
	const char *kernel;
	uint64_t number; /* of the launch on this GPU, from 1 */
	uint64_t start;  /* cycle of the GPU's clock at which it was launched; `cycles` count from there */
	bool overlapped; /* other kernels ran meanwhile: counters but the instructions' include what those did */
	uint32_t grid[3], block[3];
	enum lockstep_mode mode;
	enum lockstep_outcome outcome;
	uint64_t cycles, warp_instructions, thread_instructions;
	/* of the host, since its start or since another launch ended, whichever was later: the sum is what all took */
	double wall_seconds;
	uint32_t registers_per_thread, shared_bytes;
	uint32_t groups_per_core; /* resident at once, at most */
	uint64_t groups;          /* the same on the whole GPU, some of whose cores may have less than the others */
	const char *limiter;      /* "threads", "groups", "registers", "shared" */
	const struct lockstep_counter *counters;
	size_t counter_count;
	const struct lockstep_finding *findings;
	size_t finding_count; /* what ended it, if anything did; then what was dropped (on_fault), lock bits left, and
			       * races (check) */
	/* What checks find is one finding for all launches, of the first: of the others, that it was seen again. */
	const struct lockstep_again *again;
	size_t again_count;
	/* With `footprints`: of each instruction that accessed global memory; and when the first group began and the
	 * last one ended, on one clock of all launches, so that they tell which launches overlapped. */
	const struct lockstep_access *accesses;
	size_t access_count;
	uint64_t first_group, last_group;
	bool fences; /* likewise: some thread has executed a fence, an acquire or a release that other launches see */
	const struct lockstep_samples *samples; /* with `samples`; else null */
	const struct lockstep_search *search;   /* of lockstep_search; else null */
	/* With `profile`: of each instruction that was issued or waited for, in the order of pcs; else null. */
	const struct lockstep_cost *costs;
	size_t cost_count;
	/* Likewise, of each lock word, that for which most was waited first. */
	const struct lockstep_lock *locks;
	size_t lock_count;
	/* Likewise, in the order of pcs. */
	const struct lockstep_barrier *barriers;
	size_t barrier_count;
	const struct lockstep_fence *fences_waited;
	size_t fence_count;
	/* Of those asked for with `observe`, each whose observer saw a work-group of the launch begin. */
	const struct lockstep_table *tables;
	size_t table_count;
	/* Of a kernel that a kernel has launched: the number of that one's launch, which ends later; else 0. */
	uint64_t parent;
	uint64_t children; /* how many kernels its own has launched */
	uint64_t root; /* of a kernel that a kernel has launched: the launch of the host's that it comes from; else 0 */
	uint64_t stream; /* of the launch; of such a kernel, that of the launch from the host */
	/* With `check`, by enum lockstep_checked: what was looked at since the result before. */
	uint64_t checked[LOCKSTEP_CHECKED_KINDS];
	const struct lockstep_origin *origin; /* of the kernel's module */
	/* With `profile`, in the order of the pcs at which they are initialised. */
	const struct lockstep_mbarrier *mbarriers;
	size_t mbarrier_count;
	/* With `search`, where other launches were part of it; else null. */
	const struct lockstep_placements *placements;
	/* Why the launch that was to be under a progress model (launch), or searched, was not; null: it was, or was
	 * not to be. */
	const char *not_searched;
	/* With `check`, likewise: what was found for the first time since the result before, and is not in `findings`,
	 * which has the first 1,000 of all launches; at least so many. */
	uint64_t not_listed[LOCKSTEP_CHECKED_KINDS];
	/* With LOCKSTEP_CHECK_ALL: pairs of lines, or barriers, in all launches so far. */
	uint64_t apart[LOCKSTEP_APART_KINDS];
};

/* The mode of the launches that follow; the one given to lockstep_open before.  Memory is the same in both; the clock
 * and what the L2 holds stand still while launches run in functional mode. */
void lockstep_set_mode(struct lockstep *gpu, enum lockstep_mode mode);

/* How many bytes device malloc has, at most limit.heap's greatest value; as the model says (limit.heap) when never set.
 * False: the first kernel that calls malloc or free has been launched. */
bool lockstep_set_heap(struct lockstep *gpu, uint64_t bytes);

/* How many grids that kernels have launched may be pending, from 1 on: until they, and what they launched but as tail
 * launches, have ended.  As the model says (device.pending) when never set.  False: no such number. */
bool lockstep_set_pending(struct lockstep *gpu, uint64_t grids);

/* How many levels of grids may call cudaDeviceSynchronize on the GPU, counted from those that the host launches; 2 when
 * never set, and at most one less than the model's core.count and than its dispatch.concurrent_kernels.  0: none may.
 * Deeper ones get cudaErrorSyncDepthExceeded.  To be set while nothing runs. */
void lockstep_set_wait_depth(struct lockstep *gpu, uint64_t depth);

/* Launches a kernel and returns its number, from 1; 0 and an error for a bad launch (no such kernel, group too large
 * for the model, parameter block of the wrong size).  It runs within lockstep_finish: in timing mode beside the other
 * launches that have not ended, as many as the model's dispatch.concurrent_kernels says, the earlier first to place
 * their work-groups; the rest waits.  Launches of another mode wait until those before them have ended.  What a kernel
 * reads is in memory before lockstep_finish is called. */
uint64_t lockstep_start(struct lockstep *gpu, const struct lockstep_launch *launch, struct lockstep_error *error);
/* The GPU's clock, in cycles of the core clock, which goes on from launch to launch: when one that is started now
 * begins, if none runs; while some run, when the first of them began.  Functional mode does not move it. */
uint64_t lockstep_cycle(const struct lockstep *gpu);
/* Runs until one of the started launches has ended and returns its result; null when there is none left.  A fault, a
 * hang or a limit of one ends all that run beside it.  The result lives until it is forgotten, or lockstep_close. */
const struct lockstep_result *lockstep_finish(struct lockstep *gpu);

/* With options.pause_when_stuck, lockstep_finish returns null when what runs can never end by itself, but would if
 * memory were written from outside.  Then lockstep_is_stuck is true; memory may be written; and lockstep_finish goes on
 * with it, or, after lockstep_give_up, returns that it hangs. */
bool lockstep_is_stuck(const struct lockstep *gpu);
/* Of what is stuck: whether it looks at memory that the host may write at any time (lockstep_expect_host_writes), so
 * that it may go on without a word from the host.  Then lockstep_finish looks again. */
bool lockstep_asks_host(const struct lockstep *gpu);
/* Of what is stuck: whether it is certain that nothing but such a write lets it go on.  Else it is only suspected, as
 * it looks at a clock for instance, and lockstep_finish may go on with it although nothing was written. */
bool lockstep_is_stuck_for_ever(const struct lockstep *gpu);
/* Of what is stuck: why, as far as is seen without a try, for each kernel: "kernel wait: Group (0,0,0) ..."; nothing
 * changes by it.  It lives until lockstep_close; null: nothing is stuck. */
const char *lockstep_why_stuck(struct lockstep *gpu);
void lockstep_give_up(struct lockstep *gpu);
/* What the host does while something is stuck, to be said before lockstep_give_up, or lockstep_finish.
 * `waits`: all its threads wait for the GPU and leave memory that they share with it alone until lockstep_finish
 * returns, or, after lockstep_finish, did so meanwhile.  Then a launch that hangs may be run again, to confirm why,
 * although the host may otherwise look at its memory at any time; false at first.
 * `doubt`: who may still write what is waited for, although it is given up: "thread 12 (pool) is blocked in read".
 * Copied.  Then a hang that would be proved is only suspected, and the message says why.  Null, as at first: nobody. */
void lockstep_host_waits(struct lockstep *gpu, bool waits, const char *doubt);

/* What the host has enqueued, and what cannot begin before something that is stuck has ended. */
struct lockstep_queued {
	const struct lockstep_launch *launch; /* a kernel; null: something else */
	uint64_t address; /* what else it is writes `bytes` from here on; 0 bytes: that is not known */
	size_t bytes;
	const void *contents; /* what these become; null: that is not known */
	const char *what;     /* "kernel set", "cudaMemcpyAsync" */
	const char *where;    /* "behind kernel wait in stream 2" */
};
/* To be said before lockstep_give_up, which forgets it, in the order of enqueueing: a hang may be explained by it, and
 * what waits be let past, to confirm that.  All is copied. */
void lockstep_queue(struct lockstep *gpu, const struct lockstep_queued *queued, size_t count);

/* Memory that the host writes while kernels run, at an address that lockstep_allocate returned: a thread that waits for
 * it is not proved to hang. */
void lockstep_expect_host_writes(struct lockstep *gpu, uint64_t address);

/* What the memory at an address that lockstep_allocate returned is called is asked when a message wants it:
 * make_name(origin), by any thread, words that stay; null: it has no name. */
void lockstep_name_by(struct lockstep *gpu, uint64_t address, const char *(*make_name)(void *origin), void *origin);
/* What is about to free it, to be said before lockstep_free, in the same way: "cudaFreeAsync at app.cu:20".  `where`:
 * the stream or queue in whose order that is, as "stream 2", words that stay; null: the host does it. */
void lockstep_freed_by(struct lockstep *gpu, uint64_t address, const char *(*make_name)(void *origin), void *origin,
	const char *where);

/* Runs one kernel to its end: lockstep_start, and what lockstep_finish would do until it has ended; other launches may
 * end meanwhile, and their results are not lost: lockstep_finish still returns them.  Null and an error for a bad
 * launch. */
const struct lockstep_result *lockstep_run(
	struct lockstep *gpu, const struct lockstep_launch *launch, struct lockstep_error *error);

/* Under a progress model, with at most 64 work-groups: tries at most `schedules` schedules of these and, where they
 * have several, of their warps, every one that makes a difference while there are fewer, and then runs the kernel as
 * lockstep_run does: under the schedule under which it hangs or faults, if one is known.  All begins when the launches
 * before have ended, with memory as they left it.  Memory is afterwards as that run leaves it.
 *
 * Memory that the host shares with the GPU is written again and again meanwhile, so the host must wait
 * (lockstep_host_waits); else nothing is tried. */
const struct lockstep_result *lockstep_search(
	struct lockstep *gpu, const struct lockstep_launch *launch, uint64_t schedules, struct lockstep_error *error);

/* Whether the launch that is next is to be searched, so that lockstep_finish would begin with that. */
bool lockstep_searches_next(const struct lockstep *gpu);

/* Completes the timeline file, if options.trace asked for one; false and an error when it could not be written whole
 * (then what had its name before has it still).  lockstep_close does the same without a word, if anything was run. */
bool lockstep_end_trace(struct lockstep *gpu, struct lockstep_error *error);

/* Frees a result, which some kilobytes hang on; it is no longer among those below. */
void lockstep_forget(struct lockstep *gpu, const struct lockstep_result *result);
/* Results so far, in order. */
size_t lockstep_result_count(const struct lockstep *gpu);
const struct lockstep_result *lockstep_result(const struct lockstep *gpu, size_t k);

/* JSON, as docs/report-json.md has it: the report of all these results; and of one of them its element of launches[],
 * with "findings", its own, in it.  Good until one of the two is called again, or lockstep_close. */
const char *lockstep_report(struct lockstep *gpu);
const char *lockstep_report_launch(struct lockstep *gpu, const struct lockstep_result *result);

/* The configuration in use: k-th field, the scheduler's own behind the model's; false past the last.  `number` is
 * meaningless where text is not null. */
struct lockstep_field {
	const char *path, *unit, *meaning, *source, *text;
	uint64_t number;
	uint64_t least, most; /* what `number` may be, both included, in the same unit */
};
bool lockstep_configuration(const struct lockstep *gpu, size_t k, struct lockstep_field *field);
/* Whether the k-th is another one than in the model's file, by a setting or by `weak`. */
bool lockstep_configuration_is_changed(const struct lockstep *gpu, size_t k);
/* The field of that path; of one that there is not, all is 0. */
struct lockstep_field lockstep_field(const struct lockstep *gpu, const char *path);

/* The k-th embedded GPU model's name, null past the last; policies by kind: see `lockstep policies`. */
const char *lockstep_gpu_name(size_t k);
/* A model that has what code for such a target needs, "sm_90a": of those whose compute capability runs it and is
 * lowest, the one with the most cores.  Null: the GPU's own does, or that of none. */
const char *lockstep_gpu_for(const struct lockstep *gpu, const char *target);
struct lockstep_policy {
	const char *kind, *name, *summary;
};
bool lockstep_policy(size_t k, struct lockstep_policy *policy); /* false past the last */

/* Where the members of structs are, for bindings of other languages, which do not read this header: those of
 * lockstep_options, lockstep_launch, lockstep_needs, lockstep_occupancy, lockstep_parameter and lockstep_policy, each
 * struct's in its order. */
struct lockstep_member {
	const char *structure, *name; /* "lockstep_options", "gpu" */
	const char *type; /* as it is written here, of an array its elements'; "function": a pointer to one */
	size_t offset, bytes;
	size_t structure_bytes; /* of the whole struct */
};
/* The k-th of all; false past the last. */
bool lockstep_layout(size_t k, struct lockstep_member *member);

#ifdef __cplusplus
}
#endif

#endif
