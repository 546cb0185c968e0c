/* Decoding: one entry and all that it reaches become one flat array of instructions.
 *
 * kernel_decode is the order of work.  Branch targets are written as instruction numbers first, calls as function
 * numbers, and turned into pcs when every function has its place. */
#include "kernel/decode.h"

#include "kernel/bits.h"
#include "kernel/clocks.h"
#include "kernel/spin.h"

#include <string.h>

/* Set whenever a GPU is opened, always to the same: host threads may open theirs at a time. */
static exec_lookup *_Atomic lookup_exec;

void kernel_set_exec_lookup(exec_lookup *lookup)
{
	lookup_exec = lookup;
}

static struct insn blank(const struct decoder *d, enum op op, enum insn_kind kind)
{
	struct insn insn = {.op = (uint16_t)op,
		.kind = (uint8_t)kind,
		.d = SLOT_NONE,
		.pd = NO_PREDICATE,
		.pd2 = NO_PREDICATE,
		.target = NO_PC,
		.reconvergence_pc = NO_RECONVERGENCE,
		.source = d->instruction,
		.function = (uint16_t)d->function_index,
		.latency = LATENCY_INT_ADD,
		.unit = UNIT_ALU};
	enum kind_unit unit = (enum kind_unit)insn_kinds[kind].unit;
	for (uint32_t k = 0; k < INSN_SOURCES; k++)
		insn.s[k] = SLOT_NONE;
	if (unit != KIND_UNIT_COMPUTED) {
		insn.unit = unit == KIND_UNIT_MEMORY ? UNIT_MEMORY : UNIT_CONTROL;
		insn.latency = unit == KIND_UNIT_MEMORY ? LATENCY_MEMORY : LATENCY_BRANCH;
	}
	return insn;
}

struct insn *decode_push(struct decoder *d, enum op op, enum insn_kind kind)
{
	struct insn *insn = vector_push(d->arena, &d->code);
	*insn = blank(d, op, kind);
	return insn;
}

/* mov of a special register that no slot holds, or of a stack address: the mov itself becomes the reader. */
static bool decode_reading_mov(struct decoder *d, const struct ptx_instruction *i, struct insn *insn)
{
	if (!op_is(i->op, "mov") || i->operand[0].kind != OPERAND_REGISTER)
		return false;
	const struct ptx_operand *from = &i->operand[1];
	bool is_predicate = i->operand[0].reg->type == TYPE_PRED; /* constants have no predicates */
	if (from->kind == OPERAND_SPECIAL && (is_predicate || !special_has_slot(d, from))) {
		insn->inserted = INSERTED_SPECIAL;
		insn->special = (uint8_t)from->special;
		insn->component = from->component;
		insn->kind = ptx_specials[from->special].home >= HOME_PLACE ? INSN_CLOCK : INSN_PLAIN;
	} else if (from->kind == OPERAND_VARIABLE && variable_in_frame(d, from->variable) && d->function_index != 0) {
		insn->inserted = INSERTED_STACK_ADDRESS;
		insn->offset = (int64_t)frame_offset(d, from->variable) + from->offset;
	} else {
		return false;
	}
	decode_destination(d, i, 0, insn);
	return true;
}

static uint32_t reconvergence_of(const struct decoder *d)
{
	const struct flow *flow = d->function->flow;
	uint32_t block = flow->blocks[flow->block_of[d->instruction]].post_dominator;
	return block == NO_BLOCK ? NO_RECONVERGENCE : flow->blocks[block].first;
}

static void decode_plain(struct decoder *d, const struct ptx_instruction *i, struct insn *insn)
{
	if (!decode_reading_mov(d, i, insn))
		decode_operands(d, i, insn);
	if (op_is(i->op, "isspacep")) /* written without a type */
		insn->type = insn->s_bytes[0] == 8 ? TYPE_U64 : TYPE_U32;
	d->kernel->uses.waves |= i->op == OP_wave_active || i->op == OP_wave_ballot || i->op == OP_wave_read;
	d->kernel->uses.participants |= op_is(i->op, "participant");
}

static void decode_sync(struct decoder *d, const struct ptx_instruction *i, struct insn *insn)
{
	if (ptx_ops[i->op].allow & ALLOW_MATRIX)
		decode_matrix(d, i, insn);
	else
		decode_operands(d, i, insn);
}

static void decode_stack(struct decoder *d, const struct ptx_instruction *i, struct insn *insn)
{
	d->kernel->uses.stack_top = true;
	decode_operands(d, i, insn);
}

static void decode_registers(struct decoder *d, const struct ptx_instruction *i, struct insn *insn)
{
	d->kernel->uses.register_pool = true;
	decode_operands(d, i, insn);
}

static void decode_trap(struct decoder *d, const struct ptx_instruction *i, struct insn *insn)
{
	decode_operands(d, i, insn);
	if (i->trap_reason)
		decode_extra(d, insn)->trap_reason = i->trap_reason;
}

static void decode_branch(struct decoder *d, const struct ptx_instruction *i, struct insn *insn)
{
	decode_operands(d, i, insn);
	insn->reconvergence_pc = reconvergence_of(d);
	if (i->modifiers.flags & FLAG_UNI)
		insn->flags |= INSN_UNIFORM;
	if (insn->kind == INSN_BRANCH) {
		insn->target = i->operand[0].target;
		return;
	}
	const struct ptx_operand *table = &i->operand[1];
	struct insn_extra *extra = decode_extra(d, insn);
	extra->targets = arena_new_array(d->arena, uint32_t, table->count);
	extra->target_count = table->count;
	for (uint32_t k = 0; k < table->count; k++)
		extra->targets[k] = table->element[k].target;
}

typedef void kind_decoder(struct decoder *d, const struct ptx_instruction *i, struct insn *insn);

static kind_decoder *const decode_kind[INSN_KINDS] = {
#define KIND(id, class, unit, decode, execute, foresee, memory, flags) [INSN_##id] = decode,
#include "kernel/kinds.def"
#undef KIND
};

static void decode_one(struct decoder *d, const struct ptx_instruction *i)
{
	enum insn_kind kind = instruction_kind(i);
	struct insn insn = blank(d, i->op, kind);
	if (kind == INSN_CALL) {
		decode_call(d, i);
		return;
	}
	if (kind == INSN_RETURN && d->function_index == 0)
		insn.kind = INSN_EXIT;
	insn.type = i->type_count ? (uint8_t)i->type[0] : TYPE_NONE;
	insn.type2 = i->type_count > 1 ? (uint8_t)i->type[1] : TYPE_NONE;
	insn.type3 = i->type_count > 2 ? (uint8_t)i->type[2] : TYPE_NONE;
	insn.modifiers = i->modifiers;
	insn.latency = (uint8_t)ptx_latency(i->op, i->type);
	insn.unit = (uint8_t)instruction_unit(i, (enum latency_class)insn.latency);
	decode_guard(d, i, &insn);
	decode_kind[kind](d, i, &insn);
	decode_scoreboard(d, &insn);
	*vector_push(d->arena, &d->code) = insn; /* after what its operands have inserted */
}

/* Running off the end of a function leaves it; a label there needs an instruction. */
static void push_end(struct decoder *d)
{
	const struct ptx_function *ptx = d->function->ptx;
	bool needed = !ptx->code.count || !instruction_ends_path(&ptx->code.at[ptx->code.count - 1]);
	for (uint32_t k = 0; k < ptx->code.count && !needed; k++)
		for (uint32_t o = 0; o < ptx->code.at[k].operand_count; o++) {
			const struct ptx_operand *operand = &ptx->code.at[k].operand[o];
			needed |= operand->kind == OPERAND_LABEL && operand->target >= ptx->code.count;
			for (uint32_t e = 0; operand->kind == OPERAND_TABLE && e < operand->count; e++)
				needed |= operand->element[e].target >= ptx->code.count;
		}
	if (!needed)
		return;
	d->instruction = ptx->code.count ? ptx->code.count - 1 : 0;
	decode_push(d, OP_NONE, d->function_index == 0 ? INSN_EXIT : INSN_RETURN);
}

static void resolve_branches(struct decoder *d, uint32_t first_pc)
{
	const uint32_t *pc_of = d->function->pc_of;
	for (uint32_t pc = first_pc; pc < d->code.count; pc++) {
		struct insn *insn = &d->code.at[pc];
		if (insn->kind != INSN_BRANCH && insn->kind != INSN_INDEXED)
			continue;
		bool backward = false;
		if (insn->reconvergence_pc != NO_RECONVERGENCE)
			insn->reconvergence_pc = pc_of[insn->reconvergence_pc];
		if (insn->kind == INSN_BRANCH) {
			insn->target = pc_of[insn->target];
			backward = insn->target <= pc;
		}
		struct insn_extra *extra = &d->extras.at[insn->extra];
		for (uint32_t k = 0; insn->kind == INSN_INDEXED && k < extra->target_count; k++) {
			extra->targets[k] = pc_of[extra->targets[k]];
			backward |= extra->targets[k] <= pc;
		}
		if (backward)
			insn->flags |= INSN_BACKWARD;
	}
}

/* What an instruction was decoded to, without what was inserted in front of it. */
static struct insn *decoded(const struct decoder *d, uint32_t instruction)
{
	struct insn *insn = &d->code.at[d->function->pc_of[instruction]];
	while (insn->source == instruction && insn->inserted)
		insn++;
	return insn;
}

static struct insn *decoded_last(const struct decoder *d, const struct flow_block *block)
{
	return decoded(d, block->first + block->count - 1);
}

static void mark_back_edges(const struct decoder *d, const struct flow *flow, const struct flow_loop *loop)
{
	const struct flow_block *header = &flow->blocks[loop->header];
	for (uint32_t p = 0; p < header->predecessor_count; p++) {
		struct insn *branch = decoded_last(d, &flow->blocks[header->predecessors[p]]);
		if (flow_loop_has(loop, header->predecessors[p]) && (branch->flags & INSN_BACKWARD))
			branch->flags |= INSN_WAIT_BRANCH;
	}
}

/* The branches from a loop to its header.  When it has none, because a block falls through to the header, those of its
 * branches that go to a lower pc. */
static void mark_loop(const struct decoder *d, const struct flow *flow, uint32_t index, uint16_t flag)
{
	const struct flow_loop *loop = &flow->loops[index];
	const struct flow_block *header = &flow->blocks[loop->header];
	bool any = false;
	for (uint32_t p = 0; p < header->predecessor_count; p++) {
		struct insn *branch = decoded_last(d, &flow->blocks[header->predecessors[p]]);
		if (!flow_loop_has(loop, header->predecessors[p]) || branch->kind != INSN_BRANCH ||
			branch->target != d->function->pc_of[header->first])
			continue;
		branch->flags |= flag;
		any = true;
	}
	for (uint32_t k = 0; k < loop->block_count && !any; k++) {
		const struct flow_block *block = &flow->blocks[loop->blocks[k]];
		struct insn *branch = decoded_last(d, block);
		if (block->loop == index && branch->kind == INSN_BRANCH && (branch->flags & INSN_BACKWARD))
			branch->flags |= flag;
	}
}

/* A hint is kept with the instruction after it, which may not be decoded at all. */
static void mark_hinted(struct decoder *d, const struct function_state *state)
{
	for (uint32_t k = 0; k < state->ptx->code.count; k++) {
		uint32_t loop = state->flow->blocks[state->flow->block_of[k]].loop;
		if (state->ptx->code.at[k].spins && loop != NO_BLOCK)
			mark_loop(d, state->flow, loop, INSN_SPIN_BRANCH | INSN_HINTED_BRANCH);
	}
}

/* A branch backward is judged by the innermost loop that it stays in: compilers also put blocks of a loop behind the
 * places that jump to them. */
static void mark_lone(const struct decoder *d, const struct flow *flow, const bool *ends_alone)
{
	for (uint32_t b = 0; b < flow->block_count; b++) {
		struct insn *branch = decoded_last(d, &flow->blocks[b]);
		uint32_t loop = flow->blocks[b].loop;
		if (branch->kind != INSN_BRANCH || !(branch->flags & INSN_BACKWARD))
			continue;
		uint32_t target = flow->block_of[d->code.at[branch->target].source];
		while (loop != NO_BLOCK && !flow_loop_has(&flow->loops[loop], target))
			loop = flow->loops[loop].parent;
		if (loop != NO_BLOCK && ends_alone[loop])
			branch->flags |= INSN_ENDS_ALONE;
	}
}

static void mark_spins(struct decoder *d, const struct function_state *state)
{
	struct spins spins = spins_find(d->arena, d->module, state->flow, state->slots->dead_result);
	for (uint32_t k = 0; k < spins.count; k++) {
		const struct spin *spin = &spins.at[k];
		if (spin->kind != SPIN_TWIN)
			mark_loop(d, state->flow, spin->loop, INSN_SPIN_BRANCH);
		if (spin->kind == SPIN_LOCK || spin->kind == SPIN_TWIN)
			decoded(d, spin->instruction)->flags |= INSN_LOCK_TRY | (spin->of_group ? INSN_GROUP_TRY : 0) |
								(spin->takes_any ? INSN_TAKES_ANY : 0);
		else if (spin->kind == SPIN_WAIT)
			mark_back_edges(d, state->flow, &state->flow->loops[spin->loop]);
	}
	mark_lone(d, state->flow, spins.ends_alone);
	mark_hinted(d, state);
}

static void decode_function(struct decoder *d, uint32_t index)
{
	struct function_state *state = &d->functions.at[index];
	struct kernel_function *function = &d->kernel->functions[index];
	uint32_t count = state->ptx->code.count;
	d->function = state;
	d->function_index = index;
	function->ptx = state->ptx;
	function->first_pc = d->code.count;
	state->pc_of = arena_new_array(d->arena, uint32_t, count + 1);
	for (uint32_t k = 0; k < count && !d->diagnostic->failed; k++) {
		state->pc_of[k] = d->code.count;
		d->instruction = k;
		d->temporary = 0;
		decode_one(d, &state->ptx->code.at[k]);
	}
	state->pc_of[count] = d->code.count;
	if (d->diagnostic->failed)
		return;
	push_end(d);
	resolve_branches(d, function->first_pc);
	function->count = d->code.count - function->first_pc;
	/* Even, so that a wide slot of one frame never straddles two of another that lies over it (other lanes'
	 * callee). */
	function->slot_count = (state->slots->slot_count + state->temporaries + 1) & ~1u;
	function->predicate_count = state->slots->predicate_count;
	function->slots = state->slots->slot;
	function->stack_offset = state->stack_offset;
	for (uint32_t loop = 0; loop < state->flow->loop_count; loop++)
		mark_loop(d, state->flow, loop, INSN_LOOP_BRANCH);
	mark_spins(d, state);
}

static void find_exec(struct decoder *d)
{
	exec_lookup *lookup = lookup_exec;
	for (uint32_t pc = 0; lookup && pc < d->code.count; pc++) {
		struct insn *insn = &d->code.at[pc];
		const struct ptx_function *function = d->kernel->functions[insn->function].ptx;
		insn->exec = lookup(insn, insn->extra ? &d->extras.at[insn->extra] : NULL, d->kernel->lanes);
		if (!insn->exec && insn_kinds[insn->kind].class == CLASS_COMPUTED)
			decode_error(d, &function->code.at[insn->source], "'%s' is not executed for this type",
				ptx_ops[insn->op].spelling);
	}
}

/* The vectors of the decoder become the kernel's arrays: they live in the same arena. */
static void hand_over(struct decoder *d)
{
	struct kernel *kernel = d->kernel;
	kernel->code = d->code.at;
	kernel->code_count = d->code.count;
	kernel->extras = d->extras.at;
	kernel->constants = d->constants.at;
	kernel->constant_words = d->constants.count;
	kernel->launch_constants = d->launch_constants.at;
	kernel->launch_constant_count = d->launch_constants.count;
	kernel->warp_constants = d->warp_constants.at;
	kernel->warp_constant_count = d->warp_constants.count;
	kernel->variable_addresses = d->variable_addresses.at;
	kernel->variable_address_count = d->variable_addresses.count;
	kernel->shared.places = d->shared.at;
	kernel->shared.count = d->shared.count;
	kernel->parameter_bytes = kernel->entry->parameter_bytes;
	kernel->pc_of_function = arena_new_array(d->arena, uint32_t, d->module->functions.count);
	for (uint32_t f = 0; f < d->module->functions.count; f++)
		kernel->pc_of_function[f] =
			d->index_of[f] == NO_FUNCTION ? NO_PC : kernel->functions[d->index_of[f]].first_pc;
}

static void analyse(struct decoder *d)
{
	struct kernel *kernel = d->kernel;
	kernel->function_count = d->functions.count;
	kernel->functions = arena_new_array(d->arena, struct kernel_function, d->functions.count);
	for (uint32_t f = 0; f < d->functions.count; f++) {
		struct function_state *state = &d->functions.at[f];
		state->flow = flow_analyse(d->arena, state->ptx);
		state->slots = assign_slots(d->arena, state->flow, f == 0 ? special_reserve(d, state->ptx) : 0);
		layout_stack(d, state);
	}
	layout_shared(d);
}

/* Whether a lane of a new warp may see what the entry's frame holds: a register on a path that has not written it, or
 * another lane's, as shuffles read them. */
static bool reads_unwritten(const struct decoder *d)
{
	const struct flow *flow = d->functions.at[0].flow;
	for (uint32_t w = 0; flow->block_count && w < bits_words(flow->live_count); w++)
		if (flow->live_in[0][w])
			return true;
	for (uint32_t pc = 0; pc < d->kernel->code_count; pc++)
		if (d->kernel->code[pc].kind == INSN_SYNC)
			return true;
	return false;
}

struct kernel *kernel_decode(struct arena *arena, const struct ptx_module *module, const struct ptx_function *entry,
	uint32_t lanes, struct diagnostic *diagnostic)
{
	struct decoder d = {
		.arena = arena, .diagnostic = diagnostic, .module = module, .kernel = arena_new(arena, struct kernel)};
	d.kernel->module = module;
	d.kernel->entry = entry;
	d.kernel->lanes = lanes;
	vector_push(arena, &d.extras); /* [0] means none */
	reach_functions(&d);
	analyse(&d);
	for (uint32_t f = 0; f < d.functions.count && !diagnostic->failed; f++)
		decode_function(&d, f);
	if (diagnostic->failed)
		return NULL;
	mark_matrix_registers(&d);
	decode_call_frames(&d);
	layout_frames(&d);
	d.kernel->registers_per_thread = pressure_with_calls(&d);
	hand_over(&d);
	find_behind_barriers(&d);
	d.kernel->reads_unwritten = reads_unwritten(&d);
	d.kernel->clocks = clocks_find(&d);
	find_exec(&d);
	return diagnostic->failed ? NULL : d.kernel;
}

const struct ptx_function *kernel_function_at(const struct ptx_module *module, uint64_t address)
{
	uint64_t index = (address - FUNCTION_ADDRESS_BASE) / FUNCTION_ADDRESS_STEP;

	if (address < FUNCTION_ADDRESS_BASE || index >= module->functions.count)
		return NULL;
	return kernel_function_address(module->functions.at[index]) == address ? module->functions.at[index] : NULL;
}

uint32_t kernel_call_target(const struct kernel *kernel, uint64_t address)
{
	const struct ptx_function *function = kernel_function_at(kernel->module, address);
	return function ? kernel->pc_of_function[function->index] : NO_PC;
}
