/* Rules that a row of ops.def cannot say: which of the words and types that it takes go together. */
#ifndef LOCKSTEP_PTX_RULES_H
#define LOCKSTEP_PTX_RULES_H

#include "ptx/ops.h"

/* What is wrong with an instruction whose row takes each of its words, as one clause; null when nothing is.  `words`
 * are as they were written, since a modifier does not keep how it was spelled. */
const char *ptx_rule_broken(
	enum op op, const struct ptx_words *words, const struct ptx_modifiers *modifiers, const enum ptx_type types[4]);

/* The part of it for what reaches memory or orders it: loads, stores, atomics, fences, barriers, prefetches. */
const char *ptx_access_rule_broken(
	enum op op, const struct ptx_words *words, const struct ptx_modifiers *modifiers, const enum ptx_type types[4]);

#endif
