/* Calls: direct, recursive, and indirect through a prototype or a list of targets. */
#include "ptx/parser.h"

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
void parse_call(struct parser *p, struct ptx_instruction *insn)
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
