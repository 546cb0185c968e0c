/* The calls of CUDA's device runtime, by which a kernel launches kernels (util/device_runtime.h). */
#include "kernel/decode.h"

#include "util/device_runtime.h"

#include <string.h>

bool is_device_function(const struct ptx_function *function)
{
	return !function->is_defined && device_runtime_has(function->name, strlen(function->name));
}

static uint64_t bytes_of(const struct ptx_variable *variable)
{
	return variable->size ? variable->size : ptx_types[variable->type].bits / 8;
}

static bool is_signature(const struct device_function *f, const struct ptx_prototype *signature)
{
	if (signature->parameter_count != strlen(f->parameters) || signature->return_count != 1)
		return false;
	for (uint32_t k = 0; k < signature->parameter_count; k++) {
		int digit = f->parameters[k];

		if (bytes_of(signature->parameters[k]) != (uint64_t)(digit > '9' ? digit - 'a' + 10 : digit - '0'))
			return false;
	}
	return bytes_of(signature->returns[0]) == f->result;
}

void decode_device(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_function *function)
{
	const struct device_function *f = device_runtime_find(function->name);
	struct insn *insn;

	if (!f) {
		decode_error(d, instruction,
			"'%s' is a function of CUDA's device runtime that Lockstep does not have (docs/cuda.md, "
			"Dynamic parallelism)",
			function->name);
		return;
	}
	if (!is_signature(f, &function->signature)) {
		decode_error(d, instruction, "'%s' is declared otherwise than CUDA has it", function->name);
		return;
	}
	insn = decode_provided(d, instruction, function, INSN_DEVICE);
	insn->component = f->call;
	d->kernel->uses.heap |= f->call == DEVICE_MALLOC || f->call == DEVICE_FREE;
	d->kernel->uses.device_wait |= f->call == DEVICE_WAIT;
	if (!d->kernel->uses.device)
		d->kernel->uses.device = function->name;
	decode_finish(d, insn);
}
