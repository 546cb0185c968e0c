/* A control processor: one thread of firmware, beside the cores (paper 5, sections 3 and 7).
 *
 * It has a window of instructions that it has begun (window.h), a data cache that feeds into the L2 by the messages of
 * cores, an instruction cache, and a clock of its own: its cycle n lies in core cycle n * clock.core / control.clock.
 *
 * Registers are those of lane 0 of a warp.  There are two files: `kept` has what instructions have written that have
 * left the window, `trial` is where those in the window are tried: their operands go there, from the window or from
 * `kept`, and their results from there into the window.  So instructions that were entered after a branch that was
 * foreseen wrongly leave no trace.
 *
 * Most instructions overlap.  Those that change more than registers and bytes of memory (calls, fences, atomics, what
 * speaks with the dispatcher), and those with operands that the window has no room for, are *lone*: they enter an empty
 * window, work on `kept`, and nothing enters until they have left.
 *
 * Memory is as weak as PTX has it: loads of different lines may overtake each other, and stores; accesses of the same
 * bytes stay in order. */
#ifndef LOCKSTEP_MACHINE_CONTROL_PROCESSOR_H
#define LOCKSTEP_MACHINE_CONTROL_PROCESSOR_H

#include "machine/control/parts.h"
#include "machine/control/window.h"
#include "machine/core/fault.h"
#include "machine/state/counters.h"
#include "machine/state/finding.h"
#include "memory/l1.h"
#include "memory/message.h"
#include "util/vector.h"
#include "warp/warp.h"

#include <assert.h>

struct launch;
struct machine;
struct node;

#define CONTROL_DATA_BYTES 32 /* of an access: a vector of four times eight */
#define CONTROL_PREDICTORS 1024

/* Of an instruction of the code, what is the same each time. */
struct control_code {
	struct window_entry like;
	bool lone;
	uint32_t latency; /* own cycles */
};

/* What a register holds for lane 0, in both of its banks, or a predicate. */
struct control_value {
	uint64_t wide;
	uint32_t narrow;
};

/* An instruction in the window: beside its window_entry. */
struct control_flight {
	const struct insn *insn;
	uint32_t serial;       /* of all that ever entered; window numbers come again */
	uint32_t pc, foreseen; /* its own; of what was entered after it */
	bool lone;
	bool on;       /* its guard is true */
	bool sent;     /* what is sent when it leaves has been */
	bool answered; /* a lone one's question to memory is */
	bool asks;     /* of a lone one: the line goes to control_processor.line */
	uint32_t step; /* of a call: how far it has come */
	struct control_value results[WINDOW_REGISTERS];
	/* Of an access whose address is known: `bytes` is not 0. */
	uint8_t space;
	uint32_t bytes;
	uint64_t address;
	uint8_t data[CONTROL_DATA_BYTES];
	uint8_t fault; /* enum fault_cause, told if it leaves the window */
};

/* A call of __lockstep_dispatch, carried out between quanta. */
struct control_order {
	uint32_t kernel, count;
	uint32_t next; /* the first of its work-groups that has not begun, within the call */
	uint64_t argument;
};

/* Of one kernel that firmware may dispatch, as firmware sees it. */
struct control_kernel {
	uint64_t dispatched; /* work-groups */
	uint64_t ended;      /* of them, when the quantum began */
	uint64_t room;       /* for how many more there was room then, those that still were to start counted */
};

struct control_frame {
	uint32_t pc, register_base, predicate_base, stack_base;
};

/* The registers of its one warp: as the instructions that have left the window made them, and as those within it do. */
struct control_registers {
	struct warp kept, trial;
	struct path path;
	struct control_frame *frames;
	uint32_t depth;
};

/* An instruction that overlaps no other. */
struct control_lone {
	struct control_flight *flight; /* that is in the window */
	uint64_t number;
	bool is_there;
	uint64_t wake_at; /* own cycle at which it looks again; 0: when it is answered */
	uint64_t since;   /* own cycle in which its wait began */
};

struct control_cache { /* of instructions */
	uint64_t *tags, *used, stamp;
};

struct control_dispatcher {
	struct control_kernel *kernels;
	uint32_t kernel_count;
	VECTOR(struct control_order) orders; /* of this quantum */
	VECTOR(uint64_t) arrived; /* addresses of restart contexts; from first_arrived on they are not taken */
	uint32_t first_arrived;
	VECTOR(uint64_t) freed;    /* of this quantum: those that firmware has taken */
	VECTOR(uint64_t) held;     /* that it has taken, and not restarted */
	VECTOR(uint64_t) restarts; /* of this quantum */
};

struct control_processor {
	struct machine *machine;
	struct node *node;
	struct arena *arena;    /* grows while it runs */
	struct launch *launch;  /* whose firmware it runs; null: none */
	uint64_t cycle;         /* of its own clock */
	uint64_t begins;        /* core cycle at which firmware begins */
	bool busy;              /* something happened in the cycle before */
	bool returned, stopped; /* firmware has ended, or a fault was found */
	uint64_t ended_at;      /* core cycle of either */
	struct finding finding;

	struct control_registers registers;

	/* Instructions */
	struct window window;
	struct control_flight *flights; /* as window.entries */
	struct control_code *code;      /* of the kernel, per pc */
	struct control_lone lone;
	uint32_t serials;
	uint32_t fetch_pc;
	uint64_t fetch_ready; /* own cycle from which instructions enter */
	struct control_cache cache;
	uint8_t predictors[CONTROL_PREDICTORS]; /* of branches, two bits each */

	/* Memory */
	struct l1 l1;
	void *coherence_state;
	uint64_t port_free, reply_port_free; /* core cycles */
	uint32_t stores_out;                 /* not acknowledged */
	bool is_polling;                     /* in __lockstep_wait_change, whose word is as it was */
	uint8_t line[LINE_BYTES];            /* that control_ask has brought */

	struct control_dispatcher dispatcher;
	struct control_parts parts;
	struct control_counters counters;
};

/* Core cycle in which its cycle n lies; and its first cycle that lies in a core cycle, or later. */
uint64_t control_core_cycle(const struct control_processor *c, uint64_t own);
uint64_t control_own_cycle(const struct control_processor *c, uint64_t core_cycle);

/* Makes what it needs to run the launch's firmware, from core cycle `at` on.  Between quanta. */
void control_start(struct control_processor *c, struct launch *launch, uint64_t at);
/* Advances to core cycle `until`. */
void control_run(struct control_processor *c, uint64_t until);
/* The core cycle of its next event. */
uint64_t control_next_event(const struct control_processor *c);

/* ---- The parts of it ---- */

static inline struct control_flight *control_flight(const struct control_processor *c, uint64_t number)
{
	assert(number >= c->window.first);
	assert(number < c->window.next);
	return &c->flights[number & c->window.mask];
}

/* A fault of firmware: kept, and nothing runs any more. */
void control_fault(struct control_processor *c, const struct insn *i, enum fault_cause cause, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* operands.c: why the kernel cannot be firmware: words for a message, in `arena`, with its place; null: it can. */
const char *control_refuses(struct arena *arena, const struct kernel *kernel);
/* What an instruction reads and writes; operands into the trial file, results out of it into the window,
 * and from there into the kept file; where the frame of both files is. */
struct control_code control_code_of(const struct gpu_model *model, const struct kernel *kernel, const struct insn *i);
void control_frame_moved(struct control_processor *c);
void control_put_operands(struct control_processor *c, const struct window_entry *entry);
void control_take_results(struct control_processor *c, const struct window_entry *entry);
void control_keep_results(struct control_processor *c, const struct window_entry *entry);
/* Whether the guard is true for lane 0. */
static inline bool control_guard(const struct warp *w, const struct insn *i)
{
	return (w->predicates[i->guard] ^ -(lane_mask)i->guard_invert) & 1;
}

/* memory.c: loads and stores that overlap, as window_hooks; lone accesses; replies. */
uint64_t control_begin_load(struct control_processor *c, struct window_entry *entry);
uint64_t control_begin_store(struct control_processor *c, struct window_entry *entry);
bool control_leave_store(struct control_processor *c, struct window_entry *entry);
/* A lone load, store or atomic: when its result is there, as window_hooks.begin. */
uint64_t control_begin_access(struct control_processor *c, struct window_entry *entry);
/* A load past the data cache for the lone instruction: when it is `answered`, its line is in control_processor.line.
 * False: not in this cycle. */
bool control_ask(struct control_processor *c, uint64_t address);
/* A fence that reaches other L1s, where nothing is outstanding. */
void control_acquire(struct control_processor *c);
void control_receive(struct control_processor *c);

/* lone.c */
uint64_t control_begin_lone(struct control_processor *c, struct window_entry *entry);
bool control_leave_lone(struct control_processor *c, struct window_entry *entry);

/* calls.c: what firmware asks for; the same hooks. */
uint64_t control_begin_call(struct control_processor *c, struct window_entry *entry);
bool control_leave_call(struct control_processor *c, struct window_entry *entry);

#endif
