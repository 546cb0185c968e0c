/* The lock instructions (paper 1, chapter 4, and its list of future work): in PTX calls of functions with these
 * names. */
#include "kernel/decode.h"

#include <string.h>

static const struct lock_function {
	const char *name;
	uint8_t kind, atomic, patience; /* enum insn_kind, enum atomic_op, enum lock_patience */
	uint32_t parameters, returns;
} lock_functions[] = {
	{"__lockstep_lock", INSN_ACQUIRE, ATOMIC_CAS, PATIENCE_FOREVER, 1, 0},
	{"__lockstep_try_lock", INSN_ACQUIRE, ATOMIC_CAS, PATIENCE_NONE, 1, 1},
	{"__lockstep_try_lock_for", INSN_ACQUIRE, ATOMIC_CAS, PATIENCE_TIMED, 2, 1},
	{"__lockstep_unlock", INSN_RELEASE, ATOMIC_EXCH, PATIENCE_FOREVER, 1, 0},
	{"__lockstep_wait", INSN_ACQUIRE, ATOMIC_TAKE, PATIENCE_FOREVER, 1, 0},
	{"__lockstep_signal", INSN_RELEASE, ATOMIC_ADD, PATIENCE_FOREVER, 1, 0},
};

static const struct lock_function *find(const char *name)
{
	for (size_t k = 0; k < sizeof lock_functions / sizeof *lock_functions; k++)
		if (!strcmp(lock_functions[k].name, name))
			return &lock_functions[k];
	return NULL;
}

bool is_lock_function(const struct ptx_function *function)
{
	return find(function->name);
}

/* Bytes of a parameter or result. */
static uint64_t bytes_of(const struct ptx_variable *variable)
{
	return variable->size ? variable->size : ptx_types[variable->type].bits / 8;
}

static bool is_signature(const struct lock_function *f, const struct ptx_prototype *signature)
{
	if (signature->parameter_count != f->parameters || signature->return_count != f->returns)
		return false;
	for (uint32_t k = 0; k < f->parameters; k++)
		if (bytes_of(signature->parameters[k]) != (k ? 4 : 8))
			return false;
	return !f->returns || bytes_of(signature->returns[0]) == 4;
}

/* An acquire, or a release, of the whole GPU, so that a critical section needs no fence. */
void decode_lock(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_function *function)
{
	const struct lock_function *f = find(function->name);
	if (!is_signature(f, &function->signature)) {
		decode_error(d, instruction, "'%s' is declared otherwise than as %s of a 64-bit address%s", f->name,
			f->returns ? "a function with a 32-bit result" : "a function without result",
			f->parameters > 1 ? " and 32 bits of cycles" : "");
		return;
	}
	struct insn *insn = decode_provided(d, instruction, function, f->kind);
	insn->access = (struct insn_access){.space = space_GLOBAL,
		.bytes = 4,
		.elements = 1,
		.order = f->kind == INSN_ACQUIRE ? order_ACQUIRE : order_RELEASE,
		.scope = scope_GPU,
		.atomic = f->atomic,
		.type = TYPE_U32,
		.register_bytes = 4,
		.patience = f->patience};
	insn->flags |= f->kind == INSN_ACQUIRE ? INSN_LOCK_TRY : INSN_NO_RESULT;
	decode_finish(d, insn);
}
