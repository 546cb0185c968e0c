/* When each class of readers may have what an instruction writes. */
#ifndef LOCKSTEP_MACHINE_GPU_LATENCY_H
#define LOCKSTEP_MACHINE_GPU_LATENCY_H

#include "machine/state/core.h"

#include <stdbool.h>

struct gpu_model;
struct insn;

/* Whether the model says of any pair of pipelines how long a result takes: else a value has one ready time. */
bool latency_by_reader(const struct gpu_model *model);
/* Whether it adds, multiplies or compares values of half precision or bfloat16. */
bool latency_is_half(const struct insn *i);
/* Of an instruction with this row, whose costs are there. */
struct issue_times latency_times(const struct gpu_model *model, const struct insn *i, const struct issue_row *row);

#endif
