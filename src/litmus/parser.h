/* What the parts of the parser of litmus tests share. */
#ifndef LOCKSTEP_LITMUS_PARSER_H
#define LOCKSTEP_LITMUS_PARSER_H

#include "litmus/lexer.h"
#include "litmus/test.h"

/* A label of a thread, and a branch to one. */
struct litmus_label {
	const char *name;
	uint32_t thread, instruction; /* the next one, or the one that goes there */
	struct place place;
};

struct litmus_parser {
	struct litmus_lexer lexer;
	struct litmus_test *test;
	VECTOR(struct litmus_label) labels, jumps;
};

/* Registers are "r" and digits; they and locations come to be where they are first named. */
bool litmus_is_register(const char *name);
uint32_t litmus_register_number(struct litmus_parser *p, uint32_t thread, const char *name);
/* False and an error when the token is no location, or there are too many; good until the next is new. */
const struct litmus_name *litmus_parse_location(struct litmus_parser *p);
/* Null: there is none with this name. */
const struct litmus_name *litmus_find_name(const struct litmus_test *test, const char *name);
/* "P1" or "1": the thread's number. */
bool litmus_parse_thread(struct litmus_parser *p, uint32_t *thread);

/* One instruction or label of a thread, to its code; a cell without any is empty. */
bool litmus_parse_cell(struct litmus_parser *p, uint32_t thread);
/* Behind all threads: labels to instructions. */
bool litmus_resolve_jumps(struct litmus_parser *p);

/* Numbers of barriers in registers that nothing writes become constants.  False and an error when one is too large. */
bool litmus_check_barriers(struct litmus_parser *p);

/* [ locations [...] ] exists ..., ~exists ... or forall ... */
bool litmus_parse_condition(struct litmus_parser *p);

#endif
