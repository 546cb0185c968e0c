/* Calls: arguments out, the call itself, results back. */
#include "kernel/decode.h"

/* The caller's end of a copy: a .param block in its frame, a register or a constant. */
static void caller_end(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *actual,
	enum ptx_type type, uint32_t *place, uint8_t *on_stack, uint8_t *bytes)
{
	if (actual->kind == OPERAND_VARIABLE && variable_in_frame(d, actual->variable)) {
		*place = (uint32_t)(frame_offset(d, actual->variable) + (uint64_t)actual->offset);
		*on_stack = 1;
		return;
	}
	*place = source_slot(d, instruction, actual, type, bytes);
}

/* The callee's end, as an offset from the caller's frame base: filled up by decode_call_frames when frame sizes are
 * known. */
static void callee_end(const struct decoder *d, const struct ptx_prototype *signature, uint32_t formal, uint32_t *place,
	uint8_t *on_stack, uint8_t *bytes)
{
	const struct ptx_variable *variable = formal_of(signature, formal);
	if (formal_is_register(variable)) {
		*bytes = (uint8_t)type_slot_bytes(variable->type);
		*place = slot_reference(d, formal_slot(signature, formal), *bytes);
	} else {
		*place = (uint32_t)formal_offset(signature, formal);
		*on_stack = 1;
	}
}

/* Bytes of a formal; a register has no dimensions. */
static uint32_t formal_bytes(const struct ptx_variable *variable)
{
	return formal_is_register(variable) ? ptx_types[variable->type].bits / 8 : (uint32_t)variable->size;
}

static struct call_copy *copy_arguments(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_prototype *signature)
{
	struct call_copy *copies = arena_new_array(d->arena, struct call_copy, instruction->argument_count);
	for (uint32_t k = 0; k < instruction->argument_count; k++) {
		const struct ptx_variable *formal = signature->parameters[k];
		struct call_copy *copy = &copies[k];
		caller_end(d, instruction, &instruction->arguments[k], formal->type, &copy->from, &copy->from_stack,
			&copy->from_bytes);
		callee_end(d, signature, k, &copy->to, &copy->to_stack, &copy->to_bytes);
		copy->bytes = formal_bytes(formal);
	}
	return copies;
}

/* Of the results that are taken, which are *kept. */
static struct call_copy *copy_returns(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_prototype *signature, uint32_t *kept)
{
	struct call_copy *copies = arena_new_array(d->arena, struct call_copy, instruction->return_count);
	*kept = 0;
	for (uint32_t k = 0; k < instruction->return_count; k++) {
		const struct ptx_variable *formal = signature->returns[k];
		if (instruction->returns[k].kind == OPERAND_SINK)
			continue;
		struct call_copy *copy = &copies[(*kept)++];
		callee_end(d, signature, signature->parameter_count + k, &copy->from, &copy->from_stack,
			&copy->from_bytes);
		caller_end(d, instruction, &instruction->returns[k], formal->type, &copy->to, &copy->to_stack,
			&copy->to_bytes);
		copy->bytes = formal_bytes(formal);
	}
	return copies;
}

static void push_copy(struct decoder *d, const struct ptx_instruction *instruction, enum insn_inserted inserted,
	struct call_copy *copies, uint32_t count)
{
	if (!count)
		return;
	struct insn *insn = decode_push(d, instruction->op, INSN_PLAIN);
	struct insn_extra *extra = decode_extra(d, insn);
	insn->inserted = (uint8_t)inserted;
	decode_guard(d, instruction, insn);
	if (inserted == INSERTED_ARGUMENTS) {
		extra->arguments = copies;
		extra->argument_count = count;
	} else {
		extra->returns = copies;
		extra->return_count = count;
	}
	decode_scoreboard(d, insn);
}

struct insn *decode_provided(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_function *function, enum insn_kind kind)
{
	uint32_t kept;
	struct call_copy *arguments = copy_arguments(d, instruction, &function->signature),
			 *returns = copy_returns(d, instruction, &function->signature, &kept);
	struct insn *insn = decode_push(d, instruction->op, kind);
	struct insn_extra *extra = decode_extra(d, insn);
	extra->arguments = arguments;
	extra->argument_count = instruction->argument_count;
	extra->returns = returns;
	extra->return_count = kept;
	decode_guard(d, instruction, insn);
	return insn;
}

static bool counts_match(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_prototype *signature)
{
	if (instruction->argument_count == signature->parameter_count &&
		(instruction->return_count == signature->return_count || !instruction->return_count))
		return true;
	decode_error(d, instruction, "the call passes %u arguments and takes %u results, the callee has %u and %u",
		instruction->argument_count, instruction->return_count, signature->parameter_count,
		signature->return_count);
	return false;
}

/* Possible callees of an indirect call, for reports; decode_call_frames turns them into pcs. */
static void list_targets(struct decoder *d, const struct ptx_instruction *instruction, struct insn_extra *extra)
{
	extra->targets = arena_new_array(d->arena, uint32_t, d->functions.count);
	for (uint32_t f = 1; f < d->functions.count; f++)
		if (layout_calls(d, instruction, f))
			extra->targets[extra->target_count++] = f;
}

void decode_call(struct decoder *d, const struct ptx_instruction *instruction)
{
	const struct ptx_operand *callee = &instruction->operand[0];
	const struct ptx_function *function = callee->kind == OPERAND_FUNCTION ? callee->function : NULL;
	const struct ptx_prototype *signature = function ? &function->signature : instruction->operand[1].prototype;
	uint8_t bytes = 8;
	uint32_t kept;
	if (!signature) {
		decode_error(d, instruction, "an indirect call needs a prototype");
		return;
	}
	if (!counts_match(d, instruction, signature))
		return;
	if (function && decode_by_machine(d, instruction, function))
		return;
	push_copy(d, instruction, INSERTED_ARGUMENTS, copy_arguments(d, instruction, signature),
		instruction->argument_count);
	slot_ref address = function ? SLOT_NONE : source_slot(d, instruction, callee, TYPE_U64, &bytes);
	struct insn *insn = decode_push(d, instruction->op, function ? INSN_CALL : INSN_CALL_INDIRECT);
	struct insn_extra *extra = decode_extra(d, insn);
	insn->target = function ? d->index_of[function->index] : 0;
	insn->s[0] = address;
	insn->s_bytes[0] = function ? 0 : bytes;
	if (!function)
		list_targets(d, instruction, extra);
	decode_guard(d, instruction, insn);
	decode_scoreboard(d, insn);
	struct call_copy *returns = copy_returns(d, instruction, signature, &kept);
	push_copy(d, instruction, INSERTED_RETURNS, returns, kept);
}

/* The callee's ends count from the callee's frame, which begins where the caller's ends. */
static void raise_copies(const struct decoder *d, struct insn *insn, const struct kernel_function *caller)
{
	struct insn_extra *extra = &d->extras.at[insn->extra];
	for (uint32_t k = 0; k < extra->argument_count; k++)
		extra->arguments[k].to +=
			extra->arguments[k].to_stack ? caller->stack_bytes : caller->slot_count * d->kernel->lanes;
	for (uint32_t k = 0; k < extra->return_count; k++)
		extra->returns[k].from +=
			extra->returns[k].from_stack ? caller->stack_bytes : caller->slot_count * d->kernel->lanes;
}

void decode_call_frames(struct decoder *d)
{
	for (uint32_t pc = 0; pc < d->code.count; pc++) {
		struct insn *insn = &d->code.at[pc];
		const struct kernel_function *caller = &d->kernel->functions[insn->function];
		struct insn_extra *extra = &d->extras.at[insn->extra];
		if (insn->inserted == INSERTED_ARGUMENTS || insn->inserted == INSERTED_RETURNS)
			raise_copies(d, insn, caller);
		if (insn->kind != INSN_CALL && insn->kind != INSN_CALL_INDIRECT)
			continue;
		extra->frame_words = caller->slot_count * d->kernel->lanes;
		extra->predicate_frame = caller->predicate_count;
		extra->stack_bytes = caller->stack_bytes;
		for (uint32_t k = 0; k < extra->target_count; k++)
			extra->targets[k] = d->kernel->functions[extra->targets[k]].first_pc;
		if (insn->kind == INSN_CALL)
			insn->target = d->kernel->functions[insn->target].first_pc;
	}
}
