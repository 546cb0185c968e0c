/* What the files behind include/lockstep.h share: the structs that are opaque there, and functions of one file that
 * another needs.
 *
 * Names: `lockstep` is what the caller holds; `gpu` the GPU in it, between and during launches (machine/state/gpu.h);
 * `machine` what runs launches just now, which no file here knows. */
#ifndef LOCKSTEP_API_API_H
#define LOCKSTEP_API_API_H

#include "api/part.h"
#include "found/found.h"
#include "kernel/kernel.h"
#include "lockstep.h"
#include "machine/observe/timeline.h"
#include "machine/progress/schedule_list.h"
#include "machine/progress/search.h"
#include "machine/state/gpu.h"
#include "ptx/module.h"
#include "util/diagnostic.h"
#include "util/lookup.h"
#include "util/vector.h"

#include <time.h>

/* A kernel decoded for this GPU, with its constants' addresses filled in. */
struct decoded {
	const struct kernel *kernel;
	uint32_t *constants;
	bool was_asked;      /* whether it is refused */
	const char *refusal; /* kernel_refusal */
};

struct started;

/* A copy; of null null. */
static inline const char *api_text(struct arena *arena, const char *text)
{
	return text ? arena_text(arena, text) : NULL;
}

struct lockstep_module {
	struct arena arena; /* all that belongs to it */
	struct lockstep *lockstep;
	struct ptx_module *ptx;
	const struct lockstep_origin *origin;  /* among the GPU's */
	uint64_t *addresses;                   /* per module variable (index): global address, 0 for shared ones */
	uint64_t constant_first, constant_end; /* the .const variables lie side by side */
	VECTOR(const struct ptx_function *) kernels;
	struct decoded *decoded; /* per kernel, made when first launched */
	/* What is to be said of instructions that need lock bits, on a GPU without; null: there is no such instruction.
	 */
	const char *no_lock_bits;
};

struct lockstep {
	struct arena arena;
	struct gpu gpu;
	const char **sources;         /* per model field */
	const struct gpu_model *file; /* the model without settings */
	VECTOR(struct lockstep_field) scheduler_fields;
	VECTOR(struct lockstep_module *) modules; /* null: unloaded */
	struct map origins;                       /* origin.c: of all modules that were ever loaded */
	VECTOR(struct started *) running;         /* those that have not ended, some of them not begun */
	VECTOR(struct started *) results;         /* of those that have ended and are not forgotten */
	/* Ended within lockstep_run and not returned yet, from early_first on. */
	VECTOR(const struct lockstep_result *) early;
	uint32_t early_first;
	struct timespec last_end; /* of a launch, by the host's clock */
	struct schedule_list schedule;
	bool has_chosen; /* options.launch is given: the launch of the number `chosen` is under the model */
	uint64_t chosen;
	const struct group_dispatcher *model; /* has_chosen: the progress model; gpu.dispatch is what others have */
	struct trace *trace;
	struct timeline_sink sink;
	bool *trace_named;                 /* per core */
	struct merged *trace_merged;       /* timeline.c: slices that are not drawn yet, per core and scheduler */
	struct trace_phases *trace_phases; /* timeline_phases.c: likewise, per mbarrier; null: none yet */
	bool *trace_shown;                 /* per core: of options.trace_cores; null: all are */
	uint64_t trace_from, trace_to;     /* of options.trace_window */
	struct arena report;               /* of the last lockstep_report or lockstep_report_launch */
	struct lockstep_module
		*own;        /* child.c: the kernels by which CUDA's device runtime copies; null: not yet needed */
	struct arena queued; /* queued.c: of what the host has enqueued after what is stuck */
	struct started **queued_launches;     /* of it, those that are kernels; null: what is none */
	struct found_list found[FOUND_KINDS]; /* checked.c: gpu.found */
	struct debugger *debugger;            /* debug.c; null: none */
	struct checkpoint *checkpoint;        /* checkpoint.c; null: none is written or restored */
};

/* What the timeline says of a kernel's instructions, per pc, once it has.  With firmware a launch has several kernels.
 */
struct trace_texts {
	const struct kernel *kernel;
	const char **of;
	struct trace_texts *next;
};

/* A started launch: what is known of its result, all when it has ended. */
struct started {
	struct lockstep_result result;
	struct arena arena; /* all that belongs to it */
	const struct kernel *kernel;
	uint64_t stream; /* the caller's */
	struct timespec start;
	uint64_t schedules; /* that are to be tried before it runs */
	/* It is that of options.launch, and it has not been its turn; why it cannot be under the model alone, or null.
	 */
	bool is_chosen;
	const char *refusal;
	struct gpu_launch what;
	struct search_outcome search;
	struct trace_texts *trace_texts;
};

/* error.c: both fill *error with one line and return false. */
/* For messages about a limit: "; for sm_90a use --gpu h200" where the model's compute capability is not what the module
 * is for, and "" otherwise.  Code of sm_90a and its like is written for the limits of one GPU, any other only has the
 * features of targets from `least` on. */
const char *api_other_model(
	const struct lockstep *lockstep, const struct lockstep_launch *launch, uint32_t least, char text[64]);
bool api_fail(struct lockstep_error *error, const struct diagnostic *diagnostic);
__attribute__((format(printf, 2, 3))) bool api_fail_with(struct lockstep_error *error, const char *format, ...);

/* search.c: whether the next launch is under the progress model, if there is one.  Those that are have it from
 * api_begin_model to api_end_model, which are about gpu.dispatch. */
bool api_is_chosen(const struct lockstep *lockstep);
const struct group_dispatcher *api_begin_model(struct lockstep *lockstep);
void api_end_model(struct lockstep *lockstep, const struct group_dispatcher *before);
/* The schedules or placements of what is next are tried, if they are to be; and it is over. */
void api_search_next(struct lockstep *lockstep);
void api_end_search(struct lockstep *lockstep, struct started *started);

/* placements.c: of the launches that wait, which begin together, the placements are tried, or that of options.schedule
 * is chosen, in place of the model for the one that is given.  Null; or why that cannot be. */
const char *api_place(struct lockstep *lockstep, struct started *started, struct launch *launch);

/* layout.c: a struct of the caller's, `given`, as one of ours; and one of ours into the caller's.  `bytes` are ours;
 * both begin with their size.  False and an error for a size that cannot be. */
bool api_take(void *own, size_t bytes, const void *given, const char *name, struct lockstep_error *error);
bool api_give(void *given, const void *own, size_t bytes, const char *name, struct lockstep_error *error);

/* module.c: a kernel by its name, and its number among the module's; null when there is none.  Null is allowed to be
 * freed. */
const struct ptx_function *api_find_kernel(const struct lockstep_module *module, const char *name, size_t *index);
void api_free_module(struct lockstep_module *module);

/* origin.c: what a text is, and what made it. */
const struct lockstep_origin *api_origin(struct lockstep *lockstep, const char *text, const char *target);

/* kernel.c: the module's kernel of that number, decoded once; null and an error when it uses what cannot be
 * executed. */
const struct decoded *api_decode(struct lockstep_module *module, size_t index, struct lockstep_error *error);
/* kernel_refusal of the kernel on this GPU. */
const char *api_refusal(struct lockstep_module *module, size_t index);
/* What .maxntid allows, the product of its dimensions; UINT64_MAX when there is none. */
uint64_t api_most_threads(const struct ptx_function *f);
/* Static and dynamic shared memory of a work-group; the dynamic part begins at an aligned offset.  What is beyond 32
 * bits fits no core, so UINT32_MAX stands for it. */
uint32_t api_shared_bytes(const struct kernel *kernel, uint32_t dynamic);

/* queued.c: gpu.queued is empty. */
void api_forget_queued(struct lockstep *lockstep);

/* check.c: whether a launch can begin, else false and an error.  The first needs no decoded kernel; `room` is how many
 * work-groups the GPU holds at once; `searches`: it is for lockstep_search. */
bool api_check_shape(const struct lockstep *lockstep, const struct lockstep_launch *launch,
	const struct ptx_function *f, struct lockstep_error *error);
bool api_check_kernel(const struct lockstep *lockstep, const struct kernel *kernel, uint64_t room,
	const struct lockstep_launch *launch, bool searches, struct lockstep_error *error);

/* firmware.c: what the launch's firmware may dispatch, in what->dispatchables; the occupancy of the kernel of which a
 * core holds most.  A kernel that is launched without firmware does not need it.  False and an error for what cannot
 * be. */
bool api_describe_firmware(struct lockstep *lockstep, struct arena *arena, const struct lockstep_launch *launch,
	const struct kernel *kernel, struct gpu_launch *what, struct occupancy *most, struct lockstep_error *error);
/* Instructions of a whole warp are right only where its lanes stay together. */
bool api_check_waves(const struct lockstep *lockstep, const struct kernel *kernel, struct lockstep_error *error);
bool api_check_no_firmware(const struct kernel *kernel, struct lockstep_error *error);
/* check.c: the work-groups of a cluster, 1 or more in each dimension. */
void api_cluster(const struct lockstep_launch *launch, const struct ptx_function *f, uint32_t cluster[3]);
/* launch.c: the values that its warps read, with the parameters in `arena`. */
struct launch_values api_launch_values(const struct lockstep *lockstep, struct arena *arena,
	const struct lockstep_launch *launch, const struct kernel *kernel);

/* launch.c: what the GPU is to run, in *what, whose owner is the result; null and an error if it cannot be.  The caller
 * gives it to api_runs, or frees it by api_free_started. */
struct started *api_describe(struct lockstep *lockstep, const struct lockstep_launch *launch, const struct decoded *d,
	uint64_t schedules, struct gpu_launch *what, struct lockstep_error *error);
/* The same of a launch that is only enqueued; null: it could not be started, or is firmware. */
struct started *api_describe_queued(
	struct lockstep *lockstep, const struct lockstep_launch *launch, struct gpu_launch *what);
/* The launch is among those that run. */
void api_runs(struct lockstep *lockstep, struct started *started);
/* child.c: kernels of the GPU may launch kernels.  And what does not go with a kernel that does: false and an error. */
void api_open_children(struct lockstep *lockstep);
bool api_check_children(
	const struct lockstep *lockstep, const struct kernel *kernel, bool searches, struct lockstep_error *error);

/* checked.c: what the checks found that no result has yet: whether they have any of a launch; at most how many; and
 * each, in a list of which `first` is the first, for *result.  Each is told once, with the launch in which it was seen
 * first; of launches that ended later, how often it was seen again. */
bool api_has_checked(const struct lockstep *lockstep, uint64_t launch);
/* What the checks have looked at since the result before. */
void api_take_checked(struct lockstep *lockstep, struct lockstep_result *result);
uint32_t api_count_checked(const struct lockstep *lockstep);
struct lockstep_finding *api_add_checked(struct lockstep *lockstep, struct started *started, uint64_t launch,
	const struct lockstep_finding *first, struct lockstep_finding *next);

/* result.c: what has ended is no longer running; its result is completed and kept. */
const struct lockstep_result *api_keep_result(
	struct lockstep *lockstep, struct started *started, const struct gpu_result *r);
void api_free_started(struct started *started);

/* finding.c: what ended the launch, what was dropped, and what checks found, in *result.  A thread's work-group and
 * index in words. */
void api_unflatten(uint32_t flat, const uint32_t size[3], uint32_t to[3]);
/* An instruction's line, with the calls that were inlined, in `arena`. */
struct lockstep_line api_line(struct arena *arena, const struct kernel *kernel, uint32_t pc, const char *role);
const char *api_thread_text(struct arena *arena, const struct lockstep_thread *t);
void api_add_findings(struct lockstep *lockstep, struct started *started, const struct gpu_result *r);
/* object.c: "0x10000400 (buf 'locks' + 0x0)"; "shared memory + 0x10 ('tile' + 0x0)", of a kernel's launch;
 * "local memory + 0x8". */
const char *api_object(struct arena *arena, const struct lockstep *lockstep, const struct kernel *kernel, uint8_t space,
	uint64_t address);
/* timeline.c: a launch that has not ended, by its ordinal, or null; and "hashtable.cu:21: atom.global.cas.b32 ...". */
/* checkpoint.c: the launch, which has been started, goes on where the checkpoint that is to be restored was written; if
 * there is one.  False and an error. */
bool api_restore(struct lockstep *lockstep, const struct lockstep_launch *launch, struct lockstep_error *error);
struct started *timeline_running(const struct lockstep *lockstep, uint64_t launch);
const char *timeline_instruction(struct started *started, const struct timeline_event *e);
/* timeline_phases.c: draws a phase of an mbarrier or a barrier, of many, where `shift` is not 0, as one; and all that
 * are not drawn yet. */
void timeline_draw_phase(struct lockstep *lockstep, const struct timeline_event *e, uint32_t shift);
void timeline_draw_phases(struct lockstep *lockstep);
/* mbarriers.c: what a profile has of mbarriers, in the launch's result. */
struct mbarriers;
void api_add_mbarriers(const struct lockstep *lockstep, struct started *started, const struct mbarriers *mbarriers);
/* found.c: what a check found in the started launch, in words. */
struct lockstep_finding api_found(const struct lockstep *lockstep, struct started *started, const struct found *f);

#endif
