/* The debugger's state, for the files that implement it. */
#ifndef LOCKSTEP_DEBUG_ENGINE_H
#define LOCKSTEP_DEBUG_ENGINE_H

#include "debug/debugger.h"
#include "machine/state/machine.h"
#include "util/text.h"
#include "util/vector.h"

#include <setjmp.h>
#include <time.h>

struct pages_image;

/* A warp by what stays the same whenever it is looked at. */
struct warp_name {
	bool known;
	uint64_t launch; /* ordinal */
	uint32_t group;  /* flat number */
	uint32_t warp;   /* of its group, from 0 */
};

/* What a run is looking for. */
enum goal_kind {
	GOAL_NONE,        /* breakpoints and watches alone */
	GOAL_INSTRUCTION, /* the warp issues */
	GOAL_LINE,        /* the warp issues at another line, or another call */
	GOAL_NEXT,        /* likewise, but not within functions that it calls */
	GOAL_RETURN,      /* the warp has left its function */
	GOAL_CYCLE,       /* an instruction issues at this cycle or later */
	GOAL_ANY          /* any warp issues */
};

struct goal {
	enum goal_kind kind;
	struct warp_name warp;
	const struct kernel *kernel; /* and pc: where the warp stands when it starts */
	uint32_t pc, depth;
	uint64_t cycle;
	uint64_t times;     /* that it is to be reached, from 1 */
	bool without_stops; /* breakpoints and watches do not count */
};

/* How a run comes to its next stop. */
enum plan_kind {
	PLAN_FORWARD, /* until the goal */
	PLAN_REPLAY,  /* up to position `end`: it has been there */
	PLAN_SEARCH,  /* for the last position before `end` where the goal is reached */
};

struct plan {
	enum plan_kind kind;
	uint64_t end;
	struct goal goal;
	uint64_t from; /* an image is put in place of the last moment before this position; 0: before `end` */
	/* PLAN_SEARCH */
	uint64_t found; /* 0: nowhere yet */
	bool was_found; /* PLAN_REPLAY: to what a search has found */
	/* Since the moment from which it runs: where the goal's warp issued first, 0: it has not; and the last time. */
	uint64_t first;
	uint32_t last_pc, last_depth;
};

/* What memory was when some instructions had been issued. */
struct moment {
	struct pages_image *image;
	uint64_t at;    /* how many */
	uint64_t cycle; /* of the machine's clock */
	uint64_t printed;
	double when;   /* seconds that the run up to here took, from moment to moment */
	bool is_extra; /* kept while it ran again: it goes first */
};

enum stop_kind {
	STOP_BREAKPOINT = 1,
	STOP_PHASE, /* of an mbarrier */
	STOP_WATCH,
	STOP_VALUE, /* of a variable or register, in a lane of a warp */
};

/* Where a watched value is. */
struct watched_place {
	uint8_t space;         /* space_GLOBAL, space_SHARED */
	uint32_t group;        /* space_SHARED */
	uint64_t address;      /* absolute, or an offset */
	uint32_t bytes;        /* 1, 2, 4, 8 */
	struct warp_name warp; /* space_SHARED: of the launch of this one */
};

/* Something at which runs stop. */
struct stop {
	enum stop_kind kind;
	uint32_t number; /* from 1, for people */
	const char *words;
	/* STOP_BREAKPOINT: pcs, as bits */
	const struct kernel *kernel;
	uint64_t *pcs;
	/* STOP_PHASE: of a group's object at this offset of shared memory; group UINT32_MAX: of any */
	uint32_t group;
	uint64_t object;
	bool has_ended; /* a phase has, since the last issue */
	/* STOP_WATCH */
	struct watched_place place;
	bool was_known;
	uint64_t last, before; /* now; before the last change */
	/* STOP_VALUE: what `print` takes, of the lane of place.warp; and what it showed */
	const char *path;
	uint32_t lane;
	struct shown {
		struct arena arena;
		const char *text;
	} shown, shown_before;
};

/* What is about to be carried out. */
struct here {
	struct core *core; /* null: nothing: the launch has not begun, hangs, or has ended */
	struct warp_slot *r;
	const struct insn *i;
	lane_mask lanes;
};

struct pace {
	double interval; /* of the process's time */
	double since;    /* by the process's time: the last moment was kept, or put back */
	double when;     /* of that moment */
	double cost;     /* of the last one */
	uint64_t pause;  /* cycles */
};

/* What the kernel prints. */
struct printing {
	uint64_t printed, seen; /* bytes: so far, in this run of it; what the user has seen */
	void (*print)(void *context, const char *text, size_t length);
	void *context;
};

/* What a program that goes on while its kernels run does to them. */
struct host_seen {
	uint64_t acts;     /* at the last look */
	bool may_act;      /* since the first moment that is kept: so there is no going back */
	bool has_returned; /* the program has had a result of a launch since then */
	char why[256];     /* which of its threads may act */
};

/* For programs that ask (json.c). */
struct told {
	uint64_t stops;  /* how often it has stopped */
	char why[256];   /* the last time; "": its goal was reached */
	bool is_finding; /* the launch ends by one, or did not complete */
};

/* What is known of the code that was looked at last; in the debugger's arena. */
struct known {
	time_t since; /* the debugger began, by the wall clock */
	bool changed; /* a source has, and that was said */
	const struct ptx_module *variables_of;
	const struct variables *variables; /* of that module */
	const struct kernel *kernel;
	uint32_t function;
	const struct registers *registers; /* of that function of the kernel */
};

/* The command that an empty line repeats; null: none. */
struct last_line {
	struct arena arena;
	const char *line;
};

struct debugger {
	struct gpu *gpu;
	const char *unit; /* of clocks: "cycle"; null: nothing has run */
	const struct lockstep_debug *front;
	struct arena arena;   /* of stops: apart */
	struct arena scratch; /* of one command: apart */
	struct text out;      /* the answer to it, in `scratch` */
	jmp_buf back;         /* out of a run, to put back an image */

	uint64_t at;        /* position */
	uint64_t furthest;  /* that it has ever been at */
	bool has_ended;     /* the launch has: there is nothing ahead of `at` */
	bool is_over;       /* nobody asks any more: launches run to their ends */
	bool is_running;    /* so it may go back */
	bool has_gone_back; /* from where the program gave up, so the launch goes on */
	volatile sig_atomic_t quits;
	struct here here;
	struct warp_name focus;
	uint32_t lane; /* of the focus */
	bool focus_ended;

	struct plan plan;
	const struct stop *reached; /* the one at which it stops; null: the goal */
	VECTOR(struct moment) moments;
	struct pace pace; /* from one to the next */
	struct host_seen host;
	VECTOR(const struct kernel *) seen; /* kernels that have been launched */
	VECTOR(struct stop *) stops;
	uint32_t stops_made;

	struct printing printing;
	void (*explain)(struct machine *machine, struct launch *launch, bool proved);
	struct last_line last;
	const struct kernel *kernel; /* of the launch that was looked at last */
	struct told told;
	bool was_told;   /* the end of the launch, in explain() */
	bool prints_all; /* lanes, by `print` */
	struct known known;
	struct writes_asked *asked; /* `last-write` runs; else null */
};

/* After a command. */
enum next {
	NEXT_ASK, /* another command */
	NEXT_GO,  /* the run goes on as the plan says */
};

/* ---- engine.c ---- */

/* The first position that can be visited again: 1, but where a program has acted since the launch began. */
uint64_t engine_first_position(const struct debugger *d);
/* Whether it may go back to this position; false and an answer. */
bool engine_may_go_back(struct debugger *d, uint64_t position);
/* Goes on from a stop: forwards to the goal; back to a position; back to the last place before this one where the goal
 * is reached.  These do not return to the caller's command but for the first; and may be used where it may go back. */
void engine_go(struct debugger *d, const struct goal *goal);
/* Forwards from the k-th moment. */
_Noreturn void engine_go_from(struct debugger *d, const struct goal *goal, uint32_t k);
_Noreturn void engine_go_to(struct debugger *d, uint64_t position);
_Noreturn void engine_go_back(struct debugger *d, const struct goal *goal);

/* ---- stops.c ---- */

/* Whether the run reaches what it looks for, at what is about to be carried out. */
bool stops_reached(struct debugger *d);
/* Memory has been put back: watched values are what they are now. */
void stops_look_anew(struct debugger *d);
struct stop *stops_add(struct debugger *d, struct stop stop);
bool stops_remove(struct debugger *d, uint32_t number);
/* All of them, at the end. */
void stops_forget(struct debugger *d);
/* An mbarrier's phase has ended, for STOP_PHASE. */
void stops_note_phase(struct debugger *d, uint32_t group, uint64_t object);

/* ---- commands.c ---- */

/* Carries out a command; what it answers is in d->out. */
enum next commands_run(struct debugger *d, const char *line);

enum next command_refuse(struct debugger *d, const char *words, const char *expected);

/* ---- json.c: commands of programs, whose answers are a JSON object each ---- */

void json_note_stop(struct debugger *d, const char *why);
/* Whether the line is such a command; it is carried out then. */
bool json_run(struct debugger *d, const char *line, enum next *next);

/* ---- show.c ---- */

/* Where the run has stopped, in a line or two, and why; the warp that was about to issue is the focus from then on. */
void show_stop(struct debugger *d, const char *why);
/* The same for who asks again. */
void show_stop_again(struct debugger *d);
void show_source(struct debugger *d, const struct warp_slot *r, uint32_t pc);

void show_lanes(struct text *out, lane_mask lanes); /* "0-3,7" */
/* "runs", or what the warp waits for. */
const char *show_waiting(const struct debugger *d, const struct core *core, const struct warp_slot *r);

/* Says so if a source is younger than the kernel that was made from it. */
void show_if_changed(struct debugger *d, const struct kernel *kernel, const char *file);
void show_warps(struct debugger *d, const char *words);
void show_threads(struct debugger *d, const char *words);
void show_stack(struct debugger *d, const char *words);
void show_locks(struct debugger *d, const char *words);
void show_barriers(struct debugger *d, const char *words);
void show_mbarriers(struct debugger *d, const char *words);

/* ---- places.c ---- */

/* Sets the pcs of FILE:LINE, LINE, FUNCTION or *PC; a line without code means the next that has some.  Returns what was
 * found, in words that stay; null and an answer: nothing was. */
const char *places_find(struct debugger *d, const struct kernel *kernel, const char *words, uint64_t *pcs);

/* ---- writes.c: last-write ---- */

/* From now on searches are for the last change of the word alone. */
void writes_ask(struct debugger *d, const struct watched_place *place);
/* The position where that was asked; 0: the launch had ended. */
uint64_t writes_asked_at(const struct debugger *d);
/* Whether it has changed since the last look. */
bool writes_changed(struct debugger *d);
/* A run that is to end behind the change begins: what warps issue to the word is recorded from now on. */
void writes_record(struct debugger *d);
void writes_note(struct debugger *d, const struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
	const uint64_t *address);
void writes_look_anew(struct debugger *d);
/* What was found; ends it. */
void writes_tell(struct debugger *d, bool found);

/* ---- find.c: what the names of commands mean ---- */

struct warp_name name_of(const struct warp_slot *r);
/* Whether the warp in this slot has the name. */
bool has_name(const struct warp_slot *r, const struct warp_name *name);
/* The warp, if it is on a core now; else null. */
struct warp_slot *find_warp(const struct debugger *d, const struct warp_name *name, struct core **core);
/* The focus; null and an answer that says why there is none. */
struct warp_slot *find_focus(struct debugger *d, struct core **core);
/* A work-group that is on a core now. */
struct group *find_group(const struct debugger *d, uint64_t launch, uint32_t number, struct core **core);
struct warp_locks;
/* The locks of each warp that is on a core (machine/observe/locks.h). */
void each_locks(const struct debugger *d,
	void (*visit)(void *context, const struct warp_slot *r, const struct warp_locks *locks), void *context);
/* Where a lane is: its path's pc, UINT32_MAX where it has ended; and what it waits for, null: nothing. */
struct lane_place {
	uint32_t lane, pc;
	const char *waiting;
};
struct lane_place find_lane(const struct warp_slot *r, uint32_t lane);
/* The kernel of the focus, or of the first launch. */
const struct kernel *find_kernel(const struct debugger *d);

/* ---- values.c ---- */

/* "ADDRESS [BYTES]", "BUFFER+OFFSET [BYTES]" or "shared OFFSET [BYTES]", of the group in focus.  False and an answer.
 */
bool value_place(struct debugger *d, const char *words, struct watched_place *place, uint32_t bytes);
/* The words name a buffer, or a place in one. */
bool value_is_buffer(const struct debugger *d, const char *words);
const char *value_place_words(struct arena *arena, const struct watched_place *place);
enum next command_print(struct debugger *d, const char *words);
enum next command_variables(struct debugger *d, const char *words);
enum next command_registers(struct debugger *d, const char *words);
enum next command_memory(struct debugger *d, const char *words);

/* Reads up to 8 bytes; false: it is not there. */
bool value_read(const struct debugger *d, const struct watched_place *place, uint64_t *value);
/* What a register of the function that the warp's path is in holds in a lane.  False: nothing, and `why` says so. */
struct register_value {
	uint64_t low, high;
	enum ptx_type type;
};
bool value_of_register(struct debugger *d, const struct warp_slot *r, uint32_t lane, const struct ptx_register *reg,
	struct register_value *value, const char **why);
/* A value as `print` shows it, by what people write for it: a register, or a path of a variable (variable_path.h).  All
 * is in `scratch`. */
struct shown_value {
	const char *text, *type;
	uint64_t address; /* of a pointer: where it points; 0: it is none */
};
bool value_of_words(struct debugger *d, const struct warp_slot *r, uint32_t lane, const char *words,
	struct shown_value *value, const char **why);
/* The names of the variables that the warp's path sees, innermost first; null-terminated, in `scratch`. */
const char *const *value_names(struct debugger *d, const struct warp_slot *r);

#endif
