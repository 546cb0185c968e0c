/* Divergence models: random programs on a toy machine.
 *
 * What a lane does depends on the lane alone (its outcomes are drawn by lane, pc and how often the lane was there), so
 * under every model each lane must execute the very pcs that it executes when it runs alone, in the frames of its own
 * calls.  Then the shapes of paper 1: Examples 1, 2 and 5; where lanes meet; barriers; and what a uniform branch
 * costs. */
#include "policy/policy.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* Once more, to look inside. */
#define diverge_independent transparent
#include "policy/diverge/independent.c"
#undef diverge_independent

/* ---- Programs ---- */

enum kind { PLAIN, BRANCH, JUMP, INDEXED, CALL, CALL_INDIRECT, RETURN, EXIT, BARRIER, SYNC, TRY_LOCK, UNLOCK, ADD };

struct op {
	enum kind kind;
	uint32_t target[3]; /* branches: pcs; calls: functions */
	bool guarded;       /* return, exit, call: lanes take part by their outcome */
	uint32_t reconvergence_pc;
	uint32_t frame;
};

#define FUNCTION_SIZE 24
#define FUNCTIONS 4
#define DEPTH 6
#define CODE (FUNCTION_SIZE * FUNCTIONS)

struct program {
	struct op code[CODE];
	uint32_t first[FUNCTIONS], size[FUNCTIONS], functions;
	uint64_t seed;
};

static uint32_t draw(uint64_t *random, uint32_t below)
{
	return (uint32_t)(splitmix64(random) >> 11) % below;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t state = a * 0x9e3779b97f4a7c15u ^ b;
	return splitmix64(&state);
}

/* Successors within the function; END stands for leaving it. */
#define END 63
static uint64_t successors(const struct program *p, uint32_t function, uint32_t pc)
{
	const struct op *op = &p->code[pc];
	uint32_t first = p->first[function];
	uint64_t next = 1ull << (pc + 1 - first);
	switch (op->kind) {
	case BRANCH: return next | 1ull << (op->target[0] - first);
	case JUMP: return 1ull << (op->target[0] - first);
	case INDEXED:
		return 1ull << (op->target[0] - first) | 1ull << (op->target[1] - first) |
		       1ull << (op->target[2] - first);
	case RETURN:
	case EXIT: return 1ull << END | (op->guarded ? next : 0);
	default: return next;
	}
}

/* Immediate post-dominators by iteration over sets. */
static void set_reconvergence(struct program *p, uint32_t function)
{
	uint32_t first = p->first[function], size = p->size[function];
	uint64_t after[64];
	memset(after, 0xff, sizeof after);
	after[END] = 1ull << END;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = size; i--;) {
			uint64_t all = ~0ull;
			for (uint64_t s = successors(p, function, first + i); s; s &= s - 1)
				all &= after[__builtin_ctzll(s)];
			all |= 1ull << i;
			changed |= all != after[i];
			after[i] = all;
		}
	}
	for (uint32_t i = 0; i < size; i++) {
		uint64_t strict = after[i] & ~(1ull << i);
		p->code[first + i].reconvergence_pc = NO_RECONVERGENCE;
		for (uint32_t k = 0; k < size; k++)
			if (strict >> k & 1 && after[k] == strict)
				p->code[first + i].reconvergence_pc = first + k;
	}
}

/* Any pc of the function; a pc's fall-through always leads to the end, so each can be left. */
static void make_function(struct program *p, uint32_t f, uint64_t *random, bool recursion, bool waits)
{
	uint32_t first = p->first[f], size = p->size[f];
	for (uint32_t i = 0; i + 1 < size; i++) {
		struct op *op = &p->code[first + i];
		uint32_t choice = draw(random, 100);
		uint32_t low = recursion ? 0 : f + 1; /* functions that may be called: low and above */
		*op = (struct op){.kind = PLAIN, .frame = 1 + draw(random, 9)};
		for (uint32_t k = 0; k < 3; k++)
			op->target[k] = first + draw(random, size);
		if (choice < 35)
			op->kind = BRANCH;
		else if (choice < 38) {
			op->kind = JUMP;
			op->target[0] = first + i + 1 + draw(random, size - i - 1);
		} else if (choice < 43) {
			op->kind = INDEXED;
			op->target[2] = first + i + 1;
		} else if (choice < 55 && low < p->functions) {
			op->kind = choice < 50 ? CALL : CALL_INDIRECT;
			op->guarded = choice & 1;
			for (uint32_t k = 0; k < 3; k++)
				op->target[k] = low + draw(random, p->functions - low);
		} else if (choice < 59) {
			op->kind = choice < 58 ? RETURN : EXIT;
			op->guarded = true;
		} else if (choice < 63 && waits)
			op->kind = BARRIER;
	}
	p->code[first + size - 1] = (struct op){.kind = RETURN};
	set_reconvergence(p, f);
}

static void make_program(struct program *p, uint64_t seed, bool recursion, bool waits)
{
	uint64_t random = mix(seed, 1);
	p->seed = seed;
	p->functions = 1 + draw(&random, FUNCTIONS);
	for (uint32_t f = 0, at = 0; f < p->functions; at += p->size[f++]) {
		p->first[f] = at;
		p->size[f] = 2 + draw(&random, FUNCTION_SIZE - 1);
	}
	for (uint32_t f = 0; f < p->functions; f++)
		make_function(p, f, &random, recursion, waits);
}

/* ---- Lanes ---- */

struct lane {
	uint32_t visits[CODE];
	uint64_t trace;
	uint32_t steps, depth, base;
	uint32_t back[DEPTH], frames[DEPTH]; /* of the lane alone: return pcs and frame sizes */
	bool exited;
	bool got, done; /* the spin locks */
	uint32_t x;     /* paper 1, Example 2 */
};

/* What lane `l` does at pc this time.  After a while it only goes on. */
static uint32_t outcome(const struct program *p, const struct lane *lane, uint32_t l, uint32_t pc)
{
	if (lane->steps > 150)
		return 0;
	uint64_t where = mix(mix(p->seed, pc), lane->visits[pc]);
	bool alike = where % 100 < 30; /* then all lanes that are there for the n-th time do the same */
	return (uint32_t)(mix(where, alike ? 0 : l + 1) >> 20);
}

static bool takes_part(const struct program *p, const struct lane *lane, uint32_t l, uint32_t pc)
{
	const struct op *op = &p->code[pc];
	uint32_t drawn = outcome(p, lane, l, pc);
	if (op->kind == CALL || op->kind == CALL_INDIRECT)
		return lane->depth < DEPTH && lane->steps <= 150 && (!op->guarded || drawn % 2);
	if (op->kind == BRANCH)
		return drawn % 2;
	return !op->guarded || drawn % 8 == 1;
}

static uint32_t choice_of(const struct program *p, const struct lane *lane, uint32_t l, uint32_t pc)
{
	const struct op *op = &p->code[pc];
	return lane->steps > 150 ? op->target[2] : op->target[outcome(p, lane, l, pc) % 3];
}

static void note(struct lane *lane, uint32_t pc)
{
	lane->trace = mix(lane->trace, pc);
	lane->visits[pc]++;
	lane->steps++;
}

static void enter(struct lane *lane, uint32_t next, uint32_t frame)
{
	lane->back[lane->depth] = next;
	lane->frames[lane->depth++] = frame;
	lane->base += frame;
}

static uint32_t come_back(struct lane *lane)
{
	lane->base -= lane->frames[--lane->depth];
	return lane->back[lane->depth];
}

static void run_alone(const struct program *p, struct lane *lane, uint32_t l)
{
	for (uint32_t pc = 0; !lane->exited;) {
		const struct op *op = &p->code[pc];
		bool part = takes_part(p, lane, l, pc);
		uint32_t choice = choice_of(p, lane, l, pc), next = pc + 1;
		note(lane, pc);
		if (op->kind == JUMP || (op->kind == BRANCH && part))
			next = op->target[0];
		else if (op->kind == INDEXED)
			next = choice;
		else if ((op->kind == CALL || op->kind == CALL_INDIRECT) && part) {
			enter(lane, next, op->frame);
			next = p->first[op->kind == CALL ? op->target[0] : choice];
		} else if (op->kind == RETURN && part && lane->depth)
			next = come_back(lane);
		else if ((op->kind == RETURN || op->kind == EXIT) && part)
			lane->exited = true;
		pc = next;
	}
}

/* ---- The toy machine ---- */

struct machine {
	const struct program *program;
	const struct divergence_model *model;
	uint32_t lanes;
	struct lane lane[64];
	struct path *path; /* the model's state */
	size_t size;
	lane_mask live, blocked;
	uint64_t random; /* when to yield; 0: only after backward branches */
	uint64_t issued, most_used;
	int64_t lock;        /* lane that has it, or -1 */
	lane_mask last_sync; /* who executed the last SYNC */
	bool deep;           /* call refused */
};

#define CANARY 0xa5

static lane_mask all_of(uint32_t lanes)
{
	return lanes == 64 ? ~0ull : (1ull << lanes) - 1;
}

static void machine_start(struct machine *m, const struct program *p, const struct divergence_model *model,
	uint32_t lanes, uint32_t depth)
{
	*m = (struct machine){.program = p, .model = model, .lanes = lanes, .live = all_of(lanes), .lock = -1};
	m->size = model->state_size(lanes, depth);
	m->path = malloc(m->size + 64);
	memset(m->path, CANARY, m->size + 64);
	memset(m->path, 0, m->size);
	struct path entry = {.register_base = 7};
	model->start(m->path, m->live, &entry, lanes, depth);
}

static void machine_end(struct machine *m)
{
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(((uint8_t *)m->path)[m->size + i], CANARY);
	free(m->path);
}

#define EACH_LANE(l, mask)                                                                                             \
	for (lane_mask left_##l = (mask); left_##l; left_##l &= left_##l - 1)                                          \
		for (uint32_t l = (uint32_t)__builtin_ctzll(left_##l), once_##l = 1; once_##l; once_##l = 0)

static lane_mask taking_part(const struct machine *m, lane_mask active, uint32_t pc)
{
	lane_mask part = 0;
	EACH_LANE(l, active)
		if (takes_part(m->program, &m->lane[l], l, pc))
			part |= 1ull << l;
	return part;
}

/* Lanes that choose as the first of `among` does; *choice: what. */
static lane_mask choosing_alike(const struct machine *m, lane_mask among, uint32_t pc, uint32_t *choice)
{
	uint32_t head = (uint32_t)__builtin_ctzll(among);
	*choice = choice_of(m->program, &m->lane[head], head, pc);
	lane_mask alike = 0;
	EACH_LANE(l, among)
		if (choice_of(m->program, &m->lane[l], l, pc) == *choice)
			alike |= 1ull << l;
	return alike;
}

static void note_all(struct machine *m, lane_mask lanes, uint32_t pc)
{
	EACH_LANE(l, lanes) {
		assert_int_equal(m->path->depth, m->lane[l].depth);
		assert_int_equal(m->path->register_base, m->lane[l].base + 7);
		note(&m->lane[l], pc);
	}
}

static void step_on(struct machine *m)
{
	if (++m->path->pc == m->path->reconvergence_pc)
		m->model->reconverge(m->path);
}

static void step_call(struct machine *m, const struct op *op, lane_mask active, uint32_t pc)
{
	lane_mask calling = taking_part(m, active, pc);
	uint32_t callee = op->target[0];
	if (calling && op->kind == CALL_INDIRECT) {
		lane_mask alike = choosing_alike(m, calling, pc, &callee);
		if (alike != calling) {
			m->model->branch(m->path, alike, pc, pc, pc + 1);
			return;
		}
	}
	note_all(m, active, pc);
	if (!calling) {
		step_on(m);
		return;
	}
	EACH_LANE(l, calling)
		enter(&m->lane[l], pc + 1, op->frame);
	struct call_frame frame = {.register_words = op->frame, .predicates = 1, .stack_bytes = 16};
	m->deep = !m->model->call(m->path, calling, m->program->first[callee], pc + 1, &frame);
}

static void step_leave(struct machine *m, const struct op *op, lane_mask active, uint32_t pc)
{
	lane_mask part = taking_part(m, active, pc);
	note_all(m, active, pc);
	if (!part)
		step_on(m);
	else if (op->kind == RETURN && m->path->depth) {
		EACH_LANE(l, part)
			come_back(&m->lane[l]);
		m->model->ret(m->path, part);
	} else {
		EACH_LANE(l, part)
			m->lane[l].exited = true;
		m->live &= ~part;
		m->model->exit(m->path, part);
	}
}

static void step_indexed(struct machine *m, const struct op *op, lane_mask active, uint32_t pc)
{
	uint32_t target;
	lane_mask alike = choosing_alike(m, active, pc, &target);
	note_all(m, alike, pc);
	m->model->branch(m->path, alike, target, pc, op->reconvergence_pc);
}

static void step(struct machine *m)
{
	uint32_t pc = m->path->pc;
	lane_mask active = m->path->active;
	const struct op *op = &m->program->code[pc];
	m->issued++;
	switch (op->kind) {
	case BRANCH:
	case JUMP: {
		lane_mask taken = op->kind == JUMP ? active : taking_part(m, active, pc);
		note_all(m, active, pc);
		m->model->branch(m->path, taken, op->target[0], pc + 1, op->reconvergence_pc);
		if (m->model->yield && taken && op->target[0] <= pc && m->path->active)
			m->model->yield(m->path);
		break;
	}
	case INDEXED: step_indexed(m, op, active, pc); break;
	case CALL:
	case CALL_INDIRECT: step_call(m, op, active, pc); break;
	case RETURN:
	case EXIT: step_leave(m, op, active, pc); break;
	case BARRIER:
		note_all(m, active, pc);
		m->blocked |= active;
		m->model->block(m->path);
		break;
	case SYNC:
		if (!m->model->sync(m->path, m->live))
			break;
		m->last_sync = active;
		/* fall through */
	default: note_all(m, active, pc); step_on(m);
	}
}

/* Runs until all lanes have exited (true) or nothing can run or `limit` is reached (false). */
static bool machine_run(struct machine *m, uint64_t limit)
{
	while (m->live && limit-- && !m->deep) {
		if (m->random && m->model->yield && m->path->active && draw(&m->random, 3) == 0) {
			struct path before = *m->path;
			bool changed = m->model->yield(m->path);
			assert_int_equal(changed, memcmp(&before, m->path, sizeof before) != 0);
		}
		if (m->path->active) {
			assert_true((m->path->active & ~m->live) == 0 && (m->path->active & m->blocked) == 0);
			assert_true(m->path->pc != m->path->reconvergence_pc);
			step(m);
		} else if (m->blocked) {
			lane_mask all = m->blocked;
			m->blocked = 0;
			m->model->unblock(m->path, all);
		} else
			return false;
		if (m->model->state_used && m->model->state_used(m->path) > m->most_used)
			m->most_used = m->model->state_used(m->path);
	}
	return !m->live;
}

/* ---- Inside the independent model ---- */

/* A convergence barrier expects exactly the lanes on their way to it, and one with nobody on the way is over. */
static void check_barriers(const struct independent *s)
{
	static lane_mask expected[64 * (DEPTH + 2)];
	uint32_t in_use = 0, free_ones = 0;
	memset(expected, 0, s->made * sizeof *expected);
	for (uint64_t left = s->used; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left), m = s->split[i].barrier;
		lane_mask lanes = i == s->running ? s->now.active : s->split[i].path.active;
		assert_true(lanes && !(lanes & ~s->live));
		if (s->waiting & bit(i)) {
			assert_int_equal(barriers(s)[m].waiting, i);
			m = barriers(s)[m].outer;
		}
		for (; m != NONE; m = barriers(s)[m].outer)
			expected[m] |= lanes;
	}
	for (uint32_t m = 0; m < s->made; m++) {
		assert_true(barriers(s)[m].missing == expected[m]);
		in_use += expected[m] != 0;
	}
	for (uint32_t m = s->free; m != NONE; m = barriers(s)[m].outer)
		free_ones++;
	assert_int_equal(in_use + free_ones, s->made);
	assert_true(s->branch_barriers < 2 * s->lanes);
	assert_true((s->ready ^ s->waiting ^ s->syncing ^ s->blocked) == s->used);
	assert_true((s->ready | s->waiting | s->syncing | s->blocked) == s->used);
	assert_true(s->ready ? s->ready & bit(s->running) : s->running == NONE);
}

static void independent_keeps_its_books(void **state)
{
	(void)state;
	static struct machine m;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct program p = {0};
		make_program(&p, seed, true, true);
		machine_start(&m, &p, &transparent, seed % 7 ? 32 : 64, DEPTH);
		m.random = seed % 3 ? seed : 0;
		while (m.live) {
			machine_run(&m, 1);
			check_barriers((const struct independent *)m.path);
			if (m.issued % 64 == 0 &&
				(m.live & ~m.blocked)) { /* and now some lanes, running or not, are killed */
				lane_mask killed = m.live & ~m.blocked & mix(seed, m.issued) & mix(m.issued, seed);
				bool ran = killed & m.path->active;
				if (killed && (!ran || m.program->code[m.path->pc].kind == PLAIN)) {
					m.live &= ~killed;
					m.model->exit(m.path, killed);
					check_barriers((const struct independent *)m.path);
				}
			}
		}
		machine_end(&m);
	}
}

/* ---- Tests ---- */

static uint64_t run_random(const struct divergence_model *model, uint64_t seed, bool recursion)
{
	struct program p = {0};
	static struct machine m;
	uint32_t lanes = seed % 5 == 0 ? 64 : seed % 5 == 1 ? 3 : 32;
	make_program(&p, seed, recursion, seed % 3 == 0);
	machine_start(&m, &p, model, lanes, DEPTH);
	m.random = seed % 2 ? seed : 0;
	if (!machine_run(&m, 10000000))
		fail_msg("%s, seed %llu: stuck", model->name, (unsigned long long)seed);
	for (uint32_t l = 0; l < lanes; l++) {
		static struct lane alone;
		memset(&alone, 0, sizeof alone);
		run_alone(&p, &alone, l);
		if (alone.trace != m.lane[l].trace)
			fail_msg("%s, seed %llu: lane %u strays", model->name, (unsigned long long)seed, l);
	}
	assert_true(!m.model->state_used || m.most_used <= m.size);
	machine_end(&m);
	return m.issued;
}

static uint64_t seeds(void)
{
	const char *more = getenv("DIVERGE_SEEDS");
	return more ? strtoull(more, NULL, 10) : 4000;
}

static void random_programs_run_as_alone(void **state)
{
	(void)state;
	for (size_t i = 0; divergence_at(i); i++) {
		uint64_t issued = 0;
		bool recursion = divergence_at(i) != divergence_find("stack-without-calls", NULL);
		for (uint64_t seed = 0; seed < seeds(); seed++)
			issued += run_random(divergence_at(i), seed, recursion);
		print_message("%s: %llu issues\n", divergence_at(i)->name, (unsigned long long)issued);
	}
}

static const struct divergence_model *model(const char *name)
{
	struct diagnostic diagnostic = {0};
	const struct divergence_model *found = divergence_find(name, &diagnostic);
	assert_non_null(found);
	return found;
}

/* Paper 1, Example 2: A x++; B branch; C call; D x++; E return.  X lives in memory, as the thesis has it. */
static uint32_t example_2(const struct divergence_model *model_, uint32_t lane)
{
	struct path *path = malloc(model_->state_size(32, 4));
	struct path entry = {.register_base = 0};
	uint32_t x[32] = {0};
	struct call_frame frame = {.register_words = 32};
	enum { START, LEAVE, A, B, C, D, E };
	model_->start(path, all_of(32), &entry, 32, 4);
	for (lane_mask live = all_of(32); live;) {
		lane_mask active = path->active, around = 0;
		assert_true(active);
		switch (path->pc) {
		case START: assert_true(model_->call(path, active, A, LEAVE, &frame)); break;
		case LEAVE:
			live &= ~active;
			model_->exit(path, active);
			break;
		case B:
			EACH_LANE(l, active)
				around |= (lane_mask) !(x[l] == 1 && l > 4) << l;
			model_->branch(path, around, D, C, D);
			break;
		case C: assert_true(model_->call(path, active, A, D, &frame)); break;
		case E: model_->ret(path, active); break;
		default:
			EACH_LANE(l, active)
				x[l]++;
			if (++path->pc == path->reconvergence_pc)
				model_->reconverge(path);
		}
	}
	free(path);
	return x[lane];
}

static void calls_need_entries(void **state)
{
	(void)state;
	static const char *const right[] = {"stack", "independent"};
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(example_2(model(right[i]), 4), 2);
		assert_int_equal(example_2(model(right[i]), 5), 4);
		assert_int_equal(example_2(model(right[i]), 31), 4);
	}
	assert_int_equal(example_2(model("stack-without-calls"), 4), 2);
	assert_int_equal(example_2(model("stack-without-calls"), 5), 3);
	assert_int_equal(example_2(model("stack-without-calls"), 31), 3);
}

/* One lock for all lanes.  Example 1: spin, then the critical section.  Example 5: the critical section in the loop. */
static bool spin_lock(const struct divergence_model *model_, bool inside, uint32_t lanes)
{
	enum { TRY, FAILED, CRITICAL, RELEASE, AGAIN, LEAVE };
	struct path *path = malloc(model_->state_size(lanes, 0)), entry = {0};
	lane_mask live = all_of(lanes), got = 0, done = 0;
	int owner = -1;
	model_->start(path, live, &entry, lanes, 0);
	for (uint64_t steps = 0; live && steps < 200000; steps++) {
		uint32_t pc = path->pc;
		lane_mask active = path->active;
		if (!active)
			break;
		switch (pc) {
		case TRY:
			got &= ~active;
			if (owner < 0) {
				owner = __builtin_ctzll(active);
				got |= 1ull << owner;
			}
			path->pc++;
			break;
		case FAILED: /* Example 1 goes back to TRY, and so reconverges at CRITICAL */
			model_->branch(path, active & ~got, inside ? AGAIN : TRY, CRITICAL, inside ? AGAIN : CRITICAL);
			break;
		case CRITICAL:
			assert_true(active == 1ull << owner);
			path->pc++;
			break;
		case RELEASE:
			done |= active;
			owner = -1;
			path->pc++;
			break;
		case AGAIN: model_->branch(path, inside ? active & ~done : 0, TRY, LEAVE, LEAVE); break;
		default: live &= ~active; model_->exit(path, active);
		}
		if (pc < FAILED || pc == CRITICAL || pc == RELEASE) {
			if (path->pc == path->reconvergence_pc)
				model_->reconverge(path);
		} else if (path->pc == TRY && model_->yield)
			model_->yield(path);
	}
	free(path);
	return !live;
}

static void spin_locks(void **state)
{
	(void)state;
	for (uint32_t lanes = 2; lanes <= 64; lanes *= 2) {
		assert_false(spin_lock(model("stack"), false, lanes));
		assert_true(spin_lock(model("stack"), true, lanes));
		assert_true(spin_lock(model("independent"), false, lanes));
		assert_true(spin_lock(model("independent"), true, lanes));
	}
}

/* All lanes are together again behind if-else and a loop whose trips differ; the stack does not grow by the turn. */
static void lanes_meet(void **state)
{
	(void)state;
	static const char *const names[] = {"stack", "stack-without-calls", "independent"};
	for (size_t i = 0; i < 3; i++) {
		const struct divergence_model *d = model(names[i]);
		struct path *path = malloc(d->state_size(32, 0)), entry = {0};
		lane_mask all = all_of(32);
		d->start(path, all, &entry, 32, 0);
		d->branch(path, 0x5555, 10, 1, 20); /* if */
		assert_true(path->active == 0x5555 && path->pc == 10);
		d->branch(path, 0x5555, 20, 11, 20); /* to the end, all of them */
		assert_true(path->active == (all & ~0x5555ull) && path->pc == 1);
		d->branch(path, path->active, 20, 2, 20);
		assert_true(path->active == all && path->pc == 20);
		for (uint32_t turn = 0; turn < 31; turn++) { /* one lane leaves at every turn */
			assert_true(path->active == (all & ~((1ull << turn) - 1)) && path->pc == 20);
			d->branch(path, path->active & ~(1ull << turn), 20, 21, 21);
		}
		if (d->state_used && i < 2)
			assert_true(d->state_used(path) <= d->state_used(path) % sizeof *path + 4 * sizeof *path);
		d->branch(path, 0, 20, 21, 21);
		assert_true(path->active == all && path->pc == 21);
		free(path);
	}
}

/* Runs under random yields: a SYNC must be executed by all lanes that live, together. */
static void run_synchronised(const struct program *p)
{
	static struct machine m;
	machine_start(&m, p, &transparent, 32, 0);
	m.random = p->seed + 1;
	while (m.live) {
		lane_mask live = m.live;
		assert_true(m.path->active);
		if (draw(&m.random, 2))
			m.model->yield(m.path);
		m.last_sync = live;
		step(&m);
		check_barriers((const struct independent *)m.path);
		assert_true(m.last_sync == live); /* or it was no SYNC */
	}
	machine_end(&m);
}

/* A barrier of the warp brings together warp splits that no longer wait for each other. */
static void sync_joins(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct program behind = {.functions = 1, .size = {12}, .seed = seed};
		behind.code[0] = (struct op){.kind = BRANCH, .target = {3}};
		behind.code[1] = (struct op){.kind = BRANCH, .target = {0}};
		behind.code[2] = (struct op){.kind = JUMP, .target = {4}};
		behind.code[3] = (struct op){.kind = BRANCH, .target = {3}};
		behind.code[4] = (struct op){.kind = EXIT, .guarded = true};
		behind.code[5] = (struct op){.kind = BRANCH, .target = {4}};
		behind.code[6] = (struct op){.kind = SYNC};
		behind.code[7] = (struct op){.kind = BRANCH, .target = {9}};
		behind.code[8] = (struct op){.kind = PLAIN};
		behind.code[9] = (struct op){.kind = SYNC};
		behind.code[10] = (struct op){.kind = SYNC};
		behind.code[11] = (struct op){.kind = EXIT};
		set_reconvergence(&behind, 0);
		run_synchronised(&behind);

		/* Lanes that have left the inner loop come back to its barrier while others still expect them
		 * outside. */
		struct program within = {.functions = 1, .size = {5}, .seed = seed};
		within.code[0] = (struct op){.kind = PLAIN};
		within.code[1] = (struct op){.kind = SYNC};
		within.code[2] = (struct op){.kind = BRANCH, .target = {1}};
		within.code[3] = (struct op){.kind = BRANCH, .target = {0}};
		within.code[4] = (struct op){.kind = EXIT};
		set_reconvergence(&within, 0);
		run_synchronised(&within);
	}
}

/* One lane meets each of the others at a barrier of the two, while all of them wait: what looks at who has come looks
 * at each of them once. */
static void one_lane_meets_each(void **state)
{
	(void)state;
	const struct divergence_model *d = model("independent");
	struct path *path = malloc(d->state_size(32, 0)), entry = {0};
	const lane_mask last = (lane_mask)1 << 31;
	lane_mask waiting = 0, passed = 0;
	uint32_t met = 0;
	d->start(path, all_of(32), &entry, 32, 0);
	while (waiting != last - 1) {
		lane_mask active = path->active;
		if (active & (active - 1)) { /* each lane alone: at 5, the last at 0 */
			d->branch(path, active & -active, 5, 0, NO_RECONVERGENCE);
		} else {
			assert_false(d->sync(path, active | last));
			waiting |= active;
		}
	}
	while (path->active) {
		lane_mask active = path->active;
		if (active != last) {
			assert_true(active <= (lane_mask)1 << met);
			assert_true(d->sync(path, active | last));
			passed |= active;
			d->exit(path, active);
		} else if (met == 31) {
			d->exit(path, last);
		} else if (d->sync(path, (lane_mask)1 << met | last)) {
			met++;
		}
	}
	assert_true(passed == last - 1 && met == 31);
	free(path);
}

/* A participant that is blocked at the work-group's barrier does not hold those at the reconvergence point. */
static void blocked_lanes_are_not_waited_for(void **state)
{
	(void)state;
	const struct divergence_model *d = model("independent");
	struct path *path = malloc(d->state_size(32, 0)), entry = {0};
	d->start(path, all_of(32), &entry, 32, 0);
	d->branch(path, 0xffff, 5, 1, 9);
	d->block(path); /* at 5 */
	assert_true(path->active == 0xffff0000 && path->pc == 1);
	d->branch(path, path->active, 9, 2, NO_RECONVERGENCE);
	assert_true(path->active == 0xffff0000 && path->pc == 9);
	d->block(path);
	assert_true(path->active == 0);
	d->unblock(path, 0x00ff00ff);
	lane_mask seen = path->active;
	uint32_t pc = path->pc;
	d->exit(path, path->active);
	assert_true((seen == 0xff && pc == 6) || (seen == 0xff0000 && pc == 10));
	d->exit(path, path->active);
	assert_true(path->active == 0);
	d->unblock(path, 0xff00ff00);
	assert_true(path->active == 0xff00 || path->active == 0xff000000);
	free(path);
}

/* Lanes that were let go come to the work-group's barrier before the others: once released, all go on as one path. */
static void released_lanes_go_on_together(void **state)
{
	(void)state;
	const struct divergence_model *d = model("independent");
	struct path *path = malloc(d->state_size(32, 0)), entry = {0};
	d->start(path, all_of(32), &entry, 32, 0);
	d->branch(path, 0xffff, 5, 1, 5);
	assert_true(path->active == 0xffff0000 && path->pc == 1);
	while (path->active == 0xffff0000)
		d->yield(path);
	assert_true(path->active == 0xffff && path->pc == 5);
	d->block(path);
	assert_true(path->active == 0xffff0000);
	path->pc = 5;
	d->reconverge(path);
	assert_true(path->active == 0xffff0000 && path->pc == 5);
	d->block(path);
	assert_true(path->active == 0);
	d->unblock(path, all_of(32));
	assert_true(path->active == all_of(32) && path->pc == 6);
	d->exit(path, all_of(32));
	assert_true(path->active == 0);
	free(path);
}

static void calls_too_deep_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; divergence_at(i); i++) {
		const struct divergence_model *d = divergence_at(i);
		struct path *path = malloc(d->state_size(32, 3)), entry = {0};
		struct call_frame frame = {.register_words = 10, .predicates = 2, .stack_bytes = 16};
		d->start(path, all_of(32), &entry, 32, 3);
		for (uint32_t depth = 0; depth < 3; depth++)
			assert_true(d->call(path, path->active, 5, 1, &frame));
		assert_false(d->call(path, path->active, 5, 1, &frame));
		assert_int_equal(path->register_base, 30);
		assert_int_equal(path->stack_base, 48);
		for (uint32_t depth = 3; depth; depth--)
			d->ret(path, path->active);
		assert_int_equal(path->depth, 0);
		assert_int_equal(path->predicate_base, 0);
		assert_true(path->active == all_of(32) && path->pc == 1);
		free(path);
	}
}

static void uniform_branches_are_cheap(void **state)
{
	(void)state;
	for (size_t i = 0; divergence_at(i); i++) {
		const struct divergence_model *d = divergence_at(i);
		struct path *path = malloc(d->state_size(32, 0)), entry = {0};
		d->start(path, all_of(32), &entry, 32, 0);
		struct timespec begin, end;
		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (uint32_t k = 0; k < 1000000; k++) {
			path->pc += 3;
			d->branch(path, path->active, 0, path->pc + 1, 9);
			if (d->yield)
				d->yield(path);
		}
		clock_gettime(CLOCK_MONOTONIC, &end);
		double ns = (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-6;
		print_message("%s: %.1f ns for a uniform branch and its yield\n", d->name, ns);
		assert_true(ns < 1000);
		free(path);
	}
}

static void count_lanes(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	lane_mask *seen = context;
	(void)pc, (void)waiting;
	assert_true((*seen & lanes) == 0);
	*seen |= lanes;
}

/* Every live lane is on exactly one path, at all times. */
static void paths_hold_every_lane_once(void **state)
{
	(void)state;
	static struct machine m;
	for (size_t i = 0; divergence_at(i); i++)
		for (uint64_t seed = 0; seed < 200; seed++) {
			struct program p = {0};
			make_program(&p, seed, i != 1, true);
			machine_start(&m, &p, divergence_at(i), 32, DEPTH);
			while (m.live) {
				lane_mask seen = 0;
				m.random = seed + 1;
				machine_run(&m, 3);
				m.model->each_path(m.path, count_lanes, &seen);
				assert_true(seen == m.live);
			}
			machine_end(&m);
		}
}

/* ---- What each_entry shows ---- */

static void print_entry(void *context, const struct divergence_entry *e)
{
	struct text *out = context;
	text_print(out, "%s%u %d %llx %u %s;", e->top ? ">" : "", e->pc,
		e->reconvergence_pc == NO_RECONVERGENCE ? -1 : (int)e->reconvergence_pc, (unsigned long long)e->active,
		e->depth,
		e->type      ? e->type
		: e->waiting ? e->waiting
			     : "runs");
}

static void shows(const struct divergence_model *m, const struct path *path, const char *expected)
{
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	text_append(&out, "", 0);
	m->each_entry(path, print_entry, &out);
	assert_string_equal(out.at, expected);
	arena_free(&arena);
}

/* Paper 1, Figure 1.4: a branch in a branch.  A at 1 reconverges at Z; C at 2, on one side of it, at F. */
static void entries_of_nested_branches(void **state)
{
	(void)state;
	enum { X, A, C, D, E, F, P, Z };
	static const char *const names[] = {"stack", "stack-without-calls"};
	for (size_t i = 0; i < 2; i++) {
		const struct divergence_model *m = model(names[i]);
		struct path *path = malloc(m->state_size(8, 0)), entry = {0};
		m->start(path, 0xff, &entry, 8, 0);
		shows(m, path, ">0 -1 ff 0 -;");
		path->pc = A;
		m->branch(path, 0xf0, P, C, Z);
		shows(m, path, "7 -1 ff 0 -;6 7 f0 0 -;>2 7 f 0 -;");
		m->branch(path, 0x3, E, D, F);
		shows(m, path, "7 -1 ff 0 -;6 7 f0 0 -;5 7 f 0 -;3 5 c 0 -;>4 5 3 0 -;");
		path->pc = F;
		m->reconverge(path);
		shows(m, path, "7 -1 ff 0 -;6 7 f0 0 -;5 7 f 0 -;>3 5 c 0 -;");
		path->pc = F;
		m->reconverge(path);
		shows(m, path, "7 -1 ff 0 -;6 7 f0 0 -;>5 7 f 0 -;");
		path->pc = Z;
		m->reconverge(path);
		shows(m, path, "7 -1 ff 0 -;>6 7 f0 0 -;");
		m->block(path); /* who waits at a barrier still stands there */
		shows(m, path, "7 -1 ff 0 -;>7 7 f0 0 -;");
		m->unblock(path, 0xff);
		shows(m, path, ">7 -1 ff 0 -;");
		m->exit(path, 0xff);
		shows(m, path, "");
		free(path);
	}
}

static void entries_of_calls(void **state)
{
	(void)state;
	static const struct call_frame frame = {0};
	static const struct {
		const char *model, *shown;
	} cases[] = {
		{"stack", "5 -1 ff 0 -;>9 -1 f 1 call;"},
		{"stack-without-calls", "5 -1 ff 0 -;>9 5 f 1 -;"},
		{"independent", ">9 -1 f 1 runs;5 -1 f0 0 the return of lanes that made a call;"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct divergence_model *m = model(cases[i].model);
		struct path *path = malloc(m->state_size(8, 2)), entry = {.pc = 4};
		m->start(path, 0xff, &entry, 8, 2);
		assert_true(m->call(path, 0xf, 9, 5, &frame));
		shows(m, path, cases[i].shown);
		free(path);
	}
}

/* A call that only some lanes make, before the pc at which all of them stop: the others stop there too, so no entry is
 * made for them. */
static void entries_of_a_call_before_reconvergence(void **state)
{
	(void)state;
	static const struct call_frame frame = {0};
	const struct divergence_model *m = model("stack-without-calls");
	struct path *path = malloc(m->state_size(8, 2)), entry = {.pc = 1};
	m->start(path, 0xff, &entry, 8, 2);
	m->branch(path, 0xf0, 3, 2, 5);
	shows(m, path, "5 -1 ff 0 -;3 5 f0 0 -;>2 5 f 0 -;");
	path->pc = 4;
	assert_true(m->call(path, 0x3, 9, 5, &frame));
	shows(m, path, "5 -1 ff 0 -;3 5 f0 0 -;>9 5 3 1 -;");
	free(path);
}

static void paths_are_shown(void **state)
{
	(void)state;
	const struct divergence_model *m = model("independent");
	struct path *path = malloc(m->state_size(8, 0)), entry = {0};
	m->start(path, 0xff, &entry, 8, 0);
	m->branch(path, 0xf0, 3, 1, 5);
	shows(m, path, ">1 5 f 0 runs;3 5 f0 0 its turn;");
	path->pc = 5;
	m->reconverge(path);
	shows(m, path, "5 5 f 0 lanes that have yet to reconverge;>3 5 f0 0 runs;");
	path->pc = 5;
	m->reconverge(path);
	shows(m, path, ">5 -1 ff 0 runs;");
	free(path);
}

/* Paper 1, Figures 4.1 and 4.2: eight lanes, of which four at a time get their locks.  A at 0 locks, C at 2 unlocks. */
static void entries_of_a_lock(void **state)
{
	(void)state;
	const struct divergence_model *m = model("stack-locks");
	struct path *path = malloc(m->state_size(8, 0)), entry = {0};
	m->start(path, 0xff, &entry, 8, 0);
	assert_true(m->lock(path));
	shows(m, path, "0 -1 ff 0 -;>0 -1 ff 0 LR;");
	assert_true(!path->active); /* nobody has been answered */
	m->answered(path, 0x0f, 0xf0);
	shows(m, path, "0 -1 ff 0 -;0 -1 ff 0 LR;>1 -1 f 0 L;");
	path->pc = 2;
	m->unlock(path, 0x0f);
	shows(m, path, "3 -1 ff 0 -;>0 -1 f0 0 LR;");
	assert_true(path->active == 0xf0); /* they ask again */
	assert_true(m->lock(path));
	m->answered(path, 0, 0xf0);
	shows(m, path, "3 -1 ff 0 -;>0 -1 f0 0 LR;");
	assert_true(m->lock(path));
	m->answered(path, 0xf0, 0);
	path->pc = 2;
	m->unlock(path, 0xf0);
	shows(m, path, ">3 -1 ff 0 -;");
	free(path);
}

/* Critical sections of one lock at 0 that end at 2 and at 5, where another exits the loop: lanes go on where theirs
 * ended, each once. */
static void entries_of_a_lock_that_ends_in_two_places(void **state)
{
	(void)state;
	const struct divergence_model *m = model("stack-locks");
	static const struct {
		lane_mask lanes;
		uint32_t end;
		const char *expected;
	} turns[] = {{0x03, 2, "3 -1 ff 0 -;>0 -1 fc 0 LR;"}, {0x0c, 5, "3 -1 f3 0 -;6 -1 c 0 -;>0 -1 f0 0 LR;"},
		{0x10, 5, "3 -1 e3 0 -;6 -1 1c 0 -;>0 -1 e0 0 LR;"},
		{0x20, 7, "3 -1 c3 0 -;6 -1 1c 0 -;8 -1 20 0 -;>0 -1 c0 0 LR;"},
		{0xc0, 2, "3 -1 c3 0 -;6 -1 1c 0 -;>8 -1 20 0 -;"}};
	struct path *path = malloc(m->state_size(8, 0)), entry = {0};
	m->start(path, 0xff, &entry, 8, 0);
	lane_mask left = 0xff;
	for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
		assert_true(m->lock(path));
		m->answered(path, turns[k].lanes, left & ~turns[k].lanes);
		left &= ~turns[k].lanes;
		path->pc = turns[k].end;
		m->unlock(path, turns[k].lanes);
		shows(m, path, turns[k].expected);
	}
	m->exit(path, 0x20);
	shows(m, path, "3 -1 c3 0 -;>6 -1 1c 0 -;");
	m->exit(path, 0x1c);
	shows(m, path, ">3 -1 c3 0 -;");
	free(path);
}

/* Figure 4.4: A at 0 and B at 1 lock; D at 3 branches to G at 6, the other side begins at 4; F at 5 and H at 7 unlock;
 * I at 8; J at 9 unlocks. */
static void entries_of_nested_locks(void **state)
{
	(void)state;
	const struct divergence_model *m = model("stack-locks");
	struct path *path = malloc(m->state_size(8, 0)), entry = {0};
	m->start(path, 0xff, &entry, 8, 0);
	assert_true(m->lock(path));
	m->answered(path, 0xcf, 0x30);
	assert_true(m->lock(path));
	m->answered(path, 0x0f, 0xc0);
	shows(m, path, "0 -1 ff 0 -;0 -1 ff 0 LR;1 -1 cf 0 L;1 -1 cf 0 LR;>2 -1 f 0 L;");
	path->pc = 3;
	m->branch(path, 0x0c, 6, 4, 8);
	shows(m, path, "0 -1 ff 0 -;0 -1 ff 0 LR;1 -1 cf 0 L;1 -1 cf 0 LR;8 -1 f 0 L;6 8 c 0 -;>4 8 3 0 -;");
	path->pc = 5;
	m->unlock(path, 0x03);
	shows(m, path, "0 -1 ff 0 -;0 -1 ff 0 LR;1 -1 cf 0 L;1 -1 cc 0 LR;8 -1 f 0 L;6 8 c 0 -;>6 8 3 0 -;");
	m->branch(path, 0x03, 8, 7, 8);
	shows(m, path, "0 -1 ff 0 -;0 -1 ff 0 LR;1 -1 cf 0 L;1 -1 cc 0 LR;8 -1 f 0 L;>6 8 c 0 -;");
	path->pc = 7;
	m->unlock(path, 0x0c);
	shows(m, path, "0 -1 ff 0 -;0 -1 ff 0 LR;1 -1 cf 0 L;1 -1 c0 0 LR;>8 -1 f 0 L;");
	path->pc = 9;
	m->unlock(path, 0x0f); /* they hold nothing: those that have the outer lock try for the inner one */
	shows(m, path, "0 -1 ff 0 -;0 -1 f0 0 LR;10 -1 c0 0 L;>1 -1 c0 0 LR;");
	assert_true(m->lock(path));
	m->answered(path, 0xc0, 0);
	path->pc = 7;
	m->unlock(path, 0xc0);
	path->pc = 9;
	m->unlock(path, 0xc0);
	shows(m, path, "10 -1 ff 0 -;>0 -1 30 0 LR;");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_meet),
		cmocka_unit_test(calls_need_entries),
		cmocka_unit_test(spin_locks),
		cmocka_unit_test(blocked_lanes_are_not_waited_for),
		cmocka_unit_test(released_lanes_go_on_together),
		cmocka_unit_test(calls_too_deep_are_refused),
		cmocka_unit_test(random_programs_run_as_alone),
		cmocka_unit_test(independent_keeps_its_books),
		cmocka_unit_test(sync_joins),
		cmocka_unit_test(one_lane_meets_each),
		cmocka_unit_test(paths_hold_every_lane_once),
		cmocka_unit_test(uniform_branches_are_cheap),
		cmocka_unit_test(entries_of_nested_branches),
		cmocka_unit_test(entries_of_calls),
		cmocka_unit_test(entries_of_a_call_before_reconvergence),
		cmocka_unit_test(paths_are_shown),
		cmocka_unit_test(entries_of_a_lock),
		cmocka_unit_test(entries_of_a_lock_that_ends_in_two_places),
		cmocka_unit_test(entries_of_nested_locks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
