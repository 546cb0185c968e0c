/* The lint for spin loops (lint.h): for each endless loop, where its lanes reconverge, and where the word that it waits
 * for is written. */
#include "check/lint.h"

#include "check/causes.h"
#include "check/facts.h"
#include "kernel/bits.h"
#include "kernel/kernel.h"
#include "kernel/operand.h"

#include <stdlib.h>

struct linter {
	struct arena *arena;
	const struct ptx_module *module;
	struct facts **functions; /* per module function: null when it is not defined */
	VECTOR(struct lint_finding) found;
};

/* A spin loop under examination. */
struct site {
	struct linter *linter;
	struct facts *facts;
	const struct spin *spin;
	const struct flow_loop *loop;
	struct fact_address address; /* that it polls */
	/* The block where lanes that have left the loop wait for the others; NO_BLOCK: the function's end. */
	uint32_t reconvergence_block;
	uint64_t *iteration; /* blocks of the loop, and between it and its reconvergence point */
	bool one_lane;       /* at most one lane of a warp is in the loop */
};

/* ---- Calls ---- */

static const struct ptx_function *callee_of(const struct ptx_instruction *i)
{
	return instruction_kind(i) == INSN_CALL && i->operand[0].kind == OPERAND_FUNCTION ? i->operand[0].function
											  : NULL;
}

/* Whether every call of the function is made by one lane of a warp. */
static bool called_by_one_lane(const struct linter *l, const struct ptx_function *function, uint32_t depth)
{
	bool called = false;
	if (function->is_entry || function->address_taken || !depth)
		return false;
	for (uint32_t n = 0; n < l->module->functions.count; n++) {
		const struct facts *f = l->functions[n];
		for (uint32_t k = 0; f && k < f->function->code.count; k++) {
			if (callee_of(&f->function->code.at[k]) != function)
				continue;
			called = true;
			if (!f->one_lane[f->flow->block_of[k]] && !called_by_one_lane(l, f->function, depth - 1))
				return false;
		}
	}
	return called;
}

/* ---- Writes ---- */

static const struct ptx_instruction *code_at(const struct site *s, uint32_t k)
{
	return &s->facts->function->code.at[k];
}

static bool is_attempt(const struct site *s, uint32_t instruction)
{
	for (uint32_t k = 0; k < s->facts->spins.count; k++)
		if (s->facts->spins.at[k].instruction == instruction)
			return s->facts->spins.at[k].kind != SPIN_WAIT;
	return false;
}

/* A store, an atomic, an arrival at an mbarrier object; not an attempt to take a lock, nor the update that a loop
 * retries. */
static bool writes(const struct site *s, uint32_t instruction)
{
	const struct ptx_instruction *i = code_at(s, instruction);
	switch (instruction_kind(i)) {
	case INSN_STORE: return i->modifiers.space != space_LOCAL && i->modifiers.space != space_PARAM;
	case INSN_STORE_UNLOCK: return true;
	case INSN_ATOMIC: return !spin_only_looks(i) && !is_attempt(s, instruction);
	case INSN_MBARRIER: return ptx_ops[i->op].effects & EFFECT_WRITES;
	default: return false;
	}
}

enum match { MATCH_NOT, MATCH_OBJECT /* the same array, where each lane writes to another element */, MATCH_PLACE };

static enum match match(const struct site *s, const struct fact_address *looked, uint32_t instruction)
{
	struct fact_address written = facts_address(s->facts, code_at(s, instruction));
	if (written.base == looked->base)
		return written.offset == looked->offset ? MATCH_PLACE : MATCH_NOT;
	if (!written.object || written.object != looked->object || !written.varies)
		return MATCH_NOT;
	return MATCH_OBJECT;
}

/* The first instruction in these blocks that writes what the loop polls, and matches it at least so well; NO_BLOCK:
 * none. */
static uint32_t find_write(
	const struct site *s, const struct fact_address *looked, const uint64_t *blocks, enum match least)
{
	for (uint32_t k = 0; k < s->facts->function->code.count; k++)
		if (bits_has(blocks, s->facts->flow->block_of[k]) && writes(s, k) && match(s, looked, k) >= least)
			return k;
	return NO_BLOCK;
}

static bool has_call(const struct site *s, const uint64_t *blocks)
{
	for (uint32_t k = 0; k < s->facts->function->code.count; k++)
		if (bits_has(blocks, s->facts->flow->block_of[k]) && instruction_kind(code_at(s, k)) == INSN_CALL)
			return true;
	return false;
}

/* Whether the lanes write the polled word before the loop, as in a barrier: they have arrived there and wait for other
 * threads. */
static bool has_arrived(const struct site *s, const struct fact_address *looked)
{
	struct flow_way back = {.from = s->loop->header, .avoided = NO_BLOCK, .backward = true};
	uint64_t *before = facts_reach(s->facts, 0, s->loop->header),
		 *leads = flow_reach(s->facts->flow, s->facts->arena, back);
	for (uint32_t w = 0; w < bits_words(s->facts->flow->block_count); w++)
		before[w] &= leads[w];
	return find_write(s, looked, before, MATCH_PLACE) != NO_BLOCK;
}

/* ---- Regions ---- */

static void find_iteration(struct site *s)
{
	const struct flow *flow = s->facts->flow;
	uint32_t words = bits_words(flow->block_count);
	s->reconvergence_block = s->loop->header;
	while (s->reconvergence_block != NO_BLOCK && flow_loop_has(s->loop, s->reconvergence_block))
		s->reconvergence_block = flow->blocks[s->reconvergence_block].post_dominator;
	s->iteration = arena_new_array(s->linter->arena, uint64_t, words);
	each_block(b, flow, s->loop)
	{
		const struct flow_block *block = &flow->blocks[b];
		bits_add(s->iteration, b);
		for (uint32_t k = 0; k < block->successor_count; k++) {
			if (flow_loop_has(s->loop, block->successors[k]))
				continue;
			const uint64_t *more = facts_reach(s->facts, block->successors[k], s->reconvergence_block);
			for (uint32_t w = 0; w < words; w++)
				s->iteration[w] |= more[w];
		}
	}
}

/* The blocks that lanes reach only when all have left the loop. */
static uint64_t *after_loop(const struct site *s)
{
	uint32_t words = bits_words(s->facts->flow->block_count);
	uint64_t *blocks = s->reconvergence_block == NO_BLOCK ? arena_new_array(s->linter->arena, uint64_t, words)
							      : facts_reach(s->facts, s->reconvergence_block, NO_BLOCK);
	for (uint32_t w = 0; w < words; w++)
		blocks[w] &= ~s->iteration[w];
	return blocks;
}

/* The other side of each divergent branch that has the loop on one side: its lanes do not run while the loop spins. */
static uint64_t *other_sides(const struct site *s)
{
	const struct flow *flow = s->facts->flow;
	uint32_t words = bits_words(flow->block_count);
	uint64_t *blocks = arena_new_array(s->linter->arena, uint64_t, words);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		const struct flow_block *block = &flow->blocks[b];
		if (block->successor_count < 2 || flow_loop_has(s->loop, b) || s->facts->one_lane[b] ||
			!facts_diverges(s->facts, flow_last(flow, b)))
			continue;
		for (uint32_t k = 0; k < 2; k++) {
			const uint64_t *side = facts_reach(s->facts, block->successors[k], block->post_dominator);
			const uint64_t *other = facts_reach(s->facts, block->successors[!k], block->post_dominator);
			for (uint32_t w = 0; w < words && bits_has(side, s->loop->header); w++)
				blocks[w] |= other[w] & ~side[w];
		}
	}
	return blocks;
}

/* ---- What is said ---- */

static struct place place_of(const struct site *s, const struct ptx_instruction *i)
{
	return instruction_place(s->linter->module, i);
}

/* HANG_CAUSES: none. */
static struct lint_finding *add(const struct site *s, enum hang_cause cause, const char *role)
{
	struct lint_finding *finding = vector_push(s->linter->arena, &s->linter->found);
	finding->cause = cause == HANG_CAUSES ? "none" : cause_name(cause);
	finding->may_block = cause == CAUSE_SIMT || cause == CAUSE_ALIAS;
	finding->lines[0] = (struct lint_line){place_of(s, code_at(s, s->spin->instruction)), role};
	finding->line_count = 1;
	return finding;
}

static void add_line(const struct site *s, struct lint_finding *finding, uint32_t instruction, const char *role)
{
	finding->lines[finding->line_count++] = (struct lint_line){place_of(s, code_at(s, instruction)), role};
}

static void add_reconvergence(const struct site *s, struct lint_finding *finding)
{
	if (s->reconvergence_block != NO_BLOCK)
		add_line(s, finding, s->facts->flow->blocks[s->reconvergence_block].first,
			"lanes that have left wait here for the others");
}

static const char *line_text(const struct site *s, uint32_t instruction)
{
	struct place place = place_of(s, code_at(s, instruction));
	return arena_printf(s->linter->arena, "%s:%u", place.file, place.line);
}

/* ---- Locks ---- */

static void blame_lock(const struct site *s)
{
	struct lint_finding *finding = add(s, CAUSE_SIMT, "tries to take the lock here");
	uint32_t release = find_write(s, &s->address, after_loop(s), MATCH_PLACE);
	add_reconvergence(s, finding);
	if (release != NO_BLOCK)
		add_line(s, finding, release, "releases it");
	finding->message = arena_printf(s->linter->arena,
		"spins for a lock before the critical section: the lane that gets it waits after the loop for the "
		"lanes of its warp that still spin, %s%s",
		release != NO_BLOCK                                                 ? "before the release at "
		: find_write(s, &s->address, s->iteration, MATCH_PLACE) != NO_BLOCK ? "on a path without a release"
										    : "and the loop has no release",
		release == NO_BLOCK ? "" : line_text(s, release));
}

/* A semaphore: the owner of the lock reads a count, and tries again while it is 0. */
static bool blame_condition(const struct site *s)
{
	if (s->one_lane || s->spin->condition == NO_BLOCK)
		return false;
	struct fact_address looked = facts_address(s->facts, code_at(s, s->spin->condition));
	uint32_t write = find_write(s, &looked, after_loop(s), MATCH_PLACE);
	if (write == NO_BLOCK || has_arrived(s, &looked))
		return false;
	struct lint_finding *finding = add(s, CAUSE_SIMT, "tries to take the lock here");
	add_reconvergence(s, finding);
	add_line(s, finding, write, "writes what is read under the lock");
	finding->message = arena_printf(s->linter->arena,
		"spins until what it reads at %s changes, which lanes of the same warp change at %s only when all "
		"have left the loop",
		line_text(s, s->spin->condition), line_text(s, write));
	return true;
}

/* Whether a lane can hold the lock when it waits at the reconvergence point for others that try to take it.  If some
 * write is to exactly the word of the lock, only such writes count as releases: others may release another lock of the
 * same array. */
static bool leaves_with_lock(const struct site *s)
{
	uint32_t count = s->facts->function->code.count, exact = 0;
	bool *releases = arena_new_array(s->linter->arena, bool, count);
	for (uint32_t k = 0; k < count; k++)
		exact += releases[k] = writes(s, k) && match(s, &s->address, k) == MATCH_PLACE;
	return exact && !s->one_lane && s->reconvergence_block != NO_BLOCK &&
	       holder_reaches(s->facts, s->spin->instruction, releases, s->reconvergence_block);
}

/* ---- Lock bits ---- */

#define ALIAS_BYTES (1024 * 4) /* words so far apart have one lock bit on all GPUs of gpus/ that have any */

/* An instruction that takes the bit of another word, which is known to be the same bit; NO_BLOCK: none. */
static uint32_t find_alias(const struct site *s)
{
	for (uint32_t k = 0; k < s->facts->function->code.count; k++) {
		if (instruction_kind(code_at(s, k)) != INSN_LOAD_LOCK)
			continue;
		struct fact_address other = facts_address(s->facts, code_at(s, k));
		if (other.base == s->address.base && other.offset != s->address.offset &&
			(other.offset - s->address.offset) % ALIAS_BYTES == 0)
			return k;
	}
	return NO_BLOCK;
}

static void blame_alias(const struct site *s, uint32_t other)
{
	struct lint_finding *finding = add(s, CAUSE_ALIAS, "waits for the lock bit here");
	add_line(s, finding, other, "takes the same bit for another word");
	finding->message = arena_printf(s->linter->arena,
		"waits for the lock bit of a word that has the same one as the word at %s: they are %lld words apart",
		line_text(s, other), llabs(facts_address(s->facts, code_at(s, other)).offset - s->address.offset) / 4);
}

/* All lanes of a warp leave the loop together, as by a vote. */
static bool leaves_together(const struct site *s)
{
	const struct flow *flow = s->facts->flow;
	each_block(b, flow, s->loop)
	{
		if (flow_leaves(flow, s->loop, b) && facts_diverges(s->facts, flow_last(flow, b)))
			return false;
	}
	return true;
}

/* All lanes that come to the loop wait for the bit of one word: it is a variable's, at an offset that is the same for
 * all. */
static bool is_one_word(const struct site *s)
{
	return s->address.object && s->address.object->space == space_SHARED && !s->address.varies;
}

/* Lanes that wait for the bits of words of their own wait for other warps: the usual channel. */
static void look_at_lock_bit(const struct site *s)
{
	uint32_t release = find_write(s, &s->address, s->iteration, MATCH_OBJECT), alias = find_alias(s);
	if (alias != NO_BLOCK) {
		blame_alias(s, alias);
		return;
	}
	if (release == NO_BLOCK && !s->one_lane && is_one_word(s) && !leaves_together(s)) {
		blame_lock(s);
		return;
	}
	struct lint_finding *finding = add(s, HANG_CAUSES, "waits for the lock bit here");
	finding->message =
		release != NO_BLOCK ? "waits for a lock bit that is freed before the lanes of the warp reconverge"
		: s->one_lane       ? "waits for a lock bit with one lane of a warp at most"
		: !leaves_together(s)
			? "waits for lock bits of other words in each lane; a lane of the same warp must have none of "
			  "them"
			: "waits for a lock bit until some lane of the warp has it";
	if (release != NO_BLOCK)
		add_line(s, finding, release, "frees it");
}

static void look_at_lock(const struct site *s)
{
	if (instruction_kind(code_at(s, s->spin->instruction)) == INSN_LOAD_LOCK) {
		look_at_lock_bit(s);
		return;
	}
	uint32_t exact = find_write(s, &s->address, s->iteration, MATCH_PLACE);
	uint32_t release = exact != NO_BLOCK ? exact : find_write(s, &s->address, s->iteration, MATCH_OBJECT);
	if ((!s->one_lane && release == NO_BLOCK && !has_call(s, s->iteration)) || leaves_with_lock(s)) {
		blame_lock(s);
		return;
	}
	if (blame_condition(s))
		return;
	struct lint_finding *finding = add(s, HANG_CAUSES, "tries to take the lock here");
	finding->message =
		s->one_lane && s->spin->of_group ? "spins for a lock that one thread takes for its work-group"
		: s->one_lane                    ? "spins for a lock with one lane of a warp at most"
		: release == NO_BLOCK ? "spins for a lock, and calls a function before the lanes of the warp reconverge"
				      : "spins for a lock that is released before the lanes of the warp reconverge";
	if (release != NO_BLOCK)
		add_line(s, finding, release, "releases it");
}

/* ---- Waiting ---- */

static uint32_t find_late_write(const struct site *s)
{
	uint32_t other = find_write(s, &s->address, other_sides(s), MATCH_OBJECT);
	if (other != NO_BLOCK || s->one_lane || has_arrived(s, &s->address))
		return other;
	uint32_t late = find_write(s, &s->address, after_loop(s), MATCH_OBJECT);
	if (late == NO_BLOCK)
		return NO_BLOCK;
	/* If a thread has written its own element before the loop, as in a look-back scan, the later write is only a
	 * second one. */
	struct fact_address own = facts_address(s->facts, code_at(s, late));
	return has_arrived(s, &own) ? NO_BLOCK : late;
}

static void blame_wait(const struct site *s, uint32_t write)
{
	struct lint_finding *finding = add(s, CAUSE_SIMT, "waits here");
	add_reconvergence(s, finding);
	add_line(s, finding, write, "writes what it waits for");
	finding->message = arena_printf(s->linter->arena,
		"waits for what lanes of the same warp write at %s, which they do not reach while others spin",
		line_text(s, write));
}

/* Threads of other groups of a cluster may write to shared memory: some address there is one of theirs. */
static bool has_clusters(const struct ptx_module *module)
{
	for (uint32_t k = 0; k < module->functions.count; k++)
		for (uint32_t n = 0; n < module->functions.at[k]->code.count; n++)
			if (module->functions.at[k]->code.at[n].op == OP_mapa)
				return true;
	return false;
}

static void look_at_wait(const struct site *s)
{
	uint32_t write = find_late_write(s);
	if (write != NO_BLOCK) {
		blame_wait(s, write);
		return;
	}
	struct lint_finding *finding = add(s, s->address.shared ? HANG_CAUSES : CAUSE_OCCUPANCY, "waits here");
	if (s->address.shared && has_clusters(s->linter->module))
		finding->message = "waits for other threads of its work-group or cluster, through shared memory";
	else
		finding->message = s->address.shared
					   ? "waits for other threads of its work-group, through shared memory"
					   : "waits for other work-groups (unless its own writes there): those must "
					     "be resident or still start";
}

/* ---- All ---- */

/* There is one finding for each loop: several attempts in it are one wait. */
static bool is_first_of_loop(const struct facts *f, uint32_t spin)
{
	for (uint32_t k = 0; k < spin; k++)
		if (f->spins.at[k].endless && f->spins.at[k].loop == f->spins.at[spin].loop)
			return false;
	return f->spins.at[spin].endless;
}

/* The first part of another spin, as in `while (*lock || try(lock));`: one finding for both is enough. */
static bool begins_another(const struct facts *f, const struct spin *spin)
{
	for (uint32_t k = 0; k < f->spins.count && spin->kind == SPIN_WAIT; k++) {
		const struct flow_loop *loop = &f->flow->loops[spin->loop],
				       *other = &f->flow->loops[f->spins.at[k].loop];
		if (f->spins.at[k].endless && other > loop && other->header == loop->header)
			return true;
	}
	return false;
}

/* The block where the lanes of a spin are counted: that of the attempt, since only one thread attempts a lock that is
 * taken for a whole work-group. */
static uint32_t first_block(const struct facts *f, const struct spin *spin)
{
	return spin->kind == SPIN_LOCK ? f->flow->block_of[spin->instruction] : f->flow->loops[spin->loop].header;
}

static struct site site_of(struct linter *l, struct facts *f, const struct spin *spin)
{
	struct site site = {.linter = l, .facts = f, .spin = spin, .loop = &f->flow->loops[spin->loop]};
	site.address = facts_address(f, &f->function->code.at[spin->instruction]);
	site.one_lane = f->one_lane[first_block(f, spin)] || called_by_one_lane(l, f->function, 8);
	find_iteration(&site);
	return site;
}

/* Of several attempts in a loop, the first whose lock a lane can hold at the reconvergence point; else the first. */
static struct site choose_attempt(struct linter *l, struct facts *f, uint32_t first)
{
	struct site site = site_of(l, f, &f->spins.at[first]);
	for (uint32_t k = first; k < f->spins.count && site.spin->kind == SPIN_LOCK; k++) {
		const struct spin *spin = &f->spins.at[k];
		if (!spin->endless || spin->loop != site.spin->loop) /* in a loop with a lock nothing else is endless */
			continue;
		struct site other = site_of(l, f, spin);
		if (leaves_with_lock(&other))
			return other;
	}
	return site;
}

static void look_at_function(struct linter *l, struct facts *f)
{
	for (uint32_t k = 0; k < f->spins.count; k++) {
		if (!is_first_of_loop(f, k) || begins_another(f, &f->spins.at[k]))
			continue;
		struct site site = choose_attempt(l, f, k);
		(site.spin->kind == SPIN_LOCK ? look_at_lock : look_at_wait)(&site);
	}
}

struct lint lint_module(struct arena *arena, const struct ptx_module *module)
{
	struct linter l = {.arena = arena, .module = module};
	l.functions = arena_new_array(arena, struct facts *, module->functions.count);
	for (uint32_t k = 0; k < module->functions.count; k++)
		if (module->functions.at[k]->is_defined && !module->functions.at[k]->refusals.count)
			l.functions[k] = facts_gather(arena, module, module->functions.at[k]);
	for (uint32_t k = 0; k < module->functions.count; k++)
		if (l.functions[k])
			look_at_function(&l, l.functions[k]);
	return (struct lint){l.found.at, l.found.count};
}
