/* Textures and surfaces: the handle, the coordinates, and what tex has beside them, a sampler for instance. */
#include "kernel/decode.h"

#include <string.h>

/* The handle of a reference is its variable's address. */
void decode_image(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *image,
	struct insn *insn)
{
	enum ptx_type type = instruction->type_count > 1 ? instruction->type[1] : TYPE_S32;
	uint8_t geometry = instruction->modifiers.geometry;
	bool layered = geometry == geometry_A1D || geometry == geometry_A2D || geometry == geometry_ACUBE;
	slot_ref coordinates[4] = {0};
	uint8_t unused;
	insn->s_bytes[0] = 8;
	if (image->variable) {
		insn->s[0] = address_slot(d, instruction, image->variable, 0, 8);
	} else {
		insn->s[0] = register_slot(d, image->reg);
		insn->s_bytes[0] = (uint8_t)type_slot_bytes(image->reg->type);
	}
	uint32_t count = image->count - image->has_sampler;
	if (!count)
		return;
	for (uint32_t k = 0; k < count && k < 4; k++)
		coordinates[k] =
			source_slot(d, instruction, &image->element[k], layered && k == 0 ? TYPE_U32 : type, &unused);
	if (image->has_sampler)
		insn->s[2] = source_slot(d, instruction, &image->element[count], TYPE_U64, &insn->s_bytes[2]);
	struct insn_extra *extra = decode_extra(d, insn);
	memcpy(extra->coordinates, coordinates, sizeof coordinates);
	extra->coordinate_count = count;
}

static void decode_gradients(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	slot_ref gradients[2][3] = {0};
	uint32_t count = 1;
	uint8_t unused;
	for (uint32_t axis = 0; axis < 2; axis++) {
		const struct ptx_operand *operand = &instruction->operand[3 + axis];
		count = operand->kind == OPERAND_VECTOR ? operand->count < 3 ? operand->count : 3 : 1;
		for (uint32_t k = 0; k < count; k++)
			gradients[axis][k] = source_slot(d, instruction,
				operand->kind == OPERAND_VECTOR ? &operand->element[k] : operand, instruction->type[1],
				&unused);
	}
	struct insn_extra *extra = decode_extra(d, insn);
	memcpy(extra->gradients, gradients, sizeof gradients);
	extra->gradient_count = count;
}

/* v|p, [image, coordinates], then the level or two gradients. */
void decode_texture(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	const struct ptx_operand *texel = &instruction->operand[0];
	slot_ref parts[8] = {0};
	uint8_t unused;
	insn->access = (struct insn_access){.space = space_GLOBAL,
		.bytes = 4,
		.elements = 4,
		.type = (uint8_t)instruction->type[0],
		.register_bytes = 4};
	d->kernel->uses.textures = true;
	decode_image(d, instruction, &instruction->operand[2], insn);
	if (ptx_ops[instruction->op].shape == SHAPE_VP_M_B)
		insn->s[1] =
			source_slot(d, instruction, &instruction->operand[3], instruction->type[1], &insn->s_bytes[1]);
	if (ptx_ops[instruction->op].shape == SHAPE_VP_M_G_G)
		decode_gradients(d, instruction, insn);
	decode_destination(d, instruction, 1, insn);
	for (uint32_t k = 0; k < 4; k++)
		parts[k] = source_slot(d, instruction, &texel->element[k], instruction->type[0], &unused);
	struct insn_extra *extra = decode_extra(d, insn);
	memcpy(extra->vector, parts, sizeof parts);
	extra->vector_count = 4;
}

/* d, [image] and maybe a level; or p, handle. */
void decode_image_query(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	decode_destination(d, instruction, 0, insn);
	if (op_is(instruction->op, "istypep")) {
		insn->s[0] = source_slot(d, instruction, &instruction->operand[1], TYPE_NONE, &insn->s_bytes[0]);
		return;
	}
	decode_image(d, instruction, &instruction->operand[1], insn);
	if (instruction->operand_count > 2)
		insn->s[1] = source_slot(d, instruction, &instruction->operand[2], TYPE_U32, &insn->s_bytes[1]);
}
