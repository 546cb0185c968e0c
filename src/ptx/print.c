/* One instruction as PTX, for messages; tests/unit/ptx_print.h prints whole modules with it. */
#include "ptx/parser.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct printing {
	struct text *out;
	const struct ptx_function *function;
};

static bool is_for_debuggers(const char *label)
{
	return !strncmp(label, "$L__tmp", 7) || !strncmp(label, "$L__func_", 9);
}

const struct ptx_label *ptx_find_label(const struct ptx_function *function, uint32_t instruction)
{
	const struct ptx_label *found = NULL;
	for (uint32_t i = 0; i < function->labels.count && function->labels.at[i].target <= instruction; i++) {
		const struct ptx_label *label = &function->labels.at[i];
		if ((!found || label->target > found->target) && !is_for_debuggers(label->name))
			found = label;
	}
	return found;
}

static void print_label(const struct printing *p, uint32_t target)
{
	const struct ptx_label *label = ptx_find_label(p->function, target);
	if (label && label->target == target)
		text_print(p->out, "%s", label->name);
	else
		text_print(p->out, "L%u", target);
}

/* ---- operands ---- */

static void print_immediate(const struct printing *p, const struct ptx_operand *o)
{
	if (o->is_float32)
		text_print(p->out, "0f%08" PRIX32, (uint32_t)o->bits);
	else if (o->is_float)
		text_print(p->out, "0d%016" PRIX64, o->bits);
	else
		text_print(p->out, "%" PRId64, (int64_t)o->bits);
}

static void print_special(const struct printing *p, const struct ptx_operand *o)
{
	static const char *const reserved[] = {"begin", "end", "cap", "0", "1"};
	const char *name = ptx_specials[o->special].name;

	if (o->special == SPECIAL_WARP_SZ)
		text_print(p->out, "WARP_SZ");
	else if (o->special == SPECIAL_ENVREG || o->special == SPECIAL_PM)
		text_print(p->out, "%%%s%u", o->special == SPECIAL_PM ? "pm" : "envreg", o->component);
	else if (o->special == SPECIAL_RESERVED_SMEM)
		text_print(p->out, "%%reserved_smem_offset_%s", reserved[o->component]);
	else
		text_print(p->out, "%%%s", name ? name : "?");
	if (ptx_specials[o->special].is_vector)
		text_print(p->out, ".%c", "xyzw"[o->component]);
}

static void print_offset(const struct printing *p, int64_t offset)
{
	if (offset)
		text_print(p->out, "+%" PRId64, offset);
}

static void print_list(const struct printing *p, const struct ptx_operand *list, uint32_t count);

static void print_address(const struct printing *p, const struct ptx_operand *o)
{
	text_print(p->out, "[");
	if (o->reg)
		text_print(p->out, "%s", o->reg->name);
	else if (o->variable)
		text_print(p->out, "%s", o->variable->name);
	if (o->reg || o->variable)
		print_offset(p, o->offset);
	else
		text_print(p->out, "%" PRId64, o->offset);
	if (o->has_sampler) {
		text_print(p->out, ", ");
		print_list(p, &o->element[o->count - 1], 1);
	}
	if (o->count) {
		text_print(p->out, ", {");
		print_list(p, o->element, o->count - o->has_sampler);
		text_print(p->out, "}");
	}
	text_print(p->out, "]");
}

static void print_operand(const struct printing *p, const struct ptx_operand *o);

static void print_list(const struct printing *p, const struct ptx_operand *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		text_print(p->out, i ? ", " : "");
		print_operand(p, &list[i]);
	}
}

static void print_operand(const struct printing *p, const struct ptx_operand *o)
{
	if (o->negated)
		text_print(p->out, o->reg && o->reg->type == TYPE_PRED ? "!" : "-");
	switch (o->kind) {
	case OPERAND_NONE: break;
	case OPERAND_REGISTER: text_print(p->out, "%s", o->reg->name); break;
	case OPERAND_IMMEDIATE: print_immediate(p, o); break;
	case OPERAND_SPECIAL: print_special(p, o); break;
	case OPERAND_VARIABLE:
		text_print(p->out, "%s", o->variable->name);
		print_offset(p, o->offset);
		break;
	case OPERAND_FUNCTION: text_print(p->out, "%s", o->function->name); break;
	case OPERAND_ADDRESS: print_address(p, o); break;
	case OPERAND_LABEL: print_label(p, o->target); break;
	case OPERAND_VECTOR:
		text_print(p->out, "{");
		print_list(p, o->element, o->count);
		text_print(p->out, "}");
		break;
	case OPERAND_SINK: text_print(p->out, "_"); break;
	case OPERAND_TABLE:
	case OPERAND_PROTOTYPE: break; /* named by the instruction: print_instruction */
	}
	if (o->selector_text)
		text_print(p->out, ".%s", o->selector_text);
}

static void print_call(const struct printing *p, const struct ptx_instruction *insn)
{
	if (insn->return_count) {
		text_print(p->out, "(");
		print_list(p, insn->returns, insn->return_count);
		text_print(p->out, "), ");
	}
	print_operand(p, &insn->operand[0]);
	if (insn->argument_count || insn->operand[1].kind == OPERAND_PROTOTYPE) {
		text_print(p->out, ", (");
		print_list(p, insn->arguments, insn->argument_count);
		text_print(p->out, ")");
	}
	if (insn->operand[1].kind == OPERAND_PROTOTYPE)
		text_print(p->out, ", prototype");
}

static void print_slots(const struct printing *p, const struct ptx_instruction *insn)
{
	struct shape_item items[SHAPE_ITEMS];
	uint32_t count = shape_items(ptx_ops[insn->op].shape, items);

	for (uint32_t i = 0, printed = 0; i < count && i < insn->operand_count; i++) {
		if (insn->operand[i].kind == OPERAND_NONE)
			continue;
		text_print(p->out, !printed++ ? "" : items[i].is_pair ? "|" : ", ");
		if (insn->operand[i].kind == OPERAND_TABLE)
			text_print(p->out, "table");
		else
			print_operand(p, &insn->operand[i]);
	}
}

static void print_instruction(const struct printing *p, const struct ptx_instruction *insn)
{
	if (insn->guard)
		text_print(p->out, "@%s%s ", insn->guard_negated ? "!" : "", insn->guard->name);
	text_print(p->out, "%s", insn->opcode);
	if (insn->operand_count)
		text_print(p->out, " ");
	if (ptx_ops[insn->op].shape == SHAPE_CALL)
		print_call(p, insn);
	else
		print_slots(p, insn);
}

void ptx_print_instruction(
	struct text *out, const struct ptx_function *function, const struct ptx_instruction *instruction)
{
	struct printing p = {.out = out, .function = function};

	print_instruction(&p, instruction);
}