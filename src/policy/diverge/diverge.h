/* Divergence models: which lanes of a warp run together after a branch.
 *
 * The state begins with a struct path: what runs now.  Straight-line code is the core's: it advances path->pc itself
 * and calls `reconverge` only when path->pc reaches path->reconvergence_pc.  Everything else goes through the hooks,
 * after each of which the core continues at path->pc with path->active; active == 0 means that no path can run (all
 * blocked, or all exited).
 *
 * While a hook runs, path->pc is still that of the instruction that made the core call it.  After it, path->pc never
 * equals path->reconvergence_pc, so the core tests for that only after it has advanced pc itself.  State is plain bytes
 * without pointers: a checkpoint is a copy of the first state_used bytes.
 *
 * An instruction whose lanes go more than two ways is taken apart by executing it again for the lanes that are left:
 *     brx.idx         branch(lanes of one target, that target, pc, reconvergence_pc)
 *     indirect call   while the lanes have different callees: branch(lanes of one callee, pc, pc, pc + 1); then call
 *     .sync           while the lanes name different members: branch(lanes of one mask, pc, pc, pc + 1); then sync
 * so target == next means a real split, unless both are where the lanes reconverge. */
#ifndef LOCKSTEP_POLICY_DIVERGE_H
#define LOCKSTEP_POLICY_DIVERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t lane_mask; /* as in kernel/insn.h; this header stands alone, for plug-ins */
#define NO_RECONVERGENCE 0xffffffffu

struct path {
	uint32_t pc;
	uint32_t reconvergence_pc; /* pc at which `reconverge` must be called; NO_RECONVERGENCE: never */
	lane_mask active;
	uint32_t depth;         /* calls deep: 0 in the entry */
	uint32_t register_base; /* words above the bottom of the register file */
	uint32_t predicate_base;
	uint32_t stack_base; /* bytes above the bottom of the lanes' local memory */
	uint32_t kind;       /* the model's own: what sort of entry it is; 0 where there is but one */
	uint32_t unused;     /* 0: states are compared byte by byte, so there is no padding */
};

/* What a call moves the frames by; see insn_extra. */
struct call_frame {
	uint32_t register_words, predicates, stack_bytes;
};

/* What each_path may say that a path waits for, where somebody asks for it: it can run, or has not run since its lanes
 * split off. */
#define WAITS_FOR_TURN "its turn"
#define WAITS_FOR_OTHER_SIDE "the other side of a branch"
#define WAITS_FOR_BARRIER "the work-group barrier" /* its pc is behind the barrier */
#define WAITS_FOR_LOCK "a lock"                    /* asked for by the lock instruction at its pc */
#define WAITS_FOR_WARP_BARRIER "other lanes at a barrier of the warp"
#define WAITS_FOR_PASSED "lanes that have passed the place where they reconverge"

/* What each_entry shows: an entry of a stack, or a path of a model that has none. */
struct divergence_entry {
	uint32_t pc, reconvergence_pc; /* as in struct path */
	uint32_t depth;                /* calls deep */
	lane_mask active;              /* of a path that is blocked: the lanes that wait */
	bool top;                      /* it runs, or will when what it waits for is there */
	const char *type;              /* of an entry, as paper 1 names it: "-", "call" ...; null: a path */
	const char *waiting;           /* of a path: as each_path says */
};

struct divergence_model {
	const char *name, *summary;
	/* Bytes of state for a warp of `lanes` lanes and at most `call_depth` nested calls (0: a kernel without
	 * calls). */
	size_t (*state_size)(uint32_t lanes, uint32_t call_depth);
	/* Optional: how many of these bytes, from the first, mean anything now: what to copy, compare or hash. */
	size_t (*state_used)(const void *state);
	/* The warp begins: all of `live` at pc; frames at register_base/predicate_base 0 of the entry as given. */
	void (*start)(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth);
	/* path->pc has come to path->reconvergence_pc. */
	void (*reconverge)(void *state);
	/* The active lanes branch: `taken` (may be none or all of active) go to target, the others to next;
	 * reconvergence_pc is the immediate post-dominator or NO_RECONVERGENCE.  brx.idx calls it once per distinct
	 * target with the lanes that remain. */
	void (*branch)(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t reconvergence_pc);
	/* `calling` lanes (a subset of active where the call is guarded) enter target; they come back to next, where
	 * the others of active wait for them. False when the call is deeper than call_depth: the machine reports a
	 * stack overflow. */
	bool (*call)(void *state, lane_mask calling, uint32_t target, uint32_t next, const struct call_frame *frame);
	/* `returning` lanes (subset of active) leave the function.  A lane that returns from the entry exits: the core
	 * calls `exit` instead when path->depth is 0.  Lanes not returning continue at pc + 1. */
	void (*ret)(void *state, lane_mask returning);
	/* `done` lanes have exited; some may be active, none is blocked.  The rest of active continues at pc + 1. */
	void (*exit)(void *state, lane_mask done);
	/* The active path waits (work-group barrier): it continues at pc + 1 when released.  Another path may run
	 * meanwhile. */
	void (*block)(void *state);
	/* All lanes in `lanes` that were blocked may run again. */
	void (*unblock)(void *state, lane_mask lanes);
	/* A .sync instruction with `members` (live lanes named by the mask): true when the active path may execute it
	 * now. False: execute nothing, go on at path->pc with path->active as after every hook: the path waits for the
	 * others, and when all have come those at the same pc execute it as one path.  Models without independent
	 * threads return true. */
	bool (*sync)(void *state, lane_mask members);
	/* Fairness: called after a taken backward branch and when the active path must wait for memory.  It ends the
	 * path's turn: true when another path is active now.  Null: nothing to choose from. */
	bool (*yield)(void *state);
	/* Both or neither, for searches through all orders: how many paths can run beside the active one; and of these
	 * the k-th, from 1, in an order of the model's own, is active now. */
	uint32_t (*others)(const void *state);
	void (*choose)(void *state, uint32_t k);
	/* Lock instructions: null where the model has nothing for them.  The core then lets the whole warp wait for the
	 * answers, and branches: lanes that were refused try again, the others go to where they reconverge, behind the
	 * instruction.
	 *
	 * All active lanes ask for a lock (each for its own, or for a semaphore's unit) and wait for the answer; other
	 * paths may run meanwhile.  False when there is no room for another nested lock: the machine reports a stack
	 * overflow. */
	bool (*lock)(void *state);
	/* Lanes that have asked got what they asked for, and go on behind the instruction; or were refused, and come to
	 * it again.  At any time: what runs now need not be what asked. */
	void (*answered)(void *state, lane_mask granted, lane_mask refused);
	/* `lanes` of active have given back the lock that they took last (or none); active goes on at pc + 1.  Null:
	 * nothing to do. */
	void (*unlock)(void *state, lane_mask lanes);
	/* For reports, null allowed: visits every path, blocked and waiting ones included; the lanes stand at pc, and
	 * `waiting` says for what (null: for nothing, it runs now): in words, two of which have names above. */
	void (*each_path)(const void *state,
		void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting), void *context);
	/* For `--show stack`, null allowed: visits the entries of the stack as they are, the lowest first; or the
	 * paths. */
	void (*each_entry)(
		const void *state, void (*visit)(void *context, const struct divergence_entry *entry), void *context);
};

#endif
