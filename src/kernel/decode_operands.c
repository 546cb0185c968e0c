/* Operands to slots: registers, immediates, special registers, addresses, predicates, vectors, video selectors. */
#include "kernel/decode.h"

#include <string.h>

slot_ref slot_reference(const struct decoder *d, uint32_t slot, uint32_t bytes)
{
	return slot * d->kernel->lanes | (bytes >= 8 ? SLOT_WIDE : 0);
}

slot_ref register_slot(const struct decoder *d, const struct ptx_register *reg)
{
	uint32_t slot = d->function->slots->slot[reg->index];
	return slot == NO_SLOT ? SLOT_NONE : slot_reference(d, slot, type_slot_bytes(reg->type));
}

static uint16_t predicate_number(const struct decoder *d, const struct ptx_register *reg)
{
	return (uint16_t)d->function->slots->slot[reg->index];
}

/* Slots after the assigned ones, free again at the next instruction. */
slot_ref temporary_slot(struct decoder *d, uint32_t bytes)
{
	uint32_t width = bytes / 4, base = d->function->slots->slot_count;
	uint32_t slot = (base + d->temporary + width - 1) / width * width;
	d->temporary = slot + width - base;
	if (d->temporary > d->function->temporaries)
		d->function->temporaries = d->temporary;
	return slot_reference(d, slot, bytes);
}

bool variable_in_frame(const struct decoder *d, const struct ptx_variable *variable)
{
	const struct ptx_function *function = d->function->ptx;
	return variable->space == space_LOCAL ||
	       (variable->space == space_PARAM && !(variable->is_formal && function->is_entry));
}

uint64_t frame_offset(const struct decoder *d, const struct ptx_variable *variable)
{
	return d->function->stack_offset[variable->index];
}

/* The address of a variable in its own space, as mov gives it. */
slot_ref address_slot(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_variable *variable,
	int64_t offset, uint32_t bytes)
{
	if (variable_in_frame(d, variable)) {
		int64_t in_frame = (int64_t)frame_offset(d, variable) + offset;
		if (d->function_index == 0) /* the entry's frame is at the bottom */
			return constant_bits(d, bytes, (uint64_t)in_frame, 0);
		slot_ref slot = temporary_slot(d, bytes);
		struct insn *insn = decode_push(d, instruction->op, INSN_PLAIN);
		insn->inserted = INSERTED_STACK_ADDRESS;
		insn->d = slot;
		insn->d_bytes = (uint8_t)bytes;
		insn->offset = in_frame;
		decode_scoreboard(d, insn);
		return slot;
	}
	switch (variable->space) {
	case space_PARAM: return constant_bits(d, bytes, variable->offset + (uint64_t)offset, 0);
	case space_SHARED: return constant_bits(d, bytes, layout_shared_offset(d, variable) + (uint64_t)offset, 0);
	case space_GLOBAL:
	case space_CONST: return constant_address(d, variable, offset, bytes);
	default:
		decode_error(d, instruction,
			"variable '%s' has no address here: .local variables belong inside functions", variable->name);
		return constant_bits(d, bytes, 0, 0);
	}
}

static slot_ref function_slot(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_function *function, uint32_t bytes)
{
	if (!function->is_defined)
		decode_error(d, instruction, "the address of undefined function '%s' is taken", function->name);
	return constant_bits(d, bytes, kernel_function_address(function), 0);
}

slot_ref source_slot(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *operand,
	enum ptx_type type, uint8_t *bytes)
{
	if (type == TYPE_NONE) /* an address: as wide as the module's */
		type = d->module->address_bits == 32 ? TYPE_U32 : TYPE_U64;
	*bytes = (uint8_t)type_slot_bytes(type);
	switch (operand->kind) {
	case OPERAND_REGISTER:
		*bytes = (uint8_t)type_slot_bytes(operand->reg->type);
		return register_slot(d, operand->reg);
	case OPERAND_IMMEDIATE: return constant_immediate(d, operand, type);
	case OPERAND_SPECIAL: return special_slot(d, operand, *bytes);
	case OPERAND_VARIABLE: return address_slot(d, instruction, operand->variable, operand->offset, *bytes);
	case OPERAND_FUNCTION: return function_slot(d, instruction, operand->function, *bytes);
	default: *bytes = 0; return SLOT_NONE;
	}
}

void decode_guard(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	if (!instruction->guard)
		return;
	insn->guard = predicate_number(d, instruction->guard);
	insn->guard_invert = instruction->guard_negated;
	insn->flags |= INSN_GUARDED;
}

struct insn_extra *decode_extra(struct decoder *d, struct insn *insn)
{
	if (!insn->extra) {
		insn->extra = d->extras.count;
		vector_push(d->arena, &d->extras);
	}
	return &d->extras.at[insn->extra];
}

/* A predicate source as a number with PREDICATE_INVERT; constants are predicate 0, which is true in every lane. */
static uint16_t predicate_source(const struct decoder *d, const struct ptx_operand *operand)
{
	bool invert = operand->negated;
	uint16_t number = 0;
	if (operand->kind == OPERAND_REGISTER)
		number = predicate_number(d, operand->reg);
	else if (operand->kind == OPERAND_IMMEDIATE)
		invert ^= operand->bits == 0;
	return (uint16_t)(number | (invert ? PREDICATE_INVERT : 0));
}

/* Of d|p the predicate, of p|p the first is pd, the second of p|p pd2; rows of type .pred have a predicate for d.  The
 * predicate of d|p is often written for want of another form and read by nobody: it is then a sink, so that nothing
 * waits for it. */
void decode_destination(struct decoder *d, const struct ptx_instruction *instruction, uint32_t k, struct insn *insn)
{
	const struct ptx_operand *operand = &instruction->operand[k];
	if (operand->kind != OPERAND_REGISTER)
		return;
	if (operand->reg->type != TYPE_PRED) {
		insn->d = register_slot(d, operand->reg);
		insn->d_bytes = (uint8_t)type_slot_bytes(operand->reg->type);
	} else if (k == 1 && operand_letter(instruction, 0) == 'p') {
		insn->pd2 = predicate_number(d, operand->reg);
	} else if (k == 1 && insn_kinds[insn->kind].class == CLASS_COMPUTED &&
		   d->function->slots->dead_predicate[d->instruction]) {
		insn->pd = NO_PREDICATE;
	} else {
		insn->pd = predicate_number(d, operand->reg);
	}
}

/* The parts of a vector: written when `mov` takes a value apart, read when it puts one together. */
static void decode_vector(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_operand *operand, enum ptx_type element, struct insn *insn)
{
	slot_ref parts[8] = {0};
	uint8_t bytes = 0;
	for (uint32_t e = 0; e < operand->count && e < 8; e++)
		parts[e] = source_slot(d, instruction, &operand->element[e], element, &bytes);
	struct insn_extra *extra = decode_extra(d, insn);
	memcpy(extra->vector, parts, sizeof parts);
	extra->vector_count = operand->count;
}

/* The type of one element when `mov` packs or unpacks. */
static enum ptx_type part_type(enum ptx_type whole, uint32_t count)
{
	switch (ptx_types[whole].bits / (count ? count : 1)) {
	case 8: return TYPE_B8;
	case 16: return TYPE_B16;
	case 32: return TYPE_B32;
	default: return TYPE_B64;
	}
}

/* Part lists are written most significant first: .b3210 is the identity. */
static uint32_t selector_list(const char *text)
{
	uint32_t list = 0;
	for (text++; *text; text++)
		list = list << 4 | (uint32_t)(*text - '0');
	return list;
}

static uint32_t written_parts(const char *text, bool by_bytes)
{
	uint32_t mask = 0;
	for (text = text ? text + 1 : by_bytes ? "3210" : "10"; *text; text++)
		mask |= 1u << (*text - '0');
	return mask;
}

static void decode_selectors(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	const char *spelling = ptx_ops[instruction->op].spelling;
	char last = spelling[strcspn(spelling, ". ") - 1];
	struct insn_extra *extra = decode_extra(d, insn);
	for (uint32_t k = 0; k < instruction->operand_count && k < 4; k++) {
		const struct ptx_operand *operand = &instruction->operand[k];
		extra->negate[k] = operand->negated;
		if (last != '2' && last != '4')
			extra->selector[k] = operand->selector;
		else if (k == 0)
			extra->selector[k] = written_parts(operand->selector_text, last == '4');
		else if (operand->selector_text)
			extra->selector[k] = selector_list(operand->selector_text);
		else
			extra->selector[k] = last == '4' ? (k == 2 ? 0x7654 : 0x3210) : k == 2 ? 0x32 : 0x10;
	}
}

static bool is_video(enum op op)
{
	switch (ptx_ops[op].shape) {
	case SHAPE_VIDEO:
	case SHAPE_VIDEO2:
	case SHAPE_VIDEO_SET:
	case SHAPE_VIDEO2_SET: return true;
	default: return false;
	}
}

void decode_predicate(struct decoder *d, const struct ptx_operand *operand, struct insn *insn)
{
	uint16_t source = predicate_source(d, operand);
	insn->ps = source & (uint16_t)~PREDICATE_INVERT;
	insn->ps_invert = (source & PREDICATE_INVERT) != 0;
}

/* One source: a predicate goes to ps, or for rows of type .pred into s as a number; all else into s. */
static void decode_source(
	struct decoder *d, const struct ptx_instruction *instruction, uint32_t k, uint32_t *next, struct insn *insn)
{
	const struct ptx_operand *operand = &instruction->operand[k];
	char letter = operand_letter(instruction, k);
	enum ptx_type type = ptx_operand_type(instruction->op, instruction->type, k);
	if (letter == 's') {
		decode_predicate(d, operand, insn);
		return;
	}
	if (letter == 'l' || letter == 'f' || letter == 't' || letter == 'm' /* prefetch */ || *next >= INSN_SOURCES)
		return;
	if (operand->kind == OPERAND_VECTOR)
		decode_vector(d, instruction, operand, part_type(instruction->type[0], operand->count), insn);
	else if (type == TYPE_PRED)
		insn->s[*next] = predicate_source(d, operand);
	else
		insn->s[*next] = source_slot(d, instruction, operand, type, &insn->s_bytes[*next]);
	++*next;
}

void decode_operands(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	uint32_t next = 0;
	for (uint32_t k = 0; k < instruction->operand_count; k++) {
		const struct ptx_operand *operand = &instruction->operand[k];
		if (!operand_is_destination(instruction, k))
			decode_source(d, instruction, k, &next, insn);
		else if (operand->kind == OPERAND_VECTOR)
			decode_vector(d, instruction, operand, part_type(instruction->type[0], operand->count), insn);
		else
			decode_destination(d, instruction, k, insn);
	}
	if (is_video(instruction->op))
		decode_selectors(d, instruction, insn);
}
