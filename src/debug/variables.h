/* The variables of a kernel's source: which of them an instruction sees, their types, where their values are, and a
 * value as text.
 *
 * nvcc -G and clang -g write DWARF as text into PTX: `.section .debug_info { ... }`.  variables_read() gives its labels
 * values and reads it with libdw, once; all that it returns is constant and lives in the arena.  Nothing here knows a
 * machine: a place is a register or a variable of the PTX module and an offset, and the caller, which has the
 * machine, reads its bytes.
 *
 *     const struct variables *all = variables_read(arena, module);
 *     uint32_t count;
 *     const struct variable *const *seen = variables_at(arena, all, function, instruction, &count);
 *     struct variable_place place = variable_place(all, seen[0], function, instruction);
 *     bytes of place ...
 *     variable_print(&text, seen[0]->type, bytes, length, &(struct variable_style){.elements = 8});
 *
 * An instruction is an index into ptx_function.code: `source` of struct insn.
 *
 * Without debug sections, or with malformed ones, the parameters of the function and the variables of the module that
 * the PTX declares are known, by their PTX names and types. */
#ifndef LOCKSTEP_DEBUG_VARIABLES_H
#define LOCKSTEP_DEBUG_VARIABLES_H

#include "ptx/module.h"
#include "util/text.h"

struct variables;

/* ---- Types ---- */

enum variable_kind {
	VARIABLE_OPAQUE, /* bytes of which nothing but their number is known */
	VARIABLE_VOID,
	VARIABLE_BOOL,
	VARIABLE_CHARACTER, /* is_signed says which */
	VARIABLE_INTEGER,   /* likewise */
	VARIABLE_FLOAT,     /* IEEE, of 2, 4 or 8 bytes */
	VARIABLE_POINTER,   /* `of` is what it points to; references, too */
	VARIABLE_ARRAY,     /* `count` elements of `of` */
	VARIABLE_STRUCT,    /* members; unions and classes, too */
	VARIABLE_ENUM,      /* values by name; is_signed */
};

struct variable_type {
	enum variable_kind kind;
	bool is_signed;
	const char *name; /* as C writes it: "float *", "struct node", "int [2][3]", a typedef's own name; never null */
	uint64_t bytes;   /* 0: not known */
	const struct variable_type *of;
	uint64_t count; /* of elements; 0: not known */
	struct variable_member {
		const char *name; /* "": it has none */
		const struct variable_type *type;
		uint64_t offset; /* bytes */
		uint32_t first_bit,
			bit_count; /* of a bit field, from the lowest bit at `offset` on; bit_count 0: it is none */
	} * members;
	struct variable_enumerator {
		const char *name;
		int64_t value;
	} * enumerators;
	uint32_t member_count, enumerator_count;
};

/* ---- Variables ---- */

struct variable {
	const char *name;
	const struct variable_type *type; /* never null */
	bool is_parameter;
	bool is_source; /* of the source; else of the PTX, where the source's are not known */
	uint32_t line;  /* of its declaration in the source, or in the PTX; 0: not known */
	uint32_t depth; /* of the scope: 0 the module, 1 the function, 2 a block in it ... */
};

enum variable_where {
	VARIABLE_NOWHERE,  /* it has no value here: `why` says so in a clause */
	VARIABLE_REGISTER, /* in `reg`: its low `type->bytes` bytes */
	/* `offset` bytes into `variable`, whose space says where that is: space_LOCAL, in the frame of the function;
	 * space_PARAM, in the parameters of the kernel or the frame of the function; space_SHARED, space_GLOBAL,
	 * space_CONST */
	VARIABLE_MEMORY,
	/* at an address: the value of `reg` plus `offset`, in `space` (space_NONE: a generic address) */
	VARIABLE_POINTED,
	VARIABLE_ADDRESS,  /* at the generic address `offset` */
	VARIABLE_CONSTANT, /* `bits` are its value, little endian */
};

struct variable_place {
	enum variable_where where;
	const struct ptx_register *reg;
	const struct ptx_variable *variable;
	uint64_t offset;
	uint64_t bits;
	uint8_t space;
	/* of VARIABLE_NOWHERE; or what is to be said beside the value: "as it was passed", of a kernel's parameter that
	 * the source may have assigned since; else null.  Constant text. */
	const char *why;
};

/* Reads what the module's debug sections say.  Never null.  The module must outlive it. */
const struct variables *variables_read(struct arena *arena, const struct ptx_module *module);

/* Why variables of the source are not known: "the PTX has no debug sections: compile it with -G or -g", or what is
 * wrong with them and where; null: they are known. */
const char *variables_missing(const struct variables *variables);

/* The variables that an instruction sees, innermost scope first, in a scope in the order of declaration; the function's
 * parameters count to its scope, and the module's variables come last.  A name that occurs again belongs to a variable
 * that is hidden by the one before.  The array lies in `arena`. */
const struct variable *const *variables_at(struct arena *arena, const struct variables *variables,
	const struct ptx_function *function, uint32_t instruction, uint32_t *count);

/* The variable that `name` means there; null: none. */
const struct variable *variable_named(
	const struct variables *variables, const struct ptx_function *function, uint32_t instruction, const char *name);

/* Where the variable is before the instruction executes.  A register that a place names need not be alive there: ask
 * register_holds(). */
struct variable_place variable_place(const struct variables *variables, const struct variable *variable,
	const struct ptx_function *function, uint32_t instruction);

/* The register as the PTX names it, "%r1"; null: the function mentions none of this name. */
const struct ptx_register *variable_register(const struct ptx_function *function, const char *name);
/* The type that a register's value has as its declaration says. */
const struct variable_type *variable_register_type(const struct variables *variables, const struct ptx_register *reg);

/* ---- Values ---- */

struct variable_style {
	uint32_t elements; /* of an array that are printed before "..."; 0: 16 */
	bool hexadecimal;  /* integers */
};

/* Appends the value: `42`, `1.5`, `'a'`, `0x10001300`, `{1, 2, ...}`, `{key = 1, next = 0x0}`, `GREEN`.  `length` may
 * be less than the type has: of what is not there it prints `?`. */
void variable_print(struct text *out, const struct variable_type *type, const uint8_t *bytes, size_t length,
	const struct variable_style *style);

#endif
