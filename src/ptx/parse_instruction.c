/* Instructions: guard, opcode, and operands put into the slots of the row's shape; calls: direct, recursive, and
 * indirect through a prototype or a list of targets. */
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* What ptx_find_op said about an opcode. */
struct opcode {
	const char *text;
	enum op op;
	struct ptx_refusal refusal; /* OP_NONE: without a place */
	struct ptx_modifiers modifiers;
	enum ptx_type type[4];
	uint32_t type_count;
};

/* ---- opcode ---- */

#define OPCODE_LENGTH 256

/* Splits "ld.global.u32", in place, for ptx_find_op. */
static bool split_words(char *text, struct ptx_words *words)
{
	words->mnemonic = text;
	words->count = 0;
	for (char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
		*dot = 0;
		if (words->count == sizeof words->word / sizeof *words->word)
			return false;
		words->word[words->count++] = dot + 1;
	}
	return true;
}

static bool is_mnemonic(const char *mnemonic)
{
	for (unsigned op = 1; op < OP_COUNT; op++)
		if (ptx_is_mnemonic(&ptx_ops[op], mnemonic))
			return true;
	return false;
}

static const struct opcode *find_opcode(
	struct parser *p, const struct token *mnemonic, const char *text, uint32_t length)
{
	struct opcode *opcode = map_get_length(&p->opcodes, text, length);
	char copy[OPCODE_LENGTH], reason[400] = "";
	struct ptx_words words;

	if (opcode)
		return opcode;
	opcode = arena_new(p->arena, struct opcode);
	memcpy(copy, text, length + 1);
	if (!split_words(copy, &words)) {
		parse_error(p, mnemonic, "too many words behind '%.*s'", TOKEN_TEXT(mnemonic));
		return NULL;
	}
	opcode->text = arena_copy(p->arena, text, length);
	opcode->op = ptx_find_op(&words, &opcode->modifiers, opcode->type, &opcode->type_count, reason, sizeof reason);
	if (opcode->op == OP_NONE && !is_mnemonic(words.mnemonic)) {
		parse_error(p, mnemonic, "%s", reason);
		return NULL;
	}
	if (opcode->op == OP_NONE) {
		const struct op_info *row = ptx_refused_row(&words);
		opcode->refusal = (struct ptx_refusal){
			.opcode = opcode->text, .reason = arena_text(p->arena, reason), .since = row ? row->since : 0};
	}
	map_put(p->arena, &p->opcodes, text, length, opcode);
	return opcode;
}

/* opcode = name word* */
static const struct opcode *parse_opcode(struct parser *p, struct token *mnemonic)
{
	char text[OPCODE_LENGTH];
	uint32_t length;

	if (!parse_expect_name(p, "an instruction", mnemonic))
		return NULL;
	length = mnemonic->length;
	if (length < sizeof text)
		memcpy(text, mnemonic->text, length);
	for (; p->token.kind == TOKEN_WORD && length + p->token.length + 1 < sizeof text; parse_next(p)) {
		text[length] = '.';
		memcpy(text + length + 1, p->token.text, p->token.length);
		length += p->token.length + 1;
	}
	if (length >= sizeof text || p->token.kind == TOKEN_WORD) {
		parse_error(p, mnemonic, "this opcode is too long");
		return NULL;
	}
	text[length] = 0;
	return parse_failed(p) ? NULL : find_opcode(p, mnemonic, text, length);
}

/* ---- operands into slots ---- */

uint32_t shape_items(enum op_shape shape, struct shape_item items[SHAPE_ITEMS])
{
	uint32_t count = 0;

	for (const char *at = ptx_shapes[shape]; *at && count < SHAPE_ITEMS; at++)
		if (*at >= 'a' && *at <= 'z') {
			items[count] = (struct shape_item){.letter = *at};
			items[count].optional = at > ptx_shapes[shape] && at[-1] == '[';
			items[count].is_pair = at > ptx_shapes[shape] && at[-1] == '|';
			count++;
		}
	return count;
}

/* The operands as written; paired: the first two are joined by '|'. */
struct written {
	struct ptx_operand operand[SHAPE_ITEMS];
	uint32_t count;
	bool paired;
};

/* None is read where the shape has none, so that a forgotten ';' is met there.
 * operands = (operand ("|" operand)? ("," operand)*)? */
static void parse_operands(struct parser *p, enum op_shape shape, struct written *written)
{
	if (token_is(&p->token, ';') || !*ptx_shapes[shape])
		return;
	do {
		if (written->count == SHAPE_ITEMS) {
			parse_expected(p, "';' after so many operands");
			return;
		}
		parse_operand(p, &written->operand[written->count++]);
		if (written->count == 1 && parse_accept(p, '|')) {
			parse_operand(p, &written->operand[written->count++]);
			written->paired = true;
		}
	} while (parse_accept(p, ','));
}

static void count_error(
	struct parser *p, const struct token *mnemonic, const struct ptx_instruction *insn, uint32_t found)
{
	const char *text = ptx_shapes[ptx_ops[insn->op].shape], *policy = strstr(text, ", [y]");
	bool has_policy = insn->modifiers.flags & FLAG_CACHE_HINT;
	size_t length = policy && !has_policy ? (size_t)(policy - text) : strlen(text);

	if (!token_is(&p->token, ';'))
		parse_expected(p, "',' or ';' after the operand");
	parse_error(p, mnemonic, "'%.*s' expects the operands %.*s; found %u", TOKEN_TEXT(mnemonic),
		length ? (int)length : 4, length ? text : "none", found);
}

/* A register of 64 bits is one, though .L2::cache_hint was forgotten. */
static bool may_be_policy(const struct ptx_instruction *insn, const struct ptx_operand *o)
{
	return insn->modifiers.flags & FLAG_CACHE_HINT ||
	       (o->kind == OPERAND_REGISTER && ptx_types[o->reg->type].bits == 64);
}

/* Puts what is written into the slots of the shape; optional slots are filled from the left, while there is enough. */
static void fill_slots(
	struct parser *p, const struct token *mnemonic, const struct written *written, struct ptx_instruction *insn)
{
	struct shape_item items[SHAPE_ITEMS];
	enum op_shape shape = ptx_ops[insn->op].shape;
	uint32_t count = shape_items(shape, items), required = 0, next = 0;
	bool pairs = count > 1 && items[1].is_pair;

	for (uint32_t i = 0; i < count; i++)
		required += !items[i].optional && !items[i].is_pair;
	uint32_t given = written->count - written->paired;
	if ((written->paired && !pairs) || given < required) {
		count_error(p, mnemonic, insn, written->count);
		return;
	}
	uint32_t spare = given - required;
	for (uint32_t i = 0; i < count; i++) {
		bool skip = items[i].is_pair ? !written->paired : items[i].optional && !spare;
		skip |= items[i].letter == 'y' && !skip && !may_be_policy(insn, &written->operand[next]);
		skip |= items[i].letter == 'o' && !skip && written->operand[next].kind != OPERAND_VECTOR;
		if (!skip)
			insn->operand[i] = written->operand[next++];
		if (items[i].optional && !skip)
			spare--;
	}
	insn->operand_count = (uint8_t)count;
	if (count && items[count - 1].letter == 'y' && insn->operand[count - 1].kind == OPERAND_NONE)
		insn->operand_count--;
	if (next < written->count)
		count_error(p, mnemonic, insn, written->count);
}

/* branch = label */
static void parse_branch(struct parser *p, struct ptx_instruction *insn)
{
	struct token label;

	if (!parse_expect_name(p, "a label", &label))
		return;
	insn->operand_count = 1;
	insn->operand[0].kind = OPERAND_LABEL;
	insn->operand[0].line = label.line;
	insn->operand[0].column = label.column;
	scope_use_label(p, &label, NULL);
}

/* list = "(" (operand ("," operand)*)? ")" */
static void parse_list(struct parser *p, struct ptx_operand **list, uint32_t *count)
{
	VECTOR(struct ptx_operand) operands = {0};

	parse_next(p);
	if (!token_is(&p->token, ')'))
		do {
			struct ptx_operand operand = {0};
			parse_operand(p, &operand);
			*vector_push(p->arena, &operands) = operand;
		} while (parse_accept(p, ','));
	parse_expect(p, ')', "after the arguments");
	*list = operands.at;
	*count = operands.count;
}

/* call = (list ",")? (name | register) ("," list)? ("," prototype)? */
static void parse_call(struct parser *p, struct ptx_instruction *insn)
{
	insn->operand_count = 2;
	if (token_is(&p->token, '(')) {
		parse_list(p, &insn->returns, &insn->return_count);
		parse_expect(p, ',', "after the returned values");
	}
	if (p->token.kind != TOKEN_NAME) {
		parse_expected(p, "the function to call");
		return;
	}
	parse_operand(p, &insn->operand[0]);
	if (!parse_accept(p, ','))
		return;
	if (token_is(&p->token, '(')) {
		parse_list(p, &insn->arguments, &insn->argument_count);
		if (!parse_accept(p, ','))
			return;
	}
	if (p->token.kind == TOKEN_NAME)
		parse_operand(p, &insn->operand[1]);
	else
		parse_expected(p, "arguments in parentheses or a call prototype");
}

/* ---- instruction ---- */

/* guard = "@" "!"? predicate */
static void parse_guard(struct parser *p, struct ptx_instruction *insn)
{
	struct ptx_operand operand = {0};
	struct token start;

	if (!parse_accept(p, '@'))
		return;
	insn->guard_negated = parse_accept(p, '!');
	start = p->token;
	if (start.kind != TOKEN_NAME) {
		parse_expected(p, "a predicate register behind '@'");
		return;
	}
	parse_operand(p, &operand);
	if (parse_failed(p))
		return;
	if (operand.kind != OPERAND_REGISTER || operand.reg->type != TYPE_PRED)
		parse_error(p, &start, "expected a predicate register behind '@', found '%.*s'", TOKEN_TEXT(&start));
	insn->guard = operand.reg;
}

static struct ptx_operand *keep_operands(struct arena *arena, const struct ptx_operand *operand, uint32_t count)
{
	struct ptx_operand *kept = count ? arena_array(arena, count, sizeof *kept) : NULL;

	if (count)
		memcpy(kept, operand, count * sizeof *kept);
	return kept;
}

/* The operands are not looked at: what they may be is not known. */
static void refuse(struct parser *p, const struct token *mnemonic, const struct opcode *opcode)
{
	struct ptx_refusal *refusal = vector_push(p->arena, &p->function->refusals);

	*refusal = opcode->refusal;
	refusal->line = mnemonic->line;
	refusal->column = mnemonic->column;
	refusal->loc = p->loc;
	while (!token_is(&p->token, ';') && p->token.kind != TOKEN_END)
		parse_next(p);
	parse_expect(p, ';', "after the instruction");
}

/* instruction = guard? opcode (call | branch | operands) ";" */
void parse_instruction(struct parser *p)
{
	struct ptx_operand operand[PTX_MAX_OPERANDS] = {0};
	struct ptx_instruction insn = {.loc = p->loc, .spins = p->spins};
	struct written written = {0};
	struct token mnemonic;

	const char *trap_reason = p->trap_reason;
	p->spins = false;
	p->trap_reason = NULL;
	parse_guard(p, &insn);
	const struct opcode *opcode = parse_failed(p) ? NULL : parse_opcode(p, &mnemonic);
	if (opcode && opcode->op == OP_NONE)
		refuse(p, &mnemonic, opcode);
	if (!opcode || opcode->op == OP_NONE)
		return;
	insn.op = opcode->op;
	insn.trap_reason = opcode->op == OP_trap ? trap_reason : NULL;
	insn.opcode = opcode->text;
	insn.modifiers = opcode->modifiers;
	insn.type_count = (uint8_t)opcode->type_count;
	memcpy(insn.type, opcode->type, sizeof insn.type);
	insn.line = mnemonic.line;
	insn.column = mnemonic.column;
	/* The slot is taken first: a label's use names it. */
	uint32_t index = p->function->code.count;
	*vector_push(p->arena, &p->function->code) = insn;
	insn.operand = operand;
	if (ptx_ops[insn.op].shape == SHAPE_CALL) {
		parse_call(p, &insn);
	} else if (ptx_ops[insn.op].shape == SHAPE_L) {
		parse_branch(p, &insn);
	} else {
		parse_operands(p, ptx_ops[insn.op].shape, &written);
		if (!parse_failed(p))
			fill_slots(p, &mnemonic, &written, &insn);
	}
	parse_expect(p, ';', "after the instruction");
	if (parse_failed(p))
		return;
	if (ptx_ops[insn.op].shape == SHAPE_CALL)
		check_call(p, &mnemonic, &insn);
	else
		check_instruction(p, &mnemonic, &insn);
	insn.operand = keep_operands(p->arena, operand, insn.operand_count);
	p->function->code.at[index] = insn;
}
