/* Runs one instruction, given as PTX words and source values, in every compiled variant that this processor can run,
 * and checks that all agree bit for bit and that inactive lanes keep what they had.  Shared by the tests of
 * src/warp/lanes/. */
#ifndef LOCKSTEP_TESTS_LANES_HARNESS_H
#define LOCKSTEP_TESTS_LANES_HARNESS_H

#include "warp/choose.h"
#include "warp/variants.h"
#include "warp/warp.h"

#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HARNESS_LANES 64
enum { SLOT_WORDS = 4 * HARNESS_LANES, SLOTS = 16 };

/* What goes in and what comes out.  Sources by the letters a b c e; predicates: `s`, and p q of logic on predicates in
 * predicate[]. */
struct call {
	const char *text; /* "add.sat.s32" */
	unsigned lanes;   /* 32 or 64 */
	lane_mask active;
	uint64_t source[5][HARNESS_LANES];
	lane_mask predicate[2];
	lane_mask carry; /* before, and after the call */
	uint32_t selector[4];
	bool negate[4];
	bool without_third;                 /* an optional c is left out */
	bool wide_source, wide_destination; /* 64-bit registers whatever the type, for cvt */
	uint64_t d[HARNESS_LANES];
	lane_mask p, q;
};

static const uint64_t UNTOUCHED = 0xa5a5a5a55a5a5a5a;

/* Splits at the dots, in place. */
static inline void split_words(char *text, struct ptx_words *words)
{
	words->mnemonic = text;
	for (char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
		*dot = '\0';
		words->word[words->count++] = dot + 1;
	}
}

/* Fills an instruction's row, types and modifiers from its words. */
static void call_decode(const char *text, struct insn *insn)
{
	char copy[160], reason[400] = "";
	struct ptx_words words = {0};
	enum ptx_type types[4];
	uint32_t type_count;
	snprintf(copy, sizeof copy, "%s", text);
	split_words(copy, &words);
	insn->op = (uint16_t)ptx_find_op(&words, &insn->modifiers, types, &type_count, reason, sizeof reason);
	if (!insn->op)
		fail_msg("%s: %s", text, reason);
	insn->type = (uint8_t)types[0];
	insn->type2 = (uint8_t)types[1];
	insn->type3 = (uint8_t)types[2];
}

static unsigned slot_bytes(enum ptx_type type)
{
	return ptx_types[type].bits <= 32 ? 4 : ptx_types[type].bits / 8;
}

static void put(uint32_t *slot, unsigned bytes, unsigned lane, uint64_t value)
{
	if (bytes == 8)
		memcpy(slot + 2 * lane, &value, 8);
	else
		slot[lane] = (uint32_t)value;
}

static uint64_t get(const uint32_t *slot, unsigned bytes, unsigned lane)
{
	uint64_t value;
	if (bytes != 8)
		return slot[lane];
	memcpy(&value, slot + 2 * lane, 8);
	return value;
}

/* Assigns slots by the letters of the shape: d is slot 0, sources follow; predicates 1 to 3 are s, p and q. */
static void call_operands(const struct call *call, struct insn *insn, uint32_t *registers)
{
	const char *shape = ptx_shapes[ptx_ops[insn->op].shape];
	enum ptx_type types[4] = {insn->type, insn->type2, insn->type3};
	unsigned source = 0, operand = 0;
	insn->d = SLOT_NONE;
	insn->pd = insn->pd2 = NO_PREDICATE;
	for (unsigned k = 0; k < INSN_SOURCES; k++)
		insn->s[k] = SLOT_NONE;
	for (const char *c = shape; *c; c++) {
		if (*c < 'a' || *c > 'z')
			continue;
		enum ptx_type type = ptx_operand_type((enum op)insn->op, types, operand++);
		unsigned bytes = type == TYPE_NONE ? 4 : slot_bytes(type);
		if (*c == 's') {
			insn->ps = 1;
		} else if (*c == 'p' || (*c == 'd' && type == TYPE_PRED)) {
			*(insn->pd == NO_PREDICATE ? &insn->pd : &insn->pd2) = insn->pd == NO_PREDICATE ? 4 : 5;
		} else if (type == TYPE_PRED) {
			insn->s[source] = 2 + source;
			source++;
		} else if (*c == 'd') {
			insn->d = 0;
			insn->d_bytes = (uint8_t)(call->wide_destination ? 8 : bytes);
		} else if (source == 2 && call->without_third) {
			source++;
		} else {
			insn->s_bytes[source] = (uint8_t)(call->wide_source ? 8 : bytes);
			insn->s[source] = (source + 1) * SLOT_WORDS;
			for (unsigned lane = 0; lane < call->lanes; lane++)
				put(registers + insn->s[source], insn->s_bytes[source], lane,
					call->source[source][lane]);
			source++;
		}
	}
}

/* Once; predicates hold `before` first. */
static void call_once(
	struct call *call, exec_function *exec, struct insn *insn, struct insn_extra *extras, lane_mask before)
{
	static _Alignas(64) uint32_t registers[SLOTS * SLOT_WORDS];
	lane_mask predicates[6] = {
		~(lane_mask)0, call->predicate[0], call->predicate[0], call->predicate[1], before, before};
	struct kernel kernel = {.extras = extras};
	static const struct launch_values launch;
	struct warp w = {.bank = {registers, registers},
		.predicates = predicates,
		.kernel = &kernel,
		.lanes = call->lanes,
		.launch = &launch};
	w.carry_bits = call->carry;
	w.carry = &w.carry_bits;
	call_operands(call, insn, registers);
	for (unsigned lane = 0; lane < call->lanes && insn->d != SLOT_NONE; lane++)
		put(registers, insn->d_bytes, lane, UNTOUCHED);
	exec(&w, insn, call->active);
	for (unsigned lane = 0; lane < call->lanes && insn->d != SLOT_NONE; lane++) {
		call->d[lane] = get(registers, insn->d_bytes, lane);
		if (!(call->active >> lane & 1))
			assert_int_equal(call->d[lane], insn->d_bytes == 8 ? UNTOUCHED : (uint32_t)UNTOUCHED);
	}
	assert_int_equal((predicates[4] ^ before) & ~call->active, 0);
	assert_int_equal((predicates[5] ^ before) & ~call->active, 0);
	call->p = predicates[4] & call->active;
	call->q = predicates[5] & call->active;
	call->carry = w.carry_bits;
}

/* Predicates that are written are set and cleared, whatever they were. */
static void call_in(struct call *call, exec_function *exec, struct insn *insn, struct insn_extra *extras)
{
	struct call other = *call;

	call_once(&other, exec, insn, extras, ~(lane_mask)0);
	call_once(call, exec, insn, extras, 0);
	if (insn->pd != NO_PREDICATE)
		assert_int_equal(call->p, other.p);
	if (insn->pd2 != NO_PREDICATE)
		assert_int_equal(call->q, other.q);
}

/* Runs the call in every usable variant of its warp size; `call` holds the results, the same from all. */
static void call_run(struct call *call)
{
	struct insn insn = {0};
	struct insn_extra extras[2] = {0};
	unsigned count = 0;
	lane_mask carry = call->carry;
	struct call first = {0};
	call_decode(call->text, &insn);
	insn.extra = 1;
	memcpy(extras[1].selector, call->selector, sizeof call->selector);
	memcpy(extras[1].negate, call->negate, sizeof call->negate);
	static uint32_t scratch[SLOTS * SLOT_WORDS];
	call_operands(call, &insn, scratch);
#define IN_VARIANT(name, size, usable)                                                                                 \
	if (call->lanes == (size) && (usable)) {                                                                       \
		exec_function *exec = lanes_lookup_##name(&insn, &extras[1]);                                          \
		if (!exec)                                                                                             \
			fail_msg("%s has no function", call->text);                                                    \
		call->carry = carry;                                                                                   \
		call_in(call, exec, &insn, extras);                                                                    \
		if (count++ == 0)                                                                                      \
			first = *call;                                                                                 \
		else if (memcmp(first.d, call->d, sizeof first.d) || first.p != call->p || first.q != call->q ||       \
			 first.carry != call->carry)                                                                   \
			fail_msg("%s: variant " #name " differs", call->text);                                         \
	}
	LANE_VARIANTS(IN_VARIANT)
#undef IN_VARIANT
	assert_true(count > 0);
}

/* The result of one lane, by name. */
static inline uint64_t call_one(const char *text, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	struct call call = {.text = text, .lanes = 32, .active = 1};
	call.source[0][0] = a;
	call.source[1][0] = b;
	call.source[2][0] = c;
	call.source[3][0] = e;
	call_run(&call);
	return call.d[0];
}

#endif
