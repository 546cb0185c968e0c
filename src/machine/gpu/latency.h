/* When each class of readers may have what an instruction writes. */
#ifndef LOCKSTEP_MACHINE_GPU_LATENCY_H
#define LOCKSTEP_MACHINE_GPU_LATENCY_H

#include "machine/state/core.h"

#include <stdbool.h>

struct gpu_model;
struct insn;
struct kernel;

/* Whether it is a conversion to or from floating point, or counts, finds or reverses bits: far from the ALU. */
bool latency_converts_floats(const struct insn *i);
bool latency_counts_bits(const struct insn *i);
/* Whether the model says of any pair of pipelines how long a result takes: else a value has one ready time. */
bool latency_by_reader(const struct gpu_model *model);
/* Whether it adds, multiplies or compares values of half precision or bfloat16. */
bool latency_is_half(const struct insn *i);
/* Whether it is an access that goes through the queue of the load-store unit. */
bool latency_takes_operands(const struct insn *i);
/* Of the instruction at `pc`, whose row this is with its costs. */
struct issue_times latency_times(
	const struct gpu_model *model, const struct kernel *kernel, uint32_t pc, const struct issue_row *row);

#endif
