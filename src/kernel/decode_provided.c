/* Calls of the functions that the machine provides, which PTX knows by their names: lock instructions (paper 1, chapter
 * 4, and its list of future work), what firmware asks of the control processor (device/lockstep_control.h), CUDA's
 * device runtime (util/device_runtime.h), and a few of C's library. */
#include "kernel/decode.h"

#include "util/device_runtime.h"

#include <string.h>

static uint64_t bytes_of(const struct ptx_variable *variable)
{
	return variable->size ? variable->size : ptx_types[variable->type].bits / 8;
}

/* `parameters`: bytes of each, one digit of base 16 each; `result`: bytes, 0: there is none. */
static bool has_signature(const struct ptx_function *function, const char *parameters, uint32_t result)
{
	const struct ptx_prototype *signature = &function->signature;
	if (signature->parameter_count != strlen(parameters) || signature->return_count != (result != 0))
		return false;
	for (uint32_t k = 0; k < signature->parameter_count; k++) {
		int digit = parameters[k];
		if (bytes_of(signature->parameters[k]) != (uint64_t)(digit > '9' ? digit - 'a' + 10 : digit - '0'))
			return false;
	}
	return !result || bytes_of(signature->returns[0]) == result;
}

/* ---- Lock instructions ---- */

static const struct lock_function {
	const char *name;
	uint8_t kind, atomic, patience; /* enum insn_kind, enum atomic_op, enum lock_patience */
	const char *parameters;         /* and result: as has_signature */
	uint8_t result;
} lock_functions[] = {
	{"__lockstep_lock", INSN_ACQUIRE, ATOMIC_CAS, PATIENCE_FOREVER, "8", 0},
	{"__lockstep_try_lock", INSN_ACQUIRE, ATOMIC_CAS, PATIENCE_NONE, "8", 4},
	{"__lockstep_try_lock_for", INSN_ACQUIRE, ATOMIC_CAS, PATIENCE_TIMED, "84", 4},
	{"__lockstep_unlock", INSN_RELEASE, ATOMIC_EXCH, PATIENCE_FOREVER, "8", 0},
	{"__lockstep_wait", INSN_ACQUIRE, ATOMIC_TAKE, PATIENCE_FOREVER, "8", 0},
	{"__lockstep_signal", INSN_RELEASE, ATOMIC_ADD, PATIENCE_FOREVER, "8", 0},
};

static const struct lock_function *find_lock(const char *name)
{
	for (size_t k = 0; k < sizeof lock_functions / sizeof *lock_functions; k++)
		if (!strcmp(lock_functions[k].name, name))
			return &lock_functions[k];
	return NULL;
}

bool is_lock_function(const struct ptx_function *function)
{
	return find_lock(function->name);
}

/* An acquire, or a release, of the whole GPU, so that a critical section needs no fence. */
static void decode_lock(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_function *function, const struct lock_function *f)
{
	if (!has_signature(function, f->parameters, f->result)) {
		decode_error(d, instruction, "'%s' is declared otherwise than as %s of a 64-bit address%s", f->name,
			f->result ? "a function with a 32-bit result" : "a function without result",
			f->parameters[1] ? " and 32 bits of cycles" : "");
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
	decode_scoreboard(d, insn);
}

/* ---- Firmware ---- */

static const struct firmware_function {
	const char *name;
	uint8_t call;           /* enum firmware_call; FIRMWARE_CALLS: INSN_YIELD, of other kernels */
	const char *parameters; /* and result: as has_signature */
	uint8_t result;
	const char *form;
} firmware_functions[] = {
	{"__lockstep_dispatch", FIRMWARE_DISPATCH, "448", 0, "void(uint32, uint32, uint64)"},
	{"__lockstep_free_contexts", FIRMWARE_FREE, "4", 4, "uint32(uint32)"},
	{"__lockstep_outstanding", FIRMWARE_OUTSTANDING, "4", 4, "uint32(uint32)"},
	{"__lockstep_wait_change", FIRMWARE_WAIT, "84", 4, "uint32(pointer, uint32)"},
	{"__lockstep_take_restart", FIRMWARE_TAKE, "", 8, "uint64()"},
	{"__lockstep_restart", FIRMWARE_RESTART, "8", 0, "void(uint64)"},
	{"__lockstep_yield", FIRMWARE_CALLS, "8", 0, "void(uint64)"},
};

static const struct firmware_function *find_firmware(const char *name)
{
	for (size_t k = 0; k < sizeof firmware_functions / sizeof *firmware_functions; k++)
		if (!strcmp(firmware_functions[k].name, name))
			return &firmware_functions[k];
	return NULL;
}

static void decode_firmware(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_function *function, const struct firmware_function *f)
{
	if (!has_signature(function, f->parameters, f->result)) {
		decode_error(d, instruction, "'%s' is declared otherwise than as %s, which lockstep_control.h has",
			f->name, f->form);
		return;
	}
	struct insn *insn =
		decode_provided(d, instruction, function, f->call == FIRMWARE_CALLS ? INSN_YIELD : INSN_FIRMWARE);
	insn->component = f->call;
	if (f->call == FIRMWARE_CALLS)
		d->kernel->uses.yield = true;
	else if (!d->kernel->uses.firmware)
		d->kernel->uses.firmware = f->name;
	decode_scoreboard(d, insn);
}

/* ---- CUDA's device runtime ---- */

static void decode_device(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_function *function)
{
	const struct device_function *f = device_runtime_find(function->name);
	if (!f) {
		decode_error(d, instruction,
			"'%s' is a function of CUDA's device runtime that Lockstep does not have (docs/cuda.md, "
			"Dynamic parallelism)",
			function->name);
		return;
	}
	if (!has_signature(function, f->parameters, f->result)) {
		decode_error(d, instruction, "'%s' is declared otherwise than CUDA has it", function->name);
		return;
	}
	struct insn *insn = decode_provided(d, instruction, function, INSN_DEVICE);
	insn->component = f->call;
	d->kernel->uses.heap |= f->call == DEVICE_MALLOC || f->call == DEVICE_FREE;
	d->kernel->uses.device_wait |= f->call == DEVICE_WAIT;
	if (!d->kernel->uses.device)
		d->kernel->uses.device = function->name;
	decode_scoreboard(d, insn);
}

/* ---- C's library ---- */

static const struct builtin {
	const char *name;
	enum insn_kind kind;
	uint32_t arguments, returns; /* at least, at most */
} builtins[] = {
	{"vprintf", INSN_PRINTF, 2, 1},
	{"__assertfail", INSN_ASSERT, 4, 0},
	{"malloc", INSN_MALLOC, 1, 1},
	{"free", INSN_FREE, 1, 0},
};

static void decode_builtin(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_function *function)
{
	const struct builtin *builtin = builtins, *end = builtins + sizeof builtins / sizeof *builtins;
	while (builtin != end && strcmp(builtin->name, function->name))
		builtin++;
	if (builtin == end) {
		decode_error(d, instruction,
			"undefined function '%s': no module defines it, and Lockstep provides vprintf, __assertfail, "
			"malloc, "
			"free and its own __lockstep_lock, _unlock, _try_lock, _try_lock_for, _wait and _signal",
			function->name);
		return;
	}
	if (function->signature.parameter_count < builtin->arguments ||
		function->signature.return_count > builtin->returns) {
		decode_error(d, instruction,
			"'%s' is declared with %u parameters and %u results, which is not the one that CUDA has",
			function->name, function->signature.parameter_count, function->signature.return_count);
		return;
	}
	d->kernel->uses.heap |= builtin->kind == INSN_MALLOC || builtin->kind == INSN_FREE;
	decode_scoreboard(d, decode_provided(d, instruction, function, builtin->kind));
}

bool decode_by_machine(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_function *function)
{
	const struct lock_function *lock = find_lock(function->name);
	const struct firmware_function *firmware = find_firmware(function->name);
	if (lock)
		decode_lock(d, instruction, function, lock);
	else if (function->is_defined)
		return false;
	else if (firmware)
		decode_firmware(d, instruction, function, firmware);
	else if (device_runtime_has(function->name, strlen(function->name)))
		decode_device(d, instruction, function);
	else
		decode_builtin(d, instruction, function);
	return true;
}
