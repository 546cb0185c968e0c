/* Special registers: which are known when, and the slot or the inserted instruction that gives each. */
#include "kernel/decode.h"

#define RESERVED_END 288u

/* Begin, end, size, and two places for what is kept there: as far from the beginning as on an H200 with driver
 * 580.159.04, measured on 27 November 2026 (0, 288, 1024, 0, 0).  Its end is not that of the 1024 bytes. */
static uint32_t reserved_shared(const struct kernel *kernel, uint32_t component)
{
	uint32_t first = kernel->shared.reserved;

	return component == 1 ? first + RESERVED_END : component == 2 ? kernel->shared.reserved_bytes : first;
}

static uint64_t fixed_value(const struct decoder *d, const struct ptx_operand *operand)
{
	switch (operand->special) {
	case SPECIAL_WARP_SZ: return d->kernel->lanes;
	case SPECIAL_RESERVED_SMEM: return reserved_shared(d->kernel, operand->component);
	default: return 0;
	}
}

static const struct warp_constant *find(
	const struct decoder *d, enum ptx_special special, uint32_t component, uint32_t bytes)
{
	for (uint32_t k = 0; k < d->warp_constants.count; k++) {
		const struct warp_constant *known = &d->warp_constants.at[k];
		if (known->special == special && known->component == component && known->bytes == bytes)
			return known;
	}
	return NULL;
}

/* The slot of the widest reader serves all: a 32-bit mov would misread a 64-bit slot, so each width has its own. */
static uint32_t reserve(struct decoder *d, const struct ptx_operand *operand, uint32_t bytes, uint32_t next)
{
	if (operand->kind != OPERAND_SPECIAL || ptx_specials[operand->special].home != HOME_WARP ||
		find(d, operand->special, operand->component, bytes))
		return next;
	next = (next + bytes / 4 - 1) / (bytes / 4) * (bytes / 4);
	*vector_push(d->arena, &d->warp_constants) = (struct warp_constant){.word = slot_reference(d, next, bytes),
		.special = (uint8_t)operand->special,
		.component = operand->component,
		.bytes = (uint8_t)bytes};
	return next + bytes / 4;
}

uint32_t special_reserve(struct decoder *d, const struct ptx_function *entry)
{
	uint32_t next = 0;
	for (uint32_t k = 0; k < entry->code.count; k++) {
		const struct ptx_instruction *i = &entry->code.at[k];
		for (uint32_t o = 0; o < i->operand_count; o++) {
			uint32_t bytes = type_slot_bytes(ptx_operand_type(i->op, i->type, o));
			next = reserve(d, &i->operand[o], bytes ? bytes : 4, next);
			for (uint32_t e = 0; i->operand[o].kind == OPERAND_VECTOR && e < i->operand[o].count; e++)
				next = reserve(d, &i->operand[o].element[e], 4, next);
		}
		for (uint32_t a = 0; a < i->argument_count; a++)
			next = reserve(d, &i->arguments[a], 4, next);
	}
	return next;
}

bool special_has_slot(const struct decoder *d, const struct ptx_operand *operand)
{
	enum special_home home = (enum special_home)ptx_specials[operand->special].home;
	return home <= HOME_LAUNCH || (home == HOME_WARP && d->function_index == 0);
}

slot_ref special_slot(struct decoder *d, const struct ptx_operand *operand, uint32_t bytes)
{
	enum special_home home = (enum special_home)ptx_specials[operand->special].home;
	if (home == HOME_FIXED)
		return constant_bits(d, bytes, fixed_value(d, operand), 0);
	if (home == HOME_LAUNCH)
		return constant_launch(d, operand->special, operand->component, bytes);
	if (special_has_slot(d, operand))
		return find(d, operand->special, operand->component, bytes)->word;
	slot_ref slot = temporary_slot(d, bytes);
	struct insn *read = decode_push(
		d, d->function->ptx->code.at[d->instruction].op, home >= HOME_PLACE ? INSN_CLOCK : INSN_PLAIN);
	read->inserted = INSERTED_SPECIAL;
	read->special = (uint8_t)operand->special;
	read->component = operand->component;
	read->d = slot;
	read->d_bytes = (uint8_t)bytes;
	decode_scoreboard(d, read);
	return slot;
}
