/* Writes the PTX that plays a litmus test. */
#include "litmus/kernel.h"

#include "litmus/barriers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct litmus_places litmus_places(const struct litmus_test *test, uint32_t lanes)
{
	struct litmus_places p = {.lanes = lanes};
	for (uint32_t t = 0; t < test->threads.count; t++) {
		const struct litmus_thread *mine = &test->threads.at[t];
		p.several_gpus |= mine->gpu != test->threads.at[0].gpu;
		p.cta[t] = p.ctas;
		for (uint32_t k = 0; k < t; k++)
			if (test->threads.at[k].cta == mine->cta && test->threads.at[k].gpu == mine->gpu)
				p.cta[t] = p.cta[k];
		p.ctas += p.cta[t] == p.ctas;
		p.warp[t] = p.sizes[p.cta[t]]++;
		if (p.sizes[p.cta[t]] > p.warps)
			p.warps = p.sizes[p.cta[t]];
	}
	return p;
}

/* ---- One instruction.  %v: registers of the test, %a: addresses of its locations, %t: what comes between ---- */

static const char *const order_words[] = {".weak", ".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc"};
static const char *const scope_words[] = {".cta", ".gpu", ".sys"};
static const char *const membar_words[] = {".cta", ".gl", ".sys"};
static const char *const operation_words[] = {
	"exch.b32", "add.u32", "add.u32", "", "and.b32", "or.b32", "xor.b32", "min.s32", "max.s32", "cas.b32"};
static const char *const local_words[] = {
	"", "add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.s32", ""};
static const char *const comparison_words[] = {"eq", "ne", "lt", "le", "gt", "ge"};

/* ".relaxed.gpu.global"; what is weak or volatile has no scope. */
static const char *order_of(struct arena *arena, const struct litmus_instruction *i)
{
	bool scoped = i->order != LITMUS_WEAK && i->order != LITMUS_VOLATILE;
	return arena_printf(arena, "%s%s.global", order_words[i->order], scoped ? scope_words[i->scope] : "");
}

static const char *operand(struct arena *arena, const struct litmus_operand *o)
{
	return arena_printf(arena, o->is_register ? "%%v%" PRId32 : "%" PRId32, o->value);
}

static void write_atomic(struct text *out, const struct litmus_instruction *i)
{
	const char *order = order_of(out->arena, i), *a = operand(out->arena, &i->a);
	if (i->operation == LITMUS_SUB) {
		text_print(out, "\tsub.s32 %%t0, 0, %s;\n", a);
		a = "%t0";
	}
	/* PTX has no red that acquires. */
	bool red = i->order == LITMUS_RELAXED || i->order == LITMUS_RELEASE;
	if (i->target == LITMUS_NO_REGISTER && !red)
		text_print(
			out, "\tatom%s.%s %%t0, [%%a%u], %s;\n", order, operation_words[i->operation], i->location, a);
	else if (i->target == LITMUS_NO_REGISTER)
		text_print(out, "\tred%s.%s [%%a%u], %s;\n", order, operation_words[i->operation], i->location, a);
	else
		text_print(out, "\tatom%s.%s %%v%u, [%%a%u], %s%s%s;\n", order, operation_words[i->operation],
			i->target, i->location, a, i->operation == LITMUS_CAS ? ", " : "",
			i->operation == LITMUS_CAS ? operand(out->arena, &i->b) : "");
}

static void write_local(struct text *out, const struct litmus_instruction *i)
{
	text_print(out, "\tmov.b32 %%v%u, %s;\n", i->target, operand(out->arena, &i->a));
	if (i->operation != LITMUS_MOVE)
		text_print(out, "\t%s %%v%u, %%v%u, %s;\n", local_words[i->operation], i->target, i->target,
			operand(out->arena, &i->b));
}

/* A thread that is written. */
struct writer {
	struct text *out;
	const struct litmus_test *test;
	const struct litmus_places *places;
	uint32_t thread;
	uint32_t label; /* the number of the thread in this copy, which its labels have */
	const struct litmus_form *form;
};

/* A branch back is taken so many times; then the thread goes on behind the loop, so that it comes to its barriers, and
 * its instance counts as one that does not end. */
static void write_branch(const struct writer *w, const struct litmus_instruction *i)
{
	struct text *out = w->out;
	uint32_t t = w->label, at = (uint32_t)(i - w->test->threads.at[w->thread].code.at);
	text_print(out, "\tmov.b32 %%t0, %s;\n\tmov.b32 %%t1, %s;\n", operand(out->arena, &i->a),
		operand(out->arena, &i->b));
	text_print(out, "\tsetp.%s.s32 %%p, %%t0, %%t1;\n", comparison_words[i->comparison]);
	if (i->jump > at) {
		text_print(out, "\t@%%p bra T%u_%u;\n", t, i->jump);
		return;
	}
	text_print(out,
		"\t@!%%p bra T%u_%u;\n\tsetp.eq.u32 %%p, %%left, 0;\n\t@%%p bra U%u_%u;\n"
		"\tsub.u32 %%left, %%left, 1;\n\tbra T%u_%u;\n"
		"U%u_%u:\n\tmov.u32 %%t0, 1;\n\tst.weak.global.u32 [%%results+%u], %%t0;\n",
		t, at + 1, t, at, t, i->jump, t, at, w->test->variables.count * 4);
}

/* The threads that come to a barrier of the CTA of thread `t`; each is a warp. */
static uint32_t count_users(const struct litmus_test *test, uint32_t t, int32_t number)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < test->threads.count; k++)
		count += litmus_same_cta(test, t, k) && litmus_names_barrier(&test->threads.at[k], number);
	return count;
}

static void write_instruction(const struct writer *w, const struct litmus_instruction *i)
{
	struct text *out = w->out;
	struct arena *arena = out->arena;
	switch (i->kind) {
	case LITMUS_LOAD:
		text_print(out, "\tld%s.u32 %%v%u, [%%a%u];\n", order_of(arena, i), i->target, i->location);
		break;
	case LITMUS_STORE:
		text_print(out, "\tmov.b32 %%t0, %s;\n", operand(arena, &i->a));
		text_print(out, "\tst%s.u32 [%%a%u], %%t0;\n", order_of(arena, i), i->location);
		break;
	case LITMUS_ATOM: write_atomic(out, i); break;
	case LITMUS_FENCE:
		if (i->membar)
			text_print(out, "\tmembar%s;\n", membar_words[i->scope]);
		else
			text_print(out, "\tfence%s%s;\n", order_words[i->order], scope_words[i->scope]);
		break;
	case LITMUS_PROXY_FENCE: break; /* all accesses are of global memory */
	case LITMUS_BARRIER:
		text_print(out, "\tbarrier.%s %s, %u;\n", i->arrives ? "arrive" : "sync", operand(arena, &i->a),
			count_users(w->test, w->thread, i->a.value) * w->places->lanes);
		break;
	case LITMUS_LOCAL: write_local(out, i); break;
	case LITMUS_BRANCH: write_branch(w, i); break;
	}
}

/* ---- A thread ---- */

/* Waits for some rounds, by the linear congruential generator of the traffic: mostly few, so that a wait between two
 * instructions may be far longer than all others together. */
static void write_gap(struct text *out, uint32_t t, uint32_t at)
{
	text_print(out,
		"\tmad.lo.u32 %%seed, %%seed, 1664525, 1013904223;\n\tshr.u32 %%t6, %%seed, 16;\n"
		"\tand.b32 %%t6, %%t6, %%gap;\n\tshr.u32 %%t5, %%seed, 12;\n\tand.b32 %%t5, %%t5, 7;\n"
		"\tshr.u32 %%t6, %%t6, %%t5;\n"
		"W%u_%u:\n\tsetp.eq.u32 %%p, %%t6, 0;\n\t@%%p bra G%u_%u;\n\tsub.u32 %%t6, %%t6, 1;\n"
		"\tbra W%u_%u;\nG%u_%u:\n",
		t, at, t, at, t, at, t, at);
}

/* What is read is dead, so that nothing waits for it. */
static void write_touch(const struct writer *w)
{
	struct text *out = w->out;
	uint32_t ways = 2;
	while (ways < 2 * w->test->locations.count)
		ways *= 2;
	text_print(out,
		"\tmad.lo.u32 %%seed, %%seed, 1664525, 1013904223;\n\tshr.u32 %%t6, %%seed, 12;\n"
		"\tand.b32 %%t6, %%t6, %u;\n",
		ways * w->form->touches - 1);
	for (uint32_t k = 0; k < w->test->locations.count; k++)
		text_print(out,
			"\tsetp.eq.u32 %%p, %%t6, %u;\n\t@%%p ld.weak.global.u32 %%t5, [%%a%u];\n"
			"\tsetp.eq.u32 %%p, %%t6, %u;\n\t@%%p ld.global.cg.u32 %%t5, [%%a%u];\n",
			2 * k, k, 2 * k + 1, k);
}

static void write_code(const struct writer *w)
{
	const struct litmus_thread *thread = &w->test->threads.at[w->thread];
	for (uint32_t k = 0; k <= thread->code.count; k++) {
		text_print(w->out, "T%u_%u:\n", w->label, k);
		if (k == thread->code.count)
			break;
		if (w->form->touches)
			write_touch(w);
		if (w->form->gaps)
			write_gap(w->out, w->label, k);
		write_instruction(w, &thread->code.at[k]);
	}
}

static void write_thread(const struct writer *w)
{
	const struct litmus_thread *thread = &w->test->threads.at[w->thread];
	const struct litmus_variable *variables = w->test->variables.at;
	uint32_t n = w->label;
	text_print(w->out,
		"THREAD%u:\n\tmov.u32 %%left, %u;\n"
		"WAIT%u:\n\tsetp.eq.u32 %%p, %%t7, 0;\n\t@%%p bra READY%u;\n\tsub.u32 %%t7, %%t7, 1;\n"
		"\tbra WAIT%u;\nREADY%u:\n",
		n, LITMUS_ROUNDS, n, n, n, n);
	for (uint32_t k = 0; k < thread->registers.count; k++)
		text_print(w->out, "\tmov.b32 %%v%u, %" PRId32 ";\n", k, thread->registers.at[k].initial);
	write_code(w);
	for (uint32_t k = 0; k < w->test->variables.count; k++)
		if (variables[k].thread == w->thread)
			text_print(w->out, "\tst.global.u32 [%%results+%u], %%v%u;\n", k * 4, variables[k].index);
	text_print(w->out, "\tret;\n");
}

/* ---- What is around them ---- */

static void write_head(struct text *out)
{
	text_print(out, ".version 7.0\n.target sm_70\n.address_size 64\n"
			".visible .entry litmus(.param .u64 roles, .param .u64 draws, .param .u64 "
			"offsets,\n"
			"\t.param .u64 memory, .param .u64 results, .param .u64 meetings, .param .u64 traffic,\n"
			"\t.param .u32 rounds)\n{\n"
			"\t.reg .pred %%p;\n\t.reg .b32 %%t<8>, %%v<32>, %%role, %%team, %%cta, %%warp, %%instance, "
			"%%left, %%warm, %%seed, %%gap;\n"
			"\t.reg .b64 %%d<4>, %%a<8>, %%results, %%meeting;\n");
}

/* The role of the group, and the traffic of those without a team: reads, writes and atomics of words that a linear
 * congruential generator picks. */
static void write_role(struct text *out)
{
	text_print(out,
		"\tmov.u32 %%t0, %%ctaid.x;\n\tmov.u32 %%t1, %%tid.x;\n\tmov.u32 %%t2, %%ntid.x;\n"
		"\tld.param.u64 %%d0, [roles];\n\tmad.wide.u32 %%d0, %%t0, 4, %%d0;\n\tld.global.u32 %%role, [%%d0];\n"
		"\tsetp.ne.u32 %%p, %%role, %u;\n\t@%%p bra PLAY;\n"
		"\tmad.lo.u32 %%t3, %%t0, %%t2, %%t1;\n\tld.param.u32 %%t4, [rounds];\n"
		"TRAFFIC:\n\tsetp.eq.u32 %%p, %%t4, 0;\n\t@%%p bra END;\n"
		"\tmad.lo.u32 %%t3, %%t3, 1664525, 1013904223;\n\tshr.u32 %%t5, %%t3, 12;\n"
		"\tand.b32 %%t5, %%t5, %u;\n\tcvt.u64.u32 %%d1, %%t5;\n"
		"\tld.param.u64 %%d0, [traffic];\n\tadd.u64 %%d0, %%d0, %%d1;\n"
		"\tld.global.u32 %%t6, [%%d0];\n\tst.global.u32 [%%d0], %%t3;\n"
		"\tred.relaxed.gpu.global.add.u32 [%%d0], 1;\n\tsub.u32 %%t4, %%t4, 1;\n\tbra TRAFFIC;\nEND:\n\tret;\n",
		LITMUS_TRAFFIC, LITMUS_TRAFFIC_BYTES - 4);
}

/* Which thread this is, and the addresses of its instance. */
static void write_places(struct text *out, const struct litmus_test *test, const struct litmus_places *places)
{
	text_print(out,
		"PLAY:\n\tdiv.u32 %%team, %%role, %u;\n\trem.u32 %%cta, %%role, %u;\n\tdiv.u32 %%warp, %%t1, %u;\n"
		"\trem.u32 %%t3, %%t1, %u;\n\tmad.lo.u32 %%instance, %%team, %u, %%t3;\n"
		"\tmad.lo.u32 %%t4, %%t0, %%t2, %%t1;\n\tld.param.u64 %%d0, [draws];\n"
		"\tmad.wide.u32 %%d0, %%t4, 16, %%d0;\n"
		"\tld.global.v4.u32 {%%t7, %%warm, %%seed, %%gap}, [%%d0];\n"
		"\tld.param.u64 %%results, [results];\n\tmad.wide.u32 %%results, %%instance, %u, %%results;\n"
		"\tld.param.u64 %%meeting, [meetings];\n\tmad.wide.u32 %%meeting, %%team, %u, %%meeting;\n"
		"\tld.param.u64 %%d0, [offsets];\n\tmad.wide.u32 %%d0, %%instance, %u, %%d0;\n"
		"\tld.param.u64 %%d1, [memory];\n",
		places->ctas, places->ctas, places->lanes, places->lanes, places->lanes,
		(test->variables.count + 1) * 4, LITMUS_MEETING_BYTES, test->locations.count * 4);
	for (uint32_t k = 0; k < test->locations.count; k++)
		text_print(out,
			"\tld.global.u32 %%t4, [%%d0+%u];\n\tcvt.u64.u32 %%d2, %%t4;\n\tadd.u64 %%a%u, %%d1, %%d2;\n",
			k * 4, k);
}

/* Warps without a thread of the test end here. */
static void write_idle(struct text *out, const struct litmus_places *places)
{
	for (uint32_t cta = 0; cta < places->ctas; cta++)
		if (places->sizes[cta] < places->warps)
			text_print(out,
				"\tsetp.ne.u32 %%p, %%cta, %u;\n\t@%%p bra BUSY%u;\n\tsetp.ge.u32 %%p, %%warp, %u;\n"
				"\t@%%p bra END;\nBUSY%u:\n",
				cta, cta, places->sizes[cta], cta);
}

/* Reads the locations whose bits are set; what is read is made 0 and added to the wait, so that it is waited for. */
static void write_warming(struct text *out, const struct litmus_test *test)
{
	for (uint32_t k = 0; k < test->locations.count; k++)
		text_print(out,
			"\tand.b32 %%t5, %%warm, %u;\n\tsetp.ne.u32 %%p, %%t5, 0;\n\tmov.u32 %%t5, 0;\n"
			"\t@%%p ld.weak.global.u32 %%t5, [%%a%u];\n"
			"\tand.b32 %%t5, %%t5, 0;\n\tadd.u32 %%t7, %%t7, %%t5;\n",
			1u << k, k);
}

static void write_meeting(struct text *out, const struct litmus_test *test)
{
	text_print(out,
		"\tsetp.ne.u32 %%p, %%t3, 0;\n\t@!%%p red.relaxed.gpu.global.add.u32 [%%meeting], 1;\n"
		"MEET:\n\tld.relaxed.gpu.global.u32 %%t4, [%%meeting];\n\tsetp.lt.u32 %%p, %%t4, %u;\n"
		"\t@%%p bra MEET;\n",
		test->threads.count);
}

/* Lanes of a copy go on at the thread of their CTA and warp. */
static void write_dispatch(struct text *out, const struct litmus_test *test, const struct litmus_places *places,
	uint32_t copy, uint32_t copies)
{
	text_print(out, "\tand.b32 %%t4, %%t3, %u;\n\tsetp.ne.u32 %%p, %%t4, %u;\n\t@%%p bra COPY%u;\n", copies - 1,
		copy, copy);
	for (uint32_t t = 0; t < test->threads.count; t++) {
		uint32_t n = copy * LITMUS_THREADS + t;
		text_print(out,
			"\tsetp.ne.u32 %%p, %%cta, %u;\n\t@%%p bra NOT%u;\n\tsetp.eq.u32 %%p, %%warp, %u;\n"
			"\t@%%p bra THREAD%u;\nNOT%u:\n",
			places->cta[t], n, places->warp[t], n, n);
	}
	text_print(out, "\tret;\nCOPY%u:\n", copy);
}

const char *litmus_kernel(struct arena *arena, const struct litmus_test *test, const struct litmus_places *places,
	const struct litmus_form *form)
{
	struct text out = {.arena = arena};
	write_head(&out);
	write_role(&out);
	write_places(&out, test, places);
	write_idle(&out, places);
	write_warming(&out, test);
	write_meeting(&out, test);
	for (uint32_t copy = 0; copy < form->copies; copy++)
		write_dispatch(&out, test, places, copy, form->copies);
	text_print(&out, "\tret;\n");
	for (uint32_t copy = 0; copy < form->copies; copy++)
		for (uint32_t t = 0; t < test->threads.count; t++)
			write_thread(&(struct writer){&out, test, places, t, copy * LITMUS_THREADS + t, form});
	text_print(&out, "}\n");
	return out.at;
}

/* The last label of an instruction (write_code) up to the line says whose it is. */
bool litmus_access_of_line(
	const struct litmus_test *test, const char *ptx, uint32_t line, uint32_t *thread, uint32_t *instruction)
{
	uint32_t label, at;
	bool found = false;
	for (; line && ptx; line--) {
		if (sscanf(ptx, "T%" SCNu32 "_%" SCNu32 ":", &label, &at) == 2) {
			found = true;
			*thread = label % LITMUS_THREADS;
			*instruction = at;
		}
		ptx = strchr(ptx, '\n');
		ptx += ptx != NULL;
	}
	if (!found || *instruction >= test->threads.at[*thread].code.count)
		return false;
	enum litmus_kind kind = test->threads.at[*thread].code.at[*instruction].kind;
	return kind == LITMUS_LOAD || kind == LITMUS_STORE || kind == LITMUS_ATOM;
}
