/* The constant bank: one slot for each immediate, launch value and variable address that some instruction reads. */
#include "kernel/decode.h"

#include <math.h>
#include <string.h>

/* A new slot of `bytes` with the value in every lane; a 128-bit slot has its low halves first. */
static uint32_t new_slot(struct decoder *d, uint32_t bytes, uint64_t low, uint64_t high)
{
	uint32_t lanes = d->kernel->lanes, word = d->constants.count;
	for (uint32_t half = 0; half < (bytes == 16 ? 2u : 1u); half++)
		for (uint32_t lane = 0; lane < lanes; lane++) {
			uint64_t value = half ? high : low;
			*vector_push(d->arena, &d->constants) = (uint32_t)value;
			if (bytes > 4)
				*vector_push(d->arena, &d->constants) = (uint32_t)(value >> 32);
		}
	return word;
}

slot_ref constant_bits(struct decoder *d, uint32_t bytes, uint64_t low, uint64_t high)
{
	uint64_t key[3] = {bytes, low, high};
	uintptr_t known = (uintptr_t)map_get_length(&d->immediates, (const char *)key, sizeof key);
	if (!known) { /* stored plus one, since word 0 is a slot too */
		known = new_slot(d, bytes, low, high) + 1u;
		map_put(d->arena, &d->immediates, (const char *)key, sizeof key, (void *)known);
	}
	return SLOT_CONSTANT | (slot_ref)(known - 1);
}

slot_ref constant_launch(struct decoder *d, enum ptx_special special, uint32_t component, uint32_t bytes)
{
	for (uint32_t k = 0; k < d->launch_constants.count; k++) {
		const struct launch_constant *known = &d->launch_constants.at[k];
		if (known->special == special && known->component == component && known->bytes == bytes)
			return SLOT_CONSTANT | known->word;
	}
	uint32_t word = new_slot(d, bytes, 0, 0);
	*vector_push(d->arena, &d->launch_constants) = (struct launch_constant){
		.word = word, .special = (uint8_t)special, .component = (uint8_t)component, .bytes = (uint8_t)bytes};
	return SLOT_CONSTANT | word;
}

slot_ref constant_address(struct decoder *d, const struct ptx_variable *variable, int64_t addend, uint32_t bytes)
{
	for (uint32_t k = 0; k < d->variable_addresses.count; k++) {
		const struct variable_address *known = &d->variable_addresses.at[k];
		if (known->variable == variable && known->addend == addend && known->bytes == bytes)
			return SLOT_CONSTANT | known->word;
	}
	uint32_t word = new_slot(d, bytes, 0, 0);
	*vector_push(d->arena, &d->variable_addresses) = (struct variable_address){
		.word = word, .variable = variable, .addend = addend, .bytes = (uint8_t)bytes};
	return SLOT_CONSTANT | word;
}

static uint64_t bits_of_double(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint32_t bits_of_float(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* The value of a literal: 0f... literals are exact single precision, all other floating ones double. */
static double literal_value(const struct ptx_operand *operand)
{
	double value;
	if (operand->is_float32) {
		float single;
		uint32_t bits = (uint32_t)operand->bits;
		memcpy(&single, &bits, sizeof single);
		return (double)single;
	}
	if (!operand->is_float)
		return (double)(int64_t)operand->bits;
	memcpy(&value, &operand->bits, sizeof value);
	return value;
}

/* A float literal in an untyped or integer operand keeps its bits (mov.b32 %r, 0f3F800000), an integer literal in a
 * float operand its value. NaN payloads survive, since a literal of the operand's own width is never converted. */
static uint64_t literal_bits(const struct ptx_operand *operand, enum ptx_type type)
{
	uint32_t bits = ptx_types[type].bits;
	if (type == TYPE_F64)
		return operand->is_float && !operand->is_float32 ? operand->bits
								 : bits_of_double(literal_value(operand));
	if (type == TYPE_F32 || type == TYPE_TF32)
		return operand->is_float32 ? operand->bits & 0xffffffffu : bits_of_float((float)literal_value(operand));
	return bits < 64 ? operand->bits & ((1ull << bits) - 1) : operand->bits;
}

slot_ref constant_immediate(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type)
{
	uint64_t low = literal_bits(operand, type);
	uint64_t high = type == TYPE_B128 && (int64_t)operand->bits < 0 ? ~0ull : 0;
	return constant_bits(d, type_slot_bytes(type), low, high);
}
