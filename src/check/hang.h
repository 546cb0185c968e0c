/* Why a kernel hangs: who must act first, why that thread cannot, where; the cause by name, what to change. */
#ifndef LOCKSTEP_CHECK_HANG_H
#define LOCKSTEP_CHECK_HANG_H

#include <stdbool.h>

struct machine;
struct launch;

/* Fills launch->result.finding but for the detail's `confirmed` and `message` (verdict.h).  The causes: causes.def. */
void hang_explain(struct machine *machine, struct launch *launch, bool proved);

#endif
