/* Why a kernel hangs: which thread must act first, why it cannot, and where; the cause by name, and what to change. */
#ifndef LOCKSTEP_CHECK_HANG_H
#define LOCKSTEP_CHECK_HANG_H

#include <stdbool.h>

struct machine;
struct launch;

/* Fills launch->result.finding, except the detail's `confirmed` and `message` (verdict.h).  The causes: causes.def. */
void hang_explain(struct machine *machine, struct launch *launch, bool proved);

/* firmware.c */
/* Writes the finding of a launch with firmware that hangs: where firmware is, and what its work-groups wait for. False:
 * the launch has none. */
bool firmware_hang_explain(struct machine *machine, struct launch *launch, bool proved);

#endif
