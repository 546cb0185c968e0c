/* A value by what people write for it: `me`, `%r1`, `mine.weight[2]`, `first.next->key`, `*out`, `out[5]`.
 *
 *     path = "*"* name (("." | "->") member | "[" number "]")*
 *
 * A name is a variable's as variable_named() finds it, or a register's.  The machine is behind one function, which
 * reads bytes of a place. */
#ifndef LOCKSTEP_DEBUG_VARIABLE_PATH_H
#define LOCKSTEP_DEBUG_VARIABLE_PATH_H

#include "debug/variables.h"

/* Reads `length` bytes from the place on.  False: they are not there; `why` is then a clause, as
 * "%r1 holds nothing here". */
struct variable_reader {
	bool (*read)(void *context, const struct variable_place *place, uint8_t *to, size_t length, const char **why);
	void *context;
};

struct variable_value {
	const struct variable_type *type;
	struct variable_place place;
	uint32_t first_bit, bit_count; /* of a bit field at the place, as struct variable_member has them */
};

/* What the words mean before the instruction executes.  Pointers are read, the value itself is not.  False and an
 * error: no such name (with the nearest), no such member, an index of something else, a pointer that cannot be read, no
 * place. */
bool variable_find_path(const struct variables *variables, const struct ptx_function *function, uint32_t instruction,
	const char *words, const struct variable_reader *reader, struct variable_value *value,
	struct diagnostic *diagnostic);

/* Reads the value and appends it as variable_print() does; of large ones the first VARIABLE_BYTES.  False and an error:
 * it cannot be read. */
#define VARIABLE_BYTES 4096
bool variable_print_value(struct text *out, const struct variable_value *value, const struct variable_reader *reader,
	const struct variable_style *style, struct diagnostic *diagnostic);

#endif
