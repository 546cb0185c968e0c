/* The calls by which firmware speaks with the control processor (device/lockstep_control.h): in PTX calls of functions
 * with these names. */
#include "kernel/decode.h"

#include <string.h>

static const struct firmware_function {
	const char *name;
	uint8_t call;             /* enum firmware_call; FIRMWARE_CALLS: INSN_YIELD, of other kernels */
	uint8_t parameters, last; /* how many, all of 4 bytes but the last, which has so many */
	uint8_t first;            /* bytes of the first */
	uint8_t result;           /* bytes; 0: none */
	const char *form;
} functions[] = {
	{"__lockstep_dispatch", FIRMWARE_DISPATCH, 3, 8, 4, 0, "void(uint32, uint32, uint64)"},
	{"__lockstep_free_contexts", FIRMWARE_FREE, 1, 4, 4, 4, "uint32(uint32)"},
	{"__lockstep_outstanding", FIRMWARE_OUTSTANDING, 1, 4, 4, 4, "uint32(uint32)"},
	{"__lockstep_wait_change", FIRMWARE_WAIT, 2, 4, 8, 4, "uint32(pointer, uint32)"},
	{"__lockstep_take_restart", FIRMWARE_TAKE, 0, 0, 0, 8, "uint64()"},
	{"__lockstep_restart", FIRMWARE_RESTART, 1, 8, 8, 0, "void(uint64)"},
	{"__lockstep_yield", FIRMWARE_CALLS, 1, 8, 8, 0, "void(uint64)"},
};

static const struct firmware_function *find(const char *name)
{
	if (strncmp(name, "__lockstep_", 11))
		return NULL;
	for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
		if (!strcmp(functions[k].name, name))
			return &functions[k];
	return NULL;
}

bool is_firmware_function(const struct ptx_function *function)
{
	return !function->is_defined && find(function->name);
}

/* Bytes of a parameter or result. */
static uint64_t bytes_of(const struct ptx_variable *variable)
{
	return variable->size ? variable->size : ptx_types[variable->type].bits / 8;
}

static bool is_signature(const struct firmware_function *f, const struct ptx_prototype *signature)
{
	uint32_t count = signature->parameter_count;

	if (count != f->parameters || signature->return_count != (f->result != 0))
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (bytes_of(signature->parameters[k]) != (k == 0 ? f->first : k + 1 == count ? f->last : 4u))
			return false;
	return !f->result || bytes_of(signature->returns[0]) == f->result;
}

void decode_firmware(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_function *function)
{
	const struct firmware_function *f = find(function->name);
	struct insn *insn;

	if (!is_signature(f, &function->signature)) {
		decode_error(d, instruction, "'%s' is declared otherwise than as %s, which lockstep_control.h has",
			f->name, f->form);
		return;
	}
	insn = decode_provided(d, instruction, function, f->call == FIRMWARE_CALLS ? INSN_YIELD : INSN_FIRMWARE);
	insn->component = f->call;
	if (f->call == FIRMWARE_CALLS)
		d->kernel->uses.yield = true;
	else if (!d->kernel->uses.firmware)
		d->kernel->uses.firmware = f->name;
	decode_finish(d, insn);
}
