/* Loads, stores, atomics, mbarrier objects and asynchronous copies: where the address is, in which space, and what is
 * moved. */
#include "kernel/decode.h"

#include "util/tensor_map.h"

#include <stddef.h>
#include <string.h>

static void decode_variable_base(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_operand *address, struct insn *insn)
{
	const struct ptx_variable *variable = address->variable;
	insn->access.space = variable->space;
	if (variable_in_frame(d, variable)) {
		insn->access.space = space_LOCAL;
		insn->access.in_frame = 1;
		insn->offset += (int64_t)frame_offset(d, variable);
	} else if (variable->space == space_SHARED) {
		insn->offset += (int64_t)layout_shared_offset(d, variable);
	} else if (variable->space == space_PARAM) {
		insn->offset += (int64_t)variable->offset;
	} else {
		insn->s[0] = address_slot(d, instruction, variable, 0, 8);
	}
}

/* [reg + offset], [variable + offset], [number].  A known offset needs no instruction: it is added to a constant
 * zero. */
void decode_address(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *address,
	struct insn *insn)
{
	if (instruction->modifiers.geometry && instruction_kind(instruction) != INSN_COPY) {
		decode_image(d, instruction, address, insn);
		insn->access.space = space_SURFACE;
		return;
	}
	insn->access.space = instruction->modifiers.space;
	insn->offset = address->offset;
	insn->s[0] = constant_bits(d, 8, 0, 0);
	insn->s_bytes[0] = 8;
	if (address->kind == OPERAND_IMMEDIATE)
		insn->offset = (int64_t)address->bits;
	else if (address->variable)
		decode_variable_base(d, instruction, address, insn);
	else if (address->reg) {
		insn->s[0] = register_slot(d, address->reg);
		insn->s_bytes[0] = (uint8_t)type_slot_bytes(address->reg->type);
	}
	/* A pointer to a .param variable of a device function points into its stack frame. */
	if (!address->variable && insn->access.space == space_PARAM && d->function_index != 0)
		insn->access.space = space_LOCAL;
}

static uint8_t element_count(const struct ptx_instruction *instruction)
{
	switch (instruction->modifiers.vector) {
	case vector_V2: return 2;
	case vector_V4: return 4;
	case vector_V8: return 8;
	default: return 1;
	}
}

/* A value that is loaded, stored or operated with: one register, or several in the extra. */
static void decode_value(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *value,
	slot_ref *slot, struct insn *insn)
{
	bool is_operand = insn->kind == INSN_ATOMIC && slot != &insn->d;
	enum ptx_type type = (enum ptx_type)insn->access.type;
	slot_ref parts[8] = {0};
	uint8_t bytes = (uint8_t)type_slot_bytes(type), part_bytes = 0;
	if (value->kind == OPERAND_VECTOR && value->count == 1) /* as surfaces have it */
		value = value->element;
	if (value->kind != OPERAND_VECTOR) {
		*slot = source_slot(d, instruction, value, type, &part_bytes);
		insn->access.register_bytes = part_bytes ? part_bytes : bytes;
		return;
	}
	for (uint32_t e = 0; e < value->count && e < 8; e++) {
		parts[e] = source_slot(d, instruction, &value->element[e], type, &part_bytes);
		bytes = part_bytes ? part_bytes : bytes;
	}
	insn->access.register_bytes = bytes;
	struct insn_extra *extra = decode_extra(d, insn);
	memcpy(is_operand ? extra->values : extra->vector, parts, sizeof parts);
	*(is_operand ? &extra->value_count : &extra->vector_count) = value->count;
}

static bool has_destination(const struct decoder *d, const struct insn *insn)
{
	const struct insn_extra *extra = &d->extras.at[insn->extra];
	for (uint32_t k = 0; insn->extra && k < extra->vector_count; k++)
		if (extra->vector[k] != SLOT_NONE)
			return true;
	return insn->d != SLOT_NONE;
}

#define FIELD(op, member, each) [OP_##op - OP_tensormap_address] = {offsetof(struct tensor_map, member), each}

/* PTX ISA, "tensormap.replace", the table of .elemtype: CUtensorMapDataType has another order. */
static const uint8_t element_types[16] = {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64, TENSOR_S64,
	TENSOR_F16, TENSOR_F32, TENSOR_F32_FTZ, TENSOR_F64, TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ, TENSOR_U4_ALIGN8,
	TENSOR_U4_ALIGN16, TENSOR_U6_ALIGN16};

/* The store goes to a field of a tensor map, or to its element for a dimension. */
static void decode_map_field(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	static const struct {
		uint8_t offset, bytes;
	} fields[] = {FIELD(tensormap_address, address, 8), FIELD(tensormap_rank, rank, 1),
		FIELD(tensormap_box, box, 2), FIELD(tensormap_size, size, 8), FIELD(tensormap_stride, stride, 8),
		FIELD(tensormap_step, step, 1), FIELD(tensormap_type, type, 1),
		FIELD(tensormap_interleave, interleave, 1), FIELD(tensormap_swizzle, swizzle, 1),
		FIELD(tensormap_atom, atom, 1), FIELD(tensormap_fill, fill, 1)};
	uint32_t which = instruction->op - OP_tensormap_address, bytes = fields[which].bytes;
	uint32_t written = ptx_types[instruction->type[0]].bits / 8;
	uint64_t value = instruction->operand[1].bits;
	insn->offset += fields[which].offset;
	if (ptx_ops[instruction->op].shape == SHAPE_M_N_A) {
		insn->offset += (int64_t)(value * bytes);
		insn->s[1] = insn->s[2];
		insn->s_bytes[1] = insn->s_bytes[2];
	} else if (instruction->op != OP_tensormap_address) {
		value = instruction->op == OP_tensormap_rank   ? value + 1
			: instruction->op == OP_tensormap_type ? element_types[value]
							       : value;
		insn->s[1] = constant_bits(d, 4, value, 0);
	}
	insn->s[2] = SLOT_NONE;
	insn->access.bytes = (uint8_t)(bytes < written ? bytes : written);
	insn->access.type = insn->access.bytes == 8   ? TYPE_B64
			    : insn->access.bytes == 4 ? TYPE_B32
			    : insn->access.bytes == 2 ? TYPE_B16
						      : TYPE_B8;
}
#undef FIELD

void decode_access(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	const struct ptx_modifiers *m = &instruction->modifiers;
	enum ptx_type type = instruction->type[0];
	uint32_t next = 1;
	insn->access = (struct insn_access){.bytes = (uint8_t)(ptx_types[type].bits / 8),
		.elements = element_count(instruction),
		.order = m->order,
		.scope = m->scope,
		.cache = m->cache,
		.cluster = m->cluster,
		.type = (uint8_t)type,
		.atomic = (uint8_t)(insn->kind == INSN_ATOMIC ? instruction_atomic(instruction) : ATOMIC_NONE)};
	if (insn->kind == INSN_LOAD && ptx_types[type].kind == KIND_SIGNED)
		insn->flags |= INSN_SIGNED;
	for (uint32_t k = 0; k < instruction->operand_count; k++) {
		const struct ptx_operand *operand = &instruction->operand[k];
		if (operand_letter(instruction, k) == 'm')
			decode_address(d, instruction, operand, insn);
		else if (operand_letter(instruction, k) == 'p')
			decode_destination(d, instruction, k, insn);
		else if (operand_is_destination(instruction, k))
			decode_value(d, instruction, operand, &insn->d, insn);
		else if (operand->kind != OPERAND_NONE && operand_letter(instruction, k) != 'y') {
			decode_value(d, instruction, operand, &insn->s[next], insn);
			insn->s_bytes[next++] = insn->access.register_bytes;
		}
	}
	if (insn->d != SLOT_NONE)
		insn->d_bytes = insn->access.register_bytes;
	if (instruction->op == OP_st_async_release || instruction->op == OP_red_async_release) {
		insn->access.space = space_GLOBAL;
		insn->access.order = order_RELEASE;
	}
	if (instruction->op >= OP_tensormap_address && instruction->op <= OP_tensormap_fill)
		decode_map_field(d, instruction, insn);
	bool dead = !has_destination(d, insn) || d->function->slots->dead_result[d->instruction];
	if (insn->kind == INSN_ATOMIC && dead)
		insn->flags |= INSN_NO_RESULT;
}

/* ldslk has two results, a predicate or with .v2 a register being the second, or leaves the second out: lanes that do
 * not ask whether they got the bit. */
void decode_lock_bit(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	decode_access(d, instruction, insn);
	if (insn->access.space != space_SHARED || insn->access.elements > 2) {
		decode_error(d, instruction,
			"'%s': lock bits are of words of shared memory: expected ldslk.shared.b32, ldslk.shared.v2.b32 "
			"or "
			"stsul.shared.b32",
			instruction->opcode);
		return;
	}
	insn->access.elements = 1;
	d->kernel->uses.lock_bits = true;
}

/* s[0] is the object's address, s[1] and s[2] are the sources after it, where they are written. */
void decode_mbarrier(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	uint32_t next = 1;
	insn->access = (struct insn_access){.bytes = 8,
		.elements = 1,
		.type = TYPE_B64,
		.register_bytes = 8,
		.order = order_RELAXED,
		.scope = scope_CTA,
		.cluster = instruction->modifiers.cluster};
	if (instruction->modifiers.scope == scope_CLUSTER && instruction->modifiers.order != order_RELAXED) {
		insn->access.order = instruction->modifiers.order;
		insn->access.scope = scope_CLUSTER;
	}
	for (uint32_t k = 0; k < instruction->operand_count; k++) {
		const struct ptx_operand *operand = &instruction->operand[k];
		enum ptx_type type = ptx_operand_type(instruction->op, instruction->type, k);
		if (operand_letter(instruction, k) == 'm')
			decode_address(d, instruction, operand, insn);
		else if (operand_is_destination(instruction, k))
			decode_destination(d, instruction, k, insn);
		else if (operand->kind != OPERAND_NONE) {
			insn->s[next] = source_slot(d, instruction, operand, type, &insn->s_bytes[next]);
			next++;
		}
	}
	if ((insn->d == SLOT_NONE && insn->pd == NO_PREDICATE) || d->function->slots->dead_result[d->instruction])
		insn->flags |= INSN_NO_RESULT;
}

/* An address into s[k]; its offset is returned, as s[0]'s is the instruction's own. */
static int64_t decode_more_address(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_operand *operand, uint32_t k, struct insn *insn)
{
	struct insn scratch = *insn;
	decode_address(d, instruction, operand, &scratch);
	insn->s[k] = scratch.s[0];
	insn->s_bytes[k] = scratch.s_bytes[0];
	return scratch.offset;
}

/* The mbarrier is the last operand. */
void decode_async(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	struct ptx_instruction access = *instruction;
	int64_t offset;
	access.operand_count = 2;
	decode_access(d, &access, insn);
	insn->access.atomic = (uint8_t)instruction_atomic(instruction);
	offset = decode_more_address(d, instruction, &instruction->operand[2], 2, insn);
	decode_extra(d, insn)->offsets[0] = offset;
}

/* How many bytes a lane of cp.async moves. */
static uint8_t copy_bytes(const struct ptx_instruction *instruction)
{
	bool is_plain = instruction->op == OP_cp_async_ca || instruction->op == OP_cp_async_cg;
	return is_plain ? (uint8_t)instruction->operand[2].bits : 16;
}

/* The size that is really copied: .u32, or a predicate that says to copy nothing.  A cache policy, of 64 bits, changes
 * nothing. */
static void decode_copied(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_operand *operand, struct insn *insn)
{
	bool is_policy = (instruction->modifiers.flags & FLAG_CACHE_HINT) && instruction->operand_count < 5;
	if (operand->kind == OPERAND_REGISTER && operand->reg->type == TYPE_PRED) {
		insn->ps = (uint16_t)d->function->slots->slot[operand->reg->index];
		insn->ps_invert = operand->negated;
	} else if (operand->kind != OPERAND_NONE && !is_policy) {
		insn->s[2] = source_slot(d, instruction, operand, TYPE_U32, &insn->s_bytes[2]);
	}
}

/* PTX ISA, "cp.reduce.async.bulk": each element is reduced on its own, .relaxed.gpu. */
static void decode_reduction(const struct ptx_instruction *instruction, struct insn *insn)
{
	insn->access.atomic = (uint8_t)instruction_atomic(instruction);
	insn->access.type = (uint8_t)instruction->type[0];
	insn->access.bytes = (uint8_t)(ptx_types[instruction->type[0]].bits / 8);
	insn->access.order = order_RELAXED;
	insn->access.scope = scope_GPU;
	insn->flags |= INSN_NO_RESULT;
}

/* A tensor map's address and the coordinates behind it. */
static void decode_tensor(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *o, struct insn *insn)
{
	struct insn_extra *extra;
	slot_ref coordinates[TENSOR_RANK] = {0};
	uint8_t unused;
	decode_address(d, instruction, o, insn);
	for (uint32_t k = 0; k < o->count; k++)
		coordinates[k] = source_slot(d, instruction, &o->element[k], TYPE_S32, &unused);
	extra = decode_extra(d, insn);
	memcpy(extra->coordinates, coordinates, sizeof coordinates);
	extra->coordinate_count = o->count;
	extra->is_parameter = insn->access.space == space_PARAM;
}

static void decode_pixel_offsets(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *o, struct insn *insn)
{
	struct insn_extra *extra;
	slot_ref moved[TENSOR_RANK - 2] = {0};
	uint8_t unused;
	for (uint32_t k = 0; k < o->count; k++)
		moved[k] = source_slot(d, instruction, &o->element[k], TYPE_U16, &unused);
	extra = decode_extra(d, insn);
	memcpy(extra->moved, moved, sizeof moved);
	extra->moved_count = o->count;
}

/* The operands of a copy of a tensor's box: s[0] the map, s[1] shared memory, s[3] the mbarrier, s[4] the groups. */
static void decode_tensor_copy(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	int64_t offsets[2] = {0};
	bool has_place = false;
	insn->access = (struct insn_access){
		.bytes = 16, .elements = 1, .type = TYPE_B8, .register_bytes = 4, .cache = cache_CG};
	if (instruction_atomic(instruction) != ATOMIC_NONE)
		decode_reduction(instruction, insn);
	for (uint32_t k = 0; k < instruction->operand_count; k++) {
		const struct ptx_operand *o = &instruction->operand[k];
		if (o->kind == OPERAND_NONE)
			continue;
		switch (operand_letter(instruction, k)) {
		case 'n': decode_tensor(d, instruction, o, insn); break;
		case 'o': decode_pixel_offsets(d, instruction, o, insn); break;
		case 'e': insn->s[4] = source_slot(d, instruction, o, TYPE_B16, &insn->s_bytes[4]); break;
		case 'h':
			offsets[has_place] = decode_more_address(d, instruction, o, has_place ? 3 : 1, insn);
			has_place = true;
			break;
		default: break;
		}
	}
	insn->access.space = space_GLOBAL;
	struct insn_extra *extra = decode_extra(d, insn);
	memcpy(extra->offsets, offsets, sizeof offsets);
}

void decode_copy(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	const struct ptx_operand *o = instruction->operand;
	bool arrives = instruction->op == OP_cp_async_arrive, stores = operand_letter(instruction, 0) == 'g';
	bool is_bulk = !arrives && instruction->op != OP_cp_async_ca && instruction->op != OP_cp_async_cg;
	struct insn_extra *extra;
	int64_t offsets[2] = {0};
	if (instruction->modifiers.geometry) {
		decode_tensor_copy(d, instruction, insn);
		return;
	}
	insn->access = (struct insn_access){.bytes = copy_bytes(instruction),
		.elements = 1,
		.type = TYPE_B8,
		.register_bytes = 4,
		.cache = instruction->op == OP_cp_async_ca ? cache_CA : cache_CG};
	if (instruction_atomic(instruction) != ATOMIC_NONE)
		decode_reduction(instruction, insn);
	if (!arrives)
		decode_address(d, instruction, &o[!stores], insn);
	insn->access.space = space_GLOBAL;
	offsets[0] = decode_more_address(d, instruction, &o[stores], 1, insn);
	if (is_bulk)
		insn->s[2] = source_slot(d, instruction, &o[2], TYPE_U32, &insn->s_bytes[2]);
	else if (!arrives)
		decode_copied(d, instruction, &o[3], insn);
	if (is_bulk && !stores)
		offsets[1] = decode_more_address(d, instruction, &o[3], 3, insn);
	if (instruction->op == OP_cp_async_bulk_multicast)
		insn->s[4] = source_slot(d, instruction, &o[4], TYPE_B16, &insn->s_bytes[4]);
	extra = decode_extra(d, insn);
	memcpy(extra->offsets, offsets, sizeof offsets);
}

void decode_fence(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	if (instruction->op == OP_fence_tensormap_acquire)
		decode_address(d, instruction, &instruction->operand[0], insn);
	else
		decode_operands(d, instruction, insn);
}

/* tensormap.cp_fenceproxy: the copy, and behind it a fence of its scope. */
void decode_map_copy(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	const struct ptx_operand *o = instruction->operand;
	struct insn fence = *insn;
	int64_t offset;
	insn->access = (struct insn_access){.bytes = 16, .elements = 1, .type = TYPE_B8, .register_bytes = 4};
	decode_address(d, instruction, &o[0], insn);
	offset = decode_more_address(d, instruction, &o[1], 1, insn);
	decode_extra(d, insn)->offsets[0] = offset;
	insn->access.space = space_GLOBAL;
	decode_scoreboard(d, insn);
	*vector_push(d->arena, &d->code) = *insn;
	*insn = fence;
	insn->op = OP_fence_tensormap_release;
	insn->kind = INSN_FENCE;
	insn->latency = (uint8_t)ptx_latency(OP_fence_tensormap_release, instruction->type);
	insn->unit = UNIT_CONTROL;
}
