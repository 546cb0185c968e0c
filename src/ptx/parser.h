/* What the files of the PTX parser share: the parser's state, names and scopes, and which file parses what.  Private to
 * src/ptx.
 *
 * Recursive descent with one token in hand.  A mistake goes to the diagnostic through parse_error and turns the token
 * in hand and all that follow into TOKEN_END; every loop ends there, so callers test only where going on would read
 * what is not there. */
#ifndef LOCKSTEP_PTX_PARSER_H
#define LOCKSTEP_PTX_PARSER_H

#include "ptx/lexer.h"
#include "ptx/module.h"
#include "util/text.h"

#define MAX_SCOPES 256                  /* nested { } */
#define MAX_NESTING 64                  /* of constant expressions and initialisers */
#define MAX_DIMENSIONS 8                /* of an array */
#define MAX_PARAMETER_BYTES 32764       /* of a kernel, as from PTX 8.1 on */
#define MAX_VARIABLE_BYTES (1ull << 30) /* all variables of a module */

enum symbol_kind {
	SYMBOL_REGISTER, /* reg[0], or the elements of a vector register: count of them */
	SYMBOL_VARIABLE,
	SYMBOL_FUNCTION,
	SYMBOL_TABLE,     /* .branchtargets */
	SYMBOL_PROTOTYPE, /* .callprototype, .calltargets */
};

struct symbol {
	enum symbol_kind kind;
	struct ptx_register *reg[8];
	uint32_t count;
	struct ptx_variable *variable;
	struct ptx_function *function;
	struct ptx_operand *table;
	struct ptx_prototype *prototype;
	uint32_t line; /* of its declaration */
};

/* `.reg .b32 %r<10>`: ten names; a register is made when its name is first used. */
struct register_range {
	uint32_t order; /* among the scope's ranges */
	uint32_t count, line;
	enum ptx_type type;
	uint32_t vector;
};

/* A label used before its place may be known: bound when a scope that defines it closes. */
struct label_use {
	struct ptx_operand *element; /* of a .branchtargets list; null: operand[0] of instruction `code` */
	uint32_t code;
	struct token name;
};

struct label {
	uint32_t target, line;
};

/* The names between { and }.  Labels have a name space of their own. */
struct scope {
	struct scope *parent;
	struct map *symbols; /* to struct symbol */
	struct map labels;   /* to struct label */
	struct map ranges;   /* by prefix, to struct register_range */
	VECTOR(struct label_use) uses;
	uint32_t depth;
};

/* A function's name as .loc refers to it. */
struct debug_name {
	struct token label;
	uint64_t offset; /* bytes after the label */
};

/* Names of functions that were inlined: .loc has labels of the section .debug_str, which mostly comes last. */
struct debug_names {
	VECTOR(struct debug_name) names; /* by ptx_loc.function; [0] is not used */
	struct map numbers;              /* by label and offset: which of the names */
	struct text bytes;               /* of the section */
	struct map places;               /* by label: where in `bytes`, plus one */
};

struct parser {
	struct lexer lexer;
	struct token token; /* in hand */
	struct arena *arena;
	struct diagnostic *diagnostic;
	struct ptx_module *module;
	struct ptx_function *function; /* whose body is being parsed, or null */
	struct scope *scope;
	struct ptx_loc loc;
	/* of this function, with their columns, in order: where an inlined_at finds the call around it */
	VECTOR(struct ptx_site) locs;
	struct debug_names debug;
	uint64_t variable_bytes;
	uint32_t nesting;
	uint32_t statics;   /* .global and .const variables of functions that needed a number in their name */
	struct map opcodes; /* to struct opcode: each is looked up once (parse_instruction.c) */
	bool has_aliases;
	bool spins;              /* a pragma says so of the next instruction */
	const char *trap_reason; /* likewise, or null */
};

/* parser.c: tokens in hand */
void parse_error(struct parser *p, const struct token *token, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void parse_next(struct parser *p);
struct token parse_peek(const struct parser *p);      /* the token after the one in hand */
bool parse_accept(struct parser *p, int punctuation); /* steps over it if it is there */
bool parse_accept_word(struct parser *p, const char *word);
bool parse_expect(struct parser *p, int punctuation, const char *where); /* "after the instruction" */
bool parse_expect_name(struct parser *p, const char *what, struct token *name);
/* "expected WHAT, found ..." at the token in hand. */
void parse_expected(struct parser *p, const char *what);
bool parse_failed(const struct parser *p);
char *parse_copy(struct parser *p, const struct token *token);
void parse_skip_parentheses(struct parser *p);

/* scope.c: names */
void scope_open(struct parser *p);
void scope_close(
	struct parser *p); /* binds labels; what is unknown here moves outwards, and is an error at a function's end */
struct symbol *scope_find(struct parser *p, const char *name, uint32_t length);
/* Enters a new name into the innermost scope; null and an error when it is taken there. */
struct symbol *scope_declare(struct parser *p, const struct token *name, enum symbol_kind kind);
struct ptx_register *scope_declare_register(
	struct parser *p, const struct token *name, enum ptx_type type, uint32_t vector);
void scope_declare_range(
	struct parser *p, const struct token *prefix, uint32_t count, enum ptx_type type, uint32_t vector);
void scope_define_label(struct parser *p, const struct token *name);
void scope_use_label(struct parser *p, const struct token *name, struct ptx_operand *element);

/* parse_constant.c */
enum constant_kind { CONSTANT_INTEGER, CONSTANT_FLOAT32, CONSTANT_FLOAT64 };
struct constant {
	enum constant_kind kind;
	bool is_unsigned;
	uint64_t bits;
};
struct constant parse_constant(struct parser *p);
uint64_t parse_integer(struct parser *p, const char *what, uint64_t maximum); /* a constant expression in 0..maximum */
double constant_to_double(struct constant value);

/* parse_variable.c */
enum { LINK_EXTERN = 1, LINK_VISIBLE = 2, LINK_WEAK = 4, LINK_COMMON = 8 };
void parse_registers(struct parser *p); /* .reg */
void parse_variables(struct parser *p, uint8_t space, uint32_t linking);
/* A formal parameter or return value; space NONE for a register. */
struct ptx_variable *parse_formal(struct parser *p);
bool parse_space(struct parser *p, uint8_t *space); /* .global .const .shared .local .param */
uint64_t variable_element_bytes(const struct ptx_variable *variable);

/* parse_initialiser.c: dimensions[0] may be 0, meaning as many as there are initialisers; sets size and data. */
void parse_initialiser(struct parser *p, struct ptx_variable *variable, uint64_t *dimensions, uint32_t count);
/* size of the array, counted against the module's limit */
void variable_set_size(struct parser *p, const struct token *name, struct ptx_variable *variable,
	const uint64_t *dimensions, uint32_t count);

/* parse_function.c */
void parse_function(struct parser *p, uint32_t linking);                                 /* at .entry or .func */
void parse_signature(struct parser *p, struct ptx_variable ***formals, uint32_t *count); /* "(" formals ")" */
/* The function of this name; null and an error when there is none. */
struct ptx_function *parse_function_named(struct parser *p, const struct token *name);
void parse_alias(struct parser *p);
void resolve_aliases(struct parser *p);

/* parse_body.c */
void parse_body(struct parser *p); /* statements up to the closing brace of the function in hand */
void parse_pragma(struct parser *p);

/* parse_debug.c */
void parse_file(struct parser *p);
void parse_loc(struct parser *p);
void parse_section(struct parser *p);
void parse_debug_end(struct parser *p); /* of the module: gives the inlined functions their names */

/* parse_instruction.c, parse_operand.c */
void parse_instruction(struct parser *p);
void parse_operand(struct parser *p, struct ptx_operand *operand);

/* One letter of a shape's text: "d|p, a, [b]" has four; at most SHAPE_ITEMS of them. */
#define SHAPE_ITEMS 8
struct shape_item {
	char letter;
	bool optional, is_pair; /* is_pair: the p of d|p */
};
uint32_t shape_items(enum op_shape shape, struct shape_item items[SHAPE_ITEMS]);

/* check.c: roles and types of the operands of an instruction whose slots are filled; a call's arguments. */
void check_instruction(struct parser *p, const struct token *mnemonic, const struct ptx_instruction *instruction);
void check_call(struct parser *p, const struct token *mnemonic, const struct ptx_instruction *instruction);

#endif
