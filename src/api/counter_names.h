/* The names of the counters of cores and of partitions, by their fields: counter_names.core.FIELD. */
#ifndef LOCKSTEP_API_COUNTER_NAMES_H
#define LOCKSTEP_API_COUNTER_NAMES_H

static const struct {
	const struct {
#define COUNTER(field, name, unit, meaning) const char *field;
#include "machine/state/counters.def"
	} core;
	const struct {
#include "memory/counters.def"
#undef COUNTER
	} memory;
} counter_names = {
	.core =
		{
#define COUNTER(field, name, unit, meaning) .field = name,
#include "machine/state/counters.def"
		},
	.memory =
		{
#include "memory/counters.def"
#undef COUNTER
		},
};

#endif
